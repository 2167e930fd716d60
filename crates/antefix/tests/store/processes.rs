//! Races between processes, and processes that are killed: the same for every store that several of them may open.
//!
//! A worker is this test program again. It says when it is ready, waits for the start, works, and reports line by line.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use antefix::contract::{epoch, id};
use antefix::freeze::{Appended, Store};

const JOB: &str = "ANTEFIX_TEST_JOB";
const WORKERS: u64 = 4;
const THREADS: u64 = 4;
/// What stands before a worker's own lines among those of the test harness.
const MARK: &str = "» ";

/// Opens the store at an address, as each worker does.
fn open(address: &str) -> Arc<dyn Store> {
    #[cfg(feature = "postgres")]
    if address.starts_with("postgres://") {
        return Arc::new(antefix::stores::PostgresStore::connect(address).unwrap());
    }
    panic!("no store of these tests is at {address}");
}

/// 10,000 first turns of one conversation: one row, and one answer for all.
pub(crate) fn of_ten_thousand_first_turns_one_wins(address: &str) {
    let reports = all_at_once("one", address);
    let answers: BTreeSet<&str> = words(&reports, "answer").map(|words| words[0]).collect();
    let count: u64 = words(&reports, "answer").map(|words| words[1].parse::<u64>().unwrap()).sum();
    let won: u64 = words(&reports, "won").map(|words| words[0].parse::<u64>().unwrap()).sum();
    let slowest = words(&reports, "p99").map(|words| words[0].parse::<u64>().unwrap()).max().unwrap();
    println!("10,000 first turns of one conversation: p99 {slowest} µs");
    assert_eq!((answers.len(), count, won), (1, 10_000, 1));
    let stands = open(address).standing(&id("one")).unwrap().unwrap().epoch;
    assert_eq!((stands.number, stands.digest.to_string().as_str()), (1, *answers.first().unwrap()));
    assert_eq!(open(address).epochs(&id("one"), 0, 9).unwrap().len(), 1);
}

/// 1,000 conversations, ten first turns each.
pub(crate) fn of_ten_first_turns_of_each_of_a_thousand_one_wins(address: &str) {
    let reports = all_at_once("many", address);
    let mut answers: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for words in words(&reports, "answer") {
        answers.entry(words[0]).or_default().push(words[1]);
    }
    assert_eq!(answers.len(), 1_000);
    let store = open(address);
    for row in store.conversations(None, 2_000).unwrap() {
        let given = answers.remove(row.conversation.as_str()).unwrap();
        assert_eq!((row.number, given.len()), (1, 10), "{}", row.conversation);
        assert!(given.iter().all(|digest| *digest == row.digest.to_string()), "{}", row.conversation);
    }
    assert!(answers.is_empty(), "{} conversations are not there", answers.len());
}

/// Everybody wants to be next, again and again: each number goes to one of them, and none is left out.
pub(crate) fn each_number_goes_to_one(address: &str) {
    let reports = all_at_once("next", address);
    let mut won: Vec<u64> = words(&reports, "won").map(|words| words[0].parse().unwrap()).collect();
    won.sort_unstable();
    assert_eq!(won, (1..=50).collect::<Vec<_>>());
    let numbers: Vec<u64> = open(address).epochs(&id("next"), 0, 100).unwrap().iter().map(|row| row.number).collect();
    assert_eq!(numbers, won);
}

/// Workers that are killed at random: what they heard is there, and what is there is whole.
pub(crate) fn what_was_acknowledged_survives_a_kill(address: &str, cycles: u64) {
    let (mut heard, mut unheard) = (0, 0);
    for cycle in 0..cycles {
        let mut worker = Worker::start("until-killed", address, cycle);
        worker.await_ready();
        worker.begin();
        // Spread over several appends, differently each time.
        std::thread::sleep(Duration::from_micros(1_000 + cycle * 7_919 % 40_000));
        worker.child.kill().unwrap();
        let said: Vec<String> = worker.lines().collect();
        worker.child.wait().unwrap();
        let acknowledged = said.iter().filter_map(|line| line.strip_prefix("won ")).count() as u64;
        let name = format!("killed {cycle}");
        let rows = open(address).epochs(&id(&name), 0, 10_000).unwrap();
        let there = rows.len() as u64;
        assert!(there == acknowledged || there == acknowledged + 1, "{there} rows, {acknowledged} acknowledged");
        for (number, row) in (1..).zip(&rows) {
            let (expected, bundle) = epoch(&name, number, &format!("{name} at {number}"));
            assert_eq!(*row, expected);
            let texts = open(address).texts(&[row.body, row.digest]).unwrap();
            assert_eq!(texts[0].as_deref(), Some(&*bundle.body));
            assert!(texts[1].is_some());
        }
        heard += acknowledged;
        unheard += there - acknowledged;
    }
    println!("{cycles} kills: {heard} acknowledged, none lost, {unheard} written and not acknowledged");
    assert!(heard > 0, "every worker was killed before its first word");
}

/// The lines of a kind, split into words.
fn words<'a>(reports: &'a [String], kind: &str) -> impl Iterator<Item = Vec<&'a str>> {
    let lines = reports.iter().filter_map(move |line| line.split_once(' ').filter(|(first, _)| *first == kind));
    lines.map(|(_, rest)| rest.split('\t').collect()).collect::<Vec<_>>().into_iter()
}

