//! `before_turn`: chains, and what becomes of the system text.

use std::fmt::Write as _;

use antefix::hooks::{HookFailure, HookPoint, HookResult, TurnChange};
use proptest::prelude::*;
use serde_json::json;

use super::super::{Talk, project};
use super::{EVERY, Voice, adds, appends, assert_accounted, codes, did, replaces};

const LAYOUT: &str = r#"
dialect = "plain"
[[section]]
id = "base"
stability = "frozen"
text = "Base.\n"
[[section]]
id = "now"
stability = "live"
text = "Now.\n"
"#;

/// Hooks are `h1`, `h2` and so on. A line feed is `⏎`. "by hooks" are the bytes whose origin is a hook.
const EXPECTED: &str = "\
chain | prefix | suffix | by hooks | did | told
 | Base.⏎ | Now.⏎ |  |  | \n\
nothing | Base.⏎ | Now.⏎ |  | h1 nothing 0 | \n\
append A | Base.⏎ | Now.⏎A⏎ | A⏎ | h1 appended 2 | \n\
append A, append B | Base.⏎ | Now.⏎A⏎B⏎ | A⏎B⏎ | h1 appended 2, h2 appended 2 | \n\
repeat W | Base.⏎ | Now.⏎W⏎ | W⏎ | h1 replaced 2 | \n\
repeat W, repeat X | Base.⏎ | Now.⏎W⏎X⏎ | W⏎X⏎ | h1 replaced 2, h2 replaced 2 | \n\
front F | F⏎Base.⏎Now.⏎ |  | F⏎ | h1 replaced 2 | \n\
front F, append A | F⏎Base.⏎Now.⏎ | A⏎ | F⏎A⏎ | h1 replaced 2, h2 appended 2 | \n\
front F, swap Then | F⏎Base.⏎Then.⏎ |  | F⏎Then | h1 replaced 2, h2 replaced 4 | \n\
replace R | R⏎ |  | R | h1 replaced 1 | \n\
replace R, append A | R⏎ | A⏎ | RA⏎ | h1 replaced 1, h2 appended 2 | \n\
append A, replace R | R⏎ |  | R⏎ | h1 appended 2, h2 replaced 1 | \n\
swap Then | Base.⏎ | Then.⏎ | Then | h1 replaced 4 | \n\
swap , append A | Base.⏎ | .⏎A⏎ | A⏎ | h1 replaced 0, h2 appended 2 | \n\
empty | Base.⏎ | Now.⏎ |  | h1 nothing 0 | note hook-empty
same | Base.⏎ | Now.⏎ |  | h1 nothing 0 | \n\
fail | Base.⏎ | Now.⏎ |  | h1 failed 0 | warning hook-failed
fail, append A | Base.⏎ | Now.⏎A⏎ | A⏎ | h1 failed 0, h2 appended 2 | warning hook-failed
append A, fail, repeat W | Base.⏎ | Now.⏎A⏎W⏎ | A⏎W⏎ | h1 appended 2, h2 failed 0, h3 replaced 2 | warning hook-failed
panic, append A | Base.⏎ | Now.⏎A⏎ | A⏎ | h1 failed 0, h2 appended 2 | warning hook-failed
hidden | Base.⏎ | Now.⏎ |  | h1 failed 0 | warning hook-failed
huge | Base.⏎ | Now.⏎ |  | h1 failed 0 | warning hook-failed
secret | Base.⏎ | Now.⏎[redacted:github-pat] | [redacted:github-pat] | h1 appended 21 | warning secret
message | Base.⏎ | Now.⏎ |  | h1 added-messages 28 | \n\
no message | Base.⏎ | Now.⏎ |  | h1 failed 0 | warning hook-failed
";

fn hook(name: &str, spec: &str) -> Voice {
    let (what, words) = spec.split_once(' ').unwrap_or((spec, ""));
    let words = words.to_owned();
    let answer = match what {
        "nothing" => |_: &str, _: &str| Ok(TurnChange::default()),
        "append" => |words: &str, _: &str| Ok(appends(&format!("{words}\n"))),
        "repeat" => |words: &str, text: &str| Ok(replaces(format!("{text}{words}\n"))),
        "front" => |words: &str, text: &str| Ok(replaces(format!("{words}\n{text}"))),
        "replace" => |words: &str, _: &str| Ok(replaces(format!("{words}\n"))),
        "swap" => |words: &str, text: &str| Ok(replaces(text.replace("Now", words))),
        "empty" => |_: &str, _: &str| Ok(replaces("")),
        "same" => |_: &str, text: &str| Ok(replaces(text)),
        "fail" => |_: &str, _: &str| Err(HookFailure::new("no")),
        "panic" => |_: &str, _: &str| panic!("a hook's own"),
        "hidden" => |_: &str, _: &str| Ok(TurnChange { system: Some("R".to_owned()), ..appends("a\u{e0041}b") }),
        "huge" => |_: &str, _: &str| Ok(appends(&"x".repeat(4 << 20))),
        "secret" => |_: &str, _: &str| Ok(appends(&format!("ghp_{}", "a1B2c3D4e5F6".repeat(3)))),
        "message" => |_: &str, _: &str| Ok(adds(json!({"role": "user", "text": "x"}))),
        "no" => |_: &str, _: &str| Ok(TurnChange { append: Some("A".to_owned()), ..adds(json!("x")) }),
        other => panic!("{other}"),
    } as fn(&str, &str) -> HookResult<TurnChange>;
    Voice::before_turn(name, move |text| answer(&words, text))
}

