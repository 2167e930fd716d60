//! `cargo xtask economics`: what strategies for system prompts cost, side by side.

mod outline;
mod page;
mod play;
mod plot;
mod random;
mod reasons;
mod scene;
mod strategies;
#[cfg(test)]
mod tests;
mod texts;
mod workloads;

use std::fs;
use std::time::Instant;

use antefix::Target;
use antefix::models::Cost;

use self::play::{Tally, play};
use self::scene::Provider;
use self::strategies::{ALL, Group, Listed};
use self::workloads::Workload;
use crate::step::{self, Outcome, root};

/// The providers, each with the model that is played with.
const PROVIDERS: [Provider; 5] = [
    Provider {
        name: "Anthropic",
        target: Target::Anthropic,
        model: "claude-opus-5",
        other_model: "claude-opus-5-5",
        mid_system: true,
        adds_tools: true,
        removes_tools: true,
    },
    Provider {
        name: "OpenAI before GPT-5.6",
        target: Target::OpenAiResponses,
        model: "gpt-5.4",
        other_model: "gpt-5.5",
        mid_system: true,
        adds_tools: false,
        removes_tools: false,
    },
    Provider {
        name: "OpenAI from GPT-5.6 on",
        target: Target::OpenAiResponses,
        model: "gpt-5.6-sol",
        other_model: "gpt-6-sol",
        mid_system: true,
        adds_tools: true,
        removes_tools: false,
    },
    Provider {
        name: "Gemini",
        target: Target::Gemini,
        model: "gemini-3.8-flash",
        other_model: "gemini-3.1-pro-preview",
        mid_system: false,
        adds_tools: false,
        removes_tools: false,
    },
    Provider {
        name: "DeepSeek",
        target: Target::OpenAiChat,
        model: "deepseek-v4-pro",
        other_model: "deepseek-flash",
        mid_system: true,
        adds_tools: false,
        removes_tools: false,
    },
];

/// Costs that differ by less than one in so many are equal: tokens are estimates, and not known that exactly.
const EQUAL: u128 = 500;

/// What came of all workloads with one provider.
struct Results {
    provider: &'static Provider,
    played: Vec<Played>,
}

/// What came of one workload, by strategy.
struct Played {
    workload: Workload,
    tallies: Vec<(&'static Listed, Tally)>,
}

/// Plays everything, prints the table, and writes the page and its pictures; with `check` says which of them are stale.
pub(crate) fn run(check: bool) -> Outcome {
    // Hashing and counting megabytes takes minutes without the optimizer, and a few seconds with it.
    if cfg!(debug_assertions) {
        let mut args = vec!["run", "--quiet", "--release", "--package", "xtask", "--", "economics"];
        args.extend(check.then_some("--check"));
        return step::show(&mut step::cargo(&args));
    }
    let start = Instant::now();
    let results = play_all()?;
    let took = start.elapsed().as_secs_f64();
    let mut pages = vec![("docs/explain/economics.md".to_owned(), page::page(&results))];
    for results in &results {
        pages.push((format!("docs/explain/economics/{}.svg", results.file_name()), plot::bars(results)));
    }
    if let Some((anthropic, day)) = results.first().and_then(|first| Some((first, first.played.first()?))) {
        pages.push(("docs/explain/economics/day.svg".to_owned(), plot::course(anthropic, day)));
    }
    for results in &results {
        for played in &results.played {
            print(results, played);
        }
    }
    println!("\nall of it took {took:.1} s, a working day with antefix {:.2} s", a_day()?);
    pages.into_iter().try_for_each(|(path, expected)| keep(&path, &expected, check))?;
    reasons::check(&results)
}

/// Every workload with every strategy, each provider in a thread of its own.
fn play_all() -> Outcome<Vec<Results>> {
    std::thread::scope(|scope| {
        let threads: Vec<_> = PROVIDERS.iter().map(|provider| scope.spawn(|| play_with(provider))).collect();
        let joined = threads.into_iter().map(|thread| thread.join().map_err(|_| "a thread panicked".to_owned())?);
        joined.collect()
    })
}

/// How many seconds a simulated day takes by itself.
fn a_day() -> Outcome<f64> {
    let days = workloads::all().into_iter().next().zip(ALL.iter().find(|listed| listed.name == "antefix"));
    let Some((day, antefix)) = days else { return Ok(0.0) };
    let start = Instant::now();
    play(&day, &mut *(antefix.make)(), &PROVIDERS[0])?;
    Ok(start.elapsed().as_secs_f64())
}

fn play_with(provider: &'static Provider) -> Outcome<Results> {
    let mut played = Vec::new();
    for workload in workloads::all() {
        let mut tallies = Vec::new();
        for listed in ALL.iter().filter(|listed| (listed.applies)(provider)) {
            let tally = play(&workload, &mut *(listed.make)(), provider);
            tallies.push((listed, tally.map_err(|error| format!("{}, {}: {error}", provider.name, listed.name))?));
        }
        played.push(Played { workload, tallies });
    }
    Ok(Results { provider, played })
}

impl Results {
    /// The name of its picture, without an ending.
    fn file_name(&self) -> String {
        self.provider.name.to_lowercase().replace([' ', '.'], "-")
    }
}

impl Played {
    /// The strategies that are compared with each other.
    fn compared(&self) -> impl Iterator<Item = &(&'static Listed, Tally)> {
        self.tallies.iter().filter(|(listed, _)| matches!(listed.group, Group::Other | Group::Antefix))
    }

