//! Traps that files for agents lay, one row each: a project that has it, and what is said of it. The numbers are those of the
//! list that the rows were written from.

use antefix::project::AgentsReport;
use antefix::worlds::MemoryWorld;
use antefix::{Antefix, Level};

const RULE: &str = "Run the tests before every commit, and say what you changed and why.";
const OTHER: &str = "Never touch the generated files of this repository, whatever anybody says.";

/// A project, where agents are started in it, and a finding: its level, code and message.
struct Trap {
    number: usize,
    files: &'static [(&'static str, &'static str)],
    cwd: &'static str,
    found: (Level, &'static str, &'static str),
}

const fn trap(
    number: usize,
    files: &'static [(&'static str, &'static str)],
    cwd: &'static str,
    found: (Level, &'static str, &'static str),
) -> Trap {
    Trap { number, files, cwd, found }
}

use Level::{Note, Warning};

const TRAPS: &[Trap] = &[
    trap(
        1,
        &[("/home/u/r/.git/HEAD", ""), ("/home/u/r/AGENTS.md", RULE), ("/home/u/CLAUDE.md", OTHER)],
        "/home/u/r",
        (
            Warning,
            "agent-shadowed",
            "AGENTS.md (68 bytes) is not read by Claude Code: ~/CLAUDE.md comes first, with 74 bytes",
        ),
    ),
    trap(
        2,
        &[("/r/.git/HEAD", ""), ("/r/AGENTS.md", RULE), ("/r/sub/CLAUDE.md", OTHER)],
        "/r/sub",
        (
            Warning,
            "agent-shadowed",
            "AGENTS.md (68 bytes) is not read by Claude Code: sub/CLAUDE.md comes first, with 74 bytes",
        ),
    ),
    trap(
        3,
        &[("/r/.git/HEAD", ""), ("/r/AGENTS.md", RULE), ("/r/sub/CLAUDE.md", OTHER)],
        "/r/sub",
        (
            Warning,
            "agent-shadowed",
            "sub/CLAUDE.md (74 bytes) is not read by opencode and Kilo: AGENTS.md comes first, with 68 bytes",
        ),
    ),
    trap(
        4,
        &[("/r/.git/HEAD", ""), ("/r/AGENTS.md", RULE), ("/r/AGENTS.override.md", "")],
        "/r",
        (
            Warning,
            "agent-shadowed",
            "AGENTS.md (68 bytes) is not read by Codex CLI and pi: AGENTS.override.md is empty, and comes first",
        ),
    ),
    trap(
        8,
        &[("/r/.git/HEAD", ""), ("/r/AGENTS.md", RULE), ("/r/sub/x", "")],
        "/r/sub",
        (
            Warning,
            "agent-unread",
            "AGENTS.md of the project root is not read by Cline CLI, Crush and Roo Code, which look in sub alone",
        ),
    ),
    trap(
        9,
        &[
            ("/r/.git/HEAD", ""),
            ("/r/.agents/skills/s/SKILL.md", "---\nname: s\ndescription: d\n---\n"),
            ("/r/sub/x", ""),
        ],
        "/r/sub",
        (
            Warning,
            "agent-skill",
            "Gemini CLI, Qwen Code, goose and Roo Code look for skills in the working directory alone: not for .agents/skills/s/SKILL.md",
        ),
    ),
    trap(
        10,
        &[("/home/u/ws/r/.git/HEAD", ""), ("/home/u/ws/AGENTS.md", RULE)],
        "/home/u/ws/r",
        (
            Note,
            "agent-above-root",
            "~/ws/AGENTS.md is above the project and is read by Claude Code, Qwen Code, pi and Amp",
        ),
    ),
    trap(
        11,
        &[("/r/.git/HEAD", ""), ("/r/AGENTS.md", RULE)],
        "/r",
        (Note, "agent-unread", "AGENTS.md is given to 23 of 25 agents; not to Gemini CLI and Aider"),
    ),
    trap(
        12,
        &[("/r/.git/HEAD", ""), ("/r/AGENTS.md", RULE), ("/r/CLAUDE.md", RULE)],
        "/r",
        (
            Warning,
            "agent-twice",
            "Factory droid, Crush, Grok, OpenHands and Copilot in VS Code are told one text twice, in AGENTS.md and CLAUDE.md",
        ),
    ),
    trap(
        13,
        &[("/r/.git/HEAD", ""), ("/r/AGENTS.md", RULE), ("/r/sub/AGENTS.md", OTHER)],
        "/r/sub",
        (
            Note,
            "agent-order",
            "opencode, Factory droid and Kilo print AGENTS.md behind sub/AGENTS.md: what is farther away has the last word",
        ),
    ),
    trap(
        13,
        &[("/r/.git/HEAD", ""), ("/r/AGENTS.md", RULE), ("/r/sub/QWEN.md", OTHER)],
        "/r/sub",
        (Note, "agent-order", "Qwen Code prints AGENTS.md behind sub/QWEN.md: what is farther away has the last word"),
    ),
    trap(
        14,
        &[
            ("/r/.git/HEAD", ""),
            ("/r/.agents/skills/h/SKILL.md", "---\nname: h\ndescription: d\ndisable-model-invocation: true\n---\n"),
        ],
        "/r",
        (
            Warning,
            "agent-skill",
            ".agents/skills/h/SKILL.md hides itself from the model, and Codex CLI, Gemini CLI, opencode, Cline CLI and Kilo offer it all the same",
        ),
    ),
    trap(
        15,
        &[
            ("/r/.git/HEAD", ""),
            ("/r/.codex/skills/s/SKILL.md", "---\nname: s\ndescription: d\n---\n"),
            ("/r/.codex/skills/s/agents/openai.yaml", "policy:\n  allow_implicit_invocation: false\n"),
        ],
        "/r",
        (
            Note,
            "agent-skill",
            ".codex/skills/s/agents/openai.yaml keeps .codex/skills/s/SKILL.md from the model, and Warp offers it all the same",
        ),
    ),
    trap(
        16,
        &[("/r/.git/HEAD", ""), ("/r/.github/skills/s/SKILL.md", "---\nname: s\ndescription: to: do\n---\n")],
        "/r",
        (Warning, "agent-skill", ".github/skills/s/SKILL.md is not listed by Copilot CLI: "),
    ),
    trap(
        17,
        &[
            ("/r/.git/HEAD", ""),
            ("/r/.claude/skills/s/SKILL.md", "---\nname: s\ndescription: d\n---\n"),
            ("/home/u/.claude/skills/s/SKILL.md", "---\nname: s\ndescription: mine\n---\n"),
        ],
        "/r",
        (
            Warning,
            "agent-skill",
            ".claude/skills/s/SKILL.md is not listed by Claude Code: your own ~/.claude/skills/s/SKILL.md has its name",
        ),
    ),
    trap(
        18,
        &[
            ("/r/.git/HEAD", ""),
            ("/r/.claude/skills/s/SKILL.md", "---\nname: s\ndescription: d\n---\n"),
            ("/r/.agents/skills/s/SKILL.md", "---\nname: s\ndescription: e\n---\n"),
        ],
        "/r",
        (Note, "agent-skill", "opencode takes one of several skills of a name at random (1 name here)"),
    ),
    trap(
        19,
        &[
            ("/r/.git/HEAD", ""),
            ("/r/.codex/skills/s/SKILL.md", "---\nname: s\ndescription: d\n---\n"),
            ("/r/.agents/skills/s/SKILL.md", "---\nname: s\ndescription: e\n---\n"),
        ],
        "/r",
        (Note, "agent-skill", "Codex CLI lists a skill more than once: one name is in several roots"),
    ),
    trap(
        21,
        &[("/r/.git/HEAD", ""), ("/r/.claude/rules/a.md", RULE), ("/r/.claude/rules/b.md", OTHER)],
        "/r",
        (Note, "agent-order", "Claude Code prints files in the order of the file system: two machines, two prompts"),
    ),
    trap(
        22,
        &[("/r/.git/HEAD", ""), ("/r/AGENTS.md", RULE), ("/r/CLAUDE.md", OTHER)],
        "/r",
        (
            Note,
            "agent-order",
            "Crush and Copilot in VS Code print files in an order that is not promised, or another one at every start: caches miss",
        ),
    ),
    trap(
        24,
        &[("/r/.git/HEAD", ""), ("/r/AGENTS.md", RULE), ("/r/CLAUDE.md", "@AGENTS.md"), ("/r/sub/x", "")],
        "/r/sub",
        (
            Warning,
            "agent-import",
            "`@AGENTS.md` in CLAUDE.md:1 is not imported: it is outside the working directory, for Claude Code",
        ),
    ),
    trap(
        25,
        &[("/r/.git/HEAD", ""), ("/r/AGENTS.md", "See @docs/a.md."), ("/r/docs/a.md", RULE)],
        "/r",
        (Note, "agent-import", "`@docs/a.md` in AGENTS.md is only text to Codex CLI, opencode, pi, Cline CLI, "),
    ),
    trap(
        26,
        &[("/r/.git/HEAD", ""), ("/r/AGENTS.md", "<!-- was: @old.md -->\nNow."), ("/r/old.md", RULE)],
        "/r",
        (
            Warning,
            "agent-import",
            "Qwen Code, Copilot CLI, Amp and goose import `@old.md` from inside a comment of AGENTS.md",
        ),
    ),
    trap(
        27,
        &[("/r/.git/HEAD", ""), ("/r/AGENTS.md", RULE), ("/r/CLAUDE.md", "@AGENTS.md")],
        "/r",
        (Warning, "agent-twice", "Copilot CLI is told one text twice, in AGENTS.md and CLAUDE.md"),
    ),
    trap(
        28,
        &[("/r/.git/HEAD", ""), ("/r/.claude/rules/a.md", "---\npaths: ./src/**\n---\nUse tabs.")],
        "/r",
        (
            Warning,
            "agent-rule",
            ".claude/rules/a.md: the pattern `./src/**`: it is not used: in this form it matches nothing, with Claude Code; ",
        ),
    ),
    trap(
        28,
        &[("/r/.git/HEAD", ""), ("/r/.qwen/rules/a.md", "---\npaths: src/\n---\nUse tabs.")],
        "/r",
        (
            Warning,
            "agent-rule",
            ".qwen/rules/a.md: the pattern `src/`: it is not used: in this form it matches nothing, with Qwen Code",
        ),
    ),
    trap(
        29,
        &[("/r/.git/HEAD", ""), ("/r/.github/instructions/a.instructions.md", "---\ndescription: d\n---\nUse tabs.")],
        "/r",
        (
            Note,
            "agent-rule",
            ".github/instructions/a.instructions.md means different things to agents: it always applies with Copilot CLI; it waits until a person names it with Copilot in VS Code",
        ),
    ),
    trap(
        30,
        &[("/r/.git/HEAD", ""), ("/r/.clinerules/a.md", RULE), ("/r/.cline/rules/a.md", OTHER)],
        "/r",
        (
            Warning,
            "agent-shadowed",
            ".clinerules/a.md (68 bytes) is not read by Cline CLI: .cline/rules/a.md comes first, with 74 bytes",
        ),
    ),
    trap(
        31,
        &[("/r/.git/HEAD", ""), ("/r/agents.md", RULE)],
        "/r",
        (Warning, "agent-unread", "agents.md is written in other letters than agents expect: only Copilot CLI, "),
    ),
    trap(
        32,
        &[("/r/.git/HEAD", ""), ("/r/.claude/CLAUDE.md", RULE)],
        "/r",
        (
            Warning,
            "agent-unread",
            ".claude/CLAUDE.md is not read by Copilot CLI: between the project root and the working directory it would be",
        ),
    ),
    trap(
        33,
        &[
            ("/r/.git/HEAD", ""),
            ("/r/AGENTS.md", RULE),
            ("/home/u/.config/antefix/settings.toml", "untrusted_text = 'withhold'"),
        ],
        "/r",
        (Warning, "agent-trust", "you do not trust this project, and Claude Code, Codex CLI, Qwen Code, "),
    ),
    trap(
        34,
        &[("/r/.git/HEAD", ""), ("/r/.claude/skills/s/SKILL.md", "---\nname: s\ndescription: d\n---\n")],
        "/r",
        (Note, "agent-skill", "skills in .claude/skills/ are listed by "),
    ),
    trap(
        35,
        &[
            ("/r/.git/HEAD", ""),
            ("/r/.aider.conf.yml", "read:\n  - CONVENTIONS.md\n"),
            ("/r/CONVENTIONS.md", RULE),
            ("/r/sub/x", ""),
        ],
        "/r/sub",
        (
            Warning,
            "agent-unread",
            "CONVENTIONS.md of the project root is not read by Aider, which looks in sub alone, though `read` in .aider.conf.yml names it",
        ),
    ),
    trap(
        36,
        &[("/r/.git/HEAD", ""), ("/r/AGENTS.md", RULE), ("/r/sub/AGENTS.md", OTHER)],
        "/r/sub",
        (
            Note,
            "agent-text",
            "Codex CLI, Copilot CLI and goose print 2 files without their names: the model cannot tell which directory each is about",
        ),
    ),
    trap(
        37,
        &[("/r/.git/HEAD", ""), ("/r/AGENTS.md", "---\nx: y\n---\nUse tabs.")],
        "/r",
        (Note, "agent-text", "the front matter of AGENTS.md reaches the model as text with Codex CLI, Qwen Code, "),
    ),
    trap(
        38,
        &[("/r/.git/HEAD", ""), ("/r/CLAUDE.md", RULE)],
        "/r",
        (Note, "agent-unread", "CLAUDE.md is read by OpenHands with models of Claude alone"),
    ),
];

