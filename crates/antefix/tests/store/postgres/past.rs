//! Schemas of past versions move forward with all that is in them, and servers of the version before go on beside them.

use antefix::compose::Dialect;
use antefix::contract::{epoch, id, memory, moment};
use antefix::freeze::store::{Appended, Committed, Deletable, EpochRow, LastUse, Noted, Store, Sweep};
use antefix::freeze::template::{SavedTemplate, TemplateDeletion, TemplateEntry, Templates};
use antefix::stores::PostgresStore;
use antefix::text::Digest;
use jiff::Timestamp;
use postgres::error::SqlState;

use super::cluster::{Database, is_left_out};

/// What past versions were made of; a released file does not change.
const RELEASED: [&str; 4] = [
    include_str!("../../../src/stores/postgres/schema_1.sql"),
    include_str!("../../../src/stores/postgres/schema_2.sql"),
    include_str!("../../../src/stores/postgres/schema_3.sql"),
    include_str!("../../../src/stores/postgres/schema_4.sql"),
];

/// A database with the schema of a past version.
fn of_version(version: usize) -> (Database, postgres::Client) {
    let database = Database::new();
    let mut client = database.client();
    let versions = "CREATE TABLE versions (number integer PRIMARY KEY, made_at timestamptz NOT NULL DEFAULT now())";
    client.batch_execute(&format!("CREATE SCHEMA {}; {versions}", database.schema)).unwrap();
    for (number, step) in (1..).zip(&RELEASED[..version]) {
        client.batch_execute(&format!("{step}; INSERT INTO versions (number) VALUES ({number})")).unwrap();
    }
    (database, client)
}

/// Writes an epoch as all past versions did.
fn write_epoch(client: &mut postgres::Client, conversation: &str, text: &str) -> EpochRow {
    let (row, bundle) = epoch(conversation, 1, text);
    let body = row.body.bytes().as_slice();
    let keep = "INSERT INTO texts (digest, text) VALUES ($1, $2) ON CONFLICT DO NOTHING";
    client.execute(keep, &[&body, &bundle.body.as_bytes()]).unwrap();
    for (digest, text) in &bundle.parts {
        let part = digest.bytes().as_slice();
        client.execute(keep, &[&part, &text.as_bytes()]).unwrap();
        client.execute("INSERT INTO parts (body, part) VALUES ($1, $2)", &[&body, &part]).unwrap();
    }
    client
        .execute(
            "INSERT INTO epochs (conversation, number, cause, opened_at, digest, body, cwd, machine, model) \
             VALUES ($1, 1, $2, $3, $4, $5, $6, $7, $8)",
            &[
                &row.conversation.as_str(),
                &row.cause.name(),
                &row.opened_at.to_string(),
                &row.digest.bytes().as_slice(),
                &body,
                &row.cwd.as_bytes(),
                &row.machine.as_ref().map(|machine| machine.as_bytes()),
                &row.model.as_ref().map(|model| model.as_bytes()),
            ],
        )
        .unwrap();
    row
}

/// Saves a template as version 2 did, which knew of no layouts.
fn write_template(client: &mut postgres::Client, number: i64, text: &str) -> SavedTemplate {
    let template = SavedTemplate::new(number as u64, "dispatch", Dialect::Bracket, text, moment(number), None);
    client
        .execute(
            "INSERT INTO templates (number, digest, dialect, at, author, label, text) \
             VALUES ($1, $2, $3, $4, NULL, NULL, $5) ON CONFLICT DO NOTHING",
            &[
                &number,
                &template.row.digest.bytes().as_slice(),
                &"bracket",
                &template.row.at.to_string(),
                &text.as_bytes(),
            ],
        )
        .unwrap();
    template
}

/// What version 2 asked for the last template.
const LAST_OF_VERSION_2: &str = "SELECT number, digest, dialect, octet_length(text)::bigint, at, author, label FROM templates \
                                 ORDER BY number DESC LIMIT 1";

fn saved(template: &SavedTemplate) -> TemplateEntry {
    TemplateEntry::Saved(template.row.clone())
}

