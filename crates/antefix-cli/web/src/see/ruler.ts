// The cache ruler: the whole prompt to scale, with its sections, the boundary, breakpoints and the first byte that would differ.

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
      const parts = sections.filter((section) => section.bytes > 0).map((section) => {
        const tokens = section.tokens === undefined ? "" : `${number(section.tokens)} tokens`;
        return button("", () => go(section.start), {
          class: `ruler-part ${section.stability}`, title: `${section.id}, ${section.stability}, ${number(section.bytes)} bytes${tokens && `, ${tokens}`}`,
          "aria-label": `${section.id}, ${section.stability}${tokens && `, ${tokens}`}`,
          style: { top: percent(section.start / whole), height: percent(section.bytes / whole) },
        });
      });
      for (const [index, part] of parts.entries()) {
        const section = sections.filter((one) => one.bytes > 0)[index];
        if (section && section.bytes / whole > 0.045) {
          part.append(h("span", { class: "ruler-name" }, section.id));
          if (section.tokens !== undefined && section.bytes / whole > 0.09) part.append(h("span", { class: "ruler-tokens" }, number(section.tokens)));
        }
      }
      const lines = marks.map((mark) => button("", () => go(mark.at), {
        class: `ruler-mark ${mark.kind}`, title: mark.label, "aria-label": mark.label, style: { top: percent(mark.at / whole) },
      }));
      fill(bar, ...parts, window, ...lines);
    },
    sight(from, to) {
      window.style.setProperty("top", percent(from));
      window.style.setProperty("height", percent(to - from));
    },
  };
}
