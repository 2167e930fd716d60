//! Turns, and messages that wait for them.

use std::sync::Arc;
use std::time::Instant;

use antefix::document::ledger::{TouchDocument, TurnDocument};
use antefix::document::{self};
use antefix::freeze::Watch;
use antefix::keeper::Began;
use antefix::{Ask, Conversation, ErrorKind, Target, Turn};
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use utoipa::ToSchema;

use super::prefer::{Prefers, minimal};
use super::{json, noted, written};
use crate::body::{Fields, Id, Unread};
use crate::bounds;
use crate::context::new_ask;
use crate::problem::{Answer, Problem, ProblemDocument};
use crate::said::{MessageBody, TouchBody, TurnBody, meant};
use crate::{Shared, work};

/// Open a conversation, or go on with it
///
/// What is not said is as it was said last: layout, model, tools, directory, machine. Asking again is safe: a standing epoch is the same bytes every time, racing first turns get one epoch, and queued
/// messages go again with a turn that names itself. So there is no Idempotency-Key.
#[utoipa::path(post, path = "/conversations/{id}/turns", operation_id = "turn", tag = "conversation", request_body = TurnBody,
    params(("id" = String, Path, description = "Any text of 1 to 200 bytes"),
    ("Prefer" = Option<String>, Header, description = "`return=minimal` leaves `prefix` and `suffix` out where there is a fragment, which has both")),
    responses(
    (status = 200, body = TurnDocument<'static>,
        headers(("Preference-Applied" = Option<String>, description = "`return=minimal`, if `prefix` and `suffix` are left out"))), (status = 400, body = ProblemDocument),
    (status = 403, body = ProblemDocument, description = "The directory is not under a root"),
    (status = 404, body = ProblemDocument, description = "No such layout"),
    (status = 409, body = ProblemDocument), (status = 413, body = ProblemDocument), (status = 415, body = ProblemDocument),
    (status = 422, body = ProblemDocument, description = "The template cannot be rendered, or the target cannot take it"),
    (status = 503, body = ProblemDocument)))]
pub(super) async fn post(
    State(server): State<Arc<Shared>>,
    prefers: Prefers,
    id: Id,
    body: Unread<TurnBody>,
) -> Answer {
    let shared = Arc::clone(&server);
    let begun = work::compose(shared, move |server| {
        let wanted = Wanted::read(server, id, body.fields()?, prefers)?;
        match wanted.conversation.turn_if_open(&wanted.ask)? {
            Some(turn) => wanted.answer(server, &turn).map(Begun::Answered),
            None => Ok(Begun::NotOpen(Box::new(wanted))),
        }
    });
    match begun.await? {
        Begun::Answered(answer) => Ok(answer),
        Begun::NotOpen(wanted) => work::write(server, move |server| wanted.open(server)).await,
    }
}

/// A turn of a conversation that is open, or what was asked of one that has to be opened.
enum Begun {
    Answered(Response),
    NotOpen(Box<Wanted>),
}

/// A turn that is asked for.
struct Wanted {
    conversation: Conversation,
    ask: Ask,
    target: Target,
    prefers: Prefers,
    begun: Instant,
}

impl Wanted {
    fn read(server: &Shared, Id(id): Id, mut body: TurnBody, prefers: Prefers) -> Answer<Wanted> {
        let begun = Instant::now();
        body.turn.as_deref().map(bounds::turn).transpose()?;
        body.touch.as_deref().map(|paths| bounds::paths("touch", paths)).transpose()?;
        // A turn with words of its own writes nothing, and may do without a store.
        if body.r#override.is_none() {
            server.keeper()?;
        }
        let context = body.context();
        let target = body.target.as_deref().map_or(Ok(Target::Plain), target_named)?;
        let watch = match body.watch.as_deref() {
            None | Some("all") => Watch::All,
            Some("acting") => Watch::Acting,
            Some(_) => return Err(Problem::bad("Field 'watch' must be 'all' or 'acting'")),
        };
        let conversation = server.conversation(&id, context.cwd.as_deref())?;
        let mut ask = context.ask(server)?;
        ask.messages = body.messages.map(Into::into);
        ask.previous_response = body.previous_response;
        let mut ask = meant(ask)?;
        (ask.replacement, ask.turn) = (body.r#override, body.turn);
        ask.watch = watch;
        let ask = ask.touch(body.touch.into_iter().flatten());
        Ok(Wanted { conversation, ask, target, prefers, begun })
    }

