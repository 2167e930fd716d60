//! A server that is restarted under load, without a word to its clients.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use antefix::contract::{epoch, id};
use antefix::freeze::store::{Appended, Store};

use super::cluster::{Cluster, Database, is_left_out};

#[test]
fn a_restart_is_a_pause_with_typed_errors_and_loses_nothing() {
    if is_left_out() {
        return;
    }
    let cluster = Cluster::start();
    let database = Database::at(&cluster.url());
    let store = database.store();
    let over = AtomicBool::new(false);
    let slowest = Mutex::new(Duration::ZERO);
    let writer = |writer: u64| {
        let name = format!("writer {writer}");
        let (mut number, mut failures) = (1, 0);
        while !over.load(Ordering::Relaxed) {
            let (row, bundle) = epoch(&name, number, &format!("{name} at {number}"));
            let start = Instant::now();
            match store.append(&row, &bundle) {
                Ok(Appended::Won) => number += 1,
                // A write that was said to be in doubt, and was done.
                Ok(Appended::Lost(there)) => {
                    assert_eq!(there, row);
                    number += 1;
                }
                Err(error) => {
                    assert!(error.fault.passes(), "{error}");
                    failures += 1;
                    std::thread::sleep(Duration::from_millis(20));
                }
            }
            let mut slowest = slowest.lock().unwrap();
            *slowest = slowest.max(start.elapsed());
        }
        (number - 1, failures)
    };
    let ended: Vec<(u64, u64)> = std::thread::scope(|scope| {
        let writer = &writer;
        let writers: Vec<_> = (0..4).map(|number| scope.spawn(move || writer(number))).collect();
        for _ in 0..2 {
            std::thread::sleep(Duration::from_millis(400));
            cluster.restart();
            let back = Instant::now();
            while store.standing(&id("writer 0")).is_err() {
                assert!(back.elapsed() < Duration::from_secs(5), "the store does not come back");
            }
        }
        cluster.stop();
        let error = store.standing(&id("writer 0")).unwrap_err();
        assert!(error.fault.passes(), "{error}");
        cluster.restart();
        std::thread::sleep(Duration::from_millis(400));
        over.store(true, Ordering::Relaxed);
        writers.into_iter().map(|writer| writer.join().unwrap()).collect()
    });
    let slowest = slowest.into_inner().unwrap();
    println!("restarts under load: {ended:?} (acknowledged, failed); slowest answer {slowest:?}");
    assert!(slowest < Duration::from_secs(13), "{slowest:?}");
    assert!(ended.iter().any(|(_, failures)| *failures > 0), "no restart was noticed, so nothing was tested");
    for (writer, (acknowledged, _)) in ended.iter().enumerate() {
        let rows = store.epochs(&id(&format!("writer {writer}")), 0, 100_000).unwrap();
        assert_eq!(rows.len() as u64, *acknowledged);
        assert!((1..).zip(&rows).all(|(number, row)| row.number == number));
    }
}
