//! Notices: what an amendment says.
//!
//! 1. Where the files of a fact are known one by one, each file that changed has a notice of its own.
//! 2. Otherwise the whole section is said again, or is said to apply no longer.
//! 3. What could not be asked for gives no notice.
//! 4. What a file says cannot close the notice that it is in.

use std::collections::BTreeMap;

use super::amendment::AmendmentBody;
use super::change::{Step, steps};
use super::fingerprint::FactFingerprint;
use super::record::AmendmentKind;
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
        let by_file = changed.iter().all(|name| self.is_by_file(name));
        if by_file {
            let mut notices = Vec::new();
            for name in changed {
                notices.extend(self.of_files(section, name, unreadable)?);
            }
            return Ok(notices);
        }
        Ok(self.of_entire_section(section, changed, said)?.into_iter().collect())
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
