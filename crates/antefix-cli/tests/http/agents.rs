//! What other agents read, and what a change in git does, over HTTP: the documents of the commands.

use std::process::Command;

use crate::project;

#[test]
fn the_program_and_the_server_say_the_same_of_agents() {
    let scratch = project().file("p/AGENTS.md", "Use tabs.\n").file("p/sub/AGENTS.md", "Use spaces.\n");
    let server = scratch.serve_with(&[]);
    let asked = |path: &str| server.get(path).ok().json();
    assert_eq!(asked("/agents"), scratch.ok(&["agents", "--json"]).json());
    assert_eq!(asked("/agents/codex?cwd=sub"), scratch.ok(&["agents", "codex", "--cwd", "sub", "--json"]).json());
    assert_eq!(asked("/agents?tokens=false"), scratch.ok(&["agents", "--no-tokens", "--json"]).json());
    for (path, status) in [("/agents/nobody", 404), ("/agents?cwd=/", 403), ("/agents?cmd=sub", 400)] {
        assert_eq!(server.get(path).status, status, "{path}");
    }
}

#[test]
fn the_program_and_the_server_say_the_same_of_a_change() {
    let scratch = project().file("p/AGENTS.md", "Use tabs.\n");
    let git = |args: &[&str]| {
        let mut command = Command::new("git");
        command.args(["-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main"]);
        assert!(command.args(args).current_dir(scratch.path("p")).status().unwrap().success(), "{args:?}");
    };
    git(&["init", "-q"]);
    git(&["add", "-A"]);
    git(&["commit", "-qm", "one"]);
    scratch.write("p/AGENTS.md", "Use tabs, and nothing else.\n");
    let server = scratch.serve_with(&[]);
    let changes = server.get("/diff").ok().json();
    assert_eq!(changes["changed"], true);
    assert_eq!(changes["hunks"], scratch.ok(&["diff", "--layout", "dispatch", "--json"]).json()["hunks"]);
    let codex = server.get("/diff?range=HEAD&agent=codex&model=gpt-5.6").ok().json();
    assert!(codex["hunks"][0]["lines"].to_string().contains("Use tabs, and nothing else."), "{codex}");
    for (path, status) in
        [("/diff?range=nowhere", 404), ("/diff?agent=nobody", 404), ("/diff?layout=nobody", 404), ("/diff?cwd=/", 403)]
    {
        assert_eq!(server.get(path).status, status, "{path}");
    }
}
