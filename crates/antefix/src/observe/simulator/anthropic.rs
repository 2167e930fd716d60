//! Anthropic's cache, and Claude's on Bedrock: entries end at breakpoints.
//!
//! Source: <https://platform.claude.com/docs/en/build-with-claude/prompt-caching>, as of 2026-08-21; for Bedrock
//! <https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html>.
//!
//! 1. The prefix is `tools`, `system`, `messages`, "up to and including the block designated with cache_control"; its hash is
//!    cumulative.
//! 2. "Cache writes happen only at your breakpoint."
//! 3. Reading walks back from each breakpoint, at most 20 positions, the breakpoint itself among them.
//! 4. At most four breakpoints; one that the request as a whole asks for takes a slot. More are refused.
//! 5. A longer lifetime comes before a shorter one, else the request is refused.
//! 6. With the last read position A, the last one-hour breakpoint B and the last breakpoint C, A is read, B − A is written for
//!    an hour, C − B for five minutes.
//! 7. What is shorter than the model's minimum is not cached, without an error.
//! 8. "Refreshed at no additional cost each time the cached content is used." Assumption: that refreshes the entry that is read and
//!    those that end at other breakpoints of the request before it.

use super::request::{Block, Prompt};
use super::{Entries, refused};
use crate::error::Result;
use crate::models::Model;
use crate::observe::Billed;

/// Five minutes, where a marker names no lifetime.
const SHORT: u64 = 300;

/// The positions from one breakpoint that are looked at, if the model's row does not say.
const LOOK_BACK: usize = 20;

pub(super) fn bill(entries: &mut Entries, at: u64, prompt: &Prompt, model: &Model) -> Result<Billed> {
    let breakpoints = breakpoints(prompt, model)?;
    let minimum = model.minimum.unwrap_or(0);
    let look_back = model.look_back.unwrap_or(LOOK_BACK);
    let blocks = &prompt.blocks;
    let end = |position: usize| blocks.get(position).map_or(0, |block| block.end);
    let found = breakpoints.iter().filter_map(|(position, _)| {
        let oldest = (position + 1).saturating_sub(look_back);
        (oldest..=*position).rev().find(|position| entries.has(&blocks[*position].digest, at))
    });
    let hit = found.max();
    let read = hit.map_or(0, end);
    if let Some(hit) = hit {
        entries.keep(blocks[hit].digest, at, SHORT);
    }
    let mut billed = Billed { read, ..Billed::default() };
    for (position, lifetime) in &breakpoints {
        let block = &blocks[*position];
        if block.end < minimum {
            continue;
        }
        entries.keep(block.digest, at, *lifetime);
        let upto = block.end.saturating_sub(billed.read + billed.written + billed.written_long);
        match *lifetime > SHORT {
            true => billed.written_long += upto,
            false => billed.written += upto,
        }
    }
    billed.plain = prompt.tokens() - billed.read - billed.written - billed.written_long;
    Ok(billed)
}

/// Where the breakpoints are, with their lifetimes, in order.
fn breakpoints(prompt: &Prompt, model: &Model) -> Result<Vec<(usize, u64)>> {
    let lifetime = |block: &Block| block.marker.as_ref().map(|marker| marker.lifetime.unwrap_or(SHORT));
    let marked = prompt.blocks.iter().enumerate();
    let mut breakpoints: Vec<(usize, u64)> =
        marked.filter_map(|(position, block)| Some((position, lifetime(block)?))).collect();
    if let Some(whole) = &prompt.automatic {
        let wanted = whole.lifetime.unwrap_or(SHORT);
        // "The last cacheable block": not thinking, and not empty.
        if let Some(last) = prompt.blocks.iter().rposition(|block| block.cacheable) {
            match breakpoints.last() {
                Some((position, lifetime)) if *position == last && *lifetime == wanted => {}
                Some((position, _)) if *position == last => {
                    return Err(refused(
                        "the last block has a `cache_control` with another lifetime than the request's",
                    ));
                }
                _ => breakpoints.push((last, wanted)),
            }
        }
    }
    if breakpoints.len() > model.max_breakpoints {
        let most = model.max_breakpoints;
        return Err(refused(format!("{} breakpoints; at most {most} are taken", breakpoints.len())));
    }
    match breakpoints.is_sorted_by(|(_, one), (_, next)| one >= next) {
        true => Ok(breakpoints),
        false => Err(refused("a breakpoint for an hour comes after one for five minutes")),
    }
}
