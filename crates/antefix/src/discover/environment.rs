//! The environment of programs that are started here.
//!
//! 1. It is built from nothing. A program gets the variables that the table below gives to its kind, as far as they are
//!    set, and what its starter adds for it by name: git's are in `git/recipe.rs`. No key, token or socket that somebody
//!    exported passes.
//! 2. A variable that names a directory passes only if it is absolute. A relative one would lead into the working
//!    directory, and make files of the repository the user's own.
//! 3. `PATH` has its absolute directories alone. For git and for programs of the user's settings those of every project
//!    around the directory are left out too: package managers put directories such as `node_modules/.bin` into `PATH` as
//!    absolute paths, and a `git` there is as much the repository's as one in the current directory. A submodule is in its
//!    superproject, and a nested `.antefix` in its repository.
//!
//! An agent behind `antefix acp` is not started here: it is the program that the user's editor would have started, and
//! inherits everything, as it would have from the editor.

use std::path::{Path, PathBuf};

use super::workspace::projects_around;
use super::{Answer, World};

/// A kind of program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Started {
    /// Git, asked about a repository that nobody vouches for.
    Git,
    /// A program of the user's settings that prints a text.
    TextProgram,
    /// A hook of a layout, whose bytes are trusted if they are the project's.
    Hook,
}

use Started::{Git, Hook, TextProgram};

/// What a variable must be to pass.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Value {
    Word,
    AbsoluteDirectory,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum On {
    Everywhere,
    Windows,
}

struct Variable {
    name: &'static str,
    value: Value,
    on: On,
    given_to: &'static [Started],
}

const fn word(name: &'static str, given_to: &'static [Started]) -> Variable {
    Variable { name, value: Value::Word, on: On::Everywhere, given_to }
}

const fn directory(name: &'static str, on: On, given_to: &'static [Started]) -> Variable {
    Variable { name, value: Value::AbsoluteDirectory, on, given_to }
}

/// All variables that pass, beside `PATH`.
const VARIABLES: [Variable; 13] = [
    // The user's own configuration: who they are for git, and where their programs keep what they need.
    directory("HOME", On::Everywhere, &[Git, TextProgram, Hook]),
    // The same, for those who keep it elsewhere. Hooks read theirs from the project.
    directory("XDG_CONFIG_HOME", On::Everywhere, &[Git, TextProgram]),
    // The home of Windows.
    directory("USERPROFILE", On::Windows, &[Git, TextProgram, Hook]),
    // Without it many programs do not start on Windows.
    directory("SystemRoot", On::Windows, &[Git, TextProgram, Hook]),
    // Hooks are programs of all kinds, scripts above all, which keep files for a moment,
    directory("TMPDIR", On::Everywhere, &[Hook]),
    directory("TEMP", On::Windows, &[Hook]),
    directory("XDG_RUNTIME_DIR", On::Everywhere, &[Hook]),
    // say who is at work,
    word("USER", &[Hook]),
    word("LOGNAME", &[Hook]),
    // and write words and times for the user. Git's words and those of a text must not depend on the user's language.
    word("LANG", &[Hook]),
    word("LC_ALL", &[Hook]),
    word("LC_CTYPE", &[Hook]),
    word("TZ", &[Hook]),
];

/// What a program in `root` gets of our environment.
pub(crate) fn environment(world: &dyn World, started: Started, root: &Path) -> Vec<(String, String)> {
    let mut environment = Vec::new();
    let path = std::env::join_paths(search_path(world, started, root)).ok().and_then(|path| path.into_string().ok());
    // To many programs an empty `PATH` means the working directory, and none at all means the system's own.
    if let Some(path) = path.filter(|path| !path.is_empty()) {
        environment.push(("PATH".to_owned(), path));
    }
    let is_windows = world.platform() == "win32";
    for variable in &VARIABLES {
        if !variable.given_to.contains(&started) || (variable.on == On::Windows && !is_windows) {
            continue;
        }
        if let Answer::Present(value) = world.env(variable.name)
            && (variable.value == Value::Word || Path::new(&value).is_absolute())
        {
            environment.push((variable.name.to_owned(), value));
        }
    }
    environment
}

