//! Touching paths: what applies once an agent first reads or changes something.
//!
//! 1. Rules apply whose patterns match a path, wherever they are; and the instruction files and rules of the directories
//!    that lead to it, as far as they are not those of the working directory and above.
//! 2. What the prefix has is not said again, nor what the conversation has, unless its text has changed since.
//! 3. The outermost come first. Bounds, budgets, hygiene and trust are those of instruction files.
//! 4. A path need not exist. It is relative to the working directory and lies in the project; one that does not is reported.
//!
//! What is found here becomes a notice through [`compose::notice`](crate::compose::notice), and is appended to a
//! conversation; the prefix stays as it is.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::instructions::{Entry, Instruction, Nested, Place, Search, Whose, places, value};
use super::report::{Report, Why};
use super::trust;
use super::trust::Gate;
use super::workspace::normalize;
use super::world::{Answer, Kind, World};
use super::{Fact, Situation};
use crate::diagnostic::{Code, Diagnostic, Level, Subject};
use crate::text::{Digest, FactName};

/// How many directories between the working directory and the paths are searched.
const DIRECTORIES: usize = 500;

/// What applies from a touch on.
#[derive(Debug, Clone)]
pub struct Touched {
    /// The files, as in `instructions:files`; absent if nothing new applies.
    pub files: Fact,
    /// The paths of these files, with the digests of their whole texts.
    pub digests: BTreeMap<String, Digest>,
    /// What was loaded and what was not.
    pub report: Report,
    /// What is worth knowing. A path outside the project is an error.
    pub diagnostics: Vec<Diagnostic>,
}

/// What applies once these paths are touched. `known` are the files that the conversation has, as earlier touches had them in
/// `digests`.
pub fn touch(
    world: &dyn World,
    situation: &Situation<'_>,
    paths: &[PathBuf],
    known: &BTreeMap<String, Digest>,
) -> Touched {
    let gate = Gate::new(world, situation.workspace, &situation.permissions.file_roots, situation.permissions.trust);
    let name = FactName::new("instructions", "files");
    let mut report = Report::default();
    let mut diagnostics = Vec::new();
    let touched: Vec<PathBuf> = paths
        .iter()
        .filter_map(|path| {
            let inside = inside(&gate, situation, path);
            if inside.is_none() {
                diagnostics.push(outside(path));
            }
            inside
        })
        .collect();
    let below = below(&gate, situation, &touched, &mut diagnostics);
    let mut search = Search::new(&gate, situation, &name, &mut report, &mut diagnostics);
    // The wording frames the notice with this tag, whatever the layout does with its own files.
    search.protect.push("instructions".to_owned());
    let mut found = Vec::new();
    // What the prefix has is looked at again, so that it is known here; what is worth knowing about it was reported there.
    for mut place in places(&gate, situation, search.rules) {
        let mut prefix = Vec::new();
        let (listed, findings) = (search.report.not_loaded.len(), search.diagnostics.len());
        let unavailable = search.unavailable.clone();
        search.look(&place, &mut prefix);
        search.report.not_loaded.truncate(listed);
        search.diagnostics.truncate(findings);
        search.unavailable = unavailable;
        place.distance = place.distance.saturating_add(DEEPEST);
        search.look_for_rules(&place, &mut prefix);
        let in_prefix = |finding: &Diagnostic| {
            prefix.iter().any(|file| finding.about.as_ref().and_then(Subject::path) == Some(&*file.label))
        };
        search.diagnostics.retain(|finding| !in_prefix(finding));
        search.add_matching(&touched, &mut found);
    }
    for place in below {
        search.look(&place, &mut found);
        search.look_for_rules(&place, &mut found);
        search.add_matching(&touched, &mut found);
    }
    if search.steps == 0 {
        let message = "the patterns of the rules take too long to match: the rest is not matched with the paths";
        let diagnostic = Diagnostic::warning(Code::ScanLimit, message).about(name.as_str());
        search.diagnostics.push(diagnostic.hint("shorten the patterns, or touch fewer paths at once"));
    }
    let mut digests: BTreeMap<String, Digest> =
        found.iter().map(|file| (file.label.to_string(), Digest::of(file.text.as_str()))).collect();
    // What is worth knowing about a file was reported when it was new.
    digests.retain(|path, digest| known.get(path) != Some(digest));
    search.diagnostics.retain(|finding| {
        let path = finding.about.as_ref().and_then(Subject::path);
        path.is_none_or(|path| !known.contains_key(path) || digests.contains_key(path))
    });
    found.retain(|file| digests.contains_key(file.label.as_ref()));
    search.fit(&mut found);
    // What did not fit was not said.
    digests.retain(|path, _| found.iter().any(|file| *file.label == **path));
    let unavailable = search.unavailable;
    report.loaded.extend(found.iter().flat_map(|file| file.loaded.iter().cloned()));
    diagnostics.extend(trust::withheld_finding(&report));
    let files = match unavailable {
        _ if !found.is_empty() => Answer::Present(value(&found, &name)),
        Some(reason) => Answer::Unavailable(reason),
        None => Answer::Absent,
    };
    Touched { files, digests, report, diagnostics }
}

