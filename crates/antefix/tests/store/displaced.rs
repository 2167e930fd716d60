//! Files that somebody removes, replaces, renames or links while a store is in use.
//!
//! What was acknowledged is there after a kill, whatever became of the files before it was acknowledged. What cannot be kept is
//! refused, and what is stored can be read meanwhile.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use antefix::contract::{epoch, id};
use antefix::freeze::store::{Appended, Store, StoreResult};
use antefix::stores::SqliteStore;

use crate::given;

const FILE: &str = "ANTEFIX_TEST_DISPLACED";
const HOLD: &str = "ANTEFIX_TEST_DISPLACED_HOLD";

/// The file beside a store with this ending.
fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

fn append(store: &SqliteStore, number: u64) -> StoreResult<Appended<antefix::freeze::store::EpochRow>> {
    let (row, bundle) = epoch("c", number, &format!("text {number}"));
    store.append(&row, &bundle)
}

fn last(store: &SqliteStore) -> u64 {
    store.standing(&id("c")).unwrap().map_or(0, |standing| standing.epoch.number)
}

/// Appends an epoch for each line that it reads, says what came of it, and waits to be killed.
#[test]
fn worker() {
    let Ok(file) = std::env::var(FILE) else { return };
    let store = SqliteStore::patient(&file, Duration::from_millis(500)).unwrap();
    // A second connection is open as well, as it is in a server.
    store.stamp().unwrap();
    given::say("open");
    for _ in std::io::stdin().lines() {
        let number = last(&store) + 1;
        match append(&store, number) {
            Ok(appended) => {
                assert_eq!(appended, Appended::Won);
                given::say(&format!("done {number}"));
            }
            Err(error) => given::say(&format!("refused {} {} {error}", error.fault.name(), last(&store))),
        }
    }
}

/// A process with the store open.
struct Other {
    child: std::process::Child,
    said: Box<dyn Iterator<Item = String>>,
}

impl Other {
    fn start(path: &Path) -> Other {
        let mut child = given::worker("displaced::worker").env(FILE, path).spawn().unwrap();
        let mut said = Box::new(given::said(&mut child));
        assert_eq!(said.next().as_deref(), Some("open"));
        Other { child, said }
    }

    /// Lets it append, and answers with what it says.
    fn append(&mut self) -> String {
        use std::io::Write;
        writeln!(self.child.stdin.as_mut().unwrap(), "go").unwrap();
        self.said.next().unwrap()
    }

    fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

#[test]
fn what_is_acknowledged_after_the_log_or_its_index_was_removed_survives_a_kill() {
    for endings in [&["-wal"][..], &["-shm"], &["-wal", "-shm"]] {
        for replaced in [false, true] {
            let directory = given::in_memory();
            let path = directory.path().join("ledger.db");
            let mut other = Other::start(&path);
            for number in 1..=5 {
                assert_eq!(other.append(), format!("done {number}"));
            }
            for ending in endings {
                fs::remove_file(beside(&path, ending)).unwrap();
                if replaced {
                    fs::write(beside(&path, ending), "").unwrap();
                }
            }
            let acknowledged = (0..5).filter(|_| other.append().starts_with("done ")).count() as u64;
            other.kill();
            let kept = last(&SqliteStore::open(&path).unwrap());
            assert_eq!(kept, 5 + acknowledged, "{endings:?}, replaced: {replaced}");
            // Nobody else has the store open, so that it can be put right.
            assert_eq!(acknowledged, 5, "{endings:?}, replaced: {replaced}");
            given::assert_sound(&path);
        }
    }
}

#[test]
fn two_processes_without_a_log_write_nothing_until_one_has_ended() {
    let directory = given::in_memory();
    let path = directory.path().join("ledger.db");
    let (mut first, mut second) = (Other::start(&path), Other::start(&path));
    assert_eq!(first.append(), "done 1");
    fs::remove_file(beside(&path, "-wal")).unwrap();
    for other in [&mut first, &mut second] {
        let said = other.append();
        // It can be read meanwhile: the standing epoch is the first one.
        assert!(said.starts_with("refused displaced 1 "), "{said}");
        assert!(said.contains("its log was removed"), "{said}");
    }
    second.kill();
    assert_eq!(first.append(), "done 2");
    first.kill();
    assert_eq!(last(&SqliteStore::open(&path).unwrap()), 2);
    given::assert_sound(&path);
}

#[test]
fn whoever_opens_a_store_whose_log_was_removed_under_others_does_not_write() {
    let directory = given::in_memory();
    let path = directory.path().join("ledger.db");
    let mut other = Other::start(&path);
    assert_eq!(other.append(), "done 1");
    fs::remove_file(beside(&path, "-wal")).unwrap();
    let error =
        SqliteStore::patient(&path, Duration::from_millis(300)).and_then(|store| append(&store, 2)).unwrap_err();
    assert_eq!(error.fault.name(), "displaced", "{error}");
    // Whoever has the log puts it right.
    assert_eq!(other.append(), "done 2");
    assert_eq!(last(&SqliteStore::open(&path).unwrap()), 2);
    other.kill();
    assert_eq!(last(&SqliteStore::open(&path).unwrap()), 2);
    given::assert_sound(&path);
}

#[test]
fn a_log_that_somebody_put_another_one_in_the_place_of_is_left_alone() {
    let directory = given::in_memory();
    let path = directory.path().join("ledger.db");
    let mut other = Other::start(&path);
    assert_eq!(other.append(), "done 1");
    let log = beside(&path, "-wal");
    let bytes = fs::read(&log).unwrap();
    fs::rename(&log, beside(&path, "-aside")).unwrap();
    fs::write(&log, &bytes).unwrap();
    let said = other.append();
    assert!(said.starts_with("refused displaced 1 ") && said.contains("its log was replaced"), "{said}");
    assert!(fs::read(&log).unwrap() == bytes);
    fs::rename(beside(&path, "-aside"), &log).unwrap();
    assert_eq!(other.append(), "done 2");
    other.kill();
    assert_eq!(last(&SqliteStore::open(&path).unwrap()), 2);
}

#[test]
fn a_file_with_two_names_is_not_written_under_either() {
    let directory = given::in_memory();
    let (path, second) = (directory.path().join("ledger.db"), directory.path().join("second.db"));
    let store = SqliteStore::open(&path).unwrap();
    append(&store, 1).unwrap();
    fs::hard_link(&path, &second).unwrap();
    let error = append(&store, 2).unwrap_err();
    assert_eq!(error.fault.name(), "displaced", "{error}");
    assert!(error.to_string().contains("2 names"), "{error}");
    assert_eq!(last(&store), 1);
    // Under the other name there is another log, or none.
    let error = SqliteStore::open(&second).unwrap_err();
    assert_eq!(error.fault.name(), "displaced", "{error}");
    assert!(!beside(&second, "-wal").exists());
    fs::remove_file(&second).unwrap();
    assert_eq!(append(&store, 2).unwrap(), Appended::Won);
}

#[test]
fn the_name_that_a_killed_process_made_a_store_under_is_no_second_name() {
    let directory = given::in_memory();
    let path = directory.path().join("ledger.db");
    drop(SqliteStore::open(&path).unwrap());
    let left = beside(&path, ".new-4711-0");
    fs::hard_link(&path, &left).unwrap();
    assert_eq!(append(&SqliteStore::open(&path).unwrap(), 1).unwrap(), Appended::Won);
    assert!(!left.exists());
}

#[test]
fn a_file_that_was_moved_away_is_refused_by_name_and_written_again_when_it_is_back() {
    let directory = given::in_memory();
    let (path, aside) = (directory.path().join("ledger.db"), directory.path().join("aside.db"));
    let store = SqliteStore::open(&path).unwrap();
    append(&store, 1).unwrap();
    fs::rename(&path, &aside).unwrap();
    assert_eq!(append(&store, 2).unwrap_err().fault.name(), "displaced");
    fs::write(&path, "something else").unwrap();
    assert_eq!(append(&store, 2).unwrap_err().fault.name(), "displaced");
    // Many readers at once: no new connection is opened to what is there now.
    std::thread::scope(|scope| (0..20).for_each(|_| drop(scope.spawn(|| assert_eq!(last(&store), 1)))));
    assert_eq!(fs::read(&path).unwrap(), b"something else");
    fs::rename(&aside, &path).unwrap();
    assert_eq!(append(&store, 2).unwrap(), Appended::Won);
}

#[test]
fn a_store_whose_file_was_replaced_takes_nothing_of_the_new_one_along_when_it_ends() {
    let directory = given::in_memory();
    let path = directory.path().join("ledger.db");
    let store = SqliteStore::open(&path).unwrap();
    append(&store, 1).unwrap();
    for ending in ["", "-wal", "-shm"] {
        fs::remove_file(beside(&path, ending)).unwrap();
    }
    let mut other = Other::start(&path);
    assert_eq!(other.append(), "done 1");
    assert_eq!(append(&store, 2).unwrap_err().fault.name(), "displaced");
    drop(store);
    assert!(beside(&path, "-wal").exists());
    other.kill();
    assert_eq!(last(&SqliteStore::open(&path).unwrap()), 1);
}

#[test]
fn opening_a_store_twice_in_a_process_lets_no_other_process_take_the_log_away() {
    let directory = given::in_memory();
    let path = directory.path().join("ledger.db");
    if let Ok(file) = std::env::var(HOLD) {
        // Another process opens it and closes it, and is the last one if it can be.
        append(&SqliteStore::open(file).unwrap(), 2).unwrap();
        return;
    }
    let store = SqliteStore::open(&path).unwrap();
    append(&store, 1).unwrap();
    // A descriptor of the file that is closed by hand would take the locks of this process along.
    drop(SqliteStore::open(&path).unwrap());
    let name = "displaced::opening_a_store_twice_in_a_process_lets_no_other_process_take_the_log_away";
    let mut worker = given::worker(name);
    worker.env(HOLD, &path);
    given::run(worker);
    assert!(beside(&path, "-wal").exists());
    append(&store, 3).unwrap();
    assert_eq!(last(&SqliteStore::open(&path).unwrap()), 3);
}

#[test]
fn looking_at_the_files_takes_no_time_that_matters() {
    let directory = given::in_memory();
    let path = directory.path().join("ledger.db");
    let store = SqliteStore::open(&path).unwrap();
    append(&store, 1).unwrap();
    let begun = Instant::now();
    (0..1_000).for_each(|_| store.ready().unwrap());
    println!("1,000 times: {:?}", begun.elapsed());
    assert!(begun.elapsed() < Duration::from_secs(1), "{:?}", begun.elapsed());
}
