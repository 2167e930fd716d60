//! Claude Code's lines.
//!
//! 1. One answer is written once for each of its blocks, with the same `message.id`, `requestId` and usage; older versions wrote figures that
//!    grow. The largest counts.
//! 2. A fork copies all earlier lines into its own file: whoever reads several files counts an id once.
//! 3. Since about 2.1.312 each request is written down with its start, its parameters and, by hash, its system text and tools. Before, the
//!    time of the answer is all that there is.
//! 4. `cost-state` has the totals of the agent's own books, with requests that no line shows: summaries, titles, answers that broke off.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::Value;

use super::line::{Text, Word, hash, lines, read as read_line, sum, time};
use super::{Call, Shape, Since, Transcript};
use crate::observe::Said;
use crate::observe::sent::Json;
use crate::observe::simulator::seconds;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Line<'l> {
    #[serde(borrow)]
    r#type: Text<'l>,
    #[serde(borrow)]
    timestamp: Option<Text<'l>>,
    #[serde(borrow)]
    session_id: Option<Text<'l>>,
    #[serde(borrow)]
    agent_id: Option<Text<'l>>,
    #[serde(default)]
    is_sidechain: bool,
    #[serde(borrow)]
    cwd: Option<Text<'l>>,
    #[serde(borrow)]
    version: Option<Text<'l>>,
    #[serde(borrow)]
    request_id: Option<Text<'l>>,
    #[serde(borrow)]
    request_ref: Option<Text<'l>>,
    #[serde(borrow)]
    prompt_cache_requested: Option<Text<'l>>,
    #[serde(borrow)]
    message: Option<Message<'l>>,
}

#[derive(Deserialize)]
struct Message<'l> {
    #[serde(borrow)]
    id: Option<Text<'l>>,
    #[serde(borrow)]
    model: Option<Text<'l>>,
    usage: Option<Usage>,
    diagnostics: Option<Value>,
}

#[derive(Deserialize)]
struct Usage {
    #[serde(default)]
    input_tokens: usize,
    cache_read_input_tokens: Option<usize>,
    cache_creation_input_tokens: Option<usize>,
    cache_creation: Option<Creation>,
    #[serde(default)]
    output_tokens: usize,
}

#[derive(Deserialize)]
struct Creation {
    #[serde(default)]
    ephemeral_1h_input_tokens: usize,
}

/// A request, written down before it was sent.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Sent<'l> {
    #[serde(borrow)]
    id: Option<Text<'l>>,
    #[serde(borrow)]
    timestamp: Option<Text<'l>>,
    #[serde(borrow)]
    shape_hash: Option<Text<'l>>,
    #[serde(borrow)]
    base: Option<Text<'l>>,
}

/// What is known of a request before its answer.
struct Start {
    at: Option<Timestamp>,
    shape: Option<Shape>,
    is_resumed: bool,
}

pub(super) fn read(bytes: &[u8]) -> Transcript {
    let words = (Word::new("\"assistant\""), Word::new("\"usage\""), Word::new("\"api-request"));
    let (compacted, costs) = (Word::new("\"compact_boundary\""), Word::new("\"cost-state\""));
    let mut transcript = Transcript::default();
    let mut starts: BTreeMap<String, Start> = BTreeMap::new();
    let mut shapes: BTreeMap<String, Shape> = BTreeMap::new();
    let mut known: BTreeMap<String, usize> = BTreeMap::new();
    let mut last: BTreeMap<String, usize> = BTreeMap::new();
    let mut is_compacted = false;
    for line in lines(bytes) {
        transcript.lines += 1;
        if words.0.is_in(line) && words.1.is_in(line) {
            let Some(said) = read_line::<Line<'_>>(line) else {
                transcript.unknown += 1;
                continue;
            };
            if said.r#type.0 != "assistant" {
                continue;
            }
            if transcript.project.is_none() {
                transcript.project = said.cwd.as_ref().map(Text::owned);
            }
            let Some(mut call) = call(&said) else { continue };
            let start = said.request_ref.as_ref().and_then(|id| starts.get(id.0.as_ref()));
            if let Some(start) = start {
                (call.at, call.shape) = (start.at.or(call.at), start.shape);
                call.since.resumed = start.is_resumed;
            }
            match known.get(&call.id) {
                Some(number) => {
                    let before = &mut transcript.calls[*number];
                    if sum([call.input, call.output]) > sum([before.input, before.output]) {
                        (before.input, before.read, before.write) = (call.input, call.read, call.write);
                        (before.long_write, before.output) = (call.long_write, call.output);
                    }
                }
                None => {
                    call.before = last.get(&call.chain).copied();
                    call.since.compacted = std::mem::take(&mut is_compacted);
                    call.since.resumed &= call.before.is_some();
                    let number = transcript.calls.len();
                    known.insert(call.id.clone(), number);
                    last.insert(call.chain.clone(), number);
                    transcript.calls.push(call);
                }
            }
        } else if words.2.is_in(line) {
            note(line, &mut shapes, &mut starts);
        } else if compacted.is_in(line) {
            is_compacted = true;
        } else if costs.is_in(line) {
            transcript.own_total = total(line).or(transcript.own_total);
        } else if line.trim_ascii().first() != Some(&b'{') {
            transcript.unknown += 1;
        }
    }
    transcript
}

