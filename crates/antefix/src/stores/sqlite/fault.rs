//! What SQLite says, in the words of the port.

use std::path::Path;

use rusqlite::{Error, ErrorCode, ffi};

use crate::error::Fault;
use crate::freeze::StoreError;

/// Why a question was not answered, before anybody said of which file.
#[derive(Debug)]
pub(super) enum Failure {
    /// SQLite says so.
    Sqlite(Error),
    /// The file system says so.
    Io(std::io::Error),
    /// We say so. The message goes behind the name of the file.
    Ours(StoreError),
}

impl Failure {
    pub(super) fn fault(&self) -> Fault {
        match self {
            Failure::Sqlite(error) => fault(error),
            Failure::Io(error) => io_fault(error),
            Failure::Ours(error) => error.fault,
        }
    }

    /// The error for the caller.
    pub(super) fn of(self, path: &Path) -> StoreError {
        let fault = self.fault();
        let path = path.display();
        let what = match fault {
            Fault::Busy => "is held by others for too long",
            Fault::Full => "has no room left on its disk",
            Fault::ReadOnly => "may be read and not written",
            Fault::Corrupt => "is damaged, or no store of antefix",
            _ => "cannot be used",
        };
        match self {
            Failure::Ours(error) => StoreError { message: format!("{path} {}", error.message), ..error },
            Failure::Sqlite(error) => StoreError::new(fault, format!("{path} {what}")).because(error),
            Failure::Io(error) => StoreError::new(fault, format!("{path} {what}")).because(error),
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure::Sqlite(error)
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Failure {
        Failure::Io(error)
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Failure {
        Failure::Ours(error)
    }
}

/// The fault that an error of SQLite is.
fn fault(error: &Error) -> Fault {
    match error {
        Error::SqliteFailure(error, _) | Error::SqlInputError { error, .. } => coded(error),
        // A value that no antefix wrote.
        Error::InvalidColumnType(..)
        | Error::FromSqlConversionFailure(..)
        | Error::IntegralValueOutOfRange(..)
        | Error::Utf8Error(..) => Fault::Corrupt,
        _ => Fault::Failed,
    }
}

fn coded(error: &ffi::Error) -> Fault {
    match (error.code, error.extended_code) {
        // The file was moved or removed under us; nothing is wrong with its permissions.
        (_, ffi::SQLITE_READONLY_DBMOVED) => Fault::Failed,
        // The index of the log could not grow: it is a file beside the others, on the same disk.
        (_, ffi::SQLITE_IOERR_SHMSIZE) => Fault::Full,
        (_, ffi::SQLITE_IOERR_CORRUPTFS | ffi::SQLITE_IOERR_SHORT_READ) => Fault::Corrupt,
        (ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked | ErrorCode::FileLockingProtocolFailed, _) => Fault::Busy,
        (ErrorCode::DiskFull, _) => Fault::Full,
        (ErrorCode::ReadOnly, _) => Fault::ReadOnly,
        (ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase, _) => Fault::Corrupt,
        // "no such table" and the like: our statements are right, so it is the schema that is not ours.
        (ErrorCode::Unknown, ffi::SQLITE_ERROR) => Fault::Corrupt,
        _ => Fault::Failed,
    }
}

fn io_fault(error: &std::io::Error) -> Fault {
    use std::io::ErrorKind;
    match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => Fault::Full,
        ErrorKind::ReadOnlyFilesystem => Fault::ReadOnly,
        _ => Fault::Failed,
    }
}
