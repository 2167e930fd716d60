// Bytes of UTF-8 and units of UTF-16, on many texts.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { test } from "node:test";

const source = readFileSync(new URL("../src/bytes.ts", import.meta.url), "utf8");
const { offset, positions } = await import(`data:text/javascript,${encodeURIComponent(stripTypeScriptTypes(source))}`);

test("every offset of a byte is the position of its character, and back", () => {
  const pieces = ["a", "ß", "€", "👋", "\n", "\r\n", "e\u0301", "👩‍👩‍👧", "\u{10ffff}", "\ufeff", ""];
  let seed = 7;
  const next = () => (seed = (seed * 48271) % 2147483647);
  for (let round = 0; round < 300; round++) {
    const text = Array.from({ length: next() % 12 }, () => pieces[next() % pieces.length]).join("");
    const bytes = new TextEncoder().encode(text);
    const starts = [...bytes.keys(), bytes.length].filter((at) => at === bytes.length || (bytes[at] & 0xc0) !== 0x80);
    const expected = starts.map(
      (at) => new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes.slice(0, at)).length,
    );
    assert.deepEqual(positions(text, starts), expected);
    assert.deepEqual(
      expected.map((position) => offset(text, position)),
      starts,
    );
  }
});

test("an offset inside of a character is taken back to its beginning", () => {
  assert.deepEqual(positions("a👋b", [0, 1, 2, 3, 4, 5, 6, 99]), [0, 1, 1, 1, 1, 3, 4, 4]);
});
