//! The command line.

use std::path::PathBuf;

use clap::builder::styling::{AnsiColor, Styles};
use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum, ValueHint};

/// Headings in green, what to type in cyan: the same as cargo.
const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default());

/// Compose the system prompt of an agent, and account for every byte of it.
#[derive(Parser)]
#[command(name = "antefix", version, styles = STYLES, max_term_width = 100, after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXAMPLES: &str = "\
Examples:
  antefix show                        what would my agent be told, here?
  antefix explain                     by which file, and what was left out?
  antefix check                       what is wrong with it?
  antefix init                        a layout of my own to start from
  antefix show --template prompt.md   one file as the whole prompt
  antefix turn chat-7                 the same bytes, turn after turn

A layout is taken from --layout, else .antefix/layout.toml in the project, else layout.toml in your
configuration directory, else the built-in `coding-agent`. Your own settings.toml beside it may say
env_allow, file_roots, hidden_text, secrets, untrusted_text and trusted, and where the operator's
prompt and the core memory are kept: [identity.operator] and [memory.core], each with file = \"…\",
command = [\"…\"] or http = \"https://…\". A project cannot.

Exit codes: 0 done, 1 the input has errors, 2 wrong usage, 3 the store failed.";

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Print the prompt, byte for byte
    Show(ShowArgs),
    /// Say where every byte of the prompt came from, and what was left out
    Explain(ExplainArgs),
    /// Look for mistakes; exit with 1 if there are errors
    Check(CheckArgs),
    /// List the variables that a template may use
    Vars(VarsArgs),
    /// List the built-in layouts, or print one to copy
    Layouts(LayoutsArgs),
    /// Make a commented .antefix/ to start from
    Init(InitArgs),
    /// Let the project's hooks run, by their bytes
    Trust(TrustArgs),
    /// Open a conversation, or go on with it: the same bytes every turn
    Turn(TurnArgs),
    /// List the epochs of a conversation, print one, or say what changed between two
    Epochs(EpochsArgs),
    /// Say what composing now would change, and what that would cost
    Drift(DriftArgs),
    /// Begin a new epoch, unless the bytes are the same
    Renew(RenewArgs),
    /// Compact a conversation in two steps, so that a failed summary changes nothing
    Compact(CompactArgs),
    /// Queue a message for a conversation's next turn
    Send(SendArgs),
    /// Find texts that no epoch names any more
    Gc(GcArgs),
    /// Write a conversation's ledger as JSON lines
    Export(ExportArgs),
    /// Read a ledger that `export` wrote
    Import(ImportArgs),
    /// Stand between an editor and an agent of the Agent Client Protocol, and deliver the prompt
    Acp(AcpArgs),
    /// Print completions for a shell
    Completions(CompletionsArgs),
}

/// What to compose, and for which situation.
#[derive(Clone, ClapArgs)]
pub(crate) struct ComposeArgs {
    /// A built-in layout's name, or a layout file
    #[arg(long, value_name = "LAYOUT", value_hint = ValueHint::FilePath, conflicts_with = "template")]
    pub(crate) layout: Option<String>,

    /// Compose this one file as a single frozen section (`-` is stdin)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) template: Option<PathBuf>,

    /// How the template spells its holes
    #[arg(long, value_name = "DIALECT", requires = "template", default_value = "bracket")]
    pub(crate) dialect: DialectArg,

