//! Copilot's events: one `session.usage_record` a request.

use serde_json::Value;

use super::line::{Word, lines, read as read_line, sum};
use super::{Call, Since, Transcript};

pub(super) fn read(name: &str, bytes: &[u8]) -> Transcript {
    let wanted = ["\"session.usage_record\"", "\"session.start\"", "\"session.compaction"].map(Word::new);
    let session = name.rsplit('/').nth(1).unwrap_or(name).to_owned();
    let mut transcript = Transcript::default();
    let mut is_compacted = false;
    for line in lines(bytes) {
        transcript.lines += 1;
        if !wanted.iter().any(|word| word.is_in(line)) {
            transcript.unknown += usize::from(line.trim_ascii().first() != Some(&b'{'));
            continue;
        }
        let Some(event) = read_line::<Value>(line) else {
            transcript.unknown += 1;
            continue;
        };
        let data = event.get("data").unwrap_or(&event);
        let text = |keys: &[&str]| keys.iter().find_map(|key| data.get(key)?.as_str());
        match event["type"].as_str() {
            Some("session.start") => {
                let cwd = data.get("context").and_then(|context| context["cwd"].as_str()).or(text(&["cwd"]));
                transcript.project = cwd.map(str::to_owned).or(transcript.project.take());
            }
            Some("session.usage_record") => {
                let usage = data.get("usage").unwrap_or(data);
                let count = |keys: &[&str]| {
                    keys.iter().find_map(|key| usage.get(key)?.as_u64()).and_then(|n| usize::try_from(n).ok())
                };
                let read = count(&["cacheReadTokens", "cache_read_tokens", "cacheRead"]);
                let write = count(&["cacheWriteTokens", "cache_write_tokens", "cacheWrite"]);
                let Some(input) = count(&["inputTokens", "input_tokens", "input"]) else {
                    transcript.unknown += 1;
                    continue;
                };
                let number = transcript.calls.len();
                transcript.calls.push(Call {
                    id: event["id"].as_str().map_or_else(|| format!("{session}#{number}"), str::to_owned),
                    chain: session.clone(),
                    before: number.checked_sub(1),
                    at: event["timestamp"].as_str().and_then(|at| at.parse().ok()),
                    model: text(&["model", "modelId"]).unwrap_or_default().to_owned(),
                    // What was read and written is a part of it.
                    input: input.max(sum([read.unwrap_or(0), write.unwrap_or(0)])),
                    read,
                    write,
                    output: count(&["outputTokens", "output_tokens", "output"]).unwrap_or(0),
                    since: Since { compacted: std::mem::take(&mut is_compacted), resumed: false },
                    is_subagent: text(&["initiator"]) == Some("sub-agent"),
                    ..Call::default()
                });
            }
            Some(kind) if kind.starts_with("session.compaction") => is_compacted = true,
            _ => {}
        }
    }
    transcript
}
