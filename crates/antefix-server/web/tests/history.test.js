// The templates that were saved.

import assert from "node:assert/strict";
import { draft, save, sentence, status, type, until } from "./with.js";

sentence("an empty history says what would fill it", { path: "/#/history" }, async ({ page }) => {
  await page.getByRole("heading", { name: "Nothing was saved yet" }).waitFor();
});

sentence(
  "a history with difference, labels and roll back",
  {
    before: async (server) => {
      for (const text of ["one\n", "one\ntwo\n", "one\ntwo\nthree\n"]) await server.save(text);
    },
  },
  async ({ page, server }) => {
    await page.getByRole("link", { name: "History" }).click();
    const entry = (number) => page.locator(`[data-number="${number}"]`);
    await entry(3).waitFor();
    assert.match(await entry(3).textContent(), /counts/);
    await entry(3).getByRole("button", { name: "Compare with the one before" }).click();
    await until("a difference", async () =>
      assert.match(
        await page.locator(".history-diff .cm-changedLine, .history-diff .cm-insertedLine").first().textContent(),
        /three/,
      ),
    );
    await entry(1).getByRole("button", { name: "Compare with what counts" }).click();
    await page.getByRole("heading", { name: "Number 1 to 3" }).waitFor();
    await entry(1).getByRole("button", { name: "Label" }).click();
    await page.getByLabel("Label", { exact: true }).fill("first <i>");
    await page.keyboard.press("Enter");
    await until("a label", async () => assert.equal(await entry(1).locator(".label").textContent(), "first <i>"));
    await page.getByLabel("You save as").fill("Ada Ünal");
    await page.getByLabel("You save as").press("Tab");
    await entry(1).getByRole("button", { name: "Roll back" }).click();
    await page
      .getByRole("dialog", { name: "Roll back to number 1" })
      .getByRole("button", { name: "Roll back" })
      .click();
    await until("rolled back", async () => assert.match(await entry(4).textContent(), /counts[^]*Ada Ünal/));
    assert.equal((await server.ask("GET", "/system-prompt")).template, "one\n");
    await page.getByRole("link", { name: "Write" }).click();
    assert.equal(await draft(page), "one\n");
    assert.equal(await save(page).isDisabled(), true);
  },
);

sentence(
  "rolling back leaves an unsaved draft alone, and saving it then shows the conflict",
  {
    before: async (server) => {
      for (const text of ["one\n", "two\n"]) await server.save(text);
    },
  },
  async ({ page }) => {
    await type(page, "mine");
    await page.getByRole("link", { name: "History" }).click();
    await page.locator('[data-number="1"]').getByRole("button", { name: "Roll back" }).click();
    const dialog = page.getByRole("dialog", { name: "Roll back to number 1" });
    assert.match(await dialog.textContent(), /Your unsaved draft stays/);
    await dialog.getByRole("button", { name: "Roll back" }).click();
    await page.locator('[data-number="3"]').waitFor();
    await page.getByRole("link", { name: "Write" }).click();
    assert.equal(await draft(page), "two\nmine");
    await save(page).click();
    await page
      .getByRole("dialog", { name: "Somebody else saved meanwhile" })
      .getByRole("button", { name: "Keep editing" })
      .click();
    assert.match(await status(page).textContent(), /Unsaved changes/);
  },
);
