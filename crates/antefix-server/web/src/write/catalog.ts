// The catalog as buttons, grouped by type in the order in which types first appear.

import type { Variable } from "../api/documents.ts";
import { spelled } from "../code/complete.ts";
import { button, fill, h } from "../dom.ts";
import * as draft from "./draft.ts";
import type { Editor } from "./editor.ts";
import { offers } from "./offers.ts";
import { pathField } from "./path.ts";

export function catalog(variables: Variable[], editor: Editor): HTMLElement {
  const place = h("div", { class: "catalog", role: "group", "aria-label": "Insert at the caret" });
  draft.dialect.watch((dialect) => {
    if (dialect === "plain") {
      fill(
        place,
        h(
          "p",
          { class: "empty" },
          "A plain template is taken as it is: it has no variables. Choose the bracket or the jinja dialect to use them.",
        ),
      );
      return;
    }
    fill(place, conditions(editor), ...groups(variables).map(([type, members]) => group(type, members, editor)));
  });
  return place;
}

function groups(variables: Variable[]): [string, Variable[]][] {
  const found = new Map<string, Variable[]>();
  for (const variable of variables) found.set(variable.type, [...(found.get(variable.type) ?? []), variable]);
  return [...found];
}

function group(type: string, members: Variable[], editor: Editor): HTMLElement {
  const insert = (variable: Variable, value?: string) => editor.insert(spelled(variable, draft.dialect.value, value));
  const controls = members.map((variable) =>
    variable.dynamic
      ? dynamic(type, variable, (value) => insert(variable, value))
      : button(variable.name, () => insert(variable), {
          class: "tag",
          title: variable.description,
          "aria-label": `${type}:${variable.name}`,
          "data-changes": variable.changes,
        }),
  );
  return h(
    "div",
    { class: "group", role: "group", "aria-label": type },
    h("span", { class: "type" }, type),
    h("div", { class: "members" }, ...controls),
  );
}

/** A type whose names are open, such as the paths of `file:`. */
function dynamic(type: string, variable: Variable, insert: (value: string) => void): HTMLElement {
  const attributes = {
    placeholder: variable.name.replace(/[<>]/g, "") || "path",
    title: variable.description,
    "aria-label": `${type}: ${variable.description}`,
  };
  const { field, list } =
    type === "file"
      ? pathField(attributes, offers.files, insert)
      : { field: h("input", { ...attributes, class: "path", autocomplete: "off", spellcheck: "false" }), list: null };
  const done = () => {
    const value = field.value.trim();
    if (value === "") return;
    field.value = "";
    insert(value);
  };
  if (!list) field.addEventListener("keydown", (event) => event.key === "Enter" && (event.preventDefault(), done()));
  return h(
    "span",
    { class: "dynamic" },
    field,
    list,
    button("Insert", done, { class: "small", "aria-label": `Insert ${type}` }),
  );
}

/** Conditions go around what is selected, and leave the name to be written. */
function conditions(editor: Editor): HTMLElement {
  const jinja = draft.dialect.value === "jinja";
  const [begin, name, rest, otherwise, end] = jinja
    ? ["{% if ", "name", " is defined %}\n", "\n{% else %}\n", "\n{% endif %}"]
    : ["[if ", "type:name", "]\n", "\n[else]\n", "\n[endif]"];
  const around = (after: string) => editor.surround(begin + name + rest, after, begin.length, name.length);
  const [short, long] = jinja
    ? ["{% if %}…{% endif %}", "{% if %}…{% else %}…{% endif %}"]
    : ["[if]…[endif]", "[if]…[else]…[endif]"];
  return h(
    "div",
    { class: "group", role: "group", "aria-label": "conditions" },
    h("span", { class: "type" }, "if"),
    h(
      "div",
      { class: "members" },
      button(short, () => around(end), { class: "tag", title: "what is selected, only if there is such a fact" }),
      button(long, () => around(otherwise + end), {
        class: "tag",
        title: "what is selected if there is such a fact, else something else",
      }),
    ),
  );
}
