//! What differs between two prompts: tokens, price, findings, and the text.

use antefix::Diagnostic;
use antefix::document::{ByHeading, Finding, shares};
use antefix::models::{Cost, Price};
use antefix::project::Preview;
use antefix::tokens::Tokens;
use serde::Serialize;

use super::lines::{Hunk, hunks};

/// What a change does to a prompt.
#[derive(Serialize)]
pub(super) struct Changes<'p> {
    pub(super) before: String,
    pub(super) after: String,
    /// Whether what the model is told is another one.
    pub(super) changed: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tokens: Option<Counts>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) price: Option<Prices>,
    /// Files and other origins that say more or less than before, by how much.
    pub(super) origins: Vec<OriginChange>,
    pub(super) new_findings: Vec<Finding<'p>>,
    pub(super) gone_findings: Vec<Finding<'p>>,
    pub(super) hunks: Vec<Hunk>,
}

/// The tokens of both sides: those of the whole prompt.
#[derive(Clone, Copy, Serialize)]
pub(super) struct Counts {
    pub(super) before: usize,
    pub(super) after: usize,
    /// Whether they are counted, or estimated.
    pub(super) exact: bool,
}

/// What the whole prompt costs in one request, in dollars.
#[derive(Serialize)]
pub(super) struct Prices {
    pub(super) model: String,
    /// Where nothing is cached.
    pub(super) input: (String, String),
    /// Where all of it is read from the cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) cached: Option<(String, String)>,
}

/// How much more or less an origin says.
#[derive(Serialize)]
pub(super) struct OriginChange {
    pub(super) origin: String,
    pub(super) before: usize,
    pub(super) after: usize,
}

impl<'p> Changes<'p> {
    pub(super) fn between(before: &'p Preview, after: &'p Preview, names: (String, String)) -> Changes<'p> {
        let tokenizer = after.tokenizer();
        let count = |preview: &Preview| -> Option<Tokens> {
            Some(tokenizer.count(preview.prompt.prefix())? + tokenizer.count(preview.prompt.suffix())?)
        };
        let counts = count(before).zip(count(after)).map(|(before, after)| Counts {
            before: before.count,
            after: after.count,
            exact: tokenizer.is_exact(),
        });
        let missing = |from: &'p Preview, other: &Preview| -> Vec<Finding<'p>> {
            let is_new = |finding: &&Diagnostic| !other.diagnostics.iter().any(|known| same(known, finding));
            from.diagnostics.iter().filter(is_new).map(Finding::of_diagnostic).collect()
        };
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

/// Whether two findings are one to a reader.
fn same(one: &Diagnostic, other: &Diagnostic) -> bool {
    (one.level, one.code, &one.message) == (other.level, other.code, &other.message)
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
        let named = |share: antefix::document::Share| {
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
