//! What the front matter of a rule says: when it applies.
//!
//! 1. Each convention has its own keys; a key of another one means nothing.
//! 2. Patterns are a list, or a text with commas. `globs: **/*.js, **/*.ts` is not YAML, and usual: where YAML gives up,
//!    the lines are read as they stand.
//! 3. Front matter that cannot be read does not become a rule that always applies.

use std::ops::Range;

use super::braces::split;
use super::forms::Commas;
use super::{Convention, RuleDirectory, Unpatterned};
use crate::discover::front_matter::{Field, FrontMatter, How, Missing, is_block, line_of, uncommented};

/// A rule's head.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) applies: Applies,
    /// Where the body begins, in bytes.
    pub(super) body: usize,
    /// What had to be forgiven, if it is not usual.
    pub(super) forgiven: Option<String>,
    /// How the front matter was read.
    pub(super) read: How,
    /// A key that looks like one with patterns, and is none here.
    pub(super) meant: Option<&'static str>,
}

/// When a rule applies.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Applies {
    Always,
    /// Once a path is touched that a pattern matches.
    For(Vec<Written>),
    /// When an agent asks for it by its description.
    OnRequest,
    /// When a person names it.
    ByHand,
    /// For other agents.
    Excluded,
    /// It is switched off.
    Never,
}

/// A pattern, and where it is in the file.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Written {
    pub(super) pattern: String,
    pub(super) range: Range<usize>,
}

/// Reads the head of a rule whose line ends are line feeds.
pub(super) fn read(text: &str, directory: &RuleDirectory) -> Result<Head, String> {
    let convention = directory.convention;
    let unpatterned = match directory.unpatterned {
        Unpatterned::Always => Applies::Always,
        Unpatterned::ByHand => Applies::ByHand,
    };
    if convention == Convention::Plain {
        return Ok(Head { applies: Applies::Always, body: 0, forgiven: None, read: How::Plain, meant: None });
    }
    let matter = match FrontMatter::split_leniently(text) {
        Ok(matter) => matter,
        Err(Missing::None) => {
            let applies = if convention == Convention::Cursor { Applies::ByHand } else { unpatterned };
            return Ok(Head { applies, body: 0, forgiven: None, read: How::Plain, meant: None });
        }
        Err(Missing::Unclosed) => return Err("its front matter is never closed".to_owned()),
        Err(Missing::Invalid(detail)) => return Err(detail),
    };
    let keys = Keys { text: &text[..matter.body], matter: &matter, commas: directory.patterns.commas };
    let patterns = match convention {
        Convention::Paths => keys.patterns("paths")?,
        Convention::Cursor | Convention::Windsurf => keys.patterns("globs")?,
        Convention::Copilot => keys.patterns("applyTo")?,
        Convention::Kiro => keys.patterns("fileMatchPattern")?,
        Convention::Switch | Convention::Plain => Vec::new(),
    };
    let applies = match convention {
        Convention::Cursor if keys.says("alwaysApply", "true") => Applies::Always,
        Convention::Copilot
            if keys.says("excludeAgent", "coding-agent") || keys.says("excludeAgent", "cloud-agent") =>
        {
            Applies::Excluded
        }
        Convention::Windsurf if keys.says("trigger", "manual") => Applies::ByHand,
        Convention::Windsurf if keys.says("trigger", "model_decision") => Applies::OnRequest,
        Convention::Windsurf if !keys.says("trigger", "glob") => Applies::Always,
        Convention::Kiro if keys.says("inclusion", "manual") => Applies::ByHand,
        Convention::Kiro if keys.says("inclusion", "auto") => Applies::OnRequest,
        Convention::Kiro if !keys.says("inclusion", "fileMatch") => Applies::Always,
        Convention::Switch if keys.says("disabled", "true") || keys.says("enabled", "false") => Applies::Never,
        Convention::Switch => Applies::Always,
        Convention::Paths | Convention::Copilot if patterns.is_empty() => unpatterned,
        Convention::Cursor if patterns.is_empty() => {
            let described = keys.values("description").unwrap_or_default().iter().any(|text| !text.trim().is_empty());
            if described { Applies::OnRequest } else { Applies::ByHand }
        }
        _ => Applies::For(patterns),
    };
    // Rules of Cursor are written by a program that writes no YAML.
    let forgiven = matter.forgiven.clone().filter(|_| convention != Convention::Cursor || matter.read != How::Lines);
    // Cursor has rules that wait for a person, and says so.
    let meant = KEYS.into_iter().find(|key| {
        let says = match matter.get(&key.to_ascii_lowercase()) {
            Some(Field::Text(text)) => !matches!(text.trim(), "" | "null" | "~"),
            Some(Field::List(items)) => !items.is_empty(),
            Some(Field::Other | Field::Unread(_)) | None => false,
        };
        says && applies == Applies::Always && matches!(convention, Convention::Paths | Convention::Copilot)
    });
    Ok(Head { applies, body: matter.body, forgiven, read: matter.read, meant })
}

