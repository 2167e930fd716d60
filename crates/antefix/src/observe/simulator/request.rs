//! A request as a cache sees it: digests of everything up to each block, and tokens.
//!
//! 1. The blocks are those of [`SentRequest`]: what only a marker changes is the same block.
//! 2. Where two texts begin to differ is known to [`PIECE`] bytes, about 64 tokens, never beyond the difference.
//! 3. Tokens are those of the model's tokenizer: of the text of a text block, of the JSON of all else. What providers add for
//!    roles is not published, and is left out.

use crate::models::Model;
use crate::observe::sent::{self, Breakpoint, Part, Reach, SentBlock, SentRequest};
use crate::text::Digest;

/// How many bytes of a block are compared at once where a cache need not end at a block, a token being four or so.
const PIECE: usize = 256;

/// What a provider reads of a request.
#[derive(Debug, Default)]
pub(super) struct Prompt {
    pub(super) blocks: Vec<Block>,
    /// The marker of the request as a whole, which Anthropic puts at the last block.
    pub(super) automatic: Option<Breakpoint>,
    /// Whether OpenAI is to set no breakpoint by itself.
    pub(super) explicit: bool,
    /// The lifetime that OpenAI is asked for, for all breakpoints, in seconds.
    pub(super) lifetime: Option<u64>,
    pieces: Vec<Piece>,
    chain: Vec<u8>,
}

/// One position of a request.
#[derive(Debug)]
pub(super) struct Block {
    /// The digest of everything up to its end.
    pub(super) digest: Digest,
    /// How many tokens there are up to its end.
    pub(super) end: usize,
    pub(super) marker: Option<Breakpoint>,
    /// Whether a breakpoint may end here.
    pub(super) cacheable: bool,
    speaker: Speaker,
}

/// A place within a block at which an automatic cache may end, or the end of the block.
#[derive(Debug, Clone, Copy)]
pub(super) struct Piece {
    /// The digest of everything up to its end.
    pub(super) digest: Digest,
    /// How many tokens there are up to its end, in proportion to the bytes of its block.
    pub(super) end: usize,
}

/// Whose block it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Speaker {
    /// Tools and system text before the conversation.
    Prefix,
    /// A message that the model did not write, by its number.
    Caller(usize),
    /// A message that the model wrote, by its number.
    Model(usize),
}

impl Prompt {
    pub(super) fn of(request: &SentRequest, model: &Model) -> Prompt {
        let mut prompt = Prompt {
            automatic: request.automatic,
            explicit: request.explicit,
            lifetime: request.lifetime,
            ..Prompt::default()
        };
        prompt.mix(&model.name);
        prompt.parameters(request, |reach| reach == Reach::All);
        let conversation = request.blocks.iter().position(|block| block.part == Part::Messages);
        let conversation = conversation.unwrap_or(request.blocks.len());
        for (number, block) in request.blocks.iter().enumerate() {
            if number == conversation {
                // They cost the messages their cache, and on some models more.
                prompt.parameters(request, |reach| reach != Reach::All);
            }
            prompt.add(block, sent::count(&block.text, &model.tokenizer).count);
        }
        prompt
    }

    /// All tokens.
    pub(super) fn tokens(&self) -> usize {
        self.blocks.last().map_or(0, |block| block.end)
    }

    /// Where an automatic cache may end.
    pub(super) fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// The last block of each message that the model did not write, in order.
    pub(super) fn ends_of_messages(&self) -> impl Iterator<Item = usize> {
        let next = |at: usize| self.blocks.get(at + 1).map(|block| block.speaker);
        let ends = move |(at, block): (usize, &Block)| {
            (matches!(block.speaker, Speaker::Caller(_)) && next(at) != Some(block.speaker)).then_some(at)
        };
        self.blocks.iter().enumerate().filter_map(ends)
    }

    /// Each run of messages that the model wrote: what is before it, and what is up to its end.
    pub(super) fn answers(&self) -> impl Iterator<Item = (Digest, Digest)> {
        let is_answer = |at: usize| self.blocks.get(at).is_some_and(|block| matches!(block.speaker, Speaker::Model(_)));
        let starts = (1..self.blocks.len()).filter(move |at| is_answer(*at) && !is_answer(at - 1));
        starts.map(move |start| {
            let end = (start..self.blocks.len()).find(|at| !is_answer(at + 1)).unwrap_or(start);
            (self.blocks[start - 1].digest, self.blocks[end].digest)
        })
    }

    /// Lets everything from here on depend on a text that has no tokens.
    fn mix(&mut self, text: &str) {
        self.extend(text.as_bytes());
    }

    fn extend(&mut self, bytes: &[u8]) -> Digest {
        self.chain.extend_from_slice(bytes);
        let digest = Digest::of_bytes(&self.chain);
        self.chain.clear();
        self.chain.extend_from_slice(digest.bytes());
        digest
    }

    /// What is no part of the text, and still decides which cache is asked.
    fn parameters(&mut self, request: &SentRequest, is_here: impl Fn(Reach) -> bool) {
        for parameter in request.parameters.iter().filter(|parameter| is_here(parameter.reach)) {
            self.mix(&format!("{}={}", parameter.name, parameter.value));
        }
    }

    fn add(&mut self, block: &SentBlock, tokens: usize) {
        let (start, text) = (self.tokens(), &block.text);
        // Neither a role nor the length of a text can be taken for the end of the text before.
        let message = block.message.map_or(0, |number| number + 1);
        let role = if block.part == Part::Tools { "tool" } else { &block.role };
        self.mix(&format!("\n{role} {message}\n"));
        for piece in (0..text.len()).step_by(PIECE) {
            let upto = text.len().min(piece + PIECE);
            let digest = self.extend(&text.as_bytes()[piece..upto]);
            // A block that is cut here is not the block that ends here: only a whole one ends in a step of its own.
            if upto < text.len() {
                self.pieces.push(Piece { digest, end: start + tokens * upto / text.len() });
            }
        }
        let digest = self.extend(b"\n");
        let end = start + tokens;
        self.pieces.push(Piece { digest, end });
        let speaker = match block.message {
            None => Speaker::Prefix,
            Some(number) if block.is_answer() => Speaker::Model(number),
            Some(number) => Speaker::Caller(number),
        };
        self.blocks.push(Block { digest, end, marker: block.breakpoint, cacheable: block.is_cacheable(), speaker });
    }
}

/// The seconds of `5m`, `1h`, `30m` or `12h`.
pub(in crate::observe) fn seconds(lifetime: &str) -> Option<u64> {
    let (number, unit) = lifetime.split_at_checked(lifetime.len().checked_sub(1)?)?;
    let number: u64 = number.parse().ok()?;
    match unit {
        "s" => Some(number),
        "m" => number.checked_mul(60),
        "h" => number.checked_mul(3600),
        _ => None,
    }
}
