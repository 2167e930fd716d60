//! Ledgers in PostgreSQL, for any number of replicas.
//!
//! 1. The unique key of a ledger's row decides who is first, under READ COMMITTED; the loser reads the winner.
//! 2. What was acknowledged is durable: a `synchronous_commit` that is off for the role is on for the store.
//! 3. Every call ends: in a bounded time (8 seconds; an import and a count take longer) with an answer, or with a [`Fault`] that
//!    says what is the matter. After a restart of the server the next call connects again.
//! 4. A write whose connection broke while it was committed is looked for, and neither lost nor done twice.
//! 5. No message holds a password.
//!
//! A call blocks its thread. Inside an asynchronous runtime, call from a thread that may block.

#![allow(clippy::disallowed_methods, reason = "an adapter reads the clock, password files and their variables")]

mod address;
mod compactions;
mod copies;
mod fault;
mod insertions;
mod ledger;
mod memories;
mod migrate;
mod passfile;
mod pool;
mod rows;
mod session;
mod sweep;
mod templates;
mod tls;
mod uses;
mod work;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;

use self::address::Address;
use self::fault::Trouble;
use self::pool::{Lease, Pool};
use self::session::{ANSWER, Deadline};
use self::work::{Turn, Written};
use crate::error::Fault;
use crate::freeze::copy::{Copied, LedgerCopy};
use crate::freeze::store::{
    AmendmentRow, Appended, Bundle, Committed, CompactionRow, Deletable, Deleted, EpochRow, LastUse, Noted, Standing,
    Store, StoreResult, Sweep, Swept,
};
use crate::freeze::{ConversationId, Insertion, InsertionKind, Insertions};
use crate::text::Digest;

/// How long whoever asks whether the store is ready waits for it.
const READY: Duration = Duration::from_secs(2);

/// A store in PostgreSQL 13 or newer.
pub struct PostgresStore {
    pool: Pool,
}

impl PostgresStore {
    /// Connects, and makes or moves forward the schema if that is due.
    ///
    /// `postgres://user:password@host:5432/database?sslmode=verify-full`. The password may be in `PGPASSWORD` or in the
    /// password file instead. Beside the driver's own options there are `schema` (default `antefix`), `connections` (at
    /// most so many, default 8), `pool_timeout` (seconds that a caller waits for one, default 5), `sslrootcert` and `passfile`. With `sslmode=require` or stricter, the server's
    /// certificate is always checked.
    pub fn connect(url: &str) -> StoreResult<PostgresStore> {
        let store = PostgresStore { pool: Pool::new(Address::parse(url)?) };
        let address = &store.pool.address;
        let deadline = Deadline::of(ANSWER);
        let migrated = store.pool.lease(deadline, |session| {
            let moved = session.run(deadline, migrate::migrate(session, &address.schema));
            if moved.is_err() {
                session.give_up();
            }
            moved
        });
        migrated.map(drop).map_err(|trouble| trouble.into_error(address))?;
        Ok(store)
    }

    /// A connection to a schema of the version that this antefix knows.
    fn lease(&self, deadline: Deadline) -> Result<Lease<'_>, Trouble> {
        let schema = &self.pool.address.schema;
        self.pool.lease(deadline, |session| session.run(deadline, migrate::check(session, schema)))
    }

    fn turn(&self, conversation: &ConversationId) -> Turn {
        Turn::of_conversation(&self.pool.address.schema, conversation)
    }
}

impl fmt::Debug for PostgresStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let address = &self.pool.address;
        f.debug_tuple("PostgresStore").field(&address.shown()).field(&address.schema).finish()
    }
}

impl Store for PostgresStore {
    fn standing(&self, conversation: &ConversationId) -> StoreResult<Option<Standing>> {
        self.read(async |session| ledger::standing(session, conversation).await)
    }

    fn epoch(&self, conversation: &ConversationId, number: u64) -> StoreResult<Option<Standing>> {
        self.read(async |session| ledger::epoch(session, conversation, number).await)
    }

    fn epochs(&self, conversation: &ConversationId, after: u64, limit: usize) -> StoreResult<Vec<EpochRow>> {
        self.read(async |session| ledger::epochs(session, conversation, after, limit).await)
    }

    fn conversations(&self, after: Option<&ConversationId>, limit: usize) -> StoreResult<Vec<EpochRow>> {
        self.read(async |session| ledger::conversations(session, after, limit).await)
    }

    fn append(&self, row: &EpochRow, bundle: &Bundle) -> StoreResult<Appended<EpochRow>> {
        // Most of those who lose come long after the winner, and need not wait for their turn to learn it.
        let last = self.read(async |session| ledger::last(session, &row.conversation).await)?;
        if let Some(last) = last.filter(|last| last.number >= row.number) {
            return Ok(Appended::Lost(last));
        }
        self.write(
            self.turn(&row.conversation),
            async |session, _| ledger::append(session, row, bundle).await,
            async |session, _, _| ledger::has(session, row).await,
        )
    }

    fn amend(&self, row: &AmendmentRow, bundle: &Bundle) -> StoreResult<Appended<Option<AmendmentRow>>> {
        self.write(
            self.turn(&row.conversation),
            async |session, _| ledger::amend(session, row, bundle).await,
            async |session, _, _| ledger::has_amendment(session, row).await,
        )
    }

