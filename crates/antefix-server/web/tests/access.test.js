// For everybody: axe finds nothing serious, and the keyboard alone reaches everything.

import assert from "node:assert/strict";
import { axe } from "./browser.js";
import { draft, editor, sentence, shown, TEMPLATE, type, until } from "./with.js";

const files = { "AGENTS.md": "Be kind.\n" };

const before = async (server) => {
  await server.save(TEMPLATE);
  await server.save(`${TEMPLATE}More.`);
  await server.turn("c1", { model: "claude-sonnet-4-5" });
  server.write({ "AGENTS.md": "Be thorough.\n" });
  await server.ask("POST", "/conversations/c1/renewals", { cause: "reloaded" });
};

/** What axe finds that keeps somebody out. */
async function barriers(page) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(
      ({ id, nodes }) =>
        `${id}: ${nodes.map(({ target, failureSummary }) => `${target.join(" ")} ${failureSummary}`).join("; ")}`,
    );
}

for (const [colorScheme, width] of [
  ["light", 1280],
  ["dark", 1280],
  ["light", 400],
  ["dark", 400],
]) {
  sentence(
    `axe finds nothing serious: ${colorScheme}, ${width} pixels`,
    { files, before, colorScheme, viewport: { width, height: 800 }, bypassCSP: true },
    async ({ page, server }) => {
      await type(page, "[nope:x]");
      if (width === 400) await page.getByRole("button", { name: "Preview" }).click();
      await page.getByRole("combobox", { name: "Compare with" }).fill("c1");
      await page.getByRole("combobox", { name: "Compare with" }).press("Enter");
      await shown(page).getByText("You help").click();
      await page.waitForTimeout(400);
      assert.deepEqual(await barriers(page), []);
      for (const tab of [/Tokens/, /Not loaded/, /Problems/, /If saved/]) {
        await page.getByRole("tab", { name: tab }).click();
        assert.deepEqual(await barriers(page), [], String(tab));
      }
      if (width === 400) await page.getByRole("button", { name: "Edit" }).click();
      assert.deepEqual(await barriers(page), []);
      const field = page.getByRole("combobox", { name: /^file:/ });
      await field.focus();
      await page.getByRole("option", { name: "AGENTS.md" }).waitFor();
      await page.keyboard.press("ArrowDown");
      assert.deepEqual(await barriers(page), [], "paths");
      await field.fill("../");
      await page.locator(".paths .note:not(:empty)").waitFor();
      assert.deepEqual(await barriers(page), [], "a path that is not offered");
      for (const [path, ready] of [
        ["conversations", ".row-line"],
        ["conversations/c1", "section[aria-label=Pending] .verdict"],
        ["conversations/c1/1", ".epoch-text .cm-line"],
        ["conversations/c1/1/2", ".diff .cm-line"],
        ["history", ".saved"],
      ]) {
        await page.goto(`${server.origin}/#/${path}`);
        await page.locator(ready).first().waitFor();
        assert.deepEqual(await barriers(page), [], path);
      }
      await page.getByRole("button", { name: "Keys" }).click();
      assert.deepEqual(await barriers(page), [], "keys");
    },
  );
}

/** Where the focus is, also inside of an editor. */
const focus = (page) =>
  page.evaluate(() => {
    let element = document.activeElement;
    while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
    const outline = getComputedStyle(element);
    return {
      name: element.getAttribute("aria-label") ?? element.labels?.[0]?.textContent ?? element.textContent.trim(),
      visible:
        element.isContentEditable ||
        element.matches("main, [role=tabpanel]") ||
        (outline.outlineStyle !== "none" && parseFloat(outline.outlineWidth) >= 2),
    };
  });

sentence(
  "Tab reaches every control in order, each with a visible focus, and the first one skips the bar",
  { files, before },
  async ({ page }) => {
    await page.locator(".ruler-part").first().waitFor();
    await type(page, "x");
    await page.reload();
    await page.locator(".ruler-part").first().waitFor();
    const wanted = await page.evaluate(
      () =>
        [...document.querySelectorAll("a[href], button, input, select, .code, [role=tabpanel]")].filter(
          (element) =>
            !element.disabled &&
            (element.tabIndex >= 0) | element.classList.contains("code") &&
            element.checkVisibility(),
        ).length,
    );
    const names = [];
    await page.keyboard.press("Tab");
    for (let i = 0; i < wanted + 20; i++) {
      const { name, visible } = await focus(page);
      if (i > 0 && name === names[0]) break;
      assert.ok(visible, `the focus on ${name} cannot be seen`);
      names.push(name);
      await page.keyboard.press("Tab");
      if (await page.evaluate(() => document.activeElement === document.body)) break;
    }
    assert.equal(names[0], "Skip to the content");
    for (const name of [
      "Write",
      "Conversations",
      "History",
      "Directory",
      "Model",
      "Compare with",
      "Dialect",
      "Reset",
      "Save",
      "Template",
      "git:branch",
      "Insert file",
      "Preview of the prompt",
    ]) {
      assert.ok(names.includes(name), `${name} is not among ${names.join(", ")}`);
    }
    assert.ok(names.some((name) => name.startsWith("Origin")));
    assert.ok(names.some((name) => /^template .*frozen$/.test(name)));
  },
);

