//! One line for each request, as JSON, on stderr: ids, sizes and digests, and never a text that anybody wrote.
//!
//! Lines are written by a thread of their own. If nobody reads them they are dropped, and how many is told later: a full
//! pipe must not stop the server.

use std::cell::RefCell;
use std::fmt;
use std::io::{self, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use antefix::text::Digest;
use axum::http::StatusCode;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// How many bytes wait at most.
const WAITING: usize = 4 * 1024 * 1024;

/// How long lines are collected before they are written.
const COLLECTED: Duration = Duration::from_millis(20);

/// Which requests are logged.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Logged {
    /// Every one.
    #[default]
    All,
    /// Those that failed.
    Errors,
    /// None.
    None,
}

/// The log.
pub(crate) struct Log {
    which: Logged,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    waiting: Mutex<Waiting>,
    changed: Condvar,
}

#[derive(Default)]
struct Waiting {
    text: Vec<u8>,
    dropped: u64,
    /// Whether lines are being written that wait no more.
    writing: bool,
}

/// Something that is written as it is shown.
pub(crate) struct Shown<T>(pub(crate) T);

impl<T: fmt::Display> Serialize for Shown<T> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

/// The line of a request.
#[derive(Serialize)]
pub(crate) struct Line<'l> {
    pub(crate) at: Shown<Timestamp>,
    pub(crate) request: &'l str,
    pub(crate) method: &'l str,
    pub(crate) route: &'l str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) conversation: Option<&'l str>,
    pub(crate) status: u16,
    pub(crate) ms: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) bytes_in: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) bytes_out: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) epoch: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) digest: Option<Shown<Digest>>,
}

#[derive(Serialize)]
struct Event<'l> {
    at: Shown<Timestamp>,
    event: &'l str,
    detail: &'l str,
}

impl Log {
    pub(crate) fn new(which: Logged) -> io::Result<Log> {
        let shared = Arc::new(Shared::default());
        let written = Arc::clone(&shared);
        std::thread::Builder::new().name("antefix-log".to_owned()).spawn(move || write(&written))?;
        Ok(Log { which, shared })
    }

    /// Logs a request.
    pub(crate) fn request(&self, line: &Line<'_>, status: StatusCode) {
        let failed = status.is_client_error() || status.is_server_error();
        if self.which == Logged::All || (self.which == Logged::Errors && failed) {
            self.put(line);
        }
    }

    /// Logs something that happens to the server itself.
    pub(crate) fn event(&self, event: &str, detail: &str) {
        self.put(&Event { at: Shown(Timestamp::now()), event, detail });
    }

    /// Waits until everything is written, and not for long.
    pub(crate) fn flush(&self) {
        let waiting = self.shared.lock();
        let unwritten = |waiting: &mut Waiting| waiting.writing || !waiting.text.is_empty();
        // Nobody can be told of a log that cannot be written.
        let _ = self.shared.changed.wait_timeout_while(waiting, Duration::from_secs(1), unwritten);
    }

    fn put(&self, line: &impl Serialize) {
        thread_local! {
            // The same room for every line of a thread.
            static ROOM: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
        }
        ROOM.with_borrow_mut(|text| {
            text.clear();
            // JSON writes control characters out, so that a line is a line. Writing to a vector does not fail.
            if serde_json::to_writer(&mut *text, line).is_ok() {
                text.push(b'\n');
                self.append(text);
            }
        });
    }

    fn append(&self, text: &[u8]) {
        let mut waiting = self.shared.lock();
        if waiting.text.len() + text.len() > WAITING {
            waiting.dropped += 1;
            return;
        }
        let first = waiting.text.is_empty();
        waiting.text.extend_from_slice(text);
        drop(waiting);
        // Whoever writes is woken by the first line, and finds the next ones on its way.
        if first {
            self.shared.changed.notify_all();
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Writes what has come, all at once: under load one call for many lines.
fn write(shared: &Shared) {
    loop {
        let nothing = |waiting: &mut Waiting| waiting.text.is_empty();
        drop(shared.changed.wait_while(shared.lock(), nothing));
        std::thread::sleep(COLLECTED);
        let mut waiting = shared.lock();
        let mut text = std::mem::take(&mut waiting.text);
        let dropped = std::mem::take(&mut waiting.dropped);
        waiting.writing = true;
        drop(waiting);
        if dropped > 0 {
            text.extend(format!("{{\"event\":\"lines dropped\",\"count\":{dropped}}}\n").bytes());
        }
        // A log that cannot be written has nobody to be told to.
        let _ = std::io::stderr().lock().write_all(&text);
        shared.lock().writing = false;
        shared.changed.notify_all();
    }
}
