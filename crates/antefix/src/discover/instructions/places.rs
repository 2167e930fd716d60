//! The directories that are searched, in order.

use std::path::{Path, PathBuf};

use super::{Global, InstructionRules, Keep, Unmarked, Walk};
use crate::discover::Situation;
use crate::discover::file::read_text;
use crate::discover::workspace::{Workspace, normalize};
use crate::discover::world::{Answer, World};

/// Where instructions for everybody who uses the machine are. Its administrator writes them, and nobody can leave them out.
pub(super) const MANAGED: &str = "/etc/antefix";

/// A directory that is searched.
pub(in crate::discover) struct Place {
    /// What may be read lies beneath.
    pub(in crate::discover) root: PathBuf,
    /// The directory, from there.
    pub(in crate::discover) inside: PathBuf,
    pub(in crate::discover) distance: usize,
    pub(in crate::discover) whose: Whose,
    /// The one name that is looked for, in place of the layout's.
    pub(in crate::discover) only: Option<String>,
}

/// Whose files lie in a directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::discover) enum Whose {
    /// The user's own, for all projects: antefix's configuration directory.
    User,
    /// The directory's and what lies below.
    Directory,
}

/// The directories, outermost first; for `cwd-and-home` in the order of that name.
pub(in crate::discover) fn places(
    world: &dyn World,
    situation: &Situation<'_>,
    rules: &InstructionRules,
) -> Vec<Place> {
    let workspace = &situation.workspace;
    let beneath_root = |directory: &Path, distance: usize| {
        let (root, inside) = match directory.strip_prefix(&workspace.root) {
            Ok(inside) => (workspace.root.clone(), inside.to_owned()),
            // A directory above the project is a root of its own: what it links to must lie in it.
            Err(_) => (directory.to_owned(), PathBuf::new()),
        };
        Place { root, inside, distance, whose: Whose::Directory, only: None }
    };
    let main = (rules.main_work_tree == Keep::Remove).then(|| main_work_tree(world, situation)).flatten();
    let end = End::of(world, workspace, rules);
    let upwards: Vec<(usize, &Path)> = workspace
        .cwd
        .ancestors()
        .enumerate()
        .filter(|(_, directory)| !is_of_main(directory, main.as_deref(), situation))
        .collect();
    let chain = |has: &dyn Fn(&Path) -> bool| -> Vec<Place> {
        let chosen = upwards.iter().rev().filter(|(_, directory)| has(directory));
        chosen.map(|(distance, directory)| beneath_root(directory, *distance)).collect()
    };
    let cwd = workspace.cwd.as_path();
    let mut places = match rules.walk {
        Walk::Cwd => vec![beneath_root(cwd, 0)],
        Walk::GitRoot => chain(&|directory| end.has(directory)),
        Walk::Ancestors => chain(&|_| true),
        Walk::Root => chain(&|directory| end.is(directory)),
        Walk::RootAndCwd => chain(&|directory| end.is(directory) || directory == cwd),
        Walk::Between => chain(&|directory| end.has(directory) && !end.is(directory) && directory != cwd),
        Walk::AboveRoot => chain(&|directory| end.has(directory) || end.is_above(directory)),
        Walk::Home => chain(&|directory| match workspace.home.as_deref().filter(|home| cwd.starts_with(home)) {
            Some(home) => directory.starts_with(home),
            None => end.has(directory),
        }),
        Walk::CwdAndHome => {
            let home = workspace.home.iter().filter(|home| **home != workspace.cwd);
            std::iter::once(&workspace.cwd).chain(home).enumerate().map(|(far, path)| beneath_root(path, far)).collect()
        }
        Walk::None => Vec::new(),
    };
    // What hooks name is less specific than everything in the project, and more so than what applies everywhere.
    let more = situation.more.instructions.iter().map(|more| {
        let (inside, only) = more.directory();
        let (root, distance) = (more.root.clone(), usize::MAX - 1);
        Place { root, inside: inside.to_owned(), distance, whose: Whose::Directory, only }
    });
    match rules.walk {
        Walk::CwdAndHome => places.extend(more),
        _ => drop(places.splice(0..0, more)),
    }
    drop(places.splice(0..0, global(workspace, rules)));
    places
}

