//! What a layout says about instruction files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::PathPattern;
use super::reading::{Case, CutNotice, ImportRules, Keep, Over, Same, TextRules};
use crate::discover::file::FILE_LIMIT;
use crate::discover::rules::RuleDirectory;
use crate::discover::{Paths, Workspace};
use crate::text::Budget;

/// What a layout says about instruction files.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct InstructionRules {
    /// File names, relative to a directory.
    pub names: Vec<String>,
    /// Names that are read behind the rules of a directory.
    pub last: Vec<String>,
    /// Lists of names in the place of `names`, for all directories at once: the first list counts of which a file is anywhere.
    pub fallback: Vec<Vec<String>>,
    /// Whether names must be written as the layout has them.
    pub case: Case,
    /// Parts of names that are refused, in any case.
    pub never: Vec<String>,
    /// Files that are not used, by their paths from the project root or from `~/`.
    pub exclude: Vec<PathPattern>,
    /// Files of the project that are used besides, by their paths from its root.
    pub include: Vec<PathPattern>,
    /// Which directories are searched.
    pub walk: Walk,
    /// What marks the directory that the walk ends at; without any, the project root is that.
    pub markers: Vec<String>,
    /// Where the walk ends if no directory has a mark.
    pub unmarked: Unmarked,
    /// Whether the main work tree of a linked one inside it is searched as well.
    pub main_work_tree: Keep,
    /// What becomes of files below the working directory; what the walk suggests, if a layout does not say.
    pub nested: Option<Nested>,
    /// Which names count there.
    pub nested_names: NestedNames,
    /// How many names of one directory.
    pub take: Take,
    /// Which of the user's own files come before all others.
    pub global: Global,
    /// Directories of rules, relative to a directory: files that say for which paths they apply. With any, the user's own in
    /// `$config/rules` are used too.
    pub rules: Vec<RuleDirectory>,
    /// In which order the files are listed.
    pub order: Order,
    /// How files are labeled.
    pub labels: Paths,
    /// A word for files of these rules, by which templates tell them from others. With one, each file also has `kind`, `name`
    /// (of the file, without its ending) and `from_cwd` (its path from the working directory).
    pub kind: String,
    /// Tags that a layout frames the files with: inside a file they are written out, so that none can be closed or forged.
    pub protect: Vec<String>,
    /// What becomes of `@path` in a file.
    pub imports: ImportRules,
    /// What becomes of a file's characters.
    pub text: TextRules,
    /// Whether a file that is reached twice is loaded twice.
    pub same_file: Same,
    /// Whether a text that two files have is loaded twice.
    pub same_text: Same,
    /// Which file counts of those that have one name.
    pub same_name: SameName,
    /// What files are called in the place of their names, by name or by path.
    pub called: BTreeMap<String, String>,
    /// What becomes of an empty file.
    pub empty: Empty,
    /// Where SYSTEM.md and APPEND_SYSTEM.md are looked for, the first one found winning: in the working directory, in
    /// `~/`, or in antefix's configuration directory, `$config`.
    pub system_roots: Vec<String>,
    /// The most that one file may have, with the notice of a cut. No more than `read_limit` are read of any.
    pub file_budget: Budget,
    /// What becomes of a file that has more.
    pub over: Over,
    /// How many bytes are read of a file; 256 KiB, unless a layout says otherwise.
    pub read_limit: usize,
    /// What is printed where a file was cut; the wording `cut_notice`, if a layout does not say.
    pub cut_notice: CutNotice,
    /// The most that all files may have together, each counted by itself.
    pub total_budget: Budget,
    /// Which files go when they have more than that together.
    pub drop: Drop,
    /// Further rules for other files, which come behind these, with budgets of their own.
    pub then: Vec<InstructionRules>,
}

