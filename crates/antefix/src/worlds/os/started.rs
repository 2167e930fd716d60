//! A program that was started, by itself or by a supervisor.
//!
//! 1. A program whose descendants are killed with it has a supervisor, if the world has one: see [`super::supervisor`].
//! 2. Any other is a child of ours. Once it has run for a moment a watcher stands by, which kills its group if we die.
//! 3. Its end is bounded: a process that the kernel does not let go is left to a thread, and nobody else waits for it.

use std::io;
use std::path::Path;
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::pause::{SHORTEST_PAUSE, longer};
#[cfg(target_os = "linux")]
use super::supervisor::{Supervised, Watcher};
use super::survivors::Survivors;
use crate::discover::world::Command;
#[cfg(target_os = "linux")]
use crate::discover::world::Kill;

/// A program that runs, or has run.
pub(super) struct Started {
    /// The process that is ours to wait for: the program or its supervisor. Its pipes are the program's.
    pub(super) child: Child,
    how: How,
}

enum How {
    Alone {
        survivors: Survivors,
        #[cfg(target_os = "linux")]
        watcher: Option<Watcher>,
    },
    #[cfg(target_os = "linux")]
    Supervised(Supervised),
}

impl Started {
    /// Starts a program, beneath a supervisor if there is one and the command needs it.
    pub(super) fn start(program: &Path, command: &Command, supervisor: Option<&Path>) -> io::Result<Started> {
        #[cfg(target_os = "linux")]
        if let Some(supervisor) = supervisor
            && command.kill == Kill::Descendants
        {
            let (supervised, child) = Supervised::start(supervisor, program, command)?;
            return Ok(Started { child, how: How::Supervised(supervised) });
        }
        // Only Linux has supervisors.
        #[cfg(not(target_os = "linux"))]
        let _ = supervisor;
        let survivors = Survivors::new(command.kill);
        let child = spawn(program, command, &survivors)?;
        let how = How::Alone {
            survivors,
            #[cfg(target_os = "linux")]
            watcher: None,
        };
        Ok(Started { child, how })
    }

    /// Has it watched by another process, which kills its group if we die first. Where no watcher can be started the program
    /// runs on without: it is bounded by us all the same.
    #[cfg(target_os = "linux")]
    pub(super) fn stand_by(&mut self, supervisor: &Path) {
        if let How::Alone { watcher, .. } = &mut self.how {
            *watcher = Watcher::start(supervisor, &self.child).ok();
        }
    }

    /// Whether the program has exited, without collecting its exit code where the system allows that: as long as it is not
    /// collected, its number is not given to anybody else.
    pub(super) fn has_exited(&mut self) -> bool {
        match &mut self.how {
            How::Alone { .. } => has_exited(&mut self.child),
            #[cfg(target_os = "linux")]
            How::Supervised(supervised) => supervised.has_exited(),
        }
    }

    /// Kills all that is left of it, and answers with its exit code: none if a signal ended it.
    pub(super) fn end(self) -> io::Result<Option<i32>> {
        let Started { mut child, how } = self;
        match how {
            How::Alone {
                survivors,
                #[cfg(target_os = "linux")]
                watcher,
            } => {
                // The group is killed before its leader is waited for, because only until then is its number certainly
                // ours. The watcher goes between the two, so that there is no moment in which nobody would kill the group.
                survivors.kill_around(child.id(), || kill_group(&mut child));
                #[cfg(target_os = "linux")]
                drop(watcher);
                Ok(reap(child, REAPING))
            }
            #[cfg(target_os = "linux")]
            How::Supervised(supervised) => supervised.end(child),
        }
    }
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

/// How long a process that was killed is waited for. It takes some microseconds, except where a process hangs inside the
/// kernel, as on a network disk that has gone away, or where a debugger holds it.
const REAPING: Duration = Duration::from_millis(500);

/// Collects the exit code of a process that is about to end. One that does not is left to a thread, so that it goes away
/// whenever the kernel lets it.
pub(super) fn reap(mut child: Child, patience: Duration) -> Option<i32> {
    let until = Instant::now() + patience;
    let mut pause = SHORTEST_PAUSE;
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return status.code(),
            Ok(None) if Instant::now() < until => thread::sleep(pause),
            Ok(None) => break,
            Err(_) => return None,
        }
        pause = longer(pause);
    }
    // Without a thread to spare it stays until we end, when the system collects it.
    let _ = thread::Builder::new().name("antefix-reap".to_owned()).spawn(move || child.wait());
    None
}
