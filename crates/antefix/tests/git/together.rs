//! Branch and status, asked for together: the answers of plain git in every state, and mostly from one process.

use std::fs;
use std::os::unix::fs::symlink;
use std::time::Duration;

use antefix::discover::git::GitQuestion::{Branch, Status};
use antefix::discover::git::{Git, GitLimits};
use antefix::discover::{Answer, Workspace, discover};
use antefix::text::FactName;
use antefix_testing::Need;

use crate::fixture::{
    DIFF, DIFFSTAT, DIFFSTAT_ALL, DIFFSTAT_STAGED, PATH, QUESTIONS, Repo, assert_failed, assert_timed_out,
    assert_withstood, changed_with_attributes, impatient, with_submodule,
};
use crate::parts::Parts;

/// A busy machine must not decide what the tests say.
const PATIENT: GitLimits = GitLimits { time: Duration::from_secs(10), output: 64 * 1024 };

/// What is expected of a state: the branch, or `absent`, or `failed`; and which commands are run to know it.
struct Row {
    state: &'static str,
    make: fn() -> Repo,
    branch: &'static str,
    commands: &'static [&'static str],
}

const ONE: &[&str] = &["status"];
/// The files leave a doubt about the branch, and git is asked.
const DOUBT: &[&str] = &["status", "rev-parse"];
/// The repository is unusual.
const THOROUGH: &[&str] = &["rev-parse", "config", "status"];
/// It looks ordinary, and git does not answer.
const IN_VAIN: &[&str] = &["status", "rev-parse", "config", "status"];

const fn row(state: &'static str, make: fn() -> Repo, branch: &'static str, commands: &'static [&'static str]) -> Row {
    Row { state, make, branch, commands }
}

/// A changed repository on a branch of this name.
fn on_branch(name: &str) -> Repo {
    let repo = Repo::changed();
    repo.git(&["checkout", "-q", "-b", name]);
    repo
}

/// A changed repository with other references, made by `git update-ref`.
fn with_references(names: &[&str]) -> Repo {
    let repo = Repo::changed();
    for name in names {
        repo.git(&["update-ref", name, "HEAD"]);
    }
    repo
}

fn configured(text: &str) -> Repo {
    let repo = Repo::changed();
    repo.configure(text);
    repo
}

fn with_upstream() -> Repo {
    let repo = with_references(&["refs/remotes/origin/trunk"]);
    repo.configure(
        "[remote \"origin\"]\nurl = ../nowhere\nfetch = +refs/heads/*:refs/remotes/origin/*\n\
         [branch \"main\"]\nremote = origin\nmerge = refs/heads/trunk\n",
    );
    repo
}

fn with_format(format: &str) -> Repo {
    let repo = Repo::init(&[format]);
    repo.write("f.txt", "aaaa\n");
    repo.commit();
    repo.write("f.txt", "bbbb\n");
    repo
}

/// A directory in a changed repository, with a `.git` of its own that plain git passes over.
fn with_hollow_repository() -> Repo {
    let mut repo = Repo::changed();
    repo.write("inner/.git/config", "[core]\nbare = false\n");
    repo.cwd = repo.path("inner");
    repo
}

