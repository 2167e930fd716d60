//! The JSON documents that the program prints and the server answers, read into an outcome.

use serde_json::Value;

use crate::outcome::{Seen, line, live};

impl Seen {
    /// A turn, a renewal, a compaction or a drift. What a document does not have is not told.
    pub(crate) fn of_document(document: &Value) -> Seen {
        let is_turn = document.get("suffix").is_some();
        let text = |name: &str| document.get(name).and_then(Value::as_str).map(str::to_owned);
        let lines = |name: &str, line: fn(&Value) -> String| list(document, name, line);
        // A list that is empty may be left out.
        let or_none =
            |lines: Option<Vec<String>>| lines.or_else(|| (is_turn || document["epoch"].is_object()).then(Vec::new));
        let queued = lines("messages", |message| str_of(message, "text"));
        let amendments = lines("amendments", |one| {
            line(&[&str_of(one, "kind"), &str_of(one, "section"), or(one, "file", "no file"), &str_of(one, "text")])
        });
        Seen {
            epoch: document.get("epoch").filter(|epoch| epoch.is_object()).map(of_epoch),
            began: document.get("began").and_then(Value::as_bool),
            prefix: text("prefix"),
            amendments,
            suffix: text("suffix"),
            told: is_turn.then(|| told(document)),
            queued,
            pending: lines("pending", change),
            changes: lines("changes", change),
            hooks: or_none(lines("hooks", hook)).filter(|_| document.get("difference").is_none()),
            fragment: document.get("fragment").map(sorted),
            append: document.get("append").map(sorted),
            summary: text("prompt"),
            difference: document.get("difference").filter(|one| one.is_object()).map(of_difference),
            diagnostics: lines("diagnostics", of_finding),
            ..Seen::default()
        }
    }
}

/// An epoch in one line.
pub(crate) fn epoch(number: u64, cause: &str, degraded: bool, gaps: impl Iterator<Item = String>) -> String {
    let gaps: Vec<String> = gaps.collect();
    match degraded {
        true => format!("{number} {cause}, degraded: {}", gaps.join(", ")),
        false => format!("{number} {cause}"),
    }
}

/// Where two prefixes part, in one line.
pub(crate) fn difference(kind: &str, at: usize, kept: usize, lost: usize) -> String {
    format!("{kind} at byte {at}: {kept} bytes stay, {lost} are billed anew")
}

/// A finding in one line.
pub(crate) fn finding(code: &str, level: &str, message: &str, origin: &str, hint: Option<&str>) -> String {
    line(&[code, level, message, origin.trim_end(), hint.unwrap_or("no hint")])
}

/// A value as text, with the keys of every object in order.
pub(crate) fn sorted(value: &Value) -> String {
    match value {
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_unstable_by_key(|(name, _)| *name);
            let members =
                members.into_iter().map(|(name, value)| format!("{}:{}", Value::from(name.as_str()), sorted(value)));
            format!("{{{}}}", members.collect::<Vec<_>>().join(","))
        }
        Value::Array(values) => format!("[{}]", values.iter().map(sorted).collect::<Vec<_>>().join(",")),
        other => other.to_string(),
    }
}

/// Where in a text, as `{path}:{line}:{column}`, or what a finding is about.
pub(crate) fn origin(origin: &Value) -> String {
    match origin.get("line") {
        Some(line) => {
            let label = origin.get("path").or(origin.get("name")).and_then(Value::as_str).unwrap_or_default();
            format!("{label}:{line}:{}", origin["column"])
        }
        None => format!("{} {}", or(origin, "name", ""), or(origin, "path", "")),
    }
}

fn of_epoch(document: &Value) -> String {
    let gaps = document.get("gaps").and_then(Value::as_array).cloned().unwrap_or_default();
    let gaps = gaps.into_iter().map(|gap| format!("{} {}", str_of(&gap, "section"), str_of(&gap, "fact")));
    let degraded = document["degraded"].as_bool().unwrap_or_default();
    epoch(document["number"].as_u64().unwrap_or_default(), or(document, "cause", ""), degraded, gaps)
}

fn of_difference(document: &Value) -> String {
    let number = |name: &str| usize::try_from(document[name].as_u64().unwrap_or_default()).unwrap();
    difference(or(document, "kind", ""), number("at"), number("kept_bytes"), number("lost_bytes"))
}

fn of_finding(document: &Value) -> String {
    let place = document.get("origin").map(origin).unwrap_or_default();
    let hint = document.get("hint").and_then(Value::as_str);
    finding(or(document, "code", ""), or(document, "level", ""), or(document, "message", ""), &place, hint)
}

fn change(document: &Value) -> String {
    let text = |name: &str, otherwise: &'static str| or(document, name, otherwise).to_owned();
    line(&[&text("kind", ""), &text("section", "-"), &text("origin", ""), &text("detail", "")])
}

fn hook(document: &Value) -> String {
    let bytes = document["bytes"].to_string();
    line(&[or(document, "hook", ""), or(document, "on", ""), or(document, "did", ""), &bytes])
}

/// What goes with a turn besides its prefix.
fn told(document: &Value) -> Vec<String> {
    let all = |name: &str| document.get(name).and_then(Value::as_array).cloned().unwrap_or_default();
    let fresh = all("amendments").into_iter().filter(|one| one["fresh"] == true).map(|one| str_of(&one, "text"));
    let queued = all("messages").into_iter().map(|message| str_of(&message, "text"));
    let added = all("added").into_iter().map(|added| str_of(&added["message"], "content"));
    fresh.chain(queued).chain(added).chain(live(or(document, "suffix", ""))).collect()
}

fn list(document: &Value, name: &str, line: fn(&Value) -> String) -> Option<Vec<String>> {
    document.get(name).and_then(Value::as_array).map(|entries| entries.iter().map(line).collect())
}

fn str_of(document: &Value, name: &str) -> String {
    or(document, name, "").to_owned()
}

fn or<'v>(document: &'v Value, name: &str, otherwise: &'v str) -> &'v str {
    document.get(name).and_then(Value::as_str).unwrap_or(otherwise)
}
