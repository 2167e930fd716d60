//! `antefix serve` as a process.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::JoinHandle;

use crate::{Scratch, memory};

/// A server that ends with the test.
#[derive(Debug)]
pub struct Server {
    child: Child,
    /// The port on this machine that it listens at; 0 if it listens at a socket.
    pub port: u16,
    /// The socket that it listens at in the place of a port.
    pub socket: Option<PathBuf>,
    /// What a client proves itself with.
    pub token: String,
    /// The line with the link for a browser; empty with `--no-link`.
    pub link: String,
    log: Option<JoinHandle<String>>,
}

impl Scratch {
    /// The token that a server has made for the user.
    #[track_caller]
    pub fn token(&self) -> String {
        self.read(TOKEN).trim().to_owned()
    }

    /// A server with the store of the home directory, whose saved template is the whole prompt: the layout is `dispatch`.
    #[track_caller]
    pub fn serve(&self) -> Server {
        self.serve_with(&[])
    }

    /// The same with further arguments, which may name another layout.
    #[track_caller]
    pub fn serve_with(&self, args: &[&str]) -> Server {
        let layout: &[&str] = if args.contains(&"--layout") { &[] } else { &["--layout", "dispatch"] };
        self.serve_exactly(&[args, layout].concat())
    }

    /// A server with these arguments and no others.
    #[track_caller]
    pub fn serve_exactly(&self, args: &[&str]) -> Server {
        let mut command = self.command(&["serve", "--listen", "127.0.0.1:0"]);
        command.args(args);
        self.start_server(command)
    }

    /// Starts a command that is a server, or becomes one.
    #[track_caller]
    pub fn start_server(&self, command: Command) -> Server {
        let named = command.get_args().skip_while(|arg| *arg != "--token-file").nth(1).map(PathBuf::from);
        let token_file = named.unwrap_or_else(|| self.path(TOKEN));
        Server::start(command, &token_file)
    }
}

/// Where the program keeps a token of its own.
const TOKEN: &str = "home/.local/state/antefix/token";

impl Server {
    /// Starts a command that is a server, or becomes one, with the token of a file.
    #[track_caller]
    pub fn start(command: Command, token_file: &Path) -> Server {
        Server::try_start(command, token_file).unwrap_or_else(|why| panic!("no server: {why}"))
    }

    /// The same for one that may refuse to start, and then says why on stderr.
    #[track_caller]
    pub fn try_start(mut command: Command, token_file: &Path) -> Result<Server, String> {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let log = read_log(&mut child);
        let mut line = || {
            let mut line = String::new();
            stdout.read_line(&mut line).unwrap();
            line
        };
        let first = line();
        let place = first.trim_end().strip_prefix("listening on ").unwrap_or_default();
        let socket = place.strip_prefix("unix:").map(PathBuf::from);
        let port = place.strip_prefix("http://127.0.0.1:").map(|port| port.parse().unwrap());
        if port.is_none() && socket.is_none() {
            let status = child.wait().unwrap();
            return Err(format!("{status}, {first}{}", log.join().unwrap()));
        }
        let has_link = socket.is_none() && !command.get_args().any(|arg| arg == "--no-link");
        let link = if has_link { line() } else { String::new() };
        let token = std::fs::read_to_string(token_file).unwrap().trim().to_owned();
        Ok(Server { child, port: port.unwrap_or_default(), socket, token, link, log: Some(log) })
    }

    /// Its address, for a client with a port.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// The number of its process.
    pub fn process(&self) -> u32 {
        self.child.id()
    }

    /// The memory that it has, in bytes.
    #[track_caller]
    pub fn resident(&self) -> u64 {
        memory::resident(self.process())
    }

    /// The most memory that it ever had, in bytes.
    #[track_caller]
    pub fn most_resident(&self) -> u64 {
        memory::peak(self.process()).unwrap()
    }

    /// How many descriptors it has open.
    #[track_caller]
    pub fn descriptors(&self) -> usize {
        std::fs::read_dir(format!("/proc/{}/fd", self.process())).unwrap().count()
    }

    /// Tells it to stop, and answers with what it logged and its exit code.
    #[track_caller]
    pub fn stop(&mut self) -> (String, Option<i32>) {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
        let status = self.child.wait().unwrap();
        (self.log.take().unwrap().join().unwrap(), status.code())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It has ended if it was stopped; either way it is gone.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads what the server logs, so that it never waits for us.
fn read_log(child: &mut Child) -> JoinHandle<String> {
    let mut stderr = child.stderr.take().unwrap();
    std::thread::spawn(move || {
        let mut text = String::new();
        stderr.read_to_string(&mut text).unwrap();
        text
    })
}
