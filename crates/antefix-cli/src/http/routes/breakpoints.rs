//! Where a provider's cache would be asked to end in a prompt.

use antefix::deliver::{Content, Target};
use antefix::models::Provider;
use serde::Serialize;
use utoipa::ToSchema;

use crate::delivery;
use crate::http::problem::Answer;
use crate::setup::Composed;

/// A breakpoint of the provider's.
#[derive(Serialize, ToSchema)]
pub(super) struct BreakpointOf {
    /// Behind so many bytes of the prefix.
    at: usize,
    /// `fixed` or `frozen`: what ends there.
    behind: String,
    /// The lifetime that it asks for, as the provider spells it.
    lifetime: String,
}

/// The breakpoints that a delivery to the model's provider has; none if the model is not known or finds its cache alone.
pub(super) fn breakpoints(composed: &Composed) -> Answer<Vec<BreakpointOf>> {
    let prepared = &composed.prepared;
    let models = prepared.models()?;
    let Some((model, _)) = prepared.model().and_then(|name| models.find(name)) else { return Ok(Vec::new()) };
    let content = Content::of_prompt(&composed.prompt, prepared.tools(), &[]);
    let delivery = delivery::deliver(content, target(model.provider), prepared)?;
    let mut at = 0;
    let mut found = Vec::new();
    for part in delivery.receipt.parts.into_iter().filter(|part| part.is_prefix() && part.what != "tools") {
        at += part.bytes;
        found.extend(part.breakpoint.map(|lifetime| BreakpointOf { at, behind: part.what, lifetime }));
    }
    Ok(found)
}

/// The shape of a provider's own requests.
fn target(provider: Provider) -> Target {
    match provider {
        Provider::Anthropic => Target::Anthropic,
        Provider::Bedrock => Target::Bedrock,
        Provider::Gemini => Target::Gemini,
        Provider::OpenAi => Target::OpenAiResponses,
        // They take the shape that OpenAI had first.
        _ => Target::OpenAiChat,
    }
}
