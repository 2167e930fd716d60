//! Qwen Code's lines: answers with Gemini's figures.

use serde::Deserialize;

use super::line::{Text, Word, lines, read as read_line, sum, time};
use super::{Call, Transcript};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Line<'l> {
    #[serde(borrow)]
    r#type: Option<Text<'l>>,
    #[serde(borrow)]
    uuid: Option<Text<'l>>,
    #[serde(borrow)]
    session_id: Option<Text<'l>>,
    #[serde(borrow)]
    timestamp: Option<Text<'l>>,
    #[serde(borrow)]
    cwd: Option<Text<'l>>,
    #[serde(borrow)]
    version: Option<Text<'l>>,
    #[serde(borrow)]
    model: Option<Text<'l>>,
    usage_metadata: Option<Usage>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Usage {
    #[serde(default)]
    prompt_token_count: usize,
    cached_content_token_count: Option<usize>,
    #[serde(default)]
    candidates_token_count: usize,
    #[serde(default)]
    thoughts_token_count: usize,
}

pub(super) fn read(bytes: &[u8]) -> Transcript {
    let wanted = Word::new("\"usageMetadata\"");
    let mut transcript = Transcript::default();
    for line in lines(bytes) {
        transcript.lines += 1;
        if !wanted.is_in(line) {
            transcript.unknown += usize::from(line.trim_ascii().first() != Some(&b'{'));
            continue;
        }
        let Some(said) = read_line::<Line<'_>>(line) else {
            transcript.unknown += 1;
            continue;
        };
        let Some(usage) =
            said.usage_metadata.filter(|_| said.r#type.as_ref().is_some_and(|kind| kind.0 == "assistant"))
        else {
            continue;
        };
        let number = transcript.calls.len();
        let text = |text: &Option<Text<'_>>| text.as_ref().map(Text::owned);
        transcript.project = transcript.project.take().or_else(|| text(&said.cwd));
        let session = text(&said.session_id).unwrap_or_default();
        transcript.calls.push(Call {
            id: text(&said.uuid).unwrap_or_else(|| format!("{session}#{number}")),
            chain: session,
            before: number.checked_sub(1),
            at: time(said.timestamp.as_ref()),
            model: text(&said.model).unwrap_or_default(),
            input: usage.prompt_token_count,
            read: Some(usage.cached_content_token_count.unwrap_or(0)),
            output: sum([usage.candidates_token_count, usage.thoughts_token_count]),
            version: text(&said.version),
            ..Call::default()
        });
    }
    transcript
}
