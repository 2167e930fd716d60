//! Drift, renewal and compaction.

use std::collections::BTreeMap;
use std::sync::Arc;

use antefix::freeze::{Cause, ConversationId, Epoch};
use antefix::keeper::{Began, Compacted, Renewed};
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::IntoResponse;
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

use super::json;
use crate::document;
use crate::http::body::{Asked, Fields, Id, Situated, Unknown, refuse};
use crate::http::names::{CauseName, OutcomeName};
use crate::http::problem::{Answer, Problem, ProblemDocument};
use crate::http::{Server, work};
use crate::ledger::document::{
    BegunDocument, CompactionDocument, DriftDocument, begun as begun_document, compaction, drift as drift_document,
};
use crate::ledger::price::Bill;
use crate::setup::Prepared;

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(super) struct Where {
    /// The working directory; else that of the standing epoch.
    cwd: Option<String>,
    /// The model; else that of the standing epoch.
    model: Option<String>,
}

/// What composing now would change, and what that would cost; nothing is stored
///
/// What is not said is as the standing epoch has it: directory, machine, model and tools.
#[utoipa::path(get, path = "/conversations/{id}/drift", tag = "epoch", params(("id" = String, Path), Where), responses(
    (status = 200, body = DriftDocument<'static>), (status = 400, body = ProblemDocument),
    (status = 403, body = ProblemDocument), (status = 404, body = ProblemDocument), (status = 422, body = ProblemDocument),
    (status = 503, body = ProblemDocument)))]
pub(super) async fn drift(
    State(server): State<Arc<Server>>,
    Id(conversation): Id,
    Asked(place): Asked<Where>,
) -> Answer {
    work::compose(server, move |server| {
        let situated = Situated { cwd: place.cwd, model: place.model, ..Situated::default() };
        let prepared = standing(server, &conversation, situated)?;
        let keeper = server.kept.keeper()?;
        let mut drift = prepared.with_input(|input| keeper.drift(&conversation, input))?;
        drift.diagnostics.splice(0..0, prepared.diagnostics());
        let models = prepared.models()?;
        let model = prepared.model();
        let bill = drift.difference.as_ref().map(|one| Bill::new(one, &drift.next, model, &models));
        Ok(json(&drift_document(conversation.as_str(), &drift, bill.as_ref())))
    })
    .await
}

/// Everything for composing for a conversation that stands.
fn standing(server: &Server, conversation: &ConversationId, mut situated: Situated) -> Answer<Prepared> {
    let keeper = server.kept.keeper()?;
    server.as_it_stands(keeper, conversation, &mut situated)?;
    server.prepared(keeper, situated)
}

#[derive(Deserialize, ToSchema)]
pub(super) struct RenewalBody {
    /// `requested` if not said.
    #[schema(value_type = Option<CauseName>)]
    cause: Option<String>,
    #[serde(flatten)]
    situated: Situated,
    #[serde(flatten)]
    #[schema(ignore)]
    unknown: Unknown,
}

/// Begin a new epoch, unless the bytes are the same
///
/// What is not said is as the standing epoch has it: directory, machine, model and tools.
#[utoipa::path(post, path = "/conversations/{id}/renewals", tag = "epoch", request_body = RenewalBody,
    params(("id" = String, Path)), responses(
    (status = 200, body = BegunDocument<'static>), (status = 400, body = ProblemDocument),
    (status = 403, body = ProblemDocument), (status = 404, body = ProblemDocument), (status = 409, body = ProblemDocument),
    (status = 422, body = ProblemDocument), (status = 503, body = ProblemDocument)))]
pub(super) async fn renew(
    State(server): State<Arc<Server>>,
    Id(conversation): Id,
    Fields(body): Fields<RenewalBody>,
) -> Answer {
    refuse(&body.unknown)?;
    let cause = cause(body.cause.as_deref())?;
    work::compose(server, move |server| {
        let prepared = standing(server, &conversation, body.situated)?;
        let keeper = server.kept.keeper()?;
        let Renewed { epoch, began, hooks, diagnostics } =
            prepared.with_input(|input| keeper.renew(&conversation, cause, input))?;
        if began == Began::Now {
            count(server, &epoch);
        }
        let mut findings = prepared.diagnostics();
        findings.extend(diagnostics);
        Ok(json(&begun_document(conversation.as_str(), Some(began), &epoch, &hooks, &findings)))
    })
    .await
}

