//! What past sessions cost, as a JSON document and as comma-separated values. Later versions only add to them.

use serde::Serialize;

use super::Finding;
use crate::models::Cost;
use crate::observe::{Loss, LossAt, LossCause, Sum};
use crate::project::AuditReport;

/// What `audit --json` prints.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct AuditDocument<'a> {
    total: SumOf,
    by_agent: Vec<AuditRowOf<'a>>,
    by_project: Vec<AuditRowOf<'a>>,
    by_day: Vec<AuditRowOf<'a>>,
    by_model: Vec<AuditRowOf<'a>>,
    by_cause: Vec<AuditCauseOf>,
    losses: Vec<LossOf<'a>>,
    savings: SavingsOf,
    /// What agents' own books have more than all of their lines: titles, summaries, answers that broke off.
    hidden_cost: String,
    unknown_models: Vec<UnknownOf<'a>>,
    files: usize,
    lines: usize,
    unknown_lines: usize,
    provider_reasons: usize,
    provider_reasons_equal: usize,
    prices_of: &'a str,
    places: Vec<PlaceOf<'a>>,
    diagnostics: Vec<Finding<'a>>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
struct SumOf {
    requests: usize,
    input_tokens: usize,
    read_tokens: usize,
    written_tokens: usize,
    written_1h_tokens: usize,
    output_tokens: usize,
    cost: String,
    rebilled: LossSumOf,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
struct LossSumOf {
    times: usize,
    tokens: usize,
    cost: String,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
struct AuditRowOf<'a> {
    name: &'a str,
    #[serde(flatten)]
    sum: SumOf,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
struct AuditCauseOf {
    code: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    commit: Option<String>,
    conversations: usize,
    #[serde(flatten)]
    loss: LossSumOf,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
struct LossOf<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<String>,
    agent: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    project: Option<&'a str>,
    conversation: &'a str,
    model: &'a str,
    cause: &'static str,
    tokens: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    cost: Option<String>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
struct SavingsOf {
    hour_saved: String,
    hour_extra: String,
    tools_cost: String,
    tools_known_requests: usize,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
struct UnknownOf<'a> {
    model: &'a str,
    requests: usize,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
struct PlaceOf<'a> {
    agent: &'a str,
    path: &'a str,
    transcripts: usize,
}

/// What past sessions cost.
pub fn audit(report: &AuditReport) -> AuditDocument<'_> {
    let audit = &report.audit;
    let savings = audit.savings;
    AuditDocument {
        total: SumOf::new(audit.total),
        by_agent: rows(&audit.by_agent),
        by_project: rows(&audit.by_project),
        by_day: rows(&audit.by_day),
        by_model: rows(&audit.by_model),
        by_cause: audit
            .by_cause
            .iter()
            .map(|(cause, loss)| AuditCauseOf::new(cause, *loss, audit.conversations(cause)))
            .collect(),
        losses: audit.losses.iter().map(LossOf::new).collect(),
        savings: SavingsOf {
            hour_saved: savings.hour_saved.to_string(),
            hour_extra: savings.hour_extra.to_string(),
            tools_cost: savings.tools.to_string(),
            tools_known_requests: savings.tools_known,
        },
        hidden_cost: Cost::of_micro_dollars(audit.hidden).to_string(),
        unknown_models: audit
            .unknown_models
            .iter()
            .map(|(model, requests)| UnknownOf { model, requests: *requests })
            .collect(),
        files: audit.files,
        lines: audit.lines.0,
        unknown_lines: audit.lines.1,
        provider_reasons: audit.agreement.0,
        provider_reasons_equal: audit.agreement.1,
        prices_of: &audit.prices_of,
        places: report
            .places
            .iter()
            .map(|(agent, path, transcripts)| PlaceOf { agent, path, transcripts: *transcripts })
            .collect(),
        diagnostics: report.diagnostics.iter().map(Finding::of_diagnostic).collect(),
    }
}

/// All tables, one line a row: for spreadsheets.
pub fn audit_csv(report: &AuditReport) -> String {
    let audit = &report.audit;
    let mut text = "table,name,requests,input_tokens,read_tokens,written_tokens,output_tokens,cost_usd,rebilled_times,rebilled_tokens,rebilled_usd\n".to_owned();
    let mut line = |table: &str, name: &str, sum: Sum| {
        let (billed, loss) = (sum.billed, sum.loss);
        let numbers = [sum.requests, billed.input(), billed.read, billed.written + billed.written_long, sum.output]
            .map(|number| number.to_string());
        let dollars = |cost: Cost| cost.to_string().trim_start_matches('$').to_owned();
        let rest = [dollars(sum.cost), loss.times.to_string(), loss.tokens.to_string(), dollars(loss.cost)];
        text.push_str(&format!("{table},{},{},{}\n", quoted(name), numbers.join(","), rest.join(",")));
    };
    line("total", "", audit.total);
    let tables = [
        ("agent", &audit.by_agent),
        ("project", &audit.by_project),
        ("day", &audit.by_day),
        ("model", &audit.by_model),
    ];
    for (table, rows) in tables {
        rows.iter().for_each(|(name, sum)| line(table, name, *sum));
    }
    for (cause, loss) in &audit.by_cause {
        let name = match cause {
            LossCause::Instructions { place, commit } => format!("{} {place} {commit}", cause.name()),
            other => other.name().to_owned(),
        };
        line("cause", &name, Sum { loss: *loss, ..Sum::default() });
    }
    text
}

/// A field that a spreadsheet reads as one, and as no formula.
fn quoted(field: &str) -> String {
    let guard = if field.starts_with(['=', '+', '-', '@', '\t']) { "'" } else { "" };
    match field.contains([',', '"', '\n', '\r']) || !guard.is_empty() {
        true => format!("\"{guard}{}\"", field.replace('"', "\"\"")),
        false => field.to_owned(),
    }
}

fn rows(table: &[(String, Sum)]) -> Vec<AuditRowOf<'_>> {
    table.iter().map(|(name, sum)| AuditRowOf { name, sum: SumOf::new(*sum) }).collect()
}

impl SumOf {
    fn new(sum: Sum) -> SumOf {
        SumOf {
            requests: sum.requests,
            input_tokens: sum.billed.input(),
            read_tokens: sum.billed.read,
            written_tokens: sum.billed.written + sum.billed.written_long,
            written_1h_tokens: sum.billed.written_long,
            output_tokens: sum.output,
            cost: sum.cost.to_string(),
            rebilled: LossSumOf::new(sum.loss),
        }
    }
}

impl LossSumOf {
    fn new(loss: Loss) -> LossSumOf {
        LossSumOf { times: loss.times, tokens: loss.tokens, cost: loss.cost.to_string() }
    }
}

impl AuditCauseOf {
    fn new(cause: &LossCause, loss: Loss, conversations: usize) -> AuditCauseOf {
        let (place, commit) = match cause {
            LossCause::Instructions { place, commit } => (Some(place.clone()), Some(commit.clone())),
            _ => (None, None),
        };
        AuditCauseOf { code: cause.name(), place, commit, conversations, loss: LossSumOf::new(loss) }
    }
}

impl<'a> LossOf<'a> {
    fn new(loss: &'a LossAt) -> LossOf<'a> {
        LossOf {
            at: loss.at.map(|at| at.to_string()),
            agent: &loss.agent,
            project: loss.project.as_deref(),
            conversation: &loss.chain,
            model: &loss.model,
            cause: loss.cause.name(),
            tokens: loss.tokens,
            cost: loss.cost.map(|cost| cost.to_string()),
        }
    }
}
