//! Adapters: where ledgers are kept, and what a user trusts.

#[cfg(any(feature = "sqlite", feature = "postgres"))]
mod failpoint;
mod memory;
#[cfg(feature = "postgres")]
mod postgres;
mod private;
#[cfg(feature = "sqlite")]
mod sqlite;
#[cfg(all(test, unix))]
mod tests;
mod trust;

use std::path::PathBuf;

use crate::discover::World;
use crate::error::{Error, ErrorKind, Result};
use crate::freeze::Store;

pub use memory::MemoryStore;
#[cfg(feature = "postgres")]
pub use postgres::PostgresStore;
pub use private::private_directory;
#[cfg(feature = "sqlite")]
pub use sqlite::SqliteStore;
#[cfg(feature = "sqlite")]
pub(crate) use sqlite::opencode_rows;
pub use trust::{TrustFile, Trusted};

/// Opens the store at an address: `sqlite:PATH`, `postgres://…` or `memory`.
pub fn open(address: &str) -> Result<Box<dyn Store>> {
    match address.split_once(':') {
        None if address == "memory" => Ok(Box::new(MemoryStore::new())),
        Some(("sqlite", path)) if !path.is_empty() => sqlite_at(path),
        Some(("postgres" | "postgresql", _)) => postgres_at(address),
        _ => {
            // What precedes an `@` may be a password.
            let shown = address.split('@').next_back().unwrap_or_default();
            let message = format!("unknown store `{shown}`; expected sqlite:PATH, postgres://… or memory");
            Err(Error::new(ErrorKind::Address, message))
        }
    }
}

/// Opens the user's own store. Where nobody named a place, the directories of the usual one are made.
pub fn open_default(world: &dyn World) -> Result<Box<dyn Store>> {
    let address = default_address(world)?;
    match address.strip_prefix("sqlite:") {
        Some(path) if named(world).is_none() => sqlite_in_new_directories(path),
        _ => open(&address),
    }
}

/// The address of the user's own store: `ANTEFIX_STORE`, else `ledger.db` in `$XDG_DATA_HOME/antefix`.
pub fn default_address(world: &dyn World) -> Result<String> {
    if let Some(address) = named(world) {
        return Ok(address);
    }
    let absolute = |name: &str| world.env(name).present().map(PathBuf::from).filter(|path| path.is_absolute());
    let data = absolute("XDG_DATA_HOME").or_else(|| absolute("HOME").map(|home| home.join(".local/share")));
    let missing = || {
        Error::new(ErrorKind::Input, "there is no home directory to keep ledgers in")
            .with_hint("name a store with --store or ANTEFIX_STORE")
    };
    Ok(format!("sqlite:{}", data.ok_or_else(missing)?.join("antefix/ledger.db").display()))
}

/// The address that the environment names.
fn named(world: &dyn World) -> Option<String> {
    world.env("ANTEFIX_STORE").present().filter(|address| !address.is_empty())
}

#[cfg(feature = "sqlite")]
fn sqlite_in_new_directories(path: &str) -> Result<Box<dyn Store>> {
    Ok(Box::new(SqliteStore::open_with_directories(path)?))
}

#[cfg(not(feature = "sqlite"))]
fn sqlite_in_new_directories(path: &str) -> Result<Box<dyn Store>> {
    sqlite_at(path)
}

#[cfg(feature = "sqlite")]
fn sqlite_at(path: &str) -> Result<Box<dyn Store>> {
    Ok(Box::new(SqliteStore::open(path)?))
}

#[cfg(not(feature = "sqlite"))]
fn sqlite_at(_: &str) -> Result<Box<dyn Store>> {
    Err(Error::new(ErrorKind::Address, "this antefix was built without SQLite"))
}

#[cfg(feature = "postgres")]
fn postgres_at(address: &str) -> Result<Box<dyn Store>> {
    Ok(Box::new(PostgresStore::connect(address)?))
}

#[cfg(not(feature = "postgres"))]
fn postgres_at(_: &str) -> Result<Box<dyn Store>> {
    Err(Error::new(ErrorKind::Address, "this antefix was built without PostgreSQL"))
}
