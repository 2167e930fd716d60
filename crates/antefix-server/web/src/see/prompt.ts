// A prompt as text, every byte of which can be asked where it comes from.

import { defaultKeymap } from "@codemirror/commands";
import { searchKeymap } from "@codemirror/search";
import { EditorState, RangeSet, RangeSetBuilder, StateEffect, StateField, type Text } from "@codemirror/state";
import {
  Decoration,
  type DecorationSet,
  drawSelection,
  EditorView,
  gutter,
  GutterMarker,
  highlightSpecialChars,
  hoverTooltip,
  keymap,
  WidgetType,
} from "@codemirror/view";
import type { Section, Span, Stability } from "../api/documents.ts";
import { positions } from "../bytes.ts";
import { mount, text as lines } from "../code/mount.ts";
import { h } from "../dom.ts";
import { line } from "./origin.ts";

/** A position worth showing between two bytes. */
export interface Mark {
  at: number;
  kind: "boundary" | "breakpoint" | "difference" | "minimum";
  /** A few letters for where there is little room. */
  short?: string;
  label: string;
}

/** A text with all that is known of it. Offsets are bytes. */
export interface Told {
  text: string;
  spans: Span[];
  sections: Section[];
  marks: Mark[];
}

interface Placed {
  spans: { from: number; to: number; span: Span }[];
  decorations: DecorationSet;
  stripes: RangeSet<GutterMarker>;
}

export interface PromptView {
  host: HTMLElement;
  show(told: Told): void;
  /** Scrolls to a byte. */
  go(byte: number): void;
  /** Says which bytes are in sight, as shares of the whole. */
  onscroll: (from: number, to: number) => void;
  /** Says which span the caret is in, and how many lines below its beginning. */
  onchoose: (span: Span, below: number) => void;
}

class Position extends WidgetType {
  readonly mark: Mark;
  constructor(mark: Mark) {
    super();
    this.mark = mark;
  }
  override eq(other: Position): boolean {
    return other.mark.kind === this.mark.kind && other.mark.label === this.mark.label;
  }
  override toDOM(): HTMLElement {
    return h("span", { class: `position position-${this.mark.kind}` }, this.mark.label);
  }
}

class Stripe extends GutterMarker {
  override readonly elementClass: string;
  constructor(stability: Stability) {
    super();
    this.elementClass = `stability-${stability}`;
  }
  override eq(other: Stripe): boolean {
    return other.elementClass === this.elementClass;
  }
}

const STRIPES = { fixed: new Stripe("fixed"), frozen: new Stripe("frozen"), live: new Stripe("live") };

const place = StateEffect.define<Placed>();
const choose = StateEffect.define<number | null>();

const placed = StateField.define<Placed>({
  create: () => ({ spans: [], decorations: Decoration.none, stripes: RangeSet.empty }),
  update(value, transaction) {
    for (const effect of transaction.effects) if (effect.is(place)) return effect.value;
    return value;
  },
  provide: (field) => EditorView.decorations.from(field, (value) => value.decorations),
});

const chosenMark = Decoration.mark({ class: "span-chosen" });
const chosen = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(value, transaction) {
    for (const effect of transaction.effects) {
      if (!effect.is(choose)) continue;
      const span = effect.value === null ? undefined : transaction.state.field(placed).spans[effect.value];
      return span && span.to > span.from ? Decoration.set(chosenMark.range(span.from, span.to)) : Decoration.none;
    }
    return transaction.docChanged ? Decoration.none : value;
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** The number of the span at a position. */
function at(spans: Placed["spans"], position: number): number | null {
  let low = 0;
  let high = spans.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const span = spans[middle];
    if (!span) return null;
    if (position < span.from) high = middle - 1;
    else if (position >= span.to) low = middle + 1;
    else return middle;
  }
  return null;
}

/** How many lines there are between two positions. */
function below(doc: Text, from: number, to: number): number {
  return doc.lineAt(to).number - doc.lineAt(from).number;
}

const tooltip = hoverTooltip(
  (view, position) => {
    const { spans } = view.state.field(placed);
    const found = at(spans, position);
    const span = found === null ? undefined : spans[found];
    if (!span) return null;
    return {
      pos: span.from > position ? position : Math.max(span.from, view.viewport.from),
      above: true,
      create: () => ({
        dom: h("div", { class: "cm-diagnostic" }, line(span.span, below(view.state.doc, span.from, position))),
      }),
    };
  },
  { hoverTime: 200 },
);

