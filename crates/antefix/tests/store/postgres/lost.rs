//! Connections that break: between calls, within one, and while a transaction is committed.

use std::time::{Duration, Instant};

use antefix::Fault;
use antefix::compose::Dialect;
use antefix::contract::{amendment, compaction, epoch, id, memory, moment};
use antefix::freeze::store::{Appended, Committed, Store, Sweep};
use antefix::freeze::template::{SavedTemplate, TemplateDeletion, TemplateEntry, Templates};
use antefix::stores::PostgresStore;
use antefix::text::Digest;

use super::cluster::{Cluster, Database, is_left_out};
use super::proxy::{Commit, Proxy};

/// A cluster with an unreliable way to it.
struct Unreliable {
    proxy: Proxy,
    store: PostgresStore,
    /// Behind the proxy, by the reliable way.
    reliable: PostgresStore,
    _database: Database,
    _cluster: Cluster,
}

impl Unreliable {
    fn new() -> Unreliable {
        let cluster = Cluster::start();
        let database = Database::at(&cluster.url());
        let proxy = Proxy::new(cluster.directory.join(format!(".s.PGSQL.{}", cluster.port)));
        let url = format!("postgres://postgres@127.0.0.1:{}/postgres?schema={}", proxy.port, database.schema);
        let store = PostgresStore::connect(&url).unwrap();
        Unreliable { proxy, store, reliable: database.store(), _database: database, _cluster: cluster }
    }
}

#[test]
fn a_commit_that_is_lost_or_unacknowledged_is_done_once() {
    if is_left_out() {
        return;
    }
    let unreliable = Unreliable::new();
    let (store, reliable) = (&unreliable.store, &unreliable.reliable);
    for (commit, c) in [(Commit::Passes, "passes"), (Commit::Lost, "lost"), (Commit::Unheard, "unheard")] {
        let next = || unreliable.proxy.next_commit(commit);
        let (row, bundle) = epoch(c, 1, c);
        next();
        assert_eq!(store.append(&row, &bundle).unwrap(), Appended::Won, "{c}");
        assert_eq!(reliable.epochs(&id(c), 0, 9).unwrap(), std::slice::from_ref(&row), "{c}");

        let (change, bundle) = amendment(c, 1, 1, "amended");
        next();
        assert_eq!(store.amend(&change, &bundle).unwrap(), Appended::Won, "{c}");
        assert_eq!(reliable.standing(&id(c)).unwrap().unwrap().amendments, [change], "{c}");

        next();
        store.remember(&id(c), &memory(c)).unwrap();
        let said = reliable.standing(&id(c)).unwrap().unwrap().said;
        assert_eq!(said, Some(Digest::of(&memory(c).body)), "{c}");

        // Two messages that say the same are two messages.
        for number in 1..=2 {
            next();
            assert_eq!(store.queue(&id(c), moment(0), "the same").unwrap(), number, "{c}");
        }
        assert_eq!(reliable.insertions(&id(c)).unwrap().waiting().count(), 2, "{c}");

        // A turn without a name hears of what it took, too.
        next();
        assert_eq!(store.take(&id(c), None, None).unwrap().len(), 2, "{c}");
        assert_eq!(reliable.insertions(&id(c)).unwrap().waiting().count(), 0, "{c}");

        let (begun, bundle) = compaction(c, "token", 1, "compacted");
        next();
        store.begin(&begun, Some(&bundle)).unwrap();
        next();
        let Committed::Done(second) = store.commit(&id(c), "token", moment(9)).unwrap() else { panic!("{c}") };
        assert_eq!(second.number, 2, "{c}");
        assert_eq!(reliable.epochs(&id(c), 0, 9).unwrap(), [row, second.clone()], "{c}");
        assert_eq!(reliable.commit(&id(c), "token", moment(9)).unwrap(), Committed::Before(second), "{c}");

        // One that keeps the standing epoch.
        let mut begun = compaction(c, "keeps", 2, "unused").0;
        begun.next = None;
        store.begin(&begun, None).unwrap();
        next();
        assert!(matches!(store.commit(&id(c), "keeps", moment(9)).unwrap(), Committed::Done(row) if row.number == 2));

        // One that comes too late.
        store.begin(&compaction(c, "late", 1, "compacted").0, None).unwrap();
        next();
        assert!(matches!(store.commit(&id(c), "late", moment(9)).unwrap(), Committed::MovedOn(row) if row.number == 2));
        unreliable.proxy.next_commit(Commit::Passes);
        assert_eq!(store.sweep(Sweep::DryRun).unwrap().texts, 0, "{c}");
    }
}

