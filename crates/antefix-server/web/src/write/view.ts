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

/** What happened last to the draft. Writing makes it idle. */
type Moment = "idle" | "back" | "saving" | "saved" | "reset" | "refused";

/** What is said then of a draft that is as it was loaded, and of one that is not. Nothing: where the template comes from. */
const WORDS: Record<Moment, [same: string, changed: string]> = {
  idle: ["", "Unsaved changes"],
  back: ["", "Your unsaved draft is back. Unsaved changes"],
  saving: ["Saving…", "Saving…"],
  saved: ["Saved.", "Unsaved changes"],
  reset: ["Reset to what was loaded last.", "Unsaved changes"],
  refused: ["", "Not saved. Unsaved changes"],
};

export interface WriteView {
  element: HTMLElement;
  save(): void;
  focus(): void;
}

export function writeView(about: About, variables: Variable[], wasLeft: boolean): WriteView {
  const status = h("span", { class: "status", role: "status" });
  const said = h("div", { class: "said" });
  let moment: Moment = "idle";

  const saveButton = button("Save", () => void save(), { class: "primary", title: "Ctrl+S, or Cmd+S" });
  const resetButton = button("Reset", reset, { title: "Back to what was loaded last. Undo brings your text back." });
  const edited = editor(variables, () => void save());
  const chooseDialect = h(
    "select",
    { id: "dialect", "aria-label": "Dialect", onchange: () => draft.dialect.set(chooseDialect.value as Dialect) },
    ...DIALECTS.map((name) => h("option", { value: name }, name)),
  );
  draft.dialect.watch((dialect) => (chooseDialect.value = dialect));

  function reset(): void {
    draft.reset();
    draft.keep();
    now("reset");
    edited.focus();
  }

  async function save(): Promise<void> {
    const from = draft.base.value;
    if (moment === "saving" || !from || !draft.isChanged()) return;
    now("saving");
    try {
      const saved = await api.save(draft.text.value, draft.dialect.value, from.digest);
      draft.base.set(saved);
      draft.conflict.set(null);
      draft.keep();
      now("saved");
      fill(said);
    } catch (error) {
      now("refused");
      if (error instanceof Problem && error.diagnostics.length > 0) edited.mark(error.diagnostics);
      const isConflict = error instanceof Problem && error.status === 412;
      fill(said, await (isConflict ? theirs() : told(error)));
    }
  }

  /** Fetches what somebody else saved, which shows it; or says why it cannot be shown. */
  async function theirs(): Promise<HTMLElement | null> {
    try {
      draft.conflict.set(await api.template());
      return null;
    } catch (error) {
      return told(error);
    }
  }

  function now(next: Moment): void {
    moment = next;
    refresh();
  }

  function refresh(): void {
    const changed = draft.isChanged();
    saveButton.disabled = moment === "saving" || !changed;
    resetButton.disabled = saveButton.disabled;
    status.textContent = WORDS[moment][changed ? 1 : 0] || from();
    status.title = draft.base.value?.from === "saved" ? "" : `This is the layout's own, ${about.layout}.`;
    status.classList.toggle("changed", changed);
  }

  /** Where the template comes from. */
  function from(): string {
    const current = draft.base.value;
    switch (current?.from) {
      case "saved":
        return `Number ${current.number}, saved ${time(current.saved_at ?? "")}`;
      case "layout":
        return "Nobody saved a template yet";
      case "unreachable":
        return "What was saved cannot be asked for";
      default:
        return "Loading…";
    }
  }

  const keepSoon = debounce(draft.keep, 200);
  const written = () => {
    keepSoon();
    now(moment === "saving" ? "saving" : "idle");
  };
  draft.text.watch(written);
  draft.dialect.watch(written);
  draft.base.watch(refresh);
  window.addEventListener("pagehide", draft.keep);
  window.addEventListener("beforeunload", (event) => {
    draft.keep();
    if (draft.isChanged()) event.preventDefault();
  });

  const seen = preview(
    (findings) => edited.mark(findings),
    (line) => {
      show("edit");
      edited.go(line);
    },
  );
  // A draft that was left may be in conflict before the page stands.
  draft.conflict.watch((theirs) => queueMicrotask(() => showConflict(theirs, edited, refresh)));

  const writing = h(
    "section",
    { class: "writing", "aria-label": "Template" },
    h(
      "div",
      { class: "pane-bar" },
      h("h2", {}, "Template"),
      chooseDialect,
      status,
      h("span", { class: "spring" }),
      resetButton,
      saveButton,
    ),
    said,
    edited.host,
  );
  const inserting = h("section", { class: "inserting", "aria-label": "Insert" }, catalog(variables, edited));

  const switches = (["edit", "see"] as const).map((name) =>
    button(name === "edit" ? "Edit" : "Preview", () => show(name), { "aria-pressed": String(name === "edit") }),
  );
  const element = h(
    "div",
    { class: "write", "data-shown": "edit" },
    pickers(about.roots),
    h("div", { class: "narrow-switch", role: "group", "aria-label": "Show" }, ...switches),
    h(
      "div",
      { class: "columns" },
      h("div", { class: "column left" }, writing, inserting),
      h("div", { class: "column right" }, seen.element, seen.panels),
    ),
  );

  function show(name: "edit" | "see"): void {
    element.dataset["shown"] = name;
    for (const [index, one] of (["edit", "see"] as const).entries())
      switches[index]?.setAttribute("aria-pressed", String(one === name));
  }
  now(wasLeft ? "back" : "idle");
  return { element, save: () => void save(), focus: () => edited.focus() };
}

function debounce(work: () => void, rest: number): () => void {
  let timer = 0;
  return () => {
    window.clearTimeout(timer);
    timer = window.setTimeout(work, rest);
  };
}
