//! The bodies of all requests share one budget.
//!
//! 1. A body that says how long it is takes that much before it is read; another one takes as it grows.
//! 2. One of JSON then takes what will be made of its values, from a budget of its own: see `weight`. Whoever has that waits for nobody,
//!    so that those who wait for it, with their bodies, are served one after the other.
//! 3. Who finds too little left waits for a moment, and is then told to come again.
//! 4. While somebody waits, bodies that come slowly are given up: nobody waits for those who take their time.
//! 5. What was taken is given back when the request is answered and its work has ended, whichever comes last: until then something
//!    may be made of the body.

use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::body::{Body, HttpBody};
use axum::http::StatusCode;
use futures_core::Stream;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::Instant;

use crate::problem::Problem;
use crate::weight;

/// How long a body waits for room.
const PATIENCE: Duration = Duration::from_secs(5);
/// How much a body takes at once that does not say how long it is.
const STEP: usize = 64 * 1024;
/// While others wait, a body has this long to begin, and then comes with so many bytes a second at least.
const GRACE: Duration = Duration::from_secs(1);
const RATE: f64 = 256.0 * 1024.0;

/// The bytes that bodies may have together.
pub(crate) struct Bodies {
    room: Arc<Semaphore>,
    /// The bytes that what is made of them may have together, and how many there are in all.
    made: Arc<Semaphore>,
    most_made: usize,
    /// How many wait for room.
    waiting: watch::Sender<usize>,
}

/// What the body of one request has taken.
#[derive(Default)]
pub(crate) struct Held(Mutex<Vec<OwnedSemaphorePermit>>);

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
    pub(crate) fn new(bytes: usize, most_made: usize) -> Bodies {
        let semaphore = |bytes: usize| Arc::new(Semaphore::new(bytes.min(Semaphore::MAX_PERMITS)));
        Bodies { room: semaphore(bytes), made: semaphore(most_made), most_made, waiting: watch::Sender::new(0) }
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
        // What was promised is not what has come: memory is asked for when it is needed.
        let (mut bytes, begun) = (Vec::new(), Instant::now());
        let mut data = body.into_data_stream();
        loop {
            let chunk = tokio::select! {
                biased;
                chunk = next(&mut data) => chunk,
                () = self.others_wait_for(begun, bytes.len()) => {
                    let problem = Problem::busy("The body came too slowly, and others waited for its room");
                    return Err(problem.hint("try again in a moment"));
                }
            };
            let Some(chunk) = chunk else { break };
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

    /// Takes what will be made of the values of a body.
    pub(crate) async fn weigh(&self, json: &[u8]) -> Result<(), Problem> {
        let made = weight::of_json(json);
        if made > self.most_made {
            let most = self.most_made;
            let message = format!("The JSON of the body would take {made} bytes of memory, and there are {most}");
            return Err(Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "too-large", message)
                .hint("send fewer and longer values, or start the server with a larger --body-budget"));
        }
        let count = u32::try_from(made).map_err(|_| full())?;
        let waited = tokio::time::timeout(PATIENCE, Arc::clone(&self.made).acquire_many_owned(count)).await;
        keep(waited.map_err(|_| full())?.map_err(|_| full())?);
        Ok(())
    }

    /// Comes to its end when others wait for room and a body is late: so many bytes of it have come since it began.
    async fn others_wait_for(&self, begun: Instant, bytes: usize) {
        tokio::time::sleep_until(begun + GRACE + Duration::from_secs_f64(bytes as f64 / RATE)).await;
        // The sender is there as long as this is.
        let _ = self.waiting.subscribe().wait_for(|waiting| *waiting > 0).await;
    }

    async fn take(&self, bytes: usize) -> Result<(), Problem> {
        let count = u32::try_from(bytes).map_err(|_| full())?;
        if let Ok(permit) = Arc::clone(&self.room).try_acquire_many_owned(count) {
            keep(permit);
            return Ok(());
        }
        self.waiting.send_modify(|waiting| *waiting += 1);
        let _waiting = Waiting(&self.waiting);
        let waited = tokio::time::timeout(PATIENCE, Arc::clone(&self.room).acquire_many_owned(count)).await;
        keep(waited.map_err(|_| full())?.map_err(|_| full())?);
        Ok(())
    }
}

