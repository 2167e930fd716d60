//! Exchanges that somebody recorded: HAR files of browsers and proxies, and reports of antefix.
//!
//! 1. An entry whose body is no request of a provider that is known is left out, and counted.
//! 2. Only what is needed of the headers is read: betas, and ids of threads. Keys are never looked at.

use jiff::{SignedDuration, Timestamp};

use super::answer::AnswerReader;
use super::exchange::{Exchange, RequestKind, Sender};
use super::sent::{Json, SentRequest};
use crate::error::{Error, ErrorKind, Result};

/// What was recorded.
#[derive(Debug, Default)]
pub struct Recording {
    /// The exchanges, in the order in which they were sent.
    pub exchanges: Vec<Recorded>,
    /// How many entries are no request of a provider that is known.
    pub others: usize,
}

/// An exchange that was recorded.
#[derive(Debug)]
pub struct Recorded {
    /// The exchange.
    pub exchange: Exchange,
    /// Who sent it.
    pub sender: Sender,
    /// What for.
    pub kind: RequestKind,
}

impl Recording {
    /// Reads a HAR file, or a report: a JSON object with `exchanges`, each with `request`, and optionally `at`, `headers`, `agent`, and
    /// `response` or `usage`.
    pub fn parse(bytes: &[u8]) -> Result<Recording> {
        let wrong = |message: String| {
            let hint = "give a HAR file, a report of antefix, or the bodies of two requests";
            Error::new(ErrorKind::Input, message).with_hint(hint)
        };
        let json = Json::parse(bytes).map_err(|why| wrong(format!("the recording is not JSON: {why}")))?;
        let har = json.get("log").get("entries");
        let (entries, read): (&Json, fn(&Json) -> Option<Recorded>) = match har {
            Json::List(_) => (har, of_har),
            _ => (json.get("exchanges"), of_report),
        };
        if !matches!(entries, Json::List(_)) {
            return Err(wrong("the recording has neither `log.entries` nor `exchanges`".to_owned()));
        }
        let mut recording = Recording::default();
        for entry in entries.list() {
            match read(entry) {
                Some(recorded) => recording.exchanges.push(recorded),
                None => recording.others += 1,
            }
        }
        recording.exchanges.sort_by_key(|recorded| recorded.exchange.at);
        Ok(recording)
    }
}

fn of_har(entry: &Json) -> Option<Recorded> {
    let request = entry.get("request");
    let headers: Vec<(&str, &str)> = request
        .get("headers")
        .list()
        .iter()
        .filter_map(|header| Some((header.get("name").text()?, header.get("value").text()?)))
        .collect();
    // A count of tokens is billed nothing, and caches nothing.
    if request.get("url").text().is_some_and(|url| url.contains("count_tokens") || url.contains(":countTokens")) {
        return None;
    }
    let mut sent = SentRequest::parse(request.get("postData").get("text").text()?.as_bytes(), None).ok()?;
    if sent.model.is_none() {
        sent.model = request.get("url").text().and_then(model_of).map(str::to_owned);
    }
    let at: Option<Timestamp> = entry.get("startedDateTime").text().and_then(|at| at.parse().ok());
    let wait = match entry.get("timings").get("wait") {
        Json::Number(wait) => wait.as_f64().filter(|wait| (0.0..1e9).contains(wait)),
        _ => None,
    };
    let answered = at.zip(wait).and_then(|(at, wait)| at.checked_add(SignedDuration::from_millis(wait as i64)).ok());
    let content = entry.get("response").get("content");
    let answer = content.get("text").text().filter(|_| content.get("encoding").text() != Some("base64"));
    Some(recorded(sent, (at, answered), &headers, None, answer))
}

fn of_report(entry: &Json) -> Option<Recorded> {
    let sent = SentRequest::read(entry.get("request"), None).ok()?;
    let members = entry.get("headers").members().iter();
    let headers: Vec<(&str, &str)> = members.filter_map(|(name, value)| Some((name.as_str(), value.text()?))).collect();
    let time = |key: &str| entry.get(key).text().and_then(|at| at.parse().ok());
    let answer = ["response", "usage"].iter().map(|key| entry.get(key)).find(|value| **value != Json::Null);
    let answer = answer.map(|value| match value {
        Json::Text(text) => text.clone(),
        other => {
            format!("{{\"usage\":{}}}", if other.has("usage") { other.get("usage").printed() } else { other.printed() })
        }
    });
    Some(recorded(sent, (time("at"), time("answered")), &headers, entry.get("agent").text(), answer.as_deref()))
}

fn recorded(
    mut sent: SentRequest,
    (at, answered): (Option<Timestamp>, Option<Timestamp>),
    headers: &[(&str, &str)],
    agent: Option<&str>,
    answer: Option<&str>,
) -> Recorded {
    let sender = Sender::of(agent, headers.iter().copied(), &sent);
    let kind = RequestKind::of(&sent);
    for (_, betas) in headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case("anthropic-beta")) {
        sent = sent.with_betas(betas);
    }
    let mut reader = AnswerReader::new(Some(sent.target));
    reader.push(answer.unwrap_or_default().as_bytes());
    let usage = reader.finish().usage;
    Recorded { exchange: Exchange { request: sent, at, answered, usage, in_last_minute: None }, sender, kind }
}

/// The model in an address of Gemini's: `…/models/gemini-3.8-flash:streamGenerateContent`.
fn model_of(url: &str) -> Option<&str> {
    let (_, rest) = url.split_once("/models/")?;
    rest.split([':', '?', '/']).next().filter(|model| !model.is_empty())
}
