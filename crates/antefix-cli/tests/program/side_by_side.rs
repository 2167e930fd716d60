//! What `agents` prints: a table that fits, and how to see the rest.

use antefix_testing::Scratch;

use super::project;

/// A project with files for several agents, and many below.
fn many() -> Scratch {
    let mut scratch = project()
        .file("p/.git/HEAD", "ref: refs/heads/main\n")
        .file("p/AGENTS.md", "Run the tests before every commit, and say what you changed and why.\n")
        .file("p/CLAUDE.md", "Never touch the generated files of this repository, whatever anybody says.\n")
        .file("p/CODEX.md", "For Codex.\n");
    for number in 0..30 {
        scratch = scratch.file(&format!("p/packages/p{number}/AGENTS.md"), "Nested.\n");
    }
    // Different names in different directories: nothing to put into one row.
    for number in 0..40 {
        let (directory, name) = (number / 2, ["GEMINI.md", "QWEN.md"][number % 2]);
        scratch = scratch.file(&format!("p/d{directory}/{name}"), "Nested.\n");
    }
    scratch
}

#[test]
fn many_files_of_one_kind_share_a_row_and_all_lists_them() {
    let scratch = many();
    let short = scratch.run(&["agents", "--no-tokens"]);
    assert_eq!(short.code, 0, "{short:?}");
    let row = |printed: &str, start: &str| {
        printed.lines().find(|line| line.trim_start().starts_with(start)).map(str::to_owned)
    };
    assert!(row(&short.stdout, "packages/*/AGENTS.md ×30").is_some(), "{}", short.stdout);
    assert!(row(&short.stdout, "CODEX.md").is_some(), "{}", short.stdout);
    assert!(!short.stdout.contains("packages/p7/"), "{}", short.stdout);
    let all = scratch.run(&["agents", "--no-tokens", "--all"]).stdout;
    assert!(row(&all, "packages/p7/AGENTS.md").is_some() && !all.contains("--all"), "{all}");
}

#[test]
fn rows_beyond_a_screen_are_counted() {
    let mut scratch = project().file("p/.git/HEAD", "ref: refs/heads/main\n");
    for directory in ["a", "b"] {
        for number in 0..15 {
            scratch = scratch.file(&format!("p/{directory}{number}/x/AGENTS.md"), "Nested.\n");
        }
    }
    let printed = scratch.run(&["agents", "--no-tokens"]).stdout;
    assert!(printed.contains("  and 6 more files: --all lists them\n"), "{printed}");
}

#[test]
fn the_table_fits_and_few_agents_are_shown_in_words() {
    for columns in [80, 100, 120, 200] {
        let scratch = many().env("COLUMNS", columns.to_string());
        for args in [&["agents"][..], &["agents", "codex", "claude-code"], &["agents", "codex"]] {
            let printed = scratch.run(args).stdout;
            let widest = printed.lines().map(|line| line.chars().count()).max().unwrap();
            assert!(widest <= columns, "{args:?} in {columns}: {widest}\n{printed}");
        }
    }
    let words = many().run(&["agents", "codex", "claude-code"]).stdout;
    let row = words.lines().find(|line| line.contains(" AGENTS.md ")).unwrap();
    assert_eq!(
        row.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect::<Vec<_>>(),
        ["AGENTS.md", "loaded", "shadowed by CLAUDE.md"]
    );
}

#[test]
fn a_file_that_no_named_agent_reads_is_no_finding() {
    let ran = many().run(&["agents", "codex", "pi", "--no-tokens"]);
    assert!(!ran.stderr.contains("is read by no agent"), "{}", ran.stderr);
}
