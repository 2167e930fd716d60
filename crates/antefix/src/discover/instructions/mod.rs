//! `instructions:files`: what the people around the agent wrote down for it, in AGENTS.md and its relatives.
//!
//! 1. The layout names the files, the directories that are walked and the order; see [`InstructionRules`].
//! 2. In a directory the first name found wins; the others are listed as shadowed.
//! 3. A file that is reached twice, by a link, a mount or a work tree inside its repository, is loaded once.
//! 4. A byte-order mark is dropped and line ends become line feeds, so that a checkout on another system gives the same
//!    bytes. Nothing else is changed.
//! 5. Files over their budget are cut, the least specific ones first unless the layout says otherwise, and each cut or drop
//!    is reported.
//!
//! A missing file is not reported. Every other candidate that is not loaded is in the report, with its reason.

mod fit;
mod given;
mod places;
mod policy;
mod shrink;
mod text;

use std::path::{Path, PathBuf};
use std::sync::Arc;

pub(super) use self::given::given;
use self::places::left_out;
pub(super) use self::places::{Place, Whose, places};
pub use self::policy::{Drop, Empty, Following, Global, InstructionRules, Order, Take, Walk};
pub(crate) use self::shrink::{InstructionsWithin, files_left, instructions_within, size_of_instructions};
pub(super) use self::text::{normalized, value};
use super::file::{FILE_LIMIT, TextFile, cut_to, read_shareable};
use super::frame::protected;
use super::imports::Imports;
use super::report::{Loaded, NotLoaded, Report, Why};
use super::rules::{self, Bounds, GlobLimits, Scoped};
use super::workspace::join;
use super::world::{Answer, Kind, Reason, World};
use super::{Fact, Situation};
use crate::diagnostic::{Code, Diagnostic, Subject};
use crate::text::{Budget, FactName, Origin, Text};

/// A file that was loaded.
pub(super) struct Instruction {
    pub(super) label: Arc<str>,
    pub(super) text: Text,
    /// How far from the working directory: the larger, the less specific.
    pub(super) distance: usize,
    /// The file and what it imports, for the report.
    pub(super) loaded: Vec<Loaded>,
    pub(super) entry: Entry,
}

/// What a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Entry {
    /// One of the names of the layout.
    File,
    /// A rule.
    Rule,
}

/// Answers `instructions:files`.
pub(super) fn answer(
    world: &dyn World,
    situation: &Situation<'_>,
    name: &FactName,
    report: &mut Report,
    diagnostics: &mut Vec<Diagnostic>,
) -> Fact {
    let mut search = Search::new(world, situation, name, report, diagnostics);
    let rules = search.rules;
    let mut found = Vec::new();
    let places = places(world, situation, rules);
    search.walked = places.iter().map(|place| join(&place.root, &place.inside)).collect();
    for place in places {
        search.look(&place, &mut found);
        search.look_for_rules(&place, &mut found);
    }
    search.list_waiting();
    search.list_above();
    // Files that go by their place in the prompt are in that place before.
    match rules.drop {
        Drop::Last => {
            put_in_order(rules, &mut found);
            search.fit(&mut found);
        }
        Drop::LeastSpecific => {
            search.fit(&mut found);
            put_in_order(rules, &mut found);
        }
    }
    if found.is_empty() {
        // Something is there and could not be read: that is not the same as nothing.
        return search.unavailable.map_or(Answer::Absent, Answer::Unavailable);
    }
    let loaded = found.iter().flat_map(|file| file.loaded.iter().cloned());
    search.report.loaded.extend(loaded);
    Answer::Present(value(&found, name))
}

/// How much of a file was read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Extent {
    Whole,
    Beginning,
}

/// Where a file really lies, and whether it goes on behind what was read.
pub(super) struct Lying {
    real: PathBuf,
    more: bool,
}

impl Lying {
    pub(super) fn of(place: &Place, file: &TextFile) -> Lying {
        Lying { real: place.root.join(&file.resolved), more: file.more }
    }
}

/// Puts the files into the order of the prompt: outermost first as they were found, or the nearest directory first, where the
/// rules of one come after its other files, in their own order.
fn put_in_order(rules: &InstructionRules, found: &mut [Instruction]) {
    // Home is after the working directory already.
    if rules.order == Order::OutermostFirst || rules.walk == Walk::CwdAndHome {
        return;
    }
    found.reverse();
    for directory in found.chunk_by_mut(|one, other| one.distance == other.distance) {
        directory.sort_by_key(|file| file.entry == Entry::Rule);
        if let Some(rules) = directory.iter().position(|file| file.entry == Entry::Rule) {
            directory[rules..].reverse();
        }
    }
}

/// A file that is in the prompt.
pub(super) struct Seen {
    /// Its real path.
    pub(super) real: PathBuf,
    /// Its number, where files have one.
    pub(super) identity: Option<(u64, u64)>,
    /// What it is called.
    pub(super) label: Arc<str>,
}

impl Seen {
    /// Whether it is this file.
    pub(super) fn is(&self, real: &Path, identity: Option<(u64, u64)>) -> bool {
        self.real == real || (identity.is_some() && self.identity == identity)
    }
}