async fn next<S: Stream + Unpin>(stream: &mut S) -> Option<S::Item> {
    std::future::poll_fn(|context| Pin::new(&mut *stream).poll_next(context)).await
}

/// Somebody who waits for room.
struct Waiting<'b>(&'b watch::Sender<usize>);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.send_modify(|waiting| *waiting -= 1);
    }
}

/// Keeps what was taken with the request. Every request is answered by `holding`.
fn keep(permit: OwnedSemaphorePermit) {
    let Some(held) = held() else { return };
    held.0.lock().unwrap_or_else(PoisonError::into_inner).push(permit);
}

fn full() -> Problem {
    Problem::busy("The bodies of other requests take all the room there is").hint("try again in a moment")
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
        let bodies = Bodies::new(100_000, 100_000);
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
        assert_eq!(bodies.room.available_permits(), 100_000);
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_that_does_not_say_how_long_it_is_takes_as_it_grows() {
        let bodies = Bodies::new(200_000, 0);
        let grown = |chunks: usize| Body::from_stream(Chunks(vec![Bytes::from(vec![b'x'; 1000]); chunks]));
        holding(async {
            assert_eq!(bodies.read(grown(70), 200_000).await.unwrap().len(), 70_000);
            assert_eq!(bodies.room.available_permits(), 200_000 - 2 * STEP);
            assert_eq!(status(holding(bodies.read(grown(100), 200_000)).await.unwrap_err()), 503);
            assert_eq!(status(holding(bodies.read(grown(100), 50_000)).await.unwrap_err()), 413);
        })
        .await;
        assert_eq!(bodies.room.available_permits(), 200_000);
    }

    #[tokio::test(start_paused = true)]
    async fn work_that_goes_on_keeps_what_its_body_took() {
        let bodies = Bodies::new(1000, 0);
        let kept = holding(async {
            bodies.read(Body::from(vec![b'x'; 600]), 1000).await.unwrap();
            held()
        });
        let kept = kept.await;
        assert_eq!(bodies.room.available_permits(), 400);
        drop(kept);
        assert_eq!(bodies.room.available_permits(), 1000);
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_takes_what_will_be_made_of_it() {
        let bodies = Bodies::new(100_000, 100_000);
        holding(async {
            // A list of 100 objects: 160, then 720 and 96 for each, and 64 for each comma.
            let json = format!("[{}]", [r#"{"a":0}"#; 100].join(","));
            bodies.weigh(json.as_bytes()).await.unwrap();
            assert_eq!(bodies.made.available_permits(), 100_000 - 160 - 100 * 816 - 99 * 64);
            assert_eq!(status(bodies.weigh(json.as_bytes()).await.unwrap_err()), 503);
            let more = format!("[{}]", ["{}"; 200].join(","));
            assert_eq!(status(bodies.weigh(more.as_bytes()).await.unwrap_err()), 413);
        })
        .await;
        assert_eq!(bodies.made.available_permits(), 100_000);
    }

    /// A body of which nothing ever comes.
    struct Silent;

    impl Stream for Silent {
        type Item = Result<Bytes, std::io::Error>;

        fn poll_next(self: Pin<&mut Self>, _: &mut std::task::Context<'_>) -> std::task::Poll<Option<Self::Item>> {
            std::task::Poll::Pending
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_slow_body_is_given_up_when_somebody_waits_and_not_before() {
        let bodies = Bodies::new(STEP, 0);
        let begun = Instant::now();
        let slow = holding(async {
            // It has begun, and has taken all there is.
            bodies.take(STEP).await.unwrap();
            bodies.read(Body::from_stream(Silent), STEP).await
        });
        let other = async {
            tokio::time::sleep(Duration::from_secs(10)).await;
            let read = holding(bodies.read(Body::from(vec![b'x'; 1000]), STEP)).await;
            (read.map(|bytes| bytes.len()).map_err(status), begun.elapsed())
        };
        let (slow, (other, when)) = tokio::join!(slow, other);
        assert_eq!((status(slow.unwrap_err()), other), (503, Ok(1000)));
        assert_eq!(when, Duration::from_secs(10));
    }
}
