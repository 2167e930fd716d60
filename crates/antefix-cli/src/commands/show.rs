//! `antefix show`: the prompt, byte for byte.

use std::process::ExitCode;

use antefix::Level;
use antefix::deliver::{Content, Target};

use crate::args::{Part, ShowArgs};
use crate::setup::Look;
use crate::{Outcome, delivery, setup, terminal};

pub(crate) fn run(args: &ShowArgs) -> Outcome {
    if !args.touch.is_empty() {
        return touch(args);
    }
    let composed = setup::composed(&args.compose, Look::Composing)?;
    if args.deliver.target == Target::Plain && !args.receipt {
        let text = match args.part {
            Part::Prefix => composed.prompt.prefix(),
            Part::Suffix => composed.prompt.suffix(),
            Part::All => composed.prompt.text(),
        };
        terminal::print_result(text)?;
    } else {
        let messages = delivery::messages(&args.deliver)?;
        let prepared = &composed.prepared;
        let content = Content::of_prompt(&composed.prompt, prepared.tools(), &messages);
        let mut delivery = delivery::deliver(content, args.deliver.target, prepared)?;
        if args.receipt {
            delivery = delivery::counted(delivery, prepared)?;
        }
        terminal::print_result(&delivery::print(&delivery, args.receipt))?;
    }
    terminal::print_diagnostics(&composed.diagnostics);
    Ok(ExitCode::SUCCESS)
}

/// The notice for paths that are touched, instead of the prompt. With a path that cannot be one, nothing is printed.
fn touch(args: &ShowArgs) -> Outcome {
    let (notice, diagnostics) = setup::touched(&args.compose, &args.touch)?;
    let wrong = diagnostics.iter().any(|finding| finding.level == Level::Error);
    if let Some(notice) = notice.filter(|_| !wrong) {
        terminal::print_result(notice.as_str())?;
    }
    terminal::print_diagnostics(&diagnostics);
    Ok(ExitCode::from(u8::from(wrong)))
}
