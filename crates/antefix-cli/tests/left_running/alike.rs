//! A program beneath a supervisor cannot tell that there is one, and neither can whoever reads its answer.

use std::fs;
use std::io::Write;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use antefix::discover::World as _;
use antefix::discover::world::{Answer, Command, Kill, Output};
use antefix::worlds::OsWorld;
use antefix_testing::Scratch;

const PROGRAM: &str = env!("CARGO_BIN_EXE_antefix");

fn command(scratch: &Scratch, script: &str) -> Command {
    Command {
        program: "sh".to_owned(),
        args: vec!["-c".to_owned(), script.to_owned(), "name".to_owned(), "an argument\nof two lines".to_owned()],
        env: vec![("PATH".to_owned(), "/usr/bin:/bin".to_owned()), ("GIVEN".to_owned(), "a = b\nc".to_owned())],
        cwd: scratch.path("p"),
        stdin: Vec::new(),
        time_limit: Duration::from_secs(5),
        output_limit: 64 * 1024,
        kill: Kill::Descendants,
    }
}

/// Scripts whose answer is the same with and without a supervisor. Those that say `WITH` are given a megabyte to read.
const SCRIPTS: [(&str, &str); 20] = [
    ("output and exit code", "printf out; printf err >&2; exit 3"),
    ("the largest exit code", "exit 255"),
    ("nothing", "true"),
    ("a signal", "printf out; kill -9 $$"),
    ("a crash", "kill -SEGV $$"),
    ("its arguments", "printf '%s|' \"$0\" \"$@\""),
    ("its environment", "env -u ANTEFIX_RUN -u _ -u SHLVL | sort"),
    ("its directory", "pwd; readlink /proc/self/cwd"),
    ("its group", "[ \"$(ps -o pgid= -p $$ | tr -d ' ')\" = $$ ] && echo its own"),
    ("its session", "ps -o sid= -p $$"),
    ("its descriptors", "ls /proc/self/fd; readlink /proc/self/fd/0"),
    // But for those that whoever runs the tests may ignore: a supervisor hears them all.
    ("its signals", "exec env --default-signal=INT,TERM,HUP grep -E 'Sig(Blk|Ign|Cgt)' /proc/self/status"),
    ("its limits", "ulimit -a; umask; nice"),
    ("no input", "cat; echo end"),
    ("input WITH", "cksum"),
    ("input that is not read WITH", "exec <&-; echo out"),
    ("input that is not read to its end WITH", "head -c 3; exit 4"),
    ("too much output", "yes"),
    ("much error output", "head -c 100000 /dev/zero >&2; echo done"),
    ("output after its end", "(sleep 0.01; echo late) & echo early"),
];

#[test]
fn a_supervised_program_answers_as_one_without_a_supervisor() {
    let scratch = Scratch::new(PROGRAM);
    let (alone, supervised) = (OsWorld::new(), OsWorld::new().supervised_by(PROGRAM));
    for (case, script) in SCRIPTS {
        let mut command = command(&scratch, script);
        if case.contains("WITH") {
            command.stdin = vec![b'x'; 1 << 20];
        }
        let answer = alone.run(&command);
        assert!(matches!(answer, Answer::Present(_)), "{case}: {answer:?}");
        assert_eq!(supervised.run(&command), answer, "{case}");
    }
}

#[test]
fn what_cannot_be_run_is_reported_alike() {
    let scratch = Scratch::new(PROGRAM);
    scratch.executable("p/strange", "\u{7f}ELF and no more");
    scratch.executable("p/nobody", "#!/no/such/interpreter\n");
    let (alone, supervised) = (OsWorld::new(), OsWorld::new().supervised_by(PROGRAM));
    let path = |name: &str| scratch.path(name).to_str().unwrap().to_owned();
    for (program, argument) in [
        ("no-such-program-7c1".to_owned(), String::new()),
        (path("p/strange"), String::new()),
        (path("p/nobody"), String::new()),
        ("sh".to_owned(), "a\0b".to_owned()),
        ("sh".to_owned(), "x".repeat(3 << 20)),
    ] {
        let mut command = command(&scratch, "true");
        command.program = program;
        command.args.push(argument);
        let answer = alone.run(&command);
        assert!(matches!(answer, Answer::Unavailable(_)), "{}: {answer:?}", command.program);
        assert_eq!(supervised.run(&command), answer);
    }
    let mut late = command(&scratch, "sleep 100");
    late.time_limit = Duration::from_millis(300);
    assert_eq!(supervised.run(&late), alone.run(&late));
}

