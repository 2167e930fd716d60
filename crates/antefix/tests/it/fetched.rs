//! Texts that a program or a server keeps: when they are asked for, and for how long a turn waits.

use antefix::discover::world::{Answer, ReasonCode, Response};
use antefix::freeze::{Cause, ChangeKind};
use antefix::keeper::Began;
use antefix::stores::MemoryStore;
use antefix::worlds::MemoryWorld;
use antefix::{Antefix, Ask, Conversation};

use crate::watched::Watched;

const ADDRESS: &str = "http://127.0.0.1:9/core";

fn text(body: &str) -> Answer<Response> {
    Answer::Present(Response {
        status: 200,
        content_type: Some("text/plain".to_owned()),
        body: body.as_bytes().to_vec(),
        ..Response::default()
    })
}

/// A project with one section, which says what the memory has, and settings that say more about the memory.
fn world(section: &str, more: &str) -> Watched {
    let layout = format!("[[section]]\nid = 'memory'\ndialect = 'bracket'\ntext = '[memory:core]'\n{section}");
    let settings = format!("[memory.core]\nhttp = '{ADDRESS}'\n{more}");
    let world = MemoryWorld::new().var("HOME", "/home/u").file("/p/.git/HEAD", "");
    let world = world.file("/p/.antefix/layout.toml", layout).address(ADDRESS, text("Old."));
    Watched::new(world.file("/home/u/.config/antefix/settings.toml", settings))
}

fn conversation(store: &MemoryStore, world: &Watched) -> Conversation {
    let world = world.with(|world| world);
    Antefix::builder().world(world).open_store(store.clone()).build().unwrap().conversation("c1", "/p").unwrap()
}

/// How long each request to the memory was allowed to take, since the last time.
fn waits(world: &Watched) -> Vec<String> {
    let prefix = format!("fetch {ADDRESS} within ");
    world.asked().iter().filter_map(|asked| asked.strip_prefix(&prefix).map(str::to_owned)).collect()
}

/// What each step asks of the memory, by what its section does.
#[test]
fn the_memory_is_asked_when_an_epoch_begins_or_drift_asks_and_by_turns_that_may_act() {
    let table: [(&str, &str, [&[&str]; 4]); 6] = [
        // What the section does, the user's limits; open, turn, drift, renew.
        ("stability = 'frozen'\n", "", [&["3000 ms"], &[], &["3000 ms"], &["3000 ms"]]),
        ("stability = 'frozen'\non_drift = 'amend'\n", "", [&["3000 ms"], &["500 ms"], &["3000 ms"], &["3000 ms"]]),
        ("stability = 'frozen'\non_drift = 'renew'\n", "", [&["3000 ms"], &["500 ms"], &["3000 ms"], &["3000 ms"]]),
        ("stability = 'live'\n", "", [&["3000 ms"], &["500 ms"], &["3000 ms"], &["3000 ms"]]),
        (
            "stability = 'frozen'\non_drift = 'amend'\n",
            "turn_timeout_ms = 40\ntimeout_ms = 50\n",
            [&["50 ms"], &["40 ms"], &["50 ms"], &["50 ms"]],
        ),
        // A turn never waits longer than an epoch does.
        (
            "stability = 'frozen'\non_drift = 'amend'\n",
            "timeout_ms = 50\n",
            [&["50 ms"], &["50 ms"], &["50 ms"], &["50 ms"]],
        ),
    ];
    for (section, limits, [opening, turn, drift, renewal]) in table {
        let world = world(section, limits);
        let conversation = conversation(&MemoryStore::new(), &world);
        conversation.turn(Ask::new()).unwrap();
        assert_eq!(waits(&world), opening, "{section}{limits}");
        let second = conversation.turn(Ask::new()).unwrap();
        assert_eq!((waits(&world), second.pending), (turn.iter().map(|&one| one.to_owned()).collect(), vec![]));
        conversation.drift(Ask::new()).unwrap();
        assert_eq!(waits(&world), drift, "{section}{limits}");
        conversation.renew(Cause::Requested, Ask::new()).unwrap();
        assert_eq!(waits(&world), renewal, "{section}{limits}");
    }
}

