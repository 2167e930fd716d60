//! Prompts, findings and the catalog.

use std::collections::BTreeMap;

use crate::compose::template::HiddenFacts;
use crate::compose::{Layout, Prompt};
use crate::diagnostic::{Diagnostic, Subject};
use crate::discover::Report;
use crate::discover::catalog::{CATALOG, Pace};
use crate::hooks::{Program, TrustState};
use crate::text::{Digest, FactName, LineNumbers, Origin, SourceKind};
use crate::tokens::{ENCODING, Tokenizer, Tokens};
use serde::Serialize;

use super::tools::ToolsOf;
use super::{Heading, Share, Tally, ToolTally};
use crate::project::Preview;

/// What `explain --json` prints. Offsets are bytes into prefix and suffix together.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Explanation<'p> {
    layout: &'p str,
    /// The layout's own names for places that templates are loaded from, such as `$insomnia`, with what each stands for.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    aliases: BTreeMap<String, String>,
    /// What the layout hides from templates.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    hidden: Vec<&'p str>,
    /// What the model is told of tools, before all else.
    #[serde(skip_serializing_if = "Option::is_none")]
    tools: Option<ToolsOf<'p>>,
    prefix: Part<'p>,
    suffix: Part<'p>,
    sections: Vec<Section<'p>>,
    left_out: Vec<LeftOut<'p>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    instruction_order: Option<&'p str>,
    spans: Vec<Span<'p>>,
    loaded: Vec<Loaded<'p>>,
    not_loaded: Vec<NotLoaded<'p>>,
    gaps: Vec<Gap<'p>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    hooks: Vec<DeclaredHook<'p>>,
    diagnostics: Vec<Finding<'p>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    token_counts: Option<TokenCounts<'p>>,
    /// Who says how much of the prompt, most first: what `explain --json` adds.
    #[serde(skip_serializing_if = "Option::is_none")]
    shares: Option<Vec<ShareOf<'p>>>,
}

impl<'p> Explanation<'p> {
    /// The same document, with who says how much.
    #[must_use]
    pub fn with_shares(mut self, shares: &'p [Share]) -> Explanation<'p> {
        self.shares = Some(shares.iter().map(share).collect());
        self
    }
}

/// What one origin says.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
struct ShareOf<'p> {
    origin: OriginOf<'p>,
    sections: &'p [String],
    bytes: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens: Option<usize>,
    /// By Markdown heading, if that was asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    headings: Vec<HeadingOf<'p>>,
}

/// What is said under a Markdown heading, up to the next one.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
struct HeadingOf<'p> {
    /// From 1; none for what comes before the first heading.
    #[serde(skip_serializing_if = "Option::is_none")]
    level: Option<usize>,
    title: &'p str,
    bytes: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens: Option<usize>,
}

fn share(share: &Share) -> ShareOf<'_> {
    let count = |tokens: Option<Tokens>| tokens.map(|tokens| tokens.count);
    ShareOf {
        origin: origin(&share.origin, None),
        sections: &share.sections,
        bytes: share.bytes,
        tokens: count(share.tokens),
        headings: share
            .headings
            .iter()
            .map(|Heading { level, title, bytes, tokens }| HeadingOf {
                level: *level,
                title,
                bytes: *bytes,
                tokens: count(*tokens),
            })
            .collect(),
    }
}

/// What the numbers called `tokens` are: a count in `encoding`, or, if not exact, the likeliest value of an estimate.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct TokenCounts<'p> {
    encoding: &'static str,
    exact: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<&'p str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    band: Option<Band<'p>>,
    prefix: Count,
    suffix: Count,
    total: Count,
}

/// In thousandths of the count in `encoding`.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
struct Band<'p> {
    low: u32,
    likely: u32,
    high: u32,
    from: &'p str,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
