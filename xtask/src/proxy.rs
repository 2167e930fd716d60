//! What `antefix acp` costs the messages that pass it.
//!
//! 1. Latency: a small request and its answer, by way of the proxy and without it, in turns. What is more is the proxy's,
//!    half of it for each of the two messages.
//! 2. Speed: messages of 10 MB in either direction; the floor is `cat` in the proxy's place.
//! 3. Memory: the peak after a thousand messages of a session, and after a hundred thousand.
//!
//! The agent is this program again, so that nothing has to be installed and nothing else is measured.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::bench::{Goal, Row, quantiles};
use crate::step::Outcome;

/// Set for the program that is started as an agent.
pub(crate) const AGENT: &str = "ANTEFIX_BENCH_AGENT";

/// What the proxy may add to a message.
const ADDED: Duration = Duration::from_millis(1);
const MESSAGE: usize = 10_000_000;
/// 200 MB/s.
const FORWARDED: Duration = Duration::from_millis(50);
/// How many large messages are sent in one direction.
const LARGE: usize = 20;
const PINGS: usize = 2_000;
/// What an agent says before it answers a prompt.
const UPDATES: usize = 99;
/// How much memory may grow from a thousand messages to a hundred thousand.
const GROWTH: f64 = 2.0;

/// Measures all of it. Rows of the table, and what was missed beside them.
pub(crate) fn measure(program: &Path) -> Outcome<(Vec<Row>, Vec<String>)> {
    let place = std::env::temp_dir().join(format!("antefix-proxy-{}", std::process::id()));
    fs::create_dir_all(&place).map_err(|error| format!("{} cannot be made: {error}", place.display()))?;
    eprintln!(
        "\n▸ antefix acp: {PINGS} small requests, {LARGE} messages of 10 MB each way, a session of 100,000 messages"
    );
    let outcome = all(program, &place).map_err(|error| format!("the proxy cannot be measured: {error}"));
    // What is left behind is in the system's own directory for such things.
    let _ = fs::remove_dir_all(&place);
    outcome
}

fn all(program: &Path, place: &Path) -> io::Result<(Vec<Row>, Vec<String>)> {
    let rows = vec![latency(program, place)?, to_agent(program, place)?, to_client(program, place)?];
    let missed = if memory(program, place)? { Vec::new() } else { vec!["memory of a long session".to_owned()] };
    Ok((rows, missed))
}

fn latency(program: &Path, place: &Path) -> io::Result<Row> {
    let own = std::env::current_exe()?;
    let mut direct = Peer::start(command(&own, place))?;
    let mut behind = Peer::start(proxy(program, place, &[own.as_os_str()]))?;
    let (mut plain, mut added) = (Vec::new(), Vec::new());
    for number in 0..PINGS {
        let ping = json!({"jsonrpc": "2.0", "id": number, "method": "_ping", "params": {"text": "x".repeat(200)}});
        let (one, other) = (direct.time(&ping)?, behind.time(&ping)?);
        if number >= PINGS / 10 {
            plain.push(one);
            added.push((other - one).max(0.0) / 2.0);
        }
    }
    direct.leave()?;
    behind.leave()?;
    let (median, p95) = quantiles(&mut added);
    Ok(Row {
        name: "proxy: added to a message".to_owned(),
        nanos: median,
        p95: Some(p95),
        bytes: None,
        floor: Some(("without it, both ways".to_owned(), quantiles(&mut plain).0)),
        goal: Some(Goal::Nanos(ADDED.as_nanos() as f64)),
    })
}

/// Messages to an agent that reads and says nothing.
fn to_agent(program: &Path, place: &Path) -> io::Result<Row> {
    let large = large();
    let time = |mut command: Command| -> io::Result<f64> {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn()?;
        let mut stdin = child.stdin.take().ok_or(io::ErrorKind::BrokenPipe)?;
        let start = Instant::now();
        for _ in 0..LARGE {
            stdin.write_all(&large)?;
        }
        drop(stdin);
        ended(&mut child)?;
        Ok(start.elapsed().as_nanos() as f64 / LARGE as f64)
    };
    let nanos = time(proxy(program, place, &["sh".as_ref(), "-c".as_ref(), "cat > /dev/null".as_ref()]))?;
    let mut floor = command(Path::new("sh"), place);
    floor.args(["-c", "cat | cat > /dev/null"]);
    Ok(forwarded("proxy: 10 MB to the agent", nanos, time(floor)?))
}

