//! What a conversation was told, and nobody need say again.

use std::collections::BTreeSet;
use std::path::PathBuf;

use antefix::discover::Given;
use antefix::discover::tools::{Tool, Tools};
use antefix::freeze::{Cause, ChangeKind};
use antefix::keeper::Began;
use antefix::project::{LayoutChoice, Look};
use antefix::stores::MemoryStore;
use antefix::text::FactName;
use antefix::worlds::MemoryWorld;
use antefix::{Antefix, Ask, Conversation, Turn};

fn world() -> MemoryWorld {
    MemoryWorld::new()
        .file("/p/.git/HEAD", "")
        .file("/p/AGENTS.md", "Use tabs.")
        .file("/q/.git/HEAD", "")
        .file("/q/AGENTS.md", "Use spaces.")
        .program(&["git"], antefix::discover::Answer::Absent)
}

fn conversation() -> Conversation {
    let antefix = Antefix::builder().world(world()).open_store(MemoryStore::new()).build().unwrap();
    antefix.project("/p").unwrap().conversation("c1").unwrap()
}

fn tools(names: &[&str]) -> Vec<Tool> {
    names.iter().map(|name| Tool { prompt_snippet: Some(format!("The {name} tool.")), ..Tool::named(*name) }).collect()
}

/// The epoch's number and cause, and whether it began with this turn.
fn stands(turn: &Turn) -> (u64, Cause, Began) {
    let epoch = turn.epoch.as_ref().unwrap();
    (epoch.number(), epoch.cause(), turn.began)
}

#[test]
fn tools_that_are_not_said_again_stay() {
    let conversation = conversation();
    let first = conversation.turn(Ask::new().tools(tools(&["read", "edit"]))).unwrap();
    assert!(first.prefix().contains("The read tool."), "{}", first.prefix());
    let second = conversation.turn(Ask::new()).unwrap();
    assert_eq!(stands(&second), (1, Cause::Opened, Began::Before));
    assert_eq!(second.prefix(), first.prefix());
    // The request has them, too.
    let sent = second.deliver(antefix::Target::Anthropic).unwrap().fragment.to_value();
    assert_eq!(sent["tools"].as_array().map(Vec::len), Some(2));
    // A renewal composes with them.
    let renewed = conversation.renew(Cause::Requested, Ask::new()).unwrap();
    assert_eq!((renewed.epoch.number(), renewed.began), (1, Began::Before));
}

#[test]
fn what_servers_say_stays_with_the_tools_and_a_change_is_told() {
    let conversation = conversation();
    let said = |text: &str| {
        let mut ask = Ask::new();
        ask.tools = Some(Tools::from(tools(&["read"])).with_instructions("github", text));
        ask
    };
    let first = conversation.turn(said("Search first.")).unwrap();
    let framed = "<mcp_server name=\"github\">\nSearch first.\n</mcp_server>";
    assert!(first.prefix().contains(framed), "{}", first.prefix());
    let second = conversation.turn(Ask::new()).unwrap();
    assert_eq!((second.prefix(), second.amendments.len()), (first.prefix(), 0));
    // Another text is a notice, and the prefix stays.
    let third = conversation.turn(said("Search twice.")).unwrap();
    assert_eq!((stands(&third), third.prefix()), ((1, Cause::Opened, Began::Before), first.prefix()));
    let notices: Vec<(&str, &str)> =
        third.amendments.iter().map(|one| (one.body.section.as_str(), one.body.kind.name())).collect();
    assert_eq!(notices, [("servers", "changed")]);
    assert!(third.amendments[0].body.text.contains("Search twice."), "{}", third.amendments[0].body.text);
    assert_eq!(conversation.turn(Ask::new()).unwrap().amendments.len(), 1);
}

#[test]
fn an_empty_list_says_that_there_are_no_tools() {
    let conversation = conversation();
    conversation.turn(Ask::new().tools(tools(&["read"]))).unwrap();
    let none = conversation.turn(Ask::new().tools([])).unwrap();
    assert_eq!(stands(&none), (2, Cause::ToolsChanged, Began::Now));
    assert!(!none.prefix().contains("The read tool."));
    // And that stays, as well.
    let after = conversation.turn(Ask::new()).unwrap();
    assert_eq!(stands(&after), (2, Cause::ToolsChanged, Began::Before));
}

#[test]
fn the_layout_that_was_named_stays() {
    let conversation = conversation();
    let named = Ask::new().layout(LayoutChoice::BuiltIn("pi".to_owned())).tools(tools(&["read"]));
    let first = conversation.turn(named).unwrap();
    let second = conversation.turn(Ask::new()).unwrap();
    assert_eq!(second.prefix(), first.prefix());
    assert_eq!(second.pending, []);
    let drift = conversation.drift(Ask::new()).unwrap();
    assert_eq!((drift.changes.len(), drift.difference.is_none()), (0, true));
}

