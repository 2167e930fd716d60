//! What `antefix serve` answers in a second, and what a handler that always gives the same bytes answers.
//!
//! 1. Both are processes of their own, asked by the same client over as many connections, a moment each and many times in
//!    turns: a machine that slows down meanwhile slows all of them.
//! 2. The constant handler is axum's, on the same runtime, with a body as long as the prompt's.
//! 3. Every answer is looked at: one that is refused would be fast.
//! 4. Each connection has a conversation of its own, all of them in one project. Turns are asked for as the clients in `clients/`
//!    do for an agent: with the model, a target, the tools, the messages so far, and a new name for each turn.
//! 5. Where there is a PostgreSQL, one replica on it and two are asked in the same way. On few processors the client and the
//!    database need as much of them, and a second replica has nothing to run on. So each of them is held to a part of one processor
//!    as well, where the system allows that: then there is room for the second one, and it shows what they share.
//! 6. The figures are written to the file of `ANTEFIX_BENCH_REPORT`; `cargo xtask bench` prints the table.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a benchmark that cannot go on says so by failing")]

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use antefix_testing::{memory, postgres};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// As many bytes as a prompt has.
const SIZE: usize = 20_000;
const CONNECTIONS: usize = 32;
const CONSTANT: &str = "ANTEFIX_BENCH_CONSTANT";
const SECONDS: &str = "ANTEFIX_BENCH_SECONDS";
const CONVERSATIONS: &str = "ANTEFIX_BENCH_CONVERSATIONS";
const REPORT: &str = "ANTEFIX_BENCH_REPORT";

fn main() {
    if std::env::var_os(CONSTANT).is_some() {
        return constant();
    }
    // `cargo test --benches` only wants to know that it starts.
    if !std::env::args().any(|arg| arg == "--bench") {
        return;
    }
    let length = Duration::from_secs_f64(figure(SECONDS, 3.0));
    let project = Project::new();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    // As with criterion, a word on the command line chooses.
    let chosen: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with("--")).collect();
    let is_chosen = |name: &str| chosen.is_empty() || chosen.iter().any(|word| name.contains(word.as_str()));
    let floor = Served::start(Command::new(std::env::current_exe().unwrap()).env(CONSTANT, "1"));
    let store = format!("sqlite:{}", project.path("ledger.db").display());
    let served = Served::start(&mut project.server(&store, Some("dispatch")));
    let asking = Asking { project: &project, token: project.token() };
    asking.open(&runtime, &served);
    // The default layout, with branch and status after the boundary, in a repository.
    let with_git = Served::start(&mut project.server(&format!("sqlite:{}", project.path("git.db").display()), None));
    asking.open(&runtime, &with_git);
    let plain = ["GET / HTTP/1.1\r\nhost: localhost\r\n\r\n".to_owned()];
    let mut measures = vec![
        Measure::new("http/constant", &[&floor], &plain),
        Measure::new("http/standing-text", &[&served], &asking.standing(&served, "text/plain")),
        Measure::new("http/standing-json", &[&served], &asking.standing(&served, "application/json")),
        Measure::new("http/turn", &[&served], &asking.turns(&served)),
        Measure::new("http/turn-with-git", &[&with_git], &asking.turns(&with_git)),
    ];
    measures.retain(|measure| is_chosen(measure.name));
    measure(&runtime, &mut measures, length);
    let mut rows: Vec<_> = measures.iter().map(Measure::row).collect();
    drop(measures);

    let conversations = figure(CONVERSATIONS, 10_000.0) as usize;
    let began = Instant::now();
    // The first turn of each opens it, the second one stands.
    asking.ask_each(&runtime, &served, conversations);
    let opened = began.elapsed().as_secs_f64();
    asking.ask_each(&runtime, &served, conversations);
    let resident = served.resident();
    eprintln!("{conversations} conversations opened in {opened:.1} s; {} MB resident", resident / 1_000_000);
    drop(served);

    if !postgres::is_left_out() && is_chosen("http/postgres") {
        let database = postgres::Database::new();
        let store = database.url("");
        let one = Served::start(&mut project.server(&store, Some("dispatch")));
        let other = Served::start(&mut project.server(&store, Some("dispatch")));
        asking.open(&runtime, &one);
        asking.open(&runtime, &other);
        let turns = |server: &Served| asking.turns(server);
        // Each request goes to the replica whose address it has.
        let both: Vec<String> = turns(&one).into_iter().zip(turns(&other)).flat_map(|(a, b)| [a, b]).collect();
        let mut measures = [
            Measure::new("http/postgres-one-replica", &[&one], &turns(&one)),
            Measure::new("http/postgres-two-replicas", &[&one, &other], &both),
        ];
        measure(&runtime, &mut measures, length);
        rows.extend(measures.iter().map(Measure::row));
        if let (Some(_one), Some(_other)) = (Held::hold(&one), Held::hold(&other)) {
            let mut measures = [
                Measure::new("http/postgres-one-held-replica", &[&one], &turns(&one)),
                Measure::new("http/postgres-two-held-replicas", &[&one, &other], &both),
            ];
            measure(&runtime, &mut measures, length);
            rows.extend(measures.iter().map(Measure::row));
        } else {
            eprintln!("replicas cannot be held to a part of a processor here: no control group can be made");
        }
    }
    let report = json!({ "rows": rows, "conversations": conversations, "seconds": opened, "resident": resident });
    if let Some(path) = std::env::var_os(REPORT) {
        std::fs::write(path, report.to_string()).unwrap();
    }
}

