// Addresses within the page: `#/conversations/c1/2`. Each part is encoded, so that any id fits in.

/** The parts of the address, decoded. */
export function parts(): string[] {
  const decode = (part: string) => {
    try {
      return decodeURIComponent(part);
    } catch {
      return part;
    }
  };
  return location.hash
    .replace(/^#\/?/, "")
    .split("/")
    .filter((part) => part !== "")
    .map(decode);
}

/** An address. */
export function to(...all: (string | number)[]): string {
  return `#/${all.map((part) => encodeURIComponent(part)).join("/")}`;
}
