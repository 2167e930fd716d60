//! Rules: their patterns under hostile hands, what is asked for them, where they are, and what touching brings.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use antefix::compose::{Wording, notice};
use antefix::diagnostic::Code;
use antefix::discover::instructions::InstructionRules;
use antefix::discover::rules::{Glob, GlobLimits, Survey};
use antefix::discover::touch::{Touched, touch};
use antefix::discover::trust::Trust;
use antefix::discover::{Answer, Discovery, Value, Why, Workspace, World, discover};
use antefix::worlds::MemoryWorld;
use proptest::prelude::*;

use crate::given;
use crate::instructions::{reported, world};
use crate::parts::Parts;
use crate::watched::Watched;

fn situation(world: &dyn World, cwd: &str, rules: &str) -> Parts {
    let mut situation = Parts::new(Workspace::find(world, Path::new(cwd)));
    situation.rules.instructions = toml::from_str::<InstructionRules>(rules).unwrap();
    situation
}

fn ask(world: &dyn World, cwd: &str, rules: &str) -> Discovery {
    discover(world, &situation(world, cwd, rules).situation(), [&given::name("instructions:files")])
}

/// The paths of the files that were loaded, in order.
fn labels(fact: Option<&Answer<Value>>) -> Vec<String> {
    match fact {
        Some(Answer::Present(Value::Maps(maps))) => maps.iter().map(|map| map["path"].as_str().to_owned()).collect(),
        _ => Vec::new(),
    }
}

fn touched(world: &MemoryWorld, cwd: &str, paths: &[&str], before: &[&str]) -> Touched {
    let paths: Vec<PathBuf> = paths.iter().map(PathBuf::from).collect();
    let touch = |known: &BTreeMap<_, _>| touch(world, &situation(world, cwd, "").situation(), &paths, known);
    let first = touch(&BTreeMap::new());
    if before.is_empty() {
        return first;
    }
    touch(&first.digests.into_iter().filter(|(path, _)| before.contains(&path.as_str())).collect())
}

#[test]
fn hostile_patterns_end_soon() {
    let _alone = given::alone();
    let ten = "{0,1,2,3,4,5,6,7,8,9}";
    let nested = |depth: usize| format!("{}a{}", "{a,".repeat(depth), "}".repeat(depth));
    let patterns = [
        ten.repeat(4),
        ten.repeat(40),
        "{a,b}".repeat(200),
        nested(8),
        nested(200),
        "{".repeat(1_000),
        "{}".repeat(500),
        "**/".repeat(300),
        "*a".repeat(500),
        "[a-z]*".repeat(150),
        format!("{{{}}}", "a,".repeat(500)),
        format!("{{{}}}", "*,".repeat(499)),
    ];
    let path = format!("{}b", "a/".repeat(2_000));
    let name = "a".repeat(4_000);
    let started = Instant::now();
    for pattern in &patterns {
        // Each alone, and all in one rule.
        if let Ok(glob) = Glob::read(pattern, &mut GlobLimits::default()) {
            std::hint::black_box((glob.matches(&path), glob.matches(&name)));
        }
    }
    let quoted: String = patterns.iter().map(|pattern| format!("  - \"{pattern}\"\n")).collect();
    let world = world(&[("/p/.git/HEAD", ""), ("/p/.claude/rules/a.md", &format!("---\npaths:\n{quoted}---\nBomb."))]);
    let bombs = touched(&world, "/p", &[&path, &name], &[]);
    assert!(started.elapsed() < Duration::from_secs(10), "{:?}", started.elapsed());
    assert!(bombs.diagnostics.iter().any(|finding| finding.code == Code::BadPattern));
}

