/**
 * What the server is sent and what it answers.
 *
 * `cargo xtask docs` prints this file from docs/openapi.json: the types have the names and the keys that they have there. A key
 * with a question mark may be missing; one that may be null may be missing as well.
 */

/** How something is known. */
export type How = "doc" | "code" | "run";

/** The shape of a provider's request. */
export type TargetName = "plain" | "anthropic" | "openai-chat" | "openai-responses" | "gemini" | "bedrock" | "ollama" | "acp";

/** How a compaction ended. */
export type OutcomeName = "succeeded" | "failed";

/** Why an epoch begins, if somebody says so. */
export type CauseName = "requested" | "reloaded" | "tools-changed" | "resources-changed" | "moved";

/** Which facts of a standing epoch are asked for again. */
export type WatchName = "all" | "acting";

/** How a template spells its holes. */
export type DialectName = "bracket" | "jinja" | "plain";

/** Where a template comes from. */
export type FromName = "saved" | "layout" | "unreachable";

/** Whether a prefix is long enough for a provider's cache. */
export type ReachedName = "yes" | "perhaps" | "no";

/** What an agent makes of a file. */
export interface FileDocument {
  /** How many bytes of it the agent is given. */
  bytes: number;
  detail?: string | null;
  path: string;
  /**
   * `loaded`, `cut`, `imported`, `linked`, `waits`, `shadowed`, `duplicate`, `dropped`, `empty`, `unusable` or
   * `ignored`.
   */
  state: string;
}

/** One agent, and what it makes of the files here. */
export interface AgentDocument {
  /** How many bytes of instruction files and rules the agent is given from the start. */
  bytes: number;
  /** The day on which it was. */
  checked: string;
  /** Where the data is, if it is the user's own. */
  file?: string | null;
  /** Every file that was considered, those that are given first, in their order. */
  files: FileDocument[];
  /** How each group of fields is known: `run`, `code` or `doc`. */
  known: Record<string, unknown>;
  name: string;
  notes?: string[];
  /** How many bytes the agent's own words have, where that was measured. */
  own_bytes?: number | null;
  /** Where files go in the request. */
  place: string;
  /** When they are read again. */
  read_again: string;
  /** Skills. */
  skills: FileDocument[];
  title: string;
  /** How many tokens these have, in o200k_base; none where tokens are not counted. */
  tokens?: number | null;
  trust?: string | null;
  /** The version that the data was checked for. */
  version: string;
}

/** An origin: of a span, of something loaded, of a finding. */
export interface OriginOf {
  column?: number | null;
  kind: string;
  line?: number | null;
  name: string;
  path?: string | null;
}

/** The rule of a provider's that a request breaks, and where. */
export interface RefusedOf {
  /** The place in the request, as a JSON pointer; empty for all of it. */
  pointer: string;
  rule: string;
  /** The page or the report that says that this is refused. */
  source: string;
}

/** A diagnostic. `start` and `end` are bytes of the source that `origin` names. */
export interface Finding {
  code: string;
  end?: number | null;
  hint?: string | null;
  level: string;
  message: string;
  origin?: OriginOf | null;
  refused?: RefusedOf | null;
  start?: number | null;
}

/** What any of several agents is given, each file once. */
export interface TogetherDocument {
  /** How many bytes they have. */
  bytes: number;
  /** How many files. */
  files: number;
  /** How many tokens, in o200k_base; none where tokens are not counted. */
  tokens?: number | null;
}

/** What `agents --json` prints. */
export interface AgentsDocument {
  /** One for each agent. */
  agents: AgentDocument[];
  /** What is worth knowing. */
  diagnostics: Finding[];
  /** What any of them is given, each file once. */
  together: TogetherDocument;
}

/** A problem document. */
export interface ProblemDocument {
  /** More about this very case. */
  detail?: string | null;
  /** Findings as `antefix check --json` prints them. */
  diagnostics?: Record<string, unknown>[];
  /** What is wrong, for people. */
  error: string;
  /** What to do. */
  hint?: string | null;
  status: number;
  /** The status in words. */
  title: string;
  /** What to branch on: `urn:antefix:` and a word. */
  type: string;
}

