//! Ways out of the project, and out of a server's root.

use std::fs;
use std::os::unix::fs::chown;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use antefix_testing::{Need, Scratch, Server};
use serde_json::json;

use crate::{SECRET, link, scratch};

/// A preview of a template, in a directory.
fn preview(server: &Server, cwd: Option<&str>, template: &str) -> String {
    let body = json!({"template": template, "dialect": "bracket", "cwd": cwd}).to_string();
    server.post("/system-prompt/preview", &body).body
}

#[test]
fn a_repository_that_begins_above_a_servers_root_is_not_read_there() {
    let scratch = scratch()
        .file("h/.git/HEAD", "ref: refs/heads/secret-branch\n")
        .file("h/.git/config", "")
        .file("h/s.txt", SECRET)
        .file("h/AGENTS.md", SECRET)
        .file("h/.antefix/prompts/s.md", SECRET)
        .file("h/a/own.txt", "own bytes")
        .file("h/a/b/x", "");
    let server = scratch.serve_exactly(&["--layout", "dispatch", "--root", &scratch.path("h/a").to_string_lossy()]);
    let absolute = format!("[file:{}]", scratch.path("h/s.txt").display());
    for cwd in [None, Some("."), Some("b")] {
        for template in ["[file:../s.txt]", "[file:../../s.txt]", &absolute, "[git:branch]", "[git:diff_all]"] {
            let said = preview(&server, cwd, template);
            assert!(!said.contains(SECRET) && !said.contains("secret-branch"), "{cwd:?} {template}: {said}");
        }
    }
    assert!(preview(&server, None, "[file:own.txt]").contains("own bytes"));
    // What is in the root is the project, however deep the working directory is.
    assert!(preview(&server, Some("b"), "[file:../own.txt]").contains("own bytes"));
    let included = json!({"template": "{% include '$workspace/s' %}", "dialect": "jinja"}).to_string();
    assert!(!server.post("/system-prompt/preview", &included).body.contains(SECRET));
    let turn = server.post("/conversations/c/turns", "{}").ok().body;
    assert!(!turn.contains(SECRET), "{turn}");
    assert_eq!(server.get("/system-prompt/files?path=../").status, 403);
    let listed = server.get("/system-prompt/templates").body;
    assert!(!listed.contains("\"s\""), "{listed}");
    // Whoever started it is told once.
    let mut server = server;
    let (log, _) = server.stop();
    assert!(log.contains("of which nothing above the root is read"), "{log}");
}

#[test]
fn a_git_directory_that_leads_out_of_a_servers_root_is_not_asked() {
    let scratch = scratch().file("out/f.txt", "").file("root/p/x", "");
    let git = |args: &[&str], at: &str| {
        let mut command = scratch.other_program("git");
        let ran = command.args(args).current_dir(scratch.path(at)).output().unwrap();
        assert!(ran.status.success(), "{args:?}: {ran:?}");
    };
    git(&["init", "-q", "-b", "secret-branch"], "out");
    scratch.write("out/f.txt", SECRET);
    git(&["add", "."], "out");
    git(&["-c", "user.name=n", "-c", "user.email=e@x", "commit", "-q", "-m", "m"], "out");
    let gitdir = format!("gitdir: {}\n", scratch.path("out/.git").display());
    let root = scratch.path("root").to_string_lossy().into_owned();
    let server = scratch.serve_exactly(&["--layout", "dispatch", "--root", &root]);
    let ways: [(&str, &dyn Fn()); 3] = [
        ("a file", &|| scratch.write("root/p/.git", &gitdir)),
        ("a link", &|| link(&scratch, "root/p/.git", "../../out/.git")),
        ("a common directory", &|| {
            scratch.write("root/p/.git/HEAD", "ref: refs/heads/secret-branch\n");
            scratch.write("root/p/.git/commondir", &format!("{}\n", scratch.path("out/.git").display()));
        }),
    ];
    for (way, make) in ways {
        make();
        for template in ["[git:branch]", "[git:status]", "[git:diff]", "[git:diff_all]"] {
            let said = preview(&server, Some("p"), template);
            assert!(!said.contains(SECRET) && !said.contains("secret-branch"), "{way}, {template}: {said}");
        }
        let git = scratch.path("root/p/.git");
        if git.is_dir() && !git.is_symlink() { fs::remove_dir_all(git) } else { fs::remove_file(git) }.unwrap();
    }
}

