//! Questions to file systems that may never answer.
//!
//! 1. A question to a file system that can hang, also behind a link, is asked by a thread that can be given up. One to any other is asked at once,
//!    and costs nothing more.
//! 2. Who waits, waits for so long and no longer; and all questions of one piece of work together may not take longer than a
//!    few times that. A piece of work is over when nothing was asked for a second.
//! 3. A thread that was given up stays until the kernel lets it go. Until then its file system is not asked again: the answer
//!    is at once that there is none, and there are never more such threads than questions that were under way together.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::mounts::{MountTable, Mounts};
use crate::discover::world::{Answer, ReasonCode};

/// How long one question may take.
const QUESTION: Duration = Duration::from_secs(2);
/// How long all questions of one piece of work may take together.
const TOGETHER: Duration = Duration::from_secs(5);
/// What is asked this much later belongs to another piece of work.
const PAUSE: Duration = Duration::from_secs(1);

/// What is known about file systems that can hang.
#[derive(Debug, Clone, Default)]
pub(super) struct Watch {
    table: Arc<MountTable>,
    /// By mount point: how many threads wait in it that nobody waits for.
    given_up: Arc<Mutex<BTreeMap<PathBuf, usize>>>,
    spent: Arc<Mutex<Spent>>,
}

/// What one piece of work has waited for.
#[derive(Debug, Default)]
struct Spent {
    waited: Duration,
    last: Option<Instant>,
}

impl Watch {
    /// The same for another piece of work.
    pub(super) fn renewed(&self) -> Watch {
        Watch { spent: Arc::default(), ..self.clone() }
    }

    /// The mounts, if one of them can hang.
    pub(super) fn mounts(&self) -> Option<Arc<Mounts>> {
        Some(self.table.get()).filter(|mounts| !mounts.all_answer())
    }

    /// Asks a file system that can hang, by a thread that can be given up.
    pub(super) fn ask<T: Send + 'static>(
        &self,
        mount: &Path,
        ask: impl FnOnce() -> Answer<T> + Send + 'static,
    ) -> Answer<T> {
        self.ask_for(mount, QUESTION, ask)
    }

    /// The same for a question that may take as long as it says.
    pub(super) fn ask_for<T: Send + 'static>(
        &self,
        mount: &Path,
        most: Duration,
        ask: impl FnOnce() -> Answer<T> + Send + 'static,
    ) -> Answer<T> {
        if lock(&self.given_up).contains_key(mount) {
            return no_answer(mount);
        }
        let limit = most.min(self.left());
        if limit.is_zero() {
            return no_answer(mount);
        }
        let (say, hear) = mpsc::sync_channel(1);
        let (place, given_up) = (mount.to_owned(), Arc::clone(&self.given_up));
        let asked = move || {
            let answer = ask();
            // Nobody hears what comes too late; and it shows that the file system answers again.
            let mut given_up = lock(&given_up);
            if say.send(answer).is_err()
                && let Some(count) = given_up.get_mut(&place)
            {
                *count -= 1;
                if *count == 0 {
                    given_up.remove(&place);
                }
            }
        };
        let began = Instant::now();
        if let Err(error) = thread::Builder::new().name("antefix-watched".to_owned()).spawn(asked) {
            return Answer::unavailable(ReasonCode::Failed, format!("no thread to ask it with: {error}"));
        }
        let answer = match hear.recv_timeout(limit) {
            Ok(answer) => answer,
            Err(RecvTimeoutError::Disconnected) => {
                Answer::unavailable(ReasonCode::Failed, "the question was not answered")
            }
            Err(RecvTimeoutError::Timeout) => {
                let mut given_up = lock(&self.given_up);
                // It may have answered a moment ago. While the lock is held it cannot answer any more.
                match hear.try_recv() {
                    Ok(answer) => answer,
                    Err(_) => {
                        *given_up.entry(mount.to_owned()).or_default() += 1;
                        drop(hear);
                        no_answer(mount)
                    }
                }
            }
        };
        self.spend(began.elapsed());
        answer
    }

    /// How long may still be waited.
    fn left(&self) -> Duration {
        let mut spent = lock(&self.spent);
        if spent.last.is_some_and(|last| last.elapsed() > PAUSE) {
            *spent = Spent::default();
        }
        TOGETHER.saturating_sub(spent.waited)
    }

    fn spend(&self, waited: Duration) {
        let mut spent = lock(&self.spent);
        spent.waited += waited;
        spent.last = Some(Instant::now());
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn no_answer<T>(mount: &Path) -> Answer<T> {
    Answer::unavailable(ReasonCode::TimedOut, format!("the file system at {}", mount.display()))
}
