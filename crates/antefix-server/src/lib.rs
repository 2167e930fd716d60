//! antefix over HTTP: everything that the program does, for agents in any language, and a page for people.
//!
//! 1. Every request becomes an [`Ask`] and goes through the library's front door, so that the same input gives
//!    the same bytes, epochs, findings and documents as the program and the library do.
//! 2. The library blocks, and is called on threads that may block, never more than so many at once.
//! 3. Everything is guarded by a token, also on loopback, and by the names under which requests may come.
//! 4. Every route is in the OpenAPI document, which comes from the same code: [`openapi`].
//!
//! ```no_run
//! use antefix::Antefix;
//! use antefix_server::{Address, Options, Server, Token};
//!
//! # async fn example() -> antefix::Result<()> {
//! let listener = Address::parse("127.0.0.1:7777")?.bind()?;
//! let token = Token::load("token".as_ref())?; // made at the first start
//! let server = Server::new(Antefix::open()?, token, &listener.address()?, Options::default())?;
//! server.serve(listener).await; // or `server.router()`, in an axum server of your own
//! # Ok(())
//! # }
//! ```

mod answers;
mod bodies;
mod body;
mod bounds;
mod connection;
mod context;
mod embed;
mod guard;
mod listen;
mod log;
mod machine;
mod metrics;
mod names;
mod openapi;
mod options;
mod origins;
mod page;
mod panics;
mod patience;
mod pool;
mod problem;
mod routes;
mod said;
mod session;
mod signals;
mod template;
mod token;
mod weight;
mod work;

use std::io;
use std::sync::Arc;

use antefix::project::TemplateChoice;
use antefix::{Antefix, Ask, Error, ErrorKind, Result};

use self::answers::Answers;
use self::bodies::Bodies;
use self::embed::Embedding;
use self::guard::Guard;
pub use self::listen::{Address, Listener};
use self::log::Log;
pub use self::log::Logged;
use self::machine::Share;
use self::metrics::Metrics;
pub use self::openapi::document as openapi;
pub use self::options::{Limits, Options};
pub use self::panics::log_panics;
use self::routes::Routes;
use self::said::RecentTools;
pub use self::token::Token;
use self::work::Work;

/// A server that is ready to answer.
#[derive(Clone)]
pub struct Server(Arc<Shared>);

/// How a server came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stopped {
    /// Requests had their time.
    InOrder,
    /// A second signal, with this number, did not let requests end.
    AtOnce(i32),
}

/// What all requests share.
struct Shared {
    /// Confined to the roots, of which the first is where requests work that name no directory.
    antefix: Antefix,
    limits: Limits,
    guard: Guard,
    work: Work,
    bodies: Bodies,
    answers: Arc<Answers>,
    metrics: Metrics,
    tools: RecentTools,
    log: Log,
}

impl Server {
    /// A server that listens at an address. A store that cannot be reached now may be reached later; all else that is wrong
    /// with the store, the roots or a layout that `antefix` was built with is an error.
    pub fn new(antefix: Antefix, token: Token, at: &Address, options: Options) -> Result<Server> {
        // Opening a store blocks, which a thread of a runtime must not do.
        std::thread::scope(|threads| {
            let thread = std::thread::Builder::new().name("antefix-open".to_owned());
            let opening = thread.spawn_scoped(threads, move || Server::open(antefix, token, at, options));
            opening.map_err(no_threads)?.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    }

    fn open(antefix: Antefix, token: Token, at: &Address, options: Options) -> Result<Server> {
        let antefix = options.confine(&antefix)?;
        if let Err(error) = antefix.keeper()
            && !error.kind().passes()
        {
            return Err(error);
        }
        let Limits { body, bodies, time, concurrency } = options.limits;
        let (reading, answers) = (work::READERS, answers::BUDGET);
        let share = Share { composing: concurrency, reading, bodies, made: bodies, answers }.granted(body);
        let shared = Shared {
            guard: Guard::new(token, &options.hosts, Embedding::parse(&options.embed_origins)?, at)?,
            work: Work::new(&share, time).map_err(no_threads)?,
            bodies: Bodies::new(share.bodies, share.made),
            answers: Arc::new(Answers::new(share.answers)),
            metrics: Metrics::new(routes::paths()),
            tools: RecentTools::default(),
            log: Log::new(options.log).map_err(no_threads)?,
            limits: options.limits,
            antefix,
        };
        for (root, project) in shared.antefix.projects_above_roots() {
            let (root, project) = (root.display(), project.display());
            shared
                .log
                .event("root", &format!("{root} is in the project {project}, of which nothing above the root is read"));
        }
        let own = Ask::new().template(TemplateChoice::Own);
        match shared.first_project().and_then(|project| project.resolve(&own)) {
            Ok(_) => {}
            // A layout that was named is somebody's decision about all requests; a project's own is that project's.
            Err(error) if shared.antefix.default_layout().is_some() => return Err(error),
            Err(error) => shared.log.event("layout", &error.to_string()),
        }
        Ok(Server(Arc::new(shared)))
    }

    /// Everything that the server answers, with its guard, its log and its counts around it, for an axum server of one's own.
    /// The page expects to be at the root of its host.
    pub fn router(&self) -> axum::Router {
        let routes = Arc::new(Routes::new(&self.0));
        axum::Router::new().fallback(move |request: axum::extract::Request| {
            let routes = Arc::clone(&routes);
            async move { routes.answer(request).await }
        })
    }

    /// Answers until a signal to stop comes, and then until the requests that are under way have ended. Programs that run then,
    /// such as hooks, are ended. A second signal does not wait for anything.
    pub async fn serve(self, listener: Listener) -> Stopped {
        tokio::spawn(template::report(Arc::clone(&self.0)));
        let stopped = connection::serve(listener, Routes::new(&self.0), &self.0).await;
        self.0.log.flush();
        stopped
    }

    /// The path of a link that opens the page in a browser: it works once, for 15 minutes.
    pub fn link(&self) -> Result<String> {
        Ok(format!("/?code={}", self.0.guard.token.link()?))
    }
}

/// A runtime for a server. It does not start where the system does not grant the threads that the server needs at least.
pub fn runtime() -> Result<tokio::runtime::Runtime> {
    machine::check()?;
    let workers = std::thread::available_parallelism().map_or(2, usize::from);
    // tokio panics where it cannot start a thread, so that this is tried first: with the larger stack, for the threads of the
    // library as well, of which there are four kinds, and for the log.
    pool::try_threads(workers + 5, pool::STACK).map_err(no_threads)?;
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    // Nothing of ours blocks there: see `work`.
    builder.enable_all().worker_threads(workers).max_blocking_threads(1);
    let built = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| builder.build()));
    built.unwrap_or_else(|_| Err(io::ErrorKind::WouldBlock.into())).map_err(no_threads)
}

fn no_threads(error: io::Error) -> Error {
    let error = Error::new(ErrorKind::Limit, format!("the server's threads cannot be started: {error}"));
    error.with_hint(format!(
        "each needs {} MiB of address space; raise the limit on processes (ulimit -u), on address space (ulimit -v) or on data (ulimit -d)",
        pool::STACK / 1024 / 1024
    ))
}
