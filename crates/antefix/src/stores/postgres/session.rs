//! One connection, its prepared statements, and the clock that bounds every wait for it.
//!
//! 1. Nothing waits longer than it was told to, even if the server accepts everything and says nothing. All waiting for one
//!    question of a caller ends together: for a connection, for its opening, and for each answer.
//! 2. A connection that was late or lost is never asked again.
//! 3. It is driven by the thread that asks: no thread and no runtime runs beside it.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use tokio::runtime::{Builder, Runtime};
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, NoTls, Row, Statement};

use super::address::{Address, Tls};
use super::fault::{self, Remedy, Trouble};
use super::tls;
use crate::freeze::StoreError;
use crate::stores::failpoint;

/// How long an answer may take; the server is told to give up before we do.
pub(super) const ANSWER: Duration = Duration::from_secs(5);
/// How long a writer waits for another one of the same conversation.
const LOCK: Duration = Duration::from_secs(4);
/// How long after the server should have given up we do.
const GRACE: Duration = Duration::from_secs(1);

/// How much longer than for its answer a question may wait for all else.
const BESIDES: Duration = Duration::from_secs(3);
/// How long an orderly end of a transaction may take.
const END: Duration = Duration::from_secs(1);

/// When a caller's question ends, whatever it waits for.
#[derive(Clone, Copy)]
pub(super) struct Deadline(Instant);

impl Deadline {
    /// For a question whose answer may take so long.
    pub(super) fn of(answer: Duration) -> Deadline {
        Deadline::within(answer + BESIDES)
    }

    /// So long from now.
    pub(super) fn within(all: Duration) -> Deadline {
        Deadline(Instant::now() + all)
    }

    /// How long is left of it, and of a limit.
    pub(super) fn left(self, limit: Duration) -> Duration {
        self.0.saturating_duration_since(Instant::now()).min(limit)
    }
}

/// A parameter of a statement.
pub(super) type Parameter<'a> = &'a (dyn ToSql + Sync);

/// A connection to the server, with its settings.
pub(super) struct Session {
    client: Client,
    statements: RefCell<BTreeMap<&'static str, Statement>>,
    /// Whether it may be asked again.
    usable: Cell<bool>,
    /// None only while it is dropped.
    runtime: Option<Runtime>,
}

impl Session {
    /// Connects, and sets what a store expects of the server.
    pub(super) fn open(address: &Address, deadline: Deadline) -> Result<Session, Trouble> {
        let failed = |error: std::io::Error| {
            StoreError::new(fault::of_machine(&error), "a connection cannot be driven").because(error)
        };
        let runtime = Builder::new_current_thread().enable_io().enable_time().build().map_err(failed)?;
        // The driver bounds the connection, this bounds the name's lookup and the handshakes too.
        let within = deadline.left(address.config.get_connect_timeout().copied().unwrap_or(LOCK) + GRACE);
        let opened = runtime.block_on(async {
            let opening = async {
                let client = connect(address).await?;
                client.batch_execute(&expectations(&address.schema)).await?;
                Ok(client)
            };
            tokio::time::timeout(within, opening).await.unwrap_or(Err(Trouble::Late))
        });
        match opened {
            Ok(client) => {
                let statements = RefCell::default();
                Ok(Session { client, statements, usable: Cell::new(true), runtime: Some(runtime) })
            }
            Err(trouble) => {
                runtime.shutdown_background();
                Err(trouble)
            }
        }
    }

    /// Does some work with the connection within the usual time.
    pub(super) fn run<T>(
        &self,
        deadline: Deadline,
        work: impl Future<Output = Result<T, Trouble>>,
    ) -> Result<T, Trouble> {
        self.run_within(ANSWER, deadline, work)
    }

    /// Does some work with the connection within a time.
    pub(super) fn run_within<T>(
        &self,
        within: Duration,
        deadline: Deadline,
        work: impl Future<Output = Result<T, Trouble>>,
    ) -> Result<T, Trouble> {
        let Some(runtime) = &self.runtime else { return Err(Trouble::Late) };
        let left = deadline.left(within + GRACE);
        let done = runtime.block_on(async { tokio::time::timeout(left, work).await.unwrap_or(Err(Trouble::Late)) });
        if let Err(trouble) = &done
            && trouble.remedy() == Remedy::Reconnect
        {
            self.usable.set(false);
        }
        done
    }

