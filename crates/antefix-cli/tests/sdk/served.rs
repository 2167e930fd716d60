//! A server for the clients, as a process, and what it was asked.

use std::process::Command;

use antefix_testing::Server;
use serde_json::Value;

use crate::Project;

pub(crate) struct Served {
    server: Server,
    token_file: std::path::PathBuf,
    pub(crate) url: String,
}

impl Served {
    /// A server that works in a project, with a store of its own.
    pub(crate) fn start(project: &Project, args: &[&str]) -> Served {
        let token_file = project.scratch.path("token");
        let token = ["--no-link", "--token-file", token_file.to_str().unwrap()];
        let server = project.scratch.serve_with(&[&token, args].concat());
        Served { url: server.url(), server, token_file }
    }

    /// Tells a program where the server is.
    pub(crate) fn environment(&self, command: &mut Command) {
        command.env("ANTEFIX_URL", &self.url).env("ANTEFIX_TOKEN_FILE", &self.token_file);
    }

    pub(crate) fn token(&self) -> &str {
        &self.server.token
    }

    /// Stops it, and answers with the requests that it logged.
    pub(crate) fn requests(mut self) -> Vec<Value> {
        let (log, exit) = self.server.stop();
        assert_eq!(exit, Some(0), "{log}");
        let lines = log.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        lines.filter(|line| line.get("route").is_some()).collect()
    }
}
