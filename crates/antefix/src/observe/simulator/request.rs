//! A request as blocks, in the order in which its provider reads it.
//!
//! 1. Anthropic reads tools, system, messages; OpenAI tools, instructions, input; Gemini's and DeepSeek's orders are not published, see
//!    there.
//! 2. A text alone is the same block whether it stands by itself or in a list, and whether or not it has a marker: agents move markers
//!    on with the conversation, and providers do not mind.
//! 3. Where two texts begin to differ is known to [`PIECE`] bytes, about 64 tokens, never beyond the difference.
//! 4. Tokens are those of the model's tokenizer: of the text of a text block, of the JSON of all else. What providers add for
//!    roles is not published, and is left out.

use serde_json::{Map, Value};

use crate::deliver::Target;
use crate::models::Model;
use crate::text::{Digest, write_canonical};

/// How many bytes of a block are compared at once where a cache need not end at a block, a token being four or so.
const PIECE: usize = 256;

/// What marks the end of what is to be cached.
const MARKERS: [&str; 2] = ["cache_control", "prompt_cache_breakpoint"];

/// What a provider reads of a request.
#[derive(Debug, Default)]
pub(super) struct Prompt {
    pub(super) blocks: Vec<Block>,
    /// The marker of the request as a whole, which Anthropic puts at the last block.
    pub(super) automatic: Option<Marker>,
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
    pub(super) marker: Option<Marker>,
    /// Whether a breakpoint may end here.
    pub(super) cacheable: bool,
    speaker: Speaker,
}

/// A wish to cache.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Marker {
    /// For so many seconds; none for as long as the provider likes.
    pub(super) lifetime: Option<u64>,
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
    pub(super) fn read(target: Target, request: &Value, model: &Model) -> Prompt {
        let mut prompt = Prompt::default();
        prompt.mix(&model.name);
        let count = |text: &str| {
            let counted = model.tokenizer.count(text).map(|tokens| tokens.count);
            // Without the feature `tokens`: four bytes have one, as in prose and code.
            counted.unwrap_or_else(|| model.tokenizer.of(text.len() / 4).count)
        };
        let mut reading = Reading { prompt: &mut prompt, count: &count };
        match target {
            Target::Anthropic => reading.anthropic(request),
            Target::Bedrock => reading.bedrock(request),
            Target::Gemini => reading.gemini(request),
            Target::OpenAiResponses => reading.openai(request, "input"),
            Target::OpenAiChat | Target::Ollama | Target::Acp | Target::Plain => reading.openai(request, "messages"),
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
}

/// A request on its way into blocks.
struct Reading<'r> {
    prompt: &'r mut Prompt,
    count: &'r dyn Fn(&str) -> usize,
}

