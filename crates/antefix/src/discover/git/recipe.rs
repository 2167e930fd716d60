//! How git is kept from executing what a repository carries.
//!
//! 1. The environment is built from nothing, so no variable of the caller's redirects git.
//! 2. Configuration that names programs is overridden by variables, which take precedence over every file. Options such as `-c`
//!    could not name a driver called `a=b`.
//! 3. A filter driver cannot be refused as such; each one that the repository defines is overridden by its name.
//!
//! What needs no override: `core.editor`, `core.askPass`, `core.sshCommand`, `credential.helper`, `gpg.program`, `merge`
//! drivers and `alias` are not reached by the commands that are run, since none of them edits, connects, signs or merges
//! and an alias cannot take a built-in's name. A pager needs a terminal. A file name such as `core.attributesFile`,
//! `core.excludesFile`, `diff.orderFile` or `include.path` that leads to a FIFO, a `.gitignore` that is one, and an
//! expensive expression in `diff.<driver>.xfuncname` can only take time, and time is limited.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::discover::environment::{self, Started};
use crate::discover::world::{Answer, Output, Reason, ReasonCode, World};

/// Variables that git gets in any case, beside those of `discover/environment.rs`.
const VARIABLES: &[(&str, &str)] = &[
    // `git status` does not rewrite the index. `git diff` still does when only times differ, as it does for a person.
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_TERMINAL_PROMPT", "0"),
    // A missing object is missing: it is not fetched, and were it, there would be no protocol to fetch it by.
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_ALLOW_PROTOCOL", "none"),
    ("GIT_PAGER", "cat"),
    // Reasons are recognized by their words, and the user's language must not change a prompt.
    ("LC_ALL", "C"),
];

/// Configuration that git gets in any case. It must not contain `safe.directory`: whose repository is trusted is for the
/// user to say.
const CONFIGURATION: &[(&str, &str)] = &[
    ("safe.bareRepository", "explicit"),
    ("core.fsmonitor", "false"),
    ("core.hooksPath", "/dev/null"),
    ("core.pager", "cat"),
    ("core.alternateRefsCommand", ""),
    ("diff.external", ""),
    ("diff.submodule", "short"),
    ("status.submoduleSummary", "false"),
    ("submodule.recurse", "false"),
    // A user may have colors always on, by any of the three.
    ("color.ui", "false"),
    ("color.status", "false"),
    ("color.diff", "false"),
];

/// The environment for git in a directory, apart from the configuration: what every program gets of its kind, and what
/// git gets besides.
pub(super) fn environment(world: &dyn World, cwd: &Path) -> Vec<(String, String)> {
    let mut environment = environment::environment(world, Started::Git, cwd);
    environment.extend(VARIABLES.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())));
    environment
}

/// The nearest directory, from `cwd` upwards, that holds a `.git`; none above `bound`.
pub(super) fn repository(world: &dyn World, cwd: &Path, bound: Option<&Path>) -> Option<PathBuf> {
    let mut directories =
        cwd.ancestors().take_while(|directory| bound.is_none_or(|bound| directory.starts_with(bound)));
    directories.find(|directory| !matches!(world.kind(&directory.join(".git")), Answer::Absent)).map(Path::to_owned)
}

/// The configuration as variables: what is always set, and what this repository needs besides.
pub(super) fn configuration(overrides: &[(String, String)]) -> Vec<(String, String)> {
    let always = CONFIGURATION.iter().copied();
    let besides = overrides.iter().map(|(key, value)| (key.as_str(), value.as_str()));
    let mut variables = Vec::new();
    for (key, value) in always.chain(besides) {
        let index = variables.len() / 2;
        variables.push((format!("GIT_CONFIG_KEY_{index}"), key.to_owned()));
        variables.push((format!("GIT_CONFIG_VALUE_{index}"), value.to_owned()));
    }
    variables.push(("GIT_CONFIG_COUNT".to_owned(), (variables.len() / 2).to_string()));
    variables
}

/// How much may be listed; a repository that defines more is refused.
pub(super) const CONFIGURATION_LIMIT: usize = 64 * 1024;

/// Lists the keys that need attention, each with the scope it comes from. One of them is ours: if it is missing, git
/// does not listen to the variables.
pub(super) const LIST: &[&str] = &[
    "config",
    "--null",
    "--show-scope",
    "--name-only",
    "--get-regexp",
    r"^filter\.|^hook\.|^core\.worktree$|^safe\.barerepository$",
];

/// What the listing says.
pub(super) struct Listing {
    /// Keys and values that keep this repository's drivers from running.
    pub(super) overrides: Vec<(String, String)>,
    /// Whether the repository says where its work tree is.
    pub(super) moves_work_tree: bool,
}

impl Listing {
    /// Reads scope and key in turn, each ended by a NUL.
    pub(super) fn parse(output: &Output) -> Result<Listing, Reason> {
        if output.more {
            return Err(failed("too many filter drivers"));
        }
        let listing = str::from_utf8(&output.stdout).map_err(|_| failed("a filter driver's name is not UTF-8"))?;
        let mut drivers = BTreeSet::new();
        let mut hooks = BTreeSet::new();
        let (mut is_obeyed, mut moves_work_tree) = (false, false);
        let mut words = listing.split_terminator('\0');
        while let (Some(scope), Some(key)) = (words.next(), words.next()) {
            let foreign = !matches!(scope, "system" | "global");
            // The variable's own name has no dot, so the rest is section and driver, whatever the driver is called.
            let section = key.rsplit_once('.').map_or(key, |(section, _)| section);
            match section.split_once('.') {
                Some(("filter", _)) if foreign => drop(drivers.insert(section)),
                // From git 2.54 on, configuration can name hooks too. None of them changes what is printed, so the
                // user's own rest as well.
                Some(("hook", _)) => drop(hooks.insert(section)),
                _ if key == "core.worktree" && foreign => moves_work_tree = true,
                _ if key == "safe.barerepository" && scope == "command" => is_obeyed = true,
                _ => {}
            }
        }
        if !is_obeyed {
            return Err(failed("git is older than 2.31 and would run what the repository says"));
        }
        let drivers = drivers.iter().flat_map(|driver| {
            [("clean", ""), ("smudge", ""), ("process", ""), ("required", "false")].map(|pair| (*driver, pair))
        });
        let hooks = hooks.iter().flat_map(|hook| [("event", ""), ("enabled", "false")].map(|pair| (*hook, pair)));
        let overrides =
            drivers.chain(hooks).map(|(section, (name, value))| (format!("{section}.{name}"), value.to_owned()));
        Ok(Listing { overrides: overrides.collect(), moves_work_tree })
    }
}

fn failed(detail: &str) -> Reason {
    Reason { code: ReasonCode::Failed, detail: detail.to_owned() }
}
