// Pictures for people to look at: `node tests/look.js DIRECTORY [NAME…]`. Those in docs/screenshots are made by it.

import { mkdirSync } from "node:fs";
import { createServer } from "node:http";
import { open, quit } from "./browser.js";
import { serve } from "./server.js";

const into = process.argv[2] ?? "pictures";
const wanted = process.argv.slice(3);
mkdirSync(into, { recursive: true });

const LAYOUT = `description = "who the agent is, what people write, and what moves"
dialect = "bracket"
paths = "portable"
on_compaction = "renew"
editable = "project"

[[section]]
id = "identity"
stability = "fixed"
text = """
You are a careful engineer who works in somebody else's repository.
Say what you did, what you did not do, and how you know.
"""

[[section]]
id = "project"
stability = "frozen"
joint = "paragraph"
text = """
[if file:AGENTS.md]
# Instructions

[file:AGENTS.md]
[endif]
[skills:listing]
[if memory:core]
# What you remember

[memory:core]
[endif]
"""

[[section]]
id = "now"
stability = "live"
joint = "paragraph"
text = """
The directory is [prompt:cwd], and today is [system:date].
"""
`;

/** Instructions as people write them, long enough for a provider's cache. */
const INSTRUCTIONS = `# Working here

Run \`cargo test\` before you say that it works.
Keep functions short, and say why in comments.

## Style

American spelling. No em-dashes. Short sentences, and one word for one thing: the glossary has them.
A public item comes first, and what it needs stands below it. A module opens with what it promises.
Errors are lower case, name the file and say what to do about it.

## Tests

Write the expected bytes down before you run. A test that cannot fail is a defect.
A case is a folder with its input and what comes out, to the last byte. Nothing is skipped: what differs from run to run has a name.
Times, ports and places are named in one table, and a reviewer can read a case without running it.

## Commits

One story each, in the imperative, with the reason in the body. An optimization comes with its number.
What a user sees has a line in the changelog. Changing promised bytes is loud: the new digest, and a line of its own.

## What to ask first

Adding a dependency, changing a file format, touching the schema of a store, or anything that cannot be undone.
Say what you would do, what it costs, and what you would rather not do; then wait.
When you are not sure whether something is in scope, it is not: write it down at the end instead, in one line.

## Before you hand over

Read your own change once more as somebody who did not write it. Say what you saw with your own eyes and what you only expect.
Leave the place tidier than it was: no file that nobody needs, no process that still runs, no branch that nobody knows.
`;

let status = 503;
const memory = createServer((_, response) => {
  response.writeHead(status, { "content-type": "text/plain" });
  response.end("Ada prefers short answers, and reads them on a phone.\n");
});
await new Promise((resolve) => memory.listen(0, "127.0.0.1", resolve));

const server = await serve(
  {
    "layout.toml": LAYOUT,
    "AGENTS.md": INSTRUCTIONS,
    "README.md": "A project.\n",
    "docs/notes.md": "Notes.\n",
    "docs/design.md": "Design.\n",
    ".agents/skills/release/SKILL.md":
      "---\nname: release\ndescription: Cuts a release, with its changelog and tag\n---\nSteps.\n",
    ".agents/skills/review/SKILL.md":
      "---\nname: review\ndescription: Reviews a change for correctness and style\n---\nSteps.\n",
  },
  (place) => ["--layout", `${place}/layout.toml`],
  { "settings.toml": `[memory.core]\nhttp = "http://127.0.0.1:${memory.address().port}/core"\n` },
);
try {
  for (const id of ["support/4711", "support/4712", "nightly-review", "release-2026-11"])
    await server.turn(id, { model: "claude-opus-5" });
  status = 200;
  const first = (await server.ask("GET", "/system-prompt")).template;
  await server.save(`${first}\nAnswer in the language of the question.\n`);
  await server.save(`${first}\nAnswer in the language of the question, briefly.\n`);
  await server.ask("POST", "/system-prompt/history/1/labels", { label: "before the summer" });
  await server.ask("POST", "/conversations/nightly-review/renewals", { cause: "requested" });
  server.write({
    "AGENTS.md": INSTRUCTIONS.replace("cargo test", "cargo xtask test").replace(/\n## What to ask first[^]*/, ""),
  });
  for (const [size, viewport] of [
    ["wide", { width: 1280, height: 800 }],
    ["narrow", { width: 400, height: 800 }],
  ]) {
    for (const colorScheme of ["light", "dark"]) {
      const page = await open(server, { viewport, colorScheme });
      const shoot = async (name) => {
        const file = `${name}-${size}-${colorScheme}`;
        if (wanted.length === 0 || wanted.includes(file)) await page.screenshot({ path: `${into}/${file}.png` });
      };
      await page.getByRole("textbox", { name: "Template" }).click();
      await page.keyboard.press("Control+End");
      await page.keyboard.insertText("[file:CONTRIBUTING.md] [git:brnch]");
      if (size === "narrow") {
        await page.waitForTimeout(400);
        await shoot("write");
        await page.getByRole("button", { name: "Preview" }).click();
      }
      await page.getByRole("combobox", { name: "Model" }).fill("claude-opus-5");
      await page.getByRole("combobox", { name: "Model" }).press("Enter");
      await page.getByRole("combobox", { name: "Compare with" }).fill("nightly-review");
      await page.getByRole("combobox", { name: "Compare with" }).press("Enter");
      await page.waitForTimeout(900);
      if (size === "wide") await shoot("write");
      await page.getByText("Keep functions short").first().click();
      await page.waitForTimeout(300);
      await shoot("origin");
      await page.getByRole("tab", { name: /If saved/ }).click();
      await shoot("change");
      if (size === "narrow") await page.getByRole("button", { name: "Edit" }).click();
      await page.getByRole("combobox", { name: /^file:/ }).fill("docs/");
      await page.waitForTimeout(400);
      await page.keyboard.press("ArrowDown");
      await shoot("paths");
      await page.keyboard.press("Escape");
      await page.goto(`${server.origin}/#/conversations`);
      await page.waitForTimeout(400);
      await shoot("conversations");
      await page.goto(`${server.origin}/#/conversations/nightly-review`);
      await page.waitForTimeout(600);
      await shoot("conversation");
      await page.goto(`${server.origin}/#/conversations/nightly-review/1`);
      await page.waitForTimeout(600);
      await page.getByText("Keep functions short").first().click();
      await page.waitForTimeout(100);
      await page.locator(".page").evaluate((element) => (element.scrollTop = 0));
      await shoot("epoch");
      await page.goto(`${server.origin}/#/conversations/nightly-review/1/2`);
      await page.waitForTimeout(500);
      await shoot("compare");
      await page.goto(`${server.origin}/#/history`);
      await page.waitForTimeout(400);
      await page.getByRole("button", { name: "Compare with the one before" }).first().click();
      await page.waitForTimeout(300);
      await shoot("history");
      for (const fault of page.faults) console.error(`${size} ${colorScheme}: ${fault}`);
      await page.context().close();
    }
  }
} finally {
  await quit();
  await server.stop();
  memory.close();
}
