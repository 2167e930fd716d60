//! The saved template: which one counts now, and saving another.

use std::sync::{Arc, Mutex, PoisonError};

use antefix::ErrorKind;
use antefix::compose::Dialect;
use antefix::freeze::store::Appended;
use antefix::freeze::template::{SavedTemplate, TemplateEntry, TemplateRow, template_digest};
use antefix::keeper::Keeper;
use antefix::text::Digest;
use axum::http::StatusCode;
use jiff::Timestamp;

use super::Server;
use super::problem::{Answer, Problem};
use crate::args::ComposeArgs;
use crate::setup::{self, InHand};

/// The largest template, in bytes.
pub(super) const LARGEST: usize = 1024 * 1024;

/// How often a save begins anew because others were faster.
const ROUNDS: usize = 20;

/// The template that counts.
pub(super) struct Current {
    pub(super) dialect: Dialect,
    pub(super) text: Arc<str>,
    pub(super) digest: Digest,
    pub(super) from: From,
    /// What is known of it, if it was saved.
    pub(super) row: Option<TemplateRow>,
}

/// Where a template comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum From {
    /// Somebody saved it.
    Saved,
    /// Nobody saved any: the layout has it.
    Layout,
    /// The layout has it, and what was saved cannot be asked for.
    Unreachable,
}

/// The one that was read last. A saved template never changes, so that its number says whether this is still it.
#[derive(Default)]
pub(super) struct LastRead(Mutex<Option<Arc<SavedTemplate>>>);

/// What whoever saves expects to find.
pub(super) enum Expected {
    Anything,
    /// One of these.
    Digests(Vec<Digest>),
    /// None of these.
    Others(Vec<Digest>),
    /// No template, though there always is one.
    Nothing,
}

impl Expected {
    /// Whether this is what was expected.
    fn is_met_by(&self, counts: &Digest) -> bool {
        match self {
            Expected::Anything => true,
            Expected::Digests(digests) => digests.contains(counts),
            Expected::Others(digests) => !digests.contains(counts),
            Expected::Nothing => false,
        }
    }

    fn refusal(&self, last: Option<&TemplateRow>) -> Problem {
        let error = match self {
            Expected::Anything | Expected::Digests(_) => "Somebody else saved the template meanwhile",
            Expected::Others(_) | Expected::Nothing => "There is a template already",
        };
        let problem = Problem::new(StatusCode::PRECONDITION_FAILED, "conflict", error);
        let problem = match last {
            Some(row) => problem.detail(format!("template {} counts now, {}", row.number, row.digest)),
            None => problem.detail("the layout's own text counts"),
        };
        problem.hint("GET /system-prompt, compare, and save again with its ETag")
    }
}

impl Server {
    /// What is known of the template that counts for the server's layout; none if nobody saved one, or it was deleted.
    pub(super) fn last_saved(&self, keeper: &Keeper) -> Answer<Option<TemplateRow>> {
        let last = keeper.store().last_template(&self.config.layout)?;
        Ok(last.and_then(TemplateEntry::into_saved))
    }

    /// The template that was saved last; none if nobody saved any. One small question; its text is read once.
    pub(super) fn saved(&self, keeper: &Keeper) -> Answer<Option<Arc<SavedTemplate>>> {
        let Some(row) = self.last_saved(keeper)? else { return Ok(None) };
        let mut last = self.last_template.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = last.as_ref().filter(|known| known.row == row) {
            return Ok(Some(Arc::clone(known)));
        }
        let saved = keeper.store().template(row.number)?.map(Arc::new);
        last.clone_from(&saved);
        Ok(saved)
    }

