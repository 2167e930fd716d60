//! Which store, and a keeper over it.

pub(crate) mod document {
    pub(crate) use antefix::document::ledger::*;
}
pub(crate) mod price {
    pub(crate) use antefix::document::Bill;
}
pub(crate) mod words;

use std::path::{Path, PathBuf};

use antefix::freeze::{ConversationId, Store};
use antefix::keeper::Keeper;
use antefix::stores::MemoryStore;

use crate::Failure;

/// Where ledgers are kept: as named, else `ANTEFIX_STORE`, else a file of the user's.
pub(crate) fn address(named: Option<&str>) -> Result<String, Failure> {
    let variable = || std::env::var("ANTEFIX_STORE").ok().filter(|url| !url.is_empty());
    match named.map(str::to_owned).or_else(variable) {
        Some(url) => Ok(url),
        None => Ok(format!("sqlite:{}", default_path()?.display())),
    }
}

/// Opens the keeper of the store at an address.
pub(crate) fn keeper_of(url: &str) -> Result<Keeper, Failure> {
    Ok(Keeper::of(open(url)?))
}

fn open(url: &str) -> Result<Box<dyn Store>, Failure> {
    match url.split_once(':') {
        None if url == "memory" => Ok(Box::new(MemoryStore::new())),
        Some(("sqlite", path)) if !path.is_empty() => sqlite(Path::new(path)),
        Some(("postgres" | "postgresql", _)) => postgres(url),
        _ => Err(Failure::usage(
            format!("`{}` is no store", url.split('@').next_back().unwrap_or_default()),
            "write sqlite:PATH, postgres://… or memory",
        )),
    }
}

fn sqlite(path: &Path) -> Result<Box<dyn Store>, Failure> {
    let store = antefix::stores::SqliteStore::open(path).map_err(antefix::Error::from)?;
    Ok(Box::new(store))
}

#[cfg(feature = "postgres")]
fn postgres(url: &str) -> Result<Box<dyn Store>, Failure> {
    let store = antefix::stores::PostgresStore::connect(url).map_err(antefix::Error::from)?;
    Ok(Box::new(store))
}

#[cfg(not(feature = "postgres"))]
fn postgres(_: &str) -> Result<Box<dyn Store>, Failure> {
    Err(Failure::plain("this antefix was built without PostgreSQL"))
}

/// `$XDG_DATA_HOME/antefix/ledger.db`.
fn default_path() -> Result<PathBuf, Failure> {
    let absolute = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let data = absolute("XDG_DATA_HOME").or_else(|| absolute("HOME").map(|home| home.join(".local/share")));
    let hint = "name a store with --store or ANTEFIX_STORE";
    data.map(|data| data.join("antefix/ledger.db"))
        .ok_or_else(|| Failure::with_hint("there is no home directory to keep ledgers in", hint))
}

/// A conversation's id from the command line.
pub(crate) fn conversation(id: &str) -> Result<ConversationId, Failure> {
    Ok(ConversationId::parse(id)?)
}
