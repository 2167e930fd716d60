//! Whether the user's own files are the user's alone.
//!
//! 1. What can name programs to run, `settings.toml` and the user's `layout.toml`, is refused if others can write to it, or to
//!    the directory that it is in: they could have written it.
//! 2. Of everything else others that can write, and of what is said to agents others that can read, are a finding: once for a
//!    program, never in a turn.
//! 3. Who can write is decided by the owner and the mode. The group counts as others, unless it has the number of the owner:
//!    then it is the user's private group, as on systems where files are made with the umask 002.

use std::path::{Path, PathBuf};

use super::Antefix;
use crate::diagnostic::{Code, Diagnostic, Subject};
use crate::discover::World;
use crate::discover::world::Others;
use crate::error::{Error, ErrorKind, Result};

/// Refuses a file that can name programs, if others can write to it or put another in its place.
pub(super) fn refuse_shared(world: &dyn World, file: &Path) -> Result<()> {
    let above = file.ancestors().take(ABOVE + 1);
    for path in above.filter(|path| path.parent().is_some()) {
        let others = world.access(path).present().map(|access| access.write).unwrap_or_default();
        if others == Others::None {
            continue;
        }
        let message =
            format!("{} can name programs to run, and {} can be written by {others}", file.display(), path.display());
        return Err(Error::new(ErrorKind::Settings, message).with_hint(remedy(path, others, "go-w")));
    }
    Ok(())
}

/// What to do about it.
fn remedy(path: &Path, others: Others, rights: &str) -> String {
    let path = path.display();
    match others {
        Others::Owner(_) => format!("see what it says, then take it over with `chown`, or remove it: {path}"),
        _ => format!("see what it says, then run `chmod {rights} {path}`"),
    }
}

/// How many directories above a file are looked at: its own, and the one that its own is in.
const ABOVE: usize = 2;

impl Antefix {
    /// Files and directories of the user's own that others can write to, or can read though they hold what is said to agents.
    pub fn shared_files(&self) -> Vec<Diagnostic> {
        let world = self.world();
        let (write, both) = (Concern::Writing, Concern::ReadingToo);
        let mut looked_at: Vec<(PathBuf, Concern)> = Vec::new();
        if let Some(config) = self.users_directory() {
            let names = ["wording.toml", "models.json", "prompts"];
            looked_at.extend(names.map(|name| (config.join(name), write)));
            looked_at.push((config, write));
        }
        if let Some(ledger) = self.ledger_file() {
            looked_at.extend(ledger.parent().map(|data| (data.to_owned(), write)));
            looked_at.push((ledger, both));
        }
        looked_at.extend(self.state_directory().map(|state| (state, both)));
        looked_at.iter().filter_map(|(path, concern)| concern.finding(world, path)).collect()
    }
}

/// What others should not be able to do.
#[derive(Clone, Copy)]
enum Concern {
    Writing,
    ReadingToo,
}

impl Concern {
    fn finding(self, world: &dyn World, path: &Path) -> Option<Diagnostic> {
        let access = world.access(path).present()?;
        let shown = path.display();
        let (message, others, rights) = match (self, access.write, access.read) {
            (Concern::Writing, Others::None, _) | (Concern::ReadingToo, Others::None, Others::None) => return None,
            (_, Others::None, read) => (format!("{shown} can be read by {read}"), read, "go-rwx"),
            (_, write, _) => (format!("{shown} can be written by {write}"), write, "go-w"),
        };
        let about = Subject::file(path.to_string_lossy());
        let hint = remedy(path, others, rights);
        Some(Diagnostic::warning(Code::SharedFile, message).about(about).hint(hint))
    }
}
