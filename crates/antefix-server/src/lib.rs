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

mod body;
mod bounds;
mod connection;
mod context;
mod embed;
mod guard;
mod listen;
mod log;
mod metrics;
mod names;
mod openapi;
mod options;
mod page;
mod patience;
mod problem;
mod routes;
mod token;
mod work;

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use antefix::project::TemplateChoice;
use antefix::{Antefix, Ask, Result};

use self::body::RecentTools;
use self::embed::Embedding;
use self::guard::Guard;
pub use self::listen::{Address, Listener};
use self::log::Log;
pub use self::log::Logged;
use self::metrics::Metrics;
pub use self::openapi::document as openapi;
pub use self::options::{Limits, Options};
use self::routes::Routes;
pub use self::token::Token;
use self::work::Work;

/// The stack of a thread, in bytes; only what is used of it takes memory.
const STACK: usize = 16 * 1024 * 1024;

/// A server that is ready to answer.
#[derive(Clone)]
pub struct Server(Arc<Shared>);

/// What all requests share.
struct Shared {
    antefix: Antefix,
    /// Real paths; the first one is where requests work that name no directory.
    roots: Vec<PathBuf>,
    limits: Limits,
    guard: Guard,
    work: Work,
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
            let opening = threads.spawn(move || Server::open(antefix, token, at, options));
            opening.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    }

    fn open(antefix: Antefix, token: Token, at: &Address, options: Options) -> Result<Server> {
        let roots = options.real_roots()?;
        if let Err(error) = antefix.keeper()
            && !error.kind().passes()
        {
            return Err(error);
        }
        let shared = Shared {
            guard: Guard::new(token, &options.hosts, Embedding::parse(&options.embed_origins)?, at),
            work: Work::new(&options.limits),
            metrics: Metrics::new(routes::paths()),
            tools: RecentTools::default(),
            log: Log::new(options.log),
            limits: options.limits,
            antefix,
            roots,
        };
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

    /// Answers until a signal to stop comes, and then until the requests that are under way have ended.
    pub async fn serve(self, listener: Listener) {
        connection::serve(listener, Routes::new(&self.0), &self.0).await;
        self.0.log.flush();
    }

    /// The path of a link that opens the page in a browser: it works once, for 15 minutes.
    pub fn link(&self) -> Result<String> {
        Ok(format!("/?code={}", self.0.guard.token.link()?))
    }
}

/// A runtime with as many threads as the limits need.
pub fn runtime(limits: &Limits) -> io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .max_blocking_threads(Work::threads(limits))
        // Room for the template engine, which would else be made and given back several times a turn.
        .thread_stack_size(STACK)
        .build()
}
