// What went wrong, and what to do about it.

import { Problem } from "../api/client.ts";
import { h } from "../dom.ts";

export function told(error: unknown): HTMLElement {
  const problem = error instanceof Problem ? error : null;
  const message = error instanceof Error ? error.message : String(error);
  return h(
    "div",
    { class: "problem", role: "alert" },
    h("p", { class: "problem-what" }, message),
    problem?.detail && h("p", {}, problem.detail),
    problem?.hint && h("p", { class: "hint" }, problem.hint),
  );
}
