//! Notices: what an amendment says.
//!
//! 1. Where the files of a fact are known one by one, each file that changed has a notice of its own.
//! 2. Otherwise the whole section is said again, or is said to apply no longer.
//! 3. What could not be asked for gives no notice.
//! 4. Where it is known what the conversation was told, and the lines that are others now are much shorter than all of it, one notice
//!    says those lines alone.
//! 5. What a file says cannot close the notice that it is in.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::amendment::AmendmentBody;
use super::change::{Step, steps};
use super::fingerprint::FactFingerprint;
use super::patch::patch;
use super::record::AmendmentKind;
use crate::compose::policy::NoticeForm;
use crate::compose::{Layout, WordingKey, compose_section, print};
use crate::discover::{Answer, Facts, Value, protected};
use crate::error::Result;
use crate::text::{Digest, Draft, FactName, Origin, Text};

/// The tag that frames a notice's text.
const TAG: &str = "amendment";

/// What notices are made from.
pub(super) struct Notices<'n> {
    pub(super) layout: &'n Layout,
    pub(super) facts: &'n Facts,
    /// What the conversation has been told so far.
    pub(super) fingerprints: &'n BTreeMap<FactName, FactFingerprint>,
    /// The section's text as the conversation knows it, if that is known.
    pub(super) known: Option<&'n str>,
}

