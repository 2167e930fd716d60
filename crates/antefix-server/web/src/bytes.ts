// The server counts bytes of UTF-8; the browser counts units of UTF-16.

/** The positions of ascending byte offsets, in one pass. An offset inside of a character is taken back to its beginning. */
export function positions(text: string, offsets: readonly number[]): number[] {
  const found: number[] = [];
  let bytes = 0;
  let unit = 0;
  for (const offset of offsets) {
    while (unit < text.length) {
      const [width, units] = character(text, unit);
      if (bytes + width > offset) break;
      bytes += width;
      unit += units;
    }
    found.push(unit);
  }
  return found;
}

/** The position of one byte offset. */
export function position(text: string, offset: number): number {
  return positions(text, [offset])[0] ?? 0;
}

/** The byte offset of a position. */
export function offset(text: string, position: number): number {
  let bytes = 0;
  for (let unit = 0; unit < position;) {
    const [width, units] = character(text, unit);
    bytes += width;
    unit += units;
  }
  return bytes;
}

/** How many bytes and units the character there has. */
function character(text: string, unit: number): [number, number] {
  const code = text.charCodeAt(unit);
  if (code < 0x80) return [1, 1];
  if (code < 0x800) return [2, 1];
  const next = text.charCodeAt(unit + 1);
  const isPair = code >= 0xd800 && code < 0xdc00 && next >= 0xdc00 && next < 0xe000;
  return isPair ? [4, 2] : [3, 1];
}
