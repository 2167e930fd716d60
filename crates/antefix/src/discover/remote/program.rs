//! A program that prints a text.
//!
//! It runs in the user's home and not in the workspace, without a shell and with an environment built from nothing, and is
//! looked for where the repository cannot have put one. To print nothing and exit with 0 says that there is no text;
//! every other end says nothing.

use std::path::Path;

use super::{RemoteLimits, at_home, decoded};
use crate::discover::Workspace;
use crate::discover::environment::{self, Started};
use crate::discover::world::{Answer, Command, Kill, Output, ReasonCode, World};

/// How much of an error line is reported.
const REPORTED: usize = 200;

/// Runs the program.
pub(super) fn ask(world: &dyn World, workspace: &Workspace, words: &[String], limits: RemoteLimits) -> Answer<String> {
    let Some((program, args)) = words.split_first() else { return Answer::Absent };
    let program = match program.strip_prefix("~/") {
        Some(_) => at_home(workspace, Path::new(program)).to_string_lossy().into_owned(),
        None => program.clone(),
    };
    let command = Command {
        program,
        args: args.to_vec(),
        env: environment(world, workspace),
        cwd: workspace.home.clone().unwrap_or_else(|| workspace.root.clone()),
        stdin: Vec::new(),
        time_limit: limits.time,
        output_limit: limits.bytes,
        // It is the user's own, and may have started an agent that keeps keys for it.
        kill: Kill::Group,
    };
    world.run(&command).and_then(|output| match output {
        Output { more: true, .. } => {
            Answer::unavailable(ReasonCode::Failed, format!("it printed more than {} bytes", limits.bytes))
        }
        Output { code: Some(0), stdout, .. } => decoded(stdout),
        Output { code, stderr, .. } => {
            let end = match code {
                Some(code) => format!("exit code {code}"),
                None => "ended by a signal".to_owned(),
            };
            Answer::unavailable(ReasonCode::Failed, format!("{end}{}", complaint(&stderr)))
        }
    })
}

/// What programs of its kind get, and a language that does not depend on the user's.
fn environment(world: &dyn World, workspace: &Workspace) -> Vec<(String, String)> {
    let mut environment = environment::environment(world, Started::TextProgram, &workspace.root);
    environment.push(("LANG".to_owned(), "C.UTF-8".to_owned()));
    environment
}

/// The first line of the error output, made harmless for a terminal.
fn complaint(stderr: &[u8]) -> String {
    let stderr = String::from_utf8_lossy(stderr);
    let harmless = |line: &str| line.chars().filter(|c| !c.is_control()).collect::<String>().trim().to_owned();
    let Some(line) = stderr.lines().map(harmless).find(|line| !line.is_empty()) else { return String::new() };
    let line: String = line.chars().take(REPORTED).collect();
    format!(": {line}")
}