#[test]
fn a_hook_has_no_variable_of_the_supervisor() {
    let scratch = Scratch::new(PROGRAM);
    let mut command = command(&scratch, "");
    (command.program, command.args) = ("env".to_owned(), vec!["-0".to_owned()]);
    let output = OsWorld::new().supervised_by(PROGRAM).run(&command).present().unwrap();
    let mut variables: Vec<&str> = str::from_utf8(&output.stdout).unwrap().split_terminator('\0').collect();
    variables.sort_unstable();
    assert_eq!(variables, ["GIVEN=a = b\nc", "PATH=/usr/bin:/bin"]);
}

#[test]
fn a_supervisor_that_is_none_fails_the_program_within_its_time() {
    let scratch = Scratch::new(PROGRAM);
    for (supervisor, expected) in
        [("/no/such/supervisor", "the supervisor /no/such/supervisor cannot be used"), ("/bin/true", "supervisor")]
    {
        let start = Instant::now();
        let answer = OsWorld::new().supervised_by(supervisor).run(&command(&scratch, "touch canary"));
        let Answer::Unavailable(reason) = answer else { panic!("{supervisor}: {answer:?}") };
        assert!(reason.to_string().contains(expected), "{supervisor}: {reason}");
        assert!(start.elapsed() < Duration::from_secs(10), "{supervisor}: {:?}", start.elapsed());
    }
    assert!(!Path::new(&scratch.path("p/canary")).exists());
}

#[test]
fn a_hook_that_kills_or_stops_its_supervisor_is_killed_all_the_same() {
    let scratch = Scratch::new(PROGRAM);
    for (signal, expected) in [("KILL", "its supervisor ended before it"), ("STOP", "over 2 s")] {
        // The supervisor has a moment to say whom it has started.
        let script = format!("echo $$ > new; mv new number; sleep 0.5; kill -{signal} $PPID; sleep 100");
        let mut command = command(&scratch, &script);
        command.time_limit = Duration::from_secs(2);
        let start = Instant::now();
        let answer = OsWorld::new().supervised_by(PROGRAM).run(&command);
        let Answer::Unavailable(reason) = answer else { panic!("{signal}: {answer:?}") };
        assert!(reason.to_string().contains(expected), "{signal}: {reason}");
        assert!(start.elapsed() < Duration::from_secs(8), "{signal}: {:?}", start.elapsed());
        assert_dead_soon(scratch.read("p/number").trim());
    }
}

