//! `@path` inside an instruction file: another file's text in its place, if the layout follows imports.
//!
//! 1. An import stands alone: white space or the line's beginning before it, and no code span or fence around it.
//! 2. `@./x`, `@../x`, `@~/x` and `@/x` are imports. `@docs/x.md` is one if the file exists; `@scope/pkg`, `@param` and
//!    addresses are text.
//! 3. A path is relative to the file that it stands in, and must lie beneath the project root or a root that the user
//!    allows. What usually holds secrets is not imported.
//! 4. Imports nest [`DEPTH`] deep, and [`FILES`] files are imported at most. A file that imports itself, through others or
//!    not, is told with its chain.
//! 5. An import that fails stays as it was written, with a diagnostic.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Situation;
use super::fact::{FactName, Text};
use super::file::{FILE_LIMIT, holds_secrets, locate, read_text};
use super::instructions::normalized;
use super::report::Loaded;
use super::world::{Answer, Kind, World};
use crate::compose::{Draft, Origin};
use crate::diagnostic::Diagnostic;

/// How deep imports nest.
const DEPTH: usize = 4;
/// How many files are imported for one conversation.
const FILES: usize = 100;
/// Files that can be imported without a leading `./`.
const EXTENSIONS: [&str; 7] = ["md", "mdx", "mdc", "txt", "rst", "adoc", "markdown"];

/// Follows imports, and counts them.
pub(super) struct Imports<'i> {
    pub(super) world: &'i dyn World,
    pub(super) situation: &'i Situation,
    pub(super) name: &'i FactName,
    pub(super) loaded: &'i mut Vec<Loaded>,
    pub(super) diagnostics: &'i mut Vec<Diagnostic>,
    pub(super) files: usize,
}

impl Imports<'_> {
    /// The text with its imports in place. `chain` has the files that lead here, this one last.
    pub(super) fn follow(&mut self, text: &Text, chain: &mut Vec<PathBuf>) -> Text {
        let found = find(text.as_str());
        if found.is_empty() {
            return text.clone();
        }
        let mut draft = Draft::default();
        let mut from = 0;
        for (start, end) in found {
            let Some(imported) = self.import(&text.as_str()[start + 1..end], chain) else { continue };
            draft.push_part(text, from..start);
            draft.push_text(&imported);
            from = end;
        }
        draft.push_part(text, from..text.as_str().len());
        draft.into_text()
    }

    /// The text of one import; none if it stays as it was written.
    fn import(&mut self, target: &str, chain: &mut Vec<PathBuf>) -> Option<Text> {
        let explicit = ["./", "../", "~/", "/"].iter().any(|begin| target.starts_with(begin));
        let directory = chain.last().and_then(|file| file.parent()).unwrap_or(Path::new("/")).to_owned();
        let path = match (target.strip_prefix("~/"), &self.situation.workspace.home) {
            (Some(at_home), Some(home)) => home.join(at_home),
            _ => directory.join(target),
        };
        let known =
            Path::new(target).extension().and_then(|end| end.to_str()).is_some_and(|end| EXTENSIONS.contains(&end));
        let exists = || matches!(self.world.kind(&path), Answer::Present(Kind::File));
        if !explicit && (!known || !exists()) {
            return None;
        }
        let fail = |imports: &mut Self, why: String, hint: Option<&str>| {
            let from = chain.last().map(|file| imports.situation.workspace.show(file, Default::default()));
            let message = format!("`@{target}` in {} is not imported: {why}", from.unwrap_or_default());
            let mut diagnostic = Diagnostic::warning("import", message).about(target);
            diagnostic.hint = hint.map(str::to_owned);
            imports.diagnostics.push(diagnostic);
            None
        };
        let Some((root, inside)) = locate(self.situation, &path) else {
            let hint = "allow its directory in your own settings: `file_roots`";
            return fail(self, "it lies outside the project".to_owned(), Some(hint));
        };
        let whole = root.join(&inside);
        if let Some(at) = chain.iter().position(|file| *file == whole) {
            let cycle: Vec<String> = chain[at..]
                .iter()
                .chain([&whole])
                .map(|file| self.situation.workspace.show(file, Default::default()))
                .collect();
            return fail(self, format!("the files import each other: {}", cycle.join(" → ")), None);
        }
        if chain.len() > DEPTH {
            return fail(self, format!("imports nest at most {DEPTH} deep"), None);
        }
        if self.files >= FILES {
            return fail(self, format!("at most {FILES} files are imported"), None);
        }
        if holds_secrets(&inside) {
            return fail(self, "such files hold secrets".to_owned(), None);
        }
        let file = match read_text(self.world, &root, &inside, FILE_LIMIT) {
            Answer::Present(file) if holds_secrets(&file.resolved) => {
                return fail(self, "it leads to a file of a kind that holds secrets".to_owned(), None);
            }
            Answer::Present(file) if file.more => {
                return fail(self, format!("it has more than {FILE_LIMIT} bytes"), None);
            }
            Answer::Present(file) => file,
            Answer::Absent => return fail(self, "there is no such file".to_owned(), None),
            Answer::Unavailable(reason) => return fail(self, reason.to_string(), None),
        };
        self.files += 1;
        let label: Arc<str> = self.situation.workspace.show(&whole, self.situation.instructions.labels).into();
        let clean = normalized(file.text.trim_end_matches(['\n', '\r']), Origin::file(self.name, &label));
        let text = match self.situation.hygiene.clean(clean, &label, self.diagnostics) {
            Answer::Present(text) => text,
            Answer::Absent => return None,
            Answer::Unavailable(reason) => return fail(self, reason.to_string(), None),
        };
        self.loaded.push(Loaded { fact: self.name.clone(), path: Some(label.to_string()), bytes: text.as_str().len() });
        chain.push(whole);
        let text = self.follow(&text, chain);
        chain.pop();
        Some(text)
    }
}

