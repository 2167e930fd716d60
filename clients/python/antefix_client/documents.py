"""What the server is sent and what it answers.

`cargo xtask docs` prints this file from docs/openapi.json: the types have the names and the keys that they have there. A key
that is not required may be missing; one that may be None may be missing as well.
"""

from typing import Any, Literal, NotRequired, TypedDict

How = Literal["doc", "code", "run"]
"""How something is known."""

TargetName = Literal["plain", "anthropic", "openai-chat", "openai-responses", "gemini", "bedrock", "ollama", "acp"]
"""The shape of a provider's request."""

OutcomeName = Literal["succeeded", "failed"]
"""How a compaction ended."""

CauseName = Literal["requested", "reloaded", "tools-changed", "resources-changed", "moved"]
"""Why an epoch begins, if somebody says so."""

WatchName = Literal["all", "acting"]
"""Which facts of a standing epoch are asked for again."""

DialectName = Literal["bracket", "jinja", "plain"]
"""How a template spells its holes."""

FromName = Literal["saved", "layout", "unreachable"]
"""Where a template comes from."""

ReachedName = Literal["yes", "perhaps", "no"]
"""Whether a prefix is long enough for a provider's cache."""


class FileDocument(TypedDict):
    """What an agent makes of a file."""

    bytes: int
    """How many bytes of it the agent is given."""
    detail: NotRequired[str | None]
    path: str
    state: str
    """`loaded`, `cut`, `imported`, `linked`, `waits`, `shadowed`, `duplicate`, `dropped`, `empty`, `unusable` or
    `ignored`."""


class AgentDocument(TypedDict):
    """One agent, and what it makes of the files here."""

    bytes: int
    """How many bytes of instruction files and rules the agent is given from the start."""
    checked: str
    """The day on which it was."""
    file: NotRequired[str | None]
    """Where the data is, if it is the user's own."""
    files: list[FileDocument]
    """Every file that was considered, those that are given first, in their order."""
    known: dict[str, Any]
    """How each group of fields is known: `run`, `code` or `doc`."""
    name: str
    notes: NotRequired[list[str]]
    own_bytes: NotRequired[int | None]
    """How many bytes the agent's own words have, where that was measured."""
    place: str
    """Where files go in the request."""
    read_again: str
    """When they are read again."""
    skills: list[FileDocument]
    """Skills."""
    title: str
    tokens: NotRequired[int | None]
    """How many tokens these have, in o200k_base; none where tokens are not counted."""
    trust: NotRequired[str | None]
    version: str
    """The version that the data was checked for."""


class OriginOf(TypedDict):
    """An origin: of a span, of something loaded, of a finding."""

    column: NotRequired[int | None]
    kind: str
    line: NotRequired[int | None]
    name: str
    path: NotRequired[str | None]


class RefusedOf(TypedDict):
    """The rule of a provider's that a request breaks, and where."""

    pointer: str
    """The place in the request, as a JSON pointer; empty for all of it."""
    rule: str
    source: str
    """The page or the report that says that this is refused."""


class Finding(TypedDict):
    """A diagnostic. `start` and `end` are bytes of the source that `origin` names."""

    code: str
    end: NotRequired[int | None]
    hint: NotRequired[str | None]
    level: str
    message: str
    origin: NotRequired[OriginOf | None]
    refused: NotRequired[RefusedOf | None]
    start: NotRequired[int | None]


class TogetherDocument(TypedDict):
    """What any of several agents is given, each file once."""

    bytes: int
    """How many bytes they have."""
    files: int
    """How many files."""
    tokens: NotRequired[int | None]
    """How many tokens, in o200k_base; none where tokens are not counted."""


class AgentsDocument(TypedDict):
    """What `agents --json` prints."""

    agents: list[AgentDocument]
    """One for each agent."""
    diagnostics: list[Finding]
    """What is worth knowing."""
    together: TogetherDocument
    """What any of them is given, each file once."""


class ProblemDocument(TypedDict):
    """A problem document."""

    detail: NotRequired[str | None]
    """More about this very case."""
    diagnostics: NotRequired[list[dict[str, Any]]]
    """Findings as `antefix check --json` prints them."""
    error: str
    """What is wrong, for people."""
    hint: NotRequired[str | None]
    """What to do."""
    status: int
    title: str
    """The status in words."""
    type: str
    """What to branch on: `urn:antefix:` and a word."""


