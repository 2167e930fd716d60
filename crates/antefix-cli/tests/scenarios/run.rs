//! Runs a scenario through all front ends, and reports what is not as it must be.

use std::rc::Rc;

use crate::expect::{begins, opens};
use crate::front_end::{Adapter, FrontEnd};
use crate::library::Library;
use crate::lists::{DIFFERS, NOT_OFFERED, NOT_TOLD, NOT_YET};
use crate::outcome::{Outcome, Seen};
use crate::place::Place;
use crate::scenario::{Row, Scenario, project};
use crate::step::{Step, nothing};

/// Runs a scenario of the table.
pub(crate) fn run(name: &str, scenario: &Scenario) {
    let listed =
        |list: &[(&'static str, &'static str)]| list.iter().find(|(listed, _)| *listed == name).map(|(_, why)| *why);
    let front_ends = [FrontEnd::Library, FrontEnd::Program, FrontEnd::Http, FrontEnd::Acp, FrontEnd::InTurns];
    // Each has a place of its own, and most of the time one waits for processes and disks.
    let [library, others @ ..] = std::thread::scope(|scope| {
        let playing = front_ends.map(|front_end| scope.spawn(move || play(front_end, scenario)));
        playing.map(|playing| playing.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    });
    let mut wrong = unexpected(scenario, &library);
    for (front_end, played) in front_ends.into_iter().skip(1).zip(&others) {
        wrong.extend(compare(front_end, scenario, &library, played));
    }
    match listed(&NOT_YET) {
        Some(why) => assert!(!wrong.is_empty(), "{name} passes now: take it off NOT_YET, which says {why:?}"),
        None => assert!(wrong.is_empty(), "\n{name}\n\n{}\n", wrong.join("\n\n")),
    }
}

/// What a front end made of a step, and the rows that are compared.
struct Played {
    outcome: Outcome,
    rows: Vec<(&'static str, Option<String>)>,
}

/// All steps in a place of their own; none for one that only changed the world.
fn play(front_end: FrontEnd, scenario: &Scenario) -> Vec<Option<Played>> {
    let place = Rc::new(Place::new());
    let mut adapter = front_end.begin(&place);
    let mut stand_in = Library::new(Rc::clone(&place));
    let mut played = |row: &Row| {
        if place.change(&row.step) {
            return None;
        }
        let mut outcome = adapter.run(&row.step);
        let mut seen = match &outcome {
            Outcome::Seen(seen) => seen.clone(),
            Outcome::NotOffered => {
                stand_in.run(&row.step);
                Box::new(Seen::default())
            }
        };
        (seen.ledger, seen.machines) = (Some(place.ledger()), Some(place.machines()));
        let normalized = |text: String| place.normalized(&text);
        let rows = seen.rows().into_iter().map(|(name, text)| (name, text.map(normalized))).collect();
        if let Outcome::Seen(kept) = &mut outcome {
            *kept = seen;
        }
        Some(Played { outcome, rows })
    };
    scenario.rows.iter().map(&mut played).collect()
}

/// Where the library is not as it was written down.
fn unexpected(scenario: &Scenario, library: &[Option<Played>]) -> Vec<String> {
    let mut wrong = Vec::new();
    for (number, (row, played)) in scenario.rows.iter().zip(library).enumerate() {
        let (Some(expect), Some(played)) = (&row.expect, played) else { continue };
        let found = expect.check(&played.outcome);
        wrong.extend(found.into_iter().map(|what| format!("{}\n  library: {what}", title(number, row))));
    }
    wrong
}

/// Where a front end differs from the library for the first time, or no longer does. What follows from a difference is
/// counted, and not shown.
fn compare(
    front_end: FrontEnd,
    scenario: &Scenario,
    library: &[Option<Played>],
    other: &[Option<Played>],
) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut more = 0;
    for (number, row) in scenario.rows.iter().enumerate() {
        let (Some(library), Some(other)) = (&library[number], &other[number]) else { continue };
        let found = compare_step(front_end, row, library, other);
        if !wrong.is_empty() {
            more += found.len();
            continue;
        }
        wrong.extend(found.into_iter().map(|what| format!("{}\n{what}", title(number, row))));
    }
    if more > 0 {
        wrong.push(format!("and {more} more differences of {} in later steps", front_end.name()));
    }
    wrong
}

fn compare_step(front_end: FrontEnd, row: &Row, library: &Played, other: &Played) -> Vec<String> {
    let mut wrong = Vec::new();
    let is_offered = !matches!(other.outcome, Outcome::NotOffered);
    if is_offered != offers(front_end, &row.step) {
        let is = if is_offered { "offers" } else { "does not offer" };
        wrong.push(format!("  {} {is} it, and NOT_OFFERED says otherwise", front_end.name()));
    }
    for ((name, expected), (_, found)) in library.rows.iter().zip(&other.rows) {
        if !is_offered && !["ledger", "machines"].contains(name) || is_known(front_end, name) {
            continue;
        }
        let exceptions = || row.except.iter().filter(|except| except.rows.contains(name));
        let own = exceptions().find(|except| except.front_end == front_end);
        let of_member = exceptions().any(|except| front_end.members().contains(&except.front_end));
        let is_untold = found.is_none() && NOT_TOLD.iter().any(|(who, what, _)| *who == front_end && what == name);
        match (expected == found, own) {
            (true, Some(except)) => {
                let why = except.why;
                wrong.push(format!("  {} agrees in `{name}` now, and is excepted: {why:?}", front_end.name()));
            }
            (false, None) if !is_untold && !of_member => {
                let table = table(("library", expected.as_deref()), (front_end.name(), found.as_deref()));
                wrong.push(format!("  `{name}` differs\n{table}"));
                // Who fails tells nothing else.
                if *name == "error" {
                    break;
                }
            }
            _ => {}
        }
    }
    wrong
}

/// Whether a front end has what a step needs, as far as it is written down.
fn offers(front_end: FrontEnd, step: &Step) -> bool {
    let members = match front_end.members() {
        [] => &[front_end],
        members => members,
    };
    let lacks = |who: &FrontEnd| {
        let kinds = step.kinds();
        NOT_OFFERED.iter().any(|(listed, kind, _)| listed == who && kinds.contains(kind))
    };
    members.iter().any(|who| !lacks(who))
}

/// Whether a row differs in all scenarios.
fn is_known(front_end: FrontEnd, name: &str) -> bool {
    DIFFERS.iter().any(|(who, row, _)| *who == front_end && *row == name)
}

/// What is known to differ everywhere, and no longer does, would hide the next difference.
#[test]
fn what_differs_in_all_scenarios_still_does() {
    for (front_end, row, why) in DIFFERS {
        let scenario = project().turn(nothing(), opens());
        let of = |front_end| {
            let played = play(front_end, &scenario).pop().flatten();
            played.and_then(|played| played.rows.into_iter().find(|(name, _)| *name == row))
        };
        assert_ne!(of(FrontEnd::Library), of(front_end), "take `{row}` off DIFFERS, which says {why:?}");
    }
}

/// An exception that hides nothing hides the next difference.
#[test]
#[should_panic(expected = "program agrees in `prefix` now, and is excepted")]
fn an_exception_that_no_longer_differs_fails() {
    let scenario = project().turn(nothing(), opens()).except(FrontEnd::Program, &["prefix"], "it does not");
    run("an exception", &scenario);
}

#[test]
#[should_panic(expected = "the epoch must be Some(\"2 moved\"), and is Some(\"1 opened\")")]
fn a_library_that_does_something_else_than_was_written_down_fails() {
    run("a wrong row", &project().turn(nothing(), begins(2, "moved")));
}

fn title(number: usize, row: &Row) -> String {
    format!("step {}: {}", number + 1, row.step.title())
}

/// Two texts, one under the other, from a little before where they part.
fn table(before: (&str, Option<&str>), after: (&str, Option<&str>)) -> String {
    let (first, second) = (before.1.unwrap_or_default(), after.1.unwrap_or_default());
    let same = first.chars().zip(second.chars()).take_while(|(one, other)| one == other).count();
    let from = same.saturating_sub(60);
    let width = before.0.len().max(after.0.len());
    let shown = |(who, text): (&str, Option<&str>)| {
        let text = text.map(|text| {
            let part: String = text.chars().skip(from).take(600).collect();
            format!("{}{}", if from > 0 { "…" } else { "" }, part.replace('\n', "\n      "))
        });
        format!("    {who:width$}  {}", text.unwrap_or_else(|| "(not told)".to_owned()))
    };
    format!("{}\n{}", shown(before), shown(after))
}
