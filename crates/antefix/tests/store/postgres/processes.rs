//! Processes that all want to be next, and processes that are killed.
//!
//! A worker is this test program again. It says when it is ready, waits for the start, works, and reports line by line.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use antefix::contract::{epoch, id};
use antefix::freeze::store::{Appended, Store};
use antefix::stores::PostgresStore;

const JOB: &str = "ANTEFIX_TEST_JOB";
const WORKERS: u64 = 4;
const THREADS: u64 = 4;
/// What precedes a worker's own lines among those of the test harness.
const MARK: &str = "» ";

fn open(address: &str) -> PostgresStore {
    PostgresStore::connect(address).unwrap()
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
    let (mut received, mut unacknowledged) = (0, 0);
    for cycle in 0..cycles {
        let mut worker = Worker::start("until-killed", address, cycle);
        worker.await_ready();
        worker.begin();
        // After none, one, two or three answers and a little longer, differently each time.
        let mut said: Vec<String> = worker.lines().take((cycle % 4) as usize).collect();
        std::thread::sleep(Duration::from_micros(cycle * 7_919 % 20_000));
        worker.child.kill().unwrap();
        said.extend(worker.lines());
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
        received += acknowledged;
        unacknowledged += there - acknowledged;
    }
    println!("{cycles} kills: {received} acknowledged, none lost, {unacknowledged} written and not acknowledged");
    assert!(received > 0, "every worker was killed before its first word");
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
            .args(["--exact", "postgres::processes::a_worker_works", "--nocapture", "--test-threads=1"])
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
        "next" => in_threads(|thread| next(&store, worker * THREADS + thread)),
        "until-killed" => until_killed(&store, worker),
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
