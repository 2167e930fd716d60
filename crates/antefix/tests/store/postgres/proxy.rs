//! A network that fails when it is told to.
#![allow(clippy::disallowed_types, reason = "a test is outside of the library")]

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

/// What becomes of the next COMMIT.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Commit {
    /// Nothing special.
    Passes = 0,
    /// It is lost on its way to the server.
    Lost = 1,
    /// The server does it, and its answer is lost.
    Unheard = 2,
}

/// A port that leads to a server's socket.
pub(crate) struct Proxy {
    pub(crate) port: u16,
    state: Arc<State>,
}

struct State {
    socket: PathBuf,
    commit: AtomicU8,
    silent: AtomicBool,
}

impl Proxy {
    /// Opens a port in front of a socket.
    pub(crate) fn new(socket: PathBuf) -> Proxy {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let state = Arc::new(State { socket, commit: AtomicU8::new(0), silent: AtomicBool::new(false) });
        let shared = Arc::clone(&state);
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                shared.serve(client);
            }
        });
        Proxy { port, state }
    }

    /// Says what becomes of the next COMMIT; the one behind it passes.
    pub(crate) fn next_commit(&self, commit: Commit) {
        self.state.commit.store(commit as u8, Ordering::SeqCst);
    }

    /// From now on, or no longer, everything is accepted and nothing passed on.
    pub(crate) fn be_silent(&self, silent: bool) {
        self.state.silent.store(silent, Ordering::SeqCst);
    }
}

impl State {
    fn serve(self: &Arc<State>, client: TcpStream) {
        let Ok(server) = UnixStream::connect(&self.socket) else { return };
        let unacknowledged = Arc::new(AtomicBool::new(false));
        let (mut from_client, mut to_server) = (client.try_clone().unwrap(), server.try_clone().unwrap());
        let (mut from_server, mut to_client) = (server, client);
        let (state, deaf) = (Arc::clone(self), Arc::clone(&unacknowledged));
        std::thread::spawn(move || {
            let mut buffer = [0; 65536];
            while let Ok(count @ 1..) = from_client.read(&mut buffer) {
                if state.silent.load(Ordering::SeqCst) {
                    continue;
                }
                if buffer[..count].windows(6).any(|bytes| bytes == b"COMMIT") {
                    let commit = state.commit.swap(Commit::Passes as u8, Ordering::SeqCst);
                    if commit == Commit::Lost as u8 {
                        break;
                    }
                    deaf.store(commit == Commit::Unheard as u8, Ordering::SeqCst);
                }
                if to_server.write_all(&buffer[..count]).is_err() {
                    break;
                }
            }
            let _ = to_server.shutdown(Shutdown::Both);
            let _ = from_client.shutdown(Shutdown::Both);
        });
        let state = Arc::clone(self);
        std::thread::spawn(move || {
            let mut buffer = [0; 65536];
            while let Ok(count @ 1..) = from_server.read(&mut buffer) {
                if state.silent.load(Ordering::SeqCst) {
                    continue;
                }
                // The server has answered, so it is done.
                if unacknowledged.load(Ordering::SeqCst) || to_client.write_all(&buffer[..count]).is_err() {
                    break;
                }
            }
            let _ = to_client.shutdown(Shutdown::Both);
            let _ = from_server.shutdown(Shutdown::Both);
        });
    }
}
