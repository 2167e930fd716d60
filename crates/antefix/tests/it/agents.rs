//! What each agent reads, from its file: one world for all of them, and what is special of each. What is expected was written
//! down from runs, code and documents of the agents, not from what is printed here.

use antefix::agents::{Agent, FileState};
use antefix::project::{AgentsReport, LayoutChoice, Look};
use antefix::worlds::MemoryWorld;
use antefix::{Antefix, Ask, Project};

use crate::instructions::world;

fn project(world: MemoryWorld, cwd: &str) -> Project {
    Antefix::builder().world(world).store("memory").build().unwrap().project(cwd).unwrap()
}

fn view(files: &[(&str, &str)], cwd: &str, agent: &str) -> AgentsReport {
    project(world(files), cwd).agents(&[agent]).unwrap()
}

/// What an agent is given, one line a file.
fn given(files: &[(&str, &str)], cwd: &str, agent: &str) -> Vec<String> {
    let report = view(files, cwd, agent);
    report.views[0].texts.iter().map(|(path, text)| format!("{path} = {text}")).collect()
}

fn state(report: &AgentsReport, path: &str) -> String {
    let files = &report.views[0].files;
    let found = files.iter().find(|file| file.path == path);
    found.map_or("-".to_owned(), |file| match file.state.detail() {
        Some(detail) => format!("{}: {detail}", file.state.name()),
        None => file.state.name().to_owned(),
    })
}

const CWD: &str = "/home/u/ws/repo/mid/cwd";

/// Every file has its own path as its text.
const ALL: &[&str] = &[
    "/home/u/ws/AGENTS.md",
    "/home/u/ws/repo/AGENTS.md",
    "/home/u/ws/repo/CLAUDE.md",
    "/home/u/ws/repo/GEMINI.md",
    "/home/u/ws/repo/QWEN.md",
    "/home/u/ws/repo/WARP.md",
    "/home/u/ws/repo/.goosehints",
    "/home/u/ws/repo/.cursorrules",
    "/home/u/ws/repo/.github/copilot-instructions.md",
    "/home/u/ws/repo/mid/AGENTS.md",
    "/home/u/ws/repo/mid/cwd/AGENTS.md",
    "/home/u/ws/repo/mid/cwd/CLAUDE.md",
    "/home/u/ws/repo/mid/cwd/deep/AGENTS.md",
    "/home/u/ws/repo/mid/cwd/deep/CLAUDE.md",
    "/home/u/ws/repo/mid/side/AGENTS.md",
    "/home/u/.codex/AGENTS.md",
    "/home/u/.claude/CLAUDE.md",
    "/home/u/.gemini/GEMINI.md",
    "/home/u/.qwen/QWEN.md",
    "/home/u/.config/opencode/AGENTS.md",
    "/home/u/.pi/agent/AGENTS.md",
    "/home/u/.factory/AGENTS.md",
];