#[test]
fn a_model_that_was_said_last_stays() {
    let conversation = conversation();
    conversation.turn(Ask::new().model("gpt-5")).unwrap();
    let other = conversation.turn(Ask::new().model("claude-opus-5")).unwrap();
    assert_eq!(other.pending.iter().map(|change| change.kind).collect::<Vec<_>>(), [ChangeKind::ModelChanged]);
    // Saying nothing changes nothing: it is still the other model.
    let after = conversation.turn(Ask::new()).unwrap();
    assert_eq!(after.pending.iter().map(|change| change.kind).collect::<Vec<_>>(), [ChangeKind::ModelChanged]);
}

#[test]
fn a_conversation_stays_where_it_was() {
    let conversation = conversation();
    conversation.turn(Ask::new()).unwrap();
    let antefix = conversation.project().antefix().clone();
    // Asked for from elsewhere, without a directory.
    let same = antefix.conversation("c1", "/q").unwrap();
    assert_eq!(same.project().directory(), PathBuf::from("/p"));
    assert_eq!(stands(&same.turn(Ask::new()).unwrap()), (1, Cause::Opened, Began::Before));
    // With one, it moves, and stays there.
    let moved = antefix.project("/q").unwrap().conversation("c1").unwrap().turn(Ask::new()).unwrap();
    assert_eq!(stands(&moved), (2, Cause::Moved, Began::Now));
    assert_eq!(antefix.conversation("c1", "/p").unwrap().project().directory(), PathBuf::from("/q"));
    // One that nobody opened works where it is asked for.
    assert_eq!(antefix.conversation("c2", "/q").unwrap().project().directory(), PathBuf::from("/q"));
}

#[test]
fn facts_by_hand_keep_none_and_could_not_ask_apart() {
    let memory = FactName::new("memory", "core");
    let row = |given: Given| {
        let antefix = Antefix::builder().world(world()).store("memory").build().unwrap();
        let ask = Ask::new().layout(LayoutChoice::BuiltIn("buzz".to_owned())).given(memory.clone(), given);
        let turn = antefix.project("/p").unwrap().conversation("c").unwrap().turn(ask).unwrap();
        let epoch = turn.epoch.unwrap();
        // Two sections ask for it: one to say it, one as a fallback where there is none.
        let gaps: BTreeSet<String> = epoch.body().gaps.iter().map(|gap| gap.fact.clone()).collect();
        (epoch.text().contains("Remember the milk."), gaps)
    };
    assert_eq!(row("Remember the milk.".into()), (true, BTreeSet::new()));
    assert_eq!(row(Given::Absent), (false, BTreeSet::new()));
    assert_eq!(row(Given::Unavailable("the server is away".to_owned())), (false, ["memory:core".to_owned()].into()));
}

#[test]
fn what_says_nothing_is_refused() {
    let (mut machine, mut workspace) = (Ask::new(), Ask::new());
    machine.machine = Some(String::new());
    workspace.workspace_id = Some(String::new());
    let rows: [(Ask, &str); 4] = [
        (Ask::new().model(""), "`model` is empty"),
        (machine, "`machine` is empty"),
        (workspace, "`workspace_id` is empty"),
        (Ask::new().messages(vec![serde_json::json!({}), serde_json::json!("hi")]), "`messages[1]` is not an object"),
    ];
    for (ask, message) in rows {
        assert_eq!(ask.check().unwrap_err().message(), message);
    }
}

#[test]
fn skills_by_hand_need_only_a_name() {
    let entries = FactName::new("skills", "entries");
    let row = |entry: &[(&str, &str)]| {
        let given = Given::Maps(vec![entry.iter().map(|(key, text)| ((*key).into(), (*text).into())).collect()]);
        let text = "{% for one in skills.entries %}{{ one.xml_name }}|{{ one.description }}|{{ one.root }}{% endfor %}";
        let layout = LayoutChoice::TemplateText {
            label: "t".to_owned(),
            text: text.into(),
            dialect: antefix::compose::Dialect::Jinja,
        };
        let antefix = Antefix::builder().world(world()).store("memory").build().unwrap();
        let ask = Ask::new().layout(layout).given(entries.clone(), given);
        antefix.project("/p").unwrap().preview(ask, Look::Composing).unwrap().prompt
    };
    assert_eq!(row(&[("name", "a<b")]).text(), "a&lt;b||");
    assert_eq!(row(&[("name", "a"), ("description", "does a"), ("root", "r")]).text(), "a|does a|r");
    // One without a name is no skill, and not an empty one either.
    let without = row(&[("description", "does a")]);
    assert_eq!((without.text(), without.gaps().len()), ("", 1));
    assert_eq!(without.gaps()[0].reason.detail, "entry 0 of skills:entries that was given has no `name`");
}
