//! Processes of ours that outlive us just long enough to leave nothing behind.
//!
//! 1. A **supervisor** starts a program in our place. It adopts each descendant whose parent dies, whatever session it is
//!    in and whatever it did to its environment. At the end it kills its children until it has none.
//! 2. A **watcher** stands beside a program that is our own child, and kills its process group if we die.
//! 3. Both know that we have died by the end of a socket that only we hold, so no kind of death goes unnoticed.
//! 4. Both are a program that calls [`supervise_if_asked`] at its very beginning, mostly our own again. They take their
//!    orders from their parent, over a socket that is their standard input, and from nobody else: no command line and no
//!    variable makes them start anything.
//!
//! What is not caught: a descendant that runs as another user and may not be killed, one that hangs inside the kernel, and
//! one that kills its supervisor on purpose. Only Linux has what this takes.

mod process;
mod wire;

use std::io::{self, ErrorKind, Read};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStdin, Stdio};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, kill_process_group, pidfd_open, pidfd_send_signal};

pub use self::process::supervise_if_asked;
use self::wire::{News, Order};
use super::started::reap;
use crate::discover::world::Command;

/// The one argument of a supervisor or watcher.
const WORD: &str = "__supervise";

/// What such a process is called in lists of processes.
const NAME: &str = "antefix-watch";

/// How long a supervisor may take to kill all that is left; it gives up sooner by itself.
const PATIENCE: Duration = Duration::from_secs(2);

/// A program beneath a supervisor, seen from our side.
pub(super) struct Supervised {
    control: UnixStream,
    /// What was received of the next piece of news.
    partial: Vec<u8>,
    program: Option<(Pid, OwnedFd)>,
    ending: Option<Ending>,
}

/// What became of the program.
enum Ending {
    Exited(Option<i32>),
    NotStarted(i32),
    /// The supervisor is gone, and nobody knows.
    Lost,
}

impl Supervised {
    /// Starts a supervisor and orders the program. The pipes of the answer are the program's.
    pub(super) fn start(supervisor: &Path, program: &Path, command: &Command) -> io::Result<(Supervised, Child)> {
        let order = Order::run(program, command)?;
        let (input, ours) = match command.stdin.is_empty() {
            true => (None, None),
            false => io::pipe().map(|(input, ours)| (Some(OwnedFd::from(input)), Some(OwnedFd::from(ours))))?,
        };
        let (mut child, control) = start(supervisor, &command.cwd, [Stdio::piped(), Stdio::piped()])?;
        child.stdin = ours.map(ChildStdin::from);
        let sent = control
            .set_write_timeout(Some(command.time_limit.max(Duration::from_millis(1))))
            .and_then(|()| order.send(&control, input.as_ref().map(AsFd::as_fd)))
            .and_then(|()| control.set_nonblocking(true));
        let supervised = Supervised { control, partial: Vec::new(), program: None, ending: None };
        match sent {
            Ok(()) => Ok((supervised, child)),
            Err(error) => {
                supervised.end(child)?;
                Err(unfit(supervisor, &error))
            }
        }
    }

    /// Whether the program has exited, or never ran.
    pub(super) fn has_exited(&mut self) -> bool {
        while self.ending.is_none() {
            let mut bytes = [0; News::LENGTH];
            let room = News::LENGTH - self.partial.len();
            match self.control.read(&mut bytes[..room]) {
                Ok(0) => self.ending = Some(Ending::Lost),
                Ok(length) => self.partial.extend_from_slice(&bytes[..length]),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return false,
                Err(_) => self.ending = Some(Ending::Lost),
            }
            if let Ok(news) = <[u8; News::LENGTH]>::try_from(self.partial.as_slice()) {
                self.partial.clear();
                self.hear(News::read(news));
            }
        }
        true
    }

    fn hear(&mut self, news: Option<News>) {
        match news {
            Some(News::Started(number)) => {
                let pid = Pid::from_raw(number);
                self.program = pid.and_then(|pid| Some((pid, pidfd_open(pid, PidfdFlags::empty()).ok()?)));
            }
            Some(News::NotStarted(errno)) => self.ending = Some(Ending::NotStarted(errno)),
            Some(News::Exited(code)) => self.ending = Some(Ending::Exited(Some(code))),
            Some(News::Killed) => self.ending = Some(Ending::Exited(None)),
            None => self.ending = Some(Ending::Lost),
        }
    }

