//! A file's text as it enters the prompt.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{Instruction, InstructionRules, Keep, LineEnds, TextRules};
use crate::discover::Workspace;
use crate::discover::fact::Value;
use crate::discover::front_matter::FrontMatter;
use crate::discover::rewrite::Rewrite;
use crate::text::{Draft, FactName, Origin, Text, Transform};

/// A file's text without a byte-order mark, its line ends line feeds.
pub(in crate::discover) fn normalized(text: &str, origin: Origin) -> Text {
    let clean = text.trim_start_matches('\u{feff}');
    if memchr::memchr(b'\r', clean.as_bytes()).is_none() {
        return Text::new(clean, origin);
    }
    let mut draft = Draft::default();
    let lines = clean.replace("\r\n", "\n").replace('\r', "\n");
    draft.push(&lines, origin, Some(Transform::Normalized));
    draft.into_text()
}

/// A file's text as a layout wants its characters.
pub(super) fn prepared(text: &str, origin: Origin, rules: TextRules) -> Text {
    let clean = match rules.byte_order_mark {
        Keep::Remove => text.trim_start_matches('\u{feff}'),
        Keep::Keep => text,
    };
    let mut text = match rules.line_ends {
        LineEnds::LineFeed if clean.len() == text.len() && clean.starts_with('\u{feff}') => {
            let (mark, rest) = clean.split_at('\u{feff}'.len_utf8());
            let mut draft = Draft::default();
            draft.push(mark, origin.clone(), None);
            draft.push_text(&normalized(rest, origin));
            draft.into_text()
        }
        LineEnds::LineFeed => normalized(clean, origin),
        LineEnds::Keep => Text::new(clean, origin),
    };
    if rules.front_matter == Keep::Remove
        && let Ok(matter) = FrontMatter::split(&without_carriage_returns(text.as_str()))
        && rules.line_ends == LineEnds::LineFeed
    {
        text = text.cut_out(matter.body..text.as_str().len());
    }
    if rules.comments == Keep::Remove {
        text = without_comments(&text);
    }
    if rules.blank_ends == Keep::Remove {
        let whole = text.as_str();
        let start = whole.len() - whole.trim_start().len();
        text = text.cut_out(start..whole.trim_end().len().max(start));
    }
    text
}

/// A text whose line ends are line feeds.
pub(super) fn without_carriage_returns(text: &str) -> Cow<'_, str> {
    match memchr::memchr(b'\r', text.as_bytes()) {
        None => Cow::Borrowed(text),
        Some(_) => Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n")),
    }
}

/// A text without the HTML comments that begin a line outside of code, each with the line ends behind it.
fn without_comments(text: &Text) -> Text {
    let whole = text.as_str();
    let mut rewrite = Rewrite::new(text);
    let mut fence: Option<&str> = None;
    let mut at = 0;
    while let Some(line) = whole[at..].split_inclusive('\n').next() {
        let inner = line.trim_start_matches(' ');
        let marks = ["```", "~~~"].into_iter().find(|mark| inner.starts_with(mark));
        let is_comment = fence.is_none() && inner.starts_with("<!--") && line.len() - inner.len() < 4;
        match (fence, marks) {
            (Some(open), Some(mark)) if open == mark => fence = None,
            (None, Some(mark)) => fence = Some(mark),
            _ => {}
        }
        let end = whole[at..].find("-->").filter(|_| is_comment).map(|end| at + end + 3);
        let Some(end) = end else {
            at += line.len();
            continue;
        };
        let end = whole.len() - whole[end..].trim_start_matches('\n').len();
        rewrite.replace(at..end, "", Transform::Trimmed);
        at = end;
        // What is behind a comment on its line is text.
        if !whole[..end].ends_with('\n') {
            at += whole[at..].split_inclusive('\n').next().map_or(0, str::len);
        }
    }
    rewrite.finish()
}

/// The files as maps with `path`, `text` and `body`.
pub(in crate::discover) fn value(found: &[Instruction], name: &FactName) -> Value {
    value_with(found, |label| Origin::file(name, label))
}

/// The same, where `origin` says where a path comes from.
pub(super) fn value_with(found: &[Instruction], origin: impl Fn(&Arc<str>) -> Origin) -> Value {
    let maps = found.iter().map(|file| {
        let label = Text::new(Arc::clone(&file.label), origin(&file.label));
        [("path".into(), label), ("body".into(), body(&file.text)), ("text".into(), file.text.clone())].into()
    });
    Value::Maps(maps.collect())
}

/// The same maps, with `kind`, `name` and `from_cwd` where the rules that found a file have a word for it.
pub(super) fn with_kinds(value: Value, groups: &[&InstructionRules], workspace: &Workspace, name: &FactName) -> Value {
    let Value::Maps(mut maps) = value else { return value };
    for (map, rules) in maps.iter_mut().zip(groups).filter(|(_, rules)| !rules.kind.is_empty()) {
        let Some(label) = map.get("path").map(|path| Arc::clone(path.shared())) else { continue };
        let path = workspace.unshow(&label).unwrap_or_else(|| PathBuf::from(label.as_ref()));
        let own = rules.name_of(&label, workspace);
        let origin = Origin::file(name, &label);
        for (key, text) in [("kind", &rules.kind), ("name", &own), ("from_cwd", &from(&workspace.cwd, &path))] {
            map.insert(Cow::Borrowed(key), Text::new(text.as_str(), origin.clone()));
        }
    }
    Value::Maps(maps)
}

/// The way from a directory to a file.
fn from(directory: &Path, file: &Path) -> String {
    let up = directory.ancestors().position(|above| file.starts_with(above)).unwrap_or(0);
    let common = directory.ancestors().nth(up).unwrap_or(directory);
    let down = file.strip_prefix(common).unwrap_or(file);
    format!("{}{}", "../".repeat(up), down.to_string_lossy())
}

/// The text without the line feeds at its ends, for frames that bring their own.
pub(in crate::discover) fn body(text: &Text) -> Text {
    let whole = text.as_str();
    let start = whole.len() - whole.trim_start_matches('\n').len();
    text.cut_out(start..whole.trim_end_matches('\n').len().max(start))
}