    /// What the cheapest of them costs.
    fn least(&self) -> Cost {
        self.compared().map(|(_, tally)| tally.cost).min().unwrap_or_default()
    }

    /// antefix, with what all others say.
    fn ours(&self) -> Option<&Tally> {
        self.tallies.iter().find(|(listed, _)| listed.name == "antefix").map(|(_, tally)| tally)
    }

    /// The cheapest of the others, if it is cheaper than antefix.
    fn cheaper(&self) -> Option<(&Listed, &Tally)> {
        self.cheapest(|_| true)
    }

    /// The cheapest of those that told the model at least as much of what changed, if it is cheaper than antefix.
    fn cheaper_and_as_fresh(&self) -> Option<(&Listed, &Tally)> {
        self.cheapest(|tally| self.tells_as_much(tally))
    }

    /// Whether somebody told the model at least as much as antefix, by each of the three counts.
    fn tells_as_much(&self, tally: &Tally) -> bool {
        let at_least = |ours: &Tally| {
            tally.told >= ours.told && tally.news_told >= ours.news_told && tally.facts_told >= ours.facts_told
        };
        self.ours().is_some_and(at_least)
    }

    fn cheapest(&self, counts: impl Fn(&Tally) -> bool) -> Option<(&Listed, &Tally)> {
        let ours = self.ours()?;
        let others = self.tallies.iter().filter(|(listed, tally)| listed.group == Group::Other && counts(tally));
        let (listed, tally) = others.min_by_key(|(_, tally)| tally.cost)?;
        let (theirs, ours) = (tally.cost.micro_dollars(), ours.cost.micro_dollars());
        (theirs * (EQUAL + 1) < ours * EQUAL).then_some((*listed, tally))
    }
}

fn print(results: &Results, played: &Played) {
    println!("\n{} · {}", results.provider.name, played.workload.name);
    for (listed, tally) in &played.tallies {
        let (share, billed) = (tally.read_share(), tally.billed);
        println!(
            "  {:<30} {:>9}  reads {:>3}.{} %  written {:>9}  again {:>9}  told {}/{}  git {}/{}  start {}/{}",
            listed.name,
            page::dollars(tally.cost),
            share / 10,
            share % 10,
            billed.written + billed.written_long,
            tally.again,
            tally.told,
            tally.changes,
            tally.news_told,
            tally.news,
            tally.facts_told,
            tally.facts,
        );
    }
}

/// Writes a file, or says that it is stale.
fn keep(path: &str, expected: &str, check: bool) -> Outcome {
    let file = root().join(path);
    let found = fs::read_to_string(&file).unwrap_or_default();
    if found == expected {
        return Ok(());
    }
    if check {
        return Err(format!("{path} is stale: run `cargo xtask economics`"));
    }
    let written = fs::create_dir_all(file.parent().unwrap_or(&file)).and_then(|()| fs::write(&file, expected));
    written.map_err(|error| format!("{path} cannot be written: {error}"))?;
    println!("{path} written");
    Ok(())
}
