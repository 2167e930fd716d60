//! The front matter of a Markdown file: named texts between two lines of `---`.
//!
//! 1. It begins at the first byte and ends at the next line that is exactly `---`; a longer rule, or one inside a text, is
//!    none.
//! 2. Values stay text: `no`, `1.0` and `null` are what was written, never a boolean, a number or nothing.
//! 3. It is bounded before it is parsed, and a key that occurs twice is an error.
//! 4. What is plain `key: value` is read line by line; everything else is YAML's. Where YAML gives up, lines are read
//!    leniently, and the file is marked.

mod lines;
mod yaml;

use std::borrow::Cow;
use std::ops::Range;

use self::lines::plain;
pub(super) use self::lines::{is_block, uncommented};
use self::yaml::yaml;

/// The most that a front matter may have, in bytes.
const LIMIT: usize = 64 * 1024;

/// A file split into front matter and body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FrontMatter<'t> {
    fields: Fields<'t>,
    /// Whether all keys are in lower case, so that one can be looked up.
    lower: bool,
    /// Where the body begins, in bytes.
    pub(super) body: usize,
    /// How it was read.
    pub(super) read: How,
    /// What had to be forgiven.
    pub(super) forgiven: Option<String>,
}

/// How a front matter was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum How {
    /// Every line is `key: value` and nothing else.
    Plain,
    /// As YAML.
    Yaml,
    /// Line by line, because it is not YAML.
    Lines,
}

/// A value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Field<'t> {
    Text(Cow<'t, str>),
    List(Vec<String>),
    /// A map, or a list of other things: nothing that we use.
    Other,
    /// What YAML takes for a number, a boolean or nothing. The text is read off its line; where it has none of its own, it is what
    /// YAML makes of it.
    Unread(Option<String>),
}

/// Why there is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Missing {
    /// The file does not begin with `---`.
    None,
    /// It does, and no line closes it.
    Unclosed,
    /// It cannot be used.
    Invalid(String),
}

