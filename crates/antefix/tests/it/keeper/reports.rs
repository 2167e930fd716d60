//! What a turn reports: the files that are in the prompt, and what is missing.

use antefix::Diagnostic;
use antefix::diagnostic::{Code, Subject};
use antefix::discover::{ReasonCode, Report};
use antefix::freeze::Cause;
use antefix::keeper::Turn;
use antefix::models::Models;
use antefix::worlds::MemoryWorld;

use super::{Talk, project};

fn layout(budget: usize, stability: &str) -> String {
    format!(
        r#"
budget = {budget}
cut = ["files"]
[instructions]
global = "none"
[[section]]
id = "base"
stability = "frozen"
text = "Base."
[[section]]
id = "files"
stability = "{stability}"
text = "{{% for one in instructions.files %}}{{{{ one.body }}}}{{% endfor %}}"
"#
    )
}

/// 1000 bytes that the working directory does not need, and 500 that it does.
fn world() -> MemoryWorld {
    project().file("/p/AGENTS.md", "o".repeat(1000)).file("/p/a/AGENTS.md", "i".repeat(500))
}

fn files(report: &Report) -> Vec<String> {
    let loaded = report.loaded.iter().filter_map(|loaded| Some((loaded.path.as_ref()?, loaded.bytes.to_string())));
    let not = report.not_loaded.iter().filter_map(|not| Some((not.path.as_ref()?, not.why.name().to_owned())));
    loaded.chain(not).map(|(path, what)| format!("{path} {what}")).collect()
}

/// 5 + 1500 bytes are there. A cut file ends in 44 bytes of a notice; one that would have less than 500 is dropped.
#[test]
fn a_turn_reports_what_the_budget_of_the_prompt_left() {
    let rows: [(usize, [&str; 2]); 4] = [
        (1505, ["AGENTS.md 1000", "a/AGENTS.md 500"]),
        (1405, ["AGENTS.md 856", "a/AGENTS.md 500"]),
        (905, ["a/AGENTS.md 500", "AGENTS.md over-budget"]),
        (105, ["AGENTS.md over-budget", "a/AGENTS.md over-budget"]),
    ];
    for (budget, expected) in rows {
        for stability in ["frozen", "live"] {
            let talk = Talk { cwd: "/p/a", ..Talk::new(&layout(budget, stability)) };
            assert_eq!(files(&talk.turn(&world()).report), expected, "{budget} {stability}, opening");
            let draft = talk.draft(&world());
            assert_eq!(files(draft.report()), expected, "{budget} {stability}, a draft");
            if stability == "live" {
                assert_eq!(files(&talk.turn(&world()).report), expected, "{budget}, standing");
                let rehearsed = talk.at(&world(), |conversation| conversation.rehearse(&draft, &talk.ask()));
                assert_eq!(files(&rehearsed.unwrap().report), expected, "{budget}, rehearsed");
            }
        }
    }
}

/// A fact that nobody but the prompt misses is a finding of every turn that goes without it, and of the epoch's record.
#[test]
fn a_turn_reports_its_gaps() {
    let unreadable = project().unreadable("/p/AGENTS.md", ReasonCode::NotPermitted);
    let gaps = |turn: &Turn| -> Vec<String> {
        let gaps = turn.diagnostics.iter().filter(|finding| finding.code == Code::Gap);
        gaps.map(|finding| finding.message.clone()).collect()
    };
    let message = "section `files` is composed without `instructions:files`: permission denied";
    for stability in ["frozen", "live"] {
        let talk = Talk::new(
            &layout(9000, stability).replace("id = \"files\"", "id = \"files\"\nonly_if = [\"instructions:files\"]"),
        );
        let opening = talk.turn(&unreadable);
        assert_eq!(gaps(&opening), [message], "{stability}, opening");
        let record = &opening.epoch.as_ref().unwrap().body().diagnostics;
        assert_eq!(record.iter().filter(|finding| finding.code == "gap").count(), 1, "{stability}");
        let standing: &[&str] = if stability == "live" { &[message] } else { &[] };
        assert_eq!(gaps(&talk.turn(&unreadable)), standing, "{stability}, standing");
    }
}

