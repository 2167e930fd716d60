//! What breaks the rules of Agent Skills and does not keep a skill from being used.

use std::sync::Arc;

use super::read::{DISABLED, MODES, TOOLS};
use super::scan::Scan;
use crate::discover::front_matter::{Field, FrontMatter, How, line_of};

/// The keys of the specification, and those that other agents have added to it.
const KEYS: [&str; 16] = [
    "name",
    "description",
    "license",
    "compatibility",
    "metadata",
    "when_to_use",
    "argument-hint",
    "arguments",
    "user-invocable",
    "disallowed-tools",
    "agent",
    "context",
    "effort",
    "hooks",
    "model",
    "paths",
];
/// How many unknown keys of one skill are named.
const NAMED: usize = 5;

impl Scan<'_> {
    /// Keys that nobody knows: most are slips, and what they were meant to say is not done.
    pub(super) fn check_keys(&mut self, matter: &FrontMatter<'_>, shown: &Arc<str>) {
        let known = || KEYS.iter().chain(&DISABLED).chain(&MODES).chain(&TOOLS).copied();
        let unknown: Vec<&str> =
            matter.keys().filter(|key| !known().any(|known| known.eq_ignore_ascii_case(key))).collect();
        if unknown.is_empty() {
            return;
        }
        let named: Vec<String> = unknown.iter().take(NAMED).map(|key| format!("`{}`", printable(key))).collect();
        let more = match unknown.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let keys = if unknown.len() == 1 { "key" } else { "keys" };
        let message = format!(
            "breaks a rule: unknown {keys} {}{more}; keys of one's own belong under `metadata`",
            named.join(", ")
        );
        let message = self.situation.permissions.hygiene.reportable(message);
        self.warn(shown, message);
    }

    /// What is wrong with the name and the description.
    pub(super) fn check(&mut self, name: &str, description: &str, called: Option<&str>, shown: &Arc<str>) {
        let letters = name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
        if !letters || name.starts_with('-') || name.ends_with('-') || name.contains("--") {
            self.warn(
                shown,
                format!(
                    "breaks a rule: the name `{}` should have lower-case letters, digits and single hyphens",
                    printable(name)
                ),
            );
        }
        if name.chars().count() > 64 {
            self.warn(shown, "breaks a rule: the name has more than 64 characters".to_owned());
        }
        if called.is_some_and(|called| called != name) {
            let called = called.unwrap_or_default();
            self.warn(
                shown,
                format!(
                    "breaks a rule: the skill is called `{}` and its directory `{}`",
                    printable(name),
                    printable(called)
                ),
            );
        }
        if description.chars().count() > 1024 {
            self.warn(shown, "breaks a rule: the description has more than 1,024 characters".to_owned());
        }
    }

    /// What the specification forbids besides.
    pub(super) fn check_fields(&mut self, matter: &FrontMatter<'_>, block: &str, shown: &Arc<str>) {
        if let Some(Field::Text(text)) = matter.get("compatibility")
            && (text.is_empty() || text.chars().count() > 500)
        {
            self.warn(shown, "breaks a rule: `compatibility` should have 1 to 500 characters".to_owned());
        }
        // What is plain has neither, and no deeper lines.
        if matter.read == How::Plain && !matches!(matter.get("metadata"), Some(Field::Text(_) | Field::List(_))) {
            return;
        }
        // What is set in belongs to the key above it: only below `metadata` does it have keys.
        let set_in = |line: &str| line.len() - line.trim_start_matches(' ').len();
        let metadata: Vec<&str> = line_of(block, "metadata")
            .map(|line| block[line.end..].lines().skip(1).take_while(|line| set_in(line) > 0).collect())
            .unwrap_or_default();
        let first = metadata.first().map_or(0, |line| set_in(line));
        let own = metadata.iter().copied().filter(|line| set_in(line) == first);
        let keys = block.lines().filter(|line| set_in(line) == 0 && !line.starts_with(['#', '-'])).chain(own);
        let value = |line| str::split_once(line, ": ").map(|(_, value)| value.trim_start());
        if keys.filter_map(value).any(|value| value.starts_with(['[', '{', '&', '*'])) {
            let message = "breaks a rule: front matter should have no lists or maps in brackets, and no anchors";
            return self.warn(shown, message.to_owned());
        }
        // A key without a text, and keys below it.
        let nested = metadata.windows(2).any(|pair| {
            set_in(pair[0]) == first
                && pair[0].trim_end().ends_with(':')
                && set_in(pair[1]) > first
                && pair[1].contains(':')
        });
        if matches!(matter.get("metadata"), Some(Field::Text(_) | Field::List(_))) || nested {
            self.warn(shown, "breaks a rule: `metadata` should be a map of texts".to_owned());
        }
    }
}

/// A text that can be printed in a message.
pub(super) fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}
