//! Templates that people save: which one applies, saving another one, going back to the layout's own text.
//!
//! 1. A saved template belongs to the layout that it was saved for, and is never applied to another one. A built-in layout
//!    is known by its name, any other one by the path of its file.
//! 2. It applies in every front end that has the same store.
//! 3. Conversations that are open keep their bytes until they are renewed or compacted.
//! 4. One that can no longer be composed, because of what it includes or because another program wrote it, gives way to the newest
//!    before it that can be, and a finding says so; not to one that somebody has deleted since.
//! 5. Two people who save at once cannot both win: whoever saves may say what they have seen.

use std::sync::Arc;

use super::remembered::Remembered;
use super::{Antefix, Ask, Look, Project, ProjectContext, TemplateChoice};
use crate::compose::Dialect;
use crate::diagnostic::{Code, Diagnostic, Level};
use crate::error::{Error, ErrorKind, Result};
use crate::freeze::store::Appended;
use crate::freeze::template::{SavedTemplate, TemplateDeletion, TemplateEntry, TemplateRow, template_digest};
use crate::text::Digest;

/// The largest template that can be saved, in bytes.
pub const TEMPLATE_LIMIT: usize = 1024 * 1024;

/// How often saving begins again because somebody else was faster.
const ATTEMPTS: usize = 20;

/// How many versions are tried until one can be composed.
const VERSIONS: usize = 10;

/// The text of a layout's editable section, and where it comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CurrentTemplate {
    /// What saved templates know the layout by.
    pub layout: String,
    /// How it spells its holes.
    pub dialect: Dialect,
    /// What it says.
    pub text: Arc<str>,
    /// The digest of dialect and text.
    pub digest: Digest,
    /// Where it comes from.
    pub from: TemplateFrom,
    /// Its entry in the history, if it was saved.
    pub row: Option<TemplateRow>,
}

/// Where a template comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TemplateFrom {
    /// Somebody saved it.
    Saved,
    /// Nobody saved one, or it was deleted: the layout has it.
    Layout,
    /// The layout has it, and the store with saved ones cannot be reached.
    Unreachable,
}

/// What whoever saves or deletes a template expects to replace.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum TemplateCondition {
    /// Whatever there is.
    #[default]
    Anything,
    /// A template with one of these digests.
    OneOf(Vec<Digest>),
    /// A template with none of these digests.
    NoneOf(Vec<Digest>),
    /// The layout's own text: nobody has saved a template, or it was deleted.
    NotSaved,
    /// What each of these expects.
    All(Vec<TemplateCondition>),
}

impl TemplateCondition {
    /// The first condition that is not met; none if all are.
    pub fn broken_by(&self, current: &CurrentTemplate) -> Option<&TemplateCondition> {
        let is_met = match self {
            TemplateCondition::Anything => true,
            TemplateCondition::OneOf(digests) => digests.contains(&current.digest),
            TemplateCondition::NoneOf(digests) => !digests.contains(&current.digest),
            TemplateCondition::NotSaved => current.row.is_none(),
            TemplateCondition::All(all) => return all.iter().find_map(|one| one.broken_by(current)),
        };
        if is_met { None } else { Some(self) }
    }
}

/// How saving or deleting ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TemplateOutcome {
    /// It is done, and this template applies now.
    Done(CurrentTemplate),
    /// The condition is not met: this template applies, and nothing was written.
    Refused(CurrentTemplate),
}

impl Project {
    /// The text of the layout's editable section: the saved one, else the layout's own.
    ///
    /// ```
    /// use antefix::compose::Dialect;
    /// use antefix::project::{TemplateCondition, TemplateFrom};
    /// use antefix::{Antefix, Ask, worlds::MemoryWorld};
    ///
    /// # let world = MemoryWorld::new().directory("/p");
    /// # let project = Antefix::builder().world(world).store("memory").build()?.project("/p")?;
    /// let anything = TemplateCondition::Anything;
    /// project.save_template(&Ask::new(), Dialect::Bracket, "You are Ada, in [prompt:cwd].", None, &anything)?;
    /// assert_eq!(project.template(&Ask::new())?.from, TemplateFrom::Saved);
    /// let turn = project.conversation("c1")?.turn(Ask::new())?;
    /// assert!(turn.prefix().starts_with("You are Ada, in ."));
    /// # Ok::<(), antefix::Error>(())
    /// ```
    pub fn template(&self, ask: &Ask) -> Result<CurrentTemplate> {
        let context = self.context(&own(ask), &self.first_said(ask))?;
        match self.antefix.saved_template(&context.layout_key) {
            Ok(Some((row, text))) => Ok(CurrentTemplate::saved(row, text)),
            Ok(None) => Ok(CurrentTemplate::of_layout(&context, TemplateFrom::Layout)),
            Err(error) if error.kind().passes() => Ok(CurrentTemplate::of_layout(&context, TemplateFrom::Unreachable)),
            Err(error) => Err(error),
        }
    }

