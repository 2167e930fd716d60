//! What `antefix serve` answers in a second, and what a handler that always gives the same bytes answers.
//!
//! 1. Both are processes of their own, asked by the same client over as many connections, in turns.
//! 2. The constant handler is axum's, on the same runtime, with a body as long as the prompt's.
//! 3. Every answer is looked at: one that is refused would be fast.
//! 4. The figures are written to the file of `ANTEFIX_BENCH_REPORT`; `cargo xtask bench` prints the table.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a benchmark that cannot go on says so by failing")]

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

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
    let floor = Served::start(Command::new(std::env::current_exe().unwrap()).env(CONSTANT, "1"));
    let served = Served::start(&mut project.server());
    let token = std::fs::read_to_string(project.path("token")).unwrap();
    let request = |method: &str, path: &str, accept: &str, body: &str| {
        format!(
            "{method} {path} HTTP/1.1\r\nhost: 127.0.0.1:{}\r\nauthorization: Bearer {}\r\naccept: {accept}\r\n\
             content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            served.port,
            token.trim(),
            body.len()
        )
    };
    let turn = |conversation: &str, watch: &str| {
        let body = json!({ "cwd": project.path("p"), "watch": watch }).to_string();
        request("POST", &format!("/conversations/{conversation}/turns"), "application/json", &body)
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let opened = runtime.block_on(ask(served.port, &turn("c", "all")));
    assert!(opened > SIZE, "the prompt has {opened} bytes");

    let plain = format!("GET / HTTP/1.1\r\nhost: 127.0.0.1:{}\r\n\r\n", floor.port);
    let text = request("GET", "/conversations/c/system-prompt", "text/plain", "");
    let document = request("GET", "/conversations/c/system-prompt", "application/json", "");
    let asked: [(&str, u16, &str); 6] = [
        ("http/constant", floor.port, &plain),
        ("http/standing-text", served.port, &text),
        ("http/standing-json", served.port, &document),
        ("http/turn-acting", served.port, &turn("c", "acting")),
        ("http/turn", served.port, &turn("c", "all")),
        ("http/constant-again", floor.port, &plain),
    ];
    let mut rows = Vec::new();
    // As with criterion, a word on the command line chooses.
    let chosen: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with("--")).collect();
    let is_chosen = |name: &str| chosen.is_empty() || chosen.iter().any(|word| name.contains(word.as_str()));
    for (name, port, request) in asked.into_iter().filter(|(name, ..)| is_chosen(name)) {
        let mut took = runtime.block_on(load(port, request, length));
        took.sort_unstable();
        let at = |share: f64| took[(took.len() as f64 * share) as usize].as_nanos() as f64;
        let per_second = took.len() as f64 / length.as_secs_f64();
        eprintln!("{name}: {per_second:.0}/s, p50 {:.0} µs, p99 {:.0} µs", at(0.5) / 1e3, at(0.99) / 1e3);
        rows.push(json!({ "name": name, "per_second": per_second, "p50_ns": at(0.5), "p99_ns": at(0.99) }));
    }
    let conversations = figure(CONVERSATIONS, 10_000.0) as usize;
    let began = Instant::now();
    runtime.block_on(async {
        let requests: Vec<String> = (0..conversations).map(|number| turn(&format!("c{number}"), "all")).collect();
        let parts: Vec<_> = requests.chunks(conversations.div_ceil(8)).map(<[String]>::to_vec).collect();
        let tasks: Vec<_> = parts.into_iter().map(|part| tokio::spawn(each(served.port, part))).collect();
        for task in tasks {
            task.await.unwrap();
        }
    });
    let opened = began.elapsed().as_secs_f64();
    let resident = served.resident();
    eprintln!("{conversations} conversations opened in {opened:.1} s; {} MB resident", resident / 1_000_000);
    let report = json!({ "rows": rows, "conversations": conversations, "seconds": opened, "resident": resident });
    if let Some(path) = std::env::var_os(REPORT) {
        std::fs::write(path, report.to_string()).unwrap();
    }
}

fn figure(name: &str, usual: f64) -> f64 {
    std::env::var(name).map_or(usual, |text| text.parse().unwrap())
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
        for directory in ["home", "p/.git"] {
            std::fs::create_dir_all(project.path(directory)).unwrap();
        }
        std::fs::write(project.path("p/.git/HEAD"), "ref: refs/heads/main\n").unwrap();
        std::fs::write(project.path("p/AGENTS.md"), text()).unwrap();
        project
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().canonicalize().unwrap().join(name)
    }

    fn server(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_antefix"));
        command.args(["serve", "--listen", "127.0.0.1:0", "--no-link", "--token-file"]).arg(self.path("token"));
        command.arg("--store").arg(format!("sqlite:{}", self.path("ledger.db").display()));
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

    /// What it has in memory, in bytes.
    fn resident(&self) -> u64 {
        let status =
            std::fs::read_to_string(Path::new("/proc").join(self.child.id().to_string()).join("status")).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        1024 * line.trim().trim_end_matches("kB").trim().parse::<u64>().unwrap()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Asks over many connections for a while. How long each answer took.
async fn load(port: u16, request: &str, length: Duration) -> Vec<Duration> {
    // What has just started is slower.
    let warm = Instant::now() + length / 4;
    let end = warm + length;
    let tasks: Vec<_> = (0..CONNECTIONS)
        .map(|_| {
            let request = request.to_owned();
            tokio::spawn(async move {
                let mut connection = Connection::open(port).await;
                let mut took = Vec::new();
                loop {
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
