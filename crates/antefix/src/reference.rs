//! The reference of a TOML file, as data: every key with its type, default, meaning and example.
//!
//! 1. One table feeds the pages of the book, `antefix help`, the comments that `antefix init` writes, and the advice where a file has a key
//!    that nobody knows.
//! 2. Tests hold it against what is read: a key that the code reads and no table has, or the other way round, fails, and so does an
//!    example that cannot be read.

use std::fmt::Write as _;

/// A table of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyTable {
    /// How it is written, such as `[[section]]`; empty for the top of the file.
    pub name: &'static str,
    /// The heading on the page.
    pub title: &'static str,
    /// What it is for: a few sentences in Markdown.
    pub about: &'static str,
    /// Its keys, the ones that most people need first.
    pub keys: &'static [Key],
}

/// A key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key {
    /// Its name.
    pub name: &'static str,
    /// What its value is, in Markdown: a kind of value, or the words that it may be.
    pub kind: &'static str,
    /// What applies without it, in Markdown.
    pub default: &'static str,
    /// What it says, in Markdown.
    pub says: &'static str,
    /// A line of TOML.
    pub example: &'static str,
    /// The first version that reads it.
    pub since: &'static str,
}

impl Key {
    /// A key that was there from the first version on.
    pub(crate) const fn new(
        name: &'static str,
        kind: &'static str,
        default: &'static str,
        says: &'static str,
        example: &'static str,
    ) -> Key {
        Key { name, kind, default, says, example, since: "0.1" }
    }

    /// What it says, without marks of Markdown: for a comment in a file.
    pub fn in_words(&self) -> String {
        let plain = |text: &str| text.replace('`', "").replace("\\|", "|");
        format!("{} ({})", plain(self.says), plain(self.kind))
    }
}

impl KeyTable {
    /// The key of a name.
    pub fn key(&self, name: &str) -> Option<&'static Key> {
        self.keys.iter().find(|key| key.name == name)
    }

    /// Its section of the page.
    pub fn markdown(&self) -> String {
        let mut text = format!("## {}\n\n{}\n\n", self.title, self.about.trim());
        text.push_str("| key | type | what it says |\n|---|---|---|\n");
        for Key { name, kind, default, says, example, since } in self.keys {
            // A text can always be written to.
            let _ =
                writeln!(text, "| `{name}` | {kind}<br>default: {default}<br>since {since} | {says}<br>`{example}` |");
        }
        text
    }
}

/// A page: what is said first, the tables, and what is said behind them.
pub fn page(head: &str, tables: &[KeyTable], tail: &str) -> String {
    let tables: Vec<String> = tables.iter().map(KeyTable::markdown).collect();
    let mut page = format!("{}\n\n{}", head.trim_end(), tables.join("\n"));
    if !tail.trim().is_empty() {
        page.push_str(&format!("\n{}\n", tail.trim()));
    }
    page
}
