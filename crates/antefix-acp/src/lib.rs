//! Any editor, any agent of the Agent Client Protocol, and the prompt in between: what `antefix acp` runs.
//!
//! 1. Everything that is said goes on as the very bytes that were said, except for the requests that begin a session and
//!    for prompts that carry something. stdout carries the protocol and nothing else.
//! 2. A session is given its prompt in exactly one way, the best that its agent has; for one that has none it is in the first
//!    message of the user's, until that has succeeded.
//! 3. The bytes are in the ledger, under the agent's name and the session's id, and they are the same when the session is
//!    loaded again. What changes meanwhile goes with the next prompt.
//! 4. Memory is bounded, whatever is sent. Nobody waits for an agent that has died, and no agent outlives its client.
//! 5. Started by `proxy/initialize`, it is a link in a chain, and starts no agent.
//!
//! All that is known here of the protocol's words stays here; which way is taken is decided in `antefix::deliver`. This
//! crate knows no terminal and no command line: [`run`] takes plain values, and a [`Reporter`] for what a person should know.

mod agent;
mod begin;
mod composer;
mod failure;
mod hooked;
mod lines;
mod message;
mod method;
mod refused;
mod relay;
mod report;
mod scan;
mod session;
mod signals;
mod touched;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{ChildStdout, ExitStatus};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use antefix::deliver::{Mode, Way};
use antefix::diagnostic::Code;
use antefix::project::Reader;
use antefix::{Antefix, Ask, ErrorKind};
use serde_json::value::RawValue;

use self::agent::{AgentProcess, LaunchFile};
use self::composer::Composer;
pub use self::composer::Live;
pub use self::failure::Failure;
use self::lines::{Lines, Next};
use self::message::{INTERNAL_ERROR, INVALID_REQUEST, Members, Message, PARSE_ERROR, error};
use self::relay::{Launched, Relay, Wiring, Wishes, ended};
pub use self::report::Reporter;
use self::report::Reports;
use self::scan::Scan;
use self::signals::Listener;

/// The longest line of the client's that may be changed: a prompt may have pictures in it.
const CLIENT_LIMIT: usize = 16 * 1024 * 1024;
/// The longest line of the agent's that is parsed: the answers that matter are short.
const AGENT_LIMIT: usize = 1024 * 1024;
/// The longest line in a chain, where every line is wrapped or unwrapped.
const CHAIN_LIMIT: usize = 256 * 1024 * 1024;
/// How long an agent may take to end once its client has gone.
const GRACE: Duration = Duration::from_secs(5);
/// How long what a dead agent has said last is waited for.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// What the user of the proxy wants.
#[derive(Debug, Default)]
pub struct Options {
    /// The agent's program and its arguments; none in a chain of proxies.
    pub agent: Vec<OsString>,
    /// What is said for every session: layout, model, facts that are answered by hand.
    pub ask: Ask,
    /// Whether the prompt goes beside the agent's own instructions, or takes their place if the agent lets it.
    pub mode: Mode,
    /// Whether the live part goes with every prompt.
    pub live: Live,
    /// Whether the agent is told what it reads by itself.
    pub again: Again,
    /// How the agent is started with a prompt, if it takes one in no other way.
    pub launch: Option<Launch>,
    /// The key in `_meta` under which the client brings the operator's prompt, in the place of the user's settings.
    pub client_key: Option<String>,
    /// The directory in which every session gets a receipt, if receipts are wanted.
    pub receipts: Option<PathBuf>,
}

/// Whether an agent is told what it reads by itself.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Again {
    /// What its data says that it reads is left out.
    #[default]
    LeaveOut,
    /// It is told all the same.
    Tell,
}

/// An agent that is started with a prompt.
#[derive(Debug)]
pub struct Launch {
    /// The variable that names the file with the prompt.
    pub variable: String,
    /// The directory that the prompt is composed for.
    pub directory: PathBuf,
}

/// Stands between a client, on stdin and stdout, and an agent until one of them goes. The answer is an exit code: the
/// agent's.
pub fn run(antefix: Antefix, options: Options, reporter: impl Reporter + 'static) -> Result<u8, Failure> {
    let signals = signals::listen(&antefix)?;
    let done = connect(antefix.clone(), options, reporter, &signals);
    // A hook may still run for a prompt whose answer nobody waits for any more.
    antefix.world().end_programs();
    done
}