const ROWS: &[Row] = &[
    row("an ordinary repository", Repo::changed, "main", ONE),
    row("a clean one", Repo::committed, "main", ONE),
    row(
        "a subdirectory",
        || {
            let mut repo = Repo::changed();
            repo.write("sub/dir/new", "new\n");
            repo.cwd = repo.path("sub/dir");
            repo
        },
        "main",
        ONE,
    ),
    row("dots and slashes", || on_branch("v1.0.x/fix_it-2"), "v1.0.x/fix_it-2", ONE),
    row("odd characters", || on_branch("größe/☃+#=%$'!(a)&;@b"), "größe/☃+#=%$'!(a)&;@b", ONE),
    row("words of the header of a status", || on_branch("No"), "No", ONE),
    row("the word for a detached head in lower case", || on_branch("head"), "head", ONE),
    row(
        "a detached head",
        || {
            let repo = Repo::changed();
            repo.git(&["checkout", "-q", "--detach"]);
            repo
        },
        "HEAD",
        ONE,
    ),
    row(
        "before the first commit",
        || {
            let repo = Repo::init(&[]);
            repo.write("f.txt", "aaaa\n");
            repo
        },
        "absent",
        ONE,
    ),
    row(
        "a branch without commits beside one that has some",
        || {
            let repo = Repo::changed();
            repo.git(&["checkout", "-q", "--orphan", "fresh"]);
            repo
        },
        "absent",
        ONE,
    ),
    row(
        "packed references",
        || {
            let repo = Repo::changed();
            repo.git(&["-c", "user.name=A", "tag", "-a", "-m", "tag", "v1"]);
            repo.git(&["pack-refs", "--all"]);
            repo
        },
        "main",
        ONE,
    ),
    row("an upstream of another name", with_upstream, "main", ONE),
    row(
        "an upstream that is gone",
        || {
            let repo = with_upstream();
            repo.git(&["update-ref", "-d", "refs/remotes/origin/trunk"]);
            repo
        },
        "main",
        ONE,
    ),
    row(
        "commits that the upstream has not",
        || {
            let repo = with_upstream();
            repo.commit();
            repo
        },
        "main",
        ONE,
    ),
    row(
        "commits that only the upstream has",
        || {
            let repo = with_upstream();
            repo.commit();
            repo.git(&["update-ref", "refs/remotes/origin/trunk", "HEAD"]);
            repo.git(&["reset", "-q", "--hard", "HEAD~1"]);
            repo
        },
        "main",
        ONE,
    ),
    row(
        "the user's settings for the status",
        || {
            let mut repo = with_upstream();
            let settings = "[status]\nbranch = true\nshowStash = true\naheadBehind = true\nrelativePaths = false\n\
                            showUntrackedFiles = all\n";
            fs::write(repo.dir.path().join("home/.gitconfig"), settings).unwrap();
            repo.git(&["stash", "-q"]);
            repo.write("sub/new/file", "new\n");
            repo.cwd = repo.path("sub");
            repo
        },
        "main",
        ONE,
    ),
    row(
        "the repository's settings for the status",
        || configured("[status]\nbranch = true\nshort = false\nshowUntrackedFiles = no\n"),
        "main",
        ONE,
    ),
    row(
        "another language",
        || {
            let mut repo = Repo::changed();
            for name in ["LANG", "LANGUAGE", "LC_MESSAGES"] {
                repo.machine.env.insert(name.to_owned(), "de_DE.UTF-8".to_owned());
            }
            repo
        },
        "main",
        ONE,
    ),
    row("hooks elsewhere", || configured("[core]\nhooksPath = .husky\n"), "main", ONE),
    row(
        "a merge that conflicts",
        || {
            let repo = on_branch("other");
            repo.commit();
            repo.git(&["checkout", "-q", "main"]);
            repo.write("f.txt", "ours\n");
            repo.commit();
            assert!(!repo.plain(&["merge", "-q", "other"]).output().unwrap().status.success());
            repo
        },
        "main",
        ONE,
    ),
    row("no repository", Repo::nothing, "absent", ONE),
    // The files leave a doubt.
    row("a tag of the same name", || with_references(&["refs/tags/main"]), "heads/main", DOUBT),
    row(
        "a packed tag of the same name",
        || {
            let repo = with_references(&["refs/tags/main"]);
            repo.git(&["pack-refs", "--all"]);
            repo
        },
        "heads/main",
        DOUBT,
    ),
    row("a remote branch of the same name", || with_references(&["refs/remotes/main"]), "heads/main", DOUBT),
    row("a remote of the same name", || with_references(&["refs/remotes/main/HEAD"]), "heads/main", DOUBT),
    row("another reference of the same name", || with_references(&["refs/main"]), "heads/main", DOUBT),
    // Plain git warns, prints nothing and calls it a success.
    row("a branch called HEAD", || with_references(&["refs/heads/HEAD"]), "", DOUBT),
    row("a branch called like a file of git's", || on_branch("config"), "config", DOUBT),
    row(
        "a branch called like another work tree's",
        || on_branch("main-worktree/HEAD"),
        "heads/main-worktree/HEAD",
        DOUBT,
    ),
    row(
        "a branch that stands for another",
        || {
            let repo = Repo::changed();
            repo.git(&["symbolic-ref", "refs/heads/alias", "refs/heads/main"]);
            repo.git(&["symbolic-ref", "HEAD", "refs/heads/alias"]);
            repo
        },
        "main",
        DOUBT,
    ),
    row(
        "a head outside the branches",
        || {
            let repo = with_references(&["refs/other/x"]);
            repo.git(&["symbolic-ref", "HEAD", "refs/other/x"]);
            repo
        },
        "other/x",
        DOUBT,
    ),
    row(
        "a head that is a link",
        || {
            let repo = Repo::changed();
            fs::remove_file(repo.path(".git/HEAD")).unwrap();
            symlink("refs/heads/main", repo.path(".git/HEAD")).unwrap();
            repo
        },
        "main",
        DOUBT,
    ),
    // Something is unusual.
    row(
        "a linked work tree",
        || {
            let mut repo = Repo::changed();
            repo.git(&["worktree", "add", "-q", "../linked", "-b", "linked"]);
            repo.cwd = repo.path("../linked").canonicalize().unwrap();
            repo.write("f.txt", "cccc\n");
            repo
        },
        "linked",
        THOROUGH,
    ),
    row(
        "the inside of a submodule",
        || {
            let mut repo = with_submodule();
            repo.cwd = repo.path("sub");
            repo.write("f.txt", "bbbb\n");
            repo
        },
        "main",
        &["rev-parse", "config", "rev-parse", "status"],
    ),
    row("names of objects that are longer", || with_format("--object-format=sha256"), "main", THOROUGH),
    row("a driver", || configured("[FILTER \"x\"]\nclean = cat\n"), "main", THOROUGH),
    row("a hook in the configuration", || configured("[hook.x]\nevent = pre-commit\n"), "main", THOROUGH),
    row("an included file", || configured("[includeIf \"onbranch:x\"]\npath = more\n"), "main", THOROUGH),
    row("a configuration for each work tree", || configured("[extensions]\nworktreeConfig = true\n"), "main", THOROUGH),
    row(
        "a work tree that is named",
        || configured("[core]\nworkTree = ..\n"),
        "main",
        &["rev-parse", "config", "rev-parse", "status"],
    ),
    row(
        "a long configuration",
        || {
            let repo = Repo::changed();
            repo.configure(&"# a comment\n".repeat(6000));
            repo
        },
        "main",
        THOROUGH,
    ),
    row(
        "a configuration that is a link",
        || {
            let repo = Repo::changed();
            fs::rename(repo.path(".git/config"), repo.path(".git/linked")).unwrap();
            symlink("linked", repo.path(".git/config")).unwrap();
            repo
        },
        "main",
        THOROUGH,
    ),
    row(
        "a repository that is a link",
        || {
            let repo = Repo::changed();
            fs::rename(repo.path(".git"), repo.path("../elsewhere")).unwrap();
            symlink("../elsewhere", repo.path(".git")).unwrap();
            repo
        },
        "main",
        THOROUGH,
    ),
    row(
        "a directory that looks bare",
        || {
            let repo = Repo::changed();
            repo.write("refs/new", "new\n");
            repo
        },
        "main",
        THOROUGH,
    ),
    // Git does not answer.
    row("a repository that is passed over", with_hollow_repository, "main", IN_VAIN),
    row(
        "an index that is broken",
        || {
            let repo = Repo::changed();
            repo.write(".git/index", "garbage and more garbage than a header");
            repo
        },
        "main",
        IN_VAIN,
    ),
    row(
        "packed references that are broken",
        || {
            let repo = Repo::changed();
            repo.write(".git/packed-refs", "garbage\n");
            repo
        },
        "failed",
        IN_VAIN,
    ),
    row("a configuration that is broken", || configured("[broken\n"), "failed", &["status", "rev-parse", "config"]),
    row("a bare repository", || configured("[core]\nbare = true\n"), "main", IN_VAIN),
];

