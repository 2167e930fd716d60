//! Which version a file has, and how it gets to the newest one.
//!
//! 1. Forward only, one step after the other. A step and its version are one transaction: whoever is killed in the
//!    middle has done nothing.
//! 2. Several processes may want to take the same step. The version is read again under the lock, so that it is taken
//!    once.
//! 3. A file of a newer antefix is left alone.

use std::collections::BTreeSet;

use rusqlite::{Connection, TransactionBehavior};

use super::fault::Failure;
use crate::error::Fault;
use crate::freeze::StoreError;
use crate::stores::failpoint;

/// The steps, from nothing to the newest version: the first makes version 1.
///
/// A step that has been released never changes. A new cause of an epoch needs a step, too, even an empty one: an older
/// antefix could not read it.
pub(super) const STEPS: &[&str] = &[
    include_str!("schema/1.sql"),
    include_str!("schema/2.sql"),
    include_str!("schema/3.sql"),
    include_str!("schema/4.sql"),
    include_str!("schema/5.sql"),
    include_str!("schema/6.sql"),
];

/// The version that a connection sees.
pub(super) fn version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.prepare_cached("PRAGMA user_version")?.query_row([], |row| row.get(0))
}

/// Brings a file up to the last step.
pub(super) fn bring_up(connection: &mut Connection, steps: &[&str]) -> Result<(), Failure> {
    let newest = steps.len() as i64;
    while known(version(connection)?, newest)? < newest {
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let version = known(version(&transaction)?, newest)?;
        let Some((before, [step, ..])) =
            usize::try_from(version).ok().and_then(|version| steps.split_at_checked(version))
        else {
            continue;
        };
        // What lacks something already is left as it is.
        if let Some(missing) = missing(&transaction, before)? {
            let message = format!("is damaged: its schema {version} lacks `{missing}`");
            return Err(StoreError::new(Fault::Corrupt, message).into());
        }
        failpoint::reach("a step of the schema has begun")?;
        transaction.execute_batch(step)?;
        failpoint::reach("a step of the schema is taken")?;
        transaction.pragma_update(None, "user_version", version + 1)?;
        failpoint::reach("a step of the schema has its version")?;
        transaction.commit()?;
        failpoint::reach("a step of the schema is committed")?;
    }
    Ok(())
}

/// A table or an index that a file lacks of what these steps make.
fn missing(connection: &Connection, steps: &[&str]) -> rusqlite::Result<Option<String>> {
    let names = |connection: &Connection| -> rusqlite::Result<BTreeSet<String>> {
        let mut all = connection.prepare("SELECT name FROM sqlite_schema")?;
        all.query_map([], |row| row.get(0))?.collect()
    };
    let fresh = Connection::open_in_memory()?;
    for step in steps {
        fresh.execute_batch(step)?;
    }
    let (made, found) = (names(&fresh)?, names(connection)?);
    Ok(made.difference(&found).next().cloned())
}

/// The version, if it is one of ours.
pub(super) fn known(version: i64, newest: i64) -> Result<i64, StoreError> {
    match version {
        0.. if version <= newest => Ok(version),
        0.. => {
            let message = format!("has schema {version}, and this antefix knows {newest}: a newer one wrote it");
            Err(StoreError::new(Fault::Newer, message))
        }
        _ => Err(StoreError::new(Fault::Corrupt, format!("has schema {version}, which no antefix wrote"))),
    }
}
