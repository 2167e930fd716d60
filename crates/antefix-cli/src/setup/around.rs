//! What a turn found around it, to find out whether it is still so.
//!
//! A ground and the answers of the world are all that a turn follows from, besides what its caller says and what the store has.
//! While both stay as they are, it would come out the same.

use std::sync::Arc;

use antefix::worlds::OsWorld;

use super::ground::Known;
use super::witness::{self, Heard};

/// All that a turn found around it.
pub(crate) struct Around {
    known: Arc<Known>,
    heard: Vec<Heard>,
    weight: usize,
}

/// How many bytes of files may be heard of.
const HEARD: usize = 256 * 1024;

impl Around {
    /// What a turn on a ground has heard; none if it may be another each time, or if it is too much to be remembered.
    pub(super) fn new(known: &Arc<Known>, heard: Vec<Heard>) -> Option<Around> {
        let weight = witness::weight(&heard)?;
        (weight <= HEARD).then(|| Around { known: Arc::clone(known), heard, weight })
    }

    /// Whether everything is still so.
    pub(crate) fn holds(&self) -> bool {
        let world = OsWorld::new();
        self.known.holds(&world) && self.heard.iter().all(|heard| heard.holds(&world))
    }

    /// How many bytes were heard, roughly.
    pub(crate) fn weight(&self) -> usize {
        self.weight
    }

    /// Whether both are the same.
    pub(crate) fn is_like(&self, other: &Around) -> bool {
        Arc::ptr_eq(&self.known, &other.known) && self.heard == other.heard
    }
}
