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
use super::file::{FILE_LIMIT, TextFile, cut_to, read_shareable, read_text};
use super::hidden;
use super::imports::Imports;
use super::report::{Loaded, NotLoaded, Report, Why};
use super::workspace::normalize;
use super::world::{Answer, Kind, Reason, World};
use super::{Fact, Situation};
use crate::compose::{Draft, Origin, Paths, Transform};
use crate::diagnostic::Diagnostic;

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
    /// The file and what it imports, for the report.
    loaded: Vec<Loaded>,
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
    let mut search = Search {
        world,
        situation,
        rules,
        name,
        report,
        diagnostics,
        seen: Vec::new(),
        taken: Vec::new(),
        imported: 0,
        unavailable: None,
    };
    let mut found = Vec::new();
    for place in places(world, situation, rules) {
        search.look(&place, &mut found);
    }
    search.list_above();
    search.fit(&mut found);
    if found.is_empty() {
        // Something is there and could not be read: that is not the same as nothing.
        return search.unavailable.map_or(Answer::Absent, Answer::Unavailable);
    }
    let loaded = found.iter().flat_map(|file| file.loaded.iter().cloned());
    search.report.loaded.extend(loaded);
    // Home stands behind the working directory already.
    if rules.order == Order::NearestFirst && rules.walk != Walk::CwdAndHome {
        found.reverse();
    }
    Answer::Present(value(&found, name))
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
    let directory = normalize(&root.join(link.text.trim().strip_prefix("gitdir:")?.trim()));
    // A submodule's link leads to `.git/modules` instead: it is another project.
    let git = directory.parent().filter(|path| path.ends_with(".git/worktrees"))?.parent()?;
    let main = git.parent()?;
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
    /// Why the first file that could not be used could not.
    unavailable: Option<Reason>,
}

impl Search<'_> {
    fn look(&mut self, place: &Place, found: &mut Vec<Instruction>) {
        let mut winner: Option<Arc<str>> = None;
        let mut here = Vec::new();
        for name in &self.rules.names {
            let path = place.inside.join(name);
            let label = self.label(&place.root.join(&path));
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
            if let Some((text, loaded)) = self.load(place, &path, &label) {
                let file_name = Path::new(name).file_name().map(|name| name.to_string_lossy().into_owned());
                here.extend(file_name.map(|name| (name, Arc::clone(&label))));
                if self.rules.take == Take::First {
                    winner = Some(Arc::clone(&label));
                }
                found.push(Instruction { label, text, distance: place.distance, loaded });
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

    /// What a file is called in the prompt. A directory may be called anything, so nothing of it can break a line, hide,
    /// or close a tag.
    fn label(&self, path: &Path) -> Arc<str> {
        let shown = self.situation.workspace.show(path, self.rules.labels);
        let mut label = String::with_capacity(shown.len());
        let mut from = 0;
        for found in hidden::scan(&shown) {
            label.push_str(&shown[from..found.range.start]);
            label.extend(shown[found.range.clone()].chars().map(hidden::escape));
            from = found.range.end;
        }
        label.push_str(&shown[from..]);
        let mut label = label.replace(['\n', '\r', '\t'], " ");
        if !self.rules.protect.is_empty() {
            label = label.replace('<', "&lt;").replace('"', "&quot;");
        }
        label.into()
    }

    /// Files above the project root that a walk with another end would have taken.
    fn list_above(&mut self) {
        if self.rules.walk != Walk::GitRoot {
            return;
        }
        let root = self.situation.workspace.root.clone();
        for directory in root.ancestors().skip(1) {
            for name in &self.rules.names {
                let path = directory.join(name);
                if matches!(self.world.kind(&path), Answer::Present(Kind::File)) {
                    let label = self.label(&path);
                    self.not_loaded(&label, Why::AboveRoot);
                }
            }
        }
    }

    fn load(&mut self, place: &Place, path: &Path, label: &Arc<str>) -> Option<(Text, Vec<Loaded>)> {
        let file = match read_shareable(self.world, &place.root, path) {
            Answer::Present(file) => file,
            Answer::Absent => return None,
            Answer::Unavailable(reason) => {
                let message = format!("{label} is not read: {reason}");
                self.diagnostics.push(Diagnostic::warning("file-unavailable", message).about(label.as_ref()));
                return self.cannot_use(label, reason);
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
        let mut loaded = Vec::new();
        match self.text(&file, &real, label, &mut loaded) {
            Answer::Present(text) => {
                let path = Some(label.to_string());
                loaded.insert(0, Loaded { fact: self.name.clone(), path, bytes: text.as_str().len() });
                Some((text, loaded))
            }
            Answer::Absent => None,
            Answer::Unavailable(reason) => self.cannot_use(label, reason),
        }
    }

    fn cannot_use<T>(&mut self, label: &Arc<str>, reason: Reason) -> Option<T> {
        self.unavailable.get_or_insert_with(|| reason.clone());
        self.not_loaded(label, Why::Unavailable(reason));
        None
    }

    /// A file's text as it enters the prompt: looked through, with its imports, its tags written out, cut to its budget.
    fn text(&mut self, file: &TextFile, real: &Path, label: &Arc<str>, loaded: &mut Vec<Loaded>) -> Answer<Text> {
        let text = normalized(&file.text, Origin::file(self.name, label));
        let limit = self.rules.file_budget.min(FILE_LIMIT);
        let whole = !file.more && text.as_str().len() <= limit;
        self.situation.hygiene.clean(text, label, self.diagnostics).map(|mut text| {
            // Nothing is imported into a file that is cut: what it says is unfinished.
            if self.rules.imports == Following::Follow && whole {
                let Search { world, situation, name, .. } = *self;
                let diagnostics = &mut *self.diagnostics;
                let mut imports = Imports { world, situation, name, loaded, diagnostics, files: self.imported };
                text = imports.follow(&text, &mut vec![real.to_owned()]);
                self.imported = imports.files;
            }
            let text = self.protected(&text);
            if whole && text.as_str().len() <= limit {
                return text;
            }
            self.tell_cut(label, text.as_str().len(), limit);
            cut_to(&text, &self.situation.phrases.get("cut_notice"), limit)
        })
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
            file.text = cut_to(&file.text, &self.situation.phrases.get("cut_notice"), left);
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

/// A file's text without a byte-order mark, its line ends line feeds.
pub(super) fn normalized(text: &str, origin: Origin) -> Text {
    let clean = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut draft = Draft::default();
    if clean.contains('\r') {
        let lines = clean.replace("\r\n", "\n").replace('\r', "\n");
        draft.push(&lines, origin, Some(Transform::Normalized));
    } else {
        draft.push(clean, origin, None);
    }
    draft.into_text()
}

/// The files as maps with `path`, `text` and `body`, and as one text with a heading for each.
fn value(found: &[Instruction], name: &FactName) -> Value {
    let mut draft = Draft::default();
    let mut maps = Vec::new();
    for (number, file) in found.iter().enumerate() {
        let origin = Origin::file(name, &file.label);
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
