//! `antefix acp` between a client and an agent, as real processes.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on says so by failing")]

mod buzz;
mod fake;
mod faults;
mod hooks;
mod input;
mod ladder;
mod sessions;

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use antefix_testing::Scratch;
use serde_json::{Value, json};

/// A word that is in the prompt, and nowhere else.
const CANARY: &str = "CANARY-7c1";

/// A base, an operator, a file that amends.
const LAYOUT: &str = r#"
[instructions]
global = "none"
[[section]]
id = "base"
stability = "fixed"
dialect = "plain"
text = "CANARY-7c1 base.  "
[[section]]
id = "operator"
stability = "frozen"
dialect = "jinja"
text = "{{ identity.operator }}"
only_if = ["identity:operator"]
joint = "paragraph"
[[section]]
id = "files"
stability = "frozen"
dialect = "jinja"
only_if = ["instructions:files"]
on_drift = "amend"
joint = "paragraph"
text = "{% for one in instructions.files %}{{ one.body }}{% endfor %}"
"#;

/// The prefix of that layout in a project whose AGENTS.md says `Use tabs.`
const PREFIX: &str = "CANARY-7c1 base.  \n\nUse tabs.";

/// A scratch project with that layout.
fn project() -> Scratch {
    let scratch = Scratch::new(env!("CARGO_BIN_EXE_antefix"));
    scratch.file("p/.antefix/layout.toml", LAYOUT).file("p/AGENTS.md", "Use tabs.")
}

/// A project with an agent behind antefix, which writes down what it hears.
trait Proxied {
    /// A client with an agent behind antefix. `script` is what the agent does.
    fn start(&self, args: &[&str], script: &Value) -> Client;
    /// What the agent has heard, message by message.
    fn journal(&self) -> Vec<Value>;
    /// What the agent has heard of a method, the last time.
    fn received(&self, method: &str) -> Value;
    /// How often the agent has heard the word that is in the prompt and nowhere else.
    fn canaries(&self) -> usize;
    /// What the ledger has under an id; none if it knows none.
    fn epoch(&self, conversation: &str) -> Option<String>;
    /// What a client says when it begins a session in the project.
    fn new_session(&self) -> Value;
}

impl Proxied for Scratch {
    fn start(&self, args: &[&str], script: &Value) -> Client {
        let mut script = script.clone();
        script["journal"] = json!(self.path("journal"));
        let own = std::env::current_exe().unwrap();
        let speak = r#"exec "$0" --exact fake::the_agent_that_other_tests_start --nocapture 3>&1 >/dev/null"#;
        let mut all = vec!["acp"];
        all.extend(args);
        all.extend(["--", "sh", "-c", speak, own.to_str().unwrap()]);
        let mut command = self.command(&all);
        command.env(fake::SCRIPT, script.to_string());
        Client::start(command)
    }

    fn journal(&self) -> Vec<Value> {
        let text = std::fs::read_to_string(self.path("journal")).unwrap_or_default();
        text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }

    fn received(&self, method: &str) -> Value {
        let journal = self.journal();
        let found = journal.iter().rev().find(|message| message["method"] == method);
        found.cloned().unwrap_or_else(|| panic!("no {method} in {journal:?}"))
    }

    fn canaries(&self) -> usize {
        let text = std::fs::read_to_string(self.path("journal")).unwrap_or_default();
        text.matches(CANARY).count()
    }

    fn epoch(&self, conversation: &str) -> Option<String> {
        let ran = self.run(&["epochs", conversation, "1"]);
        (ran.code == 0).then_some(ran.stdout)
    }

    fn new_session(&self) -> Value {
        json!({"cwd": self.path("p"), "mcpServers": []})
    }
}

/// What a client of antefix says and hears.
struct Client {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<Vec<u8>>,
    errors: Receiver<String>,
    asked: u64,
}

impl Client {
    fn start(mut command: Command) -> Client {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (said, lines) = channel();
        let stdout = child.stdout.take().unwrap();
        std::thread::spawn(move || {
            let mut stdout = BufReader::new(stdout);
            loop {
                let mut line = Vec::new();
                if stdout.read_until(b'\n', &mut line).unwrap_or(0) == 0 || said.send(line).is_err() {
                    break;
                }
            }
        });
        let (reported, errors) = channel();
        let mut stderr = child.stderr.take().unwrap();
        std::thread::spawn(move || {
            let mut text = String::new();
            let _ = std::io::Read::read_to_string(&mut stderr, &mut text);
            let _ = reported.send(text);
        });
        Client { stdin: child.stdin.take(), child, lines, errors, asked: 0 }
    }

    fn say(&mut self, line: &str) {
        self.say_bytes(format!("{line}\n").as_bytes());
    }

    fn say_bytes(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(bytes).and_then(|()| stdin.flush()).unwrap();
    }

    fn line(&self) -> Vec<u8> {
        self.lines.recv_timeout(Duration::from_secs(30)).unwrap()
    }

    fn hear(&self) -> Value {
        serde_json::from_slice(&self.line()).unwrap()
    }

    /// Asks, and gives the answer; what the agent says by itself is passed over.
    fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.asked += 1;
        let id = self.asked;
        self.say(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string());
        loop {
            let received = self.hear();
            if received["id"] == id && received.get("method").is_none() {
                return received;
            }
        }
    }

    fn initialize(&mut self) -> Value {
        self.ask("initialize", &json!({"protocolVersion": 1, "clientCapabilities": {}}))
    }

    fn prompt(&mut self, session: &str, text: &str) -> Value {
        self.ask("session/prompt", &json!({"sessionId": session, "prompt": [{"type": "text", "text": text}]}))
    }

    /// Goes away; the answer is how antefix ended, and what it told.
    fn leave(mut self) -> (ExitStatus, String) {
        self.stdin = None;
        self.end()
    }

    /// Waits for the end.
    fn end(mut self) -> (ExitStatus, String) {
        let until = Instant::now() + Duration::from_secs(30);
        let status = loop {
            match self.child.try_wait().unwrap() {
                Some(status) => break status,
                None if Instant::now() > until => {
                    self.child.kill().unwrap();
                    panic!("antefix does not end");
                }
                None => std::thread::sleep(Duration::from_millis(10)),
            }
        };
        (status, self.errors.recv_timeout(Duration::from_secs(10)).unwrap_or_default())
    }
}

/// The texts of the blocks of a prompt.
fn texts(prompt: &Value) -> Vec<&str> {
    prompt["params"]["prompt"].as_array().unwrap().iter().map(|block| block["text"].as_str().unwrap()).collect()
}
