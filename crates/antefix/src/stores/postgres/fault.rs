//! What PostgreSQL and the way to it can answer instead of an answer, and what each means to a caller.

use std::error::Error;
use std::io;

use tokio_postgres::error::SqlState;

use super::address::Address;
use crate::error::Fault;
use crate::freeze::StoreError;

/// Why a question to the database came to nothing.
#[derive(Debug)]
pub(super) enum Trouble {
    /// The driver says why.
    Driver(tokio_postgres::Error),
    /// No answer in the time that was given. The connection is of no use any more.
    Late,
    /// The answer makes no sense, or an answer of our own that is not a success.
    Store(StoreError),
}

/// What may be done about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Remedy {
    /// The connection is gone: another one may do.
    Reconnect,
    /// Somebody else was in the way: the same transaction may do.
    Again,
    /// Nothing that the store could do.
    GiveUp,
}

impl Trouble {
    /// A row that this version cannot have written.
    pub(super) fn corrupt(what: &str) -> Trouble {
        Trouble::Store(StoreError::new(Fault::Corrupt, format!("the store is damaged: {what}")))
    }

    pub(super) fn remedy(&self) -> Remedy {
        match self {
            Trouble::Driver(error) => match error.code() {
                None if self.fault() == Fault::Unreachable => Remedy::Reconnect,
                None => Remedy::GiveUp,
                Some(code) if is_gone(code) => Remedy::Reconnect,
                // A foreign key fails if a sweep deleted a text between its writing and its naming.
                Some(&SqlState::T_R_SERIALIZATION_FAILURE | &SqlState::T_R_DEADLOCK_DETECTED)
                | Some(&SqlState::FOREIGN_KEY_VIOLATION | &SqlState::UNIQUE_VIOLATION) => Remedy::Again,
                Some(_) => Remedy::GiveUp,
            },
            Trouble::Late => Remedy::Reconnect,
            Trouble::Store(_) => Remedy::GiveUp,
        }
    }

    pub(super) fn fault(&self) -> Fault {
        match self {
            Trouble::Driver(error) => match error.code() {
                Some(code) => of_state(code),
                None if of_this_machine(error) != Fault::Failed => of_this_machine(error),
                None if error.is_closed() || is_network(error) => Fault::Unreachable,
                None => Fault::Failed,
            },
            Trouble::Late => Fault::Unreachable,
            Trouble::Store(error) => error.fault,
        }
    }

    /// The same for a caller. The address is shown without its password. The driver's error is shown in full and not kept
    /// as a source: its own words would only repeat where it happened.
    pub(super) fn into_error(self, address: &Address) -> StoreError {
        let fault = self.fault();
        let shown = address.shown();
        match self {
            Trouble::Late => {
                StoreError::new(fault, format!("{shown} does not answer in time")).with_hint(unreachable(address))
            }
            Trouble::Driver(error) => {
                let hint = advice(&error, address);
                let message = format!("{shown}: {}", full_message(&error, address));
                StoreError { hint, ..StoreError::new(fault, message) }
            }
            Trouble::Store(error) => error,
        }
    }
}

impl From<tokio_postgres::Error> for Trouble {
    fn from(error: tokio_postgres::Error) -> Trouble {
        Trouble::Driver(error)
    }
}

/// Of this machine, and not of the connection.
impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Trouble {
        Trouble::Store(StoreError::new(of_machine(&error), "a question cannot be asked").because(error))
    }
}

impl From<StoreError> for Trouble {
    fn from(error: StoreError) -> Trouble {
        Trouble::Store(error)
    }
}

/// What happened, in a line. The driver's own words say only where.
fn full_message(error: &tokio_postgres::Error, address: &Address) -> String {
    match (error.as_db_error(), root_cause(error)) {
        (Some(error), _) => format!("{} (SQLSTATE {})", error.message(), error.code().code()),
        (None, Some(_)) if is_refused(error) => format!("nothing listens on {}", address.host_and_port()),
        (None, Some(cause)) => cause.to_string(),
        (None, None) => "it could not be asked".to_owned(),
    }
}

