//! The process that supervises or watches.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ExitCode, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, WaitIdStatus, getpid, getppid, kill_process, kill_process_group,
    pidfd_open, set_child_subreaper, waitid,
};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};

use super::super::pause::{SHORTEST_PAUSE, longer};
use super::super::survivors::parent;
use super::wire::{News, Received, Run, receive};
use super::{NAME, WORD};

/// Supervises or watches a program, if that is what this process was started for: then there is an exit code to return at
/// once. A program that names itself to [`OsWorld::supervised_by`](crate::worlds::OsWorld::supervised_by) calls it first
/// thing in `main`, while it has one thread.
///
/// ```
/// use std::process::ExitCode;
///
/// fn main() -> ExitCode {
///     if let Some(code) = antefix::worlds::supervise_if_asked() {
///         return code;
///     }
///     // …
///     ExitCode::SUCCESS
/// }
/// ```
pub fn supervise_if_asked() -> Option<ExitCode> {
    let mut args = std::env::args_os().skip(1);
    if args.next()? != WORD || args.next().is_some() {
        return None;
    }
    Some(match work() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    })
}

fn work() -> io::Result<()> {
    let strange = || io::Error::other(format!("`{WORD}` is for antefix itself, which talks to it over a socket"));
    let control = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
    // Whoever is at the other end of the socket must be who started us. If they have died meanwhile, nothing is to be done.
    let peer = rustix::net::sockopt::socket_peercred(&control).map_err(|_| strange())?;
    if Some(peer.pid) != getppid() {
        return Err(strange());
    }
    stay()?;
    match receive(&control)?.ok_or_else(strange)? {
        Received::Run(run) => supervise(&control, run),
        Received::Watch(leader, descriptor) => {
            wait_for(&control, None);
            super::kill_group(leader, &descriptor);
            Ok(())
        }
    }
}

/// Signals that are meant for everybody, such as those of a service manager or a terminal, do not end us: we end with the
/// process that started us. They are taken and not ignored, because a program would inherit that.
fn stay() -> io::Result<()> {
    let nobody = Arc::new(AtomicBool::new(false));
    for signal in [SIGHUP, SIGINT, SIGQUIT, SIGTERM] {
        signal_hook::flag::register(signal, Arc::clone(&nobody))?;
    }
    // The name is for people; without it all else works.
    if let Ok(name) = std::ffi::CString::new(NAME) {
        let _ = rustix::thread::set_name(&name);
    }
    Ok(())
}

/// Runs a program, and leaves nothing of it behind.
fn supervise(control: &UnixStream, run: Run) -> io::Result<()> {
    // From now on whoever loses its parent beneath us becomes our child.
    set_child_subreaper(Some(getpid()))?;
    let child = match spawn(run) {
        Ok(child) => child,
        Err(error) => return News::NotStarted(error.raw_os_error().unwrap_or_default()).send(control),
    };
    let leader = Pid::from_child(&child);
    let watched = let_go_of_output()
        .and_then(|()| News::Started(leader.as_raw_nonzero().get()).send(control))
        .and_then(|()| watch(control, leader));
    end_all(leader);
    watched
}

/// Starts the program. Our copies of its pipes are closed when this returns, except for what we share with it as our own
/// standard output.
fn spawn(run: Run) -> io::Result<Child> {
    let mut process = std::process::Command::new(run.program);
    process.args(run.args).env_clear().envs(run.env).process_group(0);
    process.stdin(run.stdin.map_or_else(Stdio::null, Stdio::from));
    process.spawn()
}

/// The program's output ends when the program and its descendants have closed it, whether or not we live.
fn let_go_of_output() -> io::Result<()> {
    let null = File::options().write(true).open("/dev/null")?;
    rustix::stdio::dup2_stdout(&null)?;
    Ok(rustix::stdio::dup2_stderr(&null)?)
}

/// Tells how the program ends, and waits for whoever started us to be done with it or to be gone.
fn watch(control: &UnixStream, leader: Pid) -> io::Result<()> {
    let descriptor = pidfd_open(leader, PidfdFlags::empty())?;
    if wait_for(control, Some(&descriptor)) {
        return Ok(());
    }
    // It is not collected yet: as long as it is not, the number of its group is nobody else's.
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
    let status = waitid(WaitId::Pid(leader), options)?;
    match status.as_ref().and_then(WaitIdStatus::exit_status) {
        Some(code) => News::Exited(code).send(control)?,
        None => News::Killed.send(control)?,
    }
    wait_for(control, None);
    Ok(())
}

/// Waits for the end of the control socket, which is the answer `true`, or for the end of a process.
fn wait_for(control: &UnixStream, process: Option<&OwnedFd>) -> bool {
    loop {
        let mut waits = vec![PollFd::new(control, PollFlags::IN)];
        waits.extend(process.map(|process| PollFd::new(process, PollFlags::IN)));
        match poll(&mut waits, None) {
            // Nothing is ever sent after the order, so whatever happens on the socket is its end.
            Ok(_) if !waits[0].revents().is_empty() => return true,
            Ok(_) => return false,
            Err(Errno::INTR) => {}
            Err(_) => return true,
        }
    }
}

/// How long we kill what is left. Nobody needs it but who forks as fast as it can, or who cannot be killed.
const PATIENCE: Duration = Duration::from_secs(1);

/// Kills the program's group, and then every child, until there is none.
///
/// Only numbers of our own children are used, before they are collected: they can be nobody else's. Children of those that
/// die become ours, so that all descendants have their turn.
fn end_all(leader: Pid) {
    // The group may be gone already, which is what was wanted.
    let _ = kill_process_group(leader, Signal::KILL);
    let until = Instant::now() + PATIENCE;
    let mut pause = SHORTEST_PAUSE;
    loop {
        for child in children() {
            // A child that leads a group takes it along at once, however fast that forks.
            let _ = kill_process_group(child, Signal::KILL);
            let _ = kill_process(child, Signal::KILL);
        }
        loop {
            match waitid(WaitId::All, WaitIdOptions::EXITED | WaitIdOptions::NOHANG) {
                Ok(Some(_)) | Err(Errno::INTR) => {}
                Ok(None) => break,
                Err(_) => return,
            }
        }
        if Instant::now() >= until {
            return;
        }
        thread::sleep(pause);
        pause = longer(pause);
    }
}

/// Our children. The kernel lists them, unless it was built without that.
fn children() -> Vec<Pid> {
    let pid = |number: &str| number.parse().ok().and_then(Pid::from_raw);
    if let Ok(listed) = std::fs::read_to_string("/proc/thread-self/children") {
        return listed.split_whitespace().filter_map(pid).collect();
    }
    let me = u32::try_from(getpid().as_raw_nonzero().get()).ok();
    let Ok(processes) = std::fs::read_dir(Path::new("/proc")) else { return Vec::new() };
    let numbers = processes.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    numbers.filter(|number| number.parse().ok().and_then(parent) == me).filter_map(|number| pid(&number)).collect()
}
