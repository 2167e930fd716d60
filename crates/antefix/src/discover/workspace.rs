//! Where the agent works: the working directory, the project around it, the user's own directories.
//!
//! 1. The project root is the nearest directory, from the working directory upwards, that holds `.git` or `.antefix`.
//! 2. Without one, it is the working directory itself. One that belongs to another user does not count, and is reported.
//!    Where a server has a root, nothing above that is the project's.
//! 3. What its user calls the working directory is for showing alone: all else is decided by where its links lead.
//! 4. The user's files are in `$XDG_CONFIG_HOME/antefix`, else in `~/.config/antefix`.

use std::borrow::Cow;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use super::file::{FILE_LIMIT, read_text};
use super::hygiene::Hygiene;
use super::world::{Answer, Owner, Reason, ReasonCode, World};
use crate::diagnostic::Subject;
use crate::text::{FactName, HiddenText, Source, SourceKind, Text};
use crate::{
    discover::{Machine, Paths},
    text::Origin,
};

/// Where the agent works.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Workspace {
    /// The working directory, absolute, wherever links lead.
    pub cwd: PathBuf,
    /// The working directory as it was given, absolute: where prompts show paths in full, they show this.
    pub given: PathBuf,
    /// The project root: what may be read through `file:` lies beneath it.
    pub root: PathBuf,
    /// The home directory, if there is one.
    pub home: Option<PathBuf>,
    /// The user's configuration directory for antefix, whether it exists or not.
    pub config: Option<PathBuf>,
    /// `.git` and `.antefix` on the way up that belong to somebody else, and are not obeyed.
    pub foreign: Vec<PathBuf>,
    /// The directory that nothing of the project is read above, if there is one: a server's root.
    pub bound: Option<PathBuf>,
}

impl Workspace {
    /// Looks around from a working directory.
    pub fn find(world: &dyn World, cwd: &Path) -> Workspace {
        Workspace::find_within(world, cwd, None)
    }

    /// Looks around from a working directory, for a project that does not begin above `bound`.
    pub fn find_within(world: &dyn World, cwd: &Path, bound: Option<&Path>) -> Workspace {
        let given = cwd;
        let cwd = world.resolve(cwd).present().unwrap_or_else(|| cwd.to_owned());
        let given = shown(world, given, &cwd);
        let mut foreign = Vec::new();
        let mut marks = |directory: &&Path| {
            MARKS.iter().any(|mark| {
                let path = directory.join(mark);
                match world.owner(&path) {
                    Answer::Absent => false,
                    // Whoever can write to a directory above, such as a shared one for temporary files, must not say
                    // what an agent is told.
                    Answer::Present(Owner::Other) => {
                        foreign.push(path);
                        false
                    }
                    Answer::Present(_) | Answer::Unavailable(_) => true,
                }
            })
        };
        let root = cwd.ancestors().find(|directory| marks(directory)).unwrap_or(&cwd);
        let root = bound.filter(|bound| bound.starts_with(root)).unwrap_or(root).to_owned();
        // A mark of the user's own beside it does not make it the user's.
        let own = root.join(".antefix");
        if world.owner(&own) == Answer::Present(Owner::Other) && !foreign.contains(&own) {
            foreign.push(own);
        }
        foreign.retain(|path| bound.is_none_or(|bound| path.starts_with(bound)));
        let (home, config) = users_directories(world);
        Workspace { cwd, given, root, home, config, foreign, bound: bound.map(Path::to_owned) }
    }

    /// The user's own directories, seen from one that nothing lies in: paths are shown as people write them, from `~/`. Nothing
    /// but the environment is asked.
    pub(crate) fn of_user(world: &dyn World) -> Workspace {
        let nowhere = Path::new("/nonexistent");
        let (home, config) = users_directories(world);
        let (cwd, given, root) = (nowhere.to_owned(), nowhere.to_owned(), nowhere.to_owned());
        Workspace { cwd, given, root, home, config, foreign: Vec::new(), bound: None }
    }

    /// The same place under another name. A name of another place, or of none, changes nothing.
    #[must_use]
    pub fn given_as(mut self, world: &dyn World, given: &Path) -> Workspace {
        if world.resolve(given).present().is_some_and(|real| real == self.cwd) {
            self.given = shown(world, given, &self.cwd);
        }
        self
    }

    /// The working directory as a prompt shows it.
    pub(crate) fn show_cwd(&self, paths: Paths) -> String {
        match paths {
            Paths::Absolute => slashes(&self.given),
            Paths::Portable => self.show(&self.cwd, paths),
        }
    }

    /// A path that a layout names in `~/` or in antefix's configuration directory, `$config`; none for any other, and where
    /// there is no such directory.
    pub(crate) fn users_own(&self, path: &str) -> Option<PathBuf> {
        if path == "$config" {
            return self.config.clone();
        }
        let (directory, inside) = match (path.strip_prefix("~/"), path.strip_prefix("$config/")) {
            (Some(inside), _) => (&self.home, inside),
            (None, Some(inside)) => (&self.config, inside),
            (None, None) => return None,
        };
        directory.as_ref().map(|directory| directory.join(inside))
    }