/// What to look at, where that is known.
fn advice(error: &tokio_postgres::Error, address: &Address) -> Option<String> {
    let database = address.database();
    match error.code().map(SqlState::code) {
        Some("28P01") => Some(
            "check the user and the password: in the address, or in the file of `PGPASSFILE` or ~/.pgpass".to_owned(),
        ),
        Some("28000") => Some("check the user's name, and what pg_hba.conf of the server allows".to_owned()),
        Some("3D000") => {
            Some(format!("check the name, or make the database: `createdb {} {database}`", address.options()))
        }
        Some("42501") => Some(format!("let the user make a schema: `GRANT CREATE ON DATABASE {database} TO …`")),
        Some(_) => None,
        None if is_network(error) => Some(unreachable(address)),
        None => None,
    }
}

/// What to look at if there is no connection.
fn unreachable(address: &Address) -> String {
    format!(
        "is PostgreSQL running there? `pg_isready {}` asks it; check the host, the port, its `listen_addresses` and firewalls",
        address.options()
    )
}

fn is_refused(error: &tokio_postgres::Error) -> bool {
    let refused =
        |error: &io::Error| matches!(error.kind(), io::ErrorKind::ConnectionRefused | io::ErrorKind::NotFound);
    causes(error).filter_map(|cause| cause.downcast_ref::<io::Error>()).any(refused)
}

/// What an error is because of, the nearest first.
fn causes(error: &tokio_postgres::Error) -> impl Iterator<Item = &(dyn Error + 'static)> {
    let mut next = error.source();
    std::iter::from_fn(move || {
        let cause = next?;
        next = cause.source();
        Some(cause)
    })
}

fn root_cause(error: &tokio_postgres::Error) -> Option<&(dyn Error + 'static)> {
    causes(error).last()
}

/// The fault of this machine that an error comes from.
fn of_this_machine(error: &tokio_postgres::Error) -> Fault {
    let mut own = causes(error).filter_map(|cause| cause.downcast_ref::<io::Error>()).map(of_machine);
    own.find(|fault| *fault != Fault::Failed).unwrap_or(Fault::Failed)
}

/// Whether the network failed, and not what was said over it: TLS reports a certificate as invalid data.
fn is_network(error: &tokio_postgres::Error) -> bool {
    causes(error).any(|cause| cause.downcast_ref::<io::Error>().is_some_and(|error| error.kind() != io::ErrorKind::InvalidData))
        // The driver's own bound on connecting has neither code nor cause.
        || error.to_string() == "timeout waiting for server"
}

/// Whether the server ended the connection with this state, or did not begin it.
fn is_gone(code: &SqlState) -> bool {
    // 25P03 and 57P05 are the server's own bounds on idle connections.
    code.code().starts_with("08") || matches!(code.code(), "57P01" | "57P02" | "57P03" | "57P04" | "57P05" | "25P03")
}

/// The fault that an error of this machine is.
pub(super) fn of_machine(error: &io::Error) -> Fault {
    match (error.kind(), error.raw_os_error()) {
        (io::ErrorKind::OutOfMemory, _) => Fault::Memory,
        // EMFILE and ENFILE: the standard library has no name for either.
        (_, Some(23 | 24)) if cfg!(unix) => Fault::Descriptors,
        _ => Fault::Failed,
    }
}

fn of_state(code: &SqlState) -> Fault {
    match code.code() {
        _ if is_gone(code) => Fault::Unreachable,
        // Too many connections, out of memory, a limit of the server's; a wait for a lock or for an answer that took
        // too long; what is left of a conflict after trying again.
        "53300" | "53200" | "53400" | "55P03" | "57014" | "40001" | "40P01" => Fault::Busy,
        "53100" => Fault::Full,

        "25006" => Fault::ReadOnly,
        // Tables, columns or the schema are gone, or the server found damage.
        "42P01" | "42703" | "3F000" | "XX001" | "XX002" => Fault::Corrupt,
        _ => Fault::Failed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_state_has_its_fault() {
        let table = [
            ("08006", Fault::Unreachable),
            ("57P01", Fault::Unreachable),
            ("57P03", Fault::Unreachable),
            ("25P03", Fault::Unreachable),
            ("53300", Fault::Busy),
            ("55P03", Fault::Busy),
            ("57014", Fault::Busy),
            ("40001", Fault::Busy),
            ("53100", Fault::Full),
            ("25006", Fault::ReadOnly),
            ("42P01", Fault::Corrupt),
            ("XX001", Fault::Corrupt),
            ("28P01", Fault::Failed),
            ("3D000", Fault::Failed),
            ("42501", Fault::Failed),
        ];
        for (code, fault) in table {
            assert_eq!(of_state(&SqlState::from_code(code)), fault, "{code}");
        }
    }
}
