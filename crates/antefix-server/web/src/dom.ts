// Building the page. Text is only ever set as text: nothing here takes markup.

/** What an element may hold. */
export type Child = Node | string | number | null | undefined | false;

type Listener = (event: never) => void;
type Attribute = string | number | boolean | null | undefined | Listener | Record<string, string>;

/** An element with attributes, listeners (`onclick` and the like) and children. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Record<string, Attribute> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") {
      element.addEventListener(name.slice(2), value as EventListener);
    } else if (typeof value === "object") {
      // An attribute `style` would be inline style, which the page's policy forbids.
      for (const [property, of] of Object.entries(value)) element.style.setProperty(property, of);
    } else {
      element.setAttribute(name, value === true ? "" : String(value));
    }
  }
  append(element, children);
  return element;
}

/** Puts children behind those that are there. */
export function append(parent: Element, children: Child[]): void {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    parent.append(typeof child === "number" ? String(child) : child);
  }
}

/** Puts children in the place of those that are there. */
export function fill(parent: Element, ...children: Child[]): void {
  parent.replaceChildren();
  append(parent, children);
}

/** A button that says what it does. */
export function button(
  label: string,
  onclick: () => void,
  attributes: Record<string, Attribute> = {},
): HTMLButtonElement {
  return h("button", { type: "button", onclick, ...attributes }, label);
}
