//! A draft, as it would be.

use std::sync::Arc;

use antefix::compose::Dialect;
use antefix::document::ledger::DriftDocument;
use antefix::document::{self, Bill, ByHeading, Explanation, FamilyDocument, Tally, ToolTally};
use antefix::freeze::ConversationId;
use antefix::keeper::Drift;
use antefix::observe::Member;
use antefix::project::{Look, Preview, TemplateChoice};
use antefix::{Ask, Project};
use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;

use super::breakpoints::{BreakpointOf, MinimumOf, breakpoints, minimum};
use super::json;
use crate::body::Fields;
use crate::problem::{Answer, Problem, ProblemDocument};
use crate::said::{PreviewBody, built_in, unknown_dialect};
use crate::{Shared, work};

/// The document of `antefix explain --json`, and what saving would change.
#[derive(Serialize, ToSchema)]
#[schema(as = Preview)]
pub(super) struct PreviewDocument<'p> {
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
    /// How much of its beginning it shares with another prompt, if one was named.
    #[serde(skip_serializing_if = "Option::is_none")]
    family: Option<FamilyDocument>,
}

/// Compose a draft; nothing is stored
#[utoipa::path(post, path = "/system-prompt/preview", operation_id = "preview", tag = "template", request_body = PreviewBody, responses(
    (status = 200, body = PreviewDocument<'static>), (status = 400, body = ProblemDocument),
    (status = 403, body = ProblemDocument, description = "The directory is not under a root"),
    (status = 404, body = ProblemDocument, description = "No such conversation, or no such layout"),
    (status = 422, body = ProblemDocument, description = "The template cannot be parsed or rendered"),
    (status = 503, body = ProblemDocument)))]
pub(super) async fn post(State(server): State<Arc<Shared>>, Fields(body): Fields<PreviewBody>) -> Answer {
    work::look(server, move |server| preview(server, body)).await
}

fn preview(server: &Shared, mut body: PreviewBody) -> Answer {
    let context = body.context();
    let PreviewBody { template, dialect, conversation, other: with, .. } = body;
    let dialect = dialect.map(|name| Dialect::parse(&name).ok_or_else(unknown_dialect)).transpose()?;
    let id = conversation.as_deref().map(ConversationId::parse).transpose();
    let id = id.map_err(|error| Problem::bad(error.message()))?;
    let cwd = context.cwd.clone();
    let mut ask = context.ask(server)?;
    let project = server.project(cwd.as_deref())?;
    let other = with.as_ref().map(|_| ask.clone());
    ask.template = choice(&project, &ask, template, dialect)?;
    let (preview, drift) = match &id {
        None => (project.preview(ask, Look::Closely)?, None),
        Some(id) => compared(server, &project, id, cwd.as_deref(), ask)?,
    };
    let stop = &preview.caller().stop;
    let model = preview.caller().model.as_deref();
    let tally = Tally::of(&preview);
    let tools = ToolTally::of(&preview, None, tally.as_ref());
    let bill = drift
        .as_ref()
        .and_then(|drift| drift.difference.as_ref().map(|one| Bill::new(one, &drift.next, model, preview.models())));
    let change = drift.as_ref().zip(conversation.as_deref());
    let change = change.map(|(drift, id)| document::ledger::drift(id, drift, bill.as_ref()));
    // Counting, explaining and printing take time that grows with the prompt, each.
    stop.check()?;
    let shares = document::shares(&preview.prompt, &preview.tokenizer(), ByHeading::No);
    stop.check()?;
    let explanation = document::explanation(&preview, tally.as_ref(), tools.as_ref()).with_shares(&shares);
    stop.check()?;
    let (breakpoints, minimum) = (breakpoints(&preview)?, minimum(&preview));
    let family = with.zip(other).map(|(with, ask)| family(server, &with, ask, (&project, &preview))).transpose()?;
    Ok(json(&PreviewDocument { explanation, breakpoints, minimum, change, family }))
}

/// What a prompt shares with the one that is named: what `antefix explain --with` says.
fn family(
    server: &Shared,
    with: &str,
    mut ask: Ask,
    (project, preview): (&Project, &Preview),
) -> Answer<FamilyDocument> {
    let tools = preview.caller().tools.as_ref().map(|tools| tools.canonical().to_string());
    let own = Member::of_prompt(&preview.prompt, tools.as_deref());
    let compared = |other: &Member<'_>| document::family(with, &own, &own.family(other), &preview.tokenizer());
    let unknown = || Problem::bad("Field 'other' must be 'layout:NAME', 'cwd:DIR' or 'conversation:ID'");
    let (kind, name) = with.split_once(':').ok_or_else(unknown)?;
    let other = match kind {
        "layout" => {
            ask.layout = Some(built_in(name)?);
            project.preview(ask, Look::Composing)?
        }
        "cwd" => server.project(Some(name))?.preview(ask, Look::Composing)?,
        "conversation" => {
            let id = ConversationId::parse(name).map_err(|error| Problem::bad(error.message()))?;
            let (epoch, _) = server.keeper()?.standing(&id)?;
            return Ok(compared(&Member::of_epoch(epoch.body())));
        }
        _ => return Err(unknown()),
    };
    Ok(compared(&Member::of_prompt(&other.prompt, tools.as_deref())))
}

/// The text that a request wants to see: a draft, else the one that applies.
fn choice(project: &Project, ask: &Ask, template: Option<String>, dialect: Option<Dialect>) -> Answer<TemplateChoice> {
    let (text, dialect) = match (template, dialect) {
        (None, None) => return Ok(TemplateChoice::Saved),
        (Some(text), Some(dialect)) => (text.into(), dialect),
        (Some(text), None) => (text.into(), project.own_template(ask)?.dialect),
        (None, Some(dialect)) => (project.template(ask)?.text, dialect),
    };
    Ok(TemplateChoice::Draft { dialect, text })
}

/// A prompt for a conversation, and what a renewal with it would change. A draft of another layout's template than the
/// conversation's would change nothing there, so it is looked at alone.
fn compared(
    server: &Shared,
    project: &Project,
    id: &ConversationId,
    cwd: Option<&str>,
    ask: Ask,
) -> Answer<(Preview, Option<Drift>)> {
    let conversation = server.open_conversation(id, cwd)?;
    if ask.layout.is_none() && matches!(ask.template, TemplateChoice::Draft { .. }) {
        let own = Ask::new().template(TemplateChoice::Own);
        let (of_draft, of_conversation) = (project.resolve(&own)?, conversation.resolve(&own)?);
        if of_draft.template_key() != of_conversation.template_key() {
            return Ok((project.preview(ask, Look::Closely)?, None));
        }
    }
    let preview = conversation.preview(ask.clone(), Look::Closely)?;
    Ok((preview, Some(conversation.drift(ask)?)))
}
