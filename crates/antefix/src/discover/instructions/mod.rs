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

mod by_path;
mod fallback;
mod fit;
mod given;
mod places;
mod policy;
mod reading;
mod shrink;
mod suspect;
mod text;

use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use self::by_path::PathPattern;
pub(super) use self::given::given;
use self::places::MANAGED;
use self::places::left_out;
pub(super) use self::places::{Place, Whose, places};
pub use self::policy::{
    Drop, Empty, Following, Global, InstructionRules, Nested, NestedNames, Order, SameName, Take, Unmarked, Walk,
};
pub use self::reading::{
    Beneath, Case, CutNotice, FailedImports, ImportAfter, ImportHow, ImportNames, ImportRules, Indented, Invalid, Keep,
    LineEnds, Over, Same, TextRules,
};
pub(crate) use self::shrink::{InstructionsWithin, files_left, instructions_within, size_of_instructions};
pub(super) use self::text::{normalized, value};
use self::text::{prepared, with_kinds, without_carriage_returns};
use super::file::{TextFile, cut_to, read_decoded};
use super::frame::protected;
use super::imports::Imports;
use super::report::{Loaded, NotLoaded, Report, Why};
use super::rules::{self, Bounds, GlobLimits, Scoped};
use super::workspace::join;
use super::world::{Answer, Kind, Reason, World};
use super::{Fact, Situation, Workspace};
use crate::diagnostic::{Code, Diagnostic, Subject};
use crate::discover::Shared;
use crate::text::{Budget, Digest, Draft, FactName, Origin, Text, Transform, Unit};

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
    let mut found = Vec::new();
    let mut groups: Vec<&InstructionRules> = Vec::new();
    for rules in situation.rules.instructions.groups() {
        search.rules = rules;
        found.extend(search.all());
        groups.resize(found.len(), rules);
    }
    if found.is_empty() {
        // Something is there and could not be read: that is not the same as nothing.
        return search.unavailable.map_or(Answer::Absent, Answer::Unavailable);
    }
    let loaded = found.iter().flat_map(|file| file.loaded.iter().cloned());
    search.report.loaded.extend(loaded);
    Answer::Present(with_kinds(value(&found, name), &groups, situation.workspace, name))
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

fn is_blank(text: &str) -> bool {
    text.trim_start_matches('\u{feff}').trim().is_empty()
}

/// A text that ends in a character which was cut through.
fn replaced_end(text: &Text) -> Text {
    let mut draft = Draft::default();
    draft.push_text(text);
    if let Some(last) = text.pieces().last() {
        draft.push("\u{fffd}", last.origin.clone(), Some(Transform::Replaced));
    }
    draft.into_text()
}

