//! Commands that run between two other programs.

use clap::Args as ClapArgs;

use super::{ComposeArgs, StoreArgs};

#[derive(ClapArgs)]
#[command(after_help = "\
The editor starts antefix in place of the agent; antefix starts the agent. Each session is told the prompt of its own
directory, in the best way that the agent has: `systemPrompt`, `_meta`, a request of the agent's own, a file that it is
started with, or the first message of the user's. `docs/acp.md` has settings for editors.

Examples:
  antefix acp -- claude-agent-acp
  antefix acp --layout buzz --report -- goose acp
  antefix acp --launch-env GEMINI_SYSTEM_MD -- gemini --acp     takes the place of gemini's own prompt

The exit code is the agent's.")]
pub(crate) struct AcpArgs {
    #[command(flatten)]
    pub(crate) compose: ComposeArgs,

    #[command(flatten)]
    pub(crate) store: StoreArgs,

    /// Write a receipt for every session to $XDG_STATE_HOME/antefix/acp/
    #[arg(long)]
    pub(crate) report: bool,

    /// Take the place of the agent's own instructions, if it lets us
    #[arg(long = "override")]
    pub(crate) replace: bool,

    /// Start the agent with a file that this variable names, and deliver the prompt in no other way
    #[arg(long, value_name = "NAME")]
    pub(crate) launch_env: Option<String>,

    /// The key in `_meta` under which the editor brings the operator's prompt [default: antefix.systemPrompt]
    #[arg(long, value_name = "KEY")]
    pub(crate) client_key: Option<String>,

    /// Leave out the live part, which goes with every prompt otherwise
    #[arg(long)]
    pub(crate) no_live: bool,

    /// The agent's program and its arguments; none in a chain of proxies
    #[arg(last = true, value_name = "AGENT")]
    pub(crate) agent: Vec<std::ffi::OsString>,
}
