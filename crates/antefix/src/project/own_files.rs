//! Whether the user's own files are the user's alone.
//!
//! 1. What can name programs to run, `settings.toml`, a server's `serve.toml` and the user's `layout.toml`, is refused if others can
//!    write to it, or to the directory that it is in: they could have written it. A layout that was named is read, and its hooks
//!    do not run; see [`TrustState::Shared`](crate::hooks::TrustState::Shared).
//! 2. Of everything else others that can write, and of what is said to agents others that can read, are a finding: once for a
//!    program, never in a turn.
//! 3. Who can write is decided by the owner and the mode. The group counts as others, unless it has the number of the owner:
//!    then it is the user's private group, as on systems where files are made with the umask 002.

use std::path::{Path, PathBuf};

use super::Antefix;
use crate::diagnostic::{Code, Diagnostic, Subject};
use crate::discover::world::Others;
use crate::discover::{Shared, World};
use crate::error::{Error, ErrorKind, Result};

/// Refuses a file that can name programs, if others can write to it or put another in its place.
pub(super) fn refuse_shared(world: &dyn World, file: &Path) -> Result<()> {
    let Some(shared) = Shared::find(world, file) else { return Ok(()) };
    let (path, others) = (shared.path.display(), shared.others);
    let message = format!("{} can name programs to run, and {path} can be written by {others}", file.display());
    Err(Error::new(ErrorKind::Settings, message).with_hint(shared.remedy("go-w")))
}

impl Antefix {
    /// Refuses a file of the user's own that can name programs, such as the configuration of a server, if others can write to it
    /// or put another in its place.
    pub fn refuse_shared(world: &dyn World, file: &Path) -> Result<()> {
        refuse_shared(world, file)
    }

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
        let hint = Shared { path: path.to_owned(), others }.remedy(rights);
        Some(Diagnostic::warning(Code::SharedFile, message).about(about).hint(hint))
    }
}