/// How many times each of them is asked.
const TURNS: u32 = 8;

/// What is measured: requests over connections that take turns with the servers and the requests.
struct Measure<'s> {
    name: &'static str,
    servers: Vec<&'s Served>,
    requests: Vec<String>,
    took: Vec<Duration>,
    asked: Duration,
    /// How long the servers were busy, and for how many answers.
    busy: (f64, f64),
}

impl<'s> Measure<'s> {
    fn new(name: &'static str, servers: &[&'s Served], requests: &[String]) -> Measure<'s> {
        let (servers, requests) = (servers.to_vec(), requests.to_vec());
        Measure { name, servers, requests, took: Vec::new(), asked: Duration::ZERO, busy: (0.0, 0.0) }
    }

    /// Asks for a moment.
    fn ask(&mut self, runtime: &tokio::runtime::Runtime, length: Duration) {
        let busy = || self.servers.iter().map(|server| server.busy()).sum::<f64>();
        let ports: Vec<u16> = self.servers.iter().map(|server| server.port).collect();
        let (before, begun) = (busy(), Instant::now());
        let took = runtime.block_on(load(&ports, &self.requests, length));
        // The time before the clock starts counts as well, with about as many answers in it.
        let answers = took.len() as f64 * (begun.elapsed().as_secs_f64() / length.as_secs_f64());
        self.busy = (self.busy.0 + busy() - before, self.busy.1 + answers);
        self.asked += length;
        self.took.extend(took);
    }

    fn row(&self) -> serde_json::Value {
        let mut took = self.took.clone();
        took.sort_unstable();
        let at = |share: f64| took[(took.len() as f64 * share) as usize].as_nanos() as f64;
        let per_second = took.len() as f64 / self.asked.as_secs_f64();
        let (p50, p99, busy) = (at(0.5), at(0.99), self.busy.0 / self.busy.1);
        eprintln!(
            "{}: {per_second:.0}/s, p50 {:.0} µs, p99 {:.0} µs, {:.1} µs of the server's processors",
            self.name,
            p50 / 1e3,
            p99 / 1e3,
            busy * 1e6
        );
        json!({ "name": self.name, "per_second": per_second, "p50_ns": p50, "p99_ns": p99, "busy_ns": busy * 1e9 })
    }
}

fn measure(runtime: &tokio::runtime::Runtime, measures: &mut [Measure<'_>], length: Duration) {
    for _ in 0..TURNS {
        for measure in &mut *measures {
            measure.ask(runtime, length / TURNS);
        }
    }
}

/// What is asked of a server.
struct Asking<'p> {
    project: &'p Project,
    token: String,
}

impl Asking<'_> {
    fn request(&self, server: &Served, method: &str, path: &str, headers: &str, body: &str) -> String {
        format!(
            "{method} {path} HTTP/1.1\r\nhost: 127.0.0.1:{}\r\nauthorization: Bearer {}\r\n{headers}\r\n\
             content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            server.port,
            self.token,
            body.len()
        )
    }

    /// A turn as a client of an agent asks for it.
    fn turn(&self, server: &Served, conversation: &str) -> String {
        let body = json!({
            "cwd": self.project.path("p"),
            "model": "claude-opus-5",
            "target": "anthropic",
            "tools": tools(),
            "messages": messages(),
            "turn": NAME,
        })
        .to_string();
        // They name a target, and so need no other copy of the prompt than the fragment's.
        let headers = "accept: application/json\r\nprefer: return=minimal";
        self.request(server, "POST", &format!("/conversations/{conversation}/turns"), headers, &body)
    }

    /// A turn for each connection.
    fn turns(&self, server: &Served) -> Vec<String> {
        (0..CONNECTIONS).map(|number| self.turn(server, &format!("asked-{number}"))).collect()
    }

    /// What stands, for each connection.
    fn standing(&self, server: &Served, accept: &str) -> Vec<String> {
        let path = |number: usize| format!("/conversations/asked-{number}/system-prompt");
        let headers = format!("accept: {accept}");
        (0..CONNECTIONS).map(|number| self.request(server, "GET", &path(number), &headers, "")).collect()
    }

    /// Opens the conversations that are asked for.
    fn open(&self, runtime: &tokio::runtime::Runtime, server: &Served) {
        for turn in self.turns(server) {
            let length = runtime.block_on(ask(server.port, &turn));
            assert!(length > SIZE, "the prompt has {length} bytes");
        }
    }

    /// Takes a turn of each of many conversations.
    fn ask_each(&self, runtime: &tokio::runtime::Runtime, server: &Served, conversations: usize) {
        let requests: Vec<String> = (0..conversations).map(|number| self.turn(server, &format!("c{number}"))).collect();
        runtime.block_on(async {
            let parts: Vec<_> = requests.chunks(conversations.div_ceil(8)).map(<[String]>::to_vec).collect();
            let tasks: Vec<_> = parts.into_iter().map(|part| tokio::spawn(each(server.port, part))).collect();
            for task in tasks {
                task.await.unwrap();
            }
        });
    }
}

