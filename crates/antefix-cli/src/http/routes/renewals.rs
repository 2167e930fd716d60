//! Drift, renewal and compaction.

use std::collections::BTreeMap;
use std::sync::Arc;

use antefix::Diagnostic;
use antefix::freeze::{Cause, ConversationId, Epoch};
use antefix::keeper::Began;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::IntoResponse;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::json;
use crate::document::{self, Finding};
use crate::http::body::{Asked, Fields, Id, Situated, Unknown, refuse};
use crate::http::problem::{Answer, Problem, ProblemDocument};
use crate::http::{Server, work};
use crate::ledger::document::{DriftDocument, EpochOf, drift as drift_document};
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
    /// `requested` if not said; `reloaded`, `tools-changed`, `resources-changed` or `moved`.
    cause: Option<String>,
    #[serde(flatten)]
    situated: Situated,
    #[serde(flatten)]
    #[schema(ignore)]
    unknown: Unknown,
}

/// How a renewal ended.
#[derive(Serialize, ToSchema)]
pub(super) struct RenewalDocument<'r> {
    conversation: &'r str,
    /// Whether an epoch began; not if composing gave the same bytes.
    began: bool,
    epoch: EpochOf<'r>,
    diagnostics: Vec<Finding<'r>>,
}

/// Begin a new epoch, unless the bytes are the same
///
/// What is not said is as the standing epoch has it: directory, machine, model and tools.
#[utoipa::path(post, path = "/conversations/{id}/renewals", tag = "epoch", request_body = RenewalBody,
    params(("id" = String, Path)), responses(
    (status = 200, body = RenewalDocument<'static>), (status = 400, body = ProblemDocument),
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
        let mut diagnostics = prepared.diagnostics();
        let (epoch, began) = prepared.with_input(|input| {
            let renewed = keeper.renew(&conversation, cause, input)?;
            if renewed.1 == Began::Now {
                diagnostics.extend(keeper.announce(&renewed.0, input).1);
            }
            Ok::<_, antefix::Error>(renewed)
        })?;
        if began == Began::Now {
            count(server, &epoch);
        }
        Ok(json(&RenewalDocument {
            conversation: conversation.as_str(),
            began: began == Began::Now,
            epoch: EpochOf::new(&epoch),
            diagnostics: findings(&diagnostics),
        }))
    })
    .await
}

fn cause(name: Option<&str>) -> Answer<Cause> {
    let unknown = |why: String| Problem::bad("Field 'cause' names no cause that can be given").hint(why);
    crate::args::parse_cause(name.unwrap_or("requested")).map_err(unknown)
}

fn findings(diagnostics: &[Diagnostic]) -> Vec<Finding<'_>> {
    diagnostics.iter().map(Finding::of_diagnostic).collect()
}

fn count(server: &Server, epoch: &Epoch) {
    server.metrics.add("antefix_epochs_total", &[("cause", epoch.cause().name())], 1);
}

#[derive(Deserialize, ToSchema)]
pub(super) struct CompactionBody {
    #[serde(flatten)]
    situated: Situated,
    #[serde(flatten)]
    #[schema(ignore)]
    unknown: Unknown,
}

/// A compaction that was begun.
#[derive(Serialize, ToSchema)]
pub(super) struct Begun<'c> {
    conversation: &'c str,
    /// What ends it.
    token: &'c str,
    /// The system text for the request that summarizes.
    prompt: &'c str,
    /// The epoch that stands.
    epoch: u64,
    /// Whether success begins a new epoch.
    renews: bool,
    diagnostics: Vec<Finding<'c>>,
}

/// Begin a compaction: the ledger stays as it is
#[utoipa::path(post, path = "/conversations/{id}/compaction", tag = "epoch", request_body = CompactionBody,
    params(("id" = String, Path)), responses(
    (status = 201, body = Begun<'static>), (status = 400, body = ProblemDocument), (status = 403, body = ProblemDocument),
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
        let mut diagnostics = prepared.diagnostics();
        diagnostics.extend(begun.diagnostics);
        let document = document::print(&Begun {
            conversation: conversation.as_str(),
            token: &begun.token,
            prompt: &begun.prompt,
            epoch: begun.epoch.number(),
            renews: begun.next.is_some(),
            diagnostics: findings(&diagnostics),
        });
        Ok((StatusCode::CREATED, [("content-type", "application/json")], document).into_response())
    })
    .await
}

#[derive(Deserialize, ToSchema)]
pub(super) struct EndBody {
    /// `succeeded` begins the new epoch; `failed` leaves all as it was.
    outcome: String,
    #[serde(flatten)]
    situated: Situated,
    #[serde(flatten)]
    #[schema(ignore)]
    unknown: Unknown,
}

/// How a compaction ended.
#[derive(Serialize, ToSchema)]
pub(super) struct Ended<'c> {
    conversation: &'c str,
    /// The epoch that stands now.
    epoch: EpochOf<'c>,
    diagnostics: Vec<Finding<'c>>,
}

/// End a compaction
#[utoipa::path(put, path = "/conversations/{id}/compaction/{token}", tag = "epoch", request_body = EndBody,
    params(("id" = String, Path), ("token" = String, Path)), responses(
    (status = 200, body = Ended<'static>), (status = 400, body = ProblemDocument), (status = 403, body = ProblemDocument),
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
        let mut diagnostics = Vec::new();
        let epoch = if succeeded {
            prepared.with_input(|input| {
                let epoch = keeper.compaction().commit(&conversation, token, input)?;
                if epoch.cause() == Cause::Compacted {
                    diagnostics.extend(keeper.announce(&epoch, input).1);
                    count(server, &epoch);
                }
                Ok::<_, antefix::Error>(epoch)
            })?
        } else {
            keeper.compaction().abort(&conversation, token)?;
            keeper.standing(&conversation)?.0
        };
        Ok(json(&Ended {
            conversation: conversation.as_str(),
            epoch: EpochOf::new(&epoch),
            diagnostics: findings(&diagnostics),
        }))
    })
    .await
}
