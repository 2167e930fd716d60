//! What past sessions cost, and what of it was paid twice.
//!
//! 1. A request counts once, in whichever files it is written. One that is only a copy still says what the next one could read.
//! 2. What the request before read and wrote should be read again. What is missing was billed anew, and has a [`LossCause`]: the first that the
//!    transcript shows, in the order of [`LossCause`]. One that it does not show is not guessed.
//! 3. Money is that of the table of models, which has a date. A model that is not in it has no price, and is named.
//! 4. What another habit would have saved is computed from the same figures, and what it would have cost more is taken off.

mod cause;
mod savings;

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use jiff::tz::TimeZone;

pub use self::cause::LossCause;
pub use self::savings::Savings;
use super::Billed;
use super::transcripts::{Call, Transcript};
use crate::models::{Cost, Match, Model, Models, Price};

/// Transcripts of one agent.
#[derive(Debug, Clone)]
pub struct AgentTranscripts {
    /// What people call the agent.
    pub agent: String,
    /// Its transcripts.
    pub transcripts: Vec<Transcript>,
}

/// What past sessions cost.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Audit {
    /// Everything.
    pub total: Sum,
    /// By agent, project, day and model, the dearest first; days in order.
    pub by_agent: Vec<(String, Sum)>,
    /// By the directory that the agent worked in.
    pub by_project: Vec<(String, Sum)>,
    /// By day.
    pub by_day: Vec<(String, Sum)>,
    /// By model.
    pub by_model: Vec<(String, Sum)>,
    /// What was billed anew, by cause, the dearest first.
    pub by_cause: Vec<(LossCause, Loss)>,
    /// Each loss, in the order of time.
    pub losses: Vec<LossAt>,
    /// Models that are not in the table, with their requests: what those cost is not known.
    pub unknown_models: Vec<(String, usize)>,
    /// How many lines were read, and how many of them were not understood.
    pub lines: (usize, usize),
    /// How many files were read.
    pub files: usize,
    /// What agents' own books have more than all of their lines, in micro-dollars: titles, summaries, answers that broke off.
    pub hidden: u128,
    /// In how many cases the provider said why it missed, and in how many of them that is what is said here.
    pub agreement: (usize, usize),
    /// What other habits would have saved.
    pub savings: Savings,
    /// The date of the prices.
    pub prices_of: String,
}

/// Requests, and what they cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sum {
    /// How many requests.
    pub requests: usize,
    /// Their input.
    pub billed: Billed,
    /// What models wrote.
    pub output: usize,
    /// What that cost, as far as prices are known.
    pub cost: Cost,
    /// What was billed anew.
    pub loss: Loss,
}

/// What was billed anew.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Loss {
    /// How often.
    pub times: usize,
    /// How many tokens.
    pub tokens: usize,
    /// What that cost more than reading them, as far as prices are known.
    pub cost: Cost,
}

/// One loss.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LossAt {
    /// When.
    pub at: Option<Timestamp>,
    /// When the request before was made.
    pub before: Option<Timestamp>,
    /// Where.
    pub project: Option<String>,
    /// By which agent.
    pub agent: String,
    /// The conversation.
    pub chain: String,
    /// With which model.
    pub model: String,
    /// Why.
    pub cause: LossCause,
    /// How many tokens.
    pub tokens: usize,
    /// What that cost more than reading them.
    pub cost: Option<Cost>,
}

/// Which requests count.
#[derive(Debug, Clone, Default)]
pub struct AuditRange {
    /// Only those since then.
    pub since: Option<Timestamp>,
    /// Only those of agents that worked in or below this directory.
    pub project: Option<String>,
    /// The time zone of days.
    pub zone: Option<TimeZone>,
}

impl Audit {
    /// Adds it all up.
    pub fn of(agents: &[AgentTranscripts], models: &Models, range: &AuditRange) -> Audit {
        let mut adding = Adding {
            audit: Audit::default(),
            models,
            range,
            rows: BTreeMap::new(),
            seen: BTreeSet::new(),
            tables: Tables::default(),
        };
        adding.audit.prices_of = models.as_of().to_owned();
        for AgentTranscripts { agent, transcripts } in agents {
            for transcript in transcripts {
                adding.transcript(agent, transcript);
            }
        }
        adding.finish()
    }
}

