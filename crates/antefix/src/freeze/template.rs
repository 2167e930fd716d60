//! The port to whatever keeps the templates that people save.
//!
//! 1. A saved template belongs to the layout that it was saved for. The store does not know what a layout is: it compares
//!    the names that it is given.
//! 2. Saving and deleting are entries of one history of all layouts, numbered from 1 without gaps. No entry ever changes or
//!    goes; only a template's label may. A deletion is an entry, too: from it on, the layout's own text is used.
//! 3. Whoever saves or deletes says which number is next. Of several with the same number one wins, and the others learn the
//!    winner: two people who edit at once, on two replicas, cannot both win. So ask for the last number first, and only then
//!    for the current one: an entry that came in between then has the number that was to be the next.
//! 4. Rolling back is saving an old text anew.

use std::sync::Arc;

use jiff::Timestamp;

use super::store::{Appended, StoreResult};
use super::truncate_to_millis;
use crate::compose::Dialect;
use crate::text::Digest;

/// What is known of a saved template beside its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateRow {
    /// From 1, without gaps. Order is by this number, never by time.
    pub number: u64,
    /// The layout that it was saved for: the name of a built-in one, or the path of a file.
    pub layout: String,
    /// The digest of dialect and text.
    pub digest: Digest,
    /// How it spells its holes.
    pub dialect: Dialect,
    /// How many bytes it has.
    pub bytes: u64,
    /// When it was saved, by the clock of whoever saved it.
    pub at: Timestamp,
    /// By whom, if they said so.
    pub author: Option<String>,
    /// What somebody calls it.
    pub label: Option<String>,
}

/// A saved template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedTemplate {
    /// What is known of it.
    pub row: TemplateRow,
    /// The text of the template.
    pub text: Arc<str>,
}

impl SavedTemplate {
    /// A template to save; `at` is truncated to milliseconds.
    pub fn new(
        number: u64,
        layout: impl Into<String>,
        dialect: Dialect,
        text: impl Into<Arc<str>>,
        at: Timestamp,
        author: Option<String>,
    ) -> SavedTemplate {
        let (layout, text) = (layout.into(), text.into());
        let at = truncate_to_millis(at);
        let (digest, bytes) = (template_digest(dialect, &text), text.len() as u64);
        let row = TemplateRow { number, layout, digest, dialect, bytes, at, author, label: None };
        SavedTemplate { row, text }
    }
}

/// A template that was deleted: from this number on, the layout's own text counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateDeletion {
    /// Its number, in the same series as those of saved templates.
    pub number: u64,
    /// The layout whose template was deleted.
    pub layout: String,
    /// When it was deleted, by the clock of whoever deleted it.
    pub at: Timestamp,
    /// By whom, if they said so.
    pub author: Option<String>,
}

impl TemplateDeletion {
    /// A deletion to write; `at` is truncated to milliseconds.
    pub fn new(number: u64, layout: impl Into<String>, at: Timestamp, author: Option<String>) -> TemplateDeletion {
        TemplateDeletion { number, layout: layout.into(), at: truncate_to_millis(at), author }
    }
}

/// An entry of the history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TemplateEntry {
    /// Somebody saved a template.
    Saved(TemplateRow),
    /// Somebody deleted a layout's template.
    Deleted(TemplateDeletion),
}

impl TemplateEntry {
    /// Its number in the history.
    pub fn number(&self) -> u64 {
        match self {
            TemplateEntry::Saved(row) => row.number,
            TemplateEntry::Deleted(deletion) => deletion.number,
        }
    }

    /// The layout that it is about.
    pub fn layout(&self) -> &str {
        match self {
            TemplateEntry::Saved(row) => &row.layout,
            TemplateEntry::Deleted(deletion) => &deletion.layout,
        }
    }

    /// When it was made.
    pub fn at(&self) -> Timestamp {
        match self {
            TemplateEntry::Saved(row) => row.at,
            TemplateEntry::Deleted(deletion) => deletion.at,
        }
    }

    /// By whom, if they said so.
    pub fn author(&self) -> Option<&str> {
        match self {
            TemplateEntry::Saved(row) => row.author.as_deref(),
            TemplateEntry::Deleted(deletion) => deletion.author.as_deref(),
        }
    }

    /// The template that it saved; none for a deletion.
    pub fn saved(&self) -> Option<&TemplateRow> {
        match self {
            TemplateEntry::Saved(row) => Some(row),
            TemplateEntry::Deleted(_) => None,
        }
    }

    /// The template that it saved, without the entry around it.
    pub fn into_saved(self) -> Option<TemplateRow> {
        match self {
            TemplateEntry::Saved(row) => Some(row),
            TemplateEntry::Deleted(_) => None,
        }
    }
}

/// The digest of a template: the same text in another dialect is another template.
pub fn template_digest(dialect: Dialect, text: &str) -> Digest {
    Digest::framed("antefix/template/1", [("dialect", dialect.name()), ("text", text)])
}

/// Something that keeps saved templates.
pub trait Templates: Send + Sync {
    /// The last entry of a layout; none if nobody saved a template for it.
    fn last_template(&self, layout: &str) -> StoreResult<Option<TemplateEntry>>;

    /// A saved template with its text; none if no entry has the number, or a deletion has it.
    fn template(&self, number: u64) -> StoreResult<Option<SavedTemplate>>;

    /// The entries with lower numbers than `before`, descending, at most `limit`; of all layouts, if none is named.
    fn templates(&self, layout: Option<&str>, before: Option<u64>, limit: usize) -> StoreResult<Vec<TemplateEntry>>;

    /// The last template of a layout with this digest, also one that was deleted since.
    fn template_with(&self, layout: &str, digest: Digest) -> StoreResult<Option<SavedTemplate>>;

    /// Saves one. Its number must be one more than that of the last entry of all layouts, or 1. That entry is what a loser
    /// gets as the answer.
    fn save_template(&self, template: &SavedTemplate) -> StoreResult<Appended<TemplateEntry>>;

    /// Deletes a layout's template: a further entry, numbered like one that saves. What was saved stays in the history.
    fn delete_template(&self, deletion: &TemplateDeletion) -> StoreResult<Appended<TemplateEntry>>;

    /// Gives a template a label in the place of any other, or takes it away. The answer is the row as it is then; none if
    /// there is no such template.
    fn label_template(&self, number: u64, label: Option<&str>) -> StoreResult<Option<TemplateRow>>;
}
