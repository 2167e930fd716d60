// Asking the server. Every request of the page goes through here.

import { cell } from "../cell.ts";
import { local } from "../shell/storage.ts";
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
  Shelf,
  Template,
  Variable,
} from "./documents.ts";

/** How many requests are under way. */
export const pending = cell(0);
/** Whether the server knows this browser. */
export const known = cell(true);

let csrf = "";

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
}

async function ask<T>(path: string, { method = "GET", body, headers = {}, signal }: Asked = {}): Promise<T> {
  const sent: Record<string, string> = { accept: "application/json", ...headers };
  if (method !== "GET" && csrf) sent["antefix-csrf"] = csrf;
  if (body !== undefined) sent["content-type"] = "application/json";
  pending.set(pending.value + 1);
  try {
    const response = await fetch(path, {
      method,
      headers: sent,
      credentials: "same-origin",
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
    if (response.ok) return document as T;
    if (response.status === 401 && !("authorization" in sent)) known.set(false);
    throw new Problem(response.status, document as object);
  } finally {
    pending.set(pending.value - 1);
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
  async about(): Promise<About> {
    const about = await ask<About>("/about");
    csrf = about.csrf ?? "";
    return about;
  },
  /** A link for whoever has the token. */
  link: (token: string) =>
    ask<{ path: string }>("/links", { method: "POST", headers: { authorization: `Bearer ${token}` } }),
  template: () => ask<Template>("/system-prompt"),
  save: (template: string, dialect: string, digest: string) =>
    ask<Template>("/system-prompt", {
      method: "PUT",
      body: { template, dialect },
      headers: { "if-match": `"${digest}"`, ...author() },
    }),
  variables: async () => (await ask<{ variables: Variable[] }>("/system-prompt/variables")).variables,
  templates: async (cwd?: string) =>
    (await ask<{ shelves: Shelf[] }>(`/system-prompt/templates${query({ cwd })}`)).shelves,
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
