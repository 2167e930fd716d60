// Item 2: seeing.

import assert from "node:assert/strict";
import { draft, editor, previewed, previews, sentence, shown, type, until } from "./with.js";

const files = {
  "AGENTS.md": "# Rules\n\nBe kind.\nBe brief.\n",
  "sub/AGENTS.md": "Below.\n",
  ".agents/skills/alpha/SKILL.md": "---\nname: alpha\ndescription: Does alpha\n---\nx\n",
};

const facts = (page, panel = "#panel-origin") =>
  page
    .locator(`${panel} .facts`)
    .evaluate((list) =>
      Object.fromEntries(
        [...list.querySelectorAll("dt")].map((term) => [term.textContent, term.nextElementSibling.textContent]),
      ),
    );

sentence(
  "a click on any text says where it comes from: file and line, variable, template",
  { files },
  async ({ page, server }) => {
    await previews(page, /Be brief/);
    await shown(page).getByText("Be brief.").click();
    const file = await facts(page);
    assert.equal(file["Comes from"], "read from a file");
    assert.equal(file["File"], `${server.root}/AGENTS.md`);
    assert.equal(file["Line"], "4");
    assert.equal(file["Section"], "template, frozen");
    await shown(page).getByText(server.root, { exact: true }).click();
    const variable = await facts(page);
    assert.deepEqual([variable["Comes from"], variable["Variable"]], ["the value of a variable", "prompt:cwd"]);
    await shown(page).getByText("You help").click();
    assert.match((await facts(page))["Line"], /^1,/);
    await shown(page).getByText("The current working").click();
    await page.getByRole("button", { name: "7, show in the template" }).click();
    await page.keyboard.insertText("!");
    assert.match(await draft(page), /\n!The current working/);
  },
);

sentence(
  "moving the caret through the preview says the same, and the preview cannot be written",
  { files },
  async ({ page }) => {
    await previews(page, /Be brief/);
    const before = await previewed(page);
    await shown(page).focus();
    await page.keyboard.press("Control+Home");
    for (let i = 0; i < 4; i++) await page.keyboard.press("ArrowDown");
    assert.equal((await facts(page))["Name"], "file:AGENTS.md");
    await page.keyboard.type("x");
    assert.equal(await previewed(page), before);
  },
);

sentence("hovering says it as well", { files }, async ({ page, server }) => {
  await previews(page, /Be brief/);
  await shown(page).getByText("Be brief.").hover();
  await until("a tooltip", async () =>
    assert.match(
      await page.locator(".cm-tooltip").textContent(),
      new RegExp(`${server.root}/AGENTS.md:4 · read from a file`),
    ),
  );
});

sentence(
  "the preview is for a chosen directory, model and conversation",
  { files, before: (server) => server.turn("c1", { model: "claude-sonnet-4-5" }) },
  async ({ page, server }) => {
    await type(page, "[prompt:model] [prompt:conversation_id]");
    const pick = async (name, value) => {
      await page.getByRole("combobox", { name, exact: true }).fill(value);
      await page.getByRole("combobox", { name, exact: true }).press("Enter");
    };
    await pick("Directory", "sub");
    await previews(page, new RegExp(`Below\\.[^]*${server.root}/sub\\.`));
    await pick("Model", "claude-sonnet-4-5");
    await previews(page, /claude-sonnet-4-5 $/);
    assert.match(await page.locator(".total").textContent(), /^about /);
    await pick("Compare with", "c1");
    await previews(page, /claude-sonnet-4-5 c1$/);
    await pick("Directory", "/nowhere");
    await until("told", async () => assert.match(await page.locator(".failed").textContent(), /not under a root/));
    await page.reload();
    await until("kept", async () =>
      assert.equal(await page.getByRole("combobox", { name: "Compare with" }).inputValue(), "c1"),
    );
  },
);

