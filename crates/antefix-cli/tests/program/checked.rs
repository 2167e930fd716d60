//! `check` as CI runs it.

use antefix_testing::Scratch;

use super::project;

/// A warning in AGENTS.md at line 3, and one about CLAUDE.md.
fn warned() -> Scratch {
    project()
        .file("p/AGENTS.md", "Rules.\n\nSee @docs/more.md now.\n")
        .file("p/docs/more.md", "More.\n")
        .file("p/CLAUDE.md", "Other rules.\n")
}

#[test]
fn what_somebody_wrote_in_vain_is_found() {
    let scratch = warned()
        .file("p/.antefix/APPEND_SYSTEM.md", "Append.\n")
        .file("p/.claude/rules/z.md", "---\npaths: \"*.zig\"\n---\nZ.\n");
    let found = scratch.run(&["check", "--json"]).json();
    let messages: Vec<&str> =
        found["diagnostics"].as_array().unwrap().iter().map(|one| one["message"].as_str().unwrap()).collect();
    assert_eq!(
        messages,
        [
            "AGENTS.md:3 imports `@docs/more.md`, and the imports of this file are not followed",
            "CLAUDE.md is not used, because AGENTS.md comes first, and says something else in its 13 bytes",
            ".claude/rules/z.md never applies: no file of the project matches *.zig",
            ".antefix/APPEND_SYSTEM.md is not used: no section of the layout takes it",
        ]
    );
    let origin = &found["diagnostics"][0]["origin"];
    assert_eq!((&origin["path"], &origin["line"], &origin["column"]), (&"AGENTS.md".into(), &3.into(), &5.into()));
}

/// Texts that look like the above, and must be left alone.
#[test]
fn what_is_not_in_vain_is_left_alone() {
    let rows: [&[(&str, &str)]; 6] = [
        // The same words, a pointer, an import, an empty file.
        &[("p/AGENTS.md", "Rules.\n"), ("p/CLAUDE.md", "Rules.\r\n\r\n")],
        &[("p/AGENTS.md", "Rules.\n"), ("p/CLAUDE.md", "See AGENTS.md.\n")],
        &[("p/AGENTS.md", "Rules.\n"), ("p/CLAUDE.md", "@AGENTS.md\n")],
        &[("p/AGENTS.md", "Rules.\n"), ("p/CLAUDE.md", "\n")],
        // Nothing that is there, an address, code.
        &[("p/AGENTS.md", "Ask @docs/none.md, @ada, a@b.md or `@x.md`.\n"), ("p/x.md", "X.\n")],
        // CLAUDE.md's imports are followed.
        &[("p/CLAUDE.md", "@x.md\n"), ("p/x.md", "X.\n")],
    ];
    for files in rows {
        let scratch = files.iter().fold(project(), |scratch, (path, text)| scratch.file(path, text));
        let found = scratch.run(&["check", "--json"]).json();
        assert_eq!(found["diagnostics"], serde_json::json!([]), "{files:?}");
    }
    let imported = project().file("p/CLAUDE.md", "@x.md\n").file("p/x.md", "IMPORTED\n");
    assert!(imported.run(&["show"]).stdout.contains("IMPORTED"));
}

#[test]
fn a_pointer_that_shadows_content_is_named_as_one() {
    let scratch = project().file("p/AGENTS.md", "Read CLAUDE.md.\n").file("p/CLAUDE.md", &"Rules.\n".repeat(100));
    let expected = "CLAUDE.md is not used, because AGENTS.md comes first, which only points to it: agents do not see its 700 bytes";
    assert_eq!(scratch.run(&["check", "--json"]).json()["diagnostics"][0]["message"], expected);
}

#[test]
fn what_is_denied_fails_the_check() {
    let scratch = warned();
    let rows: [(&[&str], i32); 8] = [
        (&[], 0),
        (&["--deny", "warnings"], 1),
        (&["--deny", "shadowed-file"], 1),
        (&["--deny", "cut"], 0),
        (&["--deny", "cut,import-left"], 1),
        (&["--max-tokens", "100000"], 0),
        (&["--max-tokens", "100"], 1),
        (&["--deny", "shadowed"], 2),
    ];
    for (args, code) in rows {
        let ran = scratch.run(&[&["check"], args].concat());
        assert_eq!(ran.code, code, "{args:?}: {ran:?}");
    }
    let ran = scratch.run(&["check", "--deny", "shadowed-fil"]);
    assert!(ran.stderr.contains("did you mean `shadowed-file`?"), "{ran:?}");
}

#[test]
fn the_project_and_the_user_say_how_much_a_finding_matters() {
    let scratch =
        warned().file("p/.antefix/check.toml", "deny = ['import-left']\nlevels = { shadowed-file = 'off' }\n");
    let ran = scratch.run(&["check"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (1, "1 error, no warnings (coding-agent)\n"), "{ran:?}");
    // No other command is stopped, and none keeps quiet.
    let explained = scratch.run(&["explain"]);
    assert!(explained.code == 0 && explained.stderr.contains("warning[shadowed-file]"), "{explained:?}");
    let scratch = scratch.file("home/.config/antefix/settings.toml", "[check.levels]\nimport-left = 'note'\n");
    let ran = scratch.run(&["check"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "no errors, no warnings, 1 note (coding-agent)\n"), "{ran:?}");
    let scratch = scratch.file("p/.antefix/check.toml", "[levels]\nshadowed = 'off'\n");
    let ran = scratch.run(&["check"]);
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.contains(".antefix/check.toml:2") && ran.stderr.contains("unknown code `shadowed`"), "{ran:?}");
}

