//! Every reason for which something is not loaded, each from a small project of its own.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use antefix::discover::instructions::InstructionRules;
use antefix::discover::rules::Survey;
use antefix::discover::skills::SkillRules;
use antefix::discover::tools::Tool;
use antefix::discover::trust::{Gate, Trust};
use antefix::discover::world::{Answer, Command, Kill, Output, ReasonCode, World};
use antefix::discover::{Workspace, discover};
use antefix::worlds::MemoryWorld;

use crate::given;
use crate::parts::Parts;

/// A project, a question, and what is answered: the path, and the reason.
struct Row {
    world: MemoryWorld,
    fact: &'static str,
    instructions: &'static str,
    tools: Option<&'static [&'static str]>,
    trust: Trust,
    /// What the agent reads by itself.
    read: Option<&'static str>,
    expected: (&'static str, &'static str),
}

fn project() -> MemoryWorld {
    MemoryWorld::new().file("/p/.git/HEAD", "").var("HOME", "/home/u")
}

fn row(world: MemoryWorld, fact: &'static str, expected: (&'static str, &'static str)) -> Row {
    Row { world, fact, instructions: "", tools: None, trust: Trust::Trusted, read: None, expected }
}

fn rows() -> Vec<Row> {
    let files = "instructions:files";
    let branch: &[&str] = &["git", "rev-parse", "--verify", "--abbrev-ref", "HEAD"];
    let died = Output { code: Some(1), stdout: Vec::new(), more: false, stderr: b"fatal: broken".to_vec() };
    let skill = |head: &str| project().file("/p/.agents/skills/x/SKILL.md", format!("---\n{head}\n---\n"));
    let rule = |path: &str, head: &str| project().file(format!("/p/{path}"), format!("---\n{head}\n---\na\n"));
    let hidden = "a\u{e0069}\u{e0067}b";
    vec![
        row(project(), files, ("-", "absent")),
        row(project(), "git:brunch", ("-", "unknown")),
        row(project().file("/p/AGENTS.md", "a").file("/p/CLAUDE.md", "b"), files, ("CLAUDE.md", "shadowed")),
        Row {
            instructions: "take = \"each\"",
            ..row(
                project().file("/p/AGENTS.md", "a").link("/p/CLAUDE.md", "AGENTS.md"),
                files,
                ("CLAUDE.md", "duplicate"),
            )
        },
        row(project().file("/p/AGENTS.md", " \n"), files, ("AGENTS.md", "empty")),
        Row {
            instructions: "never = [\"agents\"]",
            ..row(project().file("/p/AGENTS.md", "a"), files, ("AGENTS.md", "refused"))
        },
        row(project().file("/AGENTS.md", "a"), files, ("/AGENTS.md", "above-root")),
        row(project().file("/p/.antefix/SYSTEM.md", "a"), files, (".antefix/SYSTEM.md", "no-section")),
        Row {
            instructions: "exclude = [\"*.md\"]",
            ..row(project().file("/p/AGENTS.md", "a"), files, ("AGENTS.md", "left-out"))
        },
        Row {
            read: Some("/p/AGENTS.md"),
            ..row(project().file("/p/AGENTS.md", "a"), files, ("AGENTS.md", "read-by-agent"))
        },
        Row {
            instructions: "total_budget = 10",
            ..row(project().file("/p/AGENTS.md", "a long file"), files, ("AGENTS.md", "over-budget"))
        },
        row(
            skill("name: x\ndescription: d\ndisable-model-invocation: true"),
            "skills:listing",
            (".agents/skills/x/SKILL.md", "disabled"),
        ),
        Row {
            tools: Some(&["edit"]),
            ..row(skill("name: x\ndescription: d"), "skills:listing", (".agents/skills", "tool-missing"))
        },
        row(skill("name: x"), "skills:listing", (".agents/skills/x/SKILL.md", "invalid")),
        row(
            skill("name: x\ndescription: d").file("/p/.agents/skills/.gitignore", "x/\n"),
            "skills:listing",
            (".agents/skills/x/SKILL.md", "ignored"),
        ),
        row(project().file("/p/AGENTS.md/x", "a"), files, ("AGENTS.md", "not-a-regular-file")),
        row(project().file("/secret.md", "a").link("/p/AGENTS.md", "/secret.md"), files, ("AGENTS.md", "outside-root")),
        row(project().unreadable("/p/AGENTS.md", ReasonCode::NotPermitted), files, ("AGENTS.md", "not-permitted")),
        row(project().unreadable("/p/AGENTS.md", ReasonCode::Machine), files, ("AGENTS.md", "machine")),
        row(project().file("/p/.env", "a").link("/p/AGENTS.md", ".env"), files, ("AGENTS.md", "secret")),
        row(project().file("/p/AGENTS.md", [255, 254, 0]), files, ("AGENTS.md", "not-utf8")),
        row(project().file("/p/AGENTS.md", "a\0b"), files, ("AGENTS.md", "binary")),
        row(project().file("/p/AGENTS.md", hidden), files, ("AGENTS.md", "hidden-text")),
        Row { trust: Trust::Untrusted, ..row(project().file("/p/AGENTS.md", "a"), files, ("AGENTS.md", "untrusted")) },
        Row {
            trust: Trust::Untrusted,
            ..row(project().file("/p/.claude/rules/a.md", "a"), files, (".claude/rules/a.md", "untrusted"))
        },
        row(rule(".antefix/rules/a.md", "").foreign("/p/.antefix"), files, (".antefix/rules", "foreign-owner")),
        row(rule(".claude/rules/a.md", "paths: \"x/**\"").file("/p/x/y", ""), files, (".claude/rules/a.md", "scoped")),
        row(rule(".claude/rules/a.md", "paths: \"x/**\""), files, (".claude/rules/a.md", "never-matched")),
        row(project().file("/p/x/AGENTS.md", "a"), files, ("x/AGENTS.md", "nested")),
        row(rule(".cursor/rules/a.mdc", "description: d"), files, (".cursor/rules/a.mdc", "on-request")),
        row(rule(".cursor/rules/a.mdc", "globs:"), files, (".cursor/rules/a.mdc", "by-hand")),
        row(
            rule(".github/instructions/a.instructions.md", "applyTo: a\nexcludeAgent: coding-agent"),
            files,
            (".github/instructions/a.instructions.md", "excluded"),
        ),
        row(project().var("X", "a"), "env:X", ("-", "not-allowed")),
        row(project().program(branch, Answer::unavailable(ReasonCode::TimedOut, "")), "git:branch", ("-", "timed-out")),
        row(project(), "git:branch", ("-", "not-installed")),
        row(project().program(branch, Answer::Present(died)), "git:branch", ("-", "failed")),
    ]
}

