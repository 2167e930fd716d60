//! The OpenAPI document, from the code of the routes.

use axum::http::header;
use axum::response::{IntoResponse, Response};
use utoipa::openapi::security::{ApiKey, ApiKeyValue, Http, HttpAuthScheme, SecurityScheme};
use utoipa::openapi::{ComponentsBuilder, InfoBuilder, License, OpenApi, OpenApiBuilder, SecurityRequirement};

use super::routes;

/// What all routes share.
pub(super) fn base() -> OpenApi {
    let info = InfoBuilder::new()
        .title("antefix")
        .version(env!("CARGO_PKG_VERSION"))
        .description(Some(
            "Composes the system prompts of AI agents, freezes them per conversation, and accounts for every byte.",
        ))
        .license(Some(License::new("MIT OR Apache-2.0")))
        .build();
    let token = SecurityScheme::Http(Http::new(HttpAuthScheme::Bearer));
    let cookie = SecurityScheme::ApiKey(ApiKey::Cookie(ApiKeyValue::with_description(
        "antefix_7777",
        "Of the page in a browser; its name ends with the port. A change needs the header Antefix-Csrf as well.",
    )));
    let components = ComponentsBuilder::new().security_scheme("token", token).security_scheme("cookie", cookie).build();
    let none: [&str; 0] = [];
    OpenApiBuilder::new()
        .info(info)
        .components(Some(components))
        .security(Some([SecurityRequirement::new("token", none), SecurityRequirement::new("cookie", none)]))
        .build()
}

/// The document, as it is kept in `docs/openapi.json`.
pub(crate) fn document() -> String {
    let (_, document) = routes::described().split_for_parts();
    // A document of ours can be written.
    let mut text = document.to_pretty_json().unwrap_or_default();
    text.push('\n');
    text
}

pub(super) async fn answer() -> Response {
    ([(header::CONTENT_TYPE, "application/json")], document()).into_response()
}
