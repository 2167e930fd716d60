//! A world in which a repository is as it was in a commit.
//!
//! 1. What is in the work tree is answered from the commit, links among it too. `.git` and everything outside are the real world's.
//! 2. Programs are not run, except for git: their files would be those of the work tree, whatever the commit says of them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::discover::git::{Git, GitLimits, TreeEntry, TreeKind};
use crate::discover::world::{
    Access, Answer, Command, Contents, Kind, Link, ListedEntry, Listing, Output, Owner, ReasonCode, Request, Response,
    SystemText, World,
};

/// The longest way of a link, in bytes.
const LINK_LIMIT: usize = 4096;

/// Another world, with a repository at a commit, or as it is; in both cases no program of it is run.
pub struct Revision {
    world: Arc<dyn World + Send + Sync>,
    commit: Option<Commit>,
}

struct Commit {
    /// The real path of the work tree.
    root: PathBuf,
    files: BTreeMap<PathBuf, TreeEntry>,
    /// The names in each directory.
    directories: BTreeMap<PathBuf, BTreeSet<String>>,
    /// Contents that were read, by their ids and how much of them.
    read: Mutex<BTreeMap<(String, usize), Content>>,
}

/// What a file has, and whether that is all of it.
type Content = Answer<(Vec<u8>, bool)>;

impl Revision {
    /// The world as it is, without programs.
    pub fn current(world: Arc<dyn World + Send + Sync>) -> Revision {
        Revision { world, commit: None }
    }

    /// The world with the files of a commit in a work tree, whose real path is `root`. `cwd` is a directory there, if the commit has
    /// something in it or not.
    pub fn new(world: Arc<dyn World + Send + Sync>, root: &Path, cwd: &Path, files: Vec<TreeEntry>) -> Revision {
        let mut directories: BTreeMap<PathBuf, BTreeSet<String>> = BTreeMap::new();
        directories.entry(root.to_owned()).or_default();
        let paths = files.iter().map(|file| root.join(&file.path));
        for path in paths.chain([cwd.join(".")]) {
            let mut below = path.as_path();
            while let (Some(directory), Some(name)) = (below.parent(), below.file_name()) {
                if !directory.starts_with(root) {
                    break;
                }
                directories.entry(directory.to_owned()).or_default().insert(name.to_string_lossy().into_owned());
                below = directory;
            }
        }
        directories.entry(cwd.to_owned()).or_default();
        let files = files.into_iter().map(|file| (root.join(&file.path), file)).collect();
        let commit = Commit { root: root.to_owned(), files, directories, read: Mutex::default() };
        Revision { world, commit: Some(commit) }
    }

    /// The commit, if it answers for a path.
    fn answers(&self, path: &Path) -> Option<&Commit> {
        let commit = self.commit.as_ref()?;
        let inside = path.strip_prefix(&commit.root).ok()?;
        (!inside.starts_with(".git")).then_some(commit)
    }

    fn blob(&self, commit: &Commit, id: &str, limit: usize) -> Answer<(Vec<u8>, bool)> {
        let key = (id.to_owned(), limit);
        if let Some(known) = commit.read.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return known.clone();
        }
        let read = Git::new(&*self.world, &commit.root, GitLimits::default()).blob(id, limit);
        commit.read.lock().unwrap_or_else(PoisonError::into_inner).insert(key, read.clone());
        read
    }

    /// A path with the commit's links followed, whether anything lies there or not.
    fn follow(&self, path: &Path) -> Answer<PathBuf> {
        let Some(commit) = &self.commit else { return Answer::Present(path.to_owned()) };
        let mut waiting: Vec<PathBuf> = path.components().rev().map(|part| PathBuf::from(part.as_os_str())).collect();
        let (mut at, mut links) = (PathBuf::new(), 0);
        while let Some(part) = waiting.pop() {
            match part.components().next() {
                Some(Component::ParentDir) => drop(at.pop()),
                Some(Component::CurDir) | None => {}
                Some(_) => at.push(&part),
            }
            let Some(link) = commit.files.get(&at).filter(|file| file.kind == TreeKind::Link) else { continue };
            links += 1;
            if links > 40 {
                return Answer::unavailable(ReasonCode::Failed, "too many links");
            }
            let target = match self.blob(commit, &link.id, LINK_LIMIT) {
                Answer::Present((target, _)) => PathBuf::from(String::from_utf8_lossy(&target).into_owned()),
                Answer::Absent => return Answer::Absent,
                Answer::Unavailable(reason) => return Answer::Unavailable(reason),
            };
            at.pop();
            waiting.extend(target.components().rev().map(|part| PathBuf::from(part.as_os_str())));
        }
        Answer::Present(at)
    }
}

