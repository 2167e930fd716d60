//! Judgments: tables of what happened and what is said.

mod table;
mod told_apart;
