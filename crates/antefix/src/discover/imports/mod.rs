//! `@path` inside an instruction file: another file's text in its place, if the layout follows imports.
//!
//! 1. An import stands alone: white space or the line's beginning before it, and no code span or fence around it.
//! 2. `@./x`, `@../x`, `@~/x` and `@/x` are imports. `@docs/x.md` is one if the file exists; `@scope/pkg`, `@param` and
//!    addresses are text.
//! 3. A path is relative to the file that it is in, and must lie beneath the project root or a root that the user
//!    allows. What usually holds secrets is not imported.
//! 4. Imports nest four deep unless the layout says otherwise, and [`FILES`] files are imported at most. A file that imports itself, through others or
//!    not, is reported with its chain. What is in the prompt already as an instruction file is not imported once more.
//! 5. An import that fails stays as it was written, with a diagnostic; [`REPORTED`] of a file are reported one by one. Behind the first
//!    [`TRIED`] of a file all are text, which is reported as well.

mod find;

use std::path::{Path, PathBuf};
use std::sync::Arc;

pub(super) use self::find::Spelling;
use self::find::find;
use super::Situation;
use super::file::{FILE_LIMIT, holds_secrets, locate, read_text};
use super::instructions::{
    Beneath, ImportHow, ImportNames, ImportRules, InstructionRules, Keep, Same, Seen, Take, normalized,
};
use super::report::Loaded;
use super::rewrite::Rewrite;
use super::workspace::normalize;
use super::world::{Answer, Kind, World};
use crate::diagnostic::{Code, Diagnostic, Level, Subject};
use crate::text::{Draft, FactName, Text, Transform};
use crate::{discover::Paths, text::Origin};

/// How many files are imported for one conversation.
const FILES: usize = 100;
/// How many imports of one file are tried.
const TRIED: usize = 500;
/// How many failures of one file are reported one by one.
const REPORTED: usize = 5;
/// Files that can be imported without a leading `./`.
const EXTENSIONS: [&str; 7] = ["md", "mdx", "mdc", "txt", "rst", "adoc", "markdown"];

/// Follows imports, and counts them.
pub(super) struct Imports<'i> {
    pub(super) world: &'i dyn World,
    pub(super) situation: &'i Situation<'i>,
    pub(super) rules: &'i InstructionRules,
    pub(super) name: &'i FactName,
    pub(super) loaded: &'i mut Vec<Loaded>,
    pub(super) diagnostics: &'i mut Vec<Diagnostic>,
    /// The instruction files that were loaded, and the one that imports.
    pub(super) own: &'i [Seen],
    /// The directories whose instruction files are loaded.
    pub(super) walked: &'i [PathBuf],
    /// How many files were imported.
    pub(super) files: usize,
    /// Files that follow the one that names them.
    pub(super) behind: Vec<Behind>,
}

/// A file that follows the one that imports it.
pub(super) struct Behind {
    pub(super) label: Arc<str>,
    pub(super) text: Text,
    pub(super) real: PathBuf,
    pub(super) identity: Option<(u64, u64)>,
    pub(super) loaded: Loaded,
}

/// Why an import stays as it was written.
enum Stays {
    /// It is text.
    Text,
    /// The layout has words for that.
    Replaced { by: String },
    /// It is in the prompt anyway.
    There { why: String },
    /// It failed.
    Failed { why: String, hint: Option<&'static str> },
}

impl Stays {
    fn failed(why: impl Into<String>) -> Stays {
        Stays::Failed { why: why.into(), hint: None }
    }
}

/// The imports of a text that is in `file`, if there is what they name: each with its line and column, both from 1.
pub(super) fn left(
    world: &dyn World,
    situation: &Situation<'_>,
    text: &Text,
    file: &Path,
) -> Vec<(String, usize, usize)> {
    let mut left = Vec::new();
    for (start, end) in find(text.as_str(), Spelling::default()).into_iter().take(TRIED) {
        let target = &text.as_str()[start + 1..end];
        let path = lying(target, file, situation);
        let is_there = || matches!(world.kind(&path), Answer::Present(Kind::File));
        if (is_explicit(target) || is_known(target)) && is_there() {
            let column = 1 + text.as_str()[..start].rsplit('\n').next().map_or(0, |line| line.chars().count());
            left.push((target.to_owned(), line_of(text, start), column));
        }
    }
    left
}

/// Whether a target can be nothing else than a path.
fn is_explicit(target: &str) -> bool {
    ["./", "../", "~/", "/"].iter().any(|begin| target.starts_with(begin))
}

/// Whether a target has an ending that texts have.
fn is_known(target: &str) -> bool {
    Path::new(target).extension().and_then(|end| end.to_str()).is_some_and(|end| EXTENSIONS.contains(&end))
}

/// Where the target of an import in a file is.
fn lying(target: &str, file: &Path, situation: &Situation<'_>) -> PathBuf {
    match (target.strip_prefix("~/"), &situation.workspace.home) {
        (Some(at_home), Some(home)) => home.join(at_home),
        _ => file.parent().unwrap_or(Path::new("/")).join(target),
    }
}

impl Imports<'_> {
    /// The text with its imports in place. `chain` has the files that lead here, this one last.
    pub(super) fn follow(&mut self, text: &Text, chain: &mut Vec<PathBuf>) -> Text {
        let found = find(text.as_str(), self.rules.imports.spelling);
        if found.is_empty() {
            return text.clone();
        }
        let mut rewrite = Rewrite::new(text);
        let mut failures = Failures { file: self.shown(chain.last()), reported: Vec::new(), more: 0 };
        for (start, end) in found.iter().copied().take(TRIED) {
            let target = &text.as_str()[start + 1..end];
            match self.import(target, chain) {
                Ok(imported) => match self.rules.imports.how {
                    ImportHow::After => {}
                    ImportHow::Beside => rewrite.insert(end..end, &imported),
                    ImportHow::Follow | ImportHow::Leave => rewrite.insert(start..end, &imported),
                },
                Err(Stays::Text) => {}
                Err(Stays::Replaced { by }) => rewrite.replace(start..end, &by, Transform::Replaced),
                Err(Stays::There { why }) => failures.report(Level::Note, target, line_of(text, start), &why, None),
                Err(Stays::Failed { why, hint }) => {
                    failures.report(Level::Warning, target, line_of(text, start), &why, hint);
                }
            }
        }
        if found.len() > TRIED {
            failures.cut_off(line_of(text, found[TRIED].0));
        }
        self.diagnostics.extend(failures.diagnostics());
        rewrite.finish()
    }

