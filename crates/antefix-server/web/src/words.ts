// Numbers and times as people read them.

const digits = new Intl.NumberFormat("en-US");

export function number(value: number): string {
  return digits.format(value);
}

/** `1 token`, `2 tokens`. */
export function count(value: number, one: string, many = `${one}s`): string {
  return `${number(value)} ${value === 1 ? one : many}`;
}

const instant = new Intl.DateTimeFormat("en-GB", {
  year: "numeric",
  month: "short",
  day: "2-digit",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
});

/** A moment, in the reader's zone. */
export function time(text: string): string {
  const moment = new Date(text);
  return Number.isNaN(moment.getTime()) ? text : instant.format(moment);
}

/** A digest, short enough for a line. */
export function short(digest: string): string {
  return digest.replace(/^sha256:/, "").slice(0, 10);
}

/** The same where there is little room. */
export function rough(tokens: { count: number; low: number; high: number }): string {
  return `${tokens.low === tokens.high ? "" : "~"}${number(tokens.count)}`;
}

/** A count that may be an estimate. */
export function estimate(tokens: { count: number; low: number; high: number }): string {
  if (tokens.low === tokens.high) return number(tokens.count);
  return `about ${number(tokens.count)} (${number(tokens.low)} to ${number(tokens.high)})`;
}
