// The page: a bar, and one of three views below it.

import "./styles/base.css";
import "./styles/write.css";
import "./styles/ledger.css";
import { api, known, pending, Problem } from "./api/client.ts";
import { button, fill, h } from "./dom.ts";
import { historyView } from "./history/view.ts";
import { compareView } from "./ledger/compare.ts";
import { conversationView } from "./ledger/conversation.ts";
import { epochView } from "./ledger/epoch.ts";
import { conversationsView } from "./ledger/list.ts";
import { listen, showKeys } from "./shell/keys.ts";
import { login } from "./shell/login.ts";
import { told } from "./shell/problem.ts";
import { parts, to } from "./shell/route.ts";
import { themeButton } from "./shell/theme.ts";
import { tour, wasToured } from "./shell/tour.ts";
import * as draft from "./write/draft.ts";
import { writeView } from "./write/view.ts";

const VIEWS: [string, string][] = [
  ["write", "Write"],
  ["conversations", "Conversations"],
  ["history", "History"],
];

async function start(): Promise<void> {
  const about = await api.about();
  const [variables, wasLeft] = await Promise.all([api.variables(), draft.load()]);
  const write = writeView(about, variables, wasLeft);
  const main = h("main", { id: "main", tabindex: "-1" });
  const links = VIEWS.map(([view, label]) => h("a", { href: to(view) }, label));
  const bar = h(
    "header",
    { class: "bar" },
    h(
      "a",
      { class: "skip", href: "#main", onclick: (event: Event) => (event.preventDefault(), main.focus()) },
      "Skip to the content",
    ),
    h("a", { class: "mark", href: to("write") }, "antefix"),
    h("nav", { "aria-label": "Views" }, ...links),
    h("span", { class: "spring" }),
    button("Tour", () => ((location.hash = to("write")), requestAnimationFrame(tour)), { class: "quiet-button" }),
    themeButton(),
    button("Keys", showKeys, { class: "quiet-button", "aria-label": "Keys", title: "?" }),
    button("Sign out", () => void api.signOut().catch(() => {}), {
      class: "quiet-button",
      title: "This browser must open another link then",
    }),
  );
  const progress = h("div", { class: "progress", role: "progressbar", "aria-label": "Working", hidden: true });

  let leave = () => {};
  function show(): void {
    const [view = "write", ...rest] = parts();
    leave();
    leave = () => {};
    for (const [index, [name]] of VIEWS.entries()) {
      if (name === view) links[index]?.setAttribute("aria-current", "page");
      else links[index]?.removeAttribute("aria-current");
    }
    document.title = `${VIEWS.find(([name]) => name === view)?.[1] ?? "Write"} · antefix`;
    if (view === "conversations") {
      const [id, which, other] = rest;
      if (id === undefined) {
        const list = conversationsView();
        leave = list.leave;
        fill(main, list.element);
      } else if (which === undefined) fill(main, conversationView(id));
      else if (other === undefined) fill(main, epochView(id, Number(which)));
      else fill(main, compareView(id, Number(which), Number(other)));
    } else if (view === "history") {
      fill(main, historyView());
    } else {
      fill(main, write.element);
    }
  }
  window.addEventListener("hashchange", () => {
    show();
    main.focus({ preventScroll: true });
  });
  listen(write.save, (view) => (location.hash = to(view)));
  document.body.replaceChildren(bar, progress, main);
  slowly(progress);
  show();
  if (!wasToured() && parts().length === 0) tour();
}

/** Shows that something takes its time, once it does. */
function slowly(progress: HTMLElement): void {
  let timer = 0;
  pending.watch((count) => {
    if (count === 0) {
      window.clearTimeout(timer);
      timer = 0;
      progress.hidden = true;
    } else if (timer === 0) {
      timer = window.setTimeout(() => (progress.hidden = false), 400);
    }
  });
}

/** Takes the code of a link out of the address, and makes a session of it. The answer is whether it was of no use. */
async function redeem(): Promise<boolean> {
  const code = new URLSearchParams(location.search).get("code");
  if (code === null) return false;
  history.replaceState(null, "", location.pathname + location.hash);
  try {
    await api.enter(code);
    return false;
  } catch (error) {
    if (error instanceof Problem && error.status === 403) return true;
    throw error;
  }
}

async function enter(): Promise<void> {
  // A link that does not work any more leads here as well; who is in goes on.
  let wasUsed = false;
  known.watch((isKnown) => {
    if (!isKnown) document.body.replaceChildren(login(wasUsed));
  });
  try {
    wasUsed = await redeem();
    await start();
  } catch (error) {
    if (!known.value) return;
    document.body.replaceChildren(
      h(
        "main",
        { class: "login" },
        h("h1", {}, "antefix"),
        told(error),
        button("Try again", () => location.reload(), { class: "primary" }),
      ),
    );
  }
}

void enter();
