//! `docs/economics.md`: the table, the rows in which antefix is not the cheapest, and what all of it rests on.

use antefix::models::{Cost, Models};

use super::play::Tally;
use super::strategies::{ALL, Listed};
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
    for listed in &ALL {
        text.push_str(&format!("| {} | {} |\n", listed.name, listed.about));
    }
    text.push_str("\n## The workloads\n\n| workload | what happens |\n|---|---|\n");
    for played in results.first().iter().flat_map(|results| &results.played) {
        text.push_str(&format!("| {} | {} |\n", played.workload.name, played.workload.about));
    }
    for results in results {
        text.push_str(&format!("\n## {}: {}\n\n", results.provider.name, results.provider.model));
        text.push_str(&format!("![{}](economics/{}.svg)\n\n", results.provider.name, results.file_name()));
        text.push_str(&overview(results));
        for played in &results.played {
            text.push_str(&format!("\n### {}: {}\n\n", results.provider.name, played.workload.name));
            text.push_str(&details(played));
            text.push_str(&format!("\n{}\n", verdict(played)));
        }
    }
    text.push('\n');
    text.push_str(TAIL);
    text
}

/// Dollars to a tenth of a cent.
pub(super) fn dollars(cost: Cost) -> String {
    let tenths = (cost.micro_dollars() + 500) / 1_000;
    format!("${}.{:03}", tenths / 1_000, tenths % 1_000)
}

/// Dollars, a row for each workload and a column for each strategy.
fn overview(results: &Results) -> String {
    let listed: Vec<&Listed> = ALL.iter().filter(|listed| (listed.applies)(results.provider)).collect();
    let names: Vec<&str> = listed.iter().map(|listed| listed.name).collect();
    let mut text = format!("| workload | {} |\n|---|{}\n", names.join(" | "), "--:|".repeat(names.len()));
    for played in &results.played {
        let least = played.least();
        let cell = |(_, tally): &(&Listed, Tally)| match tally.cost == least {
            true => format!("**{}**", dollars(tally.cost)),
            false => dollars(tally.cost),
        };
        let cells: Vec<String> = played.tallies.iter().map(cell).collect();
        text.push_str(&format!("| {} | {} |\n", played.workload.name, cells.join(" | ")));
    }
    text
}

/// Everything about one workload.
fn details(played: &Played) -> String {
    let mut text = "| strategy | dollars | input | written | written for longer | read | again | reads | told at the start | changes told | git told |\n\
                    |---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n"
        .to_owned();
    for (listed, tally) in &played.tallies {
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
fn verdict(played: &Played) -> String {
    let (Some(ours), Some((listed, tally))) = (played.ours(), played.cheaper()) else {
        return "antefix is the cheapest here, or as cheap as any.".to_owned();
    };
    let mut text = format!(
        "**antefix is not the cheapest here**: it costs {}, {} more than {} with {}.",
        dollars(ours.cost),
        percent(ours.cost, tally.cost),
        listed.name,
        dollars(tally.cost),
    );
    if ours.told + ours.news_told + ours.facts_told > tally.told + tally.news_told + tally.facts_told {
        text.push_str(&match played.cheaper_and_as_fresh() {
            None => " Nobody who told the model as much is cheaper.".to_owned(),
            Some((listed, tally)) => {
                format!(
                    " Of those who told the model as much, {} is cheaper, with {}.",
                    listed.name,
                    dollars(tally.cost)
                )
            }
        });
    }
    text
}

/// All rows in which somebody is cheaper.
fn dearer(results: &[Results]) -> String {
    let mut text =
        "| provider | workload | antefix | the cheapest | antefix costs more by | the cheapest that told as much |\n\
                    |---|---|--:|---|--:|---|\n"
            .to_owned();
    let (mut all, mut cheaper, mut as_fresh) = (0, 0, 0);
    for results in results {
        for played in &results.played {
            all += 1;
            let (Some(ours), Some((listed, tally))) = (played.ours(), played.cheaper()) else { continue };
            cheaper += 1;
            let fresh = match played.cheaper_and_as_fresh() {
                None => "antefix".to_owned(),
                Some((listed, tally)) => {
                    as_fresh += 1;
                    format!("{}: {}", listed.name, dollars(tally.cost))
                }
            };
            text.push_str(&format!(
                "| {} | {} | {} | {}: {} | {} | {fresh} |\n",
                results.provider.name,
                played.workload.name,
                dollars(ours.cost),
                listed.name,
                dollars(tally.cost),
                percent(ours.cost, tally.cost),
            ));
        }
    }
    let head = format!(
        "Of {all} rows, antefix is the cheapest, or as cheap as any, in {}. Among the strategies that told the model at least as much, it \
         is the cheapest in {}.\n\n",
        all - cheaper,
        all - as_fresh
    );
    head + &text
}

/// By how much one cost is more than another.
fn percent(cost: Cost, than: Cost) -> String {
    let thousandths = (cost.micro_dollars() * 1000 / than.micro_dollars().max(1)).saturating_sub(1000);
    format!("{}.{} %", thousandths / 10, thousandths % 10)
}

fn grouped(number: usize) -> String {
    antefix::text::grouped(number)
}
