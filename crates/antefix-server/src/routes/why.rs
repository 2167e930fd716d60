//! What came back.

use std::sync::Arc;

use antefix::deliver::{Receipt, Target};
use antefix::document::{ObservedDocument, VerdictDocument, observed, verdict};
use antefix::observe::Known;
use antefix::project::{BilledTurn, TwoRequests};
use axum::extract::State;
use serde_json::value::RawValue;

use super::json;
use super::turns::unknown_target;
use crate::body::Fields;
use crate::problem::{Answer, Problem, ProblemDocument};
use crate::said::{Whole, WhyBody, WhyRequestsBody};
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

/// What differs between two requests of any agent, what that cost, and who said it
///
/// No receipts are needed, and nothing is stored. The document is the one of `antefix why --requests BEFORE NOW --json`.
#[utoipa::path(post, path = "/why/requests", operation_id = "why_requests", tag = "observe",
    request_body = WhyRequestsBody, responses(
    (status = 200, body = ObservedDocument<'static>), (status = 400, body = ProblemDocument),
    (status = 403, body = ProblemDocument, description = "The directory is not under a root"),
    (status = 422, body = ProblemDocument, description = "A request or a usage cannot be read"),
    (status = 503, body = ProblemDocument)))]
pub(super) async fn requests(State(server): State<Arc<Shared>>, Fields(body): Fields<WhyRequestsBody>) -> Answer {
    let target =
        body.target.as_deref().map(|name| Target::parse(name).ok_or_else(|| unknown_target(name))).transpose()?;
    work::look(server, move |server| {
        let texts = match body.cwd.as_deref() {
            Some(cwd) => server.project(Some(cwd))?.known_texts()?,
            None => Known::default(),
        };
        let text = |value: Option<Box<RawValue>>| value.map(|value| value.get().to_owned());
        let pair = TwoRequests {
            before: text(body.before).map(String::into_bytes),
            now: body.now.get().as_bytes().to_vec(),
            usage_before: text(body.usage_before),
            usage: text(body.usage),
            target,
            model: body.model,
            elapsed: body.elapsed.map(|Whole(seconds)| seconds),
        };
        let found = server.antefix.why_requests(&pair, &texts)?;
        Ok(json(&observed(&found, &texts)))
    })
    .await
}
