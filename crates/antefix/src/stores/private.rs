//! Directories for their user alone.

#![allow(clippy::disallowed_methods, reason = "this is an edge")]

use std::fs;
use std::io::{ErrorKind, Result};
use std::path::Path;

/// Makes a directory that only its user can look into, with those above it that are missing, whatever the umask says. What is
/// there stays as it is. It lasts: each new name is on the disk when this is done.
pub fn private_directory(directory: &Path) -> Result<()> {
    if directory.as_os_str().is_empty() || directory.is_dir() {
        return Ok(());
    }
    if let Some(parent) = directory.parent() {
        private_directory(parent)?;
    }
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    match builder.create(directory) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => return Ok(()),
        made => made?,
    }
    #[cfg(unix)]
    fs::set_permissions(directory, std::os::unix::fs::PermissionsExt::from_mode(0o700))?;
    match directory.parent() {
        Some(parent) if cfg!(unix) && !parent.as_os_str().is_empty() => fs::File::open(parent)?.sync_all(),
        _ => Ok(()),
    }
}
