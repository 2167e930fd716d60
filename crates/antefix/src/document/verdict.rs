//! What a cache gave back, or would, as a JSON document. Later versions only add to it.

use crate::deliver::{Content, Receipt, Target, deliver};
use crate::freeze::EpochBody;
use crate::models::Model;
use crate::observe::{Basis, Comparison, Divergence, Expectation, Explanation, Said, Stretch, Verdict};
use crate::tokens::{Tokenizer, Tokens};
use serde::Serialize;

use super::Finding;
use super::ledger::DifferenceOf;
use crate::diagnostic::Diagnostic;
use crate::error::Result;

/// The receipt of an epoch that nobody kept one of: its prefix, in the shape of a target, with its tokens counted.
pub fn receipt(body: &EpochBody, target: Target, model: Option<&Model>) -> Result<Receipt> {
    let tools = body.parsed_tools()?;
    let content = Content::of_epoch(body, tools);
    let tokenizer = model.map_or(&Tokenizer::Exact, |model| &model.tokenizer);
    Ok(deliver(&content, target, model)?.counted(tokenizer).receipt)
}

/// What sending one epoch's prefix behind another's would do at a target: what `drift --for` says. It is what the
/// [`Simulator`](crate::observe::Simulator) bills for the two.
pub fn prediction(before: &EpochBody, next: &EpochBody, target: Target, model: Option<&Model>) -> Result<Expectation> {
    let (first, second) = (receipt(before, target, model)?, receipt(next, target, model)?);
    let epochs = Some((before, next));
    Comparison { before: Some(&first), now: &second, model, epochs, elapsed: None }.expectation()
}

/// What `why --json` prints.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct VerdictDocument<'v> {
    outcome: &'static str,
    as_expected: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    until: Option<&'v str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    explanation: Option<ExplanationOf>,
    usage: UsageOf,
    #[serde(skip_serializing_if = "Option::is_none")]
    provider: Option<SaidOf<'v>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<Object>))]
    lost_tokens: Option<Tokens>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cost: Option<String>,
    expected: ExpectationDocument<'v>,
    words: String,
    diagnostics: Vec<Finding<'v>>,
}

/// What should be read: a part of `why --json`, and `prediction` of `drift --json`.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ExpectationDocument<'e> {
    target: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<&'e str>,
    parting: PartingOf<'e>,
    #[serde(skip_serializing_if = "Option::is_none")]
    difference: Option<DifferenceOf<'e>>,
    prefix: StretchOf,
    #[serde(skip_serializing_if = "Option::is_none")]
    kept: Option<KeptOf<'e>>,
    lost: StretchOf,
    #[serde(skip_serializing_if = "Option::is_none")]
    cost: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    short: Option<ExplanationOf>,
    tokens: &'static str,
    words: String,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
struct PartingOf<'p> {
    code: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    part: Option<&'p str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pointer: Option<&'p str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    begins_at: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<&'p str>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