fn connect(
    antefix: Antefix,
    options: Options,
    reporter: impl Reporter + 'static,
    signals: &Listener,
) -> Result<u8, Failure> {
    let Options { agent, ask, mode, live, again, launch, client_key, receipts } = options;
    let own = antefix.settings()?.acp;
    let wishes = Wishes {
        mode,
        again,
        client_key: client_key.or(own.client_key).unwrap_or_else(|| "antefix.systemPrompt".to_owned()),
        agents: ways(&own.agents)?,
        launched: None,
        program: agent.first().map(|program| name_of(Path::new(program))),
    };
    // A ledger that cannot be opened is better known before anything is sent.
    antefix.keeper()?;
    let composer = Composer { antefix, ask, live };
    let reports = Reports::new(Box::new(reporter), receipts);
    let mut client = Lines::new(stdin()?, CLIENT_LIMIT);
    let first = client.next().map_err(|error| Failure::system(format!("stdin cannot be read: {error}")))?;
    let opening = std::str::from_utf8(client.line()).ok().filter(|_| matches!(first, Next::Line | Next::Cut));
    let opening = opening.and_then(|text| Message::parse(text.trim())).map(|message| (message.id, message.method));
    if opening.as_ref().is_some_and(|(_, method)| method.as_deref() == Some("proxy/initialize")) {
        let relay = Relay::new(composer, reports, wishes, Wiring::Chain, (stdout()?, None));
        chain(client, &relay);
        return Ok(0);
    }
    if first == Next::End {
        return Ok(0);
    }
    let id = opening.and_then(|(id, _)| id);
    let started = start(&agent, launch, composer, reports, wishes);
    let (process, agent, relay) = match started {
        Ok(started) => started,
        Err(failure) => {
            if let Some(id) = id {
                let answer = ended(&error(&id, INTERNAL_ERROR, &failure.to_string()));
                let _ = stdout()?.write_all(answer.as_bytes());
            }
            return Err(failure);
        }
    };
    let (events, happened) = mpsc::channel();
    signals.tell(&events);
    direct(client, first, process, agent, &relay, (events, &happened))
}

/// Starts the agent, with a prompt if it takes one that way.
fn start(
    agent: &[OsString],
    launch: Option<Launch>,
    composer: Composer,
    reports: Reports,
    mut wishes: Wishes,
) -> Result<(AgentProcess, ChildStdout, Arc<Relay>), Failure> {
    let mut file = None;
    if let Some(Launch { variable, directory }) = launch {
        let project = composer.project(&directory)?;
        let draft = Arc::new(project.draft(composer.ask(None, Reader::Nobody))?);
        reports.findings(draft.diagnostics());
        file = Some((variable.clone(), LaunchFile::write(draft.text())?));
        wishes.launched = Some(Launched { variable, draft, cwd: project.directory().to_owned() });
    }
    let (process, pipes) = AgentProcess::start(agent, file)?;
    let relay = Relay::new(composer, reports, wishes, Wiring::Direct, (stdout()?, Some(Box::new(pipes.stdin))));
    Ok((process, pipes.stdout, relay))
}

/// Something that ends the work.
enum Event {
    ClientGone,
    AgentSilent,
    AgentExited,
    Signal(i32),
}

/// The client on one side, an agent of our own on the other.
fn direct(
    mut client: Lines<Box<dyn Read + Send>>,
    first: Next,
    process: AgentProcess,
    agent: ChildStdout,
    relay: &Arc<Relay>,
    (events, happened): (Sender<Event>, &Receiver<Event>),
) -> Result<u8, Failure> {
    let (number, sender) = (process.id(), events.clone());
    thread("antefix-exit", move || {
        agent::wait_for_exit(number);
        let _ = sender.send(Event::AgentExited);
    })?;
    let (listening, sender) = (Arc::clone(relay), events.clone());
    thread("antefix-agent", move || {
        let mut agent = Lines::new(agent, AGENT_LIMIT);
        let end = pass_to_client(&listening, &mut agent);
        let _ = sender.send(end);
    })?;
    let (talking, sender) = (Arc::clone(relay), events);
    thread("antefix-client", move || {
        let mut next = Ok(first);
        while let Ok(found) = next {
            let passed = match found {
                Next::End => break,
                Next::Line | Next::Cut => talking.client_says(client.line()),
                Next::Long => pour_to_agent(&talking, &mut client),
            };
            // An agent that no longer listens has ended or will: whoever waits for its end says so.
            if passed.is_err() {
                return;
            }
            next = client.next();
        }
        let _ = sender.send(Event::ClientGone);
    })?;
    Ok(finish(happened, process, relay))
}

