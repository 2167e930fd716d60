//! Every history of racing clients is explained by some serial order.
//!
//! Several processes with several threads each do operations of chance on a few conversations of one store, and write down when
//! each began, when it ended and what was answered. One of the processes is killed on the way. The seed is printed;
//! `ANTEFIX_TEST_SEED` gives it, and `ANTEFIX_TEST_HISTORIES` says how many are recorded.

mod checker;
mod front;
mod model;

use std::collections::BTreeMap;
use std::process::Stdio;
use std::sync::{Arc, Barrier};
use std::time::Duration;

use antefix::Fault;
use antefix::compose::Dialect;
use antefix::contract::{amendment, compaction, epoch, id, memory, moment};
use antefix::freeze::store::{Appended, Committed, Deletable, EpochRow, Store, StoreResult};
use antefix::freeze::template::SavedTemplate;
use antefix::text::Digest;

use self::checker::{Operation, explain};
use self::model::REFUSED;
use crate::given::{self, Dice};

const ADDRESS: &str = "ANTEFIX_TEST_HISTORY";
const SEED: &str = "ANTEFIX_TEST_HISTORY_SEED";
const PROCESS: &str = "ANTEFIX_TEST_HISTORY_PROCESS";
const FRONT: &str = "ANTEFIX_TEST_HISTORY_FRONT";
const CONVERSATIONS: u64 = 5;
/// By each thread, for each conversation.
const OPERATIONS: u64 = 12;
/// The name under which the templates are written down.
const TEMPLATES: &str = "templates";

/// The beginning of a digest.
fn short(digest: Digest) -> String {
    digest.to_string().split(':').next_back().unwrap()[..12].to_owned()
}

fn shown(row: &EpochRow) -> String {
    format!("{} {}", row.number, short(row.body))
}

/// What a client knows of a conversation: the number of the last epoch, and of its last amendment.
#[derive(Default, Clone, Copy)]
struct Known {
    epoch: u64,
    amendment: u64,
}

/// One client: what it does is decided by its seed and by what it heard.
struct Client<'s> {
    store: &'s dyn Store,
    dice: Dice,
    name: String,
    count: u64,
    token: String,
}

/// An operation: how it is written down, and how it is done.
type Work<'w> = (String, Box<dyn FnOnce(&dyn Store) -> StoreResult<String> + 'w>);

impl Client<'_> {
    /// Does an operation, and says when it began, when it ended and what was answered.
    fn done(&mut self, object: &str, (question, work): Work<'_>) -> Option<String> {
        self.count += 1;
        let number = format!("{}.{}", self.name, self.count);
        given::say(&format!("began {number} {} {object} {question}", now()));
        let answer = match work(self.store) {
            Ok(answer) => answer,
            // What a store refuses because of what is in it is an answer.
            Err(error) if error.fault == Fault::Failed => REFUSED.to_owned(),
            Err(error) => {
                assert!(error.fault.passes(), "{error}");
                return None;
            }
        };
        given::say(&format!("ended {number} {} {answer}", now()));
        Some(answer)
    }

    fn text(&mut self) -> String {
        format!("text {} {}", self.name, self.count)
    }

    /// Looks, and then does something that fits, or nearly.
    fn step(&mut self, c: &str) {
        let seen = self.done(c, ("standing".to_owned(), Box::new(move |store| standing(store, c))));
        let Some(seen) = seen else { return };
        let words: Vec<&str> = seen.split(' ').collect();
        let known = match words[0] {
            "none" => Known::default(),
            number => Known {
                epoch: number.parse().unwrap(),
                amendment: words[2].split(',').filter(|one| !one.is_empty()).count() as u64,
            },
        };
        let text = self.text();
        let work = self.choose(c, known, text);
        self.done(c, work);
    }

    fn choose<'w>(&mut self, c: &'w str, known: Known, text: String) -> Work<'w> {
        let Known { epoch: last, amendment: amended } = known;
        match self.dice.below(if last == 0 { 3 } else { 16 }) {
            0..=3 => append(c, last + 1, &text),
            4..=6 => amend(c, last, amended + 1, &text),
            7 => {
                let said = memory(&text);
                let question = format!("remember {}", short(Digest::of(&said.body)));
                (question, Box::new(move |store| store.remember(&id(c), &said).map(|()| "done".to_owned())))
            }
            8 | 9 => (
                "queue".to_owned(),
                Box::new(move |store| store.queue(&id(c), moment(1), &text).map(|number| number.to_string())),
            ),
            10 | 11 => {
                let turn = format!("{}-{}", self.name, self.dice.below(2));
                (format!("take {turn}"), Box::new(move |store| take(store, c, &turn)))
            }
            12 => {
                self.token = format!("{}-{}", self.name, self.count);
                begin(c, self.token.clone(), last, &text)
            }
            13 | 14 => {
                let token = self.token.clone();
                (format!("commit {token}"), Box::new(move |store| commit(store, c, &token)))
            }
            _ if self.dice.below(3) == 0 => (
                "delete".to_owned(),
                Box::new(move |store| {
                    let deleted = store.delete(&id(c), Deletable::Any)?;
                    Ok(deleted.map_or_else(|| "none".to_owned(), |deleted| format!("deleted {}", deleted.epochs)))
                }),
            ),
            _ => {
                let token = self.token.clone();
                (
                    format!("abort {token}"),
                    Box::new(move |store| store.abort(&id(c), &token).map(|()| "done".to_owned())),
                )
            }
        }
    }

    /// Saves a template behind the last one that it sees.
    fn save(&mut self) {
        let Ok(last) = self.store.templates(None, None, 1) else { return };
        let number = last.first().map_or(0, |last| last.number()) + 1;
        let template = SavedTemplate::new(number, "dispatch", Dialect::Plain, self.text(), moment(0), None);
        let question = format!("save {number} {}", short(template.row.digest));
        let work: Work<'_> = (
            question,
            Box::new(move |store| {
                Ok(match store.save_template(&template)? {
                    Appended::Won => "won".to_owned(),
                    Appended::Lost(last) => format!("lost {}", last.number()),
                })
            }),
        );
        self.done(TEMPLATES, work);
    }
}

