//! The command line: one file a group of commands.

mod agents;
mod compose;
mod ledger;
mod project;
mod reading;
#[cfg(feature = "serve")]
mod serve;

use clap::builder::styling::{AnsiColor, Styles};
use clap::{Parser, Subcommand};

pub(crate) use agents::{AcpArgs, AgentsArgs};
pub(crate) use compose::{
    CheckArgs, CheckFormat, ComposeArgs, DeliverArgs, DiffArgs, DiffFormat, ExplainArgs, LockArgs, Part, ShowArgs,
};
pub(crate) use ledger::{
    CompactArgs, CompactStep, DeleteArgs, DriftArgs, EpochsArgs, ExportArgs, GcArgs, ImportArgs, RenewArgs, SendArgs,
    StoreArgs, TurnArgs,
};
pub(crate) use project::{CompletionsArgs, DoctorArgs, HelpArgs, InitArgs, LayoutsArgs, TrustArgs, VarsArgs};
pub(crate) use reading::{AuditArgs, Since, WhyArgs};
#[cfg(feature = "serve")]
pub(crate) use serve::ServeArgs;

/// Headings in green, what to type in cyan: the same as cargo.
const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default());

/// Compose the system prompt of an agent, and account for every byte of it.
#[derive(Parser)]
#[command(name = "antefix", version, styles = STYLES, max_term_width = 100, after_help = EXAMPLES, disable_help_subcommand = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXAMPLES: &str = "\
Examples:
  antefix show                        what would my agent be told, here?
  antefix explain                     by which file, and what was left out?
  antefix check                       what is wrong with it?
  antefix agents                      what do Claude Code, Codex and others read here?
  antefix audit                       what did my agents cost, and what of it was paid twice?
  antefix init                        a layout of my own to start from
  antefix show --template prompt.md   one file as the whole prompt
  antefix turn chat-7                 the same bytes, turn after turn

`antefix doctor` looks at what is around; `antefix help` lists the pages of the reference, such as
`antefix help layout` and `antefix help settings`.

Exit codes: 0 done, 1 the input has errors, 2 wrong usage, 3 the store or the machine failed.";

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Print the prompt, byte for byte
    Show(ShowArgs),
    /// Say where every byte of the prompt came from, and what was left out
    Explain(ExplainArgs),
    /// Look for mistakes; exit with 1 if there are errors
    Check(CheckArgs),
    /// Say which agent reads which file here, and what is worth knowing about that
    Agents(AgentsArgs),
    /// Say what a change in git does to what agents are told
    Diff(DiffArgs),
    /// Write down the digests of what agents are told from outside the repository
    Lock(LockArgs),
    /// List the variables that a template may use
    Vars(VarsArgs),
    /// List the built-in layouts, or print one to copy
    Layouts(LayoutsArgs),
    /// Make a commented .antefix/ to start from
    Init(InitArgs),
    /// Look at what is around, and say what to do about it
    Doctor(DoctorArgs),
    /// Let the project's hooks run, by their bytes
    Trust(TrustArgs),
    /// Open a conversation, or go on with it: the same bytes every turn
    Turn(TurnArgs),
    /// List the epochs of a conversation, print one, or say what changed between two
    Epochs(EpochsArgs),
    /// Say what composing now would change, and what that would cost
    Drift(DriftArgs),
    /// Say whether a provider's cache was hit as expected, and if not, why
    Why(WhyArgs),
    /// Say what past sessions of agents on this machine cost, and what of it was paid twice
    Audit(AuditArgs),
    /// Begin a new epoch, unless the bytes are the same
    Renew(RenewArgs),
    /// Compact a conversation in two steps, so that a failed summary changes nothing
    Compact(CompactArgs),
    /// Queue a message for a conversation's next turn
    Send(SendArgs),
    /// Find conversations that nobody has used for long, and texts that no epoch names any more
    Gc(GcArgs),
    /// Write a conversation's ledger as JSON lines
    Export(ExportArgs),
    /// Read ledgers that `export` wrote
    Import(ImportArgs),
    /// End a conversation: its ledger goes
    Delete(DeleteArgs),
    /// Run between an editor and an agent of the Agent Client Protocol, and deliver the prompt
    Acp(AcpArgs),
    /// Answer over HTTP: the same for agents in any language, with a page to edit the template
    #[cfg(feature = "serve")]
    Serve(ServeArgs),
    /// Print completions for a shell
    Completions(CompletionsArgs),
    /// Print a page of the reference, or the help of a command
    Help(HelpArgs),
}

impl Command {
    /// Whether the command has its own way to end by a signal: others depend on it, and are told first.
    pub(crate) fn listens_to_signals(&self) -> bool {
        match self {
            Command::Acp(_) => true,
            #[cfg(feature = "serve")]
            Command::Serve(_) => true,
            _ => false,
        }
    }
}
