//! The files that a hook is made of, and the project that each of them is in.
//!
//! 1. A file is in the nearest project around it, wherever the agent works and however the file was named: it, or what it
//!    leads to, has a directory above it that holds `.git` or `.antefix`. A nested mark that is nearer to the working directory
//!    changes nothing about that.
//! 2. What is in the user's configuration directory is in no project, and neither is what is in a home directory that is a
//!    repository as a whole, unless the agent works in that one.
//! 3. A word of a command that names a directory stands for every file below it: interpreters run directories, and load what
//!    is beside a script. `.git` is left out.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::compose::Layout;
use crate::discover::workspace::{is_marked, projects_around};
use crate::discover::world::{Answer, Kind, ReasonCode, World};
use crate::discover::{Paths, Workspace, normalize};
use crate::text::Digest;

/// The largest program of a project that can be trusted.
const PROGRAM: usize = 64 * 1024 * 1024;

/// How many files of directories that are programs can be trusted.
const FILES: usize = 2_000;

/// How many names of such a directory are looked at, and how deep.
const NAMES: usize = 2 * FILES;
const DEPTH: usize = 32;

/// A file that must be trusted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectFile {
    /// The root of the project that it is in.
    pub project: String,
    /// Its path from there.
    pub file: String,
    /// Its bytes.
    pub digest: Answer<Digest>,
}

/// What a layout is called among the things that are trusted of a project; a built-in one has no name there.
pub(crate) fn layout_label(workspace: &Workspace, file: Option<&Path>) -> String {
    file.map(|file| workspace.show(&normalize(file), Paths::Portable)).unwrap_or_default()
}

/// A path in a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct InProject {
    project: PathBuf,
    path: PathBuf,
}

/// The project that a path is or leads into. A link in a project is the project's, wherever it leads.
pub(super) fn in_project(world: &dyn World, workspace: &Workspace, path: &Path) -> Option<InProject> {
    let paths = [Some(normalize(path)), world.resolve(path).present()];
    paths.into_iter().flatten().find_map(|path| {
        let project = project_of(world, workspace, &path)?;
        Some(InProject { project, path })
    })
}

fn project_of(world: &dyn World, workspace: &Workspace, path: &Path) -> Option<PathBuf> {
    if workspace.config.as_ref().is_some_and(|config| path.starts_with(config)) {
        return None;
    }
    let is_own = |project: &Path| {
        *project != workspace.root && workspace.home.as_ref().is_some_and(|home| home.starts_with(project))
    };
    match nearest_project(world, path) {
        Some(project) if !is_own(&project) => Some(project),
        // A directory without any mark is a project while somebody works there.
        _ => path.starts_with(&workspace.root).then(|| workspace.root.clone()),
    }
}

fn nearest_project(world: &dyn World, path: &Path) -> Option<PathBuf> {
    let directory = path.parent()?;
    let nearest = projects_around(world, directory).into_iter().next()?;
    is_marked(world, &nearest).then_some(nearest)
}

impl InProject {
    fn file(self, workspace: &Workspace, digest: impl FnOnce(&Path) -> Answer<Digest>) -> ProjectFile {
        let project = self.project.to_string_lossy().into_owned();
        let file = workspace.at(&project).show(&self.path, Paths::Portable);
        ProjectFile { project, file, digest: digest(&self.path) }
    }
}

/// Adds a file that is not there yet.
pub(super) fn add(files: &mut Vec<ProjectFile>, more: ProjectFile) {
    if !files.iter().any(|known| known.file == more.file && known.project == more.project) {
        files.push(more);
    }
}

