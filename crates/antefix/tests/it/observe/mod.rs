//! Requests of anybody's: what they cost, and where they come from.

mod growth;
mod pairs;
