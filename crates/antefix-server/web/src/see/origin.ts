// Where a piece of text comes from, in words.

import type { Origin, Section, Span } from "../api/documents.ts";
import { button, h } from "../dom.ts";
import { count } from "../words.ts";

const KINDS: Record<string, string> = {
  template: "written in the template",
  file: "read from a file",
  variable: "the value of a variable",
  expression: "the value of an expression",
  wording: "a wording of the layout",
  remote: "asked for from outside",
  hook: "said by a hook",
};

const TRANSFORMS: Record<string, string> = {
  cut: "cut to fit a budget",
  trimmed: "white space was taken off",
  joined: "joined with others",
  normalized: "line ends were normalized",
  computed: "computed",
  replaced: "a part was replaced",
  escaped: "escaped for its frame",
  redacted: "a secret was taken out",
};

/** `AGENTS.md:3`, `git:branch`: the shortest address. */
export function address(origin: Origin): string {
  const where = origin.path ?? origin.name;
  return origin.line === undefined ? where : `${where}:${origin.line}`;
}

/** One line, for a tooltip at a place so many lines below the span's beginning. */
export function line(span: Span, below: number): string {
  const { origin } = span;
  const at = origin.line === undefined ? origin : { ...origin, line: lineAt(span, origin.line, below) };
  return `${address(at)} · ${KINDS[origin.kind] ?? origin.kind}`;
}

/** What was computed has the line where its computation stands. */
function lineAt(span: Span, first: number, below: number): number {
  return first + (span.transform === undefined || span.transform === "trimmed" ? below : 0);
}

/** Everything that is known of a place in a span, so many lines below its beginning. */
export function details(
  span: Span,
  below: number,
  section: Section | undefined,
  go?: (line: number) => void,
): HTMLElement {
  const { origin } = span;
  const rows: [string, Node | string][] = [
    ["Comes from", KINDS[origin.kind] ?? origin.kind],
    [origin.kind === "variable" || origin.kind === "expression" ? "Variable" : "Name", h("code", {}, origin.name)],
  ];
  if (origin.path !== undefined) rows.push(["File", h("code", {}, origin.path)]);
  if (origin.line !== undefined) {
    const line = lineAt(span, origin.line, below);
    const canGo =
      go !== undefined && origin.kind === "template" && origin.path === undefined && !origin.name.startsWith("$");
    rows.push([
      "Line",
      canGo ? button(`${line}, show in the template`, () => go(line), { class: "link" }) : String(line),
    ]);
  }
  if (span.transform !== undefined) rows.push(["Changed", TRANSFORMS[span.transform] ?? span.transform]);
  if (section) rows.push(["Section", `${section.id}, ${section.stability}`]);
  rows.push(["Bytes", `${span.start} to ${span.end}, ${count(span.end - span.start, "byte")}`]);
  return h("dl", { class: "facts" }, ...rows.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]));
}
