//! A conversation that is open goes on, whatever happens around it.

use antefix::discover::Answer;
use antefix::discover::tools::Tool;
use antefix::freeze::{Cause, ChangeKind};
use antefix::keeper::Began;
use antefix::project::LayoutChoice;
use antefix::stores::MemoryStore;
use antefix::worlds::MemoryWorld;
use antefix::{Antefix, Ask, Conversation, Level, Result, Target};
use serde_json::json;

const LAYOUT: &str = "[[section]]\nid = 'a'\nstability = 'frozen'\nfile = '$workspace/who'\n\
                      [[section]]\nid = 'b'\nstability = 'live'\njoint = 'paragraph'\ntext = 'Now.'\n";

/// A world in which one thing may be another one.
fn world(change: Option<(&str, Option<&str>)>) -> MemoryWorld {
    let files = [
        ("/p/.git/HEAD", ""),
        ("/p/.antefix/layout.toml", LAYOUT),
        ("/p/.antefix/prompts/who.md", "You are Ada."),
        ("/p/.antefix/wording.toml", ""),
        ("/home/u/.config/antefix/settings.toml", ""),
    ];
    let mut world = MemoryWorld::new().var("HOME", "/home/u").program(&["git"], Answer::Absent);
    let changed = |path: &str| change.filter(|(changed, _)| *changed == path);
    for (path, text) in files {
        match changed(path) {
            Some((_, Some(text))) => world = world.file(path, text),
            Some((_, None)) => {}
            None => world = world.file(path, text),
        }
    }
    world
}

fn conversation(store: &MemoryStore, world: MemoryWorld) -> Result<Conversation> {
    Antefix::builder().world(world).open_store(store.clone()).build()?.conversation("c1", "/p")
}

#[test]
fn what_breaks_around_it_is_a_finding_and_a_pending_change() {
    let table = [
        ("/p/.antefix/layout.toml", Some("[[section"), ".antefix/layout.toml:1"),
        ("/p/.antefix/prompts/who.md", None, "$workspace/who"),
        ("/p/.antefix/prompts/who.md", Some("{{ broken"), "who.md:1"),
        ("/p/.antefix/wording.toml", Some("nonsense"), "wording.toml:1"),
        ("/home/u/.config/antefix/settings.toml", Some("nonsense = 1"), "settings.toml:1"),
    ];
    for (path, text, place) in table {
        let store = MemoryStore::new();
        let opened = conversation(&store, world(None)).unwrap().turn(Ask::new().model("claude-opus-5")).unwrap();
        assert_eq!((opened.prefix(), opened.suffix.text()), ("You are Ada.", "\n\nNow."));
        let broken = conversation(&store, world(Some((path, text)))).unwrap();
        broken.send("The build is red.").unwrap();
        let turn = broken.turn(Ask::new().messages(vec![json!({"role": "user", "content": "Go on."})])).unwrap();
        assert_eq!((turn.began, turn.prefix(), turn.suffix.text()), (Began::Before, "You are Ada.", ""), "{path}");
        assert_eq!(turn.messages[0].text, "The build is red.");
        let [pending] = &turn.pending[..] else { panic!("{path}: {:?}", turn.pending) };
        assert_eq!(pending.kind, ChangeKind::Unavailable);
        assert!(pending.detail.contains(place), "{path}: {}", pending.detail);
        let found = &turn.diagnostics[0];
        assert_eq!((found.code.name(), found.level), ("project-unreadable", Level::Error), "{path}");
        // A provider gets the same prefix.
        let sent = |turn: &antefix::Turn| turn.deliver(Target::Anthropic).unwrap().receipt.prefix_form;
        assert_eq!(sent(&turn), sent(&opened), "{path}");
        // A turn with a system text of its own needs nothing of the project.
        let mut ask = Ask::new();
        ask.replacement = Some("Say hi.".to_owned());
        let replaced = broken.turn(ask).unwrap();
        assert_eq!((replaced.system().as_str(), replaced.pending.len()), ("Say hi.", 0), "{path}");
        // Renewing needs what it needs, and changes nothing.
        assert!(broken.renew(Cause::Requested, Ask::new()).is_err(), "{path}");
        assert!(broken.drift(Ask::new()).is_err(), "{path}");
        let healed = conversation(&store, world(None)).unwrap().turn(Ask::new()).unwrap();
        assert_eq!((healed.prefix(), healed.suffix.text()), ("You are Ada.", "\n\nNow."));
        assert_eq!(healed.pending, []);
    }
}

#[test]
fn what_is_said_meanwhile_is_remembered() {
    let store = MemoryStore::new();
    let turn = |world, ask| conversation(&store, world).unwrap().turn(ask).unwrap();
    turn(world(None), Ask::new().tools([Tool::named("read")]));
    let broken = || world(Some(("/p/.antefix/layout.toml", Some("[[section"))));
    let tools = |turn: &antefix::Turn| turn.deliver(Target::Anthropic).unwrap().fragment.to_value()["tools"].clone();
    let said = turn(broken(), Ask::new().tools([Tool::named("grep")]));
    assert_eq!(tools(&said)[0]["name"], "grep");
    assert_eq!(tools(&turn(broken(), Ask::new())), tools(&said));
    let healed = turn(world(None), Ask::new());
    assert_eq!((healed.began, tools(&healed)), (Began::Now, tools(&said)));
}

#[test]
fn a_directory_that_is_gone_withdraws_nothing() {
    let store = MemoryStore::new();
    let before = MemoryWorld::new().file("/p/.git/HEAD", "").file("/p/AGENTS.md", "Use tabs.");
    conversation(&store, before).unwrap().turn(Ask::new()).unwrap();
    let gone = conversation(&store, MemoryWorld::new().directory("/q")).unwrap();
    let turn = gone.turn(Ask::new()).unwrap();
    assert!(turn.prefix().contains("Use tabs.") && turn.amendments.is_empty(), "{:?}", turn.amendments);
    assert!(turn.pending[0].detail.ends_with("/p: there is no such directory"), "{}", turn.pending[0].detail);
}

#[test]
fn opening_needs_a_layout_that_can_be_read() {
    let store = MemoryStore::new();
    let broken = world(Some(("/p/.antefix/layout.toml", Some("[[section"))));
    assert!(conversation(&store, broken).unwrap().turn(Ask::new()).is_err());
    // What is said now is the caller's mistake, and an open conversation does not hide it.
    let open = conversation(&store, world(None)).unwrap();
    open.turn(Ask::new()).unwrap();
    let named = Ask::new().layout(LayoutChoice::BuiltIn("nonsense".to_owned()));
    assert_eq!(open.turn(named).unwrap_err().message(), "there is no layout `nonsense`");
}
