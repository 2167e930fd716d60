// What tests begin with and end with.

import assert from "node:assert/strict";
import { test } from "node:test";
import { open } from "./browser.js";
import { serve } from "./server.js";

export const TEMPLATE =
  "You help with the code in this directory.\n\n[if file:AGENTS.md]\n[file:AGENTS.md]\n[endif]\n\nThe current working directory is [prompt:cwd].\n";

/** A test with a server of its own and a page on it. Whatever it does, the page must not break its policy. */
export function sentence(name, { files, args, before, ...options }, body) {
  test(name, { timeout: 60_000 }, async () => {
    const server = await serve(files, args);
    try {
      await before?.(server);
      const page = await open(server, options);
      try {
        await body({ page, server });
        assert.deepEqual(page.faults, []);
      } catch (error) {
        if (process.env.ANTEFIX_TEST_PICTURES)
          await page.screenshot({ path: `${process.env.ANTEFIX_TEST_PICTURES}/${name.replaceAll(/\W+/g, "_")}.png` });
        throw error;
      } finally {
        await page.context().close();
      }
    } finally {
      await server.stop();
    }
  });
}

export const editor = (page) => page.getByRole("textbox", { name: "Template" });
export const shown = (page) => page.getByRole("textbox", { name: "Preview of the prompt" });

/** The text of the template, as the page has it. */
export async function draft(page) {
  return editor(page).evaluate(
    (content) => content.cmTile?.view?.state.doc.toString() ?? content.cmView.view.state.doc.toString(),
  );
}

/** The whole text of the preview, also what is not in sight. */
export async function previewed(page, label = "Preview of the prompt") {
  const content = page.getByRole("textbox", { name: label });
  return content.evaluate(
    (content) => content.cmTile?.view?.state.doc.toString() ?? content.cmView.view.state.doc.toString(),
  );
}

/** Waits until something holds. */
export async function until(what, ask, patience = 5000) {
  const end = Date.now() + patience;
  for (let last; ;) {
    try {
      return await ask();
    } catch (error) {
      last = error;
    }
    if (Date.now() > end) throw new Error(`${what}: ${last.message}`, { cause: last });
    await new Promise((resolve) => setTimeout(resolve, 40));
  }
}

/** Waits until the preview is this text, or has it in it. */
export async function previews(page, text) {
  await until("the preview", async () => {
    const now = await previewed(page);
    if (text instanceof RegExp) assert.match(now, text);
    else assert.equal(now, text);
  });
}

/** Puts the caret at the end and writes there. */
export async function type(page, text) {
  await editor(page).click();
  await page.keyboard.press("Control+End");
  await page.keyboard.insertText(text);
}

export const save = (page) => page.getByRole("button", { name: "Save", exact: true });
export const status = (page) => page.locator(".status");
