//! This machine, and what happens when somebody wants the program to end.
//!
//! 1. All commands share one machine, whose programs are supervised by this program, started again.
//! 2. A signal to end (SIGINT, SIGTERM, SIGHUP) ends the programs that run, and then us, by the same signal.
//! 3. A signal that we were told to ignore when we were started stays ignored.

use std::sync::LazyLock;

use antefix::discover::World as _;
use antefix::worlds::OsWorld;

static MACHINE: LazyLock<OsWorld> = LazyLock::new(|| OsWorld::new().supervised_by("/proc/self/exe"));

/// The machine. Copies are the same one.
pub(crate) fn world() -> OsWorld {
    MACHINE.clone()
}

/// Ends all programs that run.
pub(crate) fn end_programs() {
    if let Some(machine) = LazyLock::get(&MACHINE) {
        machine.end_programs();
    }
}

/// From now on a signal to end ends programs first.
#[cfg(unix)]
pub(crate) fn end_on_signals() -> Result<(), crate::Failure> {
    use antefix::worlds::ignores_signal;
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

    let failed = |error: std::io::Error| {
        // ENFILE and EMFILE are these numbers on every Unix.
        let why = match error.raw_os_error() {
            Some(23 | 24) => "out of file descriptors".to_owned(),
            _ => error.to_string(),
        };
        let message = format!("signals cannot be listened to: {why}");
        crate::Failure::from(antefix::Error::new(antefix::ErrorKind::Machine, message))
    };
    // Where nobody can tell whether a signal is ignored, `nohup` must work all the same.
    let asked = if cfg!(target_os = "linux") { &[SIGINT, SIGTERM, SIGHUP][..] } else { &[SIGINT, SIGTERM] };
    let wanted = asked.iter().filter(|signal| !ignores_signal(**signal));
    let mut signals = signal_hook::iterator::Signals::new(wanted).map_err(failed)?;
    let body = move || {
        if let Some(signal) = signals.forever().next() {
            ENDING.set(signal).ok();
            end_programs();
            die_by(signal);
        }
    };
    std::thread::Builder::new().name("antefix-signals".to_owned()).spawn(body).map(drop).map_err(failed)
}

/// Where there are no such signals the system ends us by itself.
#[cfg(not(unix))]
pub(crate) fn end_on_signals() -> Result<(), crate::Failure> {
    Ok(())
}

/// The signal that is ending us.
static ENDING: std::sync::OnceLock<i32> = std::sync::OnceLock::new();

/// Does not come back if a signal is ending us: a command whose programs were killed has not done its work, whatever it made
/// of that.
pub(crate) fn die_if_ending() {
    if let Some(signal) = ENDING.get() {
        die_by(*signal);
    }
}

/// Ends the process as the signal would have.
pub(crate) fn die_by(signal: i32) -> ! {
    #[cfg(unix)]
    {
        // It comes back only if the system refuses.
        let _ = signal_hook::low_level::emulate_default_handler(signal);
    }
    std::process::exit(128 + signal)
}
