//! The OpenAPI document, from the code of the routes.

use std::sync::LazyLock;

use axum::body::Bytes;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};
use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityScheme};
use utoipa::openapi::{ComponentsBuilder, InfoBuilder, License, OpenApi, OpenApiBuilder, SecurityRequirement};

use crate::{bounds, routes};
use antefix::document;

/// What all routes share.
pub(crate) fn base() -> OpenApi {
    let info = InfoBuilder::new()
        .title("antefix")
        .version(env!("CARGO_PKG_VERSION"))
        .description(Some(
            "Composes the system prompts of AI agents, freezes them per conversation, and accounts for every byte.",
        ))
        .license(Some(License::new("MIT OR Apache-2.0")))
        .build();
    let mut token = Http::new(HttpAuthScheme::Bearer);
    token.description =
        Some("The token of the server's token file, or the session of a page under its own origin.".to_owned());
    let components = ComponentsBuilder::new().security_scheme("token", SecurityScheme::Http(token)).build();
    let none: [&str; 0] = [];
    OpenApiBuilder::new()
        .info(info)
        .components(Some(components))
        .security(Some([SecurityRequirement::new("token", none)]))
        .build()
}

/// The document, as it is kept in `docs/openapi.json`.
pub fn document() -> String {
    let (_, document) = routes::described().split_for_parts();
    // A document of ours can be written.
    let mut document = serde_json::to_value(document).unwrap_or_default();
    close(&mut document);
    optional(&mut document);
    bounds::describe(&mut document);
    problems(&mut document);
    document::print(&document)
}

/// Bodies have the fields that they name and no others.
fn close(document: &mut Value) {
    let Some(schemas) = document.pointer_mut("/components/schemas").and_then(Value::as_object_mut) else { return };
    for (_, schema) in schemas.iter_mut().filter(|(name, _)| name.ends_with("Body")) {
        schema["additionalProperties"] = Value::Bool(false);
    }
}

/// A body that needs no field need not be there.
fn optional(document: &mut Value) {
    let schemas = document.pointer("/components/schemas").cloned().unwrap_or_default();
    let paths = document.get_mut("paths").and_then(Value::as_object_mut);
    let operations = paths.into_iter().flatten().filter_map(|(_, path)| path.as_object_mut()).flatten();
    for body in operations.filter_map(|(_, operation)| operation.get_mut("requestBody")) {
        let schema = body.pointer("/content/application~1json/schema/$ref").and_then(Value::as_str);
        let schema = schema.and_then(|path| path.rsplit('/').next()).and_then(|name| schemas.get(name));
        body["required"] = Value::Bool(schema.is_some_and(|schema| schema.get("required").is_some()));
    }
}

/// Every request can fail in the ways that all share, and failures are problem documents.
fn problems(document: &mut Value) {
    let paths = document.get_mut("paths").and_then(Value::as_object_mut);
    let operations = paths.into_iter().flatten().filter_map(|(_, path)| path.as_object_mut()).flatten();
    for (_, operation) in operations {
        let Some(responses) = operation.get_mut("responses").and_then(Value::as_object_mut) else { continue };
        let problem = json!({"schema": {"$ref": "#/components/schemas/ProblemDocument"}});
        for (status, response) in responses.iter_mut() {
            if status.starts_with(['4', '5']) {
                response["content"] = json!({"application/problem+json": problem});
            }
        }
        let other = json!({
            "description": "No token, a name or an origin that is not served, or a limit that was reached",
            "content": {"application/problem+json": problem},
        });
        responses.insert("default".to_owned(), other);
    }
}

pub(crate) async fn answer() -> Response {
    // It needs no token, so it must cost nothing.
    static DOCUMENT: LazyLock<Bytes> = LazyLock::new(|| document().into());
    ([(header::CONTENT_TYPE, "application/json")], DOCUMENT.clone()).into_response()
}
