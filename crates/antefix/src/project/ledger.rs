//! The ledger, which may not be reachable yet.
//!
//! 1. It is opened when it is first needed: a prompt that belongs to no conversation needs none.
//! 2. One that could not be opened is tried again, at most once a second. What was wrong is the answer meanwhile.

use std::sync::{Mutex, OnceLock, PoisonError};

use jiff::{SignedDuration, Timestamp};

use crate::discover::World;
use crate::error::{Error, Result};
use crate::keeper::Keeper;
use crate::stores;

/// How long a failure is the answer.
const PAUSE: SignedDuration = SignedDuration::from_secs(1);

/// A keeper of a store, once it is open.
pub(super) struct Ledger {
    address: Option<String>,
    /// Whether the store was open already, whatever it is.
    is_given: bool,
    keeper: OnceLock<Keeper>,
    /// When it could not be opened last, and why.
    failed: Mutex<Option<(Timestamp, Error)>>,
}

impl Ledger {
    /// The ledger at an address; none means the user's own.
    pub(super) fn at(address: Option<String>) -> Ledger {
        Ledger { address, is_given: false, keeper: OnceLock::new(), failed: Mutex::default() }
    }

    /// The ledger of a store that is open.
    pub(super) fn of(keeper: Keeper) -> Ledger {
        Ledger { address: None, is_given: true, keeper: OnceLock::from(keeper), failed: Mutex::default() }
    }

    /// The keeper, if it is open by now.
    pub(super) fn opened(&self) -> Option<&Keeper> {
        self.keeper.get()
    }

    /// The keeper, opened if need be.
    pub(super) fn keeper(&self, world: &dyn World) -> Result<&Keeper> {
        if let Some(keeper) = self.keeper.get() {
            return Ok(keeper);
        }
        let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((at, error)) = &*failed
            && world.now().duration_since(*at).abs() < PAUSE
        {
            return Err(error.clone());
        }
        let opened = match &self.address {
            Some(address) => stores::open(address),
            None => stores::open_default(world),
        };
        match opened {
            Ok(store) => Ok(self.keeper.get_or_init(|| Keeper::of(store))),
            Err(error) => {
                *failed = Some((world.now(), error.clone()));
                Err(error)
            }
        }
    }

    /// The keeper of a store that somebody has made already; none if the store is a file that is not there.
    pub(super) fn existing(&self, world: &dyn World) -> Result<Option<&Keeper>> {
        if let Some(keeper) = self.keeper.get() {
            return Ok(Some(keeper));
        }
        let address = match (&self.address, self.address(world)) {
            // Without a home directory there is no store of the user's own, which is no failure of a prompt.
            (None, Err(_)) => return Ok(None),
            (_, address) => address?,
        };
        if let Some(path) = address.strip_prefix("sqlite:")
            && world.kind(std::path::Path::new(path)).present().is_none()
        {
            return Ok(None);
        }
        if address == "memory" {
            return Ok(None);
        }
        self.keeper(world).map(Some)
    }

    /// What kind of store it is.
    pub(super) fn kind(&self, world: &dyn World) -> &'static str {
        if self.is_given {
            return "other";
        }
        let address = self.address(world).unwrap_or_default();
        match address.split(':').next() {
            Some("sqlite") => "sqlite",
            Some("postgres" | "postgresql") => "postgres",
            _ => "memory",
        }
    }

    /// The file that it is kept in, if it is one.
    pub(super) fn file(&self, world: &dyn World) -> Option<std::path::PathBuf> {
        let address = self.address(world).ok().filter(|_| !self.is_given)?;
        address.strip_prefix("sqlite:").map(std::path::PathBuf::from)
    }

    fn address(&self, world: &dyn World) -> Result<String> {
        match &self.address {
            Some(address) => Ok(address.clone()),
            None => stores::default_address(world),
        }
    }
}