#[test]
fn patterns_that_take_long_are_given_up_and_that_is_reported() {
    let _alone = given::alone();
    let (name, slow) = ("a".repeat(4_000), format!("*{}b", "a".repeat(1_000)));
    let rule = format!("---\npaths:\n{}---\nSlow.", format!("  - \"{slow}\"\n").repeat(40));
    let quick = "---\npaths: \"*.rs\"\n---\nQuick.";
    let world = world(&[
        ("/p/.git/HEAD", ""),
        ("/p/.claude/rules/a.md", quick),
        ("/p/.claude/rules/slow-1.md", &rule),
        ("/p/.claude/rules/slow-2.md", &rule),
        ("/p/.claude/rules/slow-3.md", &rule),
        ("/p/a.rs", ""),
        (&format!("/p/{name}"), ""),
    ]);
    let started = Instant::now();
    let touched = touched(&world, "/p", &[&name, "a.rs"], &[]);
    assert_eq!(labels(Some(&touched.files)), [".claude/rules/a.md"], "what was matched before holds");
    let reported: Vec<&str> = touched.diagnostics.iter().map(|reported| reported.message.as_str()).collect();
    assert_eq!(reported, ["the patterns of the rules take too long to match: the rest is not matched with the paths"]);

    let mut situation = situation(&world, "/p", "");
    situation.survey = Survey::Project;
    let discovery = discover(&world, &situation.situation(), [&given::name("instructions:files")]);
    let reported: Vec<&str> = discovery.diagnostics.iter().map(|reported| reported.message.as_str()).collect();
    assert_eq!(
        reported,
        ["the patterns of the rules take too long to match: the rest of the project is not searched for what they \
          match, nor for nested instruction files"],
        "and no rule is said to match nothing"
    );
    assert!(started.elapsed() < Duration::from_secs(60), "{:?}", started.elapsed());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    /// No pattern panics or takes more than it may, and one that is every file matches every path.
    #[test]
    fn every_pattern_is_read_or_refused(pieces in prop::collection::vec(prop::sample::select(vec![
        "*", "**", "/", "?", "[", "]", "[!", "{", "}", ",", "\\", "a", "b", ".", "é", "!", "-", " ", "{a,b}", "[a-z]", "./",
    ]), 0..40), path in prop::collection::vec("[abé]{1,3}", 1..5)) {
        let pattern: String = pieces.concat();
        let path = path.join("/");
        let mut limits = GlobLimits { patterns: 1, alternatives: 8 };
        if let Ok(glob) = Glob::read(&pattern, &mut limits) {
            prop_assert_eq!(glob.written(), pattern.trim());
            prop_assert_eq!(limits.patterns, 0);
            prop_assert!(glob.matches(&path) || !glob.is_everything(), "{} {}", pattern, path);
        }
        prop_assert!(limits.alternatives <= 8);
    }

    /// A name is matched at any depth, a path from the directory down, and braces are either of their texts.
    #[test]
    fn plain_patterns_are_their_text(
        name in "[abé]{1,2}",
        other in "[abé]{1,2}",
        path in prop::collection::vec("[abé]{1,2}", 1..4),
    ) {
        let path = path.join("/");
        let matches = |pattern: &str| Glob::read(pattern, &mut GlobLimits::default()).unwrap().matches(&path);
        let last = path.rsplit('/').next().unwrap();
        prop_assert_eq!(matches(&name), last == name);
        prop_assert_eq!(matches(&format!("/{name}")), path == name);
        prop_assert_eq!(matches(&format!("{name}/{other}")), path == format!("{name}/{other}"));
        prop_assert_eq!(matches(&format!("{{{name},{other}}}")), last == name || last == other);
        prop_assert_eq!(matches(&format!("{name}/**")), path.starts_with(&format!("{name}/")));
    }

    /// A rule with any head is loaded, or listed, or told: never lost, and never a panic.
    #[test]
    fn every_head_has_its_answer(head in prop::collection::vec(prop::sample::select(vec![
        "paths", "globs", "applyTo", "alwaysApply", "description", "excludeAgent", ":", ": ", "\n", "- ", "  ", "[", "]", "\"",
        "'", "*", "**/*.ts", ",", "true", "null", "#", "&a", "*a", "{", "}", "---", "x",
    ]), 0..25)) {
        let text = format!("---\n{}\n---\nBODY\n", head.concat());
        let world = ["/p/.claude/rules/a.md", "/p/.cursor/rules/a.mdc", "/p/.github/instructions/a.instructions.md"]
            .iter()
            .fold(MemoryWorld::new().file("/p/.git/HEAD", ""), |world, path| world.file(*path, text.as_str()));
        let discovery = ask(&world, "/p", "");
        let loaded = discovery.report.loaded.len();
        let listed = discovery.report.not_loaded.iter().filter(|one| one.path.is_some()).count();
        prop_assert_eq!(loaded + listed, 3, "{}", reported(&discovery));
    }
}

