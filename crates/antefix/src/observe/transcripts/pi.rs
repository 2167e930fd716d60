//! pi's trees of entries.
//!
//! 1. An entry goes on where its parent ended: the request before is the nearest answer above it.
//! 2. A compaction has a bill of its own, and what follows it begins anew behind what is kept.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::line::{Text, lines, millis, read as read_line, sum, time};
use super::{Call, Since, Transcript};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Line<'l> {
    #[serde(borrow)]
    r#type: Text<'l>,
    #[serde(borrow)]
    id: Option<Text<'l>>,
    #[serde(borrow)]
    parent_id: Option<Text<'l>>,
    #[serde(borrow)]
    cwd: Option<Text<'l>>,
    #[serde(borrow)]
    timestamp: Option<Text<'l>>,
    #[serde(borrow)]
    message: Option<Message<'l>>,
    usage: Option<Usage>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Message<'l> {
    #[serde(borrow)]
    role: Option<Text<'l>>,
    #[serde(borrow)]
    model: Option<Text<'l>>,
    #[serde(borrow)]
    response_id: Option<Text<'l>>,
    usage: Option<Usage>,
    timestamp: Option<i64>,
}

#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "camelCase")]
struct Usage {
    #[serde(default)]
    input: usize,
    #[serde(default)]
    output: usize,
    cache_read: Option<usize>,
    cache_write: Option<usize>,
    #[serde(default)]
    cache_write1h: usize,
}

pub(super) fn read(bytes: &[u8]) -> Transcript {
    let mut transcript = Transcript::default();
    let (mut session, mut model) = (String::new(), String::new());
    // Of each entry, the last answer up to it, and whether a compaction came since.
    let mut nearest: BTreeMap<String, (Option<usize>, bool)> = BTreeMap::new();
    for line in lines(bytes) {
        transcript.lines += 1;
        let Some(said) = read_line::<Line<'_>>(line) else {
            transcript.unknown += 1;
            continue;
        };
        let id = said.id.as_ref().map(Text::owned).unwrap_or_default();
        let above = said.parent_id.as_ref().and_then(|parent| nearest.get(parent.0.as_ref())).copied();
        let (before, compacted) = above.unwrap_or_default();
        let kind = said.r#type.0.as_ref();
        if kind == "session" {
            transcript.project = said.cwd.as_ref().map(Text::owned);
            session.clone_from(&id);
        }
        let is_answer =
            said.message.as_ref().and_then(|one| one.role.as_ref()).is_some_and(|role| role.0 == "assistant");
        let of_message = said.message.as_ref().filter(|_| is_answer).and_then(|message| message.usage);
        let own = said.usage.filter(|_| matches!(kind, "compaction" | "branch_summary" | "usage"));
        let Some(usage) = of_message.or(own) else {
            nearest.insert(id, (before, compacted || kind == "compaction"));
            continue;
        };
        let message = said.message.as_ref();
        model = message.and_then(|message| message.model.as_ref()).map(Text::owned).unwrap_or(model);
        let response = message.and_then(|message| message.response_id.as_ref()).map(Text::owned);
        let number = transcript.calls.len();
        transcript.calls.push(Call {
            id: response.unwrap_or_else(|| format!("{session}/{id}")),
            // A summary is beside the conversation.
            chain: if of_message.is_some() { session.clone() } else { format!("{session}/{id}") },
            before: before.filter(|_| of_message.is_some()),
            at: millis(message.and_then(|message| message.timestamp)).or_else(|| time(said.timestamp.as_ref())),
            model: model.clone(),
            input: sum([usage.input, usage.cache_read.unwrap_or(0), usage.cache_write.unwrap_or(0)]),
            read: usage.cache_read,
            write: usage.cache_write,
            long_write: usage.cache_write1h,
            output: usage.output,
            since: Since { compacted, resumed: false },
            ..Call::default()
        });
        let next =
            if of_message.is_some() { (Some(number), false) } else { (before, compacted || kind == "compaction") };
        nearest.insert(id, next);
    }
    transcript
}