    /// The template that counts, wherever it comes from.
    pub(super) fn current(&self) -> Answer<Current> {
        let saved = self.kept.keeper().and_then(|keeper| self.saved(keeper));
        let from = match saved {
            Ok(Some(saved)) => {
                let (row, text) = (saved.row.clone(), Arc::clone(&saved.text));
                return Ok(Current {
                    dialect: row.dialect,
                    text,
                    digest: row.digest,
                    from: From::Saved,
                    row: Some(row),
                });
            }
            Ok(None) => From::Layout,
            Err(problem) if problem.status() == StatusCode::SERVICE_UNAVAILABLE => From::Unreachable,
            Err(problem) => return Err(problem),
        };
        let (dialect, text) = self.own_template(None)?;
        let digest = template_digest(dialect, &text);
        Ok(Current { dialect, text, digest, from, row: None })
    }

    /// What a layout says where a saved template would stand; of the server's layout, if none is named.
    pub(super) fn own_template(&self, layout: Option<&str>) -> Answer<(Dialect, Arc<str>)> {
        let prepared = setup::prepared(&self.args(layout))?;
        let editable = prepared.editable();
        Ok((editable.dialect, editable.text.into()))
    }

    /// The arguments of a command with the same layout, in the first root.
    pub(super) fn args(&self, layout: Option<&str>) -> ComposeArgs {
        ComposeArgs {
            layout: Some(layout.unwrap_or(&self.config.layout).to_owned()),
            cwd: self.config.roots.first().cloned(),
            ..ComposeArgs::default()
        }
    }

    /// Refuses a template that cannot be parsed.
    pub(super) fn check_template(&self, dialect: Dialect, text: &Arc<str>) -> Answer<()> {
        if text.len() > LARGEST {
            let message = format!("A template has at most {LARGEST} bytes, and this one has {}", text.len());
            return Err(Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "too-large", message));
        }
        let given = InHand { template: Some((dialect, Arc::clone(text))), tools: None };
        setup::prepared_with(&self.args(None), given).map(drop).map_err(Problem::from)
    }

    /// Saves a template, if what counts is what its author has seen. The answer is what counts then.
    pub(super) fn save(
        &self,
        dialect: Dialect,
        text: &Arc<str>,
        author: Option<String>,
        expected: &Expected,
    ) -> Answer<Current> {
        let keeper = self.kept.keeper().map_err(not_available)?;
        for _ in 0..ROUNDS {
            // The number first: what somebody saves behind this line takes the next one, and this save begins anew.
            let entries = keeper.store().templates(None, None, 1).map_err(Problem::from).map_err(not_available)?;
            let number = entries.first().map_or(1, |entry| entry.number() + 1);
            let last = self.last_saved(keeper).map_err(not_available)?;
            if !matches!(expected, Expected::Anything) {
                let counts = match &last {
                    Some(row) => row.digest,
                    None => {
                        let (dialect, text) = self.own_template(None)?;
                        template_digest(dialect, &text)
                    }
                };
                if !expected.is_met_by(&counts) {
                    return Err(expected.refusal(last.as_ref()));
                }
            }
            // The same template again is no news.
            let row = match last.filter(|row| row.digest == template_digest(dialect, text)) {
                Some(row) => row,
                None => {
                    let (layout, text) = (self.config.layout.as_str(), Arc::clone(text));
                    let at = Timestamp::now();
                    let template = SavedTemplate::new(number, layout, dialect, text, at, author.clone());
                    match keeper.store().save_template(&template).map_err(Problem::from).map_err(not_available)? {
                        Appended::Won => template.row,
                        Appended::Lost(_) => continue,
                    }
                }
            };
            let digest = row.digest;
            return Ok(Current { dialect, text: Arc::clone(text), digest, from: From::Saved, row: Some(row) });
        }
        Err(antefix::Error::new(ErrorKind::Conflict, "the template is saved by others all the time").into())
    }
}

/// What clients of the first server of this kind know.
fn not_available(problem: Problem) -> Problem {
    match problem.status() {
        StatusCode::SERVICE_UNAVAILABLE => problem.called("System prompt service not available"),
        _ => problem,
    }
}