class CheckBody(TypedDict):
    cwd: NotRequired[str | None]
    """The working directory, under one of the server's roots; relative ones are from the first root. Without it a
    conversation stays where it is, and a new one works in the first root."""
    layout: NotRequired[str | None]
    """A built-in layout by its name."""
    machine: NotRequired[str | None]
    """The machine that the conversation works on, if there are several."""
    messages: NotRequired[list[Any] | None]
    """The conversation so far, as the provider takes it; without it only what is before it is looked at."""
    model: NotRequired[str | None]
    """The model's name."""
    now: NotRequired[str | None]
    """The clock, in RFC 3339."""
    set: NotRequired[dict[str, Any] | None]
    """Facts that are answered by hand, such as `{"git:branch": "main"}`: a text, a list of texts or of objects of
    texts, null if there is none, or `{"unavailable": "why"}`."""
    target: TargetName
    """Where the request would go."""
    tools: NotRequired[list[str | dict[str, Any]] | dict[str, Any] | None]
    """The agent's tools: names, or objects with a `name`, in the shape of any provider or of MCP. An empty list says
    that there are none. Or an object with `tools`, which is such a list, and `servers`: by their names, what MCP
    servers say about the use of their tools (`instructions`), and tools of theirs (`tools`)."""
    without: NotRequired[list[str] | None]
    """Sections of the layout to do without, by their names; an empty list wants all of them."""


class Findings(TypedDict):
    """What `check --json` prints."""

    diagnostics: list[Finding]
    """In the order in which they were found."""


class CheckRequestBody(TypedDict):
    """A request of anybody's."""

    model: NotRequired[str | None]
    """The model, if the request does not name it."""
    request: dict[str, Any]
    """Its body, as it would be sent."""
    target: TargetName
    """Where it would go."""


class RowOf(TypedDict):
    """An epoch in a list."""

    cause: str
    conversation: str
    cwd: str
    digest: str
    machine: NotRequired[str | None]
    model: NotRequired[str | None]
    number: int
    opened_at: str


class Conversations(TypedDict):
    """Conversations in the order of their ids, each with its standing epoch."""

    conversations: list[RowOf]
    next: NotRequired[str | None]
    """What to ask for as `after` to get the next ones; none if there are no more."""


class DeletedDocument(TypedDict):
    """What `delete --json` prints."""

    bytes: int
    """How many bytes those had."""
    conversation: str
    epochs: int
    """How many epochs it had."""
    texts: int
    """How many texts no other conversation has; they are deleted with it."""


class ToolOf(TypedDict):
    """A tool that came, changed or went."""

    kind: str
    name: str


class AmendmentOf(TypedDict):
    """A notice that was appended to a conversation."""

    at: str
    file: NotRequired[str | None]
    fresh: bool
    kind: str
    number: int
    section: str
    text: str
    tools: NotRequired[list[ToolOf]]
    """The tools that it is about."""


class EpochOf(TypedDict):
    """An epoch, without its text."""

    bytes: int
    cause: str
    degraded: bool
    digest: str
    gaps: NotRequired[list[dict[str, Any]]]
    model: NotRequired[str | None]
    number: int
    opened_at: str


class MessageOf(TypedDict):
    """What was queued for a turn, or what a turn touched."""

    at: str
    kind: str
    number: int
    text: str


class ConversationDocument(TypedDict):
    """A conversation as it stands."""

    amendments: list[AmendmentOf]
    conversation: str
    cwd: str
    epoch: EpochOf
    machine: NotRequired[str | None]
    waiting: list[MessageOf]
    """Messages that wait for the next turn, and notices of paths that were touched since."""


class CompactionBody(TypedDict):
    cwd: NotRequired[str | None]
    """The working directory, under one of the server's roots; relative ones are from the first root. Without it a
    conversation stays where it is, and a new one works in the first root."""
    layout: NotRequired[str | None]
    """A built-in layout by its name."""
    machine: NotRequired[str | None]
    """The machine that the conversation works on, if there are several."""
    messages: NotRequired[list[Any] | None]
    """The conversation so far, as the provider takes it."""
    model: NotRequired[str | None]
    """The model's name."""
    now: NotRequired[str | None]
    """The clock, in RFC 3339."""
    set: NotRequired[dict[str, Any] | None]
    """Facts that are answered by hand, such as `{"git:branch": "main"}`: a text, a list of texts or of objects of
    texts, null if there is none, or `{"unavailable": "why"}`."""
    target: NotRequired[TargetName | None]
    tools: NotRequired[list[str | dict[str, Any]] | dict[str, Any] | None]
    """The agent's tools: names, or objects with a `name`, in the shape of any provider or of MCP. An empty list says
    that there are none. Or an object with `tools`, which is such a list, and `servers`: by their names, what MCP
    servers say about the use of their tools (`instructions`), and tools of theirs (`tools`)."""
    without: NotRequired[list[str] | None]
    """Sections of the layout to do without, by their names; an empty list wants all of them."""