fn row(chain: &str) -> String {
    let specs: Vec<&str> = if chain.is_empty() { Vec::new() } else { chain.split(", ").collect() };
    let hooks: Vec<Voice> = (1..).zip(specs).map(|(number, spec)| hook(&format!("h{number}"), spec)).collect();
    let hooks: Vec<&Voice> = hooks.iter().collect();
    let turn = Talk::new(LAYOUT).hooked(&project(), &hooks);
    assert_accounted(&turn);
    let system = turn.system();
    let spans = turn.spans().unwrap();
    let by_hooks: String =
        spans.iter().filter(|span| span.origin.kind == "hook").map(|span| &system[span.start..span.end]).collect();
    let codes = codes(&turn).join(", ");
    let mut row = String::new();
    write!(
        row,
        "{chain} | {} | {} | {by_hooks} | {} | {codes}",
        turn.prefix(),
        turn.suffix.text(),
        did(&turn).join(", ")
    )
    .unwrap();
    row.replace('\n', "⏎") + "\n"
}

#[test]
fn each_hook_of_a_chain_sees_what_the_earlier_ones_left() {
    let chains = EXPECTED.lines().skip(1).map(|line| line.split(" | ").next().unwrap());
    let header = EXPECTED.lines().next().unwrap();
    let found = chains.fold(format!("{header}\n"), |table, chain| table + &row(chain));
    assert_eq!(found, EXPECTED, "\n{found}");
}

#[test]
fn what_a_hook_said_in_one_turn_is_gone_in_the_next() {
    let talk = Talk::new(LAYOUT);
    let loud = hook("loud", "front X");
    assert_eq!(talk.hooked(&project(), &[&loud]).system(), "X\nBase.\nNow.\n");
    let next = talk.turn(&project());
    assert_eq!((next.system().as_str(), next.epoch.unwrap().number()), ("Base.\nNow.\n", 1));
}

#[test]
fn a_failure_names_the_hook_its_reason_and_what_it_printed() {
    let failing = Voice::failing("oncall", &[HookPoint::BeforeTurn]);
    let turn = Talk::new(LAYOUT).hooked(&project(), &[&failing]);
    assert_eq!(
        turn.diagnostics.last().unwrap().message,
        "hook `oncall` (before_turn) is skipped: it has no mind to; it said: because\\n\\u{1b}[31mred"
    );
}

#[test]
fn hooks_are_notified_of_an_epoch_once_and_cannot_stop_it() {
    let talk = Talk::new(&LAYOUT.replace("text = \"Base.\\n\"", "dialect = \"jinja\"\ntext = \"{{ prompt.cwd }}\\n\""));
    let told = Voice::new("told", &EVERY);
    let failing = Voice::failing("failing", &[HookPoint::Opened, HookPoint::Renewed]);
    let turn = talk.hooked(&project(), &[&failing, &told]);
    assert_eq!(did(&turn), ["told nothing 0", "failing failed 0", "told told 0", "told nothing 0"]);
    assert_eq!((turn.epoch.as_ref().unwrap().number(), codes(&turn)), (1, vec!["warning hook-failed".to_owned()]));
    talk.hooked(&project(), &[&failing, &told]);
    let moved = Talk { cwd: "/p/sub", ..talk };
    moved.hooked(&project().file("/p/sub/x", ""), &[&failing, &told]);
    let received = told.received();
    assert_eq!(
        received,
        [
            "discover c -",
            "began c 1 opened",
            "before_turn c 1 opened",
            "discover c -",
            "before_turn c 1 opened",
            "discover c -",
            "began c 2 moved",
            "before_turn c 2 moved",
        ]
    );
    assert_eq!(failing.received(), ["began c 1 opened", "began c 2 moved"]);
}

#[test]
fn a_turn_whose_system_text_is_the_callers_asks_nobody() {
    let talk = Talk::new(LAYOUT);
    let told = Voice::new("told", &EVERY);
    let mut ask = talk.ask();
    ask.replacement = Some("Mine.".to_owned());
    let turn = talk.with_hooks(&[&told]).at(&project(), |conversation| conversation.turn(ask)).unwrap();
    assert_eq!((turn.system().as_str(), told.received().len()), ("Mine.", 0));
    assert_eq!(turn.spans().unwrap()[0].origin.kind, "caller");
}

proptest! {
    #[test]
    fn no_chain_of_hooks_changes_what_is_stored(
        specs in prop::collection::vec(
            prop::sample::select(vec![
                "nothing", "append Å", "repeat ⏎W", "front F", "replace R", "replace Base", "swap Then", "swap ", "empty",
                "same", "fail", "hidden", "message", "no message",
            ]),
            0..6,
        ),
    ) {
        let (plain, loud) = (Talk::new(LAYOUT), Talk::new(LAYOUT));
        let before = plain.turn(&project());
        let hooks: Vec<Voice> = (1..).zip(&specs).map(|(number, spec)| hook(&format!("h{number}"), spec)).collect();
        let hooks: Vec<&Voice> = hooks.iter().collect();
        for _ in 0..2 {
            let turn = loud.hooked(&project(), &hooks);
            assert_accounted(&turn);
            prop_assert_eq!(&before.epoch, &turn.epoch);
        }
        let (stored, _) = loud.keeper().standing(&loud.id()).unwrap();
        prop_assert_eq!(before.epoch.unwrap(), stored);
        prop_assert_eq!(loud.turn(&project()).system(), "Base.\nNow.\n");
    }
}
