//! What past sessions cost, as a person asks for it: transcripts in a home, a real repository, made-up bills.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on says so by failing")]

use antefix_testing::Scratch;
use serde_json::{Value, json};

/// A line of Claude Code.
fn claude(session: &str, id: &str, at: &str, model: &str, (read, write): (usize, usize)) -> String {
    let usage = json!({"input_tokens": 3, "cache_read_input_tokens": read, "cache_creation_input_tokens": write, "output_tokens": 100});
    let line = json!({"type": "assistant", "requestId": id, "timestamp": format!("2026-11-16T{at}Z"), "sessionId": session, "cwd": "/home/u/api",
        "version": "2.1.325", "promptCacheRequested": "5m", "message": {"id": id, "model": model, "usage": usage}});
    format!("{line}\n")
}

/// A line of pi.
fn pi(id: &str, parent: Option<&str>, millis: i64, (read, write): (usize, usize)) -> String {
    let usage = json!({"input": 1, "output": 50, "cacheRead": read, "cacheWrite": write});
    let message =
        json!({"role": "assistant", "model": "claude-sonnet-5", "responseId": id, "usage": usage, "timestamp": millis});
    format!("{}\n", json!({"type": "message", "id": id, "parentId": parent, "message": message}))
}

fn scratch() -> Scratch {
    let scratch = Scratch::new(env!("CARGO_BIN_EXE_antefix"));
    let session = [
        claude("s", "m1", "10:00:02", "claude-opus-5-5", (0, 12_000)),
        claude("s", "m1", "10:00:03", "claude-opus-5-5", (0, 12_000)),
        claude("s", "m2", "10:00:09", "claude-opus-5-5", (12_000, 90)),
        claude("s", "m3", "10:07:12", "claude-opus-5-5", (0, 12_160)),
        claude("s", "m4", "10:08:00", "model-of-tomorrow", (0, 12_210)),
        "half a line\n".to_owned(),
    ];
    scratch.file("home/.claude/projects/-home-u-api/s.jsonl", &session.concat())
}

#[test]
fn one_screen_says_what_was_spent_what_was_paid_twice_and_why() {
    let said = scratch().ok(&["audit"]).stdout;
    for expected in [
        "4 requests from 2026-11-16 to 2026-11-16, in 1 transcript\n",
        "idle for longer than the cache lives",
        "another model was chosen",
        "/home/u/api",
        "no price is known for model-of-tomorrow (1): not counted above",
        "1 of 6 lines were not understood",
        "from caches     24.7 %",
        "prices of 2026-",
    ] {
        assert!(said.contains(expected), "{expected}: {said}");
    }
    // 3·4 + 12,000·5 + 100·20; 3·4 + 12,000·0.2 + 90·5 + 100·20; 3·4 + 12,160·5 + 100·20: 129,686 micro-dollars.
    assert!(said.contains("    $0.13   48.4k tokens in, 400 out"), "{said}");
}

#[test]
fn documents_have_the_same_figures_and_ranges_narrow_them() {
    let scratch = scratch();
    let document = |args: &[&str]| -> Value {
        serde_json::from_str(&scratch.ok(&[&["audit", "--json"][..], args].concat()).stdout).unwrap()
    };
    let all = document(&[]);
    assert_eq!((all["total"]["requests"].as_u64(), all["total"]["cost"].as_str()), (Some(4), Some("$0.129686")));
    let codes: Vec<&str> =
        all["by_cause"].as_array().unwrap().iter().map(|cause| cause["code"].as_str().unwrap()).collect();
    assert_eq!(codes, ["lifetime_passed", "model_changed"]);
    assert_eq!(all["by_cause"][0]["cost"], "$0.058032");
    assert_eq!(document(&["--since", "2026-11-17"])["total"]["requests"], 0);
    assert_eq!(document(&["--agent", "codex"])["total"]["requests"], 0);
    assert_eq!(document(&["--project", "."])["total"]["requests"], 0);
    let csv = scratch.ok(&["audit", "--csv"]).stdout;
    assert!(csv.starts_with("table,name,requests,"), "{csv}");
    assert!(csv.contains("\nproject,/home/u/api,4,"), "{csv}");
    assert!(csv.contains("\ncause,lifetime_passed,0,0,0,0,0,0.00,1,12090,0.058032\n"), "{csv}");
}

#[test]
fn an_edit_of_instructions_is_named_with_its_line_and_commit() {
    let scratch = Scratch::new(env!("CARGO_BIN_EXE_antefix"));
    let git = |args: &[&str], at: &str| {
        let mut command = scratch.other_program("git");
        let who = ["-c", "user.name=u", "-c", "user.email=u@example.com"];
        command.args(who).args(args).env("GIT_AUTHOR_DATE", at).env("GIT_COMMITTER_DATE", at);
        let output = command.output().unwrap();
        assert!(output.status.success(), "{output:?}");
    };
    scratch.write("p/AGENTS.md", "# Rules\n\nUse tabs.\n");
    git(&["init", "-q"], "2026-11-16T09:00:00Z");
    git(&["add", "."], "2026-11-16T09:00:00Z");
    git(&["commit", "-qm", "one"], "2026-11-16T09:00:00Z");
    scratch.write("p/AGENTS.md", "# Rules\n\nUse spaces.\n");
    git(&["commit", "-qam", "two"], "2026-11-16T10:01:00Z");
    let project = scratch.path("p");
    // 10:00:00, 10:02:00 and 10:02:30 of that day.
    let session = [
        format!("{}\n", json!({"type": "session", "version": 3, "id": "s", "cwd": project})),
        pi("a", None, 1_794_823_200_000, (0, 14_000)),
        pi("b", Some("a"), 1_794_823_320_000, (0, 14_030)),
        pi("c", Some("b"), 1_794_823_350_000, (14_030, 20)),
    ];
    scratch.write("home/.pi/agent/sessions/--p--/1_s.jsonl", &session.concat());
    let said = scratch.ok(&["audit"]).stdout;
    assert!(said.contains("AGENTS.md:3, commit ") && said.contains(": 1 session "), "{said}");
}

#[test]
fn where_nothing_is_found_the_places_are_named() {
    let said = Scratch::new(env!("CARGO_BIN_EXE_antefix")).ok(&["audit"]).stdout;
    assert!(
        said.starts_with(
            "no requests were found; looked for transcripts of Claude Code (~/.claude/projects), Codex CLI"
        ),
        "{said}"
    );
}