#[test]
fn a_template_whose_commit_is_lost_or_unacknowledged_is_saved_and_deleted_once() {
    if is_left_out() {
        return;
    }
    let unreliable = Unreliable::new();
    let (store, reliable) = (&unreliable.store, &unreliable.reliable);
    for (number, commit) in (1..).step_by(2).zip([Commit::Passes, Commit::Lost, Commit::Unheard]) {
        let template = SavedTemplate::new(number, "dispatch", Dialect::Plain, "x", moment(0), None);
        unreliable.proxy.next_commit(commit);
        assert_eq!(store.save_template(&template).unwrap(), Appended::Won, "{number}");
        assert_eq!(reliable.last_template("dispatch").unwrap(), Some(TemplateEntry::Saved(template.row)));

        let deletion = TemplateDeletion::new(number + 1, "dispatch", moment(0), None);
        unreliable.proxy.next_commit(commit);
        assert_eq!(store.delete_template(&deletion).unwrap(), Appended::Won, "{number}");
        assert_eq!(reliable.last_template("dispatch").unwrap(), Some(TemplateEntry::Deleted(deletion)));
    }
    assert_eq!(reliable.templates(None, None, 10).unwrap().len(), 6);
}

#[test]
fn a_server_that_says_nothing_is_waited_for_for_so_long_and_no_longer() {
    if is_left_out() {
        return;
    }
    let unreliable = Unreliable::new();
    let (row, bundle) = epoch("c", 1, "x");
    unreliable.store.append(&row, &bundle).unwrap();
    unreliable.proxy.be_silent(true);
    let start = Instant::now();
    assert_eq!(unreliable.store.standing(&id("c")).unwrap_err().fault, Fault::Unreachable);
    assert!(start.elapsed() < Duration::from_secs(8), "{:?}", start.elapsed());
    // A new connection gets nowhere either.
    let start = Instant::now();
    assert_eq!(unreliable.store.standing(&id("c")).unwrap_err().fault, Fault::Unreachable);
    assert!(start.elapsed() < Duration::from_secs(6), "{:?}", start.elapsed());
    unreliable.proxy.be_silent(false);
    assert_eq!(unreliable.store.standing(&id("c")).unwrap().unwrap().epoch, row);
}

#[test]
fn a_terminated_backend_is_not_noticed_by_a_caller() {
    if is_left_out() {
        return;
    }
    let database = Database::new();
    let store = PostgresStore::connect(&database.url("application_name=mortal")).unwrap();
    let (row, bundle) = epoch("c", 1, "x");
    store.append(&row, &bundle).unwrap();
    let mut client = database.client();
    for number in 2..=10 {
        let ended = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'mortal'";
        assert_eq!(client.query_one(ended, &[]).unwrap().get::<_, i64>(0), 1);
        assert_eq!(store.standing(&id("c")).unwrap().unwrap().epoch.number, number - 1);
        assert_eq!(client.query_one(ended, &[]).unwrap().get::<_, i64>(0), 1);
        let (row, bundle) = epoch("c", number, "x");
        assert_eq!(store.append(&row, &bundle).unwrap(), Appended::Won);
    }
}

#[test]
fn a_server_that_is_not_there_is_reported_at_once() {
    if is_left_out() {
        return;
    }
    let start = Instant::now();
    let error = PostgresStore::connect("postgres://ada:hunter2@127.0.0.1:1/x").unwrap_err();
    assert_eq!(error.fault, Fault::Unreachable);
    assert!(error.to_string().starts_with("postgres://ada@127.0.0.1:1/x: "), "{error}");
    assert!(!format!("{error} {error:?}").contains("hunter2"));
    assert!(start.elapsed() < Duration::from_secs(5));
}
