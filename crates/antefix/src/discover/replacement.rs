//! `instructions:system` and `instructions:append`: SYSTEM.md, which replaces a layout's own words, and
//! APPEND_SYSTEM.md, which follows them.
//!
//! One of each: the project's, else the user's, never both. A file without a word is treated as absent. They are data: nothing in them
//! is a template.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::fact::Value;
use super::file::{FILE_LIMIT, cut_to, read_shareable};
use super::instructions::normalized;
use super::report::{Loaded, NotLoaded, Report, Why};
use super::world::{Answer, Kind, ReasonCode, World};
use super::{Fact, Situation};
use crate::diagnostic::{Code, Diagnostic, Subject};
use crate::text::{Budget, FactName, Origin};

/// Answers for one of the two files.
pub(super) fn answer(
    world: &dyn World,
    situation: &Situation<'_>,
    name: &FactName,
    file_name: &str,
    report: &mut Report,
    diagnostics: &mut Vec<Diagnostic>,
) -> Fact {
    let mut taken: Option<(Arc<str>, Fact)> = None;
    for (root, directory) in roots(situation) {
        let path = directory.join(file_name);
        let label: Arc<str> = situation.workspace.show(&root.join(&path), situation.rules.instructions.labels).into();
        let mut not_loaded = |why: Why| {
            report.not_loaded.push(NotLoaded { fact: name.clone(), path: Some(label.to_string()), why });
        };
        let file = match read_shareable(world, &root, &path) {
            Answer::Present(file) => file,
            Answer::Absent => continue,
            Answer::Unavailable(reason) => {
                let message = format!("{label} is not read: {reason}");
                let finding = Diagnostic::warning(Code::FileUnavailable, message).about(Subject::file(&label));
                diagnostics.extend(reason.unless_withheld(finding));
                not_loaded(Why::Unavailable(reason.clone()));
                // A repository that is not trusted must not be able to take away what the layout or the user says.
                if reason.code == ReasonCode::Untrusted {
                    continue;
                }
                // Another file must not replace the one that is used.
                taken.get_or_insert((label, Answer::Unavailable(reason)));
                continue;
            }
        };
        if let Some((by, _)) = &taken {
            not_loaded(Why::Shadowed { by: by.to_string() });
            continue;
        }
        let text = normalized(&file.text, Origin::file(name, &label));
        if text.as_str().trim().is_empty() {
            not_loaded(Why::Empty);
            continue;
        }
        let whole = text.as_str().len();
        let clean = situation.permissions.hygiene.clean(text, &Subject::file(&label), diagnostics).map(|text| {
            if !file.more {
                return text;
            }
            let message = format!("{label} has more than {FILE_LIMIT} bytes: only its beginning is used");
            diagnostics.push(Diagnostic::warning(Code::Cut, message).about(Subject::file(&label)));
            cut_to(&text, &situation.rules.phrases.get("cut_notice"), &[Budget::bytes(FILE_LIMIT)])
        });
        match &clean {
            Answer::Present(text) => {
                let path = Some(label.to_string());
                report.loaded.push(Loaded { whole, ..Loaded::whole(name, path, text.as_str().len()) });
            }
            Answer::Unavailable(reason) => not_loaded(Why::Unavailable(reason.clone())),
            Answer::Absent => {}
        }
        taken = Some((label, clean.map(Value::Text)));
    }
    taken.map_or(Answer::Absent, |(_, fact)| fact)
}

/// Lists files that no section of the layout takes, where they are looked for.
pub(super) fn unused(
    world: &dyn World,
    situation: &Situation<'_>,
    names: &[&FactName],
    report: &mut Report,
    diagnostics: &mut Vec<Diagnostic>,
) {
    for (fact, file_name) in [("instructions:system", "SYSTEM.md"), ("instructions:append", "APPEND_SYSTEM.md")] {
        let Some(fact) = FactName::parse(fact).filter(|fact| !names.contains(&fact)) else { continue };
        for (root, directory) in roots(situation) {
            let path = root.join(directory.join(file_name));
            if !matches!(world.kind(&path), Answer::Present(Kind::File)) {
                continue;
            }
            let label = situation.workspace.show(&path, situation.rules.instructions.labels);
            let message = format!("{label} is not used: no section of the layout takes it");
            let hint =
                format!("use a layout with a section that names `{fact}`, such as `pi`, or move its text to AGENTS.md");
            let finding = Diagnostic::warning(Code::UnusedSystemFile, message).about(Subject::file(&label));
            diagnostics.push(finding.hint(hint));
            report.not_loaded.push(NotLoaded { fact: fact.clone(), path: Some(label), why: Why::NoSection });
        }
    }
}

/// Where to look: what may be read, and the directory from there.
fn roots(situation: &Situation<'_>) -> Vec<(PathBuf, PathBuf)> {
    let workspace = &situation.workspace;
    let inside = workspace.cwd.strip_prefix(&workspace.root).unwrap_or(Path::new("")).to_owned();
    let one = |root: &String| match root.starts_with("~/") || root == "$config" || root.starts_with("$config/") {
        true => workspace.users_own(root).map(|directory| (directory, PathBuf::new())),
        false => Some((workspace.root.clone(), inside.join(root))),
    };
    let more = situation.more.prompts.iter().map(|more| (more.root.clone(), more.inside.clone()));
    situation.rules.instructions.system_roots.iter().filter_map(one).chain(more).collect()
}