impl Reading<'_> {
    fn anthropic(&mut self, request: &Value) {
        self.prompt.automatic = marker(request);
        // What is deferred is no part of the prefix.
        for tool in list(&request["tools"]).iter().filter(|tool| tool["defer_loading"] != true) {
            self.block("tool", tool, Speaker::Prefix);
        }
        self.contents("system", &request["system"], Speaker::Prefix);
        // They cost the messages their cache, and on some models more.
        self.parameters(request, &["tool_choice", "thinking", "output_config", "speed"]);
        for (number, message) in list(&request["messages"]).iter().enumerate() {
            let role = message["role"].as_str().unwrap_or_default();
            self.contents(role, &message["content"], speaker(role, number));
        }
    }

    fn bedrock(&mut self, request: &Value) {
        for tool in list(&request["toolConfig"]["tools"]) {
            self.block("tool", tool, Speaker::Prefix);
        }
        self.contents("system", &request["system"], Speaker::Prefix);
        for (number, message) in list(&request["messages"]).iter().enumerate() {
            let role = message["role"].as_str().unwrap_or_default();
            self.contents(role, &message["content"], speaker(role, number));
        }
    }

    fn gemini(&mut self, request: &Value) {
        for tool in list(&request["tools"]) {
            for declaration in list(&tool["functionDeclarations"]) {
                self.block("tool", declaration, Speaker::Prefix);
            }
        }
        self.contents("system", &request["systemInstruction"]["parts"], Speaker::Prefix);
        for (number, message) in list(&request["contents"]).iter().enumerate() {
            let role = message["role"].as_str().unwrap_or_default();
            self.contents(role, &message["parts"], speaker(role, number));
        }
    }

    fn openai(&mut self, request: &Value, key: &str) {
        let options = &request["prompt_cache_options"];
        self.prompt.explicit = options["mode"] == "explicit";
        self.prompt.lifetime = options["ttl"].as_str().and_then(seconds);
        self.parameters(request, &["prompt_cache_key", "reasoning", "reasoning_effort", "text", "service_tier"]);
        for tool in list(&request["tools"]) {
            self.block("tool", tool, Speaker::Prefix);
        }
        self.contents("instructions", &request["instructions"], Speaker::Prefix);
        for (number, message) in list(&request[key]).iter().enumerate() {
            let role = message["role"].as_str().unwrap_or_default();
            let of_type = message["type"].as_str().unwrap_or_default();
            let is_answer = role == "assistant" || of_type == "reasoning" || of_type.ends_with("_call");
            let speaker = if is_answer { Speaker::Model(number) } else { Speaker::Caller(number) };
            self.contents(role, &message["content"], speaker);
            self.contents("output", &message["output"], speaker);
            let rest = without(message, &["content", "output", "role"]);
            if rest.keys().any(|key| key != "type" || of_type != "message") {
                self.block(role, &Value::Object(rest), speaker);
            }
        }
    }

    /// A text, or a list of blocks.
    fn contents(&mut self, role: &str, contents: &Value, speaker: Speaker) {
        match contents {
            Value::String(text) => self.text(role, text, None, speaker),
            Value::Array(blocks) => blocks.iter().for_each(|block| self.block(role, block, speaker)),
            _ => {}
        }
    }

    fn block(&mut self, role: &str, block: &Value, speaker: Speaker) {
        if let Some(point) = block.get("cachePoint") {
            // Converse has blocks of their own for what others put at the block before.
            if let Some(before) = self.prompt.blocks.last_mut() {
                before.marker = Some(Marker { lifetime: point["ttl"].as_str().and_then(seconds) });
            }
            return;
        }
        let marker = marker(block);
        let members = block.as_object();
        let is_text = members.is_some_and(|members| {
            members.keys().all(|key| key == "type" || key == "text" || MARKERS.contains(&key.as_str()))
        });
        match block["text"].as_str() {
            Some(text) if is_text => self.text(role, text, marker, speaker),
            _ => {
                let mut text = String::new();
                write_canonical(&Value::Object(without(block, &MARKERS)), &mut text);
                let is_thinking = block["type"].as_str().is_some_and(|of_type| of_type.ends_with("thinking"));
                self.add(role, &text, marker, speaker, !is_thinking);
            }
        }
    }

    fn text(&mut self, role: &str, text: &str, marker: Option<Marker>, speaker: Speaker) {
        self.add(role, text, marker, speaker, !text.is_empty());
    }

    fn add(&mut self, role: &str, text: &str, marker: Option<Marker>, speaker: Speaker, cacheable: bool) {
        let start = self.prompt.tokens();
        let tokens = (self.count)(text);
        // Neither a role nor the length of a text can be taken for the end of the text before.
        let message = match speaker {
            Speaker::Prefix => 0,
            Speaker::Caller(number) | Speaker::Model(number) => number + 1,
        };
        self.prompt.mix(&format!("\n{role} {message}\n"));
        for piece in (0..text.len()).step_by(PIECE) {
            let upto = text.len().min(piece + PIECE);
            let digest = self.prompt.extend(&text.as_bytes()[piece..upto]);
            // A block that is cut here is not the block that ends here: only a whole one ends in a step of its own.
            if upto < text.len() {
                self.prompt.pieces.push(Piece { digest, end: start + tokens * upto / text.len() });
            }
        }
        let digest = self.prompt.extend(b"\n");
        let end = start + tokens;
        self.prompt.pieces.push(Piece { digest, end });
        self.prompt.blocks.push(Block { digest, end, marker, cacheable, speaker });
    }

    /// What is no part of the text, and still decides which cache is asked.
    fn parameters(&mut self, request: &Value, keys: &[&str]) {
        for key in keys {
            if let Some(value) = request.get(*key).filter(|value| !value.is_null()) {
                let mut text = format!("{key}=");
                write_canonical(value, &mut text);
                self.prompt.mix(&text);
            }
        }
    }
}

fn speaker(role: &str, number: usize) -> Speaker {
    match role {
        "assistant" | "model" => Speaker::Model(number),
        _ => Speaker::Caller(number),
    }
}

/// The marker of a block.
fn marker(block: &Value) -> Option<Marker> {
    let marker = MARKERS.iter().find_map(|key| block.get(*key)).filter(|marker| !marker.is_null())?;
    Some(Marker { lifetime: marker["ttl"].as_str().and_then(seconds) })
}

fn without(block: &Value, keys: &[&str]) -> Map<String, Value> {
    let members = block.as_object().into_iter().flatten();
    members.filter(|(key, _)| !keys.contains(&key.as_str())).map(|(key, value)| (key.clone(), value.clone())).collect()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
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
