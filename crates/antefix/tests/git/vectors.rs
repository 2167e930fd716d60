//! The seventeen known ways to have git execute something or hang.
//!
//! Each test first proves that plain git falls for the fixture, so that a fixture that has gone stale cannot pass.

use std::fs;
use std::time::{Duration, Instant, SystemTime};

use antefix::discover::git::GitQuestion::{Branch, Status};
use antefix_testing::Need;

use crate::fixture::{
    DIFF, DIFF_STAGED, DIFFSTAT, QUESTIONS, Repo, assert_failed, assert_hangs, assert_timed_out, assert_withstood,
    changed_with_attributes, impatient, with_submodule,
};

#[test]
fn v1_a_file_system_monitor_is_not_run() {
    let attack = |repo: &Repo| repo.configure(&format!("[core]\nfsmonitor = {}; :\n", repo.sing()));
    assert_withstood(Repo::changed, attack, &[Status, DIFF, DIFFSTAT]);
}

#[test]
fn v2_a_hook_after_the_index_changed_is_not_run() {
    let setup = || {
        let repo = Repo::committed();
        let file = fs::File::options().write(true).open(repo.path("f.txt")).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(60)).unwrap();
        repo
    };
    let attack = |repo: &Repo| repo.write_program(".git/hooks/post-index-change", &repo.sing());
    assert_withstood(setup, attack, &[Status, DIFF, DIFFSTAT]);
}

#[test]
fn v3_a_required_clean_filter_is_not_run() {
    let setup = || changed_with_attributes("*.txt filter=x\n");
    let attack = |repo: &Repo| repo.configure(&format!("[filter \"x\"]\nrequired\nclean = {}; cat\n", repo.sing()));
    assert_withstood(setup, attack, &[Status, DIFF, DIFFSTAT]);
}

#[test]
fn v4_a_filter_process_selected_outside_the_tree_is_not_run() {
    let attack = |repo: &Repo| {
        repo.write(".git/info/attributes", "*.txt filter=x\n");
        repo.configure(&format!("[filter \"x\"]\nprocess = {}\n", repo.sing()));
    };
    assert_withstood(Repo::changed, attack, &[Status, DIFF, DIFFSTAT]);
}

#[test]
fn v5_a_filter_with_an_equals_sign_in_its_name_is_not_run() {
    let setup = || changed_with_attributes("*.txt filter=a=b\n");
    let attack = |repo: &Repo| repo.configure(&format!("[filter \"a=b\"]\nclean = {}; cat\n", repo.sing()));
    assert_withstood(setup, attack, &[Status, DIFF, DIFFSTAT]);
}

#[test]
fn v6_a_filter_with_an_odd_name_is_not_run() {
    for name in ["a.b", ".clean", "Ä'*"] {
        let setup = || changed_with_attributes(&format!("*.txt filter={name}\n"));
        let attack = |repo: &Repo| repo.configure(&format!("[filter \"{name}\"]\nclean = {}; cat\n", repo.sing()));
        assert_withstood(setup, attack, &[Status, DIFF]);
    }
    // An attribute's value ends at a space, so plain git cannot be led to this driver; it must not confuse us either.
    let setup = || changed_with_attributes("*.txt filter=a b\n");
    let attack = |repo: &Repo| repo.configure(&format!("[filter \"a b\"]\nclean = {}; cat\n", repo.sing()));
    assert_withstood(setup, attack, &[]);
}

#[test]
fn v7_a_filter_in_an_included_file_is_not_run() {
    let setup = || changed_with_attributes("*.txt filter=x\n");
    let attack = |repo: &Repo| {
        repo.write(".git/more", format!("[filter \"x\"]\nclean = {}; cat\n", repo.sing()));
        repo.configure("[include]\npath = more\n");
    };
    assert_withstood(setup, attack, &[Status, DIFF, DIFFSTAT]);
    let conditional = |repo: &Repo| {
        repo.write(".git/more", format!("[filter \"x\"]\nclean = {}; cat\n", repo.sing()));
        repo.configure("[includeIf \"onbranch:main\"]\npath = more\n");
    };
    assert_withstood(setup, conditional, &[Status, DIFF]);
}

#[test]
fn v8_a_filter_in_the_worktrees_configuration_is_not_run() {
    let setup = || changed_with_attributes("*.txt filter=x\n");
    let attack = |repo: &Repo| {
        repo.configure("[core]\nrepositoryformatversion = 1\n[extensions]\nworktreeConfig = true\n");
        repo.write(".git/config.worktree", format!("[filter \"x\"]\nclean = {}; cat\n", repo.sing()));
    };
    assert_withstood(setup, attack, &[Status, DIFF, DIFFSTAT]);
}

#[test]
fn v9_an_external_diff_is_not_run() {
    // Neither `status` nor `diff --stat` runs it, here and in the next two.
    let attack = |repo: &Repo| repo.configure(&format!("[diff]\nexternal = {}; :\n", repo.sing()));
    assert_withstood(Repo::changed, attack, &[DIFF]);
    assert_withstood(|| staged(Repo::changed()), attack, &[DIFF_STAGED]);
}

/// What has changed is staged.
fn staged(repo: Repo) -> Repo {
    repo.git(&["add", "-A"]);
    repo
}

#[test]
fn v10_a_diff_driver_is_not_run() {
    let setup = || changed_with_attributes("*.txt diff=x\n");
    let attack = |repo: &Repo| repo.configure(&format!("[diff \"x\"]\ncommand = {}; :\n", repo.sing()));
    assert_withstood(setup, attack, &[DIFF]);
    assert_withstood(|| staged(setup()), attack, &[DIFF_STAGED]);
}