#[test]
fn every_agent_reads_its_files_in_its_order() {
    let mut files: Vec<(&str, &str)> = ALL.iter().map(|path| (*path, *path)).collect();
    files.push(("/home/u/ws/repo/.git/HEAD", ""));
    let expected: &[(&str, &[&str])] = &[
        ("claude-code", &["~/.claude/CLAUDE.md", "CLAUDE.md", "mid/cwd/CLAUDE.md"]),
        ("codex", &["~/.codex/AGENTS.md", "AGENTS.md", "mid/AGENTS.md", "mid/cwd/AGENTS.md"]),
        ("gemini-cli", &["~/.gemini/GEMINI.md", "GEMINI.md"]),
        (
            "qwen-code",
            &["~/.qwen/QWEN.md", "QWEN.md", "~/ws/AGENTS.md", "AGENTS.md", "mid/AGENTS.md", "mid/cwd/AGENTS.md"],
        ),
        ("opencode", &["~/.config/opencode/AGENTS.md", "mid/cwd/AGENTS.md", "mid/AGENTS.md", "AGENTS.md"]),
        ("pi", &["~/.pi/agent/AGENTS.md", "~/ws/AGENTS.md", "AGENTS.md", "mid/AGENTS.md", "mid/cwd/AGENTS.md"]),
        (
            "copilot-cli",
            &[
                ".github/copilot-instructions.md",
                "AGENTS.md",
                "CLAUDE.md",
                "GEMINI.md",
                "mid/cwd/AGENTS.md",
                "mid/cwd/CLAUDE.md",
                "mid/AGENTS.md",
            ],
        ),
        ("cline", &["mid/cwd/AGENTS.md"]),
        (
            "droid",
            &[
                "mid/cwd/CLAUDE.md",
                "mid/cwd/AGENTS.md",
                "mid/AGENTS.md",
                "CLAUDE.md",
                "AGENTS.md",
                "~/.factory/AGENTS.md",
            ],
        ),
        ("aider", &[]),
        ("amp", &["~/ws/AGENTS.md", "AGENTS.md", "mid/AGENTS.md", "mid/cwd/AGENTS.md"]),
        ("antigravity", &["~/.gemini/GEMINI.md", "AGENTS.md"]),
        ("crush", &["mid/cwd/CLAUDE.md", "mid/cwd/AGENTS.md"]),
        ("cursor", &["AGENTS.md", ".cursorrules"]),
        ("goose", &[".goosehints", "AGENTS.md", "mid/AGENTS.md", "mid/cwd/AGENTS.md"]),
        ("grok", &["AGENTS.md", "CLAUDE.md", "mid/AGENTS.md", "mid/cwd/AGENTS.md", "mid/cwd/CLAUDE.md"]),
        ("junie", &["AGENTS.md"]),
        ("kilo", &["mid/cwd/AGENTS.md", "mid/AGENTS.md", "AGENTS.md"]),
        ("kiro", &["AGENTS.md"]),
        ("openhands", &["mid/cwd/AGENTS.md", "mid/cwd/CLAUDE.md", ".cursorrules", "GEMINI.md"]),
        ("roo", &["mid/cwd/AGENTS.md"]),
        ("vscode", &["~/.claude/CLAUDE.md", ".github/copilot-instructions.md", "AGENTS.md", "CLAUDE.md"]),
        ("warp", &["WARP.md", "mid/AGENTS.md", "mid/cwd/AGENTS.md"]),
        ("windsurf", &["AGENTS.md", "mid/AGENTS.md", "mid/cwd/AGENTS.md"]),
        ("zed", &[".cursorrules"]),
    ];
    let report = project(world(&files), CWD).agents(&[] as &[&str]).unwrap();
    let names: Vec<&str> = report.views.iter().map(|view| view.agent.name.as_str()).collect();
    assert_eq!(names, expected.iter().map(|(name, _)| *name).collect::<Vec<_>>());
    for (view, (name, paths)) in report.views.iter().zip(expected) {
        let loaded: Vec<&str> = view.texts.iter().map(|(path, _)| path.as_str()).collect();
        assert_eq!(&loaded, paths, "{name}");
        for (path, text) in &view.texts {
            assert!(text.ends_with(path.trim_start_matches('~')), "{name}: {path} = {text}");
        }
    }
}

/// Files below the working directory, and beside it.
#[test]
fn every_agent_waits_for_what_it_reads_later() {
    let mut files: Vec<(&str, &str)> = ALL.iter().map(|path| (*path, *path)).collect();
    files.push(("/home/u/ws/repo/.git/HEAD", ""));
    let report = project(world(&files), CWD).agents(&[] as &[&str]).unwrap();
    let of = |name: &str| {
        let view = report.views.iter().find(|view| view.agent.name == name).unwrap();
        ["mid/cwd/deep/AGENTS.md", "mid/cwd/deep/CLAUDE.md", "mid/side/AGENTS.md"]
            .map(|path| view.files.iter().find(|file| file.path == path).map_or("-", |file| file.state.name()))
    };
    let (waits, ignored) = ("waits", "ignored");
    for (name, expected) in [
        ("codex", [ignored, ignored, ignored]),
        ("pi", [ignored, ignored, ignored]),
        ("qwen-code", [ignored, ignored, ignored]),
        ("cline", [ignored, ignored, ignored]),
        ("opencode", [waits, "shadowed", ignored]),
        ("gemini-cli", [ignored, ignored, ignored]),
        ("copilot-cli", [waits, waits, waits]),
        ("droid", [waits, waits, waits]),
        ("claude-code", ["shadowed", waits, ignored]),
    ] {
        assert_eq!(of(name), expected, "{name}");
    }
}