impl Default for InstructionRules {
    fn default() -> InstructionRules {
        InstructionRules {
            names: ["AGENTS.override.md", "AGENTS.md", "CLAUDE.md"].map(str::to_owned).to_vec(),
            last: Vec::new(),
            fallback: Vec::new(),
            case: Case::Exact,
            never: Vec::new(),
            exclude: Vec::new(),
            include: Vec::new(),
            walk: Walk::GitRoot,
            markers: Vec::new(),
            unmarked: Unmarked::Cwd,
            main_work_tree: Keep::Remove,
            nested: None,
            nested_names: NestedNames::Walk,
            take: Take::First,
            global: Global::Before,
            rules: [".antefix/rules", ".claude/rules", ".cursor/rules", ".github/instructions"]
                .map(RuleDirectory::from)
                .to_vec(),
            order: Order::OutermostFirst,
            labels: Paths::Portable,
            kind: String::new(),
            protect: Vec::new(),
            imports: ImportRules::from(Following::Leave),
            text: TextRules::default(),
            same_file: Same::Once,
            same_text: Same::Each,
            same_name: SameName::Each,
            called: BTreeMap::new(),
            empty: Empty::Skip,
            system_roots: [".antefix", "$config"].map(str::to_owned).to_vec(),
            file_budget: Budget::bytes(64 * 1024),
            over: Over::Cut,
            read_limit: FILE_LIMIT,
            cut_notice: CutNotice::Wording,
            total_budget: Budget::bytes(256 * 1024),
            drop: Drop::LeastSpecific,
            then: Vec::new(),
        }
    }
}

impl InstructionRules {
    /// These rules and all further ones, in order.
    pub fn groups(&self) -> impl Iterator<Item = &InstructionRules> {
        std::iter::once(self).chain(&self.then)
    }

    /// What becomes of files below the working directory.
    pub fn nested(&self) -> Nested {
        self.nested.unwrap_or(match self.walk {
            Walk::GitRoot | Walk::Ancestors => Nested::OnTouch,
            _ => Nested::Never,
        })
    }

    /// Every name that may be looked for in a directory.
    pub fn all_names(&self) -> impl Iterator<Item = &String> {
        self.names.iter().chain(&self.last).chain(self.fallback.iter().flatten())
    }

    /// What a file is called: as the layout says, or by its name without its ending.
    pub(in crate::discover) fn name_of(&self, label: &str, workspace: &Workspace) -> String {
        let path = workspace.unshow(label).unwrap_or_else(|| PathBuf::from(label));
        let is_at = |at: &&String| workspace.named(at).is_some_and(|at| at == path);
        let by_path = self.called.keys().filter(|at| at.starts_with(['~', '/'])).find(is_at);
        let by_name = || self.called.keys().find(|name| path.ends_with(Path::new(name.as_str())));
        match by_path.or_else(by_name).and_then(|key| self.called.get(key)) {
            Some(name) => name.clone(),
            None => path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default(),
        }
    }

    /// Which files are used and in which order, for people: an order that is written nowhere is a trap.
    pub fn in_words(&self) -> String {
        let global = match &self.global {
            Global::Before => "the user's own file first, then ".to_owned(),
            Global::Files(files) if !files.is_empty() => format!("{} first, then ", files.join(", ")),
            Global::Files(_) | Global::None => String::new(),
        };
        let walk = match self.walk {
            Walk::Ancestors => "the directories from the root of the file system down to the working directory",
            Walk::GitRoot => "the directories from the project root down to the working directory",
            Walk::Cwd => "the working directory",
            Walk::CwdAndHome => "the working directory, then the home directory",
            Walk::Root => "the project root",
            Walk::RootAndCwd => "the project root and the working directory",
            Walk::Between => "the directories between the project root and the working directory",
            Walk::AboveRoot => "the directories from the one above the project root down to the working directory",
            Walk::Home => "the directories from the home directory down to the working directory",
            Walk::None => "no directory",
        };
        let order = match (self.walk, self.order) {
            (Walk::Cwd | Walk::CwdAndHome | Walk::Root | Walk::None, _) => "",
            (_, Order::OutermostFirst) => ", the nearest last",
            (_, Order::ByName) => ", by name",
            (_, Order::NameByName) => ", the nearest last, one name after the other",
            (_, Order::Unknown) => ", in an order that nobody knows",
            (_, Order::NearestFirst) => ", listed in reverse, the nearest first",
        };
        let take = match self.take {
            Take::First => "the first found in a directory",
            Take::Each => "each name once",
            Take::All => "all",
        };
        format!("{global}{walk}{order}; of {} {take}", self.names.join(", "))
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
    /// The project root alone.
    Root,
    /// The project root and the working directory.
    RootAndCwd,
    /// What is between the two.
    Between,
    /// From the working directory up to the directory above the project root.
    AboveRoot,
    /// From the working directory up to the home directory, or to the project root where that is not above.
    Home,
    /// None: only the user's own files count.
    None,
}

/// Where a walk ends if no directory has a mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unmarked {
    /// It is the working directory alone.
    Cwd,
    /// At the root of the file system.
    Ancestors,
    /// At the home directory, or at the root of the file system where that is not above.
    Home,
}

