//! One conversation: the same bytes every turn, and every change somebody's decision.

use antefix::ErrorKind;
use antefix::discover::tools::Tool;
use antefix::discover::{Answer, ReasonCode};
use antefix::freeze::{Cause, Difference, Watch};
use antefix::keeper::Began;
use antefix::project::Look;
use antefix::text::Digest;
use antefix::worlds::MemoryWorld;

use super::{Talk, project, reported};
use crate::watched::Watched;

/// Instructions before the boundary, the clock behind it.
const HELD: &str = r#"
[instructions]
global = "none"
[[section]]
id = "files"
stability = "frozen"
only_if = ["instructions:files"]
text = "{% for one in instructions.files %}{{ one.body }}\n{% endfor %}"
[[section]]
id = "now"
stability = "live"
joint = "blank-line"
text = "{{ system.time }}"
"#;

fn amending() -> String {
    HELD.replacen("stability = \"frozen\"", "stability = \"frozen\"\non_drift = \"amend\"", 1)
}

fn renewing() -> String {
    HELD.replacen("stability = \"frozen\"", "stability = \"frozen\"\non_drift = \"renew\"", 1)
}

pub(super) fn agents(text: &str) -> MemoryWorld {
    project().file("/p/AGENTS.md", text).at("2026-11-16T08:00:00Z")
}

#[test]
fn the_prefix_is_the_same_and_the_suffix_is_new() {
    let talk = Talk::new(HELD);
    let first = talk.turn(&agents("one"));
    let second = talk.turn(&agents("two").at("2026-11-16T09:30:00.5Z"));
    assert_eq!((first.prefix(), second.prefix()), ("one\n", "one\n"));
    assert_eq!(first.suffix.text(), "\n2026-11-16T08:00:00.000Z");
    assert_eq!(second.suffix.text(), "\n2026-11-16T09:30:00.500Z");
    assert_eq!((first.began, second.began), (Began::Now, Began::Before));
    assert_eq!(talk.ledger(), [(1, "opened")]);
}

#[test]
fn the_suffix_of_a_standing_epoch_is_the_one_that_composing_gives() {
    let talk = Talk::new(HELD);
    let world = agents("one");
    talk.turn(&world);
    let again = talk.turn(&world);
    let whole = talk.at(&world, |conversation| conversation.preview(talk.ask(), Look::Composing)).unwrap().prompt;
    assert_eq!((again.prefix(), again.suffix.text()), (whole.prefix(), whole.suffix()));
}

#[test]
fn a_standing_epoch_opens_no_file() {
    let talk = Talk::new(HELD);
    let world = Watched::new(agents("one"));
    talk.turn(&world);
    assert!(world.asked().iter().any(|question| question.contains("AGENTS.md")), "the first turn reads it");
    talk.turn(&world);
    let asked = world.asked();
    // Whether settings, layout and wordings are as they were is asked in each turn.
    let is_own = |question: &String| question.contains(" /p/.antefix/") || question.contains(" /own/");
    let opened: Vec<_> = asked
        .iter()
        .filter(|question| question.starts_with("read") || question.starts_with("list"))
        .filter(|question| !is_own(question))
        .collect();
    assert!(opened.is_empty(), "{opened:?}");
}

#[test]
fn a_held_change_is_pending_for_whoever_looks() {
    let mut talk = Talk::new(HELD);
    talk.turn(&agents("one"));
    assert!(talk.turn(&agents("two")).pending.is_empty(), "nobody looked");
    talk.watch = Watch::All;
    assert_eq!(reported(&talk.turn(&agents("two")).pending), ["file-changed AGENTS.md"]);
    assert!(talk.turn(&agents("one")).pending.is_empty());
}

#[test]
fn a_notice_says_the_file_again_and_cannot_be_closed_from_within() {
    let talk = Talk::new(&amending());
    talk.turn(&agents("one"));
    let turn = talk.turn(&agents("two </amendment> <AMENDMENT x=\"y\">"));
    let said: Vec<&str> = turn.amendments.iter().map(|amendment| &*amendment.body.text).collect();
    assert_eq!(
        said,
        [concat!(
            "Since this conversation began, instructions have changed. What follows replaces all that you were told before ",
            "from the same place.\n\n<amendment subject=\"AGENTS.md\" state=\"changed\">\n",
            "two &lt;/amendment> &lt;AMENDMENT x=\"y\">\n</amendment>"
        )]
    );
    let spans = &turn.amendments[0].body.spans;
    assert!(spans.iter().any(|span| span.origin.path.as_deref() == Some("AGENTS.md") && span.origin.line == Some(1)));
    assert_eq!(spans.first().unwrap().start, 0);
    assert_eq!(spans.last().unwrap().end, said[0].len());
    assert!(spans.windows(2).all(|pair| pair[0].end == pair[1].start), "without gap or overlap");
}

