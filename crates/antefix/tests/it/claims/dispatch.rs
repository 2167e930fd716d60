//! The layout `dispatch`: its templates, what they may name, and for how long a text stands. Its default text is in
//! `tests/cases/dispatch`, its dialect in `tests/it/bracket.rs`.

use antefix::compose::Dialect;
use antefix::deliver::Target;
use antefix::discover::world::{ReasonCode, SystemText};
use antefix::keeper::Began;
use antefix::project::{LayoutChoice, Look, TemplateCondition};
use antefix::stores::MemoryStore;
use antefix::worlds::MemoryWorld;
use antefix::{Antefix, Ask, Conversation, Project};

/// Two directories with instruction files, at an instant.
fn world(now: &str, rules: &str) -> MemoryWorld {
    MemoryWorld::new()
        .at(now)
        .text(SystemText::OsRelease, "PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n")
        .file("/proj/AGENTS.md", rules)
        .file("/proj/X", "v")
        .file("/proj/sub/a.md", "nested")
        .file("/proj/E", "")
        .unreadable("/proj/locked", ReasonCode::NotPermitted)
        .file("/other/AGENTS.md", "OTHER")
}

const NOON: &str = "2024-06-15T12:30:00Z";
const LATER: &str = "2024-06-16T08:00:00Z";

fn project(store: &MemoryStore, world: MemoryWorld, cwd: &str) -> Project {
    let layout = LayoutChoice::BuiltIn("dispatch".to_owned());
    let antefix = Antefix::builder().world(world).open_store(store.clone()).layout(layout).build().unwrap();
    antefix.project(cwd).unwrap()
}

fn conversation(store: &MemoryStore, world: MemoryWorld, id: &str) -> Conversation {
    project(store, world, "/proj").conversation(id).unwrap()
}

fn save(store: &MemoryStore, text: &str) {
    let project = project(store, world(NOON, "RULES"), "/proj");
    project.save_template(&Ask::new(), Dialect::Bracket, text, None, &TemplateCondition::Anything).unwrap();
}

/// The id of the claim, a template, what it prints.
const PRINTED: &[(&str, &str, &str)] = &[
    ("D1", "cwd is [prompt:cwd]!", "cwd is /proj!"),
    ("D2", "a[unknown:foo]b", "ab"),
    ("D3", "a[file:none.md]b", "ab"),
    ("D4", "[if file:X]A[endif]", "A"),
    ("D4", "[if file:N]A[endif]", ""),
    ("D5", "[if file:N]A[else]B[endif]", "B"),
    ("D5", "[if file:X]A[else]B[endif]", "A"),
    ("D6", "[if !file:N]A[endif]", "A"),
    ("D6", "[if !file:X]A[endif]", ""),
    ("D7", "[if system:os]os[if file:N]A[else]B[endif][endif]", "osB"),
    ("D8", "[if file:X]1\n2\n3[endif]", "1\n2\n3"),
    ("D9", "[if file:N]text", "[if file:N]text"),
    ("D10", "a[endif]b", "a[endif]b"),
    ("D10", "a[else]b", "a[else]b"),
    ("D11", "<[if file:locked]A[endif][file:locked]>", "<>"),
    ("D13", "[system:time]", "2024-06-15T12:30:00.000Z"),
    ("D14", "[system:date]", "2024-06-15"),
    ("D15", "[system:os]", "linux"),
    ("D16", "[system:hostname]", "host"),
    ("D18", "[prompt:model]", "a-model"),
    ("D19", "[prompt:conversation_id]", "c1"),
    ("D22", "[file:X] [file:sub/a.md] [file:./X]", "v nested v"),
    ("D23", "[file:/proj/sub/a.md]", "nested"),
    ("D24", "a[git:nope]b", "ab"),
    // There is no git in this world.
    ("D26", "a[git:branch]b[if git:branch]A[endif]", "ab"),
    ("D44", "[if file:E]A[else]B[endif]", "A"),
    ("D64", "[if !file:X]A[else]B[endif]", "B"),
];

#[test]
fn templates_print_what_the_document_says() {
    for (claim, template, printed) in PRINTED {
        let mut ask = Ask::new();
        ask.model = Some("a-model".to_owned());
        ask.layout = Some(LayoutChoice::TemplateText {
            label: "template".to_owned(),
            text: (*template).into(),
            dialect: Dialect::Bracket,
        });
        let conversation = conversation(&MemoryStore::new(), world(NOON, "RULES"), "c1");
        let preview = conversation.preview(ask, Look::Composing).unwrap();
        assert_eq!(preview.prompt.prefix(), *printed, "{claim}: {template}");
        // What prints nothing, although somebody wrote it, is told with its name.
        let told = |code: &str| preview.diagnostics.iter().any(|found| found.code.name() == code);
        match *claim {
            "D2" | "D24" => assert!(told("unknown-variable"), "{:?}", preview.diagnostics),
            "D11" => assert!(told("file-unavailable"), "{:?}", preview.diagnostics),
            _ => {}
        }
    }
}

