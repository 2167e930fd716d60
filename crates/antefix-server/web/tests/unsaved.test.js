// Nothing that was not saved is lost.

import assert from "node:assert/strict";
import { open } from "./browser.js";
import { draft, editor, save, sentence, status, TEMPLATE, type, until } from "./with.js";

sentence("Escape loses nothing, wherever it is pressed", {}, async ({ page }) => {
  await type(page, "Mine.");
  for (let i = 0; i < 3; i++) await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Keys" }).click();
  await page.getByRole("dialog", { name: "Keys" }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("combobox", { name: "Model" }).focus();
  await page.keyboard.press("Escape");
  assert.equal(await draft(page), `${TEMPLATE}Mine.`);
});

sentence(
  "the browser asks before a tab with unsaved changes closes, and a reload brings the draft back",
  {},
  async ({ page }) => {
    await page.reload();
    assert.deepEqual(page.dialogs, []);
    await type(page, "Mine.");
    await page.reload();
    assert.deepEqual(page.dialogs, ["beforeunload"]);
    await editor(page).waitFor();
    assert.equal(await draft(page), `${TEMPLATE}Mine.`);
    assert.equal(await status(page).textContent(), "Your unsaved draft is back. Unsaved changes");
    await save(page).click();
    await until("saved", async () => assert.equal(await status(page).textContent(), "Saved."));
    await page.reload();
    await editor(page).waitFor();
    assert.deepEqual(page.dialogs, ["beforeunload"]);
  },
);

sentence("two tabs keep a draft each, and a new one finds the last", {}, async ({ page, server }) => {
  await type(page, "First.");
  await page.waitForTimeout(300);
  const second = await page.context().newPage();
  second.on("dialog", (dialog) => void dialog.accept());
  await second.goto(server.origin);
  await editor(second).waitFor();
  assert.equal(await draft(second), `${TEMPLATE}First.`);
  await type(second, "Second.");
  await second.waitForTimeout(300);
  await page.reload();
  await editor(page).waitFor();
  assert.equal(await draft(page), `${TEMPLATE}First.`);
  await page.getByRole("button", { name: "Reset", exact: true }).click();
  await second.reload();
  await editor(second).waitFor();
  assert.equal(await draft(second), `${TEMPLATE}First.Second.`);
});

sentence("another view and back keeps the draft, and undo still knows it", {}, async ({ page }) => {
  await type(page, "Mine.");
  await page.getByRole("link", { name: "Conversations" }).click();
  await page.getByRole("heading", { name: "No conversation yet" }).waitFor();
  await page.getByRole("link", { name: "Write" }).click();
  assert.equal(await draft(page), `${TEMPLATE}Mine.`);
  await page.getByRole("button", { name: "Reset", exact: true }).click();
  assert.equal(await draft(page), TEMPLATE);
  await page.keyboard.press("Control+z");
  assert.equal(await draft(page), `${TEMPLATE}Mine.`);
});

sentence(
  "two browsers saving at once: the second one sees a difference, and both texts are there",
  {},
  async ({ page, server }) => {
    const other = await open(server);
    await type(page, "Mine.");
    await type(other, "Theirs.");
    await save(other).click();
    await until("theirs is saved", async () => assert.equal(await status(other).textContent(), "Saved."));
    await save(page).click();
    const dialog = page.getByRole("dialog", { name: "Somebody else saved meanwhile" });
    await dialog.waitFor();
    assert.match(await dialog.locator(".cm-deletedChunk").textContent(), /Theirs\./);
    assert.match(await dialog.locator(".cm-insertedLine, .cm-changedLine").first().textContent(), /Mine\./);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    assert.equal(await draft(page), `${TEMPLATE}Mine.`);
    assert.equal((await server.ask("GET", "/system-prompt")).template, `${TEMPLATE}Theirs.`);
    // Taking theirs can be undone.
    await save(page).click();
    await dialog.getByRole("button", { name: "Take theirs" }).click();
    assert.equal(await draft(page), `${TEMPLATE}Theirs.`);
    await page.keyboard.press("Control+z");
    assert.equal(await draft(page), `${TEMPLATE}Mine.`);
    // Their text is the base now, so that mine goes over it knowingly.
    await save(page).click();
    await until("mine is saved", async () =>
      assert.equal((await server.ask("GET", "/system-prompt")).template, `${TEMPLATE}Mine.`),
    );
    const { templates } = await server.ask("GET", "/system-prompt/history");
    assert.equal(templates.length, 2);
    assert.deepEqual(other.faults, []);
    await other.context().close();
  },
);

sentence("a draft that was left behind meets what was saved meanwhile", {}, async ({ page, server }) => {
  await type(page, "Mine.");
  await page.waitForTimeout(300);
  await server.save(`${TEMPLATE}Theirs.`);
  await page.reload();
  const dialog = page.getByRole("dialog", { name: "Somebody else saved meanwhile" });
  await dialog.getByRole("button", { name: "Save mine over theirs" }).click();
  await until("saved", async () =>
    assert.equal((await server.ask("GET", "/system-prompt")).template, `${TEMPLATE}Mine.`),
  );
  assert.equal(await draft(page), `${TEMPLATE}Mine.`);
});

sentence("a server that does not answer is told, and the draft stays", {}, async ({ page, server }) => {
  await type(page, "Mine.");
  await page.context().setOffline(true);
  await save(page).click();
  await until("told", async () => assert.match(await page.locator(".said").textContent(), /does not answer/));
  assert.match(await page.locator(".said").textContent(), /antefix serve/);
  assert.equal(await draft(page), `${TEMPLATE}Mine.`);
  await page.context().setOffline(false);
  await save(page).click();
  await until("saved", async () =>
    assert.equal((await server.ask("GET", "/system-prompt")).template, `${TEMPLATE}Mine.`),
  );
});