#[test]
fn a_schema_of_version_1_moves_forward_and_its_rows_stay() {
    if is_left_out() {
        return;
    }
    let (database, mut client) = of_version(1);
    let row = write_epoch(&mut client, "c", "of the first version");
    let store = database.store();
    let standing = store.standing(&id("c")).unwrap().unwrap();
    assert_eq!((standing.epoch, standing.said), (row, None));
    assert_eq!(store.last_template("dispatch").unwrap(), None);
    let template = SavedTemplate::new(1, "dispatch", Dialect::Bracket, "[prompt:cwd]", moment(0), None);
    assert_eq!(store.save_template(&template).unwrap(), Appended::Won);
    let versions = client.query("SELECT number FROM versions ORDER BY number", &[]).unwrap();
    assert_eq!(versions.iter().map(|row| row.get(0)).collect::<Vec<i32>>(), [1, 2, 3, 4, 5]);
    assert_eq!(database.store().template(1).unwrap(), Some(template));
}

#[test]
fn a_schema_of_version_2_moves_forward_and_its_templates_get_their_layout() {
    if is_left_out() {
        return;
    }
    let (database, mut client) = of_version(2);
    let row = write_epoch(&mut client, "c", "of the second version");
    let first = write_template(&mut client, 1, "first");
    let second = write_template(&mut client, 2, "second");
    let store = database.store();
    assert_eq!(store.templates(Some("dispatch"), None, 10).unwrap(), [saved(&second), saved(&first)]);
    assert_eq!(store.templates(None, None, 10).unwrap().len(), 2);
    assert_eq!(store.last_template("coding-agent").unwrap(), None);
    assert_eq!(store.template(1).unwrap(), Some(first));
    assert_eq!(store.standing(&id("c")).unwrap().unwrap().epoch, row);
    store.remember(&id("c"), &memory("tools")).unwrap();
    assert_eq!(store.standing(&id("c")).unwrap().unwrap().said, Some(Digest::of("body of tools")));
    assert_eq!(store.sweep(Sweep::Delete).unwrap().texts, 0);
}

#[test]
fn a_server_of_version_2_goes_on_beside_this_one() {
    if is_left_out() {
        return;
    }
    let (database, mut old) = of_version(2);
    write_template(&mut old, 1, "first");
    let store = database.store();
    let row = write_epoch(&mut old, "c", "of the old server");
    assert_eq!(store.standing(&id("c")).unwrap().unwrap().epoch, row);

    // What it saves is for the layout that it has, and takes part in the race for the number.
    let second = write_template(&mut old, 2, "of the old server");
    assert_eq!(store.last_template("dispatch").unwrap(), Some(saved(&second)));
    let late = SavedTemplate::new(2, "coding-agent", Dialect::Plain, "late", moment(0), None);
    assert_eq!(store.save_template(&late).unwrap(), Appended::Lost(saved(&second)));
    let third = SavedTemplate::new(3, "dispatch", Dialect::Plain, "of the new server", moment(0), None);
    assert_eq!(store.save_template(&third).unwrap(), Appended::Won);
    let last = old.query_one(LAST_OF_VERSION_2, &[]).unwrap();
    assert_eq!((last.get::<_, i64>(0), last.get::<_, &[u8]>(1)), (3, third.row.digest.bytes().as_slice()));

    // It cannot read a deletion, which is better than to take it for a template.
    let gone = TemplateDeletion::new(4, "dispatch", moment(0), None);
    assert_eq!(store.delete_template(&gone).unwrap(), Appended::Won);
    assert!(old.query_one(LAST_OF_VERSION_2, &[]).unwrap().try_get::<_, &[u8]>(1).is_err());

    // Its sweep does not know what is remembered, and cannot delete it.
    store.remember(&id("c"), &memory("tools")).unwrap();
    let sweep = "\
        DELETE FROM texts t WHERE NOT EXISTS (SELECT FROM epochs r WHERE r.body = t.digest) \
        AND NOT EXISTS (SELECT FROM amendments r WHERE r.body = t.digest) \
        AND NOT EXISTS (SELECT FROM compactions r WHERE r.body = t.digest) \
        AND NOT EXISTS (SELECT FROM parts p WHERE p.part = t.digest AND p.body <> t.digest)";
    assert_eq!(old.execute(sweep, &[]).unwrap_err().code(), Some(&SqlState::FOREIGN_KEY_VIOLATION));
    let texts = store.texts(&[Digest::of("body of tools"), Digest::of("tools")]).unwrap();
    assert!(texts.iter().all(Option::is_some));
}

