//! OpenAI's caches: an automatic one before GPT-5.6, breakpoints from there on.
//!
//! Source: <https://developers.openai.com/api/docs/guides/prompt-caching>, as of 2026-09-02, and the types of the official
//! client 3.49.
//!
//! Before GPT-5.6:
//!
//! 1. The longest common beginning is read, from 1,024 tokens on, in steps of 128. Writing costs nothing.
//! 2. It is kept for "5 to 10 minutes of inactivity". The row of the model says five, the promise.
//!
//! From GPT-5.6 on:
//!
//! 3. "Implicit" puts one breakpoint at the end of the newest eligible message and writes the latest three explicit ones;
//!    "explicit" writes the latest four, and without any caches nothing.
//! 4. A beginning is read exactly at a breakpoint; "up to the latest 80 breakpoints in the conversation" are considered.
//!    Assumption: the breakpoints of a conversation are its explicit ones and, unless the mode is explicit, the ends of all
//!    messages that the model did not write: each of them was the newest once.
//! 5. Writing costs 1.25 times the input. The price of a twelve-hour write is not published: see [`Billed::cost`].
//! 6. Kept for "at least 30 minutes", or twelve hours. Assumption: no longer than promised, counted from the last use.
//!
//! Always:
//!
//! 7. "The entire rendered prefix" must match. Another `prompt_cache_key`, reasoning effort, verbosity, format or service tier is another
//!    cache: all of them are reasons for a miss in the provider's own diagnostics. Assumption: they always lead to one.
//! 8. Above about 15 requests a minute for one prefix and key some go to other machines. That is not simulated.

use super::Entries;
use super::automatic::Numbers;
use super::request::Prompt;
use crate::models::Model;
use crate::observe::Billed;

/// The step of the automatic cache, in tokens.
const STEP: usize = 128;

/// Thirty minutes, where nothing else is said.
const SHORT: u64 = 1800;

/// How many breakpoints of a conversation are considered, if the model's row does not say.
const CONSIDERED: usize = 80;

pub(super) fn before_breakpoints(model: &Model) -> Numbers {
    Numbers { step: STEP, ..Numbers::of(model) }
}

pub(super) fn bill(entries: &mut Entries, at: u64, prompt: &Prompt, model: &Model) -> Billed {
    let minimum = model.minimum.unwrap_or(0);
    let blocks = &prompt.blocks;
    let ends: Vec<usize> = match prompt.explicit {
        true => Vec::new(),
        false => prompt.ends_of_messages().collect(),
    };
    let explicit: Vec<usize> = (0..blocks.len()).filter(|position| blocks[*position].marker.is_some()).collect();

    let mut considered: Vec<usize> = ends.iter().chain(&explicit).copied().collect();
    considered.sort_unstable();
    considered.dedup();
    let latest = considered.iter().rev().take(model.look_back.unwrap_or(CONSIDERED));
    let hit = latest.copied().find(|position| entries.has(&blocks[*position].digest, at));

    let newest = ends.last().copied();
    let room = model.max_breakpoints.saturating_sub(usize::from(newest.is_some()));
    let mut written: Vec<usize> = explicit.into_iter().rev().take(room).chain(newest).collect();
    written.sort_unstable();
    written.dedup();

    let mut billed = Billed { read: hit.map_or(0, |position| blocks[position].end), ..Billed::default() };
    if let Some(hit) = hit {
        entries.keep(blocks[hit].digest, at, SHORT);
    }
    // As with Anthropic: all that precedes a breakpoint for longer is written for longer.
    let lifetime = |position: &usize| blocks[*position].marker.as_ref().and_then(|marker| marker.lifetime);
    for position in &written {
        let block = &blocks[*position];
        if block.end < minimum {
            continue;
        }
        let lifetime = lifetime(position).or(prompt.lifetime).unwrap_or(SHORT);
        entries.keep(block.digest, at, lifetime);
        let upto = block.end.saturating_sub(billed.read + billed.written + billed.written_long);
        match lifetime > SHORT {
            true => billed.written_long += upto,
            false => billed.written += upto,
        }
    }
    billed.plain = prompt.tokens() - billed.read - billed.written - billed.written_long;
    billed
}