/// What plain git says, in the words of the table.
fn plainly(repo: &Repo, args: &[&str]) -> String {
    let output = repo.plain(args).env("LC_ALL", "C").output().unwrap();
    let (text, complaint) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    if output.status.success() {
        return text.trim_end_matches('\n').to_owned();
    }
    let is_absent = |line: &str| {
        line.starts_with("fatal: not a git repository (or any") || line == "fatal: Needed a single revision"
    };
    if complaint.lines().any(is_absent) { "absent".to_owned() } else { "failed".to_owned() }
}

/// What is discovered for names that are asked for together, in the words of the table.
fn together(repo: &Repo, names: [&str; 2]) -> [String; 2] {
    let names = names.map(|name| FactName::new("git", name));
    let mut parts = Parts::new(Workspace::find(&repo.machine, &repo.cwd));
    parts.permissions.git = PATIENT;
    let discovery = discover(&repo.machine, &parts.situation(), &names);
    names.map(|name| match discovery.facts.get(&name).unwrap() {
        Answer::Present(value) => value.text(&name).as_str().to_owned(),
        Answer::Absent => "absent".to_owned(),
        Answer::Unavailable(_) => "failed".to_owned(),
    })
}

#[test]
fn branch_and_status_are_what_plain_git_says_in_every_state() {
    for Row { state, make, branch, commands } in ROWS {
        let repo = make();
        let plain = [
            plainly(&repo, &["rev-parse", "--verify", "--abbrev-ref", "HEAD"]),
            plainly(&repo, &["status", "--short", "--ignore-submodules=dirty"]),
        ];
        assert_eq!(plain[0], *branch, "plain git, {state}");
        assert_eq!(together(&repo, ["branch", "status"]), plain, "{state}");
        assert_eq!(repo.machine.ran(), *commands, "{state}");
        let [status, branch] = together(&repo, ["status", "branch"]);
        assert_eq!([branch, status], plain, "{state}, the status first");
        assert_eq!(repo.machine.ran().len(), commands.len(), "{state}, the status first");
    }
}

