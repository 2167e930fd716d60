//! `antefix show`: the prompt, byte for byte.

use std::process::ExitCode;

use antefix::project::{Look, TouchNotice};
use antefix::{Delivery, Level, Target, document};

use crate::args::{Part, ShowArgs};
use crate::commands::turn::to_append;
use crate::{Outcome, ask, terminal};

pub(crate) fn run(args: &ShowArgs) -> Outcome {
    if !args.touch.is_empty() {
        return touch(args);
    }
    let antefix = ask::antefix(None)?;
    let project = ask::project(&antefix, args.compose.cwd.as_deref())?;
    let ask = args.deliver.with_messages(args.compose.ask()?)?;
    let preview = project.preview(ask, Look::Composing)?;
    if args.deliver.target == Target::Plain && !args.receipt {
        let text = match args.part {
            Part::Prefix => preview.prompt.prefix(),
            Part::Suffix => preview.prompt.suffix(),
            Part::All => preview.prompt.text(),
        };
        terminal::print_result(text)?;
    } else {
        let delivery = preview.deliver(args.deliver.target)?;
        terminal::print_json(&match args.receipt {
            true => {
                let Delivery { fragment, append, receipt, .. } = delivery.counted(&preview.tokenizer());
                document::print(&serde_json::json!({ "fragment": fragment, "append": append, "receipt": receipt }))
            }
            false => {
                terminal::print_diagnostics(&to_append(&delivery).into_iter().collect::<Vec<_>>());
                delivery.bytes()
            }
        })?;
    }
    terminal::print_diagnostics(&preview.diagnostics);
    Ok(ExitCode::SUCCESS)
}

/// The notice for paths that are touched, instead of the prompt. With a path that cannot be one, nothing is printed.
fn touch(args: &ShowArgs) -> Outcome {
    let antefix = ask::antefix(None)?;
    let project = ask::project(&antefix, args.compose.cwd.as_deref())?;
    let TouchNotice { text: notice, diagnostics, .. } = project.touch(&args.compose.ask()?, &args.touch)?;
    let wrong = diagnostics.iter().any(|finding| finding.level == Level::Error);
    if let Some(notice) = notice.filter(|_| !wrong) {
        terminal::print_result(notice.as_str())?;
    }
    terminal::print_diagnostics(&diagnostics);
    Ok(ExitCode::from(u8::from(wrong)))
}
