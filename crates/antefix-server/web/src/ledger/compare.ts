// Two epochs: where they part, why, at what cost, and line by line.

import { api } from "../api/client.ts";
import { difference } from "../code/diff.ts";
import { fill, h } from "../dom.ts";
import { parting } from "../see/panels.ts";
import { told } from "../shell/problem.ts";
import { to } from "../shell/route.ts";
import { time } from "../words.ts";

export function compareView(id: string, a: number, b: number): HTMLElement {
  const body = h("div", { class: "stack" }, h("p", { class: "quiet" }, "Loading…"));
  Promise.all([api.epoch(id, a), api.epoch(id, b), api.diff(id, a, b)]).then(
    ([before, after, parted]) =>
      fill(
        body,
        h(
          "section",
          { class: "card", "aria-label": "Cause and cost" },
          h("p", {}, `Epoch ${b} began ${time(after.epoch.opened_at)}, cause: ${after.epoch.cause}.`),
          parted ? parting(parted) : h("p", { class: "verdict same" }, "The two prefixes are the same, byte for byte."),
        ),
        h("section", { class: "epoch-diff", "aria-label": "Difference" }, difference(before.prefix, after.prefix)),
      ),
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
        h("h1", {}, `Epoch ${a} to ${b}`),
      ),
      h("span", { class: "spring" }),
      h("a", { href: to("conversations", id, b, a) }, "Swap"),
    ),
    body,
  );
}