struct Count {
    count: usize,
    low: usize,
    high: usize,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
struct Part<'p> {
    text: &'p str,
    bytes: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens: Option<usize>,
    digest: String,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
struct Section<'p> {
    id: &'p str,
    stability: &'static str,
    /// Who says it; not there if the system does.
    #[serde(skip_serializing_if = "Option::is_none")]
    role: Option<&'static str>,
    start: usize,
    end: usize,
    bytes: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens: Option<usize>,
    digest: String,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
struct LeftOut<'p> {
    id: &'p str,
    why: &'p str,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
struct Span<'p> {
    start: usize,
    end: usize,
    section: &'p str,
    origin: OriginOf<'p>,
    #[serde(skip_serializing_if = "Option::is_none")]
    transform: Option<&'static str>,
}

/// An origin: of a span, of something loaded, of a finding.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub(super) struct OriginOf<'p> {
    kind: &'static str,
    name: &'p str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) path: Option<&'p str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) column: Option<usize>,
}

impl<'p> OriginOf<'p> {
    /// The origin of something that a report lists.
    fn reported(report: &Report, name: &'p FactName, path: Option<&'p str>) -> OriginOf<'p> {
        let origin = OriginOf::fact(name.as_str(), path);
        if report.by_caller.contains(name) { OriginOf { kind: "caller", ..origin } } else { origin }
    }

    fn fact(name: &'p str, path: Option<&'p str>) -> OriginOf<'p> {
        let kind = match path {
            None => "variable",
            Some(_) if name.starts_with("identity:") || name.starts_with("memory:") => "remote",
            Some(_) if name.starts_with("tools:") => "server",
            Some(_) => "file",
        };
        OriginOf { kind, name, path, line: None, column: None }
    }
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
struct Loaded<'p> {
    origin: OriginOf<'p>,
    bytes: usize,
    /// How many bytes there were before it was cut, if it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    whole: Option<usize>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
struct NotLoaded<'p> {
    origin: OriginOf<'p>,
    reason: &'static str,
    detail: String,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
struct Gap<'p> {
    section: &'p str,
    fact: &'p str,
    reason: &'static str,
    detail: String,
}

/// A diagnostic. `start` and `end` are bytes of the source that `origin` names.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Finding<'p> {
    pub(super) level: &'static str,
    pub(super) code: &'p str,
    pub(super) message: &'p str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) origin: Option<OriginOf<'p>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    start: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) hint: Option<&'p str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    refused: Option<RefusedOf<'p>>,
}

/// The rule of a provider's that a request breaks, and where.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
struct RefusedOf<'p> {
    rule: &'p str,
    /// The place in the request, as a JSON pointer; empty for all of it.
    pointer: &'p str,
    /// The page or the report that says that this is refused.
    source: &'p str,
}

impl<'p> Finding<'p> {
    /// How much it matters, by name.
    pub fn level(&self) -> &'static str {
        self.level
    }

    /// What it is, by name.
    pub fn code(&self) -> &'p str {
        self.code
    }

    /// The message.
    pub fn message(&self) -> &'p str {
        self.message
    }

    /// An error, as a finding.
    pub fn of_error(error: &'p crate::Error) -> Finding<'p> {
        Finding::new("error", "error", error.message(), error.place(), None, error.hint())
    }

    /// An error that is about no text.
    pub fn plain(message: &'p str, hint: Option<&'p str>) -> Finding<'p> {
        Finding::new("error", "error", message, None, None, hint)
    }

    /// The document of a diagnostic.
    pub fn of_diagnostic(diagnostic: &'p Diagnostic) -> Finding<'p> {
        Finding::new(
            diagnostic.level.name(),
            diagnostic.code.name(),
            &diagnostic.message,
            diagnostic.place.as_ref(),
            diagnostic.about.as_ref(),
            diagnostic.hint.as_deref(),
        )
    }

    fn new(
        level: &'static str,
        code: &'p str,
        message: &'p str,
        place: Option<&'p crate::text::Place>,
        about: Option<&'p Subject>,
        hint: Option<&'p str>,
    ) -> Finding<'p> {
        let origin = match place {
            Some(place) => {
                let (line, column) = place.line_column();
                let source = &place.source;
                Some(OriginOf {
                    kind: source.kind.name(),
                    name: &source.name,
                    path: source.path.as_deref(),
                    line: Some(line),
                    column: Some(column),
                })
            }
            None => about.filter(|about| !matches!(about, Subject::Request { .. })).map(|about| {
                let (line, column) = about.place().unzip();
                OriginOf { line, column, ..OriginOf::fact(about.name().unwrap_or(about.label()), about.path()) }
            }),
        };
        let refused = match about {
            Some(Subject::Request { pointer, rule, source }) => Some(RefusedOf { rule, pointer, source }),
            _ => None,
        };
        // Of a file that is data only the line is known, so that bytes would be counted from there.
        let range = place.filter(|place| place.source.kind != SourceKind::File).map(|place| place.range.clone());
        let (start, end) = (range.as_ref().map(|range| range.start), range.as_ref().map(|range| range.end));
        Finding { level, code, message, origin, start, end, hint, refused }
    }
}

