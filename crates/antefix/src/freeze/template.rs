//! The port to whatever keeps the templates that people save.
//!
//! 1. Saved templates are numbered from 1 without gaps, and none ever changes or goes; only its label may.
//! 2. Whoever saves says which number is next. Of several with the same number one wins, and the others learn the winner:
//!    two people who edit at once, on two replicas, cannot both win.
//! 3. Rolling back is saving an old text anew.

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
    /// What it says.
    pub text: Arc<str>,
}

impl SavedTemplate {
    /// A template to save; of `at` the milliseconds count.
    pub fn new(
        number: u64,
        dialect: Dialect,
        text: impl Into<Arc<str>>,
        at: Timestamp,
        author: Option<String>,
    ) -> SavedTemplate {
        let text = text.into();
        let at = truncate_to_millis(at);
        let (digest, bytes) = (template_digest(dialect, &text), text.len() as u64);
        let row = TemplateRow { number, digest, dialect, bytes, at, author, label: None };
        SavedTemplate { row, text }
    }
}

/// The digest of a template: the same text in another dialect is another template.
pub fn template_digest(dialect: Dialect, text: &str) -> Digest {
    Digest::framed("antefix/template/1", [("dialect", dialect.name()), ("text", text)])
}

/// Something that keeps saved templates.
pub trait Templates: Send + Sync {
    /// What is known of the one that was saved last; none if nobody saved any.
    fn last_template(&self) -> StoreResult<Option<TemplateRow>>;

    /// One of them with its text.
    fn template(&self, number: u64) -> StoreResult<Option<SavedTemplate>>;

    /// Those with lower numbers than `before`, descending, at most `limit`.
    fn templates(&self, before: Option<u64>, limit: usize) -> StoreResult<Vec<TemplateRow>>;

    /// The last one with this digest.
    fn template_with(&self, digest: Digest) -> StoreResult<Option<SavedTemplate>>;

    /// Saves one. Its number must be one more than the last one's, or 1. The row of a loser's answer is the last one's.
    fn save_template(&self, template: &SavedTemplate) -> StoreResult<Appended<TemplateRow>>;

    /// Gives one a label in the place of any other, or takes it away. The answer is the row as it is then; none if there
    /// is no such template.
    fn label_template(&self, number: u64, label: Option<&str>) -> StoreResult<Option<TemplateRow>>;
}