    fn remember(&self, conversation: &ConversationId, said: &Bundle) -> StoreResult<()> {
        let body = Digest::of(&said.body);
        // Most turns say what the turn before them said, and need not wait for their turn to write.
        if self.read(async |session| memories::is_remembered(session, conversation, body).await)? {
            return Ok(());
        }
        // Remembering the same twice is remembering it once.
        self.write(
            self.turn(conversation),
            async |session, _| memories::remember(session, conversation, said, body).await,
            async |_, (), _| Ok(false),
        )
    }

    fn texts(&self, digests: &[Digest]) -> StoreResult<Vec<Option<Arc<str>>>> {
        self.read(async |session| ledger::texts(session, digests).await)
    }

    fn queue(&self, conversation: &ConversationId, at: Timestamp, text: &str) -> StoreResult<u64> {
        self.write(
            self.turn(conversation),
            async |session, id| {
                let number = insertions::last(session, conversation).await? + 1;
                let queued = Insertion { number, kind: InsertionKind::Queued, at, text: text.to_owned(), taken: None };
                insertions::insert(session, conversation, &queued, id).await?;
                Ok(Written::Commit(number))
            },
            async |session, number, id| insertions::is_inserted(session, conversation, *number, id).await,
        )
    }

    fn insert(&self, conversation: &ConversationId, insertion: &Insertion) -> StoreResult<Appended<u64>> {
        self.write(
            self.turn(conversation),
            async |session, id| {
                let last = insertions::last(session, conversation).await?;
                if insertion.number <= last {
                    return Ok(Written::Nothing(Appended::Lost(last)));
                }
                insertions::insert(session, conversation, insertion, id).await?;
                Ok(Written::Commit(Appended::Won))
            },
            async |session, _, id| insertions::is_inserted(session, conversation, insertion.number, id).await,
        )
    }

    fn take(
        &self,
        conversation: &ConversationId,
        turn: Option<&str>,
        place: Option<u64>,
    ) -> StoreResult<Vec<Insertion>> {
        // A turn for which nothing waits writes nothing, and waits for nobody who does.
        let taken = self.read(async |session| insertions::taken(session, conversation, (turn, place)).await)?;
        if let Some(taken) = taken {
            return Ok(taken);
        }
        self.write(
            self.turn(conversation),
            async |session, id| insertions::take(session, conversation, (turn, place), id).await,
            async |session, _, id| insertions::has_taken(session, conversation, id).await,
        )
    }

    fn insertions(&self, conversation: &ConversationId) -> StoreResult<Insertions> {
        self.read(async |session| insertions::all(session, conversation).await)
    }

    fn end(&self, conversation: &ConversationId, numbers: &[u64]) -> StoreResult<()> {
        // Ending twice is ending once.
        self.write(
            self.turn(conversation),
            async |session, id| insertions::end(session, conversation, numbers, id).await,
            async |_, (), _| Ok(false),
        )
    }

    fn begin(&self, compaction: &CompactionRow, bundle: Option<&Bundle>) -> StoreResult<()> {
        // Beginning the same compaction twice is beginning it once.
        self.write(
            self.turn(&compaction.conversation),
            async |session, _| compactions::begin(session, compaction, bundle).await,
            async |_, (), _| Ok(false),
        )
    }

    fn commit(&self, conversation: &ConversationId, token: &str, at: Timestamp) -> StoreResult<Committed> {
        self.write(
            self.turn(conversation),
            async |session, _| compactions::commit(session, conversation, token, at).await,
            async |session, committed, _| compactions::is_committed(session, conversation, token, committed).await,
        )
    }

    fn abort(&self, conversation: &ConversationId, token: &str) -> StoreResult<()> {
        self.write(
            self.turn(conversation),
            async |session, _| compactions::abort(session, conversation, token).await,
            async |_, (), _| Ok(false),
        )
    }

    fn import(&self, copies: &[LedgerCopy]) -> StoreResult<Copied> {
        let schema = &self.pool.address.schema;
        self.write_within(
            copies::IMPORTING,
            Turn::of_schema(schema, "import"),
            async |session, id| copies::import(session, schema, copies, id).await,
            async |session, _, _| copies::is_imported(session, copies).await,
        )
    }

    fn delete(&self, conversation: &ConversationId, which: Deletable) -> StoreResult<Option<Deleted>> {
        self.write(
            self.turn(conversation),
            async |session, _| copies::delete(session, conversation, which).await,
            async |session, _, _| copies::is_deleted(session, conversation).await,
        )
    }

    fn note_use(&self, conversation: &ConversationId, at: Timestamp, pause: Option<u64>) -> StoreResult<Noted> {
        // Noting the same twice is noting it once.
        let noted = self.write(
            self.turn(conversation).or_never(),
            async |session, _| uses::note(session, conversation, at, pause).await,
            async |_, _, _| Ok(false),
        );
        match noted {
            Err(error) if error.fault == Fault::Busy => Ok(Noted::Later),
            noted => noted,
        }
    }

    fn last_uses(&self, after: Option<&ConversationId>, limit: usize) -> StoreResult<Vec<LastUse>> {
        self.read(async |session| uses::list(session, after, limit).await)
    }

    fn ready(&self) -> StoreResult<()> {
        let schema = &self.pool.address.schema;
        self.read_until(READY, Deadline::within(READY), async |session| migrate::check(session, schema).await)
    }

    fn sweep(&self, sweep: Sweep) -> StoreResult<Swept> {
        match sweep {
            Sweep::DryRun => self.count_unnamed(),
            Sweep::Delete => self.delete_unnamed(),
        }
    }
}
