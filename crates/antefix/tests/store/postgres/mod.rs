//! The store in PostgreSQL, against a real one.

mod cluster;
mod faults;
mod lost;
mod past;
mod processes;
mod proxy;
mod restart;
mod stalled;
mod sweep;
mod tls;

use antefix::contract;

use crate::histories::{Level, all_are_explained};
use crate::race::{race, report};
use cluster::Database;

#[test]
fn it_keeps_the_contract() {
    if cluster::is_left_out() {
        return;
    }
    contract::check(&|| Box::new(Database::new()));
}

#[test]
fn spans_that_make_no_sense_are_reported_with_their_epoch() {
    if cluster::is_left_out() {
        return;
    }
    let databases = std::cell::RefCell::new(Vec::new());
    crate::spans::told_with_their_epoch(|| {
        let database = Database::new();
        let store = database.store();
        databases.borrow_mut().push(database);
        store
    });
}

#[test]
fn of_ten_thousand_first_turns_in_four_processes_one_wins() {
    if cluster::is_left_out() {
        return;
    }
    report("10,000 × 1 conversation on PostgreSQL", race(&Database::new().url(""), 1, 10_000));
}

#[test]
fn of_ten_first_turns_of_each_of_a_thousand_conversations_one_wins() {
    if cluster::is_left_out() {
        return;
    }
    report("10 × 1,000 conversations on PostgreSQL", race(&Database::new().url(""), 1_000, 10));
}

#[test]
fn ten_thousand_first_turns_from_four_processes_get_one_epoch() {
    if cluster::is_left_out() {
        return;
    }
    crate::turns::ten_thousand_first_turns_get_one_epoch(&Database::new().url("connections=8"));
}

#[test]
fn every_history_of_a_database_is_explained_by_a_serial_order() {
    if cluster::is_left_out() {
        return;
    }
    explained(Level::Store);
}

#[test]
fn every_history_of_turns_on_a_database_is_explained_by_a_serial_order() {
    if cluster::is_left_out() {
        return;
    }
    explained(Level::FrontDoor);
}

fn explained(level: Level) {
    let databases = std::cell::RefCell::new(Vec::new());
    all_are_explained(level, |_| {
        let database = Database::new();
        let url = database.url("connections=4");
        databases.borrow_mut().push(database);
        url
    });
}

#[test]
fn each_number_goes_to_one_of_four_processes() {
    if cluster::is_left_out() {
        return;
    }
    processes::each_number_goes_to_one(&Database::new().url("connections=4"));
}

#[test]
fn what_was_acknowledged_survives_fifty_kills() {
    if cluster::is_left_out() {
        return;
    }
    processes::what_was_acknowledged_survives_a_kill(&Database::new().url("connections=4"), 50);
}
