//! A connection whose other end must go on reading.
//!
//! hyper bounds how long a client takes for its headers, and not how long it takes for our answer. A client that reads
//! nothing would keep its connection for ever, and its answer in memory.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::Sleep;

use crate::answers::Answers;

/// For how many seconds nothing may be read of what we write; for one, while answers take all the room there is.
const PATIENCE: u32 = 10;
const SECOND: Duration = Duration::from_secs(1);

/// A stream that fails when the other end has read nothing for too long.
pub(crate) struct Patient<S> {
    stream: S,
    answers: Arc<Answers>,
    /// While somebody waits for the other end to read.
    waiting: Option<Waiting>,
}

struct Waiting {
    second: Pin<Box<Sleep>>,
    /// How many have passed before.
    seconds: u32,
}

impl<S> Patient<S> {
    pub(crate) fn new(stream: S, answers: &Arc<Answers>) -> Patient<S> {
        Patient { stream, answers: Arc::clone(answers), waiting: None }
    }

    /// What a try to write came to, unless it has been tried for too long.
    fn tried<T>(&mut self, tried: Poll<io::Result<T>>, cx: &mut Context<'_>) -> Poll<io::Result<T>> {
        if tried.is_ready() {
            self.waiting = None;
            return tried;
        }
        let begin = || Waiting { second: Box::pin(tokio::time::sleep(SECOND)), seconds: 0 };
        let waiting = self.waiting.get_or_insert_with(begin);
        loop {
            ready!(waiting.second.as_mut().poll(cx));
            waiting.seconds += 1;
            if waiting.seconds >= PATIENCE || self.answers.are_pressing() {
                return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
            }
            waiting.second.set(tokio::time::sleep(SECOND));
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Patient<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Patient<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let tried = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.tried(tried, cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let tried = Pin::new(&mut self.stream).poll_write_vectored(cx, slices);
        self.tried(tried, cx)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let tried = Pin::new(&mut self.stream).poll_flush(cx);
        self.tried(tried, cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let tried = Pin::new(&mut self.stream).poll_shutdown(cx);
        self.tried(tried, cx)
    }
}
