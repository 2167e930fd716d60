//! Where the tests keep their files, and how they start processes.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use antefix::stores::SqliteStore;
use tempfile::TempDir;

/// A directory in memory where the system has that: for tests that are not about disks, and write much.
pub(crate) fn in_memory() -> TempDir {
    match Path::new("/dev/shm") {
        memory if memory.is_dir() => tempfile::tempdir_in(memory).unwrap(),
        _ => tempfile::tempdir().unwrap(),
    }
}

/// A store with nothing in it.
pub(crate) fn store(directory: &TempDir) -> SqliteStore {
    SqliteStore::open(directory.path().join("ledger.db")).unwrap()
}

/// This binary as a worker: the test `name`, which does something only if it finds its orders in the environment.
pub(crate) fn worker(name: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(worker_args(name)).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// The same under another program.
pub(crate) fn worker_under(program: &str, args: &[&str], name: &str) -> Command {
    let mut command = Command::new(program);
    command.args(args).arg(std::env::current_exe().unwrap()).args(worker_args(name));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn worker_args(name: &str) -> [&str; 4] {
    ["--exact", name, "--nocapture", "--test-threads=1"]
}

/// What begins a line that a worker says; the test runner says other things.
const SAYS: &str = "worker: ";

/// Says something to whoever started this worker, at once.
pub(crate) fn say(what: &str) {
    let mut out = std::io::stdout().lock();
    // The line break in front ends what the test runner began. One write, so that a line is there as a whole or not.
    out.write_all(format!("\n{SAYS}{what}\n").as_bytes()).unwrap();
    out.flush().unwrap();
}

/// The lines that a worker says.
pub(crate) fn said(child: &mut Child) -> impl Iterator<Item = String> + use<> {
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    lines.map_while(Result::ok).filter_map(|line| line.strip_prefix(SAYS).map(str::to_owned))
}

/// Runs a worker to its end, which must be a good one.
#[track_caller]
pub(crate) fn run(mut command: Command) -> Vec<String> {
    let mut child = command.spawn().unwrap();
    let said: Vec<String> = said(&mut child).collect();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}: {}", output.status, String::from_utf8_lossy(&output.stderr));
    said
}

/// SQLite's own opinion of a file.
#[track_caller]
pub(crate) fn assert_sound(path: &Path) {
    let connection = rusqlite::Connection::open(path).unwrap();
    let check = |pragma: &str| -> Vec<String> {
        let mut statement = connection.prepare(pragma).unwrap();
        let rows = statement.query_map([], |row| row.get::<_, String>(0)).unwrap();
        rows.collect::<Result<_, _>>().unwrap()
    };
    assert_eq!(check("PRAGMA integrity_check"), ["ok"]);
    assert_eq!(check("PRAGMA foreign_key_check"), [""; 0]);
}

/// Numbers that look like chance and are the same each time.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    /// A number below `end`.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

/// A figure that the environment may change.
pub(crate) fn figure(variable: &str, usual: u64) -> u64 {
    std::env::var(variable).ok().map_or(usual, |text| text.parse().unwrap())
}
