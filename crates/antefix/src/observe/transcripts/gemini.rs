//! Gemini CLI's logs of patches.
//!
//! 1. A message is written again when the results of its tools arrive: the same id counts once.
//! 2. On resume `$set.messages` writes earlier answers again without their figures: those are taken from the line that had them.
//! 3. A list of messages that shrinks is all that shows a compression. Where the agent worked is not in the file.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::line::{Text, Word, lines, read as read_line, sum, time};
use super::{Call, Transcript};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Line<'l> {
    #[serde(borrow)]
    id: Option<Text<'l>>,
    #[serde(borrow)]
    timestamp: Option<Text<'l>>,
    #[serde(borrow)]
    model: Option<Text<'l>>,
    tokens: Option<Tokens>,
    #[serde(borrow)]
    session_id: Option<Text<'l>>,
    #[serde(borrow)]
    kind: Option<Text<'l>>,
    #[serde(rename = "$set")]
    set: Option<Set>,
}

#[derive(Deserialize)]
struct Set {
    messages: Option<Vec<IgnoredAny>>,
}

#[derive(Deserialize)]
struct Tokens {
    #[serde(default)]
    input: usize,
    #[serde(default)]
    output: usize,
    cached: Option<usize>,
    #[serde(default)]
    thoughts: usize,
}

pub(super) fn read(bytes: &[u8]) -> Transcript {
    let wanted = ["\"tokens\"", "\"$set\"", "\"sessionId\""].map(Word::new);
    let mut transcript = Transcript::default();
    let mut known: BTreeMap<String, usize> = BTreeMap::new();
    let (mut session, mut is_subagent, mut messages, mut is_compacted) = (String::new(), false, 0, false);
    for line in lines(bytes) {
        transcript.lines += 1;
        if !wanted.iter().any(|word| word.is_in(line)) {
            transcript.unknown += usize::from(line.trim_ascii().first() != Some(&b'{'));
            messages += 1;
            continue;
        }
        let Some(said) = read_line::<Line<'_>>(line) else {
            transcript.unknown += 1;
            continue;
        };
        if let Some(id) = &said.session_id {
            session = id.owned();
            is_subagent = said.kind.as_ref().is_some_and(|kind| kind.0 == "subagent");
        }
        if let Some(list) = said.set.and_then(|set| set.messages) {
            is_compacted |= list.len() < messages;
            messages = list.len();
        }
        let (Some(tokens), Some(id)) = (said.tokens, said.id) else { continue };
        messages += 1;
        let id = format!("{session}/{}", id.0);
        if known.contains_key(&id) {
            continue;
        }
        let number = transcript.calls.len();
        known.insert(id.clone(), number);
        transcript.calls.push(Call {
            id,
            chain: session.clone(),
            before: number.checked_sub(1),
            at: time(said.timestamp.as_ref()),
            model: said.model.as_ref().map(Text::owned).unwrap_or_default(),
            input: tokens.input,
            read: Some(tokens.cached.unwrap_or(0)),
            output: sum([tokens.output, tokens.thoughts]),
            since: super::Since { compacted: std::mem::take(&mut is_compacted), resumed: false },
            is_subagent,
            ..Call::default()
        });
    }
    transcript
}