/// Starts a job in all workers at once, and gives back all that they said.
fn all_at_once(job: &str, address: &str) -> Vec<String> {
    // The store is there before anybody works.
    drop(open(address));
    let mut workers: Vec<Worker> = (0..WORKERS).map(|number| Worker::start(job, address, number)).collect();
    workers.iter_mut().for_each(Worker::await_ready);
    workers.iter_mut().for_each(Worker::begin);
    workers
        .into_iter()
        .flat_map(|mut worker| {
            let said: Vec<String> = worker.lines().collect();
            assert!(worker.child.wait().unwrap().success(), "a worker failed: {}", said.join("\n"));
            said
        })
        .collect()
}

struct Worker {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Worker {
    fn start(job: &str, address: &str, number: u64) -> Worker {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "processes::a_worker_works", "--nocapture", "--test-threads=1"])
            .env(JOB, format!("{job} {number} {address}"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        Worker { input: child.stdin.take(), child, output }
    }

    fn await_ready(&mut self) {
        assert_eq!(self.lines().next().as_deref(), Some("ready"), "a worker did not get ready");
    }

    fn begin(&mut self) {
        self.input.take().unwrap().write_all(b"go\n").unwrap();
    }

    /// Its own lines. One that was cut off by a kill does not count.
    fn lines(&mut self) -> impl Iterator<Item = String> {
        std::iter::from_fn(|| {
            loop {
                let mut line = String::new();
                let count = self.output.read_line(&mut line).unwrap_or(0);
                match (count, line.strip_suffix('\n')) {
                    (0, _) | (_, None) => return None,
                    // The harness writes the name of a test without a line break behind it.
                    (_, Some(line)) => match line.split_once(MARK) {
                        Some((_, own)) => return Some(own.to_owned()),
                        None => continue,
                    },
                }
            }
        })
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn say(line: &str) {
    println!("{MARK}{line}");
}

/// No test, but what the others start. Without a job there is nothing to do.
#[test]
fn a_worker_works() {
    let Ok(job) = std::env::var(JOB) else { return };
    let mut words = job.splitn(3, ' ');
    let (job, number, address) = (words.next().unwrap(), words.next().unwrap(), words.next().unwrap());
    let worker: u64 = number.parse().unwrap();
    let store = open(address);
    say("ready");
    std::io::stdin().read_line(&mut String::new()).unwrap();
    match job {
        "one" => in_threads(|thread| one(&*store, worker * THREADS + thread)),
        "many" => in_threads(|thread| many(&*store, worker * THREADS + thread)),
        "next" => in_threads(|thread| next(&*store, worker * THREADS + thread)),
        "until-killed" => until_killed(&*store, worker),
        other => panic!("there is no job {other}"),
    }
}

fn in_threads(work: impl Fn(u64) + Sync) {
    std::thread::scope(|scope| {
        let work = &work;
        let threads: Vec<_> = (0..THREADS).map(|thread| scope.spawn(move || work(thread))).collect();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    });
}

fn one(store: &dyn Store, me: u64) {
    let (mut answers, mut won, mut times) = (BTreeMap::<String, u64>::new(), 0, Vec::new());
    for turn in 0..10_000 / WORKERS / THREADS {
        let (row, bundle) = epoch("one", 1, &format!("candidate {me} {turn}"));
        let start = Instant::now();
        let digest = match store.append(&row, &bundle).unwrap() {
            Appended::Won => {
                won += 1;
                row.digest
            }
            Appended::Lost(row) => row.digest,
        };
        times.push(start.elapsed().as_micros());
        *answers.entry(digest.to_string()).or_default() += 1;
    }
    times.sort_unstable();
    say(&format!("won {won}"));
    say(&format!("p99 {}", times[times.len() * 99 / 100]));
    answers.iter().for_each(|(digest, count)| say(&format!("answer {digest}\t{count}")));
}

fn many(store: &dyn Store, me: u64) {
    // Of sixteen threads, ten have a first turn of each conversation, and all go through them in the same order.
    for conversation in (0..1_000).filter(|conversation| (me + conversation) % (WORKERS * THREADS) < 10) {
        let name = format!("many-{conversation}");
        let (row, bundle) = epoch(&name, 1, &format!("candidate {me} of {name}"));
        let digest = match store.append(&row, &bundle).unwrap() {
            Appended::Won => row.digest,
            Appended::Lost(row) => row.digest,
        };
        say(&format!("answer {name}\t{digest}"));
    }
}

fn next(store: &dyn Store, me: u64) {
    let mut number = 1;
    while number <= 50 {
        let (row, bundle) = epoch("next", number, &format!("candidate {me} {number}"));
        match store.append(&row, &bundle).unwrap() {
            Appended::Won => {
                say(&format!("won {number}"));
                number += 1;
            }
            Appended::Lost(stands) => {
                assert!(stands.number >= number);
                number = stands.number + 1;
            }
        }
    }
}

fn until_killed(store: &dyn Store, cycle: u64) {
    for number in 1.. {
        let name = format!("killed {cycle}");
        let (row, bundle) = epoch(&name, number, &format!("{name} at {number}"));
        assert_eq!(store.append(&row, &bundle).unwrap(), Appended::Won);
        say(&format!("won {number}"));
    }
}