impl Audit {
    /// Names causes that transcripts do not show; none leaves a loss as it is.
    pub fn explain(&mut self, cause: impl Fn(&LossAt) -> Option<LossCause>) {
        for loss in &mut self.losses {
            if let Some(found) = cause(loss) {
                loss.cause = found;
            }
        }
        let mut causes: BTreeMap<&LossCause, Loss> = BTreeMap::new();
        for loss in &self.losses {
            let one = Loss { times: 1, tokens: loss.tokens, cost: loss.cost.unwrap_or_default() };
            causes.entry(&loss.cause).or_default().add(one);
        }
        self.by_cause = causes.into_iter().map(|(cause, loss)| (cause.clone(), loss)).collect();
        self.by_cause.sort_by(|one, other| other.1.cost.cmp(&one.1.cost).then_with(|| one.0.cmp(&other.0)));
    }

    /// How many conversations something was lost in for a cause.
    pub fn conversations(&self, cause: &LossCause) -> usize {
        let chains: BTreeSet<&str> =
            self.losses.iter().filter(|loss| loss.cause == *cause).map(|loss| loss.chain.as_str()).collect();
        chains.len()
    }
}

#[derive(Default)]
struct Tables {
    agents: BTreeMap<String, Sum>,
    projects: BTreeMap<String, Sum>,
    days: BTreeMap<String, Sum>,
    models: BTreeMap<String, Sum>,
    causes: BTreeMap<LossCause, Loss>,
    unknown: BTreeMap<String, usize>,
}

struct Adding<'a> {
    audit: Audit,
    models: &'a Models,
    range: &'a AuditRange,
    /// Rows of models by name: thousands of requests have the same few.
    rows: BTreeMap<String, Option<Model>>,
    seen: BTreeSet<String>,
    tables: Tables,
}

