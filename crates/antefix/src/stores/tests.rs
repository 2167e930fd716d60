//! Every step of every operation fails, and at every step the process is killed: once each, not at moments of chance.
//!
//! 1. What was acknowledged is there. What was not is there as a whole, or not at all.
//! 2. Asking again gives the one epoch, the one amendment, the one import.
//!
//! Processes are this very binary, started again with what to do in its environment.

#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::panic, reason = "tests are outside of the library")]

use std::path::Path;
use std::process::{Command, Stdio};

use super::failpoint::{Action, reached};
use crate::compose::Dialect;
use crate::contract::{amendment, compaction, epoch, id, memory, moment};
use crate::error::Result;
use crate::freeze::copy::{Copied, LedgerCopy, LedgerRow};
use crate::freeze::store::{Appended, Committed, Deletable, Store, StoreResult, Sweep};
use crate::freeze::template::SavedTemplate;
use crate::freeze::{Insertion, InsertionKind};

/// Something that a store does for a conversation.
struct Operation {
    name: &'static str,
    /// What is there before.
    prepare: fn(&dyn Store, &str),
    /// What is done; it must come to the same when it is done again.
    run: fn(&dyn Store, &str) -> StoreResult<()>,
}

const OPERATIONS: [Operation; 12] = [
    Operation { name: "open", prepare: |_, _| (), run: |store, c| append(store, c, 1) },
    Operation { name: "renew", prepare: opened, run: |store, c| append(store, c, 2) },
    Operation { name: "amend", prepare: opened, run: amend },
    Operation { name: "remember", prepare: opened, run: |store, c| store.remember(&id(c), &memory("said")) },
    Operation { name: "begin a compaction", prepare: opened, run: begin },
    Operation { name: "commit a compaction", prepare: begun, run: commit },
    Operation { name: "abort a compaction", prepare: begun, run: |store, c| store.abort(&id(c), "token") },
    Operation { name: "import", prepare: |_, _| (), run: import },
    Operation { name: "import the rest", prepare: opened, run: import },
    Operation { name: "take", prepare: queued, run: |store, c| store.take(&id(c), Some("t"), Some(1)).map(drop) },
    Operation { name: "save a template", prepare: opened, run: save },
    Operation { name: "delete", prepare: begun, run: |store, c| store.delete(&id(c), Deletable::Any).map(drop) },
];

fn append(store: &dyn Store, c: &str, number: u64) -> StoreResult<()> {
    let text = if number == 1 { "first" } else { "second" };
    let (row, bundle) = epoch(c, number, text);
    match store.append(&row, &bundle)? {
        Appended::Won => Ok(()),
        Appended::Lost(winner) => {
            assert_eq!(winner, row);
            Ok(())
        }
    }
}

fn amend(store: &dyn Store, c: &str) -> StoreResult<()> {
    let (row, bundle) = amendment(c, 1, 1, "amended");
    if let Appended::Lost(winner) = store.amend(&row, &bundle)? {
        assert_eq!(winner, Some(row));
    }
    Ok(())
}

fn opened(store: &dyn Store, c: &str) {
    append(store, c, 1).unwrap();
}

fn queued(store: &dyn Store, c: &str) {
    opened(store, c);
    store.queue(&id(c), moment(1), "one").unwrap();
    store.queue(&id(c), moment(2), "two").unwrap();
}

fn begun(store: &dyn Store, c: &str) {
    queued(store, c);
    amend(store, c).unwrap();
    store.take(&id(c), Some("t"), Some(1)).unwrap();
    store.remember(&id(c), &memory("said")).unwrap();
    begin(store, c).unwrap();
}

fn begin(store: &dyn Store, c: &str) -> StoreResult<()> {
    let (row, bundle) = compaction(c, "token", 1, "compacted");
    store.begin(&row, Some(&bundle))
}

