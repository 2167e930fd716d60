//! What was found out about requests, as a JSON document. Later versions only add to it.

use serde::Serialize;

use super::Finding;
use crate::observe::{
    Attribution, Judgment, Known, MissCause, ParameterChange, Said, SentBlock, SentOrigin, SentRequest, Side,
};
use crate::project::{Observed, ObservedRequest};
use crate::tokens::Tokens;

/// What `why --requests --json` prints.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ObservedDocument<'o> {
    requests: Vec<ObservedRequestOf<'o>>,
    /// Entries of a recording that are no request of a provider that is known.
    others: usize,
    diagnostics: Vec<Finding<'o>>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
struct ObservedRequestOf<'o> {
    target: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<&'o str>,
    kind: &'static str,
    conversation: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<String>,
    bytes: usize,
    blocks: Vec<SentBlockOf<'o>>,
    shares: Vec<SentShareOf>,
    judgment: JudgmentOf<'o>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
struct SentBlockOf<'o> {
    part: &'static str,
    #[serde(skip_serializing_if = "str::is_empty")]
    role: &'o str,
    kind: &'static str,
    pointer: &'o str,
    bytes: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'o str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    breakpoint: Option<SentBreakpointOf>,
    origins: Vec<SentRangeOf>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
struct SentBreakpointOf {
    #[serde(skip_serializing_if = "Option::is_none")]
    lifetime_seconds: Option<u64>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
struct SentRangeOf {
    start: usize,
    end: usize,
    #[serde(flatten)]
    origin: SentOriginOf,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
struct SentOriginOf {
    origin: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lines: Option<[usize; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    server: Option<String>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
struct SentShareOf {
    #[serde(flatten)]
    origin: SentOriginOf,
    #[cfg_attr(feature = "schema", schema(value_type = Object))]
    tokens: Tokens,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
struct JudgmentOf<'o> {
    outcome: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    expected_tokens: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    read_tokens: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lost_tokens: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cost: Option<String>,
    avoidable: bool,
    causes: Vec<MissCauseOf<'o>>,
    unexplained_tokens: usize,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    ruled_out: &'o [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    survived: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    provider: Option<&'o str>,
    words: String,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
struct MissCauseOf<'o> {
    code: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'o str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pointer: Option<&'o str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    byte: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<SentSideOf<'o>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    now: Option<SentSideOf<'o>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    elapsed_seconds: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lifetime_seconds: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    appended_blocks: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    look_back_blocks: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    requests: Option<usize>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
struct SentSideOf<'o> {
    text: &'o str,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    origin: Option<SentOriginOf>,
}

/// Requests, and what became of them; `texts` are those that they were searched for.
pub fn observed<'o>(observed: &'o Observed, texts: &Known) -> ObservedDocument<'o> {
    ObservedDocument {
        requests: observed.requests.iter().map(|request| ObservedRequestOf::new(request, texts)).collect(),
        others: observed.others,
        diagnostics: observed.diagnostics.iter().map(Finding::of_diagnostic).collect(),
    }
}

impl<'o> ObservedRequestOf<'o> {
    fn new(observed: &'o ObservedRequest, texts: &Known) -> ObservedRequestOf<'o> {
        let ObservedRequest { exchange, kind, link, judgment, shares } = observed;
        let request = &exchange.request;
        let share = |(origin, tokens): &(SentOrigin, Tokens)| SentShareOf {
            origin: SentOriginOf::new(origin),
            tokens: *tokens,
        };
        ObservedRequestOf {
            target: request.target.name(),
            model: request.model.as_deref(),
            kind: kind.name(),
            conversation: link.conversation,
            before: link.before,
            at: exchange.at.map(|at| at.to_string()),
            bytes: request.bytes,
            blocks: blocks(request, texts),
            shares: shares.iter().map(share).collect(),
            judgment: JudgmentOf::new(judgment),
        }
    }
}

fn blocks<'o>(request: &'o SentRequest, texts: &Known) -> Vec<SentBlockOf<'o>> {
    let mut all = request.attribute(texts).into_iter().peekable();
    let of = |(number, block): (usize, &'o SentBlock)| {
        let mut origins = Vec::new();
        while let Some(Attribution { range, origin, .. }) = all.next_if(|one| one.block == number) {
            origins.push(SentRangeOf { start: range.start, end: range.end, origin: SentOriginOf::new(&origin) });
        }
        SentBlockOf {
            part: block.part.name(),
            role: &block.role,
            kind: block.kind.name(),
            pointer: &block.pointer,
            bytes: block.text.len(),
            name: block.name.as_deref(),
            breakpoint: block.breakpoint.map(|breakpoint| SentBreakpointOf { lifetime_seconds: breakpoint.lifetime }),
            origins,
        }
    };
    request.blocks.iter().enumerate().map(of).collect()
}

impl SentOriginOf {
    fn new(origin: &SentOrigin) -> SentOriginOf {
        let mut of = SentOriginOf { origin: origin.name(), path: None, lines: None, server: None };
        match origin {
            SentOrigin::File { path, lines, .. } => {
                (of.path, of.lines) = (Some(path.clone()), Some([lines.0, lines.1]))
            }
            SentOrigin::Tool { server } => of.server.clone_from(server),
            _ => {}
        }
        of
    }
}

impl<'o> JudgmentOf<'o> {
    fn new(judgment: &'o Judgment) -> JudgmentOf<'o> {
        JudgmentOf {
            outcome: judgment.outcome.name(),
            expected_tokens: judgment.expected,
            read_tokens: judgment.read,
            lost_tokens: judgment.lost,
            cost: judgment.cost.map(|cost| cost.to_string()),
            avoidable: judgment.is_avoidable(),
            causes: judgment.causes.iter().map(MissCauseOf::new).collect(),
            unexplained_tokens: judgment.unexplained,
            ruled_out: &judgment.ruled_out,
            survived: judgment.survived.map(|part| part.name()),
            provider: judgment.said.as_ref().map(|said| match said {
                Said::Hit => "cache_hit",
                Said::Miss { reason, .. } => reason,
                Said::Unknown(word) => word,
            }),
            words: judgment.to_string(),
        }
    }
}

impl<'o> MissCauseOf<'o> {
    fn new(cause: &'o MissCause) -> MissCauseOf<'o> {
        let mut of = MissCauseOf {
            code: cause.name(),
            name: None,
            pointer: None,
            byte: None,
            before: None,
            now: None,
            elapsed_seconds: None,
            lifetime_seconds: None,
            appended_blocks: None,
            look_back_blocks: None,
            requests: None,
        };
        let value = |text: &'o str| SentSideOf { text, origin: None };
        let side = |side: &'o Side| SentSideOf { text: &side.excerpt, origin: Some(SentOriginOf::new(&side.origin)) };
        match cause {
            MissCause::Model { before, now } => (of.before, of.now) = (Some(value(before)), Some(value(now))),
            MissCause::Parameter(ParameterChange { name, before, now, .. }) => {
                of.name = Some(name);
                (of.before, of.now) = (before.as_deref().map(value), now.as_deref().map(value));
            }
            MissCause::Changed(change) => {
                (of.pointer, of.byte) = (Some(change.pointer.as_str()), Some(change.byte));
                (of.before, of.now) = (change.before.as_ref().map(side), change.now.as_ref().map(side));
            }
            MissCause::LookBack { appended, blocks } => {
                (of.appended_blocks, of.look_back_blocks) = (Some(*appended), Some(*blocks));
            }
            MissCause::Expired { elapsed, lifetime } => {
                (of.elapsed_seconds, of.lifetime_seconds) = (Some(*elapsed), Some(*lifetime));
            }
            MissCause::MayHaveExpired { lifetime } => of.lifetime_seconds = *lifetime,
            MissCause::Crowded { requests } => of.requests = Some(*requests),
            MissCause::Target | MissCause::NoBreakpoint | MissCause::TooEarly | MissCause::ProviderSide => {}
        }
        of
    }
}
