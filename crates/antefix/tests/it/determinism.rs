//! Same inputs, same bytes: in another process, locale, time zone, home directory and order of insertion.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use antefix::compose::{Layout, Wording, builtin, compose};
use antefix::discover::scope::Scope;
use antefix::discover::tools::Tool;
use antefix::discover::{Facts, Workspace, discover};
use antefix::project::TemplateDirectories;
use antefix::text::{Digest, Source, SourceKind};
use antefix::worlds::MemoryWorld;

use crate::given;
use crate::parts::Parts;

/// What the parent sets so that the process composes; its value turns the order of every insertion.
const TURN: &str = "ANTEFIX_TEST_TURN";
const ANSWER: &str = "composed: ";

/// Composes the built-in layouts in one world whose parts are put in by another order for each `turn`.
fn composed(turn: usize) -> BTreeMap<&'static str, String> {
    let mut files = vec![
        ("/home/u/code/p/.git/HEAD", ""),
        ("/home/u/code/p/AGENTS.md", "Ünïcode, i and I, ß.\n"),
        ("/home/u/code/p/b.md", "b"),
        ("/home/u/code/p/a.md", "a"),
        ("/home/u/.config/antefix/prompts/z.md", "z"),
    ];
    turned(&mut files, turn);
    let world = files.iter().fold(MemoryWorld::new(), |world, (path, text)| world.file(*path, *text));
    let world = world.at("2026-04-15T23:30:00-05:00").var("HOME", "/home/u").var("LANG", "from the world");
    let workspace = Workspace::find(&world, Path::new("/home/u/code/p"));
    let mut tools = vec!["zeta", "Alpha", "beta", "ärger", "istanbul"];
    turned(&mut tools, turn);
    let templates = TemplateDirectories::new(&world, &workspace, None);
    let compose_one = |built_in: &'static builtin::BuiltIn| {
        let source = Arc::new(Source::new(SourceKind::Layout, built_in.name, built_in.text));
        let layout = Layout::parse(&source, &Wording::built_in(), &templates).unwrap();
        let mut situation = Parts::new(workspace.clone());
        situation.rules.paths = layout.rules().paths;
        situation.caller.tools = Some(tools.iter().map(|tool| Tool::named(*tool)).collect());
        situation.caller.given.insert(given::name("git:branch"), "main".into());
        situation.caller.given.insert(given::name("git:status"), " M a.md".into());
        situation.scope = layout.scope().map(|rules| Scope::new(&rules.against(&workspace.cwd), &world).unwrap());
        let mut names = layout.facts();
        turned(&mut names, turn);
        let discovery = discover(&world, &situation.situation(), &names);
        let mut answers: Vec<_> = discovery.facts.iter().collect();
        turned(&mut answers, turn);
        let facts = answers.into_iter().fold(Facts::default(), |mut facts, (name, fact)| {
            facts.insert(name.clone(), fact.clone());
            facts
        });
        let prompt = compose(&layout, &facts).unwrap();
        (
            built_in.name,
            format!("{} {} {}", Digest::of(prompt.text()), Digest::of(prompt.prefix()), prompt.text().len()),
        )
    };
    builtin::LAYOUTS.iter().map(compose_one).collect()
}

/// Another order for each turn.
fn turned<T>(list: &mut [T], turn: usize) {
    let by = turn % list.len().max(1);
    list.rotate_left(by);
    if turn % 2 == 1 {
        list.reverse();
    }
}

/// Not a test of its own: the process that composes. Without a turn there is nothing to do.
#[test]
fn worker() {
    let Ok(turn) = std::env::var(TURN) else { return };
    for (name, line) in composed(turn.parse().unwrap()) {
        println!("\n{ANSWER}{name} {line}");
    }
}

#[test]
fn the_same_inputs_give_the_same_bytes_in_every_process() {
    let expected: Vec<String> = composed(0).into_iter().map(|(name, line)| format!("{name} {line}")).collect();
    assert_eq!(expected.len(), builtin::LAYOUTS.len());
    let environments = [
        ("C", "UTC", "/"),
        ("tr_TR.UTF-8", "Asia/Kathmandu", "/home/somebody"),
        ("de_DE.ISO-8859-1", "America/St_Johns", ""),
        ("ja_JP.eucJP", ":/etc/localtime", "relative/home"),
        ("C.UTF-8", "Pacific/Kiritimati", "/home/u"),
        ("", "", "/root"),
    ];
    for (turn, (locale, zone, home)) in environments.into_iter().enumerate() {
        let output = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "determinism::worker", "--nocapture", "--test-threads=1"])
            .env(TURN, turn.to_string())
            .env("LANG", locale)
            .env("LC_ALL", locale)
            .env("TZ", zone)
            .env("HOME", home)
            .env("XDG_CONFIG_HOME", home)
            .env("SHELL", home)
            .current_dir(std::env::temp_dir())
            .output()
            .unwrap();
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        let got: Vec<&str> = printed.lines().filter_map(|line| line.strip_prefix(ANSWER)).collect();
        assert_eq!(got, expected, "under {locale:?}, {zone:?}, {home:?}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

/// The order in which facts are put in, and other facts beside the named ones, change nothing.
#[test]
fn the_order_of_insertion_does_not_matter() {
    let first = composed(0);
    for turn in 1..6 {
        assert_eq!(composed(turn), first, "turn {turn}");
    }
}
