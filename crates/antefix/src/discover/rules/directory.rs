//! What a layout says about one directory of rules.

use serde::Deserialize;

use super::forms::PatternForms;
use crate::discover::instructions::Keep;
use crate::text::{WordFor, WordOrTable};

/// A directory of rules: a path, or a table with what is not usual in it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(from = "DirectoryKey")]
pub struct RuleDirectory {
    /// Relative to a directory that is searched; in `~/`, one of the user's own, which is searched once.
    pub path: String,
    /// Whose way its rules are written in.
    pub convention: Convention,
    /// How the names of its files end; none for any.
    pub endings: Vec<String>,
    /// How many levels deep they are looked for.
    pub depth: usize,
    /// Whether names that begin with a dot count.
    pub hidden: Hidden,
    /// What a rule without patterns is.
    pub unpatterned: Unpatterned,
    /// Whether its front matter is part of a rule's text.
    pub front_matter: Keep,
    /// In which order its rules come.
    pub order: RuleOrder,
    /// How its patterns are read.
    pub patterns: PatternForms,
}

/// Whose way a rule is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Convention {
    /// `*.md` with `paths`, in `.antefix/rules`, `.claude/rules` and any other directory that a layout names.
    Paths,
    /// `*.mdc` with `description`, `globs` and `alwaysApply`, in `.cursor/rules`.
    Cursor,
    /// `*.instructions.md` with `applyTo` and `excludeAgent`, in `.github/instructions`.
    Copilot,
    /// `*.md` with `trigger`, `globs` and `description`, in `.windsurf/rules`.
    Windsurf,
    /// `*.md` with `inclusion` and `fileMatchPattern`, in `.kiro/steering`.
    Kiro,
    /// Files that always apply, but for those that say `disabled: true` or `enabled: false`, in `.clinerules`.
    Switch,
    /// Files that always apply, whatever they begin with.
    Plain,
}

/// Whether names that begin with a dot count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Hidden {
    /// They are passed over.
    Skip,
    /// They are names like any other.
    Read,
}

/// What a rule without patterns is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unpatterned {
    /// It always applies.
    Always,
    /// It waits until a person names it.
    ByHand,
}

/// In which order the rules of a directory come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RuleOrder {
    /// By their paths.
    Path,
    /// As the file system lists them, which differs from machine to machine; here by their paths.
    Unsorted,
}

impl Convention {
    /// The convention of a directory, as a layout names it.
    fn of(directory: &str) -> Convention {
        let directory = directory.trim_end_matches('/');
        let is = |known| directory.strip_suffix(known).is_some_and(|before| before.is_empty() || before.ends_with('/'));
        match directory {
            _ if is(".cursor/rules") => Convention::Cursor,
            _ if is(".github/instructions") => Convention::Copilot,
            _ => Convention::Paths,
        }
    }

    /// How the names of rules end.
    fn endings(self) -> Vec<String> {
        let endings: &[&str] = match self {
            Convention::Cursor => &[".mdc"],
            Convention::Copilot => &[".instructions.md"],
            Convention::Paths | Convention::Windsurf | Convention::Kiro => &[".md"],
            Convention::Switch | Convention::Plain => &[],
        };
        endings.iter().map(|ending| (*ending).to_owned()).collect()
    }
}

impl From<&str> for RuleDirectory {
    fn from(path: &str) -> RuleDirectory {
        RuleDirectory::new(path.to_owned(), Convention::of(path))
    }
}

impl RuleDirectory {
    fn new(path: String, convention: Convention) -> RuleDirectory {
        RuleDirectory {
            path,
            convention,
            endings: convention.endings(),
            depth: super::scan::DEPTH,
            hidden: Hidden::Skip,
            unpatterned: Unpatterned::Always,
            front_matter: if convention == Convention::Plain { Keep::Keep } else { Keep::Remove },
            order: RuleOrder::Path,
            patterns: PatternForms::default(),
        }
    }

    /// Whether it is one of the user's own, which no directory of the project has.
    pub(crate) fn is_users(&self) -> bool {
        self.path.starts_with(['~', '/', '$'])
    }

    /// Whether a file of this name is a rule.
    pub(crate) fn has(&self, name: &str) -> bool {
        (self.hidden == Hidden::Read || !name.starts_with('.'))
            && (self.endings.is_empty() || self.endings.iter().any(|ending| name.ends_with(ending.as_str())))
    }
}

/// How [`RuleDirectory`] is written.
type DirectoryKey = WordOrTable<String, DirectoryTable>;

impl WordFor for DirectoryTable {
    const EXPECTED: &'static str = "a directory, or a table with `path`";
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DirectoryTable {
    path: String,
    convention: Option<Convention>,
    endings: Option<Vec<String>>,
    depth: Option<usize>,
    hidden: Option<Hidden>,
    unpatterned: Option<Unpatterned>,
    front_matter: Option<Keep>,
    order: Option<RuleOrder>,
    patterns: Option<PatternForms>,
}

impl From<DirectoryKey> for RuleDirectory {
    fn from(key: DirectoryKey) -> RuleDirectory {
        let table = match key {
            WordOrTable::Word(path) => return RuleDirectory::from(path.as_str()),
            WordOrTable::Table(table) => table,
        };
        let convention = table.convention.unwrap_or_else(|| Convention::of(&table.path));
        let usual = RuleDirectory::new(table.path, convention);
        RuleDirectory {
            endings: table.endings.unwrap_or(usual.endings),
            depth: table.depth.unwrap_or(usual.depth).min(super::scan::DEPTH),
            hidden: table.hidden.unwrap_or(usual.hidden),
            unpatterned: table.unpatterned.unwrap_or(usual.unpatterned),
            front_matter: table.front_matter.unwrap_or(usual.front_matter),
            order: table.order.unwrap_or(usual.order),
            patterns: table.patterns.unwrap_or_default(),
            ..usual
        }
    }
}