#[test]
fn a_prompt_looks_into_the_directories_of_rules_and_no_further() {
    let files = [
        ("/p/.git/HEAD", ""),
        ("/p/AGENTS.md", "root"),
        ("/p/.claude/rules/a.md", "---\npaths: '*.rs'\n---\nx"),
        ("/p/src/a.rs", ""),
    ];
    let watched = Watched::new(world(&files));
    let mut situation = situation(&watched, "/p", "global = 'none'");
    let lists = |situation: &Parts| {
        watched.asked();
        discover(&watched, &situation.situation(), [&given::name("instructions:files")]);
        watched.asked().into_iter().filter(|question| question.starts_with("list ")).collect::<Vec<_>>()
    };
    let rules = ["/p/.antefix/rules", "/p/.claude/rules", "/p/.cursor/rules", "/p/.github/instructions"];
    let rules = rules.map(|directory| format!("list {directory}"));
    assert_eq!(lists(&situation), rules);
    situation.survey = Survey::Project;
    // What is searched is the project, and nothing hidden in it.
    let surveyed = [&rules[..], &["list /p/".to_owned(), "list /p/src".to_owned()]].concat();
    assert_eq!(lists(&situation), surveyed);
    // A layout without rules asks for none.
    situation.survey = Survey::Skip;
    situation.rules.instructions.rules.clear();
    assert_eq!(lists(&situation), Vec::<String>::new());
}

#[test]
fn origins_name_the_lines_of_the_file() {
    let rule = "---\npaths: '*.rs'\ntitle: x\n---\n\nfive is blank\n";
    let always = "---\ntitle: x\n---\nfour\n";
    let world = world(&[("/p/.git/HEAD", ""), ("/p/.claude/rules/a.md", rule), ("/p/.claude/rules/b.md", always)]);
    let line = |fact: &Answer<Value>, words: &str| {
        let Answer::Present(Value::Maps(maps)) = fact else { panic!("{fact:?}") };
        let piece = maps[0]["body"].pieces().next().unwrap().clone();
        assert_eq!(maps[0]["body"].as_str(), words);
        (piece.origin.path().unwrap().to_owned(), piece.origin.line().unwrap())
    };
    let asked = ask(&world, "/p", "");
    let fact = asked.facts.get(&given::name("instructions:files")).unwrap();
    assert_eq!(line(fact, "four"), (".claude/rules/b.md".to_owned(), 4));
    let touched = touched(&world, "/p", &["x.rs"], &[]);
    assert_eq!(line(&touched.files, "five is blank"), (".claude/rules/a.md".to_owned(), 6));
    // The notice keeps them, and its frame is the wording's.
    let text = notice(&touched, &Wording::built_in()).unwrap().unwrap();
    let origins: BTreeSet<&str> = text.pieces().map(|piece| piece.origin.kind()).collect();
    assert_eq!(origins, BTreeSet::from(["file", "wording"]));
}

#[test]
fn rules_stay_behind_the_files_of_their_directory_in_either_order() {
    let world = world(&[
        ("/p/.git/HEAD", ""),
        ("/p/AGENTS.md", "r"),
        ("/p/.claude/rules/a.md", "a"),
        ("/p/.claude/rules/b.md", "b"),
        ("/p/s/AGENTS.md", "s"),
        ("/p/s/.claude/rules/c.md", "c"),
    ]);
    let order = |rules: &str| labels(ask(&world, "/p/s", rules).facts.get(&given::name("instructions:files")));
    let root = ["AGENTS.md", ".claude/rules/a.md", ".claude/rules/b.md"];
    let near = ["s/AGENTS.md", "s/.claude/rules/c.md"];
    assert_eq!(order(""), [&root[..], &near[..]].concat());
    assert_eq!(order("order = 'nearest-first'"), [&near[..], &root[..]].concat());
}