/// Puts the files into the order of the prompt: outermost first as they were found, or the nearest directory first, where the
/// rules of one come after its other files, in their own order.
fn put_in_order(rules: &InstructionRules, workspace: &Workspace, found: &mut [Instruction]) {
    match rules.order {
        // Home is after the working directory already.
        _ if rules.walk == Walk::CwdAndHome => return,
        Order::OutermostFirst | Order::Unknown => return,
        Order::ByName => return found.sort_by_key(|file| rules.name_of(&file.label, workspace).to_lowercase()),
        Order::NameByName => {
            let position = |file: &Instruction| {
                rules.names.iter().position(|name| {
                    file.label.strip_suffix(name.as_str()).is_some_and(|at| at.is_empty() || at.ends_with('/'))
                })
            };
            return found.sort_by_key(|file| position(file).unwrap_or(usize::MAX));
        }
        Order::NearestFirst => {}
    }
    found.reverse();
    for directory in found.chunk_by_mut(|one, other| one.distance == other.distance) {
        if rules.take == Take::All {
            directory.reverse();
            continue;
        }
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
    /// The texts that were loaded, where one that two files have is loaded once.
    texts: Vec<(Digest, Arc<str>)>,
    /// How many files were imported.
    imported: usize,
    /// Files that were imported and follow the one that names them.
    behind: Vec<(Arc<str>, Text, Loaded)>,
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
            texts: Vec::new(),
            imported: 0,
            behind: Vec::new(),
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
    /// The files of one set of rules, in the order of the prompt.
    fn all(&mut self) -> Vec<Instruction> {
        let rules = self.rules;
        let mut found = Vec::new();
        let places = places(self.world, self.situation, rules);
        self.walked = places.iter().map(|place| join(&place.root, &place.inside)).collect();
        let instead = self.fallback(&places);
        let (own, mut others): (Vec<Place>, Vec<Place>) =
            places.into_iter().partition(|place| place.whose == Whose::User);
        for place in &own {
            if self.is_refused_as_managed(place) {
                continue;
            }
            self.look(place, &mut found);
            self.look_for_rules(place, &mut found);
        }
        self.look_for_own_rules(&mut found);
        self.look_for_included(&mut found);
        // The nearest file of a name counts where the nearest come first.
        let nearest_counts = rules.take == Take::Each && rules.order == Order::NearestFirst;
        let first = found.len();
        if nearest_counts && rules.walk != Walk::CwdAndHome {
            others.reverse();
        }
        for place in &others {
            if instead.is_none() || place.only.is_some() {
                self.look(place, &mut found);
            }
            self.look_for_rules(place, &mut found);
            if let Some(names) = instead.filter(|_| place.only.is_none()) {
                self.look_for(place, names, &mut found);
            }
            if place.only.is_none() && !rules.last.is_empty() {
                self.look_for(place, &rules.last, &mut found);
            }
        }
        if nearest_counts && rules.walk != Walk::CwdAndHome {
            found[first..].reverse();
        }
        if rules.same_name != SameName::Each {
            self.keep_one_of_a_name(&mut found);
        }
        self.list_waiting();
        self.list_above();
        // Files that go by their place in the prompt are in that place before.
        match rules.drop {
            Drop::Last => {
                put_in_order(rules, self.situation.workspace, &mut found);
                self.fit(&mut found);
            }
            Drop::LeastSpecific => {
                self.fit(&mut found);
                put_in_order(rules, self.situation.workspace, &mut found);
            }
        }
        found
    }

    /// Whether a directory is the machine's and not its administrator's alone: then others could speak to every user.
    fn is_refused_as_managed(&mut self, place: &Place) -> bool {
        if place.root != Path::new(MANAGED) {
            return false;
        }
        let names = self.rules.names.iter().map(|name| place.root.join(name));
        let mut written = names.filter(|path| self.world.kind(path).present().is_some());
        let Some(shared) = written.find_map(|path| Shared::find(self.world, &path)) else { return false };
        let message = format!(
            "the files in {MANAGED} are not used: {} can be written by {}",
            shared.path.display(),
            shared.others
        );
        let finding = Diagnostic::warning(Code::SharedFile, message).about(Subject::file(MANAGED));
        self.diagnostics.push(finding.hint(shared.remedy("go-w")));
        true
    }

    /// Leaves of files with one name only the first, or the last.
    fn keep_one_of_a_name(&mut self, found: &mut Vec<Instruction>) {
        if self.rules.same_name == SameName::Last {
            found.reverse();
        }
        let mut names: Vec<(String, Arc<str>)> = Vec::new();
        found.retain(|file| {
            let name = self.rules.name_of(&file.label, self.situation.workspace);
            if let Some((_, by)) = names.iter().find(|(known, _)| *known == name) {
                let by = by.to_string();
                self.not_loaded(&file.label, Why::Shadowed { by });
                return false;
            }
            names.push((name, Arc::clone(&file.label)));
            true
        });
        if self.rules.same_name == SameName::Last {
            found.reverse();
        }
    }

    /// Looks for the instruction files of a directory.
    pub(super) fn look(&mut self, place: &Place, found: &mut Vec<Instruction>) {
        let rules = self.rules;
        self.look_for(place, place.only.as_ref().map_or(rules.names.as_slice(), std::slice::from_ref), found);
        if place.only.is_none() && !rules.never.is_empty() {
            self.list_refused(place);
        }
    }

    /// Looks for files of these names in a directory.
    fn look_for(&mut self, place: &Place, names: &[String], found: &mut Vec<Instruction>) {
        let mut winner: Option<Arc<str>> = None;
        let mut here = Vec::new();
        for name in names {
            let name = &self.written(place, name);
            let path = join(&place.inside, name);
            let whole = join(&place.root, &path);
            let label = self.label(&whole);
            let exists = |search: &Self| !matches!(search.world.kind(&whole), Answer::Absent);
            if let Some(by) = winner.clone().or_else(|| self.taken_by(name)) {
                if exists(self) {
                    self.check_shadowed(place, &path, &label, found.iter().rfind(|file| file.label == by));
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
            if let Some(by) = self.excluded_by(&whole) {
                if exists(self) {
                    self.not_loaded(&label, Why::LeftOut { by });
                }
                continue;
            }
            if let Some(agent) = self.reader_of(&whole) {
                if exists(self) {
                    self.not_loaded(&label, Why::ReadByAgent { agent });
                    // It takes the place of the next name all the same.
                    winner = (self.rules.take == Take::First).then_some(label);
                }
                continue;
            }
            let empty = self.report.not_loaded.len();
            if let Some((text, loaded)) = self.load(place, &path, &label) {
                let file_name = Path::new(name).file_name().map(|name| name.to_string_lossy().into_owned());
                here.extend(file_name.map(|name| (name, Arc::clone(&label))));
                if self.rules.take == Take::First {
                    winner = Some(Arc::clone(&label));
                }
                let entry = Entry::File;
                found.push(Instruction { label, text, distance: place.distance, loaded, entry });
                self.add_imported(place.distance, found);
            } else if self.rules.empty == Empty::Hide
                && self.rules.take == Take::First
                && self.report.not_loaded.get(empty).is_some_and(|last| last.why == Why::Empty)
            {
                winner = Some(label);
            }
        }
        if self.rules.take == Take::Each {
            self.taken.extend(here);
        }
    }

    /// Takes the files that were imported by the last one and follow it.
    pub(super) fn add_imported(&mut self, distance: usize, found: &mut Vec<Instruction>) {
        for (label, text, loaded) in std::mem::take(&mut self.behind) {
            found.push(Instruction { label, text, distance, loaded: vec![loaded], entry: Entry::File });
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

    /// Who reads a file by itself, if whoever is told the prompt does.
    pub(super) fn reader_of(&self, path: &Path) -> Option<String> {
        let reads = &self.situation.caller.reads;
        reads.paths.contains(path).then(|| reads.title.clone())
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
            for rules in &self.rules.rules {
                let path = directory.join(&rules.path);
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
        let (limit, invalid) = (self.rules.read_limit, self.rules.text.invalid);
        let file = match read_decoded(self.world, &place.root, path, limit, invalid) {
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
        let same = self.seen.iter().find(|seen| seen.is(&real, file.identity));
        if let Some(same) = same.filter(|_| self.rules.same_file == Same::Once) {
            let of = same.label.to_string();
            self.not_loaded(label, Why::Duplicate { of });
            return None;
        }
        if self.rules.empty != Empty::Keep && is_blank(&file.text) {
            self.not_loaded(label, Why::Empty);
            return None;
        }
        if self.rules.same_text == Same::Once {
            let digest = Digest::of(file.text.trim());
            if let Some((_, of)) = self.texts.iter().find(|(known, _)| *known == digest) {
                let of = of.to_string();
                self.not_loaded(label, Why::Duplicate { of });
                return None;
            }
            self.texts.push((digest, Arc::clone(label)));
        }
        if self.rules.over == Over::Skip && (file.more || !self.rules.file_budget.fits(&file.text)) {
            self.not_loaded(label, Why::OverBudget { bytes: file.text.len() });
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
        let text = prepared(&file.text, Origin::file(self.name, label), self.rules.text);
        self.situation.permissions.hygiene.clean(text, &Subject::file(label), self.diagnostics)
    }

    /// A rule's text with its front matter, after the same checks.
    pub(super) fn clean_rule(&mut self, file: &TextFile, label: &Arc<str>) -> Answer<Text> {
        let rules = TextRules { front_matter: Keep::Keep, ..self.rules.text };
        let text = prepared(&without_carriage_returns(&file.text), Origin::file(self.name, label), rules);
        self.situation.permissions.hygiene.clean(text, &Subject::file(label), self.diagnostics)
    }

    /// What is printed where a text was cut.
    pub(super) fn notice(&self) -> Text {
        match &self.rules.cut_notice {
            CutNotice::Wording => self.situation.rules.phrases.get("cut_notice"),
            CutNotice::Text(text) => Text::new(text.as_str(), Origin::fact(&FactName::new("wording", "cut_notice"))),
        }
    }

    /// A text cut to a budget, as the layout has it: some programs cut through a character.
    pub(super) fn cut(&self, text: &Text, budgets: &[Budget]) -> Text {
        let notice = self.notice();
        let cut = cut_to(text, &notice, budgets);
        let through =
            |budget: &Budget| budget.unit == Unit::Bytes && cut.as_str().len() < budget.most.min(text.as_str().len());
        if self.rules.text.invalid == Invalid::Replace && notice.as_str().is_empty() && budgets.iter().all(through) {
            return replaced_end(&cut);
        }
        cut
    }

    /// A file's text as it enters the prompt: with its imports, its tags written out, cut to its budget; and the files
    /// that it is made of. None if nothing of it fits.
    pub(super) fn finish(&mut self, text: Text, lying: &Lying, label: &Arc<str>) -> Option<(Text, Vec<Loaded>)> {
        let mut text = text;
        let mut loaded = Vec::new();
        let whole = !lying.more && self.rules.file_budget.fits(text.as_str());
        // Nothing is imported into a file that is cut: what it says is unfinished.
        if self.rules.imports.are_followed_in(label) && whole {
            let Search { world, situation, name, .. } = *self;
            let diagnostics = &mut *self.diagnostics;
            let loaded = &mut loaded;
            let (own, walked, files) = (&self.seen[..], &self.walked[..], self.imported);
            let (rules, behind) = (self.rules, Vec::new());
            let mut imports =
                Imports { world, situation, rules, name, loaded, diagnostics, own, walked, files, behind };
            text = imports.follow(&text, &mut vec![lying.real.clone()]);
            self.imported = imports.files;
            for file in imports.behind {
                if !self.seen.iter().any(|seen| seen.real == file.real) {
                    self.seen.push(Seen { real: file.real, identity: file.identity, label: Arc::clone(&file.label) });
                    self.behind.push((file.label, file.text, file.loaded));
                }
            }
        } else if whole {
            self.check_imports(&text, lying, label);
        }
        let bytes = text.as_str().len();
        let extent = if lying.more { Extent::Beginning } else { Extent::Whole };
        let text = self.bounded(text, extent, label)?;
        let path = Some(label.to_string());
        loaded.insert(0, Loaded { whole: bytes, ..Loaded::whole(self.name, path, text.as_str().len()) });
        Some((text, loaded))
    }

    /// A text with its tags written out, cut to the budget of a file. None if nothing of it fits.
    fn bounded(&mut self, text: Text, extent: Extent, label: &Arc<str>) -> Option<Text> {
        let budget = self.rules.file_budget;
        let mut text = protected(&text, &self.protect);
        if extent == Extent::Beginning || !budget.fits(text.as_str()) {
            let read = Budget::bytes(self.rules.read_limit);
            let tight = if budget.fits(text.as_str()) { read } else { budget };
            let size = tight.unit.measure(text.as_str());
            let bytes = text.as_str().len();
            text = self.cut(&text, &[budget, read]);
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
