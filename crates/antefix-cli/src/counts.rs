//! Token counts that the next run need not make again.
//!
//! 1. The file is `$XDG_CACHE_HOME/antefix/tokens`, else `~/.cache/antefix/tokens`. It holds digests and numbers, no text.
//! 2. A file that is missing, damaged, too large or not ours is ignored, and so is one that cannot be written.
//! 3. It is written beside itself and renamed, so that nobody reads half of it, and only if something new was counted.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use antefix::stores::private_directory;
use antefix::text::Digest;
use antefix::tokens::{ENCODING, recall, remembered};

/// How many counts are kept.
const MOST: usize = 2048;
/// The largest file that is read, in bytes.
const LARGEST: u64 = 512 * 1024;

/// Counts on disk, which were recalled.
pub(crate) struct Counts {
    file: Option<PathBuf>,
}

impl Counts {
    /// Recalls what earlier runs counted.
    pub(crate) fn recall() -> Counts {
        let file = place();
        recall(file.as_deref().and_then(read).unwrap_or_default());
        Counts { file }
    }

    /// Keeps what this run counted.
    pub(crate) fn keep(&self) {
        let remembered = remembered();
        if let (Some(file), true) = (&self.file, remembered.counted > 0) {
            // Counting again costs a fifth of a second, and nobody could do anything about a full disk from here.
            let _ = write(file, &remembered.counts);
        }
    }
}

fn place() -> Option<PathBuf> {
    let absolute = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let cache = absolute("XDG_CACHE_HOME").or_else(|| absolute("HOME").map(|home| home.join(".cache")))?;
    Some(cache.join("antefix").join("tokens"))
}

fn head(body: &str) -> String {
    format!("antefix tokens 1 {ENCODING} {}", Digest::of(body))
}

fn read(file: &Path) -> Option<Vec<(Digest, usize)>> {
    if !std::fs::metadata(file).ok()?.is_file() {
        return None;
    }
    let mut text = String::new();
    std::fs::File::open(file).ok()?.take(LARGEST).read_to_string(&mut text).ok()?;
    let (first, body) = text.split_once('\n')?;
    if first != head(body) {
        return None;
    }
    let line = |line: &str| {
        let (digest, tokens) = line.split_once(' ')?;
        Some((Digest::parse(digest)?, tokens.parse().ok()?))
    };
    body.lines().map(line).collect()
}

fn write(file: &Path, counts: &[(Digest, usize)]) -> std::io::Result<()> {
    let newest = &counts[counts.len().saturating_sub(MOST)..];
    let body: String = newest.iter().map(|(digest, tokens)| format!("{digest} {tokens}\n")).collect();
    let directory = file.parent().unwrap_or(Path::new("."));
    private_directory(directory)?;
    let beside = directory.join(format!(".tokens.{}", std::process::id()));
    let written = std::fs::File::create_new(&beside)
        .and_then(|mut new| new.write_all(format!("{}\n{body}", head(&body)).as_bytes()))
        .and_then(|()| std::fs::rename(&beside, file));
    if written.is_err() {
        let _ = std::fs::remove_file(&beside);
    }
    written
}
