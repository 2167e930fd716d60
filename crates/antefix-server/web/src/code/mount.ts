// Where editors live. In a document CodeMirror would write style elements, which the page's policy forbids; in a shadow root it
// uses constructed style sheets, which it allows.

import { EditorState, type Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { look } from "./look.ts";

/** An element to show, and the editor in it. */
export interface Mounted {
  host: HTMLElement;
  view: EditorView;
}

export function mount(doc: string, extensions: Extension, label: string): Mounted {
  const host = document.createElement("div");
  host.className = "code";
  const root = host.attachShadow({ mode: "open", delegatesFocus: true });
  const state = EditorState.create({
    doc: text(doc),
    extensions: [
      // A carriage return is a byte like any other. Without this it would become a line feed in silence.
      EditorState.lineSeparator.of("\n"),
      // What can be written in has the focus anyway; who looks for what scrolls and cannot be reached does not know that.
      EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
      look,
      extensions,
    ],
  });
  return { host, view: new EditorView({ state, parent: root, root }) };
}

/** A text in lines that end in a line feed alone. */
export function text(from: string) {
  return EditorState.create({ extensions: EditorState.lineSeparator.of("\n") }).toText(from);
}