const LAYOUT: &str =
    "[[section]]\nid = \"one\"\nstability = \"frozen\"\nfile = \"$workspace/secret\"\ndialect = \"plain\"\n";

/// A project with a layout, and a directory beside it that is none of its business.
fn linked() -> Scratch {
    scratch()
        .file("p/.git/HEAD", "ref: refs/heads/main\n")
        .file("other/secret.md", SECRET)
        .file("other/prompts/secret.md", SECRET)
        .file("other/layout.toml", &format!("[[section]]\nid = \"one\"\nstability = \"frozen\"\ntext = \"{SECRET}\"\n"))
}

#[test]
fn no_link_of_a_repository_leads_templates_out_of_it() {
    for target in ["../../other", "absolute"] {
        let scratch = linked().file("p/.antefix/layout.toml", LAYOUT);
        let absolute = scratch.path("other").to_string_lossy().into_owned();
        link(&scratch, "p/.antefix/prompts", if target == "absolute" { &absolute } else { target });
        for args in [&["show"][..], &["explain"], &["check"], &["turn", "c"]] {
            let ran = scratch.run(args);
            assert!(!ran.stdout.contains(SECRET) && ran.code != 0, "{target} {args:?}: {ran:?}");
            assert!(ran.stderr.contains("outside"), "{target} {args:?}: {ran:?}");
        }
        let server = scratch.serve();
        for path in ["/system-prompt/templates", "/system-prompt/templates?cwd=."] {
            let listed = server.get(path).body;
            assert!(!listed.contains("secret"), "{listed}");
        }
        let included = json!({"template": "{% include '$workspace/secret' %}", "dialect": "jinja"}).to_string();
        assert!(!server.post("/system-prompt/preview", &included).body.contains(SECRET));
    }
}

#[test]
fn no_link_of_a_repository_leads_its_antefix_directory_out_of_it() {
    let scratch = linked();
    fs::remove_dir_all(scratch.path("p/.antefix")).unwrap();
    link(&scratch, "p/.antefix", "../other");
    for args in [&["show"][..], &["explain"], &["turn", "c"]] {
        let ran = scratch.run(args);
        assert!(!ran.stdout.contains(SECRET) && ran.stderr.contains("outside"), "{args:?}: {ran:?}");
    }
}

#[test]
fn links_inside_a_repository_work() {
    let scratch = linked().file("p/.antefix/layout.toml", LAYOUT).file("p/docs/prompts/secret.md", "Of the project.\n");
    link(&scratch, "p/.antefix/prompts", "../docs/prompts");
    assert_eq!(scratch.print(&["show"]), "Of the project.\n");
    fs::remove_dir_all(scratch.path("p/.antefix")).unwrap();
    scratch.write("p/tools/antefix/layout.toml", LAYOUT);
    scratch.write("p/tools/antefix/prompts/secret.md", "Also of the project.\n");
    link(&scratch, "p/.antefix", "tools/antefix");
    assert_eq!(scratch.print(&["show"]), "Also of the project.\n");
}

/// Somebody else on this machine.
const STRANGER: u32 = 65_534;

