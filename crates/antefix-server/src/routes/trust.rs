//! What of a project may run. There is no route that changes it: what runs is decided at a terminal, by whoever can see it.

use std::sync::Arc;

use antefix::document::{TrustDocument, trust};
use axum::extract::State;
use serde::Deserialize;
use utoipa::IntoParams;

use super::json;
use crate::body::Asked;
use crate::problem::{Answer, ProblemDocument};
use crate::{Shared, work};

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(super) struct Where {
    /// A directory of the project; the first root if not said.
    cwd: Option<String>,
}

/// What of a project is trusted: its text, and its programs by their bytes
///
/// It is read alone: nobody can trust a project over HTTP. `antefix trust` does, at a terminal.
#[utoipa::path(get, path = "/trust", operation_id = "trust", tag = "about", params(Where), responses(
    (status = 200, body = TrustDocument<'static>), (status = 400, body = ProblemDocument),
    (status = 403, body = ProblemDocument),
    (status = 422, body = ProblemDocument, description = "The layout, or a file of a hook, cannot be read")))]
pub(super) async fn get(State(server): State<Arc<Shared>>, Asked(place): Asked<Where>) -> Answer {
    work::look(server, move |server| {
        let offer = server.project(place.cwd.as_deref())?.trust_offer(server.antefix.default_layout().cloned())?;
        Ok(json(&trust(&offer, &server.antefix.trusted())))
    })
    .await
}
