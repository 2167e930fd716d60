//! Reading and writing, again where that helps.
//!
//! 1. A question that lost its connection is asked once more on another one.
//! 2. A transaction that met another one is tried again, a bounded number of times.
//! 3. A transaction that lost its connection while it was committed is looked for before it is tried again: it is never
//!    done twice, and never taken for done when it is not. All writers of a conversation take turns, so that the first
//!    try is over when the second one looks.
//! 4. Every transaction that writes looks at the version of the schema, and holds it until it ends. A schema that is too new is
//!    not written, also by whoever connected when it was older.

use std::time::Duration;

use super::PostgresStore;
use super::fault::{Remedy, Trouble};
use super::migrate;
use super::session::{ANSWER, Deadline, Session};
use crate::error::Fault;
use crate::freeze::ConversationId;
use crate::freeze::store::{StoreError, StoreResult};
use crate::text::Digest;

/// How often a transaction is tried.
const TRIES: u32 = 6;
/// How often a connection may be lost on the way.
const LOSSES: u32 = 2;

/// What a transaction came to.
pub(super) enum Written<T> {
    /// There is something to commit.
    Commit(T),
    /// Nothing was written, and this is the answer.
    Nothing(T),
}

/// Whose turn it is: the key of a lock that ends with its transaction.
#[derive(Clone, Copy)]
pub(super) struct Turn {
    key: i64,
    waits: Waits,
}

/// What becomes of a turn that somebody else has.
#[derive(Clone, Copy)]
enum Waits {
    /// It is waited for.
    ForOthers,
    /// The transaction is not done.
    Never,
}

impl Turn {
    /// For all that is written for a conversation.
    pub(super) fn of_conversation(schema: &str, conversation: &ConversationId) -> Turn {
        Turn::of([("schema", schema), ("conversation", conversation.as_str())])
    }

    /// For work on the schema as a whole.
    pub(super) fn of_schema(schema: &str, what: &str) -> Turn {
        Turn::of([("schema", schema), ("work", what)])
    }

    /// For whoever moves the schema forward, and, shared, for all who write.
    pub(super) fn of_migration(schema: &str) -> Turn {
        Turn::of_schema(schema, "migrate")
    }

    /// The same turn, for whoever does not wait for it: the answer is busy then.
    pub(super) fn or_never(self) -> Turn {
        Turn { waits: Waits::Never, ..self }
    }

    /// The lock's key.
    pub(super) fn key(self) -> i64 {
        self.key
    }

    fn statement(self) -> &'static str {
        match self.waits {
            Waits::ForOthers => TAKE_TURN,
            Waits::Never => TRY_TURN,
        }
    }

    /// Two turns with one key by chance would wait for each other now and then; nothing else comes of it.
    fn of(names: [(&str, &str); 2]) -> Turn {
        let digest = Digest::framed("antefix/lock/1", names);
        let mut key = [0; 8];
        key.copy_from_slice(&digest.bytes()[..8]);
        Turn { key: i64::from_be_bytes(key), waits: Waits::ForOthers }
    }
}

impl PostgresStore {
    /// Asks without writing.
    pub(super) fn read<T>(&self, ask: impl AsyncFn(&Session) -> Result<T, Trouble>) -> StoreResult<T> {
        self.read_within(ANSWER, ask)
    }

    /// Asks without writing, for a question that may take longer than others.
    pub(super) fn read_within<T>(
        &self,
        within: Duration,
        ask: impl AsyncFn(&Session) -> Result<T, Trouble>,
    ) -> StoreResult<T> {
        self.read_until(within, Deadline::of(within), ask)
    }

    /// The same, with an end for all waiting.
    pub(super) fn read_until<T>(
        &self,
        within: Duration,
        deadline: Deadline,
        ask: impl AsyncFn(&Session) -> Result<T, Trouble>,
    ) -> StoreResult<T> {
        let mut losses = 0;
        loop {
            let asked = self.lease(deadline).and_then(|lease| {
                let session = lease.session()?;
                session.run_within(within, deadline, ask(session))
            });
            match asked {
                Err(trouble) if self.is_worth_another(&trouble, &mut losses) => {}
                other => return other.map_err(|trouble| trouble.into_error(&self.pool.address)),
            }
        }
    }

    /// Writes in one transaction. `write` gets the transaction's own id, which no other has; `holds` says whether the
    /// transaction with that answer and that id was committed.
    pub(super) fn write<T>(
        &self,
        turn: Turn,
        write: impl AsyncFn(&Session, &str) -> Result<Written<T>, Trouble>,
        holds: impl AsyncFn(&Session, &T, &str) -> Result<bool, Trouble>,
    ) -> StoreResult<T> {
        self.write_within(ANSWER, turn, write, holds)
    }

