//! `diff`: what a change in git does to what agents are told.

use antefix_testing::Scratch;

use super::project;

/// A repository with a commit, in which AGENTS.md says one thing.
fn repository() -> Scratch {
    let scratch = project().file("p/AGENTS.md", "# Rules\n\nUse tabs.\n").file("p/sub/x", "");
    git(&scratch, &["init", "-q", "-b", "main"]);
    commit(&scratch);
    scratch
}

fn commit(scratch: &Scratch) {
    git(scratch, &["add", "-A"]);
    git(scratch, &["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x"]);
}

fn git(scratch: &Scratch, args: &[&str]) {
    let ran = scratch.other_program("git").args(args).current_dir(scratch.path("p")).output().unwrap();
    assert!(ran.status.success(), "{args:?}: {ran:?}");
}

#[test]
fn a_change_is_shown_with_who_says_it_and_what_it_costs() {
    let scratch = repository();
    assert!(scratch.run(&["diff"]).stdout.ends_with(": agents are told the same\n"));
    let scratch = scratch.file("p/AGENTS.md", "# Rules\n\nUse spaces.\nSee @sub/x.md.\n").file("p/sub/x.md", "X.\n");
    let ran = scratch.run(&["diff", "--json", "--model", "gpt-5"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let diff = ran.json();
    assert_eq!((&diff["changed"], &diff["after"]), (&true.into(), &"the work tree".into()));
    assert_eq!(diff["origins"][0]["origin"], "AGENTS.md");
    assert!(diff["tokens"]["after"].as_u64() > diff["tokens"]["before"].as_u64(), "{diff}");
    assert!(diff["price"]["input"][0].as_str().unwrap().starts_with('$'), "{diff}");
    let codes: Vec<&str> =
        diff["new_findings"].as_array().unwrap().iter().map(|one| one["code"].as_str().unwrap()).collect();
    assert!(codes.contains(&"import-left"), "{codes:?}");
    let hunk = &diff["hunks"][0];
    assert_eq!((&hunk["origin"], &hunk["section"]), (&"AGENTS.md:3".into(), &"instructions".into()));
    let changed: Vec<String> = hunk["lines"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|line| line["sign"] != " ")
        .map(|line| format!("{}{}", line["sign"].as_str().unwrap(), line["text"].as_str().unwrap()))
        .collect();
    assert_eq!(changed, ["-Use tabs.", "+Use spaces.", "+See @sub/x.md."]);
    // Committed, it is the same between two revisions, and the work tree is no part of it.
    commit(&scratch);
    let scratch = scratch.file("p/AGENTS.md", "LATER\n");
    let between = scratch.run(&["diff", "HEAD~1..HEAD", "--json", "--model", "gpt-5"]).json();
    // What git says of the work tree is in both sides, and is another one now.
    let more = |diff: &serde_json::Value| {
        diff["tokens"]["after"].as_u64().unwrap() - diff["tokens"]["before"].as_u64().unwrap()
    };
    assert_eq!((&between["hunks"], more(&between)), (&diff["hunks"], more(&diff)));
    assert!(scratch.run(&["diff", "HEAD~1..HEAD"]).stdout.contains("AGENTS.md:3 (instructions)"));
}

#[test]
fn a_branch_is_compared_with_where_it_left() {
    let scratch = repository();
    git(&scratch, &["checkout", "-qb", "topic"]);
    let scratch = scratch.file("p/AGENTS.md", "# Rules\n\nUse tabs.\nTOPIC\n");
    commit(&scratch);
    git(&scratch, &["checkout", "-q", "main"]);
    let scratch = scratch.file("p/AGENTS.md", "MAIN\n");
    commit(&scratch);
    let text = scratch.run(&["diff", "main...topic"]).stdout;
    assert!(text.contains("+TOPIC") && !text.contains("MAIN"), "{text}");
}

#[test]
fn a_comment_cannot_be_broken_out_of_and_shows_what_is_hidden() {
    let scratch = repository().file("p/AGENTS.md", "```\n````\n</details> a\u{200b}b\n");
    let scratch = scratch.file("home/.config/antefix/settings.toml", "hidden_text = \"allow\"\n");
    let text = scratch.run(&["diff", "--format", "markdown"]).stdout;
    assert!(text.contains("\n`````diff\n") && text.contains("+</details> a<U+200B>b"), "{text}");
    assert!(text.ends_with("\n`````\n\n</details>\n"), "{text}");
}

#[test]
fn what_git_does_not_know_is_an_error() {
    let scratch = repository();
    for (range, why) in [
        ("nowhere", "git knows no `nowhere` here"),
        ("HEAD..nowhere", "git knows no `nowhere` here"),
        ("a b", "it is not the name of a revision"),
    ] {
        let ran = scratch.run(&["diff", range]);
        assert_eq!((ran.code, ran.stdout.as_str()), (1, ""), "{range}");
        assert!(ran.stderr.contains(why), "{ran:?}");
    }
    let ran = scratch.run(&["diff", "--", "--output=canary"]);
    assert!(ran.code == 1 && !scratch.path("p/canary").exists(), "{ran:?}");
    assert_eq!(project().run(&["diff"]).code, 1, "no repository");
}

/// Filters, text conversions, hooks and replacements of the repository, each of which leaves a canary or another text with plain git.
#[test]
fn nothing_that_the_repository_carries_is_run() {
    let scratch = repository().file("p/.gitattributes", "*.md filter=evil diff=evil\n");
    commit(&scratch);
    let canary = scratch.path("canary");
    let touch = format!("touch {}; cat", canary.display());
    for key in ["filter.evil.smudge", "filter.evil.clean", "diff.evil.textconv", "core.fsmonitor", "core.pager"] {
        git(&scratch, &["config", key, &touch]);
    }
    let hook = format!(
        "[[section]]\nid = 'a'\nstability = 'fixed'\ntext = 'A'\n[[hook]]\nname = 'h'\non = 'discover'\ncommand = ['touch', '{}']\n",
        canary.display()
    );
    let scratch = scratch.file("p/.antefix/layout.toml", &hook);
    // Plain git runs them.
    for args in [&["status"][..], &["diff", "HEAD~1"], &["checkout", "HEAD~1", "--", "AGENTS.md"]] {
        let _ = std::fs::remove_file(&canary);
        scratch.other_program("git").args(args).current_dir(scratch.path("p")).output().unwrap();
        assert!(canary.exists(), "{args:?}");
    }
    for range in ["HEAD", "HEAD~1..HEAD"] {
        std::fs::remove_file(&canary).ok();
        let ran = scratch.run(&["diff", range]);
        assert!(ran.code == 0 && !canary.exists(), "{ran:?}");
    }
}

#[test]
fn a_link_of_a_commit_leads_nowhere_outside() {
    let scratch = repository().file("secret.md", "SECRET\n");
    std::fs::remove_file(scratch.path("p/AGENTS.md")).unwrap();
    std::os::unix::fs::symlink("../secret.md", scratch.path("p/AGENTS.md")).unwrap();
    commit(&scratch);
    let scratch = scratch.file("p/other", "");
    let text = scratch.run(&["diff", "HEAD~1..HEAD"]).stdout;
    assert!(text.contains("-Use tabs.") && !text.contains("SECRET"), "{text}");
    // One that stays inside is followed.
    std::fs::remove_file(scratch.path("p/AGENTS.md")).unwrap();
    std::os::unix::fs::symlink("docs/real.md", scratch.path("p/AGENTS.md")).unwrap();
    let scratch = scratch.file("p/docs/real.md", "REAL\n");
    commit(&scratch);
    let text = scratch.run(&["diff", "HEAD~1..HEAD"]).stdout;
    assert!(text.contains("+REAL"), "{text}");
}

#[test]
fn what_is_excluded_by_its_path_is_listed_and_not_loaded() {
    let scratch =
        project().file("p/AGENTS.md", "ROOT\n").file("p/sub/AGENTS.md", "SUB\n").file("p/.claude/rules/a.md", "RULE\n");
    let scratch = scratch.file("home/.config/antefix/settings.toml", "exclude = [\"sub/AGENTS.md\", \".claude/**\"]\n");
    let shown = scratch.run(&["show", "--cwd", "sub"]).stdout;
    assert!(shown.contains("ROOT") && !shown.contains("SUB") && !shown.contains("RULE"), "{shown}");
    let explained = scratch.run(&["explain", "--cwd", "sub"]).stdout;
    assert!(explained.contains("`sub/AGENTS.md` in your settings leaves it out"), "{explained}");
    let scratch = scratch.file("home/.config/antefix/settings.toml", "exclude = [\"[\"]\n");
    assert_eq!(scratch.run(&["show"]).code, 1, "a pattern that cannot be read is refused");
}
