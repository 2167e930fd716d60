//! Repositories in an empty home, and how plain git and we behave in them.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Mutex;
use std::time::Duration;

use antefix::discover::git::GitQuestion::{Branch, Status};
use antefix::discover::git::{Changes, Git, GitLimits, GitQuestion, GitText};
use antefix::discover::world::{
    Answer, Command, Contents, Kind, Listing, Output, Owner, Reason, ReasonCode, Request, Response, SystemText, World,
};
use antefix::worlds::OsWorld;
use jiff::Timestamp;
use tempfile::TempDir;

pub(crate) const DIFF: GitQuestion = GitQuestion::Diff(Changes::Unstaged);
pub(crate) const DIFF_STAGED: GitQuestion = GitQuestion::Diff(Changes::Staged);
pub(crate) const DIFF_ALL: GitQuestion = GitQuestion::Diff(Changes::All);
pub(crate) const DIFFSTAT: GitQuestion = GitQuestion::Diffstat(Changes::Unstaged);
pub(crate) const DIFFSTAT_STAGED: GitQuestion = GitQuestion::Diffstat(Changes::Staged);
pub(crate) const DIFFSTAT_ALL: GitQuestion = GitQuestion::Diffstat(Changes::All);

pub(crate) const QUESTIONS: [GitQuestion; 8] =
    [Branch, Status, DIFF, DIFFSTAT, DIFF_STAGED, DIFFSTAT_STAGED, DIFF_ALL, DIFFSTAT_ALL];

pub(crate) const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// The real machine with an environment of its own, so that no test sees the real home. It remembers what it ran.
pub(crate) struct Machine {
    pub(crate) env: BTreeMap<String, String>,
    ran: Mutex<Vec<String>>,
}

impl Machine {
    /// The first words of the commands that were run since the last time.
    pub(crate) fn ran(&self) -> Vec<String> {
        std::mem::take(&mut self.ran.lock().unwrap())
    }
}

impl World for Machine {
    fn now(&self) -> Timestamp {
        OsWorld::new().now()
    }

    fn time_zone(&self, name: Option<&str>) -> Answer<jiff::tz::TimeZone> {
        OsWorld::new().time_zone(name)
    }
    fn platform(&self) -> String {
        OsWorld::new().platform()
    }
    fn system_text(&self, which: SystemText) -> Answer<String> {
        OsWorld::new().system_text(which)
    }
    fn hostname(&self) -> Answer<String> {
        OsWorld::new().hostname()
    }
    fn env(&self, name: &str) -> Answer<String> {
        self.env.get(name).cloned().map_or(Answer::Absent, Answer::Present)
    }
    fn kind(&self, path: &Path) -> Answer<Kind> {
        OsWorld::new().kind(path)
    }
    fn owner(&self, path: &Path) -> Answer<Owner> {
        OsWorld::new().owner(path)
    }
    fn resolve(&self, path: &Path) -> Answer<PathBuf> {
        OsWorld::new().resolve(path)
    }
    fn read(&self, root: &Path, path: &Path, limit: usize) -> Answer<Contents> {
        OsWorld::new().read(root, path, limit)
    }
    fn list(&self, root: &Path, path: &Path, limit: usize) -> Answer<Listing> {
        OsWorld::new().list(root, path, limit)
    }
    fn fetch(&self, request: &Request) -> Answer<Response> {
        panic!("git needs no network, and asked for {}", request.address)
    }

    fn run(&self, command: &Command) -> Answer<Output> {
        self.ran.lock().unwrap().push(command.args[0].clone());
        OsWorld::new().run(command)
    }
}

/// A directory `work` with an empty home and a place for a canary beside it.
pub(crate) struct Repo {
    pub(crate) dir: TempDir,
    pub(crate) machine: Machine,
    pub(crate) cwd: PathBuf,
}

impl Repo {
    /// No repository yet.
    pub(crate) fn nothing() -> Repo {
        let dir = TempDir::new().unwrap();
        let cwd = dir.path().join("work");
        fs::create_dir_all(&cwd).unwrap();
        fs::create_dir_all(dir.path().join("home")).unwrap();
        let home = dir.path().join("home").to_str().unwrap().to_owned();
        let env = [("PATH", PATH), ("HOME", &home)].map(|(name, value)| (name.to_owned(), value.to_owned()));
        Repo { dir, machine: Machine { env: env.into(), ran: Mutex::default() }, cwd }
    }

    pub(crate) fn init(args: &[&str]) -> Repo {
        let repo = Repo::nothing();
        repo.git(&[&["init", "-q", "-b", "main", "--template="], args].concat());
        repo
    }

    /// One commit with `f.txt`.
    pub(crate) fn committed() -> Repo {
        let repo = Repo::init(&[]);
        repo.write("f.txt", "aaaa\n");
        repo.commit();
        repo
    }

    /// The file has changed at equal size: only then must git look at the content to know.
    pub(crate) fn changed() -> Repo {
        let repo = Repo::committed();
        repo.write("f.txt", "bbbb\n");
        repo
    }