    /// The same for a transaction that may take longer than others.
    pub(super) fn write_within<T>(
        &self,
        within: Duration,
        turn: Turn,
        write: impl AsyncFn(&Session, &str) -> Result<Written<T>, Trouble>,
        holds: impl AsyncFn(&Session, &T, &str) -> Result<bool, Trouble>,
    ) -> StoreResult<T> {
        let (mut tries, mut losses) = (0, 0);
        // The answer of a try whose end is not known.
        let mut unsure: Option<(T, String)> = None;
        let deadline = Deadline::of(within);
        loop {
            tries += 1;
            let trouble = match self.transaction((within, deadline, turn), &write, &holds, &mut unsure) {
                Ok(answer) => return Ok(answer),
                Err(trouble) => trouble,
            };
            let again = match trouble.remedy() {
                Remedy::Again => tries < TRIES,
                Remedy::Reconnect | Remedy::GiveUp => self.is_worth_another(&trouble, &mut losses),
            };
            if !again {
                return Err(self.to_store_error(trouble, unsure.is_some()));
            }
            if trouble.remedy() == Remedy::Again {
                std::thread::sleep(Duration::from_millis(1 << tries));
            }
        }
    }

    fn transaction<T>(
        &self,
        (within, deadline, turn): (Duration, Deadline, Turn),
        write: impl AsyncFn(&Session, &str) -> Result<Written<T>, Trouble>,
        holds: impl AsyncFn(&Session, &T, &str) -> Result<bool, Trouble>,
        unsure: &mut Option<(T, String)>,
    ) -> Result<T, Trouble> {
        let lease = self.lease(deadline)?;
        let session = lease.session()?;
        let schema = &self.pool.address.schema;
        // Whoever moves the schema waits for those who write, and they wait for it: what is written fits the version that is
        // looked at here. The statement behind this one sees what was committed until then.
        let begin = format!("BEGIN; SELECT pg_advisory_xact_lock_shared({})", Turn::of_migration(schema).key());
        let begun = session.run(deadline, async {
            session.batch(&begin).await?;
            let row = session.query_opt(turn.statement(), &[&turn.key()]).await?;
            let row = row.ok_or_else(|| Trouble::corrupt("a transaction has no id"))?;
            if !row.try_get::<_, bool>(1)? {
                return Err(StoreError::new(Fault::Busy, "somebody else writes for the same conversation").into());
            }
            migrate::may_be_used(row.try_get::<_, Option<i32>>(2)?.unwrap_or(0), schema)?;
            let id = row.try_get(0)?;
            if let Some((answer, id)) = &unsure
                && holds(session, answer, id).await?
            {
                return Ok(None);
            }
            Ok(Some(id))
        });
        let id: String = match begun {
            Ok(Some(id)) => id,
            Ok(None) => {
                session.roll_back();
                return unsure.take().map(|(answer, _)| answer).ok_or(Trouble::Late);
            }
            Err(trouble) => {
                session.roll_back();
                return Err(trouble);
            }
        };
        // The last try is over, and wrote nothing.
        *unsure = None;
        match session.run_within(within, deadline, write(session, &id)) {
            Ok(Written::Commit(answer)) => match session.run(deadline, session.batch("COMMIT")) {
                Ok(()) => Ok(answer),
                Err(trouble) => {
                    // A server that says no has not done it; one that says nothing may have.
                    if trouble.remedy() == Remedy::Reconnect {
                        *unsure = Some((answer, id));
                    }
                    session.roll_back();
                    Err(trouble)
                }
            },
            Ok(Written::Nothing(answer)) => {
                session.roll_back();
                Ok(answer)
            }
            Err(trouble) => {
                session.roll_back();
                Err(trouble)
            }
        }
    }

    /// Whether a lost connection may be made up for by another one.
    fn is_worth_another(&self, trouble: &Trouble, losses: &mut u32) -> bool {
        if trouble.remedy() != Remedy::Reconnect {
            return false;
        }
        self.pool.drop_idle();
        *losses += 1;
        // Whoever waited in vain has waited long enough.
        *losses < LOSSES && !matches!(trouble, Trouble::Late)
    }

    fn to_store_error(&self, trouble: Trouble, is_unsure: bool) -> StoreError {
        let error = trouble.into_error(&self.pool.address);
        if !is_unsure {
            return error;
        }
        let message =
            format!("{}; it is not known whether the write was done, and asking again is safe", error.message);
        StoreError { fault: Fault::Unreachable, message, ..error }
    }
}

/// Takes the turn, names the transaction, and says whether the turn was taken and which version the schema has.
pub(super) const TAKE_TURN: &str = "\
    SELECT gen_random_uuid()::text, true, (SELECT max(number) FROM versions) FROM pg_advisory_xact_lock($1)";
/// The same without waiting.
const TRY_TURN: &str = "\
    SELECT gen_random_uuid()::text, taken, (SELECT max(number) FROM versions) FROM pg_try_advisory_xact_lock($1) AS taken";
