//! `antefix init`: a commented `.antefix/` to start from.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use antefix::compose::builtin;
use antefix::discover::Workspace;
use antefix::worlds::OsWorld;

use crate::args::InitArgs;
use crate::terminal::{FAINT, STRONG, visible};
use crate::{Failure, Outcome, ask, terminal};

/// What is made, in this order.
const FILES: [(&str, &str); 3] = [
    ("layout.toml", include_str!("init/layout.toml")),
    ("prompts/project.md", include_str!("init/project.md")),
    ("wording.toml", include_str!("init/wording.toml")),
];

pub(crate) fn run(args: &InitArgs) -> Outcome {
    let directory = ask::project(&ask::antefix(None)?, args.cwd.as_deref())?.directory().to_owned();
    let project = Workspace::find(&OsWorld::new(), &directory).project();
    // Nothing is overwritten, and nothing is written if anything would be, or would land elsewhere.
    for directory in [project.clone(), project.join("prompts")] {
        match directory.symlink_metadata() {
            Ok(metadata) if !metadata.is_dir() => {
                let message = format!("{} exists already and is not a directory", directory.display());
                return Err(Failure::with_hint(message, "nothing was changed; move it away first"));
            }
            _ => {}
        }
    }
    for (name, _) in FILES {
        if project.join(name).symlink_metadata().is_ok() {
            return Err(Failure::with_hint(
                format!("{} is there already", project.join(name).display()),
                "nothing was changed; edit it, or move it away first",
            ));
        }
    }
    for (name, text) in FILES {
        let path = project.join(name);
        // The first layout is the default one with remarks: it has the mark of a copy, so that `check` can say when
        // there is a better one.
        let text = match name {
            "layout.toml" => format!("{}{text}", builtin::mark(&builtin::LAYOUTS[0])),
            _ => text.to_owned(),
        };
        create(&path, &text).map_err(|error| Failure::plain(format!("{}: {error}", path.display())))?;
        terminal::print_styled(&format!("made {STRONG}{}{STRONG:#}\n", visible(&path.display().to_string())))?;
    }
    terminal::print_styled(&format!("\n{FAINT}next:{FAINT:#} edit prompts/project.md, then run `antefix show`\n"))?;
    Ok(ExitCode::SUCCESS)
}

fn create(path: &Path, text: &str) -> std::io::Result<()> {
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent)?;
    }
    std::fs::File::create_new(path)?.write_all(text.as_bytes())
}
