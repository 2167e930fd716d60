//! A server for the clients, as a process, and what it was asked.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::thread::JoinHandle;

use serde_json::Value;

use crate::{Project, quiet};

pub(crate) struct Served {
    child: Child,
    log: Option<JoinHandle<String>>,
    pub(crate) url: String,
    token_file: std::path::PathBuf,
}

impl Served {
    /// A server that works in a project, with a store of its own.
    pub(crate) fn start(project: &Project, args: &[&str]) -> Served {
        let token_file = project.path().join("token");
        let mut command = quiet(env!("CARGO_BIN_EXE_antefix"));
        project.environment(&mut command);
        command.args(["serve", "--listen", "127.0.0.1:0", "--no-link", "--token-file"]).arg(&token_file).args(args);
        command.current_dir(project.path()).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        // It is read all the time, so that the server never waits for us.
        let mut stderr = child.stderr.take().unwrap();
        let log = std::thread::spawn(move || {
            let mut text = String::new();
            stderr.read_to_string(&mut text).unwrap();
            text
        });
        let url = line.trim().strip_prefix("listening on ").unwrap_or_else(|| panic!("no server: {line}")).to_owned();
        Served { child, log: Some(log), url, token_file }
    }

    /// Tells a program where the server is.
    pub(crate) fn environment(&self, command: &mut Command) {
        command.env("ANTEFIX_URL", &self.url).env("ANTEFIX_TOKEN_FILE", &self.token_file);
    }

    pub(crate) fn token(&self) -> String {
        std::fs::read_to_string(&self.token_file).unwrap().trim().to_owned()
    }

    /// Stops it, and answers with the requests that it logged.
    pub(crate) fn requests(mut self) -> Vec<Value> {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
        assert!(self.child.wait().unwrap().success());
        let log = self.log.take().unwrap().join().unwrap();
        let lines = log.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        lines.filter(|line| line.get("route").is_some()).collect()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // It has ended if it was stopped.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
