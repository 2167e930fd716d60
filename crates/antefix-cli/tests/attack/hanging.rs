//! A network disk that has gone away, as the program and the server meet it.

use std::time::{Duration, Instant};

use antefix_testing::{Hanging, Need};
use serde_json::json;

use crate::scratch;

/// How long anything may take that meets a file system which never answers.
const MOST: Duration = Duration::from_secs(9);

#[track_caller]
fn in_time<T>(what: &str, most: Duration, work: impl FnOnce() -> T) -> T {
    let began = Instant::now();
    let done = work();
    assert!(began.elapsed() < most, "{what}: {:?}", began.elapsed());
    done
}

#[test]
fn the_program_ends_where_a_file_system_does_not_answer() {
    if Need::FUSE.is_left_out() {
        return;
    }
    let scratch = scratch().file("p/.git/HEAD", "ref: refs/heads/main\n").file("p/AGENTS.md", "Use tabs.\n");
    let _vendor = Hanging::at(&scratch.path("p/vendor"));
    let _skills = Hanging::at(&scratch.path("home/.agents"));
    let template = "[file:vendor/x.md]Here.\n";
    let shown = in_time("file:", MOST, || scratch.run_with(&["show", "--template", "-"], template));
    assert_eq!((shown.code, shown.stdout.as_str()), (0, "Here.\n"), "{shown:?}");
    assert!(shown.stderr.contains("no answer in time"), "{shown:?}");
    for args in [&["show"][..], &["explain"], &["check"], &["turn", "c"]] {
        let ran = in_time(&format!("{args:?}"), MOST, || scratch.run(args));
        assert!(
            ran.stderr.contains("no answer in time") || ran.stdout.contains("no answer in time"),
            "{args:?}: {ran:?}"
        );
    }
    let there = scratch.path("p/vendor/deep").to_string_lossy().into_owned();
    let ran = in_time("cwd", MOST, || scratch.run(&["show", "--cwd", &there]));
    assert!(ran.code == 3 && ran.stderr.contains("no answer in time"), "{ran:?}");
}

#[test]
fn a_server_goes_on_where_a_file_system_of_one_project_does_not_answer() {
    if Need::FUSE.is_left_out() {
        return;
    }
    let scratch = scratch().file("p/near/AGENTS.md", "Use tabs.\n").file("p/far/AGENTS.md", "Use tabs.\n");
    let server = scratch.serve();
    let turn = |conversation: &str, cwd: &str| {
        let body = json!({"cwd": cwd}).to_string();
        server.post(&format!("/conversations/{conversation}/turns"), &body)
    };
    let before = turn("open", "far").ok().json();
    let hanging = Hanging::at(&scratch.path("p/far"));
    // The table of mounts may be a second old.
    std::thread::sleep(Duration::from_millis(1_100));
    std::thread::scope(|threads| {
        for at in 0..60 {
            let turn = &turn;
            threads.spawn(move || {
                let reply = in_time("a turn there", MOST, || turn(&format!("far{at}"), "far"));
                assert!(matches!(reply.status, 403 | 422 | 503), "{reply:?}");
            });
        }
        std::thread::sleep(Duration::from_millis(200));
        for at in 0..20 {
            in_time("a turn elsewhere", Duration::from_secs(6), || turn(&format!("near{at}"), "near").ok());
        }
    });
    // By now it is known, and costs nobody anything.
    in_time("another turn there", Duration::from_secs(1), || turn("later", "far"));
    in_time("a turn elsewhere", Duration::from_secs(1), || turn("near", "near").ok());
    // What is open goes on.
    let reply = in_time("an open one", MOST, || server.post("/conversations/open/turns", "{}"));
    assert_eq!(reply.ok().json()["prefix"], before["prefix"]);
    drop(hanging);
    let until = Instant::now() + Duration::from_secs(5);
    while turn("again", "far").status != 200 {
        assert!(Instant::now() < until, "{:?}", turn("again", "far"));
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn a_link_into_a_file_system_that_does_not_answer_keeps_nobody_waiting() {
    if Need::FUSE.is_left_out() {
        return;
    }
    let scratch = scratch().file("p/near/AGENTS.md", "Use tabs.\n").file("p/far/.git/HEAD", "ref: refs/heads/main\n");
    std::os::unix::fs::symlink("away/AGENTS.md", scratch.path("p/far/AGENTS.md")).unwrap();
    let _away = Hanging::at(&scratch.path("p/far/away"));
    let far = scratch.path("p/far").to_string_lossy().into_owned();
    for args in [&["show"][..], &["explain"], &["check"], &["turn", "c"]] {
        let args = [args, &["--cwd", &far]].concat();
        let ran = in_time(&format!("{args:?}"), MOST, || scratch.run(&args));
        assert!(
            ran.stderr.contains("no answer in time") || ran.stdout.contains("no answer in time"),
            "{args:?}: {ran:?}"
        );
    }
    let server = scratch.serve();
    let turn = |conversation: &str, cwd: &str| {
        server.post(&format!("/conversations/{conversation}/turns"), &json!({"cwd": cwd}).to_string())
    };
    std::thread::scope(|threads| {
        let (server, turn) = (&server, &turn);
        for at in 0..40 {
            threads.spawn(move || in_time("a turn there", MOST, || turn(&format!("far{at}"), "far").ok()));
        }
        for _ in 0..6 {
            let preview = json!({"cwd": "far"}).to_string();
            threads.spawn(move || {
                in_time("a preview there", MOST, || server.post("/system-prompt/preview", &preview).ok())
            });
        }
        std::thread::sleep(Duration::from_millis(200));
        for at in 0..20 {
            in_time("a turn elsewhere", Duration::from_secs(6), || turn(&format!("near{at}"), "near").ok());
        }
    });
    let preview = |cwd: &str| server.post("/system-prompt/preview", &json!({"cwd": cwd}).to_string()).ok();
    in_time("another preview there", MOST, || preview("far"));
    in_time("a preview elsewhere", Duration::from_secs(2), || preview("near"));
}
