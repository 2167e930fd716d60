// A short tour on the page itself, shown once and whenever it is asked for.

import { button, fill, h } from "../dom.ts";
import { local } from "./storage.ts";

const KEY = "antefix.toured";

const STEPS: { at: string; title: string; text: string }[] = [
  {
    at: ".writing",
    title: "Write",
    text: "This text becomes a section of the system prompt, or all of it, as the layout says. Type [ or {{ to be offered what it may name: files, git, skills, the clock.",
  },
  {
    at: ".inserting",
    title: "Insert",
    text: "Every variable is a button. It goes where the caret is and replaces what is selected.",
  },
  {
    at: ".preview",
    title: "See",
    text: "What an agent would be told, composed by the server for the directory and model above. Click any text to see where it comes from.",
  },
  {
    at: ".ruler",
    title: "The cache ruler",
    text: "The prompt to scale. Colors say for how long a section's bytes hold; lines say where a provider's cache ends, and from where on it caches anything.",
  },
  {
    at: ".pickers",
    title: "Before you save",
    text: "Name a conversation under Compare with: If saved says from which byte on its prompt would differ, and what that costs.",
  },
];

export function wasToured(): boolean {
  return local.getItem(KEY) !== null;
}

/** Walks through the steps. */
export function tour(): void {
  document.querySelector(".tour")?.remove();
  let step = 0;
  let marked: Element | null = null;
  const card = h("div", { class: "tour", role: "dialog", "aria-label": "Tour" });
  const end = () => {
    local.setItem(KEY, "1");
    marked?.classList.remove("toured");
    card.remove();
  };
  const show = () => {
    const { at, title, text } = STEPS[step] ?? { at: "", title: "", text: "" };
    marked?.classList.remove("toured");
    marked = at ? document.querySelector(at) : null;
    marked?.classList.add("toured");
    const isLast = step === STEPS.length - 1;
    const next = button(isLast ? "Done" : "Next", () => (isLast ? end() : (step++, show())), { class: "primary" });
    fill(
      card,
      h("p", { class: "tour-step" }, `${step + 1} of ${STEPS.length}`),
      h("h2", {}, title),
      h("p", {}, text),
      h("div", { class: "actions" }, !isLast && button("Skip the tour", end, { class: "quiet-button" }), next),
    );
    next.focus();
  };
  card.addEventListener("keydown", (event) => {
    if (event.key === "Escape") end();
  });
  document.body.append(card);
  show();
}