#[test]
fn v11_a_text_conversion_is_not_run() {
    let setup = || changed_with_attributes("*.txt diff=x\n");
    let attack = |repo: &Repo| repo.configure(&format!("[diff \"x\"]\ntextconv = {}; cat\n", repo.sing()));
    assert_withstood(setup, attack, &[DIFF]);
    assert_withstood(|| staged(setup()), attack, &[DIFF_STAGED]);
}

fn poison_submodule(repo: &Repo) {
    repo.write(".git/modules/sub/info/attributes", "*.txt filter=x\n");
    repo.append(".git/modules/sub/config", &format!("[filter \"x\"]\nclean = {}; cat\n", repo.sing()));
    repo.write("sub/f.txt", "bbbb\n");
}

#[test]
fn v12_a_filter_in_a_submodule_is_not_run() {
    assert_withstood(with_submodule, poison_submodule, &[Status, DIFF, DIFFSTAT]);
    let insisting = |repo: &Repo| {
        poison_submodule(repo);
        repo.configure("[submodule \"sub\"]\nignore = none\n[status]\nsubmoduleSummary = true\n");
    };
    assert_withstood(with_submodule, insisting, &[Status, DIFF]);
}

#[test]
fn v13_a_filter_in_a_submodule_whose_diff_is_shown_is_not_run() {
    let attack = |repo: &Repo| {
        poison_submodule(repo);
        repo.configure("[diff]\nsubmodule = diff\n[submodule]\nrecurse = true\n");
    };
    assert_withstood(with_submodule, attack, &[Status, DIFF]);
}

#[test]
fn v14_an_embedded_bare_repository_is_refused() {
    let repo = || {
        let mut repo = Repo::changed();
        fs::rename(repo.path(".git"), repo.path("docs")).unwrap();
        repo.append("docs/config", &format!("[core]\nworktree = ..\nfsmonitor = {}; :\n", repo.sing()));
        repo.cwd = repo.path("docs");
        repo
    };
    for question in [Status, DIFF] {
        let repo = repo();
        let args: Vec<_> = question.command().split(' ').skip(1).collect();
        repo.plain(&args).output().unwrap();
        assert!(repo.canary().exists(), "plain git is not fooled");
    }
    let repo = repo();
    for question in QUESTIONS {
        assert_failed(repo.ask(question), "fatal: cannot use bare repository");
    }
    assert!(!repo.canary().exists());
}

#[test]
fn v15_a_missing_object_is_not_fetched() {
    let repo = || {
        let repo = Repo::changed();
        let object = repo.git(&["rev-parse", "HEAD:f.txt"]);
        let (directory, rest) = object.trim().split_at(2);
        fs::remove_file(repo.path(format!(".git/objects/{directory}/{rest}"))).unwrap();
        repo.configure(&format!(
            "[core]\nrepositoryformatversion = 1\n[extensions]\npartialClone = origin\n[protocol \"ext\"]\nallow = always\n\
             [remote \"origin\"]\nurl = ext::{}\npromisor = true\npartialclonefilter = blob:none\n",
            repo.sing()
        ));
        repo
    };
    // `status` compares names of objects and needs none.
    for question in [DIFF, DIFFSTAT] {
        let repo = repo();
        let args: Vec<_> = question.command().split(' ').skip(1).collect();
        repo.plain(&args).output().unwrap();
        assert!(repo.canary().exists(), "plain git is not fooled");
    }
    let repo = repo();
    assert_eq!(repo.ask(Status).present().unwrap().text, " M f.txt");
    assert_failed(repo.ask(DIFF), "fatal: ");
    assert_failed(repo.ask(DIFFSTAT), "fatal: ");
    assert!(!repo.canary().exists());
}

#[test]
fn v16_a_configuration_that_hangs_times_out_once() {
    let repo = Repo::changed();
    repo.make_fifo(".git/fifo");
    repo.configure("[include]\npath = fifo\n");
    assert_hangs(&repo, Status);
    let mut git = impatient(&repo);
    let start = Instant::now();
    for question in [Status, DIFF, DIFFSTAT, Status] {
        assert_timed_out(git.ask(question), "git config: over 0.2 s");
    }
    assert!(start.elapsed() < Duration::from_millis(600), "{:?}", start.elapsed());
    assert_timed_out(git.ask(Branch), "git rev-parse: over 0.4 s");
}

#[test]
fn v17_a_repository_of_a_foreign_owner_is_refused() {
    if Need::CHOWN.is_left_out() {
        return;
    }
    let repo = Repo::changed();
    repo.configure(&format!("[core]\nfsmonitor = {}; :\n", repo.sing()));
    let chown = std::process::Command::new("chown").args(["-R", "12345"]).arg(&repo.cwd).output().unwrap();
    assert!(chown.status.success(), "{chown:?}");
    // Plain git refuses by itself, unless its user has trusted everything.
    assert!(!repo.plain(&["status"]).output().unwrap().status.success());
    let trusting = [("GIT_CONFIG_COUNT", "1"), ("GIT_CONFIG_KEY_0", "safe.directory"), ("GIT_CONFIG_VALUE_0", "*")];
    repo.plain(&["status"]).envs(trusting).output().unwrap();
    assert!(repo.canary().exists());
    fs::remove_file(repo.canary()).unwrap();
    for question in QUESTIONS {
        assert_failed(repo.ask(question), "fatal: detected dubious ownership in repository");
    }
    assert!(!repo.canary().exists());
}
