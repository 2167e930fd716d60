//! The policy alone, with a world that is data.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

use antefix::discover::git::GitQuestion::{Branch, Status};
use antefix::discover::git::{Git, GitLimits, GitQuestion, GitText};
use antefix::discover::world::{
    Answer, Command, Contents, Kind, Listing, Output, Owner, Request, Response, SystemText, World,
};
use jiff::Timestamp;

use crate::fixture::{DIFF, DIFF_STAGED, DIFFSTAT, DIFFSTAT_STAGED, QUESTIONS, assert_failed};

/// A linked work tree, which is always looked at through git. It remembers what it is asked to run, and answers `git
/// config` with a listing.
struct Script {
    listing: Output,
    asked: Mutex<Vec<Command>>,
}

impl Script {
    fn new(code: i32, listing: &[u8]) -> Script {
        let listing = Output { code: Some(code), stdout: listing.to_vec(), more: false, stderr: Vec::new() };
        Script { listing, asked: Mutex::default() }
    }

    fn ask(&self, question: GitQuestion) -> Answer<GitText> {
        Git::new(self, Path::new("/repo"), GitLimits::default()).ask(question)
    }

    /// The configuration that the last command was given.
    fn configuration(&self) -> BTreeMap<String, String> {
        let asked = self.asked.lock().unwrap();
        let env: BTreeMap<_, _> = asked.last().unwrap().env.iter().cloned().collect();
        let count: usize = env["GIT_CONFIG_COUNT"].parse().unwrap();
        let pair = |n| (env[&format!("GIT_CONFIG_KEY_{n}")].clone(), env[&format!("GIT_CONFIG_VALUE_{n}")].clone());
        (0..count).map(pair).collect()
    }
}

impl World for Script {
    fn now(&self) -> Timestamp {
        Timestamp::UNIX_EPOCH
    }

    fn time_zone(&self, _: Option<&str>) -> Answer<jiff::tz::TimeZone> {
        Answer::Absent
    }
    fn platform(&self) -> String {
        "linux".to_owned()
    }
    fn system_text(&self, _: SystemText) -> Answer<String> {
        Answer::Absent
    }
    fn hostname(&self) -> Answer<String> {
        Answer::Absent
    }
    fn env(&self, name: &str) -> Answer<String> {
        Answer::Present(format!("/from/{name}"))
    }
    fn kind(&self, path: &Path) -> Answer<Kind> {
        if path == Path::new("/repo/.git") { Answer::Present(Kind::File) } else { Answer::Absent }
    }
    fn owner(&self, _: &Path) -> Answer<Owner> {
        Answer::Absent
    }
    fn resolve(&self, path: &Path) -> Answer<PathBuf> {
        Answer::Present(path.to_owned())
    }
    fn read(&self, _: &Path, _: &Path, _: usize) -> Answer<Contents> {
        Answer::Absent
    }
    fn list(&self, _: &Path, _: &Path, _: usize) -> Answer<Listing> {
        Answer::Absent
    }
    fn fetch(&self, request: &Request) -> Answer<Response> {
        panic!("git needs no network, and asked for {}", request.address)
    }
    fn run(&self, command: &Command) -> Answer<Output> {
        self.asked.lock().unwrap().push(command.clone());
        if command.args[0] == "config" {
            return Answer::Present(self.listing.clone());
        }
        Answer::Present(Output { code: Some(0), stdout: b" M a.txt\n?? b\n".to_vec(), more: false, stderr: Vec::new() })
    }
}

const HEARD: &[u8] = b"command\0safe.barerepository\0";

#[test]
fn the_environment_is_built_from_nothing() {
    let script = Script::new(0, HEARD);
    script.ask(Branch);
    let asked = script.asked.lock().unwrap();
    let plain = asked[0].env.iter().filter(|(name, _)| !name.starts_with("GIT_CONFIG_"));
    let plain: Vec<_> = plain.map(|(name, value)| format!("{name}={value}")).collect();
    let expected = [
        "PATH=/from/PATH",
        "HOME=/from/HOME",
        "XDG_CONFIG_HOME=/from/XDG_CONFIG_HOME",
        "GIT_OPTIONAL_LOCKS=0",
        "GIT_TERMINAL_PROMPT=0",
        "GIT_NO_LAZY_FETCH=1",
        "GIT_ALLOW_PROTOCOL=none",
        "GIT_PAGER=cat",
        "LC_ALL=C",
    ];
    assert_eq!(plain, expected);
    assert!(!asked[0].env.iter().any(|(name, value)| name.contains("safe.directory") || value == "safe.directory"));
}

