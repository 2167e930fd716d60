/**
 * Requests, and when they are sent again.
 *
 * 1. A request that may be repeated is sent again if no answer comes, or a 503 with `Retry-After`.
 * 2. Any other is sent again only if the server says that it was too busy to begin with it.
 * 3. Both at most `retries` times. The server is not asked before it wants to be, and one that wants to be left alone for longer
 *    than `LONGEST_WAIT` is a `Problem` at once.
 *
 * Redirects are not followed: the token goes to the server alone.
 */

import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { AntefixError, Problem, Unreachable } from "./problem.ts";

/** Where the server is, and how it is asked. */
export interface Options {
  /** ANTEFIX_URL if not said, else http://127.0.0.1:7777. */
  base?: string;
  /**
   * ANTEFIX_TOKEN if not said, else what is in the file that ANTEFIX_TOKEN_FILE names, else, for a server on this machine, in the
   * file that it made.
   */
  token?: string;
  /** How long an answer may take, in milliseconds; a minute if not said. */
  timeout?: number;
  /** How often a request is sent again at most; 3 if not said. */
  retries?: number;
}

/** What a request has beside its route. */
export interface Asked {
  names?: Record<string, string | number>;
  query?: Record<string, string | number | undefined>;
  body?: object;
  /** JSON lines, in the place of a body. */
  lines?: string;
  headers?: Record<string, string | undefined>;
  /** Whether asking twice does no more than asking once. */
  repeat: boolean;
}

/** In seconds. */
const LONGEST_WAIT = 10;
const BUSY = "urn:antefix:busy";

export class Connection {
  readonly #base: string;
  readonly #token: string | undefined;
  readonly #timeout: number;
  readonly #retries: number;

  constructor(options: Options) {
    const base = options.base ?? (process.env.ANTEFIX_URL || "http://127.0.0.1:7777");
    const url = URL.canParse(base) ? new URL(base) : undefined;
    if (!url || !["http:", "https:"].includes(url.protocol)) {
      throw new AntefixError(`'${base}' is no address of a server, such as http://127.0.0.1:7777`);
    }
    this.#base = base.replace(/\/+$/, "");
    this.#token = options.token ?? (process.env.ANTEFIX_TOKEN || tokenOfFile(url.hostname));
    this.#timeout = options.timeout ?? 60_000;
    this.#retries = options.retries ?? 3;
  }

  /** The body of the answer to a request such as `GET /conversations/{id}`, whose names are filled in. */
  async ask(route: string, asked: Asked): Promise<string> {
    const [method = "", path = ""] = route.split(" ");
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => segment(String(asked.names?.[name] ?? "")));
    const query = new URLSearchParams();
    for (const [key, value] of Object.entries(asked.query ?? {})) {
      if (value !== undefined) query.set(key, String(value));
    }
    const url = this.#base + filled + (query.size > 0 ? `?${query}` : "");
    const headers = new Headers({ Accept: "application/json" });
    for (const [name, value] of Object.entries(asked.headers ?? {})) {
      if (value !== undefined) headers.set(name, value);
    }
    if (this.#token !== undefined) headers.set("Authorization", `Bearer ${this.#token}`);
    const request: RequestInit = { method, headers, redirect: "error" };
    if (asked.body) {
      headers.set("Content-Type", "application/json");
      request.body = JSON.stringify(asked.body);
    } else if (asked.lines !== undefined) {
      headers.set("Content-Type", "application/jsonl");
      request.body = asked.lines;
    }
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await this.#once(url, request);
      } catch (error) {
        const wait = attempt < this.#retries ? waitBefore(error, attempt, asked.repeat) : undefined;
        if (wait === undefined) throw error;
        await sleep(wait * 1000);
      }
    }
  }

  async #once(url: string, request: RequestInit): Promise<string> {
    let response: Response;
    let answer: string;
    try {
      response = await fetch(url, { ...request, signal: AbortSignal.timeout(this.#timeout) });
      // `text()` would take a byte order mark away.
      answer = new TextDecoder("utf-8", { ignoreBOM: true }).decode(await response.arrayBuffer());
    } catch (cause) {
      throw new Unreachable(`${this.#base} does not answer: ${reason(cause)}`, { cause });
    }
    if (response.ok) return answer;
    throw Problem.of(response.status, answer, response.headers.get("retry-after"));
  }
}

/** How long to wait before a request is sent again, in seconds; undefined if it is not. */
function waitBefore(error: unknown, attempt: number, repeat: boolean): number | undefined {
  if (error instanceof Unreachable) return repeat ? 0.1 * 2 ** attempt : undefined;
  if (!(error instanceof Problem) || error.status !== 503 || !(repeat || error.type === BUSY)) return undefined;
  return error.retryAfter !== undefined && error.retryAfter <= LONGEST_WAIT ? error.retryAfter : undefined;
}

/** A name as it stands in a path. */
function segment(name: string): string {
  // Addresses in JavaScript are made shorter where these stand, however they are written.
  if (name === "." || name === "..") throw new AntefixError(`'${name}' cannot stand in an address`);
  return encodeURIComponent(name);
}

/** What `fetch` hides behind "fetch failed". */
function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}

/**
 * The token in the file that ANTEFIX_TOKEN_FILE names, else in the one that a server of this user's makes. The latter is for
 * this machine: no other server is told it.
 */
function tokenOfFile(host: string): string | undefined {
  const named = process.env.ANTEFIX_TOKEN_FILE;
  if (named) return readFileSync(named, "utf8").trim();
  if (!/^(localhost|127(\.\d+){3}|\[::1\])$/.test(host)) return undefined;
  const state = process.env.XDG_STATE_HOME ?? "";
  const place = isAbsolute(state) ? state : join(homedir(), ".local", "state");
  try {
    return readFileSync(join(place, "antefix", "token"), "utf8").trim();
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}
