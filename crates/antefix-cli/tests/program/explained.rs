//! What `explain` prints for a person who asks why a prompt is so long.

use antefix_testing::Scratch;

use super::project;

/// Two files that say something else, one of them long; rules; many nested files.
fn long() -> Scratch {
    let long = format!("# Rules\n\nUse PNPM.\n\n## Build\n\n{}", "Run it.\n".repeat(10_000));
    let mut scratch = project()
        .file("p/AGENTS.md", &long)
        .file("p/CLAUDE.md", "Use npm.\n")
        .file("p/.claude/rules/zig.md", "---\npaths: \"*.zig\"\n---\nZig.\n");
    for number in 0..8 {
        scratch = scratch.file(&format!("p/packages/p{number}/AGENTS.md"), "Nested.\n");
    }
    scratch
}

#[test]
fn a_summary_comes_first_and_a_cut_file_has_both_sizes() {
    let ran = long().run(&["explain"]);
    let first = ran.stdout.lines().next().unwrap();
    assert!(
        first.starts_with("coding-agent: ") && first.contains(" tokens (") && first.ends_with(" bytes)"),
        "{first}"
    );
    // Ten thousand lines of eight bytes, and what is before them.
    let row = ran.stdout.lines().find(|line| line.trim_start().starts_with("AGENTS.md")).unwrap();
    assert!(row.contains(" of 80,030 ") && row.ends_with("instructions"), "{row}");
}

#[test]
fn what_was_written_in_vain_comes_before_what_waits_and_what_there_is_none_of() {
    let scratch = long();
    let listed = |args: &[&str]| -> Vec<String> {
        let printed = scratch.run(args).stdout;
        let table = printed.split("\n  not loaded").nth(1).unwrap().split("\n\n").next().unwrap();
        table.lines().skip(1).map(|line| line.split("  ").find(|cell| !cell.is_empty()).unwrap().to_owned()).collect()
    };
    let short = listed(&["explain"]);
    assert_eq!(short[..3], ["CLAUDE.md", ".claude/rules/zig.md", "8 files"]);
    assert!(short.iter().all(|name| !name.contains("packages")) && short.last().unwrap().contains(':'), "{short:?}");
    let all = listed(&["explain", "--all"]);
    assert_eq!(all.iter().filter(|name| name.starts_with("packages/")).count(), 8, "{all:?}");
    // The table says of the rule what its finding would say again.
    assert!(!scratch.run(&["explain"]).stderr.contains("rule-never-matches"));
}

#[test]
fn grep_says_who_said_it_and_small_letters_mean_capitals_too() {
    let scratch = long();
    let ran = scratch.run(&["explain", "--grep", "pnpm"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(
        ran.stdout.starts_with("AGENTS.md:3  section instructions, byte ") && ran.stdout.ends_with("\n    Use PNPM.\n"),
        "{ran:?}"
    );
    let found = scratch.run(&["explain", "--grep", "pnpm", "--json"]).json();
    assert_eq!((&found["matches"][0]["origin"], &found["matches"][0]["line"]), (&"AGENTS.md".into(), &3.into()));
    assert_eq!(found["matches"].as_array().unwrap().len(), 1);
    for nowhere in ["Pnpm", "use npm"] {
        let ran = scratch.run(&["explain", "--grep", nowhere]);
        assert_eq!(ran.code, 1);
        assert!(ran.stderr.contains(&format!("nothing in the prompt says `{nowhere}`")), "{ran:?}");
    }
}

#[test]
fn headings_are_counted_by_themselves() {
    let scratch = project().file("p/t.md", "a b\n# One\nc d\n## Two\ne f g\n");
    let document = scratch.run(&["explain", "--template", "t.md", "--headings", "--json"]).json();
    let headings: Vec<String> = document["shares"][0]["headings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| format!("{} {} {}", one["level"], one["title"].as_str().unwrap(), one["bytes"]))
        .collect();
    assert_eq!(headings, ["null  4", "1 One 10", "2 Two 13"]);
    let tokens: u64 =
        document["shares"][0]["headings"].as_array().unwrap().iter().map(|one| one["tokens"].as_u64().unwrap()).sum();
    assert_eq!(document["shares"][0]["tokens"], tokens);
    let printed = scratch.run(&["explain", "--template", "t.md", "--headings"]).stdout;
    assert!(printed.contains("before the first heading") && printed.contains("## Two"), "{printed}");
}

/// A line is longer than the terminal only where a single word is.
#[test]
fn tables_fit_the_terminal() {
    for columns in ["80", "100", "120", "200"] {
        let scratch = long().env("COLUMNS", columns);
        for args in [&["explain"][..], &["explain", "--all", "--headings"], &["vars"], &["layouts"], &["check"]] {
            let printed = scratch.run(args).stdout;
            let widest = printed.lines().map(|line| line.chars().count()).max().unwrap();
            assert!(widest <= columns.parse().unwrap(), "{args:?} in {columns}: {widest}\n{printed}");
        }
    }
}