/// Where imports could stand: from the `@` to the end of the path.
fn find(text: &str) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut fence: Option<(char, usize)> = None;
    // A paragraph is looked through as a whole, because a code span may go on in the next line.
    let mut paragraph = 0..0;
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let end = start + line.len();
        let mark = fence_mark(line);
        let fenced = fence.is_some();
        match (fence, mark) {
            (None, Some((c, length, _))) => fence = Some((c, length)),
            // It closes with the same character, at least as often, and nothing behind.
            (Some((c, open)), Some((mark, length, ""))) if c == mark && length >= open => fence = None,
            _ => {}
        }
        if fenced || mark.is_some() || line.trim().is_empty() {
            in_paragraph(text, paragraph, &mut found);
            paragraph = end..end;
        } else {
            paragraph.end = end;
        }
        start = end;
    }
    in_paragraph(text, paragraph, &mut found);
    found
}

/// The fence that a line is: its character, how often it stands there, and what follows.
fn fence_mark(line: &str) -> Option<(char, usize, &str)> {
    let inner = line.trim_start_matches(' ');
    let c = inner.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let rest = inner.trim_start_matches(c);
    let (length, info) = (inner.len() - rest.len(), rest.trim());
    let is_fence = line.len() - inner.len() <= 3 && length >= 3 && !(c == '`' && info.contains('`'));
    is_fence.then_some((c, length, info))
}

/// The imports of a paragraph, outside code spans.
fn in_paragraph(text: &str, paragraph: std::ops::Range<usize>, found: &mut Vec<(usize, usize)>) {
    let whole = &text[paragraph.clone()];
    let run = |at: usize| whole[at..].bytes().take_while(|byte| *byte == b'`').count();
    let mut at = 0;
    while let Some(next) = whole[at..].find(['`', '@']) {
        let here = at + next;
        if whole[here..].starts_with('`') {
            // A span ends at a run of just as many backticks as it began with; without one they are text.
            let length = run(here);
            let mut behind = here + length;
            at = loop {
                let Some(tick) = whole[behind..].find('`') else { break here + length };
                let close = behind + tick;
                behind = close + run(close);
                if behind - close == length {
                    break behind;
                }
            };
            continue;
        }
        at = here + 1;
        let alone = whole[..here].chars().next_back().is_none_or(|c| c.is_whitespace() || c == '(');
        let path = whole[at..].split(char::is_whitespace).next().unwrap_or_default();
        let path = path.trim_end_matches(['.', ',', ';', ':', '!', '?', ')', '"', '\'']);
        if alone && !path.is_empty() {
            found.push((paragraph.start + here, paragraph.start + at + path.len()));
            at += path.len();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn targets(text: &str) -> Vec<&str> {
        find(text).into_iter().map(|(start, end)| &text[start..end]).collect()
    }

    #[test]
    fn imports_stand_alone_and_outside_code() {
        assert_eq!(targets("See @docs/x.md, and (@./y.md).\n@~/z.md"), ["@docs/x.md", "@./y.md", "@~/z.md"]);
        assert_eq!(targets("mail a@example.org `@docs/x.md` ``a ` @b.md``"), Vec::<&str>::new());
        assert_eq!(targets("```\n@a.md\n```\n@b.md\n~~~\n@c.md\n~~~\n"), ["@b.md"]);
        assert_eq!(targets("one ` tick @a.md"), ["@a.md"]);
    }
}