/// The texts of a layout that are in a project: the file that it was read from, and its templates.
pub(super) fn layout_files(world: &dyn World, workspace: &Workspace, layout: &Layout, file: &Path) -> Vec<ProjectFile> {
    let mut files = Vec::new();
    if let Some(own) = in_project(world, workspace, file) {
        files.push(own.file(workspace, |_| Answer::Present(Digest::of(&layout.source().text))));
    }
    // A text inside the layout's file is named by that file.
    for source in layout.sources().skip(1).filter(|source| source.within.is_none()) {
        let Some(path) = source.path.as_deref().and_then(|label| workspace.unshow(label)) else { continue };
        if let Some(found) = in_project(world, workspace, &path) {
            add(&mut files, found.file(workspace, |_| Answer::Present(Digest::of(&source.text))));
        }
    }
    files
}

/// The files in projects that the words of a command name.
pub(super) fn command_files(
    world: &dyn World,
    workspace: &Workspace,
    program: &Path,
    args: &[String],
) -> Vec<ProjectFile> {
    let args = args.iter().flat_map(|arg| {
        // `--script=x` names a file as well as `x` does.
        let value = arg.split_once('=').map(|(_, value)| value);
        std::iter::once(arg.as_str()).chain(value).map(|word| workspace.root.join(word)).collect::<Vec<PathBuf>>()
    });
    let mut files = Vec::new();
    for path in std::iter::once(program.to_owned()).chain(args) {
        let kind = world.kind(&path);
        let Some(found) = in_project(world, workspace, &path) else { continue };
        match kind {
            Answer::Present(Kind::File) => add(&mut files, found.file(workspace, |path| digest(world, path))),
            Answer::Present(Kind::Directory) => directory_files(world, workspace, found, &mut files),
            Answer::Present(Kind::Other) | Answer::Absent | Answer::Unavailable(_) => {}
        }
    }
    files
}

/// Every file of a directory that is a word of a command.
fn directory_files(world: &dyn World, workspace: &Workspace, directory: InProject, files: &mut Vec<ProjectFile>) {
    let InProject { project, path } = directory;
    let named = InProject { project: project.clone(), path: path.clone() };
    let refuse = |why: &str| named.file(workspace, |_| Answer::unavailable(ReasonCode::Failed, why));
    let mut waiting = vec![(path, 0)];
    let mut visited = BTreeSet::new();
    let mut count = 0;
    while let Some((directory, depth)) = waiting.pop() {
        // A link may lead back up.
        if !visited.insert(world.resolve(&directory).present().unwrap_or_else(|| directory.clone())) {
            continue;
        }
        let listing = match world.list(&directory, Path::new(""), NAMES) {
            Answer::Present(listing) if !listing.more && depth <= DEPTH => listing,
            Answer::Absent => continue,
            Answer::Present(_) => return add(files, refuse(TOO_MUCH)),
            Answer::Unavailable(reason) => return add(files, refuse(&reason.to_string())),
        };
        for entry in listing.entries.iter().filter(|entry| entry.name != ".git") {
            let path = directory.join(&entry.name);
            if matches!(world.kind(&path), Answer::Present(Kind::Directory)) {
                waiting.push((path, depth + 1));
                continue;
            }
            count += 1;
            if count > FILES {
                return add(files, refuse(TOO_MUCH));
            }
            let file = InProject { project: project.clone(), path };
            add(files, file.file(workspace, |path| digest(world, path)));
        }
    }
}

const TOO_MUCH: &str = "it has too many files to be trusted as a program; name the file that is run";

fn digest(world: &dyn World, path: &Path) -> Answer<Digest> {
    let real = match world.resolve(path) {
        Answer::Present(real) => real,
        Answer::Absent => return Answer::Absent,
        Answer::Unavailable(reason) => return Answer::Unavailable(reason),
    };
    let (Some(parent), Some(name)) = (real.parent(), real.file_name()) else { return Answer::Absent };
    world.read(parent, Path::new(name), PROGRAM).and_then(|contents| {
        if contents.more {
            return Answer::unavailable(ReasonCode::Failed, format!("it has more than {PROGRAM} bytes"));
        }
        Answer::Present(Digest::of_bytes(&contents.bytes))
    })
}
