//! Requests with what became of them: whether the cache was hit as it should have been, and if not, why.
//!
//! 1. A request is held against the one before it in the same conversation; see [`Conversations`]. What should have been read is what that
//!    one read and wrote.
//! 2. Each [`MissCause`] that holds says how far reading can go in spite of it. One beyond which more was read is no cause, and what lies
//!    before all of them and was not read either has another one. Partial misses are the rule.
//! 3. If no cause holds, it is the provider's side, and what was ruled out is said. If it is not known how much time has passed, that is
//!    said.
//! 4. What the provider itself says is shown beside it, and decides nothing.

mod conversations;
mod difference;
mod judge;
mod positions;
mod words;

use jiff::Timestamp;

pub use self::conversations::{Conversations, Link, RequestKind, Sender};
pub use self::difference::{BlockChange, Change, ParameterChange, RequestDifference, Side};
pub use self::judge::{Judgment, MissCause};
use super::sent::{Parameter, Reach, SentRequest};
use super::usage::Usage;

/// A request, and what is known of how it went.
#[derive(Debug, Clone)]
pub struct Exchange {
    /// The request.
    pub request: SentRequest,
    /// When it was sent: a lifetime counts from there.
    pub at: Option<Timestamp>,
    /// When its answer began: what it wrote can be read from there on.
    pub answered: Option<Timestamp>,
    /// What was billed.
    pub usage: Option<Usage>,
    /// How many requests went by the same cache key in the minute before, where somebody counted.
    pub in_last_minute: Option<usize>,
}

impl Exchange {
    /// A request of which nothing else is known.
    pub fn new(request: SentRequest) -> Exchange {
        Exchange { request, at: None, answered: None, usage: None, in_last_minute: None }
    }

    /// What was billed for it.
    pub fn billed(mut self, usage: Usage) -> Exchange {
        self.usage = Some(usage);
        self
    }

    /// When it was sent.
    pub fn sent_at(mut self, at: Timestamp) -> Exchange {
        self.at = Some(at);
        self
    }
}

impl SentRequest {
    /// The same request with the header `anthropic-beta`, whose active ones count for the cache. Their order does not.
    pub fn with_betas(mut self, header: &str) -> SentRequest {
        let mut betas: Vec<&str> = header.split(',').map(str::trim).filter(|beta| !beta.is_empty()).collect();
        betas.sort_unstable();
        betas.dedup();
        if !betas.is_empty() {
            let value = betas.join(",");
            self.parameters.push(Parameter { name: "anthropic-beta".to_owned(), value, reach: Reach::MessagesOrAll });
        }
        self
    }
}

#[cfg(test)]
mod tests;
