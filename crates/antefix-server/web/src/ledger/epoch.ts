// One epoch in full: its bytes, and where each comes from.

import { api } from "../api/client.ts";
import type { EpochDocument, Gap, Span } from "../api/documents.ts";
import { type Child, fill, h } from "../dom.ts";
import { details } from "../see/origin.ts";
import { sections } from "../see/panels.ts";
import { promptView } from "../see/prompt.ts";
import { ruler } from "../see/ruler.ts";
import { told } from "../shell/problem.ts";
import { to } from "../shell/route.ts";
import { count, estimate, short, time } from "../words.ts";
import { amendments } from "./amendments.ts";

export function epochView(id: string, which: number): HTMLElement {
  const body = h("div", { class: "stack" }, h("p", { class: "quiet" }, "Loading…"));
  api.epoch(id, which).then(
    (document) => show(body, document),
    (error: unknown) => fill(body, told(error)),
  );
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
        h("a", { href: to("conversations", id) }, id),
        h("h1", {}, `Epoch ${which}`),
      ),
    ),
    body,
  );
}

function show(body: HTMLElement, document: EpochDocument): void {
  const { epoch, made_by } = document;
  const origin = h(
    "div",
    { class: "card origin" },
    h("p", { class: "empty" }, "Click any text to see where it came from when the epoch began."),
  );
  const view = promptView(`Epoch ${epoch.number}`);
  const scale = ruler((byte) => view.go(byte));
  view.onscroll = scale.sight;
  view.onchoose = (span: Span, below: number) =>
    fill(origin, details(span, below, document.sections[Number(span.section)]));
  const total = h("span", {}, "counting…");
  const figures = h("section", { class: "card", "aria-label": "Tokens by section" });
  const rows: [string, Child][] = [
    ["Cause", epoch.cause],
    ["Began", time(epoch.opened_at)],
    ["Size", count(epoch.bytes, "byte")],
    ["Tokens", total],
    ["Model", epoch.model ?? "not named"],
    ["Directory", document.cwd],
    ["Digest", short(epoch.digest)],
    [
      "Made by",
      [made_by["antefix"] && `antefix ${made_by["antefix"]}`, made_by["layout"] && `layout ${made_by["layout"]}`]
        .filter(Boolean)
        .join(", "),
    ],
  ];
  const gaps = epoch.gaps ?? [];
  fill(
    body,
    h(
      "section",
      { class: "card" },
      h("dl", { class: "facts across" }, ...rows.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)])),
      epoch.degraded && degraded(gaps),
    ),
    h("section", { class: "epoch-text", "aria-label": "The prefix" }, scale.element, view.host),
    origin,
    figures,
    amendments(document.amendments),
  );
  view.show({ text: document.prefix, spans: document.spans, sections: document.sections, marks: [] });
  scale.show(document.sections, epoch.bytes, []);
  // Counting a long epoch for the first time takes longer than reading it.
  api.tokens(document.conversation, epoch.number).then(
    ({ sections: counted, token_counts }) => {
      const of = document.sections.map((section, index) => ({ ...section, ...counted[index] }));
      total.textContent = token_counts ? estimate(token_counts.total) : "this server counts none";
      scale.show(of, epoch.bytes, []);
      fill(
        figures,
        h("h2", {}, "Tokens by section"),
        sections({ sections: of, ...(token_counts && { token_counts }) }, (byte) => view.go(byte)),
      );
    },
    (error: unknown) => {
      total.textContent = "not counted";
      fill(figures, told(error));
    },
  );
}

/** What the epoch goes without, and why. */
function degraded(gaps: Gap[]): HTMLElement {
  return h(
    "div",
    { class: "degraded", role: "group", "aria-label": "Degraded" },
    h(
      "p",
      {},
      h("span", { class: "level warning" }, "degraded"),
      " Something could not be asked for when this epoch began, so it goes without it. Renew the conversation once it is back.",
    ),
    h(
      "ul",
      { class: "entries" },
      ...gaps.map(({ section, fact, detail }) =>
        h(
          "li",
          {},
          h("code", {}, fact),
          h("span", { class: "tagline" }, `gap in ${section}`),
          h("p", { class: "quiet" }, detail),
        ),
      ),
    ),
  );
}
