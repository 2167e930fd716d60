//! For how long a section's bytes stay.

use serde::{Deserialize, Serialize};

/// For how long a section's bytes stay. The order is the order in a prompt: sections may only step downwards, so that
/// what changes never comes before what stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stability {
    /// A release of the layout: no facts in it.
    Fixed,
    /// An epoch of a conversation.
    Frozen,
    /// One turn. Everything live is after the boundary.
    Live,
}

impl Stability {
    /// The name in layouts and documents.
    pub fn name(self) -> &'static str {
        match self {
            Stability::Fixed => "fixed",
            Stability::Frozen => "frozen",
            Stability::Live => "live",
        }
    }
}
