//! What was found, and what was considered and not taken.

use std::collections::BTreeSet;

use super::world::{Reason, ReasonCode};
use crate::diagnostic::{Code, Diagnostic};
use crate::text::FactName;

/// The two lists of a discovery.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// What was loaded.
    pub loaded: Vec<Loaded>,
    /// What was asked for, or would usually be, and is not in the facts.
    pub not_loaded: Vec<NotLoaded>,
    /// Facts of several files whose files the caller handed in: nothing was read for them.
    pub by_caller: BTreeSet<FactName>,
}

/// Something that was loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loaded {
    /// The fact that it is about.
    pub fact: FactName,
    /// The file that it came from, if it was one.
    pub path: Option<String>,
    /// How many bytes of it there are.
    pub bytes: usize,
    /// How many there were before any of it was cut, as far as it was read.
    pub whole: usize,
}

impl Loaded {
    /// Something that was loaded as a whole.
    pub(crate) fn whole(fact: &FactName, path: Option<String>, bytes: usize) -> Loaded {
        Loaded { fact: fact.clone(), path, bytes, whole: bytes }
    }

    /// Whether some of it is not there.
    pub fn is_cut(&self) -> bool {
        self.bytes < self.whole
    }
}

/// Something that was not loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotLoaded {
    /// The fact that it is about.
    pub fact: FactName,
    /// The file, if it was one of several candidates.
    pub path: Option<String>,
    /// Why it was not loaded.
    pub why: Why,
}

impl NotLoaded {
    /// Whether it belongs to another user.
    pub(crate) fn is_foreign(&self) -> bool {
        matches!(&self.why, Why::Unavailable(reason) if reason.code == ReasonCode::ForeignOwner)
    }

    /// The reason in words, for people.
    pub fn detail(&self) -> String {
        match (&self.why, self.fact.as_str()) {
            (Why::Absent, "git:branch") => "not in a git repository, or there is no commit yet".to_owned(),
            (Why::Absent, _) if self.fact.namespace() == "git" => "not in a git repository".to_owned(),
            (Why::Absent, "identity:operator") => "none is configured, or it is empty".to_owned(),
            (Why::Absent, "memory:core") => "whoever keeps it answered that there is none".to_owned(),
            (why, _) => why.detail(),
        }
    }
}

/// What a budget left of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FileLeft {
    /// The file, as the report names it.
    pub(crate) path: String,
    /// How many bytes of it are left; none if it is dropped.
    pub(crate) bytes: Option<usize>,
}

impl Report {
    /// Brings what was loaded of a fact up to what a budget left of its files.
    pub(crate) fn fit(&mut self, fact: &FactName, files: &[FileLeft]) {
        for loaded in std::mem::take(&mut self.loaded) {
            let is_it = |file: &&FileLeft| loaded.fact == *fact && loaded.path.as_deref() == Some(file.path.as_str());
            match files.iter().find(is_it) {
                None => self.loaded.push(loaded),
                Some(FileLeft { bytes: Some(bytes), .. }) => self.loaded.push(Loaded { bytes: *bytes, ..loaded }),
                Some(FileLeft { bytes: None, .. }) => {
                    let Loaded { fact, path, whole, .. } = loaded;
                    self.not_loaded.push(NotLoaded { fact, path, why: Why::OverBudget { bytes: whole } });
                }
            }
        }
    }
}

/// Why something was not loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Why {
    /// Asked, and there is none.
    Absent,
    /// Could not ask, or may not.
    Unavailable(Reason),
    /// The catalog does not have it.
    Unknown,
    /// Another file of the same directory, or of the same name, comes first.
    Shadowed {
        /// The one that was taken.
        by: String,
    },
    /// It is the same file as another one.
    Duplicate {
        /// The one that was taken.
        of: String,
    },
    /// There is nothing in it.
    Empty,
    /// Its name is refused.
    Refused,
    /// The layout or the user's settings leave it out by its path.
    LeftOut {
        /// The pattern, and where it is written.
        by: String,
    },
    /// It lies above the project root.
    AboveRoot,
    /// No section of the layout takes it.
    NoSection,
    /// It did not fit the budget.
    OverBudget {
        /// How large it is.
        bytes: usize,
    },
    /// Whoever is told the prompt reads it by itself.
    ReadByAgent {
        /// The agent.
        agent: String,
    },
    /// Its author hides it.
    Disabled,
    /// An ignore file names it, or the directory that it lies in.
    Ignored {
        /// The file and the line.
        by: String,
    },
    /// The agent has no tool that it would need for it.
    ToolMissing {
        /// Any of them would do.
        tools: Vec<String>,
    },
    /// It applies only to paths that its patterns match, and waits for one.
    Scoped {
        /// As their author wrote them.
        patterns: Vec<String>,
    },
    /// It applies only to paths that its patterns match, and no file of the project does.
    NeverMatched {
        /// As their author wrote them.
        patterns: Vec<String>,
    },
    /// It lies below the working directory, and waits until something beside or below it is touched.
    Nested,
    /// It is a rule for agents that ask for it by its description.
    OnRequest,
    /// It is a rule that only a person brings in.
    ByHand,
    /// It is a rule for other agents.
    Excluded,
    /// It cannot be used as it is.
    Invalid {
        /// What is wrong with it.
        detail: String,
    },
}

