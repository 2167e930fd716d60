// One conversation: its epochs, what moved since, and the ways to begin a new one.

import { api } from "../api/client.ts";
import type { Conversation, ListedEpoch } from "../api/documents.ts";
import { button, type Child, fill, h } from "../dom.ts";
import { changed, parting } from "../see/panels.ts";
import { told } from "../shell/problem.ts";
import { to } from "../shell/route.ts";
import { count, number, short, time } from "../words.ts";
import { choose } from "../write/situation.ts";
import { amendments } from "./amendments.ts";
import { compaction } from "./compaction.ts";
import { counter } from "./tokens.ts";

const CAUSES = ["requested", "reloaded", "tools-changed", "resources-changed", "moved"];

export function conversationView(id: string): HTMLElement {
  const body = h("div", { class: "stack" }, h("p", { class: "quiet" }, "Loading…"));
  const load = () => {
    Promise.all([api.conversation(id), epochs(id)]).then(
      ([conversation, all]) =>
        fill(
          body,
          facts(conversation),
          renewal(id, load),
          epochTable(id, all),
          drift(id),
          amendments(conversation.amendments),
          waiting(conversation),
        ),
      (error: unknown) => fill(body, told(error)),
    );
  };
  load();
  return h(
    "div",
    { class: "page" },
    h(
      "div",
      { class: "page-bar" },
      h(
        "nav",
        { class: "crumbs", "aria-label": "Where you are" },
        h("a", { href: to("conversations") }, "Conversations"),
        h("h1", {}, id),
      ),
    ),
    body,
  );
}

async function epochs(id: string): Promise<ListedEpoch[]> {
  const all: ListedEpoch[] = [];
  for (let after: number | undefined = 0; after !== undefined;) {
    const page = await api.epochs(id, after);
    all.push(...page.epochs);
    after = page.next;
  }
  return all.reverse();
}

function facts({ epoch, cwd, machine }: Conversation): HTMLElement {
  const rows: [string, string][] = [
    ["Directory", cwd],
    ...(machine ? [["Machine", machine] as [string, string]] : []),
    ["Model", epoch.model ?? "not named"],
    ["Standing", `epoch ${epoch.number}, ${epoch.cause}, ${count(epoch.bytes, "byte")}`],
  ];
  return h(
    "section",
    { class: "card", "aria-label": "Standing" },
    h("dl", { class: "facts" }, ...rows.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)])),
    epoch.degraded &&
      h("p", { class: "level warning" }, "This epoch is degraded: something could not be asked for when it began."),
  );
}

/** Renewing and compacting. */
function renewal(id: string, done: () => void): HTMLElement {
  const said = h("div", { role: "status" });
  const cause = h("select", { id: "cause" }, ...CAUSES.map((name) => h("option", { value: name }, name)));
  const renew = button("Renew", () => {
    renew.disabled = true;
    api
      .renew(id, cause.value)
      .then(
        ({ began, epoch }) => {
          if (began) done();
          else fill(said, h("p", {}, `Composing gave the same bytes, so epoch ${epoch.number} stands.`));
        },
        (error: unknown) => fill(said, told(error)),
      )
      .finally(() => (renew.disabled = false));
  });
  return h(
    "section",
    { class: "card", "aria-label": "Begin a new epoch" },
    h(
      "div",
      { class: "row" },
      h("label", { for: "cause" }, "Cause"),
      cause,
      renew,
      compaction(id, said, done),
      h("span", { class: "spring" }),
      h(
        "a",
        { href: to("write"), onclick: () => choose({ conversation: id, cwd: "", model: "" }) },
        "Compare with the draft",
      ),
    ),
    said,
  );
}