class HookOf(TypedDict):
    """What a hook did."""

    bytes: int
    did: str
    hook: str
    on: str


class CompactionDocument(TypedDict):
    """What `compact begin --json` prints."""

    append: NotRequired[list[Any] | None]
    conversation: str
    diagnostics: list[Finding]
    epoch: int
    form: str
    """Where the words that ask for the summary are in `fragment`: `message` or `system`."""
    fragment: NotRequired[Any]
    """The request for the summary, in the shape of the target."""
    headers: NotRequired[dict[str, str] | None]
    """What to send with the request's own headers."""
    hooks: NotRequired[list[HookOf]]
    opened: bool
    """Whether the conversation was opened for it, because nobody had opened it."""
    prompt: str
    """The system text for a request of one's own that summarizes."""
    receipt: NotRequired[dict[str, Any] | None]
    renews: bool
    token: str


class EndBody(TypedDict):
    cwd: NotRequired[str | None]
    """The working directory, under one of the server's roots; relative ones are from the first root. Without it a
    conversation stays where it is, and a new one works in the first root."""
    layout: NotRequired[str | None]
    """A built-in layout by its name."""
    machine: NotRequired[str | None]
    """The machine that the conversation works on, if there are several."""
    model: NotRequired[str | None]
    """The model's name."""
    now: NotRequired[str | None]
    """The clock, in RFC 3339."""
    outcome: OutcomeName
    """`succeeded` begins the new epoch; `failed` leaves all as it was, and may be said again."""
    set: NotRequired[dict[str, Any] | None]
    """Facts that are answered by hand, such as `{"git:branch": "main"}`: a text, a list of texts or of objects of
    texts, null if there is none, or `{"unavailable": "why"}`."""
    tools: NotRequired[list[str | dict[str, Any]] | dict[str, Any] | None]
    """The agent's tools: names, or objects with a `name`, in the shape of any provider or of MCP. An empty list says
    that there are none. Or an object with `tools`, which is such a list, and `servers`: by their names, what MCP
    servers say about the use of their tools (`instructions`), and tools of theirs (`tools`)."""
    without: NotRequired[list[str] | None]
    """Sections of the layout to do without, by their names; an empty list wants all of them."""


class BegunDocument(TypedDict):
    """What `renew --json` and `compact commit --json` print."""

    began: NotRequired[bool | None]
    conversation: str
    diagnostics: list[Finding]
    epoch: EpochOf
    hooks: NotRequired[list[HookOf]]


class ChangeOf(TypedDict):
    """A change since the epoch was composed."""

    detail: str
    kind: str
    origin: str
    section: NotRequired[str | None]


class Count(TypedDict):
    """A number of tokens, or an estimate of it."""

    count: int
    """The likeliest value."""
    high: int
    """The highest value of an estimate; `count` if it is exact."""
    low: int
    """The lowest value of an estimate; `count` if it is exact."""


class Bill(TypedDict):
    """The tokens of a difference, and their price where the model has one."""

    basis: str
    """What the figures rest on."""
    cost: NotRequired[str | None]
    """What the lost tokens cost more than if they were read from the cache, in dollars."""
    kept_tokens: NotRequired[Count | None]
    lost_tokens: NotRequired[Count | None]


class SideOf(TypedDict):
    excerpt: str
    line: NotRequired[int | None]
    origin: NotRequired[dict[str, Any] | None]
    section: str


class DifferenceOf(Bill):
    """Where two prefixes part."""

    after: NotRequired[SideOf | None]
    at: int
    before: NotRequired[SideOf | None]
    kept_bytes: int
    kind: str
    lost_bytes: int
    tools_changed: bool


class DriftDocument(TypedDict):
    """What `drift --json` prints."""

    changes: list[ChangeOf]
    conversation: str
    diagnostics: list[Finding]
    difference: NotRequired[DifferenceOf | None]
    epoch: EpochOf
    prediction: NotRequired[dict[str, Any] | None]


class ListedEpoch(RowOf):
    """An epoch in a list."""

    amendments: int
    """How many notices amend it."""
    bytes: int
    degraded: bool


class Epochs(TypedDict):
    """Epochs by number."""

    conversation: str
    epochs: list[ListedEpoch]
    next: NotRequired[int | None]
    """What to ask for as `after` to get the next ones; none if there are no more."""


class SectionOf(TypedDict):
    bytes: int
    digest: str
    end: int
    id: str
    role: NotRequired[str | None]
    """Who says it; not there if the system does."""
    stability: str
    start: int


