//! The epochs of a conversation, and what is between two of them.

use std::sync::Arc;

use antefix::freeze::store::EpochRow;
use antefix::freeze::{Difference, Epoch};
use antefix::keeper::Keeper;
use axum::extract::{Path, State};
use axum::http::{HeaderValue, header};
use axum::response::Response;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{Wanted, json, prefix};
use crate::body::{Asked, Id};
use crate::bounds;
use crate::problem::{Answer, Problem, ProblemDocument};
use crate::{Shared, work};
use antefix::document::Bill;
use antefix::document::Tally;
use antefix::document::ledger::{DifferenceOf, EpochDocument, RowOf};
use antefix::document::{self};
use antefix::document::{TokenCounts, token_counts};

/// An epoch in a list.
#[derive(Serialize, ToSchema)]
struct ListedEpoch<'e> {
    #[serde(flatten)]
    row: RowOf<'e>,
    bytes: usize,
    degraded: bool,
    /// How many notices amend it.
    amendments: usize,
}

/// Epochs by number.
#[derive(Serialize, ToSchema)]
pub(super) struct Epochs<'e> {
    conversation: &'e str,
    epochs: Vec<ListedEpoch<'e>>,
    /// What to ask for as `after` to get the next ones; none if there are no more.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<u64>,
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(super) struct Page {
    /// Only those with higher numbers.
    after: Option<u64>,
    /// How many at most: 1 to 200, 50 if not said.
    limit: Option<usize>,
}

/// The epochs of a conversation
#[utoipa::path(get, path = "/conversations/{id}/epochs", operation_id = "epochs", tag = "epoch", params(("id" = String, Path), Page), responses(
    (status = 200, body = Epochs<'static>), (status = 400, body = ProblemDocument), (status = 404, body = ProblemDocument),
    (status = 503, body = ProblemDocument)))]
pub(super) async fn list(State(server): State<Arc<Shared>>, Id(conversation): Id, Asked(page): Asked<Page>) -> Answer {
    work::read(server, move |server| {
        let keeper = server.keeper()?;
        keeper.standing(&conversation)?;
        let limit = bounds::limit(page.limit)?;
        let after = bounds::number(page.after.unwrap_or_default())?;
        let mut rows = keeper.history(&conversation, after, limit + 1)?;
        let more = rows.len() > limit;
        rows.truncate(limit);
        let next = rows.last().filter(|_| more).map(|row| row.number);
        let epochs = rows.iter().map(|row| listed(keeper, row)).collect::<Answer<_>>()?;
        Ok(json(&Epochs { conversation: conversation.as_str(), epochs, next }))
    })
    .await
}

fn listed<'e>(keeper: &Keeper, row: &'e EpochRow) -> Answer<ListedEpoch<'e>> {
    let (epoch, amendments) = keeper.epoch(&row.conversation, row.number)?;
    let (bytes, degraded) = (epoch.text().len(), epoch.is_degraded());
    Ok(ListedEpoch { row: document::ledger::row(row), bytes, degraded, amendments: amendments.len() })
}

/// One epoch, with the origin of every byte
///
/// As `text/plain` it is the prefix alone, which never changes. Notices may still be appended to an epoch that stands.
#[utoipa::path(get, path = "/conversations/{id}/epochs/{number}", operation_id = "epoch", tag = "epoch",
    params(("id" = String, Path), ("number" = u64, Path)), responses(
    (status = 200, content((EpochDocument<'static> = "application/json"), (String = "text/plain"))),
    (status = 304, description = "It is the one of If-None-Match"), (status = 400, body = ProblemDocument),
    (status = 404, body = ProblemDocument), (status = 503, body = ProblemDocument)))]
pub(super) async fn one(
    State(server): State<Arc<Shared>>,
    Id(conversation): Id,
    path: Path<(String, String)>,
    wanted: Wanted,
) -> Answer {
    let number = number(&path.0.1)?;
    work::read(server, move |server| {
        let (epoch, amendments) = server.keeper()?.epoch(&conversation, number)?;
        if wanted.text {
            return Ok(forever(&epoch, &wanted));
        }
        let tag = format!("{number}.{}.{}", amendments.len(), epoch.digest());
        Ok(wanted.tagged(json(&document::ledger::epoch(&epoch, &amendments)?), tag))
    })
    .await
}

/// The prefix of an epoch, which may be kept for ever.
fn forever(epoch: &Arc<Epoch>, wanted: &Wanted) -> Response {
    let mut response = wanted.tagged(prefix(Arc::clone(epoch)), epoch.digest());
    let forever = HeaderValue::from_static("private, max-age=31536000, immutable");
    response.headers_mut().insert(header::CACHE_CONTROL, forever);
    response
}

fn number(text: &str) -> Answer<u64> {
    let number = text.parse().map_err(|_| Problem::bad("An epoch has a number from 1 on"))?;
    bounds::number(number)
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(super) struct CountedFor {
    /// The model that tokens are counted for; the epoch's own if not said.
    model: Option<String>,
}

/// The tokens of an epoch.
#[derive(Serialize, ToSchema)]
pub(super) struct EpochTokens<'e> {
    conversation: &'e str,
    number: u64,
    /// In the order of the epoch's document.
    sections: Vec<SectionTokens<'e>>,
    /// None if this server counts no tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    token_counts: Option<TokenCounts<'e>>,
}

#[derive(Serialize, ToSchema)]
struct SectionTokens<'e> {
    id: &'e str,
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens: Option<usize>,
}

