// The dialects, for highlighting alone: what a tag means, the server says.

import { StreamLanguage, type StreamParser } from "@codemirror/language";
import type { Extension } from "@codemirror/state";
import type { Dialect } from "../api/documents.ts";

interface Bracket {
  inside: "text" | "tag" | "condition";
}

const bracket: StreamParser<Bracket> = {
  name: "bracket",
  startState: () => ({ inside: "text" }),
  copyState: (state) => ({ ...state }),
  token(stream, state) {
    if (state.inside === "text") {
      if (stream.sol() && stream.match(/^#{1,6} .*/, false)) return heading(stream);
      if (stream.match("\\[")) return "escape";
      if (stream.match(/^\[(else|endif)\s*\]/)) return "keyword";
      if (stream.match(/^\[\s*if\s+(not\s+)?(?=[a-z_]+:[^\]\n]*\])/)) {
        state.inside = "condition";
        return "keyword";
      }
      if (stream.match(/^\[(?=\s*[a-z_]+:[^\]\n]*\])/)) {
        state.inside = "tag";
        return "bracket";
      }
      stream.next();
      stream.match(/^[^\\[#]+/);
      return null;
    }
    if (stream.match("]")) {
      const was = state.inside;
      state.inside = "text";
      return was === "condition" ? "keyword" : "bracket";
    }
    stream.match(/^[^\]]+/);
    return "variableName";
  },
};

interface Jinja {
  until: "" | "}}" | "%}" | "#}";
}

const jinja: StreamParser<Jinja> = {
  name: "jinja",
  startState: () => ({ until: "" }),
  copyState: (state) => ({ ...state }),
  token(stream, state) {
    if (state.until === "") {
      if (stream.sol() && stream.match(/^#{1,6} .*/, false)) return heading(stream);
      for (const [open, close] of [
        ["{{", "}}"],
        ["{%", "%}"],
        ["{#", "#}"],
      ] as const) {
        if (stream.match(open)) {
          stream.match("-");
          state.until = close;
          return close === "#}" ? "comment" : "bracket";
        }
      }
      stream.next();
      stream.match(/^[^{#]+/);
      return null;
    }
    if (state.until === "#}") {
      if (stream.match("#}")) state.until = "";
      else if (!stream.skipTo("#}")) stream.skipToEnd();
      return "comment";
    }
    if (stream.match("-" + state.until) || stream.match(state.until)) {
      state.until = "";
      return "bracket";
    }
    if (stream.match(/^"([^"\\]|\\.)*"?/) || stream.match(/^'([^'\\]|\\.)*'?/)) return "string";
    if (stream.match(/^(if|elif|else|endif|for|in|endfor|include|set|is|not|and|or|defined|with|endwith|raw|endraw)\b/))
      return "keyword";
    if (stream.match(/^[\w.]+/)) return "variableName";
    stream.next();
    return null;
  },
};

/** A heading is bold up to the first tag in it. */
function heading(stream: { match(pattern: RegExp): unknown; next(): unknown }): string {
  if (!stream.match(/^#[^[\\{]*/)) stream.next();
  return "heading";
}

/** Colors for a dialect. */
export function highlight(dialect: Dialect): Extension {
  switch (dialect) {
    case "bracket":
      return StreamLanguage.define(bracket);
    case "jinja":
      return StreamLanguage.define(jinja);
    case "plain":
      return [];
  }
}
