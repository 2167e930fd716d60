// How editors look: the page's own colors, which change with its theme.

import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import type { Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

const theme = EditorView.theme({
  "&": { height: "100%", backgroundColor: "var(--paper)", color: "var(--ink)", fontSize: "13px" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.6", overflow: "auto" },
  ".cm-content": { padding: "12px 0", caretColor: "var(--accent)" },
  ".cm-line": { padding: "0 16px 0 12px" },
  ".cm-cursor, .cm-dropCursor": { borderLeftColor: "var(--accent)", borderLeftWidth: "2px" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground, .cm-content ::selection":
    {
      backgroundColor: "var(--selection)",
    },
  ".cm-activeLine": { backgroundColor: "var(--active-line)" },
  ".cm-gutters": { backgroundColor: "var(--paper)", color: "var(--ink-3)", border: "none" },
  ".cm-activeLineGutter": { backgroundColor: "transparent", color: "var(--ink)" },
  ".cm-lineNumbers .cm-gutterElement": { padding: "0 4px 0 12px", minWidth: "32px" },
  ".cm-matchingBracket, .cm-nonmatchingBracket": { backgroundColor: "var(--match)", outline: "none" },
  ".cm-specialChar": { color: "var(--bad)", backgroundColor: "var(--bad-wash)", borderRadius: "2px" },
  ".cm-tooltip": {
    backgroundColor: "var(--raised)",
    color: "var(--ink)",
    border: "1px solid var(--line)",
    borderRadius: "6px",
    boxShadow: "var(--shadow)",
    fontFamily: "var(--sans)",
    fontSize: "13px",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { fontFamily: "var(--mono)", fontSize: "12px", maxHeight: "16em" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": { padding: "4px 10px", lineHeight: "1.4" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { backgroundColor: "var(--accent)", color: "var(--on-accent)" },
  ".cm-completionDetail": { fontStyle: "normal", opacity: "0.75", marginLeft: "1em", fontFamily: "var(--sans)" },
  ".cm-completionMatchedText": { textDecoration: "none", fontWeight: "600" },
  ".cm-diagnostic": { padding: "6px 10px", borderLeftWidth: "3px", whiteSpace: "pre-wrap", maxWidth: "44em" },
  ".cm-diagnostic-error": { borderLeftColor: "var(--bad)" },
  ".cm-diagnostic-warning": { borderLeftColor: "var(--warn)" },
  ".cm-diagnostic-info": { borderLeftColor: "var(--accent)" },
  ".cm-lintRange-error": {
    backgroundImage: "none",
    textDecoration: "underline wavy var(--bad)",
    textUnderlineOffset: "3px",
  },
  ".cm-lintRange-warning": {
    backgroundImage: "none",
    textDecoration: "underline wavy var(--warn)",
    textUnderlineOffset: "3px",
  },
  ".cm-lintRange-info": {
    backgroundImage: "none",
    textDecoration: "underline dotted var(--accent)",
    textUnderlineOffset: "3px",
  },
  ".cm-lint-marker": { width: "8px", height: "8px", borderRadius: "50%", marginTop: "6px" },
  ".cm-lint-marker-error": { content: "none", backgroundColor: "var(--bad)" },
  ".cm-lint-marker-warning": { content: "none", backgroundColor: "var(--warn)" },
  ".cm-lint-marker-info": { content: "none", backgroundColor: "var(--accent)" },
  ".cm-gutter-lint": { width: "14px" },
  ".cm-panels": { backgroundColor: "var(--raised)", color: "var(--ink)", borderColor: "var(--line)" },
  ".cm-panel.cm-search": { fontFamily: "var(--sans)", fontSize: "13px", padding: "8px 12px" },
  ".cm-panel.cm-search input, .cm-panel.cm-search button": {
    fontSize: "13px",
    font: "inherit",
    color: "inherit",
    background: "var(--paper)",
    border: "1px solid var(--line-2)",
    borderRadius: "4px",
    backgroundImage: "none",
    padding: "2px 6px",
  },
  ".cm-searchMatch": { backgroundColor: "var(--match)" },
  ".cm-searchMatch-selected": { outline: "1px solid var(--accent)" },
  ".cm-placeholder": { color: "var(--ink-3)" },

  // Where text comes from.
  ".span-file": { backgroundColor: "var(--from-file)" },
  ".span-variable, .span-expression": { backgroundColor: "var(--from-variable)" },
  ".span-wording": { backgroundColor: "var(--from-wording)" },
  ".span-remote, .span-hook": { backgroundColor: "var(--from-remote)" },
  ".span-chosen, .span-chosen *": { backgroundColor: "var(--chosen)" },
  ".position": {
    display: "inline-block",
    fontFamily: "var(--sans)",
    fontSize: "11px",
    lineHeight: "16px",
    padding: "0 6px",
    margin: "0 2px",
    borderRadius: "3px",
    verticalAlign: "1px",
    backgroundColor: "var(--ink)",
    color: "var(--paper)",
    userSelect: "none",
  },
  ".position-breakpoint": { backgroundColor: "var(--accent)", color: "var(--on-accent)" },
  ".position-minimum": { backgroundColor: "var(--warn)", color: "var(--paper)" },
  ".position-difference": { backgroundColor: "var(--bad)", color: "var(--paper)" },
  ".cm-gutter.stability": { width: "4px" },
  ".stability-fixed": { backgroundColor: "var(--fixed)" },
  ".stability-frozen": { backgroundColor: "var(--frozen)" },
  ".stability-live": { backgroundColor: "var(--live)" },

  // Differences.
  "&.cm-merge-b .cm-changedLine, .cm-insertedLine": { backgroundColor: "var(--added)" },
  ".cm-deletedChunk, &.cm-merge-a .cm-changedLine": { backgroundColor: "var(--removed)" },
  "&.cm-merge-b .cm-changedText, .cm-changedText": { background: "var(--added-text)" },
  ".cm-deletedChunk .cm-deletedText, &.cm-merge-a .cm-changedText": { background: "var(--removed-text)" },
  ".cm-deletedChunk": { paddingLeft: "12px" },
  ".cm-deletedLine, .cm-deletedLine del, .cm-insertedLine, .cm-insertedLine ins": { textDecoration: "none" },
  ".cm-changedLineGutter": { backgroundColor: "var(--good)" },
  ".cm-deletedLineGutter": { backgroundColor: "var(--bad)" },
  // Its own ornament is a sign that few fonts have.
  ".cm-collapsedLines:before, .cm-collapsedLines:after": { content: "none" },
  ".cm-collapsedLines": {
    background: "var(--sunken)",
    color: "var(--ink-2)",
    fontFamily: "var(--sans)",
    fontSize: "12px",
    padding: "3px 12px",
  },
});

const highlighting = HighlightStyle.define([
  { tag: tags.bracket, color: "var(--code-tag)" },
  { tag: tags.variableName, color: "var(--code-name)" },
  { tag: tags.keyword, color: "var(--code-keyword)", fontWeight: "600" },
  { tag: tags.string, color: "var(--code-string)" },
  { tag: tags.comment, color: "var(--ink-3)", fontStyle: "italic" },
  { tag: tags.heading, fontWeight: "600" },
  { tag: tags.escape, color: "var(--code-keyword)" },
]);

export const look: Extension = [theme, syntaxHighlighting(highlighting)];
