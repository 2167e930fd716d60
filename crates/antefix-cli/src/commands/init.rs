//! `antefix init`: a commented `.antefix/` to start from.
//!
//! 1. It looks which instruction files are there, and asks on a terminal for whom the layout is and which files to tell. Elsewhere the
//!    flags say so, or everything that is there is told.
//! 2. Nothing is overwritten, and nothing is written if anything would be, or would land elsewhere.
//! 3. It shows what came of it.

mod commented;

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use antefix::compose::builtin;
use antefix::discover::Workspace;
use antefix::project::Look;
use antefix::{Ask, Project, document};

use self::commented::commented;
use crate::args::InitArgs;
use crate::terminal::{FAINT, STRONG, number, visible};
use crate::{Failure, Outcome, ask, machine, question, terminal};

/// What is made, in this order.
const FILES: [(&str, &str); 3] = [
    ("layout.toml", include_str!("init/layout.toml")),
    ("prompts/project.md", include_str!("init/project.md")),
    ("wording.toml", include_str!("init/wording.toml")),
];

/// The names that are looked for if there is no file yet.
const USUAL: [&str; 3] = ["AGENTS.override.md", "AGENTS.md", "CLAUDE.md"];

pub(crate) fn run(args: &InitArgs) -> Outcome {
    let antefix = ask::antefix(None)?;
    let project = ask::project(&antefix, args.cwd.as_deref())?;
    let directory = Workspace::find(&machine::world(), project.directory()).project();
    check_nothing_is_there(&directory)?;
    let names = names(&project, args)?;
    for (name, text) in FILES {
        let path = directory.join(name);
        let text = match name {
            "layout.toml" => layout(text, &names),
            _ => text.to_owned(),
        };
        create(&path, &text).map_err(|error| Failure::plain(format!("{}: {error}", path.display())))?;
        terminal::print_styled(&format!("made {STRONG}{}{STRONG:#}\n", visible(&path.display().to_string())))?;
    }
    show_result(&project)?;
    Ok(ExitCode::SUCCESS)
}

fn check_nothing_is_there(project: &Path) -> Result<(), Failure> {
    for directory in [project.to_owned(), project.join("prompts")] {
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
    Ok(())
}

/// The names of the instruction files that the layout reads.
fn names(project: &Project, args: &InitArgs) -> Result<Vec<String>, Failure> {
    if !args.instructions.is_empty() {
        return Ok(args.instructions.clone());
    }
    let asks = !args.yes && question::is_possible();
    let agent = match &args.agent {
        Some(agent) => Some(agent.clone()),
        None if asks => chosen_agent(project)?,
        None => None,
    };
    let agents: Vec<&str> = agent.as_deref().into_iter().collect();
    let found = project.instruction_names(&agents)?;
    if found.is_empty() {
        return Ok(USUAL.map(str::to_owned).to_vec());
    }
    if !asks || found.len() == 1 {
        return Ok(found);
    }
    let mut choices = vec![("all".to_owned(), format!("{}; one text is told once", found.join(", ")))];
    choices.extend(found.iter().map(|name| (name.clone(), "this one alone".to_owned())));
    Ok(match question::choose("\nWhich instruction files should be told?", &choices)? {
        0 => found,
        chosen => vec![choices[chosen].0.clone()],
    })
}

/// For whom the layout is: none for an agent that antefix composes the whole prompt of.
fn chosen_agent(project: &Project) -> Result<Option<String>, Failure> {
    let mut choices =
        vec![("my own".to_owned(), "an agent that I build, or any: tell every instruction file".to_owned())];
    for agent in project.installed_agents()? {
        choices.push((agent.name, format!("{}: tell what it reads, and nothing else", agent.file.title)));
    }
    if choices.len() == 1 {
        return Ok(None);
    }
    let chosen = question::choose("For which agent is this layout?", &choices)?;
    Ok((chosen > 0).then(|| choices[chosen].0.clone()))
}

/// The layout's text. It is the default one with remarks: it has the mark of a copy, so that `check` can say when there is a better one.
fn layout(text: &str, names: &[String]) -> String {
    let take = if names.len() > 1 && !names.iter().eq(USUAL) { "each" } else { "first" };
    let quoted = names.iter().map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ");
    let text = commented(&text.replace("NAMES", &format!("[{quoted}]")).replace("TAKE", take));
    format!("{}{text}", builtin::mark(&builtin::LAYOUTS[0]))
}

/// What the prompt is now, section by section.
fn show_result(project: &Project) -> Result<(), Failure> {
    let preview = project.preview(Ask::new(), Look::Closely)?;
    let tally = document::Tally::of(&preview);
    let shown = super::explain::sections(&preview.prompt, tally.as_ref());
    let bytes = number(preview.prompt.text().len());
    terminal::print_styled(&format!("\n{STRONG}the prompt has {bytes} bytes now{STRONG:#}\n\n{shown}"))?;
    terminal::print_diagnostics(&preview.diagnostics);
    terminal::print_styled(&format!(
        "\n{FAINT}next:{FAINT:#} write prompts/project.md, then `antefix show`; `antefix help layout` explains every key\n"
    ))
}

fn create(path: &Path, text: &str) -> std::io::Result<()> {
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent)?;
    }
    std::fs::File::create_new(path)?.write_all(text.as_bytes())
}
