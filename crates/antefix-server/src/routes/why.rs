//! What came back.

use std::sync::Arc;

use antefix::deliver::{Receipt, Target};
use antefix::document::{VerdictDocument, verdict};
use antefix::project::BilledTurn;
use axum::extract::State;
use serde::Deserialize;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::json;
use super::turns::unknown_target;
use crate::body::{Fields, Whole};
use crate::names::TargetName;
use crate::problem::{Answer, Problem, ProblemDocument};
use crate::{Shared, bounds, work};

/// A turn that a provider has answered.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct WhyBody {
    /// The provider's response, or its usage block.
    #[schema(value_type = Object)]
    usage: Box<RawValue>,
    /// The receipt of this turn: what a turn answers under `receipt`, or its whole answer.
    #[schema(value_type = Option<Object>)]
    receipt: Option<Box<RawValue>>,
    /// The receipt of the turn before; without one, this turn is the first.
    #[schema(value_type = Option<Object>)]
    before: Option<Box<RawValue>>,
    /// The conversation whose ledger has the epochs: with receipts it tells the byte and its origin, without them two epochs
    /// are compared.
    conversation: Option<String>,
    /// The epochs of the turn before and of this one, where there is no receipt; the last two if not said.
    #[schema(value_type = Option<Vec<u64>>, min_items = 2, max_items = 2)]
    epochs: Option<[Whole; 2]>,
    /// Where the request went; a receipt says it as well.
    #[schema(value_type = Option<TargetName>)]
    target: Option<String>,
    /// The model whose prices and limits count; a receipt or an epoch may say it as well.
    model: Option<String>,
    /// How many seconds ago the turn before was.
    #[schema(value_type = Option<u64>)]
    elapsed: Option<Whole>,
}

/// Whether a provider's cache was hit as expected, and if not, why
///
/// Nothing is stored. The document is the one of `antefix why --json`.
#[utoipa::path(post, path = "/why", operation_id = "why", tag = "observe", request_body = WhyBody, responses(
    (status = 200, body = VerdictDocument<'static>), (status = 400, body = ProblemDocument),
    (status = 404, body = ProblemDocument),
    (status = 422, body = ProblemDocument, description = "The usage or a receipt cannot be read"),
    (status = 503, body = ProblemDocument)))]
pub(super) async fn post(State(server): State<Arc<Shared>>, Fields(body): Fields<WhyBody>) -> Answer {
    let target =
        body.target.as_deref().map(|name| Target::parse(name).ok_or_else(|| unknown_target(name))).transpose()?;
    let epochs =
        body.epochs.map(|[a, b]| Ok::<_, Problem>((bounds::number(a.0)?, bounds::number(b.0)?))).transpose()?;
    work::look(server, move |server| {
        let receipt = |text: Option<Box<RawValue>>| text.map(|text| Receipt::parse(text.get())).transpose();
        let turn = BilledTurn {
            usage: body.usage.get().to_owned(),
            receipt: receipt(body.receipt)?,
            before: receipt(body.before)?,
            conversation: body.conversation,
            epochs,
            target,
            model: body.model,
            elapsed: body.elapsed.map(|Whole(seconds)| seconds),
        };
        let billing = server.antefix.why(&turn)?;
        Ok(json(&verdict(&billing.verdict, &billing.diagnostics)))
    })
    .await
}
