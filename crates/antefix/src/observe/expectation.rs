//! What a provider's cache should give back for a request, judged by the one before it.
//!
//! 1. The two are compared part by part, in the order in which the provider reads them. The first part that differs ends
//!    what can be read; with the epochs at hand, the byte and its origin are known as well.
//! 2. Of what is the same, that is read which was written: up to the last breakpoint before the difference, or up to the
//!    difference itself where the provider caches without being asked.
//! 3. A prefix that is too short for the model, or whose lifetime has passed, is not expected. What cannot be cached is not lost and has
//!    no price, and where an estimate leaves open whether it can be, there is none either.

use super::Billed;
use super::simulator::seconds;
use super::verdict::Explanation;
use crate::deliver::{Part, Receipt, Target};
use crate::error::Result;
use crate::freeze::{Difference, EpochBody, Same};
use crate::models::{Cost, Model, Provider, Reached};
use crate::tokens::{Tokenizer, Tokens};

/// Two requests, and what is known of them.
#[derive(Debug, Clone, Copy)]
pub struct Comparison<'c> {
    /// The receipt of the turn before; none for the first one.
    pub before: Option<&'c Receipt>,
    /// The receipt of this one.
    pub now: &'c Receipt,
    /// The row of the model; none if it is not known.
    pub model: Option<&'c Model>,
    /// The epochs of the two turns, if a ledger has them: with them the byte and its origin are known.
    pub epochs: Option<(&'c EpochBody, &'c EpochBody)>,
    /// The seconds between the two, if anybody knows.
    pub elapsed: Option<u64>,
}

/// What should be read from the cache, and what should be billed anew.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expectation {
    /// Where the request goes.
    pub target: Target,
    /// The row of the model.
    pub model: Option<Model>,
    /// Where the two requests begin to differ.
    pub divergence: Divergence,
    /// The byte at which the prefixes begin to differ, and who said what there; none without epochs.
    pub difference: Option<Difference>,
    /// All of the prefix, with its tools.
    pub prefix: Stretch,
    /// Up to where the cache should be read; none if nothing of it should.
    pub kept: Option<Entry>,
    /// What should be billed anew although a turn before had it.
    pub lost: Stretch,
    /// What that costs more than reading it; none without a price.
    pub cost: Option<Cost>,
    /// Whether the prefix is long enough to be cached.
    pub reached: Reached,
    /// Why less is kept than is the same, or whether what is kept is long enough cannot be told.
    pub short: Option<Explanation>,
    /// What the figures rest on.
    pub basis: Basis,
    /// Every place at which reading may end.
    pub(super) entries: Vec<Entry>,
    /// By how many messages the conversation grew; none for a first turn.
    pub(super) grown: Option<usize>,
}

/// Where two requests begin to differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Divergence {
    /// There is no request before this one.
    First,
    /// Nowhere: the prefix is the same.
    Nowhere,
    /// They went to different targets; this is the one before.
    Target(String),
    /// They were for different models; this is the one before.
    Model(Option<String>),
    /// The prefix is the same, and the name of the cache is not.
    Key,
    /// A part of the prefix differs.
    Part {
        /// `tools`, `fixed`, `frozen` or `prefix`.
        what: String,
        /// Where it is in the request.
        pointer: String,
        /// How many bytes of the system text are before it.
        begins: usize,
    },
    /// The prefix is the same, but something that moves is between it and the history.
    Behind {
        /// `suffix` or `notice 1`.
        what: String,
        /// Where it is in the request.
        pointer: String,
    },
}

impl Divergence {
    /// The name in documents; where vendors have a word for it, theirs.
    pub fn name(&self) -> &'static str {
        match self {
            Divergence::First => "first",
            Divergence::Nowhere => "nowhere",
            Divergence::Target(_) => "target_changed",
            Divergence::Model(_) => "model_changed",
            Divergence::Key => "prompt_cache_key_changed",
            Divergence::Part { what, .. } if what == "tools" => "tools_changed",
            Divergence::Part { .. } | Divergence::Behind { .. } => "system_changed",
        }
    }
}

