// How fast it is. The figures are for two cores.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { editor, previewed, sentence, until } from "./with.js";

const RULE = "Say why, name the limits, and leave the place tidier than it was; tests are sentences.\n";

/** Six instruction files and 51 skills: a prompt of some 60 KB. */
function project() {
  const files = {};
  for (const [number, place] of ["", "a/", "a/b/", "a/b/c/", "a/b/c/d/", "a/b/c/d/e/"].entries())
    files[`${place}AGENTS.md`] = `# Level ${number}\n\n${RULE.repeat(90)}`;
  for (let number = 0; number < 51; number++) {
    files[`.agents/skills/skill-${number}/SKILL.md`] =
      `---\nname: skill-${number}\ndescription: Does the work of kind ${number} when it is asked for\n---\n${RULE.repeat(20)}`;
  }
  return files;
}

/** Tasks that held the page up for longer than 50 ms from now on. */
async function watched(page) {
  await page.evaluate(() => {
    globalThis.watching?.disconnect();
    globalThis.long = [];
    globalThis.watching = new PerformanceObserver((list) =>
      globalThis.long.push(...list.getEntries().map((entry) => Math.round(entry.duration))),
    );
    globalThis.watching.observe({ type: "longtask" });
  });
  return () => page.evaluate(() => globalThis.long);
}

/** Does something several times. One time without a long task is enough: others may use the machine as well. */
async function smoothly(page, work) {
  const seen = [];
  for (let round = 0; round < 4; round++) {
    const long = await watched(page);
    await work();
    const tasks = await long();
    if (tasks.length === 0) return;
    seen.push(tasks.join(" "));
  }
  assert.fail(`tasks over 50 ms in every round: ${seen.join("; ")}`);
}

/** Scrolls as a wheel does. */
async function wheel(page, target, steps, by = 600) {
  const box = await target.boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  for (let step = 0; step < steps; step++) {
    await page.mouse.wheel(0, by);
    await page.waitForTimeout(24);
  }
}

test("the first load is at most 300 KB compressed", async () => {
  const sizes = ["index.html", "page.css", "page.js"].map(
    (name) => readFileSync(new URL(`../dist/${name}.gz`, import.meta.url)).length,
  );
  assert.ok(sizes.reduce((a, b) => a + b) <= 300 * 1024, sizes.join(" + "));
});

sentence("what was loaded once is not asked for again, and comes compressed", {}, async ({ page, server }) => {
  const script = await page.evaluate(() => document.querySelector("script").src);
  const answer = await fetch(script, { headers: { "accept-encoding": "gzip" } });
  assert.equal(answer.headers.get("content-encoding"), "gzip");
  assert.match(answer.headers.get("cache-control"), /immutable/);
  const index = await fetch(`${server.origin}/`);
  assert.equal(
    (await fetch(`${server.origin}/`, { headers: { "if-none-match": index.headers.get("etag") } })).status,
    304,
  );
});

sentence("interactive within a second", { files: project() }, async ({ page }) => {
  const took = [];
  for (let round = 0; round < 3; round++) {
    await page.reload({ waitUntil: "commit" });
    await editor(page).waitFor();
    took.push(await page.evaluate(() => performance.now()));
  }
  assert.ok(Math.min(...took) <= 1000, took.join(" "));
});

