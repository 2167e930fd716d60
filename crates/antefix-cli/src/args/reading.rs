//! What came back.

use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueHint};

use super::StoreArgs;
use super::compose::parse_target;

#[derive(ClapArgs)]
#[command(after_help = "\
A receipt is what `antefix turn CONVERSATION --for TARGET --json` or `antefix show --receipt` prints; keep it with each request.
With receipts alone the part that changed is known; with --conversation as well the byte, its section and its origin are. Without
receipts, the last two epochs of the conversation are compared; --epochs 2 2 says that both turns were in the second one.

Requests of any agent are compared with --requests, without receipts: two bodies as they were sent, or one file that has many, a HAR
file or a report. Each file of the project that is found in them is named with its lines.

Examples:
  antefix why --requests before.json now.json                what differs, by which file and line, and what will it cost?
  antefix why --requests before.json now.json --usage-before 1.json response.json --elapsed 7m
  antefix why --requests session.har                         every request of a recording, and each miss with its cause
  antefix turn chat-7 --for anthropic --model claude-opus-5 --json > 2.json   (and 1.json the turn before)
  antefix why response.json --receipt 2.json --before 1.json
  antefix why response.json --receipt 2.json --before 1.json --conversation chat-7 --elapsed 7m
  jq .usage response.json | antefix why --conversation chat-7 --for anthropic --model claude-opus-5 --json")]
pub(crate) struct WhyArgs {
    /// The provider's response, or its usage block (`-` is stdin)
    #[arg(value_name = "USAGE", value_hint = ValueHint::FilePath, default_value = "-", default_value_if("requests", clap::builder::ArgPredicate::IsPresent, None))]
    pub(crate) usage: Option<PathBuf>,

    /// The bodies of two requests, the one before first; or one HAR file or report
    #[arg(long, num_args = 1..=2, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with_all = ["receipt", "conversation"])]
    pub(crate) requests: Vec<PathBuf>,

    /// The provider's response to the request before, or its usage block
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, requires = "requests")]
    pub(crate) usage_before: Option<PathBuf>,

    /// The directory whose files are looked for in requests [default: here]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, requires = "requests")]
    pub(crate) cwd: Option<PathBuf>,

    /// The receipt of this turn
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, required_unless_present_any = ["conversation", "requests"])]
    pub(crate) receipt: Option<PathBuf>,

    /// The receipt of the turn before; without one, this turn is the first
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, requires = "receipt")]
    pub(crate) before: Option<PathBuf>,

    /// The conversation whose ledger has the epochs
    #[arg(long, value_name = "CONVERSATION")]
    pub(crate) conversation: Option<String>,

    /// The epochs of the turn before and of this one
    #[arg(long, num_args = 2, value_names = ["A", "B"], requires = "conversation", conflicts_with = "receipt")]
    pub(crate) epochs: Option<Vec<u64>>,

    /// Where the request went; the receipt says it as well
    #[arg(long = "for", value_name = "TARGET", value_parser = parse_target)]
    pub(crate) target: Option<antefix::deliver::Target>,

    /// The model whose prices and limits count; the receipt or the epoch may say it as well
    #[arg(long)]
    pub(crate) model: Option<String>,

    /// How long ago the turn before was, such as 90s, 7m or 2h
    #[arg(long, value_name = "TIME", value_parser = parse_elapsed)]
    pub(crate) elapsed: Option<u64>,

    #[command(flatten)]
    pub(crate) store: StoreArgs,

    /// Everything in one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(ClapArgs)]
#[command(after_help = "\
Reads the transcripts that agents leave on this machine: Claude Code, Codex, Gemini CLI, opencode, pi, Copilot CLI, Cline and Qwen Code. Nothing is set
up, nothing is changed, and nothing leaves the machine. Each request counts once, in whichever files it is written. Prices are those of
the table of models; a model that is not in it is named, and counted without a price.

Examples:
  antefix audit                       everything that is there
  antefix audit --since 7d            the last seven days
  antefix audit --project .           sessions in this directory and below
  antefix audit --csv > costs.csv     for a spreadsheet")]
pub(crate) struct AuditArgs {
    /// Only requests since then: 12h, 7d, 4w, or a date such as 2026-11-01
    #[arg(long, value_name = "TIME", value_parser = parse_since)]
    pub(crate) since: Option<Since>,

    /// Only agents that worked in this directory or below
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) project: Option<PathBuf>,

    /// Only this agent; may be said several times
    #[arg(long = "agent", value_name = "AGENT")]
    pub(crate) agents: Vec<String>,

    /// Everything in one JSON document
    #[arg(long, conflicts_with = "csv")]
    pub(crate) json: bool,

    /// All tables as comma-separated values
    #[arg(long)]
    pub(crate) csv: bool,
}

/// A time that a person names.
#[derive(Clone, Copy)]
pub(crate) enum Since {
    /// So many seconds ago.
    Ago(i64),
    /// A day.
    Day(jiff::civil::Date),
}

fn parse_since(text: &str) -> Result<Since, String> {
    if let Ok(day) = text.parse() {
        return Ok(Since::Day(day));
    }
    let seconds = match text.char_indices().last() {
        Some((at, 'h')) => (&text[..at], 3600),
        Some((at, 'd')) => (&text[..at], 86_400),
        Some((at, 'w')) => (&text[..at], 604_800),
        _ => ("", 0),
    };
    let count = seconds.0.parse::<i64>().ok().filter(|count| *count > 0).and_then(|count| count.checked_mul(seconds.1));
    count.map(Since::Ago).ok_or_else(|| "write hours, days or weeks, or a date: 12h, 7d, 4w, 2026-11-01".to_owned())
}

fn parse_elapsed(text: &str) -> Result<u64, String> {
    let (number, seconds) = match text.char_indices().last() {
        Some((at, 's')) => (&text[..at], 1),
        Some((at, 'm')) => (&text[..at], 60),
        Some((at, 'h')) => (&text[..at], 3600),
        _ => (text, 1),
    };
    let count = number.parse::<u64>().ok().and_then(|number| number.checked_mul(seconds));
    count.ok_or_else(|| "write a number of seconds, minutes or hours: 90s, 7m, 2h".to_owned())
}
