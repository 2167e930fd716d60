//! Nothing is left running: whoever ends antefix, and whatever a program of its does to hide, within two seconds all is gone.
//!
//! Processes are known by their command line or their directory, which name the scratch directory of the test, and by having been
//! descendants of antefix. Nothing depends on their environment, which they may clear.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on says so by failing")]

mod alike;

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use antefix_testing::{Need, Scratch};
use rustix::process::{Pid, Signal, kill_process};

const SIGNALS: [Signal; 4] = [Signal::INT, Signal::TERM, Signal::HUP, Signal::KILL];

/// What a hook does, and how many processes then have a name of their own. `WAIT` is a program that never ends.
const SHAPES: [(&str, &str, usize); 3] = [
    ("a child", "WAIT", 1),
    ("a grandchild in a session of its own", "setsid sh -c 'WAIT; :' & WAIT", 2),
    (
        "a daemon without an environment",
        "setsid sh -c 'env -i /usr/bin/setsid WAIT </dev/null >/dev/null 2>&1 &'; WAIT",
        2,
    ),
];

const HOOK: &str = r#"
[[section]]
id = "base"
stability = "frozen"
dialect = "plain"
text = "Base."
[[hook]]
name = "h"
on = "discover"
time_limit_ms = 60000
"#;

/// A project with a hook of the user's own, which runs a script and then hangs.
fn hooked(script: &str) -> Scratch {
    let scratch = Scratch::new(env!("CARGO_BIN_EXE_antefix")).hearing_signals();
    let wait = format!("/usr/bin/tail -f {} >/dev/null", scratch.path("waited-for").display());
    scratch.write("waited-for", "");
    scratch.write("own/hook.sh", &format!("cat > /dev/null\n{}\n", script.replace("WAIT", &wait)));
    let command = format!("command = [\"sh\", {:?}]\n", scratch.path("own/hook.sh"));
    scratch.write("home/.config/antefix/layout.toml", &format!("{HOOK}{command}"));
    scratch
}

/// A project whose git waits for ever: its configuration includes a pipe that nobody writes to.
fn hung_git() -> Scratch {
    let scratch = Scratch::new(env!("CARGO_BIN_EXE_antefix")).hearing_signals();
    let section = "[[section]]\nid = \"base\"\nstability = \"frozen\"\ntext = \"{{ git.status }}\"\n";
    scratch.write("home/.config/antefix/layout.toml", section);
    let made = scratch.other_program("git").args(["init", "-q"]).status().unwrap();
    let piped = scratch.other_program("mkfifo").arg(".git/pipe").status().unwrap();
    assert!(made.success() && piped.success());
    scratch.write("p/.git/config", "[core]\nrepositoryformatversion = 0\n[include]\npath = pipe\n");
    scratch
}

/// A process: its number, and when it began, so that nobody is mistaken for it.
type Process = (i32, String);

/// All processes with their parents, and whether they have to do with a scratch directory. Dead ones are left out.
fn processes(scratch: &Scratch) -> Vec<(Process, i32, bool)> {
    let place = scratch.path("");
    let place = place.to_str().unwrap().trim_end_matches('/');
    let numbers = fs::read_dir("/proc").unwrap().flatten().filter_map(|entry| entry.file_name().into_string().ok());
    let living = numbers.filter_map(|number| number.parse::<i32>().ok()).filter_map(|number| {
        let stat = fs::read_to_string(format!("/proc/{number}/stat")).ok()?;
        let fields: Vec<String> = stat.rsplit_once(')')?.1.split_whitespace().map(str::to_owned).collect();
        let words = fs::read(format!("/proc/{number}/cmdline")).unwrap_or_default();
        let cwd = fs::read_link(format!("/proc/{number}/cwd")).unwrap_or_default();
        let marked = String::from_utf8_lossy(&words).contains(place) || cwd.starts_with(place);
        let lives = !["Z", "X"].contains(&fields[0].as_str());
        lives.then(|| ((number, fields[19].clone()), fields[1].parse().unwrap(), marked))
    });
    living.collect()
}

/// Everything that a process has started, and everything that has to do with the scratch directory.
fn family(scratch: &Scratch, root: &Child) -> BTreeSet<Process> {
    let all = processes(scratch);
    let root = i32::try_from(root.id()).unwrap();
    let mut found: BTreeSet<Process> = all.iter().filter(|(_, _, marked)| *marked).map(|one| one.0.clone()).collect();
    loop {
        let numbers: BTreeSet<i32> = found.iter().map(|one| one.0).chain([root]).collect();
        let before = found.len();
        found.extend(all.iter().filter(|(_, parent, _)| numbers.contains(parent)).map(|one| one.0.clone()));
        if found.len() == before {
            found.retain(|(number, _)| *number != root);
            return found;
        }
    }
}

