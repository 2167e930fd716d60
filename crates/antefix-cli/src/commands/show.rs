//! `antefix show`: the prompt, byte for byte.

use std::process::ExitCode;

use antefix::deliver::{Content, Target};

use crate::args::{Part, ShowArgs};
use crate::setup::Look;
use crate::{Outcome, delivery, setup, terminal};

pub(crate) fn run(args: &ShowArgs) -> Outcome {
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
        let delivery = delivery::deliver(content, args.deliver.target, prepared)?;
        terminal::print_result(&delivery::print(&delivery, args.receipt))?;
    }
    terminal::print_diagnostics(&composed.diagnostics);
    Ok(ExitCode::SUCCESS)
}