/// Passes on what the agent says, until it has said all.
fn pass_to_client<R: Read>(relay: &Arc<Relay>, agent: &mut Lines<R>) -> Event {
    loop {
        let passed = match agent.next() {
            Ok(Next::End) | Err(_) => return Event::AgentSilent,
            Ok(Next::Line) => relay.agent_says(agent.line()),
            Ok(Next::Cut) => relay.agent_broke_off(agent.line()),
            Ok(Next::Long) => {
                let _order = relay.order();
                relay.resolve(Err("it said something very long first".to_owned()));
                relay.with_client(|client| agent.pour(client)).map(|scan| relay.passed_to_client(&scan))
            }
        };
        if relay.is_overfull() {
            let _order = relay.order();
            relay.resolve(Err("it said too much first".to_owned()));
        }
        if passed.is_err() {
            return Event::ClientGone;
        }
    }
}

/// Passes on a line that is too long to be parsed.
fn pour_to_agent<R: Read>(relay: &Relay, client: &mut Lines<R>) -> io::Result<()> {
    // Most say what they are at their beginning; the answer may come before we have seen the end.
    let mut head = Scan::default();
    head.read(client.line());
    let known = head.id.is_some() && head.method.is_some();
    if let (Some(id), Some(method)) = (&head.id, &head.method)
        && relay::BEGINNINGS.contains(&method.as_str())
    {
        let why = format!("a {method} is longer than {CLIENT_LIMIT} bytes, too long to be given its prompt");
        client.pour(&mut io::sink())?;
        return relay.to_client(ended(&relay.refuse(id, INVALID_REQUEST, &why)).as_bytes());
    }
    if known {
        relay.passed_to_agent(&head);
    }
    relay.with_agent(|agent| {
        let scan = client.pour(agent)?;
        if !known {
            relay.passed_to_agent(&scan);
        }
        Ok(())
    })
}

/// Waits for the end of either side, and ends the other.
fn finish(happened: &Receiver<Event>, process: AgentProcess, relay: &Relay) -> u8 {
    let first = happened.recv().unwrap_or(Event::ClientGone);
    let signal = match first {
        Event::AgentExited => {
            // What it has said last is still on its way.
            wait_for(happened, LAST_WORDS, |event| matches!(event, Event::AgentSilent));
            None
        }
        Event::AgentSilent => {
            relay.hang_up();
            wait_for(happened, GRACE, |event| matches!(event, Event::AgentExited));
            None
        }
        Event::ClientGone => {
            relay.hang_up();
            // It may have said all before it ends.
            let mut is_silent = false;
            let has_exited = wait_for(happened, GRACE, |event| {
                is_silent |= matches!(event, Event::AgentSilent);
                matches!(event, Event::AgentExited)
            });
            if !has_exited {
                process.ask_to_end();
                wait_for(happened, LAST_WORDS, |event| matches!(event, Event::AgentExited));
            } else if !is_silent {
                wait_for(happened, LAST_WORDS, |event| matches!(event, Event::AgentSilent));
            }
            None
        }
        Event::Signal(signal) => {
            relay.hang_up();
            process.ask_to_end();
            wait_for(happened, GRACE, |event| matches!(event, Event::AgentExited));
            Some(signal)
        }
    };
    let status = process.end();
    let code = signal.map_or_else(|| status.as_ref().map_or(1, code), |signal| 128 + signal);
    let how = status.map_or_else(|error| error.to_string(), |status| status.to_string());
    relay.give_up(&format!("the agent has ended ({how})"));
    u8::try_from(code).unwrap_or(1)
}

/// Whether something happens in time.
fn wait_for(happened: &Receiver<Event>, patience: Duration, mut wanted: impl FnMut(&Event) -> bool) -> bool {
    let end = Instant::now() + patience;
    loop {
        match happened.recv_timeout(end.saturating_duration_since(Instant::now())) {
            Ok(event) if wanted(&event) => return true,
            Ok(_) => {}
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return false,
        }
    }
}

/// The exit status as a shell reports it.
fn code(status: &ExitStatus) -> i32 {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(status) {
        return 128 + signal;
    }
    status.code().unwrap_or(1)
}

/// A link in a chain: one line in, one line out, on the same two pipes.
fn chain(client: Lines<Box<dyn Read + Send>>, relay: &Arc<Relay>) {
    let mut client = client.with_limit(CHAIN_LIMIT);
    let mut next = Ok(Next::Line);
    loop {
        match next {
            Ok(Next::End) | Err(_) => return,
            Ok(Next::Line | Next::Cut) => {
                if linked(relay, client.line()).is_err() {
                    return;
                }
            }
            Ok(Next::Long) => {
                let scan = client.pour(&mut io::sink()).unwrap_or_default();
                let id = scan.id.unwrap_or_else(|| "null".to_owned());
                let message = format!("antefix takes no message above {CHAIN_LIMIT} bytes in a chain");
                relay.reports.warn(Code::TooLong, &message);
                let _ = relay.to_client(ended(&error(&id, INTERNAL_ERROR, &message)).as_bytes());
            }
        }
        next = client.next();
    }
}

