//! What a change costs: tokens that a provider bills anew.

use serde::Serialize;

/// The tokens of a difference, and their price where the model has one.
#[derive(Serialize)]
pub(crate) struct Bill {}

impl Bill {
    /// For people.
    pub(crate) fn words(&self) -> String {
        String::new()
    }
}
