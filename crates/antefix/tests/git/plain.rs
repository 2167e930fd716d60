//! Friendly repositories read as plain git prints them, and every other state has its answer.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use antefix::discover::git::GitQuestion::{Branch, Status};
use antefix::discover::git::{Git, GitLimits};
use antefix::discover::{Answer, ReasonCode};
use antefix_testing::Need;

use crate::fixture::{DIFF, DIFFSTAT, DIFFSTAT_ALL, DIFFSTAT_STAGED, QUESTIONS, Repo, assert_failed, with_submodule};

#[test]
fn every_kind_of_change_reads_as_plain_git_prints_it() {
    let repo = Repo::committed();
    for name in ["staged", "both", "gone", "gone-staged", "old name", "mode", "zeilenende", "ünïcödé ☃"] {
        repo.write(name, format!("{name}\n1\n2\n3\n4\n5\n6\n"));
    }
    repo.write("binary", b"\0\x01\x02");
    repo.commit();
    repo.write("f.txt", "bbbb\n");
    repo.write("staged", "staged\nchanged\n");
    repo.write("both", "both\nonce\n");
    repo.git(&["add", "staged", "both"]);
    repo.write("both", "both\ntwice\n");
    fs::remove_file(repo.path("gone")).unwrap();
    repo.git(&["rm", "-q", "gone-staged"]);
    repo.git(&["mv", "old name", "new name"]);
    fs::set_permissions(repo.path("mode"), fs::Permissions::from_mode(0o755)).unwrap();
    repo.write("zeilenende", "no newline at the end");
    repo.write("ünïcödé ☃", "ß\n");
    repo.write("binary", b"\0\x03");
    repo.write("untracked/a b", "new\n");
    repo.write("line\nbreak \u{1b}[31m [if x]", "new\n");
    symlink("nowhere", repo.path("link")).unwrap();
    repo.assert_plain();
    let status = &repo.texts()[1];
    assert!(status.contains(r#"?? "line\nbreak \033[31m [if x]""#), "{status}");
    assert!(status.starts_with(" M "), "the columns of the first line are kept: {status}");
}

#[test]
fn staged_and_unstaged_changes_can_be_asked_for_apart_and_together() {
    let repo = Repo::changed();
    repo.write("new.txt", "new\n");
    repo.git(&["add", "new.txt"]);
    let unstaged = " f.txt | 2 +-\n 1 file changed, 1 insertion(+), 1 deletion(-)";
    let staged = " new.txt | 1 +\n 1 file changed, 1 insertion(+)";
    let text = |question| repo.ask(question).present().unwrap().text;
    assert_eq!(text(DIFFSTAT), unstaged);
    assert_eq!(text(DIFFSTAT_STAGED), staged);
    assert_eq!(text(DIFFSTAT_ALL), format!("{}\n{}", unstaged.trim(), staged.trim()));
    repo.assert_plain();
}

#[test]
fn a_text_of_both_that_is_too_long_ends_where_it_is_cut() {
    let repo = Repo::changed();
    repo.write("new.txt", "new\n");
    repo.git(&["add", "new.txt"]);
    let all = repo.plainly(DIFFSTAT_ALL);
    let first = repo.plainly(DIFFSTAT).trim().len();
    for output in [20, first + 10] {
        let limits = GitLimits { time: std::time::Duration::from_secs(10), output };
        let cut = Git::new(&repo.machine, &repo.cwd, limits).ask(DIFFSTAT_ALL).present().unwrap();
        assert!(cut.more && all.starts_with(cut.text.trim()) && cut.text.len() <= output, "{output}: {cut:?}");
    }
}

#[test]
fn a_clean_repository_is_present_and_empty() {
    let repo = Repo::committed();
    assert_eq!(repo.texts(), ["main", "", "", "", "", "", "", ""].map(str::to_owned));
    repo.assert_plain();
}

#[test]
fn a_subdirectory_reads_as_plain_git_prints_it() {
    let mut repo = Repo::changed();
    repo.write("sub/dir/new", "new\n");
    repo.cwd = repo.path("sub/dir");
    repo.assert_plain();
    assert_eq!(repo.texts()[1], " M ../../f.txt\n?? ../");
}

#[test]
fn a_detached_head_is_called_head() {
    let repo = Repo::changed();
    repo.git(&["checkout", "-q", "--detach"]);
    repo.assert_plain();
    assert_eq!(repo.texts()[0], "HEAD");
}

#[test]
fn a_branch_with_slashes_and_letters_keeps_its_name() {
    let repo = Repo::changed();
    repo.git(&["checkout", "-q", "-b", "fix/größe"]);
    repo.assert_plain();
    assert_eq!(repo.texts()[0], "fix/größe");
}

#[test]
fn before_the_first_commit_there_is_no_branch() {
    let repo = Repo::init(&[]);
    repo.write("f.txt", "aaaa\n");
    assert_eq!(repo.ask(Branch), Answer::Absent);
    for question in [Status, DIFF, DIFFSTAT] {
        assert_eq!(repo.ask(question).present().unwrap().text, repo.plainly(question));
    }
    // Plain git takes the file for the branch.
    repo.write("HEAD", "");
    assert_eq!(repo.plainly(Branch), "HEAD");
    assert_eq!(repo.ask(Branch), Answer::Absent);
}

#[test]
fn a_merge_conflict_reads_as_plain_git_prints_it() {
    let repo = Repo::committed();
    repo.git(&["checkout", "-q", "-b", "other"]);
    repo.write("f.txt", "theirs\n");
    repo.commit();
    repo.git(&["checkout", "-q", "main"]);
    repo.write("f.txt", "ours\n");
    repo.commit();
    assert!(!repo.plain(&["merge", "-q", "other"]).output().unwrap().status.success());
    repo.assert_plain();
    assert_eq!(repo.texts()[1], "UU f.txt");
}

#[test]
fn a_linked_worktree_reads_as_plain_git_prints_it() {
    let mut repo = Repo::changed();
    repo.git(&["worktree", "add", "-q", "../linked", "-b", "linked"]);
    repo.cwd = repo.path("../linked").canonicalize().unwrap();
    repo.write("f.txt", "cccc\n");
    repo.assert_plain();
    assert_eq!(repo.texts()[0], "linked");
}

#[test]
fn other_formats_read_as_plain_git_prints_them() {
    for format in ["--object-format=sha256", "--ref-format=reftable"] {
        if format.ends_with("reftable") && Need::REFTABLE.is_left_out() {
            continue;
        }
        let repo = Repo::init(&[format]);
        repo.write("f.txt", "aaaa\n");
        repo.commit();
        repo.write("f.txt", "bbbb\n");
        repo.assert_plain();
    }
}

#[test]
fn a_submodule_reads_as_plain_git_prints_it_from_inside_and_but_for_its_dirt_from_outside() {
    let mut repo = with_submodule();
    repo.git(&["-C", "sub", "commit", "-q", "--allow-empty", "-m", "commit"]);
    repo.assert_plain();
    assert_eq!(repo.texts()[1], " M sub");
    repo.cwd = repo.path("sub");
    repo.write("f.txt", "bbbb\n");
    repo.assert_plain();
    assert_eq!(repo.texts()[1], " M f.txt");
}

#[test]
fn colors_stay_out_whatever_the_user_or_the_repository_configures() {
    let expected = Repo::changed().texts();
    let repo = Repo::changed();
    let always =
        "[color]\nui = always\nstatus = always\ndiff = always\n[status]\ncolor = always\n[diff]\ncolor = always\n";
    fs::write(repo.dir.path().join("home/.gitconfig"), always).unwrap();
    assert!(repo.plainly(Status).contains('\u{1b}') && repo.plainly(DIFF).contains('\u{1b}'));
    assert_eq!(repo.texts(), expected);
    repo.configure(always);
    assert_eq!(repo.texts(), expected);
}

#[test]
fn the_users_own_configuration_and_filters_count() {
    let repo = Repo::changed();
    let global = "[diff]\nnoprefix = true\n[status]\nbranch = true\n[filter \"own\"]\nclean = tr b a\n";
    fs::write(repo.dir.path().join("home/.gitconfig"), global).unwrap();
    repo.assert_plain();
    assert!(repo.texts()[1].starts_with("## main\n M"));
    repo.write(".git/info/attributes", "f.txt filter=own\n");
    repo.assert_plain();
    assert_eq!(repo.texts()[1], "## main", "the filter makes the file as it was");
}

#[test]
fn what_is_no_utf8_is_replaced_and_said_to_be() {
    let repo = Repo::committed();
    repo.write("f.txt", b"a\xffb\n");
    let found = repo.ask(DIFF).present().unwrap();
    assert!(found.replaced && !found.more && found.text.ends_with("-aaaa\n+a\u{fffd}b"), "{found:?}");
    assert!(!repo.ask(Status).present().unwrap().replaced);
}

#[test]
fn long_output_is_cut_between_two_characters() {
    let repo = Repo::committed();
    repo.write("f.txt", "ü".repeat(5000));
    let whole = repo.plainly(DIFF);
    for output in 1000..1004 {
        let limits = GitLimits { output, ..GitLimits::default() };
        let found = Git::new(&repo.machine, &repo.cwd, limits).ask(DIFF).present().unwrap();
        assert!(found.more && !found.replaced);
        assert!(found.text.len() <= output && found.text.len() >= output - 1 && whole.starts_with(&found.text));
    }
    let limits = GitLimits { output: whole.len() + 1, ..GitLimits::default() };
    let found = Git::new(&repo.machine, &repo.cwd, limits).ask(DIFF).present().unwrap();
    assert!(!found.more && found.text == whole);
}

// The other answers.

#[test]
fn a_directory_without_repository_is_absent() {
    let repo = Repo::nothing();
    for question in QUESTIONS {
        assert_eq!(repo.ask(question), Answer::Absent);
    }
    // Plain git says so of an empty `.git` as well.
    fs::create_dir(repo.path(".git")).unwrap();
    for question in QUESTIONS {
        assert_eq!(repo.ask(question), Answer::Absent);
    }
}

#[test]
fn without_git_every_answer_is_not_installed() {
    let mut repo = Repo::changed();
    for path in [Some("/nowhere"), Some(""), None] {
        repo.machine.env.remove("PATH");
        repo.machine.env.extend(path.map(|path| ("PATH".to_owned(), path.to_owned())));
        for question in QUESTIONS {
            assert_eq!(repo.ask(question), Answer::unavailable(ReasonCode::NotInstalled, "git"));
        }
    }
}

#[test]
fn a_corrupt_repository_fails_with_gits_reason() {
    let repo = Repo::changed();
    repo.write(".git/index", "garbage and more garbage than a header");
    for question in [Status, DIFF, DIFFSTAT] {
        assert_failed(repo.ask(question), "error: bad signature");
    }
    let repo = Repo::changed();
    repo.configure("[broken\n");
    for question in QUESTIONS {
        assert_failed(repo.ask(question), "fatal: bad config line");
    }
    let repo = Repo::nothing();
    repo.write(".git", "gitdir: /no\u{9b}where\n");
    // Git itself takes the sting out of ESC, but not out of its one-byte relative.
    for question in QUESTIONS {
        assert_failed(repo.ask(question), r"fatal: not a git repository: /no\u{9b}where");
    }
}

#[test]
fn a_missing_directory_fails() {
    let mut repo = Repo::nothing();
    repo.cwd = repo.path("missing");
    assert_failed(repo.ask(Status), "no directory ");
}
