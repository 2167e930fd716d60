//! Disks that are full, and disks that fail.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use antefix::Fault;
use antefix::contract::{epoch, id};
use antefix::freeze::store::{Appended, Store};
use antefix::stores::SqliteStore;
use antefix::text::Digest;
use antefix_testing::Need;

use crate::given;

const FILE: &str = "ANTEFIX_TEST_DISK";

/// A file system of 4 MiB in memory, gone with this value.
struct Small(PathBuf);

impl Small {
    fn mount(at: &Path) -> Small {
        let mut mount = Command::new("mount");
        assert!(mount.args(["-t", "tmpfs", "-o", "size=4m", "tmpfs"]).arg(at).status().unwrap().success());
        Small(at.to_owned())
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(&self.0).status();
    }
}

fn text(number: u64) -> String {
    format!("text {number} ") + &"x".repeat(50_000)
}

/// Appends until the disk is full, then makes room, and appends again: all with one store that stays open.
fn fill(directory: &Path, make_room: impl FnOnce()) {
    let path = directory.join("ledger.db");
    let store = SqliteStore::open(&path).unwrap();
    let append = |number: u64| {
        let (row, bundle) = epoch("c", number, &text(number));
        store.append(&row, &bundle)
    };
    // Whoever closes a log that cannot grow puts it into the file, and there may be room in it once more.
    let (mut last, mut refused) = (0, 0);
    while refused < 2 {
        match append(last + 1) {
            Ok(appended) => {
                assert_eq!(appended, Appended::Won);
                (last, refused) = (last + 1, 0);
            }
            Err(error) => {
                assert_eq!(error.fault, Fault::Full, "{error}");
                assert!(error.to_string().contains("has no room left on its disk"), "{error}");
                refused += 1;
            }
        }
        assert!(last < 1_000, "it never got full");
    }
    assert!(last > 5, "full after {last}");
    let all_is_there = |last: u64| {
        assert_eq!(store.standing(&id("c")).unwrap().unwrap().epoch, epoch("c", last, &text(last)).0);
        for number in 1..=last {
            assert_eq!(store.texts(&[Digest::of(&text(number))]).unwrap(), [Some(text(number).into())]);
        }
    };
    // It says so again, and what was acknowledged can be read all the while.
    assert_eq!(append(last + 1).unwrap_err().fault, Fault::Full);
    all_is_there(last);
    make_room();
    assert_eq!(append(last + 1).unwrap(), Appended::Won);
    all_is_there(last + 1);
    drop(store);
    given::assert_sound(&path);
}

#[test]
fn a_full_disk_is_reported_and_room_is_used_at_once() {
    let directory = tempfile::tempdir().unwrap();
    if Need::MOUNT.is_left_out() {
        return;
    }
    let small = Small::mount(directory.path());
    let ballast = small.0.join("ballast");
    fs::write(&ballast, vec![1; 1 << 20]).unwrap();
    fill(&small.0, || fs::remove_file(&ballast).unwrap());
}

/// The worker's limit is soft: it raises it to make room.
#[test]
fn a_limit_of_the_size_of_files_is_a_full_disk() {
    let directory = tempfile::tempdir().unwrap();
    let script = "trap '' XFSZ; ulimit -S -f 2000; exec \"$@\"";
    let mut worker = given::worker_under("sh", &["-c", script, "sh"], "disk::limited_worker");
    worker.env(FILE, directory.path());
    given::run(worker);
}

#[test]
fn limited_worker() {
    let Ok(directory) = std::env::var(FILE) else { return };
    fill(Path::new(&directory), || {
        let pid = std::process::id().to_string();
        assert!(
            Command::new("prlimit").args(["--pid", &pid, "--fsize=unlimited:unlimited"]).status().unwrap().success()
        );
    });
}

#[test]
fn a_store_cannot_be_made_on_a_full_disk_and_leaves_nothing() {
    let directory = tempfile::tempdir().unwrap();
    if Need::MOUNT.is_left_out() {
        return;
    }
    let small = Small::mount(directory.path());
    let ballast = small.0.join("ballast");
    while fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(&ballast)
        .and_then(|mut file| std::io::Write::write_all(&mut file, &[1; 4096]))
        .is_ok()
    {}
    let error = SqliteStore::open(small.0.join("ledger.db")).unwrap_err();
    assert_eq!(error.fault, Fault::Full, "{error}");
    assert_eq!(fs::read_dir(&small.0).unwrap().count(), 1);
    fs::remove_file(&ballast).unwrap();
    SqliteStore::open(small.0.join("ledger.db")).unwrap();
}

/// Appends twelve epochs, twice if need be, and says which are done and which are not.
#[test]
fn worker() {
    let Ok(file) = std::env::var(FILE) else { return };
    let store = match SqliteStore::open(file) {
        Ok(store) => store,
        Err(error) => return given::say(&format!("failed {}", error.fault.name())),
    };
    for number in 1..=12 {
        let (row, bundle) = epoch("c", number, &text(number));
        for _ in 0..2 {
            match store.append(&row, &bundle) {
                Ok(_) => given::say(&format!("done {number}")),
                Err(error) => given::say(&format!("failed {}", error.fault.name())),
            }
        }
    }
}

#[test]
fn a_sync_that_fails_is_no_acknowledgment() {
    if Need::STRACE.is_left_out() {
        return;
    }
    let mut failures = 0;
    let most = given::figure("ANTEFIX_TEST_SYNCS", 20);
    for nth in 1..=most {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("ledger.db");
        if nth % 2 == 0 {
            // Half of them meet a store that is there already.
            drop(SqliteStore::open(&path).unwrap());
        }
        let inject = format!("inject=fdatasync,fsync:error=EIO:when={nth}");
        let args = ["-f", "-o", "/dev/null", "-e", "trace=fdatasync,fsync", "-e", &inject];
        let mut worker = given::worker_under("strace", &args, "disk::worker");
        worker.env(FILE, &path);
        let said = given::run(worker);
        failures += said.iter().filter(|line| *line == "failed failed").count();
        assert!(said.iter().all(|line| line.starts_with("done ") || line == "failed failed"), "{said:?}");
        let store = SqliteStore::open(&path).unwrap();
        for number in said.iter().filter_map(|line| line.strip_prefix("done ")) {
            let number: u64 = number.parse().unwrap();
            let (row, _) = epoch("c", number, &text(number));
            assert_eq!(store.epoch(&id("c"), number).unwrap().unwrap().epoch, row, "sync {nth}");
            assert!(store.texts(&[row.body, row.digest]).unwrap().iter().all(Option::is_some), "sync {nth}");
        }
        drop(store);
        given::assert_sound(&path);
    }
    println!("{most} failing syncs: {failures} appends failed, none was acknowledged and is missing");
    assert!(failures > 0);
}
