//! Turns, and messages that wait for them.

use std::sync::Arc;
use std::time::Instant;

use antefix::deliver::Target;
use antefix::freeze::Watch;
use antefix::keeper::{Began, Turn};
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::IntoResponse;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::{Noted, json};
use crate::http::body::{Fields, Id, Situated, Unknown, refuse};
use crate::http::names::{TargetName, WatchName};
use crate::http::problem::{Answer, Problem, ProblemDocument};
use crate::http::store::Distance;
use crate::http::{Server, work};
use crate::ledger::document::{TurnDocument, turn};
use crate::{delivery, document};

#[derive(Deserialize, ToSchema)]
pub(super) struct TurnBody {
    #[serde(flatten)]
    situated: Situated,
    /// The conversation so far, as the provider takes it.
    #[schema(value_type = Option<Vec<Value>>)]
    messages: Option<Vec<Value>>,
    /// In which shape the turn is wanted as well; `plain` has no fragment.
    #[schema(value_type = Option<TargetName>)]
    target: Option<String>,
    /// The system text of this turn alone, also the empty one; nothing is stored.
    r#override: Option<String>,
    /// Which facts of a standing epoch are asked for again: `all`, or `acting` for those alone whose sections do something
    /// about a change, which is faster and lists nothing as pending that is only held back.
    #[schema(value_type = Option<WatchName>)]
    watch: Option<String>,
    /// A name for this turn: asked for again under it, it gets the same queued messages again.
    turn: Option<String>,
    #[serde(flatten)]
    #[schema(ignore)]
    unknown: Unknown,
}

/// Open a conversation, or go on with it
///
/// Asking again is safe: a standing epoch is the same bytes every time, racing first turns get one epoch, and queued
/// messages go again with a turn that names itself. So there is no Idempotency-Key.
#[utoipa::path(post, path = "/conversations/{id}/turns", operation_id = "turn", tag = "conversation", request_body = TurnBody,
    params(("id" = String, Path, description = "Any text of 1 to 200 bytes")), responses(
    (status = 200, body = TurnDocument<'static>), (status = 400, body = ProblemDocument),
    (status = 403, body = ProblemDocument, description = "The directory is not under a root"),
    (status = 409, body = ProblemDocument), (status = 413, body = ProblemDocument), (status = 415, body = ProblemDocument),
    (status = 422, body = ProblemDocument, description = "The template cannot be rendered, or the target cannot take it"),
    (status = 503, body = ProblemDocument)))]
pub(super) async fn post(State(server): State<Arc<Server>>, id: Id, Fields(body): Fields<TurnBody>) -> Answer {
    refuse(&body.unknown)?;
    if is_near(&server, &id, &body) {
        return work::briefly(server, move |server| answer(server, &id, body)).await;
    }
    work::compose(server, move |server| answer(server, &id, body)).await
}

/// Whether a turn is taken right here; see `near.rs`.
fn is_near(server: &Server, Id(conversation): &Id, body: &TurnBody) -> bool {
    let plain = body.target.is_none() && body.turn.is_none();
    plain && server.kept.distance() == Distance::Here && server.near.has(conversation, body.situated.cwd.as_deref())
}

