// What a browser keeps for the page. In a frame of another site it may refuse to keep anything: then it is kept as long as
// the page is open, and a reload asks first, as it always does with something unsaved.

/** What the page asks of a storage. */
export type Kept = Pick<Storage, "getItem" | "setItem" | "removeItem">;

/** Over visits. */
export const local: Kept = usable(() => localStorage);
/** For this window. */
export const session: Kept = usable(() => sessionStorage);

function usable(find: () => Storage): Kept {
  try {
    return find();
  } catch {
    return inMemory();
  }
}

function inMemory(): Kept {
  const texts = new Map<string, string>();
  return {
    getItem: (name) => texts.get(name) ?? null,
    setItem: (name, text) => void texts.set(name, text),
    removeItem: (name) => void texts.delete(name),
  };
}
