//! What was expected of a cache, held against what the provider billed, for requests of anybody's.

use jiff::Timestamp;

use super::Exchange;
use super::difference::{BlockChange, ParameterChange, RequestDifference};
use super::positions::Positions;
use crate::deliver::Target;
use crate::models::{Cost, Match, Model, Models, Provider};
use crate::observe::attribute::Known;
use crate::observe::sent::{Part, Reach, SentRequest};
use crate::observe::{Billed, Outcome, Said};

/// Whether the cache was hit as it should have been, and if not, why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judgment {
    /// What happened. [`Outcome::NotReported`] if nothing was billed yet: then all else is what is to be expected.
    pub outcome: Outcome,
    /// How many tokens should have been read.
    pub expected: Option<usize>,
    /// How many were.
    pub read: Option<usize>,
    /// How many were billed anew although the request before had them; none if none were, or that is not known.
    pub lost: Option<usize>,
    /// Why, all that holds; the first one lies first in the request.
    pub causes: Vec<MissCause>,
    /// How many of the lost tokens no other cause explains.
    pub unexplained: usize,
    /// What cannot be the reason, in words; said where the provider is.
    pub ruled_out: Vec<String>,
    /// The last part that was still read.
    pub survived: Option<Part>,
    /// What that cost more than reading it; none without a price.
    pub cost: Option<Cost>,
    /// What differs from the request before; none for the first one.
    pub difference: Option<RequestDifference>,
    /// What the provider itself says.
    pub said: Option<Said>,
    /// Whether figures rest on what the provider billed, and not on an estimate.
    pub is_billed: bool,
}

/// Why something was not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MissCause {
    /// It went to another provider, or in another shape.
    Target,
    /// It is for another model.
    Model {
        /// The one before.
        before: String,
        /// This one.
        now: String,
    },
    /// A parameter has another value.
    Parameter(ParameterChange),
    /// A block is another one.
    Changed(BlockChange),
    /// Nothing marks what is to be cached.
    NoBreakpoint,
    /// The conversation grew by more blocks than the provider looks back from a breakpoint.
    LookBack {
        /// By how many it grew.
        appended: usize,
        /// How many blocks are looked at.
        blocks: usize,
    },
    /// It had lived long enough.
    Expired {
        /// The seconds since the request before.
        elapsed: u64,
        /// The seconds that it lives.
        lifetime: u64,
    },
    /// It may have lived long enough: nobody knows how much time has passed, or no lifetime is promised.
    MayHaveExpired {
        /// The seconds that it lives, if anything is promised.
        lifetime: Option<u64>,
    },
    /// It was sent before the answer began that made the cache readable.
    TooEarly,
    /// So many requests went by one key that some of them go to other machines.
    Crowded {
        /// In the minute before.
        requests: usize,
    },
    /// None of these: the provider let it go, or asked another machine.
    ProviderSide,
}

impl MissCause {
    /// The name in documents; where vendors have a word for it, theirs.
    pub fn name(&self) -> &'static str {
        match self {
            MissCause::Target => "target_changed",
            MissCause::Model { .. } => "model_changed",
            MissCause::Parameter(change) if change.name == "prompt_cache_key" => "prompt_cache_key_changed",
            MissCause::Parameter(_) => "parameter_changed",
            MissCause::Changed(change) => change.what.name(),
            MissCause::NoBreakpoint => "no_breakpoint",
            MissCause::LookBack { .. } => "look_back_exceeded",
            MissCause::Expired { .. } => "lifetime_passed",
            MissCause::MayHaveExpired { .. } => "lifetime_may_have_passed",
            MissCause::TooEarly => "sent_too_early",
            MissCause::Crowded { .. } => "crowded_key",
            MissCause::ProviderSide => "provider_side",
        }
    }
}

/// Five minutes, where a marker names no lifetime.
const SHORT: u64 = 300;

/// The positions from one breakpoint that are looked at, if the model's row does not say.
const LOOK_BACK: usize = 20;

/// Above about so many requests a minute for one prefix and key, some go to other machines at OpenAI.
const CROWDED: usize = 15;

