//! Steps from one schema to the next, with steps that are not released.
//!
//! Processes are this very binary, started again with what to do in its environment.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use jiff::Timestamp;
use rusqlite::Connection;

use super::SqliteStore;
use super::schema::{self, STEPS};
use crate::compose::Dialect;
use crate::contract::{amendment, compaction, epoch, id, memory, moment};
use crate::error::Fault;
use crate::freeze::store::{Appended, Committed, EpochRow, Noted, Store, Sweep, Swept};
use crate::freeze::template::{SavedTemplate, TemplateDeletion, TemplateEntry, Templates};
use crate::text::Digest;

/// A second step that takes a while and would be noticed if it were taken twice or by half.
const SECOND: &str = "
    CREATE TABLE marks (number INTEGER PRIMARY KEY, mark TEXT NOT NULL) STRICT;
    INSERT INTO marks WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
    SELECT i, 'mark ' || i FROM n;
";
const THIRD: &str = "ALTER TABLE marks ADD COLUMN more TEXT; UPDATE marks SET more = mark;";
const PATIENCE: Duration = Duration::from_secs(30);

fn three() -> Vec<&'static str> {
    STEPS.iter().copied().chain([SECOND, THIRD]).collect()
}

fn open(path: &Path, steps: &[&str]) -> SqliteStore {
    SqliteStore::with_steps(path, PATIENCE, steps).unwrap()
}

/// How far the file is, and that it got there in whole steps.
#[track_caller]
fn whole_steps(path: &Path) -> i64 {
    let connection = Connection::open(path).unwrap();
    connection.busy_timeout(PATIENCE).unwrap();
    let count = |what: &str| connection.query_row(what, [], |row| row.get::<_, i64>(0));
    let version = schema::version(&connection).unwrap() - STEPS.len() as i64;
    match version {
        0 => assert!(count("SELECT count(*) FROM marks").is_err()),
        1 => assert_eq!(count("SELECT count(*) FROM marks").unwrap(), 20_000),
        2 => assert_eq!(count("SELECT count(more) FROM marks").unwrap(), 20_000),
        other => panic!("step {other}"),
    }
    let sound: String = connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(sound, "ok");
    version
}

#[test]
fn steps_are_taken_one_after_the_other_and_rows_stay() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("ledger.db");
    let (row, bundle) = epoch("c", 1, "x");
    assert_eq!(open(&path, STEPS).append(&row, &bundle).unwrap(), Appended::Won);
    assert_eq!(whole_steps(&path), 0);
    assert_eq!(open(&path, &three()[..STEPS.len() + 1]).standing(&id("c")).unwrap().unwrap().epoch, row);
    assert_eq!(whole_steps(&path), 1);
    assert_eq!(open(&path, &three()).standing(&id("c")).unwrap().unwrap().epoch, row);
    assert_eq!(whole_steps(&path), 2);
    // Who does not know the new steps leaves the file alone.
    let before = std::fs::read(&path).unwrap();
    assert_eq!(SqliteStore::open(&path).unwrap_err().fault, Fault::Newer);
    assert!(std::fs::read(&path).unwrap() == before);
}

#[test]
fn a_newer_schema_that_is_only_in_the_log_is_newer_all_the_same() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("ledger.db");
    drop(open(&path, STEPS));
    let newer = open(&path, &three());
    // The header of the file itself still says otherwise.
    let version = std::fs::read(&path).unwrap()[63];
    assert_eq!(usize::from(version), STEPS.len());
    assert_eq!(SqliteStore::open(&path).unwrap_err().fault, Fault::Newer);
    drop(newer);
}

#[test]
fn a_step_that_fails_leaves_the_version_before_it() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("ledger.db");
    drop(open(&path, STEPS));
    let steps: Vec<&str> = STEPS.iter().copied().chain([SECOND, "CREATE TABLE other (a); SELECT nonsense"]).collect();
    assert!(SqliteStore::with_steps(&path, PATIENCE, &steps).is_err());
    assert_eq!(whole_steps(&path), 1);
    let connection = Connection::open(&path).unwrap();
    assert!(connection.prepare("SELECT * FROM other").is_err());
    drop(connection);
    drop(open(&path, &three()));
    assert_eq!(whole_steps(&path), 2);
}

const FILE: &str = "ANTEFIX_TEST_STEPS";

#[test]
fn worker() {
    if let Ok(file) = std::env::var(FILE) {
        drop(open(Path::new(&file), &three()));
    }
}

fn start(path: &Path) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "stores::sqlite::tests::worker", "--test-threads=1"]).env(FILE, path);
    command.stdout(Stdio::null()).stderr(Stdio::inherit()).spawn().unwrap()
}

