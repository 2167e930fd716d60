//! What the command line names: directories.

use std::path::{Path, PathBuf};

use crate::Failure;

/// The working directory: named, or the process's own.
pub(crate) fn directory(named: Option<&Path>) -> Result<PathBuf, Failure> {
    existing(named, "--cwd names the directory that the conversation works in")
}

/// A directory; `hint` says what it is for, should it not be there.
pub(crate) fn existing(named: Option<&Path>, hint: &str) -> Result<PathBuf, Failure> {
    let directory = match named {
        Some(directory) => directory.to_owned(),
        None => std::env::current_dir()
            .map_err(|error| Failure::plain(format!("the current directory cannot be found: {error}")))?,
    };
    let absolute =
        std::path::absolute(&directory).map_err(|error| Failure::plain(format!("{}: {error}", directory.display())))?;
    match std::fs::metadata(&absolute) {
        Ok(metadata) if metadata.is_dir() => Ok(absolute),
        Ok(_) => Err(Failure::plain(format!("{} is no directory", directory.display()))),
        Err(error) => Err(Failure::with_hint(format!("{}: {error}", directory.display()), hint)),
    }
}
