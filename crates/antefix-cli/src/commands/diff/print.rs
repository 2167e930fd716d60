//! What differs, for people: on a terminal, and as a comment on a pull request.

use anstyle::{AnsiColor, Style};
use antefix::document::{Changes, Counts, Finding};

use crate::table::{Table, wrap};
use crate::terminal::{self, FAINT, HEADING, STRONG, number, visible};

const ADDED: Style = AnsiColor::Green.on_default();
const REMOVED: Style = AnsiColor::Red.on_default();

/// The most lines of a comment: GitHub takes 65,536 characters.
const COMMENT_LINES: usize = 400;

pub(super) fn human(changes: &Changes<'_>) -> String {
    let (before, after) = (visible(&changes.before), visible(&changes.after));
    if !changes.changed && changes.new_findings.is_empty() && changes.gone_findings.is_empty() {
        return format!("{STRONG}{before} → {after}{STRONG:#}: agents are told the same\n");
    }
    let room = terminal::width().unwrap_or(usize::MAX);
    let mut text = format!("{STRONG}{before} → {after}{STRONG:#}\n");
    for line in figures(changes) {
        text.push_str(&format!("  {}\n", visible(&line)));
    }
    if !changes.origins.is_empty() {
        let mut table = Table::new(&["said by", "#tokens before", "#after", "#change"]);
        for one in &changes.origins {
            table.row([one.origin.clone(), number(one.before), number(one.after), delta(one.before, one.after)]);
        }
        text.push_str(&format!("\n{}", table.print()));
    }
    for (title, findings) in
        [("new findings", &changes.new_findings), ("findings that are gone", &changes.gone_findings)]
    {
        if !findings.is_empty() {
            text.push_str(&format!("\n{HEADING}{title}{HEADING:#}\n"));
        }
        for finding in findings {
            for (number, line) in wrap(&visible(&in_words(finding)), room.saturating_sub(4)).iter().enumerate() {
                text.push_str(&format!("{}{line}\n", if number == 0 { "  " } else { "    " }));
            }
        }
    }
    for hunk in &changes.hunks {
        let section = visible(&hunk.section);
        text.push_str(&format!("\n{HEADING}{}{HEADING:#} {FAINT}({section}){FAINT:#}\n", visible(&hunk.origin)));
        for line in &hunk.lines {
            let style = match line.sign {
                '+' => ADDED,
                '-' => REMOVED,
                _ => FAINT,
            };
            // What goes on in the next line is set in: only the first has a sign.
            for (number, part) in wrap(&visible(&line.text), room.saturating_sub(2)).iter().enumerate() {
                let sign = if number == 0 { line.sign } else { ' ' };
                text.push_str(&format!("{style}{sign}{part}{style:#}\n"));
            }
        }
    }
    text
}

pub(super) fn markdown(changes: &Changes<'_>) -> String {
    let mut text = format!("### What agents are told: {} → {}\n\n", code(&changes.before), code(&changes.after));
    if !changes.changed {
        text.push_str("The prompt is the same.\n");
    }
    for line in figures(changes) {
        text.push_str(&format!("- {line}\n"));
    }
    if !changes.origins.is_empty() {
        text.push_str("\n| said by | tokens before | after | change |\n|---|---:|---:|---:|\n");
        for one in &changes.origins {
            let change = delta(one.before, one.after);
            text.push_str(&format!(
                "| {} | {} | {} | {change} |\n",
                code(&one.origin).replace('|', "\\|"),
                number(one.before),
                number(one.after)
            ));
        }
    }
    for (title, findings) in
        [("New findings", &changes.new_findings), ("Findings that are gone", &changes.gone_findings)]
    {
        if !findings.is_empty() {
            text.push_str(&format!("\n**{title}**\n\n"));
        }
        for finding in findings {
            text.push_str(&format!("- {}\n", code(&in_words(finding))));
        }
    }
    if !changes.hunks.is_empty() {
        let lines: Vec<String> = changes
            .hunks
            .iter()
            .flat_map(|hunk| {
                let head = format!("@@ {} ({})", visible(&hunk.origin), visible(&hunk.section));
                let lines = hunk.lines.iter().map(|line| format!("{}{}", line.sign, visible(&line.text)));
                std::iter::once(head).chain(lines)
            })
            .collect();
        let shown = &lines[..lines.len().min(COMMENT_LINES)];
        // No line of the prompt can end the block: the fence is longer than any in it.
        let fence = "`".repeat(shown.iter().map(|line| longest_run(line)).max().unwrap_or(0).max(2) + 1);
        text.push_str(&format!("\n<details><summary>Text</summary>\n\n{fence}diff\n{}\n{fence}\n", shown.join("\n")));
        if lines.len() > shown.len() {
            text.push_str(&format!("\n{} more lines\n", number(lines.len() - shown.len())));
        }
        text.push_str("\n</details>\n");
    }
    text
}

/// Tokens and price, in words.
fn figures(changes: &Changes<'_>) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(Counts { before, after, exact }) = changes.tokens {
        let sign = if exact { "" } else { "~" };
        let change = delta(before, after);
        lines.push(format!("{sign}{} → {sign}{} tokens ({change})", number(before), number(after)));
    }
    if let Some(prices) = &changes.price {
        let (before, after) = &prices.input;
        let cached = prices.cached.as_ref().map(|(before, after)| format!("; {before} → {after} from the cache"));
        let cached = cached.unwrap_or_default();
        lines.push(format!("{before} → {after} a turn with {}{cached}", prices.model));
    }
    lines
}

fn delta(before: usize, after: usize) -> String {
    match after.checked_sub(before) {
        Some(0) => "±0".to_owned(),
        Some(more) => format!("+{}", number(more)),
        None => format!("−{}", number(before - after)),
    }
}

fn in_words(finding: &Finding<'_>) -> String {
    format!("{}[{}]: {}", finding.level(), finding.code(), finding.message())
}

/// Words as code, which nothing in them can end.
fn code(words: &str) -> String {
    let words = visible(words);
    let ticks = "`".repeat(longest_run(&words) + 1);
    let space = if ticks.len() > 1 { " " } else { "" };
    format!("{ticks}{space}{words}{space}{ticks}")
}

/// How many backticks are in a row, at most.
fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}
