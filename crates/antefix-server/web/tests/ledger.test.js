// Item 3: understanding.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";
import { open } from "./browser.js";
import { serve } from "./server.js";
import { previewed, sentence, TEMPLATE, until } from "./with.js";

const files = { "AGENTS.md": "Be kind.\nBe brief.\n" };

const cells = (page) =>
  page
    .locator("section[aria-label=Epochs] tbody tr")
    .evaluateAll((rows) => rows.map((row) => [...row.cells].map((cell) => cell.textContent)));

sentence("an empty ledger says what would fill it", { path: "/#/conversations" }, async ({ page }) => {
  await page.getByRole("heading", { name: "No conversation yet" }).waitFor();
  assert.match(await page.locator(".empty-state").textContent(), /antefix turn my-conversation/);
});

sentence(
  "conversations with their epochs: cause, time, size, degraded; renew from there, and see what is pending",
  {
    files,
    path: "/#/conversations",
    before: (server) => server.turn("c1", { model: "claude-sonnet-4-5" }),
  },
  async ({ page, server }) => {
    await page.getByRole("link", { name: "c1" }).click();
    await until("one epoch", async () => assert.equal((await cells(page)).length, 1));
    const { epoch } = await server.ask("GET", "/conversations/c1");
    const [row] = await cells(page);
    assert.deepEqual(
      [row[0], row[1], row[3], row[5], row[8]],
      ["epoch 1", "opened", String(epoch.bytes), "0", "stands"],
    );
    const { token_counts } = await server.ask("GET", "/conversations/c1/epochs/1/tokens");
    await until("tokens", async () => assert.equal((await cells(page))[0][4], `~${token_counts.total.count}`));
    assert.equal(await page.locator("section[aria-label=Epochs] time").getAttribute("datetime"), epoch.opened_at);
    const pending = page.getByRole("region", { name: "Pending" });
    await until("nothing pending", async () =>
      assert.match(await pending.textContent(), /Composing now gives the same bytes/),
    );
    const renew = page.getByRole("button", { name: "Renew" });
    await renew.click();
    await until("nothing to renew", async () =>
      assert.match(
        await page.getByRole("region", { name: "Begin a new epoch" }).textContent(),
        /same bytes, so epoch 1 stands/,
      ),
    );
    server.write({ "AGENTS.md": "Be kind.\nBe thorough.\n" });
    await page.reload();
    await until("pending", async () => assert.match(await pending.textContent(), /AGENTS\.md has changed/));
    assert.match(await pending.textContent(), /Be brief\.[^]*Be thorough\./);
    await page.getByLabel("Cause").selectOption("reloaded");
    await renew.click();
    await until("two epochs", async () =>
      assert.deepEqual(
        (await cells(page)).map((row) => row.slice(0, 2)),
        [
          ["epoch 2", "reloaded"],
          ["epoch 1", "opened"],
        ],
      ),
    );
  },
);

sentence(
  "one epoch in full, with the origin of its bytes",
  { files, before: (server) => server.turn("c1") },
  async ({ page, server }) => {
    await page.goto(`${server.origin}/#/conversations/c1`);
    await page.getByRole("link", { name: "epoch 1" }).click();
    const text = page.getByRole("textbox", { name: "Epoch 1" });
    await text.waitFor();
    const { prefix } = await server.ask("GET", "/conversations/c1/epochs/1");
    await until("the prefix", async () => assert.equal(await previewed(page, "Epoch 1"), prefix));
    await text.getByText("Be brief.").click();
    await until("its origin", async () =>
      assert.match(await page.locator(".origin").textContent(), new RegExp(`File${server.root}/AGENTS\\.mdLine2`)),
    );
  },
);

