//! What the command line names: directories and files.

use std::io::Read;
use std::path::{Path, PathBuf};

use antefix::discover::{Tool, Tools};
use serde::Deserialize;

use crate::Failure;

/// The largest file that may be named on the command line.
const INPUT_LIMIT: u64 = 2 * 1024 * 1024;

/// The working directory: named, or the process's own.
pub(crate) fn directory(named: Option<&Path>) -> Result<PathBuf, Failure> {
    let directory = match named {
        Some(directory) => directory.to_owned(),
        None => std::env::current_dir()
            .map_err(|error| Failure::plain(format!("the current directory cannot be found: {error}")))?,
    };
    let absolute =
        std::path::absolute(&directory).map_err(|error| Failure::plain(format!("{}: {error}", directory.display())))?;
    match std::fs::metadata(&absolute) {
        Ok(metadata) if metadata.is_dir() => Ok(absolute),
        Ok(_) => Err(Failure::plain(format!("{} is no directory", directory.display()))),
        Err(error) => Err(Failure::with_hint(
            format!("{}: {error}", directory.display()),
            "--cwd names the directory that the conversation works in",
        )),
    }
}

/// A tool as it may be told: by its name alone, or as an object.
#[derive(Clone, Deserialize)]
#[serde(untagged)]
pub(crate) enum ToolEntry {
    Name(String),
    Tool(Box<Tool>),
}

impl ToolEntry {
    /// The tool, if it has a name.
    pub(crate) fn tool(self) -> Option<Tool> {
        let tool = match self {
            ToolEntry::Name(name) => Tool::named(name),
            ToolEntry::Tool(tool) => *tool,
        };
        Some(tool).filter(|tool| !tool.name.is_empty())
    }
}

/// The tools in a tools file.
pub(super) fn tools(path: &Path) -> Result<Tools, Failure> {
    let text = read(path)?;
    let invalid = |what: &str| {
        let hint = "a tools file is a JSON array of names, or of objects with a `name`";
        Failure::with_hint(format!("{}: {what}", path.display()), hint)
    };
    let entries: Vec<ToolEntry> = serde_json::from_str(&text).map_err(|error| invalid(&error.to_string()))?;
    entries.into_iter().map(|entry| entry.tool().ok_or_else(|| invalid("a tool has no name"))).collect()
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
