//! `instructions:files`: what the people around the agent wrote down for it, in AGENTS.md and its relatives.
//!
//! 1. The layout names the files, the directories that are walked and the order; see [`InstructionRules`].
//! 2. In a directory the first name found wins; the others are listed as shadowed.
//! 3. A file that is reached twice, by a link, a mount or a work tree inside its repository, is loaded once.
//! 4. A byte-order mark is dropped and line ends become line feeds, so that a checkout on another system gives the same
//!    bytes. Nothing else is changed.
//! 5. Files over their budget are cut, the least specific ones first, and each cut or drop is told.
//!
//! A missing file is no news. Every other candidate that is not loaded is in the report, with its reason.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Deserialize;

use super::fact::{FactName, Text, Value};
use super::file::{FILE_LIMIT, TextFile, read_text};
use super::imports::Imports;
use super::report::{Loaded, NotLoaded, Report, Why};
use super::world::{Answer, World};
use super::{Fact, Situation};
use crate::compose::{Draft, Origin, Paths, Transform};
use crate::diagnostic::Diagnostic;
use crate::place::floor_char_boundary;

/// A file that would be cut to less than this is dropped instead: a few words of a document mislead.
const LEAST: usize = 500;

/// What a layout says about instruction files.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct InstructionRules {
    /// File names, relative to a directory.
    pub names: Vec<String>,
    /// Parts of names that are refused, in any case.
    pub never: Vec<String>,
    /// Which directories.
    pub walk: Walk,
    /// How many names of one directory.
    pub take: Take,
    /// Whether the user's own file in antefix's configuration directory comes before all others.
    pub global: Global,
    /// In which order.
    pub order: Order,
    /// How files are labeled.
    pub labels: Paths,
    /// Tags that a layout frames the files with: inside a file they are written out, so that none can be closed or forged.
    pub protect: Vec<String>,
    /// What becomes of `@path` in a file.
    pub imports: Following,
    /// What becomes of an empty file.
    pub empty: Empty,
    /// Where SYSTEM.md and APPEND_SYSTEM.md are looked for, the first one found winning: in the working directory, in
    /// `~/`, or in antefix's configuration directory, `$config`.
    pub system_roots: Vec<String>,
    /// The most that one file may have, in bytes, with the notice of a cut.
    pub file_budget: usize,
    /// The most that all files may have together, in bytes.
    pub total_budget: usize,
}

impl Default for InstructionRules {
    fn default() -> InstructionRules {
        InstructionRules {
            names: ["AGENTS.override.md", "AGENTS.md", "CLAUDE.md"].map(str::to_owned).to_vec(),
            never: Vec::new(),
            walk: Walk::GitRoot,
            take: Take::First,
            global: Global::Before,
            order: Order::OutermostFirst,
            labels: Paths::Portable,
            protect: Vec::new(),
            imports: Following::Leave,
            empty: Empty::Skip,
            system_roots: [".antefix", "$config"].map(str::to_owned).to_vec(),
            file_budget: 64 * 1024,
            total_budget: 256 * 1024,
        }
    }
}

/// Which directories are walked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Walk {
    /// From the working directory up to the root of the file system.
    Ancestors,
    /// From the working directory up to the project root.
    GitRoot,
    /// The working directory alone.
    Cwd,
    /// The working directory, then the home directory.
    CwdAndHome,
}

/// How many names of one directory are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Take {
    /// The first one found.
    First,
    /// Every one, but none whose file name was taken from an earlier directory.
    Each,
}

/// Whether the user's own file is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Global {
    /// Before all others.
    Before,
    /// Not at all.
    None,
}

/// In which order files are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// The file nearest to the working directory last.
    OutermostFirst,
    /// The file nearest to the working directory first.
    NearestFirst,
}

/// What becomes of `@path` in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Following {
    /// It is text.
    Leave,
    /// The file's text stands in its place.
    Follow,
}

/// What becomes of an empty file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Empty {
    /// It is as if it were not there; the next name is tried.
    Skip,
    /// It is a file like any other.
    Keep,
}

/// A file that was loaded.
struct Instruction {
    label: Arc<str>,
    text: Text,
    /// How far from the working directory: the larger, the less specific.
    distance: usize,
}

/// A directory that is looked into.
struct Place {
    /// What may be read lies beneath.
    root: PathBuf,
    /// The directory, from there.
    inside: PathBuf,
    distance: usize,
}

