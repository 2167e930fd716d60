//! The keeper, which may not be reachable yet.

use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use antefix::ErrorKind;
use antefix::keeper::Keeper;

use super::problem::{Answer, Problem};
use crate::{Failure, ledger};

/// How often a store that could not be opened is tried again.
const PAUSE: Duration = Duration::from_secs(1);

/// How far away a store is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Distance {
    /// In this process, or in a file.
    Here,
    /// Behind a network.
    Away,
}

/// A keeper of the store at an address.
pub(super) struct Kept {
    address: String,
    keeper: OnceLock<Keeper>,
    /// When it could not be opened last, and why.
    failed: Mutex<Option<(Instant, antefix::Error)>>,
}

impl Kept {
    /// Opens the store. One that cannot be reached now may be reached later; all else that is wrong with it is told.
    pub(super) fn new(address: String) -> Result<Kept, Failure> {
        let kept = Kept { address, keeper: OnceLock::new(), failed: Mutex::default() };
        match kept.open() {
            Ok(_) => Ok(kept),
            Err(Failure::Input(error)) if passes(&error) => Ok(kept),
            Err(failure) => Err(failure),
        }
    }

    /// The keeper, if the store can be reached.
    pub(super) fn keeper(&self) -> Answer<&Keeper> {
        if let Some(keeper) = self.keeper.get() {
            return Ok(keeper);
        }
        let recent = self.failed.lock().unwrap_or_else(PoisonError::into_inner).clone();
        match recent {
            Some((at, error)) if at.elapsed() < PAUSE => Err(error.into()),
            _ => self.open().map_err(Problem::from),
        }
    }

    /// What kind of store it is.
    pub(super) fn kind(&self) -> &'static str {
        match self.address.split(':').next() {
            Some("sqlite") => "sqlite",
            Some("postgres" | "postgresql") => "postgres",
            _ => "memory",
        }
    }

    /// How far away it is. One that was not opened yet may be any distance away.
    pub(super) fn distance(&self) -> Distance {
        match self.kind() {
            "sqlite" | "memory" if self.keeper.get().is_some() => Distance::Here,
            _ => Distance::Away,
        }
    }

    fn open(&self) -> Result<&Keeper, Failure> {
        match ledger::keeper_of(&self.address) {
            Ok(keeper) => Ok(self.keeper.get_or_init(|| keeper)),
            Err(failure) => {
                if let Failure::Input(error) = &failure {
                    let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
                    *failed = Some((Instant::now(), (**error).clone()));
                }
                Err(failure)
            }
        }
    }
}

fn passes(error: &antefix::Error) -> bool {
    matches!(error.kind(), ErrorKind::Store(fault) if fault.passes())
}
