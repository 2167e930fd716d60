//! The proxy, between a client and an agent that takes a prompt in `systemPrompt` and writes down what it hears.
//!
//! A turn is a prompt of the client's. What is said of model, tools, layout and facts are arguments of the proxy, and the
//! directory is the session's: where one of them changes, another proxy is started and the session is loaded. The first
//! turn of all begins a session.

use std::fs::OpenOptions;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::rc::Rc;

use serde_json::{Value, json};

use crate::fake;
use crate::front_end::Adapter;
use crate::outcome::{Outcome, Seen, line};
use crate::place::Place;
use crate::program::{compose_arguments, reported_error};
use crate::step::{Ask, Step};

/// What the person at the client says. It stands before what goes with a turn.
const SAID: &str = "hello";

/// The words in which the proxy says what the system says.
const FRAME: (&str, &str) =
    ("<setting>\nThe program that you run in says this, not the person you talk with.\n\n", "\n</setting>");

pub(crate) struct Acp {
    place: Rc<Place>,
    proxy: Option<Proxy>,
    /// Where the session works.
    cwd: String,
    /// The system text that the agent was told last.
    known: String,
    /// The live part that the agent was told last.
    live: Option<String>,
}

impl Acp {
    pub(crate) fn new(place: Rc<Place>) -> Acp {
        let cwd = place.path("p");
        Acp { place, proxy: None, cwd, known: String::new(), live: None }
    }

    fn turn(&mut self, ask: &Ask) -> Outcome {
        let cwd = ask.cwd.map_or_else(|| self.cwd.clone(), |cwd| self.place.path(cwd));
        let args = compose_arguments(&self.place, &Ask { cwd: None, ..ask.clone() });
        let reported = self.reported().len();
        let goes_on = cwd == self.cwd && self.proxy.as_ref().is_some_and(|proxy| proxy.args == args);
        if !goes_on && let Err(refused) = self.begin(args, &cwd) {
            self.proxy = None;
            return refused;
        }
        self.cwd = cwd;
        let Some(proxy) = &mut self.proxy else { return Outcome::NotOffered };
        proxy.ask("session/prompt", &json!({"sessionId": "s1", "prompt": [{"type": "text", "text": SAID}]}));
        let reported = self.reported().split_off(reported);
        if let Some((_, error)) = reported.split_once("a prompt is sent without changes and without its live part: ") {
            return Seen::failed(error.lines().next().unwrap_or_default(), None);
        }
        let (front, told) = self.told();
        let told = self.with_live(told);
        if !goes_on {
            self.known = self.prefix();
        } else if !front.is_empty() {
            // A session that goes on is told of a new epoch by its sections, in front of what the person says.
            self.known = self.place.standing();
        }
        let prefix = Some(self.known.clone());
        match goes_on {
            true => Seen { prefix, told, ..Seen::default() }.into(),
            false => Seen { told, prefix: Some(self.prefix()), findings: Some(findings(&reported)), ..Seen::default() }
                .into(),
        }
    }

    /// Starts another proxy, and begins or loads the session in it.
    fn begin(&mut self, args: Vec<String>, cwd: &str) -> Result<(), Outcome> {
        // The one before is at its end before the next one looks at the ledger.
        self.proxy = None;
        let reported = self.reported().len();
        let mut proxy = Proxy::start(&self.place, args);
        // It ends at once where it can do nothing, and says why.
        let ended = || reported_error(&self.reported()[reported..]);
        let initialized = proxy.ask("initialize", &json!({"protocolVersion": 1, "clientCapabilities": {}}));
        initialized.ok_or_else(ended)?;
        let mut params = json!({"cwd": cwd, "mcpServers": []});
        let answer = if self.place.ledger().is_empty() {
            proxy.ask("session/new", &params)
        } else {
            params["sessionId"] = json!("s1");
            proxy.ask("session/load", &params)
        };
        let answer = answer.ok_or_else(ended)?;
        self.proxy = Some(proxy);
        match answer["error"]["message"].as_str() {
            None => Ok(()),
            Some(message) => {
                let words = message.strip_prefix("antefix cannot compose the system prompt: ").unwrap_or(message);
                Err(Seen::failed(words, None))
            }
        }
    }

    /// What the agent heard of a method, the last time.
    fn heard(&self, methods: &[&str]) -> Value {
        let journal = self.place.scratch.read("journal");
        let messages = journal.lines().rev().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let is_one = |message: &Value| methods.contains(&message["method"].as_str().unwrap_or_default());
        messages.into_iter().find(is_one).unwrap_or_else(|| panic!("no {methods:?} in {journal}"))
    }

    /// The system prompt of the session that began last.
    fn prefix(&self) -> String {
        let heard = self.heard(&["session/new", "session/load"]);
        heard["params"]["systemPrompt"]["content"][0]["text"].as_str().unwrap_or_default().to_owned()
    }