/// What becomes of files below the working directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Nested {
    /// They are never read.
    Never,
    /// They are read once something in their directory, or below it, is touched.
    OnTouch,
    /// So are those beside the working directory, anywhere in the project.
    Anywhere,
    /// Their paths are told, and nothing else.
    Listed,
}

/// Which names count below the working directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NestedNames {
    /// Those that count from the working directory upwards: `fallback` where none of `names` is there, nor in the directory itself.
    Walk,
    /// In each directory the first that is there, of `names` and then of `fallback`.
    First,
}

/// How many names of one directory are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Take {
    /// The first one found.
    First,
    /// Every one, but none whose file name was taken from an earlier directory.
    Each,
    /// Every one.
    All,
}

/// Which of the user's own files are taken: `"before"`, `"none"`, or a list of paths. One that ends in a slash is a directory, in
/// which the layout's names are looked for.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(from = "GlobalKey")]
pub enum Global {
    /// The first of the layout's names in antefix's configuration directory comes before all others.
    Before,
    /// These files, in `~/` or in antefix's configuration directory, `$config`, come before all others, in this order.
    Files(Vec<String>),
    /// None is used.
    None,
}

/// How [`Global`] is written.
#[derive(Deserialize)]
#[serde(untagged, expecting = "expected `before`, `none`, or a list of files")]
enum GlobalKey {
    Word(GlobalWord),
    Files(Vec<String>),
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
enum GlobalWord {
    Before,
    None,
}

impl From<GlobalKey> for Global {
    fn from(key: GlobalKey) -> Global {
        match key {
            GlobalKey::Word(GlobalWord::Before) => Global::Before,
            GlobalKey::Word(GlobalWord::None) => Global::None,
            GlobalKey::Files(files) => Global::Files(files),
        }
    }
}

/// In which order files are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// The file nearest to the working directory last.
    OutermostFirst,
    /// The file nearest to the working directory first.
    NearestFirst,
    /// By the files' own names, in any case.
    ByName,
    /// All files of the first of `names`, then all of the next; those of one name as they were found.
    NameByName,
    /// Another one every time; here as they were found.
    Unknown,
}

/// What becomes of `@path` in a file, in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Following {
    /// `@path` is text like any other.
    Leave,
    /// The file's text is used in its place.
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
    /// It says nothing, and the next name is not tried either.
    Hide,
}

/// Which rule counts of those whose files have one name, whatever they end in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SameName {
    /// All of them.
    Each,
    /// The one that was found first.
    First,
    /// The one that was found last.
    Last,
}

/// Which files are dropped when all together have more than their budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Drop {
    /// The one farthest from the working directory first. One that would keep only a few words goes as a whole.
    LeastSpecific,
    /// The last one in the prompt first, whatever it is: the file in which the budget ends is cut there.
    Last,
}
