//! The one table of names that a template may use.
//!
//! It feeds the resolver, the validation of both dialects, `antefix vars`, the HTTP interface, the editor's buttons and
//! `docs/reference/variables.md`. To add a fact, add a row here and an arm in the source that answers its namespace.

use crate::diagnostic::did_you_mean;
use crate::text::FactName;

/// One fact of the catalog.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// The namespace, such as `git`.
    pub namespace: &'static str,
    /// What is asked; in angle brackets if the template fills it in.
    pub name: &'static str,
    /// What the answer is, for people.
    pub description: &'static str,
    /// How the jinja dialect spells it.
    pub jinja: &'static str,
    /// How soon the answer moves on.
    pub pace: Pace,
}

/// How soon an answer moves on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Pace {
    /// With the machine, the repository or the caller's own doing.
    Steady,
    /// It changes every day.
    Daily,
    /// From one turn to the next: in a prefix it would cost a cache miss each time it is composed again.
    Volatile,
}

impl Entry {
    /// `namespace:name`.
    pub fn key(&self) -> String {
        format!("{}:{}", self.namespace, self.name)
    }

    /// The name of the fact; one that the template fills in is still in angle brackets.
    pub fn fact(&self) -> FactName {
        FactName::new(self.namespace, self.name)
    }

    /// Whether the answer is a list, and no text, in jinja.
    pub(crate) fn is_list(&self) -> bool {
        matches!(
            (self.namespace, self.name),
            ("tools", "names" | "entries") | ("instructions", "files") | ("skills", "entries")
        )
    }

    /// Whether the template fills in the name.
    pub fn is_dynamic(&self) -> bool {
        self.name.starts_with('<')
    }
}

const fn row(
    namespace: &'static str,
    name: &'static str,
    jinja: &'static str,
    pace: Pace,
    description: &'static str,
) -> Entry {
    Entry { namespace, name, description, jinja, pace }
}

