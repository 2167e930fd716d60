//! `antefix send`: queue a message for the next turn.

use std::process::ExitCode;

use antefix::freeze::ConversationId;
use antefix::keeper::Keeper;

use crate::args::SendArgs;
use crate::question::{self, Answer};
use crate::terminal::visible;
use crate::{Failure, Outcome, ask, terminal};

pub(crate) fn run(args: &SendArgs) -> Outcome {
    let conversation = ConversationId::parse(&args.id)?;
    let antefix = ask::antefix(Some(&args.store))?;
    let keeper = antefix.keeper()?;
    if !args.new && keeper.history(&conversation, 0, 1)?.is_empty() && !is_meant(keeper, &conversation)? {
        terminal::print_styled("nothing was sent\n")?;
        return Ok(ExitCode::from(1));
    }
    let number = keeper.send(&conversation, &args.message, jiff::Timestamp::now())?;
    terminal::print_styled(&format!("message {number} waits for the next turn\n"))?;
    Ok(ExitCode::SUCCESS)
}

/// Asks whether an id that nobody has opened is right.
fn is_meant(keeper: &Keeper, conversation: &ConversationId) -> Result<bool, Failure> {
    let message = format!("nobody has opened conversation `{}`", visible(conversation.as_str()));
    let hint = match keeper.similar(conversation)? {
        Some(similar) => format!("did you mean `{}`? ", visible(similar.as_str())),
        None => String::new(),
    };
    match question::confirm(&format!("{message}. {hint}Queue the message for its first turn?"))? {
        Answer::Yes => Ok(true),
        Answer::No => Ok(false),
        Answer::NobodyToAsk => {
            let rest =
                "`antefix epochs` lists conversations; `--new` queues the message for the first turn of a new one";
            Err(Failure::with_hint(message, format!("{hint}{rest}")))
        }
    }
}
