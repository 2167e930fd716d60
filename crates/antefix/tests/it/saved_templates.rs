//! Templates that people save, through the front door.

use antefix::compose::{Dialect, Stability};
use antefix::freeze::Cause;
use antefix::keeper::Began;
use antefix::project::{LayoutChoice, Look, TemplateChoice, TemplateCondition, TemplateFrom, TemplateOutcome};
use antefix::stores::MemoryStore;
use antefix::worlds::MemoryWorld;
use antefix::{Antefix, Ask, ErrorKind, Project};

const ANYTHING: TemplateCondition = TemplateCondition::Anything;

fn project(store: &MemoryStore) -> Project {
    let world = MemoryWorld::new().file("/p/.git/HEAD", "").file("/p/AGENTS.md", "Use tabs.");
    Antefix::builder().world(world).open_store(store.clone()).build().unwrap().project("/p").unwrap()
}

fn layout(name: &str) -> Ask {
    Ask::new().layout(LayoutChoice::BuiltIn(name.to_owned()))
}

fn save(project: &Project, ask: &Ask, text: &str) -> TemplateOutcome {
    project.save_template(ask, Dialect::Bracket, text, Some("Ada"), &ANYTHING).unwrap()
}

#[test]
fn a_saved_template_may_name_facts_in_the_default_layout() {
    let project = project(&MemoryStore::new());
    let own = project.template(&Ask::new()).unwrap();
    assert_eq!((own.layout.as_str(), own.from), ("coding-agent", TemplateFrom::Layout));
    save(&project, &Ask::new(), "Be brief in [prompt:cwd].");
    let preview = project.preview(Ask::new(), Look::Composing).unwrap();
    assert!(preview.prompt.text().starts_with("Be brief in ..\n\n"), "{}", preview.prompt.text());
    assert!(preview.prompt.text().contains("Use tabs."));
    assert_eq!(preview.prompt.sections()[0].stability, Stability::Frozen);
    // The next conversation opens with it.
    let turn = project.conversation("c1").unwrap().turn(Ask::new()).unwrap();
    assert_eq!(turn.prefix(), preview.prompt.prefix());
}

#[test]
fn the_layouts_own_text_is_no_edit() {
    let project = project(&MemoryStore::new());
    let before = project.preview(Ask::new(), Look::Composing).unwrap();
    let own = project.template(&Ask::new()).unwrap();
    project.save_template(&Ask::new(), own.dialect, own.text, None, &ANYTHING).unwrap();
    let after = project.preview(Ask::new(), Look::Composing).unwrap();
    assert_eq!(after.prompt.text(), before.prompt.text());
    assert_eq!(after.prompt.sections()[0].stability, Stability::Fixed);
}

#[test]
fn a_saved_template_is_never_applied_to_another_layout() {
    let project = project(&MemoryStore::new());
    save(&project, &layout("dispatch"), "Only dispatch.");
    let text = |ask: Ask| project.preview(ask, Look::Composing).unwrap().prompt.text().to_owned();
    assert_eq!(text(layout("dispatch")), "Only dispatch.");
    for other in ["coding-agent", "pi", "deepseek", "buzz", "yoi"] {
        assert!(!text(layout(other)).contains("Only dispatch."), "{other}");
        assert_eq!(project.template(&layout(other)).unwrap().from, TemplateFrom::Layout, "{other}");
    }
    // A template that is named is a text of its own, and so is what somebody tries out.
    let named = LayoutChoice::TemplateText { label: "t".into(), text: "Named.".into(), dialect: Dialect::Plain };
    assert_eq!(text(Ask::new().layout(named)), "Named.");
    assert!(project.saved_template(&layout("dispatch"), 1).unwrap().is_some());
    assert!(project.saved_template(&layout("pi"), 1).unwrap().is_none());
}

#[test]
fn a_deleted_template_gives_way_to_the_layouts_own_text_and_stays_in_the_history() {
    let project = project(&MemoryStore::new());
    let ask = layout("dispatch");
    let own = project.template(&ask).unwrap();
    save(&project, &ask, "One.");
    save(&project, &ask, "Two.");
    let TemplateOutcome::Done(after) = project.delete_template(&ask, Some("Bo"), &ANYTHING).unwrap() else {
        panic!("nothing was expected")
    };
    assert_eq!(after, own);
    assert_eq!(project.template(&ask).unwrap(), own);
    let history = project.template_history(&ask, None, 10).unwrap();
    let shown: Vec<_> = history.iter().map(|entry| (entry.number(), entry.saved().is_some(), entry.author())).collect();
    assert_eq!(shown, [(3, false, Some("Bo")), (2, true, Some("Ada")), (1, true, Some("Ada"))]);
    // Deleting what is not there writes nothing; saving goes on behind it.
    project.delete_template(&ask, None, &ANYTHING).unwrap();
    save(&project, &ask, "Three.");
    assert_eq!(project.template(&ask).unwrap().row.unwrap().number, 4);
}