/// The keys that programs have for patterns.
const KEYS: [&str; 5] = ["paths", "path", "globs", "glob", "applyTo"];

struct Keys<'k> {
    /// The front matter, with its lines of dashes.
    text: &'k str,
    matter: &'k FrontMatter<'k>,
    commas: Commas,
}

impl Keys<'_> {
    fn patterns(&self, key: &str) -> Result<Vec<Written>, String> {
        let start = line_of(self.text, key).map_or(0, |line| line.start);
        let mut patterns = Vec::new();
        let mut from = start;
        for value in self.values(key)? {
            let parts = |line| match self.commas {
                Commas::List => split(line),
                Commas::One => vec![line],
            };
            for pattern in value.lines().flat_map(parts).map(unquoted) {
                if pattern.is_empty() || matches!(value.trim(), "null" | "~") {
                    continue;
                }
                // A pattern that is written with escapes is reported at its key.
                let found = self.find(pattern, from);
                from = found.as_ref().map_or(from, |range| range.end);
                let range = found.unwrap_or_else(|| line_of(self.text, key).unwrap_or(0..0));
                patterns.push(Written { pattern: pattern.to_owned(), range });
            }
        }
        Ok(patterns)
    }

    /// Where a pattern is, in quotes rather than bare: a bracket may also be the list's.
    fn find(&self, pattern: &str, from: usize) -> Option<Range<usize>> {
        let rest = &self.text[from..];
        let quoted = |quote: &str| rest.find(&format!("{quote}{pattern}{quote}")).map(|at| at + 1);
        let at = from + quoted("\"").or_else(|| quoted("'")).or_else(|| rest.find(pattern))?;
        Some(at..at + pattern.len())
    }

    /// Whether a key has this among its words.
    fn says(&self, key: &str, word: &str) -> bool {
        let values = self.values(key).unwrap_or_default();
        values.iter().flat_map(|value| value.split(',')).any(|value| unquoted(value).eq_ignore_ascii_case(word))
    }

    fn values(&self, key: &str) -> Result<Vec<String>, String> {
        match self.matter.get(&key.to_ascii_lowercase()) {
            None => Ok(Vec::new()),
            Some(_) if self.matter.read == How::Lines => Ok(self.lines(key)),
            Some(Field::Text(text)) => Ok(vec![text.to_string()]),
            Some(Field::List(items)) => Ok(items.clone()),
            Some(Field::Other | Field::Unread(_)) => Err(format!("its `{key}` is neither a text nor a list of texts")),
        }
    }

    /// What follows a key, and what is in the items of a list below it, as it is written.
    fn lines(&self, key: &str) -> Vec<String> {
        let Some(line) = line_of(self.text, key) else { return Vec::new() };
        let written = |text: &str| {
            let text = uncommented(text.trim());
            let inner = text.strip_prefix('[').and_then(|text| text.strip_suffix(']'));
            inner.unwrap_or(text).to_owned()
        };
        let here = self.text[line.clone()].split_once(':').map(|(_, value)| written(value)).unwrap_or_default();
        // Up to the next key, without what says nothing.
        let below = self.text[line.end..].lines().skip(1);
        let below = below.filter(|line| !matches!(line.trim_start().bytes().next(), None | Some(b'#')));
        let item = |line: &str| line.trim_start().strip_prefix('-').is_some_and(|rest| !rest.starts_with('-'));
        let below = below.take_while(|line| item(line) || line.starts_with([' ', '\t']));
        if here.is_empty() {
            return below.map(|line| written(line.trim_start().trim_start_matches('-'))).collect();
        }
        // A text that goes on.
        let between = if is_block(&here) { "\n" } else { " " };
        let here = if is_block(&here) { String::new() } else { here };
        vec![below.fold(here, |text, line| text + between + line.trim())]
    }
}

