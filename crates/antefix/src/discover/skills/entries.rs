//! Skills as maps of texts, for templates that print a list of their own.
//!
//! 1. Each has `name`, `description`, `location`, `root`, `run_mode`, `tools` and `digest`, and each text knows its file.
//! 2. `xml_name`, `xml_description`, `xml_location` and `xml_root` are the same texts, escaped so that they close no tag: what a filter
//!    changes has the filter's origin, and these keep the file's.
//! 3. They are bounded like the listing: a description is cut, and a skill dropped, where the listing would cut and drop it.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::Skill;
use super::listing::{shortened, within};
use crate::diagnostic::Diagnostic;
use crate::discover::Situation;
use crate::discover::fact::Value;
use crate::discover::frame::{escaped, protected};
use crate::text::{Draft, FactName, Origin, Text, Transform};

/// The maps of the skills that find room.
pub(super) fn fitted(
    skills: &mut Vec<Skill>,
    situation: &Situation<'_>,
    name: &FactName,
    dropped: &mut Vec<Skill>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Value {
    let (_, length) = within(skills, name, situation.rules.skills.budget, dropped, diagnostics);
    Value::Maps(skills.iter().map(|skill| entry(skill, situation, name, length)).collect())
}

fn entry(
    skill: &Skill,
    situation: &Situation<'_>,
    name: &FactName,
    length: usize,
) -> BTreeMap<Cow<'static, str>, Text> {
    let origin = Origin::file(name, &skill.place);
    let framed = |text: Text| protected(&text, &situation.rules.instructions.protect);
    let plain = |text: &str| framed(Text::new(text, origin.clone()));
    let changed = |text: &str, transform: Option<Transform>| {
        let mut draft = Draft::default();
        draft.push(text, origin.clone(), transform);
        draft.into_text()
    };
    let description = match length {
        0 => Cow::Borrowed(""),
        length => shortened(&skill.description, length),
    };
    let cut = (description.len() < skill.description.len()).then_some(Transform::Cut);
    let digest = skill.body.map(|body| body.short()).unwrap_or_default();
    let texts = [
        ("name", plain(&skill.name)),
        ("description", framed(changed(&description, cut))),
        ("location", plain(&skill.place)),
        ("root", plain(&skill.root.1)),
        ("run_mode", plain(&skill.run_mode)),
        ("tools", plain(&skill.tools.join(", "))),
        ("digest", changed(&digest, Some(Transform::Computed))),
        ("xml_name", escaped(&changed(&skill.name, None))),
        ("xml_description", escaped(&changed(&description, cut))),
        ("xml_location", escaped(&changed(&skill.place, None))),
        ("xml_root", escaped(&changed(&skill.root.1, None))),
    ];
    texts.into_iter().map(|(key, text)| (Cow::Borrowed(key), text)).collect()
}