#[test]
fn a_directory_of_somebody_else_says_nothing_by_a_link_to_a_repository_of_mine() {
    if Need::CHOWN.is_left_out() {
        return;
    }
    let scratch = scratch()
        .file("mine/.git/HEAD", "ref: refs/heads/main\n")
        .file(
            "shared/.antefix/layout.toml",
            &format!("[[section]]\nid = \"one\"\nstability = \"frozen\"\ntext = \"{SECRET}\"\n"),
        )
        .file("shared/work/x", "");
    let owned = |name: &str| std::os::unix::fs::lchown(scratch.path(name), Some(STRANGER), None);
    owned("shared/.antefix").unwrap();
    chown(scratch.path("shared/.antefix/layout.toml"), Some(STRANGER), None).unwrap();
    link(&scratch, "shared/.git", "../mine/.git");
    owned("shared/.git").unwrap();
    for cwd in ["shared/work", "shared"] {
        let directory = scratch.path(cwd).to_string_lossy().into_owned();
        let ran = scratch.run(&["show", "--cwd", &directory]);
        assert!(!ran.stdout.contains(SECRET), "{cwd}: {ran:?}");
        assert!(ran.stderr.contains("belongs to another user"), "{cwd}: {ran:?}");
        assert_eq!(ran.code, 0, "{cwd}: {ran:?}");
    }
}

/// Ends a thread that swaps, also when the test fails.
struct Stop<'s>(&'s AtomicBool);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn a_directory_that_becomes_a_link_while_it_is_read_leads_nowhere() {
    let scratch = scratch()
        .file("out/s.txt", SECRET)
        .file("out/AGENTS.md", SECRET)
        .file("out/.git/HEAD", "ref: refs/heads/secret-branch\n")
        .file("out/.git/config", "")
        .file("root/sw/s.txt", "bytes of the project")
        .file("root/sw/AGENTS.md", "bytes of the project")
        .file("root/sw/.git/HEAD", "ref: refs/heads/main\n")
        .file("root/sw/.git/config", "");
    link(&scratch, "root/other", "../out");
    let root = scratch.path("root").to_string_lossy().into_owned();
    let server = scratch.serve_exactly(&["--layout", "dispatch", "--root", &root]);
    let (stop, swaps) = (AtomicBool::new(false), std::sync::atomic::AtomicUsize::new(0));
    std::thread::scope(|threads| {
        threads.spawn(|| {
            let (one, other) = (scratch.path("root/sw"), scratch.path("root/other"));
            while !stop.load(Ordering::Relaxed) {
                use rustix::fs::{CWD, RenameFlags, renameat_with};
                renameat_with(CWD, &one, CWD, &other, RenameFlags::EXCHANGE).unwrap();
                swaps.fetch_add(1, Ordering::Relaxed);
                std::thread::sleep(Duration::from_micros(50));
            }
        });
        let _stop = Stop(&stop);
        let until = Instant::now() + Duration::from_secs(4);
        let (mut inside, mut asked) = (0, 0);
        let template = "[file:s.txt] [file:AGENTS.md] [git:branch]";
        while Instant::now() < until {
            let said = preview(&server, Some("sw"), template);
            asked += 1;
            inside += usize::from(said.contains("bytes of the project"));
            assert!(!said.contains(SECRET) && !said.contains("secret-branch"), "answer {asked}: {said}");
        }
        // Otherwise nothing was tried.
        assert!(inside > 20 && swaps.load(Ordering::Relaxed) > 1_000, "{inside} of {asked}, {swaps:?} swaps");
    });
}

#[test]
fn a_lock_is_not_written_through_a_link_of_the_repository() {
    let scratch = scratch().file("p/.git/HEAD", "ref: refs/heads/main\n").file("p/AGENTS.md", "Use tabs.\n");
    let scratch = scratch.file("home/precious", SECRET).file("p/.antefix/rules/a.md", "Use spaces.\n");
    // In the place of the file, beside it, and beside it under a name with the number of the process.
    let plant = "for name in lock.toml lock.toml.new lock.toml.$$; do ln -s ../../home/precious .antefix/$name; done";
    let mut command = scratch.other_program("sh");
    command.args(["-c", &format!("{plant}; exec \"$0\" lock")]).arg(scratch.program());
    let ran = command.output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    assert_eq!(scratch.read("home/precious"), SECRET);
    let lock = scratch.path("p/.antefix/lock.toml");
    assert!(fs::symlink_metadata(&lock).unwrap().is_file() && fs::read_to_string(lock).unwrap().contains("[files]"));
}