sentence(
  "what saving would change: the first differing byte of a conversation's epoch, the tokens lost and their cost",
  {
    files,
    before: (server) => server.turn("c1", { model: "claude-sonnet-4-5" }),
  },
  async ({ page }) => {
    const panel = page.locator("#panel-change");
    await page.getByRole("tab", { name: "If saved" }).click();
    await until("what to do", async () => assert.match(await panel.textContent(), /Choose a conversation/));
    await page.getByRole("combobox", { name: "Compare with" }).fill("c1");
    await page.getByRole("combobox", { name: "Compare with" }).press("Enter");
    await until("same", async () =>
      assert.match(await panel.textContent(), /Epoch 1 of c1 would stay as it is, byte for byte/),
    );
    await editor(page).click();
    await page.keyboard.press("Control+Home");
    for (let i = 0; i < 9; i++) await page.keyboard.press("ArrowRight");
    await page.keyboard.insertText("é");
    await until("another", async () => assert.match(await panel.textContent(), /would differ from byte 9 on/));
    const told = await facts(page, "#panel-change");
    assert.equal(told["First difference"], "byte 9");
    assert.match(told["Kept"], /^9 bytes/);
    assert.match(told["Lost"], /^\d+ bytes, about \d+ \(\d+ to \d+\) tokens$/);
    // What cannot be cached has no price.
    assert.equal(told["Cost"], undefined);
    assert.match(told["Figures"], /too short to be cached$/);
    assert.equal(await page.locator(".ruler-mark.difference").count(), 1);
    assert.equal(await page.locator(".position-difference").count(), 1);
  },
);

sentence(
  "tools come first on the ruler, to scale, and are listed with what each takes and who it comes from",
  {
    files,
    args: ["--layout", "coding-agent"],
    before: (server) =>
      server.turn("c1", {
        model: "claude-sonnet-4-5",
        tools: [
          { name: "read", description: "Reads a file." },
          { name: "mcp__github__search", description: "Searches issues. ".repeat(40) },
        ],
      }),
  },
  async ({ page, server }) => {
    await page.getByRole("combobox", { name: "Compare with" }).fill("c1");
    await page.getByRole("combobox", { name: "Compare with" }).press("Enter");
    const first = page.locator(".ruler-part").first();
    await until("tools", async () => assert.match(await first.textContent(), /^2 tools [\d,]+ tokens, tools$/));
    const { template, dialect } = await server.ask("GET", "/system-prompt");
    const told = await server.ask("POST", "/system-prompt/preview", { template, dialect, conversation: "c1" });
    const whole = told.tools.bytes + told.prefix.bytes + told.suffix.bytes;
    const bar = await page.locator(".ruler-bar").boundingBox();
    const box = await first.boundingBox();
    assert.ok(Math.abs(box.y - bar.y) < 2 && Math.abs(box.height - (told.tools.bytes / whole) * bar.height) < 2);
    const second = await page.locator(".ruler-part").nth(1).boundingBox();
    assert.ok(
      Math.abs(second.y - (bar.y + (told.tools.bytes / whole) * bar.height)) < 2,
      "the prompt stands behind them",
    );
    await first.click();
    const rows = page.locator("#panel-sections .tool-sizes tbody tr");
    assert.deepEqual(await rows.locator("th").allTextContents(), ["mcp__github__search", "read"]);
    assert.deepEqual(await rows.locator("td:nth-child(2)").allTextContents(), ["github", "caller"]);
  },
);

sentence(
  "the ruler has sections to scale, the boundary and the breakpoints; tokens stand beside each section",
  { files, args: ["--layout", "coding-agent"] },
  async ({ page, server }) => {
    await page.getByRole("combobox", { name: "Model" }).fill("claude-sonnet-4-5");
    await page.getByRole("combobox", { name: "Model" }).press("Enter");
    await until("breakpoints", async () => assert.equal(await page.locator(".ruler-mark.breakpoint").count(), 2));
    const { template, dialect } = await server.ask("GET", "/system-prompt");
    const told = await server.ask("POST", "/system-prompt/preview", { template, dialect, model: "claude-sonnet-4-5" });
    const sections = told.sections.filter((section) => section.bytes > 0);
    assert.ok(new Set(sections.map((section) => section.stability)).size === 3, "the layout has all three kinds");
    const bar = await page.locator(".ruler-bar").boundingBox();
    const parts = page.locator(".ruler-part");
    assert.equal(await parts.count(), sections.length);
    const total = told.prefix.bytes + told.suffix.bytes;
    for (const [index, section] of sections.entries()) {
      const box = await parts.nth(index).boundingBox();
      const expected = bar.y + (section.start / total) * bar.height;
      assert.ok(Math.abs(box.y - expected) < 2, `${section.id} stands at ${box.y}, not ${expected}`);
      assert.ok((await parts.nth(index).getAttribute("class")).includes(section.stability));
      assert.equal(
        await parts.nth(index).textContent(),
        `${section.id} ${section.tokens.toLocaleString("en-US")} tokens, ${section.stability}`,
      );
    }
    const boundary = await page.locator(".ruler-mark.boundary").boundingBox();
    assert.ok(Math.abs(boundary.y + boundary.height / 2 - (bar.y + (told.prefix.bytes / total) * bar.height)) < 2);
    assert.deepEqual(
      told.breakpoints.map((one) => [one.behind, one.at]),
      [
        ["fixed", sections.filter((section) => section.stability === "fixed").at(-1).end],
        ["frozen", told.prefix.bytes],
      ],
    );
    await page.getByRole("tab", { name: "Tokens" }).click();
    assert.deepEqual(
      await page.locator("#panel-sections tbody th").allTextContents(),
      told.sections.map((section) => section.id),
    );
    await parts.last().click();
    await until("scrolled", async () =>
      assert.match(await shown(page).textContent(), /boundary: what follows is live/),
    );
  },
);

