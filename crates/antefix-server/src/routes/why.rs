//! What came back.

use std::sync::Arc;

use antefix::deliver::{Receipt, Target};
use antefix::document::{VerdictDocument, verdict};
use antefix::project::BilledTurn;
use axum::extract::State;
use serde_json::value::RawValue;

use super::json;
use super::turns::unknown_target;
use crate::body::Fields;
use crate::problem::{Answer, Problem, ProblemDocument};
use crate::said::{Whole, WhyBody};
use crate::{Shared, bounds, work};

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
