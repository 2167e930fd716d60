//! Where the tests keep their files.

use std::path::Path;

use tempfile::TempDir;

/// A directory in memory where the system has that: for tests that are not about disks, and write much.
pub(crate) fn in_memory() -> TempDir {
    match Path::new("/dev/shm") {
        memory if memory.is_dir() => tempfile::tempdir_in(memory).unwrap(),
        _ => tempfile::tempdir().unwrap(),
    }
}
