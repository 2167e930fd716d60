//! Verdicts and expectations as one paragraph, in the same words.

use std::fmt;

use super::{Basis, Divergence, Entry, Expectation, Explanation, Outcome, Said, Verdict};
use crate::deliver::Target;
use crate::freeze::Side;
use crate::models::{Cost, Reached};
use crate::text::grouped;
use crate::tokens::Tokens;

impl fmt::Display for Verdict {
    /// One paragraph.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut sentences = vec![self.happened()];
        sentences.extend(self.explanation.as_ref().and_then(|why| self.because(why)));
        if let Some(lost) = self.lost {
            sentences.push(billed(lost, self.cost, ("were billed anew", "cost")));
        }
        sentences.extend(self.said());
        if self.expectation.basis == Basis::Bytes && sentences.iter().any(|sentence| sentence.contains('~')) {
            sentences.push("figures with ~ follow from bytes: the receipt has no tokens".to_owned());
        }
        f.write_str(&paragraph(&sentences))
    }
}

impl Expectation {
    /// What sending it would do, before it is sent: one paragraph.
    pub fn prediction(&self) -> String {
        let model = self.model.as_ref().map(|model| format!(" for {}", model.name)).unwrap_or_default();
        let place = format!("at {}{model}", self.target.name());
        let read = match &self.kept {
            _ if !self.reports() => format!("{place}, no cache is promised"),
            Some(kept) if self.is_whole(kept) => {
                let sure = if self.reached == Reached::Yes { "" } else { ", if it is long enough" };
                format!("{place}, all of the prefix would be read from the cache{sure}")
            }
            Some(kept) => {
                let end = self.end(&kept.what);
                format!("{place}, {} would be read from the cache, {end}", tokens(kept.stretch.tokens))
            }
            None => format!("{place}, nothing would be read from the cache"),
        };
        let mut sentences = vec![read];
        sentences.extend(self.divergence_words(("would differ", "would differ")));
        sentences.extend(self.short.as_ref().map(|why| self.short_words(why)));
        if self.lost.tokens.high > 0 && self.reports() {
            sentences.push(billed(self.lost.tokens, self.cost, ("would be billed anew", "costs")));
        }
        paragraph(&sentences)
    }

    fn is_whole(&self, entry: &Entry) -> bool {
        entry.stretch.bytes == self.prefix.bytes
    }

    /// Whether the target has a cache of which anything is known.
    fn reports(&self) -> bool {
        !matches!(self.target, Target::Plain | Target::Acp | Target::Ollama)
    }

    /// The end of an entry, in words.
    fn end(&self, what: &str) -> String {
        let marked = self.entries.iter().any(|entry| entry.what == what) && !matches!(what, "prefix");
        match marked && self.model.as_ref().is_none_or(|model| model.explicit_breakpoints) {
            true => format!("up to the breakpoint after {}", name(what)),
            false => "up to the first byte that differs".to_owned(),
        }
    }

    /// Where the two begin to differ; none if there is nothing to say about it.
    fn divergence_words(&self, (differs, differ): (&str, &str)) -> Option<String> {
        let model = self.model.as_ref().map_or("another", |model| model.name.as_str());
        Some(match &self.divergence {
            Divergence::First | Divergence::Nowhere => return None,
            Divergence::Target(before) => {
                format!("the turn before went to {before}, and this one to {}: they share no cache", self.target.name())
            }
            Divergence::Model(before) => {
                let before = before.as_deref().unwrap_or("a model that is not in the table");
                format!("the model is {model}, and was {before} in the turn before: models share no cache")
            }
            Divergence::Key => {
                "the prefix is the same, but `prompt_cache_key` is not, so another cache was asked".to_owned()
            }
            Divergence::Part { what, .. } if what == "tools" => {
                format!("the tools {differ} from the turn before, and they come before everything else")
            }
            Divergence::Part { what, pointer, begins } => match &self.difference {
                Some(difference) => {
                    let sides = sides(difference.before.as_ref(), difference.after.as_ref());
                    format!("the prefix {differs} from the turn before from byte {} on{sides}", grouped(difference.at))
                }
                None => format!(
                    "the prefix {differs} from the turn before in {}, which is at {pointer} and begins at byte {}",
                    name(what),
                    grouped(*begins)
                ),
            },
            Divergence::Behind { what, pointer } => format!(
                "the prefix is the same, but {} at {pointer} {differs}, and it comes before the history: everything after it is billed anew",
                name(what)
            ),
        })
    }

