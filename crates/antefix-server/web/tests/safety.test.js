// Whatever anybody wrote is shown as text, and nobody but the page gets anything.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createServer } from "node:http";
import { test } from "node:test";
import { readdirSync, readFileSync } from "node:fs";
import { launch, launchAt, open } from "./browser.js";
import { serve } from "./server.js";
import { editor, previews, sentence, until } from "./with.js";

const PAYLOADS = [
  "<script>alert(1)</script>",
  '"><img src=x onerror=alert(1)>',
  "<svg onload=alert(1)>",
  "javascript:alert(1)",
  "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
  "<style>*{display:none}</style>",
  "'-alert(1)-'",
  "<a href='javascript:alert(1)'>x</a>",
  "${alert(1)}{{constructor.constructor('alert(1)')()}}",
  "<template><b>x</b></template>",
];

/** Elements that only a payload could have brought. */
const strangers = (page) =>
  page.evaluate(() => {
    const found = [];
    const look = (root) => {
      for (const element of root.querySelectorAll("*")) {
        if (
          /^(IFRAME|OBJECT|EMBED|IMG|TEMPLATE|SVG|FORM)$/i.test(element.tagName) &&
          !(element.tagName === "IMG" && element.classList.contains("cm-widgetBuffer"))
        )
          found.push(element.tagName);
        for (const { name } of element.attributes) if (name.startsWith("on")) found.push(name);
        if (
          element.tagName === "A" &&
          !element.getAttribute("href").startsWith("#/") &&
          element.getAttribute("href") !== "#main"
        )
          found.push(element.getAttribute("href"));
        if (element.shadowRoot) look(element.shadowRoot);
      }
    };
    look(document.body);
    return found;
  });

const evil = PAYLOADS[1];
/** What git takes for the name of a branch. */
const BRANCH = "<svg/onload=alert(1)>";

sentence(
  "payloads in template, file, skill, branch, conversation id, label and findings show as text",
  {
    files: {
      "AGENTS.md": PAYLOADS.join("\n"),
      [`<img src=x onerror=alert(1)>.md`]: PAYLOADS[0],
      ".agents/skills/evil/SKILL.md": `---\nname: evil\ndescription: ${JSON.stringify(`${PAYLOADS[0]} ${evil}`)}\n---\n${PAYLOADS[0]}\n`,
    },
    before: async (server) => {
      execFileSync("git", ["init", "--quiet", server.root]);
      server.write({ ".git/HEAD": `ref: refs/heads/${BRANCH}\n` });
      execFileSync("git", [
        "-C",
        server.root,
        "-c",
        "user.name=ada",
        "-c",
        "user.email=ada@example",
        "commit",
        "--quiet",
        "--allow-empty",
        "--message",
        "x",
      ]);
      await server.save(`${PAYLOADS.join("\n")}\n[file:AGENTS.md]\n[skills:listing]\n[git:branch]\n`);
      for (const id of PAYLOADS) await server.turn(id, { set: { "git:status": evil } });
      await server.ask("POST", "/system-prompt/history/1/labels", { label: evil });
      await server.ask("POST", `/conversations/${encodeURIComponent(evil)}/messages`, { message: evil });
      server.write({ "AGENTS.md": `${PAYLOADS.join("\n")}\nmore ${evil}\n` });
      await server.ask("POST", `/conversations/${encodeURIComponent(evil)}/renewals`, { cause: "reloaded" });
    },
  },
  async ({ page, server }) => {
    await editor(page).click();
    await page.keyboard.press("Control+End");
    await page.keyboard.insertText(`[nope:${evil}] [file:<img src=x onerror=alert(1)>.md] [file:${PAYLOADS[0]}] {{ x`);
    await previews(page, /onerror=alert\(1\)[^]*<svg\/onload=alert\(1\)>/);
    await page.getByRole("combobox", { name: "Compare with" }).fill(evil);
    await page.getByRole("combobox", { name: "Compare with" }).press("Enter");
    for (const tab of [/Problems/, /Not loaded/, /Tokens/, /If saved/, /Origin/]) {
      await page.getByRole("tab", { name: tab }).click();
      await page.waitForTimeout(60);
    }
    assert.deepEqual(await strangers(page), []);
    await page.getByRole("combobox", { name: "Dialect" }).selectOption("jinja");
    await until("an error that quotes", async () => assert.notEqual(await page.locator(".failed").textContent(), ""));
    assert.deepEqual(await strangers(page), []);
    await page.goto(`${server.origin}/#/conversations`);
    await until("all ids", async () =>
      assert.deepEqual((await page.locator("a.row-id").allTextContents()).sort(), [...PAYLOADS].sort()),
    );
    assert.deepEqual(await strangers(page), []);
    await page.getByRole("link", { name: evil, exact: true }).click();
    await until("its own id", async () => assert.equal(await page.locator("h1").textContent(), evil));
    await until("the message", async () =>
      assert.equal(await page.getByRole("region", { name: "Messages" }).locator("pre").textContent(), evil),
    );
    await page.getByRole("link", { name: "epoch 1" }).click();
    await page.getByRole("textbox", { name: "Epoch 1" }).waitFor();
    assert.deepEqual(await strangers(page), []);
    await page.goto(`${server.origin}/#/conversations/${encodeURIComponent(evil)}/1/2`);
    await until("the difference", async () =>
      assert.match(await page.locator(".epoch-diff .cm-content").textContent(), /onerror/),
    );
    assert.deepEqual(await strangers(page), []);
    await page.goto(`${server.origin}/#/history`);
    await until("the label", async () => assert.equal(await page.locator(".label").textContent(), evil));
    await page.goto(`${server.origin}/#/conversations/${encodeURIComponent(PAYLOADS[0] + "x")}`);
    await until("a problem", async () => assert.ok((await page.locator(".problem").count()) > 0));
    assert.deepEqual(await strangers(page), []);
  },
);

