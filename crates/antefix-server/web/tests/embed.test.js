// The page in a frame of another site, which whoever runs the server has named.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";
import { launch } from "./browser.js";
import { serve } from "./server.js";
import { save, status, until } from "./with.js";

/** A host on another site than the server's, which shows whatever its query names in a frame. */
async function host() {
  const server = createServer((request, response) => {
    const source = new URL(request.url, "http://localhost").searchParams.get("frame") ?? "about:blank";
    response.setHeader("content-type", "text/html");
    response.end(`<!doctype html><title>host</title><iframe src="${source}" width="1200" height="700"></iframe>`);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://localhost:${server.address().port}`;
  return {
    origin,
    framing: (address) => `${origin}/?frame=${encodeURIComponent(address)}`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

test("a host that was named embeds the editor, and no other does", { timeout: 60_000 }, async () => {
  const named = await host();
  const other = await host();
  const server = await serve({}, ["--embed-origin", named.origin]);
  const context = await (await launch()).newContext({ viewport: { width: 1280, height: 800 } });
  try {
    const page = await context.newPage();
    const faults = [];
    page.on("pageerror", (error) => faults.push(error.message));
    await page.goto(named.framing(await server.fresh()));
    const frame = page.frameLocator("iframe");
    const editor = frame.getByRole("textbox", { name: "Template" });
    // The browser keeps nothing for a frame of another site, so that every visit is the first one.
    await frame.getByRole("button", { name: "Skip the tour" }).click();
    await editor.click();
    await page.keyboard.press("Control+a");
    await page.keyboard.insertText("Written in a frame.");
    await save(frame).click();
    await until("it is saved", async () => assert.match(await status(frame).textContent(), /Saved/));
    assert.equal((await server.ask("GET", "/system-prompt")).template, "Written in a frame.");
    // The session is the frame's own, and as this browser keeps nothing for it, it is gone with the frame. There is no cookie.
    await page.goto(named.framing(`${server.origin}/`));
    await frame.getByText("This server does not know your browser yet").waitFor();
    await page.goto(named.framing(await server.fresh()));
    await editor.waitFor();
    assert.deepEqual(await context.cookies(), []);
    // In a window of its own the browser knows no session of a frame's.
    const alone = await context.newPage();
    await alone.goto(server.origin);
    await alone.getByText("This server does not know your browser yet").waitFor();
    await alone.close();
    assert.deepEqual(faults, []);

    // What the host page asks itself is refused.
    const asked = await page.evaluate(
      (origin) =>
        Promise.all(
          ["/system-prompt", "/about"].map((path) =>
            fetch(origin + path, { credentials: "include" }).then(
              (answer) => `answered ${answer.status}`,
              () => "refused",
            ),
          ),
        ),
      server.origin,
    );
    assert.deepEqual(asked, ["refused", "refused"]);

    for (const address of [`${server.origin}/`, await server.fresh()]) {
      await page.goto(other.framing(address));
      const inner = page.frames()[1];
      await until("the frame is refused", async () => assert.match(inner.url(), /^chrome-error:/));
      assert.equal(await page.frameLocator("iframe").getByRole("textbox").count(), 0);
    }
  } finally {
    await context.close();
    named.close();
    other.close();
    await server.stop();
  }
});
