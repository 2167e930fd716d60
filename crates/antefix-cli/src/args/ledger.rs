//! Commands that keep conversations in a store.

use std::path::PathBuf;

use clap::builder::NonEmptyStringValueParser;
use clap::{Args as ClapArgs, ValueEnum, ValueHint};

use super::compose::parse_target;
use super::{ComposeArgs, DeliverArgs, Part};

/// Where ledgers are kept.
#[derive(ClapArgs)]
pub(crate) struct StoreArgs {
    /// sqlite:PATH, postgres://… or memory; ANTEFIX_STORE says the same
    #[arg(long, value_name = "URL")]
    pub(crate) store: Option<String>,
}

#[derive(ClapArgs)]
#[command(after_help = "\
The first turn composes the prompt and freezes its prefix. Later turns print the same prefix, byte for byte; what moved
since is held back, appended as a notice or begins a new epoch, as each section of the layout says.

Plain output is the prefix, the notices, and the suffix. `--json` has them apart, with what is pending.

Examples:
  antefix turn chat-7
  antefix turn chat-7 --json | jq '.epoch, .pending'
  antefix turn chat-7 --part prefix | sha256sum
  antefix turn chat-7 --touch src/main.rs --for anthropic --messages messages.json")]
pub(crate) struct TurnArgs {
    /// The conversation's id: any text
    #[arg(value_name = "CONVERSATION")]
    pub(crate) id: String,

    #[command(flatten)]
    pub(crate) compose: ComposeArgs,

    #[command(flatten)]
    pub(crate) store: StoreArgs,

    #[command(flatten)]
    pub(crate) deliver: DeliverArgs,

    /// A name for this turn: asked for again under it, it gets the same queued messages again
    #[arg(long, value_name = "NAME")]
    pub(crate) turn: Option<String>,

    /// A path that the agent reads or changes: rules for it and nested instruction files go with this turn, unless the
    /// conversation has them (relative to its working directory; may be given several times)
    #[arg(long, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub(crate) touch: Vec<PathBuf>,

    /// Take this file as the system text of this turn alone (`-` is stdin); nothing is stored
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) replace: Option<PathBuf>,

    /// Which side of the boundary
    #[arg(long, value_name = "PART", default_value = "all", conflicts_with = "json")]
    pub(crate) part: Part,

    /// Everything in one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(ClapArgs)]
#[command(after_help = "\
Examples:
  antefix epochs                      all conversations
  antefix epochs chat-7               its epochs
  antefix epochs chat-7 2             the prefix of epoch 2, byte for byte
  antefix epochs chat-7 --diff 1 2    where they part, who said what there, and the price")]
pub(crate) struct EpochsArgs {
    /// The conversation's id; without one, all conversations are listed
    #[arg(value_name = "CONVERSATION")]
    pub(crate) id: Option<String>,

    /// Print this epoch's prefix
    #[arg(value_name = "N")]
    pub(crate) number: Option<u64>,

    /// Say what changed between two epochs
    #[arg(long, num_args = 2, value_names = ["A", "B"], requires = "id", conflicts_with = "number")]
    pub(crate) diff: Option<Vec<u64>>,

    /// The model whose prices count; the epoch's own if it is known
    #[arg(long)]
    pub(crate) model: Option<String>,

    #[command(flatten)]
    pub(crate) store: StoreArgs,

    /// Everything in one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(ClapArgs)]
#[command(after_help = "\
Examples:
  antefix drift chat-7
  antefix drift chat-7 --for anthropic --model claude-opus-5   what would a renewal re-bill there?
  antefix drift chat-7 --model claude-opus-4-8 --json")]
pub(crate) struct DriftArgs {
    /// The conversation's id
    #[arg(value_name = "CONVERSATION")]
    pub(crate) id: String,

    #[command(flatten)]
    pub(crate) compose: ComposeArgs,

    /// Say what sending the renewed prefix there would read from the cache, and what it would bill anew
    #[arg(long = "for", value_name = "TARGET", value_parser = parse_target)]
    pub(crate) target: Option<antefix::deliver::Target>,

    #[command(flatten)]
    pub(crate) store: StoreArgs,

    /// Everything in one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(ClapArgs)]
#[command(after_help = "\
Examples:
  antefix renew chat-7 --cause reloaded")]
pub(crate) struct RenewArgs {
    /// The conversation's id
    #[arg(value_name = "CONVERSATION")]
    pub(crate) id: String,

    /// Why
    #[arg(long, value_name = "CAUSE", default_value = "requested", value_parser = antefix::freeze::Cause::parse_given)]
    pub(crate) cause: antefix::freeze::Cause,

    #[command(flatten)]
    pub(crate) compose: ComposeArgs,

    #[command(flatten)]
    pub(crate) store: StoreArgs,

