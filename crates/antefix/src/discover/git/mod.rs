//! What git says about a working directory.
//!
//! 1. The words are git's own: for a repository that its user trusts they are what a person would see, without colors.
//! 2. Nothing that the repository carries is executed. The environment is built from nothing, the configuration that
//!    names programs is overridden, and filter drivers, which cannot be switched off at once, are named one by one.
//! 3. No repository is absent, a clean one is present and empty, and everything else is unavailable with git's reason.
//! 4. In an ordinary repository, branch and status together take one process: see `ordinary.rs` and `branch.rs`.
//!
//! Four differences from plain git are the price: a change *inside* a submodule is not shown (looking there would run
//! the submodule's own configuration), drivers for other diff programs and text conversions are not used, even the
//! user's own, `diff.submodule` is always `short`, and content filters of the repository do nothing.
//!
//! Not defended: a `.git` file or link that names another repository of the same user, because linked worktrees and
//! separate git directories look the same; somebody who rewrites the configuration between two questions; the user's
//! own global filters, which run. A git before 2.31 is refused, because it would not listen to the overrides; one
//! before 2.38 does not yet know how to refuse a bare repository that lies inside a work tree.

mod bound;
mod branch;
mod history;
mod ordinary;
mod recipe;
mod rules;
mod tree;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

pub use self::history::FileEdit;
use self::ordinary::Place;
pub use self::rules::GitRules;
pub use self::tree::{TreeEntry, TreeKind};

use crate::discover::world::{Answer, Command, Kill, Output, Reason, ReasonCode, World};
use crate::text::FactName;

/// Git's facts about one working directory, at one time.
pub struct Git<'w> {
    world: &'w dyn World,
    cwd: PathBuf,
    /// What nothing is read above, and whether this repository keeps to that, once it was looked at.
    bound: Option<(PathBuf, Option<Result<(), Reason>>)>,
    limits: GitLimits,
    /// What is going to be asked.
    expected: BTreeSet<GitQuestion>,
    /// The short way to the status, once it was tried; nothing if the repository is unusual or git did not answer.
    short: Option<Option<ShortWay>>,
    /// The environment without overrides of drivers.
    environment: Option<Vec<(String, String)>>,
    /// What must be overridden besides, or why nothing may be asked that looks at files.
    overrides: Option<Result<Vec<(String, String)>, Reason>>,
    /// Changes that were asked for: staged and unstaged ones are also part of both together.
    changes: BTreeMap<GitQuestion, Answer<GitText>>,
}

/// The status of an ordinary repository, asked for without looking at its configuration through git.
struct ShortWay {
    status: Answer<GitText>,
    /// The repository, if git has accepted it.
    accepted: Option<PathBuf>,
}

/// What can be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum GitQuestion {
    /// The branch; `HEAD` when detached, absent before the first commit.
    Branch,
    /// What changed, one line a file.
    Status,
    /// Changes, as a patch.
    Diff(Changes),
    /// Changes, counted.
    Diffstat(Changes),
}

/// Which changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Changes {
    /// Those of the work tree against the index.
    Unstaged,
    /// Those of the index against the last commit.
    Staged,
    /// The unstaged ones, then the staged ones.
    All,
}

/// What git printed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GitText {
    /// The text, without the line ends at its end.
    pub text: String,
    /// Whether git would have printed more; the cut is between two characters.
    pub more: bool,
    /// Whether bytes that are not UTF-8 became U+FFFD.
    pub replaced: bool,
    /// The command as a person would type it, for reports.
    pub command: String,
}

/// How long git may take and how much it may say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GitLimits {
    /// For each question; what must be found out before the first one gets as much again, together.
    pub time: Duration,
    /// In bytes, for each question.
    pub output: usize,
}

impl Default for GitLimits {
    fn default() -> GitLimits {
        GitLimits { time: Duration::from_secs(2), output: 64 * 1024 }
    }
}

