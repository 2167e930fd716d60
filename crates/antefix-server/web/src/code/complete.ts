// What is offered while a tag is written: `[` in the bracket dialect, `{{` and `{%` in jinja, and there `$` for
// references.

import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
  snippetCompletion,
  startCompletion,
} from "@codemirror/autocomplete";
import type { Extension } from "@codemirror/state";
import type { EditorView } from "@codemirror/view";
import type { Dialect, Paths, TemplatePlace, Variable } from "../api/documents.ts";

/** Names that only the server knows. */
export interface Offers {
  templates(): Promise<TemplatePlace[]>;
  files(path: string): Promise<Paths>;
}

export function completion(dialect: Dialect, variables: Variable[], offers: Offers): Extension {
  if (dialect === "plain") return [];
  // Only jinja includes other templates: in the bracket dialect a dollar sign is one.
  const override =
    dialect === "bracket"
      ? [inBracket(variables), path(offers, /\[(?:if (?:not )?)?file:([^\]\n]*)$/, "]")]
      : [inJinja(variables), reference(offers), path(offers, /\bfile\(["']([^"'\n]*)$/, "")];
  return autocompletion({ override, icons: false, activateOnTyping: true });
}

/** How a variable is spelled; `value` stands for the open part of a dynamic one. */
export function spelled(variable: Variable, dialect: Dialect, value = ""): string {
  const hole = /<[^>]*>/;
  return dialect === "jinja"
    ? `{{ ${variable.jinja.replace(hole, () => value.replace(/["\\]/g, "\\$&"))} }}`
    : `[${variable.type}:${variable.dynamic ? value : variable.name}]`;
}

function inBracket(variables: Variable[]) {
  const tags: Completion[] = variables.map((variable) =>
    variable.dynamic
      ? snippetCompletion(`[${variable.type}:#{${variable.name.replace(/[<>]/g, "") || "path"}}]`, {
          label: `[${variable.type}:`,
          detail: variable.description,
          type: "variable",
        })
      : { label: `[${variable.type}:${variable.name}]`, detail: variable.description, type: "variable" },
  );
  tags.push(
    snippetCompletion("[if #{type:name}]\n#{}\n[endif]", {
      label: "[if",
      detail: "only if there is such a fact",
      type: "keyword",
    }),
    snippetCompletion("[if #{type:name}]\n#{}\n[else]\n#{}\n[endif]", {
      label: "[if … else",
      detail: "one or the other",
      type: "keyword",
    }),
    { label: "[else]", detail: "the other branch", type: "keyword" },
    { label: "[endif]", detail: "the end of a condition", type: "keyword" },
  );
  return (context: CompletionContext): CompletionResult | null => {
    const condition = context.matchBefore(/\[if (not )?[\w:]*$/);
    if (condition) {
      const word = context.matchBefore(/[\w:]*$/);
      return {
        from: word?.from ?? context.pos,
        options: variables.map(({ type, name, dynamic, description }) => ({
          label: dynamic ? `${type}:` : `${type}:${name}`,
          detail: description,
          type: "variable",
        })),
        validFor: /^[\w:]*$/,
      };
    }
    const tag = context.matchBefore(/\[[\w: ]*$/);
    return tag ? { from: tag.from, options: tags, validFor: /^\[[\w: ]*$/ } : null;
  };
}

function inJinja(variables: Variable[]) {
  const holes: Completion[] = variables.map((variable) =>
    variable.dynamic
      ? snippetCompletion(`{{ ${variable.jinja.replace(/<([^>]*)>/, "#{$1}")} }}`, {
          label: `{{ ${variable.jinja} }}`,
          detail: variable.description,
          type: "variable",
        })
      : { label: `{{ ${variable.jinja} }}`, detail: variable.description, type: "variable" },
  );
  const statements: Completion[] = [
    snippetCompletion("{% if #{name} is defined %}\n#{}\n{% endif %}", {
      label: "{% if",
      detail: "only if there is such a fact",
      type: "keyword",
    }),
    snippetCompletion("{% for #{item} in #{list} %}\n#{}\n{% endfor %}", {
      label: "{% for",
      detail: "once for each",
      type: "keyword",
    }),
    snippetCompletion('{% include "#{$workspace/name}" %}', {
      label: "{% include",
      detail: "another template",
      type: "keyword",
    }),
    { label: "{% else %}", detail: "the other branch", type: "keyword" },
    { label: "{% endif %}", detail: "the end of a condition", type: "keyword" },
  ];
  return (context: CompletionContext): CompletionResult | null => {
    const hole = context.matchBefore(/\{\{ ?[\w.]*$/);
    if (hole) return { from: hole.from, options: holes, validFor: /^\{\{ ?[\w.]*$/ };
    const statement = context.matchBefore(/\{% ?\w*$/);
    return statement ? { from: statement.from, options: statements, validFor: /^\{% ?\w*$/ } : null;
  };
}

/** References: in an include, and wherever one could stand. */
function reference(offers: Offers) {
  return async (context: CompletionContext): Promise<CompletionResult | null> => {
    const word = context.matchBefore(/\$[\w./-]*$/);
    if (!word) return null;
    const line = context.state.doc.lineAt(word.from);
    const before = line.text.slice(0, word.from - line.from);
    const isInside = /\{%-?\s*include\s+["']$/.test(before);
    // Inside of any other tag it is a text.
    if (!isInside && Math.max(before.lastIndexOf("{{"), before.lastIndexOf("{%")) > before.lastIndexOf("}"))
      return null;
    const places = await offers.templates().catch(() => []);
    const whole = (name: string) => (isInside ? name : `{% include "${name}" %}`);
    // What is nearest comes first, as the server has it.
    const options = places.flatMap(({ prefix, directory, templates, more }, index): Completion[] =>
      templates.length === 0
        ? [
            {
              label: `${prefix}/`,
              apply: whole(`${prefix}/`),
              detail: `none yet: ${directory ?? ""} has no .md file`,
              boost: -index,
            },
          ]
        : templates
            // Names that a string would have to spell otherwise are for whoever knows how.
            .filter((name) => !/["'\\]/.test(name))
            .map((name) => ({
              label: name,
              apply: whole(name),
              detail: [directory ?? "comes with antefix", more && "and more"].filter(Boolean).join(", "),
              type: "text",
              boost: -index,
            })),
    );
    return { from: word.from, options, validFor: /^\$[\w./-]*$/ };
  };
}

/** Paths of `file:`, one directory after the other. */
function path(offers: Offers, tag: RegExp, end: string) {
  return async (context: CompletionContext): Promise<CompletionResult | null> => {
    const typed = context.matchBefore(tag);
    const written = typed && (tag.exec(typed.text)?.[1] ?? "");
    if (typed === null || written === null) return null;
    const { paths } = await offers.files(written).catch(() => ({ paths: [] }));
    const options = paths
      .filter((one) => !/[\]"'\\]/.test(one))
      .map((one): Completion => ({
        label: one,
        type: "text",
        apply: (view, _, from, to) => take(view, one, from, to),
      }));
    return { from: context.pos - written.length, options, filter: false };
  };
  /** A directory goes on; behind a file the tag ends, unless it does already. */
  function take(view: EditorView, one: string, from: number, to: number): void {
    const isWhole = !one.endsWith("/");
    const insert = isWhole && view.state.sliceDoc(to, to + end.length) !== end ? one + end : one;
    const anchor = from + one.length + (isWhole ? end.length : 0);
    view.dispatch({ changes: { from, to, insert }, selection: { anchor }, userEvent: "input.complete" });
    if (!isWhole) startCompletion(view);
  }
}
