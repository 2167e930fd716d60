// A dialog over the page. Escape and the button close it, and closing never throws anything away.

import { button, type Child, h } from "../dom.ts";

/** Shows a dialog. The answer closes it. */
export function modal(title: string, children: Child[], closed: () => void = () => {}): () => void {
  const before = document.activeElement;
  const dialog = h(
    "dialog",
    { "aria-label": title },
    h(
      "div",
      { class: "modal-bar" },
      h("h2", {}, title),
      button("Close", () => dialog.close(), { class: "small" }),
    ),
    h("div", { class: "modal-body" }, ...children),
  );
  dialog.addEventListener("close", () => {
    dialog.remove();
    closed();
    if (before instanceof HTMLElement) before.focus();
  });
  document.body.append(dialog);
  dialog.showModal();
  return () => dialog.close();
}
