//! What to compose, in which shape, and the commands that keep nothing.

use std::path::PathBuf;

use clap::builder::NonEmptyStringValueParser;
use clap::{Args as ClapArgs, ValueEnum, ValueHint};

/// What to compose, and for which situation.
#[derive(Clone, Default, ClapArgs)]
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
    #[arg(long, value_parser = NonEmptyStringValueParser::new())]
    pub(crate) model: Option<String>,

    /// The agent's tools: a JSON array of names, or of objects with a `name`
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) tools: Option<PathBuf>,

    /// The conversation's id
    #[arg(long, value_name = "ID")]
    pub(crate) conversation: Option<String>,

    /// The machine that the conversation works on, if there are several: another one begins a new epoch
    #[arg(long, value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) machine: Option<String>,

    /// The clock, in RFC 3339
    #[arg(long, value_name = "INSTANT")]
    pub(crate) now: Option<jiff::Timestamp>,

    /// Answer a fact by hand, such as git:branch=main; a list is written in JSON, such as
    /// 'instructions:files=[{"path": "A.md", "text": "Use tabs."}]'
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = parse_set)]
    pub(crate) set: Vec<(antefix::text::FactName, antefix::discover::Given)>,

    /// Do not ask for the core memory, wherever it is kept
    #[arg(long)]
    pub(crate) no_memory: bool,

    /// A wording file over the built-in, user and workspace ones
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) wording: Option<PathBuf>,
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

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Part {
    /// What is frozen with an epoch
    Prefix,
    /// What is new with every turn
    Suffix,
    /// Both
    All,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum DialectArg {
    /// `[git:branch]`: lenient, every text is valid
    #[default]
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

fn parse_set(text: &str) -> Result<(antefix::text::FactName, antefix::discover::Given), String> {
    let (name, value) = text.split_once('=').ok_or("write NAME=VALUE, such as git:branch=main")?;
    let name = antefix::text::FactName::parse(name).ok_or("a fact is called `namespace:name`, such as git:branch")?;
    match antefix::discover::catalog::lookup(&name) {
        antefix::discover::catalog::Lookup::Known(_) => {
            let given = antefix::discover::Given::parse(&name, value)?;
            Ok((name, given))
        }
        _ => Err(match antefix::discover::catalog::suggestion(&name) {
            Some(meant) => format!("the catalog has no `{name}`; did you mean `{meant}`?"),
            None => format!("the catalog has no `{name}`; `antefix vars` lists the names"),
        }),
    }
}

pub(super) fn parse_target(text: &str) -> Result<antefix::deliver::Target, String> {
    use antefix::deliver::Target;
    Target::parse(text).ok_or_else(|| {
        let names: Vec<&str> = Target::ALL.iter().map(|target| target.name()).collect();
        format!("there are {}", names.join(", "))
    })
}