sentence(
  "by keyboard alone: write, insert, preview, save, look at a conversation, go back",
  { files, before },
  async ({ page, server }) => {
    await editor(page).focus();
    await page.keyboard.press("Control+Home");
    await page.keyboard.type("Hello. ");
    // Tab leaves the editor, to the buttons below it.
    await page.keyboard.press("Tab");
    assert.equal((await focus(page)).name, "[if]…[endif]");
    for (let i = 0; i < 40 && (await focus(page)).name !== "git:branch"; i++) await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    assert.ok((await draft(page)).startsWith("Hello. [git:branch]You"));
    await page.keyboard.press("Control+s");
    await until("saved", async () =>
      assert.ok((await server.ask("GET", "/system-prompt")).template.startsWith("Hello.")),
    );
    await page.locator("#tab-origin").focus();
    await page.keyboard.press("ArrowRight");
    assert.equal(await page.locator("#tab-sections").getAttribute("aria-selected"), "true");
    await page.keyboard.press("End");
    assert.equal(await page.locator("#tab-change").getAttribute("aria-selected"), "true");
    await page.keyboard.press("g");
    await page.keyboard.press("c");
    await page.getByRole("heading", { name: "Conversations" }).waitFor();
    await page.getByRole("link", { name: "c1" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Epochs" }).waitFor();
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keys" }).waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("g");
    await page.keyboard.press("h");
    await page.getByRole("heading", { name: "History" }).waitFor();
    await page.keyboard.press("g");
    await page.keyboard.press("w");
    await editor(page).waitFor();
  },
);

sentence("the theme is the system's, or the one that is chosen", { colorScheme: "dark" }, async ({ page }) => {
  const paper = () => page.evaluate(() => getComputedStyle(document.querySelector(".bar")).backgroundColor);
  await editor(page).waitFor();
  const dark = await paper();
  const theme = page.getByRole("button", { name: /Theme/ });
  await theme.click();
  assert.equal(await theme.textContent(), "Theme: light");
  const light = await paper();
  assert.notEqual(light, dark);
  await page.reload();
  await editor(page).waitFor();
  assert.equal(await paper(), light);
  await theme.click();
  assert.equal(await paper(), dark);
});

/** What could be scrolled sideways, also inside of editors. */
const sideways = (page) =>
  page.evaluate(() => {
    const found = [];
    const look = (root) => {
      for (const element of root.querySelectorAll("*")) {
        const scrolls = /auto|scroll/.test(getComputedStyle(element).overflowX);
        if (scrolls && element.clientWidth > 0 && element.scrollWidth > element.clientWidth + 1)
          found.push(`${element.tagName}.${element.className}: ${element.scrollWidth} in ${element.clientWidth}`);
        if (element.shadowRoot) look(element.shadowRoot);
      }
    };
    look(document.body);
    return found;
  });

sentence(
  "at 400 pixels an epoch is a few lines, and every figure says what it is",
  { files, before, viewport: { width: 400, height: 800 }, path: "/#/conversations/c1" },
  async ({ page }) => {
    const row = page.getByRole("row", { name: /epoch 2/ });
    await row.waitFor();
    // What a reader of the screen hears is a table still.
    assert.equal(await page.getByRole("table").getByRole("columnheader", { name: "Cause" }).count(), 1);
    assert.equal(await row.getByRole("cell").count(), 8);
    for (const cell of await row.getByRole("cell").all()) {
      const { x, width } = await cell.boundingBox();
      assert.ok(x >= 0 && x + width <= 400, await cell.textContent());
    }
    const labels = await row
      .locator("td[data-label]")
      .evaluateAll((cells) => cells.map((cell) => getComputedStyle(cell, "::before").content));
    assert.deepEqual(labels.slice(0, 2), ['"Cause "', '"Began "']);
  },
);

for (const width of [400, 760, 1000, 1280]) {
  sentence(
    `nothing is wider than the page at ${width} pixels`,
    { files, before, viewport: { width, height: 800 } },
    async ({ page, server }) => {
      for (const path of [
        "write",
        "conversations",
        "conversations/c1",
        "conversations/c1/1",
        "conversations/c1/1/2",
        "history",
      ]) {
        await page.goto(`${server.origin}/#/${path}`);
        await page.waitForTimeout(150);
        assert.ok((await page.evaluate(() => document.scrollingElement.scrollWidth)) <= width, path);
        assert.deepEqual(await sideways(page), [], path);
        const preview = page.getByRole("button", { name: "Preview" });
        if (!(await preview.isVisible())) continue;
        await preview.click();
        await page.locator(".ruler-part").first().waitFor();
        assert.deepEqual(await sideways(page), [], "the preview");
      }
    },
  );
}