fn commit(store: &dyn Store, c: &str) -> StoreResult<()> {
    match store.commit(&id(c), "token", moment(9))? {
        Committed::Done(row) | Committed::Before(row) => assert_eq!(row.number, 2),
        other => panic!("{other:?}"),
    }
    Ok(())
}

fn import(store: &dyn Store, c: &str) -> StoreResult<()> {
    let (first, first_bundle) = epoch(c, 1, "first");
    let (amended, amended_bundle) = amendment(c, 1, 1, "amended");
    let (next, next_bundle) = epoch(c, 2, "second");
    let insertion =
        Insertion { number: 0, kind: InsertionKind::Queued, at: moment(1), text: "hello".to_owned(), taken: None };
    let copy = LedgerCopy {
        conversation: id(c),
        rows: vec![
            (LedgerRow::Epoch(first), first_bundle),
            (LedgerRow::Amendment(amended), amended_bundle),
            (LedgerRow::Epoch(next), next_bundle),
        ],
        memory: Some(memory("told")),
        insertions: vec![insertion],
    };
    let Copied::Done(_) = store.import(&[copy])? else { panic!("it parted") };
    Ok(())
}

/// The number behind the last one is somebody else's if it is the same text already.
fn save(store: &dyn Store, c: &str) -> StoreResult<()> {
    let last = store.last_template(c)?;
    if last.is_some() {
        return Ok(());
    }
    let number = store.templates(None, None, 1)?.first().map_or(0, |last| last.number()) + 1;
    let template = SavedTemplate::new(number, c, Dialect::Plain, "text", moment(0), None);
    assert_eq!(store.save_template(&template)?, Appended::Won);
    Ok(())
}

/// All that a store says of a conversation, without its name. Each text that is named is there, and has its digest.
fn view(store: &dyn Store, c: &str) -> String {
    let mut lines = Vec::new();
    for row in store.epochs(&id(c), 0, 10).unwrap() {
        let whole = store.epoch(&id(c), row.number).unwrap().unwrap();
        let mut named = vec![row.body, row.digest];
        named.extend(whole.amendments.iter().map(|one| one.body));
        assert!(store.texts(&named).unwrap().iter().all(Option::is_some), "{row:?} names a text that is not there");
        let amendments: Vec<_> = whole.amendments.iter().map(|one| (one.number, one.body)).collect();
        lines.push(format!("{} {:?} {} {amendments:?}", row.number, row.cause, row.body));
    }
    let said = store.standing(&id(c)).unwrap().and_then(|standing| standing.said);
    lines.push(format!("{said:?} {:?}", store.insertions(&id(c)).unwrap()));
    lines.push(format!("{:?}", store.last_template(c).unwrap().is_some()));
    lines.join("\n")
}

const STORE: &str = "ANTEFIX_TEST_POINTS";
const OPERATION: &str = "ANTEFIX_TEST_POINTS_OPERATION";
const POINT: &str = "ANTEFIX_TEST_POINTS_POINT";
const CONVERSATION: &str = "ANTEFIX_TEST_POINTS_CONVERSATION";

fn said(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// Ends at the point that it is told, or well.
#[test]
fn worker() {
    let (Some(address), Some(point)) = (said(STORE), said(POINT)) else { return };
    let at = Some((point.parse().unwrap(), Action::Abort));
    match said(OPERATION).unwrap().parse::<usize>() {
        Ok(operation) => {
            let store = super::open(&address).unwrap();
            let c = said(CONVERSATION).unwrap();
            reached(at, || (OPERATIONS[operation].run)(&*store, &c)).0.unwrap();
        }
        // Opening the store is the operation.
        Err(_) => drop(reached(at, || super::open(&address)).0.unwrap()),
    }
}

/// Lets a process do an operation until it reaches a point; whether it reached it.
fn is_killed(address: &str, operation: &str, c: &str, point: usize) -> bool {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "stores::tests::worker", "--test-threads=1"]);
    command.env(STORE, address).env(OPERATION, operation).env(CONVERSATION, c).env(POINT, point.to_string());
    let output = command.stdin(Stdio::null()).output().unwrap();
    let is_aborted = std::os::unix::process::ExitStatusExt::signal(&output.status) == Some(6);
    assert!(output.status.success() || is_aborted, "{}", String::from_utf8_lossy(&output.stdout));
    is_aborted
}

