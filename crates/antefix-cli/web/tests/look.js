// Pictures for people to look at: `node tests/look.js DIRECTORY [NAME…]`. Those in docs/screenshots are made by it.

import { mkdirSync } from "node:fs";
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
"""

[[section]]
id = "now"
stability = "live"
joint = "paragraph"
text = """
The directory is [prompt:cwd], and today is [system:date].
"""
`;

const server = await serve(
  {
    "layout.toml": LAYOUT,
    "AGENTS.md":
      "# Working here\n\nRun `cargo test` before you say that it works.\nKeep functions short, and say why in comments.\n\n## Style\n\nAmerican spelling. No em-dashes.\n",
    "docs/notes.md": "Notes.\n",
    ".agents/skills/release/SKILL.md":
      "---\nname: release\ndescription: Cuts a release, with its changelog and tag\n---\nSteps.\n",
    ".agents/skills/review/SKILL.md":
      "---\nname: review\ndescription: Reviews a change for correctness and style\n---\nSteps.\n",
  },
  (place) => ["--layout", `${place}/layout.toml`],
);
try {
  for (const id of ["support/4711", "support/4712", "nightly-review", "release-2026-11"])
    await server.turn(id, { model: "claude-sonnet-4-5" });
  const first = (await server.ask("GET", "/system-prompt")).template;
  await server.save(`${first}\nAnswer in the language of the question.\n`);
  await server.save(`${first}\nAnswer in the language of the question, briefly.\n`);
  await server.ask("POST", "/system-prompt/history/1/labels", { label: "before the summer" });
  await server.ask("POST", "/conversations/nightly-review/renewals", { cause: "requested" });
  server.write({
    "AGENTS.md":
      "# Working here\n\nRun `cargo xtask test` before you say that it works.\nKeep functions short, and say why in comments.\n",
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
      await page.getByRole("combobox", { name: "Model" }).fill("claude-sonnet-4-5");
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
      await page.goto(`${server.origin}/#/conversations`);
      await page.waitForTimeout(400);
      await shoot("conversations");
      await page.goto(`${server.origin}/#/conversations/nightly-review`);
      await page.waitForTimeout(600);
      await shoot("conversation");
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
}
