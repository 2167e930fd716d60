// The editor of the template.

import { completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, isolateHistory } from "@codemirror/commands";
import { bracketMatching } from "@codemirror/language";
import { type Diagnostic, forEachDiagnostic, lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { Compartment } from "@codemirror/state";
import {
  drawSelection,
  dropCursor,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
  placeholder,
} from "@codemirror/view";
import type { Dialect, Finding, Variable } from "../api/documents.ts";
import { positions } from "../bytes.ts";
import { completion } from "../code/complete.ts";
import { highlight } from "../code/dialect.ts";
import { mount, text as lines } from "../code/mount.ts";
import * as draft from "./draft.ts";
import { offers } from "./offers.ts";

export interface Editor {
  host: HTMLElement;
  /** Inserts at the caret or in the place of the selection; focus and caret stand behind it then. */
  insert(text: string): void;
  /** Puts two texts around the selection, and selects `chosen` characters of the first one from `at` on. */
  surround(before: string, after: string, at: number, chosen: number): void;
  /** Marks what the server finds. */
  mark(findings: Finding[]): void;
  /** Shows a line, counted from one. */
  go(line: number): void;
  focus(): void;
}

export function editor(variables: Variable[], save: () => void): Editor {
  const language = new Compartment();
  const offered = new Compartment();
  const { host, view } = mount(
    draft.text.value,
    [
      lineNumbers(),
      lintGutter(),
      highlightSpecialChars(),
      history(),
      drawSelection(),
      dropCursor(),
      bracketMatching(),
      highlightActiveLine(),
      highlightActiveLineGutter(),
      highlightSelectionMatches(),
      EditorView.lineWrapping,
      placeholder("An empty template means: no system prompt."),
      // Text from a Windows clipboard has carriage returns that nobody meant to write.
      EditorView.clipboardInputFilter.of((text) => text.replace(/\r\n?/g, "\n")),
      EditorView.contentAttributes.of({ spellcheck: "false", autocorrect: "off", autocapitalize: "off", dir: "auto" }),
      keymap.of([
        { key: "Mod-s", preventDefault: true, run: () => (save(), true) },
        ...defaultKeymap,
        ...searchKeymap,
        ...historyKeymap,
        ...completionKeymap,
        ...lintKeymap,
      ]),
      language.of(highlight(draft.dialect.value)),
      offered.of(completion(draft.dialect.value, variables, offers)),
      EditorView.updateListener.of((update) => {
        if (update.docChanged) draft.text.set(update.state.doc.toString());
      }),
    ],
    "Template",
  );

  draft.text.watch((text) => {
    if (view.state.doc.toString() === text) return;
    // One step of its own, so that undo brings back what was there.
    view.dispatch({
      changes: { from: 0, to: view.state.doc.length, insert: lines(text) },
      annotations: isolateHistory.of("full"),
    });
  });
  draft.dialect.watch((dialect) => dialects(dialect));

  function dialects(dialect: Dialect): void {
    view.dispatch({
      effects: [language.reconfigure(highlight(dialect)), offered.reconfigure(completion(dialect, variables, offers))],
    });
  }

  return {
    host,
    insert(text) {
      view.dispatch(view.state.replaceSelection(text), { scrollIntoView: true, userEvent: "input" });
      view.focus();
    },
    surround(before, after, at, chosen) {
      const { from, to } = view.state.selection.main;
      const inner = view.state.sliceDoc(from, to);
      view.dispatch({
        changes: { from, to, insert: before + inner + after },
        selection: { anchor: from + at, head: from + at + chosen },
        scrollIntoView: true,
        userEvent: "input",
      });
      view.focus();
    },
    mark(findings) {
      const own = findings.filter((finding) => finding.origin?.kind === "template" && finding.start !== undefined);
      const marks = placed(view.state.doc.toString(), own);
      let before = 0;
      forEachDiagnostic(view.state, () => before++);
      if (before > 0 || marks.length > 0) view.dispatch(setDiagnostics(view.state, marks));
    },
    go(line) {
      const place = view.state.doc.line(Math.max(1, Math.min(line, view.state.doc.lines)));
      view.dispatch({
        selection: { anchor: place.from },
        effects: EditorView.scrollIntoView(place.from, { y: "center" }),
      });
      view.focus();
    },
    focus: () => view.focus(),
  };
}

const SEVERITY = { error: "error", warning: "warning", note: "info" } as const;

/** Findings at their places. */
function placed(text: string, findings: Finding[]): Diagnostic[] {
  const sorted = [...new Set(findings.flatMap(({ start = 0, end = 0 }) => [start, end]))].sort((a, b) => a - b);
  const units = positions(text, sorted);
  const at = (byte: number) => units[sorted.indexOf(byte)] ?? 0;
  return findings.map(({ level, code, message, hint, start = 0, end = 0 }) => ({
    from: at(start),
    to: Math.max(at(end), at(start)),
    severity: SEVERITY[level],
    source: code,
    message: hint ? `${message}\n${hint}` : message,
  }));
}