    /// The working directory of the conversation
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) cwd: Option<PathBuf>,

    /// The model's name: `explain` counts its tokens, `check` compares its cache minimum
    #[arg(long)]
    pub(crate) model: Option<String>,

    /// The agent's tools: a JSON array of names, or of objects with a `name`
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) tools: Option<PathBuf>,

    /// The conversation's id
    #[arg(long, value_name = "ID")]
    pub(crate) conversation: Option<String>,

    /// The machine that the conversation works on, if there are several: another one begins a new epoch
    #[arg(long, value_name = "NAME")]
    pub(crate) machine: Option<String>,

    /// The clock, in RFC 3339
    #[arg(long, value_name = "INSTANT")]
    pub(crate) now: Option<jiff::Timestamp>,

    /// Answer a fact by hand, such as git:branch=main
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = parse_set)]
    pub(crate) set: Vec<(antefix::discover::FactName, String)>,

    /// Do not ask for the core memory, wherever it is kept
    #[arg(long)]
    pub(crate) no_memory: bool,

    /// A wording file over the built-in, user and workspace ones
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) wording: Option<PathBuf>,
}

#[derive(ClapArgs)]
#[command(after_help = "\
Examples:
  antefix show --layout dispatch
  antefix show --part prefix | sha256sum
  antefix show --for anthropic --model claude-opus-5 --tools tools.json --receipt
  antefix show --touch src/main.rs   what would it be told on top, once it opens that file?
  echo 'On [git:branch].' | antefix show --template - --set git:branch=main")]
pub(crate) struct ShowArgs {
    #[command(flatten)]
    pub(crate) compose: ComposeArgs,

    /// Which side of the boundary
    #[arg(long, value_name = "PART", default_value = "all")]
    pub(crate) part: Part,

    #[command(flatten)]
    pub(crate) deliver: DeliverArgs,

    /// With a target other than plain: the fragment and its receipt in one JSON document
    #[arg(long, conflicts_with = "part")]
    pub(crate) receipt: bool,

    /// Print, instead of the prompt, the notice for when this path is first touched: rules for it, and nested
    /// instruction files (relative to the working directory of the conversation; may be given several times)
    #[arg(long, value_name = "PATH", value_hint = ValueHint::AnyPath, conflicts_with_all = ["part", "target", "receipt"])]
    pub(crate) touch: Vec<PathBuf>,
}

#[derive(ClapArgs)]
#[command(after_help = "\
Examples:
  antefix explain
  antefix explain --at 1200        who said byte 1200?
  antefix explain --json | jq '.not_loaded'")]
pub(crate) struct ExplainArgs {
    #[command(flatten)]
    pub(crate) compose: ComposeArgs,

    /// Explain one byte of the prompt
    #[arg(long, value_name = "BYTE", conflicts_with = "json")]
    pub(crate) at: Option<usize>,

    /// Everything in one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(ClapArgs)]
#[command(after_help = "\
Examples:
  antefix check
  antefix check --template prompt.md --dialect jinja
  antefix check --json | jq '.diagnostics[].message'

Exits with 1 if there are errors, with 0 if there are only warnings and notes.")]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub(crate) compose: ComposeArgs,

    /// Findings as one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(ClapArgs)]
#[command(after_help = "\
Examples:
  antefix vars
  antefix vars --json | jq -r '.variables[].jinja'")]
pub(crate) struct VarsArgs {
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
  antefix trust --revoke
  antefix trust --yes                 without asking, for scripts")]
pub(crate) struct TrustArgs {
    /// List everything that is trusted
    #[arg(long, conflicts_with_all = ["revoke", "yes", "layout"])]
    pub(crate) list: bool,

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

/// In which shape the result is wanted.
#[derive(ClapArgs)]
pub(crate) struct DeliverArgs {
    /// The shape of a provider's request: plain, anthropic, openai-chat, openai-responses, gemini, bedrock, ollama or acp
    #[arg(long = "for", value_name = "TARGET", default_value = "plain", value_parser = parse_target)]
    pub(crate) target: antefix::deliver::Target,

    /// The conversation so far, as the provider takes it: a JSON array of messages (`-` is stdin)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) messages: Option<PathBuf>,
}

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
  antefix turn chat-7 --part prefix | sha256sum")]
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
  antefix drift chat-7 --model claude-opus-4-8 --json")]
pub(crate) struct DriftArgs {
    /// The conversation's id
    #[arg(value_name = "CONVERSATION")]
    pub(crate) id: String,

