//! One line for each request, as JSON, on stderr: ids, sizes and digests, and never a text that anybody wrote.
//!
//! Lines are written by a thread of their own. If nobody reads them they are dropped, and how many is told later: a full
//! pipe must not stop the server.

use std::io::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::Duration;

use axum::http::StatusCode;
use serde::Serialize;

use crate::args::Logged;

/// How many lines wait at most.
const WAITING: usize = 4_096;

/// The log.
pub(super) struct Log {
    which: Logged,
    lines: SyncSender<Message>,
    dropped: AtomicU64,
}

enum Message {
    Line(String),
    /// Says so when all lines before it are written.
    Flush(SyncSender<()>),
}

/// The line of a request.
#[derive(Serialize)]
pub(super) struct Line<'l> {
    pub(super) at: String,
    pub(super) request: &'l str,
    pub(super) method: &'l str,
    pub(super) route: &'l str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) conversation: Option<&'l str>,
    pub(super) status: u16,
    pub(super) ms: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) bytes_in: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) bytes_out: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) epoch: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) digest: Option<&'l str>,
}

#[derive(Serialize)]
struct Event<'l> {
    at: String,
    event: &'l str,
    detail: &'l str,
}

impl Log {
    pub(super) fn new(which: Logged) -> Log {
        let (lines, written) = sync_channel(WAITING);
        std::thread::spawn(move || write(&written));
        Log { which, lines, dropped: AtomicU64::new(0) }
    }

    /// Logs a request.
    pub(super) fn request(&self, line: &Line<'_>, status: StatusCode) {
        let failed = status.is_client_error() || status.is_server_error();
        if self.which == Logged::All || (self.which == Logged::Errors && failed) {
            self.put(line);
        }
    }

    /// Logs something that happens to the server itself.
    pub(super) fn event(&self, event: &str, detail: &str) {
        self.put(&Event { at: jiff::Timestamp::now().to_string(), event, detail });
    }

    /// Waits until everything is written, and not for long.
    pub(super) fn flush(&self) {
        let (done, written) = sync_channel(1);
        if self.lines.try_send(Message::Flush(done)).is_ok() {
            // Nobody can be told of a log that cannot be written.
            let _ = written.recv_timeout(Duration::from_secs(1));
        }
    }

    fn put(&self, line: &impl Serialize) {
        // JSON writes control characters out, so that a line is a line.
        let Ok(mut text) = serde_json::to_string(line) else { return };
        text.push('\n');
        match self.dropped.swap(0, Ordering::Relaxed) {
            0 => {}
            count => text.push_str(&format!("{{\"event\":\"lines dropped\",\"count\":{count}}}\n")),
        }
        if self.lines.try_send(Message::Line(text)).is_err() {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// Writes what has come, all at once: under load one call for many lines.
fn write(lines: &Receiver<Message>) {
    let mut text = String::new();
    while let Ok(first) = lines.recv() {
        let mut flushed = Vec::new();
        for message in std::iter::once(first).chain(lines.try_iter().take(WAITING)) {
            match message {
                Message::Line(line) => text.push_str(&line),
                Message::Flush(done) => flushed.push(done),
            }
        }
        // A log that cannot be written has nobody to be told to.
        let _ = std::io::stderr().lock().write_all(text.as_bytes());
        text.clear();
        for done in flushed {
            let _ = done.send(());
        }
    }
}