#[test]
fn one_claude_md_anywhere_switches_off_every_agents_md_of_claude_code() {
    let agents = [("/home/u/r/.git/HEAD", ""), ("/home/u/r/AGENTS.md", "a"), ("/home/u/r/sub/.claude/AGENTS.md", "b")];
    assert_eq!(given(&agents, "/home/u/r/sub", "claude-code"), ["AGENTS.md = a", "sub/.claude/AGENTS.md = b"]);
    // Above the repository, too.
    let stray = [&agents[..], &[("/home/u/CLAUDE.md", "c")]].concat();
    assert_eq!(given(&stray, "/home/u/r/sub", "claude-code"), ["~/CLAUDE.md = c"]);
    let report = view(&stray, "/home/u/r/sub", "claude-code");
    assert_eq!(state(&report, "AGENTS.md"), "shadowed: ~/CLAUDE.md comes first");
    // Neither an empty one nor the user's own does.
    let empty = [&agents[..], &[("/home/u/r/CLAUDE.md", " \n"), ("/home/u/.claude/CLAUDE.md", "own")]].concat();
    assert_eq!(
        given(&empty, "/home/u/r/sub", "claude-code"),
        ["~/.claude/CLAUDE.md = own", "AGENTS.md = a", "sub/.claude/AGENTS.md = b"]
    );
    let setting =
        r#"{"pluginConfigs": {"agents-md@builtin": {"options": {"instructionFiles": "claude-md-and-agents-md"}}}}"#;
    let both = [&stray[..], &[("/home/u/.claude/settings.json", setting)]].concat();
    assert_eq!(
        given(&both, "/home/u/r/sub", "claude-code"),
        ["~/CLAUDE.md = c", "AGENTS.md = a", "sub/.claude/AGENTS.md = b"]
    );
}

#[test]
fn claude_code_has_rules_between_its_files_and_what_they_import_behind_them() {
    let files = [
        ("/r/.git/HEAD", ""),
        (
            "/r/CLAUDE.md",
            "---\nx: y\n---\nroot\r\n<!-- gone -->\nSee @AGENTS.md and `@no.md`.\n```\n<!-- stays -->\n```\n",
        ),
        ("/r/AGENTS.md", "imported"),
        ("/r/CLAUDE.local.md", "local"),
        ("/r/.claude/CLAUDE.md", "inner"),
        ("/r/.claude/rules/.hidden.md", "hidden"),
        ("/r/.claude/rules/py.md", "---\npaths: \"*.py\"\n---\npython"),
    ];
    assert_eq!(
        given(&files, "/r", "claude-code"),
        [
            "CLAUDE.md = root\nSee @AGENTS.md and `@no.md`.\n```\n<!-- stays -->\n```",
            "AGENTS.md = imported",
            ".claude/CLAUDE.md = inner",
            ".claude/rules/.hidden.md = hidden",
            "CLAUDE.local.md = local",
        ]
    );
    let report = view(&files, "/r", "claude-code");
    assert_eq!(state(&report, "AGENTS.md"), "imported");
    assert_eq!(state(&report, ".claude/rules/py.md"), "waits: for *.py");
    // From a directory below, the import is outside of the working directory.
    let below = [&files[..2], &[("/r/AGENTS.md", "imported"), ("/r/sub/x", "")]].concat();
    assert_eq!(given(&below, "/r/sub", "claude-code").len(), 1);
}

