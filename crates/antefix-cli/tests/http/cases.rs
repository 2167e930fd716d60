//! Case folders: what is asked, and the bytes that come back. The README beside them says how one is written.
//!
//! Values that differ from run to run have names, and the names are checked: a time must lie within the run, and a value that
//! comes again must be the same one.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::Deserialize;

use crate::project;
use antefix_testing::{Reply, Scratch, Server};

/// The headers that a client acts on. A response has those that its file names, and no others of these.
const HEADERS: [&str; 10] = [
    "access-control-allow-origin",
    "allow",
    "cache-control",
    "content-type",
    "etag",
    "location",
    "retry-after",
    "set-cookie",
    "www-authenticate",
    "content-disposition",
];

/// The beginning of a case.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    /// Why it is there.
    #[serde(rename = "about")]
    _about: String,
    /// Flags of the server.
    #[serde(default)]
    serve: Vec<String>,
    /// Files of the project.
    #[serde(default)]
    files: std::collections::BTreeMap<String, String>,
    /// Whether digests have names, because the project's place is part of what they are digests of.
    #[serde(default)]
    digests: Digests,
}

#[derive(Deserialize, Default, PartialEq)]
#[serde(rename_all = "lowercase")]
enum Digests {
    /// They are compared as they are.
    #[default]
    Written,
    Named,
}

#[test]
fn every_case_answers_as_it_is_written() {
    let folders = folders();
    assert!(folders.len() >= 25, "{}", folders.len());
    // Servers start slowly, so a few of them start at once.
    let next = std::sync::atomic::AtomicUsize::new(0);
    let failures: Vec<String> = std::thread::scope(|scope| {
        let work = || {
            let mut failures = Vec::new();
            while let Some(folder) = folders.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed)) {
                failures.extend(check(folder));
            }
            failures
        };
        let workers: Vec<_> = (0..4).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
    });
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

fn folders() -> Vec<PathBuf> {
    let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/http/cases");
    let entries = std::fs::read_dir(place).unwrap().map(|entry| entry.unwrap().path());
    let mut folders: Vec<PathBuf> = entries.filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}

/// Asks what a folder asks, and tells where the answers differ.
fn check(folder: &Path) -> Vec<String> {
    let name = folder.file_name().unwrap().display().to_string();
    let case: Case = toml::from_str(&read(&folder.join("case.toml"))).unwrap_or_else(|error| panic!("{name}: {error}"));
    let scratch = project();
    for (file, text) in &case.files {
        scratch.write(&format!("p/{file}"), text);
    }
    let serve: Vec<&str> = case.serve.iter().map(String::as_str).collect();
    let begun = Timestamp::now();
    let server = scratch.serve_with(&serve);
    let mut names = Names::new(&scratch, &server, begun, case.digests);
    let mut failures = Vec::new();
    let mut steps = 0;
    for step in 1.. {
        let request = folder.join(format!("{step}.request"));
        if !request.exists() {
            break;
        }
        steps += 1;
        let reply = ask(&server, &names.filled(&read(&request)));
        let answered = names.named(&shown(&reply));
        let response = folder.join(format!("{step}.response"));
        if std::env::var("ANTEFIX_ACCEPT").is_ok_and(|accept| accept == "1") {
            std::fs::write(&response, &answered).unwrap();
        } else if answered != read(&response) {
            failures.push(format!("{name}: {step}.response is\n{}\nand came as\n{answered}\n", read(&response)));
        }
    }
    assert!(steps > 0, "{name} asks nothing");
    let files = std::fs::read_dir(folder).unwrap().count();
    assert_eq!(files, 1 + 2 * steps, "{name} has files that nobody reads");
    failures
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Sends a request as its file says it.
fn ask(server: &Server, text: &str) -> Reply {
    let (head, body) = text.split_once("\n\n").unwrap_or_else(|| panic!("no empty line behind the headers: {text}"));
    let (line, rest) = head.split_once('\n').unwrap_or((head, ""));
    let (method, path) = line.split_once(' ').unwrap_or_else(|| panic!("no method and path: {line}"));
    let (host, token) = (server.host(), format!("Bearer {}", server.token));
    let mut headers = vec![("host", host.as_str()), ("authorization", &token)];
    if !body.is_empty() {
        headers.push(("content-type", "application/json"));
    }
    for line in rest.lines() {
        if let Some(left_out) = line.strip_prefix("no ") {
            headers.retain(|(name, _)| *name != left_out);
            continue;
        }
        let (name, value) = line.split_once(": ").unwrap_or_else(|| panic!("no header: {line}"));
        headers.retain(|(known, _)| *known != name);
        headers.push((name, value));
    }
    server.bare(method, path, &headers, body)
}

/// A response as its file has it: the status, the headers that matter, and the body.
fn shown(reply: &Reply) -> String {
    let mut text = format!("{}\n", reply.status);
    for name in HEADERS {
        if let Some(value) = reply.header(name) {
            let _ = writeln!(text, "{name}: {value}");
        }
    }
    format!("{text}\n{}", reply.body)
}

/// Values of this run under their names.
struct Names {
    known: Vec<(String, String)>,
    begun: Timestamp,
    digests: Digests,
}

impl Names {
    fn new(scratch: &Scratch, server: &Server, begun: Timestamp, digests: Digests) -> Names {
        let project = scratch.path("p").display().to_string();
        let version = env!("CARGO_PKG_VERSION").to_owned();
        let known = [("<project>", project), ("<port>", server.port.to_string()), ("<version>", version)];
        let known = known.map(|(name, value)| (name.to_owned(), value)).into();
        Names { known, begun, digests }
    }

    /// A request with the values in the place of their names. `<x 1000>` is an x a thousand times.
    fn filled(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for (name, value) in &self.known {
            text = text.replace(name, value);
        }
        while let Some(at) = text.find("<x ") {
            let end = at + text[at..].find('>').unwrap();
            let count = text[at + 3..end].parse().unwrap();
            text.replace_range(at..=end, &"x".repeat(count));
        }
        text
    }

    /// A response with names in the place of the values.
    fn named(&mut self, text: &str) -> String {
        let mut named = String::new();
        for (number, piece) in text.split('"').enumerate() {
            if number > 0 {
                named.push('"');
            }
            named.push_str(&self.name_of(piece).unwrap_or_else(|| piece.to_owned()));
        }
        for (name, value) in self.known.iter().filter(|(name, _)| name == "<project>") {
            named = named.replace(value, name);
        }
        named
    }

    /// The name of a value that is between quotation marks; none if it does not change from run to run.
    fn name_of(&mut self, value: &str) -> Option<String> {
        if let Some((name, _)) = self.known.iter().find(|(_, known)| known == value) {
            return Some(name.clone());
        }
        let kind = if value.parse::<Timestamp>().is_ok_and(|at| (self.begun..=Timestamp::now()).contains(&at)) {
            "time"
        } else if self.digests == Digests::Named && value.starts_with("sha256:") && value.len() == 71 {
            "digest"
        } else {
            return None;
        };
        let before = self.known.iter().filter(|(name, _)| name.starts_with(&format!("<{kind} "))).count();
        let name = format!("<{kind} {}>", before + 1);
        self.known.push((name.clone(), value.to_owned()));
        Some(name)
    }
}
