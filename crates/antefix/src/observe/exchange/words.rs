//! Judgments as one paragraph.

use std::fmt;

use super::difference::{BlockChange, Change, ParameterChange, Side};
use super::{Judgment, MissCause};
use crate::observe::attribute::SentOrigin;
use crate::observe::{Outcome, Said};
use crate::text::grouped;

impl fmt::Display for Judgment {
    /// One paragraph.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut sentences = vec![self.happened()];
        sentences.extend(self.causes.iter().map(|cause| self.because(cause)));
        if !self.ruled_out.is_empty() {
            sentences.push(format!("ruled out: {}", self.ruled_out.join("; ")));
        }
        if let Some(lost) = self.lost {
            let verb = if self.outcome == Outcome::NotReported { "would be billed anew" } else { "were billed anew" };
            let about = if self.is_billed { "" } else { "about " };
            let cost = self.cost.map(|cost| format!(", {cost} more than reading them")).unwrap_or_default();
            sentences.push(format!("{about}{} tokens {verb}{cost}", grouped(lost)));
        }
        sentences.extend(self.said());
        f.write_str(&super::super::words::paragraph(&sentences))
    }
}

impl Judgment {
    fn happened(&self) -> String {
        let (read, expected) = (grouped(self.read.unwrap_or(0)), grouped(self.expected.unwrap_or(0)));
        match self.outcome {
            Outcome::NotReported if self.difference.is_none() => "this is the first request".to_owned(),
            Outcome::NotReported if self.lost.is_some() => "the cache would not be hit as it could be".to_owned(),
            Outcome::NotReported => "all that the request before cached would be read".to_owned(),
            Outcome::Written if self.difference.is_none() => {
                "this is the first request: nothing was to be read".to_owned()
            }
            Outcome::Written => "nothing was read from the cache, and nothing was to be".to_owned(),
            Outcome::Hit if self.difference.is_none() => format!("{read} tokens were read from the cache"),
            Outcome::Hit => {
                format!("the cache was hit: {read} tokens were read, of {expected} that were to be expected")
            }
            Outcome::Missed | Outcome::CannotTell => {
                format!("the cache was missed: nothing was read, of {expected} tokens that were to be expected")
            }
            Outcome::Part => {
                let upto =
                    self.survived.map(|part| format!(" (up to the end of the {})", part.name())).unwrap_or_default();
                format!("the cache was hit in part: {read} of {expected} tokens were read{upto}")
            }
        }
    }

    fn because(&self, cause: &MissCause) -> String {
        match cause {
            MissCause::Target => "the request before went elsewhere, or in another shape".to_owned(),
            MissCause::Model { before, now } => format!("the model is {now}, and was {before}: models share no cache"),
            MissCause::Parameter(change) => parameter(change),
            MissCause::Changed(change) => changed(change),
            MissCause::NoBreakpoint => "nothing in the request marks what is to be cached".to_owned(),
            MissCause::LookBack { appended, blocks } => format!(
                "{appended} blocks came since the last breakpoint that was written, and the provider looks back {blocks}: set one in the middle of a long turn"
            ),
            MissCause::Expired { elapsed, lifetime } => {
                format!("idle for {}: the lifetime of {} had run out", time(*elapsed), time(*lifetime))
            }
            MissCause::MayHaveExpired { lifetime: Some(lifetime) } => format!(
                "how much time has passed is not known: the lifetime of {} may have run out, or the provider let it go",
                time(*lifetime)
            ),
            MissCause::MayHaveExpired { lifetime: None } => {
                "no lifetime is promised: the provider let it go, or asked another machine".to_owned()
            }
            MissCause::TooEarly => "it was sent before the answer to the request before had begun, and only from then on can its cache be read".to_owned(),
            MissCause::Crowded { requests } => format!(
                "{requests} requests went by this cache key within a minute: above about 15 some of them go to other machines"
            ),
            MissCause::ProviderSide if self.unexplained > 0 && self.causes.len() > 1 => format!(
                "that does not explain {} tokens before it: provider side, nothing you did",
                grouped(self.unexplained)
            ),
            MissCause::ProviderSide => "provider side, nothing you did".to_owned(),
        }
    }

    /// What the provider itself says.
    fn said(&self) -> Option<String> {
        Some(match self.said.as_ref()? {
            Said::Hit => "the provider says `cache_hit`".to_owned(),
            Said::Miss { reason, missed } => {
                let missed = missed.map(|missed| format!(", {} tokens", grouped(missed))).unwrap_or_default();
                format!("the provider says `{reason}`{missed}")
            }
            Said::Unknown(word) => format!("the provider was asked to compare, and says `{word}`"),
        })
    }
}

fn parameter(change: &ParameterChange) -> String {
    let name = &change.name;
    match (change.before.as_deref(), change.now.as_deref()) {
        (Some(before), Some(now)) => {
            let (before, now) = (short(before), short(now));
            format!("`{name}` is {now}, and was {before}")
        }
        (None, now) => format!("`{name}` is new: {}", short(now.unwrap_or_default())),
        (Some(before), None) => format!("`{name}` is no longer there; it was {}", short(before)),
    }
}

fn changed(change: &BlockChange) -> String {
    let at = &change.pointer;
    let sides = sides(change.before.as_ref(), change.now.as_ref());
    match &change.what {
        Change::ToolAdded(name) => format!("the tool `{name}` came at {at}, and tools come before everything else"),
        Change::ToolRemoved(name) => format!("the tool `{name}` went, and tools come before everything else"),
        Change::ToolChanged(name) => {
            format!("the tool `{name}` has another definition from byte {} of {at} on{sides}", change.byte)
        }
        Change::ToolsReordered(name) => format!("the same tools are in another order from `{name}` at {at} on"),
        Change::System => format!("the system text differs from byte {} of {at} on{sides}", grouped(change.byte)),
        Change::History => format!("the conversation differs from byte {} of {at} on{sides}", grouped(change.byte)),
        Change::HistoryGone => format!("the conversation was compacted, rewound or cut from {at} on"),
    }
}

/// Who says what where two requests begin to differ.
fn sides(before: Option<&Side>, now: Option<&Side>) -> String {
    let own = |side: &&Side| !matches!(side.origin, SentOrigin::Agent | SentOrigin::Conversation);
    let named = now.filter(own).or(before.filter(own)).or(now).or(before);
    let origin = named.map(|side| format!(", in {}", side.origin)).unwrap_or_default();
    let said = |side: Option<&Side>| match side {
        Some(side) if !side.excerpt.is_empty() => format!("“{}”", short(&side.excerpt)),
        _ => "the end".to_owned(),
    };
    format!("{origin}: {} → {}", said(before), said(now))
}

/// A value that fits a sentence, on one line.
fn short(text: &str) -> String {
    let end = crate::text::floor_char_boundary(text, 60);
    let more = if end < text.len() { "…" } else { "" };
    format!("{}{more}", text[..end].escape_debug().to_string().replace("\\\"", "\"").replace("\\'", "'"))
}

/// Seconds, for people: to the second where that tells something.
pub(super) fn time(seconds: u64) -> String {
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, seconds) => format!("{seconds} s"),
        (0, minutes, 0) => format!("{minutes} min"),
        (0, minutes, seconds) => format!("{minutes} min {seconds} s"),
        (1, 0, 0) => "1 hour".to_owned(),
        (hours @ 0..48, 0, _) => format!("{hours} h"),
        (hours @ 0..48, minutes, _) => format!("{hours} h {minutes} min"),
        (hours, ..) => format!("{} days", hours / 24),
    }
}