    /// The outcome as one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(ClapArgs)]
#[command(after_help = "\
`begin` prints the system text for the request that summarizes, and its token on stderr. The ledger changes only with
`commit`, except that a conversation that nobody opened is opened. A second `begin` takes the place of the first.

Examples:
  antefix compact chat-7 begin --json --for anthropic --messages messages.json > compaction.json
  jq .fragment compaction.json             the request for the summary: it reads what is cached of the conversation
  antefix compact chat-7 commit \"$(jq -r .token compaction.json)\"
  antefix compact chat-7 abort TOKEN")]
pub(crate) struct CompactArgs {
    /// The conversation's id
    #[arg(value_name = "CONVERSATION")]
    pub(crate) id: String,

    /// Which step
    pub(crate) step: CompactStep,

    /// The token that `begin` answered, for `commit` and `abort`
    #[arg(required_if_eq_any = [("step", "commit"), ("step", "abort")])]
    pub(crate) token: Option<String>,

    #[command(flatten)]
    pub(crate) compose: ComposeArgs,

    #[command(flatten)]
    pub(crate) deliver: DeliverArgs,

    #[command(flatten)]
    pub(crate) store: StoreArgs,

    /// The outcome as one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CompactStep {
    /// Compose the prompt for the summary
    Begin,
    /// The summary succeeded: begin the new epoch
    Commit,
    /// The summary failed: leave all as it was
    Abort,
}

#[derive(ClapArgs)]
#[command(after_help = "\
The message is in the request of the conversation's next turn, behind what the user said, once. A conversation that
nobody has opened is asked about on a terminal; elsewhere `--new` says that its first turn is still to come.

Examples:
  antefix send chat-7 'The build is red again.'
  antefix send --new chat-8 'Read the notes of last week first.'")]
pub(crate) struct SendArgs {
    /// The conversation's id
    #[arg(value_name = "CONVERSATION")]
    pub(crate) id: String,

    /// What to say
    #[arg(value_parser = NonEmptyStringValueParser::new())]
    pub(crate) message: String,

    /// The conversation is still to be opened: do not ask whether its id is right
    #[arg(long)]
    pub(crate) new: bool,

    #[command(flatten)]
    pub(crate) store: StoreArgs,
}

#[derive(ClapArgs)]
#[command(after_help = "\
A conversation is in use with each turn, renewal, compaction and message; that is noted to the minute, and what was used a
little later than it is noted stays. Texts that no conversation has go in any case. Saved templates stay.

Examples:
  antefix gc                               count the texts that nobody needs
  antefix gc --older-than 90d              and the conversations that nobody has used for 90 days
  antefix gc --older-than 90d --delete")]
pub(crate) struct GcArgs {
    /// Conversations that have not been used for so long, such as 12h, 90d or 4w
    #[arg(long, value_name = "AGE", value_parser = parse_age)]
    pub(crate) older_than: Option<antefix::keeper::Age>,

    /// Delete them; without this they are only counted
    #[arg(long)]
    pub(crate) delete: bool,

    #[command(flatten)]
    pub(crate) store: StoreArgs,

    /// The outcome as one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(ClapArgs)]
#[command(after_help = "\
Its epochs, notices, messages and what it was told go, and with them the texts that no other conversation has. A turn with
the same id opens a new conversation. There is no way back: `antefix export` first, if it may be wanted again.

Examples:
  antefix export chat-7 > chat-7.jsonl && antefix delete chat-7")]
pub(crate) struct DeleteArgs {
    /// The conversation's id
    #[arg(value_name = "CONVERSATION")]
    pub(crate) id: String,

    #[command(flatten)]
    pub(crate) store: StoreArgs,

    /// The outcome as one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(ClapArgs)]
#[command(after_help = "\
Examples:
  antefix export chat-7 > chat-7.jsonl
  antefix import chat-7.jsonl --store sqlite:copy.db")]
pub(crate) struct ExportArgs {
    /// The conversation's id
    #[arg(value_name = "CONVERSATION")]
    pub(crate) id: String,

    #[command(flatten)]
    pub(crate) store: StoreArgs,
}

#[derive(ClapArgs)]
#[command(after_help = "\
The file may hold several ledgers, one behind the other. All of it is checked first, and then all of it is taken in or
nothing. A ledger that is there already, in part or in full, must have the same epochs; what it lacks is appended.
Importing the same file again changes nothing.

Examples:
  antefix import chat-7.jsonl --store sqlite:copy.db
  cat *.jsonl | antefix import")]
pub(crate) struct ImportArgs {
    /// What `export` wrote (`-` is stdin)
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath, default_value = "-")]
    pub(crate) file: PathBuf,

    #[command(flatten)]
    pub(crate) store: StoreArgs,

    /// The outcome as one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

fn parse_age(text: &str) -> Result<antefix::keeper::Age, String> {
    antefix::keeper::Age::parse(text).map_err(|error| error.hint().unwrap_or_default().to_owned())
}
