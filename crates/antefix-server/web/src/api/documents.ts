// The server's documents, as /openapi.json describes them. Only what the page uses is named.

export type Dialect = "bracket" | "jinja" | "plain";
export type Stability = "fixed" | "frozen" | "live";

export interface About {
  version: string;
  store: string;
  reachable: boolean;
  layout: string;
  roots: string[];
  template_limit: number;
}

export interface Template {
  template: string;
  dialect: Dialect;
  digest: string;
  from: "saved" | "layout" | "unreachable";
  number?: number;
  saved_at?: string;
  author?: string;
  label?: string;
}

export interface Variable {
  type: string;
  name: string;
  description: string;
  dynamic?: boolean;
  jinja: string;
  changes: string;
}

export interface Origin {
  kind: string;
  name: string;
  path?: string;
  line?: number;
  column?: number;
}

export interface Finding {
  level: "error" | "warning" | "note";
  code: string;
  message: string;
  origin?: Origin;
  start?: number;
  end?: number;
  hint?: string;
}

export interface Section {
  id: string;
  stability: Stability;
  start: number;
  end: number;
  bytes: number;
  tokens?: number;
  digest: string;
}

export interface Span {
  start: number;
  end: number;
  /** A section's name in a preview, its place in the list in an epoch. */
  section: string | number;
  origin: Origin;
  transform?: string;
}

export interface Part {
  text: string;
  bytes: number;
  tokens?: number;
  digest: string;
}

export interface Count {
  count: number;
  low: number;
  high: number;
}

export interface TokenCounts {
  encoding: string;
  exact: boolean;
  model?: string;
  prefix: Count;
  suffix: Count;
  total: Count;
}

export interface Breakpoint {
  at: number;
  behind: string;
  lifetime: string;
}

/** Something that a section goes without. */
export interface Gap {
  section: string;
  fact: string;
  reason: string;
  detail: string;
}

/** The shortest prefix that the model's provider caches. */
export interface Minimum {
  tokens: number;
  /** Where the prefix comes to them. */
  at?: number;
  reached: "yes" | "perhaps" | "no";
}

/** A tool, and what it takes in a request. */
export interface ToolSize {
  name: string;
  origin: { kind: string; name?: string };
  bytes: number;
  tokens?: number;
  /** Of the request, in thousandths. */
  share: number;
}

/** The tools of a request, which come before all else in it. */
export interface ToolSizes {
  target: string;
  bytes: number;
  tokens?: number;
  list: ToolSize[];
}

export interface Preview {
  layout: string;
  tools?: ToolSizes;
  prefix: Part;
  suffix: Part;
  sections: Section[];
  left_out: { id: string; why: string }[];
  spans: Span[];
  loaded: { origin: Origin; bytes: number }[];
  not_loaded: { origin: Origin; reason: string; detail: string }[];
  gaps: Gap[];
  diagnostics: Finding[];
  token_counts?: TokenCounts;
  breakpoints?: Breakpoint[];
  minimum?: Minimum;
  change?: Drift;
}

export interface Change {
  kind: string;
  section?: string;
  origin: string;
  detail: string;
}

export interface Side {
  section: string;
  origin?: Origin;
  line?: number;
  excerpt: string;
}

export interface Difference {
  kind: string;
  at: number;
  tools_changed: boolean;
  before: Side | null;
  after: Side | null;
  kept_bytes: number;
  lost_bytes: number;
  kept_tokens?: Count;
  lost_tokens?: Count;
  basis?: string;
  cost?: string;
}

export interface Epoch {
  number: number;
  cause: string;
  digest: string;
  opened_at: string;
  degraded: boolean;
  bytes: number;
  model?: string;
  gaps?: Gap[];
}

export interface Drift {
  conversation: string;
  epoch: Epoch;
  changes: Change[];
  difference: Difference | null;
  diagnostics: Finding[];
}

export interface Row {
  conversation: string;
  number: number;
  cause: string;
  digest: string;
  opened_at: string;
  cwd: string;
  machine?: string;
  model?: string;
}

export interface Conversations {
  conversations: Row[];
  next?: string;
}

export interface ListedEpoch extends Row {
  bytes: number;
  degraded: boolean;
  amendments: number;
}

export interface Epochs {
  conversation: string;
  epochs: ListedEpoch[];
  next?: number;
}

export interface Amendment {
  number: number;
  section: string;
  kind: string;
  file?: string;
  at: string;
  text: string;
}

export interface Conversation {
  conversation: string;
  epoch: Epoch;
  cwd: string;
  machine?: string;
  amendments: Amendment[];
  waiting: { number: number; at: string; text: string }[];
}

export interface EpochDocument {
  conversation: string;
  epoch: Epoch;
  cwd: string;
  machine?: string;
  made_by: Record<string, string>;
  prefix: string;
  tools?: string;
  sections: Section[];
  spans: Span[];
  amendments: Amendment[];
  diagnostics: Finding[];
}

export interface EpochTokens {
  sections: { id: string; tokens?: number }[];
  token_counts?: TokenCounts;
}

export interface SavedRow {
  number: number;
  digest: string;
  dialect: Dialect;
  bytes: number;
  saved_at: string;
  author?: string;
  label?: string;
}

export interface History {
  templates: SavedRow[];
  next?: number;
}

export interface Saved extends SavedRow {
  template: string;
}

export interface Model {
  name: string;
  provider: string;
  minimum?: number;
  lifetimes: number[];
  exact: boolean;
}

export interface Directory {
  path: string;
  directories: string[];
  more: boolean;
}

/** What references of one prefix lead to. */
export interface TemplatePlace {
  prefix: string;
  directory?: string;
  templates: string[];
  more: boolean;
}

/** Ways in which a path goes on; those of directories end in a slash. */
export interface Paths {
  paths: string[];
  more: boolean;
}

export interface Renewal {
  began: boolean;
  epoch: Epoch;
  diagnostics: Finding[];
}

export interface Compaction {
  token: string;
  prompt: string;
  epoch: number;
  renews: boolean;
}
