//! A ledger out of one store and into another.

use antefix::freeze::Cause;
use antefix::freeze::store::Bundle;
use antefix::keeper::Keeper;
use antefix::stores::MemoryStore;
use antefix::text::Digest;
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
    talk.at(&agents("four").at("2026-11-16T09:00:00Z"), |conversation| conversation.send("hello")).unwrap();
    talk
}

fn exported(talk: &Talk) -> Vec<String> {
    let mut lines = Vec::new();
    talk.keeper()
        .export::<Error>(&talk.id(), |line| {
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
    let talk = talk();
    let lines = exported(&talk);
    let before = talk.turn(&agents("four"));
    let talk = talk.elsewhere();
    assert_eq!(import(talk.keeper(), &lines).unwrap(), (2, 0));
    assert_eq!(exported(&talk), lines);
    let after = talk.turn(&agents("four"));
    assert_eq!((after.prefix(), &after.amendments), (before.prefix(), &before.amendments));
    assert_eq!(after.messages.len(), 1);
}

#[test]
fn an_import_can_be_run_again() {
    let talk = talk();
    let lines = exported(&talk);
    let talk = talk.elsewhere();
    let half = lines.iter().position(|line| line.contains("\"amendment\"")).unwrap();
    import(talk.keeper(), &lines[..half]).unwrap();
    assert_eq!(import(talk.keeper(), &lines).unwrap(), (1, 1));
    assert_eq!(import(talk.keeper(), &lines).unwrap(), (0, 2));
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
    assert!(refused(&damage("\"ledger\":{\"version\":2", "\"ledger\":{\"version\":9")).contains("version 9"));
    assert!(refused(&lines[1..]).contains("must come first"));
    assert!(refused(&[]).contains("no ledger"));
    assert!(refused(&["{}".to_owned()]).starts_with("line 1"));
    let without_texts: Vec<String> = lines.iter().filter(|line| !line.starts_with("{\"text\"")).cloned().collect();
    assert!(refused(&without_texts).contains("no line before has the text"));
}

#[test]
fn spans_that_make_no_sense_are_refused_with_their_epoch() {
    // The second epoch's text, its spans and its record, each with the digest that belongs to it.
    let lines = exported(&talk());
    let find = |what: &str| -> serde_json::Value {
        let line = lines.iter().rfind(|line| line.starts_with(what)).unwrap();
        serde_json::from_str(line).unwrap()
    };
    let epoch = find("{\"epoch\"");
    let text = |digest: &serde_json::Value| -> serde_json::Value {
        let texts = lines.iter().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        let mut found = texts.filter(|line| line["text"]["digest"] == *digest);
        found.next().unwrap()
    };
    let record = text(&epoch["epoch"]["body"])["text"]["text"].as_str().unwrap().to_owned();
    let spans = serde_json::from_str::<serde_json::Value>(&record).unwrap()["spans"].clone();
    let other = record.replace(spans.as_str().unwrap(), &Digest::of("[]").to_string());
    let mut damaged: Vec<String> = Vec::new();
    for line in &lines {
        let json: serde_json::Value = serde_json::from_str(line).unwrap();
        if json == epoch {
            for text in ["[]", &other] {
                damaged.push(serde_json::json!({"text": {"digest": Digest::of(text), "text": text}}).to_string());
            }
            let body = epoch["epoch"]["body"].as_str().unwrap();
            damaged.push(line.replace(body, &Digest::of(&other).to_string()));
            break;
        }
        damaged.push(line.clone());
    }
    let keeper = Keeper::new(MemoryStore::new());
    let error = import(&keeper, &damaged).unwrap_err();
    let seen = epoch["epoch"]["digest"].as_str().unwrap();
    let expected =
        format!("line {}: epoch 2: the spans of the epoch {seen} do not fit its bytes from 0 on", damaged.len());
    assert_eq!((error.kind(), error.message()), (ErrorKind::Conversation, expected.as_str()));
    assert_eq!(keeper.history(&talk().id(), 0, 10).unwrap().len(), 1, "the epoch before it is there");
}

#[test]
fn another_history_is_not_overwritten() {
    let lines = exported(&talk());
    let other = Talk::new(LAYOUT);
    other.turn(&agents("something else"));
    let error = import(other.keeper(), &lines).unwrap_err();
    assert!(error.message().contains("another epoch 1"), "{error}");
    assert_eq!(other.turn(&agents("something else")).prefix(), "something else");
}

/// What the front end of a conversation would keep: a record that names a text.
fn memory_of(model: &str, tools: &str) -> Bundle {
    let record = format!("{{\"cwd\":\"/p\",\"model\":\"{model}\",\"tools\":\"{}\"}}", Digest::of(tools));
    Bundle::new(record, [tools.into()])
}

fn remembered(talk: &Talk) -> Option<Digest> {
    talk.keeper().store().standing(&talk.id()).unwrap().unwrap().said
}

/// A ledger as it was exported before conversations remembered anything.
fn without_memory(lines: &[String]) -> Vec<String> {
    let memory = lines.iter().position(|line| line.starts_with("{\"memory\"")).unwrap();
    let mut without = lines.to_vec();
    without.drain(memory - 1..=memory);
    without[0] = without[0].replace("\"version\":2", "\"version\":1");
    without
}

#[test]
fn what_is_remembered_has_a_line_of_its_own_behind_the_epochs() {
    let talk = talk();
    let without = without_memory(&exported(&talk));
    assert!(without[0].starts_with("{\"ledger\":{\"version\":1,"), "{}", without[0]);
    let said = memory_of("m", "[]");
    talk.keeper().store().remember(&talk.id(), &said).unwrap();
    let body = Digest::of(&said.body);
    let record = serde_json::to_string(&*said.body).unwrap();
    let mut expected = without.clone();
    expected[0] = expected[0].replace("\"version\":1", "\"version\":2");
    let message = expected.pop().unwrap();
    assert!(message.starts_with("{\"message\":"), "{message}");
    expected.push(format!("{{\"text\":{{\"digest\":\"{}\",\"text\":\"[]\"}}}}", Digest::of("[]")));
    expected.push(format!("{{\"text\":{{\"digest\":\"{body}\",\"text\":{record}}}}}"));
    expected.push(format!("{{\"memory\":{{\"body\":\"{body}\"}}}}"));
    expected.push(message);
    assert_eq!(exported(&talk), expected);

    // Into another store, twice, and out again to the same bytes.
    let talk = talk.elsewhere();
    assert_eq!(import(talk.keeper(), &without).unwrap(), (2, 0));
    assert_eq!((exported(&talk), remembered(&talk)), (without, None));
    let talk = talk.elsewhere();
    assert_eq!(import(talk.keeper(), &expected).unwrap(), (2, 0));
    assert_eq!(import(talk.keeper(), &expected).unwrap(), (0, 2));
    assert_eq!(exported(&talk), expected);
    assert_eq!(remembered(&talk), Some(body));
    assert_eq!(talk.keeper().store().texts(&[Digest::of("[]")]).unwrap(), [Some("[]".into())]);
}

#[test]
fn after_an_import_a_conversation_remembers_what_the_file_does() {
    let (older, newer) = (memory_of("older", "[]"), memory_of("newer", "[]"));
    let talk = talk();
    let (store, id) = (talk.keeper().store(), talk.id());
    store.remember(&id, &older).unwrap();
    let lines = exported(&talk);
    // The file is as far as the store: it is the last to speak.
    store.remember(&id, &newer).unwrap();
    import(talk.keeper(), &lines).unwrap();
    assert_eq!(remembered(&talk), Some(Digest::of(&older.body)));
    // The conversation went on: what it was told since stays.
    store.remember(&id, &newer).unwrap();
    talk.renew(&agents("five"), Cause::Reloaded);
    let since = remembered(&talk);
    import(talk.keeper(), &lines).unwrap();
    assert_eq!(remembered(&talk), since);
    assert_ne!(since, Some(Digest::of(&older.body)));
}

#[test]
fn a_memory_without_its_text_or_its_epoch_is_refused() {
    let talk = talk();
    let said = memory_of("m", "[]");
    talk.keeper().store().remember(&talk.id(), &said).unwrap();
    let lines = exported(&talk);
    let refused = |lines: &[String]| {
        let keeper = Keeper::new(MemoryStore::new());
        let error = import(&keeper, lines).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Conversation, "{error}");
        error.message().to_owned()
    };
    let memory = lines.iter().position(|line| line.starts_with("{\"memory\"")).unwrap();
    let body = Digest::of(&said.body);
    let textless: Vec<String> =
        lines.iter().enumerate().filter(|(at, _)| *at != memory - 1).map(|(_, line)| line.clone()).collect();
    assert_eq!(refused(&textless), format!("line {memory}: no line before has the text {body}"));
    let early = [&lines[0], &lines[memory - 1], &lines[memory]].map(String::clone);
    assert_eq!(refused(&early), "line 3: a memory must come after the first epoch");
}