export interface CheckBody {
  /**
   * The working directory, under one of the server's roots; relative ones are from the first root. Without it a
   * conversation stays where it is, and a new one works in the first root.
   */
  cwd?: string | null;
  /** A built-in layout by its name. */
  layout?: string | null;
  /** The machine that the conversation works on, if there are several. */
  machine?: string | null;
  /** The conversation so far, as the provider takes it; without it only what is before it is looked at. */
  messages?: unknown[] | null;
  /** The model's name. */
  model?: string | null;
  /** The clock, in RFC 3339. */
  now?: string | null;
  /**
   * Facts that are answered by hand, such as `{"git:branch": "main"}`: a text, a list of texts or of objects of
   * texts, null if there is none, or `{"unavailable": "why"}`.
   */
  set?: Record<string, unknown> | null;
  /** Where the request would go. */
  target: TargetName;
  /**
   * The agent's tools: names, or objects with a `name`, in the shape of any provider or of MCP. An empty list says
   * that there are none. Or an object with `tools`, which is such a list, and `servers`: by their names, what MCP
   * servers say about the use of their tools (`instructions`), and tools of theirs (`tools`).
   */
  tools?: (string | Record<string, unknown>)[] | Record<string, unknown> | null;
  /** Sections of the layout to do without, by their names; an empty list wants all of them. */
  without?: string[] | null;
}

/** What `check --json` prints. */
export interface Findings {
  /** In the order in which they were found. */
  diagnostics: Finding[];
}

/** A request of anybody's. */
export interface CheckRequestBody {
  /** The model, if the request does not name it. */
  model?: string | null;
  /** Its body, as it would be sent. */
  request: Record<string, unknown>;
  /** Where it would go. */
  target: TargetName;
}

/** An epoch in a list. */
export interface RowOf {
  cause: string;
  conversation: string;
  cwd: string;
  digest: string;
  machine?: string | null;
  model?: string | null;
  number: number;
  opened_at: string;
}

/** Conversations in the order of their ids, each with its standing epoch. */
export interface Conversations {
  conversations: RowOf[];
  /** What to ask for as `after` to get the next ones; none if there are no more. */
  next?: string | null;
}

/** What `delete --json` prints. */
export interface DeletedDocument {
  /** How many bytes those had. */
  bytes: number;
  conversation: string;
  /** How many epochs it had. */
  epochs: number;
  /** How many texts no other conversation has; they are deleted with it. */
  texts: number;
}

/** A tool that came, changed or went. */
export interface ToolOf {
  kind: string;
  name: string;
}

/** A notice that was appended to a conversation. */
export interface AmendmentOf {
  at: string;
  file?: string | null;
  fresh: boolean;
  kind: string;
  number: number;
  section: string;
  text: string;
  /** The tools that it is about. */
  tools?: ToolOf[];
}

/** An epoch, without its text. */
export interface EpochOf {
  bytes: number;
  cause: string;
  degraded: boolean;
  digest: string;
  gaps?: Record<string, unknown>[];
  model?: string | null;
  number: number;
  opened_at: string;
}

/** What was queued for a turn, or what a turn touched. */
export interface MessageOf {
  at: string;
  kind: string;
  number: number;
  text: string;
}

/** A conversation as it stands. */
export interface ConversationDocument {
  amendments: AmendmentOf[];
  conversation: string;
  cwd: string;
  epoch: EpochOf;
  machine?: string | null;
  /** Messages that wait for the next turn, and notices of paths that were touched since. */
  waiting: MessageOf[];
}

export interface CompactionBody {
  /**
   * The working directory, under one of the server's roots; relative ones are from the first root. Without it a
   * conversation stays where it is, and a new one works in the first root.
   */
  cwd?: string | null;
  /** A built-in layout by its name. */
  layout?: string | null;
  /** The machine that the conversation works on, if there are several. */
  machine?: string | null;
  /** The conversation so far, as the provider takes it. */
  messages?: unknown[] | null;
  /** The model's name. */
  model?: string | null;
  /** The clock, in RFC 3339. */
  now?: string | null;
  /**
   * Facts that are answered by hand, such as `{"git:branch": "main"}`: a text, a list of texts or of objects of
   * texts, null if there is none, or `{"unavailable": "why"}`.
   */
  set?: Record<string, unknown> | null;
  target?: TargetName | null;
  /**
   * The agent's tools: names, or objects with a `name`, in the shape of any provider or of MCP. An empty list says
   * that there are none. Or an object with `tools`, which is such a list, and `servers`: by their names, what MCP
   * servers say about the use of their tools (`instructions`), and tools of theirs (`tools`).
   */
  tools?: (string | Record<string, unknown>)[] | Record<string, unknown> | null;
  /** Sections of the layout to do without, by their names; an empty list wants all of them. */
  without?: string[] | null;
}

