// The draft as it would be: asked for shortly after the last key, and only the last answer counts.

import { api, Problem } from "../api/client.ts";
import type { Finding, Preview } from "../api/documents.ts";
import { fill, h } from "../dom.ts";
import { tabs } from "../shell/tabs.ts";
import { told } from "../shell/problem.ts";
import { count, estimate, number } from "../words.ts";
import * as draft from "../write/draft.ts";
import { situation } from "../write/situation.ts";
import { details } from "./origin.ts";
import { change, findings, loaded, missed, sections, toolSizes } from "./panels.ts";
import { type Mark, promptView } from "./prompt.ts";
import { ruler } from "./ruler.ts";

/** How long the keys must rest. */
const REST = 150;

export interface Seen {
  element: HTMLElement;
  panels: HTMLElement;
}

/** The preview. `mark` gets what is wrong, `go` shows a line of the template. */
export function preview(mark: (findings: Finding[]) => void, go: (line: number) => void): Seen {
  const view = promptView("Preview of the prompt");
  const scale = ruler(
    (byte) => view.go(byte),
    () => below.select("sections"),
  );
  view.onscroll = scale.sight;
  const total = h("span", { class: "total" });
  const state = h("span", { class: "state", role: "status" });
  const failed = h("div", { class: "failed" });
  const short = h("p", { class: "too-short", role: "status" });
  const origin = h(
    "div",
    {},
    h(
      "p",
      { class: "empty" },
      "Click any text of the preview, or move the caret through it with the arrow keys: here stands which file, line, variable or wording it comes from.",
    ),
  );
  const [figures, missing, problems, saving] = [h("div"), h("div"), h("div"), h("div")];
  const below = tabs("About the prompt", [
    { id: "origin", label: "Origin", panel: origin },
    { id: "sections", label: "Tokens", panel: figures },
    { id: "loaded", label: "Not loaded", panel: missing },
    { id: "problems", label: "Problems", panel: problems },
    { id: "change", label: "If saved", panel: saving },
  ]);
  fill(saving, change(undefined, ""));
  let shown: Preview | undefined;
  let timer = 0;
  let asking: AbortController | undefined;

  view.onchoose = (span, lines) => {
    const section = shown?.sections.find((section) => section.id === span.section);
    fill(origin, details(span, lines, section, go));
    below.select("origin");
  };

  function ask(): void {
    asking?.abort();
    asking = new AbortController();
    const mine = asking;
    const { cwd, model, conversation } = situation.value;
    const body = {
      template: draft.text.value,
      dialect: draft.dialect.value,
      ...(cwd && { cwd }),
      ...(model && { model }),
      ...(conversation && { conversation }),
    };
    const begun = performance.now();
    api.preview(body, mine.signal).then(
      (answer) => {
        if (asking !== mine) return;
        show(answer);
        element.dataset["took"] = String(Math.round(performance.now() - begun));
        state.textContent = "";
      },
      (error: unknown) => {
        if (asking !== mine || (error instanceof DOMException && error.name === "AbortError")) return;
        const found = error instanceof Problem ? error.diagnostics : [];
        fill(failed, told(error));
        element.classList.add("stale");
        state.textContent = "not composed";
        mark(found);
        fill(problems, findings(found, go));
        below.badge("problems", found.length);
      },
    );
  }

  function show(answer: Preview): void {
    shown = answer;
    element.classList.remove("stale");
    fill(failed);
    const text = answer.prefix.text + answer.suffix.text;
    const bytes = answer.prefix.bytes + answer.suffix.bytes;
    const marks = markings(answer);
    view.show({ text, spans: answer.spans, sections: answer.sections, marks });
    scale.show(answer.sections, bytes, marks, answer.tools);
    const tokens = answer.token_counts ? `${estimate(answer.token_counts.total)} tokens, ` : "";
    short.textContent = tooShort(answer);
    const tools = answer.tools ? `, and ${count(answer.tools.list.length, "tool")}` : "";
    total.textContent = (bytes === 0 ? "no system prompt" : `${tokens}${count(bytes, "byte")}`) + tools;
    mark(answer.diagnostics);
    fill(
      figures,
      sections(answer, (byte) => view.go(byte)),
      answer.tools && toolSizes(answer.tools),
    );
    fill(missing, loaded(answer));
    fill(problems, findings(answer.diagnostics, go));
    fill(saving, change(answer.change, situation.value.conversation));
    below.badge("loaded", missed(answer));
    below.badge("problems", answer.diagnostics.filter((finding) => finding.level !== "note").length);
  }

  const later = () => {
    window.clearTimeout(timer);
    timer = window.setTimeout(ask, REST);
  };
  draft.text.watch(later);
  draft.dialect.watch(later);
  situation.watch(later);
  // A draft that was saved is the same text, and what it would change may be another thing now.
  draft.base.watch(later);

  const element = h(
    "section",
    { class: "preview", "aria-label": "Preview" },
    h("div", { class: "pane-bar" }, h("h2", {}, "Preview"), total, state, legend()),
    failed,
    short,
    h("div", { class: "preview-body" }, scale.element, view.host),
  );
  return { element, panels: below.element };
}

/** What the colors of the text mean. What has none is the template's own. */
function legend(): HTMLElement {
  const kinds = [
    ["file", "file"],
    ["variable", "variable"],
    ["wording", "wording"],
    ["remote", "outside"],
  ] as const;
  return h(
    "span",
    { class: "legend wide-only" },
    ...kinds.map(([kind, name]) => h("span", { class: `from-${kind}` }, name)),
  );
}

/** The boundary, breakpoints, the least that is cached, and where a conversation would part. */
function markings(answer: Preview): Mark[] {
  const marks: Mark[] = [];
  const { minimum } = answer;
  for (const { at, behind, lifetime } of answer.breakpoints ?? []) {
    const isShort = minimum && (minimum.at === undefined || at < minimum.at);
    const alone = isShort ? ", too short to be cached by itself" : "";
    marks.push({ at, kind: "breakpoint", label: `breakpoint behind ${behind}, ${lifetime}${alone}` });
  }
  if (minimum?.at !== undefined) {
    const label = `cache minimum: from here on the prefix is long enough, ${number(minimum.tokens)} tokens`;
    marks.push({ at: minimum.at, kind: "minimum", label, short: `cached from\n${number(minimum.tokens)} tokens` });
  }
  if (answer.suffix.bytes > 0)
    marks.push({ at: answer.prefix.bytes, kind: "boundary", label: "boundary: what follows is live" });
  const difference = answer.change?.difference;
  if (difference) {
    marks.push({
      at: difference.kept_bytes,
      kind: "difference",
      label: `differs from epoch ${answer.change?.epoch.number} from here`,
    });
  }
  return marks;
}

/** That a provider would cache nothing, or that nobody can tell whether it would. */
function tooShort({ minimum, token_counts: counts }: Preview): string {
  if (!minimum || !counts || minimum.reached === "yes") return "";
  const verdict =
    minimum.reached === "no" ? "Too short to be cached" : "Cannot tell whether this is long enough to be cached";
  const least = `${counts.model ?? "the model"} caches no prefix under ${count(minimum.tokens, "token")}`;
  return `${verdict}: ${least}, and this one has ${estimate(counts.prefix)}.`;
}
