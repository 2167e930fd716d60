// The draft: what is being written, and what it was made from.
//
// 1. It outlives the view, a reload and a lost connection: every change is kept in the browser until it is saved or reset. Each tab
//    keeps its own; a new tab finds the one that was written last.
// 2. It remembers the digest of the template that it was made from, so that nobody's save is overwritten unseen.

import { api } from "../api/client.ts";
import type { Dialect, Template } from "../api/documents.ts";
import { cell } from "../cell.ts";
import { local, session } from "../shell/storage.ts";

const KEY = "antefix.draft";

interface Kept {
  text: string;
  dialect: Dialect;
  base: string;
}

/** What was loaded or saved last. */
export const base = cell<Template | null>(null);
export const text = cell("");
export const dialect = cell<Dialect>("bracket");
/** What somebody else saved meanwhile. */
export const conflict = cell<Template | null>(null);

/** Whether something would be lost. */
export function isChanged(): boolean {
  const from = base.value;
  return from !== null && (text.value !== from.template || dialect.value !== from.dialect);
}

/** Loads the template, and the draft that was left. The answer is whether there was one. */
export async function load(): Promise<boolean> {
  const current = await api.template();
  const kept = read();
  base.set(current);
  if (kept && (kept.text !== current.template || kept.dialect !== current.dialect)) {
    dialect.set(kept.dialect);
    text.set(kept.text);
    if (kept.base !== current.digest) {
      // It was made from another template than the one that counts.
      base.set({ ...current, digest: kept.base });
      conflict.set(current);
    }
    return true;
  }
  dialect.set(current.dialect);
  text.set(current.template);
  return false;
}

/** Goes back to what was loaded last. */
export function reset(): void {
  const from = base.value;
  if (!from) return;
  dialect.set(from.dialect);
  text.set(from.template);
}

/** Takes what somebody else saved for the base, and its text too if that is wanted. */
export function settle(current: Template, take: "theirs" | "mine"): void {
  base.set(current);
  conflict.set(null);
  if (take === "theirs") reset();
  keep();
}

/** Writes the draft down, as long as it is one. */
export function keep(): void {
  const from = base.value;
  if (!from) return;
  const kept = JSON.stringify({ text: text.value, dialect: dialect.value, base: from.digest } satisfies Kept);
  const before = session.getItem(KEY);
  if (isChanged()) {
    session.setItem(KEY, kept);
    local.setItem(KEY, kept);
  } else {
    session.removeItem(KEY);
    // What another tab wrote down is not ours to remove.
    if (local.getItem(KEY) === before) local.removeItem(KEY);
  }
}

function read(): Kept | null {
  try {
    const kept = JSON.parse(session.getItem(KEY) ?? local.getItem(KEY) ?? "null") as Partial<Kept> | null;
    const isWhole = typeof kept?.text === "string" && typeof kept.base === "string" && typeof kept.dialect === "string";
    return isWhole ? (kept as Kept) : null;
  } catch {
    return null;
  }
}
