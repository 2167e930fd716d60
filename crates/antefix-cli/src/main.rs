//! The program: the only crate that knows a terminal.
//!
//! stdout carries the result alone; diagnostics go to stderr. Exit codes: 0 done, 1 the input has errors, 2 usage, 3 the
//! store or the machine failed. Who is ended by a signal dies of it, which a shell shows as 128 and its number: 130, 143, 129.

mod args;
mod ask;
mod commands;
mod complete;
mod difference;
mod input;
mod machine;
mod question;
mod table;
mod tally;
mod terminal;

use std::process::ExitCode;

use clap::Parser;

use crate::args::{Args, Command};

fn main() -> ExitCode {
    if let Some(code) = antefix::worlds::supervise_if_asked() {
        return code;
    }
    // A shell that asks what could come next gets an answer, and nothing else is done.
    clap_complete::CompleteEnv::with_factory(complete::program).var(complete::VARIABLE).complete();
    let args = Args::parse();
    outlive_full_files();
    let outcome = run(args.command);
    machine::die_if_ending();
    machine::end_programs();
    match outcome {
        Ok(code) => code,
        Err(failure) => failure.report(),
    }
}

fn run(command: Command) -> Outcome {
    if !command.listens_to_signals() {
        machine::end_on_signals()?;
    }
    match command {
        Command::Show(args) => commands::show::run(&args),
        Command::Explain(args) => commands::explain::run(&args),
        Command::Check(args) => commands::check::run(&args),
        Command::Diff(args) => commands::diff::run(&args),
        Command::Lock(args) => commands::lock::run(&args),
        Command::Vars(args) => commands::vars::run(&args),
        Command::Layouts(args) => commands::layouts::run(&args),
        Command::Doctor(args) => commands::doctor::run(&args),
        Command::Init(args) => commands::init::run(&args),
        Command::Trust(args) => commands::trust::run(&args),
        Command::Turn(args) => commands::turn::run(&args),
        Command::Epochs(args) => commands::epochs::run(&args),
        Command::Drift(args) => commands::drift::run(&args),
        Command::Why(args) => commands::why::run(&args),
        Command::Audit(args) => commands::audit::run(&args),
        Command::Renew(args) => commands::renew::run(&args),
        Command::Compact(args) => commands::compact::run(&args),
        Command::Send(args) => commands::send::run(&args),
        Command::Gc(args) => commands::gc::run(&args),
        Command::Export(args) => commands::export::run(&args),
        Command::Import(args) => commands::import::run(&args),
        Command::Delete(args) => commands::delete::run(&args),
        Command::Acp(args) => commands::acp::run(&args),
        Command::Agents(args) => commands::agents::run(&args),
        #[cfg(feature = "serve")]
        Command::Serve(args) => commands::serve::run(&args),
        Command::Help(args) => commands::help::run(&args),
        Command::Completions(args) => commands::completions::run(&args),
    }
}

/// Lets a write beyond the limit of the size of files (`ulimit -f`) fail, as on a full disk, and not end the process by a signal.
/// Programs that are started have the signal's usual meaning.
fn outlive_full_files() {
    #[cfg(unix)]
    {
        // Nobody reads the flag. Where it cannot be set, a full file ends the process, as it would anyway.
        let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, std::sync::Arc::default());
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
                    antefix::ErrorKind::Store(_) | antefix::ErrorKind::Machine => return ExitCode::from(3),
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
