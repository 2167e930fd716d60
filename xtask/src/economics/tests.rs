//! That the table means what it says. The workloads here are small: without the optimizer a day takes minutes.

use jiff::Timestamp;

use super::play::{Tally, play};
use super::scene::{Provider, Said};
use super::strategies::ALL;
use super::workloads::{Event, What, Workload};
use super::{PROVIDERS, page, workloads};

/// Two requests, a change in between.
fn around(what: What) -> Workload {
    let request = |at: u64, text: &str| {
        let said = vec![Said::User(text.to_owned())];
        Event { at, what: What::Request { conversation: "c".to_owned(), said } }
    };
    let begin = What::Begin { conversation: "c".to_owned(), root: "/clones/ada/ledger".to_owned(), parent: None };
    let answer = What::Answer { conversation: "c".to_owned(), text: "Done.".to_owned() };
    let events = vec![
        Event { at: 0, what: begin },
        request(0, "Where is the parser?"),
        Event { at: 10, what: answer },
        Event { at: 20, what },
        request(30, "And its tests?"),
    ];
    Workload { name: "test", about: "", began: Timestamp::UNIX_EPOCH, events }
}

fn played(name: &str, provider: &Provider, what: What) -> Tally {
    let listed = ALL.iter().find(|listed| listed.name == name).unwrap();
    play(&around(what), &mut *(listed.make)(), provider).unwrap()
}

#[test]
fn the_same_script_gives_the_same_table() {
    for name in ["rebuild every turn", "antefix"] {
        let [one, other] = [(); 2].map(|()| played(name, &PROVIDERS[0], What::Edit(1)));
        assert_eq!(one, other, "{name}");
    }
    let scripts = || format!("{:?}", workloads::all().iter().map(|one| one.events.clone()).collect::<Vec<_>>());
    assert_eq!(scripts(), scripts());
}

/// Who tells the model at once of an edit of AGENTS.md, of a new tool, and of other news from git; and who loses the cached prefix by it.
#[test]
fn each_strategy_does_what_its_row_says() {
    let table = [
        ("rebuild every turn", [(true, false), (true, false), (true, false)]),
        ("seed 000 (dispatch)", [(false, true), (true, false), (false, true)]),
        ("seed 001 (yoi)", [(false, true), (true, false), (false, true)]),
        ("seed 003 (deepseek)", [(false, true), (false, true), (true, true)]),
        ("pi 0.57", [(false, true), (true, false), (false, true)]),
        ("pi 1.5", [(false, true), (true, true), (false, true)]),
        ("Claude Code 2.1.267, API key", [(false, true), (true, true), (false, true)]),
        ("Claude Code 2.1.267, login", [(false, true), (true, true), (false, true)]),
    ];
    for (name, expected) in table {
        let changes = [What::Edit(1), What::Server { number: 1, tools: 1 }, What::Git(1)];
        for (what, (told, kept)) in changes.into_iter().zip(expected) {
            let tally = played(name, &PROVIDERS[0], what.clone());
            assert_eq!(tally.told + tally.news_told, usize::from(told), "{name}: {what:?}");
            // Half of two equal requests is read, if the second reads its prefix.
            assert_eq!(tally.read_share() > 400, kept, "{name}: {what:?}, {tally:?}");
        }
    }
}

#[test]
fn codex_appends_tools_and_keeps_its_prefix() {
    let from_5_6 = PROVIDERS.iter().find(|provider| provider.model == "gpt-5.6-sol").unwrap();
    let tally = played("Codex 0.166", from_5_6, What::Server { number: 1, tools: 1 });
    assert_eq!((tally.told, tally.read_share() > 400), (1, true), "{tally:?}");
}

#[test]
fn antefix_tells_and_keeps_its_prefix_by_every_provider() {
    for provider in &PROVIDERS {
        let edited = played("antefix", provider, What::Edit(1));
        assert_eq!(edited.told, 1, "{}", provider.name);
        let news = played("antefix", provider, What::Git(1));
        assert_eq!(news.news_told, 1, "{}", provider.name);
        assert!(edited.read_share() > 400 && news.read_share() > 400, "{}: {edited:?} {news:?}", provider.name);
    }
}

/// The directory, the day, and what git says: who has how much of it in the first request?
#[test]
fn what_is_told_at_the_start_is_counted() {
    let table = [
        ("rebuild every turn", 3),
        ("seed 000 (dispatch)", 1),
        ("seed 003 (deepseek)", 3),
        ("pi 1.5", 1),
        ("Claude Code 2.1.267, API key", 3),
        ("antefix", 3),
        ("antefix, nothing live", 0),
    ];
    for (name, told) in table {
        let tally = played(name, &PROVIDERS[0], What::Git(1));
        assert_eq!((tally.facts, tally.facts_told), (3, told), "{name}");
    }
}

#[test]
fn nothing_in_a_script_happens_before_its_time() {
    for workload in workloads::all() {
        assert!(workload.events.is_sorted_by_key(|event| event.at), "{}", workload.name);
    }
}

#[test]
fn dollars_are_rounded_to_a_tenth_of_a_cent() {
    let (opus, _) = antefix::models::Models::built_in().find("claude-opus-5").unwrap();
    let cost = opus.price(1_234_567, antefix::models::Price::Read).unwrap();
    assert_eq!(page::dollars(cost), "$0.617");
}
