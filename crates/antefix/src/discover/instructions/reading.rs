//! How a layout has its files read: letters of names, characters of texts, imports, and what is over a limit.

use serde::Deserialize;

use super::Following;
use crate::discover::imports::Spelling;
use crate::text::{WordFor, WordOrTable};

/// Whether names must be written as the layout has them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Case {
    /// As the layout has them.
    Exact,
    /// In capital letters or small ones.
    Any,
}

/// Whether something is loaded that was loaded before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Same {
    /// Once.
    Once,
    /// Each time.
    Each,
}

/// Whether a part of a text stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Keep {
    /// It stays.
    Keep,
    /// It is taken out.
    Remove,
}

/// What becomes of a file's characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TextRules {
    /// A byte-order mark.
    pub byte_order_mark: Keep,
    /// Whether line ends become line feeds.
    pub line_ends: LineEnds,
    /// Bytes that are not UTF-8, and NUL.
    pub invalid: Invalid,
    /// Front matter.
    pub front_matter: Keep,
    /// HTML comments that are paragraphs of their own.
    pub comments: Keep,
    /// White space at both ends.
    pub blank_ends: Keep,
}

impl Default for TextRules {
    fn default() -> TextRules {
        TextRules {
            byte_order_mark: Keep::Remove,
            line_ends: LineEnds::LineFeed,
            invalid: Invalid::Refuse,
            front_matter: Keep::Keep,
            comments: Keep::Keep,
            blank_ends: Keep::Keep,
        }
    }
}

/// What becomes of line ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LineEnds {
    /// They become line feeds.
    LineFeed,
    /// They stay as they are.
    Keep,
}

/// What becomes of a file with bytes that are not text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Invalid {
    /// It is not read.
    Refuse,
    /// What is not UTF-8 becomes U+FFFD; NUL stays.
    Replace,
}

/// What becomes of a file that has more than its budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Over {
    /// It is cut.
    Cut,
    /// It is not loaded at all.
    Skip,
}

/// What is printed where a text was cut.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(from = "Option<String>")]
pub enum CutNotice {
    /// The wording `cut_notice`.
    Wording,
    /// This text; an empty one leaves no trace.
    Text(String),
}

impl From<Option<String>> for CutNotice {
    fn from(text: Option<String>) -> CutNotice {
        text.map_or(CutNotice::Wording, CutNotice::Text)
    }
}

/// What becomes of `@path` in a file: `"leave"`, `"follow"`, or a table.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(from = "ImportKey")]
pub struct ImportRules {
    /// Where the text goes.
    pub how: ImportHow,
    /// How deep imports nest.
    pub depth: usize,
    /// What a file may import.
    pub beneath: Beneath,
    /// Which names are imports.
    pub names: ImportNames,
    /// How they are written.
    pub(in crate::discover) spelling: Spelling,
    /// The names of the files in which that holds; in others `@path` is text. Without any, it holds in all.
    pub files: Vec<String>,
    /// Whether a file that is in the prompt already is imported again.
    pub again: Same,
    /// What is put before the text, with `{path}` for what was written.
    pub before: String,
    /// What is put behind it.
    pub behind: String,
    /// Line feeds at the end of an imported text.
    pub ends: Keep,
    /// What is written in the place of an import that fails.
    pub failed: FailedImports,
}

/// What is written in the place of an import that fails, with `{path}` for what was written and `{absolute}` for where that is; what is
/// not said stays as it was written.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct FailedImports {
    /// There is no such file.
    pub missing: Option<String>,
    /// It is a directory.
    pub directory: Option<String>,
    /// It is outside of what a file may import.
    pub outside: Option<String>,
    /// It leads here itself.
    pub again: Option<String>,
}

/// Where the text of an import goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ImportHow {
    /// `@path` is text like any other.
    Leave,
    /// The file's text is used in its place.
    Follow,
    /// `@path` stays, and the file follows as one of its own.
    After,
    /// `@path` stays, and the text follows it there.
    Beside,
}

/// What a file may import.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Beneath {
    /// What is in the project, or where the user's settings allow it.
    Project,
    /// Of that only what is in the working directory.
    Cwd,
    /// Any file. A layout cannot have it: that is for what agents do with the user's own files.
    Anywhere,
}

/// What may be before the `@` of an import.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ImportAfter {
    /// White space, or the beginning of a line.
    Space,
    /// An opening bracket, too.
    Bracket,
}

/// What an indented line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Indented {
    /// Code, as in Markdown.
    Code,
    /// Text like any other.
    Text,
}

/// Which names are imports without a leading `./`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ImportNames {
    /// Those of documents that exist.
    Documents,
    /// Those of any file that exists; others are text, and nothing is reported of them.
    Any,
}

/// How deep imports nest where a layout does not say.
const DEPTH: usize = 4;

impl From<Following> for ImportRules {
    fn from(word: Following) -> ImportRules {
        let how = match word {
            Following::Leave => ImportHow::Leave,
            Following::Follow => ImportHow::Follow,
        };
        ImportRules::new(how)
    }
}

impl ImportRules {
    fn new(how: ImportHow) -> ImportRules {
        ImportRules {
            how,
            depth: DEPTH,
            beneath: Beneath::Project,
            names: ImportNames::Documents,
            spelling: Spelling::default(),
            files: Vec::new(),
            again: Same::Once,
            before: String::new(),
            behind: String::new(),
            ends: Keep::Remove,
            failed: FailedImports::default(),
        }
    }

    /// Whether the imports of a file are followed, by what it is called.
    pub(super) fn are_followed_in(&self, label: &str) -> bool {
        let name = label.rsplit('/').next().unwrap_or(label);
        self.how != ImportHow::Leave && (self.files.is_empty() || self.files.iter().any(|file| file == name))
    }
}

/// How [`ImportRules`] are written.
type ImportKey = WordOrTable<Following, ImportTable>;

impl WordFor for ImportTable {
    const EXPECTED: &'static str = "`leave`, `follow`, or a table with `how`";
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ImportTable {
    how: ImportHow,
    depth: Option<usize>,
    beneath: Option<Beneath>,
    names: Option<ImportNames>,
    /// What may be before the `@`.
    after: Option<ImportAfter>,
    /// Punctuation at the end of a path.
    punctuation: Option<Keep>,
    /// What an indented line is.
    indented: Option<Indented>,
    #[serde(default)]
    files: Vec<String>,
    again: Option<Same>,
    #[serde(default)]
    before: String,
    #[serde(default)]
    behind: String,
    ends: Option<Keep>,
    #[serde(default)]
    failed: FailedImports,
}

impl From<ImportKey> for ImportRules {
    fn from(key: ImportKey) -> ImportRules {
        let table = match key {
            WordOrTable::Word(word) => return ImportRules::from(word),
            WordOrTable::Table(table) => table,
        };
        let usual = ImportRules::new(table.how);
        ImportRules {
            how: table.how,
            depth: table.depth.unwrap_or(usual.depth),
            beneath: table.beneath.unwrap_or(usual.beneath),
            names: table.names.unwrap_or(usual.names),
            spelling: Spelling {
                after: table.after.unwrap_or(usual.spelling.after),
                punctuation: table.punctuation.unwrap_or(usual.spelling.punctuation),
                indented: table.indented.unwrap_or(usual.spelling.indented),
            },
            files: table.files,
            again: table.again.unwrap_or(usual.again),
            before: table.before,
            behind: table.behind,
            ends: table.ends.unwrap_or(usual.ends),
            failed: table.failed,
        }
    }
}
