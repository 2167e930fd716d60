//! Files and directories: whose they are, which ones are refused, and what can be done without writing.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};

use antefix::Fault;
use antefix::contract::{epoch, id};
use antefix::freeze::store::{Appended, Store};
use antefix::stores::SqliteStore;

use crate::given;

const FILE: &str = "ANTEFIX_TEST_FILE";

/// Opens the store, reads, writes, says what happened, and which permissions the files have meanwhile.
#[test]
fn worker() {
    let Ok(file) = std::env::var(FILE) else { return };
    let path = Path::new(&file);
    let store = match SqliteStore::open_with_directories(path) {
        Ok(store) => store,
        Err(error) => return given::say(&format!("open: {} {error}", error.fault.name())),
    };
    match store.standing(&id("old")) {
        Ok(standing) => given::say(&format!("read: {}", standing.map_or(0, |standing| standing.epoch.number))),
        Err(error) => given::say(&format!("read: {} {error}", error.fault.name())),
    }
    let (row, bundle) = epoch("new", 1, "x");
    match store.append(&row, &bundle) {
        Ok(appended) => given::say(&format!("write: {appended:?}")),
        Err(error) => given::say(&format!("write: {}", error.fault.name())),
    }
    for beside in fs::read_dir(path.parent().unwrap()).unwrap().map(Result::unwrap) {
        let mode = beside.metadata().unwrap().mode() & 0o7777;
        given::say(&format!("mode: {} {mode:o}", beside.file_name().display()));
    }
}

#[test]
fn files_and_directories_are_their_owners_alone_under_any_umask() {
    for umask in ["000", "022", "777"] {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a/b/ledger.db");
        let script = format!("umask {umask}; exec \"$@\"");
        let mut worker = given::worker_under("sh", &["-c", &script, "sh"], "files::worker");
        worker.env(FILE, &path);
        let mut said = given::run(worker);
        said.sort();
        let expected =
            ["mode: ledger.db 600", "mode: ledger.db-shm 600", "mode: ledger.db-wal 600", "read: 0", "write: Won"];
        assert_eq!(said, expected, "umask {umask}");
        for made in ["a", "a/b"] {
            assert_eq!(fs::metadata(directory.path().join(made)).unwrap().mode() & 0o7777, 0o700, "umask {umask}");
        }
    }
}

#[test]
fn a_file_that_was_named_is_not_made_in_a_directory_that_is_not_there() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("nope/x.db");
    let error = SqliteStore::open(&path).unwrap_err();
    let nope = directory.path().join("nope");
    let expected = format!("{} cannot be made: there is no directory {}", path.display(), nope.display());
    assert_eq!((error.fault, error.to_string()), (Fault::Failed, expected));
    let hint = format!("make it first (`mkdir -p -m 700 {}`), or name another file", nope.display());
    assert_eq!(antefix::Error::from(error).hint(), Some(hint.as_str()));
    assert!(!nope.exists());
}

#[test]
fn directories_that_were_there_keep_their_permissions() {
    let directory = tempfile::tempdir().unwrap();
    fs::set_permissions(directory.path(), fs::Permissions::from_mode(0o755)).unwrap();
    given::store(&directory);
    assert_eq!(fs::metadata(directory.path()).unwrap().mode() & 0o7777, 0o755);
}

#[test]
fn names_with_a_meaning_for_sqlite_are_names_of_files() {
    let directory = tempfile::tempdir().unwrap();
    for name in [":memory:", "file:x?mode=memory", "a b%20é?#'\".db"] {
        let path = directory.path().join(name);
        let (row, bundle) = epoch("c", 1, "x");
        assert_eq!(SqliteStore::open(&path).unwrap().append(&row, &bundle).unwrap(), Appended::Won);
        assert_eq!(SqliteStore::open(&path).unwrap().standing(&id("c")).unwrap().unwrap().epoch, row);
        assert!(path.is_file());
    }
}

