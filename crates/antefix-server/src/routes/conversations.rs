//! Conversations, as their ledgers have them.

use std::sync::Arc;
use std::time::Instant;

use antefix::freeze::{Amendment, ConversationId, Epoch};
use axum::extract::State;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{Wanted, json, noted, prefix};
use crate::body::{Asked, Id};
use crate::bounds;
use crate::problem::{Answer, Problem, ProblemDocument};
use crate::{Shared, work};
use antefix::document::ledger::{AmendmentOf, EpochOf, MessageOf, RowOf, amendments, message, row};

/// Conversations in the order of their ids, each with its standing epoch.
#[derive(Serialize, ToSchema)]
pub(super) struct Conversations<'c> {
    conversations: Vec<RowOf<'c>>,
    /// What to ask for as `after` to get the next ones; none if there are no more.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<&'c str>,
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(super) struct Page {
    /// Only those behind this one.
    after: Option<String>,
    /// How many at most: 1 to 200, 50 if not said.
    limit: Option<usize>,
}

/// The conversations
#[utoipa::path(get, path = "/conversations", operation_id = "conversations", tag = "conversation", params(Page), responses(
    (status = 200, body = Conversations<'static>), (status = 400, body = ProblemDocument), (status = 503, body = ProblemDocument)))]
pub(super) async fn list(State(server): State<Arc<Shared>>, Asked(page): Asked<Page>) -> Answer {
    let after = page.after.filter(|after| !after.is_empty());
    let after = after.map(|after| ConversationId::parse(&after)).transpose();
    let after = after.map_err(|error| Problem::bad(error.message()))?;
    work::read(server, move |server| {
        let limit = bounds::limit(page.limit)?;
        let mut rows = server.keeper()?.store().conversations(after.as_ref(), limit + 1)?;
        let more = rows.len() > limit;
        rows.truncate(limit);
        let next = rows.last().filter(|_| more).map(|row| row.conversation.as_str());
        Ok(json(&Conversations { conversations: rows.iter().map(row).collect(), next }))
    })
    .await
}

/// A conversation as it stands.
#[derive(Serialize, ToSchema)]
pub(super) struct ConversationDocument<'c> {
    conversation: &'c str,
    epoch: EpochOf<'c>,
    cwd: &'c str,
    #[serde(skip_serializing_if = "Option::is_none")]
    machine: Option<&'c str>,
    amendments: Vec<AmendmentOf<'c>>,
    /// Messages that wait for the next turn, and notices of paths that were touched since.
    waiting: Vec<MessageOf<'c>>,
}

/// One conversation as it stands
#[utoipa::path(get, path = "/conversations/{id}", operation_id = "conversation", tag = "conversation", params(("id" = String, Path)), responses(
    (status = 200, body = ConversationDocument<'static>), (status = 400, body = ProblemDocument),
    (status = 404, body = ProblemDocument), (status = 503, body = ProblemDocument)))]
pub(super) async fn one(State(server): State<Arc<Shared>>, Id(conversation): Id) -> Answer {
    work::read(server, move |server| {
        let keeper = server.keeper()?;
        let (epoch, of_epoch) = keeper.standing(&conversation)?;
        let insertions = keeper.store().insertions(&conversation)?;
        Ok(json(&ConversationDocument {
            conversation: conversation.as_str(),
            epoch: EpochOf::new(&epoch),
            cwd: &epoch.row().cwd,
            machine: epoch.row().machine.as_deref(),
            amendments: amendments(&of_epoch, 0),
            waiting: insertions.waiting().map(message).collect(),
        }))
    })
    .await
}

/// What the model is told, turn after turn.
#[derive(Serialize, ToSchema)]
pub(super) struct StandingDocument<'c> {
    conversation: &'c str,
    epoch: EpochOf<'c>,
    prefix: &'c str,
    amendments: Vec<AmendmentOf<'c>>,
}

/// The standing prefix of a conversation
///
/// As `text/plain` it is the prefix alone, byte for byte.
#[utoipa::path(get, path = "/conversations/{id}/system-prompt", operation_id = "standing", tag = "conversation", params(("id" = String, Path)), responses(
    (status = 200, content((StandingDocument<'static> = "application/json"), (String = "text/plain"))),
    (status = 304, description = "It is the one of If-None-Match"), (status = 400, body = ProblemDocument),
    (status = 404, body = ProblemDocument), (status = 503, body = ProblemDocument)))]
pub(super) async fn system_prompt(State(server): State<Arc<Shared>>, Id(conversation): Id, wanted: Wanted) -> Answer {
    let begun = Instant::now();
    // Without a thread of its own, if nothing need be looked for.
    let at_once = server.antefix.opened_keeper().and_then(|keeper| keeper.standing_at_once(&conversation));
    if let Some((epoch, of_epoch)) = at_once {
        return Ok(standing(&server, epoch, &of_epoch, &wanted, begun));
    }
    work::read(server, move |server| {
        let (epoch, of_epoch) = server.keeper()?.standing(&conversation)?;
        Ok(standing(server, epoch, &of_epoch, &wanted, begun))
    })
    .await
}

/// The standing prefix, as a client wants it.
fn standing(server: &Shared, epoch: Arc<Epoch>, of_epoch: &[Amendment], wanted: &Wanted, begun: Instant) -> Response {
    server.metrics.store.add(begun.elapsed());
    let (number, digest) = (epoch.number(), epoch.digest());
    let response = if wanted.text {
        wanted.tagged(prefix(epoch), digest)
    } else {
        let document = StandingDocument {
            conversation: epoch.conversation().as_str(),
            epoch: EpochOf::new(&epoch),
            prefix: epoch.text(),
            amendments: amendments(of_epoch, 0),
        };
        // The digest is of the prefix; the document has more in it.
        wanted.tagged(json(&document), format!("{number}.{}.{digest}", of_epoch.len()))
    };
    noted(response, number, digest)
}