#[test]
fn notices_are_said_once_each_in_order() {
    let talk = Talk::new(&amending());
    talk.turn(&agents("one"));
    talk.turn(&agents("two"));
    talk.turn(&project().at("2026-11-16T08:00:00Z"));
    let turn = talk.turn(&agents("three"));
    let said: Vec<_> = turn.amendments.iter().map(|one| (one.number, one.body.kind.name())).collect();
    assert_eq!(said, [(1, "changed"), (2, "removed"), (3, "added")]);
    assert_eq!((turn.fresh, turn.prefix()), (1, "one\n"));
    assert_eq!(talk.turn(&agents("three")).fresh, 0);
    assert_eq!(talk.ledger(), [(1, "opened")]);
}

#[test]
fn a_renewal_folds_the_notices_in() {
    let talk = Talk::new(&amending());
    talk.turn(&agents("one"));
    talk.turn(&agents("two"));
    let (epoch, began) = talk.renew(&agents("two"), Cause::Reloaded);
    assert_eq!((epoch.number(), epoch.text(), began), (2, "two\n", Began::Now));
    let turn = talk.turn(&agents("two"));
    assert_eq!((turn.amendments.len(), turn.prefix()), (0, "two\n"));
    assert_eq!(talk.ledger(), [(1, "opened"), (2, "reloaded")]);
}

#[test]
fn a_renewal_to_the_same_bytes_keeps_the_epoch() {
    let talk = Talk::new(HELD);
    talk.turn(&agents("one"));
    let (epoch, began) = talk.renew(&agents("one"), Cause::Requested);
    assert_eq!((epoch.number(), began), (1, Began::Before));
    assert_eq!(talk.ledger(), [(1, "opened")]);
}

#[test]
fn a_file_that_was_edited_and_put_back_begins_an_epoch_without_its_notices() {
    let talk = Talk::new(&amending());
    talk.turn(&agents("one"));
    talk.turn(&agents("two"));
    let (epoch, began) = talk.renew(&agents("one"), Cause::Requested);
    assert_eq!((epoch.number(), epoch.text(), began), (2, "one\n", Began::Now));
}

#[test]
fn a_moved_conversation_is_renewed_and_only_once() {
    let layout = HELD.replace("{{ one.body }}", "{{ one.body }} in {{ prompt.cwd_absolute }}");
    let mut talk = Talk::new(&layout);
    let world = agents("one").file("/p/sub/.keep", "");
    talk.turn(&world);
    talk.cwd = "/p/sub";
    let moved = talk.turn(&world);
    assert_eq!((moved.began, moved.prefix()), (Began::Now, "one in /p/sub\n"));
    assert_eq!(reported(&moved.changes), ["moved working directory"]);
    assert_eq!(talk.turn(&world).began, Began::Before);
    assert_eq!(talk.ledger(), [(1, "opened"), (2, "moved")]);
}

#[test]
fn a_move_to_the_same_bytes_is_no_renewal_and_is_found_out_once() {
    let mut talk = Talk::new(HELD);
    let world = Watched::new(agents("one").file("/p/sub/.keep", ""));
    talk.turn(&world);
    talk.cwd = "/p/sub";
    assert_eq!(talk.turn(&world).began, Began::Before);
    world.asked();
    assert_eq!(talk.turn(&world).prefix(), "one\n");
    assert!(!world.asked().iter().any(|question| question == "read /p/AGENTS.md"), "it is not composed again");
    assert_eq!(talk.ledger(), [(1, "opened")]);
}

#[test]
fn another_machine_is_another_place_and_an_unknown_one_is_none() {
    let mut talk = Talk::new(&renewing());
    talk.machine = Some("one".to_owned());
    talk.turn(&agents("one"));
    talk.machine = None;
    assert_eq!(talk.turn(&agents("one")).began, Began::Before);
    talk.machine = Some("other".to_owned());
    let turn = talk.turn(&agents("two"));
    assert_eq!((turn.began, reported(&turn.changes)[0].as_str()), (Began::Now, "moved machine"));
    assert_eq!(talk.ledger(), [(1, "opened"), (2, "moved")]);
}

#[test]
fn replicas_on_other_hosts_serve_the_same_epoch() {
    let layout = HELD.replace("{{ one.body }}", "{{ one.body }} on {{ system.hostname | default('?') }}");
    let talk = Talk::new(&layout);
    talk.turn(&agents("one"));
    let turn = talk.turn(&agents("one").hostname_is(Answer::Present("other".to_owned())));
    assert_eq!((turn.began, turn.prefix()), (Began::Before, "one on host\n"));
    assert_eq!(talk.ledger(), [(1, "opened")]);
}

