//! Files that are rewritten in place while they are read.

use std::fs::{self, File, OpenOptions};
use std::io::{Seek, Write};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use antefix::discover::world::{Answer, Contents, World};
use antefix::worlds::OsWorld;

/// Large enough that a read and a write of it meet.
const SIZE: usize = 256 * 1024;
const CHANGED: &str = "failed: it changed while it was read; try again when nobody writes to it";

/// Rewrites a file from one version to the other, without a new file or an empty one in between.
fn rewrite(mut file: &File, version: u8) {
    file.rewind().unwrap();
    file.write_all(&vec![version; SIZE]).unwrap();
}

/// The version that was read: none if the answer is that it cannot be said.
fn version(answer: &Answer<Contents>) -> Option<u8> {
    match answer {
        Answer::Present(contents) => {
            let version = contents.bytes[0];
            assert_eq!(contents.bytes.len(), SIZE, "a part of a version");
            assert!(
                contents.bytes[1..] == contents.bytes[..SIZE - 1],
                "the beginning of one version, the end of another"
            );
            Some(version)
        }
        Answer::Unavailable(reason) => {
            assert_eq!(reason.to_string(), CHANGED);
            None
        }
        Answer::Absent => panic!("the file is always there"),
    }
}

/// Reads a file while another thread writes to it, until enough was read, and written in so many rounds: what was read.
fn race(write: impl Fn(&File, u64) + Send, enough: impl Fn(&[Option<u8>], u64) -> bool) -> Vec<Option<u8>> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("notes.md");
    fs::write(&path, vec![b'a'; SIZE]).unwrap();
    let file = OpenOptions::new().write(true).open(&path).unwrap();
    let (stop, rounds) = (AtomicBool::new(false), AtomicU64::new(0));
    let (stop, rounds) = (&stop, &rounds);
    let seen = thread::scope(|scope| {
        scope.spawn(move || {
            while !stop.load(Ordering::Relaxed) {
                write(&file, rounds.fetch_add(1, Ordering::Relaxed));
            }
        });
        while rounds.load(Ordering::Relaxed) < 3 {
            thread::yield_now();
        }
        let read = || {
            let start = Instant::now();
            let seen = version(&OsWorld::new().read(dir.path(), "notes.md".as_ref(), SIZE));
            assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
            seen
        };
        let all = std::panic::AssertUnwindSafe(|| {
            let mut seen = Vec::new();
            while !enough(&seen, rounds.load(Ordering::Relaxed)) {
                seen.push(read());
            }
            seen
        });
        let seen = std::panic::catch_unwind(all);
        stop.store(true, Ordering::Relaxed);
        seen
    });
    seen.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

#[test]
fn each_of_ten_thousand_reads_is_one_version_of_a_file_that_is_rewritten_in_place() {
    // Bursts, with rests that are sometimes shorter than the steps of a file's times and sometimes longer.
    let bursts = |file: &File, round: u64| {
        for version in *b"baba" {
            rewrite(file, version);
        }
        thread::sleep(Duration::from_millis([1, 18, 30][round as usize % 3]));
    };
    let seen = race(bursts, |seen, rounds| seen.len() >= 10_000 && rounds >= 200);
    let whole = seen.iter().flatten().count();
    assert!(whole > 5_000, "most reads find it at rest: {whole}");
}

#[test]
fn a_file_that_is_never_at_rest_is_said_to_have_changed_within_a_bounded_time() {
    // One version alone: what matters here is that somebody writes all the time.
    let always = |file: &File, _: u64| rewrite(file, b'a');
    let begun = Instant::now();
    let seen = race(always, |seen, _| seen.contains(&None) || begun.elapsed() > Duration::from_secs(20));
    assert!(seen.contains(&None), "it was at rest every time, in {} reads", seen.len());
}

#[test]
fn an_ordinary_file_is_not_waited_for() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("notes.md");
    fs::write(&path, "a").unwrap();
    thread::sleep(Duration::from_millis(30));
    let start = Instant::now();
    for _ in 0..100 {
        assert!(matches!(OsWorld::new().read(dir.path(), "notes.md".as_ref(), 10), Answer::Present(_)));
    }
    assert!(start.elapsed() < Duration::from_millis(500), "{:?}", start.elapsed());
}
