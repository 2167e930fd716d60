//! What was expected of a cache, held against what the provider billed.

use super::{Billed, Divergence, Entry, Expectation, Said, Usage};
use crate::deliver::Target;
use crate::models::{Cost, Model, Reached};
use crate::tokens::Tokens;

/// Whether the cache was hit as expected, and if not, why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// What happened.
    pub outcome: Outcome,
    /// Whether no more was to be expected; also so where that cannot be told.
    pub as_expected: bool,
    /// The part behind which reading ended, if it ended at a known place.
    pub until: Option<String>,
    /// Why not all of it was read.
    pub explanation: Option<Explanation>,
    /// The tokens that were billed anew although a turn before had them; none if there are none, or it is not known.
    pub lost: Option<Tokens>,
    /// What that cost more than reading them; none without a price.
    pub cost: Option<Cost>,
    /// What was expected.
    pub expectation: Expectation,
    /// What was billed.
    pub usage: Usage,
}

/// What happened to a prefix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// The provider does not say.
    NotReported,
    /// It was written, for the first time.
    Written,
    /// All of it was read.
    Hit,
    /// A beginning of it was read.
    Part,
    /// Nothing of it was read.
    Missed,
    /// Nothing of it was read, and whether it is long enough to be cached cannot be told from an estimate.
    CannotTell,
}

impl Outcome {
    /// The name in documents.
    pub fn name(self) -> &'static str {
        match self {
            Outcome::NotReported => "not-told",
            Outcome::Written => "written",
            Outcome::Hit => "hit",
            Outcome::Part => "hit-in-part",
            Outcome::Missed => "missed",
            Outcome::CannotTell => "cannot-tell",
        }
    }
}

/// Why something was not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Explanation {
    /// There was nothing to read: it is the first turn.
    First,
    /// The requests differ, where the expectation says.
    Differs,
    /// The cache goes by another name.
    Key,
    /// It had lived long enough.
    Lifetime {
        /// The seconds since the turn before.
        elapsed: u64,
        /// The seconds that it lives.
        lifetime: u64,
    },
    /// It is too short for the model, or may be.
    Minimum {
        /// The fewest tokens that are cached.
        minimum: usize,
        /// How many it has.
        tokens: Tokens,
    },
    /// The conversation grew by more blocks than the provider looks back.
    LookBack {
        /// How many messages came.
        grown: usize,
        /// How many blocks are looked at.
        blocks: usize,
    },
    /// The provider has a reason of its own, and antefix sees nothing of it.
    Provider(String),
    /// Nothing that can be seen from here: the provider let it go.
    Evicted {
        /// The seconds that it should live, if anything is promised.
        lifetime: Option<u64>,
        /// The seconds since the turn before, if anybody knows.
        elapsed: Option<u64>,
    },
}

impl Explanation {
    /// The name in documents.
    pub fn name(&self) -> &'static str {
        match self {
            Explanation::First => "first-turn",
            Explanation::Differs => "changed",
            Explanation::Key => "other-key",
            Explanation::Lifetime { .. } => "lifetime-passed",
            Explanation::Minimum { .. } => "below-minimum",
            Explanation::LookBack { .. } => "look-back-exceeded",
            Explanation::Provider(_) => "provider-says",
            Explanation::Evicted { .. } => "evicted",
        }
    }
}

/// Providers round what they report to so many tokens.
const STEP: usize = 128;

impl Verdict {
    /// Judges. `elapsed` are the seconds between the two turns, if anybody knows.
    pub fn new(expectation: Expectation, usage: Usage, elapsed: Option<u64>) -> Verdict {
        let mut verdict = Verdict {
            outcome: Outcome::NotReported,
            as_expected: true,
            until: None,
            explanation: None,
            lost: None,
            cost: None,
            expectation,
            usage,
        };
        let Some(read) = verdict.usage.read else { return verdict };
        verdict.measure(read);
        verdict.explain(read, elapsed);
        if verdict.cannot_tell() {
            verdict.outcome = Outcome::CannotTell;
            verdict.as_expected = true;
            verdict.explanation = verdict.too_short();
        }
        verdict.bill(read);
        verdict
    }

    /// Whether all that is known fits a prefix that is too short as well as one that is not. What differs anyway, and what the provider
    /// explains or wrote, is known.
    fn cannot_tell(&self) -> bool {
        let is_missed = match self.outcome {
            Outcome::Written => self.usage.write == Some(0),
            Outcome::Missed => matches!(self.expectation.divergence, Divergence::Nowhere),
            _ => false,
        };
        let is_explained = matches!(self.usage.said, Some(Said::Miss { .. }))
            || matches!(self.explanation, Some(Explanation::Lifetime { .. } | Explanation::Key));
        is_missed && self.caches() == Reached::Perhaps && !is_explained
    }

    /// Whether the prefix is long enough to be cached. What the provider read or wrote is.
    fn caches(&self) -> Reached {
        let is_cached = [self.usage.read, self.usage.write].into_iter().flatten().any(|tokens| tokens > 0);
        if is_cached { Reached::Yes } else { self.expectation.reached }
    }

