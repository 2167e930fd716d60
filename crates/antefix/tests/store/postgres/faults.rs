//! Servers and schemas that are not as one would like.

use std::sync::Barrier;
use std::time::{Duration, Instant};

use antefix::Fault;
use antefix::contract::{epoch, id};
use antefix::freeze::store::{Appended, Store, StoreError, Sweep};
use antefix::stores::PostgresStore;

use super::cluster::{Cluster, Database, is_left_out};

fn refused(url: &str) -> StoreError {
    PostgresStore::connect(url).err().unwrap_or_else(|| panic!("it was opened"))
}

#[test]
fn replicas_that_start_at_once_make_the_schema_once() {
    if is_left_out() {
        return;
    }
    for _ in 0..5 {
        let database = Database::new();
        let barrier = Barrier::new(6);
        let start = || {
            barrier.wait();
            database.store()
        };
        let stores: Vec<PostgresStore> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..6).map(|_| scope.spawn(start)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        let (row, bundle) = epoch("c", 1, "x");
        assert_eq!(stores[0].append(&row, &bundle).unwrap(), Appended::Won);
        assert!(stores.iter().all(|store| store.standing(&id("c")).unwrap().unwrap().epoch == row));
        let versions = database.client().query("SELECT number FROM versions", &[]).unwrap();
        assert_eq!(versions.len(), 5);
    }
}

#[test]
fn a_newer_schema_is_refused_and_left_alone() {
    if is_left_out() {
        return;
    }
    let database = Database::new();
    let store = database.store();
    let (row, bundle) = epoch("c", 1, "x");
    store.append(&row, &bundle).unwrap();
    let mut client = database.client();
    client.batch_execute("INSERT INTO versions (number) VALUES (99)").unwrap();
    let error = refused(&database.url(""));
    assert_eq!(error.fault, Fault::Newer);
    assert!(error.to_string().contains("version 99"), "{error}");
    assert_eq!(client.query("SELECT number FROM epochs", &[]).unwrap().len(), 1);
    client.batch_execute("DELETE FROM versions WHERE number = 99").unwrap();
    assert_eq!(database.store().standing(&id("c")).unwrap().unwrap().epoch, row);
}

#[test]
fn a_schema_that_is_not_ours_is_refused_and_left_alone() {
    if is_left_out() {
        return;
    }
    let database = Database::new();
    let mut client = database.client();
    client.batch_execute(&format!("CREATE SCHEMA {}; CREATE TABLE epochs (mine text)", database.schema)).unwrap();
    let error = refused(&database.url(""));
    assert_eq!(error.fault, Fault::Corrupt);
    assert!(error.to_string().contains(&database.schema), "{error}");
    let tables = client.query("SELECT tablename FROM pg_tables WHERE schemaname = $1", &[&database.schema]).unwrap();
    assert_eq!(tables.len(), 1);
}

#[test]
fn a_schema_that_was_dropped_is_reported_as_damage() {
    if is_left_out() {
        return;
    }
    let database = Database::new();
    let store = database.store();
    database.client().batch_execute(&format!("DROP SCHEMA {} CASCADE", database.schema)).unwrap();
    assert_eq!(store.standing(&id("c")).unwrap_err().fault, Fault::Corrupt);
}

#[test]
fn damage_in_a_row_is_reported_and_not_guessed() {
    if is_left_out() {
        return;
    }
    let database = Database::new();
    let store = database.store();
    let (row, bundle) = epoch("c", 1, "x");
    store.append(&row, &bundle).unwrap();
    let mut client = database.client();
    for damage in [
        "UPDATE epochs SET cause = 'whim'",
        "UPDATE epochs SET cause = 'opened', opened_at = 'yesterday'",
        "UPDATE epochs SET opened_at = '2026-11-16T00:00:00Z', digest = '\\x00'",
    ] {
        client.batch_execute(damage).unwrap();
        assert_eq!(store.standing(&id("c")).unwrap_err().fault, Fault::Corrupt, "{damage}");
    }
    client.batch_execute("UPDATE texts SET text = '\\xff'").unwrap();
    assert_eq!(store.texts(&[row.body]).unwrap_err().fault, Fault::Corrupt);
}

