//! Codex' rollouts.
//!
//! 1. A `token_usage_record` is one response. `token_count` events repeat: without records, a request is where the total grows.
//! 2. A subagent's file begins with a copy of its parent's `session_meta`: the first one counts.
//! 3. `input_tokens` has what was cached in it.

use std::collections::BTreeSet;

use serde::Deserialize;

use super::line::{Text, Word, lines, read as read_line, time};
use super::{Call, Transcript};

#[derive(Deserialize)]
struct Line<'l> {
    #[serde(borrow)]
    timestamp: Option<Text<'l>>,
    #[serde(borrow)]
    r#type: Text<'l>,
    #[serde(borrow)]
    payload: Payload<'l>,
}

#[derive(Deserialize)]
struct Payload<'l> {
    #[serde(borrow)]
    r#type: Option<Text<'l>>,
    #[serde(borrow)]
    id: Option<Text<'l>>,
    #[serde(borrow)]
    cwd: Option<Text<'l>>,
    #[serde(borrow)]
    cli_version: Option<Text<'l>>,
    #[serde(borrow)]
    parent_thread_id: Option<Text<'l>>,
    #[serde(borrow)]
    model: Option<Text<'l>>,
    #[serde(borrow)]
    response_id: Option<Text<'l>>,
    usage: Option<Usage>,
    info: Option<Counted>,
}

#[derive(Deserialize)]
struct Counted {
    total_token_usage: Option<Usage>,
    last_token_usage: Option<Usage>,
}

#[derive(Deserialize, Default, Clone, Copy, PartialEq)]
struct Usage {
    #[serde(default)]
    input_tokens: usize,
    #[serde(default)]
    cached_input_tokens: usize,
    cache_write_input_tokens: Option<usize>,
    #[serde(default)]
    output_tokens: usize,
}

pub(super) fn read(bytes: &[u8]) -> Transcript {
    let wanted = ["\"token_usage_record\"", "\"token_count\"", "\"session_meta\"", "\"turn_context\"", "\"compacted\""];
    let wanted = wanted.map(Word::new);
    let mut transcript = Transcript::default();
    let (mut thread, mut model, mut version) = (String::new(), String::new(), None);
    let (mut is_known, mut is_subagent, mut is_compacted) = (false, false, false);
    let mut records: Vec<Call> = Vec::new();
    let mut totals: Vec<Call> = Vec::new();
    let mut seen: BTreeSet<String> = BTreeSet::new();
    let mut total = Usage::default();
    for line in lines(bytes) {
        transcript.lines += 1;
        if !wanted.iter().any(|word| word.is_in(line)) {
            transcript.unknown += usize::from(line.trim_ascii().first() != Some(&b'{'));
            continue;
        }
        let Some(Line { timestamp, r#type, payload }) = read_line::<Line<'_>>(line) else {
            // A line of another kind may quote one of the words.
            transcript.unknown += usize::from(read_line::<serde::de::IgnoredAny>(line).is_none());
            continue;
        };
        let made = |usage: Usage, id: String, compacted: bool, model: &str, version: &Option<String>| Call {
            id,
            chain: thread.clone(),
            at: time(timestamp.as_ref()),
            model: model.to_owned(),
            input: usage.input_tokens,
            read: Some(usage.cached_input_tokens),
            write: usage.cache_write_input_tokens,
            output: usage.output_tokens,
            version: version.clone(),
            since: super::Since { compacted, resumed: false },
            is_subagent,
            ..Call::default()
        };
        match (r#type.0.as_ref(), payload.r#type.as_ref().map(|kind| kind.0.as_ref())) {
            ("session_meta", _) if !is_known => {
                is_known = true;
                thread = payload.id.as_ref().map(Text::owned).unwrap_or_default();
                transcript.project = payload.cwd.as_ref().map(Text::owned);
                version = payload.cli_version.as_ref().map(Text::owned);
                is_subagent = payload.parent_thread_id.is_some();
            }
            ("turn_context", _) => {
                model = payload.model.as_ref().map(Text::owned).unwrap_or(model);
                transcript.project = transcript.project.take().or_else(|| payload.cwd.as_ref().map(Text::owned));
            }
            ("compacted", _) => is_compacted = true,
            ("token_usage_record", _) => {
                let id = payload
                    .response_id
                    .as_ref()
                    .map(Text::owned)
                    .unwrap_or_else(|| format!("{thread}#{}", transcript.lines));
                if let Some(usage) = payload.usage.filter(|_| seen.insert(id.clone())) {
                    records.push(made(usage, id, std::mem::take(&mut is_compacted), &model, &version));
                }
            }
            ("event_msg", Some("token_count")) => {
                let Some(Counted { total_token_usage: Some(now), last_token_usage }) = payload.info else { continue };
                if now != total && now.input_tokens > total.input_tokens {
                    let grown = Usage {
                        input_tokens: now.input_tokens - total.input_tokens,
                        cached_input_tokens: now.cached_input_tokens.saturating_sub(total.cached_input_tokens),
                        cache_write_input_tokens: last_token_usage.and_then(|last| last.cache_write_input_tokens),
                        output_tokens: now.output_tokens.saturating_sub(total.output_tokens),
                    };
                    let id = format!("{thread}#{}", now.input_tokens);
                    let compacted = records.is_empty() && std::mem::take(&mut is_compacted);
                    totals.push(made(grown, id, compacted, &model, &version));
                }
                total = now;
            }
            _ => {}
        }
    }
    let mut calls = if records.is_empty() { totals } else { records };
    for (number, call) in calls.iter_mut().enumerate() {
        call.before = number.checked_sub(1);
    }
    transcript.calls = calls;
    transcript
}