    /// A path that the rules of an agent name: in `~/`, in `$config`, or from the root of the file system.
    pub(crate) fn named(&self, path: &str) -> Option<PathBuf> {
        let path = path.trim_end_matches('/');
        if path.starts_with('/') { Some(PathBuf::from(path)) } else { self.users_own(path) }
    }

    /// The project's own directory for antefix.
    pub fn project(&self) -> PathBuf {
        self.root.join(".antefix")
    }

    /// The path that [`show`](Workspace::show) shows as a label; none for a reference to a built-in text.
    pub(crate) fn unshow(&self, label: &str) -> Option<PathBuf> {
        if label.starts_with('$') {
            return None;
        }
        match label.strip_prefix("~/") {
            Some(inside) => Some(self.home.as_ref()?.join(inside)),
            None => Some(self.root.join(label)),
        }
    }

    /// The same user's view from the root of another project.
    pub(crate) fn at(&self, root: &str) -> Workspace {
        Workspace { root: PathBuf::from(root), ..self.clone() }
    }

    /// Whether the project's own directory for antefix belongs to somebody else, and is not obeyed.
    pub(crate) fn is_project_foreign(&self) -> bool {
        !self.foreign.is_empty() && self.foreign.contains(&self.project())
    }

    /// What is only so on this machine, for whoever looks for it in a prompt.
    pub fn machine(&self, world: &dyn World) -> Machine {
        Machine {
            root: Some(slashes(&self.root)),
            given: (!self.given.starts_with(&self.root)).then(|| slashes(&self.given)),
            home: self.home.as_deref().map(slashes),
            host: world.hostname().present(),
        }
    }

    /// A path as a prompt shows it.
    pub fn show(&self, path: &Path, paths: Paths) -> String {
        if paths == Paths::Absolute {
            return slashes(path);
        }
        if let Ok(inside) = path.strip_prefix(&self.root) {
            return if inside.as_os_str().is_empty() { ".".to_owned() } else { slashes(inside) };
        }
        match self.home.as_ref().and_then(|home| path.strip_prefix(home).ok()) {
            Some(inside) if inside.as_os_str().is_empty() => "~".to_owned(),
            Some(inside) => format!("~/{}", slashes(inside)),
            None => slashes(path),
        }
    }

    /// The same for a path beneath a root, which mostly is the project's.
    pub(crate) fn show_beneath<'p>(&self, root: &Path, path: &'p Path, paths: Paths) -> Cow<'p, str> {
        match path.to_str() {
            Some(text) if paths == Paths::Portable && root.as_os_str() == self.root.as_os_str() && is_plain(path) => {
                Cow::Borrowed(text)
            }
            _ => Cow::Owned(self.show(&join(root, path), paths)),
        }
    }

    /// A text file of the project's or the user's own directory, such as `layout.toml`. The project's is checked like its
    /// other files.
    pub fn own_file(
        &self,
        world: &dyn World,
        directory: &Path,
        name: &str,
        kind: SourceKind,
        hygiene: Hygiene,
    ) -> Answer<Arc<Source>> {
        read_text(world, directory, Path::new(name), FILE_LIMIT).and_then(|file| {
            // Half a layout would be another layout.
            if file.more {
                return Answer::unavailable(ReasonCode::Failed, format!("it has more than {FILE_LIMIT} bytes"));
            }
            let shown = self.show(&directory.join(name), Paths::Portable);
            let text = self.own_text(directory, file.text, &shown, hygiene);
            // Escapes of TOML can write what is not there.
            if let Answer::Present(text) = &text
                && self.is_projects(directory)
                && let Ok(table) = toml::from_str::<toml::Table>(text)
                && let Some(key) = suspicious(&toml::Value::Table(table), hygiene)
            {
                let detail =
                    format!("escapes in it write a secret or hidden characters, in `{}`", key.trim_matches('.'));
                return Answer::unavailable(ReasonCode::HiddenText, detail);
            }
            let hidden = self.hiding(directory, hygiene);
            text.map(|text| Arc::new(Source::new(kind, shown.clone(), text).at(shown).hiding(hidden)))
        })
    }

    /// What becomes of hidden characters that expressions in a file of this directory print: a user's own may print any.
    pub(crate) fn hiding(&self, directory: &Path, hygiene: Hygiene) -> HiddenText {
        if self.is_projects(directory) { hygiene.hidden } else { HiddenText::Allow }
    }

    /// Whether a directory is one of the project's, and not the user's own.
    fn is_projects(&self, directory: &Path) -> bool {
        let is_users = self.config.as_ref().is_some_and(|config| directory.starts_with(config));
        !is_users && directory.starts_with(&self.root)
    }

    /// A text of antefix's own files as it may be used: one of the project's is not trusted more than its instruction files are.
    pub(crate) fn own_text(&self, directory: &Path, text: String, shown: &str, hygiene: Hygiene) -> Answer<String> {
        if !self.is_projects(directory) || hygiene.passes(&text) {
            return Answer::Present(text);
        }
        let mut findings = Vec::new();
        let name = FactName::new("antefix", "text");
        match hygiene.clean(Text::new(text, Origin::fact(&name)), &Subject::file(shown), &mut findings) {
            Answer::Present(text) => Answer::Present(text.as_str().to_owned()),
            Answer::Absent => Answer::Absent,
            // The file has no report of its own: the first finding says where.
            Answer::Unavailable(reason) => {
                let detail = findings.into_iter().next().map_or(reason.detail, |finding| finding.message);
                Answer::Unavailable(Reason { detail, ..reason })
            }
        }
    }
}

