//! Cline's documents: the messages of a session, each answer with its `metrics`.

use serde_json::Value;

use super::line::{millis, sum};
use super::{Call, Transcript};

pub(super) fn read(name: &str, bytes: &[u8]) -> Transcript {
    let session = name.rsplit('/').next().unwrap_or(name).to_owned();
    let mut transcript = Transcript { lines: 1, ..Transcript::default() };
    let Ok(document) = serde_json::from_slice::<Value>(bytes) else {
        transcript.unknown = 1;
        return transcript;
    };
    transcript.project = ["cwd", "workspace_root"].iter().find_map(|key| document[key].as_str()).map(str::to_owned);
    let messages = document["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
    transcript.lines = messages.len();
    for message in messages {
        let Some(metrics) = message.get("metrics").filter(|metrics| metrics.is_object()) else { continue };
        let tokens = metrics.get("tokens").unwrap_or(metrics);
        let count =
            |keys: &[&str]| keys.iter().find_map(|key| tokens.get(key)?.as_u64()).and_then(|n| usize::try_from(n).ok());
        let Some(fresh) = count(&["inputTokens", "prompt", "input", "tokensIn"]) else {
            transcript.unknown += 1;
            continue;
        };
        let read = count(&["cacheReadTokens", "cached", "cacheReads", "cacheRead"]);
        let write = count(&["cacheWriteTokens", "cacheWrites", "cacheWrite"]);
        let number = transcript.calls.len();
        let text = |key: &str| message.get(key).and_then(Value::as_str);
        let model = message.get("modelInfo").and_then(|info| info["id"].as_str()).or(text("model"));
        transcript.calls.push(Call {
            id: text("id").map_or_else(|| format!("{session}#{number}"), str::to_owned),
            chain: session.clone(),
            before: number.checked_sub(1),
            at: millis(message.get("ts").and_then(Value::as_i64)),
            model: model.or(document["model"].as_str()).unwrap_or_default().to_owned(),
            input: sum([fresh, read.unwrap_or(0), write.unwrap_or(0)]),
            read,
            write,
            output: count(&["outputTokens", "completion", "output", "tokensOut"]).unwrap_or(0),
            ..Call::default()
        });
    }
    transcript
}