    pub(crate) fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.cwd.join(name)
    }

    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        fs::create_dir_all(self.path(name).parent().unwrap()).unwrap();
        fs::write(self.path(name), text).unwrap();
    }

    pub(crate) fn write_program(&self, name: &str, text: &str) {
        self.write(name, format!("#!/bin/sh\n{text}\n"));
        fs::set_permissions(self.path(name), fs::Permissions::from_mode(0o755)).unwrap();
    }

    pub(crate) fn commit(&self) {
        self.git(&["add", "-A"]);
        self.git(&["-c", "maintenance.auto=false", "commit", "-q", "-m", "commit"]);
    }

    /// Adds to the configuration of the repository.
    pub(crate) fn configure(&self, text: &str) {
        self.append(".git/config", text);
    }

    pub(crate) fn append(&self, name: &str, text: &str) {
        let mut before = fs::read_to_string(self.path(name)).unwrap_or_default();
        before.push_str(text);
        self.write(name, before);
    }

    pub(crate) fn make_fifo(&self, name: &str) {
        assert!(std::process::Command::new("mkfifo").arg(self.path(name)).status().unwrap().success());
    }

    pub(crate) fn canary(&self) -> PathBuf {
        self.dir.path().join("canary")
    }

    /// A shell command that leaves the canary.
    pub(crate) fn sing(&self) -> String {
        format!("touch {}", self.canary().display())
    }

    pub(crate) fn plain(&self, args: &[&str]) -> std::process::Command {
        let mut git = std::process::Command::new("git");
        git.args(args).current_dir(&self.cwd).env_clear().envs(&self.machine.env);
        for role in ["AUTHOR", "COMMITTER"] {
            git.env(format!("GIT_{role}_NAME"), "A").env(format!("GIT_{role}_EMAIL"), "a@example.org");
            git.env(format!("GIT_{role}_DATE"), "2026-03-07T12:00:00Z");
        }
        git
    }

    /// Plain git, which must succeed.
    #[track_caller]
    pub(crate) fn git(&self, args: &[&str]) -> String {
        let output = self.plain(args).output().unwrap();
        assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// What plain git answers to a question.
    #[track_caller]
    pub(crate) fn plainly(&self, question: GitQuestion) -> String {
        let texts = question.command().split("; ").map(|command| {
            let text = self.git(&command.split(' ').skip(1).collect::<Vec<_>>());
            let is_trimmed = question == Branch || question == DIFFSTAT_ALL;
            if is_trimmed { text.trim().to_owned() } else { text.trim_end_matches('\n').to_owned() }
        });
        texts.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n")
    }

    pub(crate) fn ask(&self, question: GitQuestion) -> Answer<GitText> {
        // A busy machine must not decide what the tests say; the limits have tests of their own.
        let limits = GitLimits { time: Duration::from_secs(10), ..GitLimits::default() };
        Git::new(&self.machine, &self.cwd, limits).ask(question)
    }

    /// All texts; they are expected to be there.
    #[track_caller]
    pub(crate) fn texts(&self) -> [String; 8] {
        QUESTIONS.map(|question| match self.ask(question) {
            Answer::Present(GitText { text, more: false, replaced: false, command })
                if command == question.command() =>
            {
                text
            }
            other => panic!("{question:?}: {other:?}"),
        })
    }

    #[track_caller]
    pub(crate) fn assert_plain(&self) {
        assert_eq!(self.texts(), QUESTIONS.map(|question| self.plainly(question)));
    }
}

#[track_caller]
pub(crate) fn assert_failed(answer: Answer<GitText>, beginning: &str) {
    match answer {
        Answer::Unavailable(Reason { code: ReasonCode::Failed, detail }) if detail.starts_with(beginning) => {}
        other => panic!("{other:?}"),
    }
}

pub(crate) fn with_submodule() -> Repo {
    let repo = Repo::committed();
    repo.git(&["init", "-q", "-b", "main", "--template=", "../source"]);
    fs::write(repo.path("../source/f.txt"), "aaaa\n").unwrap();
    repo.git(&["-C", "../source", "add", "f.txt"]);
    repo.git(&["-C", "../source", "commit", "-q", "-m", "commit"]);
    let source = repo.path("../source").canonicalize().unwrap();
    let add = ["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", source.to_str().unwrap(), "sub"];
    repo.git(&add);
    repo.commit();
    repo
}

/// A vector: what `setup` and `attack` make, plain git falls for when asked `falls`, and we do not. What we answer is
/// what plain git says after `setup` alone.
#[track_caller]
pub(crate) fn assert_withstood(setup: impl Fn() -> Repo, attack: impl Fn(&Repo), falls: &[GitQuestion]) {
    let attacked = || {
        let repo = setup();
        attack(&repo);
        // Preparing may have run it already.
        let _ = fs::remove_file(repo.canary());
        repo
    };
    for &question in falls {
        let repo = attacked();
        let args: Vec<_> = question.command().split(' ').skip(1).collect();
        repo.plain(&args).output().unwrap();
        assert!(repo.canary().exists(), "plain git is not fooled by {question:?}: the fixture is not real");
    }
    for question in QUESTIONS {
        let expected = setup().plainly(question);
        let repo = attacked();
        let answer = repo.ask(question);
        assert!(!repo.canary().exists(), "{question:?} executed something");
        assert_eq!(answer.present().unwrap().text, expected, "{question:?}");
    }
}

pub(crate) fn changed_with_attributes(attributes: &str) -> Repo {
    let repo = Repo::committed();
    repo.write(".gitattributes", attributes);
    repo.commit();
    repo.write("f.txt", "bbbb\n");
    repo
}

/// Plain git has not answered after half a second.
#[track_caller]
pub(crate) fn assert_hangs(repo: &Repo, question: GitQuestion) {
    let args: Vec<_> = question.command().split(' ').skip(1).collect();
    let mut git = repo.plain(&args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(500));
    let answer = git.try_wait().unwrap();
    let _ = git.kill();
    git.wait().unwrap();
    assert_eq!(answer, None, "plain git does not hang");
}

pub(crate) fn impatient(repo: &Repo) -> Git<'_> {
    Git::new(&repo.machine, &repo.cwd, GitLimits { time: Duration::from_millis(400), ..GitLimits::default() })
}

#[track_caller]
pub(crate) fn assert_timed_out(answer: Answer<GitText>, detail: &str) {
    assert_eq!(answer, Answer::unavailable(ReasonCode::TimedOut, detail));
}