/// The answer that a turn acts on is the one that its epoch or notice says.
#[test]
fn a_memory_that_changed_is_asked_once_by_the_turn_that_acts_on_it() {
    for (policy, began, prefix, notices) in
        [("renew", Began::Now, "New.", 0), ("amend", Began::Before, "Old.", 1), ("hold", Began::Before, "Old.", 0)]
    {
        let (store, before) =
            (MemoryStore::new(), world(&format!("stability = 'frozen'\non_drift = '{policy}'\n"), ""));
        conversation(&store, &before).turn(Ask::new()).unwrap();
        let now = before.with(|world| world.address(ADDRESS, text("New.")));
        waits(&now);
        let turn = conversation(&store, &now).turn(Ask::new()).unwrap();
        assert_eq!((turn.began, turn.prefix(), turn.amendments.len()), (began, prefix, notices), "{policy}");
        // What was not asked for is not called changed.
        assert_eq!(turn.pending, [], "{policy}");
        let asked: &[&str] = if policy == "hold" { &[] } else { &["500 ms"] };
        assert_eq!(waits(&now), asked, "{policy}");
        let drift = conversation(&store, &now).drift(Ask::new()).unwrap();
        assert_eq!(drift.changes.is_empty(), policy == "renew", "{policy}: {:?}", drift.changes);
    }
}

#[test]
fn a_memory_that_hangs_costs_a_turn_its_own_time_and_changes_nothing() {
    for (policy, asked, pending) in [("hold", 0, 0), ("amend", 1, 1), ("renew", 1, 1)] {
        let (store, before) =
            (MemoryStore::new(), world(&format!("stability = 'frozen'\non_drift = '{policy}'\n"), ""));
        conversation(&store, &before).turn(Ask::new()).unwrap();
        let hanging = before.with(|world| world.address(ADDRESS, Answer::unavailable(ReasonCode::TimedOut, "")));
        waits(&hanging);
        let turn = conversation(&store, &hanging).turn(Ask::new()).unwrap();
        assert_eq!((turn.began, turn.prefix()), (Began::Before, "Old."), "{policy}");
        assert_eq!(waits(&hanging), vec!["500 ms"; asked], "{policy}");
        let kinds: Vec<ChangeKind> = turn.pending.iter().map(|change| change.kind).collect();
        assert_eq!(kinds, vec![ChangeKind::Unavailable; pending], "{policy}");
        let found: Vec<(&str, &str, Option<&str>)> =
            turn.diagnostics.iter().map(|one| (one.code.name(), &*one.message, one.hint.as_deref())).collect();
        let expected = (
            "remote-unavailable",
            "memory:core could not be asked for: no answer in time: over 0.5 s (http://127.0.0.1:9/core)",
            Some(
                "what was said of it stays; `turn_timeout_ms` under [memory.core] in your settings says how long a turn waits",
            ),
        );
        assert_eq!(found, vec![expected; asked], "{policy}");
        // Whoever renews waits as long as the settings allow, and a prompt without it has a gap.
        let renewed = conversation(&store, &hanging).renew(Cause::Requested, Ask::new()).unwrap();
        assert_eq!(waits(&hanging), ["3000 ms"], "{policy}");
        assert_eq!(renewed.epoch.body().gaps.len(), 1, "{policy}");
    }
}

/// What a caller answers by hand, or a file holds, costs nothing: it is compared in every turn.
#[test]
fn what_need_not_be_fetched_is_compared_in_every_turn() {
    let (store, world) = (MemoryStore::new(), world("stability = 'frozen'\n", ""));
    let core = crate::given::name("memory:core");
    conversation(&store, &world).turn(Ask::new().given(core.clone(), "Given.")).unwrap();
    let turn = conversation(&store, &world).turn(Ask::new().given(core, "Another.")).unwrap();
    assert_eq!((turn.prefix(), turn.pending.len(), waits(&world).len()), ("Given.", 1, 0));
    let settings = "[memory.core]\nfile = '/own/core.md'\n";
    let file = |text: &str| {
        let path = "/home/u/.config/antefix/settings.toml";
        world.with(|world| world.file(path, settings).file("/own/core.md", text))
    };
    let store = MemoryStore::new();
    conversation(&store, &file("Old.")).turn(Ask::new()).unwrap();
    let turn = conversation(&store, &file("New.")).turn(Ask::new()).unwrap();
    assert_eq!((turn.prefix(), turn.pending.len()), ("Old.", 1));
}
