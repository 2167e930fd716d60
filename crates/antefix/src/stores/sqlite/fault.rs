//! What SQLite says, in the words of the port.

use std::path::Path;

use rusqlite::{Error, ErrorCode, ffi};

use super::probe;
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

    /// The same, with the fault that it is, where SQLite's answer does not say that. It is asked while the connection is open: closing
    /// it may already make room.
    pub(super) fn looked_into(self, path: &Path) -> Failure {
        let fault = self.fault_at(path);
        match self {
            Failure::Sqlite(error) if fault != self::fault(&error) => {
                StoreError::new(fault, words(fault)).because(error).into()
            }
            other => other,
        }
    }

    /// The fault, where SQLite's answer does not say it. It keeps the system's own error to itself, so the system is asked again.
    fn fault_at(&self, path: &Path) -> Fault {
        let Failure::Sqlite(Error::SqliteFailure(error, _)) = self else { return self.fault() };
        match (error.code, error.extended_code) {
            (ErrorCode::CannotOpen, _) if probe::is_out_of_descriptors() => Fault::Descriptors,
            // SQLite calls a full disk by its name, but neither a quota nor a limit of the size of files.
            (_, ffi::SQLITE_IOERR_WRITE | ffi::SQLITE_IOERR_TRUNCATE | ffi::SQLITE_IOERR_FSYNC)
                if probe::is_out_of_room(path) =>
            {
                Fault::Full
            }
            _ => self.fault(),
        }
    }

    /// The error for the caller.
    pub(super) fn of(self, path: &Path) -> StoreError {
        let fault = self.fault_at(path);
        let path = path.display();
        let what = words(fault);
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

/// What is behind the name of the file.
fn words(fault: Fault) -> &'static str {
    match fault {
        Fault::Busy => "is held by others for too long",
        Fault::Full => "has no room left on its disk",
        Fault::ReadOnly => "may be read and not written",
        Fault::Corrupt => "is damaged, or no store of antefix",
        Fault::Descriptors => "cannot be used: out of file descriptors",
        Fault::Memory => "cannot be used: out of memory",
        Fault::Displaced => "was removed or replaced while it was in use",
        _ => "cannot be used",
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
        (_, ffi::SQLITE_READONLY_DBMOVED) => Fault::Displaced,
        // The index of the log could not grow: it is a file beside the others, on the same disk.
        (_, ffi::SQLITE_IOERR_SHMSIZE) => Fault::Full,
        (ErrorCode::OutOfMemory, _)
        | (_, ffi::SQLITE_IOERR_NOMEM | ffi::SQLITE_IOERR_SHMMAP | ffi::SQLITE_IOERR_MMAP) => Fault::Memory,
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
        ErrorKind::OutOfMemory => Fault::Memory,
        _ if probe::means_no_descriptors(error) => Fault::Descriptors,
        _ => Fault::Failed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_code_has_its_fault() {
        let table = [
            (ffi::SQLITE_NOMEM, Fault::Memory),
            (ffi::SQLITE_IOERR_NOMEM, Fault::Memory),
            (ffi::SQLITE_IOERR_SHMMAP, Fault::Memory),
            (ffi::SQLITE_BUSY, Fault::Busy),
            (ffi::SQLITE_LOCKED, Fault::Busy),
            (ffi::SQLITE_FULL, Fault::Full),
            (ffi::SQLITE_IOERR_SHMSIZE, Fault::Full),
            (ffi::SQLITE_READONLY, Fault::ReadOnly),
            (ffi::SQLITE_READONLY_DBMOVED, Fault::Displaced),
            (ffi::SQLITE_CORRUPT, Fault::Corrupt),
            (ffi::SQLITE_NOTADB, Fault::Corrupt),
            (ffi::SQLITE_IOERR_FSYNC, Fault::Failed),
        ];
        for (code, fault) in table {
            assert_eq!(coded(&ffi::Error::new(code)), fault, "{code}");
        }
    }

    #[test]
    fn each_error_of_the_system_has_its_fault() {
        // ENFILE, EMFILE, EFBIG, ENOSPC, EROFS, EDQUOT, ENOMEM, EIO, by their numbers on Linux.
        let table = [
            (23, Fault::Descriptors),
            (24, Fault::Descriptors),
            (27, Fault::Full),
            (28, Fault::Full),
            (30, Fault::ReadOnly),
            (122, Fault::Full),
            (12, Fault::Memory),
            (5, Fault::Failed),
        ];
        if cfg!(target_os = "linux") {
            for (number, fault) in table {
                assert_eq!(io_fault(&std::io::Error::from_raw_os_error(number)), fault, "{number}");
            }
        }
    }
}