#[test]
fn codex_cuts_at_its_limit_root_first_and_through_a_character() {
    let root = format!("{}é", "x".repeat(32767));
    let files = [("/r/.git/HEAD", ""), ("/r/AGENTS.md", root.as_str()), ("/r/sub/AGENTS.md", "near")];
    let given = given(&files, "/r/sub", "codex");
    assert_eq!(given, [format!("AGENTS.md = {}\u{fffd}", "x".repeat(32767))]);
    let report = view(&files, "/r/sub", "codex");
    assert_eq!(state(&report, "AGENTS.md"), "cut");
    assert_eq!(state(&report, "sub/AGENTS.md"), "dropped");
    let raised = [&files[..], &[("/home/u/.codex/config.toml", "project_doc_max_bytes = 40000")]].concat();
    assert_eq!(view(&raised, "/r/sub", "codex").views[0].texts.len(), 2);
}

#[test]
fn codex_keeps_every_byte_and_an_empty_file_hides_the_next_name() {
    let world = MemoryWorld::new()
        .var("HOME", "/home/u")
        .file("/r/.git/HEAD", "")
        .file("/r/AGENTS.md", b"\xef\xbb\xbf---\r\nx\xff\0<!-- c -->".as_slice())
        .file("/r/sub/AGENTS.override.md", "")
        .file("/r/sub/AGENTS.md", "silent");
    let report = project(world, "/r/sub").agents(&["codex"]).unwrap();
    let texts: Vec<&str> = report.views[0].texts.iter().map(|(_, text)| text.as_str()).collect();
    assert_eq!(texts, ["\u{feff}---\r\nx\u{fffd}\0<!-- c -->"]);
    assert_eq!(state(&report, "sub/AGENTS.override.md"), "empty");
    assert_eq!(state(&report, "sub/AGENTS.md"), "shadowed: sub/AGENTS.override.md comes first");
    let fallback = [
        ("/r/.git/HEAD", ""),
        ("/r/CLAUDE.md", "c"),
        ("/home/u/.codex/config.toml", "project_doc_fallback_filenames = ['CLAUDE.md']"),
    ];
    assert_eq!(given(&fallback, "/r", "codex"), ["CLAUDE.md = c"]);
}