#[test]
fn a_crowd_of_daemons_is_killed_and_no_descriptor_is_left() {
    let scratch = Scratch::new(PROGRAM);
    let daemon = "setsid sh -c 'env -i /usr/bin/setsid sh -c \"echo \\$\\$ >> numbers; exec /bin/sleep 100\" &'";
    let script = format!(
        "for i in 1 2 3 4 5 6 7 8 9 10; do {daemon}; done; until [ $(wc -l < numbers) = 10 ]; do sleep 0.01; done"
    );
    let world = OsWorld::new().supervised_by(PROGRAM);
    let descriptors =
        || fs::read_dir("/proc/self/fd").unwrap().flatten().filter_map(|one| fs::read_link(one.path()).ok());
    let sockets = || descriptors().filter(|target| target.to_string_lossy().starts_with("socket:")).count();
    for round in 0..3 {
        let answer = world.run(&command(&scratch, &script));
        let expected = Output { code: Some(0), stdout: Vec::new(), more: false, stderr: Vec::new() };
        assert_eq!(answer, Answer::Present(expected), "{round}");
        for number in scratch.read("p/numbers").lines() {
            assert_dead(number);
        }
        scratch.remove("p/numbers");
    }
    // Other tests have sockets for a moment.
    let start = Instant::now();
    while sockets() > 0 {
        assert!(start.elapsed() < Duration::from_secs(60), "a socket is left");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn programs_that_are_ended_fail_at_once_and_no_other_one_starts() {
    let scratch = Scratch::new(PROGRAM);
    for kill in [Kill::Descendants, Kill::Group] {
        let world = OsWorld::new().supervised_by(PROGRAM);
        let mut hanging = command(&scratch, "echo $$ > new; mv new number; sleep 100");
        hanging.kill = kill;
        let copy = world.clone();
        let answer = std::thread::scope(|threads| {
            let running = threads.spawn(|| world.run(&hanging));
            while !scratch.path("p/number").exists() {
                std::thread::sleep(Duration::from_millis(1));
            }
            let start = Instant::now();
            copy.end_programs();
            assert!(start.elapsed() < Duration::from_secs(1), "{:?}", start.elapsed());
            assert_dead(scratch.read("p/number").trim());
            running.join().unwrap()
        });
        let after = world.run(&command(&scratch, "touch canary"));
        for answer in [answer, after] {
            let Answer::Unavailable(reason) = answer else { panic!("{answer:?}") };
            assert!(reason.to_string().contains("antefix is stopping"), "{reason}");
        }
        scratch.remove("p/number");
    }
    assert!(!scratch.path("p/canary").exists());
}

#[test]
fn a_process_that_goes_on_in_another_one_for_ever_is_caught() {
    let scratch = Scratch::new(PROGRAM);
    // Each one starts the next in a session of its own, and ends. They end for good when their script is gone.
    let place = scratch.path("hop.sh");
    scratch.write(
        "hop.sh",
        &format!("echo x >> {0}/hops\nsetsid sh {0}/hop.sh </dev/null >/dev/null 2>&1 &\n", scratch.path("").display()),
    );
    let script = format!("sh {} & sleep 0.3", place.display());
    let answer = OsWorld::new().supervised_by(PROGRAM).run(&command(&scratch, &script));
    let hops = scratch.read("hops").len();
    assert!(matches!(answer, Answer::Present(_)) && hops > 10, "{answer:?}, {hops}");
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(scratch.read("hops").len(), hops, "it goes on");
}

#[test]
fn only_the_process_that_started_a_supervisor_can_order_anything() {
    let scratch = Scratch::new(PROGRAM);
    let canary = scratch.path("canary");
    let order = format!("run\0/usr/bin/touch\0{}\0{}\0", 1, canary.display());
    let order = [&u32::try_from(order.len()).unwrap().to_le_bytes(), order.as_bytes()].concat();
    let text = String::from_utf8(order.clone()).unwrap();
    for args in [&["__supervise"][..], &["__supervise", "touch"], &["__supervise", "--", "touch", "canary"]] {
        let ran = Scratch::feed(scratch.command(args), &text);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{ran:?}");
    }
    let over_a_socket = |mut process: std::process::Command| {
        let (mut ours, theirs) = UnixStream::pair().unwrap();
        process.stdin(OwnedFd::from(theirs)).stderr(Stdio::piped());
        let child = process.spawn().unwrap();
        drop(process);
        // One that refuses may have closed its end by now.
        let _ = ours.write_all(&order);
        std::thread::sleep(Duration::from_millis(500));
        drop(ours);
        child.wait_with_output().unwrap()
    };
    let mut grandchild = scratch.other_program("sh");
    grandchild.args(["-c", "\"$0\" __supervise; exit $?", PROGRAM]);
    let refused = over_a_socket(grandchild);
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("is for antefix itself"), "{refused:?}");
    assert!(!canary.exists());
    // The order makes sense: it is obeyed where the parent gives it.
    assert_eq!(over_a_socket(scratch.command(&["__supervise"])).status.code(), Some(0));
    assert!(canary.exists());
}

/// A process that was just killed, and that is not ours, is gone in a moment.
#[track_caller]
fn assert_dead_soon(number: &str) {
    let start = Instant::now();
    while !is_dead(number) && start.elapsed() < Duration::from_secs(1) {
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_dead(number);
}

#[track_caller]
fn assert_dead(number: &str) {
    assert!(is_dead(number), "{number} lives on");
}

/// A process is gone, or is dead and not collected by whoever adopted it.
fn is_dead(number: &str) -> bool {
    let stat = fs::read_to_string(format!("/proc/{number}/stat")).unwrap_or_default();
    matches!(stat.rsplit_once(") ").map(|(_, rest)| &rest[..1]), None | Some("Z" | "X"))
}
