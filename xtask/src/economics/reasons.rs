//! Why antefix costs more than somebody who tells the model as much, row by row.
//!
//! Each was found by comparing the requests. `cargo xtask economics` fails if a row has no reason here, or if a reason has no row.

use antefix::Target;

use super::Results;
use super::scene::Provider;
use crate::step::Outcome;

/// The workload, the providers that it is about, and the reason.
const REASONS: [Reason; 4] = [
    (
        "pauses",
        |provider| provider.target == Target::Anthropic,
        "writing for an hour from the first request on is a bet that pays here, and costs its winner about 20 % in most workloads without \
         a pause; antefix loses one cache before it knows of pauses",
    ),
    (
        "20 subagents",
        |provider| provider.target == Target::Anthropic,
        "the parent waits for its children for eleven minutes, so that antefix writes for an hour from then on, and the workload ends there",
    ),
    (
        "20 subagents",
        |provider| provider.target != Target::Anthropic,
        "place, date and git are behind the first words of each child, and so are billed for each; in the system text they are read from \
         the parent's, until git has other news",
    ),
    (
        "skills that grow",
        |provider| provider.target == Target::Anthropic,
        "each of eleven notices says which lines of which section it replaces, about 40 tokens",
    ),
];

type Reason = (&'static str, fn(&Provider) -> bool, &'static str);

/// Why antefix costs more in a row.
pub(super) fn reason(provider: &Provider, workload: &str) -> Option<&'static str> {
    REASONS.iter().find(|(of, applies, _)| *of == workload && applies(provider)).map(|(_, _, why)| *why)
}

/// That each row in which somebody who tells as much is cheaper has a reason, and that each reason has such a row.
pub(super) fn check(results: &[Results]) -> Outcome {
    let rows =
        || results.iter().flat_map(|results| results.played.iter().map(move |played| (results.provider, played)));
    let is_dearer = |(provider, workload): (&Provider, &str)| {
        let mut rows = rows().filter(|(one, played)| one.name == provider.name && played.workload.name == workload);
        rows.any(|(_, played)| played.cheaper_and_as_fresh().is_some())
    };
    for (provider, played) in rows() {
        let workload = played.workload.name;
        if is_dearer((provider, workload)) && reason(provider, workload).is_none() {
            let name = provider.name;
            return Err(format!("{name}, {workload}: say in `economics/reasons.rs` why antefix costs more"));
        }
    }
    for (workload, applies, why) in REASONS {
        let providers = results.iter().map(|results| results.provider);
        if !providers.into_iter().any(|provider| applies(provider) && is_dearer((provider, workload))) {
            return Err(format!(
                "{workload}: take {why:?} out of `economics/reasons.rs`: antefix is the cheapest there"
            ));
        }
    }
    Ok(())
}