impl<'t> FrontMatter<'t> {
    /// Splits a text whose line ends are line feeds.
    pub(super) fn split(text: &'t str) -> Result<FrontMatter<'t>, Missing> {
        match text.starts_with("---\n") {
            true => FrontMatter::from_line(text, 0, |line| line.trim_end_matches('\n') == "---"),
            false => Err(Missing::None),
        }
    }

    /// The same for a text that may have blank lines before its front matter, or blanks behind the dashes. They keep some programs
    /// from seeing it, but whoever wrote it meant it.
    pub(super) fn split_leniently(text: &'t str) -> Result<FrontMatter<'t>, Missing> {
        match FrontMatter::split(text) {
            Err(Missing::None | Missing::Unclosed) => {}
            split => return split,
        }
        let start = text.len() - text.trim_start().len();
        let first = text[start..].lines().next().unwrap_or_default();
        if first.trim_end() != "---" {
            return Err(Missing::None);
        }
        match FrontMatter::from_line(text, start, |line| line.trim_end() == "---") {
            Ok(mut matter) => {
                let why = "its front matter has blanks before or after its lines `---`";
                matter.forgiven = Some(matter.forgiven.map_or_else(|| why.to_owned(), |more| format!("{why}; {more}")));
                Ok(matter)
            }
            Err(missing) if start == 0 => Err(missing),
            // It was a line across the page.
            Err(_) => Err(Missing::None),
        }
    }

    /// Splits a text whose front matter begins with the line at `start`.
    fn from_line(text: &'t str, start: usize, closes: fn(&str) -> bool) -> Result<FrontMatter<'t>, Missing> {
        let begin = text[start..].find('\n').map_or(text.len(), |end| start + end + 1);
        let rest = &text[begin..];
        let mut end = 0;
        let (block, last) = loop {
            let line = rest[end..].split_inclusive('\n').next().ok_or(Missing::Unclosed)?;
            if closes(line) {
                break (&rest[..end], line.len());
            }
            end += line.len();
            if end > LIMIT {
                return Err(Missing::Invalid(format!("its front matter has more than {LIMIT} bytes")));
            }
        };
        let body = begin + end + last;
        let (fields, read, forgiven) = match plain(block).map_err(Missing::Invalid)? {
            Some(fields) => (fields, How::Plain, None),
            None => yaml(block, text[..begin].matches('\n').count()).map_err(Missing::Invalid)?,
        };
        let lower = !fields.iter().any(|(key, _)| has_capitals(key));
        Ok(FrontMatter { fields, lower, body, read, forgiven })
    }

    /// The keys, as they are written.
    pub(super) fn keys(&self) -> impl Iterator<Item = &str> {
        self.fields.iter().map(|(key, _)| &**key)
    }

    /// The value of a key, which is given in lower case and may be written in any.
    pub(super) fn get(&self, key: &str) -> Option<&Field<'t>> {
        if self.lower {
            return find(&self.fields, key);
        }
        self.fields.iter().find(|(known, _)| known.eq_ignore_ascii_case(key)).map(|(_, field)| field)
    }
}

/// The line of a front matter that a key is on.
pub(super) fn line_of(text: &str, key: &str) -> Option<Range<usize>> {
    let mut start = 0;
    text.split_inclusive('\n').find_map(|line| {
        let range = start..start + line.trim_end().len();
        start += line.len();
        let (name, _) = line.split_once(':')?;
        name.trim().trim_matches(['"', '\'']).eq_ignore_ascii_case(key).then_some(range)
    })
}

/// The fields in the order of their keys. There are few, and most of their texts are the file's own.
type Fields<'t> = Vec<(Cow<'t, str>, Field<'t>)>;

/// Puts fields in order. A key that occurs twice, in whatever letters, is an error.
fn in_order(mut fields: Fields<'_>) -> Result<Fields<'_>, String> {
    fields.sort_by(|(one, _), (other, _)| one.cmp(other));
    let twice = match fields.iter().any(|(key, _)| has_capitals(key)) {
        false => fields.windows(2).find(|pair| pair[0].0 == pair[1].0).map(|pair| pair[0].0.to_string()),
        true => {
            let mut small: Vec<String> = fields.iter().map(|(key, _)| key.to_ascii_lowercase()).collect();
            small.sort();
            small.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0].clone())
        }
    };
    match twice {
        Some(key) => Err(format!("duplicate key `{key}`")),
        None => Ok(fields),
    }
}

fn has_capitals(key: &str) -> bool {
    key.bytes().any(|byte| byte.is_ascii_uppercase())
}

fn find<'f, 't>(fields: &'f Fields<'t>, key: &str) -> Option<&'f Field<'t>> {
    let at = fields.binary_search_by(|(known, _)| (**known).cmp(key)).ok()?;
    fields.get(at).map(|(_, field)| field)
}

/// The texts of a key of a file in YAML: one, or a list. None if it has none, or cannot be read.
pub(crate) fn yaml_texts(text: &str, key: &str) -> Vec<String> {
    let framed = format!("---\n{}\n---\n", text.trim_end());
    let Ok(matter) = FrontMatter::split(&framed) else { return Vec::new() };
    match matter.get(key) {
        Some(Field::Text(text)) => vec![text.trim().to_owned()],
        Some(Field::List(texts)) => texts.iter().map(|text| text.trim().to_owned()).collect(),
        Some(Field::Other | Field::Unread(_)) | None => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(block: &str) -> Result<Vec<(String, String)>, Missing> {
        let text = format!("---\n{block}---\nBODY");
        let matter = FrontMatter::split(&text)?;
        Ok(matter
            .fields
            .into_iter()
            .map(|(key, value)| match value {
                Field::Text(text) => (key.into_owned(), text.into_owned()),
                Field::List(items) => (key.into_owned(), items.join("+")),
                Field::Other | Field::Unread(_) => (key.into_owned(), "<other>".to_owned()),
            })
            .collect())
    }

    fn pairs(pairs: &[(&str, &str)]) -> Result<Vec<(String, String)>, Missing> {
        Ok(pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect())
    }

    #[test]
    fn values_stay_text() {
        assert_eq!(read("name: 123\nx: no\n"), pairs(&[("name", "123"), ("x", "no")]));
        assert_eq!(
            read("a: \"\"\nv: 1.0\nn: null\nb: yes\n"),
            pairs(&[("a", ""), ("b", "yes"), ("n", "null"), ("v", "1.0")])
        );
        assert_eq!(read("a: foo --- bar\n"), pairs(&[("a", "foo --- bar")]));
        // Only blanks and tabs are trimmed.
        assert_eq!(read("a: \u{a0}\nb: .inf\nc: \"x\"\n"), pairs(&[("a", "\u{a0}"), ("b", ".inf"), ("c", "x")]));
        // Also in lists, behind a key in quotes, and in a map in braces.
        assert_eq!(read("paths: [2024, \"src/*.rs\", true]\n"), pairs(&[("paths", "2024+src/*.rs+true")]));
        assert_eq!(read("\"a\": 1.0\n"), pairs(&[("a", "1.0")]));
        assert_eq!(read("{a: x, b: 2026}\n"), pairs(&[("a", "x"), ("b", "2026")]));
        assert_eq!(
            read("a:\n  true\nb: !!bool true\nc: &x 7\nd:\n  42\n"),
            pairs(&[("a", "true"), ("b", "true"), ("c", "7"), ("d", "42")])
        );
        assert_eq!(read("a: \"q: 1\"\nb: >\n  folded\n  text\n"), pairs(&[("a", "q: 1"), ("b", "folded text\n")]));
        assert_eq!(
            read("allowed-tools:\n  - a\n  - b\nmetadata:\n  k: v\n"),
            pairs(&[("allowed-tools", "a+b"), ("metadata", "<other>")])
        );
    }

    #[test]
    fn a_key_that_occurs_twice_is_an_error() {
        assert!(matches!(read("a: 1\na: 2\n"), Err(Missing::Invalid(_))));
        assert!(matches!(read("a: \"1\"\na: \"2\"\n"), Err(Missing::Invalid(_))));
        // In other letters, and where YAML has given up.
        assert!(matches!(read("name: a\nName: b\n"), Err(Missing::Invalid(_))));
        assert!(matches!(read("name: a\nx: Use when: y\nname: b\n"), Err(Missing::Invalid(_))));
        assert!(matches!(read("a: \"1\"\nA: [2]\n"), Err(Missing::Invalid(_))));
    }

    #[test]
    fn what_is_no_yaml_is_read_line_by_line_and_marked() {
        let matter = FrontMatter::split("---\nname: x\ndescription: Use when: y\n---\n").unwrap();
        assert_eq!(matter.get("description"), Some(&Field::Text("Use when: y".into())));
        assert!(matter.forgiven.is_some());
        let folded = "---\nx: Use when: y\n  and z\nb: >-\n  one\n  two\nm:\n  k: v\nq: 'a' and 'b'\ne: |\n---\n";
        let matter = FrontMatter::split(folded).unwrap();
        for (key, text) in [("x", "Use when: y and z"), ("b", "one two"), ("m", ""), ("q", "'a' and 'b'"), ("e", "")] {
            assert_eq!(matter.get(key), Some(&Field::Text(text.into())), "{key}");
        }
        let matter = FrontMatter::split("---\nx: Use when: y\nhidden: true # for now\n---\n").unwrap();
        assert_eq!(matter.get("hidden"), Some(&Field::Text("true".into())));
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig { cases: 1000, failure_persistence: None, ..Default::default() })]

        /// What is read line by line, YAML reads in the same way.
        #[test]
        fn plain_lines_are_what_yaml_takes_them_for(
            lines in proptest::collection::vec(
                ("[a-z_-]{1,3}", r#"[ab01.\-+_#:,'"\[\]{}<>=~!@%&*|?/\\^$() \u{e9}\u{a0}\u{85}\u{2028}\t]{0,8}|null|~|yes|on|0x1f|1e3|\.inf|2026-11-16|<<|=|1_000|0o7|- a|\? a|a: b|a:|a #b|a#b|--- a|\.\.\."#),
                0..4,
            ),
        ) {
            let block: String = lines.iter().map(|(key, value)| format!("{key}: {value}\n")).collect();
            if let Ok(Some(fields)) = plain(&block) {
                let as_yaml = yaml(&block, 1).map(|(fields, ..)| fields);
                proptest::prop_assert_eq!(as_yaml, Ok(fields), "{:?}", block);
            }
        }
    }

    #[test]
    fn only_a_line_of_three_dashes_closes() {
        assert_eq!(FrontMatter::split("x").unwrap_err(), Missing::None);
        assert_eq!(FrontMatter::split("----\nname: x\n----\n").unwrap_err(), Missing::None);
        assert_eq!(FrontMatter::split("---\nname: x\n").unwrap_err(), Missing::Unclosed);
        let text = "---\nname: x\n---\nBODY";
        assert_eq!(&text[FrontMatter::split(text).unwrap().body..], "BODY");
    }

    #[test]
    fn blanks_around_the_dashes_are_forgiven_where_that_is_asked_for() {
        let plain = "---\nname: x\n---\nBODY";
        for text in [plain, "\n---\nname: x\n---\nBODY", "--- \nname: x\n---\nBODY", "---\nname: x\n--- \nBODY"] {
            let matter = FrontMatter::split_leniently(text).unwrap();
            assert_eq!((&text[matter.body..], matter.forgiven.is_some()), ("BODY", text != plain));
            assert_eq!(FrontMatter::split(text).is_ok(), text == plain);
        }
        for text in ["\n---\nwords\n---\nBODY", "\n---\nname: x\n", "x"] {
            assert_eq!(FrontMatter::split_leniently(text).unwrap_err(), Missing::None, "{text:?}");
        }
        assert_eq!(FrontMatter::split_leniently("---\nname: x\n").unwrap_err(), Missing::Unclosed);
    }

    #[test]
    fn hostile_yaml_ends_soon() {
        let laughs = (0..20).fold("a0: &a0 [x,x,x,x,x,x,x,x,x]\n".to_owned(), |text, n| {
            format!("{text}a{}: &a{} [*a{n},*a{n},*a{n},*a{n},*a{n},*a{n},*a{n},*a{n},*a{n}]\n", n + 1, n + 1)
        });
        // No alias is followed: what is read is what is written.
        let fields = read(&laughs).unwrap();
        assert_eq!(fields.len(), 21);
        assert!(
            fields.iter().all(|(key, value)| laughs.contains(&format!(
                "{key}: {value}
"
            ))),
            "{fields:?}"
        );
        let deep = "[".repeat(20_000);
        assert_eq!(
            read(&format!(
                "a: {deep}
"
            )),
            pairs(&[("a", &deep)])
        );
        let long = read(&format!(
            "a: {}
",
            "x".repeat(100_000)
        ));
        assert_eq!(long, Err(Missing::Invalid("its front matter has more than 65536 bytes".into())));
    }
}
