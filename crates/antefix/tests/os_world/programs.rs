//! Programs that hang, flood, fork, or are not who they seem to be.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use antefix::discover::world::{Answer, Command, Kill, Output, ReasonCode, World};
use antefix::worlds::OsWorld;
use antefix_testing::Need;
use tempfile::TempDir;

use crate::{LIMIT, assert_unavailable, is_dead, process_state, run_plainly};

struct Shell {
    dir: TempDir,
    command: Command,
}

impl Shell {
    fn new(script: &str) -> Shell {
        let dir = TempDir::new().unwrap();
        let command = Command {
            program: "sh".to_owned(),
            args: vec!["-c".to_owned(), script.to_owned()],
            env: vec![("PATH".to_owned(), "/usr/bin:/bin".to_owned())],
            cwd: dir.path().to_owned(),
            stdin: Vec::new(),
            time_limit: Duration::from_secs(10),
            output_limit: LIMIT,
            kill: Kill::Group,
        };
        Shell { dir, command }
    }

    fn within(mut self, milliseconds: u64) -> Shell {
        self.command.time_limit = Duration::from_millis(milliseconds);
        self
    }

    fn run(&self) -> Answer<Output> {
        OsWorld::new().run(&self.command)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn state(&self, name: &str) -> String {
        process_state(&fs::read_to_string(self.file(name)).unwrap())
    }

    /// The process whose number the script wrote into a file is dead; its parent, which is not us, may not know yet.
    #[track_caller]
    fn assert_gone(&self, name: &str) {
        let start = Instant::now();
        loop {
            let state = self.state(name);
            if is_dead(&state) {
                return;
            }
            assert!(start.elapsed() < Duration::from_secs(5), "{name} lives on: {state}");
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// The process that was ours to wait for was waited for.
    #[track_caller]
    fn assert_reaped(&self, name: &str) {
        assert_eq!(self.state(name), "", "{name} was not waited for");
    }
}

fn output(code: i32, stdout: &str, stderr: &str) -> Answer<Output> {
    Answer::Present(Output { code: Some(code), stdout: stdout.into(), more: false, stderr: stderr.into() })
}

#[test]
fn a_program_answers_with_its_output_and_exit_code() {
    let shell = Shell::new("printf out; printf err >&2; exit 3");
    assert_eq!(shell.run(), output(3, "out", "err"));
}

#[test]
fn a_program_killed_by_a_signal_has_no_exit_code() {
    let found = Shell::new("printf out; kill -9 $$").run().present().unwrap();
    assert_eq!((found.code, found.stdout.as_slice(), found.more), (None, &b"out"[..], false));
}

#[test]
fn arguments_are_never_seen_by_a_shell() {
    let mut shell = Shell::new("");
    shell.command.program = "printf".to_owned();
    shell.command.args = vec!["%s|".to_owned(), "; touch canary $(touch canary)".to_owned(), "b c".to_owned()];
    assert_eq!(shell.run(), output(0, "; touch canary $(touch canary)|b c|", ""));
    assert!(!shell.file("canary").exists());
}

#[test]
fn the_environment_is_only_what_is_given() {
    // Every test process has variables of its own; none of them may arrive.
    assert!(std::env::vars_os().count() > 1, "there is nothing to leak");
    let mut shell = Shell::new("");
    shell.command.program = "env".to_owned();
    shell.command.args.clear();
    shell.command.env.push(("GIVEN".to_owned(), "yes".to_owned()));
    let found = shell.run().present().unwrap();
    let mut lines: Vec<_> = str::from_utf8(&found.stdout).unwrap().lines().collect();
    lines.sort_unstable();
    assert_eq!(lines, ["GIVEN=yes", "PATH=/usr/bin:/bin"]);
}

#[test]
fn there_is_no_input_to_wait_for() {
    assert_eq!(Shell::new("cat; echo end").run(), output(0, "end\n", ""));
}

#[test]
fn a_program_reads_all_of_its_input_and_may_answer_while_it_does() {
    let mut shell = Shell::new("cat");
    shell.command.output_limit = 4 << 20;
    shell.command.stdin = (0..3 << 20).map(|number: u32| number.to_le_bytes()[0]).collect();
    let found = shell.run().present().unwrap();
    assert_eq!((found.code, found.stdout == shell.command.stdin), (Some(0), true));
}

#[test]
fn a_program_that_does_not_read_its_input_holds_up_nobody() {
    for (script, code, out) in [
        ("echo out", Some(0), "out\n"),
        ("exec <&-; sleep 0.1; echo out", Some(0), "out\n"),
        ("head -c 3; echo; exit 4", Some(4), "xxx\n"),
    ] {
        let mut shell = Shell::new(script);
        shell.command.stdin = vec![b'x'; 2 << 20];
        let start = Instant::now();
        assert_eq!(shell.run(), output(code.unwrap(), out, ""), "{script}");
        assert!(start.elapsed() < Duration::from_secs(5), "{script}");
    }
    let mut deaf = Shell::new("sleep 100").within(300);
    deaf.command.stdin = vec![b'x'; 2 << 20];
    let start = Instant::now();
    assert_unavailable(deaf.run(), ReasonCode::TimedOut, "sh -c: over 0.3 s");
    assert!(start.elapsed() < Duration::from_secs(5));
}

#[test]
#[cfg(target_os = "linux")]
fn descendants_in_sessions_of_their_own_are_killed_where_the_command_says_so() {
    let leave = "setsid sh -c 'echo $$ > new; mv new NAME; exec sleep 100'";
    let left = |prefix: &str, name: &str| {
        format!("{prefix} {} & until [ -e {name} ]; do sleep 0.01; done;", leave.replace("NAME", name))
    };
    // A survivor with the mark, one that has cleared its environment and still has its parent, and one that is stopped.
    let script = format!(
        "{} {} {} echo out",
        left("", "marked"),
        left("env -i PATH=/usr/bin:/bin", "cleared"),
        "setsid sh -c 'echo $$ > new2; mv new2 stopped; kill -STOP $$' & until [ -e stopped ]; do sleep 0.01; done;"
    );
    for (ending, is_over) in [("", false), ("; sleep 100", true)] {
        let mut shell = Shell::new(&format!("{script}{ending}")).within(1500);
        shell.command.kill = Kill::Descendants;
        let start = Instant::now();
        let answer = shell.run();
        assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
        if is_over {
            assert_unavailable(answer, ReasonCode::TimedOut, "sh -c: over 1.5 s");
            shell.assert_gone("cleared");
        } else {
            assert_eq!(answer, output(0, "out\n", ""));
            // Its parent is gone and it has no mark: nobody can know it.
            run_plainly("kill", &["-9", fs::read_to_string(shell.file("cleared")).unwrap().trim()]);
        }
        shell.assert_gone("marked");
        shell.assert_gone("stopped");
    }
}

#[test]
fn a_time_out_kills_the_program_and_its_grandchildren() {
    let shell = Shell::new("echo $$ > leader; (sleep 100 & echo $! > grandchild; wait) & wait").within(500);
    let start = Instant::now();
    assert_unavailable(shell.run(), ReasonCode::TimedOut, "sh -c: over 0.5 s");
    let elapsed = start.elapsed();
    assert!(elapsed >= Duration::from_millis(500) && elapsed < Duration::from_secs(5), "{elapsed:?}");
    shell.assert_reaped("leader");
    shell.assert_gone("grandchild");
}

#[test]
fn a_program_that_ignores_signals_or_is_stopped_is_killed_too() {
    let deaf = Shell::new("trap '' TERM INT HUP; echo $$ > leader; while :; do sleep 1; done").within(500);
    assert_unavailable(deaf.run(), ReasonCode::TimedOut, "sh -c: over 0.5 s");
    deaf.assert_reaped("leader");
    let stopped = Shell::new("echo $$ > leader; kill -STOP $$").within(500);
    assert_unavailable(stopped.run(), ReasonCode::TimedOut, "sh -c: over 0.5 s");
    stopped.assert_reaped("leader");
}

#[test]
fn a_program_that_closes_its_output_but_lives_on_times_out() {
    let shell = Shell::new("echo $$ > leader; exec >&- 2>&-; sleep 100").within(500);
    assert_unavailable(shell.run(), ReasonCode::TimedOut, "sh -c: over 0.5 s");
    shell.assert_reaped("leader");
}

#[test]
fn a_flood_is_stopped_at_the_output_limit() {
    let shell = Shell::new("echo $$ > leader; yes");
    let start = Instant::now();
    let found = shell.run().present().unwrap();
    assert!(start.elapsed() < Duration::from_secs(5));
    assert_eq!(found.stdout, "y\n".repeat(LIMIT / 2).into_bytes());
    assert_eq!((found.code, found.more), (None, true));
    shell.assert_reaped("leader");
}

#[test]
fn output_at_the_limit_is_whole_and_one_byte_more_is_not() {
    let at = Shell::new(&format!("head -c {LIMIT} /dev/zero")).run().present().unwrap();
    assert_eq!((at.code, at.stdout.len(), at.more), (Some(0), LIMIT, false));
    let over = Shell::new(&format!("head -c {} /dev/zero", LIMIT + 1)).run().present().unwrap();
    assert_eq!((over.code, over.stdout.len(), over.more), (None, LIMIT, true));
}

#[test]
fn much_error_output_neither_blocks_the_program_nor_is_kept() {
    let found = Shell::new("head -c 1000000 /dev/zero >&2; echo done").run().present().unwrap();
    assert_eq!((found.code, found.stdout.as_slice(), found.stderr.len()), (Some(0), &b"done\n"[..], 8 * 1024));
}

#[test]
fn a_grandchild_that_holds_the_output_open_holds_up_nobody() {
    let shell = Shell::new("sleep 100 & echo $! > grandchild; echo out");
    let start = Instant::now();
    assert_eq!(shell.run(), output(0, "out\n", ""));
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    shell.assert_gone("grandchild");
}

#[test]
fn a_descendant_outside_the_group_holds_up_nobody_and_leaves_no_thread() {
    if Need::SETSID.is_left_out() {
        return;
    }
    let shell = Shell::new(
        "setsid sh -c 'echo $$ > new; mv new survivor; exec sleep 100' &
         until [ -e survivor ]; do sleep 0.01; done; echo out",
    );
    let start = Instant::now();
    assert_eq!(shell.run(), output(0, "out\n", ""));
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    assert!(!shell.state("survivor").is_empty(), "the fixture does not hold its pipe open");
    // Other tests read from pipes at the same time, so the claim is that there comes a moment without readers.
    let start = Instant::now();
    while cfg!(target_os = "linux") && readers() > 0 {
        assert!(start.elapsed() < Duration::from_secs(20), "a thread still reads");
        thread::sleep(Duration::from_millis(1));
    }
    run_plainly("kill", &["-9", fs::read_to_string(shell.file("survivor")).unwrap().trim()]);
    shell.assert_gone("survivor");
}

fn readers() -> usize {
    let tasks = fs::read_dir("/proc/self/task").unwrap();
    let names = tasks.filter_map(|task| fs::read_to_string(task.unwrap().path().join("comm")).ok());
    names.filter(|name| name.trim() == "antefix-pipe").count()
}

#[test]
fn a_background_process_does_not_outlive_the_answer() {
    let shell = Shell::new("sleep 100 >/dev/null 2>&1 & echo $! > grandchild");
    assert_eq!(shell.run(), output(0, "", ""));
    shell.assert_gone("grandchild");
}

#[test]
fn a_program_in_the_working_directory_is_not_found() {
    for path in [".", "", ":/nowhere", "./", "bin", "/nowhere::"] {
        let mut shell = Shell::new("");
        fs::create_dir(shell.file("bin")).unwrap();
        for name in ["planted", "bin/planted"] {
            fs::write(shell.file(name), "#!/bin/sh\ntouch canary\n").unwrap();
            fs::set_permissions(shell.file(name), fs::Permissions::from_mode(0o755)).unwrap();
        }
        shell.command.env = vec![("PATH".to_owned(), path.to_owned())];
        for program in ["planted", "./planted", "bin/planted", "../x/planted", "..", ""] {
            shell.command.program = program.to_owned();
            assert_unavailable(shell.run(), ReasonCode::NotInstalled, program);
        }
        assert!(!shell.file("canary").exists());
    }
}

#[test]
fn a_relative_directory_is_passed_over_even_if_it_leads_to_the_program() {
    let mut shell = Shell::new("");
    fs::write(shell.file("planted"), "#!/bin/sh\ntouch canary\n").unwrap();
    fs::set_permissions(shell.file("planted"), fs::Permissions::from_mode(0o755)).unwrap();
    let mut relative: PathBuf = std::env::current_dir().unwrap().components().skip(1).map(|_| "..").collect();
    relative.extend(shell.dir.path().canonicalize().unwrap().components().skip(1));
    assert!(relative.join("planted").is_file() && relative.is_relative(), "the fixture is not real");
    shell.command.program = "planted".to_owned();
    shell.command.env = vec![("PATH".to_owned(), relative.to_str().unwrap().to_owned())];
    assert_unavailable(shell.run(), ReasonCode::NotInstalled, "planted");
}

#[test]
fn a_program_is_found_in_an_absolute_directory_or_by_its_absolute_path() {
    let mut shell = Shell::new("");
    fs::create_dir(shell.file("bin")).unwrap();
    fs::write(shell.file("bin/planted"), "#!/bin/sh\necho ran\n").unwrap();
    shell.command.args.clear();
    shell.command.program = "planted".to_owned();
    shell.command.env = vec![("PATH".to_owned(), format!(".:{}", shell.file("bin").display()))];
    assert_unavailable(shell.run(), ReasonCode::NotInstalled, "planted");
    fs::set_permissions(shell.file("bin/planted"), fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(shell.run(), output(0, "ran\n", ""));
    shell.command.env.clear();
    assert_unavailable(shell.run(), ReasonCode::NotInstalled, "planted");
    shell.command.program = shell.file("bin/planted").to_str().unwrap().to_owned();
    assert_eq!(shell.run(), output(0, "ran\n", ""));
}

#[test]
fn a_missing_program_is_not_installed_and_a_missing_directory_fails() {
    let mut shell = Shell::new("");
    shell.command.cwd = shell.file("missing");
    let detail = format!("no directory {}", shell.file("missing").display());
    assert_unavailable(shell.run(), ReasonCode::Failed, &detail);
    shell.command.program = "antefix-no-such-program".to_owned();
    assert_unavailable(shell.run(), ReasonCode::NotInstalled, "antefix-no-such-program");
}

#[test]
fn every_program_is_waited_for() {
    for script in ["exit 0", "exit 1", "kill -9 $$", "exec >&- 2>&-", "yes", "sleep 100 &", "sleep 100"] {
        let shell = Shell::new(&format!("echo $$ > leader; {script}")).within(1000);
        shell.run();
        shell.assert_reaped("leader");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_program_that_cannot_be_waited_for_holds_up_nobody() {
    if Need::STRACE.is_left_out() {
        return;
    }
    // A process that is killed stays until its tracer lets it go, and this one is stopped: it is as if it hung inside the kernel.
    for kill in [Kill::Group, Kill::Descendants] {
        let mut shell = Shell::new("").within(1500);
        shell.command.program = "strace".to_owned();
        let script = "grep TracerPid /proc/$$/status | tr -dc 0-9 > new; echo $$ > leader; mv new tracer; kill -STOP $(cat tracer); sleep 100";
        shell.command.args = ["-DDD", "-o", "/dev/null", "sh", "-c", script].map(str::to_owned).to_vec();
        shell.command.kill = kill;
        let start = Instant::now();
        assert_unavailable(shell.run(), ReasonCode::TimedOut, "strace -DDD: over 1.5 s");
        assert!(start.elapsed() < Duration::from_secs(4), "{:?}", start.elapsed());
        let tracer = fs::read_to_string(shell.file("tracer")).unwrap();
        if kill == Kill::Group {
            assert!(!shell.state("leader").is_empty(), "the fixture does not hold the program");
            run_plainly("kill", &["-9", tracer.trim()]);
        }
        // It is collected once that is possible.
        let start = Instant::now();
        while !shell.state("leader").is_empty() {
            assert!(start.elapsed() < Duration::from_secs(5), "nobody collects it: {}", shell.state("leader"));
            thread::sleep(Duration::from_millis(10));
        }
    }
}
