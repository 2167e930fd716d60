//! What differs between two prompts: tokens, price, findings, and the text. What `antefix diff` prints.

mod lines;

use serde::Serialize;

use self::lines::hunks;
pub use self::lines::{Hunk, Line};
use super::{ByHeading, Finding, Share, shares};
use crate::diagnostic::{Code, Diagnostic, Level};
use crate::models::{Cost, Price};
use crate::project::Preview;
use crate::tokens::Tokens;

/// What a change does to a prompt.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Changes<'p> {
    /// What the earlier side is called.
    pub before: String,
    /// What the later side is called.
    pub after: String,
    /// Whether what the model is told is another one.
    pub changed: bool,
    /// How many tokens the two have; none where tokens are not counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<Counts>,
    /// What a turn costs, if a model was named whose prices are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub price: Option<Prices>,
    /// Files and other origins that say more or less than before, by how much.
    pub origins: Vec<OriginChange>,
    /// Findings that were not there before.
    pub new_findings: Vec<Finding<'p>>,
    /// Findings that are not there any more.
    pub gone_findings: Vec<Finding<'p>>,
    /// The text, where it differs.
    pub hunks: Vec<Hunk>,
}

/// The tokens of both sides: those of the whole prompt.
#[derive(Clone, Copy, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Counts {
    /// Before.
    pub before: usize,
    /// After.
    pub after: usize,
    /// Whether they are counted, or estimated.
    pub exact: bool,
}

/// What the whole prompt costs in one request, in dollars.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Prices {
    /// The model.
    pub model: String,
    /// Where nothing is cached.
    pub input: (String, String),
    /// Where all of it is read from the cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cached: Option<(String, String)>,
}

/// How much more or less an origin says.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct OriginChange {
    /// A file, or a name.
    pub origin: String,
    /// Its tokens before; bytes where tokens are not counted.
    pub before: usize,
    /// The same after.
    pub after: usize,
}

impl<'p> Changes<'p> {
    /// What differs between two prompts that are called so.
    pub fn between(before: &'p Preview, after: &'p Preview, names: (String, String)) -> Changes<'p> {
        let tokenizer = after.tokenizer();
        let count = |preview: &Preview| -> Option<Tokens> {
            Some(tokenizer.count(preview.prompt.prefix())? + tokenizer.count(preview.prompt.suffix())?)
        };
        let counts = count(before).zip(count(after)).map(|(before, after)| Counts {
            before: before.count,
            after: after.count,
            exact: tokenizer.is_exact(),
        });
        Changes {
            before: names.0,
            after: names.1,
            changed: before.prompt.text() != after.prompt.text() || before.prompt.boundary() != after.prompt.boundary(),
            tokens: counts,
            price: counts.and_then(|counts| prices(after, counts)),
            origins: origins(before, after),
            new_findings: missing(after, before),
            gone_findings: missing(before, after),
            hunks: hunks(&before.prompt, &after.prompt),
        }
    }
}

/// The findings of a prompt that another one does not have: one that moved to another line, or counts other bytes, is the same. Of
/// several that are alike, as many are missing as there are more.
fn missing<'p>(from: &'p Preview, other: &Preview) -> Vec<Finding<'p>> {
    let mut known: Vec<(Level, Code, String)> = other.diagnostics.iter().map(kind).collect();
    let is_missing = |finding: &&'p Diagnostic| match known.iter().position(|one| *one == kind(finding)) {
        Some(number) => {
            known.swap_remove(number);
            false
        }
        None => true,
    };
    from.diagnostics.iter().filter(is_missing).map(Finding::of_diagnostic).collect()
}

/// What a finding is to a reader, without its numbers.
fn kind(finding: &Diagnostic) -> (Level, Code, String) {
    let words = finding.message.split(|c: char| c.is_ascii_digit() || c == ',').filter(|part| !part.is_empty());
    (finding.level, finding.code, words.collect::<Vec<_>>().join("#"))
}

fn prices(preview: &Preview, counts: Counts) -> Option<Prices> {
    let (model, _) = preview.models().find(preview.caller().model.as_deref()?)?;
    let both = |price: Price| -> Option<(Cost, Cost)> {
        Some((model.price(counts.before, price)?, model.price(counts.after, price)?))
    };
    let said = |(before, after): (Cost, Cost)| (before.to_string(), after.to_string());
    Some(Prices { input: said(both(Price::Input)?), cached: both(Price::Read).map(said), model: model.name.clone() })
}

fn origins(before: &Preview, after: &Preview) -> Vec<OriginChange> {
    let counted = |preview: &Preview| -> Vec<(String, usize)> {
        let shares = shares(&preview.prompt, &after.tokenizer(), ByHeading::No);
        let named = |share: Share| {
            let name = share.origin.path().unwrap_or(share.origin.name()).to_owned();
            (name, share.tokens.map_or(share.bytes, |tokens| tokens.count))
        };
        shares.into_iter().map(named).collect()
    };
    let (old, new) = (counted(before), counted(after));
    let of = |counted: &[(String, usize)], name: &str| -> usize {
        counted.iter().filter(|(known, _)| known == name).map(|(_, tokens)| tokens).sum()
    };
    let mut names: Vec<&String> = old.iter().chain(&new).map(|(name, _)| name).collect();
    names.sort();
    names.dedup();
    let change = |name: &String| OriginChange { origin: name.clone(), before: of(&old, name), after: of(&new, name) };
    let mut changes: Vec<OriginChange> =
        names.into_iter().map(change).filter(|change| change.before != change.after).collect();
    changes.sort_by_key(|change| std::cmp::Reverse(change.before.abs_diff(change.after)));
    changes
}
