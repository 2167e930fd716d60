//! `antefix trust`: what of this project may run, by its bytes.

use std::process::ExitCode;

use antefix::document;
use antefix::hooks::{Approvals, TrustState};
use antefix::project::{LayoutChoice, TrustOffer};

use crate::args::TrustArgs;
use crate::question::{self, Answer};
use crate::table::Table;
use crate::terminal::{FAINT, HEADING, STRONG, visible};
use crate::{Failure, Outcome, ask, terminal};

pub(crate) fn run(args: &TrustArgs) -> Outcome {
    let antefix = ask::antefix(None)?;
    let project = ask::project(&antefix, args.cwd.as_deref())?;
    let trusted = antefix.trusted();
    if !args.json {
        terminal::print_diagnostics(trusted.finding.as_slice());
    }
    let root = project.root()?;
    if args.list {
        list(&trusted.approvals)?;
        return Ok(ExitCode::SUCCESS);
    }
    if args.revoke {
        terminal::print_styled(&match project.revoke_trust()? {
            true => format!("{} is not trusted any more\n", visible(&root)),
            false => format!("{} was not trusted\n", visible(&root)),
        })?;
        return Ok(ExitCode::SUCCESS);
    }
    // A layout that cannot be read still stops nobody from listing or revoking.
    let layout = args.layout.as_deref().map(|name| Ok::<_, Failure>(LayoutChoice::named(name, &ask::current()?)));
    let offer = project.trust_offer(layout.transpose()?)?;
    if args.json {
        terminal::print_result(&document::print(&document::trust(&offer, &trusted)))?;
        return Ok(ExitCode::SUCCESS);
    }
    let shown = shown(&offer);
    if !args.yes {
        // The question and what it is about are not the result.
        terminal::print_aside(&shown);
        if !confirm()? {
            terminal::print_styled("nothing was changed\n")?;
            return Ok(ExitCode::from(1));
        }
    } else {
        terminal::print_styled(&shown)?;
    }
    let file = project.trust(offer)?;
    terminal::print_styled(&format!("trusted {FAINT}({}){FAINT:#}\n", visible(&file.display().to_string())))?;
    Ok(ExitCode::SUCCESS)
}

fn shown(offer: &TrustOffer) -> String {
    let mut text = format!("{HEADING}project{HEADING:#} {STRONG}{}{STRONG:#}\n\n", visible(&offer.root));
    if offer.hooks.is_empty() {
        text.push_str("  it declares no hooks; its text is trusted\n");
        return text;
    }
    let mut hooks = Table::new(&["hook", "on", "command", "state"]);
    for (program, state) in &offer.hooks {
        let rule = program.rule();
        let command = rule.command.iter().map(|word| format!("{word:?}")).collect::<Vec<_>>().join(" ");
        let state = match state {
            TrustState::Modified(changes) => format!("modified: {}", changes.join(", ")),
            TrustState::Shared { reason, .. } => format!("shared: {reason}"),
            state => state.name().to_owned(),
        };
        hooks.row([rule.name.clone(), rule.on.name().to_owned(), command, state]);
    }
    text.push_str(&hooks.print());
    if !offer.files.is_empty() {
        let mut table = Table::new(&["file", "digest"]);
        for (file, digest) in &offer.files {
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
fn confirm() -> Result<bool, Failure> {
    match question::confirm("\ntrust it?")? {
        Answer::Yes => Ok(true),
        Answer::No => Ok(false),
        Answer::NobodyToAsk => {
            let hint = "look at what it would trust, then run it with --yes";
            Err(Failure::with_hint("there is no terminal to ask on, so nothing is trusted", hint))
        }
    }
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
