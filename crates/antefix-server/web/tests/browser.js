// One Chromium for all tests, a context of its own for each.

import { readFileSync } from "node:fs";
import { chromium } from "playwright-core";

let browser;

export async function launch() {
  browser ??= await start([]);
  return browser;
}

/** Another browser, for which names lead elsewhere. Whoever asked for it closes it. */
export function launchAt(names) {
  const rules = Object.entries(names).map(([name, address]) => `MAP ${name} ${address}`);
  return start([`--host-resolver-rules=${rules.join(",")}`]);
}

function start(args) {
  return chromium.launch({
    executablePath: process.env.ANTEFIX_TEST_CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", ...args],
  });
}

export async function quit() {
  await browser?.close();
}

/** With `ANTEFIX_TEST_DIST` the files of the page come from there, so that a change needs no build of the program. */
const dist = process.env.ANTEFIX_TEST_DIST;

/**
 * A page that is logged in. `faults` collects what must never happen: violations of the policy, errors, dialogs, and requests
 * to another host.
 */
export async function open(server, { toured = true, path = "/", ...options } = {}) {
  const context = await (await launch()).newContext({ viewport: { width: 1280, height: 800 }, ...options });
  const faults = [];
  if (dist) {
    await context.route(/\/page\.(js|css)(\?.*)?$/, (route) => {
      // Who is not the page gets what the server says.
      if (!route.request().frame().url().startsWith(server.origin)) return route.continue();
      const name = new URL(route.request().url()).pathname;
      return route.fulfill({
        path: `${dist}${name}`,
        contentType: name.endsWith("js") ? "text/javascript" : "text/css",
      });
    });
  }
  await context.addInitScript((isToured) => {
    if (isToured) localStorage.setItem("antefix.toured", "1");
    document.addEventListener("securitypolicyviolation", (event) => {
      console.error(`policy: ${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}:${event.lineNumber}`);
    });
  }, toured);
  context.on("request", (request) => {
    if (!request.url().startsWith(server.origin)) faults.push(`asked ${request.url()}`);
  });
  const page = await context.newPage();
  page.on("pageerror", (error) => faults.push(`error: ${error.message}`));
  page.on("console", (message) => {
    // A refused request is a line of Chromium's own, and wanted in some tests.
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource"))
      faults.push(message.text());
  });
  page.dialogs = [];
  page.on("dialog", (dialog) => {
    page.dialogs.push(dialog.type());
    if (dialog.type() !== "beforeunload") faults.push(`dialog: ${dialog.message()}`);
    void dialog.accept();
  });
  await page.goto(await server.fresh());
  // The page makes a session of the link's code; a reload before that would lose it.
  await page.waitForFunction(() => localStorage.getItem("antefix.session") !== null);
  if (path !== "/") await page.goto(server.origin + path);
  page.faults = faults;
  return page;
}

export const axe = readFileSync(new URL("../node_modules/axe-core/axe.min.js", import.meta.url), "utf8");
