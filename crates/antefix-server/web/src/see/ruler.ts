// The cache ruler: the whole request to scale, with its tools, the sections of its prompt, the boundary, breakpoints, the least that
// is cached and the first byte that would differ.

import type { Section, ToolSizes } from "../api/documents.ts";
import { button, fill, h } from "../dom.ts";
import { number } from "../words.ts";
import type { Mark } from "./prompt.ts";

/** A part of the ruler. */
interface Block {
  name: string;
  kind: string;
  size: { bytes: number; tokens?: number };
  top: string;
  share: number;
}

export interface Ruler {
  element: HTMLElement;
  show(sections: Section[], total: number, marks: Mark[], tools?: ToolSizes): void;
  /** What is in sight, as shares of the whole. */
  sight(from: number, to: number): void;
}

/** `go` shows a byte of the prompt, `openTools` the list of tools. */
export function ruler(go: (byte: number) => void, openTools?: () => void): Ruler {
  const bar = h("div", { class: "ruler-bar" });
  // Where the prompt begins, as a share of the whole: behind the tools.
  let before = 0;
  const percent = (share: number) => `${(Math.min(1, Math.max(0, share)) * 100).toFixed(3)}%`;
  const block = (of: Block, open: () => void) => {
    const { name, kind, size, top, share } = of;
    const tokens = size.tokens === undefined ? "" : `, ${number(size.tokens)} tokens`;
    // What has no room is still said.
    const part = button("", open, {
      class: `ruler-part ${kind}`,
      title: `${name}, ${kind}, ${number(size.bytes)} bytes${tokens}`,
      style: { top, height: percent(share) },
    });
    part.append(h("span", { class: share > 0.045 ? "ruler-name" : "sr" }, name), " ");
    if (size.tokens !== undefined)
      part.append(
        h("span", { class: share > 0.09 ? "ruler-tokens" : "sr" }, number(size.tokens)),
        h("span", { class: "sr" }, " tokens"),
      );
    part.append(h("span", { class: "sr" }, `, ${kind}`));
    return part;
  };
  const window = h("div", { class: "ruler-sight", "aria-hidden": "true" });
  const element = h("div", { class: "ruler", role: "group", "aria-label": "Cache ruler: the request to scale" }, bar);
  return {
    element,
    show(sections, total, marks, tools) {
      const ahead = tools?.bytes ?? 0;
      const whole = Math.max(1, ahead + total);
      before = ahead / whole;
      const place = (byte: number) => percent((ahead + byte) / whole);
      const parts = sections
        .filter((section) => section.bytes > 0)
        .map((section) => {
          const { id, stability, start, bytes, tokens } = section;
          const size = { bytes, ...(tokens !== undefined && { tokens }) };
          return block({ name: id, kind: stability, size, top: place(start), share: bytes / whole }, () => go(start));
        });
      if (tools) {
        const name = tools.list.length === 1 ? "1 tool" : `${number(tools.list.length)} tools`;
        const { bytes, tokens } = tools;
        const size = { bytes, ...(tokens !== undefined && { tokens }) };
        parts.unshift(block({ name, kind: "tools", size, top: percent(0), share: before }, () => openTools?.()));
      }
      const lines = marks.map((mark) => {
        const line = button("", () => go(mark.at), {
          class: `ruler-mark ${mark.kind}`,
          title: mark.label,
          "aria-label": mark.label,
          style: { top: place(mark.at) },
        });
        // Near the end there is room above the line alone.
        const side = (ahead + mark.at) / whole > 0.9 ? "above" : "below";
        if (mark.short) line.append(h("span", { class: `ruler-short ${side}`, "aria-hidden": "true" }, mark.short));
        return line;
      });
      fill(bar, ...parts, window, ...lines);
    },
    sight(from, to) {
      window.style.setProperty("top", percent(before + from * (1 - before)));
      window.style.setProperty("height", percent((to - from) * (1 - before)));
    },
  };
}