#[test]
fn budgets_serve_the_nearest_rules_first() {
    let long = "x".repeat(700);
    let world =
        world(&[("/p/.git/HEAD", ""), ("/p/.claude/rules/far.md", &long), ("/p/s/.claude/rules/near.md", &long)]);
    let discovery = ask(&world, "/p/s", "total_budget = 800");
    assert_eq!(
        reported(&discovery),
        "+ s/.claude/rules/near.md 700\n\
         - .claude/rules/far.md: over-budget: its 700 bytes do not fit the budget\n\
         warning[over-budget]: .claude/rules/far.md is left out: all instruction files together may have 800 bytes \
         (shorten the files, or raise `total_budget` in the layout)\n"
    );
}

#[test]
fn what_was_said_before_is_not_said_again() {
    let world = world(&[
        ("/p/.git/HEAD", ""),
        ("/p/.claude/rules/a.md", "---\npaths: 's/**'\n---\na"),
        ("/p/s/AGENTS.md", "s"),
        ("/p/s/again.md", "x"),
    ]);
    let all = ["s/AGENTS.md", ".claude/rules/a.md"];
    let first = touched(&world, "/p", &["s/x"], &[]);
    assert_eq!(labels(Some(&first.files)), [".claude/rules/a.md", "s/AGENTS.md"]);
    let second = touched(&world, "/p", &["s/y"], &all[..1]);
    assert_eq!(labels(Some(&second.files)), [".claude/rules/a.md"]);
    assert_eq!(touched(&world, "/p", &["s/y"], &all).files, Answer::Absent);
    // In a directory that a layout does not walk from, what the working directory has is all there is.
    let mut alone = situation(&world, "/p", "walk = 'cwd'");
    let paths = [PathBuf::from("s/x")];
    assert_eq!(
        labels(Some(&touch(&world, &alone.situation(), &paths, &BTreeMap::new()).files)),
        [".claude/rules/a.md"]
    );
    // Nobody's text comes in through a touch that the prompt would withhold.
    alone.permissions.trust = Trust::Untrusted;
    let withheld = touch(&world, &alone.situation(), &paths, &BTreeMap::new());
    assert!(matches!(withheld.files, Answer::Unavailable(_)), "{:?}", withheld.files);
    assert_eq!(withheld.diagnostics.iter().map(|finding| finding.code).collect::<Vec<_>>(), [Code::Untrusted]);
}

#[test]
fn scans_end_at_their_bounds_and_say_so() {
    let reported = |world: &MemoryWorld| -> (usize, Vec<String>) {
        let discovery = ask(world, "/p", "total_budget = 1000000");
        let findings = discovery.diagnostics.iter().map(|finding| finding.message.clone()).collect();
        (discovery.report.loaded.len(), findings)
    };
    let project = || MemoryWorld::new().file("/p/.git/HEAD", "");
    let deep = format!("/p/.claude/rules/{}a.md", "d/".repeat(6));
    let deeper = format!("/p/.claude/rules/{}a.md", "d/".repeat(7));
    assert_eq!(reported(&project().file(deep, "x")), (1, vec![]));
    let message = ".claude/rules has directories more than 6 levels deep: the rest is not searched";
    assert_eq!(reported(&project().file(deeper, "x")), (0, vec![message.to_owned()]));
    let many = (0..501).fold(project(), |world, n| world.file(format!("/p/.claude/rules/{n:03}.md"), "x"));
    let message = ".claude/rules has more rules than the 500 that are read: the rest is not searched";
    assert_eq!(reported(&many), (500, vec![message.to_owned()]));
}