/// Answers `instructions:files`.
pub(super) fn answer(
    world: &dyn World,
    situation: &Situation,
    name: &FactName,
    report: &mut Report,
    diagnostics: &mut Vec<Diagnostic>,
) -> Fact {
    let rules = &situation.instructions;
    let mut search =
        Search { world, situation, rules, name, report, diagnostics, seen: Vec::new(), taken: Vec::new(), imported: 0 };
    let mut found = Vec::new();
    for place in places(world, situation, rules) {
        search.look(&place, &mut found);
    }
    search.fit(&mut found);
    if found.is_empty() {
        return Answer::Absent;
    }
    if rules.order == Order::NearestFirst {
        found.reverse();
    }
    Answer::Present(value(&found))
}

/// The directories, outermost first; for `cwd-and-home` in the order of that name.
fn places(world: &dyn World, situation: &Situation, rules: &InstructionRules) -> Vec<Place> {
    let workspace = &situation.workspace;
    let beneath_root = |directory: &Path, distance: usize| match directory.strip_prefix(&workspace.root) {
        Ok(inside) => Place { root: workspace.root.clone(), inside: inside.to_owned(), distance },
        // A directory above the project is a root of its own: what it links to must lie in it.
        Err(_) => Place { root: directory.to_owned(), inside: PathBuf::new(), distance },
    };
    let upwards = |all: bool| {
        let main = main_work_tree(world, situation);
        let mut places: Vec<Place> = workspace
            .cwd
            .ancestors()
            .enumerate()
            .take_while(|(_, directory)| all || directory.starts_with(&workspace.root))
            .filter(|(_, directory)| main.as_deref() != Some(*directory))
            .map(|(distance, directory)| beneath_root(directory, distance))
            .collect();
        places.reverse();
        places
    };
    let mut places = match rules.walk {
        Walk::Cwd => vec![beneath_root(&workspace.cwd, 0)],
        Walk::GitRoot => upwards(false),
        Walk::Ancestors => upwards(true),
        Walk::CwdAndHome => {
            let home = workspace.home.iter().filter(|home| **home != workspace.cwd);
            std::iter::once(&workspace.cwd).chain(home).enumerate().map(|(far, path)| beneath_root(path, far)).collect()
        }
    };
    if let (Global::Before, Some(config)) = (rules.global, &workspace.config) {
        places.insert(0, Place { root: config.clone(), inside: PathBuf::new(), distance: usize::MAX });
    }
    places
}

/// The main work tree that the project's work tree lies inside of, if that is so: its files are this one's, once more.
fn main_work_tree(world: &dyn World, situation: &Situation) -> Option<PathBuf> {
    let root = &situation.workspace.root;
    let link = read_text(world, root, Path::new(".git"), 4096).present()?;
    let directory = PathBuf::from(link.text.trim().strip_prefix("gitdir:")?.trim());
    let main = directory.ancestors().find(|path| path.file_name().is_some_and(|name| name == ".git"))?.parent()?;
    (main != root && root.starts_with(main)).then(|| main.to_owned())
}

/// A file that was loaded: its real path, its number, and the label that it goes by.
type Seen = (PathBuf, Option<(u64, u64)>, Arc<str>);

struct Search<'s> {
    world: &'s dyn World,
    situation: &'s Situation,
    rules: &'s InstructionRules,
    name: &'s FactName,
    report: &'s mut Report,
    diagnostics: &'s mut Vec<Diagnostic>,
    seen: Vec<Seen>,
    /// File names that were taken from an earlier directory.
    taken: Vec<(String, Arc<str>)>,
    /// How many files were imported.
    imported: usize,
}