impl<'w> Git<'w> {
    /// Prepares to ask about a directory; nothing is run before the first question.
    pub fn new(world: &'w dyn World, cwd: &Path, limits: GitLimits) -> Git<'w> {
        Git {
            world,
            cwd: cwd.to_owned(),
            bound: None,
            limits,
            expected: BTreeSet::new(),
            short: None,
            environment: None,
            overrides: None,
            changes: BTreeMap::new(),
        }
    }

    /// Says that nothing above a directory may be read.
    #[must_use]
    pub fn within(mut self, bound: Option<&Path>) -> Git<'w> {
        self.bound = bound.map(|bound| (bound.to_owned(), None));
        self
    }

    /// Says what is going to be asked, so that questions can share a process. It changes no answer.
    #[must_use]
    pub fn expecting(mut self, questions: impl IntoIterator<Item = GitQuestion>) -> Git<'w> {
        self.expected.extend(questions);
        self
    }

    /// Asks git one question.
    pub fn ask(&mut self, question: GitQuestion) -> Answer<GitText> {
        if let Some((bound, checked)) = &mut self.bound {
            let checked = checked.get_or_insert_with(|| bound::check(self.world, &self.cwd, bound));
            if let Err(reason) = checked {
                return Answer::Unavailable(reason.clone());
            }
        }
        let answer = match question {
            GitQuestion::Status => self.short_way().map(|short| short.status.clone()),
            GitQuestion::Branch if self.expected.contains(&GitQuestion::Status) => self.branch_beside_status(),
            GitQuestion::Branch => None,
            GitQuestion::Diff(_) | GitQuestion::Diffstat(_) => Some(self.changes(question)),
        };
        answer.unwrap_or_else(|| self.ask_thoroughly(question))
    }

    /// Changes, each part asked for once.
    fn changes(&mut self, question: GitQuestion) -> Answer<GitText> {
        if let Some(answer) = self.changes.get(&question) {
            return answer.clone();
        }
        let answer = match question {
            GitQuestion::Diff(Changes::All) => self.all_changes(question, GitQuestion::Diff),
            GitQuestion::Diffstat(Changes::All) => self.all_changes(question, GitQuestion::Diffstat),
            _ => self.ask_thoroughly(question),
        };
        self.changes.insert(question, answer.clone());
        answer
    }

    /// Unstaged changes, then staged ones; what could not be asked for is missing in neither.
    fn all_changes(&mut self, question: GitQuestion, part: fn(Changes) -> GitQuestion) -> Answer<GitText> {
        let limit = self.limits.output;
        let unstaged = self.changes(part(Changes::Unstaged));
        unstaged.and_then(|unstaged| {
            // Nothing is said after a text that is not finished.
            if unstaged.more {
                return Answer::Present(unstaged);
            }
            self.changes(part(Changes::Staged)).map(|staged| both(question, &unstaged, &staged, limit))
        })
    }

    /// Asks with all that this repository needs to be overridden.
    fn ask_thoroughly(&mut self, question: GitQuestion) -> Answer<GitText> {
        let overrides = match question {
            // Only names are read, never a file of the work tree, so no driver can be reached.
            GitQuestion::Branch => Vec::new(),
            GitQuestion::Status | GitQuestion::Diff(_) | GitQuestion::Diffstat(_) => match self.overrides() {
                Ok(overrides) => overrides,
                Err(reason) => return Answer::Unavailable(reason),
            },
        };
        let limits = self.limits;
        match self.run(question.args(), recipe::configuration(&overrides), limits) {
            Answer::Present(output) if succeeded(&output) => Answer::Present(text(question, output, limits.output)),
            Answer::Present(output) => self.failure(&output),
            Answer::Absent => Answer::Absent,
            Answer::Unavailable(reason) => Answer::Unavailable(reason),
        }
    }

    /// The short way to the status, tried once.
    fn short_way(&mut self) -> Option<&ShortWay> {
        if self.short.is_none() {
            self.short = Some(self.try_short_way());
        }
        self.short.as_ref().and_then(Option::as_ref)
    }

    fn try_short_way(&mut self) -> Option<ShortWay> {
        let place = Place::find(self.world, &self.cwd, self.bound())?;
        let mut variables = recipe::configuration(&[]);
        variables.extend(place.variables());
        let limits = self.limits;
        match self.run(GitQuestion::Status.args(), variables, limits) {
            // Git must find the repository that was looked at, and none where none was found.
            Answer::Present(output) => match place.repository {
                Some(repository) if succeeded(&output) => Some(ShortWay {
                    status: Answer::Present(text(GitQuestion::Status, output, limits.output)),
                    accepted: Some(repository),
                }),
                None if finds_no_repository(&output) => Some(ShortWay { status: Answer::Absent, accepted: None }),
                _ => None,
            },
            Answer::Absent => None,
            Answer::Unavailable(reason) => Some(ShortWay { status: Answer::Unavailable(reason), accepted: None }),
        }
    }

    /// The branch without a process of its own, if the status leaves no doubt about the repository.
    fn branch_beside_status(&mut self) -> Option<Answer<GitText>> {
        let (world, limit) = (self.world, self.limits.output);
        let short = self.short_way()?;
        if short.status == Answer::Absent {
            return Some(Answer::Absent);
        }
        let branch = branch::branch(world, short.accepted.as_deref()?)?;
        // Git would end the name with a line end, and a name that does not fit is cut as everything is.
        let fits = branch.as_ref().present().is_none_or(|name| name.len() < limit);
        let command = GitQuestion::Branch.command().to_owned();
        fits.then(|| branch.map(|text| GitText { text, more: false, replaced: false, command }))
    }

    fn run(&mut self, args: &[&str], variables: Vec<(String, String)>, limits: GitLimits) -> Answer<Output> {
        let (world, cwd) = (self.world, &self.cwd);
        let environment = self.environment.get_or_insert_with(|| recipe::environment(world, cwd));
        let mut env = environment.clone();
        env.extend(self.bound.as_ref().and_then(|(bound, _)| bound::ceiling(bound)));
        env.extend(variables);
        world.run(&Command {
            program: "git".to_owned(),
            args: args.iter().map(|&arg| arg.to_owned()).collect(),
            env,
            cwd: cwd.clone(),
            stdin: Vec::new(),
            time_limit: limits.time,
            output_limit: limits.output,
            kill: Kill::Group,
        })
    }

    fn bound(&self) -> Option<&Path> {
        self.bound.as_ref().map(|(bound, _)| bound.as_path())
    }

    /// The overrides for this repository, found out once.
    ///
    /// A failure is remembered too: a configuration that hangs git hangs it every time, and one wait is enough.
    fn overrides(&mut self) -> Result<Vec<(String, String)>, Reason> {
        if self.overrides.is_none() {
            self.overrides = Some(self.examine());
        }
        self.overrides.clone().unwrap_or_else(|| Ok(Vec::new()))
    }

    fn examine(&mut self) -> Result<Vec<(String, String)>, Reason> {
        let limits = GitLimits { time: self.limits.time / 2, output: recipe::CONFIGURATION_LIMIT };
        let listing = match self.run(recipe::LIST, recipe::configuration(&[]), limits) {
            // Git exits with 1 when no key matches; then it did not see our own either, as the listing shows.
            Answer::Present(output) if succeeded(&output) || output.code == Some(1) => recipe::Listing::parse(&output)?,
            Answer::Present(output) => return Err(complaint(&output)),
            Answer::Absent => return Err(Reason { code: ReasonCode::Failed, detail: String::new() }),
            Answer::Unavailable(reason) => return Err(reason),
        };
        if listing.moves_work_tree {
            self.check_work_tree(&listing.overrides, limits)?;
        }
        Ok(listing.overrides)
    }

    /// Refuses a repository whose configuration moves the work tree away from where the repository lies.
    ///
    /// Otherwise `git diff` would print any file of the user's that the index names. A submodule's configuration says
    /// where its work tree is as well, but that is where its `.git` lies.
    fn check_work_tree(&mut self, overrides: &[(String, String)], limits: GitLimits) -> Result<(), Reason> {
        let output = match self.run(&["rev-parse", "--show-toplevel"], recipe::configuration(overrides), limits) {
            Answer::Present(output) if succeeded(&output) => output,
            Answer::Present(output) => return Err(complaint(&output)),
            Answer::Absent => return Err(Reason { code: ReasonCode::Failed, detail: String::new() }),
            Answer::Unavailable(reason) => return Err(reason),
        };
        let claimed = String::from_utf8(output.stdout).ok();
        let claimed = claimed.as_deref().map(|path| Path::new(path.trim_end_matches(['\r', '\n'])));
        let claimed = claimed.and_then(|path| self.world.resolve(path).present());
        let real = recipe::repository(self.world, &self.cwd, self.bound())
            .and_then(|path| self.world.resolve(&path).present());
        if claimed.is_some() && claimed == real {
            return Ok(());
        }
        Err(Reason { code: ReasonCode::OutsideRoot, detail: "core.worktree of the repository".to_owned() })
    }

    /// What it means that git did not succeed.
    fn failure(&mut self, output: &Output) -> Answer<GitText> {
        // `git diff` also works without a repository, so it says this of every repository that it may not use, and knows no
        // staged changes there. A command that needs one knows the reason.
        if says(output, "warning: Not a git repository") || says(output, "error: unknown option `staged'") {
            let limits = GitLimits { time: self.limits.time / 2, output: recipe::CONFIGURATION_LIMIT };
            return match self.run(&["rev-parse", "--git-dir"], recipe::configuration(&[]), limits) {
                Answer::Present(output) => verdict(&output),
                Answer::Absent => Answer::Absent,
                Answer::Unavailable(reason) => Answer::Unavailable(reason),
            };
        }
        verdict(output)
    }
}