#[test]
fn an_open_conversation_keeps_its_bytes_until_it_is_renewed() {
    let store = MemoryStore::new();
    let project = project(&store);
    save(&project, &Ask::new(), "First.");
    let conversation = project.conversation("c1").unwrap();
    let first = conversation.turn(Ask::new()).unwrap();
    save(&project, &Ask::new(), "Second.");
    let second = conversation.turn(Ask::new()).unwrap();
    assert_eq!((second.began, second.prefix()), (Began::Before, first.prefix()));
    let renewed = conversation.renew(Cause::Requested, Ask::new()).unwrap();
    assert_eq!((renewed.began, renewed.epoch.number()), (Began::Now, 2));
    assert!(renewed.epoch.text().starts_with("Second.\n\n"));
}

#[test]
fn who_saves_may_say_that_nobody_has_saved_before() {
    let project = project(&MemoryStore::new());
    let ask = Ask::new();
    let save =
        |text: &str| project.save_template(&ask, Dialect::Plain, text, None, &TemplateCondition::NotSaved).unwrap();
    let TemplateOutcome::Done(first) = save("A") else { panic!("nothing was saved") };
    assert_eq!(save("B"), TemplateOutcome::Refused(first));
    project.delete_template(&ask, None, &ANYTHING).unwrap();
    let TemplateOutcome::Done(second) = save("B") else { panic!("it was deleted") };
    assert_eq!((&*second.text, second.row.unwrap().number), ("B", 3));
}

#[test]
fn who_saves_may_say_what_they_have_seen() {
    let project = project(&MemoryStore::new());
    let ask = Ask::new();
    let seen = project.template(&ask).unwrap().digest;
    let save = |text: &str, condition| project.save_template(&ask, Dialect::Plain, text, None, &condition).unwrap();
    let TemplateOutcome::Done(first) = save("A", TemplateCondition::OneOf(vec![seen])) else { panic!("it was seen") };
    let TemplateOutcome::Refused(current) = save("B", TemplateCondition::OneOf(vec![seen])) else {
        panic!("somebody else saved")
    };
    assert_eq!(current, first);
    assert!(matches!(save("B", TemplateCondition::NoneOf(vec![first.digest])), TemplateOutcome::Refused(_)));
    assert!(matches!(save("B", TemplateCondition::NotSaved), TemplateOutcome::Refused(_)));
    let both = |one, other| TemplateCondition::All(vec![one, other]);
    let (fits, differs) = (TemplateCondition::OneOf(vec![first.digest]), TemplateCondition::NoneOf(vec![first.digest]));
    assert!(matches!(save("B", both(fits.clone(), differs)), TemplateOutcome::Refused(_)));
    assert!(matches!(save("A", both(fits, TemplateCondition::NoneOf(vec![seen]))), TemplateOutcome::Done(_)));
    // The same template again is not saved twice.
    let TemplateOutcome::Done(again) = save("A", TemplateCondition::Anything) else { panic!("anything") };
    assert_eq!(again.row.unwrap().number, 1);
    let refused = project.save_template(&ask, Dialect::Jinja, "{{ oops", None, &ANYTHING).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Parse);
    let refused = project.save_template(&ask, Dialect::Jinja, "{{ nope.x }}", None, &ANYTHING).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Render);
    let large = "x".repeat(antefix::project::TEMPLATE_LIMIT + 1);
    assert_eq!(
        project.save_template(&ask, Dialect::Plain, large, None, &ANYTHING).unwrap_err().kind(),
        ErrorKind::Limit
    );
}

#[test]
fn of_many_who_save_at_once_each_gets_a_number_and_one_applies() {
    let store = MemoryStore::new();
    std::thread::scope(|threads| {
        for number in 0..8 {
            let project = project(&store);
            threads.spawn(move || save(&project, &Ask::new(), &format!("Text {number}.")));
        }
    });
    let numbers: Vec<_> = project(&store).template_history(&Ask::new(), None, 20).unwrap();
    let numbers: Vec<_> = numbers.iter().map(antefix::freeze::template::TemplateEntry::number).collect();
    assert_eq!(numbers, [8, 7, 6, 5, 4, 3, 2, 1]);
}