/// Every fact that a template may name.
pub const CATALOG: &[Entry] = &[
    row("system", "time", "system.time", Pace::Volatile, "the instant, ISO 8601 in UTC with milliseconds"),
    row("system", "datetime", "datetime", Pace::Volatile, "the instant, RFC 3339 in UTC with whole seconds"),
    row("system", "long_time", "system.long_time", Pace::Volatile, "the instant in words, in the user's time zone"),
    row("system", "clock", "time", Pace::Volatile, "the time of day in UTC, HH:MM:SS"),
    row("system", "date", "date", Pace::Daily, "the day in UTC, YYYY-MM-DD"),
    row(
        "system",
        "local_date",
        "system.local_date",
        Pace::Daily,
        "the day in the user's time zone, YYYY-MM-DD and the zone's abbreviation",
    ),
    row("system", "os", "system.os", Pace::Steady, "the platform: `linux`, `darwin`, `win32`"),
    row(
        "system",
        "os_name",
        "system.os_name",
        Pace::Steady,
        "what the operating system calls itself: on Linux the distribution's name, else the platform",
    ),
    row(
        "system",
        "os_version",
        "system.os_version",
        Pace::Steady,
        "the operating system's version: the release of its kernel, as `uname -r` prints it",
    ),
    row("system", "hostname", "system.hostname", Pace::Steady, "the name of the machine"),
    row("system", "shell", "system.shell", Pace::Steady, "the user's shell, from $SHELL"),
    row(
        "prompt",
        "cwd",
        "cwd",
        Pace::Steady,
        "the conversation's working directory, shown as the layout's `paths` says",
    ),
    row(
        "prompt",
        "cwd_absolute",
        "prompt.cwd_absolute",
        Pace::Steady,
        "the conversation's working directory as it was given, always in full",
    ),
    row("prompt", "root", "prompt.root", Pace::Steady, "the project root, always in full: where relative paths start"),
    row("prompt", "home", "prompt.home", Pace::Steady, "the user's home directory, in full: where `~/` starts"),
    row("prompt", "model", "prompt.model", Pace::Steady, "the model's name, if the caller gave one"),
    row(
        "prompt",
        "conversation_id",
        "prompt.conversation_id",
        Pace::Steady,
        "the conversation's id, if the caller gave one",
    ),
    row("prompt", "workspace_id", "prompt.workspace_id", Pace::Steady, "the workspace's id, if the caller gave one"),
    row("git", "branch", "git.branch", Pace::Volatile, "the branch; HEAD when detached"),
    row("git", "status", "git.status", Pace::Volatile, "what `git status --short` prints; empty when clean"),
    row("git", "diff", "git.diff", Pace::Volatile, "what `git diff` prints: the work tree against the index"),
    row(
        "git",
        "diff_staged",
        "git.diff_staged",
        Pace::Volatile,
        "what `git diff --staged` prints: the index against the last commit",
    ),
    row("git", "diff_all", "git.diff_all", Pace::Volatile, "both: the unstaged changes, then the staged ones"),
    row("git", "diffstat", "git.diffstat", Pace::Volatile, "what `git diff --stat` prints"),
    row("git", "diffstat_staged", "git.diffstat_staged", Pace::Volatile, "what `git diff --stat --staged` prints"),
    row(
        "git",
        "diffstat_all",
        "git.diffstat_all",
        Pace::Volatile,
        "both counts, the unstaged changes' first, each without white space at its ends",
    ),
    row(
        "file",
        "<path>",
        "file(\"<path>\")",
        Pace::Steady,
        "the text of a file beneath the project root, named from the working directory",
    ),
    row(
        "instructions",
        "files",
        "instructions.files",
        Pace::Steady,
        "AGENTS.md and its relatives, as the layout's `[instructions]` says; in jinja a list of maps with `path`, `text` and `body`",
    ),
    row(
        "instructions",
        "system",
        "instructions.system",
        Pace::Steady,
        "SYSTEM.md of the project, else the user's: a replacement for the layout's own words",
    ),
    row(
        "instructions",
        "append",
        "instructions.append",
        Pace::Steady,
        "APPEND_SYSTEM.md of the project, else the user's",
    ),
    row("skills", "listing", "skills.listing", Pace::Steady, "the skills that the agent can load, as an XML block"),
    row("skills", "index", "skills.index", Pace::Steady, "the skills, one a line, with the digest of each body"),
    row(
        "skills",
        "entries",
        "skills.entries",
        Pace::Steady,
        "the skills one by one; in jinja a list of maps with `name`, `description`, `location`, `root`, `run_mode`, `tools` and \
         `digest`, and escaped `xml_name`, `xml_description`, `xml_location` and `xml_root`",
    ),
    row(
        "identity",
        "operator",
        "identity.operator",
        Pace::Steady,
        "what whoever runs the agent says it is: from the file, program or address in the user's settings",
    ),
    row(
        "memory",
        "core",
        "memory.core",
        Pace::Steady,
        "what the agent keeps in mind: from the file, program or address in the user's settings",
    ),
    row(
        "documentation",
        "main",
        "documentation.main",
        Pace::Steady,
        "where the agent's own documentation is, from `[documentation]` in the user's settings",
    ),
    row("documentation", "additional", "documentation.additional", Pace::Steady, "where there is more of it"),
    row("documentation", "examples", "documentation.examples", Pace::Steady, "where there are examples"),
    row(
        "command",
        "<name>",
        "command.<name>",
        Pace::Steady,
        "what a program prints that the user's settings declare as `[commands.NAME]`, in projects that the user trusts",
    ),
    row("env", "<NAME>", "env.<NAME>", Pace::Steady, "a variable of the environment that the user's settings allow"),
    row(
        "tools",
        "names",
        "tools",
        Pace::Steady,
        "the names of the agent's tools, by name or as the layout's `[tools]` says; a list in jinja",
    ),
    row("tools", "list", "tools.list", Pace::Steady, "the agent's tools, one a line, with what each is for"),
    row(
        "tools",
        "entries",
        "tools.entries",
        Pace::Steady,
        "the agent's tools one by one; in jinja a list of maps with `name`, `line`, `snippet` and `description`, and escaped \
         `xml_name`, `xml_line`, `xml_snippet` and `xml_description`",
    ),
    row(
        "tools",
        "guidelines",
        "tools.guidelines",
        Pace::Steady,
        "advice that fits the agent's tools, one point a line; without tools what holds for every agent",
    ),
    row(
        "tools",
        "instructions",
        "tools.instructions",
        Pace::Steady,
        "what the MCP servers that the caller names say about their tools, each in a tag with its name",
    ),
    row("scope", "summary", "scope.summary", Pace::Steady, "the directories that the agent may read and write"),
];