pub(super) struct Search<'s> {
    pub(super) world: &'s dyn World,
    pub(super) situation: &'s Situation<'s>,
    pub(super) rules: &'s InstructionRules,
    pub(super) name: &'s FactName,
    pub(super) report: &'s mut Report,
    pub(super) diagnostics: &'s mut Vec<Diagnostic>,
    seen: Vec<Seen>,
    /// File names that were taken from an earlier directory.
    taken: Vec<(String, Arc<str>)>,
    /// How many files were imported.
    imported: usize,
    /// The directories that are searched, nearer ones as well: what is used there is loaded by itself.
    pub(super) walked: Vec<PathBuf>,
    /// Tags that are written out.
    pub(super) protect: Vec<String>,
    /// Rules that wait for a path.
    pub(super) scoped: Vec<Scoped>,
    /// How much was scanned for rules.
    pub(super) bounds: Bounds,
    /// What rules may still have in patterns.
    pub(super) globs_left: GlobLimits,
    /// How many steps matching them with touched paths may still take.
    pub(super) steps: usize,
    /// Why the first file that could not be used could not.
    pub(super) unavailable: Option<Reason>,
}

impl<'s> Search<'s> {
    pub(super) fn new(
        world: &'s dyn World,
        situation: &'s Situation<'s>,
        name: &'s FactName,
        report: &'s mut Report,
        diagnostics: &'s mut Vec<Diagnostic>,
    ) -> Search<'s> {
        Search {
            world,
            situation,
            rules: &situation.rules.instructions,
            name,
            report,
            diagnostics,
            seen: Vec::new(),
            taken: Vec::new(),
            imported: 0,
            walked: Vec::new(),
            protect: situation.rules.instructions.protect.clone(),
            scoped: Vec::new(),
            bounds: Bounds::default(),
            globs_left: GlobLimits::default(),
            steps: rules::STEPS,
            unavailable: None,
        }
    }
}

/// The instruction files that people expect to be loaded, whatever a layout says.
const WELL_KNOWN: [&str; 4] = ["AGENTS.override.md", "AGENTS.md", "CLAUDE.md", ".claude/CLAUDE.md"];

