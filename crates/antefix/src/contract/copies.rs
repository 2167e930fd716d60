//! Ledgers that come from elsewhere.

use super::ledgers::{standing, won};
use super::races::all_at_once;
use super::{Medium, amendment, epoch, id, memory, moment, open};
use crate::freeze::copy::{Copied, CopiedLedger, LedgerCopy, LedgerRow, Parted};
use crate::freeze::store::{Appended, EpochRow, Store};
use crate::freeze::{Insertion, InsertionKind, Insertions, Taken};
use crate::text::Digest;

/// Two epochs, the first one with an amendment, a memory and a message.
fn copy(conversation: &str, second: &str) -> LedgerCopy {
    let (first, first_bundle) = epoch(conversation, 1, "first");
    let (amended, amended_bundle) = amendment(conversation, 1, 1, "amended");
    let (next, next_bundle) = epoch(conversation, 2, second);
    LedgerCopy {
        conversation: id(conversation),
        rows: vec![
            (LedgerRow::Epoch(first), first_bundle),
            (LedgerRow::Amendment(amended), amended_bundle),
            (LedgerRow::Epoch(next), next_bundle),
        ],
        memory: Some(memory("told")),
        insertions: vec![Insertion {
            number: 0,
            kind: InsertionKind::Queued,
            at: moment(1),
            text: "hello".to_owned(),
            taken: None,
        }],
    }
}

#[track_caller]
fn import(store: &dyn Store, copies: &[LedgerCopy]) -> Vec<CopiedLedger> {
    match store.import(copies).unwrap() {
        Copied::Done(done) => done,
        Copied::Parted(parted) => panic!("{parted}"),
    }
}

fn counted(epochs: u64, known: u64, messages: u64) -> CopiedLedger {
    CopiedLedger { epochs, known, messages }
}

#[track_caller]
fn waiting(store: &dyn Store, conversation: &str) -> Vec<String> {
    store.insertions(&id(conversation)).unwrap().waiting().map(|message| message.text.clone()).collect()
}

/// The epochs of a copy.
fn epochs(copy: &LedgerCopy) -> Vec<EpochRow> {
    let epoch = |row: &LedgerRow| match row {
        LedgerRow::Epoch(row) => Some(row.clone()),
        LedgerRow::Amendment(_) => None,
    };
    copy.rows.iter().filter_map(|(row, _)| epoch(row)).collect()
}

#[track_caller]
fn is_all_there(store: &dyn Store, copy: &LedgerCopy) {
    let stands = standing(store, copy.conversation.as_str());
    assert_eq!(store.epochs(&copy.conversation, 0, 10).unwrap(), epochs(copy));
    assert_eq!(stands.said, copy.memory.as_ref().map(|memory| Digest::of(&memory.body)));
    let first = store.epoch(&copy.conversation, 1).unwrap().unwrap();
    assert_eq!([LedgerRow::Amendment(first.amendments[0].clone())], [copy.rows[1].0.clone()]);
    for (_, bundle) in &copy.rows {
        let digests: Vec<Digest> = bundle.parts.keys().copied().chain([Digest::of(&bundle.body)]).collect();
        assert!(store.texts(&digests).unwrap().iter().all(Option::is_some));
    }
}

pub(super) fn an_import_takes_in_all_ledgers(medium: &dyn Medium) {
    let copies = [copy("a", "of a"), copy("b", "of b")];
    assert_eq!(import(&*open(medium), &copies), [counted(2, 0, 1), counted(2, 0, 1)]);
    let store = open(medium);
    for copy in &copies {
        is_all_there(&*store, copy);
        assert_eq!(waiting(&*store, copy.conversation.as_str()), ["hello"]);
    }
    // Nothing is left over.
    assert_eq!(store.sweep(crate::freeze::store::Sweep::DryRun).unwrap().texts, 0);
    assert_eq!(import(&*store, &[]), []);
}

pub(super) fn an_import_can_be_run_again(medium: &dyn Medium) {
    let store = open(medium);
    let copies = [copy("c", "second")];
    import(&*store, &copies);
    assert_eq!(import(&*store, &copies), [counted(0, 2, 0)]);
    assert_eq!(waiting(&*store, "c"), ["hello"]);
    // Also when its message went with a turn.
    assert_eq!(store.take(&id("c"), Some("turn"), None).unwrap().len(), 1);
    assert_eq!(import(&*store, &copies), [counted(0, 2, 0)]);
    assert_eq!(waiting(&*store, "c"), Vec::<String>::new());
    assert_eq!(store.take(&id("c"), None, None).unwrap(), []);
    is_all_there(&*store, &copies[0]);
}

pub(super) fn two_messages_of_one_time_are_two(medium: &dyn Medium) {
    let store = open(medium);
    let mut twice = copy("c", "second");
    twice.insertions.push(twice.insertions[0].clone());
    assert_eq!(import(&*store, &[copy("c", "second")]), [counted(2, 0, 1)]);
    assert_eq!(import(&*store, std::slice::from_ref(&twice)), [counted(0, 2, 1)]);
    assert_eq!(import(&*store, &[twice]), [counted(0, 2, 0)]);
    assert_eq!(waiting(&*store, "c"), ["hello", "hello"]);
}