const SHORT = "Say why.";
/** Three tokens each time. */
const times = (count) => `${SHORT} `.repeat(count);

sentence(
  "the ruler marks from where on a model's provider caches, and a prefix that is too short is told",
  { files },
  async ({ page, server }) => {
    const told = page.locator(".too-short");
    const mark = page.locator(".ruler-mark.minimum");
    const model = page.getByRole("combobox", { name: "Model" });
    const write = async (text) => {
      await editor(page).click();
      await page.keyboard.press("Control+a");
      await page.keyboard.insertText(text);
      await previews(page, text);
    };
    await write(SHORT);
    assert.equal(await told.textContent(), "");
    await model.fill("gpt-5");
    await model.press("Enter");
    await until("too short", async () =>
      assert.equal(
        await told.textContent(),
        "Too short to be cached: gpt-5 caches no prefix under 1,024 tokens, and this one has 3.",
      ),
    );
    assert.equal(await mark.count(), 0);
    const long = times(1000);
    await write(long);
    await mark.waitFor();
    assert.equal(await told.textContent(), "");
    const { minimum } = await server.ask("POST", "/system-prompt/preview", { template: long, model: "gpt-5" });
    assert.equal(minimum.reached, "yes");
    const name = "cache minimum: from here on the prefix is long enough, 1,024 tokens";
    assert.equal(await mark.getAttribute("aria-label"), name);
    assert.equal(await page.locator(".ruler-short").textContent(), "cached from\n1,024 tokens");
    const bar = await page.locator(".ruler-bar").boundingBox();
    const words = await page.locator(".ruler-short").boundingBox();
    assert.ok(words.x >= bar.x && words.x + words.width <= bar.x + bar.width, "the words have room");
    const box = await mark.boundingBox();
    assert.ok(Math.abs(box.y + box.height / 2 - (bar.y + (minimum.at / long.length) * bar.height)) < 2);
    await mark.click();
    await until("led there", async () => assert.ok((await shown(page).textContent()).includes(name)));

    // An estimate for this model is 1.15 to 1.35 times the count, likeliest 1.2: 270 times are 973 tokens, 290 are 1,045.
    await model.fill("claude-sonnet-4-5");
    await model.press("Enter");
    for (const [amount, marks] of [
      [270, 0],
      [290, 1],
    ]) {
      await write(times(amount));
      await until("perhaps", async () => {
        assert.match(
          await told.textContent(),
          /^Cannot tell whether this is long enough to be cached: claude-sonnet-4-5 caches no prefix/,
        );
        assert.equal(await mark.count(), marks);
      });
    }
    const breakpoint = page.locator(".ruler-mark.breakpoint");
    assert.equal(await breakpoint.getAttribute("aria-label"), "breakpoint behind frozen, 5m");
    await write(SHORT);
    await until("for nothing", async () =>
      assert.equal(
        await breakpoint.getAttribute("aria-label"),
        "breakpoint behind frozen, 5m, too short to be cached by itself",
      ),
    );
  },
);

sentence("what was not loaded is listed with the reason", { files }, async ({ page, server }) => {
  await page.getByRole("tab", { name: /Not loaded/ }).click();
  await until("nothing missing", async () =>
    assert.match(await page.locator("#panel-loaded").textContent(), /Everything that the template asks for was there/),
  );
  await type(page, "[file:missing.md] [file:.env]");
  server.write({ ".env": "SECRET=1\n" });
  const { not_loaded } = await server.ask("POST", "/system-prompt/preview", { template: await draft(page) });
  assert.ok(not_loaded.length >= 1);
  await until("missing", async () => {
    const text = await page.locator("#panel-loaded").textContent();
    for (const { reason, detail } of not_loaded)
      assert.ok(text.includes(reason) && text.includes(detail), `${reason}: ${detail}`);
  });
  assert.match(await page.getByRole("tab", { name: /Not loaded/ }).textContent(), /\d/);
});
