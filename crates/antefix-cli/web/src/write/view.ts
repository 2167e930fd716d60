// Write and see: the editor and the preview side by side, or one at a time where there is no room.

import { api, Problem } from "../api/client.ts";
import type { About, Dialect, Variable } from "../api/documents.ts";
import { button, fill, h } from "../dom.ts";
import { preview } from "../see/preview.ts";
import { told } from "../shell/problem.ts";
import { time } from "../words.ts";
import { catalog } from "./catalog.ts";
import { showConflict } from "./conflict.ts";
import * as draft from "./draft.ts";
import { editor } from "./editor.ts";
import { pickers } from "./situation.ts";

const DIALECTS: Dialect[] = ["bracket", "jinja", "plain"];

export interface WriteView {
  element: HTMLElement;
  save(): void;
  focus(): void;
}

export function writeView(about: About, variables: Variable[], wasLeft: boolean): WriteView {
  const status = h("span", { class: "status", role: "status" });
  const said = h("div", { class: "said" });
  let isSaving = false;
  let word = wasLeft ? "Your unsaved draft is back." : "";

  const saveButton = button("Save", () => void save(), { class: "primary", title: "Ctrl+S, or Cmd+S" });
  const resetButton = button("Reset", reset, { title: "Back to what was loaded last. Undo brings your text back." });
  const edited = editor(variables, () => void save());
  const chooseDialect = h("select", { id: "dialect", "aria-label": "Dialect", onchange: () => draft.dialect.set(chooseDialect.value as Dialect) },
    ...DIALECTS.map((name) => h("option", { value: name }, name)));
  draft.dialect.watch((dialect) => (chooseDialect.value = dialect));

  function reset(): void {
    draft.reset();
    word = "Reset to what was loaded last.";
    draft.keep();
    refresh();
    edited.focus();
  }

  async function save(): Promise<void> {
    const from = draft.base.value;
    if (isSaving || !from || !draft.isChanged()) return;
    isSaving = true;
    word = "Saving…";
    refresh();
    const sent = draft.text.value;
    try {
      const saved = await api.save(sent, draft.dialect.value, from.digest);
      draft.base.set(saved);
      draft.conflict.set(null);
      draft.keep();
      word = "Saved.";
      fill(said);
    } catch (error) {
      word = "Not saved.";
      if (error instanceof Problem && error.status === 412) {
        draft.conflict.set(await api.template().catch(() => null));
        fill(said);
      } else {
        if (error instanceof Problem && error.diagnostics.length > 0) edited.mark(error.diagnostics);
        fill(said, told(error));
      }
    } finally {
      isSaving = false;
      refresh();
    }
  }

  function refresh(): void {
    const changed = draft.isChanged();
    saveButton.disabled = isSaving || !changed;
    resetButton.disabled = isSaving || !changed;
    status.textContent = isSaving ? "Saving…" : changed ? (word === "" || word === "Saved." || word.startsWith("Reset") ? "Unsaved changes" : `${word} Unsaved changes`) : word || from();
    status.classList.toggle("changed", changed);
  }

  /** Where the template comes from. */
  function from(): string {
    const current = draft.base.value;
    switch (current?.from) {
      case "saved": return `Number ${current.number}, saved ${time(current.saved_at ?? "")}`;
      case "layout": return `Nobody saved a template yet: this is the one of the layout ${about.layout}.`;
      case "unreachable": return "What was saved cannot be asked for: this is the layout's own. Saving does not work until the store answers.";
      default: return "Loading…";
    }
  }

  const keepSoon = debounce(draft.keep, 200);
  draft.text.watch(() => {
    if (word === "Saved." || word.startsWith("Reset") || word === "Not saved.") word = draft.isChanged() ? "" : word;
    keepSoon();
    refresh();
  });
  draft.dialect.watch(() => {
    keepSoon();
    refresh();
  });
  draft.base.watch(refresh);
  window.addEventListener("pagehide", draft.keep);
  window.addEventListener("beforeunload", (event) => {
    draft.keep();
    if (draft.isChanged()) event.preventDefault();
  });

  const seen = preview((findings) => edited.mark(findings), (line) => {
    show("edit");
    edited.go(line);
  });
  // A draft that was left may be in conflict before the page stands.
  draft.conflict.watch((theirs) => queueMicrotask(() => showConflict(theirs, edited, refresh)));

  const writing = h("section", { class: "writing", "aria-label": "Template" },
    h("div", { class: "pane-bar" }, h("h2", {}, "Template"), chooseDialect, status, h("span", { class: "spring" }), resetButton, saveButton),
    said,
    edited.host);
  const inserting = h("section", { class: "inserting", "aria-label": "Insert" }, catalog(variables, edited));

  const switches = (["edit", "see"] as const).map((name) =>
    button(name === "edit" ? "Edit" : "Preview", () => show(name), { "aria-pressed": String(name === "edit") }));
  const element = h("div", { class: "write", "data-shown": "edit" },
    pickers(about.roots),
    h("div", { class: "narrow-switch", role: "group", "aria-label": "Show" }, ...switches),
    h("div", { class: "columns" },
      h("div", { class: "column left" }, writing, inserting),
      h("div", { class: "column right" }, seen.element, seen.panels)));

  function show(name: "edit" | "see"): void {
    element.dataset["shown"] = name;
    for (const [index, one] of (["edit", "see"] as const).entries()) switches[index]?.setAttribute("aria-pressed", String(one === name));
  }
  refresh();
  return { element, save: () => void save(), focus: () => edited.focus() };
}

function debounce(work: () => void, rest: number): () => void {
  let timer = 0;
  return () => {
    window.clearTimeout(timer);
    timer = window.setTimeout(work, rest);
  };
}
