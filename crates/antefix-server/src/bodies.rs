//! The bodies of all requests share one budget.
//!
//! 1. A body that says how long it is takes that much before it is read; another one takes as it grows.
//! 2. Who finds too little left waits for a moment, and is then told to come again.
//! 3. What was taken is given back when the request is answered and its work has ended, whichever comes last: until then something
//!    may be made of the body.

use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::body::{Body, HttpBody};
use axum::http::StatusCode;
use futures_core::Stream;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::problem::Problem;

/// How long a body waits for room.
const PATIENCE: Duration = Duration::from_secs(5);
/// How much a body takes at once that does not say how long it is.
const STEP: usize = 64 * 1024;

/// The bytes that bodies may have together.
pub(crate) struct Bodies(Arc<Semaphore>);

/// What the body of one request has taken.
#[derive(Default)]
pub(crate) struct Held(Mutex<Option<OwnedSemaphorePermit>>);

tokio::task_local! {
    static HELD: Arc<Held>;
}

/// Answers a request, and keeps what its body takes until then.
pub(crate) async fn holding<T>(answer: impl Future<Output = T>) -> T {
    HELD.scope(Arc::default(), answer).await
}

/// What the body of this request has taken, for work that goes on with it.
pub(crate) fn held() -> Option<Arc<Held>> {
    HELD.try_with(Arc::clone).ok()
}

impl Bodies {
    pub(crate) fn new(bytes: usize) -> Bodies {
        Bodies(Arc::new(Semaphore::new(bytes.min(Semaphore::MAX_PERMITS))))
    }

    /// Reads a body of so many bytes at most.
    pub(crate) async fn read(&self, body: Body, limit: usize) -> Result<Vec<u8>, Problem> {
        let too_large = || {
            let message = format!("The body is larger than {limit} bytes");
            Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "too-large", message)
        };
        let declared = body.size_hint().exact().map(|size| usize::try_from(size).unwrap_or(usize::MAX));
        if declared.is_some_and(|size| size > limit) {
            return Err(too_large());
        }
        let mut taken = declared.unwrap_or_default();
        self.take(taken).await?;
        let mut bytes = Vec::with_capacity(taken);
        let mut data = body.into_data_stream();
        while let Some(chunk) = std::future::poll_fn(|context| Pin::new(&mut data).poll_next(context)).await {
            let chunk = chunk.map_err(|_| Problem::bad("The body ended too soon"))?;
            let size = bytes.len() + chunk.len();
            if size > limit {
                return Err(too_large());
            }
            if size > taken {
                let more = (size - taken).max(STEP).min(limit - taken);
                self.take(more).await?;
                taken += more;
            }
            bytes.extend_from_slice(&chunk);
        }
        Ok(bytes)
    }

    async fn take(&self, bytes: usize) -> Result<(), Problem> {
        let full = || {
            let problem = Problem::busy("The bodies of other requests take all the room there is");
            problem.hint("try again in a moment")
        };
        let count = u32::try_from(bytes).map_err(|_| full())?;
        let waited = tokio::time::timeout(PATIENCE, Arc::clone(&self.0).acquire_many_owned(count)).await;
        let permit = waited.map_err(|_| full())?.map_err(|_| full())?;
        // Every request is answered by `holding`.
        if let Some(held) = held() {
            let mut held = held.0.lock().unwrap_or_else(PoisonError::into_inner);
            match held.as_mut() {
                Some(before) => before.merge(permit),
                None => *held = Some(permit),
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::Bytes;

    /// A body that does not say how long it is.
    struct Chunks(Vec<Bytes>);

    impl Stream for Chunks {
        type Item = Result<Bytes, std::io::Error>;

        fn poll_next(
            mut self: Pin<&mut Self>,
            _: &mut std::task::Context<'_>,
        ) -> std::task::Poll<Option<Result<Bytes, std::io::Error>>> {
            std::task::Poll::Ready(self.0.pop().map(Ok))
        }
    }

    fn status(problem: Problem) -> u16 {
        axum::response::IntoResponse::into_response(problem).status().as_u16()
    }

    #[tokio::test(start_paused = true)]
    async fn bodies_wait_for_room_and_then_are_told_to_come_again() {
        let bodies = Bodies::new(100_000);
        let body = |size: usize| Body::from(vec![b'x'; size]);
        holding(async {
            assert_eq!(bodies.read(body(80_000), 100_000).await.unwrap().len(), 80_000);
            // Another request, while this one is not answered.
            let other = async { bodies.read(body(30_000), 100_000).await };
            assert_eq!(status(holding(other).await.unwrap_err()), 503);
            let small = async { bodies.read(body(20_000), 100_000).await };
            assert!(holding(small).await.is_ok());
        })
        .await;
        assert!(holding(bodies.read(body(100_000), 100_000)).await.is_ok());
        assert_eq!(bodies.0.available_permits(), 100_000);
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_that_does_not_say_how_long_it_is_takes_as_it_grows() {
        let bodies = Bodies::new(200_000);
        let grown = |chunks: usize| Body::from_stream(Chunks(vec![Bytes::from(vec![b'x'; 1000]); chunks]));
        holding(async {
            assert_eq!(bodies.read(grown(70), 200_000).await.unwrap().len(), 70_000);
            assert_eq!(bodies.0.available_permits(), 200_000 - 2 * STEP);
            assert_eq!(status(holding(bodies.read(grown(100), 200_000)).await.unwrap_err()), 503);
            assert_eq!(status(holding(bodies.read(grown(100), 50_000)).await.unwrap_err()), 413);
        })
        .await;
        assert_eq!(bodies.0.available_permits(), 200_000);
    }

    #[tokio::test(start_paused = true)]
    async fn work_that_goes_on_keeps_what_its_body_took() {
        let bodies = Bodies::new(1000);
        let kept = holding(async {
            bodies.read(Body::from(vec![b'x'; 600]), 1000).await.unwrap();
            held()
        });
        let kept = kept.await;
        assert_eq!(bodies.0.available_permits(), 400);
        drop(kept);
        assert_eq!(bodies.0.available_permits(), 1000);
    }
}
