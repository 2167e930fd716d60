//! Questions that many ask at once, and that need be asked only once for all of them.
//!
//! An answer must not be older than the request that it is for. So whoever comes takes note of how many times the question
//! was asked so far, lets all others come who are at the door, and then takes the answer of anybody who began to ask after
//! that. On a quiet server everybody asks for themselves; under load a hundred requests share one question, and none of them
//! gets an answer that it would not have got on its own.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// How long one waits for somebody else to ask. Who has waited for so long had better find out in another way.
const PATIENCE: Duration = Duration::from_millis(250);

/// A question with the answer that it got last.
pub(super) struct Rounds<T> {
    /// How many times somebody began to ask.
    begun: AtomicU64,
    /// The last answer, and how many times somebody had begun to ask by then.
    last: Mutex<(u64, Option<T>)>,
    /// Held by whoever asks.
    asking: tokio::sync::Mutex<()>,
}

/// When somebody came.
#[derive(Clone, Copy)]
pub(super) struct Came(u64);

impl<T> Default for Rounds<T> {
    fn default() -> Rounds<T> {
        Rounds { begun: AtomicU64::new(0), last: Mutex::new((0, None)), asking: tokio::sync::Mutex::default() }
    }
}

impl<T: Clone> Rounds<T> {
    /// Takes note of who comes.
    pub(super) fn come(&self) -> Came {
        Came(self.begun.load(Ordering::SeqCst))
    }

    /// The answer to a question that somebody began to ask after one came; none if whoever asks takes too long.
    pub(super) async fn answer<E>(&self, came: Came, ask: impl Future<Output = Result<T, E>>) -> Result<Option<T>, E> {
        if let Some(answer) = self.since(came) {
            return Ok(Some(answer));
        }
        let _asking = match self.asking.try_lock() {
            Ok(asking) => asking,
            Err(_) => match tokio::time::timeout(PATIENCE, self.asking.lock()).await {
                Ok(asking) => asking,
                Err(_) => return Ok(None),
            },
        };
        if let Some(answer) = self.since(came) {
            return Ok(Some(answer));
        }
        let number = self.begun.fetch_add(1, Ordering::SeqCst) + 1;
        let answer = ask.await?;
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = (number, Some(answer.clone()));
        Ok(Some(answer))
    }

    /// The same for a question that is answered sooner than anybody could be woken. Nobody waits in a line that is served
    /// while others are at work: two may ask at once.
    pub(super) fn answer_at_once<E>(&self, came: Came, ask: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        if let Some(answer) = self.since(came) {
            return Ok(answer);
        }
        let number = self.begun.fetch_add(1, Ordering::SeqCst) + 1;
        let answer = ask()?;
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if last.0 < number {
            *last = (number, Some(answer.clone()));
        }
        Ok(answer)
    }

    /// The last answer, if somebody began to ask for it after one came.
    fn since(&self, came: Came) -> Option<T> {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        last.1.clone().filter(|_| last.0 > came.0)
    }
}

/// Lets those come who are at the door.
pub(super) async fn gather() {
    tokio::task::yield_now().await;
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    fn block_on<T>(work: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(work)
    }

    async fn say(answer: u64) -> Result<u64, Infallible> {
        Ok(answer)
    }

    #[test]
    fn those_who_came_before_the_question_share_its_answer() {
        block_on(async {
            let rounds = Rounds::default();
            let (first, second) = (rounds.come(), rounds.come());
            assert_eq!(rounds.answer(first, say(1)).await, Ok(Some(1)));
            assert_eq!(rounds.answer(second, say(2)).await, Ok(Some(1)));
            // Whoever comes when it has been asked asks again.
            let third = rounds.come();
            assert_eq!(rounds.answer(third, say(3)).await, Ok(Some(3)));
            assert_eq!(rounds.answer(second, say(4)).await, Ok(Some(3)));
        });
    }

    #[test]
    fn who_comes_while_the_question_is_asked_waits_for_the_next_one() {
        block_on(async {
            let rounds = Rounds::default();
            let first = rounds.come();
            let asked = rounds.answer(first, async {
                // Somebody comes, and only then the answer.
                let late = rounds.come();
                assert_eq!(late.0, 1);
                Ok::<_, Infallible>(1)
            });
            assert_eq!(asked.await, Ok(Some(1)));
            assert_eq!(rounds.answer(Came(1), say(2)).await, Ok(Some(2)));
        });
    }

    #[test]
    fn a_question_that_failed_or_was_given_up_is_asked_again() {
        block_on(async {
            let rounds = Rounds::default();
            let (first, second, third) = (rounds.come(), rounds.come(), rounds.come());
            assert_eq!(rounds.answer(first, async { Err::<u64, _>("no") }).await, Err("no"));
            let given_up = rounds.answer(second, std::future::pending::<Result<u64, &str>>());
            assert!(tokio::time::timeout(std::time::Duration::ZERO, given_up).await.is_err());
            assert_eq!(rounds.answer(third, async { Ok::<_, &str>(3) }).await, Ok(Some(3)));
        });
    }

    #[test]
    fn nobody_waits_long_for_who_takes_long() {
        block_on(async {
            let rounds = Rounds::default();
            let (first, second) = (rounds.come(), rounds.come());
            let hangs = rounds.answer(first, std::future::pending::<Result<u64, Infallible>>());
            let waits = async {
                tokio::task::yield_now().await;
                rounds.answer(second, say(2)).await
            };
            tokio::select! {
                _ = hangs => panic!("it was answered"),
                waited = waits => assert_eq!(waited, Ok(None)),
            }
        });
    }

    #[test]
    fn of_two_who_ask_at_once_the_later_question_counts() {
        let rounds = Rounds::default();
        let (first, second) = (rounds.come(), rounds.come());
        let asked = rounds.answer_at_once(first, || {
            // Somebody else asks later, and is answered sooner.
            assert_eq!(rounds.answer_at_once(Came(1), || Ok::<_, Infallible>(2)), Ok(2));
            Ok::<_, Infallible>(1)
        });
        assert_eq!(asked, Ok(1));
        assert_eq!(rounds.answer_at_once(second, || Ok::<_, Infallible>(3)), Ok(2));
        assert_eq!(rounds.answer_at_once(rounds.come(), || Err("no")), Err("no"));
    }
}
