//! A panic is our own mistake: it costs one request its answer, and nobody else anything.
//!
//! 1. A handler that panics is answered with 500 and a problem document, like work of the library that does.
//! 2. The log says where it was, and not what it said: that may be a text that somebody wrote.

use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::Poll;

use axum::http::StatusCode;

use crate::problem::Problem;

/// What is answered in the place of what panicked.
pub(crate) fn problem() -> Problem {
    let problem = Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "failed", "The request failed");
    problem.hint("this is a mistake of the server's; its log says where")
}

/// What a future gives; none if it panics.
pub(crate) async fn caught<T>(future: impl Future<Output = T>) -> Option<T> {
    let mut future = pin!(future);
    let polled =
        std::future::poll_fn(move |context| match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(context))) {
            Ok(Poll::Pending) => Poll::Pending,
            Ok(Poll::Ready(given)) => Poll::Ready(Some(given)),
            Err(_) => Poll::Ready(None),
        });
    polled.await
}

/// Writes a line of the log for each panic of this process, in the place of what Rust writes by itself. It is for the program that
/// the server is: a program that embeds it may have other wishes.
pub fn log_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        let thread = std::thread::current().name().unwrap_or_default().to_owned();
        let line = serde_json::json!({"at": jiff::Timestamp::now().to_string(), "event": "panic", "thread": thread, "detail": place});
        // A log that cannot be written has nobody to be told to.
        let _ = std::io::Write::write_all(&mut std::io::stderr().lock(), format!("{line}\n").as_bytes());
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_future_that_panics_gives_nothing_and_another_what_it_gives() {
        assert_eq!(caught(async { 1 }).await, Some(1));
        let panics = async {
            tokio::task::yield_now().await;
            if StatusCode::OK.is_success() { panic!("told") } else { 2 }
        };
        assert_eq!(caught(panics).await, None);
        assert_eq!(problem().error(), "The request failed");
    }
}
