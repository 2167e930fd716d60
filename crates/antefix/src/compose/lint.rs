//! What looks wrong in a layout and its templates, before anything is asked.

use super::Stability;
use super::layout::Section;
use crate::diagnostic::Diagnostic;
use crate::discover::catalog::{self, Lookup, Pace};
use crate::discover::hidden;
use crate::place::Place;

/// What looks wrong in the sections' templates.
pub(super) fn findings(sections: &[Section]) -> Vec<Diagnostic> {
    let mut findings = Vec::new();
    for section in sections {
        findings.extend(section.template.findings().iter().cloned());
        findings.extend(odd_texts(section));
        if section.stability == Stability::Live {
            continue;
        }
        for name in section.template.names() {
            let Lookup::Known(entry) = catalog::lookup(name) else { continue };
            let finding = match entry.pace {
                Pace::Steady => continue,
                Pace::Daily => Diagnostic::note(
                    "daily-in-prefix",
                    format!("`{name}` stands in the prefix: epochs that open tomorrow share nothing behind it"),
                ),
                Pace::Volatile => Diagnostic::warning(
                    "volatile-in-prefix",
                    format!(
                        "`{name}` changes from turn to turn and stands in the prefix, where it is frozen and goes stale"
                    ),
                ),
            };
            let finding = finding.about(name.as_str()).hint("move it into a section with `stability = \"live\"`");
            findings.push(match section.template.place_of(name) {
                Some(place) => finding.at(place),
                None => finding,
            });
        }
    }
    findings
}

/// What a section's texts have that is probably not meant.
fn odd_texts(section: &Section) -> Vec<Diagnostic> {
    let mut findings = Vec::new();
    if let Some((place, dialect)) = section.template.foreign_tag() {
        let message = format!("this looks like a tag of the {} dialect, and is printed as it is", dialect.name());
        let hint = format!("set `dialect = \"{}\"` for section `{}` if a tag is meant", dialect.name(), section.id);
        findings.push(Diagnostic::warning("other-dialect", message).at(place).hint(hint));
    }
    if let Some((key, template)) = &section.wrap {
        let sources = template.sources();
        let lost =
            key.variables().iter().find(|variable| !sources.iter().any(|source| source.text.contains(*variable)));
        if let (Some(variable), Some(source)) = (lost, sources.first()) {
            let message = format!("this wording does not print `{variable}`, so section `{}` is lost", section.id);
            let hint = format!("write `{{{{ {variable} }}}}` where the section's text is to stand");
            let finding = Diagnostic::warning("frame-drops-text", message).at(Place::new(source, 0..source.text.len()));
            findings.push(finding.hint(hint));
        }
    }
    for source in section.template.sources().into_iter().filter(|source| hidden::may_be_in(&source.text)) {
        for found in hidden::scan(&source.text).take(3) {
            let decoded = found.decoded.map(|decoded| format!(" that say {decoded:?}")).unwrap_or_default();
            let message = format!("hidden characters ({}){decoded} stand here, and are printed", found.class.name());
            findings.push(Diagnostic::warning("hidden-text", message).at(Place::new(source, found.range)));
        }
    }
    findings
}