#[test]
fn a_reference_format_that_has_no_files_is_left_to_git() {
    if Need::REFTABLE.is_left_out() {
        return;
    }
    let repo = with_format("--ref-format=reftable");
    assert_eq!(together(&repo, ["branch", "status"]), ["main", " M f.txt"]);
    assert_eq!(repo.machine.ran(), THOROUGH);
}

#[test]
fn one_fact_alone_takes_one_process() {
    let repo = Repo::changed();
    for (question, commands) in [(Branch, &["rev-parse"][..]), (Status, &["status"])] {
        repo.ask(question);
        assert_eq!(repo.machine.ran(), commands);
    }
    // What git must be told about hooks before it may write the index is known to git alone.
    let mut git = Git::new(&repo.machine, &repo.cwd, PATIENT).expecting([Branch, Status, DIFF, DIFFSTAT]);
    for question in [Branch, Status, DIFF, DIFFSTAT] {
        git.ask(question);
    }
    assert_eq!(repo.machine.ran(), ["status", "config", "diff", "diff"]);
    // Both together are two texts of git's, and each is asked for once, whoever names it.
    let mut git = Git::new(&repo.machine, &repo.cwd, PATIENT).expecting(QUESTIONS);
    for question in [Branch, Status, DIFFSTAT_ALL, DIFFSTAT, DIFFSTAT_STAGED] {
        git.ask(question);
    }
    assert_eq!(repo.machine.ran(), ["status", "config", "diff", "diff"]);
}

#[test]
fn a_status_that_is_cut_or_late_costs_the_branch_nothing() {
    let repo = Repo::committed();
    for number in 0..100 {
        repo.write(&format!("file{number}"), "new\n");
    }
    let limits = GitLimits { output: 100, ..PATIENT };
    let mut git = Git::new(&repo.machine, &repo.cwd, limits).expecting([Branch, Status]);
    assert_eq!(git.ask(Branch).present().unwrap().text, "main");
    let status = git.ask(Status).present().unwrap();
    assert!(status.more && status.text == repo.plainly(Status)[..100]);
    assert_eq!(repo.machine.ran(), ONE);
    // A name that does not fit is cut by whoever cuts all the rest.
    let limits = GitLimits { output: 3, ..PATIENT };
    let mut git = Git::new(&repo.machine, &repo.cwd, limits).expecting([Branch, Status]);
    let branch = git.ask(Branch).present().unwrap();
    assert!(branch.more && branch.text == "mai");
    // A status that hangs is waited for once, and git still knows the branch.
    repo.make_fifo(".gitignore");
    let mut git = impatient(&repo).expecting([Branch, Status]);
    assert_eq!(git.ask(Branch).present().unwrap().text, "main");
    assert_timed_out(git.ask(Status), "git status: over 0.4 s");
}

