// Notices that were appended to an epoch.

import type { Amendment } from "../api/documents.ts";
import { h } from "../dom.ts";
import { time } from "../words.ts";

export function amendments(all: Amendment[]): HTMLElement {
  return h(
    "section",
    { class: "card", "aria-label": "Amendments" },
    h("h2", {}, "Amendments"),
    all.length === 0
      ? h(
          "p",
          { class: "empty" },
          "None. When something moves that the layout wants told, a turn appends a notice here, and the prefix keeps its bytes.",
        )
      : h(
          "ul",
          { class: "entries" },
          ...all.map((one) =>
            h(
              "li",
              {},
              h("span", {}, `${one.number}. ${one.kind} in ${one.section}`),
              one.file && h("code", {}, one.file),
              h("span", { class: "tagline" }, time(one.at)),
              h("pre", { class: "said-text" }, one.text),
            ),
          ),
        ),
  );
}