/// Makes files that are not stores of ours.
fn foreign(directory: &Path) -> Vec<(PathBuf, Fault, &'static str)> {
    let sqlite = |name: &str, sql: &str| {
        let path = directory.join(name);
        rusqlite::Connection::open(&path).unwrap().execute_batch(sql).unwrap();
        path
    };
    let plain = |name: &str, bytes: &[u8]| {
        let path = directory.join(name);
        fs::write(&path, bytes).unwrap();
        path
    };
    let with_version = |name: &str, version: i64| {
        let path = directory.join(name);
        drop(SqliteStore::open(&path).unwrap());
        rusqlite::Connection::open(&path).unwrap().pragma_update(None, "user_version", version).unwrap();
        path
    };
    let ours = "PRAGMA application_id = 1095133560";
    vec![
        (plain("empty", b""), Fault::Corrupt, "is empty and so no store of antefix"),
        (plain("short", b"SQLite format 3\0"), Fault::Corrupt, "is cut off, or no store of antefix"),
        (plain("text", "some text\n".repeat(100).as_bytes()), Fault::Corrupt, "is not a store of antefix"),
        (sqlite("other", "CREATE TABLE t (a)"), Fault::Corrupt, "is not a store of antefix"),
        (sqlite("wal", "PRAGMA journal_mode = WAL; CREATE TABLE t (a)"), Fault::Corrupt, "is not a store of antefix"),
        (sqlite("marked", &format!("{ours}; PRAGMA user_version = 1")), Fault::Corrupt, "is damaged"),
        (with_version("newer", 99), Fault::Newer, "a newer one wrote it"),
        (with_version("negative", -1), Fault::Corrupt, "has schema -1, which no antefix wrote"),
        (directory.to_owned(), Fault::Corrupt, "is not a file"),
    ]
}

#[test]
fn what_is_not_our_store_is_reported_and_left_as_it_is() {
    let directory = tempfile::tempdir().unwrap();
    for (path, fault, message) in foreign(directory.path()) {
        let bytes = || path.is_file().then(|| fs::read(&path).unwrap());
        let before = (bytes(), fs::read_dir(directory.path()).unwrap().count());
        let store = SqliteStore::open(&path);
        let error = match store.and_then(|store| store.standing(&id("c"))) {
            Ok(found) => panic!("{}: {found:?}", path.display()),
            Err(error) => error,
        };
        assert_eq!(error.fault, fault, "{error}");
        assert!(error.to_string().starts_with(&format!("{} ", path.display())), "{error}");
        assert!(error.to_string().contains(message), "{error}");
        assert!(before == (bytes(), fs::read_dir(directory.path()).unwrap().count()), "{} changed", path.display());
    }
}

#[test]
fn a_pipe_is_no_store_and_nobody_hangs() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
    assert_eq!(SqliteStore::open(&path).unwrap_err().fault, Fault::Corrupt);
    // A directory that is a file.
    fs::write(directory.path().join("file"), "").unwrap();
    assert_eq!(SqliteStore::open(directory.path().join("file/ledger.db")).unwrap_err().fault, Fault::Failed);
}

