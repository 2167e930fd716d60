//! The schema and its versions.
//!
//! 1. A schema only moves forward, each step in one transaction, under a lock: replicas that start at once do it once.
//! 2. A schema that a newer antefix made, and one that is not ours, are refused and left as they are.
//! 3. A schema that is up to date is only read, so that a replica without the right to write can still read.
//! 4. A replica that runs goes on when the next release moves the schema one step forward, also over new connections: a
//!    step adds and renames nothing. Two steps are too far: it reads what it can and writes nothing.

use super::fault::Trouble;
use super::session::Session;
use super::work::Turn;
use crate::error::Fault;
use crate::freeze::StoreError;

/// The steps; the number of a version is how many of them were taken.
const STEPS: [&str; 5] = [
    include_str!("schema_1.sql"),
    include_str!("schema_2.sql"),
    include_str!("schema_3.sql"),
    include_str!("schema_4.sql"),
    include_str!("schema_5.sql"),
];

const NEWEST: i32 = STEPS.len() as i32;
/// What the next release may make of it while this one runs.
const NEXT: i32 = NEWEST + 1;

/// Makes the schema what this version needs.
pub(super) async fn migrate(session: &Session, schema: &str) -> Result<(), Trouble> {
    if known(version(session, schema).await?, schema)? == NEWEST {
        return Ok(());
    }
    session.batch("BEGIN").await?;
    session.batch(&format!("SELECT pg_advisory_xact_lock({})", Turn::of_migration(schema).key())).await?;
    // Somebody may have been faster.
    let from = known(version(session, schema).await?, schema)?;
    if from == 0 {
        session.batch(&begin(schema, session).await?).await?;
    }
    for (number, step) in (1..).zip(STEPS).filter(|(number, _)| *number > from) {
        session.batch(step).await?;
        session.batch(&format!("INSERT INTO versions (number) VALUES ({number})")).await?;
    }
    session.batch("COMMIT").await
}

/// Refuses a schema that this version cannot go on with.
pub(super) async fn check(session: &Session, schema: &str) -> Result<(), Trouble> {
    may_be_used(version(session, schema).await?, schema)
}

/// Refuses a version that this antefix cannot go on with.
pub(super) fn may_be_used(version: i32, schema: &str) -> Result<(), Trouble> {
    match version {
        NEWEST | NEXT => Ok(()),
        newer @ NEXT.. => known(newer, schema).map(drop),
        _ => Err(Trouble::corrupt(&format!("the schema {schema} went back to an older version, or is gone"))),
    }
}

/// The version of the schema; 0 if it has nothing in it or is not there.
async fn version(session: &Session, schema: &str) -> Result<i32, Trouble> {
    let row = session.query_opt(RELATIONS, &[&schema]).await?;
    let row = row.ok_or_else(|| Trouble::corrupt("the server does not list its tables"))?;
    let (is_ours, others, encoding): (bool, i64, String) = (row.try_get(0)?, row.try_get(1)?, row.try_get(2)?);
    if encoding != "UTF8" {
        let message = format!("the database is encoded in {encoding}; a store needs one in UTF8");
        return Err(StoreError::new(Fault::Failed, message).into());
    }
    if !is_ours && others == 0 {
        return Ok(0);
    }
    if !is_ours {
        let message =
            format!("the schema {schema} holds tables that antefix did not make; name another one with ?schema=");
        return Err(StoreError::new(Fault::Corrupt, message).into());
    }
    let newest = session.query_opt("SELECT max(number) FROM versions", &[]).await?;
    let version = match newest {
        Some(row) => row.try_get::<_, Option<i32>>(0)?.unwrap_or(0),
        None => 0,
    };
    Ok(version)
}

/// The version, if this antefix knows it.
fn known(version: i32, schema: &str) -> Result<i32, Trouble> {
    if version <= NEWEST {
        return Ok(version);
    }
    let message =
        format!("the schema {schema} is of version {version}, and this antefix knows {NEWEST}; a newer one wrote it");
    Err(StoreError::new(Fault::Newer, message).into())
}

/// Whether the schema has our table of versions, how many other relations it has, and how the database is encoded.
const RELATIONS: &str = "\
    SELECT coalesce(bool_or(c.relname = 'versions'), false), count(c.oid), current_setting('server_encoding') \
    FROM pg_namespace n JOIN pg_class c ON c.relnamespace = n.oid AND c.relkind = 'r' WHERE n.nspname = $1";

/// The schema itself. One that the administrator made is taken as it is: making schemas may not be allowed to us.
async fn begin(schema: &str, session: &Session) -> Result<String, Trouble> {
    let there = session.query_opt("SELECT 1 FROM pg_namespace WHERE nspname = $1", &[&schema]).await?;
    let make = if there.is_some() { String::new() } else { format!("CREATE SCHEMA {schema}; ") };
    let table = "CREATE TABLE versions (number integer PRIMARY KEY, made_at timestamptz NOT NULL DEFAULT now())";
    Ok(format!("{make}{table}"))
}
