//! What the command line names: files.

use std::fmt;
use std::io::Read;
use std::path::Path;

use antefix::discover::tools::Tools;
use serde::de::{Deserialize, Deserializer};

use crate::Failure;

/// The largest file that may be named on the command line.
const INPUT_LIMIT: u64 = 2 * 1024 * 1024;

/// The largest recording of requests.
const RECORDING_LIMIT: u64 = 256 * 1024 * 1024;

/// Reads a value, and names the field that cannot be read.
fn fields<'de, T: Deserialize<'de>, D: Deserializer<'de>>(from: D) -> Result<T, String>
where
    D::Error: fmt::Display,
{
    serde_path_to_error::deserialize(from).map_err(|error| match error.path().to_string().as_str() {
        // The whole of it.
        "." => error.inner().to_string(),
        path => format!("`{path}`: {}", error.inner()),
    })
}

/// The tools in a tools file.
pub(crate) fn tools(path: &Path) -> Result<Tools, Failure> {
    let text = read(path)?;
    let invalid = |what: &str| {
        let hint = "a tools file is a JSON array of names, or of objects with a `name`, or an object with `tools` and `servers`";
        Failure::with_hint(format!("{}: {what}", path.display()), hint)
    };
    let entries: serde_json::Value =
        serde_json::from_str(text.trim_start_matches('\u{feff}')).map_err(|error| invalid(&error.to_string()))?;
    let tools: Tools = fields(entries).map_err(|error| invalid(&error))?;
    Ok(tools.read_from(path.display().to_string()))
}

/// A file that was named on the command line, `-` for stdin.
pub(crate) fn read(path: &Path) -> Result<String, Failure> {
    let failed = |what: &str| Failure::plain(format!("{}: {what}", path.display()));
    String::from_utf8(read_upto(path, INPUT_LIMIT)?)
        .map_err(|error| failed(&format!("not UTF-8: byte {} is invalid", error.utf8_error().valid_up_to())))
}

/// The same for requests and recordings of them, which are larger.
pub(crate) fn read_large(path: &Path) -> Result<Vec<u8>, Failure> {
    read_upto(path, RECORDING_LIMIT)
}

fn read_upto(path: &Path, limit: u64) -> Result<Vec<u8>, Failure> {
    let failed = |what: &str| Failure::plain(format!("{}: {what}", path.display()));
    let mut bytes = Vec::new();
    let read = if path == Path::new("-") {
        std::io::stdin().lock().take(limit + 1).read_to_end(&mut bytes)
    } else {
        std::fs::File::open(path).and_then(|file| file.take(limit + 1).read_to_end(&mut bytes))
    };
    read.map_err(|error| failed(&error.to_string()))?;
    if bytes.len() as u64 > limit {
        return Err(failed(&format!("larger than {limit} bytes")));
    }
    Ok(bytes)
}

/// The messages in a messages file.
pub(crate) fn messages(path: &Path) -> Result<Vec<serde_json::Value>, Failure> {
    if looks_like_json(path) {
        let message = "--messages takes the name of a file, and this is JSON";
        return Err(Failure::usage(message, "write it to a file, or pipe it in: `… --messages -`"));
    }
    let invalid = |what: String| {
        let hint =
            r#"write a JSON array of messages, as the provider takes them: [{"role": "user", "content": "Hello."}]"#;
        Failure::with_hint(format!("{}: {what}", path.display()), hint)
    };
    let messages: Vec<serde_json::Value> =
        serde_json::from_str(&read(path)?).map_err(|error| invalid(error.to_string()))?;
    match messages.iter().enumerate().find(|(_, message)| !message.is_object()) {
        Some((number, strange)) => {
            let shown: String = strange.to_string().chars().take(60).collect();
            Err(invalid(format!("message {} is `{shown}`, and a message is an object", number + 1)))
        }
        None => Ok(messages),
    }
}

/// Whether somebody wrote JSON where the name of a file is wanted.
fn looks_like_json(path: &Path) -> bool {
    let bytes = path.as_os_str().as_encoded_bytes();
    bytes.trim_ascii_start().starts_with(b"[") && !path.exists()
}

/// A request in a file.
pub(crate) fn request(path: &Path) -> Result<serde_json::Value, Failure> {
    let invalid = |what: &str| {
        let hint = "write the JSON body of a request, as it would be sent";
        Failure::with_hint(format!("{}: {what}", path.display()), hint)
    };
    let request: serde_json::Value = serde_json::from_str(&read(path)?).map_err(|error| invalid(&error.to_string()))?;
    if request.is_object() { Ok(request) } else { Err(invalid("a request is a JSON object")) }
}
