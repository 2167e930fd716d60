//! What a layout says about instruction files.

use serde::Deserialize;

use crate::discover::Paths;
use crate::text::Budget;

/// What a layout says about instruction files.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct InstructionRules {
    /// File names, relative to a directory.
    pub names: Vec<String>,
    /// Parts of names that are refused, in any case.
    pub never: Vec<String>,
    /// Which directories are searched.
    pub walk: Walk,
    /// How many names of one directory.
    pub take: Take,
    /// Which of the user's own files come before all others.
    pub global: Global,
    /// Directories of rules, relative to a directory: files that say for which paths they apply. With any, the user's own in
    /// `$config/rules` are used too.
    pub rules: Vec<String>,
    /// In which order the files are listed.
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
    /// The most that one file may have, with the notice of a cut. No more than 256 KiB are read of any.
    pub file_budget: Budget,
    /// The most that all files may have together, each counted by itself.
    pub total_budget: Budget,
    /// Which files go when they have more than that together.
    pub drop: Drop,
}

impl Default for InstructionRules {
    fn default() -> InstructionRules {
        InstructionRules {
            names: ["AGENTS.override.md", "AGENTS.md", "CLAUDE.md"].map(str::to_owned).to_vec(),
            never: Vec::new(),
            walk: Walk::GitRoot,
            take: Take::First,
            global: Global::Before,
            rules: [".antefix/rules", ".claude/rules", ".cursor/rules", ".github/instructions"]
                .map(str::to_owned)
                .to_vec(),
            order: Order::OutermostFirst,
            labels: Paths::Portable,
            protect: Vec::new(),
            imports: Following::Leave,
            empty: Empty::Skip,
            system_roots: [".antefix", "$config"].map(str::to_owned).to_vec(),
            file_budget: Budget::bytes(64 * 1024),
            total_budget: Budget::bytes(256 * 1024),
            drop: Drop::LeastSpecific,
        }
    }
}

impl InstructionRules {
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
        };
        let order = match (self.walk, self.order) {
            (Walk::Cwd | Walk::CwdAndHome, _) => "",
            (_, Order::OutermostFirst) => ", the nearest last",
            (_, Order::NearestFirst) => ", listed in reverse, the nearest first",
        };
        let take = match self.take {
            Take::First => "the first found in a directory",
            Take::Each => "each name once",
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

/// Which of the user's own files are taken: `"before"`, `"none"`, or a list of paths.
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
}

/// What becomes of `@path` in a file.
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
