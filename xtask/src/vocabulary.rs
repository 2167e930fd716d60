//! `cargo xtask vocabulary`: writes the tables that tokens are counted with.
//!
//! What is in them comes from the crates that the tests compare with: the tokens from tiktoken-rs, which embeds OpenAI's
//! file, and the kinds of characters from the engine that its pattern runs on. `tokens/table.rs` of the library says how
//! they are laid out; its tests fail if they are not what those crates say.

#[path = "../../crates/antefix/src/tokens/bucket.rs"]
mod bucket;

use std::path::Path;

use bucket::{BUCKETS, bucket};

use crate::step::{Outcome, root};

/// How many tokens o200k_base has, beside special ones.
const TOKENS: u32 = 199_998;

pub(crate) fn run() -> Outcome {
    let directory = root().join("crates/antefix/vocabulary");
    write(&directory.join("o200k_base.tokens"), &tokens()?)?;
    write(&directory.join("o200k_base.characters"), &characters()?)
}

fn write(path: &Path, bytes: &[u8]) -> Outcome {
    std::fs::write(path, bytes).map_err(|error| format!("{} cannot be written: {error}", path.display()))?;
    println!("{}: {} bytes", path.display(), bytes.len());
    Ok(())
}

fn tokens() -> Result<Vec<u8>, String> {
    let vocabulary = tiktoken_rs::o200k_base().map_err(|error| error.to_string())?;
    let mut buckets: Vec<Vec<u8>> = vec![Vec::new(); BUCKETS];
    for rank in 0..TOKENS {
        let token = vocabulary.decode_bytes(&[rank]).map_err(|error| format!("token {rank}: {error}"))?;
        let entry = &mut buckets[bucket(&token)];
        entry.push(u8::try_from(token.len()).map_err(|_| format!("token {rank} is longer than 255 bytes"))?);
        entry.extend(&rank.to_le_bytes()[..3]);
        entry.extend(&token);
    }
    let mut start = (BUCKETS + 1) * 4;
    let mut bytes = Vec::new();
    for length in buckets.iter().map(Vec::len).chain([0]) {
        bytes.extend(u32::try_from(start).map_err(|_| "the table is too large")?.to_le_bytes());
        start += length;
    }
    Ok([bytes, buckets.concat()].concat())
}

fn characters() -> Result<Vec<u8>, String> {
    // In the order of `Kind`, from 1 on; a line end is white space, so that it is asked for first.
    let sets = [
        (7, r"[\r\n]"),
        (1, r"[\p{Lu}\p{Lt}]"),
        (2, r"\p{Ll}"),
        (3, r"[\p{Lm}\p{Lo}]"),
        (4, r"\p{M}"),
        (5, r"\p{N}"),
        (6, r"\s"),
    ];
    let sets: Vec<(u32, regex::Regex)> = sets
        .into_iter()
        .map(|(kind, set)| regex::Regex::new(&format!("^{set}$")).map(|set| (kind, set)))
        .collect::<Result<_, _>>()
        .map_err(|error| error.to_string())?;
    let mut bytes = Vec::new();
    let mut last = None;
    for c in '\0'..=char::MAX {
        let text = c.to_string();
        let kind = sets.iter().find(|(_, set)| set.is_match(&text)).map_or(0, |(kind, _)| *kind);
        if last.replace(kind) != Some(kind) {
            bytes.extend((u32::from(c) << 3 | kind).to_le_bytes());
        }
    }
    Ok(bytes)
}