    /// The text of one import.
    fn import(&mut self, target: &str, chain: &mut Vec<PathBuf>) -> Result<Text, Stays> {
        let path = lying(target, chain.last().map_or(Path::new("/"), PathBuf::as_path), self.situation);
        let kind = self.world.kind(&path);
        let exists = || matches!(kind, Answer::Present(Kind::File));
        let imports = &self.rules.imports;
        let replaced = |words: &Option<String>| {
            let absolute = normalize(&path).to_string_lossy().into_owned();
            let by = words.as_ref()?.replace("{path}", target).replace("{absolute}", &absolute);
            Some(Stays::Replaced { by })
        };
        let is_path = target.starts_with(|c: char| c == '.' || c == '/' || c.is_ascii_alphabetic());
        let is_outside = is_path && imports.beneath == Beneath::Project && locate(self.situation, &path).is_none();
        let words = match kind {
            _ if is_outside => replaced(&imports.failed.outside),
            Answer::Present(Kind::Directory) if is_path => replaced(&imports.failed.directory),
            Answer::Absent if is_path => replaced(&imports.failed.missing),
            Answer::Present(Kind::File) if chain.contains(&normalize(&path)) => replaced(&imports.failed.again),
            _ => None,
        };
        if let Some(words) = words {
            return Err(words);
        }
        if match imports.names {
            ImportNames::Documents => !is_explicit(target) && (!is_known(target) || !exists()),
            ImportNames::Any => !exists(),
        } {
            return Err(Stays::Text);
        }
        if imports.beneath == Beneath::Cwd && !normalize(&path).starts_with(&self.situation.workspace.cwd) {
            let hint = "start in the directory of the file that imports it, approve it, or use a link";
            let why = "it is outside the working directory".to_owned();
            return Err(Stays::Failed { why, hint: Some(hint) });
        }
        let anywhere = || Some((PathBuf::from("/"), normalize(&path).strip_prefix("/").ok()?.to_owned()));
        let located = match imports.beneath {
            Beneath::Anywhere => anywhere(),
            Beneath::Project | Beneath::Cwd => locate(self.situation, &path),
        };
        let Some((root, inside)) = located else {
            let hint = "allow its directory in your own settings: `file_roots`";
            return Err(Stays::Failed { why: "it is outside the project".to_owned(), hint: Some(hint) });
        };
        let whole = root.join(&inside);
        self.is_no_cycle(chain, &whole, &whole)?;
        if chain.len() > imports.depth {
            return Err(Stays::failed(format!("imports nest at most {} deep", imports.depth)));
        }
        if self.files >= FILES {
            return Err(Stays::failed(format!("at most {FILES} files are imported")));
        }
        if holds_secrets(&inside) {
            return Err(Stays::failed("such files contain secrets"));
        }
        let file = match read_text(self.world, &root, &inside, FILE_LIMIT) {
            Answer::Present(file) if holds_secrets(&file.resolved) => {
                return Err(Stays::failed("it leads to a file of a kind that contains secrets"));
            }
            Answer::Present(file) if file.more => {
                return Err(Stays::failed(format!("it has more than {FILE_LIMIT} bytes")));
            }
            Answer::Present(file) => file,
            Answer::Absent => return Err(Stays::failed("there is no such file")),
            Answer::Unavailable(reason) => return Err(Stays::failed(reason.to_string())),
        };
        let real = root.join(&file.resolved);
        self.is_no_cycle(chain, &whole, &real)?;
        let once = imports.again == Same::Once;
        if let Some(own) = self.own.iter().find(|own| once && own.is(&real, file.identity)) {
            return Err(Stays::There { why: format!("it is in the prompt already, as {}", own.label) });
        }
        if once && self.is_loaded_by_itself(&real) {
            return Err(Stays::There { why: "it is loaded by itself, nearer to the working directory".to_owned() });
        }
        self.files += 1;
        let label: Arc<str> = self.situation.workspace.show(&whole, self.rules.labels).into();
        let ended = match imports.ends {
            Keep::Remove => file.text.trim_end_matches(['\n', '\r']),
            Keep::Keep => &file.text,
        };
        let clean = normalized(ended, Origin::file(self.name, &label));
        let text = match self.situation.permissions.hygiene.clean(clean, &Subject::file(&label), self.diagnostics) {
            Answer::Present(text) => text,
            Answer::Absent => return Err(Stays::Text),
            Answer::Unavailable(reason) => return Err(Stays::failed(reason.to_string())),
        };
        let loaded = Loaded::whole(self.name, Some(label.to_string()), text.as_str().len());
        let at = self.behind.len();
        if imports.how == ImportHow::After {
            let (text, identity, label) = (text.clone(), file.identity, Arc::clone(&label));
            self.behind.push(Behind { label, text, real, identity, loaded });
        } else {
            self.loaded.push(loaded);
        }
        chain.push(whole);
        let text = self.follow(&text, chain);
        chain.pop();
        if let Some(behind) = self.behind.get_mut(at) {
            behind.text = text.clone();
        }
        Ok(framed(&text, imports, target))
    }

