//! The rows of the table of codes, by name.

use super::Level::{Error, Note, Warning};
use super::code::ReportedBy::{Acp, Agents, All, Check, CheckFor, Touch, Turn, Why};
use super::code::codes;

codes! {
    AgentAboveRoot {
        name: "agent-above-root",
        levels: [Note],
        reported_by: Agents,
        what: "a file above the project that some agents read",
        why: "it is told in every project beneath, and nobody looks for it there",
        remedy: "move it, or know that it is read",
    }
    AgentCut {
        name: "agent-cut",
        levels: [Warning],
        reported_by: Agents,
        what: "a file that an agent cuts or leaves out for its size",
        why: "the agent is told half of it, or nothing, without a word",
        remedy: "shorten or split the file, or raise the agent's limit",
    }
    AgentDiffer {
        name: "agent-differ",
        levels: [Warning],
        reported_by: Agents,
        what: "two files with different texts, of which some agents read the one and some the other",
        why: "one agent is told what another never sees",
        remedy: "keep one text, and let the other file import or link to it",
    }
    AgentImport {
        name: "agent-import",
        levels: [Note, Warning],
        reported_by: Agents,
        what: "an `@path` that an agent takes for text, or cannot follow",
        why: "what it names is not told",
        remedy: "write the text itself, or use a link",
    }
    AgentOrder {
        name: "agent-order",
        levels: [Note],
        reported_by: Agents,
        what: "an agent that prints files in another order than the nearest last",
        why: "what is nearest does not have the last word, or the prompt is another one on every machine",
        remedy: "do not rely on the order",
    }
    AgentRule {
        name: "agent-rule",
        levels: [Note, Warning],
        reported_by: Agents,
        what: "a rule whose patterns agents read in different ways, or that one of them leaves out",
        why: "it applies to other files than you think, or never",
        remedy: "write patterns as `src/**` and `**/*.py`, and put the file itself where the rule is",
    }
    AgentSetting {
        name: "agent-setting",
        levels: [Note],
        reported_by: Agents,
        what: "a setting of an agent's own that was not followed here",
        why: "what is listed for the agent may be wrong",
        remedy: "see what the agent itself lists",
    }
    AgentShadowed {
        name: "agent-shadowed",
        levels: [Warning],
        reported_by: Agents,
        what: "a file with a text of its own that an agent does not read, because another one comes first",
        why: "the agent never sees it",
        remedy: "import it, link to it, or remove the other file",
    }
    AgentSkill {
        name: "agent-skill",
        levels: [Note, Warning],
        reported_by: Agents,
        what: "a skill that agents treat differently: dropped, shortened, missed, shown though hidden, or twice",
        why: "an agent offers what it should not, or does not know it",
        remedy: "fix its front matter, or keep it in a root that all agents read",
    }
    AgentText {
        name: "agent-text",
        levels: [Note],
        reported_by: Agents,
        what: "front matter that reaches the model as text, or several files whose names it is not told",
        why: "it is noise, and paid for; or the model cannot tell which directory a file is about",
        remedy: "remove it; let each file begin with what it is about",
    }
    AgentTrust {
        name: "agent-trust",
        levels: [Warning],
        reported_by: Agents,
        what: "files of a project that you do not trust, and that agents read all the same",
        why: "who wrote them speaks to your agent",
        remedy: "look at the files before you start an agent there",
    }
    AgentTwice {
        name: "agent-twice",
        levels: [Warning],
        reported_by: Agents,
        what: "a text that an agent is told twice",
        why: "it is paid for twice",
        remedy: "keep it in one file, and let the other be a link where agents read both",
    }
    AgentUnread {
        name: "agent-unread",
        levels: [Note, Warning],
        reported_by: Agents,
        what: "a file that no agent, or not every agent, reads",
        why: "what it says is not told",
        remedy: "rename it, or name it where agents look",
    }
    Append {
        name: "append",
        levels: [Note],
        reported_by: Turn,
        what: "what the request says behind its messages is not in the fragment, because the messages were not handed over",
        why: "a fragment cannot hold what comes after messages that only the caller knows",
        remedy: "hand them over with `--messages`, or append what `--json` (of `show`, `--receipt`) prints as `append`",
    }
    BadMessage {
        name: "bad-message",
        levels: [Warning],
        reported_by: Acp,
        what: "a message between editor and agent that cannot be read, or lacks what the beginning of a session needs",
        why: "a session would begin without its prompt, so the message is answered with an error and goes no further",
        remedy: "see what the editor or the agent sends",
    }
    BadPattern {
        name: "bad-pattern",
        levels: [Warning],
        reported_by: All,
        what: "a pattern of a rule that cannot be used, or whose braces expand to too many",
        why: "the rule does not apply where it was meant to",
        remedy: "fix the pattern, or split it",
    }
    BelowCacheMinimum {
        name: "below-cache-minimum",
        levels: [Warning],
        reported_by: All,
        what: "the prefix is shorter than what the model's provider caches at all",
        why: "every turn is billed in full",
        remedy: "nothing, or move what stays before the boundary",
    }
    Blank {
        name: "blank",
        levels: [Note],
        reported_by: All,
        what: "a tag printed nothing",
        why: "the sentence around it lost its point",
        remedy: "write it in `[if …]`, or fix the fact",
    }
    ClockInText {
        name: "clock-in-text",
        levels: [Note],
        reported_by: Check,
        what: "a time of day in a variable, a file, or a line that says it was generated",
        why: "if a program writes it, the prefix is new each time",
        remedy: "leave the time out, or make the section live",
    }
    Contradiction {
        name: "contradiction",
        levels: [Warning],
        reported_by: Check,
        what: "two rules that cannot both be followed",
        why: "the agent obeys one of them, and you do not know which",
        remedy: "keep one, or say what each of them is for",
    }
    CustomizedBuiltin {
        name: "customized-builtin",
        levels: [Note],
        reported_by: Check,
        what: "a copy of a built-in layout, prompt or wording whose original has changed",
        why: "what was fixed there is not fixed here",
        remedy: "compare the two, take what you want, then renew the mark",
    }
    Cut {
        name: "cut",
        levels: [Warning],
        reported_by: All,
        what: "a text was longer than its budget",
        why: "the agent does not see its end",
        remedy: "shorten the text, or raise the budget",
    }
    DailyInPrefix {
        name: "daily-in-prefix",
        levels: [Note],
        reported_by: All,
        what: "a fact that is new every day is before the boundary",
        why: "conversations of tomorrow share nothing after it; `check` says how much that is",
        remedy: "make its section live",
    }
    EarlierTemplate {
        name: "earlier-template",
        levels: [Error],
        reported_by: All,
        what: "the template that was saved last cannot be composed",
        why: "conversations that open get the newest one before it that can be",
        remedy: "fix what the message names, or save another template",
    }
    FileUnavailable {
        name: "file-unavailable",
        levels: [Warning],
        reported_by: All,
        what: "a file is there and was not read",
        why: "the agent does not see what it says",
        remedy: "fix what the message names",
    }
    ForeignOwner {
        name: "foreign-owner",
        levels: [Warning],
        reported_by: All,
        what: "a `.git` or `.antefix` that belongs to another user",
        why: "it does not mark the project, so the root may be elsewhere than you think",
        remedy: "take it over if it is yours",
    }
    FrameDropsText {
        name: "frame-drops-text",
        levels: [Warning],
        reported_by: All,
        what: "a wording that frames a section does not print it",
        why: "the section is lost",
        remedy: "print the variable that the message names",
    }
    Gap {
        name: "gap",
        levels: [Warning],
        reported_by: All,
        what: "a fact that a section needs could not be asked for",
        why: "the section, or a part of it, is left out",
        remedy: "fix the cause",
    }
    GitUnavailable {
        name: "git-unavailable",
        levels: [Warning],
        reported_by: All,
        what: "git did not answer",
        why: "the prompt says nothing about branch or changes",
        remedy: "fix what git says",
    }
    Headers {
        name: "headers",
        levels: [Note],
        reported_by: Turn,
        what: "the request needs headers that are not in the fragment",
        why: "a provider takes tools that come or go in the midst of a conversation only where a beta is asked for, and betas are asked for in headers",
        remedy: "send what the note names; `--json` prints it as `headers`, and HTTP and the clients have it under that name",
    }
    HiddenText {
        name: "hidden-text",
        levels: [Warning, Error],
        reported_by: All,
        what: "characters that nobody sees",
        why: "the agent would read what you do not: stray ones are left out, and a file with more of them is not used, which is an error",
        remedy: "remove them; your settings may say `hidden_text`",
    }
    HiddenVariable {
        name: "hidden-variable",
        levels: [Warning],
        reported_by: All,
        what: "a template names a fact that its layout hides from templates",
        why: "the name is undefined there: a tag prints nothing, and a jinja template fails where it needs it",
        remedy: "take it out, or out of `hidden` in the layout",
    }
    HookEmpty {
        name: "hook-empty",
        levels: [Note],
        reported_by: All,
        what: "a hook replaced the system text with nothing",
        why: "it changed nothing",
        remedy: "leave `system` out of its answer",
    }
    HookFailed {
        name: "hook-failed",
        levels: [Warning],
        reported_by: All,
        what: "a hook ended badly, was late or answered nonsense",
        why: "the turn goes on without it",
        remedy: "fix what the message names",
    }
    HookModified {
        name: "hook-modified",
        levels: [Warning],
        reported_by: All,
        what: "a hook of the project has other bytes than the ones that were trusted",
        why: "it is not run",
        remedy: "look at what changed, then `antefix trust`",
    }
    HookRoot {
        name: "hook-root",
        levels: [Warning],
        reported_by: All,
        what: "a hook named a root that is missing or may not be searched",
        why: "the agent does not see what is there",
        remedy: "fix the path, or allow it by `file_roots` in your settings",
    }
    HookUndelivered {
        name: "hook-undelivered",
        levels: [Note, Warning],
        reported_by: Acp,
        what: "a hook says something with a turn that an ACP agent cannot be given",
        why: "the agent does not see it",
        remedy: "let the hook append text, or add a message of the user",
    }
    HookUntrusted {
        name: "hook-untrusted",
        levels: [Warning],
        reported_by: All,
        what: "a hook comes with the project, and nobody has trusted it",
        why: "it is not run",
        remedy: "look at it, then `antefix trust`",
    }
    IdInText {
        name: "id-in-text",
        levels: [Note],
        reported_by: Check,
        what: "an id that is new for each conversation or run is before the boundary",
        why: "no two conversations share what comes after it",
        remedy: "make its section live, or leave it out",
    }
    IgnoreFile {
        name: "ignore-file",
        levels: [Warning],
        reported_by: All,
        what: "an ignore file beside skills cannot be read",
        why: "skills that it names are listed all the same",
        remedy: "fix what the message names",
    }
    IgnorePattern {
        name: "ignore-pattern",
        levels: [Warning],
        reported_by: All,
        what: "a pattern of an ignore file beside skills that matches nothing",
        why: "skills that it was meant for are listed all the same",
        remedy: "fix the pattern",
    }
    Import {
        name: "import",
        levels: [Note, Warning],
        reported_by: All,
        what: "an `@path` was not followed",
        why: "the text stays as it was written",
        remedy: "fix the path, or write it in backticks",
    }
    ImportLeft {
        name: "import-left",
        levels: [Warning],
        reported_by: Check,
        what: "`@path` names a file that is there, in a file whose imports are not followed",
        why: "the agent sees the name of the file and not its text",
        remedy: "write the text itself, move it to a file whose imports are followed, or set `imports` in the layout",
    }
    InvalidRule {
        name: "invalid-rule",
        levels: [Warning],
        reported_by: All,
        what: "the front matter of a rule cannot be read",
        why: "the rule never applies",
        remedy: "fix its front matter",
    }
    Launch {
        name: "launch",
        levels: [Warning],
        reported_by: Acp,
        what: "a session works in another directory than the one that the agent was started for",
        why: "its prompt describes that other directory",
        remedy: "start one proxy for each directory",
    }
    LinkText {
        name: "link-text",
        levels: [Warning],
        reported_by: Check,
        what: "a file has nothing but the name of another one in it",
        why: "a link was checked out as a text: the agent sees a name and no rules",
        remedy: "check the link out as a link, or copy the text",
    }
    LockMismatch {
        name: "lock-mismatch",
        levels: [Warning],
        reported_by: Check,
        what: "an instruction file or a skill from outside the repository is not what `.antefix/lock.toml` has",
        why: "agents are told something that nobody has looked at here",
        remedy: "look at what changed, then run `antefix lock`",
    }
    MachinePath {
        name: "machine-path",
        levels: [Note, Warning],
        reported_by: Check,
        what: "a path or a name of one machine is before the boundary",
        why: "no other machine or clone shares the prefix, and for others the path is wrong",
        remedy: "write it from the project root or `~/`, or make its section live",
    }
    Message {
        name: "message",
        levels: [Note],
        reported_by: Turn,
        what: "a message was queued for this turn, or a path was touched",
        why: "it is sent with it, and repeated in every later request until a compaction",
        remedy: "nothing",
    }
    ModelsUnreadable {
        name: "models-unreadable",
        levels: [Error],
        reported_by: All,
        what: "models.json in your configuration directory cannot be read",
        why: "only the built-in rows of the table of models are used",
        remedy: "fix the file at the place that the message names",
    }
    MoreFindings {
        name: "more-findings",
        levels: [Warning],
        reported_by: All,
        what: "a text has more findings of one kind than are reported",
        why: "some are not seen",
        remedy: "fix the first ones",
    }
    NoReadingTool {
        name: "no-reading-tool",
        levels: [Note],
        reported_by: All,
        what: "skills are not listed, because no tool could read one",
        why: "the agent does not know of them",
        remedy: "give it one of the tools that `needs_tool` names",
    }
    NoYaml {
        name: "no-yaml",
        levels: [Note],
        reported_by: All,
        what: "the front matter of a rule is not YAML and was read line by line",
        why: "other programs may lose the rule",
        remedy: "put patterns in quotes",
    }
    NotUtf8 {
        name: "not-utf8",
        levels: [Note],
        reported_by: All,
        what: "git printed bytes that are not UTF-8",
        why: "they became U+FFFD",
        remedy: "nothing, or rename the file",
    }
    NothingTouched {
        name: "nothing-touched",
        levels: [Note],
        reported_by: Touch,
        what: "no rule and no nested instruction file applies to the paths, or the conversation has all that do",
        why: "the notice is empty",
        remedy: "nothing, or look at what `antefix explain` lists",
    }
    OtherDialect {
        name: "other-dialect",
        levels: [Warning],
        reported_by: All,
        what: "a tag of another dialect than the section's",
        why: "it is printed as it is",
        remedy: "set the section's `dialect`",
    }
    OtherLedger {
        name: "other-ledger",
        levels: [Note],
        reported_by: Why,
        what: "the conversation's ledger does not have the epochs of both receipts",
        why: "the part that changed is reported without its byte and origin",
        remedy: "name the conversation and the store that the receipts belong to",
    }
    OutsideProject {
        name: "outside-project",
        levels: [Error],
        reported_by: Touch,
        what: "a path that was touched is outside the project",
        why: "no rule of the project applies there",
        remedy: "name a path of the project",
    }
    OverBudget {
        name: "over-budget",
        levels: [Warning],
        reported_by: All,
        what: "texts did not fit together",
        why: "some are left out or shortened",
        remedy: "shorten them, or raise the budget",
    }
    Pending {
        name: "pending",
        levels: [Note],
        reported_by: Turn,
        what: "a change was held back",
        why: "the agent does not know of it yet",
        remedy: "renew, if it must know now",
    }
    ProjectSettings {
        name: "project-settings",
        levels: [Warning],
        reported_by: All,
        what: "a project has a settings.toml in its `.antefix`",
        why: "nothing in it is used",
        remedy: "move what you want to your own settings",
    }
    ProjectUnreadable {
        name: "project-unreadable",
        levels: [Error],
        reported_by: Turn,
        what: "the layout, a template, a wording, the settings or the directory is broken or gone",
        why: "the conversation goes on with its bytes, without a live part, and cannot be renewed",
        remedy: "fix what the message names",
    }
    ReadByAgent {
        name: "read-by-agent",
        levels: [Note],
        reported_by: Acp,
        what: "files that the agent behind `antefix acp` reads by itself, and is not told again",
        why: "told twice, they are paid for twice",
        remedy: "nothing, or `--tell-again`",
    }
    Receipt {
        name: "receipt",
        levels: [Warning],
        reported_by: Acp,
        what: "the receipt of a session cannot be written",
        why: "what was sent is not on record",
        remedy: "fix what the message names",
    }
    RefusedByProvider {
        name: "refused-by-provider",
        levels: [Error],
        reported_by: CheckFor,
        what: "the request breaks a rule of its provider",
        why: "the provider answers with an error, and no turn comes of it",
        remedy: "do what the finding says; its rule and the page that has it are named",
    }
    RemoteUnavailable {
        name: "remote-unavailable",
        levels: [Warning],
        reported_by: All,
        what: "a text that a server keeps could not be fetched",
        why: "what depends on it is left out",
        remedy: "fix what the message names",
    }
    RepeatedText {
        name: "repeated-text",
        levels: [Warning],
        reported_by: Check,
        what: "the same paragraph twice before the boundary",
        why: "every copy is billed, and one of two copies is soon out of date",
        remedy: "keep it in one place",
    }
    Replaced {
        name: "replaced",
        levels: [Note],
        reported_by: All,
        what: "SYSTEM.md takes the place of a section that names facts",
        why: "the agent does not see those facts",
        remedy: "write what is needed into the replacement",
    }
    RuleNeverMatches {
        name: "rule-never-matches",
        levels: [Warning],
        reported_by: Check,
        what: "no file of the project matches a rule",
        why: "the rule never applies",
        remedy: "fix its patterns, or remove it",
    }
    SavedTemplateUnknown {
        name: "saved-template-unknown",
        levels: [Warning],
        reported_by: All,
        what: "the store cannot be asked for a template that was saved for the layout",
        why: "the prompt has the layout's own text, and a conversation may get another one",
        remedy: "make the store readable, or name another one with ANTEFIX_STORE",
    }
    ScanLimit {
        name: "scan-limit",
        levels: [Note, Warning],
        reported_by: All,
        what: "a directory of skills or rules, or the project, is too deep or too large",
        why: "the rest is not searched",
        remedy: "move them up",
    }
    Secret {
        name: "secret",
        levels: [Warning],
        reported_by: All,
        what: "what looks like a secret was taken out of a text",
        why: "it was there to be read",
        remedy: "revoke it",
    }
    ShadowedFile {
        name: "shadowed-file",
        levels: [Warning],
        reported_by: Check,
        what: "an instruction file is not used because another one of its directory comes first, and says something else",
        why: "who wrote it believes that agents read it",
        remedy: "keep one of the two, or let one import the other: a line `@AGENTS.md` in CLAUDE.md",
    }
    SharedFile {
        name: "shared-file",
        levels: [Warning],
        reported_by: All,
        what: "a file or a directory of antefix's own that other users can write to, or can read though prompts are in it; hooks of a layout that they can write to do not run",
        why: "they can change what your agents are told, or read it, or name programs to run",
        remedy: "see that it is yours, then take their rights away with `chmod`",
    }
    Skill {
        name: "skill",
        levels: [Warning],
        reported_by: All,
        what: "a skill breaks the rules of Agent Skills",
        why: "it is not listed, or not by every agent",
        remedy: "fix its front matter",
    }
    Store {
        name: "store",
        levels: [Warning],
        reported_by: Acp,
        what: "a session was given its prompt, and its ledger could not be written",
        why: "the session goes on unrecorded, and its next turn opens a new epoch",
        remedy: "fix what the message names",
    }
    StrayTag {
        name: "stray-tag",
        levels: [Warning],
        reported_by: All,
        what: "an `[else]` or `[endif]` without its `[if]`",
        why: "it is printed as it is",
        remedy: "remove it, or write `\\[`",
    }
    TimeZone {
        name: "time-zone",
        levels: [Warning],
        reported_by: All,
        what: "the user's time zone cannot be found",
        why: "times for people are in UTC",
        remedy: "set `time_zone` in your settings, or `TZ`, to a name such as `Europe/Berlin`",
    }
    TooLong {
        name: "too-long",
        levels: [Warning],
        reported_by: Acp,
        what: "a message between editor and agent is too long to be read",
        why: "it goes on unchanged, or is refused in a chain of proxies",
        remedy: "send less at once",
    }
    TooManyTokens {
        name: "too-many-tokens",
        levels: [Error],
        reported_by: Check,
        what: "the prompt has more tokens than `--max-tokens` or `max_tokens` allows",
        why: "every request is billed for them, and they take room and attention from the task",
        remedy: "shorten what `antefix explain --headings` shows as long",
    }
    ToolDefinition {
        name: "tool-definition",
        levels: [Warning],
        reported_by: All,
        what: "definitions of tools have hidden characters or what looks like a secret",
        why: "the model reads what you do not",
        remedy: "look at where the tools come from",
    }
    ToolInText {
        name: "tool-in-text",
        levels: [Warning],
        reported_by: Check,
        what: "the prompt repeats a tool's description of 200 bytes or more",
        why: "the model has it in the tool's definition, and it is billed twice",
        remedy: "name tools by a line of their own (`prompt_snippet`), or say `[tools] descriptions = \"leave-out\"`",
    }
    ToolKey {
        name: "tool-key",
        levels: [Warning],
        reported_by: All,
        what: "a tool has a key that nobody knows",
        why: "it is not used: what it was meant to say is not done",
        remedy: "fix its spelling, or leave it out",
    }
    ToolTwice {
        name: "tool-twice",
        levels: [Warning],
        reported_by: All,
        what: "several tools have one name",
        why: "only the first of them is used",
        remedy: "give each tool a name of its own",
    }
    ToolsAlike {
        name: "tools-alike",
        levels: [Warning],
        reported_by: All,
        what: "the names of two tools differ only in case, or in `_` and `-`",
        why: "a model takes one for the other, and some providers refuse both",
        remedy: "give each tool a name of its own, or take one away",
    }
    ToolsOverBudget {
        name: "tools-over-budget",
        levels: [Warning],
        reported_by: Check,
        what: "the definitions of the tools are over the layout's `[tools] budget`",
        why: "tools come first in every request: all of them are written to the cache, read from it, and looked through by the model",
        remedy: "take away what is not used, or defer it (`[tools] defer`)",
    }
    TrustUnreadable {
        name: "trust-unreadable",
        levels: [Warning],
        reported_by: All,
        what: "the file that keeps what you trust is damaged, or not yours alone",
        why: "no hook of any project is run",
        remedy: "fix its mode, or run `antefix trust` again",
    }
    Turn {
        name: "turn",
        levels: [Warning],
        reported_by: Acp,
        what: "a turn of a session could not be taken",
        why: "the prompt goes on without changes and live sections",
        remedy: "fix what the message names",
    }
    UnclosedIf {
        name: "unclosed-if",
        levels: [Warning],
        reported_by: All,
        what: "an `[if …]` without its `[endif]`",
        why: "it is printed as it is",
        remedy: "close it",
    }
    Undelivered {
        name: "undelivered",
        levels: [Warning],
        reported_by: Acp,
        what: "an agent was not given its system prompt",
        why: "it works without your instructions",
        remedy: "fix what the message names, or deliver it in another way",
    }
    UnknownModel {
        name: "unknown-model",
        levels: [Note],
        reported_by: All,
        what: "the table of models has no row for this one, or not all of it",
        why: "tokens and prices are estimates, or are missing",
        remedy: "add a row to models.json in your configuration directory",
    }
    UnknownSection {
        name: "unknown-section",
        levels: [Warning],
        reported_by: All,
        what: "a section to do without that the layout does not have",
        why: "nothing is left out for it",
        remedy: "write it as the layout does",
    }
    UnknownVariable {
        name: "unknown-variable",
        levels: [Warning],
        reported_by: All,
        what: "the catalog has no such name",
        why: "the tag is printed as it is",
        remedy: "`antefix vars` lists the names",
    }
    UnknownWording {
        name: "unknown-wording",
        levels: [Warning],
        reported_by: All,
        what: "there is no wording of this name",
        why: "it changes nothing",
        remedy: "fix the name",
    }
    Unrenderable {
        name: "unrenderable",
        levels: [Error],
        reported_by: Turn,
        what: "the layout, a template or a wording can be read, and what it says now cannot be composed",
        why: "the conversation goes on with its bytes, without what cannot be composed, and cannot be renewed",
        remedy: "fix what the message names",
    }
    UnresolvedVariable {
        name: "unresolved-variable",
        levels: [Note],
        reported_by: Check,
        what: "what looks like a hole in a file that is data",
        why: "the agent sees `${NAME}` and not what it stands for",
        remedy: "write what is meant, or make the text a template",
    }
    Untrusted {
        name: "untrusted",
        levels: [Note],
        reported_by: All,
        what: "the project's text was withheld",
        why: "your settings say so, and the project is not trusted",
        remedy: "name its directory in `trusted`, if you trust it",
    }
    Unused {
        name: "unused",
        levels: [Warning],
        reported_by: Acp,
        what: "the editor brings a system prompt, and the layout has no place for it",
        why: "the agent does not see it",
        remedy: "use a layout with `identity:operator`",
    }
    UnusedSystemFile {
        name: "unused-system-file",
        levels: [Warning],
        reported_by: Check,
        what: "a SYSTEM.md or APPEND_SYSTEM.md that no section of the layout takes",
        why: "what it says reaches no agent",
        remedy: "use a layout that names `instructions:system` or `instructions:append`, such as `pi`, or move its text to AGENTS.md",
    }
    VolatileInPrefix {
        name: "volatile-in-prefix",
        levels: [Note, Warning],
        reported_by: All,
        what: "a fact that changes from turn to turn is before the boundary",
        why: "it goes stale, and what comes after it is billed again each time; `check` says how much that is",
        remedy: "make its section live",
    }
}
