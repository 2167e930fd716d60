//! What a program prints and reads, while somebody else watches it.
//!
//! Two threads read and one writes. None of them is waited for longer than the program's end: a pipe that a descendant
//! holds open is given up.

use std::io::{self, ErrorKind, Read, Write};
use std::process::Child;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use super::pause::{SHORTEST_PAUSE, longer};
use super::run::GRACE;

/// How much of the error output is kept: its first lines name the cause.
const STDERR_LIMIT: usize = 8 * 1024;

/// What two threads hear from a program while a third watches it.
#[derive(Default)]
pub(super) struct Pipes {
    captured: Mutex<Captured>,
    pub(super) changed: Condvar,
}

#[derive(Default)]
pub(super) struct Captured {
    pub(super) stdout: Vec<u8>,
    pub(super) stderr: Vec<u8>,
    /// Whether there was more output than may be kept.
    pub(super) more: bool,
    /// How many pipes are still being read.
    pub(super) open: u8,
    /// Whether only what already lies in the pipes is wanted.
    abandoned: bool,
}

impl Pipes {
    pub(super) fn lock(&self) -> MutexGuard<'_, Captured> {
        self.captured.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What was captured, after the program's death.
    ///
    /// What lies in the pipes is still read, however late the reading threads get their turn on a busy machine; but a
    /// pipe that a survivor holds open is given up.
    pub(super) fn close(&self) -> Captured {
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
pub(super) fn read_output(child: &mut Child, pipes: &Arc<Pipes>, limit: usize) -> io::Result<()> {
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
pub(super) fn write_input(child: &mut Child, pipes: &Arc<Pipes>, input: &[u8]) -> io::Result<()> {
    let Some(mut pipe) = child.stdin.take() else { return Ok(()) };
    #[cfg(unix)]
    do_not_block(&pipe)?;
    let (pipes, input) = (Arc::clone(pipes), input.to_owned());
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
