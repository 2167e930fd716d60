//! What is wrong with a TOML file, in the words of somebody who writes one and not of the types that it is read into.
//!
//! 1. A key or a choice that nobody knows is reported with the one that was probably meant, else with all that there are.
//! 2. What has the wrong kind of value is reported with the kind that is needed.
//! 3. What is not recognized is said as the parser says it: nothing is hidden.

use std::ops::Range;
use std::sync::Arc;

use crate::diagnostic::did_you_mean;
use crate::error::{Error, ErrorKind};
use crate::text::{Place, Source};

impl Error {
    /// What stopped the reading of a TOML file, from the parser's message and the bytes that it is about.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use antefix::{Error, ErrorKind};
    /// # use antefix::text::{Source, SourceKind};
    /// let source = Arc::new(Source::new(SourceKind::Layout, "settings.toml", "secret = \"keep\"\n"));
    /// let message = "unknown field `secret`, expected `secrets` or `trusted`";
    /// let error = Error::of_toml(ErrorKind::Layout, &source, message, Some(0..6));
    /// assert_eq!(error.to_string(), "settings.toml:1:1: unknown key `secret`");
    /// assert_eq!(error.hint(), Some("did you mean `secrets`? `antefix help layout` explains all keys"));
    /// ```
    pub fn of_toml(kind: ErrorKind, source: &Arc<Source>, message: &str, range: Option<Range<usize>>) -> Error {
        let (message, hint) = plain(message);
        // A key that nobody knows is looked up on the page of its file.
        let page = match kind {
            ErrorKind::Layout if message.starts_with("unknown key") => Some("layout"),
            ErrorKind::Settings if message.starts_with("unknown key") => Some("settings"),
            _ => None,
        };
        let hint = hint.map(|hint| match page {
            Some(page) if hint.ends_with('?') => format!("{hint} `antefix help {page}` explains all keys"),
            Some(page) => format!("{hint}; `antefix help {page}` explains them"),
            None => hint,
        });
        let error = Error::new(kind, message).at(Place::new(source, range.unwrap_or(0..0)));
        match hint {
            Some(hint) => error.with_hint(hint),
            None => error,
        }
    }
}

/// The message in plain words, and what to do.
fn plain(message: &str) -> (String, Option<String>) {
    // A parser may add lines of context of its own; the place says the same.
    let line = message.lines().next().unwrap_or_default();
    if let Some((name, known)) = unknown(line, "unknown field `") {
        return (format!("unknown key `{name}`"), Some(instead(name, &known, "the keys are")));
    }
    if let Some((name, known)) = unknown(line, "unknown variant `") {
        return (format!("unknown value `{name}`"), Some(instead(name, &known, "write one of")));
    }
    if let Some(name) = line.strip_prefix("missing field `").and_then(|rest| rest.strip_suffix('`')) {
        return (format!("the key `{name}` is missing here"), None);
    }
    if let Some(name) = line.strip_prefix("duplicate field `").and_then(|rest| rest.strip_suffix('`')) {
        return (format!("the key `{name}` is said twice"), None);
    }
    let wrong = ["invalid type: ", "invalid value: "].iter().find_map(|begin| line.strip_prefix(begin));
    if let Some((found, expected)) = wrong.and_then(|rest| rest.rsplit_once(", expected ")) {
        return (format!("{} is needed here, and not {}", needed(expected), given(found)), None);
    }
    (message.trim_end().to_owned(), None)
}

/// The name that nobody knows, and those that are known.
fn unknown<'m>(line: &'m str, begin: &str) -> Option<(&'m str, Vec<&'m str>)> {
    let (name, rest) = line.strip_prefix(begin)?.split_once("`, ")?;
    // Every second piece between backticks is a name.
    Some((name, rest.split('`').skip(1).step_by(2).collect()))
}

fn instead(name: &str, known: &[&str], list: &str) -> String {
    match (did_you_mean(name, known.iter().copied()), known) {
        (Some(meant), _) => format!("did you mean `{meant}`?"),
        (None, []) => "no keys are expected here".to_owned(),
        (None, known) => format!("{list} `{}`", known.join("`, `")),
    }
}

fn needed(expected: &str) -> &str {
    match expected {
        "usize" | "u64" | "u32" | "u16" | "u8" => "a whole number, 0 or more,",
        "isize" | "i64" | "i32" => "a whole number",
        "f64" | "f32" => "a number",
        "a string" | "path string" => "a text in quotes",
        "a boolean" => "`true` or `false`",
        "a sequence" => "a list in square brackets",
        "a map" => "a table",
        expected if expected.starts_with("struct ") => "a table",
        expected if expected.starts_with("enum ") || expected == "string or table" => "a word in quotes",
        expected => expected,
    }
}

fn given(found: &str) -> String {
    match found.split_once(' ') {
        Some(("string", text)) => format!("the text {text}"),
        Some(("integer" | "boolean", value)) => value.replace('`', ""),
        Some(("floating", value)) => value.trim_start_matches("point ").replace('`', ""),
        _ => match found {
            "sequence" => "a list".to_owned(),
            "map" => "a table".to_owned(),
            found => found.to_owned(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn messages_are_in_plain_words() {
        let rows = [
            (
                "unknown field `sction`, expected one of `dialect`, `section`",
                "unknown key `sction`; did you mean `section`?",
            ),
            ("unknown field `zzz`, expected `a` or `b`", "unknown key `zzz`; the keys are `a`, `b`"),
            ("unknown field `zzz`, there are no fields", "unknown key `zzz`; no keys are expected here"),
            (
                "unknown variant `frosen`, expected one of `fixed`, `frozen`, `live`",
                "unknown value `frosen`; did you mean `frozen`?",
            ),
            ("missing field `id`", "the key `id` is missing here"),
            (
                "invalid type: string \"x, expected y\", expected usize",
                "a whole number, 0 or more, is needed here, and not the text \"x, expected y\"",
            ),
            ("invalid type: integer `3`, expected a string", "a text in quotes is needed here, and not 3"),
            ("invalid value: integer `-1`, expected usize", "a whole number, 0 or more, is needed here, and not -1"),
            (
                "invalid type: boolean `true`, expected a sequence",
                "a list in square brackets is needed here, and not true",
            ),
            ("invalid type: sequence, expected struct InstructionRules", "a table is needed here, and not a list"),
            (
                "invalid type: floating point `1.5`, expected usize",
                "a whole number, 0 or more, is needed here, and not 1.5",
            ),
            ("something else", "something else"),
        ];
        for (message, expected) in rows {
            let (said, hint) = plain(message);
            let said = hint.map_or(said.clone(), |hint| format!("{said}; {hint}"));
            assert_eq!(said, expected);
        }
    }
}
