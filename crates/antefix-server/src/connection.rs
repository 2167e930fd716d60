//! Connections: how many, how long, and how they end.
//!
//! 1. A client that sends its headers slowly, or nothing, or reads nothing, is cut off; headers that are too large or too many are refused.
//! 2. There are never more connections than so many. While there are, new ones wait in the system's line.
//! 3. SIGTERM, SIGINT and SIGHUP stop listening, let requests end, and wait for that for ten seconds at most. Then the programs
//!    that still run are ended, and whoever waited for them is answered. A second signal ends all of that at once.

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

use crate::listen::{Listener, Stream};
use crate::patience::Patient;
use crate::routes::Routes;
use crate::signals::Signals;
use crate::{Shared, Stopped, machine};

/// How long a client may take for its headers, and how long a connection may be idle.
const HEADERS: Duration = Duration::from_secs(10);
/// The most bytes that the headers of a request may have.
const HEADER_BYTES: usize = 32 * 1024;
/// How many headers a request may have.
const HEADER_COUNT: usize = 64;
/// How many connections there are at once, if the system grants that many descriptors: more than a few thousand that say nothing,
/// so that those who do are served beside them.
const CONNECTIONS: usize = 12_000;
/// How long requests may take to end once the server stops.
const STOP: Duration = Duration::from_secs(10);
/// How long requests may take once the programs that they waited for are gone.
const LAST_ANSWERS: Duration = Duration::from_secs(1);
/// The pause after the system could not give us a connection, for want of descriptors mostly.
const PAUSE: Duration = Duration::from_millis(50);

/// Answers until a signal comes.
pub(crate) async fn serve(listener: Listener, routes: Routes, server: &Arc<Shared>) -> Stopped {
    let routes = Arc::new(routes);
    let graceful = GracefulShutdown::new();
    let places = Arc::new(Semaphore::new(machine::connections(CONNECTIONS)));
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(HEADERS).max_buf_size(HEADER_BYTES).max_headers(HEADER_COUNT);
    let mut signals = Signals::new();
    loop {
        let accepted = async {
            // The semaphore is never closed.
            let place = Arc::clone(&places).acquire_owned().await.ok();
            (listener.accept().await, place)
        };
        let (accepted, place) = tokio::select! {
            accepted = accepted => accepted,
            signal = signals.next() => {
                server.log.event("stopping", signal.name);
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
            Stream::Port(stream) => begin(&builder, &graceful, &routes, Patient::new(stream, &server.answers), place),
            #[cfg(unix)]
            Stream::Socket(stream) => begin(&builder, &graceful, &routes, Patient::new(stream, &server.answers), place),
        }
    }
    drop(listener);
    tokio::select! {
        () = end(graceful, server) => Stopped::InOrder,
        signal = signals.next() => {
            server.log.event("stopped", &format!("at once, by a second signal ({})", signal.name));
            // It takes a second at most, and asks for no thread that there might not be.
            server.antefix.world().end_programs();
            Stopped::AtOnce(signal.number)
        }
    }
}

/// Lets requests end, and then programs.
async fn end(graceful: GracefulShutdown, server: &Arc<Shared>) {
    let requests = graceful.shutdown();
    tokio::pin!(requests);
    let mut ended = tokio::time::timeout(STOP, &mut requests).await;
    // A request that was answered because its time was over may have left a program behind.
    // It takes a second at most, and asks for no thread that there might not be.
    server.antefix.world().end_programs();
    if ended.is_err() {
        ended = tokio::time::timeout(LAST_ANSWERS, &mut requests).await;
    }
    let how = if ended.is_ok() { "all requests ended" } else { "some requests did not end in time" };
    server.log.event("stopped", how);
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
    let connection = graceful.watch(builder.serve_connection(TokioIo::new(stream), service));
    tokio::spawn(async move {
        // How a connection ends is the client's business; what was asked over it has its own line.
        let _ = connection.await;
        drop(place);
    });
}