/// Messages from an agent that says them one after another.
fn to_client(program: &Path, place: &Path) -> io::Result<Row> {
    let file = place.join("large");
    let mut written = File::create(&file)?;
    for _ in 0..LARGE {
        written.write_all(&large())?;
    }
    let time = |mut command: Command| -> io::Result<f64> {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let mut stdin = child.stdin.take().ok_or(io::ErrorKind::BrokenPipe)?;
        let start = Instant::now();
        // The agent is started when the client has said something.
        stdin.write_all(b"{}\n")?;
        let mut stdout = child.stdout.take().ok_or(io::ErrorKind::BrokenPipe)?;
        let (mut room, mut read) = (vec![0; 1 << 16], 0);
        while read < LARGE * MESSAGE {
            match stdout.read(&mut room)? {
                0 => return Err(io::Error::other(format!("only {read} bytes came"))),
                more => read += more,
            }
        }
        let took = start.elapsed().as_nanos() as f64 / LARGE as f64;
        drop(stdin);
        ended(&mut child)?;
        Ok(took)
    };
    let nanos = time(proxy(program, place, &["cat".as_ref(), file.as_os_str()]))?;
    let mut floor = command(Path::new("sh"), place);
    floor.args(["-c", "cat \"$0\" | cat"]).arg(&file);
    Ok(forwarded("proxy: 10 MB to the client", nanos, time(floor)?))
}

fn forwarded(name: &str, nanos: f64, floor: f64) -> Row {
    Row {
        name: name.to_owned(),
        nanos,
        p95: None,
        bytes: Some(MESSAGE as f64),
        floor: Some(("cat".to_owned(), floor)),
        goal: Some(Goal::Nanos(FORWARDED.as_nanos() as f64)),
    }
}

/// A whole session: a thousand prompts, each with its updates and its answer. Whether memory stays what it was.
fn memory(program: &Path, place: &Path) -> io::Result<bool> {
    let own = std::env::current_exe()?;
    let mut peer = Peer::start(proxy(program, place, &[own.as_os_str()]))?;
    let ask = |peer: &mut Peer, id: usize, method: &str, params: Value| {
        peer.time(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))
    };
    ask(&mut peer, 1, "initialize", json!({"protocolVersion": 1, "clientCapabilities": {}}))?;
    ask(&mut peer, 2, "session/new", json!({"cwd": place, "mcpServers": []}))?;
    let mut early = 0.0;
    for number in 1..=1000 {
        let prompt = [json!({"type": "text", "text": "Where is the parser?"})];
        ask(&mut peer, number + 2, "session/prompt", json!({"sessionId": "s1", "prompt": prompt}))?;
        if number == 10 {
            early = peer.peak()?;
        }
    }
    let late = peer.peak()?;
    peer.leave()?;
    let passes = late - early <= GROWTH;
    let verdict = if passes { "pass" } else { "FAIL" };
    println!(
        "\nproxy: peak {early:.1} MiB after 1,000 messages, {late:.1} MiB after 100,000 (≤ {GROWTH:.0} MiB more)  {verdict}"
    );
    Ok(passes)
}

/// Whoever answers requests.
struct Peer {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
}

impl Peer {
    fn start(mut command: Command) -> io::Result<Peer> {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        let stdout = BufReader::new(stdout.ok_or(io::ErrorKind::BrokenPipe)?);
        Ok(Peer { child, stdin, stdout })
    }

