//! Turns, and messages that wait for them.

use std::sync::Arc;
use std::time::Instant;

use antefix::deliver::Target;
use antefix::freeze::Watch;
use antefix::keeper::{Began, Turn};
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::{noted, written};
use crate::http::body::{Fields, Id, Situated, Unknown, Unread, refuse};
use crate::http::bounds;
use crate::http::names::{TargetName, WatchName};
use crate::http::near::QUICK;
use crate::http::problem::{Answer, Problem, ProblemDocument};
use crate::http::stood::{Answered, Stands};
use crate::http::store::Distance;
use crate::http::{Server, rounds, work};
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
pub(super) async fn post(State(server): State<Arc<Server>>, id: Id, body: Unread) -> Answer {
    let begun = Instant::now();
    if let Some(again) = server.stood.again(&server, &id.0, &body.0) {
        rounds::gather().await;
        if let Some((known, document)) = again.holds(&server).await? {
            return Ok(recalled(&server, &known, document, begun));
        }
    }
    let fields: TurnBody = body.fields()?;
    refuse(&fields.unknown)?;
    fields.turn.as_deref().map(bounds::turn).transpose()?;
    if is_near(&server, &id, &fields) {
        return work::briefly(server, move |server| answer(server, &id, &body, fields)).await;
    }
    work::compose(server, move |server| answer(server, &id, &body, fields)).await
}

/// The answer to a turn for which nothing has changed.
fn recalled(server: &Server, known: &Answered, document: String, begun: Instant) -> Response {
    let epoch = known.epoch();
    server.metrics.turns[0].add(1);
    server.metrics.recalled.add(1);
    server.metrics.prompt_bytes.add(known.prefix_bytes());
    server.metrics.compose.add(begun.elapsed());
    noted(written(document), epoch.number, epoch.digest)
}

/// Whether a turn is taken right here; see `near.rs`.
fn is_near(server: &Server, Id(conversation): &Id, body: &TurnBody) -> bool {
    let plain = body.target.is_none() && body.turn.is_none();
    plain && server.kept.distance() == Distance::Here && server.near.has(conversation, body.situated.cwd.as_deref())
}

fn answer(server: &Server, Id(conversation): &Id, Unread(sent): &Unread, body: TurnBody) -> Answer {
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
    let (asked, has_clock) = (situated.cwd.clone(), situated.now.is_some());
    // Before anything is read of the store. Why it has none is told by the questions that follow.
    let stamp = keeper.store().stamp().ok().flatten();
    server.stay(keeper, conversation, &mut situated)?;
    let saved = server.saved(keeper)?;
    let cwd = situated.cwd.clone();
    let prepared = server.prepared_from(saved.as_deref(), situated)?;
    let (done, around) = prepared.with_around(|input| {
        let mut input = *input;
        input.watch = watch;
        input.id = name.as_deref();
        input.messages = messages.as_ref().map(Vec::len);
        input.replacement = replacement.as_deref();
        input.history = messages.as_deref();
        keeper.turn(conversation, &input)
    });
    let mut done = done?;
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
    server.metrics.compose.add(took);
    if done.began == Began::Before && prepared.is_near() {
        server.near.note(conversation, asked, took);
    }
    let prefix = done.epoch.as_ref().filter(|_| done.replacement.is_none());
    let prefix = prefix.and_then(|epoch| server.escaped.prefix(epoch));
    let document = turn(conversation.as_str(), &done, delivery.as_ref());
    let document = document::print(&document);
    let Some(epoch) = &done.epoch else { return Ok(written(document)) };
    // A turn that takes, appends or says something for once is another one when it is asked for again.
    let stands = done.began == Began::Before && done.fresh == 0 && done.messages.is_empty();
    // One that has its messages or its clock with it is never asked for in the same words.
    let alone = name.is_none() && messages.is_none() && !has_clock && delivery.is_none() && done.hooks.is_empty();
    if let (Some(around), Some(prefix), Some(cwd)) = (around, prefix, cwd)
        && (stands && alone && prepared.is_near() && took <= QUICK)
    {
        let (body, cwd) = (sent.clone(), (cwd, prepared.cwd().to_owned()));
        let (amendments, template) = (done.amendments.len(), saved.map(|saved| saved.row.clone()));
        server.stood.remember(Stands { body, cwd, around, epoch, amendments, template, stamp, prefix }, &document);
    }
    Ok(noted(written(document), epoch.number(), epoch.digest()))
}

fn unknown_target(name: &str) -> Problem {
    let names: Vec<&str> = Target::ALL.iter().map(|target| target.name()).collect();
    Problem::bad(format!("There is no target '{}'", name.escape_debug()))
        .hint(format!("there are {}", names.join(", ")))
}

fn count(server: &Server, turn: &Turn) {
    let metrics = &server.metrics;
    metrics.turns[usize::from(turn.began == Began::Now)].add(1);
    metrics.prompt_bytes.add(turn.prefix().len() as u64);
    metrics.amendments.add(turn.fresh as u64);
    if let (Began::Now, Some(epoch)) = (turn.began, &turn.epoch) {
        metrics.epoch(epoch.cause());
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