struct StretchOf {
    bytes: usize,
    #[cfg_attr(feature = "schema", schema(value_type = Object))]
    tokens: Tokens,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
struct KeptOf<'k> {
    behind: &'k str,
    #[serde(flatten)]
    stretch: StretchOf,
    #[serde(skip_serializing_if = "Option::is_none")]
    lifetime_seconds: Option<u64>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
struct UsageOf {
    target: &'static str,
    input_tokens: Option<usize>,
    read_tokens: Option<usize>,
    write_tokens: Option<usize>,
    long_write_tokens: Option<usize>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
struct SaidOf<'s> {
    says: &'s str,
    #[serde(skip_serializing_if = "Option::is_none")]
    missed_tokens: Option<usize>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
struct ExplanationOf {
    code: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    elapsed_seconds: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lifetime_seconds: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    minimum_tokens: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    grown_messages: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    look_back_blocks: Option<usize>,
}

/// What a cache gave back, held against what it should have, and what is worth knowing about it.
pub fn verdict<'v>(verdict: &'v Verdict, diagnostics: &'v [Diagnostic]) -> VerdictDocument<'v> {
    let usage = &verdict.usage;
    VerdictDocument {
        outcome: verdict.outcome.name(),
        as_expected: verdict.as_expected,
        until: verdict.until.as_deref(),
        explanation: verdict.explanation.as_ref().map(ExplanationOf::new),
        usage: UsageOf {
            target: usage.target.name(),
            input_tokens: usage.input,
            read_tokens: usage.read,
            write_tokens: usage.write,
            long_write_tokens: usage.long_write,
        },
        provider: usage.said.as_ref().map(|said| match said {
            Said::Hit => SaidOf { says: "cache_hit", missed_tokens: None },
            Said::Miss { reason, missed } => SaidOf { says: reason, missed_tokens: *missed },
            Said::Unknown(word) => SaidOf { says: word, missed_tokens: None },
        }),
        lost_tokens: verdict.lost,
        cost: verdict.cost.map(|cost| cost.to_string()),
        expected: expectation(&verdict.expectation),
        words: verdict.to_string(),
        diagnostics: diagnostics.iter().map(Finding::of_diagnostic).collect(),
    }
}

/// What a cache should give back.
pub fn expectation(expectation: &Expectation) -> ExpectationDocument<'_> {
    ExpectationDocument {
        target: expectation.target.name(),
        model: expectation.model.as_ref().map(|model| model.name.as_str()),
        parting: PartingOf::new(&expectation.divergence),
        difference: expectation.difference.as_ref().map(|difference| DifferenceOf::new(difference, None)),
        prefix: StretchOf::new(expectation.prefix),
        kept: expectation.kept.as_ref().map(|kept| KeptOf {
            behind: &kept.what,
            stretch: StretchOf::new(kept.stretch),
            lifetime_seconds: kept.lifetime,
        }),
        lost: StretchOf::new(expectation.lost),
        cost: expectation.cost.map(|cost| cost.to_string()),
        short: expectation.short.as_ref().map(ExplanationOf::new),
        tokens: match expectation.basis {
            Basis::Counted => "counted",
            Basis::Bytes => "from-bytes",
        },
        words: expectation.prediction(),
    }
}

impl<'p> PartingOf<'p> {
    fn new(divergence: &'p Divergence) -> PartingOf<'p> {
        let mut of = PartingOf { code: divergence.name(), part: None, pointer: None, begins_at: None, before: None };
        match divergence {
            Divergence::First | Divergence::Nowhere | Divergence::Key => {}
            Divergence::Target(before) => of.before = Some(before),
            Divergence::Model(before) => of.before = before.as_deref(),
            Divergence::Part { what, pointer, begins } => {
                (of.part, of.pointer, of.begins_at) = (Some(what.as_str()), Some(pointer.as_str()), Some(*begins));
            }
            Divergence::Behind { what, pointer } => {
                (of.part, of.pointer) = (Some(what.as_str()), Some(pointer.as_str()))
            }
        }
        of
    }
}

impl StretchOf {
    fn new(stretch: Stretch) -> StretchOf {
        StretchOf { bytes: stretch.bytes, tokens: stretch.tokens }
    }
}

impl ExplanationOf {
    fn new(explanation: &Explanation) -> ExplanationOf {
        let mut of = ExplanationOf {
            code: explanation.name(),
            elapsed_seconds: None,
            lifetime_seconds: None,
            minimum_tokens: None,
            grown_messages: None,
            look_back_blocks: None,
        };
        match explanation {
            Explanation::First | Explanation::Differs | Explanation::Key | Explanation::Provider(_) => {}
            Explanation::Lifetime { elapsed, lifetime } => {
                (of.elapsed_seconds, of.lifetime_seconds) = (Some(*elapsed), Some(*lifetime));
            }
            Explanation::Minimum { minimum, .. } => of.minimum_tokens = Some(*minimum),
            Explanation::LookBack { grown, blocks } => {
                (of.grown_messages, of.look_back_blocks) = (Some(*grown), Some(*blocks));
            }
            Explanation::Evicted { lifetime, elapsed } => {
                (of.elapsed_seconds, of.lifetime_seconds) = (*elapsed, *lifetime);
            }
        }
        of
    }
}