/// A beginning of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Stretch {
    /// The length in bytes of text.
    pub bytes: usize,
    /// The length in tokens.
    pub tokens: Tokens,
}

/// A beginning that the provider keeps, or is asked to keep.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The part behind which it ends.
    pub what: String,
    /// How much it is.
    pub stretch: Stretch,
    /// How long it lives, in seconds; none if nothing is promised.
    pub lifetime: Option<u64>,
}

/// What figures rest on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Basis {
    /// Tokens were counted, in the band of the model.
    Counted,
    /// Tokens follow from bytes, roughly: nobody counted them.
    Bytes,
}

impl Comparison<'_> {
    /// What should be read.
    pub fn expectation(&self) -> Result<Expectation> {
        let now: Vec<&Part> = self.now.parts.iter().filter(|part| part.is_prefix()).collect();
        let divergence = self.divergence(&now);
        let (sums, basis) = self.sums(&now);
        let prefix = sums.last().copied().unwrap_or_default();
        let difference = match self.epochs {
            Some((before, after)) => Difference::between(before, after)?,
            None => None,
        };
        let target = Target::parse(&self.now.target).unwrap_or(Target::Plain);
        let entries = self.entries(&now, &sums, target);
        let same = match &divergence {
            Divergence::First | Divergence::Target(_) | Divergence::Model(_) => 0,
            Divergence::Part { .. } | Divergence::Nowhere | Divergence::Key | Divergence::Behind { .. } => {
                self.same(&now)
            }
        };
        let mut found: Vec<Entry> = match self.is_asked() {
            true => entries.iter().filter(|(at, _)| *at < same).map(|(_, entry)| entry.clone()).collect(),
            false => self.unasked(same, &now, &sums, difference.as_ref()).into_iter().collect(),
        };
        let mut short = None;
        found.retain(|entry| match self.refused(entry) {
            Some(why) => {
                short = Some(why);
                false
            }
            None => true,
        });
        let kept = found.pop();
        let reached = self.model.map_or(Reached::Yes, |model| model.caches(prefix.tokens));
        if reached != Reached::Yes
            && short.is_none()
            && let Some(minimum) = self.model.and_then(|model| model.minimum)
        {
            short = Some(Explanation::Minimum { minimum, tokens: prefix.tokens });
        }
        let mut expectation = Expectation {
            target,
            model: self.model.cloned(),
            difference,
            prefix,
            lost: prefix.without(kept.as_ref().map(|entry| entry.stretch)),
            kept,
            cost: None,
            reached,
            short,
            basis,
            entries: entries.into_iter().map(|(_, entry)| entry).collect(),
            grown: self.before.map(|before| self.now.messages.saturating_sub(before.messages)),
            divergence,
        };
        if expectation.divergence == Divergence::First || reached == Reached::No {
            expectation.lost = Stretch::default();
        }
        expectation.cost = self.cost(&expectation, &now, &sums);
        Ok(expectation)
    }

    /// Where the two begin to differ.
    fn divergence(&self, now: &[&Part]) -> Divergence {
        let Some(before) = self.before else { return Divergence::First };
        if before.target != self.now.target {
            return Divergence::Target(before.target.clone());
        }
        if before.model != self.now.model {
            return Divergence::Model(before.model.clone());
        }
        let parts: Vec<&Part> = before.parts.iter().filter(|part| part.is_prefix()).collect();
        let same = self.same(now);
        if same < now.len().max(parts.len()) {
            // If the other one goes on where this one ends, what differs is what follows. Tools that came or went are
            // before all else, whichever request has them.
            let sides = [now.get(same), parts.get(same)].into_iter().flatten();
            let part = sides.clone().find(|part| part.what == "tools").or(sides.clone().next());
            let begins = now.iter().take(same).filter(|part| part.what != "tools").map(|part| part.bytes).sum();
            let (what, pointer) = part.map(|part| (part.what.clone(), part.pointer.clone())).unwrap_or_default();
            return Divergence::Part { what, pointer, begins };
        }
        if before.key != self.now.key {
            return Divergence::Key;
        }
        let standing = |receipt: &Receipt| -> Vec<Part> {
            let moving = receipt.parts.iter().filter(|part| !part.is_prefix());
            moving.filter(|part| is_before_history(&part.pointer)).cloned().collect()
        };
        let (moving, old) = (standing(self.now), standing(before));
        let same = moving.iter().zip(&old).take_while(|(one, other)| is_same(one, other)).count();
        match moving.get(same).or(old.get(same)) {
            Some(part) => Divergence::Behind { what: part.what.clone(), pointer: part.pointer.clone() },
            None => Divergence::Nowhere,
        }
    }

    /// How many parts of the prefix are the same, counted from the beginning.
    fn same(&self, now: &[&Part]) -> usize {
        let before = self.before.into_iter().flat_map(|before| &before.parts).filter(|part| part.is_prefix());
        now.iter().zip(before).take_while(|(one, other)| is_same(one, other)).count()
    }

    /// Where each part ends, counted from the beginning.
    fn sums(&self, parts: &[&Part]) -> (Vec<Stretch>, Basis) {
        let mut basis = Basis::Counted;
        let mut sum = Stretch::default();
        let sums = parts.iter().map(|part| {
            let tokens = part.tokens.unwrap_or_else(|| {
                basis = Basis::Bytes;
                self.guess(part.bytes)
            });
            sum = Stretch { bytes: sum.bytes + part.bytes, tokens: sum.tokens + tokens };
            sum
        });
        (sums.collect(), basis)
    }

    fn tokenizer(&self) -> &Tokenizer {
        self.model.map_or(&Tokenizer::Exact, |model| &model.tokenizer)
    }

    /// Tokens by bytes alone: four bytes have one in prose and code, two in dense scripts, six at the most.
    fn guess(&self, bytes: usize) -> Tokens {
        let of = |count: usize| self.tokenizer().of(count);
        Tokens { low: of(bytes / 6).low, count: of(bytes / 4).count, high: of(bytes / 2).high }
    }

    /// Whether either request asks for a cache by itself.
    fn is_asked(&self) -> bool {
        let marked = |receipt: &Receipt| receipt.parts.iter().any(|part| part.breakpoint.is_some());
        marked(self.now) || self.before.is_some_and(marked)
    }

    /// Every place of the prefix at which reading may end, with the number of its part. A breakpoint is read at if this
    /// request or one behind it asks there.
    fn entries(&self, now: &[&Part], sums: &[Stretch], target: Target) -> Vec<(usize, Entry)> {
        let written: Vec<&Part> = match self.before {
            Some(before) => before.parts.iter().filter(|part| part.is_prefix()).collect(),
            None => now.to_vec(),
        };
        let marked = written.iter().zip(now.iter().zip(sums)).enumerate().filter_map(|(at, (old, (part, sum)))| {
            let lifetime = seconds(old.breakpoint.as_deref()?);
            let is_read = now.iter().skip(at).any(|part| part.breakpoint.is_some());
            is_read.then(|| (at, Entry { what: part.what.clone(), stretch: *sum, lifetime }))
        });
        let mut entries: Vec<(usize, Entry)> = marked.collect();
        if entries.is_empty() && !self.is_asked() && caches_unasked(target, self.model) {
            let lifetime = self.lifetime();
            let whole = now.iter().zip(sums).enumerate().next_back();
            entries.extend(
                whole.map(|(at, (part, sum))| (at, Entry { what: part.what.clone(), stretch: *sum, lifetime })),
            );
        }
        entries
    }

    /// What a provider that caches without being asked keeps: all that is the same.
    fn unasked(&self, same: usize, now: &[&Part], sums: &[Stretch], difference: Option<&Difference>) -> Option<Entry> {
        let target = Target::parse(&self.now.target)?;
        if !caches_unasked(target, self.model) {
            return None;
        }
        // DeepSeek reads complete units alone, and none of them ends where two requests begin to differ: see `simulator/deepseek.rs`.
        if self.model.is_some_and(|model| model.provider == Provider::DeepSeek) && same < now.len() {
            return None;
        }
        let before = same.checked_sub(1).and_then(|last| sums.get(last)).copied().unwrap_or_default();
        let what = now.get(same).or(now.last()).map(|part| part.what.clone())?;
        let within = match (self.epochs, difference) {
            (Some((_, after)), Some(difference)) if difference.tools == Same::Yes && same < now.len() => {
                let begins: usize =
                    now.iter().take(same).filter(|part| part.what != "tools").map(|part| part.bytes).sum();
                let text = after.text.get(begins..difference.kept).unwrap_or_default();
                let tokens = self.tokenizer().count(text).unwrap_or_else(|| self.guess(text.len()));
                Stretch { bytes: text.len(), tokens }
            }
            _ => Stretch::default(),
        };
        let stretch = Stretch { bytes: before.bytes + within.bytes, tokens: before.tokens + within.tokens };
        (stretch.bytes > 0).then(|| Entry { what, stretch, lifetime: self.lifetime() })
    }

    /// How long a provider that is not asked keeps something.
    fn lifetime(&self) -> Option<u64> {
        self.model.and_then(|model| model.lifetimes.first().copied())
    }

    /// Why an entry is not expected though its bytes are the same.
    fn refused(&self, entry: &Entry) -> Option<Explanation> {
        if self.before.is_some_and(|before| before.key != self.now.key) {
            return Some(Explanation::Key);
        }
        if let (Some(elapsed), Some(lifetime)) = (self.elapsed, entry.lifetime)
            && elapsed > lifetime
        {
            return Some(Explanation::Lifetime { elapsed, lifetime });
        }
        let minimum = self.model.and_then(|model| model.minimum)?;
        let tokens = entry.stretch.tokens;
        (Reached::of(tokens, minimum) == Reached::No).then_some(Explanation::Minimum { minimum, tokens })
    }

    /// What the lost part costs more than if it were read.
    fn cost(&self, expectation: &Expectation, now: &[&Part], sums: &[Stretch]) -> Option<Cost> {
        let model = self.model?;
        let lost = expectation.lost.tokens.count;
        if lost == 0 {
            return None;
        }
        if expectation.reached != Reached::Yes {
            return None;
        }
        // All that precedes the last breakpoint for an hour is written for an hour.
        let long = now.iter().rposition(|part| part.breakpoint.as_deref() == Some("1h"));
        let long = long.and_then(|at| sums.get(at)).map_or(0, |sum| sum.tokens.count);
        let kept = expectation.prefix.tokens.count.saturating_sub(lost);
        let long = long.saturating_sub(kept).min(lost);
        Billed { written: lost - long, written_long: long, ..Billed::default() }.more_than_reading(model)
    }
}

