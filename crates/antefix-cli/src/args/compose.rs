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

    /// What this agent would be given of the files here, its own words left out (`antefix agents` lists them; `check` takes
    /// several, with commas between them, or `all`)
    #[arg(long = "as", value_name = "AGENT", conflicts_with_all = ["template", "layout"])]
    pub(crate) as_agent: Option<String>,

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

    /// The agent's tools: a JSON array of names, or of objects with a `name`. Tools in the shape of any provider, or of MCP, are taken
    /// as they are. Or an object with `tools` and `servers`: `{"servers": {"NAME": {"instructions": "…"}}, "tools": […]}`
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

    /// Do without a section of the layout, by its name (`antefix explain` lists them; may be given several times)
    #[arg(long, value_name = "SECTION", value_delimiter = ',')]
    pub(crate) without: Vec<String>,

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

    /// The id of the provider's last response: the request asks why its cache was missed, where the provider can say
    #[arg(long, value_name = "ID", value_parser = parse_response_id)]
    pub(crate) previous_response: Option<String>,
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
  antefix explain --headings       how long is each part of each file?
  antefix explain --grep pnpm      who says pnpm?
  antefix explain --at 1200        who said byte 1200?
  antefix explain --tools tools.json --for anthropic --all
                                   what does each tool take?
  antefix explain --json | jq '.not_loaded'
  antefix explain --with cwd:../other-clone      how much do two prompts share, and what parts them?
  antefix explain --with layout:pi               the same for another layout, conversation:chat-7 or a file")]
pub(crate) struct ExplainArgs {
    #[command(flatten)]
    pub(crate) compose: ComposeArgs,

    /// Count tools in the shape of a provider's request; without it, in that of the model's own provider
    #[arg(long = "for", value_name = "TARGET", value_parser = parse_target)]
    pub(crate) target: Option<antefix::deliver::Target>,

    /// Say how much of its beginning the prompt shares with another one, what parts them, and what would let them share more:
    /// layout:NAME, cwd:DIR, conversation:ID (its epoch), or a file with a prompt
    #[arg(long, value_name = "OTHER", conflicts_with = "at")]
    pub(crate) with: Option<String>,

    /// sqlite:PATH, postgres://… or memory: where the conversation of --with is kept; ANTEFIX_STORE says the same
    #[arg(long, value_name = "URL", requires = "with")]
    pub(crate) store: Option<String>,

    /// Explain one byte of the prompt
    #[arg(long, value_name = "BYTE", conflicts_with = "json")]
    pub(crate) at: Option<usize>,

    /// Who says this text? Small letters mean capitals as well
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["at", "with"], value_parser = NonEmptyStringValueParser::new())]
    pub(crate) grep: Option<String>,

    /// Count tokens under each Markdown heading, too
    #[arg(long)]
    pub(crate) headings: bool,

    /// List every tool, everything that was not loaded, and everybody who says something
    #[arg(long)]
    pub(crate) all: bool,

    /// Everything in one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

impl ExplainArgs {
    /// How many tools are listed one by one.
    pub(crate) fn shown(&self) -> usize {
        if self.all { usize::MAX } else { 10 }
    }
}

#[derive(ClapArgs)]
#[command(after_help = "\
Examples:
  antefix check
  antefix check --template prompt.md --dialect jinja
  antefix check --deny warnings --max-tokens 20000      in CI: antefix help ci
  antefix check --format sarif > antefix.sarif
  antefix check --as claude-code,codex --max-tokens 20000   what these two are given; `all` are all of them
  antefix check --json | jq '.diagnostics[].message'
  antefix check --for anthropic --model claude-opus-5 --messages messages.json   would the provider take that?
  antefix check --for openai-chat --request request.json                         the same of any request

How much a finding matters is said by `[levels]` in the project's .antefix/check.toml and by `[check]` in
your settings.toml. Exits with 1 if there are errors, with 0 if there are only warnings and notes.
`antefix help findings` explains every code.")]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub(crate) compose: ComposeArgs,

    /// Hold the request that would be sent there against what the provider refuses
    #[arg(long = "for", value_name = "TARGET", value_parser = parse_target)]
    pub(crate) target: Option<antefix::deliver::Target>,

    /// The conversation so far, as the provider takes it: a JSON array of messages (`-` is stdin)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, requires = "target")]
    pub(crate) messages: Option<PathBuf>,

    /// Look at this request alone, whoever made it: the JSON body as it would be sent (`-` is stdin)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, requires = "target", conflicts_with_all = [
        "messages", "layout", "template", "cwd", "tools", "conversation", "machine", "set", "no_memory", "wording", "without",
    ])]
    pub(crate) request: Option<PathBuf>,

    /// Fail on all warnings, or on findings with a code (may be given several times)
    #[arg(long, value_name = "warnings|CODE", value_delimiter = ',', value_parser = antefix::project::Denied::parse)]
    pub(crate) deny: Vec<antefix::project::Denied>,

    /// Fail if the prompt has more tokens
    #[arg(long, value_name = "N")]
    pub(crate) max_tokens: Option<usize>,

    /// For whom findings are printed
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    pub(crate) format: CheckFormat,

    /// The same as --format json
    #[arg(long, conflicts_with = "format")]
    pub(crate) json: bool,
}

#[derive(ClapArgs)]
#[command(after_help = "\
Examples:
  antefix diff                      the last commit and the work tree
  antefix diff main                 main and the work tree
  antefix diff v1..v2               two revisions
  antefix diff origin/main...HEAD --format markdown    what a branch does, as a comment
  antefix diff main --model claude-opus-5              with its tokens and prices

No program of the project is run, and no filter: what is compared is what was committed.")]
pub(crate) struct DiffArgs {
    /// REV, A..B or A...B; HEAD and the work tree without it
    pub(crate) range: Option<String>,

    #[command(flatten)]
    pub(crate) compose: ComposeArgs,

    /// For whom the difference is printed
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    pub(crate) format: DiffFormat,

    /// The same as --format json
    #[arg(long, conflicts_with = "format")]
    pub(crate) json: bool,
}

#[derive(ClapArgs)]
#[command(after_help = "\
Writes .antefix/lock.toml: the digests of instruction files and skills that do not lie in the repository, such as your own
AGENTS.md. `antefix check` warns where one is not the same any more; `--deny lock-mismatch` makes that an error.")]
pub(crate) struct LockArgs {
    #[command(flatten)]
    pub(crate) compose: ComposeArgs,
}

/// For whom a difference is printed.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DiffFormat {
    /// For a terminal
    Human,
    /// A comment on a pull request
    Markdown,
    /// One JSON document
    Json,
}

/// For whom findings are printed.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CheckFormat {
    /// On stderr, with excerpts; a summary on stdout
    Human,
    /// One JSON document
    Json,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// Commands of a GitHub workflow, which annotate a pull request
    Github,
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

fn parse_response_id(text: &str) -> Result<String, String> {
    match antefix::deliver::check_response_id(text) {
        Ok(()) => Ok(text.to_owned()),
        Err(error) => Err(error.hint().unwrap_or(error.message()).to_owned()),
    }
}

pub(super) fn parse_target(text: &str) -> Result<antefix::deliver::Target, String> {
    use antefix::deliver::Target;
    Target::parse(text).ok_or_else(|| {
        let names: Vec<&str> = Target::ALL.iter().map(|target| target.name()).collect();
        format!("there are {}", names.join(", "))
    })
}