sentence("the policy forbids what the page never does", {}, async ({ page, server }) => {
  const { headers } = await fetch(`${server.origin}/`);
  assert.match(headers.get("content-security-policy"), /default-src 'none'.*require-trusted-types-for 'script'/);
  const refused = await page.evaluate(() => {
    const element = document.createElement("div");
    try {
      element["inner" + "HTML"] = "<b>x</b>";
      return "set";
    } catch {
      return "refused";
    }
  });
  assert.equal(refused, "refused");
  // That was wanted.
  page.faults.length = 0;
});

test("a page on another origin gets nothing", { timeout: 60_000 }, async () => {
  const server = await serve();
  const port = new URL(server.origin).port;
  const attacker = createServer((_, response) => {
    response.setHeader("content-type", "text/html");
    response.end("<!doctype html><title>evil</title><body>");
  });
  await new Promise((resolve) => attacker.listen(0, "127.0.0.1", resolve));
  const page = await open(server);
  try {
    await page.goto(`http://127.0.0.1:${attacker.address().port}/`);
    const got = await page.evaluate(async (origin) => {
      const tries = [
        fetch(`${origin}/system-prompt`, { credentials: "include" }).then((response) => response.text()),
        fetch(`${origin}/about`, { credentials: "include", mode: "no-cors" }).then((response) => response.text()),
        fetch(`${origin}/system-prompt`, {
          method: "PUT",
          credentials: "include",
          headers: { "content-type": "application/json" },
          body: "{}",
        }).then((response) => response.text()),
        new Promise((resolve) => {
          const frame = document.createElement("iframe");
          frame.src = `${origin}/`;
          frame.onload = () => {
            try {
              resolve(frame.contentDocument?.body?.textContent ?? "");
            } catch {
              resolve("");
            }
          };
          document.body.append(frame);
        }),
        new Promise((resolve) => {
          const script = document.createElement("script");
          script.src = `${origin}/page.js`;
          script.onload = () => resolve("ran");
          script.onerror = () => resolve("");
          document.body.append(script);
        }),
      ];
      return Promise.all(tries.map((one) => one.catch(() => "")));
    }, server.origin);
    assert.deepEqual(got, ["", "", "", "", ""]);
  } finally {
    await page.context().close();
    attacker.closeAllConnections();
    attacker.close();
  }
  const answer = await fetch(`http://127.0.0.1:${port}/system-prompt`, {
    headers: { authorization: `Bearer ${server.token}`, origin: "http://evil.example" },
  });
  assert.equal(answer.status, 403);
  assert.equal(answer.headers.get("access-control-allow-origin"), null);
  await server.stop();
});

