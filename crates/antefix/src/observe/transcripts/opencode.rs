//! opencode's rows: one assistant message is one request. `input` leaves out what was cached.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::line::{Text, millis, read as read_line, sum};
use super::{Call, Transcript};

/// A row of its table of messages, with what the session says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenCodeRow {
    /// The id of the message.
    pub id: String,
    /// The session.
    pub session: String,
    /// The session that began this one, if a subagent works in it.
    pub parent: Option<String>,
    /// Where it works.
    pub directory: Option<String>,
    /// The version of the agent.
    pub version: Option<String>,
    /// The message, as JSON.
    pub data: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Message<'l> {
    #[serde(borrow)]
    role: Option<Text<'l>>,
    #[serde(rename = "modelID", borrow)]
    model: Option<Text<'l>>,
    tokens: Option<Tokens>,
    time: Option<Time>,
    #[serde(default)]
    summary: bool,
}

#[derive(Deserialize)]
struct Tokens {
    #[serde(default)]
    input: usize,
    #[serde(default)]
    output: usize,
    #[serde(default)]
    reasoning: usize,
    cache: Option<Cache>,
}

#[derive(Deserialize)]
struct Cache {
    read: Option<usize>,
    write: Option<usize>,
}

#[derive(Deserialize)]
struct Time {
    created: Option<i64>,
}

impl OpenCodeRow {
    /// Reads rows in the order in which the messages were made; one transcript a directory.
    pub fn read(rows: &[OpenCodeRow]) -> Vec<Transcript> {
        let mut found: BTreeMap<Option<&str>, Transcript> = BTreeMap::new();
        let mut last: BTreeMap<&str, usize> = BTreeMap::new();
        let mut compacted: BTreeMap<&str, bool> = BTreeMap::new();
        for row in rows {
            let transcript = found
                .entry(row.directory.as_deref())
                .or_insert_with(|| Transcript { project: row.directory.clone(), ..Transcript::default() });
            transcript.lines += 1;
            let Some(message) = read_line::<Message<'_>>(row.data.as_bytes()) else {
                transcript.unknown += 1;
                continue;
            };
            let is_answer = message.role.as_ref().is_some_and(|role| role.0 == "assistant");
            let Some(tokens) = message.tokens.filter(|_| is_answer) else { continue };
            let (read, write) = tokens.cache.map_or((None, None), |cache| (cache.read, cache.write));
            let number = transcript.calls.len();
            transcript.calls.push(Call {
                id: row.id.clone(),
                chain: row.session.clone(),
                before: last.insert(&row.session, number),
                at: millis(message.time.and_then(|time| time.created)),
                model: message.model.as_ref().map(Text::owned).unwrap_or_default(),
                input: sum([tokens.input, read.unwrap_or(0), write.unwrap_or(0)]),
                read,
                write,
                output: sum([tokens.output, tokens.reasoning]),
                version: row.version.clone(),
                since: super::Since {
                    compacted: compacted.remove(row.session.as_str()).unwrap_or(false),
                    resumed: false,
                },
                is_subagent: row.parent.is_some(),
                ..Call::default()
            });
            if message.summary {
                compacted.insert(&row.session, true);
            }
        }
        found.into_values().map(Transcript::bounded).collect()
    }
}