/// The arguments of `git diff`, with what keeps it from running a program.
macro_rules! diff {
    ($($arg:literal),*) => {
        &[
            "diff",
            $($arg,)*
            "--no-ext-diff",
            "--no-textconv",
            "--submodule=short",
            "--ignore-submodules=dirty",
            "--no-color",
        ]
    };
}

impl GitQuestion {
    /// The question behind a fact's name, if git answers it.
    pub(super) fn of(name: &FactName) -> Option<GitQuestion> {
        match name.as_str() {
            "git:branch" => Some(GitQuestion::Branch),
            "git:status" => Some(GitQuestion::Status),
            "git:diff" => Some(GitQuestion::Diff(Changes::Unstaged)),
            "git:diff_staged" => Some(GitQuestion::Diff(Changes::Staged)),
            "git:diff_all" => Some(GitQuestion::Diff(Changes::All)),
            "git:diffstat" => Some(GitQuestion::Diffstat(Changes::Unstaged)),
            "git:diffstat_staged" => Some(GitQuestion::Diffstat(Changes::Staged)),
            "git:diffstat_all" => Some(GitQuestion::Diffstat(Changes::All)),
            _ => None,
        }
    }

    /// The command as a person would type it.
    pub fn command(self) -> &'static str {
        match self {
            GitQuestion::Branch => "git rev-parse --abbrev-ref HEAD",
            GitQuestion::Status => "git status --short",
            GitQuestion::Diff(Changes::Unstaged) => "git diff",
            GitQuestion::Diff(Changes::Staged) => "git diff --staged",
            GitQuestion::Diff(Changes::All) => "git diff; git diff --staged",
            GitQuestion::Diffstat(Changes::Unstaged) => "git diff --stat",
            GitQuestion::Diffstat(Changes::Staged) => "git diff --stat --staged",
            GitQuestion::Diffstat(Changes::All) => "git diff --stat; git diff --stat --staged",
        }
    }

    /// The arguments as they are given, with what closes the doors that configuration cannot close.
    fn args(self) -> &'static [&'static str] {
        match self {
            // Without `--verify` a *file* called HEAD would answer for a branch that has no commit yet.
            GitQuestion::Branch => &["rev-parse", "--verify", "--abbrev-ref", "HEAD"],
            GitQuestion::Status => &["status", "--short", "--ignore-submodules=dirty"],
            GitQuestion::Diff(Changes::Unstaged | Changes::All) => diff!(),
            GitQuestion::Diff(Changes::Staged) => diff!("--staged"),
            GitQuestion::Diffstat(Changes::Unstaged | Changes::All) => diff!("--stat"),
            GitQuestion::Diffstat(Changes::Staged) => diff!("--stat", "--staged"),
        }
    }
}