/// The directories of the user's own files, in the layout's order.
fn global(workspace: &Workspace, rules: &InstructionRules) -> Vec<Place> {
    let place = |root: PathBuf, only: Option<String>| Place {
        root,
        inside: PathBuf::new(),
        distance: usize::MAX,
        whose: Whose::User,
        only,
    };
    match &rules.global {
        Global::None => Vec::new(),
        Global::Before => {
            let machine = std::iter::once(place(PathBuf::from(MANAGED), None));
            machine.chain(workspace.config.iter().map(|config| place(config.clone(), None))).collect()
        }
        Global::Files(files) => {
            let named = files.iter().filter_map(|file| {
                let path = workspace.named(file)?;
                if file.ends_with('/') {
                    return Some(place(path, None));
                }
                let name = path.file_name()?.to_string_lossy().into_owned();
                Some(place(path.parent()?.to_owned(), Some(name)))
            });
            named.collect()
        }
    }
}

/// Where a walk ends.
struct End<'e> {
    directory: Option<&'e Path>,
}

impl<'e> End<'e> {
    /// The directory that the rules end at; none for the root of the file system.
    fn of(world: &dyn World, workspace: &'e Workspace, rules: &InstructionRules) -> End<'e> {
        if rules.markers.is_empty() {
            return End { directory: Some(&workspace.root) };
        }
        let is_marked = |directory: &&Path| {
            rules.markers.iter().any(|mark| !matches!(world.kind(&directory.join(mark)), Answer::Absent))
        };
        let marked = workspace.cwd.ancestors().find(is_marked);
        let directory = match (marked, rules.unmarked) {
            (Some(marked), _) => Some(marked),
            (None, Unmarked::Cwd) => Some(workspace.cwd.as_path()),
            (None, Unmarked::Ancestors) => None,
            (None, Unmarked::Home) => workspace.home.as_deref().filter(|home| workspace.cwd.starts_with(home)),
        };
        End { directory }
    }

    fn has(&self, directory: &Path) -> bool {
        self.directory.is_none_or(|end| directory.starts_with(end))
    }

    fn is(&self, directory: &Path) -> bool {
        self.directory == Some(directory)
    }

    fn is_above(&self, directory: &Path) -> bool {
        self.directory.is_some_and(|end| end.parent() == Some(directory))
    }
}

/// Whether a directory above the project is one of the main work tree that the project's lies inside of, and the walk has the same
/// one of the project's: its files are those, once more.
fn is_of_main(directory: &Path, main: Option<&Path>, situation: &Situation<'_>) -> bool {
    let Workspace { root, cwd, .. } = &situation.workspace;
    let inside = main.and_then(|main| directory.strip_prefix(main).ok());
    inside.is_some_and(|inside| !directory.starts_with(root) && cwd.starts_with(root.join(inside)))
}

/// The directories above the project that a walk leaves out.
pub(in crate::discover) fn left_out(
    world: &dyn World,
    situation: &Situation<'_>,
    rules: &InstructionRules,
) -> Vec<PathBuf> {
    let above = situation.workspace.root.ancestors().skip(1).map(Path::to_owned);
    // Whose rules name marks of their own are those of another program, which reports nothing.
    if !rules.markers.is_empty() {
        return Vec::new();
    }
    match rules.walk {
        Walk::GitRoot => above.collect(),
        Walk::Ancestors => {
            let main = main_work_tree(world, situation);
            above.filter(|directory| is_of_main(directory, main.as_deref(), situation)).collect()
        }
        _ => Vec::new(),
    }
}

/// The main work tree that the project's work tree lies inside of, if that is so.
fn main_work_tree(world: &dyn World, situation: &Situation<'_>) -> Option<PathBuf> {
    let root = &situation.workspace.root;
    let link = read_text(world, root, Path::new(".git"), 4096).present()?;
    let directory = normalize(&root.join(link.text.trim().strip_prefix("gitdir:")?.trim()));
    // A submodule's link leads to `.git/modules` instead: it is another project.
    let git = directory.parent().filter(|path| path.ends_with(".git/worktrees"))?.parent()?;
    let main = git.parent()?;
    (main != root && root.starts_with(main)).then(|| main.to_owned())
}
