// What stands below the preview: tokens by section, what was not loaded, findings, and what saving would change.

import type { Difference, Drift, Finding, Preview, Section, TokenCounts, ToolSizes } from "../api/documents.ts";
import { button, type Child, h } from "../dom.ts";
import { count, estimate, number } from "../words.ts";
import { address } from "./origin.ts";

const empty = (text: string) => h("p", { class: "empty" }, text);

/** Something in sections whose tokens were counted. */
export interface Counted {
  sections: Section[];
  token_counts?: TokenCounts;
  left_out?: Preview["left_out"];
}

/** A bar for each section. */
export function sections(of: Counted, go: (byte: number) => void): HTMLElement {
  const { token_counts: counts, left_out = [] } = of;
  const most = Math.max(1, ...of.sections.map((section) => section.tokens ?? section.bytes));
  const rows = of.sections.map((section) => {
    const share = (section.tokens ?? section.bytes) / most;
    return h(
      "tr",
      {},
      h(
        "th",
        { scope: "row" },
        h("span", { class: `dot ${section.stability}` }),
        button(section.id, () => go(section.start), { class: "link" }),
      ),
      h("td", { class: "quiet" }, section.stability),
      h(
        "td",
        { class: "bar-cell" },
        h("span", { class: `bar ${section.stability}`, style: { width: `${(share * 100).toFixed(1)}%` } }),
      ),
      h("td", { class: "figure" }, section.tokens === undefined ? "" : number(section.tokens)),
      h("td", { class: "figure quiet" }, number(section.bytes)),
    );
  });
  const basis =
    counts &&
    (counts.exact
      ? `${count(counts.total.count, "token")} in all, counted in ${counts.encoding}${counts.model ? ` for ${counts.model}` : ""}.`
      : `Tokens are estimated for ${counts.model ?? "the model"}: ${estimate(counts.total)} in all.`);
  return h(
    "div",
    {},
    h(
      "table",
      { class: "table" },
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          h("th", { scope: "col" }, "Section"),
          h("th", { scope: "col" }, "Stability"),
          h("th", { scope: "col" }, h("span", { class: "sr" }, "Share")),
          h("th", { scope: "col", class: "figure" }, "Tokens"),
          h("th", { scope: "col", class: "figure" }, "Bytes"),
        ),
      ),
      h("tbody", {}, ...rows),
    ),
    basis && h("p", { class: "note" }, basis),
    left_out.length > 0 &&
      h(
        "div",
        {},
        h("h3", {}, "Sections left out"),
        h("ul", { class: "plain" }, ...left_out.map((left) => h("li", {}, h("code", {}, left.id), ` ${left.why}`))),
      ),
  );
}

/** How many tools are listed at first. */
const LISTED = 10;

/** What each tool takes, the largest first. */
export function toolSizes(tools: ToolSizes): HTMLElement {
  const size = (tool: ToolSizes["list"][number]) => tool.tokens ?? tool.bytes;
  const largest = [...tools.list].sort((one, other) => size(other) - size(one));
  const most = Math.max(1, ...largest.map(size));
  const row = (tool: ToolSizes["list"][number]) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, h("span", { class: "dot tools" }), h("code", {}, tool.name)),
      h("td", { class: "quiet" }, tool.origin.name ?? tool.origin.kind),
      h(
        "td",
        { class: "bar-cell" },
        h("span", { class: "bar tools", style: { width: `${((size(tool) / most) * 100).toFixed(1)}%` } }),
      ),
      h("td", { class: "figure" }, tool.tokens === undefined ? "" : number(tool.tokens)),
      h("td", { class: "figure quiet" }, number(tool.bytes)),
      h("td", { class: "figure quiet" }, `${(tool.share / 10).toFixed(1)} %`),
    );
  const body = h("tbody", {}, ...largest.slice(0, LISTED).map(row));
  const more = largest.slice(LISTED);
  const all = button(`and ${number(more.length)} more`, () => {
    body.append(...more.map(row));
    all.remove();
  });
  const basis = `${count(tools.list.length, "tool")}, ${tools.tokens === undefined ? "" : `${count(tools.tokens, "token")}, `}${count(tools.bytes, "byte")} as ${tools.target} has them. Tools come first in a request: another tool bills all of it again.`;
  return h(
    "div",
    { class: "tool-sizes" },
    h("h3", {}, "Tools"),
    h(
      "table",
      { class: "table" },
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          h("th", { scope: "col" }, "Tool"),
          h("th", { scope: "col" }, "From"),
          h("th", { scope: "col" }, h("span", { class: "sr" }, "Size")),
          h("th", { scope: "col", class: "figure" }, "Tokens"),
          h("th", { scope: "col", class: "figure" }, "Bytes"),
          h("th", { scope: "col", class: "figure" }, "Share"),
        ),
      ),
      body,
    ),
    more.length > 0 && all,
    h("p", { class: "note" }, basis),
  );
}

/** Whether somebody wants to know that this is not there. Most of what a layout may use simply is not around. */
function isNews({ origin, reason }: Preview["not_loaded"][number]): boolean {
  return reason !== "absent" || origin.name.startsWith("file:");
}

/** How many things are missing that somebody wants to know of. */
export function missed(preview: Preview): number {
  return preview.gaps.length + preview.not_loaded.filter(isNews).length;
}

