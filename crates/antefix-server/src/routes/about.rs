//! What the server is, and what it offers to choose from.

use std::sync::Arc;

use antefix::compose::{builtin, description};
use antefix::models::{Model, Price};
use antefix::project::{LayoutChoice, TemplateChoice};
use antefix::{Ask, Project};
use axum::extract::State;
use axum::http::{HeaderMap, Uri};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::json;
use crate::body::Asked;
use crate::names::DialectName;
use crate::problem::{Answer, Problem, ProblemDocument};
use crate::{Shared, page as files, work};

/// How many directories a list has at most.
const DIRECTORIES: usize = 500;

/// A file of the page. A link's code, if there is one in the address, is for the page itself: it makes a session of it.
pub(super) async fn page(uri: Uri, headers: HeaderMap) -> Answer {
    files::file(&uri, &headers).ok_or_else(|| Problem::not_found("Not found"))
}

/// The server.
#[derive(Serialize, ToSchema)]
pub(super) struct About<'a> {
    version: &'static str,
    /// `sqlite`, `postgres` or `memory`.
    store: &'static str,
    /// Whether the store can be reached.
    reachable: bool,
    /// The layout of conversations that name none, in the first root; empty if it cannot be read.
    layout: String,
    /// Where requests may work.
    #[schema(value_type = Vec<String>)]
    roots: Vec<std::borrow::Cow<'a, str>>,
    /// The largest template, in bytes.
    template_limit: usize,
    /// The largest body, in bytes.
    body_limit: usize,
}

/// What the server is
#[utoipa::path(get, path = "/about", tag = "server", responses((status = 200, body = About<'static>)))]
pub(super) async fn about(State(server): State<Arc<Shared>>) -> Answer {
    work::read(server, move |server| {
        Ok(json(&About {
            version: env!("CARGO_PKG_VERSION"),
            store: server.antefix.store_kind(),
            reachable: server.keeper().is_ok_and(|keeper| keeper.store().templates(None, None, 1).is_ok()),
            layout: serving(server).unwrap_or_default(),
            roots: server.antefix.roots().iter().map(|root| root.to_string_lossy()).collect(),
            template_limit: antefix::project::TEMPLATE_LIMIT,
            body_limit: server.limits.body,
        }))
    })
    .await
}

/// A layout to choose.
#[derive(Serialize, ToSchema)]
struct LayoutOf {
    name: String,
    description: String,
    /// Whether turns use it.
    serving: bool,
    /// The section that a saved template takes the place of.
    editable: String,
    /// How that section spells its holes.
    #[schema(value_type = DialectName)]
    dialect: &'static str,
    /// What that section says where nothing is saved.
    template: String,
}

/// The layouts.
#[derive(Serialize, ToSchema)]
pub(super) struct Layouts {
    layouts: Vec<LayoutOf>,
}

/// The layouts that a draft can be looked at in
#[utoipa::path(get, path = "/layouts", tag = "server", responses((status = 200, body = Layouts)))]
pub(super) async fn layouts(State(server): State<Arc<Shared>>) -> Answer {
    work::read(server, |server| {
        let project = server.first_project()?;
        let serving = serving(server)?;
        let mut layouts = Vec::new();
        if builtin::layout(&serving).is_none() {
            layouts.push(layout(&project, &Ask::new(), &serving)?);
        }
        for built_in in builtin::LAYOUTS {
            let named = Ask::new().layout(LayoutChoice::BuiltIn(built_in.name.to_owned()));
            layouts.push(layout(&project, &named, &serving)?);
        }
        Ok(json(&Layouts { layouts }))
    })
    .await
}

/// The name of the layout that conversations have which name none.
fn serving(server: &Shared) -> Answer<String> {
    let own = Ask::new().template(TemplateChoice::Own);
    Ok(server.first_project()?.resolve(&own)?.layout().name().to_owned())
}

fn layout(project: &Project, ask: &Ask, serving: &str) -> Answer<LayoutOf> {
    let context = project.resolve(&ask.clone().template(TemplateChoice::Own))?;
    let (layout, editable) = (context.layout(), context.layout().editable());
    Ok(LayoutOf {
        name: layout.name().to_owned(),
        description: description(&layout.source().text).unwrap_or_default(),
        serving: layout.name() == serving,
        editable: editable.section.to_owned(),
        dialect: editable.dialect.name(),
        template: editable.text.to_owned(),
    })
}

/// A model of the table. Prices are millionths of a dollar for a million tokens.
#[derive(Serialize, ToSchema)]
struct ModelOf {
    name: String,
    provider: &'static str,
    /// The shortest prefix that is cached, in tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    minimum: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    input: Option<u64>,
    /// Read from the cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    read: Option<u64>,
    /// Written to the cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    write: Option<u64>,
    /// How long a cached prefix lives, in seconds.
    lifetimes: Vec<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_input: Option<usize>,
    /// Whether its tokens are counted, and not estimated.
    exact: bool,
}

impl ModelOf {
    fn new(model: Model) -> ModelOf {
        let price = |price| model.prices.as_ref().and_then(|prices| prices.of(price));
        ModelOf {
            provider: model.provider.name(),
            minimum: model.minimum,
            input: price(Price::Input),
            read: price(Price::Read),
            write: price(Price::Write),
            max_input: model.max_input,
            exact: model.tokenizer.is_exact(),
            lifetimes: model.lifetimes,
            name: model.name,
        }
    }
}

/// The table of models.
#[derive(Serialize, ToSchema)]
pub(super) struct ModelsDocument {
    /// When it was last compared with its sources.
    as_of: String,
    models: Vec<ModelOf>,
}

/// The models that prices are known of
#[utoipa::path(get, path = "/models", tag = "server", responses((status = 200, body = ModelsDocument)))]
pub(super) async fn models(State(server): State<Arc<Shared>>) -> Answer {
    work::read(server, |server| {
        let (table, _) = server.antefix.models();
        let models = table.names().filter_map(|name| table.find(name)).map(|(model, _)| ModelOf::new(model)).collect();
        Ok(json(&ModelsDocument { as_of: table.as_of().to_owned(), models }))
    })
    .await
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(super) struct Under {
    /// A directory under a root, whose directories are listed in the place of the roots'.
    under: Option<String>,
}

/// Where requests may work.
#[derive(Serialize, ToSchema)]
pub(super) struct Roots {
    roots: Vec<Directory>,
}

#[derive(Serialize, ToSchema)]
struct Directory {
    path: String,
    /// The names of those in it that are not hidden, in order.
    directories: Vec<String>,
    /// Whether there are more.
    more: bool,
}

/// The directories that requests may work in, and those one level below
#[utoipa::path(get, path = "/roots", tag = "server", params(Under), responses((status = 200, body = Roots),
    (status = 403, body = ProblemDocument)))]
pub(super) async fn roots(State(server): State<Arc<Shared>>, Asked(asked): Asked<Under>) -> Answer {
    work::read(server, move |server| {
        let roots = match asked.under {
            Some(under) => vec![directory(&server.project(Some(&under))?)],
            None => {
                let projects = server.antefix.roots().iter().map(|root| server.antefix.project(root));
                projects.map(|project| Ok(directory(&project?))).collect::<Answer<Vec<Directory>>>()?
            }
        };
        Ok(json(&Roots { roots }))
    })
    .await
}

fn directory(project: &Project) -> Directory {
    // One that cannot be read has nothing to choose from.
    let (directories, more) = project.subdirectories(DIRECTORIES).present().unwrap_or_default();
    Directory { path: project.directory().to_string_lossy().into_owned(), directories, more }
}
