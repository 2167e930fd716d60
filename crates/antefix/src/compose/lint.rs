//! What looks wrong.
//!
//! 1. What can be seen from a layout and its templates alone is here: it is known before anything is asked, and every
//!    command reports it.
//! 2. What needs the composed prompt is in the folder, one file a lint or family. It takes longer than composing, so
//!    `check` and `explain` ask for it and `show` does not.
//! 3. A finding names its place, says why it costs, and what to do. A false alarm is worse than a miss.

mod clocks;
mod contradictions;
mod copies;
mod holes;
mod links;
mod machine;
mod passages;
mod price;
mod prose;
mod repeats;
mod tools;

pub(crate) use copies::{Copied, Original};

use std::sync::Arc;

use super::layout::Section;
use super::{Layout, Prompt, Stability};
use crate::diagnostic::{Code, Diagnostic, Level};
use crate::discover::catalog::{self, Lookup, Pace};
use crate::discover::secrets::markers;
use crate::discover::tools::Tools;
use crate::discover::{Machine, hidden};
use crate::error::Result;
use crate::stop::Stop;
use crate::text::{Place, Source};

/// Everything that looks wrong in a prompt: what composing found, with what it costs, and what only a closer look finds. It is an error
/// only if nobody waits for it any more.
///
/// Each lint takes time that grows with the prompt and no faster: a text may have very many of whatever it looks for.
pub fn lint(
    layout: &Layout,
    prompt: &Prompt,
    tools: Option<&Tools>,
    machine: &Machine,
    stop: &Stop,
) -> Result<Vec<Diagnostic>> {
    let passages = passages::passages(prompt);
    let lints: [&dyn Fn() -> Vec<Diagnostic>; 9] = [
        &|| price::priced(prompt, stop),
        &|| copies::findings(layout, layout.wording()),
        &|| machine::findings(&passages, machine, layout.rules().paths),
        &|| clocks::findings(prompt, &passages),
        &|| links::findings(&passages),
        &|| holes::findings(&passages),
        &|| repeats::findings(&passages, stop),
        &|| contradictions::findings(&passages, stop),
        &|| tools::findings(layout, prompt, tools, stop),
    ];
    let mut findings = Vec::new();
    for lint in lints {
        stop.check()?;
        findings.extend(lint());
    }
    stop.check()?;
    Ok(findings)
}

/// Whether a section has a layout around it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    InLayout,
    /// A template that is a whole prompt: it is frozen, and there is no other place in it.
    Alone,
}

/// What looks wrong in the sections' templates.
pub(super) fn findings(sections: &[Section], standing: Standing) -> Vec<Diagnostic> {
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
                    Code::DailyInPrefix,
                    format!("`{name}` is in the prefix: epochs that open tomorrow share nothing after it"),
                ),
                Pace::Volatile => Diagnostic::new(
                    if standing == Standing::Alone { Level::Note } else { Level::Warning },
                    Code::VolatileInPrefix,
                    format!(
                        "`{name}` changes from turn to turn and is in the prefix, where it is frozen and goes stale"
                    ),
                ),
            };
            let finding = finding.about(name.as_str()).hint(match standing {
                Standing::InLayout => "move it into a section with `stability = \"live\"`",
                Standing::Alone => "a template alone is frozen as a whole; a layout can have it in a live section",
            });
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
        findings.push(Diagnostic::warning(Code::OtherDialect, message).at(place).hint(hint));
    }
    if let Some((key, template)) = &section.wrap {
        let sources = template.sources();
        let lost =
            key.variables().iter().find(|variable| !sources.iter().any(|source| source.text.contains(*variable)));
        if let (Some(variable), Some(source)) = (lost, sources.first()) {
            let message = format!("this wording does not print `{variable}`, so section `{}` is lost", section.id);
            let hint = format!("write `{{{{ {variable} }}}}` where the section's text belongs");
            let finding =
                Diagnostic::warning(Code::FrameDropsText, message).at(Place::new(source, 0..source.text.len()));
            findings.push(finding.hint(hint));
        }
    }
    for source in section.template.sources() {
        findings.extend(taken_out(source));
    }
    for source in section.template.sources().into_iter().filter(|source| hidden::may_be_in(&source.text)) {
        for found in hidden::scan(&source.text).take(3) {
            let decoded = found.decoded.map(|decoded| format!(" that say {decoded:?}")).unwrap_or_default();
            let message = format!("hidden characters ({}){decoded} are here, and are printed", found.class.name());
            findings.push(Diagnostic::warning(Code::HiddenText, message).at(Place::new(source, found.range)));
        }
    }
    findings
}

/// How many secrets of one text are reported one by one.
const SECRETS: usize = 20;

/// Where secrets were in a text of the project's own. Whoever writes marks by hand can write very many.
pub(super) fn taken_out(source: &Arc<Source>) -> Vec<Diagnostic> {
    let mut markers = markers(&source.text);
    let shown = markers.by_ref().take(SECRETS).map(|(range, rule)| {
        let message = format!("what looks like a secret ({rule}) was here and was removed");
        let hint = "revoke it if it is one: secrets do not belong in a prompt";
        Diagnostic::warning(Code::Secret, message).at(Place::new(source, range)).hint(hint)
    });
    let mut findings: Vec<Diagnostic> = shown.collect();
    let more = markers.count();
    if more > 0 {
        let message = format!("{more} more secrets were removed from {}", source.label());
        findings.push(Diagnostic::warning(Code::MoreFindings, message).hint("fix the ones above first"));
    }
    findings
}