    /// Whether a file is the one that is used in a directory whose instruction files are loaded.
    fn is_loaded_by_itself(&self, real: &Path) -> bool {
        let rules = self.rules;
        let is_file = |path: &PathBuf| self.world.kind(path) == Answer::Present(Kind::File);
        self.walked.iter().filter(|directory| real.starts_with(directory)).any(|directory| {
            let mut named = rules.names.iter().map(|name| directory.join(name));
            match rules.take {
                Take::First => named.find(is_file).is_some_and(|first| first == real),
                Take::Each | Take::All => named.any(|path| path == real),
            }
        })
    }

    /// Fails if a file, which really is `real`, is one of those that lead here.
    fn is_no_cycle(&self, chain: &[PathBuf], file: &Path, real: &Path) -> Result<(), Stays> {
        let Some(at) = chain.iter().position(|one| one == real) else { return Ok(()) };
        let end = [file, real];
        let end = if file == real { &end[1..] } else { &end[..] };
        let chain = chain[at..].iter().map(PathBuf::as_path).chain(end.iter().copied());
        let names: Vec<String> = chain.map(|file| self.shown(Some(file))).collect();
        Err(Stays::failed(format!("the files import each other: {}", names.join(" → "))))
    }

    fn shown(&self, file: Option<impl AsRef<Path>>) -> String {
        file.map(|file| self.situation.workspace.show(file.as_ref(), Paths::Portable)).unwrap_or_default()
    }
}

/// An imported text between what the layout puts around it.
fn framed(text: &Text, imports: &ImportRules, target: &str) -> Text {
    if imports.before.is_empty() && imports.behind.is_empty() {
        return text.clone();
    }
    let Some(origin) = text.pieces().next().map(|piece| piece.origin.clone()) else { return text.clone() };
    let mut draft = Draft::default();
    draft.push(&imports.before.replace("{path}", target), origin.clone(), Some(Transform::Replaced));
    draft.push_text(text);
    draft.push(&imports.behind.replace("{path}", target), origin, Some(Transform::Replaced));
    draft.into_text()
}

/// What failed in one file.
struct Failures {
    file: String,
    reported: Vec<Diagnostic>,
    more: usize,
}

impl Failures {
    fn report(&mut self, level: Level, target: &str, line: usize, why: &str, hint: Option<&str>) {
        if self.reported.len() == REPORTED {
            self.more += 1;
            return;
        }
        let message = format!("`@{target}` in {}:{line} is not imported: {why}", self.file);
        self.push(level, message, hint);
    }

    /// Reports that the imports from a line on are not tried.
    fn cut_off(&mut self, line: usize) {
        let message =
            format!("{} has more than {TRIED} imports: those from line {line} on stay as they were written", self.file);
        self.push(Level::Warning, message, Some("split the file"));
    }

    fn push(&mut self, level: Level, message: String, hint: Option<&str>) {
        let mut diagnostic = Diagnostic::new(level, Code::Import, message).about(Subject::file(&self.file));
        diagnostic.hint = hint.map(str::to_owned);
        self.reported.push(diagnostic);
    }

    fn diagnostics(mut self) -> Vec<Diagnostic> {
        if self.more > 0 {
            let message = format!("{} has {} more imports that failed", self.file, self.more);
            self.push(Level::Warning, message, None);
        }
        self.reported
    }
}

/// The line of its file that a byte of a text is on.
fn line_of(text: &Text, offset: usize) -> usize {
    let piece = text.pieces().find(|piece| piece.range.contains(&offset));
    piece.map_or(1, |piece| piece.origin.further(&text.as_str()[piece.range.start..offset]).line().unwrap_or(1))
}
