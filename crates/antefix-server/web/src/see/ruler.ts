// The cache ruler: the whole prompt to scale, with its sections, the boundary, breakpoints, the least that is cached and the first
// byte that would differ.

import type { Section } from "../api/documents.ts";
import { button, fill, h } from "../dom.ts";
import { number } from "../words.ts";
import type { Mark } from "./prompt.ts";

export interface Ruler {
  element: HTMLElement;
  show(sections: Section[], total: number, marks: Mark[]): void;
  /** What is in sight, as shares of the whole. */
  sight(from: number, to: number): void;
}

export function ruler(go: (byte: number) => void): Ruler {
  const bar = h("div", { class: "ruler-bar" });
  const window = h("div", { class: "ruler-sight", "aria-hidden": "true" });
  const element = h("div", { class: "ruler", role: "group", "aria-label": "Cache ruler: the prompt to scale" }, bar);
  const percent = (share: number) => `${(Math.min(1, Math.max(0, share)) * 100).toFixed(3)}%`;
  return {
    element,
    show(sections, total, marks) {
      const whole = Math.max(1, total);
      const parts = sections
        .filter((section) => section.bytes > 0)
        .map((section) => {
          const { id, stability, start, bytes, tokens } = section;
          const share = bytes / whole;
          // What has no room is still said.
          const part = button("", () => go(start), {
            class: `ruler-part ${stability}`,
            title: `${id}, ${stability}, ${number(bytes)} bytes${tokens === undefined ? "" : `, ${number(tokens)} tokens`}`,
            style: { top: percent(start / whole), height: percent(share) },
          });
          part.append(h("span", { class: share > 0.045 ? "ruler-name" : "sr" }, id), " ");
          if (tokens !== undefined)
            part.append(
              h("span", { class: share > 0.09 ? "ruler-tokens" : "sr" }, number(tokens)),
              h("span", { class: "sr" }, " tokens"),
            );
          part.append(h("span", { class: "sr" }, `, ${stability}`));
          return part;
        });
      const lines = marks.map((mark) => {
        const line = button("", () => go(mark.at), {
          class: `ruler-mark ${mark.kind}`,
          title: mark.label,
          "aria-label": mark.label,
          style: { top: percent(mark.at / whole) },
        });
        // Near the end there is room above the line alone.
        const side = mark.at / whole > 0.9 ? "above" : "below";
        if (mark.short) line.append(h("span", { class: `ruler-short ${side}`, "aria-hidden": "true" }, mark.short));
        return line;
      });
      fill(bar, ...parts, window, ...lines);
    },
    sight(from, to) {
      window.style.setProperty("top", percent(from));
      window.style.setProperty("height", percent(to - from));
    },
  };
}
