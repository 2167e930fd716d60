//! Programs of a repository that want to run before anybody trusts them.

use std::fs;

use antefix_testing::Scratch;
use serde_json::json;

use crate::scratch;

const LAYOUT: &str = "[[section]]\nid = \"one\"\nstability = \"frozen\"\ntext = \"One.\"\n\n\
    [[hook]]\non = \"before_turn\"\ncommand = [\"hooks/note\"]\n";

/// A clone with a hook, and a mark of its own in a directory below.
fn clone() -> Scratch {
    let scratch = scratch()
        .file("p/.git/HEAD", "ref: refs/heads/main\n")
        .file("p/.antefix/layout.toml", LAYOUT)
        .file("p/packages/x/.antefix/.keep", "")
        .file("p/packages/y/.git/HEAD", "ref: refs/heads/main\n");
    canary(&scratch, "p/.antefix/hooks/note");
    scratch
}

/// A program that says that it ran.
fn canary(scratch: &Scratch, name: &str) {
    let canary = scratch.path("canary");
    scratch.executable(name, &format!("#!/bin/sh\ntouch '{}'\nprintf '{{}}'\n", canary.display()));
}

fn ran(scratch: &Scratch) -> bool {
    fs::remove_file(scratch.path("canary")).is_ok()
}

#[test]
fn a_nearer_mark_does_not_make_a_projects_hook_the_users_own() {
    let scratch = clone();
    for inner in ["x", "y"] {
        let cwd = scratch.path(format!("p/packages/{inner}")).to_string_lossy().into_owned();
        let layout = scratch.path("p/.antefix/layout.toml").to_string_lossy().into_owned();
        let turned = scratch.run(&["turn", inner, "--cwd", &cwd, "--layout", &layout]);
        assert!(!ran(&scratch) && turned.stderr.contains("hook-untrusted"), "{inner}: {turned:?}");
        let server = scratch.serve_with(&["--layout", &layout]);
        let turn = server.post("/conversations/c/turns", &json!({"cwd": format!("packages/{inner}")}).to_string()).ok();
        assert!(!ran(&scratch) && turn.body.contains("hook-untrusted"), "{inner}: {turn:?}");
    }
    // Trusted where it is, it runs wherever the agent works.
    scratch.ok(&["trust", "--yes"]);
    for cwd in ["p", "p/packages/x", "p/packages/y"] {
        let directory = scratch.path(cwd).to_string_lossy().into_owned();
        let layout = scratch.path("p/.antefix/layout.toml").to_string_lossy().into_owned();
        scratch.ok(&["turn", "t", "--cwd", &directory, "--layout", &layout]);
        assert!(ran(&scratch), "{cwd}");
    }
}

#[test]
fn a_layout_of_another_clone_waits_for_trust_in_that_clone() {
    let scratch = clone().file("q/.git/HEAD", "ref: refs/heads/main\n");
    let (q, layout) = (scratch.path("q"), scratch.path("p/.antefix/layout.toml"));
    let args = ["turn", "c", "--cwd", q.to_str().unwrap(), "--layout", layout.to_str().unwrap()];
    let turned = scratch.run(&args);
    assert!(!ran(&scratch) && turned.stderr.contains("hook-untrusted"), "{turned:?}");
    scratch.ok(&["trust", "--yes"]);
    scratch.ok(&args);
    assert!(ran(&scratch));
    canary(&scratch, "p/.antefix/hooks/note");
    fs::write(scratch.path("p/.antefix/hooks/note"), scratch.read("p/.antefix/hooks/note") + "# other bytes\n")
        .unwrap();
    let turned = scratch.run(&args);
    assert!(!ran(&scratch) && turned.stderr.contains("hook-modified"), "{turned:?}");
}

