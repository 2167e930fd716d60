//! The signals that stop a server.

/// A signal that came.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Signal {
    pub(crate) name: &'static str,
    pub(crate) number: i32,
}

/// All that are listened to. One that this process was told to ignore when it was started, as by `nohup`, stays ignored.
#[cfg(unix)]
pub(crate) struct Signals {
    term: Option<tokio::signal::unix::Signal>,
    int: Option<tokio::signal::unix::Signal>,
    hup: Option<tokio::signal::unix::Signal>,
}

#[cfg(unix)]
impl Signals {
    pub(crate) fn new() -> Signals {
        use tokio::signal::unix::{SignalKind, signal};

        // One that cannot be listened to does what it does without us: it ends the process.
        let listen = |kind: SignalKind| match antefix::worlds::ignores_signal(kind.as_raw_value()) {
            true => None,
            false => signal(kind).ok(),
        };
        // Where nobody can tell whether a signal is ignored, `nohup` must work all the same.
        let hup = cfg!(target_os = "linux").then(|| listen(SignalKind::hangup())).flatten();
        Signals { term: listen(SignalKind::terminate()), int: listen(SignalKind::interrupt()), hup }
    }

    /// Waits for the next one.
    pub(crate) async fn next(&mut self) -> Signal {
        use tokio::signal::unix::SignalKind;

        let (name, kind) = tokio::select! {
            () = receive(&mut self.term) => ("SIGTERM", SignalKind::terminate()),
            () = receive(&mut self.int) => ("SIGINT", SignalKind::interrupt()),
            () = receive(&mut self.hup) => ("SIGHUP", SignalKind::hangup()),
        };
        Signal { name, number: kind.as_raw_value() }
    }
}

#[cfg(unix)]
async fn receive(signal: &mut Option<tokio::signal::unix::Signal>) {
    let received = match signal {
        Some(signal) => signal.recv().await,
        None => None,
    };
    if received.is_none() {
        std::future::pending().await
    }
}

/// Only the interrupt of a terminal is known.
#[cfg(not(unix))]
pub(crate) struct Signals;

#[cfg(not(unix))]
impl Signals {
    pub(crate) fn new() -> Signals {
        Signals
    }

    /// Waits for the next one.
    pub(crate) async fn next(&mut self) -> Signal {
        match tokio::signal::ctrl_c().await {
            Ok(()) => Signal { name: "interrupt", number: 2 },
            Err(_) => std::future::pending().await,
        }
    }
}
