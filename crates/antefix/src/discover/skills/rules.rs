//! What a layout says about skills.

use serde::Deserialize;

use crate::discover::Paths;
use crate::text::{Budget, WordFor, WordOrTable};

/// What a layout says about skills.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SkillRules {
    /// Where skills are looked for, in order; the first skill of a name wins.
    pub roots: Vec<SkillRoot>,
    /// In which order they are listed.
    pub order: SkillOrder,
    /// The tools that can read a skill; without any of them nothing is listed. If the caller names no tools, it is assumed that they are there.
    pub needs_tool: Vec<String>,
    /// Whether a skill may go without front matter or description.
    pub descriptions: Descriptions,
    /// Whether Markdown files directly in a root are skills too, where a root does not say.
    pub loose: Loose,
    /// Whether ignore files in and below a root are obeyed.
    pub ignore: Ignore,
    /// How deep below a root they are looked for.
    pub depth: usize,
    /// Which skill counts of those that have one name.
    pub same_name: SameName,
    /// What hides a skill.
    pub hide: HideBy,
    /// The longest description, and what becomes of a longer one.
    pub descriptions_limit: Option<DescriptionLimit>,
    /// Whether a skill may have front matter that is not YAML, or a byte-order mark.
    pub malformed: Malformed,
    /// How places are shown.
    pub labels: Paths,
    /// The most that a listing may have.
    pub budget: Budget,
}

impl Default for SkillRules {
    fn default() -> SkillRules {
        let text = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        SkillRules {
            roots: [".antefix/skills", ".agents/skills", ".claude/skills", "~/.agents/skills"]
                .map(SkillRoot::from)
                .into(),
            order: SkillOrder::Name,
            needs_tool: text(&["read", "bash"]),
            descriptions: Descriptions::Required,
            loose: Loose::Ignored,
            ignore: Ignore::Git,
            depth: DEPTH,
            same_name: SameName::First,
            hide: HideBy::Author,
            descriptions_limit: None,
            malformed: Malformed::Repaired,
            labels: Paths::Portable,
            budget: Budget::bytes(16 * 1024),
        }
    }
}

/// A directory of skills: a path, or a table `{ path = "…", walk = "cwd", loose = "skills" }`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(from = "RootKey")]
pub struct SkillRoot {
    /// Relative to a directory of the project, or in `~/`.
    pub path: String,
    /// The directories of the project that a relative path is looked for in.
    pub walk: RootWalk,
    /// Whether Markdown files directly in it are skills; none for what the layout says for all roots.
    pub loose: Option<Loose>,
}

impl From<&str> for SkillRoot {
    fn from(path: &str) -> SkillRoot {
        SkillRoot { path: path.to_owned(), walk: RootWalk::Up, loose: None }
    }
}

/// How [`SkillRoot`] is written.
type RootKey = WordOrTable<String, RootTable>;

impl WordFor for RootTable {
    const EXPECTED: &'static str = "a directory, or a table with `path` and optionally `walk` and `loose`";
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RootTable {
    path: String,
    #[serde(default)]
    walk: RootWalk,
    loose: Option<Loose>,
}

impl From<RootKey> for SkillRoot {
    fn from(key: RootKey) -> SkillRoot {
        match key {
            WordOrTable::Word(path) => SkillRoot::from(path.as_str()),
            WordOrTable::Table(RootTable { path, walk, loose }) => SkillRoot { path, walk, loose },
        }
    }
}

/// The directories of the project that a root is looked for in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RootWalk {
    /// The working directory and each directory up to the project root, the nearest first.
    #[default]
    Up,
    /// The working directory alone.
    Cwd,
    /// The project root alone.
    Root,
}

/// How deep skills are looked for where a layout does not say, and no layout may look deeper.
pub(super) const DEPTH: usize = 6;

/// Which skill counts of those that have one name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SameName {
    /// The first one, in the order of the roots.
    First,
    /// The last one.
    Last,
    /// All of them.
    Each,
    /// Another one every time; here the first.
    Unknown,
}

/// How a skill's author can hide it from the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HideBy {
    /// `disable-model-invocation: true` hides it.
    Author,
    /// `allow_implicit_invocation: false` in `agents/openai.yaml` beside it does, and nothing in its front matter.
    Policy,
    /// Nothing does.
    Nobody,
}

/// The longest description.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DescriptionLimit {
    /// In characters.
    pub characters: usize,
    /// What becomes of a skill with a longer one.
    pub over: OverLong,
}

/// What becomes of a skill with a description that is too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OverLong {
    /// The description is cut.
    Cut,
    /// The skill is not listed.
    Drop,
}

/// Whether a skill may have front matter that is not YAML.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Malformed {
    /// Its lines are read as they are.
    Repaired,
    /// The skill is not listed.
    Dropped,
}

/// In which order skills are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SkillOrder {
    /// By name, wherever they are.
    Name,
    /// Root by root, in the order of the roots; those of one root in the order of their paths.
    Roots,
    /// The machine's, then the project's, then the user's own; by name in each.
    Owners,
}

/// Whether a skill must say what it is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Descriptions {
    /// A skill without a description is not loaded.
    Required,
    /// It is, and a file without front matter is all body.
    Optional,
}

/// Whether Markdown files directly in a root are skills.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Loose {
    /// Loose files are ignored.
    Ignored,
    /// Loose files are skills.
    Skills,
}

/// Whether ignore files are obeyed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ignore {
    /// `.gitignore`, `.ignore` and `.fdignore` are, as git reads its own.
    Git,
    /// No ignore file is read.
    None,
}