#[test]
fn a_users_layout_does_not_run_a_program_of_a_repository_by_its_path() {
    let scratch = clone();
    let program = scratch.path("p/.antefix/hooks/note");
    let layout = LAYOUT.replace("hooks/note", program.to_str().unwrap());
    scratch.write("home/.config/antefix/layout.toml", &layout);
    fs::remove_file(scratch.path("p/.antefix/layout.toml")).unwrap();
    for cwd in ["p", "p/packages/x", "home"] {
        let directory = scratch.path(cwd).to_string_lossy().into_owned();
        let turned = scratch.run(&["turn", cwd, "--cwd", &directory]);
        assert!(!ran(&scratch) && turned.stderr.contains("hook-untrusted"), "{cwd}: {turned:?}");
    }
    // A program of the user's own needs no trust.
    canary(&scratch, "home/bin/note");
    scratch.write(
        "home/.config/antefix/layout.toml",
        &LAYOUT.replace("hooks/note", scratch.path("home/bin/note").to_str().unwrap()),
    );
    scratch.ok(&["turn", "own"]);
    assert!(ran(&scratch));
}

#[test]
fn a_directory_that_is_run_is_trusted_with_every_file_in_it() {
    let scratch = scratch()
        .file("p/.git/HEAD", "ref: refs/heads/main\n")
        .file("p/.antefix/layout.toml", &LAYOUT.replace("[\"hooks/note\"]", "[\"python3\", \"tool\"]"));
    let main = |extra: &str| {
        let canary = scratch.path("canary");
        format!("import helper\nopen({:?}, 'w')\nprint('{{}}')\n{extra}", canary.to_str().unwrap())
    };
    scratch.write("p/tool/__main__.py", &main(""));
    scratch.write("p/tool/helper.py", "x = 1\n");
    scratch.ok(&["trust", "--yes"]);
    for turn in ["one", "two", "three"] {
        scratch.ok(&["turn", turn]);
        assert!(ran(&scratch), "{turn}: running it must not change what was trusted");
    }
    let changes = [
        ("p/tool/__main__.py", main("# other bytes\n"), main("")),
        ("p/tool/helper.py", "x = 2\n".to_owned(), "x = 1\n".to_owned()),
    ];
    for (file, changed, before) in changes {
        scratch.write(file, &changed);
        let turned = scratch.run(&["turn", "again"]);
        assert!(!ran(&scratch) && turned.stderr.contains("hook-modified"), "{file}: {turned:?}");
        assert!(turned.stderr.contains(file.strip_prefix("p/").unwrap()), "{file}: {turned:?}");
        scratch.write(file, &before);
    }
    scratch.write("p/tool/json.py", "raise SystemExit('a module of the repository in the place of the real one')\n");
    let turned = scratch.run(&["turn", "again"]);
    assert!(!ran(&scratch) && turned.stderr.contains("tool/json.py is new"), "{turned:?}");
}

#[test]
fn no_git_of_a_repository_runs_because_it_is_in_path() {
    let git = |scratch: &Scratch, name: &str| {
        let canary = scratch.path("canary");
        scratch.executable(name, &format!("#!/bin/sh\ntouch '{}'\n", canary.display()));
    };
    // A project without a repository, from a directory below; and a submodule with the bin directory of its superproject.
    let rows: [(&str, &[&str], &str); 2] = [
        ("p/sub/deep", &["p/.antefix/.keep"], "p/node_modules/.bin"),
        ("p/module/src", &["p/.git/HEAD", "p/module/.git/HEAD"], "p/node_modules/.bin"),
    ];
    for (cwd, marks, bin) in rows {
        let scratch = scratch();
        for mark in marks {
            scratch.write(mark, "ref: refs/heads/main\n");
        }
        scratch.directory(cwd);
        git(&scratch, &format!("{bin}/git"));
        let path = format!("{}:{}", scratch.path(bin).display(), std::env::var("PATH").unwrap());
        let scratch = scratch.env("PATH", path);
        let directory = scratch.path(cwd).to_string_lossy().into_owned();
        let shown = scratch.run_with(&["show", "--cwd", &directory, "--template", "-"], "[git:branch] [git:status]");
        assert!(!ran(&scratch), "{cwd}: {shown:?}");
    }
}
