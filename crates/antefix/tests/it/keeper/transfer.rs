//! A ledger out of one store and into another.

use antefix::freeze::Cause;
use antefix::keeper::Keeper;
use antefix::stores::MemoryStore;
use antefix::worlds::MemoryWorld;
use antefix::{Error, ErrorKind, Result};

use super::{Talk, project};

const LAYOUT: &str = r#"
[instructions]
global = "none"
[[section]]
id = "files"
stability = "frozen"
only_if = ["instructions:files"]
on_drift = "amend"
text = "{% for one in instructions.files %}{{ one.body }}{% endfor %}"
"#;

fn agents(text: &str) -> MemoryWorld {
    project().file("/p/AGENTS.md", text).at("2026-11-16T08:00:00Z")
}

/// Two epochs, a notice in each, and a message that waits.
fn talk() -> Talk {
    let talk = Talk::new(LAYOUT);
    talk.turn(&agents("one"));
    talk.turn(&agents("two"));
    talk.renew(&agents("three"), Cause::Reloaded);
    talk.turn(&agents("four"));
    talk.keeper.send(&talk.conversation, "hello", "2026-11-16T09:00:00Z".parse().unwrap()).unwrap();
    talk
}

fn exported(talk: &Talk) -> Vec<String> {
    let mut lines = Vec::new();
    talk.keeper
        .export::<Error>(&talk.conversation, |line| {
            lines.push(line.to_owned());
            Ok(())
        })
        .unwrap();
    lines
}

fn import(keeper: &Keeper, lines: &[String]) -> Result<(u64, u64)> {
    let imported = keeper.import(lines.iter().cloned().map(Ok))?;
    Ok((imported.epochs, imported.known))
}

#[test]
fn what_was_exported_is_imported_and_exported_again_to_the_same_bytes() {
    let mut talk = talk();
    let lines = exported(&talk);
    let before = talk.turn(&agents("four"));
    talk.keeper = Keeper::new(MemoryStore::new());
    assert_eq!(import(&talk.keeper, &lines).unwrap(), (2, 0));
    assert_eq!(exported(&talk), lines);
    let after = talk.turn(&agents("four"));
    assert_eq!((after.prefix(), &after.amendments), (before.prefix(), &before.amendments));
    assert_eq!(after.messages.len(), 1);
}

#[test]
fn an_import_can_be_run_again() {
    let mut talk = talk();
    let lines = exported(&talk);
    talk.keeper = Keeper::new(MemoryStore::new());
    let half = lines.iter().position(|line| line.contains("\"amendment\"")).unwrap();
    import(&talk.keeper, &lines[..half]).unwrap();
    assert_eq!(import(&talk.keeper, &lines).unwrap(), (1, 1));
    assert_eq!(import(&talk.keeper, &lines).unwrap(), (0, 2));
    assert_eq!(exported(&talk), lines);
}

#[test]
fn nothing_is_believed() {
    let lines = exported(&talk());
    let whole = lines.join("\n");
    let damage = |from: &str, to: &str| -> Vec<String> {
        assert!(whole.contains(from), "{from}");
        whole.replacen(from, to, 1).lines().map(str::to_owned).collect()
    };
    let refused = |lines: &[String]| {
        let error = import(&Keeper::new(MemoryStore::new()), lines).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Conversation, "{error}");
        error.message().to_owned()
    };
    assert!(refused(&damage("\"text\":\"one\"", "\"text\":\"One\"")).contains("does not have the digest"));
    assert!(refused(&damage("\"number\":2,\"cause\"", "\"number\":3,\"cause\"")).contains("follows epoch 1"));
    assert!(refused(&damage("\"cause\":\"opened\"", "\"cause\":\"magic\"")).contains("no cause `magic`"));
    assert!(refused(&damage("\"ledger\":{\"version\":1", "\"ledger\":{\"version\":9")).contains("version 9"));
    assert!(refused(&lines[1..]).contains("must come first"));
    assert!(refused(&[]).contains("no ledger"));
    assert!(refused(&["{}".to_owned()]).starts_with("line 1"));
    let without_texts: Vec<String> = lines.iter().filter(|line| !line.starts_with("{\"text\"")).cloned().collect();
    assert!(refused(&without_texts).contains("no line before has the text"));
}

#[test]
fn another_history_is_not_overwritten() {
    let lines = exported(&talk());
    let other = Talk::new(LAYOUT);
    other.turn(&agents("something else"));
    let error = import(&other.keeper, &lines).unwrap_err();
    assert!(error.message().contains("another epoch 1"), "{error}");
    assert_eq!(other.turn(&agents("something else")).prefix(), "something else");
}