impl Search<'_> {
    /// Takes the rules that were found last, as far as they apply to a path.
    fn add_matching(&mut self, touched: &[PathBuf], found: &mut Vec<Instruction>) {
        for rule in std::mem::take(&mut self.scoped) {
            if !touched.iter().any(|path| rule.patterns.match_path(path, &mut self.steps)) {
                let patterns = rule.patterns.written();
                self.not_loaded(&rule.label, Why::Scoped { patterns });
                continue;
            }
            let Some((text, loaded)) = self.finish(rule.text, &rule.lying, &rule.label) else { continue };
            found.push(Instruction { label: rule.label, text, distance: rule.distance, loaded, entry: Entry::Rule });
        }
    }
}

/// A directory this deep in the project is as near as any: no path is longer.
const DEEPEST: usize = 4_096;

/// The directories that lead to the paths, outermost first, but for those that lead to the working directory.
fn below(
    world: &dyn World,
    situation: &Situation<'_>,
    touched: &[PathBuf],
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<Place> {
    // A layout that looks at the working directory alone means just that.
    if situation.rules.instructions.nested() == Nested::Never {
        return Vec::new();
    }
    let workspace = &situation.workspace;
    let mut directories = BTreeSet::new();
    for path in touched {
        // What is touched may be a directory itself.
        let is_directory = matches!(world.kind(path), Answer::Present(Kind::Directory));
        let upwards = path.ancestors().skip(usize::from(!is_directory));
        let upwards = upwards.take_while(|directory| directory.starts_with(&workspace.root));
        directories.extend(upwards.filter(|directory| !workspace.cwd.starts_with(directory)));
    }
    if directories.len() > DIRECTORIES {
        let message = format!("the paths lie in more than {DIRECTORIES} directories: the rest is not searched");
        diagnostics.push(Diagnostic::warning(Code::ScanLimit, message));
    }
    let place = |directory: &Path| {
        let inside = directory.strip_prefix(&workspace.root).ok()?.to_owned();
        let distance = DEEPEST.saturating_sub(inside.components().count());
        Some(Place { root: workspace.root.clone(), inside, distance, whose: Whose::Directory, only: None })
    };
    directories.into_iter().take(DIRECTORIES).filter_map(place).collect()
}

/// The path with the project root before it; none if it lies elsewhere.
fn inside(world: &dyn World, situation: &Situation<'_>, path: &Path) -> Option<PathBuf> {
    let workspace = &situation.workspace;
    let path = normalize(&workspace.cwd.join(path));
    if path.starts_with(&workspace.root) {
        return Some(path);
    }
    // Another way to the project, through a link: what exists of the path is looked up.
    path.ancestors()
        .find_map(|directory| {
            let real = world.resolve(directory).present()?;
            Some(real.join(path.strip_prefix(directory).ok()?))
        })
        .filter(|real| real.starts_with(&workspace.root))
}

fn outside(path: &Path) -> Diagnostic {
    let message = format!("{} is outside the project, where none of its rules applies", path.display());
    let hint = "name a path of the project, relative to the working directory";
    Diagnostic::new(Level::Error, Code::OutsideProject, message).about(Subject::file(path.to_string_lossy())).hint(hint)
}