/** What a hook did. */
export interface HookOf {
  bytes: number;
  did: string;
  hook: string;
  on: string;
}

/** What `compact begin --json` prints. */
export interface CompactionDocument {
  append?: unknown[] | null;
  conversation: string;
  diagnostics: Finding[];
  epoch: number;
  /** Where the words that ask for the summary are in `fragment`: `message` or `system`. */
  form: string;
  /** The request for the summary, in the shape of the target. */
  fragment?: unknown;
  /** What to send with the request's own headers. */
  headers?: Record<string, string> | null;
  hooks?: HookOf[];
  /** Whether the conversation was opened for it, because nobody had opened it. */
  opened: boolean;
  /** The system text for a request of one's own that summarizes. */
  prompt: string;
  receipt?: Record<string, unknown> | null;
  renews: boolean;
  token: string;
}

export interface EndBody {
  /**
   * The working directory, under one of the server's roots; relative ones are from the first root. Without it a
   * conversation stays where it is, and a new one works in the first root.
   */
  cwd?: string | null;
  /** A built-in layout by its name. */
  layout?: string | null;
  /** The machine that the conversation works on, if there are several. */
  machine?: string | null;
  /** The model's name. */
  model?: string | null;
  /** The clock, in RFC 3339. */
  now?: string | null;
  /** `succeeded` begins the new epoch; `failed` leaves all as it was, and may be said again. */
  outcome: OutcomeName;
  /**
   * Facts that are answered by hand, such as `{"git:branch": "main"}`: a text, a list of texts or of objects of
   * texts, null if there is none, or `{"unavailable": "why"}`.
   */
  set?: Record<string, unknown> | null;
  /**
   * The agent's tools: names, or objects with a `name`, in the shape of any provider or of MCP. An empty list says
   * that there are none. Or an object with `tools`, which is such a list, and `servers`: by their names, what MCP
   * servers say about the use of their tools (`instructions`), and tools of theirs (`tools`).
   */
  tools?: (string | Record<string, unknown>)[] | Record<string, unknown> | null;
  /** Sections of the layout to do without, by their names; an empty list wants all of them. */
  without?: string[] | null;
}

/** What `renew --json` and `compact commit --json` print. */
export interface BegunDocument {
  began?: boolean | null;
  conversation: string;
  diagnostics: Finding[];
  epoch: EpochOf;
  hooks?: HookOf[];
}

/** A change since the epoch was composed. */
export interface ChangeOf {
  detail: string;
  kind: string;
  origin: string;
  section?: string | null;
}

/** A number of tokens, or an estimate of it. */
export interface Count {
  /** The likeliest value. */
  count: number;
  /** The highest value of an estimate; `count` if it is exact. */
  high: number;
  /** The lowest value of an estimate; `count` if it is exact. */
  low: number;
}

/** The tokens of a difference, and their price where the model has one. */
export interface Bill {
  /** What the figures rest on. */
  basis: string;
  /** What the lost tokens cost more than if they were read from the cache, in dollars. */
  cost?: string | null;
  kept_tokens?: Count | null;
  lost_tokens?: Count | null;
}

export interface SideOf {
  excerpt: string;
  line?: number | null;
  origin?: Record<string, unknown> | null;
  section: string;
}

/** Where two prefixes part. */
export interface DifferenceOf extends Bill {
  after?: SideOf | null;
  at: number;
  before?: SideOf | null;
  kept_bytes: number;
  kind: string;
  lost_bytes: number;
  tools_changed: boolean;
}

/** What `drift --json` prints. */
export interface DriftDocument {
  changes: ChangeOf[];
  conversation: string;
  diagnostics: Finding[];
  difference?: DifferenceOf | null;
  epoch: EpochOf;
  prediction?: Record<string, unknown> | null;
}

/** An epoch in a list. */
export interface ListedEpoch extends RowOf {
  /** How many notices amend it. */
  amendments: number;
  bytes: number;
  degraded: boolean;
}

/** Epochs by number. */
export interface Epochs {
  conversation: string;
  epochs: ListedEpoch[];
  /** What to ask for as `after` to get the next ones; none if there are no more. */
  next?: number | null;
}

export interface SectionOf {
  bytes: number;
  digest: string;
  end: number;
  id: string;
  /** Who says it; not there if the system does. */
  role?: string | null;
  stability: string;
  start: number;
}

