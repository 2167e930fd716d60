//! Connections: how many, how long, and how they end.
//!
//! 1. A client that sends its headers slowly, or nothing, or reads nothing, is cut off; headers that are too large or too many are refused.
//! 2. There are never more connections than so many. While there are, new ones wait in the system's line.
//! 3. SIGTERM and SIGINT stop listening, let requests end, and wait for that for ten seconds at most.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::Shared;
use crate::listen::{Listener, Stream};
use crate::patience::Patient;
use crate::routes::Routes;

/// How long a client may take for its headers, and how long a connection may be idle.
const HEADERS: Duration = Duration::from_secs(10);
/// The most bytes that the headers of a request may have.
const HEADER_BYTES: usize = 32 * 1024;
/// How many headers a request may have.
const HEADER_COUNT: usize = 64;
/// How many connections there are at once, if the system grants that many descriptors: more than a few thousand that say nothing,
/// so that those who do are served beside them.
const CONNECTIONS: usize = 12_000;
/// How many descriptors the server needs for itself at least: its log, its sockets, its store, and what it reads.
const OWN: usize = 22;
/// How long requests may take to end once the server stops.
const STOP: Duration = Duration::from_secs(10);
/// The pause after the system could not give us a connection, for want of descriptors mostly.
const PAUSE: Duration = Duration::from_millis(50);

/// Answers until a signal comes.
pub(crate) async fn serve(listener: Listener, routes: Routes, server: &Arc<Shared>) {
    let routes = Arc::new(routes);
    let graceful = GracefulShutdown::new();
    let places = Arc::new(Semaphore::new(connections()));
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(HEADERS).max_buf_size(HEADER_BYTES).max_headers(HEADER_COUNT);
    let stop = signal();
    tokio::pin!(stop);
    loop {
        let accepted = async {
            // The semaphore is never closed.
            let place = Arc::clone(&places).acquire_owned().await.ok();
            (listener.accept().await, place)
        };
        let (accepted, place) = tokio::select! {
            accepted = accepted => accepted,
            name = &mut stop => {
                server.log.event("stopping", name);
                break;
            }
        };
        let stream = match accepted {
            Ok(stream) => stream,
            Err(error) => {
                server.log.event("no connection", &error.to_string());
                tokio::time::sleep(PAUSE).await;
                continue;
            }
        };
        match stream {
            Stream::Port(stream) => begin(&builder, &graceful, &routes, stream, place),
            #[cfg(unix)]
            Stream::Socket(stream) => begin(&builder, &graceful, &routes, stream, place),
        }
    }
    drop(listener);
    if tokio::time::timeout(STOP, graceful.shutdown()).await.is_err() {
        server.log.event("stopped", "some requests did not end in time");
    } else {
        server.log.event("stopped", "all requests ended");
    }
}

/// Answers one connection, which keeps its place until it ends.
fn begin(
    builder: &http1::Builder,
    graceful: &GracefulShutdown,
    routes: &Arc<Routes>,
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    place: Option<OwnedSemaphorePermit>,
) {
    let routes = Arc::clone(routes);
    let service = service_fn(move |request: hyper::Request<Incoming>| {
        let routes = Arc::clone(&routes);
        async move { Ok::<_, Infallible>(routes.answer(request.map(Body::new)).await) }
    });
    let connection = graceful.watch(builder.serve_connection(TokioIo::new(Patient::new(stream)), service));
    tokio::spawn(async move {
        // How a connection ends is the client's business; what was asked over it has its own line.
        let _ = connection.await;
        drop(place);
    });
}

/// How many connections there may be. The system is asked for as many descriptors as it grants, as the usual limit is below
/// ours; a quarter of them, and never too few, is left for files, programs and the store.
#[cfg(unix)]
fn connections() -> usize {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    // Where that is refused there are fewer connections, and the others wait.
    let _ = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum });
    let granted = getrlimit(Resource::Nofile).current.and_then(|count| usize::try_from(count).ok());
    granted.map_or(CONNECTIONS, |count| count.saturating_sub(OWN.max(count / 4)).clamp(1, CONNECTIONS))
}

#[cfg(not(unix))]
fn connections() -> usize {
    CONNECTIONS
}

/// Waits for the signal to stop, and answers with its name.
#[cfg(unix)]
async fn signal() -> &'static str {
    use tokio::signal::unix::{SignalKind, signal};
    let (term, int) = (signal(SignalKind::terminate()), signal(SignalKind::interrupt()));
    let (Ok(mut term), Ok(mut int)) = (term, int) else { return std::future::pending().await };
    tokio::select! {
        _ = term.recv() => "SIGTERM",
        _ = int.recv() => "SIGINT",
    }
}

#[cfg(not(unix))]
async fn signal() -> &'static str {
    match tokio::signal::ctrl_c().await {
        Ok(()) => "interrupt",
        Err(_) => std::future::pending().await,
    }
}