class EpochDocument(TypedDict):
    """One epoch, with all that is known of it."""

    amendments: list[AmendmentOf]
    conversation: str
    cwd: str
    deferred: NotRequired[list[str]]
    """The names of the tools that are deferred where that can be done."""
    diagnostics: list[dict[str, Any]]
    epoch: EpochOf
    machine: NotRequired[str | None]
    made_by: dict[str, Any]
    prefix: str
    sections: list[SectionOf]
    spans: list[dict[str, Any]]
    tools: NotRequired[str | None]


class MessageBody(TypedDict):
    message: str
    """What to say."""


class Queued(TypedDict):
    """A message that waits."""

    conversation: str
    number: int


class RenewalBody(TypedDict):
    cause: NotRequired[CauseName | None]
    cwd: NotRequired[str | None]
    """The working directory, under one of the server's roots; relative ones are from the first root. Without it a
    conversation stays where it is, and a new one works in the first root."""
    layout: NotRequired[str | None]
    """A built-in layout by its name."""
    machine: NotRequired[str | None]
    """The machine that the conversation works on, if there are several."""
    model: NotRequired[str | None]
    """The model's name."""
    now: NotRequired[str | None]
    """The clock, in RFC 3339."""
    set: NotRequired[dict[str, Any] | None]
    """Facts that are answered by hand, such as `{"git:branch": "main"}`: a text, a list of texts or of objects of
    texts, null if there is none, or `{"unavailable": "why"}`."""
    tools: NotRequired[list[str | dict[str, Any]] | dict[str, Any] | None]
    """The agent's tools: names, or objects with a `name`, in the shape of any provider or of MCP. An empty list says
    that there are none. Or an object with `tools`, which is such a list, and `servers`: by their names, what MCP
    servers say about the use of their tools (`instructions`), and tools of theirs (`tools`)."""
    without: NotRequired[list[str] | None]
    """Sections of the layout to do without, by their names; an empty list wants all of them."""


class StandingDocument(TypedDict):
    """What the model is told, turn after turn."""

    amendments: list[AmendmentOf]
    conversation: str
    epoch: EpochOf
    prefix: str


class TouchBody(TypedDict):
    cwd: NotRequired[str | None]
    """The working directory, under one of the server's roots; without it the conversation stays where it is."""
    paths: list[str]
    """What the agent reads or changes, relative to the working directory."""


class TouchDocument(TypedDict):
    """What applies to paths that were touched."""

    conversation: str
    diagnostics: list[Finding]
    notice: NotRequired[str | None]
    """The notice, which waits for the next turn; null if nothing applies that the conversation does not have."""


class TurnBody(TypedDict):
    cwd: NotRequired[str | None]
    """The working directory, under one of the server's roots; relative ones are from the first root. Without it a
    conversation stays where it is, and a new one works in the first root."""
    layout: NotRequired[str | None]
    """A built-in layout by its name."""
    machine: NotRequired[str | None]
    """The machine that the conversation works on, if there are several."""
    messages: NotRequired[list[Any] | None]
    """The conversation so far, as the provider takes it."""
    model: NotRequired[str | None]
    """The model's name."""
    now: NotRequired[str | None]
    """The clock, in RFC 3339."""
    override: NotRequired[str | None]
    """The system text of this turn alone, also the empty one; nothing is stored."""
    previous_response: NotRequired[str | None]
    """The id of the provider's last response in this conversation: the fragment asks the provider why its cache was
    missed, where it can say, and the receipt has it as `compared_with`."""
    set: NotRequired[dict[str, Any] | None]
    """Facts that are answered by hand, such as `{"git:branch": "main"}`: a text, a list of texts or of objects of
    texts, null if there is none, or `{"unavailable": "why"}`."""
    target: NotRequired[TargetName | None]
    tools: NotRequired[list[str | dict[str, Any]] | dict[str, Any] | None]
    """The agent's tools: names, or objects with a `name`, in the shape of any provider or of MCP. An empty list says
    that there are none. Or an object with `tools`, which is such a list, and `servers`: by their names, what MCP
    servers say about the use of their tools (`instructions`), and tools of theirs (`tools`)."""
    touch: NotRequired[list[str] | None]
    """Paths that the agent reads or changes, relative to the working directory: rules for them and nested instruction
    files go with this turn, unless the conversation has them."""
    turn: NotRequired[str | None]
    """A name for this turn: asked for again under it, it gets the same queued messages again."""
    watch: NotRequired[WatchName | None]
    without: NotRequired[list[str] | None]
    """Sections of the layout to do without, by their names; an empty list wants all of them."""


class AddedOf(TypedDict):
    """A message that a hook added."""

    hook: str
    message: Any


class InsertionOf(TypedDict):
    """What goes between the caller's messages in a request."""

    after: NotRequired[int | None]
    """How many of the caller's messages come before it."""
    kind: str
    number: int
    text: str


