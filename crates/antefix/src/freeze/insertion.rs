//! Insertions: what antefix puts between the messages of a caller's history.
//!
//! 1. A caller keeps its own messages and nothing else. What somebody queued, and what applies since a path was touched, belongs
//!    to the conversation and is in its ledger.
//! 2. An insertion waits until a turn takes it. From then on it is in every request, at the place that it had in the first one,
//!    so that the bytes before and after it stay the same: across renewals, and until a compaction is committed.
//! 3. What is true of the moment is one, too, where a layout keeps it: it is said again only when it has changed, and the last one counts.
//! 4. Its place is a count of the caller's messages. It is given once, by the first turn that says how many there are.

use std::collections::BTreeMap;

use jiff::Timestamp;

use crate::text::Digest;

/// A text between the messages of a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Insertion {
    /// Ascending within a conversation, over all kinds.
    pub number: u64,
    /// Where it came from.
    pub kind: InsertionKind,
    /// When it was appended.
    pub at: Timestamp,
    /// What it says.
    pub text: String,
    /// The turn that took it; none while it waits.
    pub taken: Option<Taken>,
}

/// Where an insertion came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InsertionKind {
    /// Somebody queued it for the next turn.
    Queued,
    /// The live part of a turn: the sections that it says, with the digests of their texts.
    Live(BTreeMap<String, Digest>),
    /// A path was touched, from which on these files apply: their paths, with the digests of what they say.
    Touched(BTreeMap<String, Digest>),
}

/// The turn that took an insertion.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Taken {
    /// Its name, if it had one.
    pub turn: Option<String>,
    /// How many messages of the caller's own came before; none until a turn says how many there are.
    pub place: Option<u64>,
}

/// All insertions of a conversation that wait or are repeated.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Insertions {
    /// The highest number that was ever given; 0 if there is none.
    pub last: u64,
    /// Ascending by number.
    pub all: Vec<Insertion>,
}

/// Where a store keeps the sections of a live part.
#[cfg(any(feature = "sqlite", feature = "postgres"))]
const LIVE: &str = "live";

impl Insertion {
    /// The highest number, and the furthest place, that an insertion from elsewhere may have: every JSON reader can tell it from
    /// the next, no conversation gets there, and whoever begins behind it has room in every store.
    pub const HIGHEST: u64 = (1 << 53) - 1;

    /// Its name in receipts and for hooks: the kind and the number.
    pub fn name(&self) -> String {
        format!("{} {}", self.kind.name(), self.number)
    }
}

impl InsertionKind {
    /// The name in documents.
    pub fn name(&self) -> &'static str {
        match self {
            InsertionKind::Queued => "queued",
            InsertionKind::Live(_) => "live",
            InsertionKind::Touched(_) => "touched",
        }
    }

    /// What a store keeps of it besides its text: the files of a touch, or the sections of a live part; none for a message.
    #[cfg(any(feature = "sqlite", feature = "postgres"))]
    pub(crate) fn record(&self) -> Option<String> {
        match self {
            InsertionKind::Queued => None,
            InsertionKind::Live(sections) => {
                Some(serde_json::to_string(&BTreeMap::from([(LIVE, sections)])).unwrap_or_default())
            }
            InsertionKind::Touched(files) => Some(serde_json::to_string(files).unwrap_or_default()),
        }
    }

    /// Reads what a store kept.
    #[cfg(any(feature = "sqlite", feature = "postgres"))]
    pub(crate) fn parse(record: Option<&str>) -> Result<InsertionKind, serde_json::Error> {
        Ok(match record {
            None => InsertionKind::Queued,
            Some(record) => match serde_json::from_str::<BTreeMap<String, BTreeMap<String, Digest>>>(record) {
                // The files of a touch have digests, and no sections.
                Ok(mut live) if live.contains_key(LIVE) => InsertionKind::Live(live.remove(LIVE).unwrap_or_default()),
                _ => InsertionKind::Touched(serde_json::from_str(record)?),
            },
        })
    }
}

impl Insertions {
    /// Those that wait for a turn.
    pub fn waiting(&self) -> impl Iterator<Item = &Insertion> {
        self.all.iter().filter(|one| one.taken.is_none())
    }

    /// Those that a turn took, which later turns repeat.
    pub fn taken(self) -> impl Iterator<Item = Insertion> {
        self.all.into_iter().filter(|one| one.taken.is_some())
    }

    /// The files that the conversation has since a path was touched, with the digests of what was said of them last.
    pub fn touched(&self) -> BTreeMap<String, Digest> {
        let files = self.all.iter().filter_map(|one| match &one.kind {
            InsertionKind::Touched(files) => Some(files.clone()),
            InsertionKind::Queued | InsertionKind::Live(_) => None,
        });
        files.flatten().collect()
    }
}