/** One epoch, with all that is known of it. */
export interface EpochDocument {
  amendments: AmendmentOf[];
  conversation: string;
  cwd: string;
  /** The names of the tools that are deferred where that can be done. */
  deferred?: string[];
  diagnostics: Record<string, unknown>[];
  epoch: EpochOf;
  machine?: string | null;
  made_by: Record<string, unknown>;
  prefix: string;
  sections: SectionOf[];
  spans: Record<string, unknown>[];
  tools?: string | null;
}

export interface MessageBody {
  /** What to say. */
  message: string;
}

/** A message that waits. */
export interface Queued {
  conversation: string;
  number: number;
}

export interface RenewalBody {
  cause?: CauseName | null;
  /**
   * The working directory, under one of the server's roots; relative ones are from the first root. Without it a
   * conversation stays where it is, and a new one works in the first root.
   */
  cwd?: string | null;
  /** A built-in layout by its name. */
  layout?: string | null;
  /** The machine that the conversation works on, if there are several. */
  machine?: string | null;
  /** The model's name. */
  model?: string | null;
  /** The clock, in RFC 3339. */
  now?: string | null;
  /**
   * Facts that are answered by hand, such as `{"git:branch": "main"}`: a text, a list of texts or of objects of
   * texts, null if there is none, or `{"unavailable": "why"}`.
   */
  set?: Record<string, unknown> | null;
  /**
   * The agent's tools: names, or objects with a `name`, in the shape of any provider or of MCP. An empty list says
   * that there are none. Or an object with `tools`, which is such a list, and `servers`: by their names, what MCP
   * servers say about the use of their tools (`instructions`), and tools of theirs (`tools`).
   */
  tools?: (string | Record<string, unknown>)[] | Record<string, unknown> | null;
  /** Sections of the layout to do without, by their names; an empty list wants all of them. */
  without?: string[] | null;
}

/** What the model is told, turn after turn. */
export interface StandingDocument {
  amendments: AmendmentOf[];
  conversation: string;
  epoch: EpochOf;
  prefix: string;
}

export interface TouchBody {
  /** The working directory, under one of the server's roots; without it the conversation stays where it is. */
  cwd?: string | null;
  /** What the agent reads or changes, relative to the working directory. */
  paths: string[];
}

/** What applies to paths that were touched. */
export interface TouchDocument {
  conversation: string;
  diagnostics: Finding[];
  /** The notice, which waits for the next turn; null if nothing applies that the conversation does not have. */
  notice?: string | null;
}

export interface TurnBody {
  /**
   * The working directory, under one of the server's roots; relative ones are from the first root. Without it a
   * conversation stays where it is, and a new one works in the first root.
   */
  cwd?: string | null;
  /** A built-in layout by its name. */
  layout?: string | null;
  /** The machine that the conversation works on, if there are several. */
  machine?: string | null;
  /** The conversation so far, as the provider takes it. */
  messages?: unknown[] | null;
  /** The model's name. */
  model?: string | null;
  /** The clock, in RFC 3339. */
  now?: string | null;
  /** The system text of this turn alone, also the empty one; nothing is stored. */
  override?: string | null;
  /**
   * The id of the provider's last response in this conversation: the fragment asks the provider why its cache was
   * missed, where it can say, and the receipt has it as `compared_with`.
   */
  previous_response?: string | null;
  /**
   * Facts that are answered by hand, such as `{"git:branch": "main"}`: a text, a list of texts or of objects of
   * texts, null if there is none, or `{"unavailable": "why"}`.
   */
  set?: Record<string, unknown> | null;
  target?: TargetName | null;
  /**
   * The agent's tools: names, or objects with a `name`, in the shape of any provider or of MCP. An empty list says
   * that there are none. Or an object with `tools`, which is such a list, and `servers`: by their names, what MCP
   * servers say about the use of their tools (`instructions`), and tools of theirs (`tools`).
   */
  tools?: (string | Record<string, unknown>)[] | Record<string, unknown> | null;
  /**
   * Paths that the agent reads or changes, relative to the working directory: rules for them and nested instruction
   * files go with this turn, unless the conversation has them.
   */
  touch?: string[] | null;
  /** A name for this turn: asked for again under it, it gets the same queued messages again. */
  turn?: string | null;
  watch?: WatchName | null;
  /** Sections of the layout to do without, by their names; an empty list wants all of them. */
  without?: string[] | null;
}

/** A message that a hook added. */
export interface AddedOf {
  hook: string;
  message: unknown;
}