/// A run of antefix that is in the middle of something.
struct Run<'a> {
    scratch: &'a Scratch,
    child: Child,
    family: BTreeSet<Process>,
    case: String,
}

impl<'a> Run<'a> {
    /// Waits until a program of this name runs so many times.
    fn new(scratch: &'a Scratch, child: Child, case: String, program: &str, count: usize) -> Run<'a> {
        let start = Instant::now();
        loop {
            let family = family(scratch, &child);
            let is_wanted = |(number, _): &&Process| {
                let line = fs::read_to_string(format!("/proc/{number}/cmdline")).unwrap_or_default();
                line.split('\0').next().and_then(|first| first.rsplit('/').next()) == Some(program)
            };
            if family.iter().filter(is_wanted).count() == count {
                // A program that runs longer than a moment has a watcher from here on.
                std::thread::sleep(Duration::from_millis(150));
                let family = self::family(scratch, &child);
                return Run { scratch, child, family, case };
            }
            assert!(start.elapsed() < Duration::from_secs(20), "{case}: nothing hangs, but {family:?}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// Waits for the end of antefix, and sees that nobody is left two seconds after `since`.
    fn assert_nobody_is_left(&mut self, since: Instant) -> ExitStatus {
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break Some(status);
            }
            if since.elapsed() > Duration::from_secs(2) {
                break None;
            }
            std::thread::sleep(Duration::from_millis(5));
        };
        let left = loop {
            let all = processes(self.scratch);
            let left: Vec<Process> = all
                .into_iter()
                .filter(|(process, _, marked)| (*marked || self.family.contains(process)) && !self.is_root(process))
                .map(|(process, _, _)| process)
                .collect();
            if left.is_empty() || since.elapsed() > Duration::from_secs(2) {
                break left;
            }
            std::thread::sleep(Duration::from_millis(5));
        };
        let told: Vec<String> = left
            .iter()
            .map(|(number, _)| fs::read_to_string(format!("/proc/{number}/cmdline")).unwrap_or_default())
            .map(|line| line.replace('\0', " "))
            .collect();
        for (number, _) in &left {
            let _ = kill_process(Pid::from_raw(*number).unwrap(), Signal::KILL);
        }
        assert_eq!(told, [""; 0], "{}: still there after {:?}", self.case, since.elapsed());
        status.unwrap_or_else(|| panic!("{}: antefix itself lives on", self.case))
    }

    fn is_root(&self, process: &Process) -> bool {
        u32::try_from(process.0) == Ok(self.child.id())
    }

    /// One signal, and what is left then.
    fn end_by(mut self, signal: Signal) -> ExitStatus {
        assert!(!self.family.is_empty(), "{}: nothing runs", self.case);
        let since = Instant::now();
        self.signal(signal);
        self.assert_nobody_is_left(since)
    }
}

impl Drop for Run<'_> {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn turn(scratch: &Scratch) -> Child {
    scratch.command(&["turn", "c"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

fn each_shape(mut check: impl FnMut(&Scratch, Signal, &str, usize)) {
    if Need::SETSID.is_left_out() {
        return;
    }
    for signal in SIGNALS {
        for (shape, script, count) in SHAPES {
            check(&hooked(script), signal, &format!("{signal:?}, {shape}"), count);
        }
    }
}

#[test]
fn a_turn_that_is_ended_leaves_no_hook_and_dies_of_the_signal() {
    each_shape(|scratch, signal, case, count| {
        let run = Run::new(scratch, turn(scratch), case.to_owned(), "tail", count);
        assert_eq!(run.end_by(signal).signal(), Some(signal.as_raw()), "{case}");
    });
}

#[test]
fn a_turn_that_is_ended_leaves_no_git_and_dies_of_the_signal() {
    for signal in SIGNALS {
        let scratch = hung_git();
        let run = Run::new(&scratch, turn(&scratch), format!("{signal:?}, git"), "git", 1);
        assert_eq!(run.end_by(signal).signal(), Some(signal.as_raw()));
    }
}

#[test]
fn a_hook_that_ends_leaves_no_daemon() {
    for (shape, script, _) in &SHAPES[1..] {
        let scratch = hooked(&script.replace("; WAIT", "; sleep 0.3").replace("& WAIT", "& sleep 0.3"));
        let since = Instant::now();
        scratch.ok(&["turn", "c"]);
        assert!(since.elapsed() >= Duration::from_millis(300), "{shape}: the hook has not run");
        let left: Vec<_> = processes(&scratch).into_iter().filter(|(_, _, marked)| *marked).collect();
        for ((number, _), ..) in &left {
            let _ = kill_process(Pid::from_raw(*number).unwrap(), Signal::KILL);
        }
        assert!(left.is_empty(), "{shape}: {left:?}");
    }
}

/// A server that a client has asked for a turn.
fn server(scratch: &Scratch) -> (Child, std::thread::JoinHandle<String>) {
    let mut child = scratch
        .command(&["serve", "--listen", "127.0.0.1:0", "--no-link", "--log", "none"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let address = line.trim().strip_prefix("listening on http://").unwrap_or_else(|| panic!("{line}")).to_owned();
    let request = format!(
        "POST /conversations/c/turns HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {}\r\n\
         Content-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{{}}",
        scratch.token()
    );
    let asked = std::thread::spawn(move || {
        let mut stream = std::net::TcpStream::connect(address).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        std::io::read_to_string(stream).unwrap_or_default()
    });
    (child, asked)
}

#[test]
fn a_server_that_is_ended_at_once_leaves_no_hook() {
    each_shape(|scratch, signal, case, count| {
        let (child, asked) = server(scratch);
        let run = Run::new(scratch, child, case.to_owned(), "tail", count);
        if signal != Signal::KILL {
            // The first signal lets requests end, the second one does not wait.
            run.signal(signal);
            std::thread::sleep(Duration::from_millis(200));
            let now = family(scratch, &run.child);
            assert!(
                run.family.is_subset(&now),
                "{case}: a request has its time, but of {:?} are left {now:?}",
                run.family
            );
        }
        assert_eq!(run.end_by(signal).signal(), Some(signal.as_raw()), "{case}");
        asked.join().unwrap();
    });
}

#[test]
fn a_server_that_is_stopped_lets_requests_have_their_time_and_answers_them_without_the_hook() {
    let (_, script, count) = SHAPES[2];
    let scratch = hooked(script);
    let (child, asked) = server(&scratch);
    let mut run = Run::new(&scratch, child, "stopped".to_owned(), "tail", count);
    let since = Instant::now();
    run.signal(Signal::TERM);
    let response = asked.join().unwrap();
    assert!(response.starts_with("HTTP/1.1 200") && response.contains("antefix is stopping"), "{response}");
    assert!((9..13).contains(&since.elapsed().as_secs()), "{:?}", since.elapsed());
    assert_eq!(run.assert_nobody_is_left(Instant::now()).code(), Some(0));
}

/// An agent that answers the first request, and takes a prompt when a session begins.
const AGENT: &str = r#"read -r line
echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1,"agentInfo":{"name":"any","version":"1"},"agentCapabilities":{"sessionCapabilities":{"systemPrompt":{}}}}}'
while read -r line; do :; done"#;

#[test]
fn a_proxy_that_is_ended_leaves_no_hook() {
    each_shape(|scratch, signal, case, count| {
        let mut command = scratch.command(&["acp", "--", "sh", "-c", AGENT]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut client = child.stdin.take().unwrap();
        writeln!(client, r#"{{"jsonrpc":"2.0","id":1,"method":"initialize","params":{{"protocolVersion":1}}}}"#)
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        assert!(line.contains("systemPrompt"), "{line}");
        let params = format!(r#"{{"cwd":{:?},"mcpServers":[]}}"#, scratch.path("p"));
        writeln!(client, r#"{{"jsonrpc":"2.0","id":2,"method":"session/new","params":{params}}}"#).unwrap();
        let run = Run::new(scratch, child, case.to_owned(), "tail", count);
        let status = run.end_by(signal);
        match signal {
            Signal::KILL => assert_eq!(status.signal(), Some(signal.as_raw()), "{case}"),
            _ => assert_eq!(status.code(), Some(128 + signal.as_raw()), "{case}"),
        }
    });
}

#[test]
fn a_signal_that_was_ignored_from_the_start_stays_ignored() {
    let scratch = hooked("sleep 1");
    let mut command = scratch.other_program("sh");
    command.args(["-c", "trap '' HUP INT; exec \"$0\" turn c", env!("CARGO_BIN_EXE_antefix")]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(500));
    for signal in [Signal::HUP, Signal::INT] {
        kill_process(Pid::from_child(&child), signal).unwrap();
    }
    assert_eq!(child.wait().unwrap().code(), Some(0));
}
