//! A conversation that is open goes on, whatever happens around it.

use antefix::discover::tools::Tool;
use antefix::discover::{Answer, ReasonCode};
use antefix::freeze::{Cause, ChangeKind};
use antefix::keeper::Began;
use antefix::project::LayoutChoice;
use antefix::stores::MemoryStore;
use antefix::worlds::MemoryWorld;
use antefix::{Antefix, Ask, Conversation, ErrorKind, Level, Result, Target};
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

/// What can be read may still say something that cannot be composed. A turn says why, and its live part is as far as it goes.
#[test]
fn what_cannot_be_composed_any_more_is_a_finding_and_a_pending_change() {
    let live = LAYOUT.replace("Now.", "{{ nope.x }}");
    let frozen = LAYOUT.replace("file = '$workspace/who'", "text = '{{ nope.x }}'");
    let table = [
        ("/p/.antefix/prompts/who.md", "{{ nope.x }}", "\n\nNow.", "who.md:1:4"),
        ("/p/.antefix/layout.toml", &frozen, "\n\nNow.", ".antefix/layout.toml"),
        ("/p/.antefix/layout.toml", &live, "", ".antefix/layout.toml"),
    ];
    for (path, text, suffix, place) in table {
        let store = MemoryStore::new();
        conversation(&store, world(None)).unwrap().turn(Ask::new()).unwrap();
        let broken = conversation(&store, world(Some((path, Some(text))))).unwrap();
        let turn = broken.turn(Ask::new()).unwrap();
        assert_eq!((turn.began, turn.prefix(), turn.suffix.text()), (Began::Before, "You are Ada.", suffix), "{text}");
        let kinds: Vec<ChangeKind> = turn.pending.iter().map(|change| change.kind).collect();
        assert_eq!(kinds, [ChangeKind::LayoutChanged], "{text}");
        let [found] = &turn.diagnostics[..] else { panic!("{text}: {:?}", turn.diagnostics) };
        assert_eq!((found.code.name(), found.level), ("unrenderable", Level::Error), "{text}");
        assert!(found.place.as_ref().unwrap().to_string().contains(place), "{text}: {:?}", found.place);
        assert_eq!(broken.renew(Cause::Requested, Ask::new()).unwrap_err().kind(), ErrorKind::Render, "{text}");
        let healed = conversation(&store, world(None)).unwrap().turn(Ask::new()).unwrap();
        assert_eq!((healed.prefix(), healed.suffix.text(), healed.diagnostics.len()), ("You are Ada.", "\n\nNow.", 0));
    }
}

/// What a turn would append or begin by itself waits until it can be composed.
#[test]
fn a_change_that_cannot_be_acted_on_is_held_back() {
    const CORE: &str = "/home/u/.config/antefix/core.md";
    let layout = |policy: &str| {
        format!(
            "[[section]]\nid = 'a'\nstability = 'frozen'\non_drift = '{policy}'\n\
             text = '{{{{ memory.core }}}}{{% if memory.core == \"Broken.\" %}}{{{{ nope.x }}}}{{% endif %}}'\n"
        )
    };
    for (policy, began, notices) in [("amend", Began::Before, 1), ("renew", Began::Now, 0)] {
        let store = MemoryStore::new();
        let turn = |core: &str| {
            let world = world(None).file("/p/.antefix/layout.toml", layout(policy)).file(CORE, core);
            let world = world.file("/home/u/.config/antefix/settings.toml", "[memory.core]\nfile = 'core.md'\n");
            conversation(&store, world).unwrap().turn(Ask::new()).unwrap()
        };
        assert_eq!(turn("Milk.").prefix(), "Milk.");
        let held = turn("Broken.");
        assert_eq!((held.began, held.prefix(), held.amendments.len()), (Began::Before, "Milk.", 0), "{policy}");
        let kinds: Vec<ChangeKind> = held.pending.iter().map(|change| change.kind).collect();
        assert_eq!(kinds, [ChangeKind::FileChanged], "{policy}");
        let codes: Vec<&str> = held.diagnostics.iter().map(|found| found.code.name()).collect();
        assert_eq!(codes, ["unrenderable"], "{policy}");
        let healed = turn("Bread.");
        assert_eq!((healed.began, healed.amendments.len(), healed.pending.len()), (began, notices, 0), "{policy}");
        assert!(healed.diagnostics.is_empty(), "{policy}: {:?}", healed.diagnostics);
    }
}

/// A directory whose rights were taken away says nothing, which is not the same as being empty.
#[test]
fn what_may_not_be_read_any_more_withdraws_nothing() {
    let rights = [
        ("/p", "project-unreadable"),
        ("/p/.antefix/layout.toml", "project-unreadable"),
        ("/p/.antefix/prompts/who.md", "project-unreadable"),
        ("/p/.antefix/wording.toml", "project-unreadable"),
        ("/home/u/.config/antefix/settings.toml", "project-unreadable"),
    ];
    for (path, code) in rights {
        let store = MemoryStore::new();
        conversation(&store, world(None)).unwrap().turn(Ask::new()).unwrap();
        let closed = conversation(&store, world(None).unreadable(path, ReasonCode::NotPermitted)).unwrap();
        let turn = closed.turn(Ask::new()).unwrap();
        assert_eq!((turn.began, turn.prefix(), turn.amendments.len()), (Began::Before, "You are Ada.", 0), "{path}");
        let kinds: Vec<ChangeKind> = turn.pending.iter().map(|change| change.kind).collect();
        assert_eq!((kinds, turn.diagnostics[0].code.name()), (vec![ChangeKind::Unavailable], code), "{path}");
        assert!(closed.renew(Cause::Requested, Ask::new()).is_err(), "{path}");
        let (epoch, notices) = closed.standing().unwrap();
        assert_eq!((epoch.number(), epoch.text(), notices.len()), (1, "You are Ada.", 0), "{path}");
    }
    // Instructions that may not be read are told by no notice, in a layout that tells of every change.
    let store = MemoryStore::new();
    let file = |world: MemoryWorld| world.file("/p/.git/HEAD", "").program(&["git"], Answer::Absent);
    conversation(&store, file(MemoryWorld::new().file("/p/AGENTS.md", "Use tabs."))).unwrap().turn(Ask::new()).unwrap();
    let closed = file(MemoryWorld::new().unreadable("/p/AGENTS.md", ReasonCode::NotPermitted));
    let turn = conversation(&store, closed).unwrap().turn(Ask::new()).unwrap();
    assert!(turn.prefix().contains("Use tabs.") && turn.amendments.is_empty(), "{:?}", turn.amendments);
    assert_eq!(turn.pending[0].kind, ChangeKind::Unavailable);
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
