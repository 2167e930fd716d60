//! `antefix serve`: every agent, in any language, over HTTP.
//!
//! 1. The same inputs give the same documents as the commands: both are written once, in `document.rs` and in `ledger/`.
//! 2. The library blocks and is called on threads that may block, so many at once; see `work.rs`.
//! 3. Everything is guarded, also on loopback; see `guard.rs`.
//! 4. Every route is in the OpenAPI document, which comes from the same code.

mod body;
mod bounds;
mod config;
mod connection;
mod escaped;
mod guard;
mod listen;
mod log;
mod metrics;
mod names;
mod near;
mod openapi;
mod page;
mod patience;
mod problem;
mod rounds;
mod routes;
mod situation;
mod stood;
mod store;
mod template;
mod token;
mod told;
mod work;

use std::process::ExitCode;
use std::sync::Arc;

use antefix::freeze::store::Stamp;
use antefix::freeze::template::TemplateRow;

use self::config::{Config, Link};
use self::escaped::Escaped;
use self::guard::Guard;
use self::listen::Address;
use self::log::Log;
use self::metrics::Metrics;
use self::near::Near;
use self::rounds::Rounds;
use self::routes::Routes;
use self::stood::Stood;
use self::store::Kept;
use self::template::LastRead;
use self::token::Token;
use self::told::Told;
use self::work::Work;
use crate::args::ServeArgs;
use crate::counts::Counts;
use crate::setup::Grounds;
use crate::{Failure, Outcome, setup, terminal};

/// The stack of a thread, in bytes; only what is used of it takes memory.
const STACK: usize = 16 * 1024 * 1024;

/// What all requests share.
struct Server {
    config: Config,
    kept: Kept,
    guard: Guard,
    work: Work,
    metrics: Metrics,
    log: Log,
    last_template: LastRead,
    told: Told,
    grounds: Grounds,
    escaped: Escaped,
    near: Near,
    stood: Stood,
    stamps: Rounds<Option<Stamp>>,
    templates: Rounds<Option<TemplateRow>>,
}

pub(crate) fn run(args: &ServeArgs) -> Outcome {
    if args.openapi {
        terminal::print_result(&openapi::document())?;
        return Ok(ExitCode::SUCCESS);
    }
    let config = Config::new(args)?;
    let token = Token::load(&config.token_file)?;
    let kept = Kept::new(config.store.clone())?;
    let counts = Counts::recall();
    // A layout that cannot be read is told now, and not with every request.
    let named = crate::args::ComposeArgs {
        layout: Some(config.layout.clone()),
        cwd: config.roots.first().cloned(),
        ..Default::default()
    };
    setup::prepared(&named)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .worker_threads(Work::workers())
        .max_blocking_threads(Work::threads(config.limits.work))
        // Room for the template engine, which would else be made and given back several times a turn.
        .thread_stack_size(STACK)
        .build()
        .map_err(|error| Failure::plain(format!("no threads can be started: {error}")))?;
    let served = runtime.block_on(serve(config, token, kept));
    // Work that takes longer than anybody waits must not keep the process.
    runtime.shutdown_background();
    counts.keep();
    served.map(|()| ExitCode::SUCCESS)
}

async fn serve(config: Config, token: Token, kept: Kept) -> Result<(), Failure> {
    let listening = |error: std::io::Error| {
        Failure::with_hint(format!("{}: {error}", config.listen), "name another address with --listen")
    };
    let listener = config.listen.bind().map_err(listening)?;
    let at = listener.address().map_err(listening)?;
    let guard = Guard::new(token, &config.hosts, &at);
    announce(&at, &guard, config.link)?;
    let server = Arc::new(Server {
        work: Work::new(config.limits.work, config.limits.time),
        metrics: Metrics::new(routes::paths()),
        log: Log::new(config.log),
        last_template: LastRead::default(),
        told: Told::default(),
        grounds: Grounds::default(),
        escaped: Escaped::default(),
        near: Near::default(),
        stood: Stood::default(),
        stamps: Rounds::default(),
        templates: Rounds::default(),
        guard,
        kept,
        config,
    });
    connection::serve(listener, Routes::new(&server), &server).await;
    server.log.flush();
    Ok(())
}

/// Says where, and how a browser gets in.
fn announce(at: &Address, guard: &Guard, link: Link) -> Result<(), Failure> {
    let Address::Port(at) = at else {
        // No browser opens a socket.
        return terminal::print_result(&format!("listening on {at}\n"));
    };
    terminal::print_result(&format!("listening on http://{at}\n"))?;
    if link == Link::Printed {
        let code = guard.token.link()?;
        terminal::print_result(&format!(
            "open http://{at}/?code={code} in a browser: it works once, for 15 minutes\n"
        ))?;
    }
    Ok(())
}
