// What is offered while a tag is written: `[` in the bracket dialect, `{{` and `{%` in jinja, `$` for references.

import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
  snippetCompletion,
} from "@codemirror/autocomplete";
import type { Extension } from "@codemirror/state";
import type { Dialect, Variable } from "../api/documents.ts";

const REFERENCES: Completion[] = [
  { label: "$workspace/", detail: "templates in .antefix/prompts of the project", type: "text" },
  { label: "$user/", detail: "templates in prompts of the user's configuration", type: "text" },
  { label: "$builtin/", detail: "templates that come with antefix", type: "text" },
];

export function completion(dialect: Dialect, variables: Variable[]): Extension {
  if (dialect === "plain") return [];
  const source = dialect === "bracket" ? inBracket(variables) : inJinja(variables);
  return autocompletion({ override: [source, reference], icons: false, activateOnTyping: true });
}

/** How a variable is spelled; `value` stands for the open part of a dynamic one. */
export function spelled(variable: Variable, dialect: Dialect, value = ""): string {
  const hole = /<[^>]*>/;
  return dialect === "jinja"
    ? `{{ ${variable.jinja.replace(hole, () => value)} }}`
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

function reference(context: CompletionContext): CompletionResult | null {
  const word = context.matchBefore(/\$\w*$/);
  return word ? { from: word.from, options: REFERENCES, validFor: /^\$\w*$/ } : null;
}