#[test]
fn what_is_locked_is_compared() {
    let skill = "---\nname: x\ndescription: Does x.\n---\n";
    let scratch =
        warned().file("home/.config/antefix/AGENTS.md", "MINE\n").file("home/.agents/skills/x/SKILL.md", skill);
    let found = |scratch: &Scratch| -> Vec<String> {
        let found = scratch.run(&["check", "--json"]).json();
        let locks = found["diagnostics"].as_array().unwrap().iter().filter(|one| one["code"] == "lock-mismatch");
        locks.map(|one| one["message"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(found(&scratch), [""; 0], "without a lock nothing is compared");
    let ran = scratch.run(&["lock"]);
    let expected = "~/.agents/skills/x/SKILL.md\n~/.config/antefix/AGENTS.md\nlocked 2 files in .antefix/lock.toml\n";
    assert_eq!((ran.code, ran.stdout.as_str()), (0, expected), "{ran:?}");
    assert_eq!(found(&scratch), [""; 0]);
    let digest = antefix::text::Digest::of("MINE\n");
    let lock = std::fs::read_to_string(scratch.path("p/.antefix/lock.toml")).unwrap();
    assert!(lock.contains(&format!("\"~/.config/antefix/AGENTS.md\" = \"{digest}\"\n")), "{lock}");
    let scratch = scratch.file("home/.config/antefix/AGENTS.md", "OTHER\n");
    assert_eq!(found(&scratch), ["~/.config/antefix/AGENTS.md has other bytes than the ones in .antefix/lock.toml"]);
    assert_eq!(scratch.run(&["check", "--deny", "lock-mismatch"]).code, 1);
    assert_eq!(scratch.run(&["check"]).code, 0);
}

#[test]
fn findings_are_printed_for_workflows_and_for_code_scanning() {
    let scratch = warned();
    let ran = scratch.run(&["check", "--format", "github"]);
    let first =
        "::warning file=AGENTS.md,line=3,col=5,title=import-left::AGENTS.md:3 imports `@docs/more.md`, and the imports";
    assert!(ran.stdout.starts_with(first) && ran.stdout.lines().count() == 2, "{ran:?}");
    let sarif = scratch.run(&["check", "--format", "sarif", "--deny", "shadowed-file"]);
    assert_eq!(sarif.code, 1);
    let results = &sarif.json()["runs"][0]["results"];
    assert_eq!((&results[0]["level"], &results[1]["level"]), (&"warning".into(), &"error".into()));
    assert_eq!(results[0]["locations"][0]["physicalLocation"]["region"]["startLine"], 3);
    // What cannot be composed at all is a finding as well.
    let scratch = scratch.file("p/.antefix/layout.toml", "[[section]]\n");
    let ran = scratch.run(&["check", "--format", "sarif"]);
    assert_eq!((ran.code, &ran.json()["runs"][0]["results"][0]["ruleId"]), (1, &"error".into()));
}

#[test]
fn what_agents_are_given_is_checked_with_a_budget_for_each() {
    let scratch = warned();
    let ran = scratch.run(&["check", "--as", "claude-code,codex", "--max-tokens", "20", "--json"]);
    let codes: Vec<String> = ran.json()["diagnostics"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| format!("{} {}", one["code"].as_str().unwrap(), one["message"].as_str().unwrap()))
        .collect();
    let has = |start: &str| codes.iter().any(|code| code.starts_with(start));
    assert_eq!(ran.code, 1, "{codes:?}");
    assert!(has("agent-shadowed AGENTS.md (31 bytes) is not read by Claude Code"), "{codes:?}");
    assert!(has("too-many-tokens what codex is given here has "), "{codes:?}");
    assert!(has("too-many-tokens what claude-code is given here has "), "{codes:?}");
    let denied = scratch.run(&["check", "--as", "all", "--deny", "agent-shadowed"]);
    assert_eq!(denied.code, 1, "{denied:?}");
    let allowed = scratch.run(&["check", "--as", "codex"]);
    assert_eq!(allowed.code, 0, "{allowed:?}");
}

#[test]
fn a_section_can_be_done_without() {
    let scratch = project().file("p/AGENTS.md", "Use tabs.\n");
    assert!(scratch.run(&["show"]).stdout.contains("Use tabs."));
    let ran = scratch.run(&["show", "--without", "instructions"]);
    assert!(!ran.stdout.contains("Use tabs."), "{ran:?}");
    let wrong = scratch.run(&["show", "--without", "instruction"]);
    assert!(wrong.stderr.contains("did you mean `instructions`?"), "{wrong:?}");
}
