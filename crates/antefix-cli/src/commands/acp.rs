//! `antefix acp`: the proxy between an editor and an agent.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use antefix::Diagnostic;
use antefix::deliver::Mode;
use antefix_acp::{Again, Launch, Live, Options, Reporter};

use crate::args::AcpArgs;
use crate::{Failure, Outcome, ask, terminal};

pub(crate) fn run(args: &AcpArgs) -> Outcome {
    if args.compose.template.as_deref() == Some(Path::new("-")) {
        return Err(Failure::usage("stdin belongs to the client", "name a file with --template"));
    }
    let antefix = ask::antefix(Some(&args.store))?;
    let launch = args.launch_env.as_ref().map(|variable| -> Result<Launch, Failure> {
        let directory = ask::project(&antefix, args.compose.cwd.as_deref())?.directory().to_owned();
        Ok(Launch { variable: variable.clone(), directory })
    });
    let options = Options {
        agent: args.agent.clone(),
        ask: args.compose.ask()?,
        mode: if args.replace { Mode::Override } else { Mode::Append },
        live: if args.no_live { Live::LeftOut } else { Live::Sent },
        again: if args.tell_again { Again::Tell } else { Again::LeaveOut },
        launch: launch.transpose()?,
        client_key: args.client_key.clone(),
        receipts: args.report.then(receipts).transpose()?,
    };
    Ok(ExitCode::from(antefix_acp::run(antefix, options, Stderr)?))
}

/// `$XDG_STATE_HOME/antefix/acp`.
fn receipts() -> Result<PathBuf, Failure> {
    let absolute = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let state = absolute("XDG_STATE_HOME").or_else(|| absolute("HOME").map(|home| home.join(".local/state")));
    let missing = || Failure::with_hint("there is no home directory to keep receipts in", "set XDG_STATE_HOME");
    Ok(state.ok_or_else(missing)?.join("antefix/acp"))
}

/// What the proxy reports goes to the person at the terminal.
struct Stderr;

impl Reporter for Stderr {
    fn note(&self, message: &str) {
        terminal::print_plain_note(message);
    }

    fn findings(&self, findings: &[Diagnostic]) {
        terminal::print_diagnostics(findings);
    }
}

impl From<antefix_acp::Failure> for Failure {
    fn from(failure: antefix_acp::Failure) -> Failure {
        match failure {
            antefix_acp::Failure::NoAgent => {
                Failure::usage(failure.to_string(), "write the agent's command after `--`")
            }
            antefix_acp::Failure::Antefix(error) => Failure::Input(error),
            antefix_acp::Failure::System { message, hint } => Failure::Plain { message, hint: hint.map(str::to_owned) },
            other => Failure::plain(other.to_string()),
        }
    }
}