    /// What came with the last prompt, before and behind what the person said.
    fn told(&self) -> (Vec<String>, Vec<String>) {
        let heard = self.heard(&["session/prompt"]);
        let blocks = heard["params"]["prompt"].as_array().unwrap();
        let texts: Vec<&str> = blocks.iter().map(|block| block["text"].as_str().unwrap()).collect();
        let said = texts.iter().position(|text| *text == SAID).unwrap();
        let unframed = |texts: &[&str]| texts.iter().map(|text| unframed(text)).collect();
        (unframed(&texts[..said]), unframed(&texts[said + 1..]))
    }

    /// The same with the live part, which an agent is told only when it is another one; none if the prompt went as it was.
    fn with_live(&mut self, mut told: Vec<String>) -> Option<Vec<String>> {
        let receipts = std::fs::read_dir(self.place.scratch.path("home/.local/state/antefix/acp")).ok()?;
        let receipt = receipts.filter_map(|file| std::fs::read_to_string(file.ok()?.path()).ok()).next()?;
        let receipt: Value = serde_json::from_str(&receipt).ok()?;
        let sent = receipt["sent"].as_array()?.iter().rev().find(|part| part["what"] == "live");
        let digest = sent.and_then(|part| part["digest"].as_str()).unwrap_or_default();
        let is_live = |text: &String| {
            let (begin, end) = FRAME;
            antefix::text::Digest::of(&format!("{begin}{text}{end}")).to_string() == digest
        };
        match told.last().filter(|text| is_live(text)) {
            Some(live) => self.live = Some(live.clone()),
            None if told.is_empty() => return None,
            None => told.extend(self.live.clone()),
        }
        Some(told)
    }

    /// What the proxy has reported to the person who runs it.
    fn reported(&self) -> String {
        std::fs::read_to_string(self.place.scratch.path("reports")).unwrap_or_default()
    }
}

impl Adapter for Acp {
    fn run(&mut self, step: &Step) -> Outcome {
        match step {
            Step::Turn(ask)
                if ask.turn.is_none() && ask.watch.is_none() && ask.replacement.is_none() && ask.touch.is_empty() =>
            {
                self.turn(ask)
            }
            _ => Outcome::NotOffered,
        }
    }
}

fn unframed(text: &str) -> String {
    let (begin, end) = FRAME;
    text.strip_prefix(begin).and_then(|text| text.strip_suffix(end)).unwrap_or(text).to_owned()
}

/// Codes, levels and messages in what a person sees, each once, in order.
fn findings(reported: &str) -> Vec<String> {
    let finding = |reported: &str| {
        let (title, message) = reported.split_once("]: ")?;
        let (level, code) = title.split_once('[')?;
        ["note", "warning", "error"].contains(&level).then(|| line(&[code, level, message]))
    };
    let mut findings: Vec<String> = reported.lines().filter_map(finding).collect();
    findings.sort_unstable();
    findings.dedup();
    findings
}

/// `antefix acp` as a process.
struct Proxy {
    args: Vec<String>,
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    asked: u64,
}

impl Proxy {
    fn start(place: &Place, args: Vec<String>) -> Proxy {
        let own = std::env::current_exe().unwrap();
        let speak = r#"exec "$0" --exact fake::the_agent_that_other_tests_start --nocapture 3>&1 >/dev/null"#;
        let mut command = place.scratch.command(&["acp", "--report"]);
        command.args(&args).args(["--", "sh", "-c", speak]).arg(own);
        let script = json!({
            "agent": {"name": "scenarios"}, "capabilities": {"systemPrompt": {}}, "journal": place.path("journal"),
        });
        command.env(fake::SCRIPT, script.to_string());
        // A file has what was reported as soon as it was: a pipe would have it a little later than the answer.
        let reports = OpenOptions::new().create(true).append(true).open(place.scratch.path("reports")).unwrap();
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(reports).spawn().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        Proxy { args, stdin: child.stdin.take(), child, stdout, asked: 0 }
    }

    /// Asks, and gives the answer; none if the proxy has ended. What the agent says by itself is passed over.
    fn ask(&mut self, method: &str, params: &Value) -> Option<Value> {
        self.asked += 1;
        let question = json!({"jsonrpc": "2.0", "id": self.asked, "method": method, "params": params});
        writeln!(self.stdin.as_mut()?, "{question}").ok()?;
        loop {
            let mut heard = String::new();
            if self.stdout.read_line(&mut heard).unwrap() == 0 {
                return None;
            }
            let heard: Value = serde_json::from_str(&heard).unwrap();
            if heard["id"] == self.asked && heard.get("method").is_none() {
                return Some(heard);
            }
        }
    }
}

impl Drop for Proxy {
    /// The client goes, and the proxy ends by itself.
    fn drop(&mut self) {
        self.stdin = None;
        let _ = self.child.wait();
    }
}