    /// How far reading went: to the end of the prefix, or to the place that fits the figure best.
    fn measure(&mut self, read: usize) {
        let whole = self.expectation.prefix.tokens;
        if read == 0 {
            let first = self.expectation.divergence == Divergence::First;
            self.outcome = if first { Outcome::Written } else { Outcome::Missed };
            return;
        }
        let off = |tokens: Tokens| tokens.count.abs_diff(read);
        let nearest = self.expectation.entries.iter().min_by_key(|entry| off(entry.stretch.tokens));
        let is_whole = |entry: &Entry| entry.stretch.bytes == self.expectation.prefix.bytes;
        // What is not read up to the last breakpoint is written: with nothing written, all of it was read, whatever the
        // estimate says.
        let breakpoints = matches!(self.usage.target, Target::Anthropic | Target::Bedrock);
        let reached = match nearest {
            _ if read >= whole.count || breakpoints && self.usage.write == Some(0) => true,
            Some(entry) => is_whole(entry) && read >= at_least(whole),
            None => read >= at_least(whole),
        };
        if reached {
            self.outcome = Outcome::Hit;
            return;
        }
        self.outcome = Outcome::Part;
        let fits = |entry: &&Entry| read >= at_least(entry.stretch.tokens) && !is_whole(entry);
        self.until = nearest.filter(fits).map(|entry| entry.what.clone());
    }

    /// Whether that was to be expected, and why it was not all.
    fn explain(&mut self, read: usize, elapsed: Option<u64>) {
        let expectation = &self.expectation;
        let seen = match (&expectation.divergence, &expectation.short) {
            (Divergence::First, _) => Some(Explanation::First),
            // The same bytes under another name, or too old, or too short.
            (Divergence::Nowhere | Divergence::Key, Some(short)) => Some(short.clone()),
            (Divergence::Nowhere, None) => None,
            _ => Some(Explanation::Differs),
        };
        let by_provider = match &self.usage.said {
            Some(Said::Miss { reason, .. }) => Some(Explanation::Provider(reason.clone())),
            _ => None,
        };
        let wanted = expectation.kept.as_ref().map_or(0, |entry| at_least(entry.stretch.tokens));
        self.as_expected = self.outcome == Outcome::Hit || read >= wanted;
        self.explanation = match self.outcome {
            Outcome::Written => {
                // Nothing read and nothing written: then nothing was cached.
                let short = self.too_short();
                if self.usage.write == Some(0) {
                    self.as_expected = short.is_some();
                    short.or(by_provider).or(Some(Explanation::Evicted { lifetime: None, elapsed: None }))
                } else {
                    seen
                }
            }
            Outcome::Hit if matches!(expectation.divergence, Divergence::Behind { .. }) => Some(Explanation::Differs),
            Outcome::Hit => {
                let looked_back = self.looked_back(read);
                self.as_expected &= looked_back.is_none();
                looked_back.or(by_provider)
            }
            _ if self.as_expected => seen.or(by_provider),
            _ => {
                let lifetime = expectation.kept.as_ref().and_then(|entry| entry.lifetime);
                let evicted = Explanation::Evicted { lifetime, elapsed };
                by_provider.or_else(|| self.too_short()).or(Some(evicted))
            }
        };
    }

    /// The prefix is under the model's minimum, or may be.
    fn too_short(&self) -> Option<Explanation> {
        let minimum = self.expectation.model.as_ref()?.minimum?;
        let tokens = self.expectation.prefix.tokens;
        (self.caches() != Reached::Yes).then_some(Explanation::Minimum { minimum, tokens })
    }

    /// The prefix was read, and of the history behind it nothing: was it looked for far enough back?
    fn looked_back(&self, read: usize) -> Option<Explanation> {
        let expectation = &self.expectation;
        let model = expectation.model.as_ref().filter(|model| model.explicit_breakpoints)?;
        let (blocks, grown) = (model.look_back?, expectation.grown?);
        let behind = read.saturating_sub(expectation.prefix.tokens.high);
        (grown > blocks && behind == 0).then_some(Explanation::LookBack { grown, blocks })
    }

    /// What was billed anew, and what that cost more.
    fn bill(&mut self, read: usize) {
        if matches!(self.outcome, Outcome::Hit | Outcome::Written) || self.explanation == Some(Explanation::First) {
            return;
        }
        // What cannot be cached is not lost, and what perhaps cannot be is perhaps not.
        let is_reported = matches!(&self.usage.said, Some(Said::Miss { missed: Some(_), .. }));
        if self.caches() != Reached::Yes && !is_reported {
            return;
        }
        let whole = self.expectation.prefix.tokens;
        let reported = match &self.usage.said {
            Some(Said::Miss { missed: Some(missed), .. }) => {
                Some(Tokens { low: *missed, count: *missed, high: *missed })
            }
            _ => None,
        };
        // An estimate of more than was billed is too high.
        let billed = self.usage.input.map_or(usize::MAX, |input| input.saturating_sub(read));
        let anew = |tokens: usize| tokens.saturating_sub(read).min(billed);
        let estimated = Tokens { low: anew(whole.low), count: anew(whole.count), high: anew(whole.high) };
        let lost = reported.unwrap_or(estimated);
        self.lost = (lost.high > 0).then_some(lost);
        self.cost = self.expectation.model.as_ref().and_then(|model| self.paid(lost.count, model));
    }

    /// What so many tokens cost more than reading them, by what the provider says that it wrote.
    fn paid(&self, lost: usize, model: &Model) -> Option<Cost> {
        if self.usage.write == Some(0) {
            return Billed { plain: lost, ..Billed::default() }.more_than_reading(model);
        }
        // Only Anthropic says at which of two prices it wrote.
        let hour = matches!(self.usage.target, Target::Anthropic | Target::Bedrock);
        let long = self.usage.long_write.filter(|_| hour).unwrap_or(0).min(lost);
        Billed { written: lost - long, written_long: long, ..Billed::default() }.more_than_reading(model)
    }
}

/// The fewest tokens that are still taken for so many: bands are wide, and reports are rounded down.
fn at_least(tokens: Tokens) -> usize {
    tokens.low.saturating_sub(STEP.min(tokens.low / 2) + tokens.low / 20).max(1)
}