/// D46: what the caller does not say does not exist, and the directory does.
#[test]
fn model_and_conversation_may_be_left_out() {
    let project = project(&MemoryStore::new(), world(NOON, "RULES"), "/proj");
    let text = "[if prompt:model]M[endif][if prompt:conversation_id]C[endif][prompt:model][prompt:cwd]";
    let mut ask = Ask::new();
    ask.layout =
        Some(LayoutChoice::TemplateText { label: "template".to_owned(), text: text.into(), dialect: Dialect::Bracket });
    assert_eq!(project.preview(ask, Look::Composing).unwrap().prompt.prefix(), "/proj");
}

/// D12, D54 of the service: an empty template is a template, and nothing is sent. D51: its summary has the instructions alone.
#[test]
fn an_empty_template_sends_nothing() {
    let store = MemoryStore::new();
    save(&store, "");
    let conversation = conversation(&store, world(NOON, "RULES"), "c");
    let turn = conversation.turn(Ask::new()).unwrap();
    let fragment = turn.deliver(Target::parse("anthropic").unwrap()).unwrap().fragment.to_value();
    assert_eq!((turn.prefix(), fragment.get("system")), ("", None));
    let begun = conversation.begin_compaction(Ask::new()).unwrap();
    assert!(begun.prompt.starts_with("You shorten a conversation"), "{}", begun.prompt);
}

/// D27, D30, D31, D48: built with the first turn, kept, and built again by no later one.
#[test]
fn the_first_turn_builds_and_later_ones_get_the_same_bytes() {
    let store = MemoryStore::new();
    save(&store, "[system:time] [file:AGENTS.md] [prompt:model]");
    let mut ask = Ask::new();
    ask.model = Some("a-model".to_owned());
    assert!(!conversation(&store, world(NOON, "RULES"), "c").is_open().unwrap());
    let first = conversation(&store, world(NOON, "RULES"), "c").turn(ask).unwrap();
    assert_eq!((first.prefix(), first.began), ("2024-06-15T12:30:00.000Z RULES a-model", Began::Now));
    let later = conversation(&store, world(LATER, "CHANGED"), "c");
    let second = later.turn(Ask::new()).unwrap();
    assert_eq!((second.prefix(), second.began), (first.prefix(), Began::Before));
    assert_eq!(later.standing().unwrap().0.text(), first.prefix());
}

/// D28, D29: one template for all, and a text for each.
#[test]
fn the_template_is_shared_and_the_text_is_each_conversations_own() {
    let store = MemoryStore::new();
    save(&store, "[file:AGENTS.md] in [prompt:cwd]");
    let texts = [("a", "/proj", "RULES in /proj"), ("b", "/other", "OTHER in /other")];
    for (id, cwd, text) in texts {
        let turn = project(&store, world(NOON, "RULES"), cwd).conversation(id).unwrap().turn(Ask::new()).unwrap();
        assert_eq!(turn.prefix(), text);
    }
    for (id, cwd, text) in texts {
        let kept = project(&store, world(LATER, "CHANGED"), cwd).conversation(id).unwrap();
        assert_eq!(kept.standing().unwrap().0.text(), text);
    }
}

/// D34 to D38: everything is asked for afresh, the instructions come behind a blank line and are not kept, and only then does a
/// saved template count. D39: a new conversation has it from its first turn.
#[test]
fn a_compaction_builds_afresh_and_a_saved_template_counts_from_then_on() {
    let store = MemoryStore::new();
    save(&store, "one [system:date] [file:AGENTS.md]");
    let before = conversation(&store, world(NOON, "RULES"), "c").turn(Ask::new()).unwrap();
    assert_eq!(before.prefix(), "one 2024-06-15 RULES");
    save(&store, "two [system:date] [file:AGENTS.md]");
    let later = conversation(&store, world(LATER, "CHANGED"), "c");
    assert_eq!(later.turn(Ask::new()).unwrap().prefix(), before.prefix());
    let begun = later.begin_compaction(Ask::new()).unwrap();
    let fresh = "two 2024-06-16 CHANGED";
    assert!(begun.prompt.starts_with(&format!("{fresh}\n\nYou shorten a conversation")), "{}", begun.prompt);
    assert_eq!(later.turn(Ask::new()).unwrap().prefix(), before.prefix(), "nothing is kept before it succeeds");
    later.commit_compaction(&begun.token, Ask::new()).unwrap();
    for _ in 0..2 {
        assert_eq!(later.turn(Ask::new()).unwrap().prefix(), fresh);
    }
    let new = conversation(&store, world(LATER, "CHANGED"), "new").turn(Ask::new()).unwrap();
    assert_eq!(new.prefix(), fresh);
}
