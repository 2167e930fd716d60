//! What an answer says about its bill, read as it streams.
//!
//! 1. Bytes are handed over as they come, in pieces of any size: events of a stream, lines of JSON, or one document.
//! 2. Figures are cumulative, so the last one counts. They are kept from the first event on: an answer that breaks off was billed as well.
//! 3. No more than one line is kept, and a line that is too long is skipped and counted. Whatever a provider sends, memory is bounded.

use super::usage::Usage;
use crate::deliver::Target;

/// The longest line, or document, that is read, in bytes. Lines with figures have a few hundred; a document may have a long answer in it.
const LONGEST: usize = 4 * 1024 * 1024;

/// Words that only lines with figures have.
const WORDS: [&[u8]; 3] = [b"\"usage\"", b"\"usageMetadata\"", b"\"prompt_eval_count\""];

/// Reads an answer for its bill.
///
/// ```
/// use antefix::observe::AnswerReader;
///
/// let mut reader = AnswerReader::new(None);
/// for piece in ["event: message_start\ndata: {\"message\": {\"usage\": {\"input_tokens\": 3, ",
///     "\"cache_read_input_tokens\": 900}}}\n\n", "data: {\"type\": \"message_delta\", \"usage\": {\"output_tokens\": 40}}\n"] {
///     reader.push(piece.as_bytes());
/// }
/// let usage = reader.finish().usage.unwrap();
/// assert_eq!((usage.input, usage.read, usage.output), (Some(903), Some(900), Some(40)));
/// ```
#[derive(Debug, Default)]
pub struct AnswerReader {
    target: Option<Target>,
    line: Vec<u8>,
    is_skipped: bool,
    /// What came before this line, for a document of several lines.
    document: Vec<u8>,
    is_stream: bool,
    answer: AnswerSeen,
}

/// What was seen of an answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AnswerSeen {
    /// What was billed; none if the answer does not say.
    pub usage: Option<Usage>,
    /// The id that the provider gave it.
    pub id: Option<String>,
    /// How many lines were too long to be read.
    pub skipped: usize,
}

impl AnswerReader {
    /// `target` is whose answer it is, if that is known.
    pub fn new(target: Option<Target>) -> AnswerReader {
        AnswerReader { target, ..AnswerReader::default() }
    }

    /// Takes the next bytes of the answer.
    pub fn push(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while let Some(end) = memchr::memchr(b'\n', rest) {
            self.take(&rest[..end]);
            self.end_line();
            rest = &rest[end + 1..];
        }
        self.take(rest);
    }

    /// What was seen, whether or not the answer was complete.
    pub fn finish(mut self) -> AnswerSeen {
        self.end_line();
        if !self.is_stream {
            let document = std::mem::take(&mut self.document);
            self.read(&document);
        }
        self.answer
    }

    fn take(&mut self, bytes: &[u8]) {
        if self.line.len() + bytes.len() > LONGEST {
            (self.is_skipped, self.line) = (true, Vec::new());
        } else if !self.is_skipped {
            self.line.extend_from_slice(bytes);
        }
    }

    fn end_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        if std::mem::take(&mut self.is_skipped) {
            self.answer.skipped += 1;
            return;
        }
        let said = line.strip_prefix(b"data:".as_slice());
        self.is_stream |= said.is_some() || line.starts_with(b"event:");
        if self.is_stream {
            self.document = Vec::new();
            self.read(said.unwrap_or_default());
        } else if self.document.len() + line.len() < LONGEST {
            self.document.extend_from_slice(&line);
            self.document.push(b'\n');
        } else {
            self.answer.skipped += 1;
        }
        // Most lines of a stream are short: what a long one took is not kept.
        if line.capacity() <= 64 * 1024 {
            self.line = line;
            self.line.clear();
        }
    }

    /// Reads a document for its figures; what is none says nothing.
    fn read(&mut self, document: &[u8]) {
        if !WORDS.iter().any(|word| memchr::memmem::find(document, word).is_some()) {
            return;
        }
        let Ok(text) = std::str::from_utf8(document) else { return };
        self.answer.id = self.answer.id.take().or_else(|| id(text));
        if let Ok(usage) = Usage::parse(text, self.target).or_else(|_| Usage::parse_output(text)) {
            self.answer.usage = Some(match self.answer.usage.take() {
                Some(before) => before.overwritten_by(usage),
                None => usage,
            });
        }
    }
}