/** What goes between the caller's messages in a request. */
export interface InsertionOf {
  /** How many of the caller's messages come before it. */
  after?: number | null;
  kind: string;
  number: number;
  text: string;
}

/** What `turn --json` prints. */
export interface TurnDocument {
  added?: AddedOf[];
  amendments: AmendmentOf[];
  append?: unknown[] | null;
  began: boolean;
  changes: ChangeOf[];
  conversation: string;
  diagnostics: Finding[];
  epoch?: EpochOf | null;
  fragment?: unknown;
  /** What to send with the request's own headers. */
  headers?: Record<string, string> | null;
  hooks?: HookOf[];
  insertions?: InsertionOf[];
  messages: MessageOf[];
  pending: ChangeOf[];
  /** What is before the boundary. An answer to `Prefer: return=minimal` leaves it out where the fragment has it. */
  prefix?: string | null;
  receipt?: Record<string, unknown> | null;
  /** What is behind the boundary; left out with the prefix. */
  suffix?: string | null;
}

/** A line. */
export interface Line {
  /** `+`, `-` or a space. */
  sign: string;
  /** Without its line end. */
  text: string;
}

/** Lines that belong together. */
export interface Hunk {
  /** The lines, with some around them. */
  lines: Line[];
  /** Who says the first changed line: a file with its line, or a name. */
  origin: string;
  /** The section that it is in. */
  section: string;
}

/** How much more or less an origin says. */
export interface OriginChange {
  /** The same after. */
  after: number;
  /** Its tokens before; bytes where tokens are not counted. */
  before: number;
  /** A file, or a name. */
  origin: string;
}

/** What the whole prompt costs in one request, in dollars. */
export interface Prices {
  /** Where all of it is read from the cache. */
  cached?: unknown[] | null;
  /** Where nothing is cached. */
  input: unknown[];
  /** The model. */
  model: string;
}

/** The tokens of both sides: those of the whole prompt. */
export interface Counts {
  /** After. */
  after: number;
  /** Before. */
  before: number;
  /** Whether they are counted, or estimated. */
  exact: boolean;
}

/** What a change does to a prompt. */
export interface Changes {
  /** What the later side is called. */
  after: string;
  /** What the earlier side is called. */
  before: string;
  /** Whether what the model is told is another one. */
  changed: boolean;
  /** Findings that are not there any more. */
  gone_findings: Finding[];
  /** The text, where it differs. */
  hunks: Hunk[];
  /** Findings that were not there before. */
  new_findings: Finding[];
  /** Files and other origins that say more or less than before, by how much. */
  origins: OriginChange[];
  price?: Prices | null;
  tokens?: Counts | null;
}

/** What to sweep. */
export interface GcBody {
  /** Whether to delete what is found; if not said it is only counted. */
  delete?: boolean | null;
  /** Conversations that have not been used for so long, such as `12h`, `90d` or `4w`; none if not said. */
  older_than?: string | null;
}

/** What `gc --json` prints. */
export interface GcDocument {
  /** How many bytes those have. */
  bytes: number;
  /** How many conversations have not been used for so long; none if no age was named. */
  conversations?: number | null;
  /** Whether they were deleted, or only counted. */
  deleted: boolean;
  /** How many texts no conversation has. Those of the conversations above are among them only if they were deleted. */
  texts: number;
}

/** What an import did for one conversation. */
export interface ImportedOf {
  conversation: string;
  /** How many epochs were appended. */
  epochs: number;
  /** How many were there already. */
  known: number;
  /** How many messages were queued. */
  messages: number;
}

/** What `import --json` prints. */
export interface ImportDocument {
  /** In the order of the file. */
  conversations: ImportedOf[];
}

/** The template that applies. */
export interface TemplateDocument {
  author?: string | null;
  dialect: DialectName;
  /** Of dialect and text; the ETag is made of it. */
  digest: string;
  /**
   * `saved`, or `layout` if nobody saved any, or `unreachable` if what was saved cannot be asked for and this is the
   * layout's own.
   */
  from: FromName;
  label?: string | null;
  /** The layout that it belongs to: the name of a built-in one, or the path of its file. */
  layout: string;
  /** Its number in the history, if it was saved. */
  number?: number | null;
  saved_at?: string | null;
  /** The text of the layout's editable section, which is the whole prompt in the layout `dispatch`. */
  template: string;
}

/** A template to save. */
export interface TemplateBody {
  author?: unknown;
  dialect?: DialectName | null;
  /** What was read with the template may be sent back with it. This and what follows changes nothing. */
  digest?: unknown;
  from?: unknown;
  label?: unknown;
  layout?: unknown;
  number?: unknown;
  saved_at?: unknown;
  template: string;
}