fn call(line: &Line<'_>) -> Option<Call> {
    let message = line.message.as_ref()?;
    let usage = message.usage.as_ref()?;
    let text = |text: &Option<Text<'_>>| text.as_ref().map(Text::owned).unwrap_or_default();
    let (read, write) = (usage.cache_read_input_tokens, usage.cache_creation_input_tokens);
    let model = text(&message.model);
    // What the program says in the model's place was no request.
    if model == "<synthetic>" {
        return None;
    }
    let agent = line.agent_id.as_ref().map(Text::owned);
    let is_subagent = agent.is_some() || line.is_sidechain;
    Some(Call {
        id: format!("{}/{}", text(&message.id), text(&line.request_id)),
        chain: agent.unwrap_or_else(|| format!("{}{}", text(&line.session_id), if is_subagent { "/side" } else { "" })),
        before: None,
        at: time(line.timestamp.as_ref()),
        model,
        input: sum([usage.input_tokens, read.unwrap_or(0), write.unwrap_or(0)]),
        read,
        write,
        long_write: usage.cache_creation.as_ref().map_or(0, |one| one.ephemeral_1h_input_tokens),
        output: usage.output_tokens,
        lifetime: line.prompt_cache_requested.as_ref().and_then(|asked| seconds(&asked.0)),
        version: line.version.as_ref().map(Text::owned),
        shape: None,
        since: Since::default(),
        is_subagent,
        said: message.diagnostics.as_ref().and_then(|said| Said::of_anthropic(said.get("cache_miss_reason"))),
    })
}

/// Remembers a request that was written down, or the shape of several.
fn note(line: &[u8], shapes: &mut BTreeMap<String, Shape>, starts: &mut BTreeMap<String, Start>) {
    if memchr::memmem::find(line, b"\"api-request-shape\"").is_some() {
        let Ok(json) = Json::parse(line) else { return };
        let Some(name) = json.get("shapeHash").text() else { return };
        let of = |key: &str| json.get("shape").get(key).printed();
        let (tools, system) = (of("tools"), of("system"));
        let shape = Shape { tools: hash(&tools), system: hash(&system), tools_bytes: tools.len() };
        shapes.insert(name.to_owned(), shape);
    } else if memchr::memmem::find(line, b"\"api-request-blob\"").is_none()
        && let Some(sent) = read_line::<Sent<'_>>(line)
        && let Some(id) = sent.id
    {
        let shape = sent.shape_hash.as_ref().and_then(|hash| shapes.get(hash.0.as_ref())).copied();
        // A new process has nothing to begin from, and says all of it again.
        let start = Start { at: time(sent.timestamp.as_ref()), shape, is_resumed: sent.base.is_none() };
        starts.insert(id.owned(), start);
    }
}

/// The total of the agent's own books, in micro-dollars.
fn total(line: &[u8]) -> Option<u128> {
    let value: Value = read_line(line)?;
    let within = ["costState", "state", "cost"].iter().filter_map(|key| value.get(key)).chain([&value]);
    let keys = ["totalCostUSD", "total_cost_usd", "totalCostUsd", "costUSD"];
    let found = within.flat_map(|one| keys.iter().filter_map(|key| one.get(key)?.as_f64())).next()?;
    (0.0..1e9).contains(&found).then(|| (found * 1e6).round() as u128)
}