/// How many tokens an epoch has, in all and by section
///
/// They are counted when they are asked for, and remembered by the digest of the text.
#[utoipa::path(get, path = "/conversations/{id}/epochs/{number}/tokens", operation_id = "epoch_tokens", tag = "epoch",
    params(("id" = String, Path), ("number" = u64, Path), CountedFor), responses(
    (status = 200, body = EpochTokens<'static>), (status = 400, body = ProblemDocument),
    (status = 404, body = ProblemDocument), (status = 503, body = ProblemDocument)))]
pub(super) async fn tokens(
    State(server): State<Arc<Shared>>,
    Id(conversation): Id,
    path: Path<(String, String)>,
    Asked(counted): Asked<CountedFor>,
) -> Answer {
    let number = number(&path.0.1)?;
    bounds::model(counted.model.as_deref())?;
    work::look(server, move |server| {
        let (epoch, _) = server.keeper()?.epoch(&conversation, number)?;
        let model = counted.model.as_deref().or(epoch.row().model.as_deref());
        let tally = Tally::of_epoch(epoch.body(), &server.antefix.models().0, model);
        let of = |index: usize| tally.as_ref().and_then(|tally| tally.sections.get(index)).map(|tokens| tokens.count);
        let sections = epoch.body().sections.iter().enumerate();
        let sections = sections.map(|(index, section)| SectionTokens { id: &section.id, tokens: of(index) }).collect();
        let token_counts = tally.as_ref().map(token_counts);
        Ok(json(&EpochTokens { conversation: conversation.as_str(), number, sections, token_counts }))
    })
    .await
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(super) struct Priced {
    /// The model whose prices count; the later epoch's own if it is known.
    model: Option<String>,
}

/// What is between two epochs: where the bytes part, who said what there, and the price; null if they are the same
#[utoipa::path(get, path = "/conversations/{id}/epochs/{a}/diff/{b}", tag = "epoch",
    params(("id" = String, Path), ("a" = u64, Path), ("b" = u64, Path), Priced), responses(
    (status = 200, body = Option<DifferenceOf<'static>>), (status = 400, body = ProblemDocument),
    (status = 404, body = ProblemDocument), (status = 503, body = ProblemDocument)))]
pub(super) async fn diff(
    State(server): State<Arc<Shared>>,
    Id(conversation): Id,
    path: Path<(String, String, String)>,
    Asked(priced): Asked<Priced>,
) -> Answer {
    let (a, b) = (number(&path.0.1)?, number(&path.0.2)?);
    bounds::model(priced.model.as_deref())?;
    work::look(server, move |server| {
        let keeper = server.keeper()?;
        let (before, _) = keeper.epoch(&conversation, a)?;
        let (after, _) = keeper.epoch(&conversation, b)?;
        let difference = Difference::between(before.body(), after.body())?;
        let model = priced.model.as_deref().or(after.row().model.as_deref());
        let (models, _) = server.antefix.models();
        let bill = difference.as_ref().map(|one| Bill::new(one, after.body(), model, &models));
        Ok(json(&difference.as_ref().map(|one| DifferenceOf::new(one, bill.as_ref()))))
    })
    .await
}
