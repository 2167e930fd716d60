//! Fragments, examples and the proxy against what others have written: the providers' official SDKs and their types, and
//! the SDK of the Agent Client Protocol with its schema and its example of an agent. And our own clients against a server, in
//! the same environment.
//!
//! 1. `cargo xtask test` installs the SDKs and says where by `ANTEFIX_TEST_SDK`; otherwise `target/sdk` is looked at.
//! 2. `ANTEFIX_TEST_SDK=none` leaves these tests out. `cargo xtask test` sets it if they cannot be installed, and says so.
//! 3. No provider is asked: `tests/providers/mock.py` replaces it, and keeps what it was sent.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on says so by failing")]

mod acp;
mod arrive;
mod clients;
mod examples;
mod openapi;
mod provider;
mod refused;
mod served;
mod shapes;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use antefix_testing::Scratch;
use serde_json::{Value, json};

const VARIABLE: &str = "ANTEFIX_TEST_SDK";

/// Where the SDKs are; none if these tests are left out.
fn sdk() -> Option<Sdk> {
    let place = match std::env::var_os(VARIABLE) {
        Some(value) if value == "none" => return None,
        Some(value) => PathBuf::from(value),
        // Test programs are in `target/debug/deps`.
        None => std::env::current_exe().unwrap().ancestors().nth(3).unwrap().join("sdk"),
    };
    let installed = place.join("installed").exists();
    assert!(installed, "the SDKs are not in {}: run `cargo xtask sdk`, or set {VARIABLE}=none", place.display());
    Some(Sdk { place })
}

/// The SDKs, and the programs that they run in.
struct Sdk {
    place: PathBuf,
}

impl Sdk {
    fn python(&self, script: &Path) -> Command {
        let mut command = quiet(self.place.join("python/bin/python"));
        command.arg(script).env("PYTHONDONTWRITEBYTECODE", "1");
        command
    }

    fn node(&self, script: &Path) -> Command {
        let mut command = quiet(self.node_program());
        command.arg(script);
        command
    }

    fn node_program(&self) -> PathBuf {
        self.place.join("nodejs/bin/node")
    }

    /// Puts files where Node finds the SDKs. They come whole: another test may be reading the same.
    fn beside_modules(&self, directory: &str, files: &[(&str, &str)]) -> PathBuf {
        let directory = self.place.join("node").join(directory);
        std::fs::create_dir_all(&directory).unwrap();
        for (name, text) in files {
            let mut whole = tempfile::NamedTempFile::new_in(&directory).unwrap();
            whole.write_all(text.as_bytes()).unwrap();
            whole.persist(directory.join(name)).unwrap();
        }
        directory
    }

    fn tsc(&self) -> Command {
        self.node(&self.place.join("node/node_modules/typescript/bin/tsc"))
    }
}

/// A program that knows nothing of this machine's user, and has keys that open nothing.
fn quiet(program: impl AsRef<std::ffi::OsStr>) -> Command {
    let mut command = Command::new(program);
    command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
    for key in ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"] {
        command.env(key, "none");
    }
    command.env("AWS_DEFAULT_REGION", "us-east-1");
    command
}

/// Runs a program with a text on its stdin; the answer is whether it was content, and what it said.
fn run(mut command: Command, input: &str) -> (bool, String) {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    // A program that does not want its input closes the pipe, and its status tells the rest.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    let output = child.wait_with_output().unwrap();
    let said = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8_lossy(&said).into_owned())
}

/// The same for one that must be content.
fn run_well(command: Command, input: &str) -> String {
    let words = format!("{command:?}");
    let (well, said) = run(command, input);
    assert!(well, "{words}:\n{said}");
    said
}

/// A file of this repository.
fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap().join(path)
}

/// A target, a model that it is asked for with, and how its provider takes what a user says.
struct Asked {
    target: &'static str,
    model: &'static str,
    said: fn(&str, &str) -> Value,
}

impl Asked {
    fn name(&self) -> String {
        format!("{} {}", self.target, self.model)
    }

    /// Whether there is an SDK with types in TypeScript among those that are installed.
    fn has_types(&self) -> bool {
        ["anthropic", "openai-chat", "openai-responses"].contains(&self.target)
    }
}

fn text(role: &str, text: &str) -> Value {
    json!({"role": role, "content": text})
}

fn blocks(role: &str, text: &str) -> Value {
    json!({"role": role, "content": [{"text": text}]})
}

