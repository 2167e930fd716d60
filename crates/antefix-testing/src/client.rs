//! A client that sends whatever it is given, also what no client should.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::time::Duration;

use serde_json::Value;

use crate::Server;

/// What came back.
#[derive(Debug, Clone)]
pub struct Reply {
    /// The status; 0 if the server closed the connection without one.
    pub status: u16,
    /// The status line and the headers, in lower case.
    pub head: String,
    /// All that follows.
    pub body: String,
}

impl Reply {
    /// Reads an answer that was closed at its end.
    #[track_caller]
    pub fn parse(bytes: &[u8]) -> Reply {
        let end = bytes.windows(4).position(|four| four == b"\r\n\r\n");
        let (head, body) = end.map_or((bytes, &b""[..]), |end| (&bytes[..end], &bytes[end + 4..]));
        let head = String::from_utf8(head.to_vec()).unwrap().to_ascii_lowercase();
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
        let mut reply = Reply { status, head, body: String::new() };
        let is_chunked = reply.header("transfer-encoding") == Some("chunked");
        reply.body = String::from_utf8(if is_chunked { joined(body) } else { body.to_vec() }).unwrap();
        reply
    }

    /// A header, by its name in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.find(|(known, _)| *known == name).map(|(_, value)| value)
    }

    /// The body, read as JSON.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The sentence of a problem document, and that it is one.
    #[track_caller]
    pub fn error(&self) -> String {
        assert_eq!(self.header("content-type"), Some("application/problem+json"), "{self:?}");
        let document = self.json();
        assert_eq!(document["status"], self.status, "{self:?}");
        document["error"].as_str().unwrap().to_owned()
    }

    /// The same, which must be a success.
    #[track_caller]
    pub fn ok(self) -> Reply {
        assert!((200..300).contains(&self.status), "{self:?}");
        self
    }
}

impl Server {
    /// A connection that waits half a minute for an answer.
    #[track_caller]
    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        stream
    }

    /// Sends bytes as they are, and reads until the server closes.
    pub fn raw(&self, request: &str) -> Reply {
        match &self.socket {
            None => exchange(self.connect(), request),
            Some(path) => exchange(UnixStream::connect(path).unwrap(), request),
        }
    }

    /// A request with these headers alone.
    pub fn bare(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Reply {
        let mut request = format!("{method} {path} HTTP/1.1\r\nconnection: close\r\n");
        for (name, value) in headers {
            request.push_str(&format!("{name}: {value}\r\n"));
        }
        if !body.is_empty() || matches!(method, "PUT" | "POST") {
            request.push_str(&format!("content-length: {}\r\n", body.len()));
        }
        self.raw(&format!("{request}\r\n{body}"))
    }

    /// The name that a client has for it.
    pub fn host(&self) -> String {
        match self.socket {
            None => format!("127.0.0.1:{}", self.port),
            Some(_) => "localhost".to_owned(),
        }
    }

    /// A request of a client that does all right, with further headers.
    pub fn send_with(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Reply {
        let (host, token) = (self.host(), format!("Bearer {}", self.token));
        let mut all = vec![("host", host.as_str()), ("authorization", &token)];
        if !body.is_empty() {
            all.push(("content-type", "application/json"));
        }
        all.extend(headers);
        self.bare(method, path, &all, body)
    }

    /// A GET of a client that does all right.
    pub fn get(&self, path: &str) -> Reply {
        self.send_with("GET", path, &[], "")
    }

    /// A GET with nothing but a name.
    pub fn bare_get(&self, path: &str) -> Reply {
        let host = self.host();
        self.bare("GET", path, &[("host", &host)], "")
    }

    /// A PUT of a client that does all right.
    pub fn put(&self, path: &str, body: &str) -> Reply {
        self.send_with("PUT", path, &[], body)
    }

    /// A POST of a client that does all right.
    pub fn post(&self, path: &str, body: &str) -> Reply {
        self.send_with("POST", path, &[], body)
    }
}

/// The bytes of a body in chunks, which must be whole.
#[track_caller]
fn joined(mut chunks: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    loop {
        let line = chunks.windows(2).position(|two| two == b"\r\n").expect("a chunk has a line with its size");
        let size = std::str::from_utf8(&chunks[..line]).unwrap();
        let size = usize::from_str_radix(size, 16).unwrap();
        if size == 0 {
            return body;
        }
        body.extend(&chunks[line + 2..line + 2 + size]);
        chunks = &chunks[line + 2 + size + 2..];
    }
}

fn exchange(mut stream: impl Read + Write, request: &str) -> Reply {
    // A server that refuses early closes before all is sent.
    let _ = stream.write_all(request.as_bytes());
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes);
    Reply::parse(&bytes)
}
