// All tests of the page, in one process and one browser. `node tests/all.js NAME…` runs some of the files.

import { test } from "node:test";
import { quit } from "./browser.js";
import { stopAll } from "./server.js";

const FILES = ["bytes", "write", "unsaved", "see", "ledger", "history", "safety", "embed", "access", "speed"];
const chosen = process.argv.slice(2);
for (const name of chosen.length > 0 ? chosen : FILES) await import(`./${name}.test.js`);
// Tests run one after the other, so this one is the last.
test("everything ends", async () => {
  await quit();
  stopAll();
});