fn standing(store: &dyn Store, c: &str) -> StoreResult<String> {
    let Some(found) = store.standing(&id(c))? else { return Ok("none".to_owned()) };
    let amendments: Vec<String> = found.amendments.iter().map(|one| short(one.body)).collect();
    let memory = found.said.map_or_else(|| "-".to_owned(), short);
    let (waiting, taken) = (found.waiting, found.inserted);
    Ok(format!("{} {} {waiting} {taken} {memory}", shown(&found.epoch), amendments.join(",")))
}

fn append<'w>(c: &str, number: u64, text: &str) -> Work<'w> {
    let (row, bundle) = epoch(c, number, text);
    let question = format!("append {}", shown(&row));
    (
        question,
        Box::new(move |store| {
            Ok(match store.append(&row, &bundle)? {
                Appended::Won => "won".to_owned(),
                Appended::Lost(winner) => format!("lost {}", shown(&winner)),
            })
        }),
    )
}

fn amend<'w>(c: &str, epoch: u64, number: u64, text: &str) -> Work<'w> {
    let (row, bundle) = amendment(c, epoch, number, text);
    let question = format!("amend {epoch} {number} {}", short(row.body));
    (
        question,
        Box::new(move |store| {
            Ok(match store.amend(&row, &bundle)? {
                Appended::Won => "won".to_owned(),
                Appended::Lost(None) => "lost none".to_owned(),
                Appended::Lost(Some(last)) => format!("lost {} {}", last.number, short(last.body)),
            })
        }),
    )
}

fn take(store: &dyn Store, c: &str, turn: &str) -> StoreResult<String> {
    let taken = store.take(&id(c), Some(turn), None)?;
    let numbers: Vec<String> = taken.iter().map(|one| one.number.to_string()).collect();
    Ok(format!("took {}", numbers.join(",")))
}

fn begin<'w>(c: &str, token: String, last: u64, text: &str) -> Work<'w> {
    let (row, bundle) = compaction(c, &token, last, text);
    let body = short(row.next.as_ref().unwrap().body);
    let work = move |store: &dyn Store| store.begin(&row, Some(&bundle)).map(|()| "done".to_owned());
    (format!("begin {token} {last} {body}"), Box::new(work))
}

fn commit(store: &dyn Store, c: &str, token: &str) -> StoreResult<String> {
    Ok(match store.commit(&id(c), token, moment(9))? {
        Committed::Done(row) => format!("done {}", shown(&row)),
        Committed::Before(row) => format!("before {}", shown(&row)),
        Committed::NotBegun => "not begun".to_owned(),
        Committed::MovedOn(row) => format!("moved on {}", shown(&row)),
    })
}

/// Nanoseconds of a clock that all processes of this machine share.
fn now() -> u64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

#[test]
fn worker() {
    let Ok(address) = std::env::var(ADDRESS) else { return };
    let (seed, process) = (given::figure(SEED, 0), given::figure(PROCESS, 0));
    let store: Arc<dyn Store> = Arc::from(antefix::stores::open(&address).unwrap());
    let by_front_door = std::env::var(FRONT).is_ok().then_some(address.as_str());
    let threads = if by_front_door.is_some() { Level::FrontDoor } else { Level::Store }.threads();
    let barrier = Barrier::new(threads as usize);
    given::say("ready");
    std::io::stdin().read_line(&mut String::new()).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..threads {
            let (store, barrier) = (&*store, &barrier);
            scope.spawn(move || {
                let name = format!("p{process}t{thread}");
                let dice = Dice(seed * 1_000 + process * 100 + thread);
                let mut client = Client { store, dice, token: format!("{name}-none"), name, count: 0 };
                barrier.wait();
                if let Some(address) = by_front_door {
                    let second = 1 + (process * threads + thread) * 1_000;
                    return front::FrontClient::new(address, client.dice, client.name, second).run();
                }
                // All go through the conversations in the same order, so that they meet.
                for conversation in 0..CONVERSATIONS {
                    for _ in 0..OPERATIONS / 2 {
                        client.step(&format!("c{conversation}"));
                    }
                    client.save();
                }
            });
        }
    });
}