/// The directories in which a program is looked for.
fn search_path(world: &dyn World, started: Started, root: &Path) -> Vec<PathBuf> {
    match started {
        Hook => absolute_search_path(world),
        Git | TextProgram => outside_of_projects(world, root, absolute_search_path(world)),
    }
}

/// The absolute directories of `PATH`, in which hooks are looked for.
pub(crate) fn absolute_search_path(world: &dyn World) -> Vec<PathBuf> {
    let path = world.env("PATH").present().unwrap_or_default();
    std::env::split_paths(&path).filter(|directory| directory.is_absolute()).collect()
}

/// The directories in which no project around `directory` can have put a program.
fn outside_of_projects(world: &dyn World, directory: &Path, mut directories: Vec<PathBuf>) -> Vec<PathBuf> {
    let real = world.resolve(directory).present();
    let around = [Some(directory), real.as_deref()].into_iter().flatten();
    let bounds: Vec<PathBuf> = around.flat_map(|directory| projects_around(world, directory)).collect();
    let is_inside = |path: &Path| bounds.iter().any(|bound| path.starts_with(bound));
    directories.retain(|directory| {
        !is_inside(directory) && !world.resolve(directory).present().is_some_and(|real| is_inside(&real))
    });
    directories
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::worlds::MemoryWorld;

    /// A world with every variable of the table, and some that must not pass.
    fn world() -> MemoryWorld {
        let secrets =
            ["ANTHROPIC_API_KEY", "AWS_SECRET_ACCESS_KEY", "SSH_AUTH_SOCK", "LD_PRELOAD", "GIT_DIR", "GIT_SSH"];
        let world = secrets.iter().fold(MemoryWorld::new(), |world, name| world.var(name, "/secret"));
        VARIABLES
            .iter()
            .fold(world, |world, variable| world.var(variable.name, "/value"))
            .file("/p/.git/HEAD", "")
            .var("PATH", "/usr/bin:/p/node_modules/.bin:bin::/bin")
    }

    fn names(world: &MemoryWorld, started: Started) -> String {
        let variables = environment(world, started, Path::new("/p/src"));
        variables.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn each_kind_of_program_gets_what_is_written_here_and_nothing_else() {
        let windows = world().platform_is("win32");
        let rows = [
            (Git, "PATH HOME XDG_CONFIG_HOME", "PATH HOME XDG_CONFIG_HOME USERPROFILE SystemRoot"),
            (TextProgram, "PATH HOME XDG_CONFIG_HOME", "PATH HOME XDG_CONFIG_HOME USERPROFILE SystemRoot"),
            (
                Hook,
                "PATH HOME TMPDIR XDG_RUNTIME_DIR USER LOGNAME LANG LC_ALL LC_CTYPE TZ",
                "PATH HOME USERPROFILE SystemRoot TMPDIR TEMP XDG_RUNTIME_DIR USER LOGNAME LANG LC_ALL LC_CTYPE TZ",
            ),
        ];
        for (started, elsewhere, on_windows) in rows {
            assert_eq!(names(&world(), started), elsewhere, "{started:?}");
            assert_eq!(names(&windows, started), on_windows, "{started:?} on Windows");
        }
    }

    #[test]
    fn only_hooks_are_looked_for_in_directories_of_the_repository() {
        for (started, expected) in
            [(Git, "/usr/bin:/bin"), (TextProgram, "/usr/bin:/bin"), (Hook, "/usr/bin:/p/node_modules/.bin:/bin")]
        {
            let variables = environment(&world(), started, Path::new("/p/src"));
            assert_eq!(variables[0], ("PATH".to_owned(), expected.to_owned()), "{started:?}");
        }
    }

    #[test]
    fn a_directory_that_is_not_absolute_does_not_pass() {
        for value in [".", "", "home"] {
            let world = VARIABLES.iter().fold(MemoryWorld::new(), |world, variable| world.var(variable.name, value));
            let world = world.var("PATH", value);
            assert_eq!(names(&world, Git), "", "{value:?}");
            assert_eq!(names(&world, TextProgram), "", "{value:?}");
            assert_eq!(names(&world, Hook), "USER LOGNAME LANG LC_ALL LC_CTYPE TZ", "{value:?}");
        }
    }
}
