// For a browser that the server does not know.

import { api } from "../api/client.ts";
import { fill, h } from "../dom.ts";
import { told } from "./problem.ts";

/** `wasUsed`: a link led here that works no more. */
export function login(wasUsed = false): HTMLElement {
  const failed = h("div");
  const token = h("input", { id: "token", type: "password", autocomplete: "off", required: true, spellcheck: "false" });
  const form = h(
    "form",
    {
      onsubmit: (event: SubmitEvent) => {
        event.preventDefault();
        api.link(token.value.trim()).then(
          ({ path }) => location.replace(path),
          (error: unknown) => fill(failed, told(error)),
        );
      },
    },
    h("label", { for: "token" }, "Token"),
    h("div", { class: "row" }, token, h("button", { type: "submit", class: "primary" }, "Open the page")),
  );
  return h(
    "main",
    { class: "login", id: "main" },
    h("h1", {}, "antefix"),
    wasUsed &&
      h(
        "p",
        { class: "problem" },
        "That link was opened before, or is older than 15 minutes. Start the server again for a new one, or use the token.",
      ),
    h("p", {}, "This server does not know your browser yet. Two ways in:"),
    h(
      "ol",
      {},
      h(
        "li",
        {},
        "Open the link that ",
        h("code", {}, "antefix serve"),
        " printed when it started. It works once, for 15 minutes.",
      ),
      h(
        "li",
        {},
        "Or paste the token. It is in the server's token file, by default ",
        h("code", {}, "~/.local/state/antefix/token"),
        ".",
      ),
    ),
    form,
    failed,
  );
}
