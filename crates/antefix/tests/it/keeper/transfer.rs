//! A ledger out of one store and into another.

use std::path::Path;

use antefix::freeze::store::{Bundle, Sweep};
use antefix::freeze::{Cause, Insertion};
use antefix::keeper::Began;
use antefix::text::Digest;
use antefix::worlds::MemoryWorld;
use antefix::{Error, ErrorKind, Result, Turn};

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
    let mut lines = String::new();
    talk.keeper()
        .export::<Error>(&talk.id(), |more| {
            lines.push_str(more);
            Ok(())
        })
        .unwrap();
    lines.lines().map(str::to_owned).collect()
}

/// How many epochs were imported, and how many were there already.
fn import(talk: &Talk, lines: &[String]) -> Result<(u64, u64)> {
    let imported = talk.antefix.import(lines.iter().cloned().map(Ok), |_| true)?;
    assert_eq!(imported.len(), 1);
    Ok((imported[0].epochs, imported[0].known))
}

/// Why lines are refused by a store that has nothing. It has nothing afterwards, either.
#[track_caller]
fn refused(lines: &[String]) -> String {
    let talk = talk().elsewhere();
    let error = import(&talk, lines).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Input, "{error}");
    assert_eq!(error.hint(), Some("nothing was imported; the store is as it was"));
    let store = talk.keeper().store();
    assert_eq!(store.conversations(None, 10).unwrap(), []);
    assert_eq!((store.insertions(&talk.id()).unwrap().all, store.sweep(Sweep::DryRun).unwrap().texts), (Vec::new(), 0));
    error.message().to_owned()
}

#[test]
fn what_was_exported_is_imported_and_exported_again_to_the_same_bytes() {
    let talk = talk();
    let lines = exported(&talk);
    let before = talk.turn(&agents("four"));
    let talk = talk.elsewhere();
    assert_eq!(import(&talk, &lines).unwrap(), (2, 0));
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
    import(&talk, &lines[..half]).unwrap();
    assert_eq!(import(&talk, &lines).unwrap(), (1, 1));
    assert_eq!(import(&talk, &lines).unwrap(), (0, 2));
    assert_eq!(exported(&talk), lines);
}

#[test]
fn an_import_after_its_message_went_with_a_turn_does_not_queue_it_again() {
    let talk = talk();
    let lines = exported(&talk);
    let elsewhere = talk.elsewhere();
    for talk in [talk, elsewhere] {
        import(&talk, &lines).unwrap();
        let texts = |turn: Turn| turn.messages.into_iter().map(|message| message.text).collect::<Vec<_>>();
        assert_eq!(texts(talk.turn(&agents("four"))), ["hello"]);
        import(&talk, &lines).unwrap();
        assert_eq!(texts(talk.turn(&agents("four"))), Vec::<String>::new());
    }
}

/// A line with a text that has its digest.
fn text_line(text: &str) -> String {
    serde_json::json!({"text": {"digest": Digest::of(text), "text": text}}).to_string()
}

fn amendment_line(epoch: u64, number: u64, body: Digest) -> String {
    let at = "2026-11-16T08:00:00Z";
    serde_json::json!({"amendment": {"epoch": epoch, "number": number, "at": at, "body": body}}).to_string()
}

#[test]
fn an_amendment_that_cannot_be_read_is_refused() {
    let lines = exported(&talk());
    // The last epoch has one amendment; another one follows, whose body is anything.
    let last = lines.iter().rposition(|line| line.starts_with("{\"amendment\"")).unwrap();
    let record = lines[last - 1].clone();
    let record: serde_json::Value = serde_json::from_str(&record).unwrap();
    let record = record["text"]["text"].as_str().unwrap().to_owned();
    let with = |text: &str, number: u64| {
        let mut bad = lines[..=last].to_vec();
        bad.extend([text_line(text), amendment_line(2, number, Digest::of(text))]);
        bad
    };
    let at = last + 3;
    assert!(refused(&with("any text", 2)).starts_with(&format!("line {at}: amendment 2 of epoch 2: ")));
    assert!(refused(&with("{}", 2)).starts_with(&format!("line {at}: amendment 2 of epoch 2: ")));
    let nobody = Digest::of("what nobody wrote").to_string();
    let named = serde_json::from_str::<serde_json::Value>(&record).unwrap()["text"].as_str().unwrap().to_owned();
    assert!(refused(&with(&record.replace(&named, &nobody), 2)).contains(&nobody));
    assert_eq!(refused(&with(&record, 3)), format!("line {at}: amendment 3 follows amendment 1 of epoch 2"));
    let mut early = lines[..=last].to_vec();
    early.push(amendment_line(1, 2, Digest::of(&record)));
    assert_eq!(refused(&early), format!("line {}: an amendment of epoch 1 follows epoch 2", last + 2));
    // One that is as it should be is taken in.
    let elsewhere = talk().elsewhere();
    assert_eq!(import(&elsewhere, &with(&record, 2)).unwrap(), (2, 0));
    assert_eq!(elsewhere.turn(&agents("four")).amendments.len(), 2);
}