/// What `check --json` prints.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Findings<'p> {
    /// In the order in which they were found.
    pub diagnostics: Vec<Finding<'p>>,
}

/// What an explanation is about.
#[derive(Clone, Copy)]
pub struct Explained<'p> {
    /// The prompt.
    pub prompt: &'p Prompt,
    /// What was loaded and what was not.
    pub report: &'p Report,
    /// What is worth knowing.
    pub diagnostics: &'p [Diagnostic],
    /// In which order instruction files count, if the layout names them.
    pub order: Option<&'p str>,
    /// The layout.
    pub layout: &'p Layout,
    /// The hooks that the layout declares, each with whether it may run.
    pub hooks: &'p [(Program, TrustState)],
}

impl<'p> From<&'p Preview> for Explained<'p> {
    fn from(preview: &'p Preview) -> Explained<'p> {
        Explained {
            prompt: &preview.prompt,
            report: &preview.report,
            diagnostics: &preview.diagnostics,
            order: preview.order.as_deref(),
            layout: preview.layout(),
            hooks: &preview.hooks,
        }
    }
}

/// The document about a composed prompt.
pub fn explanation<'p>(
    about: impl Into<Explained<'p>>,
    tally: Option<&'p Tally>,
    tools: Option<&'p ToolTally>,
) -> Explanation<'p> {
    let Explained { prompt, report, diagnostics, order, layout, hooks } = about.into();
    Explanation {
        layout: prompt.layout(),
        aliases: layout.aliases().entries().collect(),
        hidden: layout.hidden().entries().collect(),
        tools: tools.map(ToolsOf::from),
        prefix: part(prompt.prefix(), tally.map(|tally| tally.prefix)),
        suffix: part(prompt.suffix(), tally.map(|tally| tally.suffix)),
        sections: sections(prompt, tally),
        left_out: prompt.left_out().iter().map(|left| LeftOut { id: &left.id, why: &left.why }).collect(),
        instruction_order: order,
        spans: spans(prompt),
        loaded: loaded(report),
        not_loaded: not_loaded(report),
        gaps: prompt
            .gaps()
            .iter()
            .map(|gap| Gap {
                section: &gap.section,
                fact: gap.fact.as_str(),
                reason: gap.reason.code.name(),
                detail: gap.reason.to_string(),
            })
            .collect(),
        hooks: hooks.iter().map(declared).collect(),
        diagnostics: diagnostics.iter().map(Finding::of_diagnostic).collect(),
        token_counts: tally.map(token_counts),
        shares: None,
    }
}

/// A hook that the layout declares, and whether it may run.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
struct DeclaredHook<'p> {
    name: &'p str,
    on: &'static str,
    command: &'p [String],
    trust: &'static str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    changed: Vec<String>,
}

fn declared((program, state): &(Program, TrustState)) -> DeclaredHook<'_> {
    let rule = program.rule();
    let changed = match state {
        TrustState::Modified(changes) => changes.clone(),
        TrustState::Shared { reason, .. } => vec![reason.clone()],
        TrustState::NotNeeded | TrustState::Trusted | TrustState::Untrusted => Vec::new(),
    };
    DeclaredHook { name: &rule.name, on: rule.on.name(), command: &rule.command, trust: state.name(), changed }
}