class TurnDocument(TypedDict):
    """What `turn --json` prints."""

    added: NotRequired[list[AddedOf]]
    amendments: list[AmendmentOf]
    append: NotRequired[list[Any] | None]
    began: bool
    changes: list[ChangeOf]
    conversation: str
    diagnostics: list[Finding]
    epoch: NotRequired[EpochOf | None]
    fragment: NotRequired[Any]
    headers: NotRequired[dict[str, str] | None]
    """What to send with the request's own headers."""
    hooks: NotRequired[list[HookOf]]
    insertions: NotRequired[list[InsertionOf]]
    messages: list[MessageOf]
    pending: list[ChangeOf]
    prefix: NotRequired[str | None]
    """What is before the boundary. An answer to `Prefer: return=minimal` leaves it out where the fragment has it."""
    receipt: NotRequired[dict[str, Any] | None]
    suffix: NotRequired[str | None]
    """What is behind the boundary; left out with the prefix."""


class Line(TypedDict):
    """A line."""

    sign: str
    """`+`, `-` or a space."""
    text: str
    """Without its line end."""


class Hunk(TypedDict):
    """Lines that belong together."""

    lines: list[Line]
    """The lines, with some around them."""
    origin: str
    """Who says the first changed line: a file with its line, or a name."""
    section: str
    """The section that it is in."""


class OriginChange(TypedDict):
    """How much more or less an origin says."""

    after: int
    """The same after."""
    before: int
    """Its tokens before; bytes where tokens are not counted."""
    origin: str
    """A file, or a name."""


class Prices(TypedDict):
    """What the whole prompt costs in one request, in dollars."""

    cached: NotRequired[list[Any] | None]
    """Where all of it is read from the cache."""
    input: list[Any]
    """Where nothing is cached."""
    model: str
    """The model."""


class Counts(TypedDict):
    """The tokens of both sides: those of the whole prompt."""

    after: int
    """After."""
    before: int
    """Before."""
    exact: bool
    """Whether they are counted, or estimated."""


class Changes(TypedDict):
    """What a change does to a prompt."""

    after: str
    """What the later side is called."""
    before: str
    """What the earlier side is called."""
    changed: bool
    """Whether what the model is told is another one."""
    gone_findings: list[Finding]
    """Findings that are not there any more."""
    hunks: list[Hunk]
    """The text, where it differs."""
    new_findings: list[Finding]
    """Findings that were not there before."""
    origins: list[OriginChange]
    """Files and other origins that say more or less than before, by how much."""
    price: NotRequired[Prices | None]
    tokens: NotRequired[Counts | None]


class GcBody(TypedDict):
    """What to sweep."""

    delete: NotRequired[bool | None]
    """Whether to delete what is found; if not said it is only counted."""
    older_than: NotRequired[str | None]
    """Conversations that have not been used for so long, such as `12h`, `90d` or `4w`; none if not said."""


class GcDocument(TypedDict):
    """What `gc --json` prints."""

    bytes: int
    """How many bytes those have."""
    conversations: NotRequired[int | None]
    """How many conversations have not been used for so long; none if no age was named."""
    deleted: bool
    """Whether they were deleted, or only counted."""
    texts: int
    """How many texts no conversation has. Those of the conversations above are among them only if they were deleted."""


class ImportedOf(TypedDict):
    """What an import did for one conversation."""

    conversation: str
    epochs: int
    """How many epochs were appended."""
    known: int
    """How many were there already."""
    messages: int
    """How many messages were queued."""


class ImportDocument(TypedDict):
    """What `import --json` prints."""

    conversations: list[ImportedOf]
    """In the order of the file."""


TemplateDocument = TypedDict(
    "TemplateDocument",
    {
        "author": NotRequired[str | None],
        "dialect": DialectName,
        "digest": str,
        "from": FromName,
        "label": NotRequired[str | None],
        "layout": str,
        "number": NotRequired[int | None],
        "saved_at": NotRequired[str | None],
        "template": str,
    },
)
"""The template that applies."""


TemplateBody = TypedDict(
    "TemplateBody",
    {
        "author": NotRequired[Any],
        "dialect": NotRequired[DialectName | None],
        "digest": NotRequired[Any],
        "from": NotRequired[Any],
        "label": NotRequired[Any],
        "layout": NotRequired[Any],
        "number": NotRequired[Any],
        "saved_at": NotRequired[Any],
        "template": str,
    },
)
"""A template to save."""


class DeletionOf(TypedDict):
    """A deletion in a list: from its number on the layout's own text applied, until somebody saved again."""

    author: NotRequired[str | None]
    deleted_at: str
    number: int


