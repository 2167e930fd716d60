//! Drift, renewal and compaction.

use std::collections::BTreeMap;
use std::sync::Arc;

use antefix::Target;
use antefix::freeze::Cause;
use antefix::keeper::{Began, Compacted, Renewed};
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::IntoResponse;
use serde::Deserialize;
use utoipa::IntoParams;

use super::json;
use super::turns::target_named;
use crate::body::{Asked, Fields, Id};
use crate::context::new_ask;
use crate::problem::{Answer, Problem, ProblemDocument};
use crate::said::{CompactionBody, EndBody, RenewalBody, meant};
use crate::{Shared, work};
use antefix::document;
use antefix::document::Bill;
use antefix::document::ledger::{
    BegunDocument, CompactionDocument, DriftDocument, begun as begun_document, compaction, drift as drift_document,
};

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
pub(super) async fn drift(State(server): State<Arc<Shared>>, Id(id): Id, Asked(place): Asked<Where>) -> Answer {
    work::look(server, move |server| {
        let conversation = server.open_conversation(&id, place.cwd.as_deref())?;
        let mut ask = new_ask();
        ask.model = place.model;
        let drift = conversation.drift(ask.clone())?;
        let model = ask.model.as_deref().or(drift.epoch.row().model.as_deref());
        let (models, _) = server.antefix.models();
        let bill = drift.difference.as_ref().map(|one| Bill::new(one, &drift.next, model, &models));
        Ok(json(&drift_document(id.as_str(), &drift, bill.as_ref())))
    })
    .await
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
    State(server): State<Arc<Shared>>,
    Id(id): Id,
    Fields(mut body): Fields<RenewalBody>,
) -> Answer {
    let cause = cause(body.cause.as_deref())?;
    work::write(server, move |server| {
        let context = body.context();
        let conversation = server.open_conversation(&id, context.cwd.as_deref())?;
        let Renewed { epoch, began, hooks, diagnostics } = conversation.renew(cause, context.ask(server)?)?;
        if began == Began::Now {
            server.metrics.epoch(epoch.cause());
        }
        Ok(json(&begun_document(id.as_str(), Some(began), &epoch, &hooks, &diagnostics)))
    })
    .await
}

fn cause(name: Option<&str>) -> Answer<Cause> {
    let unknown = |why: String| Problem::bad("Field 'cause' names no cause that can be given").hint(why);
    Cause::parse_given(name.unwrap_or("requested")).map_err(unknown)
}

/// Begin a compaction: a conversation that nobody opened is opened, the ledger of any other stays as it is
///
/// With a `target`, the answer has the request for the summary. Unless the layout says otherwise it is like the request of the next turn, with
/// what asks for the summary as its last message, so that the provider reads what it has cached of the conversation.
#[utoipa::path(post, path = "/conversations/{id}/compaction", operation_id = "begin_compaction", tag = "epoch", request_body = CompactionBody,
    params(("id" = String, Path)), responses(
    (status = 201, body = CompactionDocument<'static>), (status = 400, body = ProblemDocument), (status = 403, body = ProblemDocument),
    (status = 404, body = ProblemDocument), (status = 409, body = ProblemDocument), (status = 422, body = ProblemDocument), (status = 503, body = ProblemDocument)))]
pub(super) async fn begin(
    State(server): State<Arc<Shared>>,
    Id(id): Id,
    Fields(mut body): Fields<CompactionBody>,
) -> Answer {
    work::write(server, move |server| {
        let context = body.context();
        let conversation = server.conversation(&id, context.cwd.as_deref())?;
        let target = body.target.as_deref().map_or(Ok(Target::Plain), target_named)?;
        let mut ask = context.ask(server)?;
        ask.messages = body.messages.map(Into::into);
        let begun = conversation.begin_compaction(meant(ask)?)?;
        let delivery = match target {
            Target::Plain => None,
            target => Some(begun.deliver(target)?.counted(&begun.tokenizer())),
        };
        if begun.opened == Began::Now {
            server.metrics.epoch(begun.epoch.cause());
        }
        let document = document::print(&compaction(id.as_str(), &begun, delivery.as_ref()));
        Ok((StatusCode::CREATED, [("content-type", "application/json")], document).into_response())
    })
    .await
}

/// End a compaction
#[utoipa::path(put, path = "/conversations/{id}/compaction/{token}", operation_id = "end_compaction", tag = "epoch", request_body = EndBody,
    params(("id" = String, Path), ("token" = String, Path)), responses(
    (status = 200, body = BegunDocument<'static>), (status = 400, body = ProblemDocument), (status = 403, body = ProblemDocument),
    (status = 404, body = ProblemDocument),
    (status = 409, body = ProblemDocument, description = "It was ended, or another one took its place"),
    (status = 422, body = ProblemDocument), (status = 503, body = ProblemDocument)))]
pub(super) async fn end(
    State(server): State<Arc<Shared>>,
    Id(id): Id,
    Path(path): Path<BTreeMap<String, String>>,
    Fields(mut body): Fields<EndBody>,
) -> Answer {
    let succeeded = match body.outcome.as_str() {
        "succeeded" => true,
        "failed" => false,
        _ => return Err(Problem::bad("Field 'outcome' must be 'succeeded' or 'failed'")),
    };
    work::write(server, move |server| {
        let token = path.get("token").map(String::as_str).unwrap_or_default();
        let context = body.context();
        let conversation = server.open_conversation(&id, context.cwd.as_deref())?;
        let ask = context.ask(server)?;
        let Compacted { epoch, began, hooks, diagnostics } = if succeeded {
            conversation.commit_compaction(token, ask)?
        } else {
            conversation.abort_compaction(token)?;
            let (epoch, _) = conversation.standing()?;
            Compacted { epoch, began: Began::Before, hooks: Vec::new(), diagnostics: Vec::new() }
        };
        if began == Began::Now {
            server.metrics.epoch(epoch.cause());
        }
        Ok(json(&begun_document(id.as_str(), None, &epoch, &hooks, &diagnostics)))
    })
    .await
}
