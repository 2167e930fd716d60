// The session: how the server knows this page.
//
// 1. A link's code becomes a session, which counts for this origin alone. It is kept where the browser keeps what belongs to this
//    scheme, name and port, and is sent with every request in a header. There is no cookie, as that would go to every port.
// 2. While the page is used, the session is renewed; the server ends it after a day all the same.

import { local } from "../shell/storage.ts";

const KEY = "antefix.session";

/** How long a session counts before it is renewed, in milliseconds. */
const FRESH = 60 * 60 * 1000;

interface Session {
  session: string;
  ends: string;
  /** When it was got, by this browser's clock. */
  since: number;
}

/** What the server says of a session. */
export type SessionDocument = Omit<Session, "since">;

function read(): Session | null {
  try {
    const kept = JSON.parse(local.getItem(KEY) ?? "null") as Partial<Session> | null;
    return typeof kept?.session === "string" ? { ends: "", since: 0, ...kept, session: kept.session } : null;
  } catch {
    return null;
  }
}

export function keep({ session, ends }: SessionDocument): void {
  local.setItem(KEY, JSON.stringify({ session, ends, since: Date.now() } satisfies Session));
}

export const forget = (): void => local.removeItem(KEY);

/** What a request is proven with. */
export function proof(): Record<string, string> {
  const kept = read();
  return kept ? { authorization: `Bearer ${kept.session}` } : {};
}

/** Whether it is time to renew it. */
export function isOld(): boolean {
  const kept = read();
  // A clock that was set back must not keep a session from being renewed.
  return kept !== null && Math.abs(Date.now() - kept.since) > FRESH;
}