fn cause(name: Option<&str>) -> Answer<Cause> {
    let unknown = |why: String| Problem::bad("Field 'cause' names no cause that can be given").hint(why);
    crate::args::parse_cause(name.unwrap_or("requested")).map_err(unknown)
}

fn count(server: &Server, epoch: &Epoch) {
    server.metrics.epoch(epoch.cause());
}

#[derive(Deserialize, ToSchema)]
pub(super) struct CompactionBody {
    #[serde(flatten)]
    situated: Situated,
    #[serde(flatten)]
    #[schema(ignore)]
    unknown: Unknown,
}

/// Begin a compaction: the ledger stays as it is
#[utoipa::path(post, path = "/conversations/{id}/compaction", operation_id = "begin_compaction", tag = "epoch", request_body = CompactionBody,
    params(("id" = String, Path)), responses(
    (status = 201, body = CompactionDocument<'static>), (status = 400, body = ProblemDocument), (status = 403, body = ProblemDocument),
    (status = 404, body = ProblemDocument), (status = 422, body = ProblemDocument), (status = 503, body = ProblemDocument)))]
pub(super) async fn begin(
    State(server): State<Arc<Server>>,
    Id(conversation): Id,
    Fields(body): Fields<CompactionBody>,
) -> Answer {
    refuse(&body.unknown)?;
    work::compose(server, move |server| {
        let prepared = standing(server, &conversation, body.situated)?;
        let keeper = server.kept.keeper()?;
        let begun = prepared.with_input(|input| keeper.compaction().begin(&conversation, input))?;
        let mut findings = prepared.diagnostics();
        findings.extend(begun.diagnostics.iter().cloned());
        let document = document::print(&compaction(conversation.as_str(), &begun, &findings));
        Ok((StatusCode::CREATED, [("content-type", "application/json")], document).into_response())
    })
    .await
}

#[derive(Deserialize, ToSchema)]
pub(super) struct EndBody {
    /// `succeeded` begins the new epoch; `failed` leaves all as it was, and may be said again.
    #[schema(value_type = OutcomeName)]
    outcome: String,
    #[serde(flatten)]
    situated: Situated,
    #[serde(flatten)]
    #[schema(ignore)]
    unknown: Unknown,
}

/// End a compaction
#[utoipa::path(put, path = "/conversations/{id}/compaction/{token}", operation_id = "end_compaction", tag = "epoch", request_body = EndBody,
    params(("id" = String, Path), ("token" = String, Path)), responses(
    (status = 200, body = BegunDocument<'static>), (status = 400, body = ProblemDocument), (status = 403, body = ProblemDocument),
    (status = 404, body = ProblemDocument),
    (status = 409, body = ProblemDocument, description = "It was ended, or another one took its place"),
    (status = 422, body = ProblemDocument), (status = 503, body = ProblemDocument)))]
pub(super) async fn end(
    State(server): State<Arc<Server>>,
    Id(conversation): Id,
    Path(path): Path<BTreeMap<String, String>>,
    Fields(body): Fields<EndBody>,
) -> Answer {
    refuse(&body.unknown)?;
    let succeeded = match body.outcome.as_str() {
        "succeeded" => true,
        "failed" => false,
        _ => return Err(Problem::bad("Field 'outcome' must be 'succeeded' or 'failed'")),
    };
    work::compose(server, move |server| {
        let token = path.get("token").map(String::as_str).unwrap_or_default();
        let keeper = server.kept.keeper()?;
        let prepared = standing(server, &conversation, body.situated)?;
        let Compacted { epoch, began, hooks, diagnostics } = if succeeded {
            prepared.with_input(|input| keeper.compaction().commit(&conversation, token, input))?
        } else {
            keeper.compaction().abort(&conversation, token)?;
            let (epoch, _) = keeper.standing(&conversation)?;
            Compacted { epoch, began: Began::Before, hooks: Vec::new(), diagnostics: Vec::new() }
        };
        if began == Began::Now {
            count(server, &epoch);
        }
        let mut findings = prepared.diagnostics();
        findings.extend(diagnostics);
        Ok(json(&begun_document(conversation.as_str(), None, &epoch, &hooks, &findings)))
    })
    .await
}
