// Two texts and what is between them: the old one above or left, the new one below or right.

import { MergeView, unifiedMergeView } from "@codemirror/merge";
import { EditorState } from "@codemirror/state";
import { EditorView, highlightSpecialChars, keymap, lineNumbers } from "@codemirror/view";
import { defaultKeymap } from "@codemirror/commands";
import { searchKeymap } from "@codemirror/search";
import { button, h } from "../dom.ts";
import { look } from "./look.ts";
import { mount, text } from "./mount.ts";

/** A comparison is cut short rather than that it holds the page up: a coarser difference is one, too. */
const DIFF = { scanLimit: 2000, timeout: 200 };

const shared = (label: string) => [
  lineNumbers(),
  highlightSpecialChars(),
  EditorView.lineWrapping,
  EditorState.readOnly.of(true),
  EditorState.lineSeparator.of("\n"),
  EditorView.contentAttributes.of({ "aria-label": label, "aria-readonly": "true", inputmode: "none", tabindex: "0" }),
  keymap.of([...defaultKeymap, ...searchKeymap]),
];

function unified(before: string, after: string): HTMLElement {
  return mount(
    after,
    [
      shared("Difference, old lines above new ones"),
      unifiedMergeView({
        original: text(before),
        mergeControls: false,
        gutter: true,
        highlightChanges: true,
        syntaxHighlightDeletions: false,
        collapseUnchanged: { margin: 3, minSize: 6 },
        diffConfig: DIFF,
      }),
    ],
    "Difference",
  ).host;
}

function split(before: string, after: string): HTMLElement {
  const host = h("div", { class: "code split" });
  const root = host.attachShadow({ mode: "open" });
  const side = (doc: string, label: string) => ({ doc: text(doc), extensions: [look, shared(label)] });
  new MergeView({
    a: side(before, "Before"),
    b: side(after, "After"),
    parent: root,
    root,
    gutter: true,
    highlightChanges: true,
    collapseUnchanged: { margin: 3, minSize: 6 },
    diffConfig: DIFF,
  });
  return host;
}

/** The difference of two texts, with a switch between one column and two. */
export function difference(before: string, after: string): HTMLElement {
  if (before === after) return h("p", { class: "empty" }, "The two are the same, byte for byte.");
  const place = h("div", { class: "diff-body" }, unified(before, after));
  const mode = button(
    "Side by side",
    () => {
      const isSplit = mode.getAttribute("aria-pressed") === "true";
      mode.setAttribute("aria-pressed", String(!isSplit));
      place.replaceChildren(isSplit ? unified(before, after) : split(before, after));
    },
    { class: "small", "aria-pressed": "false" },
  );
  return h("div", { class: "diff" }, h("div", { class: "diff-bar wide-only" }, mode), place);
}
