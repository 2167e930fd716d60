//! Running one program within its limits.
//!
//! 1. The program is looked up in absolute directories only, so a repository that is the working directory cannot
//!    supply it.
//! 2. It gets the environment and the input it is given and nothing else, and a process group of its own.
//! 3. Whichever way it ends, the whole group is killed and the program is waited for: nothing of it is left behind.
//!    Only a descendant that moved itself to another group escapes, and then it holds up nobody; if the command says so,
//!    it is looked for and killed as well.
//! 4. If we die before the program does, its supervisor or its watcher kills it, where the world has one.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::pause::{SHORTEST_PAUSE, longer};
use super::pipes::{Pipes, read_output, write_input};
use super::programs::{Programs, Running};
use super::started::Started;
use crate::discover::world::{Answer, Command, Output, ReasonCode};

/// Runs a program to its end or its limits. `supervisor` is the program that supervises and watches others.
pub(super) fn run(command: &Command, programs: &Programs, supervisor: Option<&Path>) -> Answer<Output> {
    let Some(program) = find(command) else {
        return Answer::unavailable(ReasonCode::NotInstalled, &command.program);
    };
    if !command.cwd.is_dir() {
        return Answer::unavailable(ReasonCode::Failed, format!("no directory {}", command.cwd.display()));
    }
    let Some(running) = programs.begin() else { return stopped(command) };
    let begun = Instant::now();
    let mut started = match Started::start(&program, command, supervisor) {
        Ok(started) => started,
        Err(error) => return failed(command, &error),
    };
    let pipes = Arc::new(Pipes::default());
    let piped = read_output(&mut started.child, &pipes, command.output_limit)
        .and_then(|()| write_input(&mut started.child, &pipes, &command.stdin));
    let end = match piped {
        Ok(()) => Watch { begun, deadline: begun.checked_add(command.time_limit), running: &running, supervisor }
            .until_end(&mut started, &pipes),
        Err(_) => End::Done,
    };
    let code = started.end();
    let captured = pipes.close();
    match (piped.and(code), end) {
        (_, End::TimedOut) => Answer::unavailable(ReasonCode::TimedOut, overdue(command)),
        (_, End::Stopped) => stopped(command),
        (Err(error), End::Done) => failed(command, &error),
        (Ok(code), End::Done) => Answer::Present(Output {
            code: code.filter(|_| !captured.more),
            stdout: captured.stdout,
            more: captured.more,
            stderr: captured.stderr,
        }),
    }
}

/// The answer for a program that may not run, or no longer.
fn stopped(command: &Command) -> Answer<Output> {
    Answer::unavailable(ReasonCode::Failed, format!("{}: not run to its end, as antefix is stopping", command.program))
}

fn failed(command: &Command, error: &io::Error) -> Answer<Output> {
    Answer::unavailable(ReasonCode::Failed, format!("{}: {error}", command.program))
}

/// For example `git status: over 2 s`.
fn overdue(command: &Command) -> String {
    let first = command.args.first().map(|arg| format!(" {arg}")).unwrap_or_default();
    format!("{}{first}: over {} s", command.program, command.time_limit.as_secs_f64())
}

/// The program's absolute path.
///
/// An empty entry of `PATH` means the working directory, and so does every relative one: they are passed over. A
/// program that is named by an absolute path needs no `PATH`; one that is named by a relative path is not found.
fn find(command: &Command) -> Option<PathBuf> {
    let name = Path::new(&command.program);
    if name.is_absolute() {
        return is_executable(name).then(|| name.to_owned());
    }
    if name.components().count() != 1 || name.file_name().is_none() {
        return None;
    }
    // The last value of a variable that is given twice is the one that the program would see.
    let (_, path) = command.env.iter().rev().find(|(key, _)| key == "PATH")?;
    // Batch files are not candidates on Windows: their arguments pass through a shell.
    let file = format!("{}{}", command.program, std::env::consts::EXE_SUFFIX);
    std::env::split_paths(path)
        .filter(|directory| directory.is_absolute())
        .map(|directory| directory.join(&file))
        .find(|candidate| is_executable(candidate))
}

#[cfg(unix)]
fn is_executable(path: &Path) -> bool {
    path.is_file() && rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok()
}

#[cfg(not(unix))]
fn is_executable(path: &Path) -> bool {
    path.is_file()
}

/// How a program's run came to be over.
enum End {
    /// It exited, or printed too much; what it printed says which.
    Done,
    TimedOut,
    /// The process is stopping.
    Stopped,
}

/// How long a program that has exited may leave its output open in the hands of a descendant.
pub(super) const GRACE: Duration = Duration::from_millis(50);

/// How long a program runs before it gets a watcher. Nearly every git ends sooner, and does not pay for one. If we are killed
/// within this time, by a signal that cannot be caught, the program goes on until it ends by itself.
#[cfg(target_os = "linux")]
const UNWATCHED: Duration = Duration::from_millis(30);

/// What bounds a program that runs.
struct Watch<'a> {
    begun: Instant,
    deadline: Option<Instant>,
    running: &'a Running,
    supervisor: Option<&'a Path>,
}

impl Watch<'_> {
    /// Waits until the program has exited and its output is closed, or a limit is reached.
    fn until_end(mut self, started: &mut Started, pipes: &Pipes) -> End {
        let mut pause = SHORTEST_PAUSE;
        let mut grace = None;
        loop {
            // In this order: output that was closed before the program was seen to exit is complete.
            let exited = started.has_exited();
            let captured = pipes.lock();
            if captured.more || (exited && captured.open == 0) {
                return End::Done;
            }
            let now = Instant::now();
            if exited && now >= *grace.get_or_insert(now + GRACE) {
                return End::Done;
            }
            if !exited && self.deadline.is_some_and(|deadline| now >= deadline) {
                return End::TimedOut;
            }
            if !exited && self.running.must_end() {
                return End::Stopped;
            }
            pause = longer(pause);
            let rest = self.deadline.map_or(pause, |deadline| deadline.saturating_duration_since(now));
            drop(pipes.changed.wait_timeout(captured, pause.min(rest.max(SHORTEST_PAUSE))));
            self.stand_by(started, now);
        }
    }

    /// Gives a program that runs for a while a watcher, once.
    #[cfg(target_os = "linux")]
    fn stand_by(&mut self, started: &mut Started, now: Instant) {
        if now.duration_since(self.begun) >= UNWATCHED
            && let Some(supervisor) = self.supervisor.take()
        {
            started.stand_by(supervisor);
        }
    }

    /// Only Linux has watchers.
    #[cfg(not(target_os = "linux"))]
    fn stand_by(&mut self, _: &mut Started, _: Instant) {
        let _ = (self.begun, self.supervisor);
    }
}
