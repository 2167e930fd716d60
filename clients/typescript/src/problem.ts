/**
 * What goes wrong.
 *
 * A `Problem` is an answer: the server says why it did not do what it was asked for. `Unreachable` is none: whether the request
 * was done is not known, unless it is one that may be repeated.
 */

import type { ProblemDocument } from "./documents.ts";

/** Everything that this package throws by itself. */
export class AntefixError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** No answer came, or none that is antefix's. */
export class Unreachable extends AntefixError {}

/** A problem document of RFC 9457. The classes below stand for one status each. */
export class Problem extends AntefixError {
  readonly status: number;
  /** What to branch on: `urn:antefix:` and a word. */
  readonly type: string;
  readonly title: string;
  /** What is wrong, for people. */
  readonly error: string;
  readonly detail: string | undefined;
  /** What to do. */
  readonly hint: string | undefined;
  /** Places in a template, as `antefix check --json` prints them. */
  readonly diagnostics: Record<string, unknown>[];
  /** When to come again, in seconds, if that may help. */
  readonly retryAfter: number | undefined;

  constructor(status: number, document: Partial<ProblemDocument>, retryAfter?: number) {
    const error = document.error ?? document.title ?? "";
    const more = [document.detail, document.hint].filter(Boolean).join("; ");
    super(`${status}: ${error}${more && ` (${more})`}`);
    this.status = status;
    this.type = document.type ?? "about:blank";
    this.title = document.title ?? "";
    this.error = error;
    this.detail = document.detail ?? undefined;
    this.hint = document.hint ?? undefined;
    this.diagnostics = document.diagnostics ?? [];
    this.retryAfter = retryAfter;
  }

  /** The problem that an answer tells. One from a proxy in between has no document, and its status still counts. */
  static of(status: number, body: string, retryAfter: string | null): Problem {
    // The other form of Retry-After is a date. The server writes seconds.
    const seconds = retryAfter !== null && /^\d+$/.test(retryAfter) ? Number(retryAfter) : undefined;
    return new (BY_STATUS.get(status) ?? Problem)(status, documentOf(body), seconds);
  }
}

function documentOf(body: string): Partial<ProblemDocument> {
  try {
    const document: unknown = JSON.parse(body);
    if (typeof document === "object" && document !== null) return document;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  return { error: `an answer without a problem document: ${body.slice(0, 200)}` };
}

/** 400: the request makes no sense; `error` names the field. */
export class BadRequest extends Problem {}

/** 401: no token, or another one than the server's. */
export class Unauthorized extends Problem {}

/** 403: a name or a directory that is not served. */
export class Forbidden extends Problem {}

/** 404: no such conversation, epoch or template. */
export class NotFound extends Problem {}

/** 409: somebody was faster. Ask again. */
export class Conflict extends Problem {}

/** 412: somebody else saved the template meanwhile. */
export class PreconditionFailed extends Problem {}

/** 413: larger than the server takes. */
export class TooLarge extends Problem {}

/** 422: a template that cannot be parsed or rendered; `diagnostics` has the places. */
export class Invalid extends Problem {}

/** 503: the store cannot be reached, or too much is going on. */
export class Unavailable extends Problem {}

/** 507: nothing more can be stored; what is stored can be read. */
export class StoreFull extends Problem {}

const BY_STATUS = new Map<number, typeof Problem>([
  [400, BadRequest],
  [401, Unauthorized],
  [403, Forbidden],
  [404, NotFound],
  [409, Conflict],
  [412, PreconditionFailed],
  [413, TooLarge],
  [422, Invalid],
  [503, Unavailable],
  [507, StoreFull],
]);