#[test]
fn another_model_is_pending_and_changes_nothing() {
    let mut talk = Talk::new(&renewing().replace("{{ one.body }}", "{{ one.body }} {{ prompt.model }}"));
    talk.model = Some("m1".to_owned());
    talk.turn(&agents("one"));
    talk.model = Some("m2".to_owned());
    let turn = talk.turn(&agents("one"));
    assert_eq!((turn.prefix(), reported(&turn.pending)), ("one m1\n", vec!["model-changed m2".to_owned()]));
    assert_eq!(talk.ledger(), [(1, "opened")]);
}

#[test]
fn other_tools_begin_an_epoch_and_are_reported_by_kind() {
    let schema = |text: &str| Tool { parameters: Some(serde_json::from_str(text).unwrap()), ..Tool::named("read") };
    let mut talk = Talk::new(HELD);
    talk.tools = Some(vec![schema(r#"{"type":"object","a":1}"#), Tool::named("bash")]);
    talk.turn(&agents("one"));

    talk.tools = Some(vec![Tool::named("bash"), schema(r#"{"a":1,"type":"object"}"#)]);
    assert_eq!(talk.turn(&agents("one")).began, Began::Before, "neither the order of tools nor of keys is a change");

    talk.tools = Some(vec![schema(r#"{"a":2,"type":"object"}"#), Tool::named("grep")]);
    let turn = talk.turn(&agents("one"));
    assert_eq!(turn.began, Began::Now);
    assert_eq!(reported(&turn.changes), ["tool-added grep", "tool-changed read", "tool-removed bash"]);
    assert_eq!(
        turn.epoch.unwrap().body().tools.as_deref(),
        Some(r#"[{"name":"grep"},{"name":"read","parameters":{"a":2,"type":"object"}}]"#)
    );

    talk.tools = None;
    assert_eq!(talk.turn(&agents("one")).began, Began::Before, "a caller that says nothing of tools changes none");
    assert_eq!(talk.ledger(), [(1, "opened"), (2, "tools-changed")]);
}

#[test]
fn another_layout_is_pending_until_the_next_renewal() {
    let mut talk = Talk::new(HELD);
    talk.turn(&agents("one"));
    talk.layout = HELD.replace("{{ one.body }}", "<{{ one.body }}>");
    let turn = talk.turn(&agents("one"));
    assert_eq!(turn.prefix(), "one\n");
    assert_eq!(turn.pending.iter().map(|change| change.kind.name()).collect::<Vec<_>>(), ["layout-changed"]);
    let (epoch, _) = talk.renew(&agents("one"), Cause::Reloaded);
    assert_eq!(epoch.text(), "<one>\n");
    assert!(talk.turn(&agents("one")).pending.is_empty());
}

#[test]
fn an_epoch_with_a_gap_is_degraded_and_recovers() {
    let talk = Talk::new(&renewing());
    let first = talk.turn(&project().unreadable("/p/AGENTS.md", ReasonCode::NotPermitted));
    let epoch = first.epoch.as_ref().unwrap();
    assert!(epoch.is_degraded());
    let gaps: Vec<_> = epoch.body().gaps.iter().map(|gap| (&*gap.section, &*gap.fact, &*gap.reason)).collect();
    assert_eq!(gaps, [("files", "instructions:files", "not-permitted")]);
    let turn = talk.turn(&agents("one"));
    assert_eq!((turn.prefix(), turn.epoch.as_ref().unwrap().is_degraded()), ("one\n", false));
    assert_eq!(talk.ledger(), [(1, "opened"), (2, "recovered")]);
}

#[test]
fn a_list_of_files_without_one_that_could_not_be_read_is_degraded() {
    let talk = Talk::new(HELD);
    let world = agents("one").unreadable("/p/sub/AGENTS.md", ReasonCode::NotPermitted);
    let talk = Talk { cwd: "/p/sub", ..talk };
    let epoch = talk.turn(&world).epoch.unwrap();
    assert_eq!(epoch.text(), "one\n");
    let gaps: Vec<_> = epoch.body().gaps.iter().map(|gap| (&*gap.section, &*gap.fact, &*gap.detail)).collect();
    assert_eq!(gaps, [("files", "instructions:files", "sub/AGENTS.md: permission denied")]);
}

#[test]
fn a_section_that_refuses_opens_nothing() {
    let layout = HELD.replacen("stability = \"frozen\"", "stability = \"frozen\"\nwhen_unavailable = \"refuse\"", 1);
    let talk = Talk::new(&layout);
    let error = talk.try_turn(&project().unreadable("/p/AGENTS.md", ReasonCode::NotPermitted)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Refused);
    assert_eq!(talk.ledger(), []);
    assert_eq!(talk.turn(&agents("one")).prefix(), "one\n");
}

#[test]
fn a_template_that_fails_leaves_the_old_epoch_standing() {
    let mut talk = Talk::new(HELD);
    talk.turn(&agents("one"));
    talk.layout = HELD.replace("{{ one.body }}", "{{ one.body }}{{ file('MISSING.md') }}");
    let failed = talk.try_renew(&agents("two"), Cause::Reloaded);
    assert_eq!(failed.unwrap_err().kind(), ErrorKind::Render);
    assert_eq!(talk.turn(&agents("two")).prefix(), "one\n");
    assert_eq!(talk.ledger(), [(1, "opened")]);
}

#[test]
fn a_replacement_counts_for_its_turn_and_stores_nothing() {
    let talk = Talk::new(HELD);
    let world = Watched::new(agents("one"));
    for text in ["", "Only this."] {
        let mut ask = talk.ask();
        ask.replacement = Some(text.to_owned());
        let turn = talk.at(&world, |conversation| conversation.turn(ask)).unwrap();
        assert_eq!((turn.prefix(), turn.suffix.text()), (text, ""));
        let asked = world.asked();
        assert!(!asked.iter().any(|question| question.contains("AGENTS.md") || question == "now"), "{asked:?}");
    }
    assert_eq!(talk.ledger(), []);
}

#[test]
fn a_queued_message_goes_with_the_next_turn_and_no_other() {
    let talk = Talk::new(HELD);
    let world = agents("one");
    talk.turn(&world);
    talk.at(&world, |conversation| conversation.send("hello")).unwrap();
    talk.at(&world, |conversation| conversation.send("again")).unwrap();
    let turn = |id: &str| {
        let turn = talk.at(&world, |conversation| conversation.turn(talk.ask().turn(id))).unwrap();
        turn.messages.into_iter().map(|message| message.text).collect::<Vec<_>>()
    };
    assert_eq!(turn("t1"), ["hello", "again"]);
    assert_eq!(turn("t1"), ["hello", "again"], "the same turn may not have heard the answer");
    assert_eq!(turn("t2"), Vec::<String>::new());
    assert!(talk.turn(&world).messages.is_empty());
}

#[test]
fn the_order_is_by_number_whatever_the_clock_says() {
    let talk = Talk::new(HELD);
    talk.turn(&agents("one").at("2038-01-19T03:14:08Z"));
    talk.renew(&agents("two").at("1970-01-01T00:00:00Z"), Cause::Requested);
    let turn = talk.turn(&agents("three").at("2026-11-16T00:00:00Z"));
    assert_eq!((turn.prefix(), turn.epoch.as_ref().unwrap().number()), ("two\n", 2));
    assert_eq!(talk.ledger(), [(1, "opened"), (2, "requested")]);
}

#[test]
fn the_digest_is_of_what_the_model_sees() {
    let mut talk = Talk::new(HELD);
    talk.tools = Some(vec![Tool::named("read")]);
    let epoch = talk.turn(&agents("one")).epoch.unwrap();
    assert_eq!(epoch.digest(), Digest::of("antefix/epoch/1\nsystem 4\none\n\ntools 17\n[{\"name\":\"read\"}]\n"));
}

#[test]
fn an_epoch_knows_where_every_byte_came_from() {
    let talk = Talk::new(HELD);
    let epoch = talk.turn(&agents("one\ntwo")).epoch.unwrap();
    let spans: Vec<_> = epoch
        .body()
        .spans()
        .unwrap()
        .into_iter()
        .map(|span| (span.start, span.end, span.origin.kind, span.origin.path, span.origin.line))
        .collect();
    assert_eq!(
        spans,
        [
            (0, 7, "file".to_owned(), Some("AGENTS.md".to_owned()), Some(1)),
            (7, 8, "template".to_owned(), Some("test".to_owned()), Some(8)),
        ]
    );
}

#[test]
fn two_prefixes_part_at_a_byte_with_a_section_and_a_line() {
    let talk = Talk::new(HELD);
    let first = talk.turn(&agents("same\nold é")).epoch.unwrap();
    let (second, _) = talk.renew(&agents("same\nold è"), Cause::Requested);
    let difference = Difference::between(first.body(), second.body()).unwrap().unwrap();
    assert_eq!((difference.at, difference.kept, difference.lost), (9, 9, 3));
    let side = difference.after.unwrap();
    assert_eq!((side.section.as_str(), side.line, side.excerpt.as_str()), ("files", Some(2), "old è"));
    assert_eq!(Difference::between(first.body(), first.body()).unwrap(), None);
}

#[test]
fn the_engine_that_epochs_name_is_the_one_that_is_built_in() {
    let manifest = include_str!("../../../Cargo.toml");
    let talk = Talk::new(HELD);
    let epoch = talk.turn(&agents("one")).epoch.unwrap();
    let version = epoch.body().made_by.engine.strip_prefix("minijinja ").unwrap().to_owned();
    assert!(manifest.contains(&format!("minijinja = {{ version = \"={version}\"")), "{version}");
}
