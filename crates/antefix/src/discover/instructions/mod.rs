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

mod fit;
mod places;
mod policy;
mod shrink;
mod text;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use self::places::{Place, places};
pub use self::policy::{Empty, Following, Global, InstructionRules, Order, Take, Walk};
pub(crate) use self::shrink::{instructions_within, size_of_instructions};
pub(super) use self::text::normalized;
use self::text::value;
use super::fact::{FactName, Text};
use super::file::{FILE_LIMIT, TextFile, cut_to, read_shareable};
use super::frame::protected;
use super::hidden;
use super::imports::Imports;
use super::report::{Loaded, NotLoaded, Report, Why};
use super::world::{Answer, Kind, Reason, World};
use super::{Fact, Situation};
use crate::budget::Budget;
use crate::compose::Origin;
use crate::diagnostic::Diagnostic;

/// A file that was loaded.
struct Instruction {
    label: Arc<str>,
    text: Text,
    /// How far from the working directory: the larger, the less specific.
    distance: usize,
    /// The file and what it imports, for the report.
    loaded: Vec<Loaded>,
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
        for name in place.only.as_ref().map_or(self.rules.names.as_slice(), std::slice::from_ref) {
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
                let finding = Diagnostic::warning("file-unavailable", message).about(label.as_ref());
                self.diagnostics.extend(reason.told(finding));
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
        let budget = self.rules.file_budget;
        let whole = !file.more && budget.fits(text.as_str());
        self.situation.hygiene.clean(text, label, self.diagnostics).map(|mut text| {
            // Nothing is imported into a file that is cut: what it says is unfinished.
            if self.rules.imports == Following::Follow && whole {
                let Search { world, situation, name, .. } = *self;
                let diagnostics = &mut *self.diagnostics;
                let mut imports = Imports { world, situation, name, loaded, diagnostics, files: self.imported };
                text = imports.follow(&text, &mut vec![real.to_owned()]);
                self.imported = imports.files;
            }
            let text = protected(&text, &self.rules.protect);
            if whole && budget.fits(text.as_str()) {
                return text;
            }
            let read = Budget::bytes(FILE_LIMIT);
            let tight = if budget.fits(text.as_str()) { read } else { budget };
            self.tell_cut(label, tight.unit.measure(text.as_str()), tight);
            cut_to(&text, &self.situation.phrases.get("cut_notice"), &[budget, read])
        })
    }

    fn not_loaded(&mut self, label: &str, why: Why) {
        self.report.not_loaded.push(NotLoaded { fact: self.name.clone(), path: Some(label.to_owned()), why });
    }
}
