//! Where the server listens: a port, or a socket in the file system.
//!
//! 1. A socket can be connected to by its own user alone, from the moment that it is there.
//! 2. A socket that nobody listens at any more, because its server was killed, is taken away. Anything else at its place stays.

use std::fmt;
use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
#[cfg(unix)]
use std::path::Path;
use std::path::PathBuf;

use tokio::net::{TcpListener, TcpSocket, TcpStream};
#[cfg(unix)]
use tokio::net::{UnixListener, UnixStream};

use antefix::{Error, ErrorKind};

/// How many connections wait to be accepted; the system may allow fewer.
const LINE: u32 = 4_096;

/// An address to listen at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Address {
    /// A port of this machine.
    Port(SocketAddr),
    /// A socket in the file system, which only its own user can connect to.
    Socket(PathBuf),
}

impl Address {
    /// Reads `127.0.0.1:7777` and `unix:/path`.
    pub fn parse(text: &str) -> Result<Address, Error> {
        let wrong = |why: &str| {
            let hint = "write 127.0.0.1:7777, or unix:/path of a socket";
            Error::new(ErrorKind::Address, format!("cannot listen on `{text}`: {why}")).with_hint(hint)
        };
        if let Some(path) = text.strip_prefix("unix:") {
            return match PathBuf::from(path) {
                path if path.is_absolute() => Ok(Address::Socket(path)),
                _ => Err(wrong("the path of a socket begins with a slash")),
            };
        }
        let mut found = text.to_socket_addrs().map_err(|error| wrong(&error.to_string()))?;
        found.next().map(Address::Port).ok_or_else(|| wrong("nothing has that name"))
    }

    /// Begins to listen. It must be called on a runtime of tokio.
    pub fn bind(&self) -> Result<Listener, Error> {
        let failed = |error: io::Error| {
            let error = Error::new(ErrorKind::Input, format!("{self}: {error}"));
            error.with_hint("name another address with --listen")
        };
        self.try_bind().map_err(failed)
    }

    fn try_bind(&self) -> io::Result<Listener> {
        match self {
            Address::Port(port) => Ok(Listener(Kind::Port(listen(*port)?))),
            #[cfg(unix)]
            Address::Socket(path) => Ok(Listener(Kind::Socket(private(path)?, path.clone()))),
            #[cfg(not(unix))]
            Address::Socket(_) => Err(io::ErrorKind::Unsupported.into()),
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Address::Port(port) => write!(f, "{port}"),
            Address::Socket(path) => write!(f, "unix:{}", path.display()),
        }
    }
}

/// What connections come in by.
#[derive(Debug)]
pub struct Listener(Kind);

#[derive(Debug)]
enum Kind {
    Port(TcpListener),
    #[cfg(unix)]
    Socket(UnixListener, PathBuf),
}

/// A connection.
pub(crate) enum Stream {
    Port(TcpStream),
    #[cfg(unix)]
    Socket(UnixStream),
}

impl Listener {
    /// The address, with the port that was picked.
    pub fn address(&self) -> Result<Address, Error> {
        match &self.0 {
            Kind::Port(listener) => listener
                .local_addr()
                .map(Address::Port)
                .map_err(|error| Error::new(ErrorKind::Input, format!("the port that was picked: {error}"))),
            #[cfg(unix)]
            Kind::Socket(_, path) => Ok(Address::Socket(path.clone())),
        }
    }

    pub(crate) async fn accept(&self) -> io::Result<Stream> {
        match &self.0 {
            Kind::Port(listener) => {
                let (stream, _) = listener.accept().await?;
                // Answers are small and whole: they need not wait for more.
                let _ = stream.set_nodelay(true);
                Ok(Stream::Port(stream))
            }
            #[cfg(unix)]
            Kind::Socket(listener, _) => Ok(Stream::Socket(listener.accept().await?.0)),
        }
    }
}

#[cfg(unix)]
impl Drop for Listener {
    fn drop(&mut self) {
        if let Kind::Socket(_, path) = &self.0 {
            // One that is left behind is taken away by the next server.
            let _ = std::fs::remove_file(path);
        }
    }
}

/// A port with a line that is long enough. Whoever finds it full is turned away by the system without a word, and its next try is
/// a second later: with the usual 128 that happens to a few hundred who come at once.
fn listen(port: SocketAddr) -> io::Result<TcpListener> {
    let socket = if port.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    // A server that starts again takes the port of the one before it.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    socket.bind(port)?;
    socket.listen(LINE)
}

/// A socket with mode 600.
#[cfg(unix)]
fn private(path: &Path) -> io::Result<UnixListener> {
    use std::os::unix::fs::FileTypeExt;
    if std::fs::symlink_metadata(path).is_ok_and(|there| there.file_type().is_socket()) {
        match std::os::unix::net::UnixStream::connect(path) {
            Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => std::fs::remove_file(path)?,
            _ => return Err(io::ErrorKind::AddrInUse.into()),
        }
    }
    // A mode that is set afterwards would come too late. Nothing else is made by this process before it listens.
    let usual = rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o177));
    let bound = UnixListener::bind(path);
    rustix::process::umask(usual);
    bound
}