/// A text without the quotes around it.
fn unquoted(text: &str) -> &str {
    let text = text.trim();
    let inner = |quote: char| text.strip_prefix(quote)?.strip_suffix(quote);
    inner('"').or_else(|| inner('\'')).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn in_the_way_of(convention: Convention) -> RuleDirectory {
        RuleDirectory { convention, ..RuleDirectory::from("rules") }
    }

    fn applies(front: &str, convention: Convention) -> String {
        match read(&format!("---\n{front}---\nBODY"), &in_the_way_of(convention)).map(|head| head.applies) {
            Ok(Applies::For(patterns)) => {
                let patterns: Vec<String> = patterns.into_iter().map(|written| written.pattern).collect();
                patterns.join(" | ")
            }
            Ok(applies) => format!("{applies:?}"),
            Err(detail) => detail,
        }
    }

    #[test]
    fn every_convention_says_when_a_rule_holds() {
        use Convention::{Copilot, Cursor, Kiro, Paths, Plain, Switch, Windsurf};
        let other = "its `paths` is neither a text nor a list of texts";
        let rows = [
            (Paths, "", "Always"),
            (Paths, "title: x\n", "Always"),
            (Paths, "paths:\n  - \"src/**\"\n  - lib/*.{a,b}\n", "src/** | lib/*.{a,b}"),
            (Paths, "paths: [\"a\", 'b']\n", "a | b"),
            (Paths, "paths: src/**, lib/**\n", "src/** | lib/**"),
            (Paths, "paths: \"a,b\"\n", "a | b"),
            (Paths, "paths: null\n", "Always"),
            (Paths, "paths:\n", "Always"),
            (Paths, "paths: []\n", "Always"),
            (Paths, "paths:\n  a: b\n", other),
            // No YAML: a star begins an alias.
            (Paths, "paths:\n  - **/*.ts\n  - 'x'\n", "**/*.ts | x"),
            (Paths, "paths: [*.ts, \"b\"]\n", "*.ts | b"),
            // Where the lines are read: blank ones and comments between the items, and a text that goes on.
            (Paths, "paths:\n  - **/*.ts\n\n  - **/*.js\n  # more\n  - 'x'\nname: y\n", "**/*.ts | **/*.js | x"),
            (Paths, "d: a: b\npaths:\n- \"a\"\n\n- \"b\"\n", "a | b"),
            (Paths, "paths: # only these\n  - **/*.ts\n", "**/*.ts"),
            (Paths, "paths: |\n  a\n  b\n", "a | b"),
            (Paths, "d: a: b\npaths: |\n  a\n  b\n", "a | b"),
            (Cursor, "description: # todo\nglobs:\n", "ByHand"),
            (Cursor, "alwaysApply: # yes\n  true\n", "Always"),
            (Paths, "d: a: b\npaths: >\n  a,\n  b\nx: y\n", "a | b"),
            (Paths, "d: a: b\npaths: a,\n  b\n", "a | b"),
            (Paths, "globs: x\n", "Always"),
            (Cursor, "globs: **/*.js, **/*.ts\nalwaysApply: false\n", "**/*.js | **/*.ts"),
            (Cursor, "globs: *.js # all of them\n", "*.js"),
            (Cursor, "description: x\nglobs: a\nalwaysApply: true\n", "Always"),
            (Cursor, "description: x\nglobs:\nalwaysApply: false\n", "OnRequest"),
            (Cursor, "description:\nglobs:\nalwaysApply: false\n", "ByHand"),
            (Cursor, "", "ByHand"),
            (Copilot, "applyTo: \"**/*.cs,**/*.csproj\"\n", "**/*.cs | **/*.csproj"),
            (Copilot, "applyTo: **/*.cs\n", "**/*.cs"),
            (Copilot, "description: x\n", "Always"),
            (Copilot, "applyTo: a\nexcludeAgent: \"coding-agent\"\n", "Excluded"),
            (Copilot, "applyTo: a\nexcludeAgent: \"cloud-agent\"\n", "Excluded"),
            (Windsurf, "trigger: always_on\n", "Always"),
            (Windsurf, "trigger: glob\nglobs: src/**\n", "src/**"),
            (Windsurf, "trigger: model_decision\ndescription: x\n", "OnRequest"),
            (Windsurf, "trigger: manual\n", "ByHand"),
            (Kiro, "", "Always"),
            (Kiro, "inclusion: fileMatch\nfileMatchPattern: [\"a\", \"b\"]\n", "a | b"),
            (Kiro, "inclusion: manual\n", "ByHand"),
            (Kiro, "inclusion: auto\n", "OnRequest"),
            (Switch, "paths: a\n", "Always"),
            (Switch, "disabled: true\n", "Never"),
            (Switch, "enabled: false\n", "Never"),
            (Plain, "paths: a\n", "Always"),
            (Copilot, "applyTo: a\nexcludeAgent: code-review\n", "a"),
            (Copilot, "applyTo: a\nexcludeAgent: [code-review, coding-agent]\n", "Excluded"),
            (Paths, "paths: a\npaths: b\n", "duplicate key `paths`"),
        ];
        for (convention, front, expected) in rows {
            assert_eq!(applies(front, convention), expected, "{convention:?} {front:?}");
        }
        assert_eq!(read("---\npaths: a\n", &in_the_way_of(Paths)).unwrap_err(), "its front matter is never closed");
        assert_eq!(read("BODY", &in_the_way_of(Cursor)).unwrap().applies, Applies::ByHand);
    }

    #[test]
    fn a_pattern_knows_where_it_is() {
        let text = "---\nname: x\npaths:\n  - \"x\"\n  - \"[\"\n---\n";
        let Applies::For(patterns) = read(text, &in_the_way_of(Convention::Paths)).unwrap().applies else { panic!() };
        let at: Vec<&str> =
            patterns.iter().map(|written| &text[written.range.start - 1..written.range.end + 1]).collect();
        assert_eq!(at, ["\"x\"", "\"[\""]);
    }
}
