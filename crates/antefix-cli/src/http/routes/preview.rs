//! A draft, as it would be.

use std::sync::Arc;

use antefix::compose::{Dialect, builtin};
use antefix::freeze::ConversationId;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::breakpoints::{BreakpointOf, MinimumOf, breakpoints, minimum};
use super::json;
use super::system_prompt::unknown_dialect;
use crate::document::{self, Explanation};
use crate::http::body::{Fields, Situated, Unknown, refuse};
use crate::http::names::DialectName;
use crate::http::problem::{Answer, Problem, ProblemDocument};
use crate::http::{Server, work};
use crate::ledger::document::{DriftDocument, drift};
use crate::ledger::price::Bill;
use crate::setup::{self, Look};
use antefix::document::{Explained, Tally};

#[derive(Deserialize, ToSchema)]
pub(super) struct PreviewBody {
    /// The draft; without one, the template that counts.
    template: Option<String>,
    /// If not said, that of the layout.
    #[schema(value_type = Option<DialectName>)]
    dialect: Option<String>,
    /// A built-in layout in the place of the server's.
    layout: Option<String>,
    /// A conversation to compare with its standing epoch. What is not said here is as that epoch has it.
    conversation: Option<String>,
    #[serde(flatten)]
    situated: Situated,
    #[serde(flatten)]
    #[schema(ignore)]
    unknown: Unknown,
}

/// The document of `antefix explain --json`, and what saving would change.
#[derive(Serialize, ToSchema)]
pub(super) struct Preview<'p> {
    #[serde(flatten)]
    explanation: Explanation<'p>,
    /// Where the provider's cache would be asked to end, if a model was named whose requests say so.
    breakpoints: Vec<BreakpointOf>,
    /// How long the prefix must be to be cached at all, if a model was named that says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    minimum: Option<MinimumOf>,
    /// What a renewal of the conversation would change, if one was named.
    #[serde(skip_serializing_if = "Option::is_none")]
    change: Option<DriftDocument<'p>>,
}

/// Compose a draft; nothing is stored
#[utoipa::path(post, path = "/system-prompt/preview", operation_id = "preview", tag = "template", request_body = PreviewBody, responses(
    (status = 200, body = Preview<'static>), (status = 400, body = ProblemDocument),
    (status = 403, body = ProblemDocument, description = "The directory is not under a root"),
    (status = 404, body = ProblemDocument, description = "No such conversation, or no such layout"),
    (status = 422, body = ProblemDocument, description = "The template cannot be parsed or rendered"),
    (status = 503, body = ProblemDocument)))]
pub(super) async fn post(State(server): State<Arc<Server>>, Fields(body): Fields<PreviewBody>) -> Answer {
    refuse(&body.unknown)?;
    work::compose(server, move |server| preview(server, body)).await
}

fn preview(server: &Server, body: PreviewBody) -> Answer {
    let PreviewBody { template, dialect, layout, conversation, mut situated, .. } = body;
    let layout = layout.as_deref();
    if let Some(name) = layout.filter(|name| *name != server.config.layout && builtin::layout(name).is_none()) {
        // A path would let a request read files as layouts.
        let problem = Problem::not_found(format!("There is no built-in layout '{}'", name.escape_debug()));
        return Err(problem.hint("GET /layouts"));
    }
    let dialect = dialect.map(|name| Dialect::parse(&name).ok_or_else(unknown_dialect)).transpose()?;
    let text = match template {
        Some(text) => {
            let dialect = match dialect {
                Some(dialect) => dialect,
                None => server.own_template(layout)?.0,
            };
            Some((dialect, Arc::from(text)))
        }
        // Another layout has a text of its own to show.
        None if layout.is_some_and(|name| name != server.config.layout) => None,
        None => {
            let current = server.current()?;
            Some((dialect.unwrap_or(current.dialect), current.text))
        }
    };
    let compared = match &conversation {
        None => None,
        Some(id) => {
            let id = ConversationId::parse(id).map_err(|error| Problem::bad(error.message()))?;
            server.as_it_stands(server.kept.keeper()?, &id, &mut situated)?;
            Some(id)
        }
    };
    let mut prepared = server.prepared_with(situated, layout, text)?;
    if let Some(id) = &conversation {
        prepared.call(id);
    }
    let mut composed = setup::composed_of(prepared, Look::Closely)?;
    let models = composed.prepared.models()?;
    let model = composed.prepared.model();
    let tally = Tally::of_prompt(&composed.prompt, &models, model);
    let findings = model.map(|name| models.findings(name, composed.prompt.prefix())).unwrap_or_default();
    composed.diagnostics.extend(findings);
    let drifted = match &compared {
        None => None,
        Some(id) => {
            let keeper = server.kept.keeper()?;
            Some(composed.prepared.with_input(|input| keeper.drift(id, input))?)
        }
    };
    let models = composed.prepared.models()?;
    let bill = drifted.as_ref().and_then(|drifted| {
        let model = composed.prepared.model();
        drifted.difference.as_ref().map(|one| Bill::new(one, &drifted.next, model, &models))
    });
    let change = drifted.as_ref().zip(conversation.as_deref()).map(|(drifted, id)| drift(id, drifted, bill.as_ref()));
    let hooks: Vec<_> =
        composed.prepared.hooks().into_iter().map(|(program, state)| (program.clone(), state)).collect();
    let explanation = document::explanation(
        Explained {
            prompt: &composed.prompt,
            report: &composed.report,
            diagnostics: &composed.diagnostics,
            order: composed.order.as_deref(),
            hooks: &hooks,
        },
        tally.as_ref(),
    );
    Ok(json(&Preview { explanation, breakpoints: breakpoints(&composed)?, minimum: minimum(&composed)?, change }))
}
