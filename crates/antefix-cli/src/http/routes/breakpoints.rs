//! Where a provider's cache would be asked to end in a prompt, and how long the prompt must be for it.

use antefix::deliver::{Content, Target};
use antefix::models::{Minimum, Provider};
use serde::Serialize;
use utoipa::ToSchema;

use crate::delivery;
use crate::http::names::ReachedName;
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

/// The shortest prefix that the model's provider caches.
#[derive(Serialize, ToSchema)]
pub(super) struct MinimumOf {
    /// So many tokens.
    tokens: usize,
    /// Behind so many bytes the prefix comes to them, by the likeliest count; none if it does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<usize>,
    /// Whether it does; `perhaps` if the minimum lies in the band of an estimate.
    #[schema(value_type = ReachedName)]
    reached: &'static str,
}

/// The minimum of the model's provider; none if the model is not known, or states none.
pub(super) fn minimum(composed: &Composed) -> Answer<Option<MinimumOf>> {
    let prepared = &composed.prepared;
    let models = prepared.models()?;
    let found = prepared.model().and_then(|name| models.find(name));
    let minimum = found.and_then(|(model, _)| model.minimum_of(composed.prompt.prefix()));
    Ok(minimum.map(|Minimum { tokens, at, reached }| MinimumOf { tokens, at, reached: reached.name() }))
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