    /// Opens the conversation, on a thread that may wait until others have written.
    fn open(mut self, server: &Shared) -> Answer {
        let ask = std::mem::take(&mut self.ask).stop(&work::stop());
        let turn = self.conversation.turn(ask)?;
        self.answer(server, &turn)
    }

    fn answer(&self, server: &Shared, turn: &Turn) -> Answer {
        let delivery = match self.target {
            Target::Plain => None,
            target => Some(turn.deliver(target)?.counted(&turn.tokenizer())),
        };
        count(server, turn);
        server.metrics.compose.add(self.begun.elapsed());
        let document = document::ledger::turn(self.conversation.id().as_str(), turn, delivery.as_ref());
        let response = match (self.prefers, &delivery) {
            (Prefers::Minimal, Some(_)) => minimal(written(document.minimal().print())),
            _ => written(document.print()),
        };
        Ok(match &turn.epoch {
            Some(epoch) => noted(response, epoch.number(), epoch.digest()),
            None => response,
        })
    }
}

/// The target of a name.
pub(super) fn target_named(name: &str) -> Answer<Target> {
    Target::parse(name).ok_or_else(|| unknown_target(name))
}

pub(super) fn unknown_target(name: &str) -> Problem {
    let names: Vec<&str> = Target::ALL.iter().map(|target| target.name()).collect();
    Problem::bad(format!("There is no target '{}'", name.escape_debug()))
        .hint(format!("there are {}", names.join(", ")))
}

fn count(server: &Shared, turn: &Turn) {
    let metrics = &server.metrics;
    metrics.turns[usize::from(turn.began == Began::Now)].add(1);
    metrics.prompt_bytes.add(turn.prefix().len() as u64);
    metrics.amendments.add(turn.fresh as u64);
    if let (Began::Now, Some(epoch)) = (turn.began, &turn.epoch) {
        metrics.epoch(epoch.cause());
    }
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
    (status = 201, body = Queued<'static>), (status = 400, body = ProblemDocument),
    (status = 409, body = ProblemDocument, description = "Its messages and notices have 8 MiB together"), (status = 413, body = ProblemDocument),
    (status = 415, body = ProblemDocument), (status = 503, body = ProblemDocument)))]
pub(super) async fn message(State(server): State<Arc<Shared>>, id: Id, Fields(body): Fields<MessageBody>) -> Answer {
    if body.message.is_empty() {
        return Err(Problem::bad("Field 'message' must not be empty"));
    }
    work::write(server, move |server| {
        let Id(id) = &id;
        let sent = server.keeper()?.send(id, &body.message, server.antefix.world().now());
        let number = sent.map_err(|error| match error.kind() {
            ErrorKind::Limit => too_much(&error),
            _ => error.into(),
        })?;
        let document = document::print(&Queued { conversation: id.as_str(), number });
        Ok((StatusCode::CREATED, [("content-type", "application/json")], document).into_response())
    })
    .await
}

/// Nothing is wrong with the message: there are too many others before it.
fn too_much(error: &antefix::Error) -> Problem {
    let problem = Problem::new(StatusCode::CONFLICT, "full", error.message());
    problem.hint(error.hint().unwrap_or_default())
}

/// The notice for paths that an agent reads or changes
///
/// What applies to them, and is not in the conversation yet, is the answer. It waits for the next turn, which has it in its request, as
/// every later one has until a compaction is committed.
#[utoipa::path(post, path = "/conversations/{id}/touch", operation_id = "touch", tag = "conversation", request_body = TouchBody,
    params(("id" = String, Path, description = "Any text of 1 to 200 bytes")), responses(
    (status = 200, body = TouchDocument<'static>), (status = 400, body = ProblemDocument),
    (status = 403, body = ProblemDocument, description = "The directory is not under a root"),
    (status = 409, body = ProblemDocument), (status = 413, body = ProblemDocument), (status = 415, body = ProblemDocument),
    (status = 422, body = ProblemDocument), (status = 503, body = ProblemDocument)))]
pub(super) async fn touch(State(server): State<Arc<Shared>>, Id(id): Id, Fields(body): Fields<TouchBody>) -> Answer {
    bounds::paths("paths", &body.paths)?;
    work::write(server, move |server| {
        let conversation = server.conversation(&id, body.cwd.as_deref())?;
        let notice = conversation.touch(new_ask().touch(body.paths))?;
        Ok(json(&document::ledger::touch(id.as_str(), &notice)))
    })
    .await
}