    /// The text that the layout has by itself.
    pub fn own_template(&self, ask: &Ask) -> Result<CurrentTemplate> {
        let context = self.context(&own(ask), &self.first_said(ask))?;
        Ok(CurrentTemplate::of_layout(&context, TemplateFrom::Layout))
    }

    /// Saves a template for the layout, if what applies is what `condition` expects. A text that cannot be parsed or rendered here is refused;
    /// the same template again is not saved twice.
    pub fn save_template(
        &self,
        ask: &Ask,
        dialect: Dialect,
        text: impl Into<Arc<str>>,
        author: Option<&str>,
        condition: &TemplateCondition,
    ) -> Result<TemplateOutcome> {
        let text = text.into();
        if text.len() > TEMPLATE_LIMIT {
            let message = format!("a template has at most {TEMPLATE_LIMIT} bytes, and this one has {}", text.len());
            return Err(Error::new(ErrorKind::Limit, message));
        }
        let draft = Ask { template: TemplateChoice::Draft { dialect, text: Arc::clone(&text) }, ..ask.clone() };
        let key = self.context(&draft, &self.first_said(ask))?.layout_key.clone();
        // Whoever saves a text that cannot be rendered would stop every conversation that opens. That a fact is not there, or
        // cannot be asked for, is not the text's fault: a turn may have it.
        if let Err(error) = self.preview(draft, Look::Composing)
            && error.fact().is_none()
            && error.kind() != ErrorKind::Refused
        {
            return Err(error);
        }
        let digest = template_digest(dialect, &text);
        self.write_template(ask, condition, |number, current| {
            if current.row.as_ref().is_some_and(|row| row.digest == digest) {
                return Ok(Written::Unchanged);
            }
            let (at, author) = (self.antefix.world().now(), author.map(str::to_owned));
            let template = SavedTemplate::new(number, key.as_str(), dialect, Arc::clone(&text), at, author);
            Ok(match self.antefix.keeper()?.store().save_template(&template)? {
                Appended::Won => Written::Now(Box::new(CurrentTemplate::saved(template.row, template.text))),
                Appended::Lost(_) => Written::TooLate,
            })
        })
    }

    /// Deletes the layout's saved template, if it is what `condition` expects: the layout's own text applies again. What was
    /// saved stays in the history.
    pub fn delete_template(
        &self,
        ask: &Ask,
        author: Option<&str>,
        condition: &TemplateCondition,
    ) -> Result<TemplateOutcome> {
        self.write_template(ask, condition, |number, current| {
            if current.from == TemplateFrom::Layout {
                return Ok(Written::Unchanged);
            }
            let (at, author) = (self.antefix.world().now(), author.map(str::to_owned));
            let deletion = TemplateDeletion::new(number, current.layout.as_str(), at, author);
            Ok(match self.antefix.keeper()?.store().delete_template(&deletion)? {
                Appended::Won => Written::Now(Box::new(self.own_template(ask)?)),
                Appended::Lost(_) => Written::TooLate,
            })
        })
    }

    /// Composes what nobody has bytes of yet. Where the saved template cannot be composed, the newest one before it is taken that can
    /// be, and a finding says so; without one, the error is that of the template that was saved last.
    pub(super) fn with_last_good<T>(
        &self,
        ask: &Ask,
        said: &Remembered,
        compose: impl Fn(&Ask) -> Result<T>,
        findings: impl FnOnce(&mut T) -> &mut Vec<Diagnostic>,
    ) -> Result<T> {
        let error = match compose(ask) {
            Err(error) if ask.template == TemplateChoice::Saved && may_be_the_templates_fault(&error) => error,
            composed => return composed,
        };
        let Ok(context) = self.context(&own(ask), said) else { return Err(error) };
        let Some(keeper) = self.antefix.ledger().existing(self.antefix.world())? else { return Err(error) };
        let entries = keeper.store().templates(Some(&context.layout_key), None, VERSIONS + 1)?;
        // Before a deletion the layout's own text applied: what is older was taken back.
        let mut versions = entries.iter().map_while(TemplateEntry::saved);
        let Some(last) = versions.next() else { return Err(error) };
        for version in versions.filter(|version| version.digest != last.digest) {
            match compose(&Ask { template: TemplateChoice::Version(version.number), ..ask.clone() }) {
                Ok(mut composed) => {
                    let finding = earlier(&error, last.number, version.number);
                    findings(&mut composed).insert(0, finding);
                    return Ok(composed);
                }
                // It is not the template that is wrong.
                Err(other) if other == error => break,
                Err(other) if may_be_the_templates_fault(&other) => {}
                Err(other) => return Err(other),
            }
        }
        Err(error)
    }

