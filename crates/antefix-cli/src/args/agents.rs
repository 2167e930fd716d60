//! Commands about agents: what they read, and running between one and its editor.

use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueHint};

use super::{ComposeArgs, StoreArgs};

#[derive(ClapArgs)]
#[command(after_help = "\
The editor starts antefix in place of the agent; antefix starts the agent. Each session is told the prompt of its own
directory, in the best way that the agent has: `systemPrompt`, `_meta`, a request of the agent's own, a file that it is
started with, or the first message of the user's. `antefix help editors` has settings for editors.

Files and skills that the agent is known to read by itself (`antefix agents`) are left out.

Examples:
  antefix acp --template my.md -- claude-agent-acp     only your own text
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

    /// Tell the agent also the files and skills that it reads by itself
    #[arg(long)]
    pub(crate) tell_again: bool,

    /// Leave out the live part, which goes with every prompt otherwise
    #[arg(long)]
    pub(crate) no_live: bool,

    /// The agent's program and its arguments; none in a chain of proxies
    #[arg(last = true, value_name = "AGENT")]
    pub(crate) agent: Vec<std::ffi::OsString>,
}

#[derive(ClapArgs)]
#[command(after_help = "\
Examples:
  antefix agents                      files by agents, what each is given, and findings
  antefix agents codex                one agent in full
  antefix agents claude-code codex    two side by side
  antefix agents --all                every file and every finding
  antefix show --as codex             what it would be given, its own words left out
  antefix agents --json | jq '.agents[] | {name, bytes, tokens}'

What an agent reads is data: files in `agents/` of your configuration directory replace or add to the built-in ones.")]
pub(crate) struct AgentsArgs {
    /// Agents by name, or by the program that starts one; without any, all
    #[arg(value_name = "AGENT")]
    pub(crate) agents: Vec<String>,

    /// The directory that the agent is started in
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) cwd: Option<PathBuf>,

    /// List every file and every finding
    #[arg(long)]
    pub(crate) all: bool,

    /// Do not count tokens, which takes longer than all the rest
    #[arg(long)]
    pub(crate) no_tokens: bool,

    /// Everything in one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}