    /// Why less is read than is the same.
    fn short_words(&self, why: &Explanation) -> String {
        match why {
            Explanation::Key if self.divergence == Divergence::Key => "a provider finds a cache by that key".to_owned(),
            Explanation::Key => {
                "`prompt_cache_key` changes with the prefix, so what is the same is not found".to_owned()
            }
            Explanation::Lifetime { elapsed, lifetime } => format!(
                "{} have passed since the turn before, and a cache lives for {}",
                time(*elapsed),
                time(*lifetime)
            ),
            Explanation::Minimum { minimum, tokens: has } => {
                let model = self.model.as_ref().map_or("the model", |model| model.name.as_str());
                let (has, minimum) = (*has, *minimum);
                match Reached::of(has, minimum) {
                    Reached::No => format!(
                        "what would be cached has too few tokens, {}: {model} caches none with less than {}",
                        figure(has),
                        grouped(minimum)
                    ),
                    _ => format!(
                        "whether it can be cached cannot be told: {model} caches none with less than {} tokens, and it has {} to {}",
                        grouped(minimum),
                        grouped(has.low),
                        grouped(has.high)
                    ),
                }
            }
            other => other.name().to_owned(),
        }
    }
}

impl Verdict {
    /// The first sentence.
    fn happened(&self) -> String {
        let (usage, target) = (&self.usage, provider(self.usage.target));
        let of = usage.input.map(|input| format!(" of {} input tokens", grouped(input))).unwrap_or_default();
        let read = grouped(usage.read.unwrap_or(0));
        match (self.outcome, self.as_expected) {
            (Outcome::NotReported, _) => {
                let hint = match usage.target {
                    Target::Gemini => " (Gemini leaves the figure out when it is zero)",
                    Target::Ollama => " (Ollama has no such figure)",
                    _ => "",
                };
                format!(
                    "the answer of {target} does not say what was read from a cache{hint}, so nothing can be judged"
                )
            }
            (Outcome::Written, true) if usage.write == Some(0) => "nothing was cached, as expected".to_owned(),
            (Outcome::Written, false) => "nothing was cached, though it was asked for".to_owned(),
            (Outcome::Written, true) => match usage.write {
                Some(write) => format!("the cache was written as expected, {} tokens", grouped(write)),
                None => format!("nothing was read from a cache, as expected; {target} does not say what it wrote"),
            },
            (Outcome::Hit, true) => {
                let prefix = figure(self.expectation.prefix.tokens);
                format!("the cache was hit as expected: {read}{of} were read from it, the prefix ({prefix}) among them")
            }
            (Outcome::Hit, false) => {
                format!("the prefix was read from the cache, and nothing after it: {read}{of}")
            }
            (Outcome::Part, expected) => {
                let until = self.until.as_deref().map(|what| format!(", {}", self.expectation.end(what)));
                let word = if expected { "as expected" } else { "and more was to be expected" };
                format!("the cache was hit in part, {word}: {read}{of} were read from it{}", until.unwrap_or_default())
            }
            (Outcome::CannotTell, _) => {
                format!("nothing{of} was read from the cache, and it may be that nothing can be")
            }
            (Outcome::Missed, true) => format!("the cache was not hit, as expected: nothing{of} was read from it"),
            (Outcome::Missed, false) => {
                format!("the cache was not hit, though it should have been: nothing{of} was read from it")
            }
        }
    }

    /// The second one.
    fn because(&self, why: &Explanation) -> Option<String> {
        Some(match why {
            Explanation::First => "this is the first turn".to_owned(),
            Explanation::Differs => self.expectation.divergence_words(DIFFERS)?,
            Explanation::Key => {
                self.expectation.divergence_words(DIFFERS).unwrap_or_else(|| self.expectation.short_words(why))
            }
            Explanation::Lifetime { .. } | Explanation::Minimum { .. } => self.expectation.short_words(why),
            Explanation::LookBack { grown, blocks } => format!(
                "{} messages came since the turn before, and the provider looks back {} blocks from a breakpoint: set one in the middle of a long turn",
                grouped(*grown),
                grouped(*blocks)
            ),
            // The provider's own words follow.
            Explanation::Provider(_) => match self.expectation.divergence {
                Divergence::Nowhere => {
                    "the prefix is the same bytes as in the turn before, so it is something else".to_owned()
                }
                _ => return self.expectation.divergence_words(DIFFERS),
            },
            Explanation::Evicted { lifetime, elapsed } => evicted(*lifetime, *elapsed, &self.expectation.divergence),
        })
    }