#[test]
fn of_several_processes_each_step_is_taken_once() {
    let directory = tempfile::tempdir().unwrap();
    for round in 0..5 {
        let path = directory.path().join(format!("{round}.db"));
        if round % 2 == 0 {
            drop(open(&path, STEPS));
        }
        let workers: Vec<Child> = (0..4).map(|_| start(&path)).collect();
        for mut worker in workers {
            assert!(worker.wait().unwrap().success());
        }
        assert_eq!(whole_steps(&path), 2);
    }
}

#[test]
fn whoever_is_killed_while_taking_a_step_has_taken_it_or_not() {
    let directory = tempfile::tempdir().unwrap();
    let mut reached = [0; 3];
    for round in 0..30 {
        let path = directory.path().join(format!("{round}.db"));
        let (row, bundle) = epoch("c", 1, "x");
        assert_eq!(open(&path, STEPS).append(&row, &bundle).unwrap(), Appended::Won);
        let mut worker = start(&path);
        std::thread::sleep(Duration::from_millis(4 * round));
        worker.kill().unwrap();
        worker.wait().unwrap();
        reached[usize::try_from(whole_steps(&path)).unwrap()] += 1;
        // The next one is killed while it recovers what the first one left; then somebody gets through.
        let mut worker = start(&path);
        std::thread::sleep(Duration::from_millis(4 * (30 - round)));
        worker.kill().unwrap();
        worker.wait().unwrap();
        assert_eq!(open(&path, &three()).standing(&id("c")).unwrap().unwrap().epoch, row);
        assert_eq!(whole_steps(&path), 2);
    }
    println!("killed before the first step, between and behind: {reached:?}");
}

/// As a process leaves it that is killed while it puts a log into the file: the file says that it has more pages than it has.
#[test]
fn a_file_that_has_a_part_of_its_log_is_whole_together_with_it() {
    let directory = tempfile::tempdir().unwrap();
    let (path, log) = (directory.path().join("ledger.db"), directory.path().join("ledger.db-wal"));
    let (row, bundle) = epoch("c", 1, "x");
    assert_eq!(open(&path, STEPS).append(&row, &bundle).unwrap(), Appended::Won);
    let connection = Connection::open(&path).unwrap();
    connection.execute_batch(&format!("PRAGMA wal_autocheckpoint = 0; BEGIN; {SECOND} COMMIT;")).unwrap();
    let logged = std::fs::read(&log).unwrap();
    // Whoever closes a file last puts the log into it.
    drop(connection);
    let whole = std::fs::read(&path).unwrap();
    std::fs::write(&path, &whole[..whole.len() / 2 / 4096 * 4096]).unwrap();
    std::fs::write(&log, logged).unwrap();
    assert_eq!(open(&path, STEPS).standing(&id("c")).unwrap().unwrap().epoch, row);
    let connection = Connection::open(&path).unwrap();
    let count = |what: &str| connection.query_row(what, [], |row| row.get::<_, i64>(0)).unwrap();
    assert_eq!(count("SELECT count(*) FROM marks"), 20_000);
    let sound: String = connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(sound, "ok");
}

/// What was in the file when a version was the newest. A released file never changes; a new version gets a new one.
const PAST: [&str; 6] = [
    include_str!("schema/past/1.sql"),
    include_str!("schema/past/2.sql"),
    include_str!("schema/past/3.sql"),
    include_str!("schema/past/4.sql"),
    include_str!("schema/past/5.sql"),
    include_str!("schema/past/6.sql"),
];

