//! `instructions:system` and `instructions:append`: SYSTEM.md, which stands in for a layout's own words, and
//! APPEND_SYSTEM.md, which follows them.
//!
//! One of each: the project's, else the user's, never both. An empty file counts as none. They are data: nothing in them
//! is a template.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::fact::{FactName, Text, Value};
use super::file::{FILE_LIMIT, cut_to, read_text};
use super::report::{Loaded, NotLoaded, Report, Why};
use super::world::{Answer, World};
use super::{Fact, Situation};
use crate::compose::Origin;
use crate::diagnostic::Diagnostic;

/// Answers for one of the two files.
pub(super) fn answer(
    world: &dyn World,
    situation: &Situation,
    name: &FactName,
    file_name: &str,
    report: &mut Report,
    diagnostics: &mut Vec<Diagnostic>,
) -> Fact {
    let mut taken: Option<(Arc<str>, Value)> = None;
    for (root, directory) in roots(situation) {
        let path = directory.join(file_name);
        let label: Arc<str> = situation.workspace.show(&root.join(&path), situation.instructions.labels).into();
        let mut not_loaded = |why: Why| {
            report.not_loaded.push(NotLoaded { fact: name.clone(), path: Some(label.to_string()), why });
        };
        let file = match read_text(world, &root, &path, FILE_LIMIT) {
            Answer::Present(file) => file,
            Answer::Absent => continue,
            Answer::Unavailable(reason) => {
                let message = format!("{label} is not read: {reason}");
                diagnostics.push(Diagnostic::warning("file-unavailable", message).about(label.as_ref()));
                not_loaded(Why::Unavailable(reason));
                continue;
            }
        };
        if let Some((by, _)) = &taken {
            not_loaded(Why::Shadowed { by: by.to_string() });
        } else if file.text.is_empty() {
            not_loaded(Why::Empty);
        } else {
            let origin = Origin::file(name, &label);
            report.loaded.push(Loaded { fact: name.clone(), path: Some(label.to_string()), bytes: file.text.len() });
            let text = if file.more {
                let message = format!("{label} has more than {FILE_LIMIT} bytes: only its beginning is used");
                diagnostics.push(Diagnostic::warning("cut", message).about(label.as_ref()));
                cut_to(&file.text, origin, &situation.phrases.get("cut_notice"), FILE_LIMIT)
            } else {
                Text::new(file.text, origin)
            };
            match situation.hygiene.clean(text, &label, diagnostics) {
                Answer::Present(text) => taken = Some((label, Value::Text(text))),
                Answer::Absent => {}
                Answer::Unavailable(reason) => {
                    report.loaded.pop();
                    let (fact, path) = (name.clone(), Some(label.to_string()));
                    report.not_loaded.push(NotLoaded { fact, path, why: Why::Unavailable(reason) });
                }
            }
        }
    }
    taken.map_or(Answer::Absent, |(_, value)| Answer::Present(value))
}

/// Where to look: what may be read, and the directory from there.
fn roots(situation: &Situation) -> Vec<(PathBuf, PathBuf)> {
    let workspace = &situation.workspace;
    let inside = workspace.cwd.strip_prefix(&workspace.root).unwrap_or(Path::new("")).to_owned();
    let one = |root: &String| {
        if root == "$config" {
            return workspace.config.clone().map(|config| (config, PathBuf::new()));
        }
        match root.strip_prefix("~/") {
            Some(at_home) => workspace.home.as_ref().map(|home| (home.join(at_home), PathBuf::new())),
            None => Some((workspace.root.clone(), inside.join(root))),
        }
    };
    situation.instructions.system_roots.iter().filter_map(one).collect()
}
