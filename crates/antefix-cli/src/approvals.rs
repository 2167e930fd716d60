//! Where it is kept what a user trusts: `trust.json` in `$XDG_STATE_HOME/antefix`, else in `~/.local/state/antefix`.
//!
//! 1. A file that is damaged, belongs to another user or can be written by others makes nothing trusted, and that is told.
//! 2. It is replaced as a whole, readable and writable for its user alone. A damaged one is kept beside the new one.

use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use antefix::Diagnostic;
use antefix::diagnostic::{Code, Subject};
use antefix::discover::Workspace;
use antefix::discover::world::{Answer, Owner, World};
use antefix::hooks::Approvals;

use crate::Failure;

/// The largest file that is read.
const LIMIT: u64 = 16 * 1024 * 1024;

/// What was found.
#[derive(Debug, PartialEq)]
pub(crate) struct Kept {
    pub(crate) approvals: Approvals,
    /// Why nothing is trusted, if something should be.
    pub(crate) finding: Option<Diagnostic>,
    file: Option<PathBuf>,
}

/// Reads what is trusted.
pub(crate) fn load(world: &dyn World, workspace: &Workspace) -> Kept {
    let Some(file) = file(world, workspace) else {
        return Kept { approvals: Approvals::none(), finding: None, file: None };
    };
    let (approvals, finding) = match read(world, &file) {
        Ok(approvals) => (approvals, None),
        Err(why) => {
            let message = format!("nothing is trusted: {}: {why}", file.display());
            let finding =
                Diagnostic::warning(Code::TrustUnreadable, message).about(Subject::file(file.display().to_string()));
            (Approvals::none(), Some(finding.hint("`antefix trust` keeps it aside and begins a new one")))
        }
    };
    Kept { approvals, finding, file: Some(file) }
}

impl Kept {
    /// Changes what is trusted.
    pub(crate) fn change(self, world: &dyn World, change: impl FnOnce(&mut Approvals)) -> Result<PathBuf, Failure> {
        let Some(file) = self.file else {
            let hint = "set HOME or XDG_STATE_HOME to an absolute path";
            return Err(Failure::with_hint("there is no place to keep what is trusted", hint));
        };
        let failed = |error: std::io::Error| Failure::plain(format!("{}: {error}", file.display()));
        // Held until the new file is in place, so that of two at once none is lost.
        let _alone = alone(&file).map_err(failed)?;
        // Somebody else may have trusted another project since it was read.
        let mut approvals = read(world, &file).unwrap_or(self.approvals);
        change(&mut approvals);
        if self.finding.is_some() {
            std::fs::rename(&file, file.with_extension("json.damaged")).map_err(failed)?;
        }
        write(&file, &approvals.print()).map_err(failed)?;
        Ok(file)
    }
}

fn file(world: &dyn World, workspace: &Workspace) -> Option<PathBuf> {
    let named = world.env("XDG_STATE_HOME").present().map(PathBuf::from).filter(|path| path.is_absolute());
    let state = named.or_else(|| workspace.home.as_ref().map(|home| home.join(".local/state")))?;
    Some(state.join("antefix/trust.json"))
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
    let mut made = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut made, 0o700);
    made.recursive(true).create(file.parent().unwrap_or(file))?;
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