#[test]
fn stores_of_all_past_versions_answer_as_they_did() {
    assert_eq!(PAST.len(), STEPS.len(), "a new schema needs a file of the one before it");
    for (version, sql) in (1..).zip(PAST) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("ledger.db");
        Connection::open(&path).unwrap().execute_batch(sql).unwrap();
        let began = Timestamp::now();
        let store = SqliteStore::open(&path).unwrap();
        let standing = store.standing(&id("c")).unwrap().unwrap();
        let (second, bundle) = compaction("c", "t", 1, "second");
        let (amended, _) = amendment("c", 2, 1, "amended");
        assert_eq!(standing.epoch, EpochRow { opened_at: moment(7), ..second.next.unwrap() });
        assert_eq!(standing.amendments, [amended]);
        assert_eq!(standing.waiting, 1);
        assert_eq!(standing.said, (version >= 4).then(|| Digest::of("body of remembered")), "version {version}");
        assert_eq!(store.epoch(&id("c"), 1).unwrap().unwrap().epoch, epoch("c", 1, "first").0);
        let texts = store.texts(&[standing.epoch.body, standing.epoch.digest]).unwrap();
        assert_eq!(texts, [Some(bundle.body), Some("second".into())]);
        // Whoever took a message before version 5 keeps it in its own history.
        let taken = store.take(&id("c"), Some("turn"), Some(3)).unwrap();
        let taken: Vec<_> = taken.into_iter().map(|one| (one.number, one.text, one.taken.unwrap().place)).collect();
        let before = (version >= 5).then(|| (1, "taken".to_owned(), Some(2)));
        let expected: Vec<_> = before.into_iter().chain([(2, "waiting".to_owned(), Some(3))]).collect();
        assert_eq!(taken, expected, "version {version}");
        // Nobody knows when one of before version 6 was used last, so that it counts from now on; nor which commit was its last.
        let used = standing.used.unwrap();
        let again = store.commit(&id("c"), "t", moment(0)).unwrap();
        if version >= 6 {
            assert_eq!((used, again), (moment(9), Committed::Before(standing.epoch)));
            assert_eq!(standing.pauses.as_slice(), [600]);
        } else {
            assert!(used.as_second() >= began.as_second() && used <= Timestamp::now(), "version {version}");
            assert_eq!(again, Committed::NotBegun, "version {version}");
            assert_eq!(standing.pauses.as_slice(), [0; 0], "version {version}");
        }
        assert!(matches!(store.commit(&id("c"), "begun", moment(0)).unwrap(), Committed::Done(row) if row.number == 3));
        assert_eq!(store.sweep(Sweep::Delete).unwrap().texts, 0);
        if version == 1 {
            assert_eq!(store.last_template("dispatch").unwrap(), None);
            assert_eq!(store.save_template(&template()).unwrap(), Appended::Won);
        }
        assert_eq!(store.template(1).unwrap(), Some(template()));
        assert_eq!(store.template_with("dispatch", template().row.digest).unwrap(), Some(template()));
        assert_eq!(store.last_template("coding-agent").unwrap(), None);
        let mut entries = vec![TemplateEntry::Saved(template().row)];
        if version < 4 {
            assert_eq!(store.delete_template(&deletion()).unwrap(), Appended::Won);
            store.remember(&id("c"), &memory("remembered")).unwrap();
        }
        entries.insert(0, TemplateEntry::Deleted(deletion()));
        assert_eq!(store.templates(Some("dispatch"), None, 10).unwrap(), entries, "version {version}");
        assert_eq!(store.standing(&id("c")).unwrap().unwrap().said, Some(Digest::of("body of remembered")));
        let file = Connection::open(&path).unwrap();
        let count = |sql: &str| -> i64 { file.query_row(sql, [], |row| row.get(0)).unwrap() };
        assert_eq!(count("SELECT count(*) FROM pragma_foreign_key_check"), 0);
        assert_eq!(count("SELECT count(*) FROM sqlite_schema WHERE instr(sql, '_of_') > 0"), 0);
    }
}

#[test]
fn a_row_that_is_neither_a_template_nor_a_deletion_cannot_be_written() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("ledger.db");
    assert_eq!(SqliteStore::open(&path).unwrap().save_template(&template()).unwrap(), Appended::Won);
    let file = Connection::open(&path).unwrap();
    for half in ["text = NULL", "digest = NULL", "dialect = NULL", "text = NULL, digest = NULL"] {
        let error = file.execute(&format!("UPDATE templates SET {half}"), []).unwrap_err();
        assert!(error.to_string().contains("CHECK constraint failed"), "{half}: {error}");
    }
    let labeled = "UPDATE templates SET text = NULL, digest = NULL, dialect = NULL, label = 'x'";
    assert!(file.execute(labeled, []).is_err());
}

