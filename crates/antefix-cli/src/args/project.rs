//! Commands about the built-in texts, the project and the shell.

use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueHint};

use super::StoreArgs;

#[derive(ClapArgs)]
#[command(after_help = "\
Examples:
  antefix vars
  antefix vars --layout yoi
  antefix vars --json | jq -r '.variables[].jinja'")]
pub(crate) struct VarsArgs {
    /// Leave out what this layout hides from templates: a built-in layout's name, or a layout file
    #[arg(long, value_name = "LAYOUT", value_hint = ValueHint::FilePath)]
    pub(crate) layout: Option<String>,

    /// The catalog as one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(ClapArgs)]
#[command(after_help = "\
Examples:
  antefix layouts
  antefix layouts yoi > .antefix/layout.toml
  antefix layouts '$builtin/yoi/default'     one of its templates
  antefix layouts '$wording/cut_notice'      a wording, for a wording.toml

A copy has a mark, and `antefix check` tells when its original has changed since.")]
pub(crate) struct LayoutsArgs {
    /// A layout to print, a `$builtin/…` template, or a `$wording/…`
    pub(crate) name: Option<String>,
}

#[derive(ClapArgs)]
#[command(after_help = "\
Makes .antefix/layout.toml with a comment for each key, .antefix/prompts/project.md and .antefix/wording.toml, and shows what
the prompt is then. Nothing is overwritten: if one of them is there, nothing is made.

On a terminal it asks for which agent the layout is, and which instruction files to tell. Elsewhere, and with --yes, every
instruction file that is there is told.

Examples:
  antefix init
  antefix init --agent claude-code                 tell what Claude Code reads here
  antefix init --instructions AGENTS.md --instructions docs/RULES.md")]
pub(crate) struct InitArgs {
    /// Tell the instruction files that this agent reads, and no others (`antefix agents` lists them)
    #[arg(long, value_name = "AGENT")]
    pub(crate) agent: Option<String>,

    /// Tell the instruction files of this name (may be given several times)
    #[arg(long, value_name = "NAME", conflicts_with = "agent")]
    pub(crate) instructions: Vec<String>,

    /// Do not ask
    #[arg(long)]
    pub(crate) yes: bool,

    /// The project, or a directory in it
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) cwd: Option<PathBuf>,
}

#[derive(ClapArgs)]
#[command(after_help = "\
Looks at git, the project and its layout, your settings, what is trusted, the store, the server's token, the agents that
are installed and the table of models. Nothing is made or changed. Exits with 1 if something is broken.

Examples:
  antefix doctor
  antefix doctor --json | jq '.checks[] | select(.health != \"good\")'")]
pub(crate) struct DoctorArgs {
    /// The project, or a directory in it
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) cwd: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) store: StoreArgs,

    /// Everything in one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(ClapArgs)]
#[command(after_help = "\
Shows the hooks of the project's layout and the digests of the files that they are made of, and
asks. Hooks run as long as those bytes stay as they are; the project's text is trusted with them.
The answer is kept in trust.json under $XDG_STATE_HOME/antefix, outside the project.

Examples:
  antefix trust
  antefix trust --list
  antefix trust --json                what of this project is trusted; nothing changes
  antefix trust --revoke
  antefix trust --yes                 without asking, for scripts")]
pub(crate) struct TrustArgs {
    /// List everything that is trusted
    #[arg(long, conflicts_with_all = ["revoke", "yes", "layout", "json"])]
    pub(crate) list: bool,

    /// Say what of this project is trusted, as one JSON document, and change nothing
    #[arg(long, conflicts_with_all = ["revoke", "yes"])]
    pub(crate) json: bool,

    /// Trust this project no more
    #[arg(long, conflicts_with_all = ["yes", "layout"])]
    pub(crate) revoke: bool,

    /// Do not ask
    #[arg(long)]
    pub(crate) yes: bool,

    /// The layout, if it is not the one that is found
    #[arg(long, value_name = "LAYOUT", value_hint = ValueHint::FilePath)]
    pub(crate) layout: Option<String>,

    /// The project, or a directory in it
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) cwd: Option<PathBuf>,
}

#[derive(ClapArgs)]
#[command(after_help = "\
Examples:
  antefix completions bash > ~/.local/share/bash-completion/completions/antefix
  antefix completions fish > ~/.config/fish/completions/antefix.fish")]
pub(crate) struct CompletionsArgs {
    /// Which shell
    pub(crate) shell: clap_complete::Shell,
}

#[derive(ClapArgs)]
#[command(after_help = "\
A long page goes through the pager of ANTEFIX_PAGER or PAGER, else less.

Examples:
  antefix help                 all commands and topics
  antefix help layout          every key of layout.toml
  antefix help turn            the help of a command
  antefix help findings | grep -A4 cache-minimum")]
pub(crate) struct HelpArgs {
    /// A topic, or a command
    pub(crate) topic: Vec<String>,
}
