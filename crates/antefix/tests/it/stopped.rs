//! Work that nobody waits for any more.

use antefix::compose::Dialect;
use antefix::freeze::Cause;
use antefix::project::{Look, TemplateChoice, TemplateCondition, TemplateFrom};
use antefix::stores::MemoryStore;
use antefix::worlds::MemoryWorld;
use antefix::{Antefix, Ask, ErrorKind, Project, Result, Stop};

fn project(agents: &str) -> Project {
    let world = MemoryWorld::new().at("2026-01-02T03:04:05Z").file("/p/.git/HEAD", "").file("/p/AGENTS.md", agents);
    let antefix = Antefix::builder().world(world).open_store(MemoryStore::new()).build().unwrap();
    antefix.project("/p").unwrap()
}

/// An ask of somebody who has gone.
fn gone() -> Ask {
    let stop = Stop::new();
    stop.set();
    Ask::new().stop(&stop)
}

#[test]
fn whatever_composes_stops_and_has_stored_nothing() {
    let project = project("Use tabs.");
    let conversation = |id: &str| project.conversation(id).unwrap();
    conversation("open").turn(Ask::new()).unwrap();
    let (standing, _) = conversation("open").standing().unwrap();
    let text = TemplateChoice::Draft { dialect: Dialect::Plain, text: "Be brief.".into() };
    let save = || {
        let anything = TemplateCondition::Anything;
        project.save_template(&gone(), Dialect::Plain, "Be brief.", None, &anything).map(|_| ())
    };
    let table: [(&str, &dyn Fn() -> Result<()>); 11] = [
        ("a look", &|| project.preview(gone(), Look::Composing).map(|_| ())),
        ("a closer look", &|| project.preview(gone(), Look::Closely).map(|_| ())),
        ("a look at a draft", &|| project.preview(gone().template(text.clone()), Look::Closely).map(|_| ())),
        ("a look for a conversation", &|| conversation("open").preview(gone(), Look::Closely).map(|_| ())),
        ("a first turn", &|| conversation("new").turn(gone()).map(|_| ())),
        ("a turn", &|| conversation("open").turn(gone()).map(|_| ())),
        ("a renewal", &|| conversation("open").renew(Cause::Requested, gone()).map(|_| ())),
        ("drift", &|| conversation("open").drift(gone()).map(|_| ())),
        ("a compaction", &|| conversation("new").begin_compaction(gone()).map(|_| ())),
        ("a prompt for nobody", &|| project.draft(gone()).map(|_| ())),
        ("saving", &save),
    ];
    for (what, work) in table {
        assert_eq!(work().map_err(|error| error.kind()), Err(ErrorKind::Stopped), "{what}");
    }
    assert!(!conversation("new").is_open().unwrap());
    assert_eq!(conversation("open").standing().unwrap().0.number(), standing.number());
    assert_eq!(project.template(&Ask::new()).unwrap().from, TemplateFrom::Layout);
    // Nothing is left of it: the next one who asks is told all.
    assert_eq!(conversation("open").turn(Ask::new()).unwrap().prefix(), standing.text());
    assert_eq!(conversation("new").turn(Ask::new()).unwrap().prefix(), standing.text());
}

#[test]
fn a_stop_that_is_not_set_changes_no_byte() {
    let project = project("Use tabs.");
    let text = |ask: Ask| project.preview(ask, Look::Closely).unwrap().prompt.text().to_owned();
    assert_eq!(text(Ask::new().stop(&Stop::new())), text(Ask::new()));
}
