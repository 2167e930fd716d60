//! `antefix audit`: what past sessions cost, on one screen.

use std::process::ExitCode;

use antefix::document;
use antefix::models::Cost;
use antefix::observe::{Audit, LossCause, Sum};
use antefix::project::{AuditAsk, AuditReport};

use crate::args::{AuditArgs, Since};
use crate::terminal::{FAINT, HEADING, STRONG, number, visible};
use crate::{Failure, Outcome, ask, terminal};

/// How many rows of each table are shown.
const ROWS: usize = 5;
/// How many days are shown.
const DAYS: usize = 14;
/// How wide the longest bar is.
const BAR: usize = 20;

pub(crate) fn run(args: &AuditArgs) -> Outcome {
    let antefix = ask::antefix(None)?;
    let now = antefix.world().now();
    let since = match args.since {
        None => None,
        Some(Since::Ago(seconds)) => now.checked_sub(jiff::SignedDuration::from_secs(seconds)).ok(),
        Some(Since::Day(day)) => {
            let zone = antefix.world().time_zone(None).present().unwrap_or(jiff::tz::TimeZone::UTC);
            day.to_zoned(zone).ok().map(|day| day.timestamp())
        }
    };
    let project = match &args.project {
        None => None,
        Some(path) => {
            Some(std::fs::canonicalize(path).map_err(|error| Failure::plain(format!("{}: {error}", path.display())))?)
        }
    };
    let report = antefix.audit(&AuditAsk { since, project, agents: args.agents.clone() })?;
    if args.json {
        terminal::print_result(&document::print(&document::audit(&report)))?;
    } else if args.csv {
        terminal::print_result(&document::audit_csv(&report))?;
    } else {
        terminal::print_diagnostics(&report.diagnostics);
        terminal::print_styled(&screen(&report))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn screen(report: &AuditReport) -> String {
    let audit = &report.audit;
    if audit.total.requests == 0 {
        let places: Vec<String> = report.places.iter().map(|(agent, path, _)| format!("{agent} ({path})")).collect();
        return format!("no requests were found; looked for transcripts of {}\n", visible(&places.join(", ")));
    }
    let mut text = head(audit);
    causes(audit, &mut text);
    // What has no price has none: it did not cost nothing.
    let is_priced = |name: &str| !audit.unknown_models.iter().any(|(model, _)| model == name);
    table("by project", &audit.by_project, |_| true, &mut text);
    table("by model", &audit.by_model, is_priced, &mut text);
    if audit.by_agent.len() > 1 {
        table("by agent", &audit.by_agent, |_| true, &mut text);
    }
    days(audit, &mut text);
    helps(audit, &mut text);
    notes(audit, &mut text);
    text
}

fn head(audit: &Audit) -> String {
    let (total, loss) = (audit.total, audit.total.loss);
    let mut days = audit.by_day.iter().map(|(day, _)| day.as_str()).filter(|day| day.starts_with('2'));
    let (first, last) = (days.clone().next().unwrap_or_default(), days.next_back().unwrap_or_default());
    let share = total.read_per_mille();
    let percent = |part: Cost, whole: Cost| match whole.micro_dollars() {
        0 => 0,
        whole => part.micro_dollars() * 100 / whole,
    };
    let filled = share * BAR / 1000;
    let bar = format!("{}{FAINT}{}{FAINT:#}", "█".repeat(filled), "░".repeat(BAR - filled));
    let files =
        if audit.files == 1 { "1 transcript".to_owned() } else { format!("{} transcripts", number(audit.files)) };
    format!(
        "{STRONG}{} requests{STRONG:#} from {first} to {last}, in {files}\n\n  \
         {HEADING}spent{HEADING:#}        {STRONG}{:>9}{STRONG:#}   {} tokens in, {} out\n  \
         {HEADING}from caches{HEADING:#}  {STRONG}{:>7} %{STRONG:#}   {bar}\n  \
         {HEADING}paid twice{HEADING:#}   {STRONG}{:>9}{STRONG:#}   {} % of it: {} tokens that a cache had, billed anew {} times\n",
        number(total.requests),
        money(total.cost),
        short(total.billed.input()),
        short(total.output),
        format!("{}.{}", share / 10, share % 10),
        money(loss.cost),
        percent(loss.cost, total.cost),
        short(loss.tokens),
        number(loss.times),
    )
}

fn causes(audit: &Audit, text: &mut String) {
    if audit.by_cause.is_empty() {
        return;
    }
    text.push_str(&format!(
        "\n  {HEADING}{:<44}{:>6}{:>9}{:>10}{HEADING:#}\n",
        "why it was paid twice", "times", "tokens", "cost"
    ));
    let most = audit.by_cause.iter().map(|(_, loss)| loss.cost.micro_dollars()).max().unwrap_or(0);
    for (cause, loss) in &audit.by_cause {
        let words = words(cause, audit.conversations(cause));
        text.push_str(&format!(
            "  {:<44}{:>6}{:>9}{:>10}  {}\n",
            fitting(&words, 43),
            number(loss.times),
            short(loss.tokens),
            money(loss.cost),
            bar(loss.cost.micro_dollars(), most)
        ));
    }
}

fn words(cause: &LossCause, conversations: usize) -> String {
    match cause {
        LossCause::Model => "another model was chosen".to_owned(),
        LossCause::Compacted => "the conversation was compacted".to_owned(),
        LossCause::Tools => "the tools changed".to_owned(),
        LossCause::System => "the system text changed".to_owned(),
        LossCause::Instructions { place, commit } => {
            let sessions =
                if conversations == 1 { "1 session".to_owned() } else { format!("{conversations} sessions") };
            format!("{place}, commit {commit}: {sessions}")
        }
        LossCause::Idle => "idle for longer than the cache lives".to_owned(),
        LossCause::Upgraded => "the agent was upgraded".to_owned(),
        LossCause::Resumed => "taken up again by another process".to_owned(),
        LossCause::NotShown => "no reason in the transcript".to_owned(),
    }
}

fn table(title: &str, rows: &[(String, Sum)], is_priced: impl Fn(&str) -> bool, text: &mut String) {
    text.push_str(&format!(
        "\n  {HEADING}{title:<44}{:>6}{:>9}{:>10}  paid twice{HEADING:#}\n",
        "reqs", "cached", "cost"
    ));
    for (name, sum) in rows.iter().take(ROWS) {
        let share = format!("{} %", sum.read_per_mille() / 10);
        let priced = |cost: Cost| if is_priced(name) { money(cost) } else { "?".to_owned() };
        text.push_str(&format!(
            "  {:<44}{:>6}{:>9}{:>10}  {:>10}\n",
            fitting(name, 43),
            number(sum.requests),
            share,
            priced(sum.cost),
            priced(sum.loss.cost)
        ));
    }
    if rows.len() > ROWS {
        text.push_str(&format!("  {FAINT}and {} more{FAINT:#}\n", rows.len() - ROWS));
    }
}

fn days(audit: &Audit, text: &mut String) {
    if audit.by_day.len() < 2 {
        return;
    }
    let most = audit.by_day.iter().map(|(_, sum)| sum.cost.micro_dollars()).max().unwrap_or(0);
    text.push_str(&format!("\n  {HEADING}{:<12}{:>9}{HEADING:#}\n", "by day", "cost"));
    for (day, sum) in audit.by_day.iter().skip(audit.by_day.len().saturating_sub(DAYS)) {
        text.push_str(&format!("  {day:<12}{:>9}  {}\n", money(sum.cost), bar(sum.cost.micro_dollars(), most)));
    }
}

fn helps(audit: &Audit, text: &mut String) {
    let mut lines = Vec::new();
    let savings = audit.savings;
    match savings.hour() {
        Some(saved) => lines.push(format!(
            "caches for an hour instead of five minutes: {} less, their dearer writing taken off",
            money(saved)
        )),
        None if savings.hour_extra > savings.hour_saved => lines.push(format!(
            "caches for an hour would not have paid: {} saved, {} more for writing",
            money(savings.hour_saved),
            money(savings.hour_extra)
        )),
        None => {}
    }
    let is_steady = |cause: &LossCause| {
        matches!(cause, LossCause::Tools | LossCause::System | LossCause::Instructions { .. } | LossCause::Upgraded)
    };
    let steadier = audit
        .by_cause
        .iter()
        .filter(|(cause, _)| is_steady(cause))
        .fold(Cost::default(), |sum, (_, loss)| sum + loss.cost);
    if steadier > Cost::default() {
        lines.push(format!("a prompt that stays as it is during a session: {} less", money(steadier)));
    }
    if savings.tools_known > 0 {
        lines.push(format!(
            "tools cost {} in {} requests whose tools are known; half of them would save half of that",
            money(savings.tools),
            number(savings.tools_known)
        ));
    }
    if lines.is_empty() {
        return;
    }
    text.push_str(&format!("\n  {HEADING}what would have helped{HEADING:#}\n"));
    lines.iter().for_each(|line| text.push_str(&format!("  {line}\n")));
}

fn notes(audit: &Audit, text: &mut String) {
    let mut notes = vec![format!("prices of {}", audit.prices_of)];
    if audit.hidden > 0 {
        notes.push(format!(
            "{} more by the agents' own books, for requests that no line shows (titles, summaries, broken answers)",
            money(Cost::of_micro_dollars(audit.hidden))
        ));
    }
    if !audit.unknown_models.is_empty() {
        let names: Vec<String> = audit
            .unknown_models
            .iter()
            .take(3)
            .map(|(model, requests)| format!("{} ({})", visible(model), number(*requests)))
            .collect();
        notes.push(format!("no price is known for {}: not counted above", names.join(", ")));
    }
    if audit.lines.1 > 0 {
        notes.push(format!("{} of {} lines were not understood", number(audit.lines.1), number(audit.lines.0)));
    }
    if audit.agreement.0 > 0 {
        notes.push(format!(
            "the provider gave its own reason {} times, and {} times it is the one given here",
            number(audit.agreement.0),
            number(audit.agreement.1)
        ));
    }
    text.push('\n');
    notes.iter().for_each(|note| text.push_str(&format!("  {FAINT}{note}{FAINT:#}\n")));
}

/// A bar as long as its share of the most.
fn bar(part: u128, most: u128) -> String {
    let eighths =
        (part * (BAR as u128) * 8).checked_div(most).map_or(0, |eighths| usize::try_from(eighths).unwrap_or(0));
    let rest = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8];
    format!("{}{rest}", "█".repeat(eighths / 8))
}

/// Dollars and cents; less than a cent with more digits.
fn money(cost: Cost) -> String {
    let micro = cost.micro_dollars();
    match micro {
        0 => "$0.00".to_owned(),
        1..10_000 => format!("${:.4}", micro as f64 / 1e6),
        _ => {
            let cents = (micro + 5_000) / 10_000;
            format!("${}.{:02}", number(usize::try_from(cents / 100).unwrap_or(usize::MAX)), cents % 100)
        }
    }
}

/// A number for a narrow column: 912, 14.3k, 2.1M.
fn short(count: usize) -> String {
    match count {
        0..1_000 => count.to_string(),
        1_000..1_000_000 => format!("{}.{}k", count / 1_000, count % 1_000 / 100),
        _ => format!("{}.{}M", number(count / 1_000_000), count % 1_000_000 / 100_000),
    }
}

/// A text that fits: its end says more than its beginning.
fn fitting(text: &str, width: usize) -> String {
    let text = visible(text);
    let count = text.chars().count();
    if count <= width {
        return text;
    }
    let end: String = text.chars().skip(count + 1 - width).collect();
    format!("…{end}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_fit_their_columns() {
        let counts = [0, 999, 1_000, 14_349, 2_199_999, 1_234_000_000].map(short);
        assert_eq!(counts, ["0", "999", "1.0k", "14.3k", "2.1M", "1,234.0M"]);
        let costs = [0, 1_500, 57_600, 1_234_567_890].map(|micro| money(Cost::of_micro_dollars(micro)));
        assert_eq!(costs, ["$0.00", "$0.0015", "$0.06", "$1,234.57"]);
        assert_eq!([bar(1, 2), bar(2, 2), bar(1, 160)], ["█".repeat(10), "█".repeat(20), "▏".to_owned()]);
        assert_eq!(fitting("/home/u/projects/long", 10), "…ects/long");
    }
}