#[test]
fn gemini_reads_other_names_by_its_setting_and_puts_imports_in_place() {
    let files = [
        ("/r/.git/HEAD", ""),
        ("/r/AGENTS.md", "a <!-- @x.md -->\n"),
        ("/r/x.md", "X"),
        ("/r/.gemini/settings.json", r#"{"context": {"fileName": ["AGENTS.md"]}}"#),
    ];
    let import = "<!-- Imported from: x.md -->\nX\n<!-- End of import from: x.md -->";
    assert_eq!(given(&files, "/r", "gemini-cli"), [format!("AGENTS.md = a <!-- {import} -->")]);
    assert_eq!(given(&files[..3], "/r", "gemini-cli"), Vec::<String>::new());
    // Without a repository, only the working directory counts.
    let bare = [("/home/u/GEMINI.md", "h"), ("/home/u/w/GEMINI.md", "w")];
    assert_eq!(given(&bare, "/home/u/w", "gemini-cli"), ["GEMINI.md = w"]);
}

#[test]
fn opencode_takes_one_kind_of_file_for_all_directories() {
    let files = [("/r/.git/HEAD", ""), ("/r/AGENTS.md", ""), ("/r/sub/CLAUDE.md", "c")];
    assert_eq!(given(&files, "/r/sub", "opencode"), ["AGENTS.md = "]);
    assert_eq!(state(&view(&files, "/r/sub", "opencode"), "sub/CLAUDE.md"), "shadowed: AGENTS.md comes first");
    let others = [("/r/.git/HEAD", ""), ("/r/CONTEXT.md", "x"), ("/r/sub/CLAUDE.md", "c")];
    assert_eq!(given(&others, "/r/sub", "opencode"), ["sub/CLAUDE.md = c"]);
    // Without a repository it climbs to the root of the file system.
    let bare = [("/home/u/AGENTS.md", "h"), ("/home/u/w/AGENTS.md", "w")];
    assert_eq!(given(&bare, "/home/u/w", "opencode"), ["AGENTS.md = w", "~/AGENTS.md = h"]);
}

#[test]
fn droid_drops_the_root_and_then_the_users_own() {
    let near = "n".repeat(79_999);
    let files = [
        ("/r/.git/HEAD", ""),
        ("/r/AGENTS.md", "root"),
        ("/r/sub/agents.md", near.as_str()),
        ("/home/u/.factory/AGENTS.md", "own"),
    ];
    let report = view(&files, "/r/sub", "droid");
    assert_eq!(state(&report, "sub/agents.md"), "loaded");
    assert_eq!(state(&report, "AGENTS.md"), "dropped");
    assert_eq!(state(&report, "~/.factory/AGENTS.md"), "dropped");
}

#[test]
fn copilot_says_an_equal_text_once_and_an_imported_one_twice() {
    let files = [
        ("/r/.git/HEAD", ""),
        ("/r/AGENTS.md", "same"),
        ("/r/sub/AGENTS.md", "same"),
        ("/r/sub/Claude.md", "@../AGENTS.md"),
        ("/r/.github/instructions/all.instructions.md", "---\ndescription: d\n---\nall"),
        ("/r/.github/instructions/py.instructions.md", "---\napplyTo: \"src/*.py\"\n---\npy"),
    ];
    let imported = "\n<imported_custom_instruction source=\"../AGENTS.md\">\nsame\n</imported_custom_instruction>";
    assert_eq!(
        given(&files, "/r/sub", "copilot-cli"),
        [
            "AGENTS.md = same".to_owned(),
            format!("sub/Claude.md = @../AGENTS.md{imported}"),
            ".github/instructions/all.instructions.md = ---\ndescription: d\n---\nall".to_owned(),
        ]
    );
    let report = view(&files, "/r/sub", "copilot-cli");
    assert_eq!(state(&report, "sub/AGENTS.md"), "duplicate: the same as AGENTS.md");
    assert_eq!(state(&report, ".github/instructions/py.instructions.md"), "waits: for src/*.py");
    // In VS Code a file without patterns waits for a person.
    let code = view(&files, "/r/sub", "vscode");
    assert_eq!(state(&code, ".github/instructions/all.instructions.md"), "waits: until a person names it");
}

#[test]
fn cline_sorts_its_rules_by_name_and_roo_falls_back() {
    let files = [
        ("/r/.git/HEAD", ""),
        ("/r/AGENTS.md", "a"),
        ("/r/.clinerules/b.txt", "b"),
        ("/r/.clinerules/sub/no.md", "no"),
        ("/r/.cline/rules/A-first.md", "---\npaths: x\n---\nfirst"),
        ("/r/.cline/rules/off.md", "---\ndisabled: true\n---\noff"),
    ];
    assert_eq!(
        given(&files, "/r", "cline"),
        [".cline/rules/A-first.md = first", ".clinerules/b.txt = b", "AGENTS.md = a"]
    );
    let roo = [("/r/.git/HEAD", ""), ("/r/.roorules", "r"), ("/r/.clinerules", "c")];
    assert_eq!(given(&roo, "/r", "roo"), [".roorules = r"]);
    let both = [&roo[..], &[("/r/.roo/rules/any.txt", "rule")]].concat();
    assert_eq!(given(&both, "/r", "roo"), [".roo/rules/any.txt = rule"]);
}

#[test]
fn agents_list_the_skills_of_their_own_roots() {
    let skill = "---\nname: s\ndescription: d\n---\n";
    let hidden = "---\nname: h\ndescription: d\ndisable-model-invocation: true\n---\n";
    let files = [
        ("/r/.git/HEAD", ""),
        ("/r/.claude/skills/s/SKILL.md", skill),
        ("/r/.agents/skills/s/SKILL.md", skill),
        ("/r/.agents/skills/h/SKILL.md", hidden),
        ("/r/sub/x", ""),
    ];
    let listed = |agent: &str, cwd: &str| {
        let report = view(&files, cwd, agent);
        let skills = report.views[0].skills.iter().filter(|file| file.state == FileState::Loaded);
        skills.map(|file| file.path.clone()).collect::<Vec<_>>()
    };
    assert_eq!(listed("claude-code", "/r/sub"), [".claude/skills/s/SKILL.md"]);
    assert_eq!(listed("codex", "/r/sub"), [".agents/skills/h/SKILL.md", ".agents/skills/s/SKILL.md"]);
    assert_eq!(listed("pi", "/r/sub"), [".agents/skills/s/SKILL.md"]);
    // Gemini looks in the working directory alone.
    assert_eq!(listed("gemini-cli", "/r/sub"), Vec::<String>::new());
    assert_eq!(listed("gemini-cli", "/r"), [".agents/skills/h/SKILL.md", ".agents/skills/s/SKILL.md"]);
}

#[test]
fn show_as_an_agent_is_what_it_would_be_given() {
    let files = [
        ("/r/.git/HEAD", ""),
        ("/r/AGENTS.md", "root"),
        ("/r/sub/AGENTS.md", "near\n"),
        ("/home/u/.codex/AGENTS.md", "own"),
    ];
    let ask = Ask::new().layout(LayoutChoice::Agent("codex".to_owned()));
    let preview = project(world(&files), "/r/sub").preview(ask, Look::Composing).unwrap();
    let expected = "[Codex CLI's own words: about 17800 bytes, not shown]\n\n\
                    # AGENTS.md instructions for /r/sub\n\n<INSTRUCTIONS>\nown\n\n--- project-doc ---\n\nroot\n\nnear\n\n</INSTRUCTIONS>";
    assert_eq!(preview.prompt.text(), expected);
}

#[test]
fn the_users_own_file_takes_the_place_of_a_built_in_one() {
    let own = "[agent]\ntitle = \"My Codex\"\nversion = \"1\"\nchecked = \"2026-11-17\"\nread_again = \"never\"\n\
               place = { instructions = \"system\", skills = \"none\" }\n\
               known = { instructions = \"run\", nested = \"run\", skills = \"doc\", place = \"doc\", frame = \"doc\" }\n\
               [instructions]\nnames = [\"MINE.md\"]\nwalk = \"cwd\"\n";
    let files = [("/r/MINE.md", "m"), ("/r/AGENTS.md", "a"), ("/home/u/.config/antefix/agents/codex.toml", own)];
    assert_eq!(given(&files, "/r", "codex"), ["MINE.md = m"]);
    assert_eq!(view(&files, "/r", "codex").views[0].agent.file.title, "My Codex");
    let wrong = [("/r/x", ""), ("/home/u/.config/antefix/agents/new.toml", "[agent]\ntitel = 1\n")];
    let error = project(world(&wrong), "/r").agents(&[] as &[&str]).err().unwrap();
    assert!(error.to_string().starts_with("~/.config/antefix/agents/new.toml:"), "{error}");
}

#[test]
fn every_built_in_file_can_be_read_and_is_dated() {
    let agents = Agent::built_in();
    assert_eq!(agents.len(), 26, "a file that cannot be read is left out");
    for agent in agents {
        assert_eq!(agent.file.checked.len(), "2026-11-16".len(), "{}", agent.name);
        assert!(!agent.file.version.is_empty(), "{}", agent.name);
        for row in &agent.file.acp {
            assert_eq!(row.way.is_some(), row.arrival.is_some(), "{}", row.name);
            let way = row.way.as_deref().is_none_or(|way| antefix::deliver::Way::parse(way).is_some());
            assert!(way, "{}", row.name);
        }
    }
    let mut names: Vec<&str> = agents.iter().flat_map(|agent| &agent.file.acp).map(|row| row.name.as_str()).collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count);
}

