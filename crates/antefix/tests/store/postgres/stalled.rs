//! A server that is there and does nothing, and a schema that moves on under those who use it.

use std::time::{Duration, Instant};

use antefix::Fault;
use antefix::contract::{epoch, id, moment};
use antefix::freeze::store::{Appended, Noted, Store, StoreResult};
use antefix::stores::PostgresStore;

use super::cluster::{Cluster, Database, is_left_out};

/// The longest that anything may take: eight seconds, and a slow machine.
const BOUND: Duration = Duration::from_secs(10);
/// The longest that one may wait to hear whether the store is ready.
const SOON: Duration = Duration::from_secs(4);
/// How soon all is well again.
const RECOVERY: Duration = Duration::from_secs(5);

/// That a question is answered with this fault, in time.
#[track_caller]
fn fails<T: std::fmt::Debug>(within: Duration, ask: impl FnOnce() -> StoreResult<T>) {
    let begun = Instant::now();
    let error = ask().unwrap_err();
    let took = begun.elapsed();
    assert!(error.fault.passes(), "{error}");
    assert!(took < within, "{error} after {took:?}");
}

/// A cluster of its own with a store, whose processes can be stopped.
struct Stalling {
    cluster: Cluster,
    database: Database,
    store: PostgresStore,
}

impl Stalling {
    fn new() -> Stalling {
        let cluster = Cluster::start();
        let database = Database::at(&cluster.url());
        let store = PostgresStore::connect(&database.url("application_name=stalled&connections=3")).unwrap();
        Stalling { cluster, database, store }
    }

    /// The processes that serve the store.
    fn backends(&self) -> String {
        let mut client = self.database.client();
        let rows = client.query("SELECT pid FROM pg_stat_activity WHERE application_name = 'stalled'", &[]).unwrap();
        let pids: Vec<String> = rows.iter().map(|row| row.get::<_, i32>(0).to_string()).collect();
        assert!(!pids.is_empty());
        pids.join(" ")
    }

    fn signal(&self, name: &str, pids: &str) {
        self.cluster.script(&format!("kill -{name} {pids}"));
    }

    /// Waits until the store works again, and checks that nothing but this is in it.
    #[track_caller]
    fn recovers_with(&self, conversation: &str, epochs: u64) {
        let begun = Instant::now();
        while let Err(error) = self.store.ready() {
            assert!(begun.elapsed() < RECOVERY, "{error} after {:?}", begun.elapsed());
            std::thread::sleep(Duration::from_millis(50));
        }
        // What was refused is not done later.
        std::thread::sleep(Duration::from_millis(500));
        assert_eq!(self.store.epochs(&id(conversation), 0, 10).unwrap().len() as u64, epochs);
        let (row, bundle) = epoch(conversation, epochs + 1, "after");
        assert_eq!(self.store.append(&row, &bundle).unwrap(), Appended::Won);
    }
}

#[test]
fn whoever_asks_a_stopped_server_hears_so_in_time_and_nothing_is_done_later() {
    if is_left_out() {
        return;
    }
    let stalling = Stalling::new();
    let store = &stalling.store;
    let (row, bundle) = epoch("c", 1, "x");
    store.append(&row, &bundle).unwrap();
    // One question after the other would only ever need one connection.
    std::thread::scope(|scope| (0..3).for_each(|_| drop(scope.spawn(|| store.standing(&id("c")).unwrap()))));

    let backends = stalling.backends();
    let postmaster = "$(head -1 cluster/postmaster.pid)";
    stalling.signal("STOP", postmaster);
    stalling.signal("STOP", &backends);
    fails(SOON, || store.ready());
    std::thread::scope(|scope| {
        for number in 0..6 {
            scope.spawn(move || fails(BOUND, || store.standing(&id("c"))));
            let (row, bundle) = epoch(&format!("new {number}"), 1, "x");
            scope.spawn(move || fails(BOUND, || store.append(&row, &bundle)));
        }
        let (row, bundle) = epoch("c", 2, "stale");
        scope.spawn(move || fails(BOUND, || store.append(&row, &bundle)));
    });
    fails(SOON, || store.ready());
    stalling.signal("CONT", &backends);
    stalling.signal("CONT", postmaster);
    stalling.recovers_with("c", 1);
}

