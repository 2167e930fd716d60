//! The directories that are looked into, in order.

use std::path::{Path, PathBuf};

use super::{Global, InstructionRules, Walk};
use crate::discover::Situation;
use crate::discover::file::read_text;
use crate::discover::workspace::normalize;
use crate::discover::world::World;

/// A directory that is looked into.
pub(super) struct Place {
    /// What may be read lies beneath.
    pub(super) root: PathBuf,
    /// The directory, from there.
    pub(super) inside: PathBuf,
    pub(super) distance: usize,
    /// The one name that is looked for, in place of the layout's.
    pub(super) only: Option<String>,
}

/// The directories, outermost first; for `cwd-and-home` in the order of that name.
pub(super) fn places(world: &dyn World, situation: &Situation, rules: &InstructionRules) -> Vec<Place> {
    let workspace = &situation.workspace;
    let beneath_root = |directory: &Path, distance: usize| match directory.strip_prefix(&workspace.root) {
        Ok(inside) => Place { root: workspace.root.clone(), inside: inside.to_owned(), distance, only: None },
        // A directory above the project is a root of its own: what it links to must lie in it.
        Err(_) => Place { root: directory.to_owned(), inside: PathBuf::new(), distance, only: None },
    };
    let upwards = |all: bool| {
        let main = main_work_tree(world, situation);
        let mut places: Vec<Place> = workspace
            .cwd
            .ancestors()
            .enumerate()
            .take_while(|(_, directory)| all || directory.starts_with(&workspace.root))
            .filter(|(_, directory)| main.as_deref() != Some(*directory))
            .map(|(distance, directory)| beneath_root(directory, distance))
            .collect();
        places.reverse();
        places
    };
    let mut places = match rules.walk {
        Walk::Cwd => vec![beneath_root(&workspace.cwd, 0)],
        Walk::GitRoot => upwards(false),
        Walk::Ancestors => upwards(true),
        Walk::CwdAndHome => {
            let home = workspace.home.iter().filter(|home| **home != workspace.cwd);
            std::iter::once(&workspace.cwd).chain(home).enumerate().map(|(far, path)| beneath_root(path, far)).collect()
        }
    };
    // What hooks name is less specific than everything in the project, and more so than what holds everywhere.
    let more = situation.more.instructions.iter().map(|more| {
        let (inside, only) = more.directory();
        Place { root: more.root.clone(), inside: inside.to_owned(), distance: usize::MAX - 1, only }
    });
    match rules.walk {
        Walk::CwdAndHome => places.extend(more),
        _ => drop(places.splice(0..0, more)),
    }
    if let (Global::Before, Some(config)) = (rules.global, &workspace.config) {
        places.insert(0, Place { root: config.clone(), inside: PathBuf::new(), distance: usize::MAX, only: None });
    }
    places
}

/// The main work tree that the project's work tree lies inside of, if that is so: its files are this one's, once more.
fn main_work_tree(world: &dyn World, situation: &Situation) -> Option<PathBuf> {
    let root = &situation.workspace.root;
    let link = read_text(world, root, Path::new(".git"), 4096).present()?;
    let directory = normalize(&root.join(link.text.trim().strip_prefix("gitdir:")?.trim()));
    // A submodule's link leads to `.git/modules` instead: it is another project.
    let git = directory.parent().filter(|path| path.ends_with(".git/worktrees"))?.parent()?;
    let main = git.parent()?;
    (main != root && root.starts_with(main)).then(|| main.to_owned())
}