/// Every directory from `directory` upwards that is a project, because it holds `.git` or `.antefix`, the innermost first;
/// `directory` itself, if there is none.
///
/// A home directory, or one above it, counts only if it is the innermost: a user who keeps everything in a repository has not
/// become a stranger to their own programs.
pub(crate) fn projects_around(world: &dyn World, directory: &Path) -> Vec<PathBuf> {
    let home = world.env("HOME").present().map(PathBuf::from).filter(|home| home.is_absolute());
    let is_marked = |directory: &&Path| is_marked(world, directory);
    // A project at the root of the file system holds everything, the system's own programs included.
    let mut found: Vec<PathBuf> =
        directory.ancestors().filter(is_marked).filter(|path| path.parent().is_some()).map(Path::to_owned).collect();
    let nearest = found.first().cloned().unwrap_or_else(|| directory.to_owned());
    found.retain(|path| *path == nearest || home.as_ref().is_none_or(|home| !home.starts_with(path)));
    if found.is_empty() && nearest.parent().is_some() {
        found.push(nearest);
    }
    found
}

/// Whether a directory holds `.git` or `.antefix`, whosever it is.
pub(crate) fn is_marked(world: &dyn World, directory: &Path) -> bool {
    MARKS.iter().any(|mark| !matches!(world.kind(&directory.join(mark)), Answer::Absent))
}

/// What makes a directory the root of a project.
const MARKS: [&str; 2] = [".git", ".antefix"];

/// The home directory, and the user's configuration directory for antefix.
fn users_directories(world: &dyn World) -> (Option<PathBuf>, Option<PathBuf>) {
    let directory = |name: &str| {
        world.env(name).present().filter(|path| !path.is_empty()).map(PathBuf::from).filter(|path| path.is_absolute())
    };
    let home = directory("HOME").or_else(|| directory("USERPROFILE"));
    let config = directory("XDG_CONFIG_HOME").or_else(|| home.as_ref().map(|home| home.join(".config")));
    (home, config.map(|config| config.join("antefix")))
}

/// The key of a text in which something is to be found as it is read, if there is one.
fn suspicious(value: &toml::Value, hygiene: Hygiene) -> Option<String> {
    let below = |key: &str, value: &toml::Value| suspicious(value, hygiene).map(|rest| format!(".{key}{rest}"));
    match value {
        toml::Value::String(text) => (!hygiene.passes(text)).then(String::new),
        toml::Value::Array(items) => items.iter().find_map(|item| suspicious(item, hygiene)),
        toml::Value::Table(table) => table.iter().find_map(|(key, value)| {
            // A key that must not be shown is named by the table that it is in.
            if hygiene.passes(key) { below(key, value) } else { Some(String::new()) }
        }),
        _ => None,
    }
}

/// A directory as it was given, without what changes nothing. Where a link makes `..` lead elsewhere than it seems, it is the
/// real one.
fn shown(world: &dyn World, given: &Path, real: &Path) -> PathBuf {
    let clean = normalize(given);
    let is_real = || !has_parents(given) || world.resolve(&clean).present().is_some_and(|path| path == real);
    if given.is_absolute() && is_real() { clean } else { real.to_owned() }
}

fn has_parents(path: &Path) -> bool {
    path.components().any(|part| part == Component::ParentDir)
}

/// Whether a relative path is as it would be written without what changes nothing. Some that are may be taken for odd.
fn is_plain(path: &Path) -> bool {
    let text = path.as_os_str().as_encoded_bytes();
    let (Some(first), Some(last)) = (text.first(), text.last()) else { return false };
    let odd = |pair: &[u8]| matches!(pair, b"./" | b"//" | b"..");
    cfg!(unix) && *first != b'/' && !matches!(last, b'/' | b'.') && !text.windows(2).any(odd)
}

/// A path with `/` between its parts, on any system.
fn slashes(path: &Path) -> String {
    let text = path.to_string_lossy();
    if std::path::MAIN_SEPARATOR == '/' { text.into_owned() } else { text.replace(std::path::MAIN_SEPARATOR, "/") }
}

/// What `root.join(path)` gives, with room for both from the start: `join` asks for more twice.
pub(crate) fn join(root: &Path, path: impl AsRef<Path>) -> PathBuf {
    let path = path.as_ref();
    let mut joined = PathBuf::with_capacity(root.as_os_str().len() + 1 + path.as_os_str().len());
    joined.push(root);
    joined.push(path);
    joined
}

/// A path without `.` and `..`, by its text alone. A `..` past the root of an absolute path stays there.
pub(crate) fn normalize(path: &Path) -> PathBuf {
    let mut clean = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                clean.pop();
            }
            part => clean.push(part),
        }
    }
    clean
}
