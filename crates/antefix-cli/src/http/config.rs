//! What the server is told: flags, then the environment, then a file, then defaults.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;

use super::listen::Address;
use crate::args::{Logged, ServeArgs};
use crate::{Failure, ledger, setup};

/// The default of `--listen`.
const LISTEN: &str = "127.0.0.1:7777";
/// The default of `--layout`: one saved template is the whole prompt.
const LAYOUT: &str = "dispatch";

/// Everything that was decided before the server listens.
pub(super) struct Config {
    pub(super) listen: Address,
    pub(super) store: String,
    pub(super) layout: String,
    /// Real paths, the first one is where requests work that name no directory.
    pub(super) roots: Vec<PathBuf>,
    pub(super) hosts: Vec<String>,
    pub(super) token_file: PathBuf,
    pub(super) limits: Limits,
    pub(super) log: Logged,
    pub(super) link: Link,
}

/// What a client may ask of the server.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    /// Bytes of a body.
    pub(super) body: usize,
    /// From the first byte of a request to its answer.
    pub(super) time: Duration,
    /// Compositions at once.
    pub(super) work: usize,
}

/// Whether a link for a browser is printed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Link {
    Printed,
    Left,
}

/// The configuration file.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct File {
    listen: Option<String>,
    store: Option<String>,
    layout: Option<String>,
    roots: Vec<PathBuf>,
    hosts: Vec<String>,
    token_file: Option<PathBuf>,
    body_limit: Option<usize>,
    time_limit: Option<u64>,
    concurrency: Option<usize>,
    log: Option<Logged>,
}

impl Config {
    /// Puts the layers together. clap has put flags over the environment already.
    pub(super) fn new(args: &ServeArgs) -> Result<Config, Failure> {
        let file = file(args.config.as_deref())?;
        let listen = args.listen.clone().or(file.listen).unwrap_or_else(|| LISTEN.to_owned());
        let listen = Address::parse(&listen)?;
        let hosts = if args.hosts.is_empty() { file.hosts } else { args.hosts.clone() };
        let named = args.token_file.clone().or(file.token_file);
        if let Address::Port(port) = listen
            && !port.ip().is_loopback()
        {
            beyond_loopback(port, &hosts, named.as_deref())?;
        }
        let roots = if args.roots.is_empty() { file.roots } else { args.roots.clone() };
        let limits = Limits {
            body: args.body_limit.or(file.body_limit).unwrap_or(8 * 1024 * 1024),
            time: Duration::from_secs(args.time_limit.or(file.time_limit).unwrap_or(30).max(1)),
            work: args.concurrency.or(file.concurrency).unwrap_or_else(|| 4 * processors()).max(1),
        };
        Ok(Config {
            listen,
            store: ledger::address(args.store.as_deref().or(file.store.as_deref()))?,
            layout: args.layout.clone().or(file.layout).unwrap_or_else(|| LAYOUT.to_owned()),
            roots: real_roots(&roots)?,
            hosts,
            token_file: match named {
                Some(file) => file,
                None => default_token_file()?,
            },
            limits,
            log: args.log.or(file.log).unwrap_or(Logged::All),
            link: if args.no_link { Link::Left } else { Link::Printed },
        })
    }
}

fn processors() -> usize {
    std::thread::available_parallelism().map_or(2, usize::from)
}

fn file(named: Option<&Path>) -> Result<File, Failure> {
    let path = match named {
        Some(path) => path.to_owned(),
        None => match directory("XDG_CONFIG_HOME", ".config").map(|config| config.join("antefix/serve.toml")) {
            Some(path) if path.exists() => path,
            _ => return Ok(File::default()),
        },
    };
    let text = setup::read(&path)?;
    toml::from_str(&text).map_err(|error| Failure::plain(format!("{}: {}", path.display(), error.message())))
}

/// Beyond loopback everything that guards the server must be somebody's decision.
fn beyond_loopback(listen: SocketAddr, hosts: &[String], token_file: Option<&Path>) -> Result<(), Failure> {
    let message = format!("{listen} can be reached from other machines");
    if hosts.is_empty() {
        return Err(Failure::usage(message, "say under which names with --host NAME, or listen on 127.0.0.1"));
    }
    match token_file {
        Some(file) if file.exists() => Ok(()),
        Some(file) => {
            let hint = format!("put a token of 32 characters or more into {}, with mode 600", file.display());
            Err(Failure::usage(message, hint))
        }
        None => Err(Failure::usage(message, "name the file of a token with --token-file, or listen on 127.0.0.1")),
    }
}

fn real_roots(named: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let here = [PathBuf::from(".")];
    let named = if named.is_empty() { &here[..] } else { named };
    let real = |root: &PathBuf| {
        let directory = setup::existing(Some(root), "--root names a directory that may be asked about")?;
        std::fs::canonicalize(&directory).map_err(|error| Failure::plain(format!("{}: {error}", root.display())))
    };
    named.iter().map(real).collect()
}

fn default_token_file() -> Result<PathBuf, Failure> {
    let hint = "name a file with --token-file";
    let state = directory("XDG_STATE_HOME", ".local/state");
    state
        .map(|state| state.join("antefix/token"))
        .ok_or_else(|| Failure::with_hint("there is no home directory to keep the token in", hint))
}

/// A directory that a variable names, else one in the home directory.
fn directory(variable: &str, at_home: &str) -> Option<PathBuf> {
    let absolute = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    absolute(variable).or_else(|| absolute("HOME").map(|home| home.join(at_home)))
}
