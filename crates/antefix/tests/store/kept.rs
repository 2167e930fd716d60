//! Every store keeps the contract.

use std::sync::Arc;

use antefix::contract::{self, Medium};
use antefix::freeze::store::{Store, StoreResult};
use antefix::stores::{MemoryStore, SqliteStore};

use crate::given;

/// Memory is its own medium.
struct Memory(Arc<MemoryStore>);

impl Medium for Memory {
    fn open(&self) -> StoreResult<Arc<dyn Store>> {
        Ok(self.0.clone())
    }
}

#[test]
fn the_store_in_memory_keeps_the_contract() {
    contract::check(&|| Box::new(Memory(Arc::default())));
}

/// A file in a directory that goes with it.
struct File(tempfile::TempDir);

impl Medium for File {
    fn open(&self) -> StoreResult<Arc<dyn Store>> {
        Ok(Arc::new(SqliteStore::open(self.0.path().join("ledger.db"))?))
    }
}

#[test]
fn the_store_in_a_file_keeps_the_contract() {
    contract::check(&|| Box::new(File(given::in_memory())));
}