class ListedTemplate(TypedDict):
    """A saved template in a list."""

    author: NotRequired[str | None]
    bytes: int
    dialect: DialectName
    digest: str
    label: NotRequired[str | None]
    number: int
    saved_at: str


class History(TypedDict):
    """Saved templates, the last one first."""

    deletions: list[DeletionOf]
    """When the template was deleted, the last time first; numbers are in the same series."""
    next: NotRequired[int | None]
    """What to ask for as `before` to get the next ones; none if there are no more."""
    templates: list[ListedTemplate]


class SavedDocument(ListedTemplate):
    """A saved template."""

    template: str


class LabelBody(TypedDict):
    label: str | None
    """One line of 1 to 100 characters; null takes the label away."""


class PreviewBody(TypedDict):
    conversation: NotRequired[str | None]
    """A conversation to compare with its standing epoch. What is not said here is as that conversation was told."""
    cwd: NotRequired[str | None]
    """The working directory, under one of the server's roots; relative ones are from the first root. Without it a
    conversation stays where it is, and a new one works in the first root."""
    dialect: NotRequired[DialectName | None]
    layout: NotRequired[str | None]
    """A built-in layout by its name."""
    machine: NotRequired[str | None]
    """The machine that the conversation works on, if there are several."""
    model: NotRequired[str | None]
    """The model's name."""
    now: NotRequired[str | None]
    """The clock, in RFC 3339."""
    other: NotRequired[str | None]
    """Another prompt, of which is said how much of its beginning this one shares: `layout:NAME`, `cwd:DIR` or
    `conversation:ID`."""
    set: NotRequired[dict[str, Any] | None]
    """Facts that are answered by hand, such as `{"git:branch": "main"}`: a text, a list of texts or of objects of
    texts, null if there is none, or `{"unavailable": "why"}`."""
    template: NotRequired[str | None]
    """The draft; without one, the template that counts."""
    tools: NotRequired[list[str | dict[str, Any]] | dict[str, Any] | None]
    """The agent's tools: names, or objects with a `name`, in the shape of any provider or of MCP. An empty list says
    that there are none. Or an object with `tools`, which is such a list, and `servers`: by their names, what MCP
    servers say about the use of their tools (`instructions`), and tools of theirs (`tools`)."""
    without: NotRequired[list[str] | None]
    """Sections of the layout to do without, by their names; an empty list wants all of them."""


class Gap(TypedDict):
    detail: str
    fact: str
    reason: str
    section: str


class DeclaredHook(TypedDict):
    """A hook that the layout declares, and whether it may run."""

    changed: NotRequired[list[str]]
    command: list[str]
    name: str
    on: str
    trust: str


class LeftOut(TypedDict):
    id: str
    why: str


class Loaded(TypedDict):
    bytes: int
    origin: OriginOf
    whole: NotRequired[int | None]
    """How many bytes there were before it was cut, if it was."""


class NotLoaded(TypedDict):
    detail: str
    origin: OriginOf
    reason: str


class Part(TypedDict):
    bytes: int
    digest: str
    text: str
    tokens: NotRequired[int | None]


class Section(TypedDict):
    bytes: int
    digest: str
    end: int
    id: str
    role: NotRequired[str | None]
    """Who says it; not there if the system does."""
    stability: str
    start: int
    tokens: NotRequired[int | None]


class HeadingOf(TypedDict):
    """What is said under a Markdown heading, up to the next one."""

    bytes: int
    level: NotRequired[int | None]
    """From 1; none for what comes before the first heading."""
    title: str
    tokens: NotRequired[int | None]


class ShareOf(TypedDict):
    """What one origin says."""

    bytes: int
    headings: NotRequired[list[HeadingOf]]
    """By Markdown heading, if that was asked for."""
    origin: OriginOf
    sections: list[str]
    tokens: NotRequired[int | None]


class Span(TypedDict):
    end: int
    origin: OriginOf
    section: str
    start: int
    transform: NotRequired[str | None]


Band = TypedDict(
    "Band",
    {
        "from": str,
        "high": int,
        "likely": int,
        "low": int,
    },
)
"""In thousandths of the count in `encoding`."""


class TokenCounts(TypedDict):
    """What the numbers called `tokens` are: a count in `encoding`, or, if not exact, the likeliest value of an
    estimate."""

    band: NotRequired[Band | None]
    encoding: str
    exact: bool
    model: NotRequired[str | None]
    prefix: Count
    suffix: Count
    total: Count


class DeferralOf(TypedDict):
    """What deferring tools does."""

    refused: NotRequired[str | None]
    """Why the tools are sent as all others, if they are."""
    saved_reading: NotRequired[str | None]
    """What is saved in each request that would read them from the cache."""
    saved_writing: NotRequired[str | None]
    """What is saved in each request that would write them to the cache."""
    tokens: NotRequired[int | None]
    """What the model is not shown at once."""
    tools: int
    """How many are deferred."""