impl Stretch {
    /// What is left of it behind a beginning.
    fn without(self, kept: Option<Stretch>) -> Stretch {
        let kept = kept.unwrap_or_default();
        let (all, less) = (self.tokens, kept.tokens);
        Stretch {
            bytes: self.bytes.saturating_sub(kept.bytes),
            tokens: Tokens {
                low: all.low.saturating_sub(less.low),
                count: all.count.saturating_sub(less.count),
                high: all.high.saturating_sub(less.high),
            },
        }
    }
}

/// Whether the provider reads the same there. A breakpoint does not change what is read.
fn is_same(one: &Part, other: &Part) -> bool {
    (&one.what, &one.role, &one.pointer, one.digest) == (&other.what, &other.role, &other.pointer, other.digest)
}

/// Whether a place of a request is read before its messages.
fn is_before_history(pointer: &str) -> bool {
    ["/system/", "/systemInstruction/"].iter().any(|place| pointer.starts_with(place))
}

/// Whether something is cached that nobody asked for.
fn caches_unasked(target: Target, model: Option<&Model>) -> bool {
    let reads = model.is_none_or(|model| model.prices.is_none_or(|prices| prices.read.is_some()));
    reads && matches!(target, Target::OpenAiChat | Target::OpenAiResponses | Target::Gemini)
}
