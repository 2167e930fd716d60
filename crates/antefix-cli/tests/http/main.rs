//! `antefix serve` as its clients see it: real processes, real ports, a real store.

#![cfg(all(unix, feature = "serve"))]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on says so by failing")]

mod browser;
mod cases;
mod client;
mod cut_off;
mod database;
mod deployed;
mod described;
mod guard;
mod hooks;
mod ledger;
mod limits;
mod overload;
mod process;
mod replicas;
mod side_by_side;
mod soak;
mod started;
mod stood;
mod store_away;
mod template;
mod turns;

use client::{Reply, Server};
use started::Scratch;
