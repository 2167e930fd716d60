//! `antefix trust`: what of this project may run, by its bytes.

use std::io::{BufRead, IsTerminal, Write};
use std::process::ExitCode;

use antefix::discover::{Answer, Workspace, World};
use antefix::hooks::{Approvals, Files, Program, TrustState, TrustedWorkspace};
use antefix::worlds::OsWorld;

use crate::args::TrustArgs;
use crate::setup::Found;
use crate::terminal::{FAINT, HEADING, STRONG, Table, visible};
use crate::{Failure, Outcome, approvals, setup, terminal};

pub(crate) fn run(args: &TrustArgs) -> Outcome {
    let world = OsWorld::new();
    let workspace = Workspace::find(&world, &setup::directory(args.cwd.as_deref())?);
    let kept = approvals::load(&world, &workspace);
    terminal::print_diagnostics(kept.finding.as_slice());
    let root = workspace.root.to_str().map(str::to_owned);
    let root = root.ok_or_else(|| Failure::plain("the project's path is not UTF-8, so it cannot be trusted"))?;
    if args.list {
        list(&kept.approvals)?;
        return Ok(ExitCode::SUCCESS);
    }
    if args.revoke {
        let words = match kept.approvals.workspaces.contains_key(&root) {
            true => {
                kept.change(&world, |approvals| drop(approvals.workspaces.remove(&root)))?;
                format!("{} is not trusted any more\n", visible(&root))
            }
            false => format!("{} was not trusted\n", visible(&root)),
        };
        terminal::print_styled(&words)?;
        return Ok(ExitCode::SUCCESS);
    }
    // A layout that cannot be read still stops nobody from listing or revoking.
    let found = setup::found(args.cwd.as_deref(), args.layout.as_deref())?;
    let files = inventory(&found)?;
    let shown = shown(&found, &root, &files);
    if !args.yes {
        // The question and what it is about are not the result.
        terminal::print_aside(&shown);
        if !ask()? {
            terminal::print_styled("nothing was changed\n")?;
            return Ok(ExitCode::from(1));
        }
    } else {
        terminal::print_styled(&shown)?;
    }
    let since = world.now().to_string();
    let layout = Program::layout_label(&found.workspace, found.file.as_deref());
    let file = kept.change(&world, |approvals| {
        let trusted: &mut TrustedWorkspace = approvals.workspaces.entry(root).or_default();
        trusted.since = since;
        // What was trusted of this layout before counts no more.
        trusted.layouts.remove(&layout);
        if !files.is_empty() {
            trusted.layouts.insert(layout, files);
        }
    })?;
    let words = format!("trusted {FAINT}({}){FAINT:#}\n", visible(&file.display().to_string()));
    terminal::print_styled(&words)?;
    Ok(ExitCode::SUCCESS)
}

/// The files that the layout's hooks are made of, as they are now.
fn inventory(found: &Found) -> Result<Files, Failure> {
    let mut files = Files::new();
    for program in &found.programs {
        for (file, digest) in program.files(&found.world, &found.workspace) {
            let Answer::Present(digest) = digest else {
                let hint = "nothing was changed; make it readable, or take it out of the hook's command";
                return Err(Failure::with_hint(format!("{file} cannot be read, so it cannot be trusted"), hint));
            };
            files.insert(file, digest);
        }
    }
    Ok(files)
}

fn shown(found: &Found, root: &str, files: &Files) -> String {
    let mut text = format!("{HEADING}project{HEADING:#} {STRONG}{}{STRONG:#}\n\n", visible(root));
    if found.programs.is_empty() {
        text.push_str("  it declares no hooks; its text is trusted\n");
        return text;
    }
    let mut hooks = Table::new(&["hook", "on", "command", "state"]);
    for program in &found.programs {
        let rule = program.rule();
        let command = rule.command.iter().map(|word| format!("{word:?}")).collect::<Vec<_>>().join(" ");
        let state = match program.state(&found.world, &found.workspace) {
            TrustState::Modified(changes) => format!("modified: {}", changes.join(", ")),
            state => state.name().to_owned(),
        };
        hooks.row([rule.name.clone(), rule.on.name().to_owned(), command, state]);
    }
    text.push_str(&hooks.print());
    if !files.is_empty() {
        let mut table = Table::new(&["file", "digest"]);
        for (file, digest) in files {
            table.row([file.clone(), digest.to_string()]);
        }
        text.push('\n');
        text.push_str(&table.print());
    }
    text.push_str(
        "\nthese programs run with your rights, before every turn; what they load by themselves is not listed\n",
    );
    text
}

/// Asks on the terminal.
fn ask() -> Result<bool, Failure> {
    if !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
        let hint = "look at what it would trust, then run it with --yes";
        return Err(Failure::with_hint("there is no terminal to ask on, so nothing is trusted", hint));
    }
    let mut stderr = std::io::stderr().lock();
    let _ = write!(stderr, "\ntrust it? [y/N] ").and_then(|()| stderr.flush());
    let mut answer = String::new();
    let read = std::io::stdin().lock().read_line(&mut answer);
    read.map_err(|error| Failure::plain(format!("the answer cannot be read: {error}")))?;
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}

fn list(approvals: &Approvals) -> Result<(), Failure> {
    let mut table = Table::new(&["project", "since", "layout", "file", "digest"]);
    for (root, trusted) in &approvals.workspaces {
        if trusted.layouts.is_empty() {
            table.row([root.clone(), trusted.since.clone(), String::new(), "its text".to_owned(), String::new()]);
        }
        for (layout, files) in &trusted.layouts {
            for (file, digest) in files {
                let row = [root.clone(), trusted.since.clone(), layout.clone(), file.clone(), digest.short()];
                table.row(row);
            }
        }
    }
    terminal::print_styled(&if table.is_empty() { "nothing is trusted\n".to_owned() } else { table.print() })
}