impl Why {
    /// The name in documents, from a closed set.
    pub fn name(&self) -> &'static str {
        match self {
            Why::Absent => "absent",
            Why::Unavailable(reason) => reason.code.name(),
            Why::Unknown => "unknown",
            Why::Shadowed { .. } => "shadowed",
            Why::Duplicate { .. } => "duplicate",
            Why::Empty => "empty",
            Why::Refused => "refused",
            Why::AboveRoot => "above-root",
            Why::NoSection => "no-section",
            Why::LeftOut { .. } => "left-out",
            Why::OverBudget { .. } => "over-budget",
            Why::ReadByAgent { .. } => "read-by-agent",
            Why::Disabled => "disabled",
            Why::Ignored { .. } => "ignored",
            Why::ToolMissing { .. } => "tool-missing",
            Why::Scoped { .. } => "scoped",
            Why::NeverMatched { .. } => "never-matched",
            Why::Nested => "nested",
            Why::OnRequest => "on-request",
            Why::ByHand => "by-hand",
            Why::Excluded => "excluded",
            Why::Invalid { .. } => "invalid",
        }
    }

    /// The reason in words, for people.
    pub fn detail(&self) -> String {
        match self {
            Why::Absent => "there is none".to_owned(),
            Why::Unavailable(reason) => reason.to_string(),
            Why::Unknown => "the catalog has no such name".to_owned(),
            Why::Shadowed { by } => format!("{by} comes first"),
            Why::Duplicate { of } => format!("it is the same file as {of}"),
            Why::Empty => "there is nothing in it".to_owned(),
            Why::AboveRoot => "it is above the project root, where the layout does not look".to_owned(),
            Why::NoSection => "no section of the layout takes it".to_owned(),
            Why::LeftOut { by } => format!("{by} leaves it out"),
            Why::Refused => "the layout refuses its name".to_owned(),
            Why::OverBudget { bytes } => format!("its {bytes} bytes do not fit the budget"),
            Why::ReadByAgent { agent } => format!("{agent} reads it by itself"),
            Why::Disabled => "its author hides it from the model".to_owned(),
            Why::Ignored { by } => format!("{by} ignores it"),
            Why::ToolMissing { tools } => format!("the agent has none of the tools {}", tools.join(", ")),
            Why::Scoped { patterns } => format!("it waits for a path like {}", listed(patterns)),
            Why::NeverMatched { patterns } => format!("no file of the project is like {}", listed(patterns)),
            Why::Nested => "it applies once something in its directory is touched".to_owned(),
            Why::OnRequest => "it has no patterns, and agents cannot ask for it by its description yet".to_owned(),
            Why::ByHand => "it has neither patterns nor a description: only a person brings it in".to_owned(),
            Why::Excluded => "it excludes coding agents".to_owned(),
            Why::Invalid { detail } => detail.clone(),
        }
    }
}

/// One finding about all that is left to the agent.
pub(super) fn left_to_agent(report: &Report) -> Option<Diagnostic> {
    let left: Vec<(&str, &str)> = report
        .not_loaded
        .iter()
        .filter_map(|one| match (&one.why, one.path.as_deref()) {
            (Why::ReadByAgent { agent }, Some(path)) => Some((agent.as_str(), path)),
            _ => None,
        })
        .collect();
    let (agent, _) = left.first()?;
    let paths: Vec<String> = left.iter().map(|(_, path)| (*path).to_owned()).collect();
    let message = format!("left out, because {agent} reads them by itself: {}", listed(&paths));
    Some(Diagnostic::note(Code::ReadByAgent, message).hint("`--tell-again` tells the agent all the same"))
}

/// The first patterns, each shortened: a rule may have hundreds.
pub(crate) fn listed(patterns: &[String]) -> String {
    const LISTED: usize = 10;
    const LONGEST: usize = 60;
    let short = |pattern: &String| match pattern.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &pattern[..end]),
        None => pattern.clone(),
    };
    let mut list = patterns.iter().take(LISTED).map(short).collect::<Vec<_>>().join(", ");
    if patterns.len() > LISTED {
        list.push_str(&format!(" and {} more", patterns.len() - LISTED));
    }
    list
}