/** A deletion in a list: from its number on the layout's own text applied, until somebody saved again. */
export interface DeletionOf {
  author?: string | null;
  deleted_at: string;
  number: number;
}

/** A saved template in a list. */
export interface ListedTemplate {
  author?: string | null;
  bytes: number;
  dialect: DialectName;
  digest: string;
  label?: string | null;
  number: number;
  saved_at: string;
}

/** Saved templates, the last one first. */
export interface History {
  /** When the template was deleted, the last time first; numbers are in the same series. */
  deletions: DeletionOf[];
  /** What to ask for as `before` to get the next ones; none if there are no more. */
  next?: number | null;
  templates: ListedTemplate[];
}

/** A saved template. */
export interface SavedDocument extends ListedTemplate {
  template: string;
}

export interface LabelBody {
  /** One line of 1 to 100 characters; null takes the label away. */
  label: string | null;
}

export interface PreviewBody {
  /** A conversation to compare with its standing epoch. What is not said here is as that conversation was told. */
  conversation?: string | null;
  /**
   * The working directory, under one of the server's roots; relative ones are from the first root. Without it a
   * conversation stays where it is, and a new one works in the first root.
   */
  cwd?: string | null;
  dialect?: DialectName | null;
  /** A built-in layout by its name. */
  layout?: string | null;
  /** The machine that the conversation works on, if there are several. */
  machine?: string | null;
  /** The model's name. */
  model?: string | null;
  /** The clock, in RFC 3339. */
  now?: string | null;
  /**
   * Another prompt, of which is said how much of its beginning this one shares: `layout:NAME`, `cwd:DIR` or
   * `conversation:ID`.
   */
  other?: string | null;
  /**
   * Facts that are answered by hand, such as `{"git:branch": "main"}`: a text, a list of texts or of objects of
   * texts, null if there is none, or `{"unavailable": "why"}`.
   */
  set?: Record<string, unknown> | null;
  /** The draft; without one, the template that counts. */
  template?: string | null;
  /**
   * The agent's tools: names, or objects with a `name`, in the shape of any provider or of MCP. An empty list says
   * that there are none. Or an object with `tools`, which is such a list, and `servers`: by their names, what MCP
   * servers say about the use of their tools (`instructions`), and tools of theirs (`tools`).
   */
  tools?: (string | Record<string, unknown>)[] | Record<string, unknown> | null;
  /** Sections of the layout to do without, by their names; an empty list wants all of them. */
  without?: string[] | null;
}

export interface Gap {
  detail: string;
  fact: string;
  reason: string;
  section: string;
}

/** A hook that the layout declares, and whether it may run. */
export interface DeclaredHook {
  changed?: string[];
  command: string[];
  name: string;
  on: string;
  trust: string;
}

export interface LeftOut {
  id: string;
  why: string;
}

export interface Loaded {
  bytes: number;
  origin: OriginOf;
  /** How many bytes there were before it was cut, if it was. */
  whole?: number | null;
}

export interface NotLoaded {
  detail: string;
  origin: OriginOf;
  reason: string;
}

export interface Part {
  bytes: number;
  digest: string;
  text: string;
  tokens?: number | null;
}

export interface Section {
  bytes: number;
  digest: string;
  end: number;
  id: string;
  /** Who says it; not there if the system does. */
  role?: string | null;
  stability: string;
  start: number;
  tokens?: number | null;
}

/** What is said under a Markdown heading, up to the next one. */
export interface HeadingOf {
  bytes: number;
  /** From 1; none for what comes before the first heading. */
  level?: number | null;
  title: string;
  tokens?: number | null;
}

/** What one origin says. */
export interface ShareOf {
  bytes: number;
  /** By Markdown heading, if that was asked for. */
  headings?: HeadingOf[];
  origin: OriginOf;
  sections: string[];
  tokens?: number | null;
}

export interface Span {
  end: number;
  origin: OriginOf;
  section: string;
  start: number;
  transform?: string | null;
}

/** In thousandths of the count in `encoding`. */
export interface Band {
  from: string;
  high: number;
  likely: number;
  low: number;
}

/**
 * What the numbers called `tokens` are: a count in `encoding`, or, if not exact, the likeliest value of an
 * estimate.
 */
export interface TokenCounts {
  band?: Band | null;
  encoding: string;
  exact: boolean;
  model?: string | null;
  prefix: Count;
  suffix: Count;
  total: Count;
}

