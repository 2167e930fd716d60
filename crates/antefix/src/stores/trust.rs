//! The file of what a user trusts: `trust.json` in `$XDG_STATE_HOME/antefix`, else in `~/.local/state/antefix`.
//!
//! 1. A file that is damaged, belongs to another user or can be written by others makes nothing trusted, and that is reported.
//! 2. It is replaced as a whole, readable and writable for its user alone. A damaged one is kept beside the new one.

#![allow(clippy::disallowed_methods, reason = "the file of what a user trusts is read and written here")]

use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use crate::diagnostic::{Code, Diagnostic, Subject};
use crate::discover::world::{Answer, Owner, World};
use crate::error::{Error, ErrorKind as Kind, Result};
use crate::hooks::Approvals;

/// The largest file that is read.
const LIMIT: u64 = 16 * 1024 * 1024;

/// What a user trusts, as it was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Trusted {
    /// What is trusted.
    pub approvals: Approvals,
    /// Why nothing is trusted, if something should be.
    pub finding: Option<Diagnostic>,
}

impl Trusted {
    /// Trust that lies in no file.
    pub fn of(approvals: Approvals) -> Trusted {
        Trusted { approvals, finding: None }
    }
}

/// The file of what a user trusts.
#[derive(Debug, Clone)]
pub struct TrustFile(PathBuf);

impl TrustFile {
    /// The user's own; none without a home directory.
    pub fn find(world: &dyn World) -> Option<TrustFile> {
        let directory = |name: &str| world.env(name).present().map(PathBuf::from).filter(|path| path.is_absolute());
        let home = || directory("HOME").or_else(|| directory("USERPROFILE"));
        let state = directory("XDG_STATE_HOME").or_else(|| home().map(|home| home.join(".local/state")))?;
        Some(TrustFile(state.join("antefix/trust.json")))
    }

    /// The directory that it is in.
    pub(crate) fn directory(&self) -> Option<&Path> {
        self.0.parent()
    }

    /// Reads what is trusted.
    pub fn load(&self, world: &dyn World) -> Trusted {
        let TrustFile(file) = self;
        read(world, file).map(Trusted::of).unwrap_or_else(|why| {
            let message = format!("nothing is trusted: {}: {why}", file.display());
            let finding =
                Diagnostic::warning(Code::TrustUnreadable, message).about(Subject::file(file.to_string_lossy()));
            let finding = finding.hint("`antefix trust` keeps it aside and begins a new one");
            Trusted { approvals: Approvals::none(), finding: Some(finding) }
        })
    }

    /// Changes what is trusted, and answers with the file.
    pub fn change(&self, world: &dyn World, change: impl FnOnce(&mut Approvals)) -> Result<&Path> {
        let TrustFile(file) = self;
        let failed = |error: std::io::Error| Error::new(Kind::Settings, format!("{}: {error}", file.display()));
        // Held until the new file is in place, so that of two at once none is lost.
        let _alone = alone(file).map_err(failed)?;
        let mut trusted = self.load(world);
        change(&mut trusted.approvals);
        if trusted.finding.is_some() {
            std::fs::rename(file, file.with_extension("json.damaged")).map_err(failed)?;
        }
        write(file, &trusted.approvals.print()).map_err(failed)?;
        Ok(file)
    }
}

/// What a file says is trusted; without one, nothing.
fn read(world: &dyn World, file: &Path) -> Result<Approvals, String> {
    let opened = match std::fs::File::open(file) {
        Ok(opened) => opened,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(Approvals::none());
        }
        Err(error) => return Err(error.to_string()),
    };
    if world.owner(file) == Answer::Present(Owner::Other) {
        return Err("it belongs to another user".to_owned());
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = opened.metadata().map_err(|error| error.to_string())?.permissions().mode();
        if mode & 0o022 != 0 {
            return Err(format!("others can write to it (mode {:o}): chmod 600", mode & 0o777));
        }
    }
    let mut text = String::new();
    opened.take(LIMIT).read_to_string(&mut text).map_err(|error| error.to_string())?;
    Approvals::parse(&text)
}

/// Waits until nobody else changes the file; others wait as long as the answer lives.
fn alone(file: &Path) -> std::io::Result<std::fs::File> {
    super::private_directory(file.parent().unwrap_or(file))?;
    let lock = new_file().create(true).truncate(false).open(file.with_extension("json.lock"))?;
    lock.lock()?;
    Ok(lock)
}

/// A file to write, for its user alone.
fn new_file() -> std::fs::OpenOptions {
    let mut options = std::fs::OpenOptions::new();
    options.write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Writes a file beside, then puts it in place: whoever reads sees the old one or the new one.
fn write(file: &Path, text: &str) -> std::io::Result<()> {
    let beside = file.with_extension(format!("json.{}", std::process::id()));
    let written = new_file().create_new(true).open(&beside).and_then(|mut new| {
        new.write_all(text.as_bytes())?;
        new.sync_all()
    });
    written.and_then(|()| std::fs::rename(&beside, file)).inspect_err(|_| {
        // What was begun is of no use to anybody.
        let _ = std::fs::remove_file(&beside);
    })
}