/// A line in a chain: from the client's side, from the agent's side, or an answer to either.
fn linked(relay: &Arc<Relay>, line: &[u8]) -> io::Result<()> {
    let text = std::str::from_utf8(line).map(str::trim);
    if text == Ok("") {
        return Ok(());
    }
    let Some(message) = text.ok().and_then(Message::parse) else {
        // Both sides speak on this one pipe, so what cannot be read can be passed on to neither.
        return match text.ok().and_then(|text| serde_json::from_str::<Vec<&RawValue>>(text).ok()) {
            Some(batch) if !batch.is_empty() => {
                batch.iter().try_for_each(|one| linked(relay, ended(one.get()).as_bytes()))
            }
            Some(_) => {
                relay.to_client(ended(&relay.refuse("null", INVALID_REQUEST, "a list without messages")).as_bytes())
            }
            None => {
                let why = "antefix cannot read this message: it is not JSON-RPC in UTF-8";
                relay.to_client(ended(&relay.refuse("null", PARSE_ERROR, why)).as_bytes())
            }
        };
    };
    let unwrapped = match message.method.as_deref() {
        Some("proxy/initialize") => {
            let Message { mut members, .. } = message;
            members.set("method", "\"initialize\"".to_owned());
            return relay.client_says(ended(&members.print()).as_bytes());
        }
        Some("proxy/successor") => message.members.get("params").and_then(Members::parse).and_then(|inner| {
            let mut plain = Members::default();
            plain.set("jsonrpc", "\"2.0\"".to_owned());
            if let Some(id) = message.members.get("id") {
                plain.set("id", id.to_owned());
            }
            plain.set("method", inner.get("method")?.to_owned());
            if let Some(params) = inner.get("params") {
                plain.set("params", params.to_owned());
            }
            Some(ended(&plain.print()))
        }),
        Some(_) => return relay.client_says(line),
        // An answer belongs to whoever asked.
        None => {
            let asked = message.id.as_ref().is_some_and(|id| relay.is_asked(id));
            return if asked { relay.agent_says(line) } else { relay.to_client(line) };
        }
    };
    match unwrapped {
        Some(plain) => relay.agent_says(plain.as_bytes()),
        None => relay.to_client(line),
    }
}

/// The user's own rows of the table of agents.
fn ways(agents: &BTreeMap<String, String>) -> antefix::Result<BTreeMap<String, Way>> {
    let rows = agents.iter().map(|(name, way)| {
        let parsed = Way::parse(way).ok_or_else(|| {
            let message = format!("`{way}` in `[acp.agents]` of your settings is not a way to deliver a prompt");
            antefix::Error::new(ErrorKind::Settings, message)
                .with_hint("write meta, meta:KEY, user-message or method:NAME")
        });
        parsed.map(|way| (name.clone(), way))
    });
    rows.collect()
}

/// A program's name: `/usr/bin/goose` is `goose`.
fn name_of(program: &Path) -> String {
    program.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
}

fn thread(name: &str, body: impl FnOnce() + Send + 'static) -> Result<(), Failure> {
    let started = std::thread::Builder::new().name(name.to_owned()).spawn(body);
    started.map(drop).map_err(|error| Failure::system(format!("a thread cannot be started: {error}")))
}

/// The client's side, without a buffer of the standard library's between.
#[cfg(unix)]
fn stdin() -> Result<Box<dyn Read + Send>, Failure> {
    use std::os::fd::AsFd;
    let own = io::stdin().as_fd().try_clone_to_owned();
    own.map(|fd| Box::new(File::from(fd)) as _).map_err(|error| Failure::system(format!("stdin is closed: {error}")))
}

#[cfg(unix)]
fn stdout() -> Result<Box<dyn Write + Send>, Failure> {
    use std::os::fd::AsFd;
    let own = io::stdout().as_fd().try_clone_to_owned();
    own.map(|fd| Box::new(File::from(fd)) as _).map_err(|error| Failure::system(format!("stdout is closed: {error}")))
}

#[cfg(not(unix))]
fn stdin() -> Result<Box<dyn Read + Send>, Failure> {
    Ok(Box::new(io::stdin()))
}

#[cfg(not(unix))]
fn stdout() -> Result<Box<dyn Write + Send>, Failure> {
    Ok(Box::new(io::stdout()))
}
