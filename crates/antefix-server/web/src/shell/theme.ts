// Light, dark, or as the system says.

import { button } from "../dom.ts";
import { local } from "./storage.ts";

const KEY = "antefix.theme";
const ORDER = ["system", "light", "dark"] as const;
type Theme = (typeof ORDER)[number];

function chosen(): Theme {
  const kept = local.getItem(KEY);
  return ORDER.find((theme) => theme === kept) ?? "system";
}

function apply(theme: Theme): void {
  if (theme === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
}

export function themeButton(): HTMLElement {
  const label = (theme: Theme) => `Theme: ${theme}`;
  const element = button(
    label(chosen()),
    () => {
      const next = ORDER[(ORDER.indexOf(chosen()) + 1) % ORDER.length] ?? "system";
      local.setItem(KEY, next);
      apply(next);
      element.textContent = label(next);
    },
    { class: "quiet-button", title: "Switch between light, dark and the system's own" },
  );
  return element;
}

apply(chosen());
