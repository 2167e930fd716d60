//! Commands about the built-in texts, the project and the shell.

use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueHint};

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
Makes .antefix/layout.toml, .antefix/prompts/project.md and .antefix/wording.toml in the project. Nothing is
overwritten: if one of them is there, nothing is made.")]
pub(crate) struct InitArgs {
    /// The project, or a directory in it
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) cwd: Option<PathBuf>,
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
