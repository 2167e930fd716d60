//! A scratch project, and servers in it.

use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};

use tempfile::TempDir;

use crate::Server;

/// A project with a home beside it.
pub(crate) struct Scratch {
    directory: TempDir,
}

impl Scratch {
    pub(crate) fn new() -> Scratch {
        let scratch = Scratch { directory: tempfile::tempdir().unwrap() };
        std::fs::create_dir_all(scratch.path("home")).unwrap();
        std::fs::create_dir_all(scratch.path("p/.git")).unwrap();
        scratch.write("p/.git/HEAD", "ref: refs/heads/main\n");
        scratch.write("p/AGENTS.md", "Use tabs.\n");
        scratch
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().canonicalize().unwrap().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    pub(crate) fn token(&self) -> String {
        std::fs::read_to_string(self.path("home/.local/state/antefix/token")).unwrap().trim().to_owned()
    }

    /// The program, in the project, with a home of its own and nothing else of ours.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_antefix"));
        command.args(args).current_dir(self.path("p")).env_clear().stdin(Stdio::null());
        command.env("HOME", self.path("home")).env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }

    /// What a command that ends well prints.
    pub(crate) fn print(&self, args: &[&str]) -> String {
        let output = self.run(args);
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// A server with the store of the home directory.
    pub(crate) fn serve(&self) -> Server {
        self.serve_with(&[])
    }

    pub(crate) fn serve_with(&self, args: &[&str]) -> Server {
        let mut command = self.command(&["serve", "--listen", "127.0.0.1:0"]);
        command.args(args);
        self.start(command, args)
    }

    /// Starts a server that these arguments are part of.
    pub(crate) fn start(&self, mut command: Command, args: &[&str]) -> Server {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let log = read_log(&mut child);
        let (mut first, mut second) = (String::new(), String::new());
        stdout.read_line(&mut first).unwrap();
        let socket = first.strip_prefix("listening on unix:").map(|path| PathBuf::from(path.trim_end()));
        if socket.is_none() && !args.contains(&"--no-link") {
            stdout.read_line(&mut second).unwrap();
        }
        let port = first.strip_prefix("listening on http://127.0.0.1:").map(|port| port.trim_end().parse().unwrap());
        if port.is_none() && socket.is_none() {
            child.wait().unwrap();
            panic!("no server: {first:?}, {}", log.join().unwrap());
        }
        let token = match args.iter().position(|arg| *arg == "--token-file") {
            Some(place) => std::fs::read_to_string(args[place + 1]).unwrap().trim().to_owned(),
            None => self.token(),
        };
        Server { child, port: port.unwrap_or_default(), socket, token, link: second, log: Some(log) }
    }
}

/// Reads what the server logs, so that it never waits for us.
fn read_log(child: &mut Child) -> std::thread::JoinHandle<String> {
    let mut stderr = child.stderr.take().unwrap();
    std::thread::spawn(move || {
        let mut text = String::new();
        stderr.read_to_string(&mut text).unwrap();
        text
    })
}