#[test]
fn the_configuration_and_the_arguments_are_these() {
    let script = Script::new(0, HEARD);
    script.ask(DIFFSTAT);
    let configuration: Vec<_> =
        script.configuration().into_iter().map(|(key, value)| format!("{key}={value}")).collect();
    let expected = [
        "color.diff=false",
        "color.status=false",
        "color.ui=false",
        "core.alternateRefsCommand=",
        "core.fsmonitor=false",
        "core.hooksPath=/dev/null",
        "core.pager=cat",
        "diff.external=",
        "diff.submodule=short",
        "safe.bareRepository=explicit",
        "status.submoduleSummary=false",
        "submodule.recurse=false",
    ];
    assert_eq!(configuration, expected);
    for (question, args) in [
        (Branch, "rev-parse --verify --abbrev-ref HEAD"),
        (Status, "status --short --ignore-submodules=dirty"),
        (DIFF, "diff --no-ext-diff --no-textconv --submodule=short --ignore-submodules=dirty --no-color"),
        (DIFFSTAT, "diff --stat --no-ext-diff --no-textconv --submodule=short --ignore-submodules=dirty --no-color"),
        (
            DIFF_STAGED,
            "diff --staged --no-ext-diff --no-textconv --submodule=short --ignore-submodules=dirty --no-color",
        ),
        (
            DIFFSTAT_STAGED,
            "diff --stat --staged --no-ext-diff --no-textconv --submodule=short --ignore-submodules=dirty --no-color",
        ),
    ] {
        script.ask(question);
        let asked = script.asked.lock().unwrap();
        let last = asked.last().unwrap();
        assert_eq!(last.args.join(" "), args);
        assert_eq!((last.time_limit, last.output_limit), (Duration::from_secs(2), 64 * 1024));
    }
}

#[test]
fn only_trailing_line_ends_are_taken_away() {
    let found = Script::new(0, HEARD).ask(Status).present().unwrap();
    assert_eq!(found.text, " M a.txt\n?? b");
}

#[test]
fn drivers_are_listed_once_and_only_if_files_are_looked_at() {
    let script = Script::new(0, HEARD);
    let mut git = Git::new(&script, Path::new("/repo"), GitLimits::default());
    assert!(script.asked.lock().unwrap().is_empty());
    for question in QUESTIONS {
        git.ask(question);
    }
    let first: Vec<_> = script.asked.lock().unwrap().iter().map(|command| command.args[0].clone()).collect();
    assert_eq!(first, ["rev-parse", "config", "status", "diff", "diff", "diff", "diff"]);
}

#[test]
fn drivers_of_the_repository_and_all_configured_hooks_are_overridden() {
    let listing = [
        HEARD,
        b"system\0filter.s.clean\0global\0filter.lfs.process\0local\0filter.a=b c.d.clean\0worktree\0filter.w.smudge\0",
        b"unknown\0filter.u.required\0local\0filter.x\0global\0hook.tidy.event\0local\0hook.evil.command\0",
    ];
    let script = Script::new(0, &listing.concat());
    script.ask(Status);
    let found: Vec<_> = script
        .configuration()
        .into_iter()
        .filter(|(key, _)| key.starts_with("filter.") || key.starts_with("hook."))
        .map(|(key, value)| format!("{key}={value}"))
        .collect();
    let mut expected = Vec::new();
    for driver in ["a=b c.d", "u", "w"] {
        for pair in ["clean=", "process=", "required=false", "smudge="] {
            expected.push(format!("filter.{driver}.{pair}"));
        }
    }
    for hook in ["evil", "tidy"] {
        for pair in ["enabled=false", "event="] {
            expected.push(format!("hook.{hook}.{pair}"));
        }
    }
    assert_eq!(found, expected);
}

#[test]
fn a_git_that_does_not_listen_is_refused() {
    for (code, listing) in [(1, &b""[..]), (0, b"local\0safe.barerepository\0"), (0, b"local\0filter.x.clean\0")] {
        let script = Script::new(code, listing);
        assert_failed(script.ask(Status), "git is older than 2.31");
        assert_eq!(script.asked.lock().unwrap().len(), 1, "nothing else is run");
    }
}

#[test]
fn a_listing_that_cannot_be_read_to_the_end_is_refused() {
    let strange = [HEARD, b"local\0filter.\xff.clean\0"].concat();
    assert_failed(Script::new(0, &strange).ask(Status), "a filter driver's name is not UTF-8");
    let mut endless = Script::new(0, HEARD);
    endless.listing = Output { code: None, more: true, ..endless.listing };
    assert_failed(endless.ask(Status), "too many filter drivers");
}
