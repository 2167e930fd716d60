// Compacting by hand: begin, let the agent summarize, say how it went.

import { api } from "../api/client.ts";
import { button, fill, h } from "../dom.ts";
import { told } from "../shell/problem.ts";

export function compaction(id: string, said: HTMLElement, done: () => void): HTMLElement {
  const begin = button("Compact", () => {
    begin.disabled = true;
    api
      .beginCompaction(id)
      .then(
        ({ token, prompt, epoch, renews }) => {
          const end = (outcome: "succeeded" | "failed") => {
            api.endCompaction(id, token, outcome).then(
              (ended) =>
                outcome === "succeeded" && ended.epoch.number !== epoch
                  ? done()
                  : fill(said, h("p", {}, `Ended: epoch ${ended.epoch.number} stands.`)),
              (error: unknown) => fill(said, told(error)),
            );
          };
          fill(
            said,
            h(
              "p",
              {},
              renews
                ? "The summary is asked for with this system text. When it is there, a new epoch begins."
                : "The summary is asked for with this system text. The epoch stays: composing gives the same bytes.",
            ),
            h("pre", { class: "said-text" }, prompt),
            h(
              "div",
              { class: "actions" },
              button("It failed", () => end("failed")),
              button("It succeeded", () => end("succeeded"), { class: "primary" }),
            ),
          );
        },
        (error: unknown) => fill(said, told(error)),
      )
      .finally(() => (begin.disabled = false));
  });
  return begin;
}
