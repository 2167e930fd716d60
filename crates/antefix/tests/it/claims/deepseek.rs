//! The layout `deepseek`: what holds through a session, and what is new with every step. Its bytes are in `tests/cases/deepseek`.

use antefix::discover::world::{Answer, Output, SystemText};
use antefix::freeze::{Cause, Watch};
use antefix::keeper::Began;
use antefix::project::{LayoutChoice, Look};
use antefix::stores::MemoryStore;
use antefix::worlds::MemoryWorld;
use antefix::{Antefix, Ask, Conversation, Turn};

const STATUS: &[&str] = &["git", "status", "--short", "--ignore-submodules=dirty"];
const BRANCH: &[&str] = &["git", "rev-parse", "--verify", "--abbrev-ref", "HEAD"];

fn printed(text: &str) -> Answer<Output> {
    let stdout = text.as_bytes().to_vec();
    Answer::Present(Output { code: Some(0), stdout, stderr: Vec::new(), more: false })
}

/// A project with an instruction file and a skill, where git knows a branch and a status.
fn world(branch: &str, status: &str) -> MemoryWorld {
    let listing = r"^filter\.|^hook\.|^core\.worktree$|^safe\.barerepository$";
    let diff = ["--no-ext-diff", "--no-textconv", "--submodule=short", "--ignore-submodules=dirty", "--no-color"];
    let diff = |more: &[&'static str]| [&["git", "diff", "--stat"], more, &diff[..]].concat();
    MemoryWorld::new()
        .at("2026-04-15T09:30:00Z")
        .text(SystemText::KernelRelease, "6.1.0")
        .var("SHELL", "/bin/zsh")
        .file("/p/AGENTS.md", "Use tabs.")
        .file("/p/skills/tidy/SKILL.md", "---\nname: tidy\ndescription: Tidies up.\n---\nSweep.\n")
        .program(
            &["git", "config", "--null", "--show-scope", "--name-only", "--get-regexp", listing],
            printed("command\0safe.barerepository\0"),
        )
        .program(BRANCH, printed(branch))
        .program(STATUS, printed(status))
        .program(&diff(&[]), printed(""))
        .program(&diff(&["--staged"]), printed(" a | 1 +\n"))
}

fn conversation(store: &MemoryStore, world: MemoryWorld, id: &str, cwd: &str) -> Conversation {
    let layout = LayoutChoice::BuiltIn("deepseek".to_owned());
    let antefix = Antefix::builder().world(world).open_store(store.clone()).layout(layout).build().unwrap();
    antefix.project(cwd).unwrap().conversation(id).unwrap()
}

fn turn(store: &MemoryStore, world: MemoryWorld) -> Turn {
    conversation(store, world, "c", "/p").turn(Ask::new()).unwrap()
}

/// What comes after the boundary.
fn block(branch: &str, status: &str) -> String {
    format!(
        "\n## Project\n- cwd: /p\n- date: 2026-04-15\n- os: linux 6.1.0\n- shell: /bin/zsh\n- branch: {branch}\n\
         \n## Git status\n{status}\n\n## Git diff\na | 1 +\n"
    )
}

/// K1, K10, K11, K24, K25, K28: the prefix is the same bytes in every step, and git is asked in each of them, the first one too.
#[test]
fn the_prefix_never_changes_and_git_is_new_with_every_step() {
    let store = MemoryStore::new();
    let first = turn(&store, world("main\n", ""));
    assert_eq!(first.suffix.text(), block("main", "(clean)"));
    for step in 1..10 {
        let (branch, status) = (format!("b{step}"), format!("?? file{step}"));
        let edited = world(&branch, &status).file("/p/AGENTS.md", format!("Use {step} spaces."));
        let next = turn(&store, edited);
        assert_eq!((next.began, next.prefix()), (Began::Before, first.prefix()));
        assert_eq!(next.suffix.text(), block(&branch, &status));
    }
    assert_eq!(first.epoch.unwrap().number(), 1);
}

/// K26, K28: place, system, shell and day are those of the session's start; nothing of git is kept.
#[test]
fn place_system_shell_and_day_are_filled_once() {
    let store = MemoryStore::new();
    let first = turn(&store, world("main", ""));
    let later = world("main", "").at("2026-04-16T09:30:00Z").var("SHELL", "/bin/sh");
    let next = turn(&store, later.text(SystemText::KernelRelease, "6.2.0"));
    assert_eq!(next.suffix.text(), first.suffix.text());
    let epoch = first.epoch.unwrap();
    let kept: Vec<&str> = epoch.body().frozen_facts.keys().map(|name| name.as_str()).collect();
    assert_eq!(kept, ["prompt:cwd_absolute", "system:date", "system:os", "system:os_version", "system:shell"]);
}

/// K27: the day is that of UTC, wherever the user is.
#[test]
fn the_date_is_the_day_in_utc() {
    let west = world("main", "").at("2024-06-16T01:00:00Z").var("TZ", "America/New_York");
    let first = turn(&MemoryStore::new(), west);
    assert!(first.suffix.text().contains("\n- date: 2024-06-16\n"), "{}", first.suffix.text());
}

/// K30: the list of files is read once; what changes is listed, and not said.
#[test]
fn an_edited_or_new_file_is_pending() {
    let store = MemoryStore::new();
    let first = turn(&store, world("main", ""));
    let edited = world("main", "").file("/p/AGENTS.md", "Use spaces.").file("/p/DEEPSEEK.md", "Be brief.");
    let mut ask = Ask::new();
    ask.watch = Watch::All;
    let next = conversation(&store, edited, "c", "/p").turn(ask).unwrap();
    assert_eq!(next.prefix(), first.prefix());
    let mut pending: Vec<&str> = next.pending.iter().map(|change| change.origin.as_str()).collect();
    pending.sort_unstable();
    assert_eq!(pending, ["/p/AGENTS.md", "/p/DEEPSEEK.md"]);
}

/// K33: an edited body moves the prefix and the epoch's digest together.
#[test]
fn an_edited_skill_body_moves_prefix_and_digest() {
    let store = MemoryStore::new();
    let first = turn(&store, world("main", "")).epoch.unwrap();
    let edited = || {
        let skill = "---\nname: tidy\ndescription: Tidies up.\n---\nSweep twice.\n";
        conversation(&store, world("main", "").file("/p/skills/tidy/SKILL.md", skill), "c", "/p")
    };
    assert!(edited().drift(Ask::new()).unwrap().difference.is_some());
    assert_eq!(edited().turn(Ask::new()).unwrap().epoch.unwrap().digest(), first.digest());
    let renewed = edited().renew(Cause::Reloaded, Ask::new()).unwrap().epoch;
    assert_ne!(renewed.digest(), first.digest());
    let line = |text: &str| text.lines().find(|line| line.starts_with("tidy | ")).unwrap().to_owned();
    assert_ne!(line(renewed.text()), line(first.text()));
    assert!(!renewed.text().contains("Sweep"));
}

/// K3: the base has its versioned name, whatever it says.
#[test]
fn the_base_is_known_by_its_version() {
    let project = conversation(&MemoryStore::new(), world("main", ""), "c", "/p").project().clone();
    let preview = project.preview(Ask::new(), Look::Composing).unwrap();
    let first = &preview.prompt.spans()[0];
    assert_eq!((first.origin.kind(), first.origin.name()), ("template", "$builtin/deepseek/base-v1"));
}

/// K7: another boundary is a change of the layout's words: a session that is open keeps its own.
#[test]
fn another_boundary_waits_for_the_next_session() {
    let store = MemoryStore::new();
    let first = turn(&store, world("main", ""));
    let words = "[wording]\ndeepseek_boundary = \"\\n--- now ---\\n\\n\"\n";
    let reworded = || world("main", "").file("/p/.antefix/wording.toml", words);
    let next = turn(&store, reworded());
    assert_eq!(next.prefix(), first.prefix());
    let kinds: Vec<&str> = next.pending.iter().map(|change| change.kind.name()).collect();
    assert_eq!(kinds, ["wording-changed"]);
    let other = conversation(&store, reworded(), "d", "/p").turn(Ask::new()).unwrap();
    assert!(other.prefix().ends_with("\n--- now ---\n"), "{}", other.prefix());
}

/// K9, K12: prefix and block can be had apart, and together they are the prompt.
#[test]
fn prefix_and_block_can_be_had_apart() {
    let store = MemoryStore::new();
    let first = turn(&store, world("main", ""));
    let project = conversation(&store, world("main", ""), "c", "/p").project().clone();
    let preview = project.preview(Ask::new(), Look::Composing).unwrap();
    assert_eq!((preview.prompt.prefix(), preview.prompt.suffix()), (first.prefix(), first.suffix.text()));
    assert_eq!(preview.prompt.text(), format!("{}{}", first.prefix(), first.suffix.text()));
    assert!(first.prefix().ends_with("\n=== DYNAMIC CONTEXT (per-turn, do not cache) ===\n"));
}

/// K38: each agent has a prompt of its own.
#[test]
fn two_sessions_in_two_directories_are_independent() {
    let store = MemoryStore::new();
    let both = || world("main", "").file("/q/AGENTS.md", "Use spaces.");
    let said = |id: &str, cwd: &str| conversation(&store, both(), id, cwd).turn(Ask::new()).unwrap();
    let (one, other) = (said("c", "/p"), said("d", "/q"));
    assert!(one.prefix().contains("[/p/AGENTS.md]\nUse tabs.\n"), "{}", one.prefix());
    assert!(other.prefix().contains("[/q/AGENTS.md]\nUse spaces.\n"), "{}", other.prefix());
    assert_eq!(said("c", "/p").prefix(), one.prefix());
}