#[test]
fn a_memory_that_cannot_be_read_is_refused() {
    let lines = exported(&talk());
    let memory = lines.iter().position(|line| line.starts_with("{\"memory\"")).unwrap();
    for text in ["any text", "{}", "{\"cwd\":\"/p\",\"mood\":\"good\"}"] {
        let mut bad = lines.clone();
        bad[memory - 1] = text_line(text);
        bad[memory] = serde_json::json!({"memory": {"body": Digest::of(text)}}).to_string();
        let message = refused(&bad);
        assert!(message.starts_with(&format!("line {}: what the conversation was told", memory + 1)), "{message}");
    }
}

#[test]
fn a_ledger_names_no_file_that_may_not_be_named() {
    let lines = exported(&talk());
    let elsewhere = talk().elsewhere();
    let import = |may_name: bool| {
        elsewhere.antefix.import(lines.iter().cloned().map(Ok), |path| {
            assert_eq!(path, Path::new("/own/layout.toml"));
            may_name
        })
    };
    let memory = 1 + lines.iter().position(|line| line.starts_with("{\"memory\"")).unwrap();
    let error = import(false).unwrap_err();
    let expected = format!("line {memory}: the ledger names /own/layout.toml, which may not be named here");
    assert_eq!((error.kind(), error.message()), (ErrorKind::Input, expected.as_str()));
    assert_eq!(elsewhere.keeper().store().conversations(None, 10).unwrap(), []);
    assert_eq!(import(true).unwrap()[0].epochs, 2);
}

#[test]
fn a_ledger_that_is_deleted_while_it_is_exported_is_not_taken_for_a_short_one() {
    let talk = talk();
    let keeper = talk.keeper();
    let mut export = keeper.begin_export(&talk.id()).unwrap();
    assert!(export.next(keeper).unwrap().is_some());
    talk.antefix.delete("c").unwrap();
    let error = export.next(keeper).unwrap_err();
    assert_eq!((error.kind(), error.message()), (ErrorKind::Conflict, "c was deleted while it was exported"));
}

#[test]
fn several_ledgers_are_imported_together_or_not_at_all() {
    let (first, mut second) = (talk(), talk());
    second.conversation = "d".to_owned();
    second.turn(&agents("another"));
    let lines = [exported(&first), exported(&second)].concat();
    let elsewhere = first.elsewhere();
    let imported = elsewhere.antefix.import(lines.iter().cloned().map(Ok), |_| true).unwrap();
    let told = imported.iter().map(|one| (one.conversation.as_str(), one.epochs, one.known, one.messages));
    assert_eq!(told.collect::<Vec<_>>(), [("c", 2, 0, 1), ("d", 1, 0, 0)]);
    assert_eq!((exported(&elsewhere), elsewhere.turn(&agents("four")).prefix()), (exported(&first), "three"));
    // The second one parts from what is there.
    let mut other = first.elsewhere();
    other.conversation = "d".to_owned();
    other.turn(&agents("something else"));
    let error = other.antefix.import(lines.iter().cloned().map(Ok), |_| true).unwrap_err();
    assert_eq!((error.kind(), error.message()), (ErrorKind::Conflict, "the store has another epoch 1 of d"));
    assert_eq!(other.keeper().store().conversations(None, 10).unwrap().len(), 1);
    // A ledger that comes twice, and one without epochs.
    let twice = [exported(&first), exported(&first)].concat();
    assert!(refused(&twice).ends_with("a second ledger of c begins here"));
    assert_eq!(refused(&[lines[0].replace("\"c\"", "\"e\"")]), "the ledger of e has no epoch");
}

#[test]
fn a_deleted_conversation_is_gone_and_its_name_is_free() {
    let talk = talk();
    let (mut other, lines) = (talk.clone(), exported(&talk));
    other.conversation = "d".to_owned();
    other.turn(&agents("four"));
    let before = exported(&other);
    let deleted = talk.antefix.delete("c").unwrap();
    assert_eq!(deleted.epochs, 2);
    assert!(deleted.swept.texts > 0);
    let error = talk.antefix.delete("c").unwrap_err();
    assert_eq!((error.kind(), error.message()), (ErrorKind::Conversation, "there is no conversation \"c\""));
    let error = talk.antefix.export::<Error>("c", |_| Ok(())).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Conversation);
    assert_eq!(talk.keeper().store().conversations(None, 10).unwrap().len(), 1);
    // What it shares with the other one is still there.
    assert_eq!(exported(&other), before);
    let again = talk.turn(&agents("five"));
    assert_eq!((again.began, again.prefix(), again.messages.len()), (Began::Now, "five", 0));
    assert_eq!(talk.ledger(), [(1, "opened")]);
    // What was exported before can be imported once the name is free.
    talk.antefix.delete("c").unwrap();
    assert_eq!(import(&talk, &lines).unwrap(), (2, 0));
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