fn figure(name: &str, usual: f64) -> f64 {
    std::env::var(name).map_or(usual, |text| text.parse().unwrap())
}

/// Where the name of a turn is in a request: each turn gets another one, as long as this.
const NAME: &str = "turn-00000000";

/// What a coding agent has.
fn tools() -> serde_json::Value {
    let tool = |name: &str, does: &str, takes: &[&str]| {
        let property =
            |name: &&str| ((*name).to_owned(), json!({"type": "string", "description": format!("The {name}.")}));
        let properties: serde_json::Map<String, serde_json::Value> = takes.iter().map(property).collect();
        let schema = json!({"type": "object", "properties": properties, "required": takes});
        json!({"name": name, "description": does, "input_schema": schema})
    };
    json!([
        tool("bash", "Runs a command in the working directory and answers with what it printed.", &["command"]),
        tool("edit", "Replaces a text in a file, which must be in it exactly once.", &["path", "old", "new"]),
        tool("find", "Lists the files below a directory whose names match a pattern.", &["path", "pattern"]),
        tool("grep", "Finds lines in files by a regular expression.", &["path", "pattern"]),
        tool("ls", "Lists a directory.", &["path"]),
        tool("read", "Reads a file, or some of its lines.", &["path", "first", "last"]),
        tool("web_fetch", "Fetches a page and answers with its text.", &["url"]),
        tool("write", "Writes a file anew.", &["path", "text"]),
    ])
}

/// A conversation that has gone on for a while: 20 messages of 300 bytes.
fn messages() -> serde_json::Value {
    let said = "Look at the parser first, then say what it does with a tag that is never closed. ".repeat(4);
    let role = |number: usize| if number.is_multiple_of(2) { "user" } else { "assistant" };
    (0..19).map(|number| json!({"role": role(number), "content": &said[..300]})).collect()
}

/// The floor.
fn constant() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let body: axum::body::Bytes = text().into();
        let same = body.clone();
        let routes = axum::Router::new().route("/", axum::routing::get(move || async move { body })).route(
            "/hop",
            axum::routing::get(move || async move {
                let same = same.clone();
                tokio::task::spawn_blocking(move || same).await.unwrap()
            }),
        );
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        println!("listening on http://{}", listener.local_addr().unwrap());
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            stream.set_nodelay(true).unwrap();
            let service = hyper_util::service::TowerToHyperService::new(routes.clone());
            let served = hyper::server::conn::http1::Builder::new()
                .serve_connection(hyper_util::rt::TokioIo::new(stream), service);
            tokio::spawn(served);
        }
    });
}

fn text() -> String {
    "a line of a prompt\n".repeat(SIZE.div_ceil(19))
}

/// A project with long instructions, and a home.
struct Project(tempfile::TempDir);

impl Project {
    fn new() -> Project {
        let project = Project(tempfile::tempdir().unwrap());
        for directory in ["home", "p"] {
            std::fs::create_dir_all(project.path(directory)).unwrap();
        }
        std::fs::write(project.path("p/AGENTS.md"), text()).unwrap();
        let made =
            Command::new("git").args(["init", "--quiet", "--initial-branch", "main"]).arg(project.path("p")).status();
        assert!(made.unwrap().success(), "no repository");
        project
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().canonicalize().unwrap().join(name)
    }

    fn token(&self) -> String {
        std::fs::read_to_string(self.path("token")).unwrap().trim().to_owned()
    }

    fn server(&self, store: &str, layout: Option<&str>) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_antefix"));
        command.args(["serve", "--listen", "127.0.0.1:0", "--no-link", "--token-file"]).arg(self.path("token"));
        command.args(["--store", store]);
        command.args(layout.iter().flat_map(|layout| ["--layout", layout]));
        command.current_dir(self.path("p")).env_clear().env("HOME", self.path("home"));
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command
    }
}

