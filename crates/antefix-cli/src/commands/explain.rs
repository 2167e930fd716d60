//! `antefix explain`: why is it so long, who said it, and what was left out?

mod at;
mod family;
mod grep;
mod missing;
mod overview;
mod tools;

use std::process::ExitCode;

use antefix::compose::Prompt;
use antefix::diagnostic::Code;
use antefix::document::{self, ByHeading, Explanation, FamilyDocument, Tally, ToolTally};
use antefix::project::Look;
use serde::Serialize;

use self::tools::ToolList;
use crate::args::ExplainArgs;
use crate::{Outcome, ask, terminal};

pub(crate) fn run(args: &ExplainArgs) -> Outcome {
    let antefix = ask::antefix(None)?;
    let project = ask::project(&antefix, args.compose.cwd.as_deref())?;
    let preview = project.preview(args.compose.ask()?, Look::Closely)?;
    if let Some(byte) = args.at {
        terminal::print_styled(&at::one_byte(&preview.prompt, byte)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(wanted) = &args.grep {
        grep::run(&preview.prompt, wanted, args)?;
        return Ok(ExitCode::SUCCESS);
    }
    let tally = Tally::of(&preview);
    let tools = ToolTally::of(&preview, args.target, tally.as_ref());
    let family = args.with.as_deref().map(|with| family::compared(args, with, &preview)).transpose()?;
    let by_heading = if args.headings { ByHeading::Yes } else { ByHeading::No };
    let shares = document::shares(&preview.prompt, &preview.tokenizer(), by_heading);
    if args.json {
        let explanation = document::explanation(&preview, tally.as_ref(), tools.as_ref()).with_shares(&shares);
        let family = family.map(|family| family.document);
        terminal::print_result(&document::print(&WithFamily { explanation, family }))?;
    } else if let Some(family) = family {
        terminal::print_styled(&family.words)?;
    } else {
        let tools = tools.as_ref().map(|tools| ToolList { tools, shown: args.shown() });
        terminal::print_styled(&overview::print(&preview, tally.as_ref(), tools.as_ref(), &shares, args))?;
        // The table of what was not loaded says this of a rule already.
        let mut findings = preview.diagnostics;
        findings.retain(|finding| finding.code != Code::RuleNeverMatches);
        if !findings.is_empty() {
            terminal::print_aside("\n");
        }
        terminal::print_diagnostics(&findings);
    }
    Ok(ExitCode::SUCCESS)
}

/// The table of sections, for others who show what a prompt is.
pub(crate) fn sections(prompt: &Prompt, tally: Option<&Tally>) -> String {
    overview::sections(prompt, tally).print()
}

/// The document, with what was compared.
#[derive(Serialize)]
struct WithFamily<'p> {
    #[serde(flatten)]
    explanation: Explanation<'p>,
    #[serde(skip_serializing_if = "Option::is_none")]
    family: Option<FamilyDocument>,
}