/// Queues a message as all past versions did.
fn write_message(client: &mut postgres::Client, number: i64, text: &str) {
    client
        .execute(
            "INSERT INTO messages (conversation, number, at, text, queued_by) VALUES ('c', $1, $2, $3, gen_random_uuid())",
            &[&number, &moment(0).to_string(), &text.as_bytes()],
        )
        .unwrap();
}

/// What all past versions did to take the messages that wait.
const TAKE_OF_THE_PAST: &str = "\
    UPDATE messages SET taken_by = gen_random_uuid(), turn = 'a' WHERE conversation = 'c' AND taken_by IS NULL";

#[test]
fn messages_of_version_3_stay_with_those_who_took_them_and_others_are_repeated_from_now_on() {
    if is_left_out() {
        return;
    }
    let (database, mut old) = of_version(3);
    write_epoch(&mut old, "c", "of the third version");
    write_message(&mut old, 1, "taken");
    old.execute(TAKE_OF_THE_PAST, &[]).unwrap();
    write_message(&mut old, 2, "waiting");
    let store = database.store();
    let standing = store.standing(&id("c")).unwrap().unwrap();
    assert_eq!((standing.waiting, standing.inserted), (1, 0));
    let places = |store: &PostgresStore| {
        let taken = store.insertions(&id("c")).unwrap().taken();
        taken.map(|one| (one.number, one.text, one.taken.unwrap().place)).collect::<Vec<_>>()
    };
    assert_eq!(store.take(&id("c"), Some("a"), Some(4)).unwrap().len(), 1);
    let mut expected = vec![(2, "waiting".to_owned(), Some(4))];
    assert_eq!(places(&store), expected);

    // What a server of that version queues and takes meanwhile is said again rather than lost.
    write_message(&mut old, 3, "of the old server");
    old.execute(TAKE_OF_THE_PAST, &[]).unwrap();
    expected.push((3, "of the old server".to_owned(), None));
    assert_eq!(places(&store), expected);
    store.take(&id("c"), None, Some(6)).unwrap();
    expected[1].2 = Some(6);
    assert_eq!(places(&store), expected);
}

#[test]
fn a_conversation_of_version_4_counts_as_used_when_the_schema_moves_forward() {
    if is_left_out() {
        return;
    }
    let (database, mut old) = of_version(4);
    let row = write_epoch(&mut old, "c", "of the fourth version");
    let began = Timestamp::now();
    let store = database.store();
    let used = store.standing(&id("c")).unwrap().unwrap().used.unwrap();
    assert!(used.as_second() >= began.as_second() && used <= Timestamp::now(), "{used}");
    assert_eq!(store.last_uses(None, 9).unwrap(), [LastUse { conversation: id("c"), at: used }]);
    assert_eq!(store.delete(&id("c"), Deletable::UnusedSince(used)).unwrap(), None);
    assert_eq!(store.commit(&id("c"), "t", moment(0)).unwrap(), Committed::NotBegun);

    // One that a server of that version opens meanwhile is as old as its rows, until this one notes a use.
    let beside = write_epoch(&mut old, "beside", "of the old server");
    assert_eq!(store.standing(&id("beside")).unwrap().unwrap().used, None);
    let uses = store.last_uses(None, 1).unwrap();
    assert_eq!(uses, [LastUse { conversation: id("beside"), at: beside.opened_at }]);
    assert_eq!(store.note_use(&id("beside"), used, None).unwrap(), Noted::Done);
    assert_eq!(store.standing(&id("beside")).unwrap().unwrap().used, Some(used));
    assert_eq!(store.standing(&id("c")).unwrap().unwrap().epoch, row);
}

#[test]
fn a_row_that_is_neither_a_template_nor_a_deletion_cannot_be_written() {
    if is_left_out() {
        return;
    }
    let (database, mut client) = of_version(2);
    write_template(&mut client, 1, "first");
    drop(database.store());
    let halves =
        ["text = NULL", "digest = NULL", "dialect = NULL", "text = NULL, digest = NULL, dialect = NULL, label = 'x'"];
    for half in halves {
        let error = client.execute(&format!("UPDATE templates SET {half}"), &[]).unwrap_err();
        assert_eq!(error.code(), Some(&SqlState::CHECK_VIOLATION), "{half}: {error}");
    }
}
