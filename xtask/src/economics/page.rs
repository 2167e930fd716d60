//! `docs/explain/economics.md`: the table, the rows in which antefix is not the cheapest, and what all of it rests on.

use antefix::models::{Cost, Models};

use super::play::Tally;
use super::reasons::reason;
use super::strategies::{ALL, Group, Listed};
use super::{Played, Results};

/// What stands around the tables, in `page.md`: what is assumed, and how to read it.
const HEAD: &str = include_str!("page_head.md");
const TAIL: &str = include_str!("page_tail.md");

/// The page.
pub(super) fn page(results: &[Results]) -> String {
    let mut text = HEAD.replace("{as_of}", Models::built_in().as_of());
    text.push_str("\n## Where antefix is not the cheapest\n\n");
    text.push_str(&dearer(results));
    text.push_str("\n## The strategies\n\n| strategy | what it does |\n|---|---|\n");
    for listed in ALL.iter().filter(|listed| listed.group != Group::Tried) {
        text.push_str(&format!("| {} | {} |\n", listed.name, listed.about));
    }
    text.push_str("\n## The workloads\n\n| workload | what happens |\n|---|---|\n");
    for played in results.first().iter().flat_map(|results| &results.played) {
        text.push_str(&format!("| {} | {} |\n", played.workload.name, played.workload.about));
    }
    for results in results {
        text.push_str(&format!("\n## {}: {}\n\n", results.provider.name, results.provider.model));
        text.push_str(&format!("![{}](economics/{}.svg)\n\n", results.provider.name, results.file_name()));
        text.push_str(&overview(results, &[Group::Other, Group::Antefix]));
        text.push_str("\nThe built-in layouts, as they are:\n\n");
        text.push_str(&overview(results, &[Group::Layout]));
        for played in &results.played {
            text.push_str(&format!("\n### {}: {}\n\n", results.provider.name, played.workload.name));
            text.push_str(&details(played));
            text.push_str(&format!("\n{}\n", verdict(results, played)));
        }
    }
    text.push('\n');
    text.push_str(&TAIL.replace("{tried}", tried(results).trim_end()));
    text
}

/// Dollars to a tenth of a cent.
pub(super) fn dollars(cost: Cost) -> String {
    let tenths = (cost.micro_dollars() + 500) / 1_000;
    format!("${}.{:03}", tenths / 1_000, tenths % 1_000)
}

/// Dollars, a row for each workload and a column for each strategy of some groups.
fn overview(results: &Results, groups: &[Group]) -> String {
    let is_shown = |listed: &&Listed| groups.contains(&listed.group) && (listed.applies)(results.provider);
    let names: Vec<&str> = ALL.iter().filter(is_shown).map(|listed| listed.name).collect();
    let mut text = format!("| workload | {} |\n|---|{}\n", names.join(" | "), "--:|".repeat(names.len()));
    for played in &results.played {
        let least = played.least();
        let shown = played.tallies.iter().filter(|(listed, _)| is_shown(&&**listed));
        let cells = shown.map(|(_, tally)| match tally.cost == least {
            true => format!("**{}**", dollars(tally.cost)),
            false => dollars(tally.cost),
        });
        text.push_str(&format!("| {} | {} |\n", played.workload.name, cells.collect::<Vec<_>>().join(" | ")));
    }
    text
}

/// What was tried: the sums of all workloads, beside those of antefix.
fn tried(results: &[Results]) -> String {
    let mut text = "| what | with | all workloads | antefix as it is | more by |\n|---|---|--:|--:|--:|\n".to_owned();
    for listed in ALL.iter().filter(|listed| listed.group == Group::Tried) {
        for results in results.iter().filter(|results| (listed.applies)(results.provider)) {
            let sum = |name: &str| {
                let tallies = results.played.iter().flat_map(|played| &played.tallies);
                let costs = tallies.filter(|(listed, _)| listed.name == name).map(|(_, tally)| tally.cost);
                costs.fold(Cost::default(), |sum, cost| sum + cost)
            };
            let (tried, ours) = (sum(listed.name), sum("antefix"));
            let more = if tried < ours { format!("−{}", percent(ours, tried)) } else { percent(tried, ours) };
            let (name, about, model) = (listed.name, listed.about, results.provider.model);
            let (tried, ours) = (dollars(tried), dollars(ours));
            text.push_str(&format!("| {name}: {about} | {model} | {tried} | {ours} | {more} |\n"));
        }
    }
    text
}