/// A server that is stopped when it is not needed any more.
struct Served {
    child: Child,
    port: u16,
}

impl Served {
    fn start(command: &mut Command) -> Served {
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut first = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut first).unwrap();
        let port = first.trim_end().rsplit(':').next().and_then(|port| port.parse().ok());
        Served { child, port: port.unwrap_or_else(|| panic!("no server: {first:?}")) }
    }

    /// How long its threads were busy so far, in seconds.
    fn busy(&self) -> f64 {
        let stat = std::fs::read_to_string(Path::new("/proc").join(self.child.id().to_string()).join("stat")).unwrap();
        // The name may have anything in it, and ends with the last parenthesis. Ticks are hundredths everywhere.
        let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
        [11, 12].iter().map(|at| fields[*at].parse::<f64>().unwrap()).sum::<f64>() / 100.0
    }

    /// What it has in memory, in bytes.
    fn resident(&self) -> u64 {
        memory::resident(self.child.id())
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A server that is held to a fifth of one processor, by a control group of its own.
struct Held(PathBuf);

impl Held {
    fn hold(server: &Served) -> Option<Held> {
        let groups = Path::new("/sys/fs/cgroup");
        let unified = groups.join("cgroup.controllers").exists();
        let group = if unified { groups.to_owned() } else { groups.join("cpu") };
        let group = Held(group.join(format!("antefix-bench-{}", server.child.id())));
        std::fs::create_dir(&group.0).ok()?;
        let set = |name: &str, value: &str| std::fs::write(group.0.join(name), value).ok();
        if unified {
            set("cpu.max", "2000 10000")?;
        } else {
            set("cpu.cfs_period_us", "10000")?;
            set("cpu.cfs_quota_us", "2000")?;
        }
        set("cgroup.procs", &server.child.id().to_string())?;
        Some(group)
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        // A group that is not empty cannot be removed, and one more is no harm.
        if let (Some(above), Ok(members)) = (self.0.parent(), std::fs::read_to_string(self.0.join("cgroup.procs"))) {
            for member in members.lines() {
                let _ = std::fs::write(above.join("cgroup.procs"), member);
            }
        }
        let _ = std::fs::remove_dir(&self.0);
    }
}

/// Asks over many connections for a while. How long each answer took.
async fn load(ports: &[u16], requests: &[String], length: Duration) -> Vec<Duration> {
    // What has just started is slower.
    let warm = Instant::now() + length / 4;
    let end = warm + length;
    let tasks: Vec<_> = (0..CONNECTIONS)
        .map(|number| {
            let (port, mut request) = (ports[number % ports.len()], requests[number % requests.len()].clone());
            let name = request.find(NAME).map(|at| at..at + NAME.len());
            tokio::spawn(async move {
                let mut connection = Connection::open(port).await;
                let mut took = Vec::new();
                for turn in 0.. {
                    if let Some(name) = &name {
                        request.replace_range(name.clone(), &format!("turn-{turn:08}"));
                    }
                    let start = Instant::now();
                    connection.ask(&request).await;
                    let now = Instant::now();
                    if now >= end {
                        return took;
                    }
                    if now >= warm {
                        took.push(now - start);
                    }
                }
                took
            })
        })
        .collect();
    let mut all = Vec::new();
    for task in tasks {
        all.extend(task.await.unwrap());
    }
    all
}

async fn each(port: u16, requests: Vec<String>) {
    let mut connection = Connection::open(port).await;
    for request in requests {
        connection.ask(&request).await;
    }
}

async fn ask(port: u16, request: &str) -> usize {
    Connection::open(port).await.ask(request).await
}

struct Connection {
    stream: TcpStream,
    buffer: Vec<u8>,
}

impl Connection {
    async fn open(port: u16) -> Connection {
        let stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
        stream.set_nodelay(true).unwrap();
        Connection { stream, buffer: vec![0; 256 * 1024] }
    }

    /// Asks, and reads the whole answer, which must be a good one. How long its body is.
    async fn ask(&mut self, request: &str) -> usize {
        self.stream.write_all(request.as_bytes()).await.unwrap();
        let mut filled = 0;
        loop {
            let read = self.stream.read(&mut self.buffer[filled..]).await.unwrap();
            assert!(read > 0, "the server hung up");
            filled += read;
            let Some(head) = self.buffer[..filled].windows(4).position(|four| four == b"\r\n\r\n") else { continue };
            let text = std::str::from_utf8(&self.buffer[..head]).unwrap();
            assert!(text.starts_with("HTTP/1.1 200"), "{text}");
            let length = text.lines().find_map(|line| {
                let (name, value) = line.split_once(':')?;
                name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>().ok())?
            });
            let length = length.unwrap_or_else(|| panic!("no length: {text}"));
            if filled == head + 4 + length {
                return length;
            }
        }
    }
}
