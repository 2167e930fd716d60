//! The one table of what can be found. `docs/lints.md` is printed from it.

/// A row: a code, and what there is to know about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lint {
    /// The stable name.
    pub code: &'static str,
    /// Who tells it.
    pub told_by: ToldBy,
    /// What was found.
    pub what: &'static str,
    /// What it costs.
    pub why: &'static str,
    /// What to do.
    pub remedy: &'static str,
}

/// Which commands tell a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToldBy {
    /// All that compose a prompt.
    All,
    /// `check` and `explain`, because looking takes longer than composing.
    Check,
    /// `turn`, about the conversation.
    Turn,
    /// `show --touch`.
    Touch,
    /// `acp`, about a session.
    Acp,
    /// `why`, about two turns.
    Why,
}

const fn row(code: &'static str, told_by: ToldBy, what: &'static str, why: &'static str, remedy: &'static str) -> Lint {
    Lint { code, told_by, what, why, remedy }
}

use ToldBy::{Acp, All, Check, Touch, Turn, Why};

/// The table, by code.
pub const LINTS: &[Lint] = &[
    row(
        "bad-pattern",
        All,
        "a pattern of a rule that cannot be used, or whose braces stand for too many",
        "the rule does not hold where it was meant to",
        "mend the pattern, or split it",
    ),
    row(
        "below-cache-minimum",
        All,
        "the prefix is shorter than what the model's provider caches at all",
        "every turn is billed in full",
        "nothing, or move what stays before the boundary",
    ),
    row(
        "blank",
        All,
        "a tag printed nothing",
        "the sentence around it lost its point",
        "write it in `[if …]`, or mend the fact",
    ),
    row(
        "clock-in-text",
        Check,
        "a time of day in a variable, a file, or a line that says it was generated",
        "if a program writes it, the prefix is new each time",
        "leave the time out, or make the section live",
    ),
    row(
        "contradiction",
        Check,
        "two rules of which nobody can keep both",
        "the agent obeys one of them, and you do not know which",
        "keep one, or say for what each of them holds",
    ),
    row(
        "customized-builtin",
        Check,
        "a copy of a built-in layout, prompt or wording whose original has changed",
        "what was mended there is not mended here",
        "compare the two, take what you want, then renew the mark",
    ),
    row(
        "cut",
        All,
        "a text was longer than its budget",
        "its end is not told",
        "shorten the text, or raise the budget",
    ),
    row(
        "daily-in-prefix",
        All,
        "a fact that is new every day stands before the boundary",
        "conversations of tomorrow share nothing behind it; `check` says how much that is",
        "make its section live",
    ),
    row(
        "file-unavailable",
        All,
        "a file is there and was not read",
        "what it says is not told",
        "mend what the message names",
    ),
    row(
        "foreign-owner",
        All,
        "a `.git` or `.antefix` that belongs to another user",
        "it does not mark the project, so the root may be elsewhere than you think",
        "take it over if it is yours",
    ),
    row(
        "frame-drops-text",
        All,
        "a wording that frames a section does not print it",
        "the section is lost",
        "print the variable that the message names",
    ),
    row("gap", All, "a fact could not be asked for", "what depends on it is left out", "mend the cause"),
    row(
        "git-unavailable",
        All,
        "git did not answer",
        "the prompt says nothing about branch or changes",
        "mend what git says",
    ),
    row(
        "hidden-text",
        All,
        "characters that nobody sees",
        "the agent reads what you do not",
        "remove them; your settings may say `hidden_text`",
    ),
    row(
        "hook-empty",
        All,
        "a hook replaced the system text with nothing",
        "it changed nothing",
        "leave `system` out of its answer",
    ),
    row(
        "hook-failed",
        All,
        "a hook ended badly, was late or answered nonsense",
        "the turn goes on without it",
        "mend what the message names",
    ),
    row(
        "hook-modified",
        All,
        "a hook of the project has other bytes than the ones that were trusted",
        "it is not run",
        "look at what changed, then `antefix trust`",
    ),
    row(
        "hook-root",
        All,
        "a hook named a root that is missing or may not be looked into",
        "what lies there is not told",
        "mend the path, or allow it by `file_roots` in your settings",
    ),
    row(
        "hook-undelivered",
        Acp,
        "a hook says something with a turn that an ACP agent cannot be told",
        "the agent does not hear it",
        "let the hook append text, or add a message of the user's",
    ),
    row(
        "hook-untrusted",
        All,
        "a hook comes with the project, and nobody has trusted it",
        "it is not run",
        "look at it, then `antefix trust`",
    ),
    row(
        "id-in-text",
        Check,
        "an id that is new for each conversation or run stands before the boundary",
        "no two conversations share what stands behind it",
        "make its section live, or leave it out",
    ),
    row(
        "import",
        All,
        "an `@path` was not followed",
        "the text stays as it was written",
        "mend the path, or write it in backticks",
    ),
    row(
        "invalid-rule",
        All,
        "the front matter of a rule cannot be read",
        "the rule holds nowhere",
        "mend its front matter",
    ),
    row(
        "link-text",
        Check,
        "a file has nothing but the name of another one in it",
        "a link was checked out as a text: the agent is told a name and no rules",
        "check the link out as a link, or copy the text",
    ),
    row(
        "machine-path",
        Check,
        "a path or a name of one machine stands before the boundary",
        "no other machine or clone shares the prefix, and for others the path is wrong",
        "write it from the project root or `~/`, or make its section live",
    ),
    row("message", Turn, "a message was queued for this turn", "it is sent with it", "nothing"),
    row("more-findings", All, "a template has more findings than are told", "some are not seen", "mend the first ones"),
    row(
        "no-reading-tool",
        All,
        "skills are not listed, because no tool could read one",
        "the agent does not know of them",
        "give it one of the tools that `needs_tool` names",
    ),
    row(
        "no-yaml",
        All,
        "the front matter of a rule is no YAML and was read line by line",
        "other programs may lose the rule",
        "put patterns in quotes",
    ),
    row("not-utf8", All, "git printed bytes that are no UTF-8", "they became U+FFFD", "nothing, or rename the file"),
    row(
        "nothing-touched",
        Touch,
        "no rule and no nested instruction file comes to hold for the paths",
        "the notice is empty",
        "nothing, or look at what `antefix explain` lists",
    ),
    row(
        "other-dialect",
        All,
        "a tag of another dialect than the section's",
        "it is printed as it is",
        "set the section's `dialect`",
    ),
    row(
        "other-ledger",
        Why,
        "the conversation's ledger does not have the epochs of both receipts",
        "the part that changed is told, and not its byte and origin",
        "name the conversation and the store that the receipts belong to",
    ),
    row(
        "outside-project",
        Touch,
        "a path that was touched lies outside the project",
        "no rule of the project holds there",
        "name a path of the project",
    ),
    row(
        "over-budget",
        All,
        "texts did not fit together",
        "some are left out or shortened",
        "shorten them, or raise the budget",
    ),
    row("pending", Turn, "a change was held back", "the agent is not told of it yet", "renew, if it must know now"),
    row(
        "project-settings",
        All,
        "a project has a settings.toml in its `.antefix`",
        "nothing in it counts",
        "move what you want to your own settings",
    ),
    row(
        "remote-unavailable",
        All,
        "a text that a server keeps could not be fetched",
        "what depends on it is left out",
        "mend what the message names",
    ),
    row(
        "repeated-text",
        Check,
        "the same paragraph twice before the boundary",
        "every copy is billed, and one of two copies is soon out of date",
        "keep it in one place",
    ),
    row(
        "replaced",
        All,
        "SYSTEM.md stands in the place of a section that names facts",
        "those facts are not told",
        "write what is needed into the replacement",
    ),
    row(
        "rule-never-matches",
        Check,
        "no file of the project matches a rule",
        "the rule never holds",
        "mend its patterns, or remove it",
    ),
    row(
        "scan-limit",
        All,
        "a directory of skills or rules, or the project, is too deep or too large",
        "the rest is not looked into",
        "move them up",
    ),
    row("secret", All, "what looks like a secret was taken out of a text", "it was there to be read", "revoke it"),
    row(
        "skill",
        All,
        "a skill breaks the rules of Agent Skills",
        "it is not listed, or not by every agent",
        "mend its front matter",
    ),
    row(
        "stray-tag",
        All,
        "an `[else]` or `[endif]` without its `[if]`",
        "it is printed as it is",
        "remove it, or write `\\[`",
    ),
    row(
        "tool-definition",
        All,
        "definitions of tools have hidden characters or what looks like a secret",
        "the model reads what you do not",
        "look at where the tools come from",
    ),
    row(
        "tool-twice",
        All,
        "several tools have one name",
        "only the first of them counts",
        "give each tool a name of its own",
    ),
    row(
        "trust-unreadable",
        All,
        "the file that keeps what you trust is damaged, or not yours alone",
        "no hook of any project is run",
        "mend its mode, or run `antefix trust` again",
    ),
    row("unclosed-if", All, "an `[if …]` without its `[endif]`", "it is printed as it is", "close it"),
    row(
        "unknown-model",
        All,
        "the table of models has no row for this one, or not all of it",
        "tokens and prices are estimates, or are not told",
        "add a row to models.json in your configuration directory",
    ),
    row(
        "unknown-variable",
        All,
        "the catalog has no such name",
        "the tag is printed as it is",
        "`antefix vars` lists the names",
    ),
    row("unknown-wording", All, "there is no wording of this name", "it changes nothing", "mend the name"),
    row(
        "unresolved-variable",
        Check,
        "what looks like a hole in a file that is data",
        "the agent is told `${NAME}` and not what it stands for",
        "write what is meant, or make the text a template",
    ),
    row(
        "untrusted",
        All,
        "the project's text was withheld",
        "your settings say so, and the project is not trusted",
        "name its directory in `trusted`, if you trust it",
    ),
    row(
        "volatile-in-prefix",
        All,
        "a fact that moves from turn to turn stands before the boundary",
        "it goes stale, and what stands behind it is billed again each time; `check` says how much that is",
        "make its section live",
    ),
];

/// The reference page, `docs/lints.md`.
pub fn reference_page() -> String {
    let mut page = String::from(include_str!("table_head.md"));
    for lint in LINTS {
        let told_by = match lint.told_by {
            All => "all",
            Check => "`check`, `explain`",
            Turn => "`turn`",
            Touch => "`show --touch`",
            Acp => "`acp`",
            Why => "`why`",
        };
        page.push_str(&format!("| `{}` | {} | {} | {} | {told_by} |\n", lint.code, lint.what, lint.why, lint.remedy));
    }
    page
}
