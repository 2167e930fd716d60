//! What other agents read in a project, and what a change in git does to what they are told.

use std::sync::Arc;

use antefix::document::{self, AgentsDocument, Changes, Counting};
use antefix::project::LayoutChoice;
use antefix::{Ask, ErrorKind};
use axum::extract::{Path, State};
use serde::Deserialize;
use utoipa::IntoParams;

use super::json;
use crate::body::Asked;
use crate::context::new_ask;
use crate::problem::{Answer, Problem, ProblemDocument};
use crate::said::built_in;
use crate::{Shared, work};

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(super) struct Started {
    /// The directory that the agent is started in, under one of the server's roots; the first root if not said.
    cwd: Option<String>,
    /// Whether tokens are counted, which takes longer than all the rest; they are if not said.
    tokens: Option<bool>,
}

/// Which agent reads which file here, what each is given, and what is wrong with that
///
/// The document is the one of `antefix agents --json`. Texts are not in it.
#[utoipa::path(get, path = "/agents", operation_id = "agents", tag = "observe", params(Started), responses(
    (status = 200, body = AgentsDocument<'static>), (status = 400, body = ProblemDocument),
    (status = 403, body = ProblemDocument, description = "The directory is not under a root"),
    (status = 422, body = ProblemDocument, description = "A file of an agent's cannot be read"),
    (status = 503, body = ProblemDocument)))]
pub(super) async fn all(State(server): State<Arc<Shared>>, Asked(started): Asked<Started>) -> Answer {
    work::look(server, move |server| read(server, &started, &[])).await
}

/// What one agent reads here, by its name or by the program that starts it
#[utoipa::path(get, path = "/agents/{name}", operation_id = "agent", tag = "observe",
    params(("name" = String, Path, description = "The agent, such as `codex`", example = "codex"), Started), responses(
    (status = 200, body = AgentsDocument<'static>), (status = 400, body = ProblemDocument),
    (status = 403, body = ProblemDocument, description = "The directory is not under a root"),
    (status = 404, body = ProblemDocument, description = "No such agent"),
    (status = 422, body = ProblemDocument, description = "A file of an agent's cannot be read"),
    (status = 503, body = ProblemDocument)))]
pub(super) async fn one(
    State(server): State<Arc<Shared>>,
    Path(name): Path<String>,
    Asked(started): Asked<Started>,
) -> Answer {
    work::look(server, move |server| {
        let project = server.project(started.cwd.as_deref())?;
        if !project.knows_agent(&name)? {
            return Err(Problem::not_found(format!("There is no agent `{}`", name.escape_debug())).hint("GET /agents"));
        }
        read(server, &started, &[name])
    })
    .await
}

fn read(server: &Shared, started: &Started, names: &[String]) -> Answer {
    let report = server.project(started.cwd.as_deref())?.agents(names)?;
    let counting = if started.tokens.unwrap_or(true) { Counting::Tokens } else { Counting::Bytes };
    Ok(json(&document::agents(&report, counting)))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(super) struct Revisions {
    /// A directory of the project; the first root if not said.
    cwd: Option<String>,
    /// `REV`, `A..B` or `A...B`; the last commit and the work tree if not said.
    #[param(example = "HEAD")]
    range: Option<String>,
    /// A built-in layout by its name.
    layout: Option<String>,
    /// The agent that is told, by its name, in the place of a layout.
    agent: Option<String>,
    /// The model whose tokens and prices count.
    model: Option<String>,
}

/// What a change in git does to what agents are told
///
/// The document is the one of `antefix diff --json`. No program of the project is run, and no filter.
#[utoipa::path(get, path = "/diff", operation_id = "diff_revisions", tag = "observe", params(Revisions), responses(
    (status = 200, body = Changes<'static>), (status = 400, body = ProblemDocument),
    (status = 403, body = ProblemDocument, description = "The directory is not under a root"),
    (status = 404, body = ProblemDocument, description = "No such layout, agent or revision, or no repository"),
    (status = 422, body = ProblemDocument, description = "A prompt cannot be composed"),
    (status = 503, body = ProblemDocument)))]
pub(super) async fn diff(State(server): State<Arc<Shared>>, Asked(asked): Asked<Revisions>) -> Answer {
    work::look(server, move |server| {
        let project = server.project(asked.cwd.as_deref())?;
        let mut ask: Ask = new_ask();
        ask.layout = match (&asked.layout, &asked.agent) {
            (Some(layout), None) => Some(built_in(layout)?),
            (_, Some(agent)) if project.knows_agent(agent)? => Some(LayoutChoice::Agent(agent.clone())),
            (_, Some(agent)) => {
                let problem = Problem::not_found(format!("There is no agent `{}`", agent.escape_debug()));
                return Err(problem.hint("GET /agents"));
            }
            (None, None) => None,
        };
        ask.model = asked.model;
        let ask = crate::said::meant(ask)?;
        let range = asked.range.unwrap_or_default();
        let compared = project.compare(&range, ask).map_err(|error| match error.kind() {
            ErrorKind::Input => Problem::not_found(error.message()).hint(error.hint().unwrap_or_default()),
            _ => Problem::from(error),
        })?;
        Ok(json(&Changes::between(&compared.before, &compared.after, compared.names(&range))))
    })
    .await
}