/// Whatever the numbers of a copy are, the next insertion has room behind them.
pub(super) fn an_import_leaves_room_behind_the_highest_number(medium: &dyn Medium) {
    let store = open(medium);
    let mut far = copy("c", "second");
    far.insertions[0].number = Insertion::HIGHEST;
    far.insertions[0].taken = Some(Taken { turn: None, place: Some(Insertion::HIGHEST) });
    assert_eq!(import(&*store, std::slice::from_ref(&far)), [counted(2, 0, 1)]);
    assert_eq!(store.insertions(&id("c")).unwrap().all, far.insertions);
    let next = Insertion { number: Insertion::HIGHEST + 1, taken: None, ..far.insertions[0].clone() };
    assert_eq!(store.insert(&id("c"), &next).unwrap(), Appended::Won);
    let all = Insertions { last: next.number, all: vec![far.insertions[0].clone(), next] };
    assert_eq!(open(medium).insertions(&id("c")).unwrap(), all);
}

pub(super) fn an_import_keeps_numbers_and_places(medium: &dyn Medium) {
    let store = open(medium);
    let mut copy = copy("c", "second");
    let taken = Some(Taken { turn: Some("t".to_owned()), place: Some(5) });
    let repeated = Insertion { number: 4, at: moment(0), taken, ..copy.insertions[0].clone() };
    copy.insertions.insert(0, repeated.clone());
    assert_eq!(import(&*store, std::slice::from_ref(&copy)), [counted(2, 0, 2)]);
    let waits = Insertion { number: 5, ..copy.insertions[1].clone() };
    let all = store.insertions(&id("c")).unwrap();
    assert_eq!((all.last, all.all), (5, vec![repeated, waits]));
    // What has ended is not brought back.
    store.end(&id("c"), &[4, 5]).unwrap();
    assert_eq!(import(&*store, &[copy]), [counted(0, 2, 0)]);
    assert_eq!(store.insertions(&id("c")).unwrap().all, []);
}

pub(super) fn an_import_appends_what_is_lacking(medium: &dyn Medium) {
    let store = open(medium);
    let copies = [copy("c", "second")];
    let (LedgerRow::Epoch(first), bundle) = &copies[0].rows[0] else { panic!("an epoch comes first") };
    store.append(first, bundle).unwrap();
    assert_eq!(import(&*store, &copies), [counted(1, 1, 1)]);
    is_all_there(&*store, &copies[0]);
    // A store that has more than the copy keeps it, and what it was told since.
    let third = won(&*store, "c", 3, "third");
    store.remember(&id("c"), &memory("since")).unwrap();
    assert_eq!(import(&*store, &copies), [counted(0, 2, 0)]);
    let stands = standing(&*store, "c");
    assert_eq!((stands.epoch, stands.said), (third, Some(Digest::of("body of since"))));
}

pub(super) fn an_import_is_the_last_to_say_what_is_remembered(medium: &dyn Medium) {
    let store = open(medium);
    let copies = [copy("c", "second")];
    import(&*store, &copies);
    store.remember(&id("c"), &memory("since")).unwrap();
    assert_eq!(import(&*store, &copies), [counted(0, 2, 0)]);
    assert_eq!(standing(&*store, "c").said, Some(Digest::of("body of told")));
}

pub(super) fn where_a_ledger_parts_from_its_copy_nothing_is_written(medium: &dyn Medium) {
    let store = open(medium);
    let other = won(&*store, "b", 1, "another first");
    let (mine, bundle) = amendment("c", 1, 1, "another amendment");
    import(&*store, &[copy("d", "second")]);
    let (LedgerRow::Epoch(first), first_bundle) = &copy("c", "second").rows[0] else { panic!("an epoch comes first") };
    store.append(first, first_bundle).unwrap();
    store.amend(&mine, &bundle).unwrap();
    let second = standing(&*store, "d").epoch;
    for (name, parted) in
        [("b", LedgerRow::Epoch(other)), ("c", LedgerRow::Amendment(mine)), ("d", LedgerRow::Epoch(second))]
    {
        // The first one alone would be taken in.
        let copies = [copy("a", "new"), copy(name, "another second")];
        assert_eq!(store.import(&copies).unwrap(), Copied::Parted(Parted(Box::new(parted))), "{name}");
        assert_eq!((store.standing(&id("a")).unwrap(), waiting(&*store, "a")), (None, Vec::new()));
        assert_eq!(store.texts(&[Digest::of("new"), Digest::of("another second")]).unwrap(), [None, None]);
    }
}

pub(super) fn of_many_imports_at_once_one_writes(medium: &dyn Medium) {
    let store = open(medium);
    for round in 0..5 {
        let names = [format!("a{round}"), format!("b{round}")];
        let done = all_at_once(medium, |store, thread| {
            // In one order and in the other.
            let (x, y) = if thread % 2 == 0 { (0, 1) } else { (1, 0) };
            import(store, &[copy(&names[x], "second"), copy(&names[y], "second")])
        });
        let epochs: u64 = done.iter().flatten().map(|copied| copied.epochs).sum();
        let messages: u64 = done.iter().flatten().map(|copied| copied.messages).sum();
        assert_eq!((epochs, messages), (4, 2));
        for name in &names {
            is_all_there(&*store, &copy(name, "second"));
            assert_eq!(waiting(&*store, name), ["hello"]);
        }
    }
}