sentence(
  "a preview of 60 KB with 51 skills is there within 100 ms of the last key, and scrolls smoothly",
  {
    files: project(),
    args: ["--layout", "coding-agent"],
  },
  async ({ page }) => {
    await page.getByRole("combobox", { name: "Directory", exact: true }).fill("a/b/c/d/e");
    await page.getByRole("combobox", { name: "Directory", exact: true }).press("Enter");
    await page.getByRole("combobox", { name: "Model" }).fill("claude-opus-5");
    await page.getByRole("combobox", { name: "Model" }).press("Enter");
    // The first one reads the vocabulary that tokens are counted in.
    await until("the whole prompt", async () => assert.ok((await previewed(page)).length > 55_000), 20_000);
    await editor(page).click();
    await page.keyboard.press("Control+Home");
    const took = [];
    for (let round = 0; round < 6; round++) {
      const word = `word-${round} `;
      await page.keyboard.insertText(word);
      await until("the answer", async () => assert.ok((await previewed(page)).includes(word)));
      const whole = Number(await page.locator(".preview").getAttribute("data-took"));
      const server = await page.evaluate(() => {
        const { requestStart, responseStart } = performance
          .getEntriesByType("resource")
          .filter((entry) => entry.name.endsWith("/preview"))
          .at(-1);
        return responseStart - requestStart;
      });
      took.push({ whole, server: Math.round(server), own: Math.round(whole - server) });
    }
    const said = took.map(({ whole, server }) => `${whole} (server ${server})`).join(", ");
    const middle = (values) => values.sort((a, b) => a - b)[2];
    // A server that was built for debugging composes up to ten times slower than the one that people run. Ten times as long still
    // finds what grows with the square of something.
    const bound = process.env.ANTEFIX_TEST_PROFILE === "release" ? 100 : 1000;
    assert.ok(middle(took.map(({ own }) => own)) <= 50, `from the answer to the text: ${said} ms`);
    assert.ok(middle(took.map(({ whole }) => whole)) <= bound, `from the question to the text: ${said} ms`);
    await smoothly(page, async () => {
      await wheel(page, page.locator(".preview .code"), 30, 1200);
      await wheel(page, page.locator(".preview .code"), 30, -1200);
    });
  },
);

sentence(
  "a difference of 60 KB scrolls smoothly",
  {
    files: project(),
    args: ["--layout", "coding-agent"],
    before: async (server) => {
      await server.turn("big", { cwd: "a/b/c/d/e" });
      for (const place of ["", "a/b/"])
        server.write({ [`${place}AGENTS.md`]: `# Changed\n\n${RULE.repeat(40)}Other.\n${RULE.repeat(50)}` });
      await server.ask("POST", "/conversations/big/renewals", { cause: "reloaded" });
    },
  },
  async ({ page, server }) => {
    await page.goto(`${server.origin}/#/conversations/big/1/2`);
    await page.locator(".diff .cm-line").first().waitFor();
    await page.waitForTimeout(300);
    await smoothly(page, async () => {
      await wheel(page, page.locator(".diff-body"), 25, 900);
      await wheel(page, page.locator(".diff-body"), 25, -900);
    });
  },
);

sentence(
  "a ledger of 10,000 conversations scrolls without long tasks",
  {
    files: { "AGENTS.md": "x\n" },
    path: "/#/conversations",
    before: async (server) => {
      await server.turn("conversation-00000");
      // The same epoch under other names: opening each would be most of the test.
      const ledger = new DatabaseSync(`${server.place}/ledger.db`);
      ledger.exec(`INSERT INTO epochs (conversation, number, cause, opened_at, head)
      SELECT printf('conversation-%05d', value), number, cause, opened_at, head
      FROM epochs, (WITH RECURSIVE n (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < 9999) SELECT value FROM n)`);
      ledger.close();
    },
  },
  async ({ page }) => {
    const amount = page.locator(".page-bar [role=status]");
    const scroller = page.locator(".scroller");
    await page.locator(".row-line").first().waitFor();
    for (let round = 0; round < 400 && (await amount.textContent()) !== "10,000 conversations"; round++) {
      await scroller.evaluate((element) => (element.scrollTop = element.scrollHeight));
      await page.waitForTimeout(20);
    }
    await until("the last one", async () => {
      await scroller.evaluate((element) => (element.scrollTop = element.scrollHeight));
      assert.equal(await page.locator("a.row-id").last().textContent(), "conversation-09999");
    });
    assert.ok((await page.locator(".row-line").count()) < 60, "rows are made for what is in sight");
    await smoothly(page, async () => {
      await wheel(page, scroller, 20, -4000);
      await wheel(page, scroller, 20, 4000);
    });
    await page.getByLabel("Begin at").fill("conversation-05000");
    await until("found", async () =>
      assert.equal(await page.locator("a.row-id").first().textContent(), "conversation-05000"),
    );
    await smoothly(page, () => wheel(page, scroller, 20, 3000));
    await page.getByRole("link", { name: "conversation-05000" }).first().waitFor({ state: "detached" });
  },
);
