// Keys that work everywhere on the page, and the list of them.

import { h } from "../dom.ts";
import { modal } from "./modal.ts";

const KEYS: [string, string][] = [
  ["Ctrl+S, Cmd+S", "save the template"],
  ["g then w, c or h", "go to Write, Conversations or History"],
  ["?", "this list"],
  ["[, {{, $", "in the editor: offer tags, holes, references"],
  ["Ctrl+Space", "in the editor: offer what fits here"],
  ["F8", "in the editor: next problem"],
  ["Ctrl+F, Cmd+F", "in the editor, preview or a difference: find"],
  ["Tab", "leaves the editor; nothing is inserted"],
  ["Arrows", "in the preview: the origin of the text at the caret"],
  ["Esc", "closes a list or a dialog; never loses anything"],
];

export function showKeys(): void {
  modal("Keys", [
    h(
      "table",
      { class: "table keys" },
      h(
        "tbody",
        {},
        ...KEYS.map(([key, what]) => h("tr", {}, h("th", { scope: "row" }, h("kbd", {}, key)), h("td", {}, what))),
      ),
    ),
  ]);
}

export function listen(save: () => void, go: (view: string) => void): void {
  let isGoing = false;
  document.addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === "s") {
      event.preventDefault();
      save();
      return;
    }
    // Events from an editor seem to come from the element around it.
    const target = event.composedPath()[0];
    const isWriting =
      target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
    if (isWriting || event.ctrlKey || event.metaKey || event.altKey) return;
    if (isGoing) {
      isGoing = false;
      const view = { w: "write", c: "conversations", h: "history" }[event.key];
      if (view) go(view);
      return;
    }
    if (event.key === "g") isGoing = true;
    if (event.key === "?" && !document.querySelector("dialog[open]")) showKeys();
  });
}
