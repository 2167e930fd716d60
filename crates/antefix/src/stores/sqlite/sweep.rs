//! Deleting texts that nobody names.
//!
//! 1. What may go is found without the lock and looked at again under it, a few texts at a time, so that nobody waits
//!    long. Foreign keys are a second guard.
//! 2. Whoever appends writes its texts and its row in one transaction: there is no moment at which a text that is needed
//!    has no name.

use rusqlite::{Connection, OptionalExtension, params};

use super::connections::Connections;
use super::fault::Failure;
use super::rows::{Hash, Number};
use crate::freeze::store::{Sweep, Swept};
use crate::stores::failpoint;

/// How many texts are looked at without a pause.
const PAGE: usize = 1_000;
/// How many are deleted under one lock.
const BATCH: usize = 100;

/// Whether a row names the body in question, for `{}` in a statement.
const NAMED: &str = "(EXISTS (SELECT 1 FROM heads JOIN epochs USING (head) WHERE body = {}) \
                     OR EXISTS (SELECT 1 FROM amendments WHERE body = {}) \
                     OR EXISTS (SELECT 1 FROM compactions WHERE body = {}) \
                     OR EXISTS (SELECT 1 FROM memories WHERE body = {}))";

/// Finds the texts, and deletes them or not.
pub(super) fn run(connections: &Connections, sweep: Sweep) -> Result<Swept, Failure> {
    let mut swept = Swept::default();
    let mut after = 0;
    loop {
        let page = connections.read(|connection| unnamed(connection, after))?;
        let Some(last) = page.last() else { return Ok(swept) };
        after = last.row;
        let mut add = |bytes: u64| swept = Swept { texts: swept.texts + 1, bytes: swept.bytes + bytes };
        match sweep {
            Sweep::DryRun => page.iter().for_each(|text| add(text.bytes)),
            Sweep::Delete => {
                for batch in page.chunks(BATCH) {
                    let digests = batch.iter().map(|text| &text.digest);
                    let sizes = connections.write(|_| Ok(None), |transaction| delete(transaction, digests))?;
                    sizes.into_iter().for_each(&mut add);
                }
            }
        }
    }
}

/// A text that nobody names.
struct Unnamed {
    row: i64,
    digest: Hash,
    bytes: u64,
}

fn unnamed(connection: &Connection, after: i64) -> Result<Vec<Unnamed>, Failure> {
    let statement = format!(
        "SELECT rowid, digest, octet_length(text) FROM texts WHERE rowid > ?1 AND NOT {} AND NOT EXISTS \
         (SELECT 1 FROM parts WHERE part = texts.digest AND {}) ORDER BY rowid LIMIT ?2",
        NAMED.replace("{}", "texts.digest"),
        NAMED.replace("{}", "parts.body"),
    );
    let mut statement = connection.prepare_cached(&statement)?;
    let rows = statement.query_map(params![after, PAGE as i64], |row| {
        Ok(Unnamed { row: row.get(0)?, digest: row.get(1)?, bytes: row.get::<_, Number>(2)?.0 })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Deletes what nobody names any more of these bodies and of what they name.
pub(super) fn delete_with_parts(connection: &Connection, bodies: &[Hash]) -> Result<Swept, Failure> {
    let mut of_body = connection.prepare_cached("SELECT part FROM parts WHERE body = ?1")?;
    let mut parts: Vec<Hash> = Vec::new();
    for body in bodies {
        let found = of_body.query_map([body], |row| row.get(0))?;
        parts.extend(found.collect::<rusqlite::Result<Vec<_>>>()?);
    }
    let sizes = delete(connection, bodies.iter().chain(&parts))?;
    Ok(Swept { texts: sizes.len() as u64, bytes: sizes.iter().sum() })
}

/// Deletes those that still nobody names, and answers with their sizes.
fn delete<'t>(connection: &Connection, digests: impl Iterator<Item = &'t Hash>) -> Result<Vec<u64>, Failure> {
    let mut parts = connection.prepare_cached(&format!(
        "DELETE FROM parts WHERE (body = ?1 OR part = ?1) AND NOT {}",
        NAMED.replace("{}", "parts.body")
    ))?;
    let mut heads = connection.prepare_cached(
        "DELETE FROM heads WHERE body = ?1 AND NOT EXISTS (SELECT 1 FROM epochs WHERE head = heads.head)",
    )?;
    let mut text = connection.prepare_cached(&format!(
        "DELETE FROM texts WHERE digest = ?1 AND NOT {} AND NOT EXISTS (SELECT 1 FROM parts WHERE part = ?1) \
         RETURNING octet_length(text)",
        NAMED.replace("{}", "?1")
    ))?;
    let mut sizes = Vec::new();
    for digest in digests {
        parts.execute([digest])?;
        heads.execute([digest])?;
        let size = text.query_row([digest], |row| row.get::<_, Number>(0)).optional()?;
        sizes.extend(size.map(|Number(size)| size));
        failpoint::reach("a text is looked at, and deleted if nobody names it")?;
    }
    Ok(sizes)
}
