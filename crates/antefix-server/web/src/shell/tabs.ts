// Tabs with one stop for the Tab key; arrows, Home and End move between them.

import { button, h } from "../dom.ts";

export interface Tab {
  id: string;
  label: string;
  panel: HTMLElement;
}

export interface Tabs {
  element: HTMLElement;
  select(id: string): void;
  /** A number behind a label; zero is not shown. */
  badge(id: string, count: number): void;
}

export function tabs(label: string, all: Tab[]): Tabs {
  const list = h("div", { class: "tabs", role: "tablist", "aria-label": label });
  const badges = new Map<string, HTMLElement>();
  const buttons = all.map(({ id, label, panel }) => {
    const badge = h("span", { class: "badge", hidden: true });
    badges.set(id, badge);
    const tab = button(label, () => select(id), { role: "tab", id: `tab-${id}`, "aria-controls": `panel-${id}` });
    tab.append(badge);
    panel.id = `panel-${id}`;
    panel.setAttribute("role", "tabpanel");
    panel.setAttribute("aria-labelledby", tab.id);
    panel.tabIndex = 0;
    return tab;
  });
  list.append(...buttons);
  list.addEventListener("keydown", (event) => {
    const here = buttons.indexOf(event.target as HTMLButtonElement);
    const last = buttons.length - 1;
    const next = {
      ArrowRight: here === last ? 0 : here + 1,
      ArrowLeft: here === 0 ? last : here - 1,
      Home: 0,
      End: last,
    }[event.key];
    const tab = next === undefined ? undefined : all[next];
    if (!tab || next === undefined) return;
    event.preventDefault();
    select(tab.id);
    buttons[next]?.focus();
  });

  function select(id: string): void {
    for (const [index, tab] of all.entries()) {
      const isIt = tab.id === id;
      tab.panel.hidden = !isIt;
      buttons[index]?.setAttribute("aria-selected", String(isIt));
      if (buttons[index]) buttons[index].tabIndex = isIt ? 0 : -1;
    }
  }
  if (all[0]) select(all[0].id);
  return {
    element: h("div", { class: "tabbed" }, list, ...all.map((tab) => tab.panel)),
    select,
    badge(id, count) {
      const badge = badges.get(id);
      if (!badge) return;
      badge.hidden = count === 0;
      badge.textContent = String(count);
    },
  };
}
