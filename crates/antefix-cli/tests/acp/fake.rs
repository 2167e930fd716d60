//! An agent that does as it is told, and writes down what it hears.
//!
//! It is this test binary again. The test runner prints to stdout, so the agent speaks through descriptor 3, which a shell
//! has put where stdout was.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, Write};

use serde_json::{Value, json};

/// The variable that holds what the agent is to do.
pub(crate) const SCRIPT: &str = "ACP_FAKE_SCRIPT";

#[test]
fn the_agent_that_other_tests_start() {
    // Run by itself it has nothing to do.
    let Ok(script) = std::env::var(SCRIPT) else { return };
    let script: Value = serde_json::from_str(&script).unwrap();
    let journal = OpenOptions::new().append(true).create(true).open(script["journal"].as_str().unwrap()).unwrap();
    let out = OpenOptions::new().write(true).open("/dev/fd/3").unwrap();
    Fake { script, journal, out, sessions: 0, prompts: 0 }.run();
    std::process::exit(0);
}

struct Fake {
    script: Value,
    journal: File,
    out: File,
    sessions: usize,
    prompts: usize,
}

impl Fake {
    fn run(&mut self) {
        if let Some(variable) = self.script["tells"].as_str() {
            let path = std::env::var(variable).unwrap_or_default();
            let text = std::fs::read_to_string(&path).unwrap_or_default();
            let note = json!({"method": "launched", "params": {"path": path, "text": text}});
            writeln!(self.journal, "{note}").unwrap();
        }
        for line in std::io::stdin().lock().split(b'\n') {
            let line = line.unwrap();
            if line.len() < 100_000 {
                self.journal.write_all(&line).and_then(|()| self.journal.write_all(b"\n")).unwrap();
            }
            // A huge line is measured, and not parsed: that would take most of the test's time.
            if line.len() > 10_000_000 {
                writeln!(self.out, "{}", json!({"jsonrpc": "2.0", "id": "huge", "result": line.len()})).unwrap();
                continue;
            }
            let Ok(message) = serde_json::from_slice::<Value>(&line) else { continue };
            for one in message.as_array().cloned().unwrap_or_else(|| vec![message]) {
                self.hear(&one);
            }
        }
        if self.script["lingers"].as_bool() == Some(true) {
            std::thread::sleep(std::time::Duration::from_secs(600));
        }
    }

    fn hear(&mut self, message: &Value) {
        let Some(method) = message["method"].as_str() else { return };
        if self.script["dies_on"] == *method {
            std::process::exit(7);
        }
        let Some(id) = message.get("id") else { return };
        let answer = match method {
            "initialize" => Ok(json!({
                "protocolVersion": 1,
                "agentCapabilities": {"loadSession": true, "sessionCapabilities": self.script["capabilities"]},
                "agentInfo": self.script["agent"],
            })),
            "session/new" | "session/fork" if self.script["refuses"] == *method => Err(-32602),
            "session/new" | "session/fork" => {
                self.sessions += 1;
                Ok(json!({"sessionId": format!("s{}", self.sessions)}))
            }
            "session/load" | "session/resume" => Ok(json!({})),
            "session/prompt" => {
                let reason = self.script["prompts"][self.prompts].clone();
                for update in self.script["updates"][self.prompts].as_array().into_iter().flatten() {
                    let params = json!({"sessionId": message["params"]["sessionId"], "update": update});
                    let update = json!({"jsonrpc": "2.0", "method": "session/update", "params": params});
                    writeln!(self.out, "{update}").unwrap();
                }
                self.prompts += 1;
                match reason.as_str() {
                    Some("error") => Err(-32000),
                    Some(reason) => Ok(json!({"stopReason": reason})),
                    None => Ok(json!({"stopReason": "end_turn"})),
                }
            }
            "large" => {
                let text = vec![b'x'; usize::try_from(message["params"]["bytes"].as_u64().unwrap()).unwrap()];
                self.out.write_all(b"{\"result\":\"").and_then(|()| self.out.write_all(&text)).unwrap();
                writeln!(self.out, "\",\"id\":{id}}}").unwrap();
                return;
            }
            method if method.starts_with("_goose/") => self.script["method"].as_i64().map_or(Ok(json!({})), Err),
            _ => Err(-32601),
        };
        let answer = match answer {
            Ok(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
            Err(code) => json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": "no, thanks"}}),
        };
        writeln!(self.out, "{answer}").unwrap();
        if method == "session/new" {
            let update = json!({"jsonrpc": "2.0", "method": "session/update", "params": {"n": self.sessions}});
            writeln!(self.out, "{update}").unwrap();
        }
    }
}
