//! `antefix serve`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueEnum, ValueHint};

#[derive(ClapArgs)]
#[command(after_help = "\
Listens on loopback alone unless told otherwise, and wants a token with every request: it is in the file of
--token-file, made at the first start. The first line on stdout says where it listens; the second is a link that opens
the page in a browser, once.

What a flag does not say, its environment variable says, then the configuration file: serve.toml beside your
settings.toml, or the file of --config, with the long names of these flags as keys (roots, hosts and embed_origins are lists).

Examples:
  antefix serve
  antefix serve --listen 127.0.0.1:0 --root ~/work --store sqlite:/tmp/ledger.db
  antefix serve --listen 0.0.0.0:7777 --host prompts.example --token-file /run/secrets/antefix --store postgres://…

  curl -H \"Authorization: Bearer $(cat ~/.local/state/antefix/token)\" http://127.0.0.1:7777/system-prompt")]
pub(crate) struct ServeArgs {
    /// Where to listen [default: 127.0.0.1:7777]; port 0 picks one; unix:/path is a socket for its own user
    #[arg(long, value_name = "ADDRESS", env = "ANTEFIX_LISTEN")]
    pub(crate) listen: Option<String>,

    /// sqlite:PATH, postgres://… or memory [default: the same as of `antefix turn`]
    #[arg(long, value_name = "URL", env = "ANTEFIX_STORE", hide_env_values = true)]
    pub(crate) store: Option<String>,

    /// A built-in layout's name, or a layout file [default: the same as of `antefix show`]
    #[arg(long, value_name = "LAYOUT", env = "ANTEFIX_LAYOUT", value_hint = ValueHint::FilePath)]
    pub(crate) layout: Option<String>,

    /// A directory that requests may work in, with all below it [default: the one started in]; may be given several times
    #[arg(long = "root", value_name = "DIR", env = "ANTEFIX_ROOTS", value_delimiter = ':', value_hint = ValueHint::DirPath)]
    pub(crate) roots: Vec<PathBuf>,

    /// A name, with its port if that is another one, under which requests may come, or https://NAME if a proxy in front speaks TLS; may be given several times
    #[arg(long = "host", value_name = "NAME", env = "ANTEFIX_HOSTS", value_delimiter = ',')]
    pub(crate) hosts: Vec<String>,

    /// An origin whose pages may show the page in a frame, such as https://app.example; may be given several times
    #[arg(long = "embed-origin", value_name = "ORIGIN", env = "ANTEFIX_EMBED_ORIGINS", value_delimiter = ',')]
    pub(crate) embed_origins: Vec<String>,

    /// The token's file [default: $XDG_STATE_HOME/antefix/token]
    #[arg(long, value_name = "FILE", env = "ANTEFIX_TOKEN_FILE", value_hint = ValueHint::FilePath)]
    pub(crate) token_file: Option<PathBuf>,

    /// The configuration file [default: serve.toml beside your settings.toml, if it is there]
    #[arg(long, value_name = "FILE", env = "ANTEFIX_CONFIG", value_hint = ValueHint::FilePath)]
    pub(crate) config: Option<PathBuf>,

    /// The largest body of a request, in bytes [default: 8388608]
    #[arg(long, value_name = "BYTES", env = "ANTEFIX_BODY_LIMIT")]
    pub(crate) body_limit: Option<usize>,

    /// The bodies of all requests at once, in bytes [default: 67108864]
    #[arg(long, value_name = "BYTES", env = "ANTEFIX_BODY_BUDGET")]
    pub(crate) body_budget: Option<usize>,

    /// How long a request may take, in seconds [default: 30]
    #[arg(long, value_name = "SECONDS", env = "ANTEFIX_TIME_LIMIT")]
    pub(crate) time_limit: Option<u64>,

    /// How many requests are composed at once [default: four for each processor]
    #[arg(long, value_name = "COUNT", env = "ANTEFIX_CONCURRENCY")]
    pub(crate) concurrency: Option<usize>,

    /// Which requests get a line on stderr [default: all]
    #[arg(long, value_name = "WHICH", env = "ANTEFIX_LOG")]
    pub(crate) log: Option<LoggedArg>,

    /// Print the OpenAPI document, and do nothing else
    #[arg(long)]
    pub(crate) openapi: bool,

    /// Print no link for a browser
    #[arg(long, env = "ANTEFIX_NO_LINK")]
    pub(crate) no_link: bool,
}

/// Which requests are logged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LoggedArg {
    /// Every one
    All,
    /// Those that failed
    Errors,
    /// None
    None,
}

impl From<LoggedArg> for antefix_server::Logged {
    fn from(logged: LoggedArg) -> antefix_server::Logged {
        match logged {
            LoggedArg::All => antefix_server::Logged::All,
            LoggedArg::Errors => antefix_server::Logged::Errors,
            LoggedArg::None => antefix_server::Logged::None,
        }
    }
}
