// Pictures for people to look at: `node tests/look.js DIRECTORY`.

import { mkdirSync } from "node:fs";
import { open, quit } from "./browser.js";
import { serve } from "./server.js";

const into = process.argv[2] ?? "pictures";
mkdirSync(into, { recursive: true });

const server = await serve({
  "AGENTS.md": "# Working here\n\nRun `cargo test` before you say that it works.\nKeep functions short, and say why in comments.\n\n## Style\n\nAmerican spelling. No em-dashes.\n",
  "docs/notes.md": "Notes.\n",
  ".agents/skills/release/SKILL.md": "---\nname: release\ndescription: Cuts a release, with its changelog and tag\n---\nSteps.\n",
  ".agents/skills/review/SKILL.md": "---\nname: review\ndescription: Reviews a change for correctness and style\n---\nSteps.\n",
}, ["--layout", process.env.LAYOUT ?? "dispatch"]);
try {
  for (const id of ["support/4711", "support/4712", "nightly-review", "release-2026-11"]) await server.turn(id, { model: "claude-sonnet-4-5" });
  await server.save("You help with the code in this directory.\n\n[if file:AGENTS.md]\n# Instructions\n\n[file:AGENTS.md]\n[endif]\n\n[skills:listing]\n\nThe current working directory is [prompt:cwd].\n");
  await server.ask("POST", "/conversations/nightly-review/renewals", { cause: "requested" });
  server.write({ "AGENTS.md": "# Working here\n\nRun `cargo xtask test` before you say that it works.\nKeep functions short, and say why in comments.\n" });
  for (const [size, viewport] of [["wide", { width: 1280, height: 800 }], ["narrow", { width: 400, height: 800 }]]) {
    for (const colorScheme of ["light", "dark"]) {
      const page = await open(server, { viewport, colorScheme });
      const shoot = (name) => page.screenshot({ path: `${into}/${name}-${size}-${colorScheme}.png` });
      await page.getByRole("textbox", { name: "Template" }).click();
      await page.keyboard.press("Control+End");
      await page.keyboard.type("Today is [system:date]. [nope:x]");
      await page.getByRole("combobox", { name: "Model" }).fill("claude-sonnet-4-5");
      await page.getByRole("combobox", { name: "Model" }).press("Enter");
      await page.getByRole("combobox", { name: "Compare with" }).fill("nightly-review");
      await page.getByRole("combobox", { name: "Compare with" }).press("Enter");
      await page.waitForTimeout(900);
      await shoot("write");
      if (size === "narrow") await page.getByRole("button", { name: "Preview" }).click();
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
      await shoot("history");
      for (const fault of page.faults) console.error(`${size} ${colorScheme}: ${fault}`);
      await page.context().close();
    }
  }
} finally {
  await quit();
  await server.stop();
}