fn succeeded(output: &Output) -> bool {
    output.code == Some(0) || output.more
}

/// What a failed command says about the repository.
fn verdict(output: &Output) -> Answer<GitText> {
    // Before the first commit there is a branch's name, but no branch.
    let unborn = says(output, "fatal: Needed a single revision");
    if finds_no_repository(output) || unborn { Answer::Absent } else { Answer::Unavailable(complaint(output)) }
}

fn finds_no_repository(output: &Output) -> bool {
    // The parenthesis distinguishes a directory without repository from a repository that points nowhere.
    says(output, "fatal: not a git repository (or any")
}

fn says(output: &Output, beginning: &str) -> bool {
    String::from_utf8_lossy(&output.stderr).lines().any(|line| line.starts_with(beginning))
}

/// The line of git's error output that names the cause, made harmless for a terminal.
fn complaint(output: &Output) -> Reason {
    let stderr = String::from_utf8_lossy(&output.stderr);
    let cause = stderr.lines().find(|line| line.starts_with("fatal: ") || line.starts_with("error: "));
    let line = cause.or_else(|| stderr.lines().find(|line| !line.trim().is_empty()));
    let detail = match (line, output.code) {
        (Some(line), _) => line.chars().flat_map(escape_control).collect(),
        (None, Some(code)) => format!("git exited with {code}"),
        (None, None) => "git was ended by a signal".to_owned(),
    };
    Reason { code: ReasonCode::Failed, detail }
}

