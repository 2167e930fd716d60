//! What was found, and what was considered and not taken.

use super::fact::FactName;
use super::world::Reason;

/// The two lists of a discovery.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// What was loaded.
    pub loaded: Vec<Loaded>,
    /// What was asked for, or would usually be, and is not in the facts.
    pub not_loaded: Vec<NotLoaded>,
}

/// Something that was loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loaded {
    /// The fact.
    pub fact: FactName,
    /// The file that it came from, if it was one.
    pub path: Option<String>,
    /// How many bytes of it there are.
    pub bytes: usize,
}

/// Something that was not loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotLoaded {
    /// The fact.
    pub fact: FactName,
    /// Why not.
    pub why: Why,
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
}

impl Why {
    /// The name in documents, from a closed set.
    pub fn name(&self) -> &'static str {
        match self {
            Why::Absent => "absent",
            Why::Unavailable(reason) => reason.code.name(),
            Why::Unknown => "unknown",
        }
    }

    /// For people.
    pub fn detail(&self) -> String {
        match self {
            Why::Absent => "there is none".to_owned(),
            Why::Unavailable(reason) => reason.to_string(),
            Why::Unknown => "the catalog has no such name".to_owned(),
        }
    }
}