    /// Writes an entry of the history, and again if somebody else was faster.
    fn write_template(
        &self,
        ask: &Ask,
        condition: &TemplateCondition,
        write: impl Fn(u64, &CurrentTemplate) -> Result<Written>,
    ) -> Result<TemplateOutcome> {
        let store = self.antefix.keeper()?.store();
        for _ in 0..ATTEMPTS {
            // The number first: an entry that somebody else writes behind this line takes it, and this one begins again.
            let number = store.templates(None, None, 1)?.first().map_or(1, |entry| entry.number() + 1);
            let current = self.template(ask)?;
            if condition.broken_by(&current).is_some() {
                return Ok(TemplateOutcome::Refused(current));
            }
            match write(number, &current)? {
                Written::Now(written) => return Ok(TemplateOutcome::Done(*written)),
                Written::Unchanged => return Ok(TemplateOutcome::Done(current)),
                Written::TooLate => {}
            }
        }
        Err(Error::new(ErrorKind::Conflict, "others save templates faster than this one can be saved")
            .with_hint("try again"))
    }

    /// The entries of the history of the layout's template below the number `before`, the last one first.
    pub fn template_history(&self, ask: &Ask, before: Option<u64>, limit: usize) -> Result<Vec<TemplateEntry>> {
        let key = self.template_key(ask)?;
        Ok(self.antefix.keeper()?.store().templates(Some(&key), before, limit)?)
    }

    /// The template of the layout that was saved under a number; none if there is none.
    pub fn saved_template(&self, ask: &Ask, number: u64) -> Result<Option<SavedTemplate>> {
        let key = self.template_key(ask)?;
        let saved = self.antefix.keeper()?.store().template(number)?;
        Ok(saved.filter(|saved| saved.row.layout == key))
    }

    /// The last template of the layout that was saved with a digest; none if there is none.
    pub fn saved_template_with(&self, ask: &Ask, digest: Digest) -> Result<Option<SavedTemplate>> {
        let key = self.template_key(ask)?;
        Ok(self.antefix.keeper()?.store().template_with(&key, digest)?)
    }

    fn template_key(&self, ask: &Ask) -> Result<String> {
        Ok(self.context(&own(ask), &self.first_said(ask))?.layout_key.clone())
    }
}

/// Whether another template could be composed. That a fact is not there, or cannot be asked for, is not a text's fault.
fn may_be_the_templates_fault(error: &Error) -> bool {
    let of_template = matches!(error.kind(), ErrorKind::Parse | ErrorKind::Render | ErrorKind::Load | ErrorKind::Limit);
    of_template && error.fact().is_none()
}

/// What is worth knowing where a template gives way to an earlier one.
fn earlier(error: &Error, last: u64, used: u64) -> Diagnostic {
    let message =
        format!("the saved template {last} cannot be composed, so template {used} is used: {}", error.message());
    let hint = format!("fix what is named here, or save another template; new conversations open with template {used}");
    let finding = Diagnostic::new(Level::Error, Code::EarlierTemplate, message).hint(hint);
    match error.place() {
        Some(place) => finding.at(place.clone()),
        None => finding,
    }
}

/// What became of an entry of the history.
enum Written {
    Now(Box<CurrentTemplate>),
    /// There is nothing to write.
    Unchanged,
    /// Somebody else has the number.
    TooLate,
}

impl CurrentTemplate {
    fn saved(row: TemplateRow, text: Arc<str>) -> CurrentTemplate {
        CurrentTemplate {
            layout: row.layout.clone(),
            dialect: row.dialect,
            text,
            digest: row.digest,
            from: TemplateFrom::Saved,
            row: Some(row),
        }
    }

    fn of_layout(context: &ProjectContext, from: TemplateFrom) -> CurrentTemplate {
        let editable = context.layout.editable();
        CurrentTemplate {
            layout: context.layout_key.clone(),
            dialect: editable.dialect,
            text: editable.text.into(),
            digest: template_digest(editable.dialect, editable.text),
            from,
            row: None,
        }
    }
}

impl Antefix {
    /// The template that was saved for a layout; none if nobody saved one, or it was deleted. Its text is read once.
    pub(super) fn saved_template(&self, layout: &str) -> Result<Option<(TemplateRow, Arc<str>)>> {
        let Some(keeper) = self.ledger().existing(self.world())? else { return Ok(None) };
        let Some(row) = keeper.last_template(layout)? else { return Ok(None) };
        let text = keeper.cached(row.digest, || {
            let saved = keeper.store().template(row.number)?;
            let missing = || Error::new(ErrorKind::Conflict, format!("the saved template {} is gone", row.number));
            let text = saved.ok_or_else(missing)?.text;
            let bytes = text.len();
            Ok((text, bytes))
        })?;
        Ok(Some((row, Arc::clone(&text))))
    }
}

/// The same ask for the layout as it is by itself.
fn own(ask: &Ask) -> Ask {
    Ask { template: TemplateChoice::Own, ..ask.clone() }
}
