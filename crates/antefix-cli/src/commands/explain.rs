//! `antefix explain`: where every byte came from, and what was left out.

use std::process::ExitCode;

use antefix::compose::{Prompt, Span, Stability};
use antefix::document::{self, Tally};
use antefix::project::{Look, Preview};
use antefix::text::Origin;
use antefix::tokens::{ENCODING, Tokenizer};

use crate::args::ExplainArgs;
use crate::counts::Counts;
use crate::terminal::{FAINT, HEADING, STRONG, Table, number, visible};
use crate::{Failure, Outcome, ask, tally, terminal};

pub(crate) fn run(args: &ExplainArgs) -> Outcome {
    let antefix = ask::antefix(None)?;
    let project = ask::project(&antefix, args.compose.cwd.as_deref())?;
    let counts = Counts::recall();
    let preview = project.preview(args.compose.ask()?, Look::Closely)?;
    if let Some(byte) = args.at {
        terminal::print_styled(&one_byte(&preview.prompt, byte)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    let tally = Tally::of(&preview);
    counts.keep();
    if args.json {
        terminal::print_result(&document::print(&document::explanation(&preview, tally.as_ref())))?;
    } else {
        terminal::print_styled(&overview(&preview, tally.as_ref()))?;
        terminal::print_diagnostics(&preview.diagnostics);
    }
    Ok(ExitCode::SUCCESS)
}

fn overview(preview: &Preview, tally: Option<&Tally>) -> String {
    let prompt = &preview.prompt;
    let mut text = format!("{STRONG}{}{STRONG:#}\n\n", visible(prompt.layout()));
    let sides = [("before the boundary", prompt.prefix()), ("after it", prompt.suffix()), ("in all", prompt.text())];
    let tokens = tally.map(|tally| [tally.prefix, tally.suffix, tally.prefix + tally.suffix]);
    for (number_of, (side, bytes)) in sides.into_iter().enumerate() {
        let bytes = format!("{} bytes", number(bytes.len()));
        let tokens = tally.zip(tokens).map(|(tally, tokens)| tally::long(tally, tokens[number_of])).unwrap_or_default();
        text.push_str(format!("  {side:<20} {bytes:>14}   {tokens}").trim_end());
        text.push('\n');
    }
    text.push_str(&format!("{}\n", tally.map(counted_how).unwrap_or_default()));
    text.push_str(&sections(prompt, tally).print());
    let mut loaded = Table::new(&["loaded", "#bytes", "from"]);
    for one in &preview.report.loaded {
        loaded.row([one.fact.to_string(), number(one.bytes), one.path.clone().unwrap_or_default()]);
    }
    let mut not_loaded = Table::new(&["not loaded", "why", ""]);
    for one in &preview.report.not_loaded {
        let what = one.path.clone().unwrap_or_else(|| one.fact.to_string());
        not_loaded.row([what, one.why.name().to_owned(), one.detail()]);
    }
    let mut left_out = Table::new(&["section left out", "why"]);
    for one in prompt.left_out() {
        left_out.row([one.id.clone(), one.why.clone()]);
    }
    let mut hooks = Table::new(&["hook", "on", "trust", "command"]);
    for (program, state) in &preview.hooks {
        let rule = program.rule();
        let row = [rule.name.clone(), rule.on.name().to_owned(), state.name().to_owned(), rule.command.join(" ")];
        hooks.row(row);
    }
    if let Some(order) = &preview.order {
        text.push_str(&format!("\n  {FAINT}instruction files:{FAINT:#} {}\n", visible(order)));
    }
    let mut aliases = Table::new(&["alias", "stands for"]);
    for (alias, target) in preview.layout().aliases().entries() {
        aliases.row([alias, target]);
    }
    let hidden: Vec<&str> = preview.layout().hidden().entries().collect();
    if !hidden.is_empty() {
        text.push_str(&format!("\n  {FAINT}hidden from templates:{FAINT:#} {}\n", visible(&hidden.join(", "))));
    }
    for table in [loaded, not_loaded, left_out, aliases, hooks] {
        if !table.is_empty() {
            text.push('\n');
            text.push_str(&table.print());
        }
    }
    text
}

/// By what tokens were counted, in a line.
fn counted_how(tally: &Tally) -> String {
    let how = match (&tally.tokenizer, &tally.model) {
        (Tokenizer::Exact, None) => format!("tokens are counted in {ENCODING}; --model names another"),
        (Tokenizer::Exact, Some(model)) => format!("tokens are counted in {ENCODING}, which is that of {model}"),
        (Tokenizer::Estimate(band), model) => format!(
            "~ tokens of {} are estimated from {ENCODING}: {}.",
            model.as_deref().unwrap_or("the model"),
            band.from
        ),
    };
    format!("  {FAINT}{}{FAINT:#}\n", visible(how.trim_end_matches('.')))
}

fn sections(prompt: &Prompt, tally: Option<&Tally>) -> Table {
    let mut table = Table::new(&["section", "stability", "#bytes", "#tokens", "digest", "said by"]);
    let mut behind = false;
    for (index, section) in prompt.sections().iter().enumerate() {
        if section.stability == Stability::Live && !behind {
            behind = true;
            table.rule(&format!("boundary at byte {}", number(prompt.boundary())));
        }
        let holds = match section.stability {
            Stability::Fixed => "fixed: a release",
            Stability::Frozen => "frozen: an epoch",
            Stability::Live => "live: a turn",
        };
        let mut origins = origins(prompt, index).into_iter();
        table.row([
            section.id.clone(),
            holds.to_owned(),
            number(section.range.len()),
            tally.map(|tally| tally::short(tally, tally.sections[index])).unwrap_or_default(),
            prompt.digest(section).short(),
            origins.next().unwrap_or_default(),
        ]);
        for origin in origins {
            table.row([String::new(), String::new(), String::new(), String::new(), String::new(), origin]);
        }
    }
    table
}

/// Who said a section, most bytes first.
fn origins(prompt: &Prompt, section: usize) -> Vec<String> {
    let mut totals: Vec<(String, usize)> = Vec::new();
    for span in prompt.spans().iter().filter(|span| span.section == section) {
        let label = label(&span.origin);
        match totals.iter_mut().find(|(known, _)| *known == label) {
            Some((_, bytes)) => *bytes += span.range.len(),
            None => totals.push((label, span.range.len())),
        }
    }
    totals.sort_by_key(|(_, bytes)| std::cmp::Reverse(*bytes));
    totals.into_iter().map(|(label, bytes)| format!("{} {label}", number(bytes))).collect()
}

fn label(origin: &Origin) -> String {
    match (origin.kind(), origin.path()) {
        ("template" | "file" | "remote", Some(path)) => path.to_owned(),
        ("template", None) => origin.name().to_owned(),
        ("expression", _) => format!("expression {}", origin.name()),
        (kind, Some(path)) => format!("{kind} {} ({path})", origin.name()),
        (kind, None) => format!("{kind} {}", origin.name()),
    }
}

fn one_byte(prompt: &Prompt, byte: usize) -> Result<String, Failure> {
    let Some(span) = prompt.span_at(byte) else {
        let message = format!("there is no byte {byte}: the prompt has {} bytes", number(prompt.text().len()));
        return Err(Failure::plain(message));
    };
    let section = &prompt.sections()[span.section];
    let side = if byte < prompt.boundary() { "prefix" } else { "suffix" };
    let mut text = format!("{HEADING}byte {byte}{HEADING:#}, in the {side}\n");
    let mut row =
        |name: &str, value: String| text.push_str(&format!("  {FAINT}{name:<10}{FAINT:#} {}\n", visible(&value)));
    row("section", format!("{} ({})", section.id, section.stability.name()));
    row("origin", format!("{} {}", span.origin.kind(), span.origin.name()));
    if let Some(line) = span.origin.line() {
        let within = &prompt.text()[span.range.start..prompt.text().floor_char_boundary(byte)];
        let line = if span.origin.kind() == "expression" { line } else { line + within.matches('\n').count() };
        row("at", format!("{}:{line}", span.origin.path().unwrap_or(span.origin.name())));
    }
    if let Some(transform) = span.transform {
        row("changed", transform.name().to_owned());
    }
    row("span", format!("bytes {} to {}", span.range.start, span.range.end));
    text.push_str(&excerpt(prompt, span, byte));
    Ok(text)
}

/// The line of the prompt that a byte lies in, with its span marked.
fn excerpt(prompt: &Prompt, span: &Span, byte: usize) -> String {
    const AROUND: usize = 60;
    let text = prompt.text();
    let byte = text.floor_char_boundary(byte);
    let line_start = text[..byte].rfind('\n').map_or(0, |newline| newline + 1);
    let line_end = text[byte..].find('\n').map_or(text.len(), |newline| byte + newline);
    let start = text.ceil_char_boundary(line_start.max(byte.saturating_sub(AROUND)));
    let end = text.floor_char_boundary(line_end.min(byte + AROUND));
    let from = span.range.start.clamp(start, end.max(start));
    let to = span.range.end.clamp(from, end.max(from));
    let (before, marked, after) = (&text[start..from], &text[from..to], &text[to..end.max(to)]);
    format!(
        "\n  {FAINT}{}{FAINT:#}{STRONG}{}{STRONG:#}{FAINT}{}{FAINT:#}\n",
        visible(before),
        visible(marked),
        visible(after)
    )
}