/// All operations, at all points, in both ways.
fn all_operations(address: &str) {
    let store = super::open(address).unwrap();
    let (mut failed, mut killed) = (0, 0);
    for (index, operation) in OPERATIONS.iter().enumerate() {
        // How it is before and behind it, without any fault.
        let whole = format!("{index} whole");
        (operation.prepare)(&*store, &whole);
        let before = view(&*store, &whole);
        let (done, points) = reached(None, || (operation.run)(&*store, &whole));
        done.unwrap();
        let after = view(&*store, &whole);
        let is_part = |seen: &str| seen != before && seen != after;
        assert!(points.len() > 2, "{}: {points:?}", operation.name);
        for action in [Action::Fail, Action::Abort] {
            for point in 1.. {
                let c = format!("{index} {action:?} {point}");
                (operation.prepare)(&*store, &c);
                let is_met = match action {
                    Action::Fail => {
                        let (done, met) = reached(Some((point, action)), || (operation.run)(&*store, &c));
                        let seen = view(&*store, &c);
                        assert!(!is_part(&seen), "{} failed at {met:?}: {seen}", operation.name);
                        assert!(done.is_err() || seen == after, "{} is acknowledged and missing", operation.name);
                        met.len() >= point
                    }
                    Action::Abort => {
                        let is_killed = is_killed(address, &index.to_string(), &c, point);
                        let seen = view(&*store, &c);
                        assert!(!is_part(&seen), "{} killed at {point}: {seen}", operation.name);
                        assert!(is_killed || seen == after, "{} is acknowledged and missing", operation.name);
                        is_killed
                    }
                };
                (operation.run)(&*store, &c).unwrap();
                assert_eq!(view(&*store, &c), after, "{} again, {action:?} at {point}", operation.name);
                if !is_met {
                    break;
                }
                match action {
                    Action::Fail => failed += 1,
                    Action::Abort => killed += 1,
                }
            }
        }
    }
    assert_eq!(store.sweep(Sweep::DryRun).unwrap().texts, 0, "something is left that nobody names");
    println!("{} operations: {failed} failures, {killed} kills, one for each step", OPERATIONS.len());
    assert!(failed > 50 && killed > 50, "{failed} {killed}");
}

/// Makes a store, or brings one up, with a fault at every step.
fn opening(fresh: &dyn Fn(usize) -> String, check: &dyn Fn(&str)) {
    let (mut failed, mut killed) = (0, 0);
    for point in 1.. {
        let address = fresh(point);
        let (opened, met) = reached(Some((point, Action::Fail)), || super::open(&address).map(drop));
        let is_met = met.len() >= point;
        assert!(opened.is_err() || !is_met || met[point - 1].contains("ROLLBACK"), "{met:?}");
        drop(super::open(&address).unwrap());
        check(&address);
        if !is_met {
            break;
        }
        failed += 1;
    }
    for point in 1.. {
        let address = fresh(1_000 + point);
        let is_killed = is_killed(&address, "open", "", point);
        let store: Result<_> = super::open(&address);
        drop(store.unwrap());
        check(&address);
        if !is_killed {
            break;
        }
        killed += 1;
    }
    println!("opening: {failed} failures, {killed} kills, one for each step");
    assert!(failed > 3 && killed > 3, "{failed} {killed}");
}

#[cfg(feature = "sqlite")]
mod in_a_file {
    use super::*;
    use crate::stores::SqliteStore;

    /// A store of the first version.
    const OLDEST: &str = include_str!("sqlite/schema/past/1.sql");

