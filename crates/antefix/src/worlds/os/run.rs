//! Running one program within its limits.
//!
//! 1. The program is looked up in absolute directories only, so a repository that is the working directory cannot
//!    supply it.
//! 2. It gets the environment and the input it is given and nothing else, and a process group of its own.
//! 3. Whichever way it ends, the whole group is killed and the program is waited for: nothing of it is left behind.
//!    Only a descendant that moved itself to another group escapes, and then it holds up nobody; if the command says so,
//!    it is looked for and killed as well.

use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::survivors::Survivors;
use crate::discover::world::{Answer, Command, Output, ReasonCode};

/// Runs a program to its end or its limits.
pub(super) fn run(command: &Command) -> Answer<Output> {
    let Some(program) = find(command) else {
        return Answer::unavailable(ReasonCode::NotInstalled, &command.program);
    };
    if !command.cwd.is_dir() {
        return Answer::unavailable(ReasonCode::Failed, format!("no directory {}", command.cwd.display()));
    }
    let deadline = Instant::now().checked_add(command.time_limit);
    let survivors = Survivors::new(command.kill);
    let mut child = match spawn(&program, command, &survivors) {
        Ok(child) => child,
        Err(error) => return failed(command, &error),
    };
    let pipes = Arc::new(Pipes::default());
    let started =
        read_output(&mut child, &pipes, command.output_limit).and_then(|()| write_input(&mut child, &pipes, command));
    let end = match started {
        Ok(()) => watch(&mut child, &pipes, deadline),
        Err(_) => End::Done,
    };
    // The group is killed before its leader is waited for, because only until then is its number certainly ours.
    survivors.kill_around(child.id(), || kill_group(&mut child));
    let code = child.wait().ok().and_then(|status| status.code());
    let captured = pipes.close();
    match (started, end) {
        (Err(error), _) => failed(command, &error),
        (Ok(()), End::TimedOut) => Answer::unavailable(ReasonCode::TimedOut, overdue(command)),
        (Ok(()), End::Done) => Answer::Present(Output {
            code: code.filter(|_| !captured.more),
            stdout: captured.stdout,
            more: captured.more,
            stderr: captured.stderr,
        }),
    }
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

fn spawn(program: &Path, command: &Command, survivors: &Survivors) -> io::Result<Child> {
    let mut process = std::process::Command::new(program);
    process
        .args(&command.args)
        .env_clear()
        .envs(command.env.iter().map(|(key, value)| (key, value)))
        .envs(survivors.mark())
        .current_dir(&command.cwd)
        .stdin(if command.stdin.is_empty() { Stdio::null() } else { Stdio::piped() })
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut process, 0);
    process.spawn()
}

/// How a program's run came to be over.
enum End {
    /// It exited, or printed too much; what it printed says which.
    Done,
    TimedOut,
}

/// How long a program that has exited may leave its output open in the hands of a descendant.
const GRACE: Duration = Duration::from_millis(50);

/// Waits until the program has exited and its output is closed, or a limit is reached.
fn watch(child: &mut Child, pipes: &Pipes, deadline: Option<Instant>) -> End {
    let mut pause = SHORTEST_PAUSE;
    let mut grace = None;
    loop {
        // In this order: output that was closed before the program was seen to exit is complete.
        let exited = has_exited(child);
        let captured = pipes.lock();
        if captured.more || (exited && captured.open == 0) {
            return End::Done;
        }
        let now = Instant::now();
        if exited && now >= *grace.get_or_insert(now + GRACE) {
            return End::Done;
        }
        if !exited && deadline.is_some_and(|deadline| now >= deadline) {
            return End::TimedOut;
        }
        pause = longer(pause);
        let rest = deadline.map_or(pause, |deadline| deadline.saturating_duration_since(now).max(SHORTEST_PAUSE));
        drop(pipes.changed.wait_timeout(captured, pause.min(rest)));
    }
}

/// Whether the program has exited, without collecting its exit code where the system allows that: as long as it is not
/// collected, its number is not given to anybody else.
#[cfg(any(target_os = "linux", target_os = "android", target_os = "freebsd", target_vendor = "apple"))]
fn has_exited(child: &mut Child) -> bool {
    use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    let status = waitid(WaitId::Pid(Pid::from_child(child)), options);
    // An error means that there is no such child to wait for any more.
    !matches!(status, Ok(None))
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_os = "freebsd", target_vendor = "apple")))]
fn has_exited(child: &mut Child) -> bool {
    !matches!(child.try_wait(), Ok(None))
}

fn kill_group(child: &mut Child) {
    #[cfg(unix)]
    {
        use rustix::process::{Pid, Signal, kill_process_group};

        // The group may be gone already, which is what was wanted.
        let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
    }
    let _ = child.kill();
}

/// How much of the error output is kept: its first lines name the cause.
const STDERR_LIMIT: usize = 8 * 1024;

/// What two threads hear from a program while a third watches it.
#[derive(Default)]
struct Pipes {
    captured: Mutex<Captured>,
    changed: Condvar,
}

#[derive(Default)]
struct Captured {
    stdout: Vec<u8>,
    stderr: Vec<u8>,
    /// Whether there was more output than may be kept.
    more: bool,
    /// How many pipes are still being read.
    open: u8,
    /// Whether only what already lies in the pipes is wanted.
    abandoned: bool,
}