/// Escapes of YAML write what was not there when the file was checked.
#[test]
fn nothing_is_reported_that_escapes_write() {
    let token = "ghp_7Kq2Zx9LmN4pR8sT1vW3yB6cD5fG0hJkL2mQ";
    let escaped = token.replace("ghp_", "\\x67hp_");
    let rule = format!("---\npaths: [\"{escaped}/**\", \"a\\u200b\", \"src/**\"]\n---\nBody.\n");
    let twice = format!("---\n\"{escaped}\": a\n\"{escaped}\": b\n---\nBody.\n");
    let world = world(&[
        ("/p/.git/HEAD", ""),
        ("/p/.claude/rules/a.md", &rule),
        ("/p/.claude/rules/b.md", &twice),
        ("/p/.agents/skills/c/SKILL.md", &twice),
    ]);
    let mut situation = situation(&world, "/p", "");
    situation.rules.skills.roots = vec![".agents/skills".into()];
    let names = ["instructions:files", "skills:listing"].map(given::name);
    let discovery = discover(&world, &situation.situation(), &names);
    let all = format!("{discovery:?}");
    assert!(!all.contains(token) && !all.contains("hp_7Kq2") && !all.contains('\u{200b}'), "{all}");
    let reported: Vec<&str> = discovery.diagnostics.iter().map(|finding| finding.message.as_str()).collect();
    let why = "escapes in it write a secret or hidden characters";
    assert_eq!(
        reported,
        [
            format!(".claude/rules/a.md:2 has a pattern that is not used: {why}"),
            format!(".claude/rules/a.md:2 has a pattern that is not used: {why}"),
            format!(".claude/rules/b.md is not loaded: {why}"),
            format!(".agents/skills/c/SKILL.md is not loaded: {why}"),
        ]
    );
    // The rule waits for the pattern that it has left.
    let waits =
        discovery.report.not_loaded.iter().any(|not| not.why == Why::Scoped { patterns: vec!["src/**".to_owned()] });
    assert!(waits, "{:?}", discovery.report);
}

/// A rule with thousands of bad patterns says so in six lines.
#[test]
fn bad_patterns_do_not_flood() {
    let rule = format!("---\npaths:\n{}---\nx\n", "- \"[\"\n".repeat(5_000));
    let world = world(&[("/p/.git/HEAD", ""), ("/p/.claude/rules/a.md", &rule)]);
    let discovery = ask(&world, "/p", "");
    let reported: Vec<&str> = discovery.diagnostics.iter().map(|finding| finding.message.as_str()).collect();
    assert_eq!(reported.len(), 6, "{reported:?}");
    assert_eq!(reported[5], ".claude/rules/a.md has 4995 more patterns that cannot be used as they are");
}

/// A head that is slightly off is read, and does not make a rule that always holds.
#[test]
fn a_head_that_is_slightly_off_is_read() {
    let world = world(&[
        ("/p/.git/HEAD", ""),
        ("/p/.claude/rules/a.md", "--- \npaths: src/**\n---\nX\n"),
        ("/p/.claude/rules/b.md", "\n---\npaths: lib/**\n---\nY\n"),
        ("/p/.cursor/rules/c.mdc", "\n---\nglobs: *.js, *.ts\n---\nZ\n"),
    ]);
    let discovery = ask(&world, "/p", "");
    let waits: Vec<&Why> = discovery.report.not_loaded.iter().map(|not| &not.why).collect();
    let scoped = |patterns: &[&str]| Why::Scoped { patterns: patterns.iter().map(|one| (*one).to_owned()).collect() };
    assert_eq!(waits, [&scoped(&["src/**"]), &scoped(&["lib/**"]), &scoped(&["*.js", "*.ts"]), &Why::Absent]);
    let reported: Vec<&str> = discovery.diagnostics.iter().map(|finding| finding.message.as_str()).collect();
    let why = "its front matter has blanks before or after its lines `---`";
    assert_eq!(reported, [format!(".claude/rules/a.md: {why}"), format!(".claude/rules/b.md: {why}")]);
}

/// What is said of nested files is what touching brings.
#[test]
fn nested_files_are_listed_as_they_would_be_loaded() {
    let world = world(&[
        ("/p/.git/HEAD", ""),
        ("/p/a/AGENTS.md", ""),
        ("/p/a/CLAUDE.md", "a"),
        ("/p/b/AGENTS.md", "b"),
        ("/p/b/CLAUDE.md", "c"),
        ("/etc/passwd", "root"),
    ])
    .link("/p/d/AGENTS.md", "/etc/passwd");
    let mut situation = situation(&world, "/p", "names = ['AGENTS.md', 'CLAUDE.md']\nempty = 'skip'");
    situation.survey = Survey::Project;
    let discovery = discover(&world, &situation.situation(), [&given::name("instructions:files")]);
    let listed: Vec<(&str, &str)> =
        discovery.report.not_loaded.iter().filter_map(|not| Some((not.path.as_deref()?, not.why.name()))).collect();
    assert_eq!(
        listed,
        [
            ("a/CLAUDE.md", "nested"),
            ("a/AGENTS.md", "empty"),
            ("b/AGENTS.md", "nested"),
            ("b/CLAUDE.md", "shadowed"),
            ("d/AGENTS.md", "outside-root"),
        ]
    );
    assert_eq!(discovery.diagnostics, []);
}