#[test]
fn a_preview_goes_on_without_a_store_and_says_so() {
    // A file that is there and that SQLite cannot open as a store.
    let file = std::env::current_dir().unwrap().join("Cargo.toml");
    let address = format!("sqlite:{}", file.display());
    let world = MemoryWorld::new().file("/p/.git/HEAD", "").file("/p/AGENTS.md", "Use tabs.").file(file, "");
    let world = world.program(&["git"], antefix::discover::Answer::Absent);
    let project = Antefix::builder().world(world).store(address).build().unwrap().project("/p").unwrap();
    let preview = project.preview(Ask::new(), Look::Composing).unwrap();
    let codes: Vec<_> = preview.diagnostics.iter().map(|found| found.code.to_string()).collect();
    assert_eq!(codes[0], "saved-template-unknown", "{codes:?}");
    assert!(preview.prompt.text().contains("Use tabs."));
    // A turn needs the store.
    let error = project.conversation("c1").unwrap().turn(Ask::new()).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Store(_)), "{error}");
}

#[test]
fn a_layout_of_the_builder_is_for_those_who_name_none_and_a_conversation_keeps_its_own() {
    let store = MemoryStore::new();
    let with = |name: &str| {
        let world = MemoryWorld::new().file("/p/.git/HEAD", "").file("/p/AGENTS.md", "Use tabs.");
        let builder = Antefix::builder().world(world).open_store(store.clone());
        builder.layout(LayoutChoice::BuiltIn(name.to_owned())).build().unwrap().project("/p").unwrap()
    };
    let dispatch = with("dispatch");
    save(&dispatch, &Ask::new(), "In [prompt:cwd].");
    let opened = dispatch.conversation("c1").unwrap().turn(Ask::new()).unwrap();
    assert_eq!(opened.prefix(), "In /p.");
    // Started again with another layout, the conversation goes on as it was, and so does its renewal.
    let other = with("coding-agent");
    let turn = other.conversation("c1").unwrap().turn(Ask::new()).unwrap();
    assert_eq!((turn.began, turn.prefix()), (Began::Before, "In /p."));
    assert_eq!(turn.pending, []);
    let renewed = other.conversation("c1").unwrap().renew(Cause::Requested, Ask::new()).unwrap();
    assert_eq!((renewed.began, renewed.epoch.text()), (Began::Before, "In /p."));
    let new = other.conversation("c2").unwrap().turn(Ask::new()).unwrap();
    assert!(new.prefix().contains("Use tabs."));
}

/// K29: whoever saves an empty base for `deepseek` gets the built-in one; elsewhere an empty template is no text.
#[test]
fn an_empty_template_is_no_text_or_the_layouts_own_as_the_layout_says() {
    let project = project(&MemoryStore::new());
    let prefix = |ask: &Ask| project.preview(ask.clone(), Look::Composing).unwrap().prompt.prefix().to_owned();
    let (dispatch, deepseek) = (layout("dispatch"), layout("deepseek"));
    let own = prefix(&deepseek);
    save(&project, &dispatch, "");
    save(&project, &deepseek, "");
    assert_eq!(prefix(&dispatch), "");
    assert_eq!(prefix(&deepseek), own);
    assert_eq!(project.template(&deepseek).unwrap().from, TemplateFrom::Saved);
    // So it is with a text that is only tried out.
    let draft = TemplateChoice::Draft { dialect: Dialect::Bracket, text: "".into() };
    assert_eq!(prefix(&deepseek.clone().template(draft)), own);
    save(&project, &deepseek, "MINE");
    assert!(prefix(&deepseek).starts_with("MINE\n\n## Instruction Files"), "{}", prefix(&deepseek));
}

#[test]
fn findings_tell_a_saved_template_from_one_that_is_being_written() {
    let project = project(&MemoryStore::new());
    let told = |ask: Ask| {
        let preview = project.preview(ask, Look::Composing).unwrap();
        preview.diagnostics.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    };
    let text = "Be brief. [nope:x]";
    let draft = TemplateChoice::Draft { dialect: Dialect::Bracket, text: text.into() };
    let drafted = told(layout("dispatch").template(draft));
    assert!(drafted.contains("template:1:11") && !drafted.contains("saved template"), "{drafted}");
    save(&project, &layout("dispatch"), text);
    let saved = told(layout("dispatch"));
    assert!(saved.contains("saved template:1:11"), "{saved}");
}
