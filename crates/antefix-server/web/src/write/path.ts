// A field for a path, with a list of how it may go on. Whatever is typed can be inserted, listed or not.

import { Problem } from "../api/client.ts";
import type { Paths } from "../api/documents.ts";
import { fill, h } from "../dom.ts";

/** How long the keys must rest. */
const REST = 80;
const HEIGHT = 264;

export interface PathField {
  field: HTMLInputElement;
  list: HTMLElement;
}

/** The field with its list; `take` gets a path that is whole. */
export function pathField(
  attributes: Record<string, string>,
  offer: (typed: string) => Promise<Paths>,
  take: (path: string) => void,
): PathField {
  const id = `paths-${++count}`;
  const options = h("ul", { id, role: "listbox", "aria-label": "Paths" });
  const note = h("p", { class: "note", role: "status" });
  const list = h("div", { class: "paths", popover: "manual" }, options, note);
  const field = h("input", {
    ...attributes,
    class: "path",
    role: "combobox",
    "aria-autocomplete": "list",
    "aria-expanded": "false",
    "aria-controls": id,
    autocomplete: "off",
    spellcheck: "false",
    onfocus: () => later(),
    oninput: () => later(),
    onblur: () => close(),
    onkeydown: press,
  });
  let timer = 0;
  let active = -1;
  /** What was asked last: older answers do not count. */
  let asked = 0;

  function later(): void {
    window.clearTimeout(timer);
    timer = window.setTimeout(() => void ask(), REST);
  }

  async function ask(): Promise<void> {
    const mine = ++asked;
    const { paths, more, why } = await offer(field.value).then(
      (told) => ({ ...told, why: "" }),
      (error: unknown) => ({ paths: [], more: false, why: reason(error) }),
    );
    if (mine !== asked || document.activeElement !== field) return;
    fill(
      options,
      ...paths.map((path, index) =>
        h(
          "li",
          {
            id: `${id}-${index}`,
            role: "option",
            "aria-selected": "false",
            // The field keeps the focus.
            onmousedown: (event: Event) => event.preventDefault(),
            onclick: () => choose(path),
          },
          path,
        ),
      ),
    );
    note.textContent = more ? `The first ${paths.length} are shown. Write on to find others.` : why;
    point(-1);
    if (paths.length > 0 || why) show();
    else close();
  }

  function show(): void {
    const { left, top, bottom } = field.getBoundingClientRect();
    const below = window.innerHeight - bottom;
    const isBelow = below > HEIGHT || below > top;
    list.style.setProperty("left", `${left}px`);
    list.style.setProperty("top", isBelow ? `${bottom + 4}px` : "auto");
    list.style.setProperty("bottom", isBelow ? "auto" : `${window.innerHeight - top + 4}px`);
    list.style.setProperty("max-width", `${window.innerWidth - left - 8}px`);
    list.style.setProperty("max-height", `${Math.min(HEIGHT, (isBelow ? below : top) - 12)}px`);
    if (!list.matches(":popover-open")) list.showPopover();
    field.setAttribute("aria-expanded", "true");
    window.addEventListener("resize", close);
  }

  function close(): void {
    window.clearTimeout(timer);
    asked++;
    if (list.matches(":popover-open")) list.hidePopover();
    field.setAttribute("aria-expanded", "false");
    window.removeEventListener("resize", close);
    point(-1);
  }

  function point(index: number): void {
    options.children[active]?.setAttribute("aria-selected", "false");
    active = index;
    const chosen = options.children[index];
    chosen?.setAttribute("aria-selected", "true");
    chosen?.scrollIntoView({ block: "nearest" });
    if (chosen) field.setAttribute("aria-activedescendant", chosen.id);
    else field.removeAttribute("aria-activedescendant");
  }

  function choose(path: string): void {
    field.value = path;
    // A directory goes on.
    if (path.endsWith("/")) void ask();
    else done();
  }

  function done(): void {
    const path = field.value.trim();
    if (path === "") return;
    field.value = "";
    close();
    take(path);
  }

  function press(event: KeyboardEvent): void {
    const isOpen = field.getAttribute("aria-expanded") === "true";
    const amount = options.children.length;
    switch (event.key) {
      case "Enter":
        event.preventDefault();
        if (isOpen && active >= 0) choose(options.children[active]?.textContent ?? "");
        else done();
        return;
      case "ArrowDown":
      case "ArrowUp":
        event.preventDefault();
        if (!isOpen) later();
        else if (amount > 0) point((active + (event.key === "ArrowDown" ? 1 : active < 0 ? 0 : -1) + amount) % amount);
        return;
      case "Escape":
        if (!isOpen) return;
        event.preventDefault();
        event.stopPropagation();
        close();
    }
  }

  return { field, list };
}

let count = 0;

function reason(error: unknown): string {
  if (!(error instanceof Problem)) return "";
  return [error.message, error.detail].filter(Boolean).join(": ");
}