fn gemini_parts(role: &str, text: &str) -> Value {
    json!({"role": if role == "user" { "user" } else { "model" }, "parts": [{"text": text}]})
}

/// Every target that a provider has an SDK for; models with breakpoints and without, with system messages in
/// mid-conversation and without.
const ASKED: [Asked; 10] = [
    Asked { target: "anthropic", model: "claude-opus-5", said: text },
    Asked { target: "anthropic", model: "claude-haiku-4-5", said: text },
    Asked { target: "anthropic", model: "claude-of-tomorrow", said: text },
    Asked { target: "openai-chat", model: "gpt-5.6", said: text },
    Asked { target: "openai-chat", model: "gpt-4o", said: text },
    Asked { target: "openai-responses", model: "gpt-5.6", said: text },
    Asked { target: "openai-responses", model: "gpt-4.1", said: text },
    Asked { target: "gemini", model: "gemini-3.5-flash", said: gemini_parts },
    Asked { target: "bedrock", model: "anthropic.claude-opus-5", said: blocks },
    Asked { target: "ollama", model: "llama3.3", said: text },
];

/// A scratch project whose instructions are long enough to be cached by everybody.
struct Project {
    scratch: Scratch,
}

impl Project {
    fn new() -> Project {
        let scratch = Scratch::new(env!("CARGO_BIN_EXE_antefix"));
        let store = format!("sqlite:{}", scratch.path("ledger.sqlite").display());
        let project = Project { scratch: scratch.env("ANTEFIX_STORE", store) };
        project.write("AGENTS.md", &"Indent with tabs: they are what everybody here has agreed upon.\n".repeat(330));
        project.write(
            "tools.json",
            r#"[{"name": "read", "description": "Reads a file.", "parameters": {"type": "object", "properties":
               {"path": {"type": "string"}, "from": {"type": "integer"}}, "required": ["path"]}}, "bash"]"#,
        );
        project
    }

    fn path(&self) -> PathBuf {
        self.scratch.path("p")
    }

    fn write(&self, name: &str, text: &str) {
        self.scratch.write(&format!("p/{name}"), text);
    }

    /// Somebody edits the instructions.
    fn edit(&self) {
        let text = self.scratch.read("p/AGENTS.md");
        self.write("AGENTS.md", &(text + "Indent with spaces from now on.\n"));
    }

    /// Tells a program where antefix is, and its home and its store.
    fn environment(&self, command: &mut Command) {
        command.env("ANTEFIX_BIN", self.scratch.program());
        for (name, value) in self.scratch.command(&[]).get_envs() {
            command.env(name, value.unwrap_or_default());
        }
    }

    /// What `antefix turn --json` prints.
    fn turn(&self, asked: &Asked, messages: &[Value]) -> Value {
        let name = asked.name();
        let args = ["turn", &name, "--for", asked.target, "--model", asked.model, "--json"];
        let args = [&args[..], &["--messages", "-", "--tools", "tools.json"]].concat();
        self.scratch.ok_with(&args, &Value::from(messages).to_string()).json()
    }

    /// Four turns of a conversation, with an edit before the third: a notice where it is new, and where it was.
    fn turns(&self, asked: &Asked) -> Vec<Value> {
        let mut messages = Vec::new();
        let mut turns = Vec::new();
        for (number, question) in ["one", "two", "three", "four"].into_iter().enumerate() {
            if number == 2 {
                self.edit();
            }
            messages.push((asked.said)("user", question));
            turns.push(self.turn(asked, &messages));
            messages.push((asked.said)("assistant", "Well understood."));
        }
        turns
    }
}

/// The fragments of four turns for each, made once for all tests.
fn fragments() -> &'static [(&'static Asked, Vec<Value>)] {
    static FRAGMENTS: OnceLock<Vec<(&Asked, Vec<Value>)>> = OnceLock::new();
    let fragments = |asked| Project::new().turns(asked).into_iter().map(|mut turn| turn["fragment"].take()).collect();
    FRAGMENTS.get_or_init(|| ASKED.iter().map(|asked| (asked, fragments(asked))).collect())
}

/// A request as the scripts of `tests/sdk` read it.
fn line(asked: &Asked, fragment: &Value) -> String {
    format!("{}\n", json!({"target": asked.target, "model": asked.model, "fragment": fragment}))
}
