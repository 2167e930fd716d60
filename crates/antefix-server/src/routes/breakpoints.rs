//! Where a provider's cache would be asked to end in a prompt, and how long the prompt must be for it.

use antefix::Target;
use antefix::models::Minimum;
use antefix::project::Preview;
use serde::Serialize;
use utoipa::ToSchema;

use crate::names::ReachedName;
use crate::problem::Answer;

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
pub(super) fn minimum(preview: &Preview) -> Option<MinimumOf> {
    let (model, _) = preview.models().find(preview.caller().model.as_deref()?)?;
    let Minimum { tokens, at, reached } = model.minimum_of(preview.prompt.prefix())?;
    Some(MinimumOf { tokens, at, reached: reached.name() })
}

/// The breakpoints that a delivery to the model's provider has; none if the model is not known or finds its cache alone.
pub(super) fn breakpoints(preview: &Preview) -> Answer<Vec<BreakpointOf>> {
    let named = preview.caller().model.as_deref();
    let Some((model, _)) = named.and_then(|name| preview.models().find(name)) else { return Ok(Vec::new()) };
    let delivery = preview.deliver(Target::of(model.provider))?;
    let mut at = 0;
    let mut found = Vec::new();
    for part in delivery.receipt.parts.into_iter().filter(|part| part.is_prefix() && part.what != "tools") {
        at += part.bytes;
        found.extend(part.breakpoint.map(|lifetime| BreakpointOf { at, behind: part.what, lifetime }));
    }
    Ok(found)
}