test(
  "under a foreign name that leads to the server, a browser gets neither the page nor a prompt nor a session",
  { timeout: 60_000 },
  async () => {
    const server = await serve({ "AGENTS.md": "canary of a file\n" });
    await server.save("canary of a template [file:AGENTS.md]");
    await server.turn("c1");
    const port = new URL(server.origin).port;
    const foreign = `http://rebound.example:${port}`;
    // What an attacker's name server does after the first answer.
    const browser = await launchAt({ "rebound.example": "127.0.0.1" });
    try {
      const context = await browser.newContext();
      const page = await context.newPage();
      // The browser knows the server, under its own name.
      await page.goto(await server.fresh());
      await editor(page).waitFor();
      const kept = () => page.evaluate(() => localStorage.getItem("antefix.session"));
      const session = JSON.parse(await kept()).session;
      const link = new URL(await server.fresh());

      const heard = [];
      for (const path of ["/", "/page.js", link.pathname + link.search]) {
        const answer = await page.goto(foreign + path);
        heard.push(await answer.text());
        assert.equal(answer.status(), 403, path);
        assert.equal(await answer.headerValue("set-cookie"), null, path);
      }
      // A page under that name is of the same origin as what it asks for, so that only the server stands in its way.
      assert.equal(new URL(page.url()).origin, foreign);
      assert.equal(await kept(), null);
      // Not even with a session that it should never have got.
      const got = await page.evaluate(async (session) => {
        const authorization = `Bearer ${session}`;
        const ask = async (path, options) => {
          const answer = await fetch(path, { credentials: "include", headers: { authorization }, ...options });
          return [answer.status, await answer.text()];
        };
        const body = { headers: { authorization, "content-type": "application/json" }, body: "{}" };
        return [
          await ask("/system-prompt"),
          await ask("/about"),
          await ask("/conversations/c1/system-prompt"),
          await ask("/system-prompt/files"),
          await ask("/healthz"),
          await ask("/system-prompt/preview", { method: "POST", ...body }),
          await ask("/conversations/c1/renewals", { method: "POST", ...body }),
        ];
      }, session);
      assert.deepEqual(
        got.map(([status]) => status),
        got.map(() => 403),
      );
      for (const text of [...heard, ...got.map(([, text]) => text)]) assert.ok(!text.includes("canary"), text);
      assert.deepEqual(await context.cookies(foreign), []);

      // The page's own policy forbids it to ask that name.
      await page.goto(server.origin);
      await editor(page).waitFor();
      const asked = await page.evaluate(
        (address) =>
          fetch(address).then(
            (answer) => `answered ${answer.status}`,
            () => "refused",
          ),
        `${foreign}/system-prompt`,
      );
      assert.equal(asked, "refused");
      // The link that was tried under the foreign name still works under the server's own.
      await page.goto(link.href);
      await editor(page).waitFor();
    } finally {
      await browser.close();
      await server.stop();
    }
  },
);

test(
  "a browser that the server does not know is told both ways in, and the token is one of them",
  { timeout: 60_000 },
  async () => {
    const server = await serve();
    const context = await (await launch()).newContext();
    const page = await context.newPage();
    await page.goto(server.origin);
    await page.getByText("This server does not know your browser yet").waitFor();
    assert.match(await page.locator("main").textContent(), /antefix serve.*token file/);
    await page.getByLabel("Token").fill("wrong");
    await page.keyboard.press("Enter");
    await until("refused", async () => assert.match(await page.locator(".problem").textContent(), /token/));
    await page.getByLabel("Token").fill(server.token);
    await page.keyboard.press("Enter");
    await editor(page).waitFor();
    assert.ok(!page.url().includes("code"));
    assert.deepEqual(await context.cookies(), []);
    await context.close();
    await server.stop();
  },
);