/// The id of a message or a response.
fn id(text: &str) -> Option<String> {
    let value: serde_json::Value = serde_json::from_str(text).ok()?;
    let of = |value: &serde_json::Value| value.get("id")?.as_str().filter(|id| id.len() <= 200).map(str::to_owned);
    [value.get("message"), value.get("response"), Some(&value)].into_iter().flatten().find_map(of)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pieces: &[&str]) -> AnswerSeen {
        let mut reader = AnswerReader::new(None);
        pieces.iter().for_each(|piece| reader.push(piece.as_bytes()));
        reader.finish()
    }

    #[test]
    fn figures_of_every_provider_are_found_however_the_answer_is_cut() {
        let anthropic = "event: message_start\r\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"msg_1\",\"usage\":{\"input_tokens\":3,\"cache_read_input_tokens\":900,\"cache_creation_input_tokens\":10,\"output_tokens\":1},\"diagnostics\":{\"cache_miss_reason\":{\"type\":\"model_changed\"}}}}\r\n\r\nevent: ping\r\ndata: {}\r\n\r\ndata: {\"type\":\"message_delta\",\"usage\":{\"output_tokens\":40}}\r\n";
        let responses = "event: response.completed\ndata: {\"type\":\"response.completed\",\"response\":{\"id\":\"resp_1\",\"usage\":{\"input_tokens\":913,\"input_tokens_details\":{\"cached_tokens\":900},\"output_tokens\":40,\"total_tokens\":953}}}\n";
        let chat = "data: {\"id\":\"c\",\"choices\":[{}],\"usage\":null}\n\ndata: {\"id\":\"c\",\"choices\":[],\"usage\":{\"prompt_tokens\":913,\"completion_tokens\":40,\"prompt_tokens_details\":{\"cached_tokens\":900}}}\n\ndata: [DONE]\n";
        let gemini = "data: {\"usageMetadata\":{\"promptTokenCount\":913}}\n\ndata: {\"usageMetadata\":{\"promptTokenCount\":913,\"cachedContentTokenCount\":900,\"candidatesTokenCount\":30,\"thoughtsTokenCount\":10}}\n";
        let whole = "{\n  \"id\": \"msg_1\",\n  \"usage\": {\"input_tokens\": 13, \"cache_read_input_tokens\": 900, \"output_tokens\": 40}\n}";
        for text in [anthropic, responses, chat, gemini, whole] {
            for size in [1, 7, 4096] {
                let pieces: Vec<&str> =
                    (0..text.len()).step_by(size).map(|at| &text[at..text.len().min(at + size)]).collect();
                let usage = read(&pieces).usage.unwrap();
                assert_eq!((usage.input, usage.read, usage.output), (Some(913), Some(900), Some(40)), "{text}");
            }
        }
        let seen = read(&[anthropic]);
        assert_eq!(seen.id.as_deref(), Some("msg_1"));
        assert!(seen.usage.unwrap().said.is_some(), "what the provider says stays");
    }

    #[test]
    fn an_answer_that_breaks_off_was_billed_as_well() {
        let seen = read(&[
            "data: {\"message\":{\"usage\":{\"input_tokens\":3,\"cache_creation_input_tokens\":11800}}}\n\ndata: {\"delta\":",
        ]);
        assert_eq!(seen.usage.unwrap().write, Some(11_800));
    }

    #[test]
    fn a_line_without_an_end_takes_no_memory() {
        let mut reader = AnswerReader::new(None);
        let piece = vec![b'x'; 1024 * 1024];
        for _ in 0..100 {
            reader.push(&piece);
            assert!(reader.line.capacity() <= LONGEST + piece.len());
        }
        reader.push(b"\ndata: {\"usageMetadata\":{\"promptTokenCount\":5}}\n");
        let seen = reader.finish();
        assert_eq!((seen.skipped, seen.usage.unwrap().input), (1, Some(5)));
    }
}
