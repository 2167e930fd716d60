//! A PostgreSQL as the medium of a store.

use std::ops::Deref;
use std::sync::{Arc, Mutex};

use antefix::contract::Medium;
use antefix::freeze::store::{Store, StoreResult};
use antefix::stores::PostgresStore;
pub(crate) use antefix_testing::postgres::{Cluster, is_left_out};

/// A schema of a test's own, and the stores that were opened in it.
pub(crate) struct Database {
    // They close their connections before the schema is dropped.
    opened: Mutex<Vec<Arc<PostgresStore>>>,
    database: antefix_testing::postgres::Database,
}

impl Database {
    /// In the PostgreSQL that all tests share.
    pub(crate) fn new() -> Database {
        Database { opened: Mutex::default(), database: antefix_testing::postgres::Database::new() }
    }

    /// In some PostgreSQL.
    pub(crate) fn at(url: &str) -> Database {
        Database { opened: Mutex::default(), database: antefix_testing::postgres::Database::at(url) }
    }

    /// Opens the store.
    pub(crate) fn store(&self) -> PostgresStore {
        PostgresStore::connect(&self.url("")).unwrap()
    }
}

impl Deref for Database {
    type Target = antefix_testing::postgres::Database;

    fn deref(&self) -> &Self::Target {
        &self.database
    }
}

impl Medium for Database {
    fn open(&self) -> StoreResult<Arc<dyn Store>> {
        // Rules with races open one store many times over. Ten of them are as many as those that run at once; more would
        // cost a server more connections than it has.
        let mut opened = self.opened.lock().unwrap();
        if opened.len() == 10 {
            opened.rotate_left(1);
            return Ok(opened[0].clone());
        }
        let store = Arc::new(PostgresStore::connect(&self.url("connections=4"))?);
        opened.push(Arc::clone(&store));
        Ok(store)
    }
}
