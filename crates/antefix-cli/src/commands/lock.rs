//! `antefix lock`: digests of what agents are told from outside the repository.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use antefix::project::LOCK_FILE;

use crate::args::LockArgs;
use crate::terminal::{STRONG, visible};
use crate::{Failure, Outcome, ask, terminal};

pub(crate) fn run(args: &LockArgs) -> Outcome {
    let antefix = ask::antefix(None)?;
    let project = ask::project(&antefix, args.compose.cwd.as_deref())?;
    let lock = project.lock(args.compose.ask()?)?;
    let path = Path::new(&project.root()?).join(LOCK_FILE);
    let failed = |error: std::io::Error| Failure::plain(format!("{}: {error}", path.display()));
    if let Some(directory) = path.parent() {
        // A link would lead the file elsewhere.
        if directory.symlink_metadata().is_ok_and(|metadata| !metadata.is_dir()) {
            let message = format!("{} is not a directory", directory.display());
            return Err(Failure::with_hint(message, "nothing was changed; move it away first"));
        }
        std::fs::create_dir_all(directory).map_err(failed)?;
    }
    replace(&path, &lock.print()).map_err(failed)?;
    for file in lock.files.keys() {
        terminal::print_styled(&format!("{}\n", visible(file)))?;
    }
    let (count, s) = (lock.files.len(), if lock.files.len() == 1 { "" } else { "s" });
    terminal::print_styled(&format!("{STRONG}locked {count} file{s}{STRONG:#} in {LOCK_FILE}\n"))?;
    Ok(ExitCode::SUCCESS)
}

/// Writes a file of a repository: beside it first, so that nobody reads half of it. No link is followed, neither in its place nor
/// beside it: whoever wrote the repository may have put some there, and they would lead to files of the user's.
fn replace(path: &Path, text: &str) -> std::io::Result<()> {
    let beside = path.with_extension("toml.new");
    if let Err(error) = std::fs::remove_file(&beside)
        && error.kind() != std::io::ErrorKind::NotFound
    {
        return Err(error);
    }
    std::fs::File::create_new(&beside)?.write_all(text.as_bytes())?;
    std::fs::rename(&beside, path)
}
