//! What is wrong: with a prompt, and with the request that it would be sent in.

use std::sync::Arc;

use antefix::Target;
use antefix::deliver::rules::Breach;
use antefix::document::{Finding, Findings};
use antefix::project::Look;
use axum::extract::State;
use serde_json::Value;

use super::json;
use super::turns::unknown_target;
use crate::body::Fields;
use crate::problem::{Answer, Problem, ProblemDocument};
use crate::said::{CheckBody, CheckRequestBody, meant};
use crate::{Shared, work};

/// What is wrong with a prompt, and what a provider would refuse of its request; nothing is stored
///
/// The document is the one of `antefix check --for TARGET --json`.
#[utoipa::path(post, path = "/check", operation_id = "check", tag = "observe", request_body = CheckBody, responses(
    (status = 200, body = Findings<'static>), (status = 400, body = ProblemDocument),
    (status = 403, body = ProblemDocument, description = "The directory is not under a root"),
    (status = 404, body = ProblemDocument, description = "No such layout"),
    (status = 422, body = ProblemDocument, description = "The prompt cannot be composed, or the target cannot take it"),
    (status = 503, body = ProblemDocument)))]
pub(super) async fn post(State(server): State<Arc<Shared>>, Fields(body): Fields<CheckBody>) -> Answer {
    let target = target(&body.target)?;
    work::look(server, move |server| check(server, target, body)).await
}

fn check(server: &Shared, target: Target, mut body: CheckBody) -> Answer {
    let context = body.context();
    let project = server.project(context.cwd.as_deref())?;
    let mut ask = context.ask(server)?;
    ask.messages = body.messages.map(Into::into);
    let preview = project.preview(meant(ask)?, Look::Closely)?;
    let mut diagnostics = preview.diagnostics.clone();
    diagnostics.extend(preview.breaches(target)?.iter().map(Breach::to_diagnostic));
    Ok(json(&Findings { diagnostics: diagnostics.iter().map(Finding::of_diagnostic).collect() }))
}

/// What a provider would refuse of a request, whoever made it
///
/// The document is the one of `antefix check --for TARGET --request FILE --json`.
#[utoipa::path(post, path = "/check/request", operation_id = "check_request", tag = "observe",
    request_body = CheckRequestBody, responses(
    (status = 200, body = Findings<'static>), (status = 400, body = ProblemDocument),
    (status = 503, body = ProblemDocument)))]
pub(super) async fn request(State(server): State<Arc<Shared>>, Fields(body): Fields<CheckRequestBody>) -> Answer {
    let target = target(&body.target)?;
    if body.model.as_deref() == Some("") {
        return Err(Problem::bad("Field 'model' must not be empty"));
    }
    work::look(server, move |server| {
        let request = Value::Object(body.request);
        let diagnostics = server.antefix.check_request(&request, target, body.model.as_deref());
        Ok(json(&Findings { diagnostics: diagnostics.iter().map(Finding::of_diagnostic).collect() }))
    })
    .await
}

fn target(name: &str) -> Answer<Target> {
    Target::parse(name).ok_or_else(|| unknown_target(name))
}