    /// How long the answer takes. What comes before it is read and passed over.
    fn time(&mut self, request: &Value) -> io::Result<f64> {
        let line = format!("{request}\n");
        let answer = format!("\"id\":{},\"jsonrpc\":\"2.0\",\"result\"", request["id"]);
        let start = Instant::now();
        self.stdin.as_mut().ok_or(io::ErrorKind::BrokenPipe)?.write_all(line.as_bytes())?;
        let mut said = String::new();
        loop {
            said.clear();
            if self.stdout.read_line(&mut said)? == 0 {
                return Err(io::Error::other(format!("nobody answers {line}")));
            }
            if said.contains(&answer) {
                return Ok(start.elapsed().as_nanos() as f64);
            }
            if said.contains("\"error\"") {
                return Err(io::Error::other(said));
            }
        }
    }

    /// The most memory that it had, in MiB.
    fn peak(&self) -> io::Result<f64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kibibytes = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<f64>().ok());
        kibibytes
            .map(|kibibytes| kibibytes / 1024.0)
            .ok_or_else(|| io::Error::other("the system tells no peak of memory"))
    }

    fn leave(mut self) -> io::Result<()> {
        self.stdin = None;
        ended(&mut self.child)
    }
}

/// Waits for the end, which must be a good one: a program that fails fast would look fast.
fn ended(child: &mut Child) -> io::Result<()> {
    let status = child.wait()?;
    if status.success() { Ok(()) } else { Err(io::Error::other(format!("it ended with {status}"))) }
}

/// A program in the directory of the measurement, with a home of its own.
fn command(program: &Path, place: &Path) -> Command {
    let mut command = Command::new(program);
    command.current_dir(place).env("HOME", place).env_remove("XDG_CONFIG_HOME").env_remove("XDG_DATA_HOME");
    command.env(AGENT, "1").env("ANTEFIX_STORE", format!("sqlite:{}", place.join("ledger").display()));
    command.stderr(Stdio::null());
    command
}

fn proxy(program: &Path, place: &Path, agent: &[&std::ffi::OsStr]) -> Command {
    let mut command = command(program, place);
    command.args(["acp", "--"]).args(agent);
    command
}

/// A message of 10 MB, as one with a file in it is.
fn large() -> Vec<u8> {
    let head = r#"{"jsonrpc":"2.0","method":"session/update","params":{"text":""#;
    let tail = "\"}}\n";
    let mut text = String::with_capacity(MESSAGE);
    text.push_str(head);
    let line = r#"    let mut said = String::new(); // \"why\", and not what\n"#;
    while text.len() + line.len() + tail.len() <= MESSAGE {
        text.push_str(line);
    }
    let rest = MESSAGE - text.len() - tail.len();
    text.push_str(&" ".repeat(rest));
    text.push_str(tail);
    text.into_bytes()
}

/// Answers every request, and says much before it answers a prompt.
pub(crate) fn agent() -> Outcome {
    let mut out = io::stdout().lock();
    let update = json!({"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s1", "update": {
        "sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "Let me look."}}}});
    let updates = format!("{update}\n").repeat(UPDATES);
    let mut say = |line: &str| out.write_all(line.as_bytes()).map_err(|error| error.to_string());
    for line in io::stdin().lock().lines() {
        let line = line.map_err(|error| error.to_string())?;
        let request: Value = serde_json::from_str(&line).map_err(|error| error.to_string())?;
        let result = match request["method"].as_str() {
            Some("initialize") => json!({"protocolVersion": 1, "agentCapabilities": {}}),
            Some("session/new") => json!({"sessionId": "s1"}),
            Some("session/prompt") => {
                say(&updates)?;
                json!({"stopReason": "end_turn"})
            }
            _ => json!({}),
        };
        say(&format!("{}\n", json!({"jsonrpc": "2.0", "id": request["id"], "result": result})))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{MESSAGE, large};

    #[test]
    fn a_large_message_is_a_line_of_json() {
        let text = large();
        assert_eq!(text.len(), MESSAGE);
        assert_eq!(text.iter().filter(|byte| **byte == b'\n').count(), 1);
        assert!(serde_json::from_slice::<serde_json::Value>(&text).is_ok());
    }
}
