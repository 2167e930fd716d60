//! Ways to fool git that the list of vectors does not name.

use std::fs;
use std::os::unix::fs::symlink;
use std::time::{Duration, SystemTime};

use antefix::discover::git::GitQuestion::{Branch, Status};
use antefix::discover::{Answer, ReasonCode};

use crate::fixture::{
    DIFF, DIFFSTAT, PATH, QUESTIONS, Repo, assert_failed, assert_hangs, assert_timed_out, assert_withstood,
    changed_with_attributes, impatient,
};

#[test]
fn a_work_tree_that_is_moved_away_shows_no_foreign_file() {
    for place in ["../../home", "../.."] {
        let repo = Repo::init(&[]);
        fs::write(repo.dir.path().join("home/key"), "secret\n").unwrap();
        let name = if place == "../.." { "home/key" } else { "key" };
        repo.write(name, "guess\n");
        repo.commit();
        repo.configure(&format!("[core]\nworktree = {place}\n"));
        assert!(repo.plainly(DIFF).contains("secret"), "plain git is not fooled");
        for question in [Status, DIFF, DIFFSTAT] {
            let reason = Answer::unavailable(ReasonCode::OutsideRoot, "core.worktree of the repository");
            assert_eq!(repo.ask(question), reason);
        }
        assert_eq!(repo.ask(Branch).present().unwrap().text, "main");
    }
    // One that stays where it is does no harm.
    let repo = Repo::changed();
    repo.configure("[core]\nworktree = ..\n");
    repo.assert_plain();
}

#[test]
fn a_git_of_the_repositorys_own_is_not_run() {
    let mut repo = Repo::changed();
    for name in ["git", "bin/git", "node_modules/.bin/git"] {
        repo.write_program(name, &repo.sing());
    }
    let expected = QUESTIONS.map(|question| repo.plainly(question));
    // A link into the repository leads to its programs; a link in the repository leads where it likes.
    symlink(repo.path("bin"), repo.dir.path().join("shortcut")).unwrap();
    repo.write_program("../elsewhere/git", &repo.sing());
    symlink("../../elsewhere", repo.path("node_modules/link")).unwrap();
    assert!(repo.path("node_modules/link/git").is_file());
    let own = repo.path("node_modules/.bin");
    let shortcut = repo.dir.path().join("shortcut");
    let link = repo.path("node_modules/link");
    let path = format!(".::bin:./bin:{}:{}:{}:{PATH}", own.display(), shortcut.display(), link.display());
    repo.machine.env.insert("PATH".to_owned(), path);
    assert_eq!(repo.texts(), expected);
    repo.cwd = repo.path("bin");
    assert_eq!(repo.texts()[0], "main");
    assert!(!repo.canary().exists());
}

#[test]
fn a_relative_home_does_not_make_the_repository_the_user() {
    let mut repo = changed_with_attributes("*.txt filter=x\n");
    let config = format!("[filter \"x\"]\nclean = {}; cat\n", repo.sing());
    repo.write(".gitconfig", &config);
    repo.write("git/config", &config);
    for name in ["HOME", "XDG_CONFIG_HOME"] {
        repo.machine.env.insert(name.to_owned(), ".".to_owned());
    }
    repo.plainly(Status);
    assert!(repo.canary().exists(), "plain git is not fooled");
    fs::remove_file(repo.canary()).unwrap();
    repo.texts();
    assert!(!repo.canary().exists());
}

#[test]
fn programs_for_other_occasions_are_not_run() {
    let attack = |repo: &Repo| {
        let sing = repo.sing();
        repo.configure(&format!(
            "[core]\neditor = {sing}\npager = {sing}\nsshCommand = {sing}\naskPass = {sing}\n[pager]\nstatus = {sing}\n\
             diff = {sing}\n[credential]\nhelper = !{sing}\n[gpg]\nprogram = {sing}\n[log]\nshowSignature = true\n\
             [alias]\nstatus = !{sing}\ndiff = !{sing}\n[interactive]\ndiffFilter = {sing}\n[merge \"x\"]\n\
             driver = {sing}\n[trace2]\nnormalTarget = {0}\n",
            repo.canary().display()
        ));
    };
    assert_withstood(Repo::changed, attack, &[]);
}

#[test]
fn status_leaves_the_index_alone() {
    let repo = Repo::committed();
    let file = fs::File::options().write(true).open(repo.path("f.txt")).unwrap();
    file.set_modified(SystemTime::now() - Duration::from_secs(60)).unwrap();
    let before = fs::read(repo.path(".git/index")).unwrap();
    repo.ask(Status);
    assert_eq!(fs::read(repo.path(".git/index")).unwrap(), before);
}

#[test]
fn a_file_of_patterns_that_hangs_times_out() {
    let ignore = Repo::changed();
    ignore.make_fifo(".gitignore");
    assert_hangs(&ignore, Status);
    assert_timed_out(impatient(&ignore).ask(Status), "git status: over 0.4 s");
    let attributes = Repo::changed();
    attributes.make_fifo(".git/fifo");
    attributes.configure(&format!("[core]\nattributesFile = {}\n", attributes.path(".git/fifo").display()));
    assert_hangs(&attributes, DIFF);
    assert_timed_out(impatient(&attributes).ask(DIFF), "git diff: over 0.4 s");
    assert_eq!(impatient(&attributes).ask(Branch).present().unwrap().text, "main");
}

#[test]
fn a_repository_with_a_filter_driver_whose_name_is_not_utf8_is_refused() {
    let repo = Repo::changed();
    let mut config = fs::read(repo.path(".git/config")).unwrap();
    config.extend_from_slice(b"[filter \"\xff\"]\nclean = ");
    config.extend_from_slice(repo.sing().as_bytes());
    fs::write(repo.path(".git/config"), config).unwrap();
    repo.write(".git/info/attributes", b"*.txt filter=\xff\n");
    repo.plainly(Status);
    assert!(repo.canary().exists(), "plain git is not fooled");
    fs::remove_file(repo.canary()).unwrap();
    assert_failed(repo.ask(Status), "a filter driver's name is not UTF-8");
    assert!(!repo.canary().exists());
}