/// Records a history with a seed, by object.
fn record(address: &str, seed: u64, level: Level) -> BTreeMap<String, Vec<Operation>> {
    let store = antefix::stores::open(address).unwrap();
    let mut workers: Vec<_> = (0..level.processes())
        .map(|process| {
            let mut worker = given::worker("histories::worker");
            worker.env(ADDRESS, address).env(SEED, seed.to_string()).env(PROCESS, process.to_string());
            if level == Level::FrontDoor {
                worker.env(FRONT, "1");
            }
            let mut child = worker.stderr(Stdio::inherit()).spawn().unwrap();
            let mut said = given::said(&mut child);
            assert_eq!(said.next().as_deref(), Some("ready"));
            (child, said)
        })
        .collect();
    for (child, _) in &mut workers {
        std::io::Write::write_all(child.stdin.as_mut().unwrap(), b"go\n").unwrap();
    }
    if level == Level::Store {
        // The first one is killed on the way.
        std::thread::sleep(Duration::from_millis(10 + Dice(seed).below(60)));
        workers[0].0.kill().unwrap();
    }
    let readers: Vec<_> =
        workers.into_iter().map(|(child, said)| std::thread::spawn(|| (said.collect::<Vec<_>>(), child))).collect();
    let mut objects: BTreeMap<String, Vec<Operation>> = BTreeMap::new();
    for (process, reader) in readers.into_iter().enumerate() {
        let (lines, mut child) = reader.join().unwrap();
        assert!(
            child.wait().unwrap().success() || (process == 0 && level == Level::Store),
            "process {process} with seed {seed}"
        );
        let mut begun: BTreeMap<String, (String, Operation)> = BTreeMap::new();
        for line in lines {
            let words: Vec<&str> = line.splitn(4, ' ').collect();
            let (number, at) = (words[1].to_owned(), words[2].parse().unwrap());
            if words[0] == "ended" {
                begun.get_mut(&number).unwrap().1.ended = Some((at, words[3].to_owned()));
                continue;
            }
            let (object, question) = words[3].split_once(' ').unwrap();
            let operation = Operation { client: number.clone(), question: question.to_owned(), begun: at, ended: None };
            begun.insert(number, (object.to_owned(), operation));
        }
        for (object, operation) in begun.into_values() {
            objects.entry(object).or_default().push(operation);
        }
    }
    // And how it is in the end.
    for (object, operations) in objects.iter_mut().filter(|(object, _)| object.starts_with('c')) {
        let begun = now();
        let answer = standing(&*store, object).unwrap();
        let ended = Some((now(), answer));
        operations.push(Operation { client: "end".to_owned(), question: "standing".to_owned(), begun, ended });
    }
    objects
}

/// What clients ask.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Level {
    /// The store itself. One of the processes is killed.
    Store,
    /// The front door.
    FrontDoor,
}

impl Level {
    /// By the front door most operations are two, and all orders of those that overlap are tried: there are fewer clients.
    fn processes(self) -> u64 {
        match self {
            Level::Store => 3,
            Level::FrontDoor => 2,
        }
    }

    fn threads(self) -> u64 {
        self.processes()
    }
}

/// Records histories and explains each.
pub(crate) fn all_are_explained(level: Level, fresh: impl Fn(u64) -> String) {
    let first = given::figure("ANTEFIX_TEST_SEED", 1);
    let (mut operations, mut unanswered, mut overlaps) = (0, 0, 0);
    for seed in first..first + given::figure("ANTEFIX_TEST_HISTORIES", 4) {
        println!("seed {seed}");
        for (object, history) in record(&fresh(seed), seed, level) {
            explain(&history).unwrap_or_else(|why| panic!("seed {seed}, {object}: {why}"));
            operations += history.len();
            unanswered += history.iter().filter(|one| one.ended.is_none()).count();
            let others = |one: &Operation| {
                let end = one.ended.as_ref().map_or(u64::MAX, |(at, _)| *at);
                history.iter().filter(|other| other.begun > one.begun && other.begun < end).count()
            };
            overlaps += history.iter().map(others).sum::<usize>();
        }
    }
    println!("{operations} operations explained, {unanswered} without an answer, {overlaps} pairs at once");
    assert!(overlaps > 100, "they did not meet: {overlaps}");
}

#[test]
fn every_history_of_a_file_is_explained_by_a_serial_order() {
    let directory = given::in_memory();
    all_are_explained(Level::Store, |seed| format!("sqlite:{}", directory.path().join(format!("{seed}.db")).display()));
}

#[test]
fn every_history_of_turns_on_a_file_is_explained_by_a_serial_order() {
    let directory = given::in_memory();
    all_are_explained(Level::FrontDoor, |seed| {
        format!("sqlite:{}", directory.path().join(format!("{seed}.db")).display())
    });
}
