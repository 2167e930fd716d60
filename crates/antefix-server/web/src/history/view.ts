// Every template that was saved: compare any two, name one, go back to one.

import { api, Problem } from "../api/client.ts";
import type { SavedRow } from "../api/documents.ts";
import { difference } from "../code/diff.ts";
import { button, fill, h } from "../dom.ts";
import { modal } from "../shell/modal.ts";
import { told } from "../shell/problem.ts";
import { local } from "../shell/storage.ts";
import { number, short, time } from "../words.ts";
import * as draft from "../write/draft.ts";

export function historyView(): HTMLElement {
  const list = h("div", {}, h("p", { class: "quiet" }, "Loading…"));
  const shown = h("div", { class: "history-diff" });
  const author = h("input", {
    id: "author",
    placeholder: "nobody",
    autocomplete: "off",
    onchange: () => local.setItem("antefix.author", author.value.trim()),
  });
  author.value = local.getItem("antefix.author") ?? "";
  let rows: SavedRow[] = [];
  let next: number | undefined;

  const load = async (before?: number) => {
    try {
      const page = await api.history(before);
      rows = before === undefined ? page.templates : [...rows, ...page.templates];
      next = page.next;
      draw();
    } catch (error) {
      fill(list, told(error));
    }
  };

  function draw(): void {
    if (rows.length === 0) {
      fill(
        list,
        h(
          "div",
          { class: "empty-state" },
          h("h2", {}, "Nothing was saved yet"),
          h(
            "p",
            {},
            "Agents get the layout's own template. Each time you save under Write, the template is kept here: to compare, to name, to go back to.",
          ),
        ),
      );
      return;
    }
    fill(
      list,
      h("ul", { class: "saved" }, ...rows.map((row, index) => entry(row, index === 0))),
      next !== undefined && button("Show older ones", () => void load(next)),
    );
  }

  function entry(row: SavedRow, counts: boolean): HTMLElement {
    return h(
      "li",
      { "data-number": row.number },
      h(
        "div",
        { class: "row" },
        h("strong", {}, `Number ${row.number}`),
        counts && h("span", { class: "level standing" }, "counts"),
        row.label && h("span", { class: "label" }, row.label),
        h("span", { class: "spring" }),
        h("time", { class: "quiet", datetime: row.saved_at }, time(row.saved_at)),
      ),
      h(
        "p",
        { class: "quiet" },
        [row.author ?? "nobody named", row.dialect, `${number(row.bytes)} bytes`, short(row.digest)].join(" · "),
      ),
      h(
        "div",
        { class: "row" },
        row.number > 1 &&
          button("Compare with the one before", () => void compare(row.number - 1, row.number), { class: "small" }),
        !counts &&
          button("Compare with what counts", () => void compare(row.number, rows[0]?.number ?? row.number), {
            class: "small",
          }),
        button("Label", () => label(row), { class: "small" }),
        !counts && button("Roll back", () => void rollBack(row), { class: "small" }),
      ),
    );
  }

  async function compare(a: number, b: number): Promise<void> {
    try {
      const [before, after] = await Promise.all([api.saved(a), api.saved(b)]);
      const heading = h("h2", { tabindex: "-1" }, `Number ${a} to ${b}`);
      fill(
        shown,
        heading,
        before.dialect !== after.dialect &&
          h("p", {}, `The dialect changes from ${before.dialect} to ${after.dialect}.`),
        difference(before.template, after.template),
      );
      heading.focus();
    } catch (error) {
      fill(shown, told(error));
    }
  }

  function label(row: SavedRow): void {
    const field = h("input", { id: "label", value: row.label ?? "", maxlength: "100", autocomplete: "off" });
    const failed = h("div");
    const set = (label: string | null) =>
      api.label(row.number, label).then(
        () => {
          close();
          void load();
        },
        (error: unknown) => fill(failed, told(error)),
      );
    const close = modal(`Label number ${row.number}`, [
      h(
        "form",
        {
          onsubmit: (event: SubmitEvent) => {
            event.preventDefault();
            void set(field.value.trim() || null);
          },
        },
        h("label", { for: "label" }, "Label"),
        h(
          "div",
          { class: "row" },
          field,
          h("button", { type: "submit", class: "primary" }, "Set"),
          row.label && button("Take away", () => void set(null)),
        ),
      ),
      failed,
    ]);
    field.focus();
  }

  async function rollBack(row: SavedRow): Promise<void> {
    const both = await Promise.all([api.template(), api.saved(row.number)]).catch((error: unknown) => told(error));
    if (both instanceof HTMLElement) return fill(shown, both);
    const [current, saved] = both;
    const failed = h("div");
    const close = modal(`Roll back to number ${row.number}`, [
      h(
        "p",
        {},
        `Its text is saved anew as number ${(current.number ?? 0) + 1}. New conversations open with it; others keep their bytes until they are renewed.${draft.isChanged() ? " Your unsaved draft stays as it is." : ""}`,
      ),
      difference(current.template, saved.template),
      failed,
      h(
        "div",
        { class: "actions" },
        button("Leave it", () => close()),
        button(
          "Roll back",
          () => {
            const untouched = !draft.isChanged();
            api.rollBack(row.number, current.digest).then(
              (now) => {
                if (untouched) draft.settle(now, "theirs");
                close();
                void load();
              },
              (error: unknown) => {
                const raced = error instanceof Problem && error.status === 412;
                fill(failed, told(error), raced && h("p", {}, "Close this and look at the list again."));
                if (raced) void load();
              },
            );
          },
          { class: "primary" },
        ),
      ),
    ]);
  }

  void load();
  return h(
    "div",
    { class: "page history" },
    h(
      "div",
      { class: "page-bar" },
      h("h1", {}, "History"),
      h("span", { class: "spring" }),
      h("span", { class: "asked" }, h("label", { for: "author" }, "You save as"), author),
    ),
    h("div", { class: "history-columns" }, list, shown),
  );
}