impl Search<'_> {
    fn look(&mut self, place: &Place, found: &mut Vec<Instruction>) {
        let mut winner: Option<Arc<str>> = None;
        let mut here = Vec::new();
        for name in &self.rules.names {
            let path = place.inside.join(name);
            let label: Arc<str> = self.situation.workspace.show(&place.root.join(&path), self.rules.labels).into();
            let exists = |search: &Self| !matches!(search.world.kind(&place.root.join(&path)), Answer::Absent);
            if let Some(by) = winner.clone().or_else(|| self.taken_by(name)) {
                if exists(self) {
                    self.not_loaded(&label, Why::Shadowed { by: by.to_string() });
                }
                continue;
            }
            if self.rules.never.iter().any(|never| name.to_lowercase().contains(&never.to_lowercase())) {
                if exists(self) {
                    self.not_loaded(&label, Why::Refused);
                }
                continue;
            }
            if let Some(text) = self.load(place, &path, &label) {
                let file_name = Path::new(name).file_name().map(|name| name.to_string_lossy().into_owned());
                here.extend(file_name.map(|name| (name, Arc::clone(&label))));
                if self.rules.take == Take::First {
                    winner = Some(Arc::clone(&label));
                }
                found.push(Instruction { label, text, distance: place.distance });
            }
        }
        if self.rules.take == Take::Each {
            self.taken.extend(here);
        }
    }

    fn taken_by(&self, name: &str) -> Option<Arc<str>> {
        let name = Path::new(name).file_name()?.to_string_lossy();
        self.taken.iter().find(|(taken, _)| *taken == name).map(|(_, by)| Arc::clone(by))
    }

    fn load(&mut self, place: &Place, path: &Path, label: &Arc<str>) -> Option<Text> {
        let file = match read_text(self.world, &place.root, path, FILE_LIMIT) {
            Answer::Present(file) => file,
            Answer::Absent => return None,
            Answer::Unavailable(reason) => {
                let message = format!("{label} is not read: {reason}");
                self.diagnostics.push(Diagnostic::warning("file-unavailable", message).about(label.as_ref()));
                self.not_loaded(label, Why::Unavailable(reason));
                return None;
            }
        };
        let real = place.root.join(&file.resolved);
        let same = |(path, identity, _): &&Seen| *path == real || (identity.is_some() && *identity == file.identity);
        if let Some((_, _, of)) = self.seen.iter().find(same) {
            let of = of.to_string();
            self.not_loaded(label, Why::Duplicate { of });
            return None;
        }
        if self.rules.empty == Empty::Skip && file.text.trim_start_matches('\u{feff}').trim().is_empty() {
            self.not_loaded(label, Why::Empty);
            return None;
        }
        self.seen.push((real.clone(), file.identity, Arc::clone(label)));
        let text = self.text(file, &real, label);
        let text = match self.situation.hygiene.clean(text, label, self.diagnostics) {
            Answer::Present(text) => text,
            Answer::Absent => return None,
            Answer::Unavailable(reason) => {
                self.not_loaded(label, Why::Unavailable(reason));
                return None;
            }
        };
        let path = Some(label.to_string());
        self.report.loaded.push(Loaded { fact: self.name.clone(), path, bytes: text.as_str().len() });
        Some(text)
    }

    /// A file's text as it enters the prompt.
    fn text(&mut self, file: TextFile, real: &Path, label: &Arc<str>) -> Text {
        let origin = Origin::file(self.name, label);
        let clean = file.text.strip_prefix('\u{feff}').unwrap_or(&file.text);
        let (text, transform) = if clean.contains('\r') {
            (clean.replace("\r\n", "\n").replace('\r', "\n"), Some(Transform::Normalized))
        } else {
            (clean.to_owned(), None)
        };
        let limit = self.rules.file_budget.min(FILE_LIMIT);
        // Nothing is imported into a file that is cut: what it says is unfinished.
        if file.more || text.len() > limit {
            self.tell_cut(label, text.len(), limit);
            let mut draft = Draft::default();
            draft.push(&text, origin, transform);
            return self.protected(&shortened(&draft.into_text(), &self.situation.phrases.get("cut_notice"), limit));
        }
        let mut draft = Draft::default();
        draft.push(&text, origin, transform);
        let mut text = draft.into_text();
        if self.rules.imports == Following::Follow {
            let Search { world, situation, name, .. } = *self;
            let (report, diagnostics) = (&mut *self.report, &mut *self.diagnostics);
            let mut imports = Imports { world, situation, name, report, diagnostics, files: self.imported };
            text = imports.follow(&text, &mut vec![real.to_owned()]);
            self.imported = imports.files;
        }
        self.protected(&text)
    }

    /// The text with the tags that frame it written out.
    fn protected(&self, text: &Text) -> Text {
        let whole = text.as_str();
        let mut draft = Draft::default();
        let mut from = 0;
        for at in whole.match_indices('<').map(|(at, _)| at) {
            let name = whole[at + 1..].strip_prefix('/').unwrap_or(&whole[at + 1..]);
            let closes = |tag: &String| name.get(..tag.len()).is_some_and(|head| head.eq_ignore_ascii_case(tag));
            if self.rules.protect.iter().any(closes) {
                draft.push_part(text, from..at);
                draft.push_changed(text, at..at + 1, "&lt;", Transform::Escaped);
                from = at + 1;
            }
        }
        draft.push_part(text, from..whole.len());
        draft.into_text()
    }

    /// Fits all files into the total budget: the most specific one is served first.
    fn fit(&mut self, found: &mut Vec<Instruction>) {
        let mut order: Vec<usize> = (0..found.len()).collect();
        order.sort_by_key(|number| (found[*number].distance, std::cmp::Reverse(*number)));
        let mut left = self.rules.total_budget;
        let mut dropped = Vec::new();
        for number in order {
            let file = &mut found[number];
            let bytes = file.text.as_str().len();
            if bytes <= left {
                left -= bytes;
                continue;
            }
            if left < LEAST {
                dropped.push(number);
                continue;
            }
            file.text = shortened(&file.text, &self.situation.phrases.get("cut_notice"), left);
            let label = Arc::clone(&file.label);
            self.tell_cut(&label, bytes, left);
            left = 0;
        }
        for number in dropped.iter().rev() {
            self.drop(&found[*number]);
        }
        let mut number = 0;
        found.retain(|_| {
            number += 1;
            !dropped.contains(&(number - 1))
        });
    }

    fn drop(&mut self, file: &Instruction) {
        let bytes = file.text.as_str().len();
        self.report.loaded.retain(|loaded| loaded.path.as_deref() != Some(&file.label));
        let budget = self.rules.total_budget;
        let message = format!("{} is left out: all instruction files together may have {budget} bytes", file.label);
        let diagnostic = Diagnostic::warning("over-budget", message).about(file.label.as_ref());
        self.diagnostics.push(diagnostic.hint("shorten the files, or raise `total_budget` in the layout"));
        self.not_loaded(&file.label, Why::OverBudget { bytes });
    }

    fn tell_cut(&mut self, label: &Arc<str>, bytes: usize, limit: usize) {
        let message = format!("{label} has {bytes} bytes and is cut to {limit}");
        let diagnostic = Diagnostic::warning("cut", message).about(label.as_ref());
        self.diagnostics.push(diagnostic.hint("shorten the file, or raise its budget in the layout"));
    }

    fn not_loaded(&mut self, label: &str, why: Why) {
        self.report.not_loaded.push(NotLoaded { fact: self.name.clone(), path: Some(label.to_owned()), why });
    }
}