class ToolsOf(TypedDict):
    """The tools of a request, which come before all else in it."""

    bytes: int
    deferral: NotRequired[DeferralOf | None]
    list: list[ToolOf]
    """In the order in which they are sent."""
    target: str
    """The shape that was counted: the target's that was named, else that of the model's provider; `plain` without
    either."""
    tokens: NotRequired[int | None]


class Explanation(TypedDict):
    """What `explain --json` prints. Offsets are bytes into prefix and suffix together."""

    aliases: NotRequired[dict[str, str]]
    """The layout's own names for places that templates are loaded from, such as `$insomnia`, with what each stands
    for."""
    diagnostics: list[Finding]
    gaps: list[Gap]
    hidden: NotRequired[list[str]]
    """What the layout hides from templates."""
    hooks: NotRequired[list[DeclaredHook]]
    instruction_order: NotRequired[str | None]
    layout: str
    left_out: list[LeftOut]
    loaded: list[Loaded]
    not_loaded: list[NotLoaded]
    prefix: Part
    sections: list[Section]
    shares: NotRequired[list[ShareOf] | None]
    """Who says how much of the prompt, most first: what `explain --json` adds."""
    spans: list[Span]
    suffix: Part
    token_counts: NotRequired[TokenCounts | None]
    tools: NotRequired[ToolsOf | None]


class BreakpointOf(TypedDict):
    """A breakpoint of the provider's."""

    at: int
    """Behind so many bytes of the prefix."""
    behind: str
    """`fixed` or `frozen`: what ends there."""
    lifetime: str
    """The lifetime that it asks for, as the provider spells it."""


class PartingOf(TypedDict):
    before: NotRequired[str | None]
    begins_at: NotRequired[int | None]
    code: str
    part: NotRequired[str | None]
    pointer: NotRequired[str | None]


class FamilyDocument(TypedDict):
    """What `explain --with` adds."""

    advice: list[str]
    """What would let them share more, a sentence each."""
    bytes: int
    """How many bytes this prefix has."""
    other: str
    """The other prompt, as it was named."""
    other_bytes: int
    """How many the other one has."""
    parting: NotRequired[PartingOf | None]
    same_tools: bool
    """Whether the tools are the same: they come before the text, and if they differ nothing of it is shared."""
    shared_bytes: int
    """How many bytes of the texts are the same, from the beginning on."""
    shared_tokens: NotRequired[Count | None]


class MinimumOf(TypedDict):
    """The shortest prefix that the model's provider caches."""

    at: NotRequired[int | None]
    """Behind so many bytes the prefix comes to them, by the likeliest count; none if it does not."""
    reached: ReachedName
    """Whether it does; `perhaps` if the minimum lies in the band of an estimate."""
    tokens: int
    """So many tokens."""


class Preview(Explanation):
    """The document of `antefix explain --json`, and what saving would change."""

    breakpoints: list[BreakpointOf]
    """Where the provider's cache would be asked to end, if a model was named whose requests say so."""
    change: NotRequired[DriftDocument | None]
    family: NotRequired[FamilyDocument | None]
    minimum: NotRequired[MinimumOf | None]


class Variable(TypedDict):
    changes: str
    description: str
    dynamic: NotRequired[bool | None]
    jinja: str
    name: str
    type: str


class Variables(TypedDict):
    """What `vars --json` prints, and GET /system-prompt/variables answers."""

    hidden: NotRequired[list[str]]
    """What the layout hides from templates, of which `variables` has no row: `namespace:*`, or one fact."""
    variables: list[Variable]


class WhyBody(TypedDict):
    """A turn that a provider has answered."""

    before: NotRequired[dict[str, Any] | None]
    """The receipt of the turn before; without one, this turn is the first."""
    conversation: NotRequired[str | None]
    """The conversation whose ledger has the epochs: with receipts it tells the byte and its origin, without them two
    epochs are compared."""
    elapsed: NotRequired[int | None]
    """How many seconds ago the turn before was."""
    epochs: NotRequired[list[int] | None]
    """The epochs of the turn before and of this one, where there is no receipt; the last two if not said."""
    model: NotRequired[str | None]
    """The model whose prices and limits count; a receipt or an epoch may say it as well."""
    receipt: NotRequired[dict[str, Any] | None]
    """The receipt of this turn: what a turn answers under `receipt`, or its whole answer."""
    target: NotRequired[TargetName | None]
    usage: dict[str, Any]
    """The provider's response, or its usage block."""


class StretchOf(TypedDict):
    bytes: int
    tokens: dict[str, Any]