    /// Tells the supervisor to kill all that is left, and waits until it has.
    pub(super) fn end(mut self, mut child: Child) -> io::Result<Option<i32>> {
        // What it has told last may name the program.
        self.has_exited();
        drop(self.control);
        // One that does not end in time was stopped, or hangs.
        let ends = pidfd_open(Pid::from_child(&child), PidfdFlags::empty()).map(|own| ends_within(&own, PATIENCE));
        if ends != Ok(true) {
            let _ = child.kill();
        }
        // One that did not end well may not have done its work; the group is what we can still find.
        if reap(child, PATIENCE) != Some(0)
            && let Some((pid, descriptor)) = self.program
        {
            kill_group(pid, &descriptor);
        }
        match self.ending {
            Some(Ending::Exited(code)) => Ok(code),
            Some(Ending::NotStarted(errno)) => Err(io::Error::from_raw_os_error(errno)),
            Some(Ending::Lost) => Err(io::Error::other("its supervisor ended before it")),
            None => Ok(None),
        }
    }
}

/// A process that kills a program's group if we die before the program does. It goes when this is dropped.
pub(super) struct Watcher {
    child: Option<Child>,
    /// Its end tells the watcher that we have died.
    control: UnixStream,
}

impl Watcher {
    /// Starts one for a child that was not waited for yet.
    pub(super) fn start(supervisor: &Path, leader: &Child) -> io::Result<Watcher> {
        let pid = Pid::from_child(leader);
        let descriptor = pidfd_open(pid, PidfdFlags::empty())?;
        let (child, control) = start(supervisor, Path::new("/"), [Stdio::null(), Stdio::null()])?;
        let watcher = Watcher { child: Some(child), control };
        Order::watch(pid).send(&watcher.control, Some(descriptor.as_fd()))?;
        Ok(watcher)
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            // It must not see the end of its socket first.
            let _ = child.kill();
            reap(child, PATIENCE);
        }
    }
}

/// Starts a process that takes one order over a socket. What it starts works in the same directory: that may have no path which
/// another process could be told.
fn start(supervisor: &Path, cwd: &Path, [stdout, stderr]: [Stdio; 2]) -> io::Result<(Child, UnixStream)> {
    let (ours, theirs) = UnixStream::pair()?;
    let mut process = std::process::Command::new(supervisor);
    process.arg0(NAME).arg(WORD).env_clear().current_dir(cwd).process_group(0);
    process.stdin(OwnedFd::from(theirs)).stdout(stdout).stderr(stderr);
    let child = process.spawn().map_err(|error| unfit(supervisor, &error))?;
    Ok((child, ours))
}

fn unfit(supervisor: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("the supervisor {} cannot be used: {error}", supervisor.display()))
}

/// Whether a process ends within a time. It is not collected.
fn ends_within(process: &OwnedFd, patience: Duration) -> bool {
    let time = Timespec { tv_sec: patience.as_secs().try_into().unwrap_or(i64::MAX), tv_nsec: 0 };
    loop {
        match poll(&mut [PollFd::new(process, PollFlags::IN)], Some(&time)) {
            Ok(ready) => return ready > 0,
            // An interruption makes the wait longer, which is rare and harmless.
            Err(rustix::io::Errno::INTR) => {}
            Err(_) => return false,
        }
    }
}

/// Kills a process that is not our child, and its group.
///
/// The number of a group is nobody else's as long as its leader lives, or as long as nobody has the leader's number again.
fn kill_group(leader: Pid, descriptor: &OwnedFd) {
    let number = leader.as_raw_nonzero();
    if !ends_within(descriptor, Duration::ZERO) || !Path::new(&format!("/proc/{number}")).exists() {
        // The group may be gone already, which is what was wanted.
        let _ = kill_process_group(leader, Signal::KILL);
    }
    let _ = pidfd_send_signal(descriptor, Signal::KILL);
}