/// What is known of a prefix and its model is a finding of the turn that its epoch begins with, and of nobody's record: another
/// conversation may share the record and be for another model.
#[cfg(feature = "tokens")]
#[test]
fn a_turn_reports_a_prefix_that_is_too_short_for_the_models_cache() {
    let layout = "[[section]]\nid = 'base'\nstability = 'frozen'\ntext = 'Base.'\n";
    for (model, code) in [("gpt-5", Code::BelowCacheMinimum), ("made-up", Code::UnknownModel)] {
        let talk = Talk { model: Some(model.to_owned()), ..Talk::new(layout) };
        let codes = |findings: &[Diagnostic]| findings.iter().map(|finding| finding.code).collect::<Vec<_>>();
        let draft = talk.at(&project(), |conversation| conversation.project().draft(talk.ask())).unwrap();
        assert_eq!(codes(draft.diagnostics()), [code]);
        let opening = talk.turn(&project());
        assert_eq!(opening.diagnostics, Models::built_in().findings(model, "Base."));
        assert_eq!(codes(&opening.diagnostics), [code]);
        assert!(opening.epoch.unwrap().body().diagnostics.is_empty());
        assert_eq!(codes(&talk.turn(&project()).diagnostics), [], "the epoch began before");
        let renewed = talk.try_renew(&project(), Cause::Requested);
        assert_eq!(codes(&renewed.unwrap().diagnostics), [code]);
        let drift = talk.at(&project(), |conversation| conversation.drift(talk.ask()));
        assert_eq!(codes(&drift.unwrap().diagnostics), [code]);
    }
}

/// The findings about files, as `code path`.
fn about_files(head: &str, text: &str, world: MemoryWorld) -> String {
    let section = format!("[[section]]\nid = 's'\nstability = 'frozen'\ndialect = 'bracket'\ntext = '{text}'\n");
    let intro = "[[section]]\nid = 'intro'\nstability = 'fixed'\ntext = 'Intro.'\n";
    let budget = head.strip_prefix("own ").unwrap_or_default();
    let head = if budget.is_empty() { head } else { "" };
    let turn = Talk::new(&format!("{head}\n{intro}{section}{budget}\n")).turn(&world);
    let found = turn.diagnostics.iter().filter_map(|finding| {
        let path = finding.about.as_ref().and_then(Subject::path)?;
        assert!(finding.place.is_some() || finding.message.contains(path), "{finding}");
        Some(format!("{} {path}", finding.code))
    });
    found.collect::<Vec<_>>().join(", ")
}

#[test]
fn a_finding_about_a_file_names_it() {
    let file = |path: &str, text: &str| project().file(format!("/p/{path}"), text);
    let long = || file("a.md", &"a".repeat(600));
    let token = format!("ghp_{}", "Zq7Rw2Lx9Tb4".repeat(3));
    let rows = [
        // A section's own budget: where the cut falls, and what lies behind it.
        ("own budget = 100", "[file:a.md]", long(), "cut a.md"),
        ("own budget = 100", "[file:a.md][file:b.md]", long().file("/p/b.md", "b"), "cut a.md, over-budget b.md"),
        ("own budget = 100", "[instructions:files]", file("AGENTS.md", &"a".repeat(600)), "cut AGENTS.md"),
        // The budget of the whole prompt: some of the file stays, or nothing.
        ("budget = 500", "[file:a.md]", long(), "cut a.md"),
        ("budget = 100", "[file:a.md]", long(), "over-budget a.md"),
        // What is looked for in texts.
        ("", "[file:a.md]", file("a.md", "a\u{202e}b"), "hidden-text a.md, file-unavailable a.md"),
        ("", "[file:a.md]", file("a.md", &token), "secret a.md"),
        ("", "[instructions:files]", file("AGENTS.md", &token), "secret AGENTS.md"),
        // What is not read.
        ("", "[file:a.md]", project().unreadable("/p/a.md", ReasonCode::NotPermitted), "file-unavailable a.md"),
        ("", "[file:.env]", file(".env", "A=1"), "file-unavailable .env"),
        ("", "[file:../a.md]", project(), "file-unavailable ../a.md"),
        ("", "[instructions:files]", file(".claude/rules/a.md", "---\n"), "invalid-rule .claude/rules/a.md"),
        ("", "[skills:listing]", file(".agents/skills/x/SKILL.md", "x"), "skill .agents/skills/x/SKILL.md"),
    ];
    for (head, text, world, expected) in rows {
        assert_eq!(about_files(head, text, world), expected, "{head} {text}");
    }
}

#[test]
fn of_many_files_that_a_cut_takes_the_first_are_named() {
    let text: String = ('a'..='h').map(|name| format!("[file:{name}.md]")).collect();
    let layout =
        format!("[[section]]\nid = 's'\nstability = 'frozen'\ndialect = 'bracket'\nbudget = 100\ntext = '{text}'\n");
    let world = ('a'..='h').fold(project(), |world, name| world.file(format!("/p/{name}.md"), "x".repeat(60)));
    let turn = Talk::new(&layout).turn(&world);
    let found: Vec<String> = turn.diagnostics.iter().map(|finding| finding.to_string()).collect();
    let why = "section `s` has 480 bytes and a budget of 100: its last 424 bytes are left out (shorten the file, or raise \
               the budget)";
    let mut expected = vec![format!("warning[cut]: a.md is cut: {why}")];
    expected.extend(('b'..='e').map(|name| format!("warning[over-budget]: {name}.md is left out: {why}")));
    expected.push(format!("warning[cut]: 3 more files are cut or left out: {why}"));
    assert_eq!(found, expected);
}