impl Adding<'_> {
    fn transcript(&mut self, agent: &str, transcript: &Transcript) {
        self.audit.files += 1;
        self.audit.lines.0 += transcript.lines;
        self.audit.lines.1 += transcript.unknown;
        if !self.is_of_project(transcript.project.as_deref()) {
            return;
        }
        let mut priced = Cost::default();
        let mut is_whole = true;
        for call in &transcript.calls {
            let is_copy = !call.id.is_empty() && !self.seen.insert(call.id.clone());
            let is_in_range = self.range.since.is_none_or(|since| call.at.is_none_or(|at| at >= since));
            let before = call.before.and_then(|before| transcript.calls.get(before));
            let model = self.row(&call.model);
            let cost = model.as_ref().and_then(|model| cost_of(call, model));
            if let Some(cost) = cost {
                priced = priced + cost;
            }
            is_whole &= cost.is_some() && !is_copy && is_in_range;
            if is_copy || !is_in_range {
                continue;
            }
            self.call(agent, transcript, call, before, model.as_ref(), cost);
        }
        // A fork's own total has its parent's in it, and one of which a part has no price says nothing.
        if let Some(own) = transcript.own_total.filter(|_| is_whole) {
            self.audit.hidden += own.saturating_sub(priced.micro_dollars());
        }
    }

    fn call(
        &mut self,
        agent: &str,
        transcript: &Transcript,
        call: &Call,
        before: Option<&Call>,
        model: Option<&Model>,
        cost: Option<Cost>,
    ) {
        let billed = billed(call);
        let mut sum =
            Sum { requests: 1, billed, output: call.output, cost: cost.unwrap_or_default(), loss: Loss::default() };
        if model.is_none_or(|model| model.prices.is_none()) {
            let name = if call.model.is_empty() { "(not said)" } else { &call.model };
            *self.tables.unknown.entry(name.to_owned()).or_default() += 1;
        }
        if let Some((cause, tokens)) = before.and_then(|before| cause::loss(before, call, model)) {
            let cost = model.and_then(|model| more(call, tokens, model));
            let loss = Loss { times: 1, tokens, cost: cost.unwrap_or_default() };
            sum.loss = loss;
            self.tables.causes.entry(cause.clone()).or_default().add(loss);
            if let Some(agrees) = cause::agrees(&cause, call.said.as_ref()) {
                self.audit.agreement.0 += 1;
                self.audit.agreement.1 += usize::from(agrees);
            }
            self.audit.losses.push(LossAt {
                at: call.at,
                before: before.and_then(|before| before.at),
                project: transcript.project.clone(),
                agent: agent.to_owned(),
                chain: call.chain.clone(),
                model: call.model.clone(),
                cause,
                tokens,
                cost,
            });
        }
        if let Some(model) = model {
            self.audit.savings.add(before, call, model);
        }
        self.audit.total.add(sum);
        let zone = self.range.zone.clone().unwrap_or(TimeZone::UTC);
        let day =
            call.at.map_or_else(|| "(not said)".to_owned(), |at| at.to_zoned(zone).strftime("%Y-%m-%d").to_string());
        let project = transcript.project.clone().unwrap_or_else(|| "(not said)".to_owned());
        let named = if call.model.is_empty() { "(not said)" } else { &call.model };
        let tables = &mut self.tables;
        let rows = [
            (&mut tables.agents, agent),
            (&mut tables.projects, &project),
            (&mut tables.days, &day),
            (&mut tables.models, named),
        ];
        for (table, key) in rows {
            match table.get_mut(key) {
                Some(row) => row.add(sum),
                None => drop(table.insert(key.to_owned(), sum)),
            }
        }
    }

    /// The row of a model; one that is only of a known family has no price of its own.
    fn row(&mut self, name: &str) -> Option<Model> {
        if let Some(row) = self.rows.get(name) {
            return row.clone();
        }
        let found = self.models.find(name).filter(|(_, found)| *found != Match::Family || name.is_empty());
        let row = found.map(|(model, _)| model);
        self.rows.insert(name.to_owned(), row.clone());
        row
    }

    fn is_of_project(&self, project: Option<&str>) -> bool {
        let Some(wanted) = self.range.project.as_deref() else { return true };
        let wanted = wanted.trim_end_matches('/');
        project
            .and_then(|project| project.strip_prefix(wanted))
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    fn finish(mut self) -> Audit {
        let dearest = |table: BTreeMap<String, Sum>| {
            let mut rows: Vec<(String, Sum)> = table.into_iter().collect();
            rows.sort_by(|one, other| other.1.cost.cmp(&one.1.cost).then_with(|| one.0.cmp(&other.0)));
            rows
        };
        self.audit.by_agent = dearest(self.tables.agents);
        self.audit.by_project = dearest(self.tables.projects);
        self.audit.by_model = dearest(self.tables.models);
        self.audit.by_day = self.tables.days.into_iter().collect();
        self.audit.by_cause = self.tables.causes.into_iter().collect();
        self.audit.by_cause.sort_by(|one, other| other.1.cost.cmp(&one.1.cost).then_with(|| one.0.cmp(&other.0)));
        self.audit.unknown_models = self.tables.unknown.into_iter().collect();
        self.audit.losses.sort_by_key(|loss| loss.at);
        self.audit
    }
}

impl Sum {
    fn add(&mut self, other: Sum) {
        self.requests += other.requests;
        self.billed += other.billed;
        self.output += other.output;
        self.cost = self.cost + other.cost;
        self.loss.add(other.loss);
    }

    /// How much of the input was read from caches, in thousandths.
    pub fn read_per_mille(&self) -> usize {
        (self.billed.read * 1000).checked_div(self.billed.input()).unwrap_or(0)
    }
}

impl Loss {
    fn add(&mut self, other: Loss) {
        self.times += other.times;
        self.tokens += other.tokens;
        self.cost = self.cost + other.cost;
    }
}

fn billed(call: &Call) -> Billed {
    let written = call.write.unwrap_or(0);
    let long = call.long_write.min(written);
    Billed { read: call.read.unwrap_or(0), written: written - long, written_long: long, plain: call.plain() }
}

/// What a request cost, input and output.
fn cost_of(call: &Call, model: &Model) -> Option<Cost> {
    Some(billed(call).cost(model)? + model.price(call.output, Price::Output).unwrap_or_default())
}

/// What tokens that should have been read cost more, at the prices that were paid.
fn more(call: &Call, tokens: usize, model: &Model) -> Option<Cost> {
    let all = billed(call);
    let both = all.written + all.written_long;
    let written = tokens.min(both);
    let share = |part: usize| usize::try_from(written as u128 * part as u128 / (both.max(1) as u128)).unwrap_or(0);
    let long = share(all.written_long);
    let lost = Billed { read: 0, written: written - long, written_long: long, plain: tokens - written };
    lost.more_than_reading(model)
}

#[cfg(test)]
mod tests;
