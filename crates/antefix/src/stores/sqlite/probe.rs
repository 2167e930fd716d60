//! What the system says, where SQLite does not tell.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::Path;

use super::watch::beside;

/// How much a probe writes: enough for a quota to notice it.
const PAGE: [u8; 4096] = [0; 4096];

/// Whether an error says that there are no more descriptors, in this process or on this machine.
pub(super) fn means_no_descriptors(error: &io::Error) -> bool {
    // EMFILE and ENFILE: the standard library has no name for either.
    cfg!(unix) && matches!(error.raw_os_error(), Some(23 | 24))
}

/// Whether a file cannot be opened because there are no more descriptors.
pub(super) fn is_out_of_descriptors() -> bool {
    cfg!(unix) && File::open("/dev/null").is_err_and(|error| means_no_descriptors(&error))
}

/// Whether nothing can be written beside a file. That there are no descriptors just now is another matter, and an error: whoever took
/// it for that would read the file as one that never changes.
pub(super) fn is_closed_off(path: &Path) -> io::Result<bool> {
    let probe = beside(path, &format!(".probe-{}", std::process::id()));
    match File::create(&probe) {
        Ok(_) => fs::remove_file(&probe).map(|()| false),
        Err(error) if matches!(error.kind(), ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem) => Ok(true),
        Err(error) => Err(error),
    }
}

/// Whether there is no room where the file is: a file that is a little longer than its log, and than itself, cannot be made.
///
/// Nothing is known of a probe that fails for another reason. A process that is killed meanwhile leaves an empty file.
pub(super) fn is_out_of_room(path: &Path) -> bool {
    let length = |path: &Path| fs::metadata(path).map_or(0, |found| found.len());
    let longest = length(path).max(length(&beside(path, "-wal")));
    let probe = beside(path, &format!(".probe-{}", std::process::id()));
    let made = File::create(&probe).and_then(|mut file| {
        file.write_all(&PAGE)?;
        file.set_len(longest + PAGE.len() as u64)?;
        file.sync_all()
    });
    // It is ours, and nobody else looks for it.
    let _ = fs::remove_file(&probe);
    let full = |error: &io::Error| {
        matches!(error.kind(), ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge)
    };
    made.is_err_and(|error| full(&error))
}