    #[command(flatten)]
    pub(crate) compose: ComposeArgs,

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
    #[arg(long, value_name = "CAUSE", default_value = "requested", value_parser = parse_cause)]
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
`commit`. A second `begin` takes the place of the first.

Examples:
  antefix compact chat-7 begin --json > compaction.json
  antefix compact chat-7 commit --token \"$(jq -r .token compaction.json)\"
  antefix compact chat-7 abort --token TOKEN")]
pub(crate) struct CompactArgs {
    /// The conversation's id
    #[arg(value_name = "CONVERSATION")]
    pub(crate) id: String,

    /// Which step
    pub(crate) step: CompactStep,

    /// What `begin` answered
    #[arg(long, required_if_eq_any = [("step", "commit"), ("step", "abort")])]
    pub(crate) token: Option<String>,

    #[command(flatten)]
    pub(crate) compose: ComposeArgs,

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
pub(crate) struct SendArgs {
    /// The conversation's id
    #[arg(value_name = "CONVERSATION")]
    pub(crate) id: String,

    /// What to say
    pub(crate) message: String,

    #[command(flatten)]
    pub(crate) store: StoreArgs,
}

#[derive(ClapArgs)]
pub(crate) struct GcArgs {
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
A ledger that is there already, in part or in full, must have the same epochs; what it lacks is appended.")]
pub(crate) struct ImportArgs {
    /// What `export` wrote (`-` is stdin)
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath, default_value = "-")]
    pub(crate) file: PathBuf,

    #[command(flatten)]
    pub(crate) store: StoreArgs,
}

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

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Part {
    /// What is frozen with an epoch
    Prefix,
    /// What is new with every turn
    Suffix,
    /// Both
    All,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DialectArg {
    /// `[git:branch]`: lenient, every text is valid
    Bracket,
    /// `{{ git.branch }}`: strict about names
    Jinja,
    /// No holes
    Plain,
}

impl From<DialectArg> for antefix::compose::Dialect {
    fn from(dialect: DialectArg) -> antefix::compose::Dialect {
        match dialect {
            DialectArg::Bracket => antefix::compose::Dialect::Bracket,
            DialectArg::Jinja => antefix::compose::Dialect::Jinja,
            DialectArg::Plain => antefix::compose::Dialect::Plain,
        }
    }
}

fn parse_set(text: &str) -> Result<(antefix::discover::FactName, String), String> {
    let (name, value) = text.split_once('=').ok_or("write NAME=VALUE, such as git:branch=main")?;
    let name =
        antefix::discover::FactName::parse(name).ok_or("a fact is called `namespace:name`, such as git:branch")?;
    match antefix::discover::catalog::lookup(&name) {
        antefix::discover::catalog::Lookup::Known(_) => Ok((name, value.to_owned())),
        _ => Err(match antefix::discover::catalog::suggestion(&name) {
            Some(meant) => format!("the catalog has no `{name}`; did you mean `{meant}`?"),
            None => format!("the catalog has no `{name}`; `antefix vars` lists the names"),
        }),
    }
}

fn parse_cause(text: &str) -> Result<antefix::freeze::Cause, String> {
    use antefix::freeze::Cause;
    let mine = [Cause::Requested, Cause::Reloaded, Cause::ToolsChanged, Cause::ResourcesChanged, Cause::Moved];
    Cause::parse(text).filter(|cause| mine.contains(cause)).ok_or_else(|| {
        let names: Vec<&str> = mine.iter().map(|cause| cause.name()).collect();
        format!("causes to give are {}", names.join(", "))
    })
}

fn parse_target(text: &str) -> Result<antefix::deliver::Target, String> {
    use antefix::deliver::Target;
    Target::parse(text).ok_or_else(|| {
        let names: Vec<&str> = Target::ALL.iter().map(|target| target.name()).collect();
        format!("there are {}", names.join(", "))
    })
}