impl Commit {
    fn kind(&self, path: &Path) -> Answer<Kind> {
        match self.files.get(path).map(|file| file.kind) {
            Some(TreeKind::File) => Answer::Present(Kind::File),
            Some(TreeKind::Submodule) => Answer::Present(Kind::Directory),
            Some(TreeKind::Link) => Answer::Present(Kind::Other),
            None if self.directories.contains_key(path) => Answer::Present(Kind::Directory),
            None => Answer::Absent,
        }
    }
}

impl World for Revision {
    fn now(&self) -> Timestamp {
        self.world.now()
    }

    fn time_zone(&self, name: Option<&str>) -> Answer<TimeZone> {
        self.world.time_zone(name)
    }

    fn platform(&self) -> String {
        self.world.platform()
    }

    fn system_text(&self, which: SystemText) -> Answer<String> {
        self.world.system_text(which)
    }

    fn hostname(&self) -> Answer<String> {
        self.world.hostname()
    }

    fn env(&self, name: &str) -> Answer<String> {
        self.world.env(name)
    }

    fn kind(&self, path: &Path) -> Answer<Kind> {
        self.follow(path).and_then(|real| match self.answers(&real) {
            Some(commit) => commit.kind(&real),
            None => self.world.kind(&real),
        })
    }

    fn owner(&self, path: &Path) -> Answer<Owner> {
        match self.answers(path) {
            Some(_) => self.kind(path).map(|_| Owner::User),
            None => self.world.owner(path),
        }
    }

    fn access(&self, path: &Path) -> Answer<Access> {
        match self.answers(path) {
            Some(_) => self.kind(path).map(|_| Access::default()),
            None => self.world.access(path),
        }
    }

    fn resolve(&self, path: &Path) -> Answer<PathBuf> {
        self.follow(path).and_then(|real| match self.answers(&real) {
            Some(commit) => commit.kind(&real).map(|_| real.clone()),
            None => self.world.resolve(&real),
        })
    }

    fn read(&self, root: &Path, path: &Path, limit: usize) -> Answer<Contents> {
        if self.answers(&root.join(path)).is_none() {
            return self.world.read(root, path, limit);
        }
        self.follow(&root.join(path)).and_then(|real| {
            let Ok(inside) = real.strip_prefix(root) else {
                return Answer::unavailable(ReasonCode::OutsideRoot, path.to_string_lossy());
            };
            let Some(commit) = self.answers(&real) else { return self.world.read(root, inside, limit) };
            match commit.files.get(&real) {
                Some(file) if file.kind == TreeKind::File => self
                    .blob(commit, &file.id, limit)
                    .map(|(bytes, more)| Contents { bytes, more, resolved: inside.to_owned(), identity: None }),
                Some(_) => Answer::unavailable(ReasonCode::NotRegular, "no file"),
                None if commit.directories.contains_key(&real) => {
                    Answer::unavailable(ReasonCode::NotRegular, "a directory")
                }
                None if commit.files.contains_key(&root.join(path)) => {
                    Answer::unavailable(ReasonCode::Failed, "the link is broken")
                }
                None => Answer::Absent,
            }
        })
    }

    fn list(&self, root: &Path, path: &Path, limit: usize) -> Answer<Listing> {
        if self.answers(&root.join(path)).is_none() {
            return self.world.list(root, path, limit);
        }
        self.follow(&root.join(path)).and_then(|real| {
            let Ok(inside) = real.strip_prefix(root) else {
                return Answer::unavailable(ReasonCode::OutsideRoot, path.to_string_lossy());
            };
            let Some(commit) = self.answers(&real) else { return self.world.list(root, inside, limit) };
            let Some(names) = commit.directories.get(&real) else {
                return match commit.files.contains_key(&real) {
                    true => Answer::unavailable(ReasonCode::NotRegular, "no directory"),
                    false => Answer::Absent,
                };
            };
            let entry = |name: &String| {
                let path = real.join(name);
                let is_inside = self.follow(&path).present().is_some_and(|target| target.starts_with(root));
                let is_link = commit.files.get(&path).is_some_and(|file| file.kind == TreeKind::Link);
                let link = if is_link { Link::Symbolic } else { Link::None };
                ListedEntry { name: name.clone(), kind: self.kind(&path).present().filter(|_| is_inside), link }
            };
            let entries = names.iter().take(limit).map(entry).collect();
            Answer::Present(Listing { entries, more: names.len() > limit })
        })
    }

    fn run(&self, command: &Command) -> Answer<Output> {
        if command.program == "git" {
            return self.world.run(command);
        }
        Answer::unavailable(ReasonCode::Disabled, "no program is run to compare revisions")
    }

    fn end_programs(&self) {
        self.world.end_programs();
    }

    fn fetch(&self, request: &Request) -> Answer<Response> {
        self.world.fetch(request)
    }
}
