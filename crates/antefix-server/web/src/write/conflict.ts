// Somebody else saved meanwhile: both texts are shown, and the writer decides.

import { api } from "../api/client.ts";
import type { Template } from "../api/documents.ts";
import { difference } from "../code/diff.ts";
import { button, h } from "../dom.ts";
import { modal } from "../shell/modal.ts";
import { told } from "../shell/problem.ts";
import { time } from "../words.ts";
import * as draft from "./draft.ts";
import type { Editor } from "./editor.ts";

export function showConflict(theirs: Template | null, editor: Editor, refresh: () => void): void {
  if (!theirs) return;
  const who = theirs.author ? `${theirs.author} saved` : "Somebody else saved";
  const when = theirs.saved_at ? `, ${time(theirs.saved_at)}` : "";
  const failed = h("div");
  const close = modal(
    "Somebody else saved meanwhile",
    [
      h(
        "p",
        {},
        `${who} number ${theirs.number ?? ""}${when}. Below, what is theirs alone stands as removed and what is yours alone as added. Nothing of yours is lost: closing this leaves your draft as it is.`,
      ),
      difference(theirs.template, draft.text.value),
      failed,
      h(
        "div",
        { class: "actions" },
        button("Keep editing", () => close()),
        button(
          "Take theirs",
          () => {
            draft.settle(theirs, "theirs");
            close();
            editor.focus();
            refresh();
          },
          { title: "Undo in the editor brings your text back" },
        ),
        button(
          "Save mine over theirs",
          () => {
            api.save(draft.text.value, draft.dialect.value, theirs.digest).then(
              (saved) => {
                draft.settle(saved, "mine");
                close();
                refresh();
              },
              (error: unknown) => failed.replaceChildren(told(error)),
            );
          },
          { class: "primary" },
        ),
      ),
    ],
    () => {
      // Saving again asks again.
      draft.conflict.set(null);
      refresh();
    },
  );
}