test(
  "an epoch that began with a gap says so wherever it is shown, and in full what it goes without and why",
  { timeout: 60_000 },
  async () => {
    let status = 503;
    const memory = createServer((_, response) => {
      response.writeHead(status, { "content-type": "text/plain" });
      response.end("The user is Ada.");
    });
    await new Promise((resolve) => memory.listen(0, "127.0.0.1", resolve));
    const address = `http://127.0.0.1:${memory.address().port}/core`;
    const server = await serve(files, [], { "settings.toml": `[memory.core]\nhttp = "${address}"\n` });
    await server.save("You help.\n[memory:core]\n");
    await server.turn("c1");
    const page = await open(server, { path: "/#/conversations/c1" });
    try {
      const [row] = await until("the epoch", async () => {
        const rows = await cells(page);
        assert.equal(rows.length, 1);
        return rows;
      });
      assert.equal(row.at(-1), "degradedstands");
      assert.match(await page.getByRole("region", { name: "Standing" }).textContent(), /This epoch is degraded/);
      await page.getByRole("link", { name: "epoch 1" }).click();
      const told = page.getByRole("group", { name: "Degraded" });
      await told.waitFor();
      assert.match(await told.textContent(), /^degraded .*Renew the conversation once it is back/);
      assert.deepEqual(await told.locator("li code").allTextContents(), ["memory:core"]);
      assert.match(await told.locator("li").textContent(), /gap in template.*failed: status 503/);
      assert.equal(await previewed(page, "Epoch 1"), "You help.\n\n");

      status = 200;
      await page.goto(`${server.origin}/#/conversations/c1`);
      await page.getByRole("button", { name: "Renew" }).click();
      await until("two epochs", async () =>
        assert.deepEqual(
          (await cells(page)).map((row) => row.at(-1)),
          ["stands", "degraded"],
        ),
      );
      await page.getByRole("link", { name: "epoch 2" }).click();
      await until("no gap", async () => assert.match(await previewed(page, "Epoch 2"), /The user is Ada\./));
      assert.equal(await told.count(), 0);
      assert.deepEqual(page.faults, []);
    } finally {
      await page.context().close();
      memory.close();
      await server.stop();
    }
  },
);

const LAYOUT = `description = "two sections"
dialect = "bracket"
editable = "project"

[[section]]
id = "identity"
stability = "fixed"
text = "You are careful, and say what you did not do.\\n"

[[section]]
id = "project"
stability = "frozen"
text = "[file:AGENTS.md]"
`;

sentence(
  "one epoch in full has its tokens, in all and by section, as the server counts them",
  {
    files: { ...files, "layout.toml": LAYOUT },
    args: (root) => ["--layout", `${root}/layout.toml`],
    before: async (server) => {
      await server.turn("exact", { model: "gpt-5" });
      await server.turn("estimated", { model: "claude-opus-5" });
    },
  },
  async ({ page, server }) => {
    const rows = () =>
      page
        .getByRole("region", { name: "Tokens by section" })
        .locator("tbody tr")
        .evaluateAll((rows) => rows.map((row) => [row.cells[0].textContent, Number(row.cells[3].textContent)]));
    const widths = () =>
      page
        .getByRole("region", { name: "Tokens by section" })
        .locator(".bar")
        .evaluateAll((bars) => bars.map((bar) => bar.getBoundingClientRect().width));
    await page.goto(`${server.origin}/#/conversations/exact/1`);
    // Counted in o200k_base by hand: "You are careful, and say what you did not do.\n" and "Be kind.\nBe brief.\n".
    await until("the sections", async () =>
      assert.deepEqual(await rows(), [
        ["identity", 12],
        ["project", 6],
      ]),
    );
    const [longer, shorter] = await widths();
    assert.ok(Math.abs(longer - 2 * shorter) < 2, `${longer} ${shorter}`);
    assert.match(await page.locator("dl.facts").textContent(), /Tokens18/);
    assert.match(
      await page.getByRole("region", { name: "Tokens by section" }).textContent(),
      /18 tokens in all, counted in o200k_base for gpt-5/,
    );
    assert.equal(await page.locator(".ruler-part").first().textContent(), "identity 12 tokens, fixed");
    await page.goto(`${server.origin}/#/conversations/estimated/1`);
    await until("an estimate", async () =>
      assert.match(await page.locator("dl.facts").textContent(), /Tokensabout 28 \(26 to 32\)/),
    );
  },
);

