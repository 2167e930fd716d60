//! What the command line names: files.

use std::fmt;
use std::io::Read;
use std::path::Path;

use antefix::discover::tools::{Tool, Tools};
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};

use crate::Failure;

/// The largest file that may be named on the command line.
const INPUT_LIMIT: u64 = 2 * 1024 * 1024;

/// A tool as it may be given: by its name alone, or as an object.
#[derive(Clone)]
pub(crate) struct ToolEntry(Tool);

impl ToolEntry {
    /// The tool, if it has a name.
    pub(crate) fn tool(self) -> Option<Tool> {
        Some(self.0).filter(|tool| !tool.name.is_empty())
    }
}

impl<'de> Deserialize<'de> for ToolEntry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<ToolEntry, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = ToolEntry;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a tool's name, or an object with a `name`")
            }

            fn visit_str<E>(self, name: &str) -> Result<ToolEntry, E> {
                Ok(ToolEntry(Tool::named(name)))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<ToolEntry, A::Error> {
                Tool::deserialize(MapAccessDeserializer::new(map)).map(ToolEntry)
            }
        }
        deserializer.deserialize_any(Either)
    }
}

/// Reads a value, and names the field that cannot be read.
pub(crate) fn fields<'de, T: Deserialize<'de>, D: Deserializer<'de>>(from: D) -> Result<T, String>
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
        let hint = "a tools file is a JSON array of names, or of objects with a `name`";
        Failure::with_hint(format!("{}: {what}", path.display()), hint)
    };
    let entries: serde_json::Value =
        serde_json::from_str(text.trim_start_matches('\u{feff}')).map_err(|error| invalid(&error.to_string()))?;
    let entries: Vec<ToolEntry> = fields(entries).map_err(|error| invalid(&error))?;
    let named = |(number, entry): (usize, ToolEntry)| {
        entry.tool().ok_or_else(|| invalid(&format!("`[{number}]`: the tool has no name")))
    };
    entries.into_iter().enumerate().map(named).collect()
}

/// A file that was named on the command line, `-` for stdin.
pub(crate) fn read(path: &Path) -> Result<String, Failure> {
    let failed = |what: &str| Failure::plain(format!("{}: {what}", path.display()));
    let mut bytes = Vec::new();
    let read = if path == Path::new("-") {
        std::io::stdin().lock().take(INPUT_LIMIT + 1).read_to_end(&mut bytes)
    } else {
        std::fs::File::open(path).and_then(|file| file.take(INPUT_LIMIT + 1).read_to_end(&mut bytes))
    };
    read.map_err(|error| failed(&error.to_string()))?;
    if bytes.len() as u64 > INPUT_LIMIT {
        return Err(failed(&format!("larger than {INPUT_LIMIT} bytes")));
    }
    String::from_utf8(bytes)
        .map_err(|error| failed(&format!("not UTF-8: byte {} is invalid", error.utf8_error().valid_up_to())))
}

/// The messages in a messages file.
pub(crate) fn messages(path: &Path) -> Result<Vec<serde_json::Value>, Failure> {
    serde_json::from_str(&read(path)?).map_err(|error| {
        let hint = "write a JSON array of messages, as the provider takes them";
        Failure::with_hint(format!("{}: {error}", path.display()), hint)
    })
}