impl Judgment {
    /// Judges a request by the one before it in the same conversation; none for the first one.
    pub fn of(before: Option<&Exchange>, now: &Exchange, models: &Models, known: &Known) -> Judgment {
        let model = now.request.model.as_deref().and_then(|name| models.find(name)).map(|(model, _)| model);
        let usage = now.usage.as_ref();
        let read = usage.and_then(|usage| usage.read);
        let mut judgment = Judgment {
            outcome: match read {
                None => Outcome::NotReported,
                Some(0) => Outcome::Written,
                Some(_) => Outcome::Hit,
            },
            expected: None,
            read,
            lost: None,
            causes: Vec::new(),
            unexplained: 0,
            ruled_out: Vec::new(),
            survived: None,
            cost: None,
            difference: None,
            said: usage.and_then(|usage| usage.said.clone()),
            is_billed: false,
        };
        if let Some(before) = before {
            Judging::new(before, now, model, models, known).judge(&mut judgment);
        }
        judgment
    }

    /// Whether whoever uses the agent could have done something about it.
    pub fn is_avoidable(&self) -> bool {
        let theirs = |cause: &MissCause| {
            !matches!(cause, MissCause::ProviderSide | MissCause::MayHaveExpired { .. } | MissCause::Crowded { .. })
        };
        self.lost.is_some() && !self.causes.is_empty() && self.causes.iter().all(theirs)
    }
}

/// How a cache finds what it reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reading {
    /// At breakpoints that were written; each is in the request.
    Breakpoints,
    /// At the ends of messages and of units, not all of which are in the request.
    Ends,
    /// Anywhere.
    Anywhere,
}

/// Two requests on their way to a judgment.
struct Judging<'j> {
    before: &'j Exchange,
    now: &'j Exchange,
    model: Option<Model>,
    reading: Reading,
    difference: RequestDifference,
    positions: Positions,
    same_model: bool,
}