impl Pipes {
    fn lock(&self) -> MutexGuard<'_, Captured> {
        self.captured.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What was captured, after the program's death.
    ///
    /// What lies in the pipes is still read, however late the reading threads get their turn on a busy machine; but a
    /// pipe that a survivor holds open is given up.
    fn close(&self) -> Captured {
        let mut captured = self.lock();
        captured.abandoned = true;
        let (mut captured, _) = self
            .changed
            .wait_timeout_while(captured, PATIENCE, |captured| captured.open > 0)
            .unwrap_or_else(PoisonError::into_inner);
        // The mark stays behind for a thread that is still reading.
        let (stdout, stderr) = (std::mem::take(&mut captured.stdout), std::mem::take(&mut captured.stderr));
        Captured { stdout, stderr, more: captured.more, open: captured.open, abandoned: true }
    }
}

/// How long the readers are waited for once the program is dead. Where a read does not wait they end by themselves, so
/// the time is only a safety net; elsewhere a survivor may hold them.
const PATIENCE: Duration = if cfg!(unix) { Duration::from_secs(10) } else { GRACE };

/// Starts the two threads that read; each ends with its pipe, or soon after the pipe was given up. Windows knows no
/// reading without waiting, so there a thread may stay until the last holder of its pipe is gone.
fn read_output(child: &mut Child, pipes: &Arc<Pipes>, limit: usize) -> io::Result<()> {
    let (Some(stdout), Some(stderr)) = (child.stdout.take(), child.stderr.take()) else {
        return Err(io::Error::other("no pipes"));
    };
    #[cfg(unix)]
    {
        do_not_block(&stdout)?;
        do_not_block(&stderr)?;
    }
    read_pipe(stdout, pipes, move |captured, bytes| {
        captured.more = append(&mut captured.stdout, bytes, limit);
        captured.more
    })?;
    // A program that cannot get rid of its errors would wait, so they are taken even if they are not kept.
    read_pipe(stderr, pipes, |captured, bytes| append(&mut captured.stderr, bytes, STDERR_LIMIT) && captured.abandoned)
}

/// Starts the thread that writes the input; it ends when all is written, when nobody reads any more, or when the run is
/// over. Nobody waits for it: a program that answers without reading has answered.
fn write_input(child: &mut Child, pipes: &Arc<Pipes>, command: &Command) -> io::Result<()> {
    let Some(mut pipe) = child.stdin.take() else { return Ok(()) };
    #[cfg(unix)]
    do_not_block(&pipe)?;
    let (pipes, input) = (Arc::clone(pipes), command.stdin.clone());
    let body = move || {
        let mut rest = input.as_slice();
        let mut pause = SHORTEST_PAUSE;
        while !rest.is_empty() && !pipes.lock().abandoned {
            match pipe.write(rest) {
                Ok(0) => break,
                Ok(length) => {
                    pause = SHORTEST_PAUSE;
                    rest = &rest[length..];
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    thread::sleep(pause);
                    pause = longer(pause);
                }
                // The reader has closed its end, which is its right.
                Err(_) => break,
            }
        }
    };
    thread::Builder::new().name("antefix-pipe".to_owned()).spawn(body).map(drop)
}

/// Keeps what there is room for; says whether something was left over.
fn append(kept: &mut Vec<u8>, bytes: &[u8], limit: usize) -> bool {
    let room = limit.saturating_sub(kept.len()).min(bytes.len());
    kept.extend_from_slice(&bytes[..room]);
    room < bytes.len()
}

/// Reads a pipe in a thread, until it ends or `keep` says that this is enough.
fn read_pipe(
    mut pipe: impl Read + Send + 'static,
    pipes: &Arc<Pipes>,
    keep: impl Fn(&mut Captured, &[u8]) -> bool + Send + 'static,
) -> io::Result<()> {
    let (pipes, ours) = (Arc::clone(pipes), pipes);
    let body = move || {
        let mut buffer = vec![0; 16 * 1024];
        let mut pause = SHORTEST_PAUSE;
        loop {
            // Asked before the read: only then does an empty pipe prove that everything was taken.
            let abandoned = pipes.lock().abandoned;
            match pipe.read(&mut buffer) {
                Ok(0) => break,
                Ok(length) => {
                    pause = SHORTEST_PAUSE;
                    if keep(&mut pipes.lock(), &buffer[..length]) {
                        break;
                    }
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock && !abandoned => {
                    thread::sleep(pause);
                    pause = longer(pause);
                }
                Err(_) => break,
            }
        }
        pipes.lock().open -= 1;
        pipes.changed.notify_all();
    };
    ours.lock().open += 1;
    thread::Builder::new().name("antefix-pipe".to_owned()).spawn(body).map(drop).inspect_err(|_| ours.lock().open -= 1)
}

/// A read that waited inside the kernel could not be given up, and a descendant outside the group can hold a pipe open
/// for ever.
#[cfg(unix)]
fn do_not_block(pipe: impl std::os::fd::AsFd) -> io::Result<()> {
    use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};

    let flags = fcntl_getfl(&pipe)?;
    Ok(fcntl_setfl(&pipe, flags | OFlags::NONBLOCK)?)
}

/// Most programs asked here answer in a few milliseconds, so the first looks follow each other closely.
const SHORTEST_PAUSE: Duration = Duration::from_micros(100);

fn longer(pause: Duration) -> Duration {
    (pause * 2).min(Duration::from_millis(5))
}
