//! A ledger on its way into a store, and what of it is lacking there.
//!
//! 1. A ledger is a series: an epoch, its amendments, the next epoch. One of the two series, the store's and the copy's, must
//!    begin with the other. Where they part they are two conversations with one name, and nothing is written.
//! 2. An insertion is known by its time and its text. One that went with a turn, or has ended, is there as well, and is not appended
//!    again. It keeps its number unless that is taken.
//! 3. What the conversation remembers is the copy's, as if it had been told just now, unless the store has later epochs.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::store::{AmendmentRow, Bundle, EpochRow};
use super::{ConversationId, Insertion};
use crate::text::Digest;

/// A conversation's ledger from elsewhere. Whoever makes one has checked that its rows follow one another and that their
/// texts can be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LedgerCopy {
    /// Whose ledger it is.
    pub conversation: ConversationId,
    /// Epochs and amendments with their texts, in order.
    pub rows: Vec<(LedgerRow, Bundle)>,
    /// What the conversation remembers.
    pub memory: Option<Bundle>,
    /// What is put between its messages: what waits, and what turns repeat.
    pub insertions: Vec<Insertion>,
}

/// A row of a ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LedgerRow {
    /// An epoch.
    Epoch(EpochRow),
    /// An amendment of the epoch before it.
    Amendment(AmendmentRow),
}

/// What a store has of a conversation.
#[derive(Debug, Clone, Default)]
pub struct LedgerThere {
    /// Epochs and amendments, in order.
    pub rows: Vec<LedgerRow>,
    /// All insertions, also those that have ended, by time and text.
    pub messages: Vec<(Timestamp, String)>,
    /// What it remembers.
    pub said: Option<Digest>,
}

/// What a store lacks of a copy.
#[derive(Debug)]
pub struct Lacking<'c> {
    /// Rows to append.
    pub rows: &'c [(LedgerRow, Bundle)],
    /// What to remember.
    pub memory: Option<&'c Bundle>,
    /// Insertions to append.
    pub insertions: Vec<&'c Insertion>,
    /// How many epochs of the copy are there.
    pub known: u64,
}

/// What became of copies that a store was given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Copied {
    /// All that was lacking is there now: what was, copy by copy.
    Done(Vec<CopiedLedger>),
    /// A ledger in the store goes on otherwise, and nothing was written.
    Parted(Parted),
}

/// What was lacking of one copy.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CopiedLedger {
    /// How many epochs were appended.
    pub epochs: u64,
    /// How many were there already.
    pub known: u64,
    /// How many insertions were appended.
    pub messages: u64,
}

/// Where the ledger in the store and the copy part: the row that the store has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parted(pub Box<LedgerRow>);

impl LedgerCopy {
    /// What of it a store lacks that has so much of it.
    pub fn lacking(&self, there: &LedgerThere) -> Result<Lacking<'_>, Parted> {
        let both = self.rows.iter().zip(&there.rows);
        if let Some((_, other)) = both.clone().find(|((row, _), other)| row != *other) {
            return Err(Parted(Box::new(other.clone())));
        }
        let is_epoch = |row: &&LedgerRow| matches!(row, LedgerRow::Epoch(_));
        let known = both.clone().map(|(_, row)| row).filter(is_epoch).count() as u64;
        let has_later = there.rows.iter().skip(self.rows.len()).any(|row| is_epoch(&row));
        let is_remembered = |memory: &&Bundle| there.said == Some(Digest::of(&memory.body));
        let memory = self.memory.as_ref().filter(|memory| !is_remembered(memory));
        Ok(Lacking {
            rows: self.rows.get(there.rows.len()..).unwrap_or_default(),
            memory: memory.filter(|_| there.said.is_none() || !has_later),
            insertions: self.insertions_lacking(there),
            known,
        })
    }

    /// Two of them may have one time and one text: as many are lacking as there are fewer.
    fn insertions_lacking(&self, there: &LedgerThere) -> Vec<&Insertion> {
        let mut known: BTreeMap<(Timestamp, &str), usize> = BTreeMap::new();
        for (at, text) in &there.messages {
            *known.entry((*at, text)).or_default() += 1;
        }
        let mut lacking = Vec::new();
        for insertion in &self.insertions {
            match known.get_mut(&(insertion.at, insertion.text.as_str())) {
                Some(count @ 1..) => *count -= 1,
                _ => lacking.push(insertion),
            }
        }
        lacking
    }
}

impl Lacking<'_> {
    /// Whether there is nothing to write.
    pub fn is_nothing(&self) -> bool {
        self.rows.is_empty() && self.memory.is_none() && self.insertions.is_empty()
    }

    /// The same as numbers.
    pub fn counted(&self) -> CopiedLedger {
        let epochs = self.rows.iter().filter(|(row, _)| matches!(row, LedgerRow::Epoch(_)));
        CopiedLedger { epochs: epochs.count() as u64, known: self.known, messages: self.insertions.len() as u64 }
    }

    /// The insertions to append behind the last number, each with the number that it gets.
    pub fn numbered(&self, last: u64) -> Vec<Insertion> {
        let mut last = last;
        let mut next = |number: u64| {
            last = number.max(last + 1);
            last
        };
        self.insertions.iter().map(|one| Insertion { number: next(one.number), ..(*one).clone() }).collect()
    }

    /// All texts to write.
    pub fn bundles(&self) -> impl Iterator<Item = &Bundle> {
        self.rows.iter().map(|(_, bundle)| bundle).chain(self.memory)
    }
}

impl LedgerThere {
    /// What a store has, from its epochs in order, each with its amendments in order.
    pub fn new(epochs: impl IntoIterator<Item = (EpochRow, Vec<AmendmentRow>)>) -> LedgerThere {
        let mut there = LedgerThere::default();
        for (epoch, amendments) in epochs {
            there.rows.push(LedgerRow::Epoch(epoch));
            there.rows.extend(amendments.into_iter().map(LedgerRow::Amendment));
        }
        there
    }
}

impl std::fmt::Display for Parted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &*self.0 {
            LedgerRow::Epoch(row) => write!(f, "the store has another epoch {} of {}", row.number, row.conversation),
            LedgerRow::Amendment(row) => {
                let AmendmentRow { conversation, epoch, number, .. } = row;
                write!(f, "the store has another amendment {number} of epoch {epoch} of {conversation}")
            }
        }
    }
}