    /// What the provider itself says.
    fn said(&self) -> Option<String> {
        let target = provider(self.usage.target);
        match self.usage.said.as_ref()? {
            Said::Hit => Some(format!("{target} says `cache_hit`")),
            Said::Miss { reason, missed } => {
                let missed = missed.map(|missed| format!(", {} tokens", grouped(missed))).unwrap_or_default();
                Some(format!("{target} says `{reason}`{missed}"))
            }
            Said::Unknown(word) => Some(format!("{target} was asked to compare, and says `{word}`")),
        }
    }
}

fn evicted(lifetime: Option<u64>, elapsed: Option<u64>, divergence: &Divergence) -> String {
    let same = match divergence {
        Divergence::First => return "nothing seen from here explains that".to_owned(),
        Divergence::Nowhere => "the prefix is the same bytes as in the turn before",
        _ => "what comes before the difference is the same bytes as in the turn before",
    };
    match (lifetime, elapsed) {
        (Some(lifetime), None) => format!(
            "{same}: more than {} may have passed since, which is how long it lives, or the provider let it go",
            time(lifetime)
        ),
        (Some(lifetime), Some(elapsed)) => format!(
            "{same}, and only {} have passed of {}: the provider let it go, or asked another machine",
            time(elapsed),
            time(lifetime)
        ),
        (None, _) => format!("{same}: the provider promises no lifetime, and let it go or asked another machine"),
    }
}

/// Of one thing, and of several.
const DIFFERS: (&str, &str) = ("differs", "differ");

/// Who said what where two prefixes begin to differ.
fn sides(before: Option<&Side>, after: Option<&Side>) -> String {
    let Some(side) = after.or(before) else { return String::new() };
    let place = side.origin.as_ref().map(|origin| {
        let name = origin.path.as_ref().unwrap_or(&origin.name);
        let line = side.line.map(|line| format!(":{line}")).unwrap_or_default();
        format!(" ({} {name}{line})", origin.kind)
    });
    let said = |side: Option<&Side>| side.map_or("the end".to_owned(), |side| format!("“{}”", side.excerpt));
    format!(", in section `{}`{}: {} → {}", side.section, place.unwrap_or_default(), said(before), said(after))
}

fn billed(lost: Tokens, cost: Option<Cost>, (verb, costs): (&str, &str)) -> String {
    let cost = cost.map(|cost| format!(", which {costs} {cost} more than reading them")).unwrap_or_default();
    format!("{} {verb}{cost}", tokens(lost))
}

/// A part of a prefix, in words.
fn name(what: &str) -> String {
    match what {
        "tools" => "the tools".to_owned(),
        "fixed" => "the fixed part".to_owned(),
        "frozen" => "the frozen part".to_owned(),
        "prefix" => "its text".to_owned(),
        other => format!("`{other}`"),
    }
}

fn tokens(tokens: Tokens) -> String {
    match tokens.count {
        1 => "1 token".to_owned(),
        _ => format!("{} tokens", figure(tokens)),
    }
}

/// A count; one that is an estimate looks like one.
fn figure(tokens: Tokens) -> String {
    let mark = if tokens.low == tokens.high { "" } else { "~" };
    format!("{mark}{}", grouped(tokens.count))
}

/// Seconds, for people.
fn time(seconds: u64) -> String {
    match seconds {
        3600 => "1 hour".to_owned(),
        0..120 => format!("{seconds} seconds"),
        120..7200 => format!("{} minutes", seconds / 60),
        _ => format!("{} hours", seconds / 3600),
    }
}

/// Who answers at a target, by the name that people know.
fn provider(target: Target) -> &'static str {
    match target {
        Target::Anthropic => "Anthropic",
        Target::OpenAiChat | Target::OpenAiResponses => "OpenAI",
        Target::Gemini => "Gemini",
        Target::Bedrock => "Bedrock",
        Target::Ollama => "Ollama",
        Target::Plain | Target::Acp => "the provider",
    }
}

/// Sentences, each with a capital and a full stop.
pub(super) fn paragraph(sentences: &[String]) -> String {
    let sentence = |text: &String| {
        let mut letters = text.chars();
        let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
        format!("{first}{}.", letters.as_str())
    };
    sentences.iter().map(sentence).collect::<Vec<String>>().join(" ")
}