/// A key that another program has for patterns says nothing here, and that is reported.
#[test]
fn keys_of_other_programs_are_reported() {
    let world = world(&[
        ("/p/.git/HEAD", ""),
        ("/p/.claude/rules/a.md", "---\nglobs: src/**\n---\nA.\n"),
        ("/p/.claude/rules/b.md", "---\npath: src/**\n---\nB.\n"),
        ("/p/.claude/rules/c.md", "---\ntitle: x\n---\nC.\n"),
        ("/p/.github/instructions/d.instructions.md", "---\npaths: src/**\n---\nD.\n"),
    ]);
    let discovery = ask(&world, "/p", "");
    let reported: Vec<String> = discovery.diagnostics.iter().map(ToString::to_string).collect();
    let always = |file: &str, key: &str, own: &str| {
        format!(
            "warning[bad-pattern]: {file} has `{key}`, which has no meaning here: the rule always applies (write `{own}`, if it is for some paths only)"
        )
    };
    assert_eq!(
        reported,
        [
            always(".claude/rules/a.md", "globs", "paths"),
            always(".claude/rules/b.md", "path", "paths"),
            always(".github/instructions/d.instructions.md", "paths", "applyTo"),
        ]
    );
}

/// What people write in their own language is neither hidden nor a secret.
#[test]
fn patterns_in_any_language_are_used() {
    let world = world(&[
        ("/p/.git/HEAD", ""),
        ("/p/.claude/rules/a.md", "---\npaths: [\"docs/日本/**\", \"src/größe/**\"]\n---\nA.\n"),
        ("/p/.claude/rules/b.md", "---\ngröße: 1\ngröße: 2\n---\nB.\n"),
    ]);
    let discovery = ask(&world, "/p", "");
    let reported: Vec<&str> = discovery.diagnostics.iter().map(|finding| finding.message.as_str()).collect();
    assert_eq!(reported, [".claude/rules/b.md is not loaded: error: line 3 column 1: duplicate mapping key: größe"]);
    let touched = touched(&world, "/p", &["docs/日本/a.md"], &[]);
    assert_eq!(labels(Some(&touched.files)), [".claude/rules/a.md"]);
}

/// A rule for what people write in hidden directories, or for what a link leads to, is not said to match nothing.
#[test]
fn rules_that_match_somewhere_are_not_called_dead() {
    let world = world(&[
        ("/p/.git/HEAD", ""),
        ("/p/.github/workflows/ci.yml", "x"),
        ("/p/vendor/a.go", "x"),
        ("/p/real/a.ts", "x"),
        ("/p/.claude/rules/a.md", "---\npaths: \"**/*.yml\"\n---\nA.\n"),
        ("/p/.claude/rules/b.md", "---\npaths: \"**/*.go\"\n---\nB.\n"),
        ("/p/.claude/rules/c.md", "---\npaths: \"apps/web/**/*.tsx\"\n---\nC.\n"),
        ("/p/.claude/rules/d.md", "---\npaths: \"docs/**/*.zig\"\n---\nD.\n"),
    ])
    .link("/p/apps/web", "../real");
    let mut situation = situation(&world, "/p", "");
    situation.survey = Survey::Project;
    let discovery = discover(&world, &situation.situation(), [&given::name("instructions:files")]);
    let listed: Vec<(&str, &str)> =
        discovery.report.not_loaded.iter().filter_map(|not| Some((not.path.as_deref()?, not.why.name()))).collect();
    let rule = |name: &'static str, why: &'static str| (name, why);
    assert_eq!(
        listed,
        [
            rule(".claude/rules/a.md", "scoped"),
            rule(".claude/rules/b.md", "scoped"),
            rule(".claude/rules/c.md", "scoped"),
            rule(".claude/rules/d.md", "never-matched"),
        ]
    );
}