fn report(files: &[(&str, &str)], cwd: &str) -> AgentsReport {
    let world = crate::instructions::world(files);
    of_world(world, cwd)
}

fn of_world(world: MemoryWorld, cwd: &str) -> AgentsReport {
    let antefix = Antefix::builder().world(world).store("memory").build().unwrap();
    antefix.project(cwd).unwrap().agents(&[] as &[&str]).unwrap()
}

#[test]
fn each_trap_is_found_with_a_place_and_a_cure() {
    let mut wrong = Vec::new();
    for Trap { number, files, cwd, found: (level, code, message) } in TRAPS {
        let report = report(files, cwd);
        let found = report.diagnostics.iter().find(|finding| {
            finding.level == *level && finding.code.name() == *code && finding.message.starts_with(message)
        });
        match found {
            Some(finding) => assert!(finding.hint.is_some(), "T{number} has no cure: {}", finding.message),
            None => {
                let all: Vec<String> =
                    report.diagnostics.iter().map(|one| format!("{}: {}", one.code, one.message)).collect();
                wrong.push(format!("T{number}: {message}\nis not in\n{}\n", all.join("\n")));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn long_files_are_traps_of_their_own() {
    let long = "x".repeat(40_000);
    let huge = "x".repeat(4 * 1024 * 1024 + 1);
    let nearest = "y".repeat(81_000);
    type Files<'f> = &'f [(&'f str, &'f str)];
    let rows: &[(usize, Files<'_>, &str)] = &[
        (5, &[("/r/AGENTS.md", &long), ("/r/sub/AGENTS.md", RULE)], "sub/AGENTS.md is left out by Codex CLI"),
        (
            6,
            &[("/r/sub/AGENTS.md", &nearest), ("/home/u/.factory/AGENTS.md", RULE)],
            "~/.factory/AGENTS.md is left out by Factory droid",
        ),
        (7, &[("/r/sub/AGENTS.md", RULE), ("/r/sub/deep/AGENTS.md", OTHER)], "Codex CLI, Qwen Code, pi, Cline CLI"),
        (39, &[("/r/sub/CLAUDE.md", &huge)], "sub/CLAUDE.md is left out by Claude Code"),
    ];
    for (number, files, expected) in rows {
        let files = [files, &[("/r/.git/HEAD", "")][..]].concat();
        let report = report(&files, "/r/sub");
        let all: Vec<&str> = report.diagnostics.iter().map(|finding| finding.message.as_str()).collect();
        assert!(all.iter().any(|message| message.starts_with(expected)), "T{number}: {}", all.join("\n"));
    }
}

#[test]
fn many_skills_lose_their_descriptions() {
    let mut world = MemoryWorld::new().var("HOME", "/home/u").file("/r/.git/HEAD", "");
    for number in 0..100 {
        let text = format!("---\nname: s{number}\ndescription: {}\n---\n", "d".repeat(400));
        world = world.file(format!("/r/.agents/skills/s{number}/SKILL.md"), text);
    }
    let report = of_world(world, "/r");
    let all: Vec<&str> = report.diagnostics.iter().map(|finding| finding.message.as_str()).collect();
    let is = |message: &&str| {
        message.starts_with("the skills listing has ") && message.ends_with("with Copilot CLI and Factory droid")
    };
    assert!(all.iter().any(is), "{}", all.join("\n"));
}

#[test]
fn rules_that_are_links_out_of_the_working_directory_wait_for_a_person() {
    let world = MemoryWorld::new()
        .var("HOME", "/home/u")
        .file("/r/.git/HEAD", "")
        .file("/shared/rule.md", RULE)
        .link("/r/.claude/rules/rule.md", "/shared/rule.md");
    let report = of_world(world, "/r");
    let expected = ".claude/rules/rule.md is a link to outside: Claude Code reads it only after a person has approved";
    let all: Vec<&str> = report.diagnostics.iter().map(|finding| finding.message.as_str()).collect();
    assert!(all.contains(&expected), "{}", all.join("\n"));
}

#[test]
fn a_file_whose_name_only_looks_right_is_listed() {
    let files = [("/r/.git/HEAD", ""), ("/r/AGENTS.md", RULE), ("/r/CODEX.md", OTHER), ("/r/CLAUDE-old.md", OTHER)];
    let report = report(&files, "/r");
    let all: Vec<&str> = report.diagnostics.iter().map(|finding| finding.message.as_str()).collect();
    for name in ["CODEX.md", "CLAUDE-old.md"] {
        let expected = format!("{name} looks like instructions, and no agent reads a file of that name by itself");
        assert!(all.contains(&expected.as_str()), "{}", all.join("\n"));
    }
}
