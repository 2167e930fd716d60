//! A file system that never answers: mounted for real, by a program in user space that says nothing.

use std::path::Path;
use std::time::{Duration, Instant};

use antefix::discover::world::{Answer, Command, Kill, Kind, ReasonCode, World};
use antefix::worlds::OsWorld;
use antefix_testing::{Hanging, Need};

fn scratch() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

#[track_caller]
fn in_time<T>(most: Duration, work: impl FnOnce() -> T) -> T {
    let began = Instant::now();
    let done = work();
    assert!(began.elapsed() < most, "it took {:?}", began.elapsed());
    done
}

fn is_overdue<T: std::fmt::Debug>(answer: &Answer<T>) -> bool {
    matches!(answer, Answer::Unavailable(reason) if reason.code == ReasonCode::TimedOut)
}

#[test]
fn a_file_system_that_never_answers_could_not_be_asked() {
    if Need::FUSE.is_left_out() {
        return;
    }
    let directory = scratch();
    let root = directory.path().canonicalize().unwrap();
    std::fs::write(root.join("near"), "here").unwrap();
    std::os::unix::fs::symlink(root.join("far/x"), root.join("link")).unwrap();
    let far = root.join("far");
    let hanging = Hanging::at(&far);
    let world = OsWorld::new();
    // The first question waits; from then on it is known, and all together take no longer.
    in_time(Duration::from_secs(4), || {
        assert!(is_overdue(&world.kind(&far.join("x"))));
        assert!(is_overdue(&world.owner(&far)));
        assert!(is_overdue(&world.resolve(&far.join("x"))));
        assert!(is_overdue(&world.read(&far, Path::new("x"), 10)));
        assert!(is_overdue(&world.read(&root, Path::new("far/x"), 10)));
        assert!(is_overdue(&world.list(&root, Path::new("far"), 10)));
        assert!(is_overdue(&world.hold(&far).map(|_| ())));
        let git = Command {
            program: "git".to_owned(),
            args: vec!["status".to_owned()],
            env: vec![("PATH".to_owned(), std::env::var("PATH").unwrap())],
            cwd: far.clone(),
            stdin: Vec::new(),
            time_limit: Duration::from_secs(2),
            output_limit: 100,
            kill: Kill::Group,
        };
        assert!(is_overdue(&world.run(&git)));
    });
    // All else is as ever.
    in_time(Duration::from_millis(500), || {
        assert_eq!(world.read(&root, Path::new("near"), 10).map(|read| read.bytes), Answer::Present(b"here".to_vec()));
        assert_eq!(world.kind(&root), Answer::Present(Kind::Directory));
    });
    // A link to it is bounded too, from another world that does not know it yet.
    in_time(Duration::from_secs(4), || {
        assert!(!matches!(OsWorld::new().read(&root, Path::new("link"), 10), Answer::Present(_)));
    });
    drop(hanging);
    // It answers again, and is asked again.
    std::fs::write(far.join("x"), "back").unwrap();
    let until = Instant::now() + Duration::from_secs(5);
    while world.read(&far, Path::new("x"), 10).map(|read| read.bytes) != Answer::Present(b"back".to_vec()) {
        assert!(Instant::now() < until, "{:?}", world.read(&far, Path::new("x"), 10));
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn many_who_ask_at_once_are_all_answered_in_time() {
    if Need::FUSE.is_left_out() {
        return;
    }
    let directory = scratch();
    let far = directory.path().canonicalize().unwrap().join("far");
    let _hanging = Hanging::at(&far);
    let world = OsWorld::new();
    in_time(Duration::from_secs(4), || {
        std::thread::scope(|threads| {
            for _ in 0..50 {
                threads.spawn(|| assert!(is_overdue(&world.read(&far, Path::new("x"), 10))));
            }
        });
    });
    let threads = std::fs::read_dir("/proc/self/task").unwrap().count();
    in_time(Duration::from_millis(500), || {
        for _ in 0..1_000 {
            assert!(is_overdue(&world.kind(&far)));
        }
    });
    assert!(std::fs::read_dir("/proc/self/task").unwrap().count() <= threads + 20, "threads pile up");
}

#[test]
fn a_link_into_a_file_system_that_never_answers_keeps_nobody_waiting() {
    if Need::FUSE.is_left_out() {
        return;
    }
    let directory = scratch();
    let root = directory.path().canonicalize().unwrap();
    std::fs::create_dir(root.join("near")).unwrap();
    for name in ["AGENTS.md", "a", "b", "c", "d", "e", "f"] {
        std::os::unix::fs::symlink(format!("far/{name}"), root.join(name)).unwrap();
    }
    std::os::unix::fs::symlink("near", root.join("link")).unwrap();
    let _hanging = Hanging::at(&root.join("far"));
    let world = OsWorld::new();
    // One question waits, however many links there are: it is the same file system.
    in_time(Duration::from_secs(4), || {
        let listing = world.list(&root, Path::new(""), 100).present().unwrap();
        let kind = |name: &str| listing.entries.iter().find(|entry| entry.name == name).unwrap().kind;
        assert_eq!(listing.entries.len(), 10);
        assert_eq!((kind("AGENTS.md"), kind("f")), (None, None));
        assert_eq!((kind("near"), kind("link")), (Some(Kind::Directory), Some(Kind::Directory)));
    });
    // By now it is known, under whatever name.
    in_time(Duration::from_millis(500), || {
        assert!(is_overdue(&world.read(&root, Path::new("AGENTS.md"), 10)));
        assert!(is_overdue(&world.read(&root, Path::new("near/../far/x"), 10)));
        assert!(is_overdue(&world.kind(&root.join("a"))));
        assert!(is_overdue(&world.resolve(&root.join("b"))));
        assert!(is_overdue(&world.owner(&root.join("link/../far"))));
    });
}