export function promptView(label: string): PromptView {
  let told: Told = { text: "", spans: [], sections: [], marks: [] };
  const { host, view } = mount(
    "",
    [
      placed,
      chosen,
      tooltip,
      gutter({ class: "stability", markers: (view) => view.state.field(placed).stripes }),
      highlightSpecialChars(),
      drawSelection(),
      EditorView.lineWrapping,
      EditorState.readOnly.of(true),
      EditorView.contentAttributes.of({ "aria-readonly": "true", inputmode: "none", spellcheck: "false", dir: "auto" }),
      keymap.of([...defaultKeymap, ...searchKeymap]),
      EditorView.updateListener.of((update) => {
        if (update.viewportChanged || update.docChanged || update.geometryChanged) sight();
        // Who is led somewhere did not ask where the text there comes from.
        if (!update.selectionSet || !update.transactions.some((transaction) => transaction.isUserEvent("select")))
          return;
        const { spans } = update.state.field(placed);
        const found = at(spans, update.state.selection.main.head);
        const span = found === null ? undefined : spans[found];
        if (!span) return;
        // A view must not change while it tells of a change.
        queueMicrotask(() => view.dispatch({ effects: choose.of(found) }));
        self.onchoose(span.span, below(update.state.doc, span.from, update.state.selection.main.head));
      }),
    ],
    label,
  );
  view.scrollDOM.addEventListener("scroll", () => sight(), { passive: true });

  function sight(): void {
    const { scrollTop, clientHeight } = view.scrollDOM;
    const whole = Math.max(1, view.state.doc.length);
    const top = view.lineBlockAtHeight(scrollTop);
    const bottom = view.lineBlockAtHeight(scrollTop + clientHeight);
    const inside = (block: typeof top, y: number) =>
      block.from + (block.length * Math.min(1, Math.max(0, y - block.top))) / Math.max(1, block.height);
    self.onscroll(inside(top, scrollTop) / whole, Math.min(1, (bottom.to + 1) / whole));
  }

  const self: PromptView = {
    host,
    onscroll: () => {},
    onchoose: () => {},
    show(next) {
      const before = told.text;
      told = next;
      const change = edit(before, next.text);
      view.dispatch({
        ...(change ? { changes: { from: change.from, to: change.to, insert: lines(change.insert) } } : {}),
        effects: [place.of(arrange(next)), choose.of(null)],
      });
    },
    go(byte) {
      const position = Math.min(view.state.doc.length, positions(told.text, [byte])[0] ?? 0);
      view.dispatch({
        selection: { anchor: position },
        effects: EditorView.scrollIntoView(position, { y: "start", yMargin: 24 }),
      });
    },
  };
  return self;
}

/** The one replacement between two texts, so that what stays also stays where it is. */
function edit(before: string, after: string): { from: number; to: number; insert: string } | null {
  if (before === after) return null;
  let from = 0;
  const shorter = Math.min(before.length, after.length);
  while (from < shorter && before.charCodeAt(from) === after.charCodeAt(from)) from++;
  let end = 0;
  while (
    end < shorter - from &&
    before.charCodeAt(before.length - 1 - end) === after.charCodeAt(after.length - 1 - end)
  )
    end++;
  return { from, to: before.length - end, insert: after.slice(from, after.length - end) };
}

function arrange({ text, spans, sections, marks }: Told): Placed {
  const starts = positions(
    text,
    spans.map((span) => span.start),
  );
  const ends = [...starts.slice(1), spans.length > 0 ? text.length : 0];
  const table = spans.map((span, number) => ({ from: starts[number] ?? 0, to: ends[number] ?? 0, span }));
  const sorted = [...marks].sort((a, b) => a.at - b.at);
  const places = positions(
    text,
    sorted.map((mark) => mark.at),
  );
  const ranges = table
    .filter(({ span, from, to }) => span.origin.kind !== "template" && to > from)
    .map(({ span, from, to }) => Decoration.mark({ class: `span-${span.origin.kind}` }).range(from, to));
  const widgets = sorted.map((mark, number) =>
    Decoration.widget({ widget: new Position(mark), side: -1 }).range(places[number] ?? 0),
  );
  return { spans: table, decorations: Decoration.set([...ranges, ...widgets], true), stripes: stripes(text, sections) };
}

/** A mark for each line, by the section that it begins in. */
function stripes(text: string, sections: Section[]): RangeSet<GutterMarker> {
  const builder = new RangeSetBuilder<GutterMarker>();
  const ends = positions(
    text,
    sections.map((section) => section.end),
  );
  let number = 0;
  for (let from = 0; from <= text.length;) {
    while (number < sections.length - 1 && from >= (ends[number] ?? 0)) number++;
    const section = sections[number];
    if (section) builder.add(from, from, STRIPES[section.stability]);
    const next = text.indexOf("\n", from);
    if (next < 0) break;
    from = next + 1;
  }
  return builder.finish();
}