sentence(
  "the difference of any two epochs, with cause and cost",
  {
    files,
    before: async (server) => {
      await server.turn("c1", { model: "claude-sonnet-4-5" });
      for (const word of ["thorough", "quick"]) {
        server.write({ "AGENTS.md": `Be kind.\nBe ${word}.\n` });
        await server.ask("POST", "/conversations/c1/renewals", { cause: "reloaded" });
      }
    },
  },
  async ({ page, server }) => {
    await page.goto(`${server.origin}/#/conversations/c1`);
    await page.getByLabel("From epoch").selectOption("1");
    await page.getByLabel("To epoch").selectOption("3");
    await page.getByRole("button", { name: "Compare" }).click();
    await page.getByRole("heading", { name: "Epoch 1 to 3" }).waitFor();
    const told = page.getByRole("region", { name: "Cause and cost" });
    await until("told", async () => assert.match(await told.textContent(), /cause: reloaded/));
    const difference = await server.ask("GET", "/conversations/c1/epochs/1/diff/3");
    const text = await told.textContent();
    assert.ok(text.includes(`byte ${difference.at}`) && text.includes("too short to be cached"), text);
    assert.match(await page.locator(".cm-deletedChunk").textContent(), /Be brief\./);
    await until("inserted", async () =>
      assert.match(await page.locator(".epoch-diff .cm-content").textContent(), /Be quick\./),
    );
    await page.getByRole("button", { name: "Side by side" }).click();
    await page.getByRole("textbox", { name: "Before" }).waitFor();
    assert.match(await page.getByRole("textbox", { name: "After" }).textContent(), /Be quick\./);
  },
);

sentence(
  "compact from there: begin, and say how it went",
  { files, before: (server) => server.turn("c1") },
  async ({ page, server }) => {
    await page.goto(`${server.origin}/#/conversations/c1`);
    const card = page.getByRole("region", { name: "Begin a new epoch" });
    server.write({ "AGENTS.md": "Other.\n" });
    await card.getByRole("button", { name: "Compact" }).click();
    await card.getByRole("button", { name: "It failed" }).click();
    await until("failed", async () => assert.match(await card.textContent(), /epoch 1 stands/));
    await card.getByRole("button", { name: "Compact" }).click();
    await card.getByRole("button", { name: "It succeeded" }).click();
    await until("compacted", async () =>
      assert.deepEqual((await cells(page))[0]?.slice(0, 2), ["epoch 2", "compacted"]),
    );
  },
);

sentence(
  "amendments and messages that wait are shown",
  {
    files,
    args: ["--layout", "coding-agent"],
    before: async (server) => {
      await server.turn("c1");
      server.write({ "AGENTS.md": "Be kind.\nBe thorough.\n" });
      await server.turn("c1");
      await server.ask("POST", "/conversations/c1/messages", { message: "The build is <b>red</b>." });
    },
  },
  async ({ page, server }) => {
    await page.goto(`${server.origin}/#/conversations/c1`);
    const { amendments } = await server.ask("GET", "/conversations/c1");
    assert.equal(amendments.length, 1);
    const region = page.getByRole("region", { name: "Amendments" });
    await until("the notice", async () => assert.equal(await region.locator("pre").textContent(), amendments[0].text));
    assert.equal(
      await page.getByRole("region", { name: "Messages" }).locator("pre").textContent(),
      "The build is <b>red</b>.",
    );
  },
);

sentence(
  "from a conversation to the draft that it is compared with",
  { files, before: (server) => server.turn("c1") },
  async ({ page, server }) => {
    await page.goto(`${server.origin}/#/conversations/c1`);
    await page.getByRole("link", { name: "Compare with the draft" }).click();
    await until("chosen", async () =>
      assert.equal(await page.getByRole("combobox", { name: "Compare with" }).inputValue(), "c1"),
    );
    assert.ok(TEMPLATE.length > 0);
  },
);

sentence(
  "a conversation that is not there is told with what to do",
  { path: "/#/conversations/nobody" },
  async ({ page }) => {
    await until("told", async () => assert.match(await page.locator(".problem").textContent(), /nobody/));
  },
);
