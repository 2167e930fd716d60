// All conversations. Rows are made for what is in sight alone, and pages are asked for as one scrolls.

import { api } from "../api/client.ts";
import type { Row } from "../api/documents.ts";
import { fill, h } from "../dom.ts";
import { told } from "../shell/problem.ts";
import { to } from "../shell/route.ts";
import { count, time } from "../words.ts";

const HEIGHT = 44;
/** Rows above and below what is in sight. */
const SPARE = 8;

export function conversationsView(): { element: HTMLElement; leave: () => void } {
  let rows: Row[] = [];
  let next: string | undefined;
  let isAsking = false;
  let generation = 0;

  const inner = h("div", { class: "rows", role: "list" });
  const scroller = h("div", { class: "scroller", tabindex: "0", role: "group", "aria-label": "Conversations" }, inner);
  const head = h(
    "div",
    { class: "row-head", "aria-hidden": "true" },
    ...[
      ["id", "Conversation"],
      ["epoch", "Standing epoch"],
      ["model", "Model"],
      ["cwd", "Directory"],
      ["time", "Began"],
    ].map(([name, label]) => h("span", { class: `row-${name}` }, label)),
  );
  const amount = h("span", { class: "quiet", role: "status" });
  const failed = h("div");
  const empty = h("div", { class: "empty-state", hidden: true });
  const find = h("input", {
    id: "find",
    type: "search",
    placeholder: "id, or its beginning",
    autocomplete: "off",
    spellcheck: "false",
    oninput: () => restart(),
  });

  function draw(): void {
    const first = Math.max(0, Math.floor(scroller.scrollTop / HEIGHT) - SPARE);
    const last = Math.min(rows.length, Math.ceil((scroller.scrollTop + scroller.clientHeight) / HEIGHT) + SPARE);
    inner.style.setProperty("height", `${rows.length * HEIGHT}px`);
    scroller.style.setProperty("max-height", `${rows.length * HEIGHT + 2}px`);
    inner.replaceChildren(...rows.slice(first, last).map((row, index) => line(row, first + index, rows.length)));
    if (next !== undefined && last > rows.length - 60) void more();
  }

  async function more(): Promise<void> {
    if (isAsking) return;
    isAsking = true;
    const mine = generation;
    try {
      const page = await api.conversations(next);
      if (mine !== generation) return;
      rows = [...rows, ...page.conversations];
      next = page.next;
      fill(failed);
    } catch (error) {
      next = undefined;
      fill(failed, told(error));
    } finally {
      isAsking = false;
    }
    if (mine === generation) tell();
  }

  function tell(): void {
    amount.textContent =
      next === undefined ? count(rows.length, "conversation") : `${count(rows.length, "conversation")} so far`;
    empty.hidden = rows.length > 0;
    scroller.hidden = rows.length === 0;
    head.hidden = rows.length === 0;
    if (rows.length === 0) {
      fill(
        empty,
        find.value.trim() === ""
          ? h(
              "div",
              {},
              h("h2", {}, "No conversation yet"),
              h(
                "p",
                {},
                "The first turn of an agent opens one: POST /conversations/{id}/turns, or in a terminal with the same store:",
              ),
              h("pre", {}, "antefix turn my-conversation"),
            )
          : h("p", {}, "No conversation is behind that id in the order of ids."),
      );
    }
    draw();
  }

  /** Begins at the id that was typed: itself, if there is one, then those behind it. */
  function restart(): void {
    const mine = ++generation;
    const from = find.value.trim();
    rows = [];
    next = from === "" ? undefined : from;
    isAsking = false;
    scroller.scrollTop = 0;
    // There need not be one of that very name; what else may be wrong, the list tells.
    const exact = from === "" ? Promise.resolve(null) : api.conversation(from).catch(() => null);
    void exact.then(async (one) => {
      if (mine !== generation) return;
      if (one) {
        const { number, cause, digest, opened_at, model } = one.epoch;
        rows = [
          {
            conversation: one.conversation,
            number,
            cause,
            digest,
            opened_at,
            cwd: one.cwd,
            ...(model ? { model } : {}),
          },
        ];
      }
      await more();
    });
  }

  let frame = 0;
  const redraw = () => {
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(draw);
  };
  scroller.addEventListener("scroll", redraw, { passive: true });
  window.addEventListener("resize", redraw);
  restart();
  return {
    element: h(
      "div",
      { class: "page ledger-list" },
      h(
        "div",
        { class: "page-bar" },
        h("h1", {}, "Conversations"),
        amount,
        h("span", { class: "spring" }),
        h("span", { class: "asked" }, h("label", { for: "find" }, "Begin at"), find),
      ),
      failed,
      empty,
      head,
      scroller,
    ),
    leave: () => window.removeEventListener("resize", redraw),
  };
}

function line(row: Row, index: number, all: number): HTMLElement {
  return h(
    "div",
    {
      class: "row-line",
      role: "listitem",
      "aria-posinset": index + 1,
      "aria-setsize": all,
      style: { top: `${index * HEIGHT}px` },
    },
    h("a", { class: "row-id", href: to("conversations", row.conversation) }, row.conversation),
    h("span", { class: "row-epoch" }, `epoch ${row.number}`, h("span", { class: "tagline" }, row.cause)),
    h("span", { class: "row-model quiet" }, row.model ?? ""),
    h("span", { class: "row-cwd quiet", title: row.cwd }, row.cwd),
    h("time", { class: "row-time quiet", datetime: row.opened_at }, time(row.opened_at)),
  );
}