/** What deferring tools does. */
export interface DeferralOf {
  /** Why the tools are sent as all others, if they are. */
  refused?: string | null;
  /** What is saved in each request that would read them from the cache. */
  saved_reading?: string | null;
  /** What is saved in each request that would write them to the cache. */
  saved_writing?: string | null;
  /** What the model is not shown at once. */
  tokens?: number | null;
  /** How many are deferred. */
  tools: number;
}

/** The tools of a request, which come before all else in it. */
export interface ToolsOf {
  bytes: number;
  deferral?: DeferralOf | null;
  /** In the order in which they are sent. */
  list: ToolOf[];
  /**
   * The shape that was counted: the target's that was named, else that of the model's provider; `plain` without
   * either.
   */
  target: string;
  tokens?: number | null;
}

/** What `explain --json` prints. Offsets are bytes into prefix and suffix together. */
export interface Explanation {
  /**
   * The layout's own names for places that templates are loaded from, such as `$insomnia`, with what each stands
   * for.
   */
  aliases?: Record<string, string>;
  diagnostics: Finding[];
  gaps: Gap[];
  /** What the layout hides from templates. */
  hidden?: string[];
  hooks?: DeclaredHook[];
  instruction_order?: string | null;
  layout: string;
  left_out: LeftOut[];
  loaded: Loaded[];
  not_loaded: NotLoaded[];
  prefix: Part;
  sections: Section[];
  /** Who says how much of the prompt, most first: what `explain --json` adds. */
  shares?: ShareOf[] | null;
  spans: Span[];
  suffix: Part;
  token_counts?: TokenCounts | null;
  tools?: ToolsOf | null;
}

/** A breakpoint of the provider's. */
export interface BreakpointOf {
  /** Behind so many bytes of the prefix. */
  at: number;
  /** `fixed` or `frozen`: what ends there. */
  behind: string;
  /** The lifetime that it asks for, as the provider spells it. */
  lifetime: string;
}

export interface PartingOf {
  before?: string | null;
  begins_at?: number | null;
  code: string;
  part?: string | null;
  pointer?: string | null;
}

/** What `explain --with` adds. */
export interface FamilyDocument {
  /** What would let them share more, a sentence each. */
  advice: string[];
  /** How many bytes this prefix has. */
  bytes: number;
  /** The other prompt, as it was named. */
  other: string;
  /** How many the other one has. */
  other_bytes: number;
  parting?: PartingOf | null;
  /** Whether the tools are the same: they come before the text, and if they differ nothing of it is shared. */
  same_tools: boolean;
  /** How many bytes of the texts are the same, from the beginning on. */
  shared_bytes: number;
  shared_tokens?: Count | null;
}

/** The shortest prefix that the model's provider caches. */
export interface MinimumOf {
  /** Behind so many bytes the prefix comes to them, by the likeliest count; none if it does not. */
  at?: number | null;
  /** Whether it does; `perhaps` if the minimum lies in the band of an estimate. */
  reached: ReachedName;
  /** So many tokens. */
  tokens: number;
}

/** The document of `antefix explain --json`, and what saving would change. */
export interface Preview extends Explanation {
  /** Where the provider's cache would be asked to end, if a model was named whose requests say so. */
  breakpoints: BreakpointOf[];
  change?: DriftDocument | null;
  family?: FamilyDocument | null;
  minimum?: MinimumOf | null;
}

export interface Variable {
  changes: string;
  description: string;
  dynamic?: boolean | null;
  jinja: string;
  name: string;
  type: string;
}

/** What `vars --json` prints, and GET /system-prompt/variables answers. */
export interface Variables {
  /** What the layout hides from templates, of which `variables` has no row: `namespace:*`, or one fact. */
  hidden?: string[];
  variables: Variable[];
}

/** A turn that a provider has answered. */
export interface WhyBody {
  /** The receipt of the turn before; without one, this turn is the first. */
  before?: Record<string, unknown> | null;
  /**
   * The conversation whose ledger has the epochs: with receipts it tells the byte and its origin, without them two
   * epochs are compared.
   */
  conversation?: string | null;
  /** How many seconds ago the turn before was. */
  elapsed?: number | null;
  /** The epochs of the turn before and of this one, where there is no receipt; the last two if not said. */
  epochs?: number[] | null;
  /** The model whose prices and limits count; a receipt or an epoch may say it as well. */
  model?: string | null;
  /** The receipt of this turn: what a turn answers under `receipt`, or its whole answer. */
  receipt?: Record<string, unknown> | null;
  target?: TargetName | null;
  /** The provider's response, or its usage block. */
  usage: Record<string, unknown>;
}

