//! What completes a name while it is written: templates that a reference leads to, and paths of files.

use std::sync::Arc;

use antefix::Ask;
use antefix::discover::file::Completed;
use antefix::project::TemplateChoice;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::json;
use crate::body::Asked;
use crate::problem::{Answer, Problem, ProblemDocument};
use crate::{Shared, work};

/// How many names a list has at most.
const NAMES: usize = 200;

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(super) struct Here {
    /// The working directory, under one of the server's roots; the first root if not said.
    cwd: Option<String>,
}

/// The templates that a text may include, place by place.
#[derive(Serialize, ToSchema)]
pub(super) struct Included {
    places: Vec<TemplatePlace>,
}

/// The templates that references of one prefix lead to.
#[derive(Serialize, ToSchema)]
struct TemplatePlace {
    /// `$workspace`, `$user` or `$builtin`.
    prefix: &'static str,
    /// The directory that they are in, whether it exists or not.
    #[serde(skip_serializing_if = "Option::is_none")]
    directory: Option<String>,
    /// Whole references, in order.
    templates: Vec<String>,
    /// Whether there are more.
    more: bool,
}

/// The templates that a jinja template may include
#[utoipa::path(get, path = "/system-prompt/templates", tag = "template", params(Here), responses(
    (status = 200, body = Included), (status = 403, body = ProblemDocument, description = "The directory is not under a root")))]
pub(super) async fn templates(State(server): State<Arc<Shared>>, Asked(here): Asked<Here>) -> Answer {
    work::read(server, move |server| {
        let own = Ask::new().template(TemplateChoice::Own);
        let listed = server.project(here.cwd.as_deref())?.included_templates(&own, NAMES)?;
        let places = listed.into_iter().map(|place| {
            let prefix = place.prefix.name();
            let templates = place.templates.iter().map(|path| format!("{prefix}/{path}")).collect();
            TemplatePlace { prefix, directory: place.directory, templates, more: place.more }
        });
        Ok(json(&Included { places: places.collect() }))
    })
    .await
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(super) struct Typed {
    /// The working directory, under one of the server's roots; the first root if not said.
    cwd: Option<String>,
    /// What was written of the path.
    path: Option<String>,
}

/// Ways in which a path may go on.
#[derive(Serialize, ToSchema)]
pub(super) struct Paths {
    /// Whole paths in order, as `file:` takes them; those of directories end in `/`.
    paths: Vec<String>,
    /// Whether there are more: 200 are listed, of the first 10,000 names of a directory.
    more: bool,
}

/// The paths of files that a template may name, as far as one was written
///
/// Nothing that `file:` withholds is listed, nothing that is not under a root, wherever links lead, and no hidden directory.
#[utoipa::path(get, path = "/system-prompt/files", tag = "template", params(Typed), responses((status = 200, body = Paths),
    (status = 403, body = ProblemDocument, description = "The directory, or the path, is not under a root, or withheld")))]
pub(super) async fn files(State(server): State<Arc<Shared>>, Asked(typed): Asked<Typed>) -> Answer {
    use antefix::discover::Answer::{Absent, Present, Unavailable};
    work::read(server, move |server| {
        let project = server.project(typed.cwd.as_deref())?;
        let (own, path) = (Ask::new().template(TemplateChoice::Own), typed.path.unwrap_or_default());
        let completed = match project.complete_path(&own, &path, NAMES)? {
            Present(completed) => completed,
            Absent => Completed::default(),
            Unavailable(reason) => {
                let problem = Problem::forbidden("withheld", "Paths like this one are not offered");
                return Err(problem.detail(reason.to_string()));
            }
        };
        Ok(json(&Paths { paths: completed.paths, more: completed.more }))
    })
    .await
}
