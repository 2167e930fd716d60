//! What two prompts have in common, as a JSON document. Later versions only add to it.

use serde::Serialize;

use super::Count;
use crate::freeze::Same;
use crate::observe::{Family, Member};
use crate::tokens::Tokenizer;

/// What `explain --with` adds.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct FamilyDocument {
    /// The other prompt, as it was named.
    other: String,
    /// How many bytes of the texts are the same, from the beginning on.
    shared_bytes: usize,
    /// The same in tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    shared_tokens: Option<Count>,
    /// How many bytes this prefix has.
    bytes: usize,
    /// How many the other one has.
    other_bytes: usize,
    /// Whether the tools are the same: they come before the text, and if they differ nothing of it is shared.
    same_tools: bool,
    /// Where the texts part; not there if the prefixes are the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    parting: Option<PartingOf>,
    /// What would let them share more, a sentence each.
    advice: Vec<String>,
}

/// Where two texts part.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
struct PartingOf {
    #[serde(skip_serializing_if = "Option::is_none")]
    section: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    other_section: Option<String>,
    /// What each says there.
    says: String,
    other_says: String,
}

/// What two prompts have in common, with the tokens of what they share.
pub fn family(with: &str, own: &Member<'_>, family: &Family, tokenizer: &Tokenizer) -> FamilyDocument {
    let shared = own.prefix.get(..family.shared).unwrap_or_default();
    let tokens = tokenizer.count(shared);
    FamilyDocument {
        other: with.to_owned(),
        shared_bytes: family.shared,
        shared_tokens: tokens.map(|tokens| Count { count: tokens.count, low: tokens.low, high: tokens.high }),
        bytes: family.lengths.0,
        other_bytes: family.lengths.1,
        same_tools: family.tools == Same::Yes,
        parting: family.parting.as_ref().map(|parting| PartingOf {
            section: parting.sections.0.clone(),
            other_section: parting.sections.1.clone(),
            says: parting.excerpts.0.clone(),
            other_says: parting.excerpts.1.clone(),
        }),
        advice: family.advice.iter().map(ToString::to_string).collect(),
    }
}