export interface StretchOf {
  bytes: number;
  tokens: Record<string, unknown>;
}

export interface KeptOf extends StretchOf {
  behind: string;
  lifetime_seconds?: number | null;
}

export interface ExplanationOf {
  code: string;
  elapsed_seconds?: number | null;
  grown_messages?: number | null;
  lifetime_seconds?: number | null;
  look_back_blocks?: number | null;
  minimum_tokens?: number | null;
}

/** What should be read: a part of `why --json`, and `prediction` of `drift --json`. */
export interface ExpectationDocument {
  cost?: string | null;
  difference?: DifferenceOf | null;
  kept?: KeptOf | null;
  lost: StretchOf;
  model?: string | null;
  parting: PartingOf;
  prefix: StretchOf;
  short?: ExplanationOf | null;
  target: string;
  tokens: string;
  words: string;
}

export interface SaidOf {
  missed_tokens?: number | null;
  says: string;
}

export interface UsageOf {
  input_tokens?: number | null;
  long_write_tokens?: number | null;
  read_tokens?: number | null;
  target: string;
  write_tokens?: number | null;
}

/** What `why --json` prints. */
export interface VerdictDocument {
  as_expected: boolean;
  cost?: string | null;
  diagnostics: Finding[];
  expected: ExpectationDocument;
  explanation?: ExplanationOf | null;
  lost_tokens?: Record<string, unknown> | null;
  outcome: string;
  provider?: SaidOf | null;
  until?: string | null;
  usage: UsageOf;
  words: string;
}

/** Two requests of any agent, as they were sent. */
export interface WhyRequestsBody {
  /** The body of the request before; without one, this one is the first. */
  before?: Record<string, unknown> | null;
  /** The directory whose files are looked for in them, under a root of the server; without one none are. */
  cwd?: string | null;
  /** How many seconds are between them. */
  elapsed?: number | null;
  /** The model, where the bodies do not name it. */
  model?: string | null;
  /** The body of this one. */
  now: Record<string, unknown>;
  target?: TargetName | null;
  /** The provider's response to this one, or its usage block; without one, what is to be expected is said. */
  usage?: Record<string, unknown> | null;
  /** The provider's response to the request before, or its usage block. */
  usage_before?: Record<string, unknown> | null;
}

export interface SentBreakpointOf {
  lifetime_seconds?: number | null;
}

export interface SentOriginOf {
  lines?: number[] | null;
  origin: string;
  path?: string | null;
  server?: string | null;
}

export interface SentRangeOf extends SentOriginOf {
  end: number;
  start: number;
}

export interface SentBlockOf {
  breakpoint?: SentBreakpointOf | null;
  bytes: number;
  kind: string;
  name?: string | null;
  origins: SentRangeOf[];
  part: string;
  pointer: string;
  role?: string;
}

export interface SentSideOf extends SentOriginOf {
  text: string;
}

export interface MissCauseOf {
  appended_blocks?: number | null;
  before?: SentSideOf | null;
  byte?: number | null;
  code: string;
  elapsed_seconds?: number | null;
  lifetime_seconds?: number | null;
  look_back_blocks?: number | null;
  name?: string | null;
  now?: SentSideOf | null;
  pointer?: string | null;
  requests?: number | null;
}

export interface JudgmentOf {
  avoidable: boolean;
  causes: MissCauseOf[];
  cost?: string | null;
  expected_tokens?: number | null;
  lost_tokens?: number | null;
  outcome: string;
  provider?: string | null;
  read_tokens?: number | null;
  ruled_out?: string[];
  survived?: string | null;
  unexplained_tokens: number;
  words: string;
}

export interface SentShareOf extends SentOriginOf {
  tokens: Record<string, unknown>;
}

export interface ObservedRequestOf {
  at?: string | null;
  before?: number | null;
  blocks: SentBlockOf[];
  bytes: number;
  conversation: number;
  judgment: JudgmentOf;
  kind: string;
  model?: string | null;
  shares: SentShareOf[];
  target: string;
}

/** What `why --requests --json` prints. */
export interface ObservedDocument {
  diagnostics: Finding[];
  /** Entries of a recording that are no request of a provider that is known. */
  others: number;
  requests: ObservedRequestOf[];
}
