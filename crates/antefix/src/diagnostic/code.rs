//! The closed set of what can be found: what each code means, who reports it, and what to do.

use std::fmt;

use super::examples::EXAMPLES;
use super::{Code, Level};

/// What there is to know about a code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// The stable kebab-case name, for filters and documentation.
    pub name: &'static str,
    /// The levels that its findings have, the lowest first.
    pub levels: &'static [Level],
    /// Who reports it.
    pub reported_by: ReportedBy,
    /// What was found.
    pub what: &'static str,
    /// What it costs if nothing is done.
    pub why: &'static str,
    /// What to do about it.
    pub remedy: &'static str,
}

/// Which commands report a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReportedBy {
    /// All that compose a prompt. A turn on a prefix that was frozen before composes its live part alone, and reports
    /// what that has.
    All,
    /// `check` and `explain`, because looking takes longer than composing.
    Check,
    /// `check --for`, about a request.
    CheckFor,
    /// `turn`, about the conversation.
    Turn,
    /// `show --touch`.
    Touch,
    /// `acp`, about a session.
    Acp,
    /// `agents` and `check --as`, about what other agents read.
    Agents,
    /// `why`, about two turns.
    Why,
}

impl ReportedBy {
    /// In words, for the reference page.
    fn in_words(self) -> &'static str {
        match self {
            ReportedBy::All => "all",
            ReportedBy::Check => "`check`, `explain`",
            ReportedBy::CheckFor => "`check --for`",
            ReportedBy::Turn => "`turn`",
            ReportedBy::Touch => "touching a path",
            ReportedBy::Acp => "`acp`",
            ReportedBy::Agents => "`agents`, `check --as`",
            ReportedBy::Why => "`why`",
        }
    }
}

/// Makes the enum of codes and their entries from the same rows, so that there is no code without an entry.
macro_rules! codes {
    ($($code:ident {
        name: $name:literal,
        levels: $levels:expr,
        reported_by: $reported_by:expr,
        what: $what:literal,
        why: $why:literal,
        remedy: $remedy:literal,
    })*) => {
        /// What a finding is, from a closed set.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Code {
            $(#[doc = concat!("`", $name, "`: ", $what, ".")] $code,)*
        }

        impl Code {
            /// All codes, by name.
            pub const ALL: &'static [Code] = &[$(Code::$code),*];

            /// What there is to know about the code.
            pub fn entry(self) -> &'static $crate::diagnostic::Entry {
                match self {
                    $(Code::$code => &$crate::diagnostic::Entry {
                        name: $name,
                        levels: &$levels,
                        reported_by: $reported_by,
                        what: $what,
                        why: $why,
                        remedy: $remedy,
                    },)*
                }
            }
        }
    };
}
pub(super) use codes;

impl Code {
    /// The stable kebab-case name.
    pub fn name(self) -> &'static str {
        self.entry().name
    }

    /// Whether findings with this code are about a hook.
    pub fn is_about_hooks(self) -> bool {
        self.name().starts_with("hook-")
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Code {
    /// What it is found in, for example.
    pub fn example(self) -> &'static str {
        let name = self.name();
        let found = EXAMPLES.binary_search_by_key(&name, |(code, _)| code).ok();
        found.map_or("", |number| EXAMPLES[number].1)
    }
}

/// The reference page, `docs/reference/findings.md`.
pub fn reference_page() -> String {
    let mut page = String::from(include_str!("page.md"));
    for code in Code::ALL {
        let Entry { name, levels, reported_by, what, why, remedy } = code.entry();
        let levels: Vec<&str> = levels.iter().map(|level| level.name()).collect();
        let (levels, reported_by) = (levels.join(" or "), reported_by.in_words());
        let example = code.example();
        page.push_str(&format!("| `{name}` | {levels} | {what} | {example} | {why} | {remedy} | {reported_by} |\n"));
    }
    page
}
