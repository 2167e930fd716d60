//! Real agents behind `antefix acp`: what they read themselves is told to their models once, and so is what only antefix reads.

use std::io::{BufRead, BufReader, Write};
use std::process::{ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};

use crate::request::{Request, canaries};
use crate::start::{Start, recorded};
use crate::worlds::{TOLD, told_once};

/// Runs an agent behind the proxy. Every canary is in its request once.
pub(crate) fn is_told_once(start: &Start, sign_in: Option<&str>) {
    if start.is_left_out() {
        return;
    }
    let place = told_once().place();
    let kept = tempfile::tempdir().unwrap();
    let script = start.script(&format!("proxy=\"{} acp --no-live --\"", env!("CARGO_BIN_EXE_antefix")));
    let mut command = recorded(&place, kept.path(), [] as [&str; 0], &["sh", "-c", &script]);
    command.envs(start.variables.iter().copied());
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut client =
        Client { to: child.stdin.take().unwrap(), from: BufReader::new(child.stdout.take().unwrap()), id: 0 };
    client.ask("initialize", &json!({"protocolVersion": 1, "clientCapabilities": {}}));
    if let Some(method) = sign_in {
        client.ask("authenticate", &json!({"methodId": method}));
    }
    let session = client.ask("session/new", &json!({"cwd": place.cwd, "mcpServers": []}))["sessionId"].clone();
    client.ask("session/prompt", &json!({"sessionId": session, "prompt": [{"type": "text", "text": "hello"}]}));
    drop(client);
    let output = child.wait_with_output().unwrap();
    let requests = Request::all(kept.path());
    let turn = requests.iter().filter(|request| request.is_turn()).max_by_key(|request| request.body.to_string().len());
    let said = turn.unwrap_or_else(|| panic!("no turn: {}", String::from_utf8_lossy(&output.stderr))).said();
    let mut arrived: Vec<String> = said.iter().flat_map(|said| canaries(&said.text)).collect();
    arrived.sort();
    assert_eq!(arrived, TOLD, "{}:\n{}", start.agent, String::from_utf8_lossy(&output.stderr));
}

/// An editor that asks one thing after the other.
struct Client {
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    id: u64,
}

impl Client {
    fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.id += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": self.id, "method": method, "params": params}));
        loop {
            let mut line = String::new();
            self.from.read_line(&mut line).unwrap();
            assert!(!line.is_empty(), "it ended before it answered {method}");
            let mut message: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
            if message.get("method").is_some() {
                // What the agent asks of its editor is not offered.
                if let Some(id) = message.get("id") {
                    let error = json!({"code": -32601, "message": "not offered"});
                    self.send(&json!({"jsonrpc": "2.0", "id": id, "error": error}));
                }
            } else if message["id"] == self.id {
                assert!(message.get("error").is_none(), "{method}: {message}");
                return message["result"].take();
            }
        }
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.to, "{message}").unwrap();
    }
}