/// What the catalog says to a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lookup {
    /// It is in the table.
    Known(&'static Entry),
    /// The namespace is, the name is not.
    UnknownName,
    /// Nobody answers this namespace.
    UnknownNamespace,
}

/// Looks a name up.
///
/// ```
/// # use antefix::discover::catalog::{Lookup, lookup};
/// # use antefix::text::FactName;
/// assert!(matches!(lookup(&FactName::new("git", "branch")), Lookup::Known(_)));
/// assert!(matches!(lookup(&FactName::new("file", "any/path.md")), Lookup::Known(_)));
/// assert!(matches!(lookup(&FactName::new("git", "brunch")), Lookup::UnknownName));
/// assert!(matches!(lookup(&FactName::new("TODO", " fix")), Lookup::UnknownNamespace));
/// ```
pub fn lookup(name: &FactName) -> Lookup {
    let mut of_namespace = CATALOG.iter().filter(|entry| entry.namespace == name.namespace()).peekable();
    if of_namespace.peek().is_none() {
        return Lookup::UnknownNamespace;
    }
    match of_namespace.find(|entry| entry.is_dynamic() || entry.name == name.name()) {
        Some(entry) => Lookup::Known(entry),
        None => Lookup::UnknownName,
    }
}

/// The namespaces, in the table's order, each once.
pub fn namespaces() -> impl Iterator<Item = &'static str> {
    CATALOG.chunk_by(|one, next| one.namespace == next.namespace).filter_map(|rows| Some(rows.first()?.namespace))
}

/// The name that an unknown one was probably meant to be.
pub fn suggestion(name: &FactName) -> Option<String> {
    if let Some(entry) =
        CATALOG.iter().find(|entry| entry.is_dynamic() && entry.namespace.eq_ignore_ascii_case(name.namespace()))
    {
        return Some(format!("{}:{}", entry.namespace, name.name()));
    }
    if let Some(namespace) = did_you_mean(name.namespace(), namespaces()).filter(|found| *found != name.namespace()) {
        let moved = FactName::new(namespace, name.name());
        if matches!(lookup(&moved), Lookup::Known(_)) {
            return Some(moved.to_string());
        }
    }
    let keys: Vec<String> = CATALOG.iter().filter(|entry| !entry.is_dynamic()).map(Entry::key).collect();
    did_you_mean(name.as_str(), keys.iter().map(String::as_str)).map(str::to_owned)
}

/// The reference page, `docs/reference/variables.md`.
pub fn reference_page() -> String {
    let mut page = String::from(include_str!("variables_head.md"));
    for entry in CATALOG {
        let pace = match entry.pace {
            Pace::Steady => "",
            Pace::Daily => "daily",
            Pace::Volatile => "every turn",
        };
        page.push_str(&format!(
            "| `[{}]` | `{{{{ {} }}}}` | {} | {pace} |\n",
            entry.key(),
            entry.jinja,
            entry.description
        ));
    }
    page
}