#[test]
fn a_store_that_may_only_be_read_is_read() {
    if is_left_out() {
        return;
    }
    let database = Database::new();
    let (row, bundle) = epoch("c", 1, "x");
    database.store().append(&row, &bundle).unwrap();
    let store = PostgresStore::connect(&database.url("options=-c%20default_transaction_read_only=on")).unwrap();
    assert_eq!(store.standing(&id("c")).unwrap().unwrap().epoch, row);
    let (row, bundle) = epoch("c", 2, "y");
    assert_eq!(store.append(&row, &bundle).unwrap_err().fault, Fault::ReadOnly);
    assert_eq!(store.sweep(Sweep::DryRun).unwrap().texts, 0);
    assert_eq!(store.standing(&id("c")).unwrap().unwrap().epoch.number, 1);
}

#[test]
fn whoever_finds_all_connections_in_use_learns_it_in_time() {
    if is_left_out() {
        return;
    }
    let database = Database::new();
    let store = PostgresStore::connect(&database.url("connections=2&pool_timeout=2")).unwrap();
    let (row, bundle) = epoch("c", 1, "x");
    store.append(&row, &bundle).unwrap();
    // Two readers are stuck behind somebody who holds the table.
    let mut holder = database.client();
    holder.batch_execute("BEGIN; LOCK TABLE epochs IN ACCESS EXCLUSIVE MODE").unwrap();
    std::thread::scope(|scope| {
        let stuck: Vec<_> = (0..2).map(|_| scope.spawn(|| store.standing(&id("c")))).collect();
        std::thread::sleep(Duration::from_millis(500));
        let start = Instant::now();
        let error = store.standing(&id("c")).unwrap_err();
        assert_eq!(error.fault, Fault::Busy, "{error}");
        assert!(error.to_string().contains("all 2 connections"), "{error}");
        assert!(start.elapsed() < Duration::from_secs(4), "{:?}", start.elapsed());
        // They give up as well, and long before the holder does.
        for reader in stuck {
            assert_eq!(reader.join().unwrap().unwrap_err().fault, Fault::Busy);
        }
    });
    holder.batch_execute("ROLLBACK").unwrap();
    assert_eq!(store.standing(&id("c")).unwrap().unwrap().epoch, row);
}

#[test]
fn more_connections_than_the_server_has_are_reported_as_busy() {
    if is_left_out() {
        return;
    }
    let cluster = Cluster::start();
    let database = Database::at(&cluster.url());
    let store = database.store();
    let mut client = database.client();
    client
        .batch_execute(
            "CREATE ROLE plain LOGIN; GRANT ALL ON DATABASE postgres TO plain; ALTER ROLE plain CONNECTION LIMIT 0",
        )
        .unwrap();
    let error = refused(&database.url("").replacen("postgres@", "plain@", 1));
    assert_eq!(error.fault, Fault::Busy, "{error}");
    assert!(store.standing(&id("c")).unwrap().is_none());
}

#[test]
fn a_password_is_asked_for_and_never_shown() {
    if is_left_out() {
        return;
    }
    let cluster = Cluster::start();
    let error = refused(&cluster.network_url("hunter2"));
    assert_eq!(error.fault, Fault::Failed);
    assert!(error.to_string().contains("28P01"), "{error}");
    assert!(!format!("{error} {error:?}").contains("hunter2"), "{error:?}");
    // From a file, too.
    let directory = tempfile::tempdir().unwrap();
    let passfile = directory.path().join("pass");
    std::fs::write(&passfile, "127.0.0.1:*:postgres:postgres:secret\n").unwrap();
    std::fs::set_permissions(&passfile, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    let url = cluster.network_url("").replace(":@", "@");
    let store = PostgresStore::connect(&format!("{url}?passfile={}", passfile.display())).unwrap();
    assert!(store.standing(&id("c")).unwrap().is_none());
    assert!(!format!("{store:?}").contains("secret"));
    let store = PostgresStore::connect(&cluster.network_url("secret")).unwrap();
    assert!(store.standing(&id("c")).unwrap().is_none());
    // This server has no TLS, and nobody goes on without it.
    let error = refused(&format!("{}?sslmode=verify-full", cluster.network_url("secret")));
    assert_eq!(error.fault, Fault::Failed, "{error}");
}