fn escape_control(character: char) -> impl Iterator<Item = char> {
    let escaped = character.is_control().then(|| character.escape_default());
    let plain = escaped.is_none().then_some(character);
    escaped.into_iter().flatten().chain(plain)
}

fn text(question: GitQuestion, output: Output, limit: usize) -> GitText {
    let Output { mut stdout, mut more, .. } = output;
    if more
        && let Err(error) = std::str::from_utf8(&stdout)
        && error.error_len().is_none()
    {
        // The limit cut the last character in two, which is not git's fault.
        stdout.truncate(error.valid_up_to());
    }
    let (mut text, replaced) = match String::from_utf8(stdout) {
        Ok(text) => (text, false),
        Err(error) => (String::from_utf8_lossy(error.as_bytes()).into_owned(), true),
    };
    if text.len() > limit {
        // A replacement is longer than the byte that it replaces.
        text.truncate(text.floor_char_boundary(limit));
        more = true;
    }
    let text = match question {
        GitQuestion::Branch => text.trim(),
        // Only at the end: the first line of a status begins with columns that may be blank.
        GitQuestion::Status | GitQuestion::Diff(_) | GitQuestion::Diffstat(_) => text.trim_end_matches('\n'),
    };
    GitText { text: text.to_owned(), more, replaced, command: question.command().to_owned() }
}

/// Two texts on lines of their own, within a limit. Counts are without white space at their ends.
fn both(question: GitQuestion, unstaged: &GitText, staged: &GitText, limit: usize) -> GitText {
    let part = |text: &'_ GitText| match question {
        GitQuestion::Diffstat(_) => text.text.trim().to_owned(),
        _ => text.text.clone(),
    };
    let parts: Vec<String> = [part(unstaged), part(staged)].into_iter().filter(|text| !text.is_empty()).collect();
    let mut text = parts.join("\n");
    let more = staged.more || text.len() > limit;
    text.truncate(text.floor_char_boundary(limit));
    let replaced = unstaged.replaced || staged.replaced;
    GitText { text, more, replaced, command: question.command().to_owned() }
}