/// Numbers that no ledger can have: they would leave no room for the next one, or do not fit into a store at all.
#[test]
fn numbers_that_no_ledger_can_have_are_refused_by_their_line() {
    let lines = exported(&talk());
    let with = |more: &[&str]| -> Vec<String> {
        lines.iter().cloned().chain(more.iter().map(|line| (*line).to_owned())).collect()
    };
    let insertion = |number: u64, more: &str| {
        format!(r#"{{"insertion":{{"number":{number},"at":"2026-01-02T03:04:05Z","text":"x",{more}}}}}"#)
    };
    let at = format!("line {}: ", lines.len() + 1);
    for number in [1 << 53, i64::MAX as u64, 1 << 63, u64::MAX] {
        let said = refused(&with(&[&insertion(number, "\"taken\":false")]));
        assert_eq!(said, format!("{at}insertion {number}: no ledger has a number above 9007199254740991"));
        let said = refused(&with(&[&insertion(7, &format!("\"taken\":true,\"place\":{number}"))]));
        assert_eq!(said, format!("{at}insertion 7: no conversation has {number} messages before it"));
    }
    assert_eq!(refused(&with(&[&insertion(0, "\"taken\":false")])), format!("{at}insertion 0: numbers begin at 1"));
    let (five, three) = (insertion(5, "\"taken\":false"), insertion(3, "\"taken\":false"));
    let said = refused(&with(&[&five, &three]));
    assert_eq!(said, format!("line {}: insertion 3 follows insertion 5", lines.len() + 2));
    // Epochs and amendments follow one another, so that no other number gets in.
    let whole = lines.join("\n");
    for number in [i64::MAX as u64, 1 << 63] {
        let damaged = whole.replacen("\"number\":2,\"cause\"", &format!("\"number\":{number},\"cause\""), 1);
        let damaged: Vec<String> = damaged.lines().map(str::to_owned).collect();
        assert!(refused(&damaged).ends_with(&format!("epoch {number} follows epoch 1")), "{number}");
    }
    // The highest one gets in, and messages go on behind it.
    let talk = talk().elsewhere();
    import(&talk, &with(&[&insertion(Insertion::HIGHEST, "\"taken\":false")])).unwrap();
    talk.keeper().store().queue(&talk.id(), "2026-01-02T03:04:06Z".parse().unwrap(), "next").unwrap();
    let numbers: Vec<u64> =
        talk.keeper().store().insertions(&talk.id()).unwrap().all.iter().map(|one| one.number).collect();
    assert_eq!(numbers, [1, Insertion::HIGHEST, Insertion::HIGHEST + 1]);
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
    let seen = epoch["epoch"]["digest"].as_str().unwrap();
    let expected =
        format!("line {}: epoch 2: the spans of the epoch {seen} do not fit its bytes from 0 on", damaged.len());
    // The first epoch is sound, and is not taken in either.
    assert_eq!(refused(&damaged), expected);
}

#[test]
fn another_history_is_not_overwritten() {
    let lines = exported(&talk());
    let other = Talk::new(LAYOUT);
    other.turn(&agents("something else"));
    let error = import(&other, &lines).unwrap_err();
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
    assert_eq!(import(&talk, &without).unwrap(), (2, 0));
    assert_eq!((exported(&talk), remembered(&talk)), (without, None));
    let talk = talk.elsewhere();
    assert_eq!(import(&talk, &expected).unwrap(), (2, 0));
    assert_eq!(import(&talk, &expected).unwrap(), (0, 2));
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
    import(&talk, &lines).unwrap();
    assert_eq!(remembered(&talk), Some(Digest::of(&older.body)));
    // The conversation went on: what it was told since stays.
    store.remember(&id, &newer).unwrap();
    talk.renew(&agents("five"), Cause::Reloaded);
    let since = remembered(&talk);
    import(&talk, &lines).unwrap();
    assert_eq!(remembered(&talk), since);
    assert_ne!(since, Some(Digest::of(&older.body)));
}

#[test]
fn a_memory_without_its_text_or_its_epoch_is_refused() {
    let talk = talk();
    let said = memory_of("m", "[]");
    talk.keeper().store().remember(&talk.id(), &said).unwrap();
    let lines = exported(&talk);
    let memory = lines.iter().position(|line| line.starts_with("{\"memory\"")).unwrap();
    let body = Digest::of(&said.body);
    let textless: Vec<String> =
        lines.iter().enumerate().filter(|(at, _)| *at != memory - 1).map(|(_, line)| line.clone()).collect();
    assert_eq!(refused(&textless), format!("line {memory}: no line before has the text {body}"));
    let early = [&lines[0], &lines[memory - 1], &lines[memory]].map(String::clone);
    assert_eq!(refused(&early), "line 3: a memory must come after the first epoch");
}