function epochTable(id: string, all: ListedEpoch[]): HTMLElement {
  const pick = (name: string, chosen: number) =>
    h(
      "select",
      { id: `diff-${name}`, "aria-label": name === "a" ? "From epoch" : "To epoch" },
      ...all.map((epoch) =>
        h("option", { value: String(epoch.number), selected: epoch.number === chosen }, `epoch ${epoch.number}`),
      ),
    );
  const last = all[0]?.number ?? 1;
  const counted = counter(id);
  const [a, b] = [pick("a", Math.max(1, last - 1)), pick("b", last)];
  return h(
    "section",
    { class: "card", "aria-label": "Epochs" },
    h(
      "div",
      { class: "row" },
      h("h2", {}, "Epochs"),
      h("span", { class: "spring" }),
      all.length > 1
        ? h(
            "span",
            { class: "row" },
            a,
            "to",
            b,
            button("Compare", () => (location.hash = to("conversations", id, a.value, b.value)), { class: "small" }),
          )
        : h("span", { class: "quiet" }, "A second epoch can be compared with this one."),
    ),
    h("table", { class: "table stacked", role: "table" }, head(), h("tbody", { role: "rowgroup" }, ...all.map(row))),
  );

  function row(epoch: ListedEpoch): HTMLElement {
    const tokens = h("span", {}, "…");
    counted(tokens, epoch.number);
    const cells: Record<string, Child> = {
      Cause: epoch.cause,
      Began: h("time", { datetime: epoch.opened_at }, time(epoch.opened_at)),
      Bytes: number(epoch.bytes),
      Tokens: tokens,
      Notices: number(epoch.amendments),
      Model: epoch.model,
      Digest: h("code", {}, short(epoch.digest)),
    };
    return h(
      "tr",
      { role: "row" },
      h(
        "th",
        { scope: "row", role: "rowheader" },
        h("a", { href: to("conversations", id, epoch.number) }, `epoch ${epoch.number}`),
      ),
      ...Object.entries(cells).map(([name, value]) =>
        h("td", { role: "cell", class: FIGURES.includes(name) ? "figure" : "quiet", "data-label": name }, value),
      ),
      h(
        "td",
        { role: "cell", class: "state-cell" },
        epoch.degraded && h("span", { class: "level warning" }, "degraded"),
        epoch.number === last && h("span", { class: "level standing" }, "stands"),
      ),
    );
  }
}

const COLUMNS = ["Epoch", "Cause", "Began", "Bytes", "Tokens", "Notices", "Model", "Digest", "State"];
const FIGURES = ["Bytes", "Tokens", "Notices"];

function head(): HTMLElement {
  return h(
    "thead",
    { role: "rowgroup" },
    h(
      "tr",
      { role: "row" },
      ...COLUMNS.map((name) =>
        h("th", { scope: "col", role: "columnheader", class: FIGURES.includes(name) ? "figure" : false }, name),
      ),
    ),
  );
}

/** What composing now would change. */
function drift(id: string): HTMLElement {
  const body = h("div", {}, h("p", { class: "quiet" }, "Composing…"));
  api.drift(id).then(
    ({ difference, changes }) =>
      fill(
        body,
        difference
          ? h("div", {}, h("p", {}, "A renewal now would begin a new epoch."), parting(difference))
          : h("p", { class: "verdict same" }, "Composing now gives the same bytes."),
        changed(changes),
      ),
    (error: unknown) => fill(body, told(error)),
  );
  return h("section", { class: "card", "aria-label": "Pending" }, h("h2", {}, "Pending"), body);
}

function waiting({ waiting }: Conversation): HTMLElement {
  return h(
    "section",
    { class: "card", "aria-label": "Messages" },
    h("h2", {}, "Messages for the next turn"),
    waiting.length === 0
      ? h("p", { class: "empty" }, "None waits. POST /conversations/{id}/messages, or `antefix send`, queues one.")
      : h(
          "ul",
          { class: "entries" },
          ...waiting.map((message) =>
            h(
              "li",
              {},
              h("span", { class: "tagline" }, time(message.at)),
              h("pre", { class: "said-text" }, message.text),
            ),
          ),
        ),
  );
}