impl<'j> Judging<'j> {
    fn new(
        before: &'j Exchange,
        now: &'j Exchange,
        model: Option<Model>,
        models: &Models,
        known: &Known,
    ) -> Judging<'j> {
        let reading = match model.as_ref() {
            Some(Model { provider: Provider::Anthropic | Provider::Bedrock, .. }) => Reading::Breakpoints,
            Some(Model { provider: Provider::DeepSeek, .. }) => Reading::Ends,
            Some(Model { provider: Provider::OpenAi, explicit_breakpoints: true, .. }) => Reading::Ends,
            Some(_) => Reading::Anywhere,
            None if marks(&now.request) || marks(&before.request) => Reading::Breakpoints,
            None => Reading::Anywhere,
        };
        let (was, is) = (before.request.model.as_deref(), now.request.model.as_deref());
        let row = |name: Option<&str>| name.and_then(|name| models.find(name)).filter(|found| found.1 == Match::Name);
        let same_model = was == is || row(was).zip(row(is)).is_some_and(|(was, is)| was.0.name == is.0.name);
        // What was billed before was counted by the tokenizer of the model before.
        let positions = Positions::of(before, row(was).map(|found| found.0).or(model.clone()).as_ref());
        let difference = RequestDifference::between(&before.request, &now.request, known);
        Judging { before, now, model, reading, difference, positions, same_model }
    }

    fn judge(self, judgment: &mut Judgment) {
        let expected = self.expected();
        judgment.expected = Some(expected);
        judgment.is_billed = self.positions.is_billed;
        let holding = self.holding(expected);
        let noise = self.noise(expected);
        let least = holding.iter().map(|(_, upto)| *upto).min().unwrap_or(expected).min(expected);
        let possible =
            self.now.usage.as_ref().and_then(|usage| usage.input).map_or(expected, |input| input.min(expected));
        match judgment.read {
            None => {
                judgment.causes = holding.into_iter().map(|(cause, _)| cause).collect();
                judgment.lost = Some(expected - least).filter(|lost| *lost > noise);
            }
            Some(read) => {
                let lost = possible.saturating_sub(read);
                if lost <= noise {
                    judgment.outcome = if read == 0 { Outcome::Written } else { Outcome::Hit };
                    judgment.difference = Some(self.difference);
                    return;
                }
                judgment.outcome = if read == 0 { Outcome::Missed } else { Outcome::Part };
                judgment.lost = Some(lost);
                self.explain(read, possible, holding, judgment);
                judgment.survived = self.survived(read);
            }
        }
        judgment.cost = judgment.lost.and_then(|lost| self.cost(lost));
        judgment.difference = Some(self.difference);
    }

    /// Which of what holds is a cause, and whether it is all.
    fn explain(&self, read: usize, possible: usize, holding: Vec<(MissCause, usize)>, judgment: &mut Judgment) {
        // Where more was read than a cause allows, it is none.
        let slack = |upto: usize| upto.saturating_add(upto / 8).saturating_add(256);
        let causes: Vec<(MissCause, usize)> = holding.into_iter().filter(|(_, upto)| read <= slack(*upto)).collect();
        let least = causes.iter().map(|(_, upto)| *upto).min().unwrap_or(possible).min(possible);
        // Positions are estimates: only what is clearly more is unexplained.
        let missing = least.saturating_sub(read);
        let is_clear = causes.is_empty() || (self.reading == Reading::Breakpoints && missing > least / 4 + 512);
        judgment.causes = causes.into_iter().map(|(cause, _)| cause).collect();
        if !is_clear {
            return;
        }
        judgment.unexplained = missing;
        let crowded = self.now.in_last_minute.filter(|requests| *requests > CROWDED && self.is_openai());
        judgment.causes.push(match (self.elapsed(), crowded) {
            (Some(_), Some(requests)) => MissCause::Crowded { requests },
            (None, _) => MissCause::MayHaveExpired { lifetime: self.lifetime() },
            (Some(_), None) if self.lifetime().is_none() => MissCause::MayHaveExpired { lifetime: None },
            (Some(_), None) => MissCause::ProviderSide,
        });
        judgment.ruled_out = self.ruled_out(&judgment.causes);
    }

    /// What should be read: what the request before read and wrote.
    fn expected(&self) -> usize {
        let usage = self.before.usage.as_ref();
        let cached = usage.and_then(|usage| Some(usage.read.unwrap_or(0).saturating_add(usage.write?)));
        let input = usage.and_then(|usage| usage.input);
        let minimum = self.model.as_ref().and_then(|model| model.minimum).unwrap_or(0);
        match self.reading {
            Reading::Breakpoints => cached.unwrap_or_else(|| {
                let last = self.written().last().map_or(0, |(_, upto, _)| *upto);
                if last < minimum { 0 } else { last }
            }),
            Reading::Ends => cached.or(input).unwrap_or(self.positions.all()),
            Reading::Anywhere => {
                let all = input.unwrap_or(self.positions.all());
                let all = if self.is_openai() { all - all % 128 } else { all };
                if all < minimum { 0 } else { all }
            }
        }
    }

    /// What is too little to be called a miss: providers round, and estimates err.
    fn noise(&self, expected: usize) -> usize {
        let exact = match self.reading {
            Reading::Breakpoints => 0,
            _ if self.is_openai() => 256,
            Reading::Ends | Reading::Anywhere => 1024,
        };
        if self.positions.is_billed { exact } else { exact.max(expected / 8) }
    }

    /// The breakpoints that the request before wrote, with the tokens up to each and its lifetime.
    fn written(&self) -> Vec<(usize, usize, u64)> {
        let request = &self.before.request;
        let marked = request.blocks.iter().enumerate();
        let mut written: Vec<(usize, usize, u64)> = marked
            .filter_map(|(at, block)| Some((at, self.positions.upto(at), block.breakpoint?.lifetime.unwrap_or(SHORT))))
            .collect();
        if let (Some(whole), Some(last)) = (request.automatic, last_cacheable(request))
            && written.last().is_none_or(|(at, ..)| *at < last)
        {
            written.push((last, self.positions.upto(last), whole.lifetime.unwrap_or(SHORT)));
        }
        let minimum = self.model.as_ref().and_then(|model| model.minimum).unwrap_or(0);
        // An estimate that is near the minimum may be wrong about it.
        written.retain(|(_, upto, _)| upto.saturating_add(upto / 8) >= minimum);
        written
    }

    /// All that holds, with the tokens that can be read in spite of it, in the order in which it is named.
    fn holding(&self, expected: usize) -> Vec<(MissCause, usize)> {
        let mut holding = Vec::new();
        let (was, is) = (&self.before.request, &self.now.request);
        if was.target != is.target {
            holding.push((MissCause::Target, 0));
        }
        if !self.same_model {
            let name = |request: &SentRequest| request.model.clone().unwrap_or_else(|| "no model".to_owned());
            holding.push((MissCause::Model { before: name(was), now: name(is) }, 0));
        }
        let written = self.written();
        let surviving = |is_kept: &dyn Fn(&(usize, usize, u64)) -> bool| {
            written.iter().filter(|one| is_kept(one)).map(|(_, upto, _)| *upto).max().unwrap_or(0)
        };
        let is_before = |at: usize| was.blocks.get(at).is_some_and(|block| block.part != Part::Messages);
        for change in &self.difference.parameters {
            let upto = match (change.reach, self.reading) {
                (Reach::All, _) => 0,
                (_, Reading::Breakpoints) => surviving(&|(at, ..)| is_before(*at)),
                _ => {
                    self.positions.before(was.blocks.iter().position(|block| block.part == Part::Messages).unwrap_or(0))
                }
            };
            holding.push((MissCause::Parameter(change.clone()), upto));
        }
        if let Some(change) = &self.difference.change {
            let common = self.difference.common;
            let upto = match self.reading {
                Reading::Breakpoints => surviving(&|(at, ..)| *at < common),
                Reading::Ends => self.positions.before(common),
                Reading::Anywhere => self.positions.before(common).saturating_add(self.within(change)),
            };
            holding.push((MissCause::Changed(change.clone()), upto));
        }
        if self.reading == Reading::Breakpoints {
            self.breakpoints(&written, &mut holding);
        }
        if let Some(elapsed) = self.elapsed() {
            let upto = match self.reading {
                Reading::Breakpoints => surviving(&|(_, _, lifetime)| elapsed <= *lifetime),
                _ if self.lifetime().is_some_and(|lifetime| elapsed > lifetime) => 0,
                _ => expected,
            };
            if let Some(lifetime) = self.lifetime() {
                holding.push((MissCause::Expired { elapsed, lifetime }, upto));
            }
        }
        if let (Some(at), Some(answered)) = (self.now.at, self.before.answered)
            && at < answered
        {
            holding.push((MissCause::TooEarly, self.before.usage.as_ref().and_then(|usage| usage.read).unwrap_or(0)));
        }
        let noise = self.noise(expected);
        holding.retain(|(_, upto)| upto.saturating_add(noise) < expected);
        holding
    }

    /// Breakpoints that are not there, or too far away.
    fn breakpoints(&self, written: &[(usize, usize, u64)], holding: &mut Vec<(MissCause, usize)>) {
        let is = &self.now.request;
        if !marks(is) {
            holding.push((MissCause::NoBreakpoint, 0));
            return;
        }
        let blocks = self.model.as_ref().and_then(|model| model.look_back).unwrap_or(LOOK_BACK);
        let mut from: Vec<usize> = (0..is.blocks.len()).filter(|at| is.blocks[*at].breakpoint.is_some()).collect();
        from.extend(is.automatic.and(last_cacheable(is)));
        let is_found = |at: usize| from.iter().any(|from| *from >= at && from - at < blocks);
        let mut same = written.iter().filter(|(at, ..)| *at < self.difference.common);
        let reached = same.clone().filter(|(at, ..)| is_found(*at)).map(|(_, upto, _)| *upto).max().unwrap_or(0);
        let (Some((last, upto, _)), Some(newest)) = (same.next_back(), from.iter().max()) else { return };
        if reached < *upto {
            holding.push((MissCause::LookBack { appended: newest.saturating_sub(*last), blocks }, reached));
        }
    }

    /// The tokens of a block that differs, up to where it does.
    fn within(&self, change: &BlockChange) -> usize {
        let Some(block) = self.before.request.blocks.get(change.block) else { return 0 };
        let tokens = self.positions.upto(change.block) - self.positions.before(change.block);
        let (byte, all) = (change.byte.min(block.text.len()), block.text.len().max(1));
        usize::try_from(tokens as u128 * byte as u128 / all as u128).unwrap_or(tokens)
    }

    /// The seconds between the beginnings of the two.
    fn elapsed(&self) -> Option<u64> {
        let seconds = |at: Timestamp| at.as_second();
        let (was, is) = (self.before.at?, self.now.at?);
        u64::try_from(seconds(is) - seconds(was)).ok()
    }

    /// The longest that anything of the request before lives; none if nothing is promised.
    fn lifetime(&self) -> Option<u64> {
        match self.reading {
            Reading::Breakpoints => self.written().iter().map(|(.., lifetime)| *lifetime).max(),
            _ => {
                let asked = self.before.request.lifetime;
                asked.or_else(|| self.model.as_ref().and_then(|model| model.lifetimes.first().copied()))
            }
        }
    }

    fn is_openai(&self) -> bool {
        match &self.model {
            Some(model) => model.provider == Provider::OpenAi,
            None => matches!(self.now.request.target, Target::OpenAiChat | Target::OpenAiResponses),
        }
    }

    /// The part up to the end of which it was read.
    fn survived(&self, read: usize) -> Option<Part> {
        if read == 0 {
            return None;
        }
        let last = |part: Part| self.before.request.blocks.iter().rposition(|block| block.part <= part);
        let parts = [Part::Tools, Part::System].into_iter().filter_map(|part| Some((part, last(part)?)));
        let off = |at: usize| self.positions.upto(at).abs_diff(read);
        let (part, at) = parts.min_by_key(|(_, at)| off(*at))?;
        match off(at) <= read / 8 + 128 {
            true => Some(part),
            false => (read > self.positions.upto(at)).then_some(Part::Messages),
        }
    }

    /// What cannot be the reason.
    fn ruled_out(&self, causes: &[MissCause]) -> Vec<String> {
        let mut words = Vec::new();
        let is_said = |name: &str| causes.iter().any(|cause| cause.name() == name);
        if self.same_model && !is_said("model_changed") {
            words.push("the model is the same".to_owned());
        }
        if self.difference.parameters.is_empty() {
            words.push("so are all parameters".to_owned());
        }
        match &self.difference.change {
            None => words.push("all that the request before said is there, byte for byte".to_owned()),
            Some(change) => {
                words.push(format!("{} blocks before {} are the same", self.difference.common, change.pointer))
            }
        }
        if let (Some(elapsed), Some(lifetime)) = (self.elapsed(), self.lifetime())
            && elapsed <= lifetime
        {
            words.push(format!("{} of {} have passed", super::words::time(elapsed), super::words::time(lifetime)));
        }
        words
    }

    /// What so many tokens cost more than reading them, at the prices that were paid.
    fn cost(&self, lost: usize) -> Option<Cost> {
        let model = self.model.as_ref()?;
        let usage = self.now.usage.as_ref();
        let (write, long) = match usage {
            Some(usage) => (usage.write.unwrap_or(0), usage.long_write.unwrap_or(0)),
            // Nothing is billed yet: by the markers.
            None if self.reading == Reading::Breakpoints && self.lifetime().is_some_and(|seconds| seconds > SHORT) => {
                (lost, lost)
            }
            None if model.explicit_breakpoints => (lost, 0),
            None => (0, 0),
        };
        let written = write.min(lost);
        let written_long =
            if write == 0 { 0 } else { usize::try_from(written as u128 * long as u128 / write as u128).ok()? };
        let billed = Billed {
            written: written - written_long.min(written),
            written_long: written_long.min(written),
            plain: lost - written,
            read: 0,
        };
        billed.more_than_reading(model)
    }
}

/// Whether a request marks anything.
fn marks(request: &SentRequest) -> bool {
    request.automatic.is_some() || request.blocks.iter().any(|block| block.breakpoint.is_some())
}

fn last_cacheable(request: &SentRequest) -> Option<usize> {
    request.blocks.iter().rposition(|block| block.is_cacheable())
}