/// The beginning of a text, with a notice, within a limit.
fn shortened(text: &Text, notice: &Text, limit: usize) -> Text {
    let room = limit.saturating_sub(notice.as_str().len()).min(text.as_str().len());
    let mut draft = Draft::default();
    draft.push_part(text, 0..floor_char_boundary(text.as_str(), room));
    draft.mark_last(Transform::Cut);
    draft.push_text(notice);
    draft.into_text()
}

/// The files as maps with `path`, `text` and `body`, and as one text with a heading for each.
fn value(found: &[Instruction]) -> Value {
    let mut draft = Draft::default();
    let mut maps = Vec::new();
    for (number, file) in found.iter().enumerate() {
        let origin = file.text.pieces().next().map(|piece| piece.origin.clone());
        let origin = origin.unwrap_or_else(|| Origin::fact(&FactName::new("instructions", "files")));
        let label = Text::new(Arc::clone(&file.label), origin.clone());
        if number > 0 {
            draft.push("\n\n", origin.clone(), Some(Transform::Joined));
        }
        draft.push("## ", origin.clone(), Some(Transform::Joined));
        draft.push_text(&label);
        draft.push("\n\n", origin, Some(Transform::Joined));
        // The body is the text without the line feeds at its ends, for frames that bring their own.
        let whole = file.text.as_str();
        let start = whole.len() - whole.trim_start_matches('\n').len();
        let mut body = Draft::default();
        body.push_part(&file.text, start..whole.trim_end_matches('\n').len().max(start));
        let body = body.into_text();
        draft.push_text(&body);
        maps.push([("path", label), ("text", file.text.clone()), ("body", body)].into());
    }
    Value::Maps { maps, text: draft.into_text() }
}
