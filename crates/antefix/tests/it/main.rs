//! Everything that is tested through the library's public face, in one binary so that it links once.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]
#![allow(
    clippy::disallowed_methods,
    reason = "tests read their own fixtures, take the time and start themselves again; the library does none of it"
)]

#[path = "../current/mod.rs"]
mod current;
mod given;
#[path = "../homeless/mod.rs"]
mod homeless;
#[path = "../parts/mod.rs"]
mod parts;
#[path = "../repositories/mod.rs"]
mod repositories;

mod bracket;

mod jinja;

mod bombs;

mod lints;

mod reasons;

mod properties;

mod cases;

mod bytes;

mod catalog;

mod claims;

mod ignored;

mod instructions;
mod observe;
mod offers;

mod rules;

mod skills;

mod budgets;

mod stopped;
mod tools;
mod traps;

mod given_files;
mod goes_on;
mod growth;
mod hygiene;

mod remote;

mod determinism;
mod editable;
mod family;
mod fetched;

mod reference;
mod remembered;
mod resolver;

mod saved_templates;
mod scope;

mod tutorial;
mod watched;

mod keeper;

mod message_room;

mod deliver;

mod accounted;
mod agents;
mod chosen;
