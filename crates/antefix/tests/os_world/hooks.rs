//! Hooks that are real programs, with everything that such a program can do wrong.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use antefix::diagnostic::Code;
use antefix::project::LayoutChoice;
use antefix::{Antefix, Ask, Turn};
use antefix_testing::Need;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::homeless::Homeless;
use crate::{is_dead, process_state};

/// A project, and a layout of the user's own beside it.
struct Scene {
    directory: TempDir,
}

impl Scene {
    fn new() -> Scene {
        let scene = Scene { directory: TempDir::new().unwrap() };
        fs::create_dir_all(scene.path("p/.antefix")).unwrap();
        fs::create_dir_all(scene.path("own/bin")).unwrap();
        scene
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().canonicalize().unwrap().join(name)
    }

    /// A turn with one hook: a shell with a script.
    fn turn(&self, on: &str, script: &str, limits: &str, history: Option<&[Value]>) -> Turn {
        let script = format!("echo $$ >> pids; {script}");
        self.turn_with(
            &format!("[[hook]]\nname = \"h\"\non = \"{on}\"\n{limits}\ncommand = {}", json!(["sh", "-c", script])),
            history,
        )
    }

    fn turn_with(&self, hooks: &str, history: Option<&[Value]>) -> Turn {
        let section = "[[section]]\nid = \"base\"\nstability = \"frozen\"\ndialect = \"plain\"\ntext = \"Base.\\n\"\n";
        let path = self.path("own/layout.toml");
        fs::write(&path, format!("{section}{hooks}\n")).unwrap();
        let antefix = Antefix::builder().world(Homeless::new()).store("memory").build().unwrap();
        let mut ask = Ask::new().layout(LayoutChoice::File { path, label: "own".to_owned() });
        ask.messages = history.map(Into::into);
        antefix.project(self.path("p")).unwrap().conversation("c").unwrap().turn(ask).unwrap()
    }

    /// Whoever wrote its number into `pids` is dead within a second.
    #[track_caller]
    fn assert_nobody_is_left(&self, case: &str) {
        let pids = fs::read_to_string(self.path("p/pids")).unwrap_or_else(|error| panic!("{case}: {error}"));
        assert!(!pids.is_empty(), "{case}: nobody wrote down its number");
        let start = Instant::now();
        for pid in pids.lines() {
            while !is_dead(&process_state(pid)) {
                assert!(start.elapsed() < Duration::from_secs(1), "{case}: {pid} lives on");
                std::thread::sleep(Duration::from_millis(5));
            }
        }
    }
}

const OUTSIDER: &str =
    "setsid sh -c 'echo $$ >> pids; touch there; sleep 100' & until [ -e there ]; do sleep 0.01; done;";

/// What goes wrong, how, and what is told of it. Each has 1.5 seconds.
const FAULTS: [(&str, &str, &str); 21] = [
    ("hang", "sleep 100", "no answer in time"),
    ("deaf hang", "trap '' TERM INT HUP; while :; do sleep 1; done", "no answer in time"),
    ("fork", "(echo $$ >> pids; sleep 100) & sleep 100", "no answer in time"),
    ("fork into a session of its own, then hang", "OUTSIDER sleep 100", "no answer in time"),
    ("fork into a session of its own, then fail", "OUTSIDER exit 3", "it ended with code 3"),
    ("a gigabyte", "head -c 1000000000 /dev/zero", "it printed more than 65536 bytes"),
    ("crash", "kill -SEGV $$", "a signal ended it"),
    ("failure", "echo oops >&2; exit 3", "it ended with code 3; it said: oops"),
    ("half an answer, then a failure", "echo '{\"append\": \"half\"}'; exit 1", "it ended with code 1"),
    ("slow output", "printf '{'; sleep 0.2; printf '\"append\"'; sleep 100", "no answer in time"),
    ("stopped", "kill -STOP $$", "no answer in time"),
    ("output closed, lives on", "exec >&- 2>&-; sleep 100", "no answer in time"),
    ("no JSON", "echo nope", "its output is not an answer: it is not a JSON object"),
    ("half a document", "printf '{\"append\": \"x'", "its output is not an answer: EOF"),
    ("two documents", "echo '{} {}'", "its output is not an answer: trailing characters"),
    ("another field", "echo '{\"sytem\": \"x\"}'", "unknown field `sytem`"),
    ("another type", "echo '{\"append\": 3}'", "invalid type: integer `3`, expected a string"),
    ("a list", "echo '[1, \"R\", \"A\", []]'", "it is not a JSON object"),
    ("deep", "printf '{\"messages\":'; head -c 60000 /dev/zero | tr '\\0' '['", "recursion limit exceeded"),
    ("not UTF-8", "printf '{\"append\": \"\\377\"}'", "what it printed is not UTF-8"),
    ("another version", "echo '{\"version\": 2, \"append\": \"x\"}'", "it answers in version 2"),
];

#[test]
fn whatever_a_program_does_wrong_is_bounded_reported_and_leaves_nobody_behind() {
    if Need::SETSID.is_left_out() {
        return;
    }
    for (case, script, expected) in FAULTS {
        let scene = Scene::new();
        let start = Instant::now();
        let script = script.replace("OUTSIDER", OUTSIDER);
        let turn = scene.turn("before_turn", &script, "time_limit_ms = 1500\noutput_limit = 65536", None);
        assert!(start.elapsed() < Duration::from_secs(8), "{case}: {:?}", start.elapsed());
        let reported: Vec<&str> = turn.diagnostics.iter().map(|finding| finding.message.as_str()).collect();
        let passed = "hook `h` (before_turn) is skipped: ";
        assert!(
            reported.len() == 1 && reported[0].starts_with(passed) && reported[0].contains(expected),
            "{case}: {reported:?}"
        );
        assert_eq!(turn.system(), "Base.\n", "{case}");
        if cfg!(target_os = "linux") || !script.contains("setsid") {
            scene.assert_nobody_is_left(case);
        }
    }
}

