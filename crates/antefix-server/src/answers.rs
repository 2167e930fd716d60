//! The answers that are being sent share one budget, as bodies do.
//!
//! 1. An answer takes its bytes until its client has read them, or has gone. What lies in memory anyway, such as the prefix of an
//!    epoch, and what is short, takes nothing.
//! 2. For one that does not fit its client is told to come again: waiting would keep the very memory that is missing.
//! 3. While that happens, a client that reads nothing has a second, in the place of ten.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use axum::response::{IntoResponse, Response};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

use crate::panics;
use crate::problem::Problem;

/// The bytes that answers may have together, where nothing limits memory.
pub(crate) const BUDGET: usize = 256 * 1024 * 1024;
/// An answer of so many bytes takes nothing: a connection has as much for itself.
const SHORT: usize = 16 * 1024;
/// How long it is remembered that an answer did not fit.
const PRESSURE: Duration = Duration::from_secs(2);

/// The bytes that answers may have together.
pub(crate) struct Answers {
    room: Arc<Semaphore>,
    /// When an answer did not fit last.
    refused: Mutex<Option<Instant>>,
}

/// Says of an answer that its bytes are in memory anyway.
#[derive(Clone, Copy)]
pub(crate) struct Standing;

impl Answers {
    pub(crate) fn new(bytes: usize) -> Answers {
        Answers { room: Arc::new(Semaphore::new(bytes.min(Semaphore::MAX_PERMITS))), refused: Mutex::default() }
    }

    /// An answer that keeps what it takes, or another one if there is no room for it.
    pub(crate) async fn hold(&self, mut answer: Response) -> Response {
        let size = answer.body().size_hint().exact().and_then(|size| u32::try_from(size).ok()).unwrap_or_default();
        if answer.extensions_mut().remove::<Standing>().is_some() || size as usize <= SHORT {
            return answer;
        }
        let Ok(taken) = Arc::clone(&self.room).try_acquire_many_owned(size) else {
            *self.refused.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
            let problem = Problem::busy("The answers to other requests take all the room there is");
            return problem.hint("what was asked for is done; asking again is safe").into_response();
        };
        let (parts, body) = answer.into_parts();
        // All of it is in memory, or its size would not be known.
        match axum::body::to_bytes(body, usize::MAX).await {
            Ok(bytes) => Response::from_parts(parts, Body::from(Bytes::from_owner(Held { bytes, _taken: taken }))),
            Err(_) => panics::problem().into_response(),
        }
    }

    /// Whether an answer found no room just now.
    pub(crate) fn are_pressing(&self) -> bool {
        let refused = *self.refused.lock().unwrap_or_else(PoisonError::into_inner);
        refused.is_some_and(|at| at.elapsed() < PRESSURE)
    }
}

/// The bytes of an answer with what they have taken: they are sent long after the answer has given them away.
struct Held {
    bytes: Bytes,
    _taken: OwnedSemaphorePermit,
}

impl AsRef<[u8]> for Held {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::StatusCode;

    fn answer(size: usize) -> Response {
        Response::new(Body::from("x".repeat(size)))
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_takes_its_bytes_until_they_are_sent_and_one_that_does_not_fit_is_refused() {
        let answers = Answers::new(100_000);
        let first = answers.hold(answer(80_000)).await;
        assert_eq!(first.status(), StatusCode::OK);
        assert!(!answers.are_pressing());
        let refused = answers.hold(answer(30_000)).await;
        assert_eq!(
            (refused.status(), &refused.headers()["retry-after"]),
            (StatusCode::SERVICE_UNAVAILABLE, &"1".parse().unwrap())
        );
        assert!(answers.are_pressing());
        // What is short, or in memory anyway, is sent all the same.
        assert_eq!(answers.hold(answer(SHORT)).await.status(), StatusCode::OK);
        let mut standing = answer(80_000);
        standing.extensions_mut().insert(Standing);
        assert_eq!(answers.hold(standing).await.status(), StatusCode::OK);
        // The answer is gone, and its bytes wait to be sent.
        let bytes = axum::body::to_bytes(first.into_body(), usize::MAX).await.unwrap();
        assert_eq!((bytes.len(), answers.room.available_permits()), (80_000, 20_000));
        drop(bytes);
        assert_eq!(answers.room.available_permits(), 100_000);
        tokio::time::advance(PRESSURE).await;
        assert!(!answers.are_pressing());
    }
}