class KeptOf(StretchOf):
    behind: str
    lifetime_seconds: NotRequired[int | None]


class ExplanationOf(TypedDict):
    code: str
    elapsed_seconds: NotRequired[int | None]
    grown_messages: NotRequired[int | None]
    lifetime_seconds: NotRequired[int | None]
    look_back_blocks: NotRequired[int | None]
    minimum_tokens: NotRequired[int | None]


class ExpectationDocument(TypedDict):
    """What should be read: a part of `why --json`, and `prediction` of `drift --json`."""

    cost: NotRequired[str | None]
    difference: NotRequired[DifferenceOf | None]
    kept: NotRequired[KeptOf | None]
    lost: StretchOf
    model: NotRequired[str | None]
    parting: PartingOf
    prefix: StretchOf
    short: NotRequired[ExplanationOf | None]
    target: str
    tokens: str
    words: str


class SaidOf(TypedDict):
    missed_tokens: NotRequired[int | None]
    says: str


class UsageOf(TypedDict):
    input_tokens: NotRequired[int | None]
    long_write_tokens: NotRequired[int | None]
    read_tokens: NotRequired[int | None]
    target: str
    write_tokens: NotRequired[int | None]


class VerdictDocument(TypedDict):
    """What `why --json` prints."""

    as_expected: bool
    cost: NotRequired[str | None]
    diagnostics: list[Finding]
    expected: ExpectationDocument
    explanation: NotRequired[ExplanationOf | None]
    lost_tokens: NotRequired[dict[str, Any] | None]
    outcome: str
    provider: NotRequired[SaidOf | None]
    until: NotRequired[str | None]
    usage: UsageOf
    words: str


class WhyRequestsBody(TypedDict):
    """Two requests of any agent, as they were sent."""

    before: NotRequired[dict[str, Any] | None]
    """The body of the request before; without one, this one is the first."""
    cwd: NotRequired[str | None]
    """The directory whose files are looked for in them, under a root of the server; without one none are."""
    elapsed: NotRequired[int | None]
    """How many seconds are between them."""
    model: NotRequired[str | None]
    """The model, where the bodies do not name it."""
    now: dict[str, Any]
    """The body of this one."""
    target: NotRequired[TargetName | None]
    usage: NotRequired[dict[str, Any] | None]
    """The provider's response to this one, or its usage block; without one, what is to be expected is said."""
    usage_before: NotRequired[dict[str, Any] | None]
    """The provider's response to the request before, or its usage block."""


class SentBreakpointOf(TypedDict):
    lifetime_seconds: NotRequired[int | None]


class SentOriginOf(TypedDict):
    lines: NotRequired[list[int] | None]
    origin: str
    path: NotRequired[str | None]
    server: NotRequired[str | None]


class SentRangeOf(SentOriginOf):
    end: int
    start: int


class SentBlockOf(TypedDict):
    breakpoint: NotRequired[SentBreakpointOf | None]
    bytes: int
    kind: str
    name: NotRequired[str | None]
    origins: list[SentRangeOf]
    part: str
    pointer: str
    role: NotRequired[str]


class SentSideOf(SentOriginOf):
    text: str


class MissCauseOf(TypedDict):
    appended_blocks: NotRequired[int | None]
    before: NotRequired[SentSideOf | None]
    byte: NotRequired[int | None]
    code: str
    elapsed_seconds: NotRequired[int | None]
    lifetime_seconds: NotRequired[int | None]
    look_back_blocks: NotRequired[int | None]
    name: NotRequired[str | None]
    now: NotRequired[SentSideOf | None]
    pointer: NotRequired[str | None]
    requests: NotRequired[int | None]


class JudgmentOf(TypedDict):
    avoidable: bool
    causes: list[MissCauseOf]
    cost: NotRequired[str | None]
    expected_tokens: NotRequired[int | None]
    lost_tokens: NotRequired[int | None]
    outcome: str
    provider: NotRequired[str | None]
    read_tokens: NotRequired[int | None]
    ruled_out: NotRequired[list[str]]
    survived: NotRequired[str | None]
    unexplained_tokens: int
    words: str


class SentShareOf(SentOriginOf):
    tokens: dict[str, Any]


class ObservedRequestOf(TypedDict):
    at: NotRequired[str | None]
    before: NotRequired[int | None]
    blocks: list[SentBlockOf]
    bytes: int
    conversation: int
    judgment: JudgmentOf
    kind: str
    model: NotRequired[str | None]
    shares: list[SentShareOf]
    target: str


class ObservedDocument(TypedDict):
    """What `why --requests --json` prints."""

    diagnostics: list[Finding]
    others: int
    """Entries of a recording that are no request of a provider that is known."""
    requests: list[ObservedRequestOf]