/// Everything about one workload.
fn details(played: &Played) -> String {
    let mut text = "| strategy | dollars | input | written | written for longer | read | again | reads | told at the start | changes told | git told |\n\
                    |---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n"
        .to_owned();
    for (listed, tally) in played.tallies.iter().filter(|(listed, _)| listed.group != Group::Tried) {
        let of = |count: usize, all: usize| if all == 0 { "–".to_owned() } else { format!("{count} of {all}") };
        let share = tally.read_share();
        text.push_str(&format!(
            "| {} | {} | {} | {} | {} | {} | {} | {}.{} % | {} | {} | {} |\n",
            listed.name,
            dollars(tally.cost),
            grouped(tally.billed.input()),
            grouped(tally.billed.written),
            grouped(tally.billed.written_long),
            grouped(tally.billed.read),
            grouped(tally.again),
            share / 10,
            share % 10,
            of(tally.facts_told, tally.facts),
            of(tally.told, tally.changes),
            of(tally.news_told, tally.news),
        ));
    }
    text
}

/// Whether antefix is the cheapest, in words.
fn verdict(results: &Results, played: &Played) -> String {
    let (Some(ours), Some((listed, tally))) = (played.ours(), played.cheaper()) else {
        return "antefix is the cheapest here, or as cheap as any.".to_owned();
    };
    let (cost, more) = (dollars(ours.cost), percent(ours.cost, tally.cost));
    let cheapest = format!("{cost}, {more} more than {} with {}", listed.name, dollars(tally.cost));
    match played.cheaper_and_as_fresh() {
        None => format!(
            "antefix is the cheapest here of those that tell as much. It costs {cheapest}, which told the model less."
        ),
        Some((fresh, tally)) => {
            let why = reason(results.provider, played.workload.name).unwrap_or_default();
            let fresh = format!("{} tells as much for {}", fresh.name, dollars(tally.cost));
            format!("**antefix is not the cheapest here**: it costs {cheapest}. {fresh}: {why}.")
        }
    }
}

/// In how many rows antefix is the cheapest; the rows in which somebody who tells as much is cheaper, and why; and those in which anybody
/// is.
fn dearer(results: &[Results]) -> String {
    let mut as_fresh = "| provider | workload | antefix | cheaper, and tells as much | antefix costs more by | why |\n\
                        |---|---|--:|---|--:|---|\n"
        .to_owned();
    let mut any = "| provider | workload | antefix | the cheapest | antefix costs more by | what it told: start, changes, git |\n\
                   |---|---|--:|---|--:|---|\n"
        .to_owned();
    let (mut all, mut dearer, mut dearer_and_as_fresh) = (0, 0, 0);
    for results in results {
        for played in &results.played {
            all += 1;
            let (provider, workload) = (results.provider.name, played.workload.name);
            let (Some(ours), Some((listed, tally))) = (played.ours(), played.cheaper()) else { continue };
            dearer += 1;
            let row = |listed: &Listed, tally: &Tally| {
                let (ours, theirs) = (dollars(ours.cost), dollars(tally.cost));
                format!("| {provider} | {workload} | {ours} | {}: {theirs}", listed.name)
            };
            if let Some((fresh, tally)) = played.cheaper_and_as_fresh() {
                dearer_and_as_fresh += 1;
                let (more, why) =
                    (percent(ours.cost, tally.cost), reason(results.provider, workload).unwrap_or_default());
                as_fresh.push_str(&format!("{} | {more} | {why} |\n", row(fresh, tally)));
            }
            let told =
                [(tally.facts_told, ours.facts_told), (tally.told, ours.told), (tally.news_told, ours.news_told)];
            let told = told.map(|(theirs, ours)| format!("{theirs} of {ours}")).join(", ");
            let more = percent(ours.cost, tally.cost);
            any.push_str(&format!("{} | {more} | {told} |\n", row(listed, tally)));
        }
    }
    let least = all - dearer_and_as_fresh;
    let cheapest = all - dearer;
    let mut text = format!(
        "Of {all} rows, antefix is the cheapest, or as cheap as any, of all strategies that tell the model as much in {least}. In the \
         other {dearer_and_as_fresh} it is not:\n\n"
    );
    text.push_str(&as_fresh);
    text.push_str(&format!(
        "\nOf all strategies, also of those that tell the model less, it is the cheapest in {cheapest} rows. In the others somebody tells \
         the model less and pays less for it, or is in the table above as well. The last column says how much of what antefix told the \
         cheapest one told.\n\n"
    ));
    text + &any
}

/// By how much one cost is more than another.
fn percent(cost: Cost, than: Cost) -> String {
    let thousandths = (cost.micro_dollars() * 1000 / than.micro_dollars().max(1)).saturating_sub(1000);
    format!("{}.{} %", thousandths / 10, thousandths % 10)
}

fn grouped(number: usize) -> String {
    antefix::text::grouped(number)
}