/** What is not in the prompt, and why; then what is. */
export function loaded(preview: Preview): HTMLElement {
  const line = ({ origin, reason, detail }: Preview["not_loaded"][number]) =>
    entry(address(origin), reason, detail && h("p", { class: "quiet" }, detail));
  const gaps = preview.gaps.map(({ section, fact, reason, detail }) =>
    entry(fact, `gap in ${section}: ${reason}`, h("p", { class: "quiet" }, detail)),
  );
  const news = [...gaps, ...preview.not_loaded.filter(isNews).map(line)];
  const absent = preview.not_loaded.filter((one) => !isNews(one)).map(line);
  const there = preview.loaded.map(({ origin, bytes }) =>
    entry(origin.path ?? origin.name, [origin.path && origin.name, count(bytes, "byte")].filter(Boolean).join(", ")),
  );
  return h(
    "div",
    {},
    news.length === 0
      ? empty(
          "Everything that the template asks for was there. A file that is missing, unreadable or too large would be listed here with the reason.",
        )
      : list(news),
    h("h3", {}, "Loaded"),
    there.length === 0
      ? empty("Nothing: the template names no file and no variable. Insert one with the buttons below the editor.")
      : list(there),
    absent.length > 0 && h("h3", {}, "Asked for, and there is none"),
    absent.length > 0 && list(absent),
  );
}

function entry(what: string, word: string, more?: Child): HTMLElement {
  return h("li", {}, h("code", {}, what), h("span", { class: "tagline" }, word), more);
}

function list(entries: HTMLElement[]): HTMLElement {
  return h("ul", { class: "entries" }, ...entries);
}

/** Findings as `antefix check` has them. */
export function findings(all: Finding[], go: (line: number) => void): HTMLElement {
  if (all.length === 0) return empty("Nothing is wrong with this prompt. What `antefix check` finds stands here.");
  return h(
    "ul",
    { class: "entries findings" },
    ...all.map((finding) => {
      const { origin } = finding;
      const line = origin?.line;
      const place =
        origin &&
        (origin.kind === "template" && origin.path === undefined && line !== undefined
          ? button(`line ${line}`, () => go(line), { class: "link" })
          : h("code", {}, address(origin)));
      return h(
        "li",
        { class: finding.level },
        h("span", { class: `level ${finding.level}` }, finding.level),
        " ",
        h("span", { class: "message" }, finding.message),
        " ",
        place,
        finding.hint && h("p", { class: "hint" }, finding.hint),
        h("span", { class: "tagline" }, finding.code),
      );
    }),
  );
}

/** What saving would change for a conversation. */
export function change(drift: Drift | undefined, name: string): HTMLElement {
  if (!drift) {
    return empty(
      name === ""
        ? "Choose a conversation under Compare with: here stands then where its prompt would part from this draft, and what that costs."
        : "Nothing is known of this conversation yet.",
    );
  }
  const { epoch, difference, changes } = drift;
  const standing = `Epoch ${epoch.number} of ${drift.conversation}`;
  if (!difference)
    return h(
      "div",
      {},
      h(
        "p",
        { class: "verdict same" },
        `${standing} would stay as it is, byte for byte. Saving costs this conversation nothing.`,
      ),
      changed(changes),
    );
  return h(
    "div",
    {},
    h(
      "p",
      { class: "verdict" },
      `${standing} keeps its bytes until it is renewed or compacted. Then it would differ from byte ${number(difference.at)} on.`,
    ),
    parting(difference),
    changed(changes),
  );
}

/** Where two prefixes part, and what that costs. */
export function parting(difference: Difference): HTMLElement {
  const rows: [string, Child][] = [
    ["First difference", `byte ${number(difference.at)}`],
    [
      "Kept",
      `${count(difference.kept_bytes, "byte")}${difference.kept_tokens ? `, ${estimate(difference.kept_tokens)} tokens` : ""}`,
    ],
    [
      "Lost",
      `${count(difference.lost_bytes, "byte")}${difference.lost_tokens ? `, ${estimate(difference.lost_tokens)} tokens` : ""}`,
    ],
  ];
  if (difference.tools_changed) rows.push(["Tools", "changed as well: they stand before everything"]);
  if (difference.cost !== undefined)
    rows.push(["Cost", `${difference.cost} more than reading them from the cache, once`]);
  if (difference.basis !== undefined) rows.push(["Figures", difference.basis]);
  for (const [name, side] of [
    ["Before", difference.before],
    ["After", difference.after],
  ] as const) {
    if (!side) continue;
    const where = side.origin
      ? address({ ...side.origin, ...(side.line === undefined ? {} : { line: side.line }) })
      : "";
    rows.push([
      name,
      h(
        "span",
        {},
        side.excerpt.trim() === "" ? "white space" : h("code", { class: "excerpt" }, side.excerpt),
        h("span", { class: "tagline" }, `${side.section}${where && `, ${where}`}`),
      ),
    ]);
  }
  return h("dl", { class: "facts" }, ...rows.flatMap(([term, value]) => [h("dt", {}, term), h("dd", {}, value)]));
}

export function changed(changes: Drift["changes"]): HTMLElement | null {
  if (changes.length === 0) return null;
  return h(
    "div",
    {},
    h("h3", {}, "What moved since"),
    h(
      "ul",
      { class: "entries" },
      ...changes.map(({ kind, section, origin, detail }) =>
        h(
          "li",
          {},
          h("code", {}, origin),
          h("span", { class: "tagline" }, section ? `${kind} in ${section}` : kind),
          detail && h("p", { class: "quiet" }, detail),
        ),
      ),
    ),
  );
}
