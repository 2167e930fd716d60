//! Why is it so long? A line, a bar a section, then who says how much.

use antefix::compose::{Prompt, Stability};
use antefix::document::{Share, Tally};
use antefix::project::Preview;
use antefix::text::Origin;
use antefix::tokens::{ENCODING, Tokenizer, Tokens};

use super::missing;
use super::tools::{ToolList, saving};
use crate::args::ExplainArgs;
use crate::table::{Table, wrap};
use crate::tally;
use crate::terminal::{self, FAINT, STRONG, number, visible};

/// As many who say something are listed, unless all are asked for.
const LISTED: usize = 12;

pub(super) fn print(
    preview: &Preview,
    tally: Option<&Tally>,
    tools: Option<&ToolList<'_>>,
    shares: &[Share],
    args: &ExplainArgs,
) -> String {
    let prompt = &preview.prompt;
    let mut text = summary(prompt, tally, tools);
    text.push_str(&format!("\n{}", sections(prompt, tally).print()));
    if let Some(list) = tools {
        text.push_str(&format!("\n{}", list.table(tally).print()));
        text.push_str(&list.tools.deferral.as_ref().map(|deferral| saving(deferral, tally)).unwrap_or_default());
    }
    text.push_str(&format!("\n{}", said_by(preview, tally, shares, args)));
    if let Some(order) = &preview.order {
        text.push_str(&remark("instruction files:", order));
    }
    let hidden: Vec<&str> = preview.layout().hidden().entries().collect();
    if !hidden.is_empty() {
        text.push_str(&remark("hidden from templates:", &hidden.join(", ")));
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
    let mut aliases = Table::new(&["alias", "stands for"]);
    for (alias, target) in preview.layout().aliases().entries() {
        aliases.row([alias, target]);
    }
    for table in [missing::table(&preview.report, args), left_out, aliases, hooks] {
        if !table.is_empty() {
            text.push_str(&format!("\n{}", table.print()));
        }
    }
    text
}

/// A sentence with a heading, in as many lines as it needs.
fn remark(heading: &str, words: &str) -> String {
    let room = terminal::width().map_or(usize::MAX, |width| width.saturating_sub(2).max(20));
    let lines = wrap(&visible(&format!("{heading} {words}")), room).join("\n  ");
    format!("\n  {}\n", lines.replacen(heading, &format!("{FAINT}{heading}{FAINT:#}"), 1))
}

/// How long it is, in a line; and by what that was counted.
fn summary(prompt: &Prompt, tally: Option<&Tally>, tools: Option<&ToolList<'_>>) -> String {
    let layout = visible(prompt.layout());
    let tools = tools.map(|list| list.tools);
    let bytes = format!("{} bytes", number(prompt.text().len() + tools.map_or(0, |tools| tools.bytes())));
    let Some(tally) = tally else { return format!("{STRONG}{layout}: {bytes}{STRONG:#}\n") };
    let of_tools = tools.and_then(|tools| tools.tokens);
    let all = tally::long(tally, of_tools.unwrap_or_default() + tally.prefix + tally.suffix);
    let of_tools = of_tools.map(|tokens| format!("{} of tools, ", tally::short(tally, tokens))).unwrap_or_default();
    let behind = match prompt.suffix().is_empty() {
        true => of_tools,
        false => {
            let (before, behind) = (tally::short(tally, tally.prefix), tally::short(tally, tally.suffix));
            format!("{of_tools}{before} before the boundary, {behind} behind it; ")
        }
    };
    let mut text = format!("{STRONG}{layout}: {all}{STRONG:#} ({bytes})\n");
    let how = format!("{behind}{}", counted_how(tally));
    let room = terminal::width().unwrap_or(usize::MAX);
    for line in wrap(&visible(&how), room) {
        text.push_str(&format!("{FAINT}{line}{FAINT:#}\n"));
    }
    text
}

/// By what tokens were counted.
fn counted_how(tally: &Tally) -> String {
    match (&tally.tokenizer, &tally.model) {
        (Tokenizer::Exact, None) => format!("tokens are counted in {ENCODING}; --model names another"),
        (Tokenizer::Exact, Some(model)) => format!("tokens are counted in {ENCODING}, which is that of {model}"),
        (Tokenizer::Estimate(band), model) => {
            let model = model.as_deref().unwrap_or("the model");
            format!("~ tokens of {model} are estimated from {ENCODING}: {}", band.from.trim_end_matches('.'))
        }
    }
}

/// A row and a bar for each section.
pub(super) fn sections(prompt: &Prompt, tally: Option<&Tally>) -> Table {
    let mut table = Table::new(&["section", "kept for", "#bytes", "#tokens", "#share", ""]);
    let widest = terminal::width().map_or(32, |width| width.saturating_sub(58).clamp(8, 40));
    let most = prompt.sections().iter().map(|section| section.range.len()).max().unwrap_or(1).max(1);
    let mut behind = false;
    for (index, section) in prompt.sections().iter().enumerate() {
        if section.stability == Stability::Live && !behind {
            behind = true;
            table.rule(&format!("boundary at byte {}", number(prompt.boundary())));
        }
        let holds = match section.stability {
            Stability::Fixed => "a release",
            Stability::Frozen => "an epoch",
            Stability::Live => "a turn",
        };
        let bytes = section.range.len();
        table.row([
            section.id.clone(),
            match section.message.spoken_by() {
                Some(role) => format!("{holds}, by the {role}"),
                None => holds.to_owned(),
            },
            number(bytes),
            tally.map(|tally| tally::short(tally, tally.sections[index])).unwrap_or_default(),
            share_of(bytes, prompt.text().len()),
            bar(bytes, most, widest),
        ]);
    }
    table
}

/// A bar as long as a part of the most, in eighths of a column.
fn bar(part: usize, most: usize, widest: usize) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let eighths = (part * widest * 8).div_ceil(most);
    format!("{}{}", "█".repeat(eighths / 8), EIGHTHS[eighths % 8])
}

