//! Which request goes on where another one ended.
//!
//! A session's id is no help: titles, probes, summaries and subagents share it, and their requests come in between. The request
//! before is the one of the same sender and kind that it shares the longest beginning with.

use std::collections::VecDeque;

use crate::observe::sent::{BlockKind, Part, SentRequest};

/// Who sends, as far as it says so: two agents that work in one session are two senders.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Sender {
    /// The program.
    pub agent: Option<String>,
    /// The agent within it, or its thread; none for the main one, or where nobody says.
    pub thread: Option<String>,
}

/// The headers by which agents name a thread within a session.
const THREADS: [&str; 2] = ["x-claude-code-agent-id", "thread-id"];

impl Sender {
    /// By the headers and the body of a request.
    pub fn of<'h>(
        agent: Option<&str>,
        headers: impl IntoIterator<Item = (&'h str, &'h str)>,
        request: &SentRequest,
    ) -> Sender {
        let named = |name: &str| THREADS.iter().any(|thread| name.eq_ignore_ascii_case(thread));
        let thread = headers.into_iter().find(|(name, _)| named(name)).map(|(_, value)| value.to_owned());
        let thread = thread.or_else(|| request.fact("thread_id").map(str::to_owned));
        let is_subagent = request.fact("cc_is_subagent") == Some("true");
        let thread = thread.or_else(|| is_subagent.then(|| "subagent".to_owned()));
        Sender { agent: agent.map(str::to_owned), thread }
    }
}

/// What a request is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RequestKind {
    /// A turn of a conversation.
    Turn,
    /// A title, a score, a check: a small request beside the conversation, without tools.
    Side,
    /// A request that asks whether there is quota, or warms the cache, and wants no answer.
    Probe,
    /// A request for a summary of the conversation.
    Summary,
}

impl RequestKind {
    /// The name in documents.
    pub fn name(self) -> &'static str {
        match self {
            RequestKind::Turn => "turn",
            RequestKind::Side => "side",
            RequestKind::Probe => "probe",
            RequestKind::Summary => "summary",
        }
    }

    /// By what a request says of itself, and by its shape.
    pub fn of(request: &SentRequest) -> RequestKind {
        match request.fact("request_kind") {
            Some("compaction") => return RequestKind::Summary,
            Some("prewarm") => return RequestKind::Probe,
            _ => {}
        }
        if request.fact("generate") == Some("false") || request.fact("max_tokens") == Some("1") {
            return RequestKind::Probe;
        }
        if request.fact("thread_source") == Some("thread_title") {
            return RequestKind::Side;
        }
        let has_tools = request.blocks.iter().any(|block| block.part == Part::Tools) || request.deferred > 0;
        let has_calls = request.blocks.iter().any(|block| matches!(block.kind, BlockKind::Call | BlockKind::Result));
        let wants_schema = request.fact("format").is_some();
        if !has_tools && !has_calls && wants_schema { RequestKind::Side } else { RequestKind::Turn }
    }
}

/// How a request is linked to those before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// The number of the conversation, from 0.
    pub conversation: usize,
    /// The number of the request before it; none for the first one.
    pub before: Option<usize>,
    /// With how many blocks both begin.
    pub common: usize,
}

/// How many conversations are open at a time. The one that was not used for longest is forgotten.
const OPEN: usize = 64;

/// Conversations, told apart request by request.
#[derive(Debug, Default)]
pub struct Conversations {
    open: VecDeque<Head>,
    count: usize,
    requests: usize,
}

/// The last request of a conversation.
#[derive(Debug)]
struct Head {
    conversation: usize,
    request: usize,
    sender: Sender,
    kind: RequestKind,
    model: Option<String>,
    /// Of each block, what it says.
    blocks: Vec<u64>,
    /// How many of them are the conversation's.
    messages: usize,
}

impl Conversations {
    /// Finds the conversation of a request; requests come in the order in which they were sent.
    pub fn place(&mut self, sender: &Sender, kind: RequestKind, request: &SentRequest) -> Link {
        let number = self.requests;
        self.requests += 1;
        let blocks: Vec<u64> = request.blocks.iter().map(digest).collect();
        let messages = request.of_part(Part::Messages).count();
        let same = self.open.iter().enumerate().filter(|(_, head)| head.sender == *sender && head.kind == kind);
        let shared = same.filter_map(|(at, head)| Some((head.shared(&blocks, messages, request)?, at)));
        let goes_on = shared.max();
        let head = goes_on.and_then(|(_, at)| self.open.remove(at));
        let conversation = head.as_ref().map_or(self.count, |head| head.conversation);
        self.count = self.count.max(conversation + 1);
        let link = Link {
            conversation,
            before: head.map(|head| head.request),
            common: goes_on.map_or(0, |((common, _), _)| common),
        };
        let (sender, model) = (sender.clone(), request.model.clone());
        self.open.push_back(Head { conversation, request: number, sender, kind, model, blocks, messages });
        if self.open.len() > OPEN {
            self.open.pop_front();
        }
        link
    }
}

impl Head {
    /// With how many blocks a request begins as this one did, and how many messages they share; none if it does not go on with the
    /// conversation. It does if it has what the user said first, also where tools or system are others, or a summary of it.
    fn shared(&self, blocks: &[u64], messages: usize, request: &SentRequest) -> Option<(usize, usize)> {
        let before = self.blocks.len() - self.messages;
        let common = common(&self.blocks, blocks);
        let said = self.blocks[before..].iter().zip(&blocks[blocks.len() - messages..]);
        let said = said.take_while(|(one, other)| one == other).count();
        // Without a summary it is another conversation of the same agent.
        let is_same = common == before && before > 0 && messages < self.messages && request.model == self.model;
        (said > 0 || (is_same && is_summary(request))).then_some((common, said))
    }
}

/// Whether a conversation begins with what is left of another one.
fn is_summary(request: &SentRequest) -> bool {
    const BEGINNING: usize = 2_000;
    let Some(first) = request.of_part(Part::Messages).next() else { return false };
    let text = &first.text[..crate::text::floor_char_boundary(&first.text, BEGINNING)];
    let text = text.to_ascii_lowercase();
    ["summar", "compact", "continued from"].iter().any(|word| text.contains(word))
}

fn common(one: &[u64], other: &[u64]) -> usize {
    one.iter().zip(other).take_while(|(one, other)| one == other).count()
}

/// Of what a block says; two of one digest are taken for the same, which decides only what is compared.
fn digest(block: &crate::observe::sent::SentBlock) -> u64 {
    let message = block.message.map_or(0, |number| number + 1).to_le_bytes();
    let parts = [block.role.as_bytes(), &message, block.kind.name().as_bytes(), block.text.as_bytes()];
    let digest = crate::text::Digest::of_bytes(&parts.concat());
    digest.bytes()[..8].iter().fold(0, |number, byte| number << 8 | u64::from(*byte))
}