#[test]
fn a_git_that_would_not_listen_to_overrides_is_refused() {
    let mut repo = Repo::changed();
    repo.configure(&format!("[core]\nfsmonitor = {}; :\n", repo.sing()));
    // Git 2.30 knows no `GIT_CONFIG_COUNT`, and gives up on keys and values that are quoted apart.
    repo.write_program(
        "../old/git",
        "case \"$GIT_CONFIG_PARAMETERS\" in *\"'='\"*) echo 'fatal: unable to parse command-line config' >&2; exit 128;; esac\n\
         unset GIT_CONFIG_COUNT\nPATH=/usr/local/bin:/usr/bin:/bin exec git \"$@\"",
    );
    let path = format!("{}:{PATH}", repo.path("../old").canonicalize().unwrap().display());
    repo.machine.env.insert("PATH".to_owned(), path);
    let mut git = Git::new(&repo.machine, &repo.cwd, PATIENT).expecting([Branch, Status]);
    assert_eq!(git.ask(Branch).present().unwrap().text, "main");
    assert_failed(git.ask(Status), "git is older than 2.31");
    assert_eq!(repo.machine.ran(), ["status", "rev-parse", "config"]);
    assert!(!repo.canary().exists());
}

// Ways to hide a driver from who reads the configuration as text.

fn driver(repo: &Repo) -> String {
    format!("[filter \"x\"]\nclean = {}; cat\n", repo.sing())
}

#[test]
fn a_driver_of_a_repository_further_up_is_not_run() {
    // Git passes over a `.git` that lacks a directory, or a head that can be read.
    for (directories, head) in [(&["objects"][..], "ref: refs/heads/main\n"), (&["objects", "refs"], "garbage\n")] {
        let setup = || {
            let mut repo = changed_with_attributes("*.txt filter=x\n");
            repo.write("inner/.git/config", "[core]\nbare = false\n");
            repo.write("inner/.git/HEAD", head);
            for name in directories {
                fs::create_dir(repo.path("inner/.git").join(name)).unwrap();
            }
            repo.cwd = repo.path("inner");
            repo
        };
        let attack = |repo: &Repo| repo.append("../.git/config", &driver(repo));
        assert_withstood(setup, attack, &[Status, DIFF]);
    }
}

#[test]
fn a_driver_in_a_common_directory_is_not_run() {
    let setup = || changed_with_attributes("*.txt filter=x\n");
    let attack = |repo: &Repo| {
        fs::create_dir(repo.path(".git/common")).unwrap();
        for name in ["objects", "refs", "info"] {
            if repo.path(".git").join(name).exists() {
                fs::rename(repo.path(".git").join(name), repo.path(".git/common").join(name)).unwrap();
            }
        }
        fs::copy(repo.path(".git/config"), repo.path(".git/common/config")).unwrap();
        repo.append(".git/common/config", &driver(repo));
        repo.write(".git/commondir", "common\n");
    };
    assert_withstood(setup, attack, &[Status, DIFF]);
}

#[test]
fn a_driver_is_found_however_its_section_is_written() {
    for section in ["[FILTER \"x\"]", "[filter.x]", "[core][fIlTeR \"x\"]", "\u{feff}[filter \"x\"]"] {
        let setup = || changed_with_attributes("*.txt filter=x\n");
        let attack = |repo: &Repo| {
            let before = fs::read_to_string(repo.path(".git/config")).unwrap();
            repo.write(".git/config", format!("{section}\r\nclean = {}; cat\r\n{before}", repo.sing()));
        };
        assert_withstood(setup, attack, &[Status, DIFF]);
    }
}
