//! What a layout says about skills.

use serde::Deserialize;

use crate::discover::Paths;
use crate::text::Budget;

/// What a layout says about skills.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SkillRules {
    /// Directories: relative to the working directory and each directory up to the project root, or in `~/`.
    pub roots: Vec<String>,
    /// The tools that can read a skill; without any of them nothing is listed. If the caller names no tools, it is assumed that they are there.
    pub needs_tool: Vec<String>,
    /// Whether a skill may go without front matter or description.
    pub descriptions: Descriptions,
    /// Whether Markdown files directly in a root are skills too.
    pub loose: Loose,
    /// Whether ignore files in and below a root are obeyed.
    pub ignore: Ignore,
    /// How places are shown.
    pub labels: Paths,
    /// The most that a listing may have.
    pub budget: Budget,
}

impl Default for SkillRules {
    fn default() -> SkillRules {
        let text = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        SkillRules {
            roots: text(&[".antefix/skills", ".agents/skills", ".claude/skills", "~/.agents/skills"]),
            needs_tool: text(&["read", "bash"]),
            descriptions: Descriptions::Required,
            loose: Loose::Ignored,
            ignore: Ignore::Git,
            labels: Paths::Portable,
            budget: Budget::bytes(16 * 1024),
        }
    }
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