fn share_of(part: usize, whole: usize) -> String {
    match (part * 100 + whole / 2) / whole.max(1) {
        0 if part > 0 => "<1%".to_owned(),
        percent => format!("{percent}%"),
    }
}

/// Who says how much, most first; and under which headings, if that was asked for.
fn said_by(preview: &Preview, tally: Option<&Tally>, shares: &[Share], args: &ExplainArgs) -> String {
    let whole = preview.prompt.text().len();
    let count = |tokens: Option<Tokens>| {
        tally.zip(tokens).map(|(tally, tokens)| tally::short(tally, tokens)).unwrap_or_default()
    };
    let mut table = Table::new(&["said by", "#tokens", "#share", "#bytes", "in"]);
    let listed = if args.all || shares.len() <= LISTED + 1 { shares.len() } else { LISTED };
    for share in &shares[..listed] {
        let cut = share.origin.path().and_then(|path| cut_from(preview, path));
        let bytes = match cut {
            Some(whole) => format!("{} of {}", number(share.bytes), number(whole)),
            None => number(share.bytes),
        };
        let row =
            [label(&share.origin), count(share.tokens), share_of(share.bytes, whole), bytes, share.sections.join(", ")];
        table.row(row);
        for heading in &share.headings {
            let (indent, title) = match heading.level {
                Some(level) => ("  ".repeat(level), format!("{} {}", "#".repeat(level), heading.title)),
                None => ("  ".to_owned(), "before the first heading".to_owned()),
            };
            // An indent that survives wrapping: spaces between words do not.
            let indent = indent.replace(' ', "\u{a0}");
            let row = [
                format!("{indent}{title}"),
                count(heading.tokens),
                share_of(heading.bytes, whole),
                number(heading.bytes),
                String::new(),
            ];
            table.row(row);
        }
    }
    let rest = &shares[listed..];
    if !rest.is_empty() {
        let bytes: usize = rest.iter().map(|share| share.bytes).sum();
        let tokens = rest.iter().filter_map(|share| share.tokens).reduce(|sum, tokens| sum + tokens);
        let others = format!("{} others (--all lists them)", rest.len());
        table.row([others, count(tokens), share_of(bytes, whole), number(bytes), String::new()]);
    }
    table.print()
}

/// How many bytes a file had before it was cut, if it was.
fn cut_from(preview: &Preview, path: &str) -> Option<usize> {
    let loaded = preview.report.loaded.iter().find(|loaded| loaded.path.as_deref() == Some(path) && loaded.is_cut());
    loaded.map(|loaded| loaded.whole)
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
