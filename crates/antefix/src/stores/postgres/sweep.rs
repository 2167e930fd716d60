//! Texts that no row names.
//!
//! 1. A text that is being named is never deleted. Whoever names one holds a lock on it from the foreign key's check until
//!    its transaction ends: a sweep passes over what is locked, locks the rest, and looks a second time before it deletes.
//! 2. Whoever names a text that is being deleted waits, finds it gone, and writes it again.
//! 3. It works in small steps, so that nobody waits long.

use std::time::Duration;

use super::PostgresStore;
use super::fault::Trouble;
use super::session::Session;
use super::work::{Turn, Written};
use crate::freeze::store::{StoreResult, Swept};

/// How many texts one step deletes.
const STEP: i64 = 500;
/// How long counting may take: it reads all that names a text.
const COUNTING: Duration = Duration::from_secs(300);

/// What nothing names: no row, and no other body.
macro_rules! unnamed {
    () => {
        "NOT EXISTS (SELECT FROM epochs r WHERE r.body = t.digest) \
         AND NOT EXISTS (SELECT FROM amendments r WHERE r.body = t.digest) \
         AND NOT EXISTS (SELECT FROM compactions r WHERE r.body = t.digest) \
         AND NOT EXISTS (SELECT FROM memories r WHERE r.body = t.digest) \
         AND NOT EXISTS (SELECT FROM parts p WHERE p.part = t.digest AND p.body <> t.digest)"
    };
}

const COUNT: &str = "\
    WITH RECURSIVE named (digest) AS (\
        (SELECT body FROM epochs UNION SELECT body FROM amendments \
         UNION SELECT body FROM compactions WHERE body IS NOT NULL UNION SELECT body FROM memories) \
        UNION SELECT p.part FROM named JOIN parts p ON p.body = named.digest) \
    SELECT count(*), coalesce(sum(octet_length(t.text)), 0)::bigint FROM texts t \
    WHERE NOT EXISTS (SELECT FROM named WHERE named.digest = t.digest)";

const LOCK: &str = concat!(
    "SELECT t.digest FROM texts t WHERE t.digest > $1 AND ",
    unnamed!(),
    " ORDER BY t.digest LIMIT $2 FOR UPDATE SKIP LOCKED"
);

/// A statement of its own, so that it sees what was committed before the locks were taken.
const DELETE: &str =
    concat!("DELETE FROM texts t WHERE t.digest = ANY($1) AND ", unnamed!(), " RETURNING octet_length(t.text)::bigint");

/// One step of a sweep.
#[derive(Default)]
struct Step {
    swept: Swept,
    /// The last text that it looked at; none if there was none left.
    last: Option<Vec<u8>>,
}

impl PostgresStore {
    /// Counts what a sweep would delete.
    pub(super) fn count_unnamed(&self) -> StoreResult<Swept> {
        self.read_within(COUNTING, async |session| {
            session.batch(&format!("BEGIN READ ONLY; SET LOCAL statement_timeout = {}", COUNTING.as_millis())).await?;
            let row = session.query_opt(COUNT, &[]).await;
            session.batch("ROLLBACK").await?;
            let row = row?.ok_or_else(|| Trouble::corrupt("texts cannot be counted"))?;
            Ok(Swept { texts: unsigned(row.try_get(0)?), bytes: unsigned(row.try_get(1)?) })
        })
    }

    /// Deletes what nothing names. A deleted body may leave parts that nothing names any more, so it goes round until
    /// there is nothing left to do.
    pub(super) fn delete_unnamed(&self) -> StoreResult<Swept> {
        let turn = Turn::of_schema(&self.pool.address.schema, "sweep");
        let mut all = Swept::default();
        loop {
            let before = all.texts;
            let mut after = Some(Vec::new());
            while let Some(from) = after {
                // A step whose end is not known may be done again: what it deleted is merely not counted.
                let step =
                    self.write(turn, async |session, _| step(session, &from).await, async |_, _, _| Ok(false))?;
                all.texts += step.swept.texts;
                all.bytes += step.swept.bytes;
                after = step.last;
            }
            if all.texts == before {
                return Ok(all);
            }
        }
    }
}

const PARTS: &str = "SELECT DISTINCT part FROM parts WHERE body = ANY($1)";
const LOCK_THESE: &str = "SELECT digest FROM texts WHERE digest = ANY($1) ORDER BY digest FOR UPDATE SKIP LOCKED";

/// Deletes what nothing names any more of these bodies and of what they name. What somebody names just now is left to a sweep.
pub(super) async fn delete_unnamed_of(session: &Session, bodies: &[&[u8]]) -> Result<Swept, Trouble> {
    let rows = session.query(PARTS, &[&bodies]).await?;
    let parts = rows.iter().map(|row| row.try_get(0)).collect::<Result<Vec<&[u8]>, _>>()?;
    let mut swept = Swept::default();
    for digests in [bodies, &parts] {
        let rows = session.query(LOCK_THESE, &[&digests]).await?;
        let locked = rows.iter().map(|row| row.try_get(0)).collect::<Result<Vec<&[u8]>, _>>()?;
        delete_locked(session, &locked, &mut swept).await?;
    }
    Ok(swept)
}

async fn delete_locked(session: &Session, locked: &[&[u8]], swept: &mut Swept) -> Result<(), Trouble> {
    for row in session.query(DELETE, &[&locked]).await? {
        swept.texts += 1;
        swept.bytes += unsigned(row.try_get(0)?);
    }
    Ok(())
}

async fn step(session: &Session, after: &[u8]) -> Result<Written<Step>, Trouble> {
    let rows = session.query(LOCK, &[&after, &STEP]).await?;
    let locked = rows.iter().map(|row| row.try_get(0)).collect::<Result<Vec<&[u8]>, _>>()?;
    let Some(last) = locked.last() else { return Ok(Written::Nothing(Step::default())) };
    let mut swept = Swept::default();
    delete_locked(session, &locked, &mut swept).await?;
    Ok(Written::Commit(Step { swept, last: Some(last.to_vec()) }))
}

/// Counts and lengths are never negative.
fn unsigned(count: i64) -> u64 {
    count.unsigned_abs()
}