impl Notices<'_> {
    /// The notices for a section whose named facts have changed. `unreadable` names files that could not be read;
    /// `said` is the digest of the section's text as the conversation knows it, if it has any.
    pub(super) fn of_section(
        &self,
        section: &str,
        changed: &[FactName],
        unreadable: &dyn Fn(&str) -> bool,
        said: Option<Digest>,
    ) -> Result<Vec<AmendmentBody>> {
        let mut notices = match changed.iter().all(|name| self.is_by_file(name)) {
            true => {
                let mut notices = Vec::new();
                for name in changed {
                    notices.extend(self.of_files(section, name, unreadable)?);
                }
                notices
            }
            false => self.of_entire_section(section, changed, said)?.into_iter().collect(),
        };
        // What is there and could not be read is missing in the section's text, and is not gone.
        if notices.is_empty() || self.hides_files(changed, unreadable) {
            return Ok(notices);
        }
        let now = compose_section(self.layout, section, self.facts)?;
        let now: Arc<str> = now.as_ref().map_or("", |text| text.as_str().trim()).into();
        if let Some(edited) = self.edited(section, changed, &now, &notices)? {
            return Ok(vec![edited]);
        }
        if let Some(last) = notices.last_mut() {
            last.known = Some(now);
        }
        Ok(notices)
    }

    /// Whether a file is there that the facts do not have, because it could not be read.
    fn hides_files(&self, changed: &[FactName], unreadable: &dyn Fn(&str) -> bool) -> bool {
        let known = changed.iter().filter_map(|name| self.fingerprints.get(name)).filter_map(FactFingerprint::files);
        known.flat_map(BTreeMap::keys).any(|file| unreadable(file))
    }

    /// One notice with the lines that are others now, in the place of those that say all of it; none if that is not much shorter, or
    /// if it is not known what the conversation was told so far.
    fn edited(
        &self,
        section: &str,
        changed: &[FactName],
        now: &Arc<str>,
        notices: &[AmendmentBody],
    ) -> Result<Option<AmendmentBody>> {
        let before = self.known.filter(|before| !before.trim().is_empty() && !now.is_empty());
        let (NoticeForm::Changes, Some(before)) = (self.layout.notices(), before) else { return Ok(None) };
        // A file that came or went is told as that.
        if notices.iter().any(|notice| notice.kind != AmendmentKind::Changed) {
            return Ok(None);
        }
        let whole: usize = notices.iter().map(|notice| notice.text.len()).sum();
        let Some(patch) = patch(before, now, whole.min(now.len())) else { return Ok(None) };
        let file = match notices {
            [only] => only.file.clone(),
            _ => None,
        };
        let origin = changed.first().map_or_else(|| FactName::new("section", section), Clone::clone);
        let subject = Text::new(file.as_deref().unwrap_or(section), Origin::fact(&origin));
        let patch = protected(&Text::new(patch.as_str(), Origin::fact(&origin)), &[TAG.to_owned()]);
        let (section_name, subject) = (quoted(&Text::new(section, Origin::fact(&origin))), quoted(&subject));
        let template = self.layout.wording().template(WordingKey::parse("amend_edited")?)?;
        let values = [("section", &section_name), ("subject", &subject), ("text", &patch)];
        let text = print(template, &values).map(Draft::into_text)?;
        if text.as_str().len() >= whole {
            return Ok(None);
        }
        let mut files: BTreeMap<FactName, BTreeMap<String, Option<Digest>>> = BTreeMap::new();
        for (name, updates) in notices.iter().flat_map(|notice| &notice.files) {
            files.entry(name.clone()).or_default().extend(updates.clone());
        }
        Ok(Some(AmendmentBody {
            tools: Vec::new(),
            section: section.to_owned(),
            kind: AmendmentKind::Changed,
            file,
            spans: AmendmentBody::spans(&text),
            text: text.as_str().into(),
            facts: notices.iter().flat_map(|notice| notice.facts.clone()).collect(),
            files,
            says: Some(section_digest(now)),
            known: Some(Arc::clone(now)),
            after: None,
        }))
    }

    /// Whether a fact is a list of files, each with its text.
    fn is_by_file(&self, name: &FactName) -> bool {
        let listed = |fingerprint: &FactFingerprint| fingerprint.files().is_some_and(|files| !files.is_empty());
        match self.facts.get(name) {
            // Of skills and tools a list says only what they are for.
            Some(Answer::Present(Value::Maps(_))) => !matches!(name.namespace(), "skills" | "tools"),
            Some(Answer::Absent) => {
                name.as_str() == "instructions:files" && self.fingerprints.get(name).is_some_and(listed)
            }
            _ => false,
        }
    }

    fn of_files(
        &self,
        section: &str,
        name: &FactName,
        unreadable: &dyn Fn(&str) -> bool,
    ) -> Result<Vec<AmendmentBody>> {
        let nothing = BTreeMap::new();
        let now = self.facts.get(name).map(|fact| FactFingerprint::of(name, fact));
        let earlier = self.fingerprints.get(name).and_then(FactFingerprint::files).unwrap_or(&nothing);
        let later = now.as_ref().and_then(FactFingerprint::files).unwrap_or(&nothing);
        let mut notices = Vec::new();
        for (file, step) in steps(earlier, later) {
            if step == Step::Removed && unreadable(file) {
                continue;
            }
            let kind = match step {
                Step::Added => AmendmentKind::Added,
                Step::Changed => AmendmentKind::Changed,
                Step::Removed => AmendmentKind::Removed,
            };
            let label = Text::new(file, Origin::fact(name));
            let text = self.say(kind, &label, self.item(name, file).as_ref())?;
            let update = BTreeMap::from([(file.to_owned(), later.get(file).copied())]);
            notices.push(AmendmentBody {
                tools: Vec::new(),
                section: section.to_owned(),
                kind,
                file: Some(file.to_owned()),
                spans: AmendmentBody::spans(&text),
                text: text.as_str().into(),
                facts: BTreeMap::new(),
                files: BTreeMap::from([(name.clone(), update)]),
                says: None,
                known: None,
                after: None,
            });
        }
        Ok(notices)
    }

    /// The text of one file of a list.
    fn item(&self, name: &FactName, file: &str) -> Option<Text> {
        let Some(Answer::Present(Value::Maps(maps))) = self.facts.get(name) else { return None };
        maps.iter().find(|map| map.get("path").is_some_and(|path| path.as_str() == file))?.get("body").cloned()
    }

    fn of_entire_section(
        &self,
        section: &str,
        changed: &[FactName],
        said: Option<Digest>,
    ) -> Result<Option<AmendmentBody>> {
        let text = compose_section(self.layout, section, self.facts)?;
        let text = text.filter(|text| !text.as_str().trim().is_empty());
        let says = text.as_ref().map(|text| section_digest(text.as_str()));
        let kind = match (&text, said) {
            (None, None) => return Ok(None),
            (Some(_), Some(_)) if says == said => return Ok(None),
            (Some(_), None) => AmendmentKind::Added,
            (Some(_), Some(_)) => AmendmentKind::Changed,
            (None, Some(_)) => AmendmentKind::Removed,
        };
        let label = Text::new(section, Origin::fact(&FactName::new("section", section)));
        let notice = self.say(kind, &label, text.as_ref())?;
        let fingerprints =
            changed.iter().filter_map(|name| Some((name.clone(), FactFingerprint::of(name, self.facts.get(name)?))));
        Ok(Some(AmendmentBody {
            tools: Vec::new(),
            section: section.to_owned(),
            kind,
            file: None,
            spans: AmendmentBody::spans(&notice),
            text: notice.as_str().into(),
            facts: fingerprints.collect(),
            files: BTreeMap::new(),
            says,
            known: None,
            after: None,
        }))
    }

    fn say(&self, kind: AmendmentKind, subject: &Text, text: Option<&Text>) -> Result<Text> {
        let key = WordingKey::parse(match kind {
            AmendmentKind::Added => "amend_added",
            AmendmentKind::Changed => "amend_changed",
            AmendmentKind::Removed => "amend_removed",
        })?;
        let template = self.layout.wording().template(key)?;
        let tags = [TAG.to_owned()];
        let text = text.map(|text| protected(text, &tags));
        let subject = quoted(subject);
        let mut values = vec![("subject", &subject)];
        values.extend(text.as_ref().map(|text| ("text", text)));
        print(template, &values).map(Draft::into_text)
    }
}

/// A label that is between quotes.
fn quoted(label: &Text) -> Text {
    let origin = label.pieces().next().map(|piece| piece.origin.clone());
    let quoted = label.as_str().replace('<', "&lt;").replace('"', "&quot;");
    origin.map_or_else(|| label.clone(), |origin| Text::new(quoted, origin))
}

/// The digest of a section's text, whatever joint is before it.
pub(super) fn section_digest(text: &str) -> Digest {
    Digest::of(text.trim())
}