#[test]
fn what_epochs_have_in_common_is_found_again_behind_the_third_step() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("ledger.db");
    let old = Connection::open(&path).unwrap();
    old.execute_batch(PAST[1]).unwrap();
    // The same and not the same: nothing is not an empty text, and each column counts.
    let places = [
        ("/a", None, None),
        ("/a", Some(""), None),
        ("/a", None, Some("")),
        ("/a", Some("m"), Some("m")),
        ("/b", None, None),
    ];
    let body = epoch("c", 1, "first").0;
    let mut expected = Vec::new();
    for (at, (cwd, machine, model)) in places.iter().cycle().take(500).enumerate() {
        let row = EpochRow {
            conversation: id(&format!("many-{at:03}")),
            cwd: (*cwd).to_owned(),
            machine: machine.map(str::to_owned),
            model: model.map(str::to_owned),
            ..body.clone()
        };
        let (digest, body) = (row.digest.bytes().as_slice(), row.body.bytes().as_slice());
        let values = rusqlite::params![row.conversation.as_str(), digest, body, row.cwd, row.machine, row.model];
        old.execute("INSERT INTO epochs VALUES (?1, 1, 'opened', 1794830401123456, ?2, ?3, ?4, ?5, ?6)", values)
            .unwrap();
        expected.push(row);
    }
    drop(old);
    let store = SqliteStore::open(&path).unwrap();
    let after = id("many-");
    assert_eq!(store.conversations(Some(&after), 1_000).unwrap(), expected);
    let (row, bundle) = epoch("new", 1, "first");
    let row = EpochRow { cwd: "/b".into(), machine: None, model: None, ..row };
    assert_eq!(store.append(&row, &bundle).unwrap(), Appended::Won);
    assert_eq!(store.standing(&id("new")).unwrap().unwrap().epoch, row);
    let file = Connection::open(&path).unwrap();
    let count = |sql: &str| -> i64 { file.query_row(sql, [], |row| row.get(0)).unwrap() };
    // The two epochs of `c`, and the five places; the new one has its place in common with a hundred others.
    assert_eq!(count("SELECT count(*) FROM heads"), 7);
    assert_eq!(count("SELECT count(*) FROM pragma_foreign_key_check"), 0);
    assert_eq!(count("SELECT count(*) FROM sqlite_schema WHERE sql LIKE '%of_2%'"), 0);
}

#[test]
fn what_nobody_has_any_more_goes_with_its_texts() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("ledger.db");
    let store = SqliteStore::open(&path).unwrap();
    for (conversation, text) in [("gone", "alone"), ("gone-too", "shared"), ("stays", "shared")] {
        let (row, bundle) = epoch(conversation, 1, text);
        assert_eq!(store.append(&row, &bundle).unwrap(), Appended::Won);
    }
    let file = Connection::open(&path).unwrap();
    file.execute("DELETE FROM epochs WHERE conversation LIKE 'gone%'", []).unwrap();
    // "body of alone" and "alone".
    let found = Swept { texts: 2, bytes: 18 };
    assert_eq!(store.sweep(Sweep::DryRun).unwrap(), found);
    assert_eq!(store.sweep(Sweep::Delete).unwrap(), found);
    assert_eq!(store.sweep(Sweep::Delete).unwrap(), Swept::default());
    let heads: i64 = file.query_row("SELECT count(*) FROM heads", [], |row| row.get(0)).unwrap();
    assert_eq!(heads, 1);
    assert_eq!(store.standing(&id("stays")).unwrap().unwrap().epoch, epoch("stays", 1, "shared").0);
}

/// Writes what the next version will need as its past, into the file that `ANTEFIX_TEST_PAST` names. Run it before the
/// schema changes, and put what `sqlite3 FILE .dump` prints under `schema/past/`, with the pragmas of the other files.
#[test]
fn write_the_past() {
    let Ok(path) = std::env::var("ANTEFIX_TEST_PAST") else { return };
    let store = SqliteStore::open(&path).unwrap();
    let append = |number: u64, text: &str| {
        let (row, bundle) = epoch("c", number, text);
        assert_eq!(store.append(&row, &bundle).unwrap(), Appended::Won);
    };
    append(1, "first");
    let (row, bundle) = compaction("c", "t", 1, "second");
    store.begin(&row, Some(&bundle)).unwrap();
    store.commit(&id("c"), "t", moment(7)).unwrap();
    let (row, bundle) = amendment("c", 2, 1, "amended");
    assert_eq!(store.amend(&row, &bundle).unwrap(), Appended::Won);
    store.queue(&id("c"), moment(0), "taken").unwrap();
    store.take(&id("c"), Some("turn"), Some(2)).unwrap();
    store.queue(&id("c"), moment(0), "waiting").unwrap();
    let (row, bundle) = compaction("c", "begun", 2, "third");
    store.begin(&row, Some(&bundle)).unwrap();
    assert_eq!(store.save_template(&template()).unwrap(), Appended::Won);
    assert_eq!(store.delete_template(&deletion()).unwrap(), Appended::Won);
    store.remember(&id("c"), &memory("remembered")).unwrap();
    assert_eq!(store.note_use(&id("c"), moment(9), Some(600)).unwrap(), Noted::Done);
}

/// What is deleted since version 4.
fn deletion() -> TemplateDeletion {
    TemplateDeletion::new(2, "dispatch", moment(4), None)
}

/// What is saved since version 2, when templates had microseconds. Before version 4 no layout was kept with it.
fn template() -> SavedTemplate {
    let (text, author) = ("In {{ prompt.cwd }}.", Some("Zoë".to_owned()));
    let mut template = SavedTemplate::new(1, "dispatch", Dialect::Jinja, text, moment(3), author);
    template.row.at = moment(3);
    template
}