test(
  "a link that was opened before leads to the way in, and to the page for who is in",
  { timeout: 60_000 },
  async () => {
    const server = await serve();
    const link = await server.fresh();
    const context = await (await launch()).newContext();
    const page = await context.newPage();
    await page.goto(link);
    await editor(page).waitFor();
    await page.goto(link);
    await editor(page).waitFor();
    assert.equal(page.url(), `${server.origin}/`);
    const stranger = await (await launch()).newContext();
    const other = await stranger.newPage();
    await other.goto(link);
    await other.getByText("That link was opened before").waitFor();
    assert.equal(other.url(), `${server.origin}/`);
    await context.close();
    await stranger.close();
    await server.stop();
  },
);

test("another service on the same name gets nothing of the session", { timeout: 60_000 }, async () => {
  const server = await serve();
  const heard = [];
  const other = createServer((request, response) => {
    heard.push(JSON.stringify(request.headers));
    response.setHeader("content-type", "text/html");
    response.end("<!doctype html><title>another service</title>");
  });
  await new Promise((resolve) => other.listen(0, "127.0.0.1", resolve));
  const page = await open(server);
  try {
    await editor(page).waitFor();
    const { session } = JSON.parse(await page.evaluate(() => localStorage.getItem("antefix.session")));
    assert.deepEqual(await page.context().cookies(), []);
    // The same name, another port.
    await page.goto(`http://127.0.0.1:${other.address().port}/`);
    assert.equal(await page.title(), "another service");
    assert.deepEqual(
      await page.evaluate(() => [localStorage.length, document.cookie]),
      // The script that tests begin with marks the tour as done.
      [1, ""],
    );
    assert.ok(heard.length > 0);
    for (const headers of heard) {
      assert.ok(
        !headers.includes(session) && !headers.includes("cookie") && !headers.includes("authorization"),
        headers,
      );
    }
  } finally {
    await page.context().close();
    other.close();
    await server.stop();
  }
});

sentence("who signs out must open another link, and the session is worth nothing", {}, async ({ page, server }) => {
  await editor(page).waitFor();
  assert.equal(page.url(), `${server.origin}/`);
  const { session } = JSON.parse(await page.evaluate(() => localStorage.getItem("antefix.session")));
  const about = () => fetch(`${server.origin}/about`, { headers: { authorization: `Bearer ${session}` } });
  assert.equal((await about()).status, 200);
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByText("This server does not know your browser yet").waitFor();
  assert.equal((await about()).status, 401);
  await page.reload();
  await page.getByText("This server does not know your browser yet").waitFor();
  assert.equal(await page.evaluate(() => localStorage.getItem("antefix.session")), null);
});

sentence("a session in use is renewed before it ends", {}, async ({ page }) => {
  await editor(page).waitFor();
  const kept = async () => JSON.parse(await page.evaluate(() => localStorage.getItem("antefix.session")));
  const first = await kept();
  await page.reload();
  await editor(page).waitFor();
  assert.equal((await kept()).session, first.session);
  // Two hours later, as far as the page knows; the server's clock says a second.
  await new Promise((resolve) => setTimeout(resolve, 1100));
  const old = JSON.stringify({ ...first, since: first.since - 2 * 60 * 60 * 1000 });
  await page.evaluate((old) => localStorage.setItem("antefix.session", old), old);
  await page.reload();
  await editor(page).waitFor();
  await until("it is renewed", async () => assert.notEqual((await kept()).session, first.session));
  await page.reload();
  await editor(page).waitFor();
});

test("no source sets markup or makes code of text", () => {
  const forbidden =
    /innerHTML|outerHTML|insertAdjacentHTML|document\.write|createContextualFragment|DOMParser|\beval\(|new Function|setAttribute\("style|srcdoc/;
  const files = readdirSync(new URL("../src", import.meta.url), { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile(),
  );
  assert.ok(files.length > 20);
  for (const entry of files) {
    const text = readFileSync(`${entry.parentPath}/${entry.name}`, "utf8");
    assert.ok(!forbidden.test(text), `${entry.name}: ${forbidden.exec(text)?.[0]}`);
    assert.ok(!/https?:\/\//.test(text), `${entry.name} names another host`);
  }
});
