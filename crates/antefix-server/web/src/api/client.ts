// Asking the server. Every request of the page goes through here.

import { cell } from "../cell.ts";
import { local } from "../shell/storage.ts";
import { forget, isOld, keep, proof } from "./session.ts";
import type { SessionDocument } from "./session.ts";
import type {
  About,
  Compaction,
  Conversation,
  Conversations,
  Difference,
  Directory,
  Drift,
  EpochDocument,
  Epochs,
  EpochTokens,
  Finding,
  History,
  Model,
  Paths,
  Preview,
  Renewal,
  Saved,
  SavedRow,
  TemplatePlace,
  Template,
  Variable,
} from "./documents.ts";

/** How many requests are under way. */
export const pending = cell(0);
/** Whether the server knows this browser. */
export const known = cell(true);

/** What the server says is wrong: a problem document of RFC 9457. */
export class Problem extends Error {
  readonly status: number;
  readonly detail: string | undefined;
  readonly hint: string | undefined;
  readonly diagnostics: Finding[];

  constructor(
    status: number,
    document: Partial<{ error: string; detail: string; hint: string; diagnostics: Finding[] }>,
  ) {
    super(document.error ?? `The server answered ${status}`);
    this.status = status;
    this.detail = document.detail;
    this.hint = document.hint;
    this.diagnostics = document.diagnostics ?? [];
  }
}

interface Asked {
  method?: string;
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
  /** What proves the request in the place of the session. */
  proven?: Record<string, string>;
}

async function ask<T>(path: string, { method = "GET", body, headers = {}, signal, proven }: Asked = {}): Promise<T> {
  const own = proof();
  const sent: Record<string, string> = { accept: "application/json", ...(proven ?? own), ...headers };
  if (body !== undefined) sent["content-type"] = "application/json";
  pending.set(pending.value + 1);
  try {
    const response = await fetch(path, {
      method,
      headers: sent,
      credentials: "omit",
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal ? { signal } : {}),
    }).catch((error: unknown) => {
      if (error instanceof DOMException && error.name === "AbortError") throw error;
      throw new Problem(0, {
        error: "The server does not answer",
        hint: "see whether `antefix serve` still runs; nothing here is lost",
      });
    });
    const document: unknown = await response.json().catch(() => ({}));
    if (response.ok) {
      if (!proven && isOld()) void renew();
      return document as T;
    }
    if (response.status === 401 && !proven) leave(own);
    throw new Problem(response.status, document as object);
  } finally {
    pending.set(pending.value - 1);
  }
}

/** The server does not know this session any more. Another tab may have got a new one meanwhile, which stays. */
function leave(sent: Record<string, string>): void {
  if (proof().authorization === sent.authorization) forget();
  known.set(false);
}

let renewing = false;

/** Renews the session, once. If that fails, the next request that is answered tries again. */
async function renew(): Promise<void> {
  if (renewing) return;
  renewing = true;
  try {
    keep(await ask<SessionDocument>("/sessions/renewal", { method: "POST" }));
  } catch {
    // A session that cannot be renewed counts until its end, and then the page asks for another.
  } finally {
    renewing = false;
  }
}

const id = encodeURIComponent;

function query(values: Record<string, string | number | undefined>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(values))
    if (value !== undefined && value !== "") search.set(name, String(value));
  return search.size > 0 ? `?${search}` : "";
}

/** What a preview is of. */
export interface Draft {
  template: string;
  dialect: string;
  cwd?: string;
  model?: string;
  conversation?: string;
}

function author(): Record<string, string> {
  const name = local.getItem("antefix.author")?.trim();
  // A header's text is Latin-1, and the server reads it as UTF-8.
  return name ? { "antefix-author": String.fromCharCode(...new TextEncoder().encode(name)) } : {};
}

export const api = {
  /** Makes a session of a link's code. */
  enter: async (code: string) =>
    keep(await ask<SessionDocument>("/sessions", { method: "POST", body: { code }, proven: {} })),
  /** Ends the session. If the server does not answer, this browser forgets it all the same. */
  async signOut(): Promise<void> {
    const own = proof();
    try {
      await ask("/sessions", { method: "DELETE" });
    } finally {
      leave(own);
    }
  },
  about: () => ask<About>("/about"),
  /** A link for whoever has the token. */
  link: (token: string) =>
    ask<{ path: string }>("/links", { method: "POST", proven: { authorization: `Bearer ${token}` } }),
  template: () => ask<Template>("/system-prompt"),
  save: (template: string, dialect: string, digest: string) =>
    ask<Template>("/system-prompt", {
      method: "PUT",
      body: { template, dialect },
      headers: { "if-match": `"${digest}"`, ...author() },
    }),
  variables: async () => (await ask<{ variables: Variable[] }>("/system-prompt/variables")).variables,
  templates: async (cwd?: string) =>
    (await ask<{ places: TemplatePlace[] }>(`/system-prompt/templates${query({ cwd })}`)).places,
  files: (path: string, cwd?: string, signal?: AbortSignal) =>
    ask<Paths>(`/system-prompt/files${query({ path, cwd })}`, signal ? { signal } : {}),
  preview: (draft: Draft, signal?: AbortSignal) =>
    ask<Preview>("/system-prompt/preview", { method: "POST", body: draft, ...(signal ? { signal } : {}) }),
  history: (before?: number) => ask<History>(`/system-prompt/history${query({ before })}`),
  saved: (which: number) => ask<Saved>(`/system-prompt/history/${which}`),
  label: (which: number, label: string | null) =>
    ask<SavedRow>(`/system-prompt/history/${which}/labels`, { method: "POST", body: { label } }),
  rollBack: (which: number, digest: string) =>
    ask<Template>(`/system-prompt/history/${which}/rollback`, {
      method: "POST",
      headers: { "if-match": `"${digest}"`, ...author() },
    }),
  conversations: (after?: string, limit = 200) => ask<Conversations>(`/conversations${query({ after, limit })}`),
  conversation: (which: string) => ask<Conversation>(`/conversations/${id(which)}`),
  epochs: (which: string, after?: number) =>
    ask<Epochs>(`/conversations/${id(which)}/epochs${query({ after, limit: 200 })}`),
  epoch: (which: string, number: number) => ask<EpochDocument>(`/conversations/${id(which)}/epochs/${number}`),
  tokens: (which: string, number: number) => ask<EpochTokens>(`/conversations/${id(which)}/epochs/${number}/tokens`),
  diff: (which: string, a: number, b: number) =>
    ask<Difference | null>(`/conversations/${id(which)}/epochs/${a}/diff/${b}`),
  drift: (which: string) => ask<Drift>(`/conversations/${id(which)}/drift`),
  renew: (which: string, cause: string) =>
    ask<Renewal>(`/conversations/${id(which)}/renewals`, { method: "POST", body: { cause } }),
  beginCompaction: (which: string) =>
    ask<Compaction>(`/conversations/${id(which)}/compaction`, { method: "POST", body: {} }),
  endCompaction: (which: string, token: string, outcome: "succeeded" | "failed") =>
    ask<{ epoch: { number: number } }>(`/conversations/${id(which)}/compaction/${id(token)}`, {
      method: "PUT",
      body: { outcome },
    }),
  models: async () => (await ask<{ models: Model[] }>("/models")).models,
  roots: async (under?: string) => (await ask<{ roots: Directory[] }>(`/roots${query({ under })}`)).roots,
};