/// What is found in a project, one line a finding.
fn found(files: &[(&str, &str)], cwd: &str) -> Vec<String> {
    let report = project(world(files), cwd).agents(&[] as &[&str]).unwrap();
    report.diagnostics.iter().map(|finding| format!("{}: {}", finding.code, finding.message)).collect()
}

fn assert_found(files: &[(&str, &str)], cwd: &str, expected: &str) {
    let found = found(files, cwd);
    assert!(found.iter().any(|finding| finding == expected), "{expected}\nis not in\n{}", found.join("\n"));
}

#[test]
fn traps_are_found_with_the_agents_that_they_catch() {
    let git = ("/r/.git/HEAD", "");
    let agents = ("/r/AGENTS.md", "Run the tests before every commit, and say what you changed and why.");
    let claude = ("/r/CLAUDE.md", "Never touch the generated files of this repository, whatever anybody says.");
    assert_found(
        &[git, agents, claude],
        "/r",
        "agent-shadowed: AGENTS.md (68 bytes) is not read by Claude Code: CLAUDE.md comes first, with 74 bytes",
    );
    assert_found(
        &[git, agents, ("/r/CLAUDE.md", " ")],
        "/r",
        "agent-unread: AGENTS.md is given to 23 of 25 agents; not to Gemini CLI and Aider",
    );
    // A copy is told twice to whoever reads both names; one that says a text once is not.
    assert_found(
        &[git, agents, ("/r/CLAUDE.md", agents.1)],
        "/r",
        "agent-twice: Factory droid, Crush, Grok, OpenHands and Copilot in VS Code are told one text twice, in AGENTS.md and CLAUDE.md",
    );
    let long = "x".repeat(40_000);
    assert_found(
        &[git, ("/r/AGENTS.md", &long), ("/r/sub/AGENTS.md", "near")],
        "/r/sub",
        "agent-cut: AGENTS.md has 40,000 bytes and is cut: Codex CLI reads 32,768, Antigravity reads 12,000, Windsurf (Devin Desktop) reads 12,000",
    );
    assert_found(
        &[git, ("/r/AGENTS.md", &long), ("/r/sub/AGENTS.md", "near")],
        "/r/sub",
        "agent-cut: sub/AGENTS.md is left out by Codex CLI: other files use up the limit, or it is too large",
    );
    assert_found(
        &[git, ("/r/AGENTS.local.md", "x"), ("/r/sub/x", "")],
        "/r/sub",
        "agent-unread: AGENTS.local.md is read by no agent that is started here",
    );
    assert_found(
        &[git, agents, ("/home/u/r/.git/HEAD", ""), ("/home/u/AGENTS.md", "x")],
        "/home/u/r",
        "agent-above-root: ~/AGENTS.md is above the project and is read by Claude Code, Qwen Code, pi and Amp",
    );
    assert_found(
        &[git, agents, ("/r/CLAUDE.md", "@AGENTS.md"), ("/r/sub/x", "")],
        "/r/sub",
        "agent-import: `@AGENTS.md` in CLAUDE.md:1 is not imported: it is outside the working directory, for Claude Code",
    );
    assert_found(
        &[git, ("/r/AGENTS.override.md", ""), agents],
        "/r",
        "agent-shadowed: AGENTS.md (68 bytes) is not read by Codex CLI and pi: AGENTS.override.md is empty, and comes first",
    );
    let hidden = "---\nname: h\ndescription: d\ndisable-model-invocation: true\n---\n";
    assert_found(
        &[git, ("/r/.agents/skills/h/SKILL.md", hidden)],
        "/r",
        "agent-skill: .agents/skills/h/SKILL.md hides itself from the model, and Codex CLI, Gemini CLI, opencode, Cline CLI and Kilo offer it all the same",
    );
}

#[test]
fn a_project_that_all_agents_read_alike_has_no_warnings() {
    let files = [
        ("/r/.git/HEAD", ""),
        ("/r/AGENTS.md", "Run the tests before every commit, and say what you changed and why."),
    ];
    let report = project(world(&files), "/r").agents(&[] as &[&str]).unwrap();
    let warnings = report.diagnostics.iter().filter(|finding| finding.level != antefix::Level::Note);
    assert_eq!(warnings.map(|finding| finding.message.as_str()).collect::<Vec<_>>(), Vec::<&str>::new());
}