#[test]
fn every_reason_can_be_met_and_is_reported_with_its_path() {
    for row in rows() {
        let mut situation = Parts::new(Workspace::find(&row.world, Path::new("/p")));
        situation.rules.instructions = toml::from_str::<InstructionRules>(row.instructions).unwrap();
        situation.rules.skills = SkillRules::default();
        situation.caller.tools = row.tools.map(|tools| tools.iter().map(|tool| Tool::named(*tool)).collect());
        situation.caller.reads.paths = row.read.map(PathBuf::from).into_iter().collect();
        situation.permissions.trust = row.trust;
        situation.survey = Survey::Project;
        let report = discover(&row.world, &situation.situation(), [&given::name(row.fact)]).report;
        let reported = report.not_loaded.iter().map(|one| (one.path.as_deref().unwrap_or("-"), one.why.name()));
        let reported: Vec<_> = reported.collect();
        assert!(reported.contains(&row.expected), "{:?}: {reported:?}", row.expected);
    }
}

/// The names are written in two tables of the library; whoever adds one adds a row here.
#[test]
fn no_reason_is_without_a_row() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/discover");
    let mut known = BTreeSet::new();
    for (file, begin) in [("report.rs", "Why::"), ("world.rs", "ReasonCode::")] {
        let text = std::fs::read_to_string(folder.join(file)).unwrap();
        let body = text.split("pub fn name(").nth(1).unwrap().split("\n    }\n").next().unwrap();
        let named = body.lines().filter(|line| line.trim_start().starts_with(begin));
        known.extend(named.filter_map(|line| Some(line.split('"').nth(1)?.to_owned())));
    }
    let met: BTreeSet<String> = rows().iter().map(|row| row.expected.1.to_owned()).collect();
    assert!(known.len() > 20, "{known:?}");
    assert_eq!(known, met);
}

#[test]
fn a_program_of_the_users_own_runs_at_home_and_none_in_the_project() {
    let said = Output { code: Some(0), stdout: b"mine".to_vec(), more: false, stderr: Vec::new() };
    let world = project().program(&["memory"], Answer::Present(said.clone()));
    let workspace = Workspace::find(&world, Path::new("/p"));
    let gate = Gate::new(&world, &workspace, &[], Trust::Untrusted);
    let run = |cwd: &str| {
        gate.run(&Command {
            program: "memory".to_owned(),
            args: Vec::new(),
            env: Vec::new(),
            cwd: cwd.into(),
            stdin: Vec::new(),
            time_limit: Duration::from_secs(1),
            output_limit: 100,
            kill: Kill::Group,
        })
    };
    assert_eq!(run("/home/u"), Answer::Present(said));
    assert_eq!(run("/p/sub"), Answer::unavailable(ReasonCode::Untrusted, ""));
}
