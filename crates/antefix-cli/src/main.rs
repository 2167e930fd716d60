//! The program: the only crate that knows a terminal.
//!
//! stdout carries the result alone; diagnostics go to stderr. Exit codes: 0 done, 1 the input has errors, 2 usage, 3 the
//! store failed.

mod args;
mod ask;
mod commands;
mod counts;
mod difference;
mod input;
mod tally;
mod terminal;

use std::process::ExitCode;

use clap::Parser;

use crate::args::{Args, Command};

fn main() -> ExitCode {
    let args = Args::parse();
    let outcome = match args.command {
        Command::Show(args) => commands::show::run(&args),
        Command::Explain(args) => commands::explain::run(&args),
        Command::Check(args) => commands::check::run(&args),
        Command::Vars(args) => commands::vars::run(&args),
        Command::Layouts(args) => commands::layouts::run(&args),
        Command::Init(args) => commands::init::run(&args),
        Command::Trust(args) => commands::trust::run(&args),
        Command::Turn(args) => commands::turn::run(&args),
        Command::Epochs(args) => commands::epochs::run(&args),
        Command::Drift(args) => commands::drift::run(&args),
        Command::Why(args) => commands::why::run(&args),
        Command::Renew(args) => commands::renew::run(&args),
        Command::Compact(args) => commands::compact::run(&args),
        Command::Send(args) => commands::send::run(&args),
        Command::Gc(args) => commands::gc::run(&args),
        Command::Export(args) => commands::export::run(&args),
        Command::Import(args) => commands::import::run(&args),
        Command::Delete(args) => commands::delete::run(&args),
        Command::Acp(args) => commands::acp::run(&args),
        #[cfg(feature = "serve")]
        Command::Serve(args) => commands::serve::run(&args),
        Command::Completions(args) => commands::completions::run(&args),
    };
    match outcome {
        Ok(code) => code,
        Err(failure) => failure.report(),
    }
}

/// Why a command could not do its work.
enum Failure {
    /// The input has errors.
    Input(Box<antefix::Error>),
    /// The input has errors that are about no text.
    Plain { message: String, hint: Option<String> },
    /// The arguments make no sense.
    Usage { message: String, hint: String },
    /// The reader of our output has gone; there is nobody left to tell.
    Closed,
}

impl Failure {
    fn plain(message: impl Into<String>) -> Failure {
        Failure::Plain { message: message.into(), hint: None }
    }

    fn with_hint(message: impl Into<String>, hint: impl Into<String>) -> Failure {
        Failure::Plain { message: message.into(), hint: Some(hint.into()) }
    }

    fn usage(message: impl Into<String>, hint: impl Into<String>) -> Failure {
        Failure::Usage { message: message.into(), hint: hint.into() }
    }

    fn report(self) -> ExitCode {
        match self {
            Failure::Closed => return ExitCode::SUCCESS,
            Failure::Input(error) => {
                terminal::print_error(&error);
                match error.kind() {
                    antefix::ErrorKind::Store(_) => return ExitCode::from(3),
                    antefix::ErrorKind::Address => return ExitCode::from(2),
                    _ => {}
                }
            }
            Failure::Usage { message, hint } => {
                terminal::print_plain_error(&message, Some(&hint));
                return ExitCode::from(2);
            }
            Failure::Plain { message, hint } => terminal::print_plain_error(&message, hint.as_deref()),
        }
        ExitCode::from(1)
    }
}

impl From<antefix::Error> for Failure {
    fn from(error: antefix::Error) -> Failure {
        Failure::Input(Box::new(error))
    }
}

/// What every command returns.
type Outcome = Result<ExitCode, Failure>;