fn answer(server: &Server, Id(conversation): &Id, body: TurnBody) -> Answer {
    let begun = Instant::now();
    let TurnBody { mut situated, messages, target, r#override: replacement, turn: name, watch, .. } = body;
    let target = match target.as_deref() {
        None => Target::Plain,
        Some(name) => Target::parse(name).ok_or_else(|| unknown_target(name))?,
    };
    let watch = match watch.as_deref() {
        None | Some("all") => Watch::All,
        Some("acting") => Watch::Acting,
        Some(_) => return Err(Problem::bad("Field 'watch' must be 'all' or 'acting'")),
    };
    let keeper = server.kept.keeper()?;
    let asked = situated.cwd.clone();
    server.stay(keeper, conversation, &mut situated)?;
    let prepared = server.prepared(keeper, situated)?;
    let mut done = prepared.with_input(|input| {
        let mut input = *input;
        input.watch = watch;
        input.id = name.as_deref();
        input.messages = messages.as_ref().map(Vec::len);
        input.replacement = replacement.as_deref();
        input.history = messages.as_deref();
        keeper.turn(conversation, &input)
    })?;
    done.diagnostics.splice(0..0, prepared.diagnostics());
    let passed_on = done.passed_on();
    let delivery = match target {
        Target::Plain => None,
        target => {
            let delivery = delivery::deliver(done.content(prepared.tools(), &passed_on), target, &prepared)?;
            Some(delivery::counted_here(delivery, &prepared)?)
        }
    };
    if let Some(epoch) = &done.epoch {
        server.told.remember(epoch);
    }
    count(server, &done);
    let took = begun.elapsed();
    server.metrics.took("antefix_compose_seconds", &[], took);
    if done.began == Began::Before && prepared.is_near() {
        server.near.note(conversation, asked, took);
    }
    let written =
        done.epoch.as_ref().filter(|_| done.replacement.is_none()).and_then(|epoch| server.escaped.prefix(epoch));
    let document = turn(conversation.as_str(), &done, delivery.as_ref()).with_prefix(written.as_deref());
    let mut response = json(&document);
    response.extensions_mut().insert(Noted {
        epoch: done.epoch.as_ref().map(|epoch| epoch.number()),
        digest: done.epoch.as_ref().map(|epoch| epoch.digest().to_string()),
    });
    Ok(response)
}

fn unknown_target(name: &str) -> Problem {
    let names: Vec<&str> = Target::ALL.iter().map(|target| target.name()).collect();
    Problem::bad(format!("There is no target '{}'", name.escape_debug()))
        .hint(format!("there are {}", names.join(", ")))
}

fn count(server: &Server, turn: &Turn) {
    let metrics = &server.metrics;
    let began = if turn.began == Began::Now { "yes" } else { "no" };
    metrics.add("antefix_turns_total", &[("began", began)], 1);
    metrics.add("antefix_prompt_bytes_total", &[], turn.prefix().len() as u64);
    metrics.add("antefix_amendments_total", &[], turn.fresh as u64);
    if let (Began::Now, Some(epoch)) = (turn.began, &turn.epoch) {
        metrics.add("antefix_epochs_total", &[("cause", epoch.cause().name())], 1);
    }
}

#[derive(Deserialize, ToSchema)]
pub(super) struct MessageBody {
    /// What to say.
    message: String,
    #[serde(flatten)]
    #[schema(ignore)]
    unknown: Unknown,
}

/// A message that waits.
#[derive(Serialize, ToSchema)]
pub(super) struct Queued<'m> {
    conversation: &'m str,
    number: u64,
}

/// Queue a message for the next turn
#[utoipa::path(post, path = "/conversations/{id}/messages", operation_id = "send", tag = "conversation", request_body = MessageBody,
    params(("id" = String, Path, description = "Any text of 1 to 200 bytes")), responses(
    (status = 201, body = Queued<'static>), (status = 400, body = ProblemDocument), (status = 413, body = ProblemDocument),
    (status = 415, body = ProblemDocument), (status = 503, body = ProblemDocument)))]
pub(super) async fn message(State(server): State<Arc<Server>>, id: Id, Fields(body): Fields<MessageBody>) -> Answer {
    refuse(&body.unknown)?;
    work::compose(server, move |server| {
        let Id(conversation) = &id;
        let number = server.kept.keeper()?.send(conversation, &body.message, jiff::Timestamp::now())?;
        let document = document::print(&Queued { conversation: conversation.as_str(), number });
        Ok((StatusCode::CREATED, [("content-type", "application/json")], document).into_response())
    })
    .await
}
