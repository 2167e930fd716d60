//! `antefix serve`: everything over HTTP. Flags come first, then the environment, then a file, then defaults.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use antefix::Antefix;
use antefix::project::LayoutChoice;
use antefix_server::{Address, Limits, Logged, Options, Server, Stopped, Token};
use serde::Deserialize;

use crate::args::ServeArgs;
use crate::{Failure, Outcome, ask, input, machine, terminal};

/// The default of `--listen`.
const LISTEN: &str = "127.0.0.1:7777";

pub(crate) fn run(args: &ServeArgs) -> Outcome {
    if args.openapi {
        terminal::print_result(&antefix_server::openapi())?;
        return Ok(ExitCode::SUCCESS);
    }
    let config = Config::new(args)?;
    let token = Token::load(&config.token_file)?;
    let mut builder = Antefix::builder().world(machine::world());
    if let Some(store) = config.store {
        builder = builder.store(store);
    }
    if let Some(layout) = config.layout {
        builder = builder.layout(LayoutChoice::named(&layout, &ask::current()?));
    }
    let antefix = builder.build()?;
    // Once, and in no answer: whoever asks over HTTP cannot change it.
    terminal::print_diagnostics(&antefix.shared_files());
    antefix_server::log_panics();
    let runtime = antefix_server::runtime()?;
    let served: Result<Stopped, Failure> = runtime.block_on(async {
        let listener = config.listen.bind()?;
        let at = listener.address()?;
        let server = Server::new(antefix, token, &at, config.options)?;
        announce(&at, &server, args.no_link)?;
        Ok(server.serve(listener).await)
    });
    // Work that takes longer than anybody waits must not keep the process.
    runtime.shutdown_background();
    match served? {
        Stopped::InOrder => Ok(ExitCode::SUCCESS),
        Stopped::AtOnce(signal) => machine::die_by(signal),
    }
}

/// Says where, and how a browser gets in.
fn announce(at: &Address, server: &Server, no_link: bool) -> Result<(), Failure> {
    let Address::Port(at) = at else {
        // No browser opens a socket.
        return terminal::print_result(&format!("listening on {at}\n"));
    };
    terminal::print_result(&format!("listening on http://{at}\n"))?;
    if !no_link {
        let link = server.link()?;
        let how = "it works once, for 15 minutes";
        terminal::print_result(&format!("open http://{at}{link} in a browser: {how}\n"))?;
    }
    Ok(())
}

/// Everything that is decided before the server listens.
struct Config {
    listen: Address,
    store: Option<String>,
    layout: Option<String>,
    token_file: PathBuf,
    options: Options,
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
    embed_origins: Vec<String>,
    token_file: Option<PathBuf>,
    body_limit: Option<usize>,
    body_budget: Option<usize>,
    time_limit: Option<u64>,
    concurrency: Option<usize>,
    log: Option<Logged>,
}

impl Config {
    /// Puts the layers together. clap has put flags over the environment already.
    fn new(args: &ServeArgs) -> Result<Config, Failure> {
        let file = file(args.config.as_deref())?;
        let listen = args.listen.clone().or(file.listen).unwrap_or_else(|| LISTEN.to_owned());
        let listen = Address::parse(&listen)?;
        let hosts = if args.hosts.is_empty() { file.hosts } else { args.hosts.clone() };
        let named = args.token_file.clone().or(file.token_file);
        if let Address::Port(port) = listen
            && !port.ip().is_loopback()
        {
            check_beyond_loopback(port, &hosts, named.as_deref())?;
        }
        let usual = Limits::default();
        let mut options = Options::default();
        options.roots = if args.roots.is_empty() { file.roots } else { args.roots.clone() };
        options.hosts = hosts;
        options.embed_origins =
            if args.embed_origins.is_empty() { file.embed_origins } else { args.embed_origins.clone() };
        options.limits = Limits {
            body: args.body_limit.or(file.body_limit).unwrap_or(usual.body),
            bodies: args.body_budget.or(file.body_budget).unwrap_or(usual.bodies),
            time: args.time_limit.or(file.time_limit).map_or(usual.time, |seconds| Duration::from_secs(seconds.max(1))),
            concurrency: args.concurrency.or(file.concurrency).unwrap_or(usual.concurrency).max(1),
        };
        options.log = args.log.map(Logged::from).or(file.log).unwrap_or_default();
        Ok(Config {
            listen,
            store: args.store.clone().or(file.store).filter(|store| !store.is_empty()),
            layout: args.layout.clone().or(file.layout),
            token_file: match named {
                Some(file) => file,
                None => default_token_file()?,
            },
            options,
        })
    }
}

fn file(named: Option<&Path>) -> Result<File, Failure> {
    let path = match named {
        Some(path) => path.to_owned(),
        None => match directory("XDG_CONFIG_HOME", ".config").map(|config| config.join("antefix/serve.toml")) {
            Some(path) if path.exists() => path,
            _ => return Ok(File::default()),
        },
    };
    // It can name a layout, and with it programs to run.
    let absolute = std::path::absolute(&path).unwrap_or_else(|_| path.clone());
    Antefix::refuse_shared(&machine::world(), &absolute)?;
    let text = input::read(&path)?;
    toml::from_str(&text).map_err(|error| Failure::plain(format!("{}: {}", path.display(), error.message())))
}

/// Beyond loopback everything that guards the server must be somebody's decision.
fn check_beyond_loopback(listen: SocketAddr, hosts: &[String], token_file: Option<&Path>) -> Result<(), Failure> {
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