    fn directory() -> tempfile::TempDir {
        let memory = Path::new("/dev/shm");
        if memory.is_dir() { tempfile::tempdir_in(memory).unwrap() } else { tempfile::tempdir().unwrap() }
    }

    fn assert_sound(path: &Path) {
        let connection = rusqlite::Connection::open(path).unwrap();
        let sound: String = connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
        assert_eq!(sound, "ok");
        assert!(connection.prepare("PRAGMA foreign_key_check").unwrap().query([]).unwrap().next().unwrap().is_none());
    }

    #[test]
    fn each_step_of_each_operation_may_fail_or_be_the_last() {
        let directory = directory();
        let path = directory.path().join("ledger.db");
        all_operations(&format!("sqlite:{}", path.display()));
        assert_sound(&path);
    }

    #[test]
    fn each_step_of_making_a_store_may_fail_or_be_the_last() {
        let directory = directory();
        let address = |point: usize| {
            let own = directory.path().join(point.to_string());
            std::fs::create_dir_all(&own).unwrap();
            format!("sqlite:{}", own.join("ledger.db").display())
        };
        opening(&address, &|address| {
            let path = Path::new(address.strip_prefix("sqlite:").unwrap());
            assert_sound(path);
            // Nothing but the store, and what a killed process was making.
            let names = std::fs::read_dir(path.parent().unwrap()).unwrap().map(|entry| entry.unwrap().file_name());
            assert!(names.into_iter().all(|name| name.to_str().unwrap().starts_with("ledger.db")));
        });
    }

    #[test]
    fn each_step_of_bringing_an_old_store_up_may_fail_or_be_the_last() {
        let directory = directory();
        let old = directory.path().join("old.db");
        rusqlite::Connection::open(&old).unwrap().execute_batch(OLDEST).unwrap();
        opening(
            &|point| {
                let path = directory.path().join(format!("{point}.db"));
                std::fs::copy(&old, &path).unwrap();
                format!("sqlite:{}", path.display())
            },
            &|address| assert_sound(Path::new(address.strip_prefix("sqlite:").unwrap())),
        );
    }

    #[test]
    fn each_step_of_saving_a_log_without_a_name_may_fail_or_be_the_last() {
        for point in 1.. {
            let directory = directory();
            let path = directory.path().join("ledger.db");
            let store = SqliteStore::open(&path).unwrap();
            append(&store, "c", 1).unwrap();
            std::fs::remove_file(directory.path().join("ledger.db-wal")).unwrap();
            let (done, met) = reached(Some((point, Action::Fail)), || append(&store, "c", 2));
            let is_met = met.len() >= point;
            assert!(done.is_err() || !is_met, "{met:?}");
            // What was acknowledged is there, and asking again does it.
            append(&store, "c", 2).unwrap();
            // Nothing is closed in order: a copy of the files is what a kill would leave.
            let copy = directory.path().join("copy.db");
            for ending in ["", "-wal"] {
                std::fs::copy(format!("{}{ending}", path.display()), format!("{}{ending}", copy.display())).unwrap();
            }
            assert_eq!(SqliteStore::open(&copy).unwrap().epochs(&id("c"), 0, 9).unwrap().len(), 2);
            if !is_met {
                break;
            }
        }
    }
}

#[cfg(feature = "postgres")]
mod in_postgres {
    use super::*;
    use antefix_testing::postgres::{Database, is_left_out};

    #[test]
    fn each_step_of_each_operation_may_fail_or_be_the_last() {
        if !is_left_out() {
            all_operations(&Database::new().url(""));
        }
    }

    #[test]
    fn each_step_of_making_a_schema_may_fail_or_be_the_last() {
        if is_left_out() {
            return;
        }
        let databases = std::cell::RefCell::new(Vec::new());
        opening(
            &|_| {
                let database = Database::new();
                let url = database.url("");
                databases.borrow_mut().push(database);
                url
            },
            &|address| opened(&*super::super::open(address).unwrap(), "c"),
        );
    }
}