    /// Whether it may be asked again. What the server said while nobody listened is heard first.
    pub(super) fn is_usable(&self) -> bool {
        if let Some(runtime) = &self.runtime {
            runtime.block_on(tokio::task::yield_now());
        }
        self.usable.get() && !self.client.is_closed()
    }

    /// Ends a transaction that came to nothing. If that fails the connection is of no use, and the server ends it. Nobody waits
    /// for a connection that was late or lost already.
    pub(super) fn roll_back(&self) {
        if !self.usable.get() || self.run(Deadline::within(END), self.batch("ROLLBACK")).is_err() {
            self.give_up();
        }
    }

    /// It is in a state that nobody knows.
    pub(super) fn give_up(&self) {
        self.usable.set(false);
    }

    /// Asks, with a statement that is prepared once a connection.
    pub(super) async fn query(&self, sql: &'static str, parameters: &[Parameter<'_>]) -> Result<Vec<Row>, Trouble> {
        failpoint::reach("before a question")?;
        let statement = self.prepared(sql).await?;
        let rows = self.client.query(&statement, parameters).await?;
        failpoint::reach("behind a question")?;
        Ok(rows)
    }

    /// The same for a question that has one answer or none.
    pub(super) async fn query_opt(
        &self,
        sql: &'static str,
        parameters: &[Parameter<'_>],
    ) -> Result<Option<Row>, Trouble> {
        Ok(self.query(sql, parameters).await?.into_iter().next())
    }

    /// The same for a statement, and how many rows it changed.
    pub(super) async fn execute(&self, sql: &'static str, parameters: &[Parameter<'_>]) -> Result<u64, Trouble> {
        failpoint::reach("before a statement")?;
        let statement = self.prepared(sql).await?;
        let count = self.client.execute(&statement, parameters).await?;
        failpoint::reach("behind a statement")?;
        Ok(count)
    }

    /// Statements without parameters, one after the other.
    pub(super) async fn batch(&self, sql: &str) -> Result<(), Trouble> {
        failpoint::reach("before BEGIN, COMMIT, ROLLBACK or a step of the schema")?;
        self.client.batch_execute(sql).await?;
        Ok(failpoint::reach("behind BEGIN, COMMIT, ROLLBACK or a step of the schema")?)
    }

    async fn prepared(&self, sql: &'static str) -> Result<Statement, Trouble> {
        let known = self.statements.borrow().get(sql).cloned();
        if let Some(statement) = known {
            return Ok(statement);
        }
        let statement = self.client.prepare(sql).await?;
        self.statements.borrow_mut().insert(sql, statement.clone());
        Ok(statement)
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // A store may be dropped where blocking is not allowed, and an orderly end is not worth a wait: the server sees
        // that the connection is closed.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

async fn connect(address: &Address) -> Result<Client, Trouble> {
    match &address.tls {
        Tls::Plain => {
            let (client, connection) = address.config.connect(NoTls).await?;
            // Whoever asks next gets the reason why a connection ended.
            tokio::spawn(async { drop(connection.await) });
            Ok(client)
        }
        Tls::Checked(sslrootcert) => {
            let (client, connection) = address.config.connect(tls::connector(sslrootcert.as_deref())?).await?;
            tokio::spawn(async { drop(connection.await) });
            Ok(client)
        }
    }
}

/// What is set for the length of a connection.
fn expectations(schema: &str) -> String {
    let (answer, lock) = (ANSWER.as_millis(), LOCK.as_millis());
    format!(
        "SET search_path = {schema}, pg_temp; \
         SET default_transaction_isolation = 'read committed'; \
         SET statement_timeout = {answer}; \
         SET lock_timeout = {lock}; \
         SET idle_in_transaction_session_timeout = {answer}; \
         SET tcp_keepalives_idle = 15; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3; \
         SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'"
    )
}