impl Search<'_> {
    /// Looks for the instruction files of a directory.
    pub(super) fn look(&mut self, place: &Place, found: &mut Vec<Instruction>) {
        let mut winner: Option<Arc<str>> = None;
        let mut here = Vec::new();
        for name in place.only.as_ref().map_or(self.rules.names.as_slice(), std::slice::from_ref) {
            let path = join(&place.inside, name);
            let whole = join(&place.root, &path);
            let label = self.label(&whole);
            let exists = |search: &Self| !matches!(search.world.kind(&whole), Answer::Absent);
            if let Some(by) = winner.clone().or_else(|| self.taken_by(name)) {
                if exists(self) {
                    self.not_loaded(&label, Why::Shadowed { by: by.to_string() });
                }
                continue;
            }
            if self.is_refused(name) {
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
                let entry = Entry::File;
                found.push(Instruction { label, text, distance: place.distance, loaded, entry });
            }
        }
        if self.rules.take == Take::Each {
            self.taken.extend(here);
        }
        if place.only.is_none() && !self.rules.never.is_empty() {
            self.list_refused(place);
        }
    }

    /// Files that other agents load, that the layout does not name, and that it would refuse if it did.
    fn list_refused(&mut self, place: &Place) {
        for name in WELL_KNOWN {
            let path = place.root.join(&place.inside).join(name);
            if self.is_refused(name)
                && !self.rules.names.iter().any(|named| named == name)
                && !matches!(self.world.kind(&path), Answer::Absent)
            {
                self.not_loaded(&self.label(&path), Why::Refused);
            }
        }
    }

    fn taken_by(&self, name: &str) -> Option<Arc<str>> {
        let name = Path::new(name).file_name()?.to_string_lossy();
        self.taken.iter().find(|(taken, _)| *taken == name).map(|(_, by)| Arc::clone(by))
    }

    /// Whether the layout refuses a name.
    pub(super) fn is_refused(&self, name: &str) -> bool {
        let name = name.to_lowercase();
        self.rules.never.iter().any(|never| name.contains(&never.to_lowercase()))
    }

    /// What a file is called in the prompt.
    pub(super) fn label(&self, path: &Path) -> Arc<str> {
        let shown = self.situation.workspace.show(path, self.rules.labels);
        self.situation.permissions.hygiene.label(shown, &self.protect).into()
    }

    /// Files above the project root that a walk with another end would have taken.
    fn list_above(&mut self) {
        for directory in left_out(self.world, self.situation, self.rules) {
            for name in &self.rules.names {
                let path = directory.join(name);
                if matches!(self.world.kind(&path), Answer::Present(Kind::File)) {
                    let label = self.label(&path);
                    self.not_loaded(&label, Why::AboveRoot);
                }
            }
            for name in &self.rules.rules {
                let path = directory.join(name);
                if matches!(self.world.kind(&path), Answer::Present(Kind::Directory)) {
                    let label = self.label(&path);
                    self.not_loaded(&label, Why::AboveRoot);
                }
            }
        }
    }

    fn load(&mut self, place: &Place, path: &Path, label: &Arc<str>) -> Option<(Text, Vec<Loaded>)> {
        let file = self.read_new(place, path, label)?;
        match self.clean(&file, label) {
            Answer::Present(text) => self.finish(text, &Lying::of(place, &file), label),
            Answer::Absent => None,
            Answer::Unavailable(reason) => self.cannot_use(label, reason),
        }
    }

    /// Reads a file that was not read before. Why one is not used is reported.
    pub(super) fn read_new(&mut self, place: &Place, path: &Path, label: &Arc<str>) -> Option<TextFile> {
        let file = match read_shareable(self.world, &place.root, path) {
            Answer::Present(file) => file,
            Answer::Absent => return None,
            Answer::Unavailable(reason) => {
                let message = format!("{label} is not read: {reason}");
                let finding = Diagnostic::warning(Code::FileUnavailable, message).about(Subject::file(label));
                self.diagnostics.extend(reason.unless_withheld(finding));
                return self.cannot_use(label, reason);
            }
        };
        let real = place.root.join(&file.resolved);
        if let Some(same) = self.seen.iter().find(|seen| seen.is(&real, file.identity)) {
            let of = same.label.to_string();
            self.not_loaded(label, Why::Duplicate { of });
            return None;
        }
        if self.rules.empty == Empty::Skip && file.text.trim_start_matches('\u{feff}').trim().is_empty() {
            self.not_loaded(label, Why::Empty);
            return None;
        }
        self.seen.push(Seen { real, identity: file.identity, label: Arc::clone(label) });
        Some(file)
    }

    pub(super) fn cannot_use<T>(&mut self, label: &Arc<str>, reason: Reason) -> Option<T> {
        self.unavailable.get_or_insert_with(|| reason.clone());
        self.not_loaded(label, Why::Unavailable(reason));
        None
    }

    /// A file's text, after the hygiene checks.
    pub(super) fn clean(&mut self, file: &TextFile, label: &Arc<str>) -> Answer<Text> {
        let text = normalized(&file.text, Origin::file(self.name, label));
        self.situation.permissions.hygiene.clean(text, &Subject::file(label), self.diagnostics)
    }

    /// A file's text as it enters the prompt: with its imports, its tags written out, cut to its budget; and the files
    /// that it is made of. None if nothing of it fits.
    pub(super) fn finish(&mut self, text: Text, lying: &Lying, label: &Arc<str>) -> Option<(Text, Vec<Loaded>)> {
        let mut text = text;
        let mut loaded = Vec::new();
        let whole = !lying.more && self.rules.file_budget.fits(text.as_str());
        // Nothing is imported into a file that is cut: what it says is unfinished.
        if self.rules.imports == Following::Follow && whole {
            let Search { world, situation, name, .. } = *self;
            let diagnostics = &mut *self.diagnostics;
            let loaded = &mut loaded;
            let (own, walked, files) = (&self.seen[..], &self.walked[..], self.imported);
            let mut imports = Imports { world, situation, name, loaded, diagnostics, own, walked, files };
            text = imports.follow(&text, &mut vec![lying.real.clone()]);
            self.imported = imports.files;
        }
        let extent = if lying.more { Extent::Beginning } else { Extent::Whole };
        let text = self.bounded(text, extent, label)?;
        let path = Some(label.to_string());
        loaded.insert(0, Loaded { fact: self.name.clone(), path, bytes: text.as_str().len() });
        Some((text, loaded))
    }

    /// A text with its tags written out, cut to the budget of a file. None if nothing of it fits.
    fn bounded(&mut self, text: Text, extent: Extent, label: &Arc<str>) -> Option<Text> {
        let budget = self.rules.file_budget;
        let mut text = protected(&text, &self.protect);
        if extent == Extent::Beginning || !budget.fits(text.as_str()) {
            let read = Budget::bytes(FILE_LIMIT);
            let tight = if budget.fits(text.as_str()) { read } else { budget };
            let size = tight.unit.measure(text.as_str());
            let bytes = text.as_str().len();
            text = cut_to(&text, &self.situation.rules.phrases.get("cut_notice"), &[budget, read]);
            if text.as_str().is_empty() {
                let message = format!("{label} is left out: its budget of {budget} has no room for a word of it");
                let finding = Diagnostic::warning(Code::OverBudget, message).about(Subject::file(label));
                self.diagnostics.push(finding.hint("raise `file_budget` in the layout"));
                self.not_loaded(label, Why::OverBudget { bytes });
                return None;
            }
            let more = if extent == Extent::Beginning { "more than " } else { "" };
            self.report_cut(label, &format!("{more}{size}"), tight);
        }
        Some(text)
    }

    pub(super) fn not_loaded(&mut self, label: &str, why: Why) {
        self.report.not_loaded.push(NotLoaded { fact: self.name.clone(), path: Some(label.to_owned()), why });
    }
}
