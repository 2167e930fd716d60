// A real `antefix serve` on SQLite, in directories of its own.

import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";

const PROGRAM =
  process.env.ANTEFIX_TEST_PROGRAM ?? new URL("../../../../target/debug/antefix", import.meta.url).pathname;

/** Servers that run. */
const running = new Set();
// A test that fails must not leave one behind.
process.on("exit", () => running.forEach((child) => child.kill("SIGKILL")));

/** Ends those that a failed test left. */
export const stopAll = () => running.forEach((child) => child.kill("SIGKILL"));

/** Writes files below a directory. */
export function write(root, files) {
  for (const [path, text] of Object.entries(files)) {
    const file = join(root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

/** Starts a server for a project with these files. Arguments may depend on where that is; `own` are files of its user's. */
export async function serve(files = {}, args = [], own = {}) {
  const place = mkdtempSync(join(tmpdir(), "antefix-page-"));
  const root = join(place, "project");
  mkdirSync(root);
  write(root, { ".git/HEAD": "ref: refs/heads/main\n", ...files });
  write(join(place, "antefix"), own);
  const given = typeof args === "function" ? args(root) : args;
  // In most tests the template is the whole prompt.
  const layout = given.includes("--layout") ? [] : ["--layout", "dispatch"];
  const child = spawn(
    PROGRAM,
    [
      "serve",
      "--listen",
      "127.0.0.1:0",
      "--store",
      `sqlite:${place}/ledger.db`,
      "--root",
      root,
      "--token-file",
      `${place}/token`,
      "--log",
      "none",
      ...given,
      ...layout,
    ],
    {
      env: {
        PATH: process.env.PATH,
        HOME: place,
        XDG_STATE_HOME: place,
        XDG_CONFIG_HOME: place,
        XDG_DATA_HOME: place,
        XDG_CACHE_HOME: place,
      },
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  running.add(child);
  const ended = new Promise((resolve) => child.once("exit", () => resolve(running.delete(child))));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => {
    const { value, done } = await lines.next();
    if (done) throw new Error(`${PROGRAM} ended before it listened`);
    return value;
  };
  const origin = (await next()).replace("listening on ", "");
  const link = /http:\S+/.exec(await next())?.[0];
  const token = readFileSync(`${place}/token`, "utf8").trim();

  /** Asks as a program does. */
  async function ask(method, path, body) {
    const response = await fetch(origin + path, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const document = await response.json();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(document)}`);
    return document;
  }

  return {
    origin,
    link,
    token,
    root,
    place,
    ask,
    /** A link that nobody opened yet. */
    fresh: async () => origin + (await ask("POST", "/links")).path,
    turn: (id, body = {}) => ask("POST", `/conversations/${encodeURIComponent(id)}/turns`, body),
    save: (template, dialect = "bracket") => ask("PUT", "/system-prompt", { template, dialect }),
    write: (more) => write(root, more),
    async stop() {
      child.kill("SIGTERM");
      await ended;
      rmSync(place, { recursive: true, force: true });
    },
  };
}