/// What a worker without special rights says about a store in a directory with these permissions.
fn as_somebody_else(file: u32, directory: u32, log: &str) -> Vec<String> {
    let outer = tempfile::tempdir().unwrap();
    fs::set_permissions(outer.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let inner = outer.path().join("d");
    let path = inner.join("ledger.db");
    let store = SqliteStore::open_with_directories(&path).unwrap();
    let (row, bundle) = epoch("old", 1, "x");
    assert_eq!(store.append(&row, &bundle).unwrap(), Appended::Won);
    match log {
        "closed" => drop(store),
        // The log stays, as after a crash.
        "left" => std::mem::forget(store),
        other => panic!("{other}"),
    }
    let names = fs::read_dir(&inner).unwrap().map(|entry| entry.unwrap().path());
    names.for_each(|name| fs::set_permissions(name, fs::Permissions::from_mode(file)).unwrap());
    fs::set_permissions(&inner, fs::Permissions::from_mode(directory)).unwrap();
    let before = fs::read(&path).unwrap();
    let mut worker = given::worker("files::worker");
    worker.env(FILE, &path);
    let owner = fs::metadata("/proc/self").unwrap().uid();
    if owner == 0 {
        // The binary may lie where only its owner may look. It is written by another process: a program cannot be started
        // while a descriptor is open for writing it, and whoever starts one in another thread would have inherited ours.
        let copy = outer.path().join("worker");
        let copied = std::process::Command::new("cp").arg(std::env::current_exe().unwrap()).arg(&copy).status();
        assert!(copied.unwrap().success());
        fs::set_permissions(&copy, fs::Permissions::from_mode(0o755)).unwrap();
        let args: Vec<_> = worker.get_args().map(ToOwned::to_owned).collect();
        worker = std::process::Command::new(copy);
        worker.args(args).env(FILE, &path).current_dir("/").uid(65_534).gid(65_534);
        worker.stdin(std::process::Stdio::null()).stdout(std::process::Stdio::piped());
    }
    let said = given::run(worker);
    assert!(fs::read(&path).unwrap() == before);
    fs::set_permissions(&inner, fs::Permissions::from_mode(0o755)).unwrap();
    said.into_iter().filter(|line| !line.starts_with("mode: ")).collect()
}

#[test]
fn where_nothing_may_be_written_the_store_is_read() {
    let read = ["read: 1", "write: read-only"];
    // The directory may be written and the file not; neither may; neither, and another process has it open.
    assert_eq!(as_somebody_else(0o444, 0o777, "closed"), read);
    assert_eq!(as_somebody_else(0o444, 0o555, "closed"), read);
    assert_eq!(as_somebody_else(0o444, 0o555, "left"), read);
    let said = as_somebody_else(0o000, 0o555, "closed");
    assert!(said.len() == 1 && said[0].starts_with("open: failed "), "{said:?}");
}

#[test]
fn a_log_that_was_deleted_takes_what_was_in_it_along_and_no_more() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("ledger.db");
    for number in 1..=3 {
        let (row, bundle) = epoch("c", number, &format!("text {number}"));
        assert_eq!(SqliteStore::open(&path).unwrap().append(&row, &bundle).unwrap(), Appended::Won);
    }
    // What a crash leaves, copied without its log.
    let store = SqliteStore::open(&path).unwrap();
    let (row, bundle) = epoch("c", 4, "text 4");
    assert_eq!(store.append(&row, &bundle).unwrap(), Appended::Won);
    let copy = directory.path().join("copy.db");
    fs::copy(&path, &copy).unwrap();
    given::assert_sound(&copy);
    assert_eq!(SqliteStore::open(&copy).unwrap().standing(&id("c")).unwrap().unwrap().epoch.number, 3);
}

#[test]
fn nothing_is_written_to_a_file_that_is_gone() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("ledger.db");
    let store = SqliteStore::open(&path).unwrap();
    let (row, bundle) = epoch("c", 1, "x");
    assert_eq!(store.append(&row, &bundle).unwrap(), Appended::Won);
    let aside = dir.path().join("aside.db");
    fs::rename(&path, &aside).unwrap();
    let refused = |store: &SqliteStore| {
        let (row, bundle) = epoch("c", 2, "y");
        let error = store.append(&row, &bundle).unwrap_err();
        assert!(error.to_string().contains("was removed or replaced"), "{error}");
    };
    refused(&store);
    // What it has can still be read, and back in its place it can be written again.
    assert_eq!(store.standing(&row.conversation).unwrap().unwrap().epoch.number, 1);
    fs::rename(&aside, &path).unwrap();
    let (second, bundle) = epoch("c", 2, "y");
    assert_eq!(store.append(&second, &bundle).unwrap(), Appended::Won);
    // Another one in its place is not it.
    for name in fs::read_dir(dir.path()).unwrap() {
        fs::remove_file(name.unwrap().path()).unwrap();
    }
    let other = SqliteStore::open(&path).unwrap();
    let (row, bundle) = epoch("c", 3, "z");
    assert!(store.append(&row, &bundle).is_err());
    assert_eq!(other.standing(&row.conversation).unwrap(), None);
}