#[test]
fn a_program_need_not_read_its_input() {
    for script in ["exec <&-; echo '{\"append\": \"x\"}'", "echo '{\"append\": \"x\"}'"] {
        let scene = Scene::new();
        let history: Vec<Value> = vec![json!({"role": "user", "text": "y".repeat(1 << 20)})];
        let turn = scene.turn("before_turn", script, "", Some(&history));
        assert_eq!((turn.system().as_str(), turn.diagnostics.len()), ("Base.\nx", 0), "{:?}", turn.diagnostics);
        let turn = scene.turn("messages", &script.replace("\"append\": \"x\"", "\"messages\": []"), "", Some(&history));
        assert_eq!((turn.history.as_deref(), turn.diagnostics.len()), (Some(&[][..]), 0));
    }
}

#[test]
fn a_program_that_prints_nothing_changes_nothing() {
    for (on, action) in
        [("before_turn", "nothing"), ("messages", "nothing"), ("discover", "nothing"), ("opened", "told")]
    {
        let turn = Scene::new().turn(on, "true", "", Some(&[]));
        assert_eq!(
            (turn.system().as_str(), turn.hooks[0].action.name()),
            ("Base.\n", action),
            "{:?}",
            turn.diagnostics
        );
    }
}

#[test]
fn a_program_is_given_its_place_and_the_standing_epoch() {
    let scene = Scene::new();
    let turn = scene.turn("before_turn", "cat > heard; pwd > where; env | cut -d= -f1 | sort > names", "", None);
    assert_eq!(turn.diagnostics, []);
    let received: Value = serde_json::from_slice(&fs::read(scene.path("p/heard")).unwrap()).unwrap();
    let root = scene.path("p").display().to_string();
    let digest = turn.epoch.unwrap().digest().to_string();
    assert_eq!(
        received,
        json!({
            "version": 1, "on": "before_turn", "hook": "h", "conversation": "c", "cwd": root,
            "root": root, "model": null, "epoch": {"number": 1, "cause": "opened", "digest": digest},
            "system": {"prefix": "Base.\n", "suffix": ""},
        })
    );
    assert_eq!(fs::read_to_string(scene.path("p/where")).unwrap().trim(), root);
    let names = fs::read_to_string(scene.path("p/names")).unwrap();
    let allowed = [
        "ANTEFIX_HOOK",
        "ANTEFIX_RUN",
        "HOME",
        "LANG",
        "LC_ALL",
        "LC_CTYPE",
        "LOGNAME",
        "PATH",
        "PWD",
        "OLDPWD",
        "PYTHONDONTWRITEBYTECODE",
        "SHLVL",
        "TMPDIR",
        "TZ",
        "USER",
        "XDG_RUNTIME_DIR",
        "_",
    ];
    assert!(names.contains("ANTEFIX_HOOK\n") && names.lines().all(|name| allowed.contains(&name)), "{names}");
    assert!(std::env::vars_os().any(|(name, _)| name == "CARGO_MANIFEST_DIR"), "there is nothing to leak");
}

#[test]
fn a_relative_program_lies_beside_its_layout_and_nowhere_else() {
    let scene = Scene::new();
    let script = |name: &str, words: &str| {
        use std::os::unix::fs::PermissionsExt;
        let path = scene.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, format!("#!/bin/sh\necho '{{\"append\": \"{words}\"}}'\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    };
    script("p/bin/say", "the project's");
    let turn = scene.turn_with("[[hook]]\non = \"before_turn\"\ncommand = [\"bin/say\"]", None);
    assert_eq!((turn.system().as_str(), turn.diagnostics.len()), ("Base.\n", 1));
    script("own/bin/say", "mine");
    let turn = scene.turn_with("[[hook]]\non = \"before_turn\"\ncommand = [\"bin/say\"]", None);
    assert_eq!(turn.system(), "Base.\nmine");
    let turn = scene.turn_with("[[hook]]\non = \"before_turn\"\ncommand = [\"surely-not-installed\"]", None);
    assert_eq!(
        turn.diagnostics[0].message,
        "hook `surely-not-installed` (before_turn) is skipped: `surely-not-installed` is not installed"
    );
}

#[test]
fn a_file_of_the_project_is_not_run_for_a_layout_of_the_users_own_either() {
    let scene = Scene::new();
    fs::write(scene.path("p/hook.sh"), "touch canary\n").unwrap();
    let absolute = scene.path("p/hook.sh").display().to_string();
    for command in [json!(["sh", "hook.sh"]), json!(["sh", absolute]), json!(["sh", "--rcfile=hook.sh", "./hook.sh"])] {
        let turn = scene.turn_with(&format!("[[hook]]\non = \"before_turn\"\ncommand = {command}"), None);
        assert_eq!(turn.diagnostics[0].code, Code::HookUntrusted, "{command}");
    }
    assert!(!Path::new(&scene.path("p/canary")).exists());
}
