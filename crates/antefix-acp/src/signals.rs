//! Signals to end, which must end the agent and all programs as well.

use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use antefix::Antefix;

use crate::{Event, Failure};

/// Who is told of a signal. Until there is somebody, a signal ends programs and then the process.
#[derive(Clone, Default)]
pub(crate) struct Listener(Arc<Mutex<Option<Sender<Event>>>>);

impl Listener {
    /// From now on signals are events, and whoever receives them ends the process.
    pub(crate) fn tell(&self, events: &Sender<Event>) {
        *self.lock() = Some(events.clone());
    }

    fn lock(&self) -> MutexGuard<'_, Option<Sender<Event>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Takes signals, except for those that this process was told to ignore when it was started.
#[cfg(unix)]
pub(crate) fn listen(antefix: &Antefix) -> Result<Listener, Failure> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

    let wanted = [SIGTERM, SIGINT, SIGHUP].into_iter().filter(|signal| !antefix::worlds::ignores_signal(*signal));
    let mut signals = signal_hook::iterator::Signals::new(wanted)
        .map_err(|error| Failure::system(format!("signals cannot be listened to: {error}")))?;
    let listener = Listener::default();
    let (antefix, told) = (antefix.clone(), listener.clone());
    crate::thread("antefix-signals", move || {
        for signal in signals.forever() {
            let events = told.lock().clone();
            let is_told = events.is_some_and(|events| events.send(Event::Signal(signal)).is_ok());
            antefix.world().end_programs();
            if !is_told {
                // It comes back only if the system refuses, and then the process ends all the same.
                let _ = signal_hook::low_level::emulate_default_handler(signal);
                std::process::exit(128 + signal);
            }
        }
    })?;
    Ok(listener)
}

/// Where there are no such signals the system ends us by itself.
#[cfg(not(unix))]
pub(crate) fn listen(_: &Antefix) -> Result<Listener, Failure> {
    Ok(Listener::default())
}