#[test]
fn a_writer_that_was_stopped_keeps_nobody_from_reading_or_from_noting_a_use() {
    if is_left_out() {
        return;
    }
    let database = Database::new();
    let store = database.store();
    let (row, bundle) = epoch("c", 1, "x");
    store.append(&row, &bundle).unwrap();
    store.queue(&id("c"), moment(1), "said").unwrap();
    store.take(&id("c"), Some("t"), Some(1)).unwrap();
    // Somebody is in the middle of a write for the conversation, and stays there.
    let mut holder = database.client();
    holder.batch_execute("BEGIN").unwrap();
    let key = turn_of(&database, "c");
    holder.execute("SELECT pg_advisory_xact_lock($1)", &[&key]).unwrap();
    let begun = Instant::now();
    assert_eq!(store.note_use(&id("c"), moment(9), None).unwrap(), Noted::Later);
    assert_eq!(store.take(&id("c"), Some("t"), Some(1)).unwrap().len(), 1);
    assert_eq!(store.standing(&id("c")).unwrap().unwrap().epoch, row);
    assert!(begun.elapsed() < Duration::from_secs(2), "{:?}", begun.elapsed());
    holder.batch_execute("ROLLBACK").unwrap();
    assert_eq!(store.note_use(&id("c"), moment(9), None).unwrap(), Noted::Done);
}

/// The key under which writers of a conversation take turns.
fn turn_of(database: &Database, conversation: &str) -> i64 {
    let names = [("schema", database.schema.as_str()), ("conversation", conversation)];
    let digest = antefix::text::Digest::framed("antefix/lock/1", names);
    i64::from_be_bytes(digest.bytes()[..8].try_into().unwrap())
}

#[test]
fn a_schema_that_became_too_new_is_read_and_not_written_at_once() {
    if is_left_out() {
        return;
    }
    let database = Database::new();
    let store = database.store();
    let (first, bundle) = epoch("c", 1, "x");
    store.append(&first, &bundle).unwrap();
    let mut client = database.client();
    let (second, bundle) = epoch("c", 2, "y");
    // The next release may run beside this one.
    client.batch_execute("INSERT INTO versions (number) SELECT max(number) + 1 FROM versions").unwrap();
    assert_eq!(store.append(&second, &bundle).unwrap(), Appended::Won);
    client.batch_execute("INSERT INTO versions (number) SELECT max(number) + 1 FROM versions").unwrap();
    let (third, bundle) = epoch("c", 3, "z");
    for _ in 0..2 {
        assert_eq!(store.append(&third, &bundle).unwrap_err().fault, Fault::Newer);
        assert_eq!(store.queue(&id("c"), moment(1), "said").unwrap_err().fault, Fault::Newer);
        assert_eq!(store.standing(&id("c")).unwrap().unwrap().epoch, second);
        assert_eq!(store.ready().unwrap_err().fault, Fault::Newer);
    }
    assert_eq!(store.insertions(&id("c")).unwrap().all.len(), 0);
    client.batch_execute("DELETE FROM versions WHERE number = (SELECT max(number) FROM versions)").unwrap();
    assert_eq!(store.append(&third, &bundle).unwrap(), Appended::Won);
}

#[test]
fn whoever_moves_the_schema_waits_for_those_who_write() {
    if is_left_out() {
        return;
    }
    let database = Database::new();
    let store = database.store();
    // A migration is under way: the lock that it takes, as this and later releases take it.
    let names = [("schema", database.schema.as_str()), ("work", "migrate")];
    let digest = antefix::text::Digest::framed("antefix/lock/1", names);
    let key = i64::from_be_bytes(digest.bytes()[..8].try_into().unwrap());
    let mut migrator = database.client();
    migrator.batch_execute("BEGIN").unwrap();
    migrator.execute("SELECT pg_advisory_xact_lock($1)", &[&key]).unwrap();
    migrator.batch_execute("INSERT INTO versions (number) VALUES (98), (99)").unwrap();
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            let (row, bundle) = epoch("c", 1, "x");
            store.append(&row, &bundle)
        });
        std::thread::sleep(Duration::from_millis(300));
        migrator.batch_execute("COMMIT").unwrap();
        assert_eq!(writer.join().unwrap().unwrap_err().fault, Fault::Newer);
    });
    assert!(store.standing(&id("c")).unwrap().is_none());
}