/// What the numbers called `tokens` are.
pub fn token_counts(tally: &Tally) -> TokenCounts<'_> {
    let count = |tokens: Tokens| Count { count: tokens.count, low: tokens.low, high: tokens.high };
    let band = match &tally.tokenizer {
        Tokenizer::Exact => None,
        Tokenizer::Estimate(band) => {
            Some(Band { low: band.low, likely: band.likely, high: band.high, from: &band.from })
        }
    };
    TokenCounts {
        encoding: ENCODING,
        exact: tally.tokenizer.is_exact(),
        model: tally.model.as_deref(),
        band,
        prefix: count(tally.prefix),
        suffix: count(tally.suffix),
        total: count(tally.prefix + tally.suffix),
    }
}

fn part(text: &str, tokens: Option<Tokens>) -> Part<'_> {
    Part { text, bytes: text.len(), tokens: tokens.map(|tokens| tokens.count), digest: Digest::of(text).to_string() }
}

fn sections<'p>(prompt: &'p Prompt, tally: Option<&Tally>) -> Vec<Section<'p>> {
    prompt
        .sections()
        .iter()
        .enumerate()
        .map(|(number, section)| Section {
            id: &section.id,
            stability: section.stability.name(),
            role: section.message.spoken_by(),
            start: section.range.start,
            end: section.range.end,
            bytes: section.range.len(),
            tokens: tally.and_then(|tally| tally.sections.get(number)).map(|tokens| tokens.count),
            digest: prompt.digest(section).to_string(),
        })
        .collect()
}

fn spans(prompt: &Prompt) -> Vec<Span<'_>> {
    let mut lines = LineNumbers::default();
    prompt
        .spans()
        .iter()
        .map(|span| Span {
            start: span.range.start,
            end: span.range.end,
            section: prompt.sections().get(span.section).map_or("", |section| &section.id),
            origin: origin(&span.origin, lines.of(&span.origin)),
            transform: span.transform.map(crate::text::Transform::name),
        })
        .collect()
}

fn origin(origin: &Origin, line: Option<usize>) -> OriginOf<'_> {
    OriginOf { kind: origin.kind(), name: origin.name(), path: origin.path(), line, column: None }
}

fn loaded(report: &Report) -> Vec<Loaded<'_>> {
    report
        .loaded
        .iter()
        .map(|loaded| Loaded {
            origin: OriginOf::reported(report, &loaded.fact, loaded.path.as_deref()),
            bytes: loaded.bytes,
            whole: loaded.is_cut().then_some(loaded.whole),
        })
        .collect()
}

fn not_loaded(report: &Report) -> Vec<NotLoaded<'_>> {
    report
        .not_loaded
        .iter()
        .map(|missing| NotLoaded {
            origin: OriginOf::reported(report, &missing.fact, missing.path.as_deref()),
            reason: missing.why.name(),
            detail: missing.detail(),
        })
        .collect()
}

/// What `vars --json` prints, and GET /system-prompt/variables answers.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Variables {
    variables: Vec<Variable>,
    /// What the layout hides from templates, of which `variables` has no row: `namespace:*`, or one fact.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    hidden: Vec<String>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
struct Variable {
    #[serde(rename = "type")]
    namespace: &'static str,
    name: &'static str,
    description: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    dynamic: Option<bool>,
    jinja: &'static str,
    changes: &'static str,
}

/// The document of the catalog without what is hidden, as `vars --json` prints it.
pub fn variables(hidden: &HiddenFacts) -> Variables {
    let variables = CATALOG
        .iter()
        .filter(|entry| !hidden.hides(&entry.fact()))
        .map(|entry| Variable {
            namespace: entry.namespace,
            name: entry.name,
            description: entry.description,
            dynamic: entry.is_dynamic().then_some(true),
            jinja: entry.jinja,
            changes: match entry.pace {
                Pace::Steady => "rarely",
                Pace::Daily => "daily",
                Pace::Volatile => "every-turn",
            },
        })
        .collect();
    Variables { variables, hidden: hidden.entries().map(str::to_owned).collect() }
}
