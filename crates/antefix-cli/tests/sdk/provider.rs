//! The stand-in for providers, as a process, and what it was sent.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use serde_json::Value;
use serde_json::value::RawValue;
use tempfile::TempDir;

use crate::{Sdk, quiet, repository};

pub(crate) struct Provider {
    child: Child,
    kept: TempDir,
    pub(crate) url: String,
}

/// A request, and what was answered.
pub(crate) struct Request {
    /// Its members, each as the very bytes that came.
    pub(crate) members: BTreeMap<String, Box<RawValue>>,
    /// How many tokens came from the cache, and how many went into it.
    pub(crate) read: u64,
    pub(crate) written: u64,
}

impl Provider {
    pub(crate) fn start(sdk: &Sdk) -> Provider {
        Provider::run(sdk.python(&repository("tests/providers/mock.py")))
    }

    /// The same with any Python, because it needs nothing else.
    pub(crate) fn start_alone() -> Provider {
        let mut command = quiet("python3");
        command.arg(repository("tests/providers/mock.py")).env("PYTHONDONTWRITEBYTECODE", "1");
        Provider::run(command)
    }

    fn run(mut command: Command) -> Provider {
        let kept = tempfile::tempdir().unwrap();
        let mut child = command.arg(kept.path()).stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let url = line.trim().strip_prefix("listening on ").unwrap().to_owned();
        Provider { child, kept, url }
    }

    /// Everything that was asked for, in order. A request that was refused fails the test.
    pub(crate) fn requests(&self) -> Vec<Request> {
        let request = |number: usize| {
            let path = self.kept.path().join(format!("{number:04}.json"));
            let note: Value = serde_json::from_str(&std::fs::read_to_string(&path).ok()?).unwrap();
            let body = std::fs::read_to_string(path.with_extension("body")).unwrap();
            assert_eq!(note["status"], 200, "request {number}: {body:.2000}");
            let members = serde_json::from_str(&body).unwrap();
            Some(Request { members, read: note["read"].as_u64().unwrap(), written: note["written"].as_u64().unwrap() })
        };
        (1..).map_while(request).collect()
    }
}

impl Request {
    /// The members that a provider reads before the conversation, as the bytes that came: block for block, key for key.
    pub(crate) fn prefix(&self) -> Vec<&str> {
        let first = |key: &str| -> Option<&str> {
            // The first message is in a list with all the others: it is what is between the bracket and the second.
            let messages: Vec<&RawValue> = serde_json::from_str(self.members.get(key)?.get()).ok()?;
            messages.first().map(|first| first.get())
        };
        let whole = ["tools", "toolConfig", "system", "systemInstruction", "prompt_cache_key"];
        let whole = whole.iter().filter_map(|key| self.members.get(*key)).map(|value| value.get());
        // OpenAI and Ollama have no member for the system: it is the first message.
        let system = self.members.contains_key("system") || self.members.contains_key("systemInstruction");
        let first = first("messages").or_else(|| first("input")).filter(|_| !system);
        whole.chain(first).collect()
    }
}

impl Drop for Provider {
    fn drop(&mut self) {
        // It may have ended by itself; either way it is gone.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
