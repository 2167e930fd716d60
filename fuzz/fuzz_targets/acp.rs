//! Lines of an editor or an agent: they come out as the bytes that went in, and what is said of them while they pass by is what
//! parsing them says.

#![no_main]
#![allow(dead_code, unused_imports, reason = "these files are the proxy's, and this uses a part of them")]

#[path = "../../crates/antefix-acp/src/lines.rs"]
mod lines;
#[path = "../../crates/antefix-acp/src/message.rs"]
mod message;
#[path = "../../crates/antefix-acp/src/scan.rs"]
mod scan;

use libfuzzer_sys::fuzz_target;
use lines::{Lines, Next};
use message::Message;
use scan::Scan;

/// Short, so that lines are longer.
const LIMIT: usize = 256;

fuzz_target!(|bytes: &[u8]| {
    let mut lines = Lines::new(bytes, LIMIT);
    let mut passed = Vec::new();
    loop {
        match lines.next().expect("memory can be read") {
            Next::End => break,
            Next::Line | Next::Cut => {
                passed.extend_from_slice(lines.line());
                message(lines.line());
            }
            Next::Long => drop(lines.pour(&mut passed).expect("memory can be written")),
        }
    }
    // A long line that breaks off gets an end, so that nothing becomes a part of it.
    assert!(passed == bytes || passed.strip_suffix(b"\n") == Some(bytes), "the bytes that went in");
});

fn message(line: &[u8]) {
    let mut scan = Scan::default();
    line.chunks(7).for_each(|chunk| scan.read(chunk));
    let Some(text) = std::str::from_utf8(line).ok() else { return };
    let Some(parsed) = Message::parse(text.trim()) else { return };
    // Keys may be written in two ways; only the plain one is found while a message passes by.
    if !text.contains('\\') {
        assert_eq!((&scan.id, &scan.method), (&parsed.id, &parsed.method), "{text}");
    }
    let printed = parsed.members.print();
    let again = Message::parse(&printed).expect("what is printed is a message");
    assert_eq!((again.id, again.method, again.members.print()), (parsed.id, parsed.method, printed.clone()));
}
