//! The server remembers projects and texts that it has read, and no turn may be answered as it was before a change.

use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use crate::project;
use antefix_testing::{Scratch, Server};

/// The answer to a turn of a conversation in which nothing changes.
fn standing(scratch: &Scratch, server: &Server, body: &str) -> Value {
    let asked = || server.post("/conversations/c/turns", body).ok().body;
    asked();
    let stands = asked();
    for _ in 0..3 {
        assert_eq!(asked(), stands);
    }
    // A server that has just been started says the same.
    assert_eq!(fresh(scratch, body), stands);
    serde_json::from_str(&stands).unwrap()
}

/// What a server says that has just been started on the same store.
fn fresh(scratch: &Scratch, body: &str) -> String {
    scratch.serve().post("/conversations/c/turns", body).ok().body
}

#[track_caller]
fn assert_seen(scratch: &Scratch, server: &Server, body: &str, before: &Value, what: &str) -> Value {
    let now = server.post("/conversations/c/turns", body).ok();
    assert_ne!(now.json(), *before, "{what}");
    // What a turn takes or appends it says once.
    let again = server.post("/conversations/c/turns", body).ok().body;
    assert_eq!(fresh(scratch, body), again, "{what}");
    now.json()
}

#[test]
fn a_changed_file_is_seen_by_the_very_next_turn() {
    let scratch = project();
    let server = scratch.serve();
    let stands = standing(&scratch, &server, "{}");
    // As long as the text before it, and written at once.
    scratch.write("p/AGENTS.md", "Use TABS.\n");
    let now = assert_seen(&scratch, &server, "{}", &stands, "another text");
    assert_eq!((&now["prefix"], now["pending"].as_array().unwrap().len()), (&stands["prefix"], 1));
    scratch.write("p/AGENTS.md", "Use tabs.\n");
    assert_eq!(server.post("/conversations/c/turns", "{}").ok().json(), stands);
    scratch.remove("p/AGENTS.md");
    assert_seen(&scratch, &server, "{}", &stands, "no file");
    scratch.write("home/outside.md", "Use tabs.\n");
    symlink(scratch.path("home/outside.md"), scratch.path("p/AGENTS.md")).unwrap();
    assert_seen(&scratch, &server, "{}", &stands, "a link that leads out");
}

#[test]
fn what_others_write_into_the_store_is_seen_by_the_very_next_turn() {
    let scratch = project();
    let (server, other) = (scratch.serve(), scratch.serve());
    let stands = standing(&scratch, &server, "{}");
    other.post("/conversations/c/messages", r#"{"message":"look"}"#);
    let now = assert_seen(&scratch, &server, "{}", &stands, "a message");
    assert_eq!(now["messages"][0]["text"], "look");
    // It was new with that turn, and stays where it is from then on.
    let mut later = stands;
    later["insertions"] = json!([{"number": 1, "kind": "queued", "text": "look"}]);
    let stands = later;
    assert_eq!(server.post("/conversations/c/turns", "{}").ok().json(), stands);

    other.put("/system-prompt", r#"{"template":"other"}"#).ok();
    let now = assert_seen(&scratch, &server, "{}", &stands, "a template");
    assert_eq!(now["pending"][0]["kind"], "layout-changed");
    other.post("/conversations/c/renewals", "{}").ok();
    let now = assert_seen(&scratch, &server, "{}", &stands, "a renewal");
    assert_eq!((&now["epoch"]["number"], &now["prefix"]), (&json!(2), &json!("other")));
    let text =
        |server: &Server| server.send_with("GET", "/conversations/c/system-prompt", &[("accept", "text/plain")], "");
    assert_eq!(text(&server).ok().body, "other");
    other.put("/system-prompt", r#"{"template":"third"}"#).ok();
    scratch.print(&["renew", "c", "--layout", "dispatch"]);
    assert_ne!(text(&server).ok().body, "other");
    assert_eq!(text(&server).ok().body, text(&other).ok().body);
}

#[test]
fn a_text_that_a_saved_template_includes_is_seen_by_the_very_next_turn() {
    let scratch = project();
    scratch.directory("p/.antefix/prompts");
    scratch.write("p/.antefix/prompts/x.md", "one");
    let server = scratch.serve_exactly(&[]);
    let template = json!({"template": "Say {% include \"$workspace/x\" %}.", "dialect": "jinja"}).to_string();
    server.put("/system-prompt", &template).ok();
    let opened = |id: &str| server.post(&format!("/conversations/{id}/turns"), "{}");
    let first = opened("a").ok().json();
    assert!(first["prefix"].as_str().unwrap().starts_with("Say one."), "{first}");
    scratch.write("p/.antefix/prompts/x.md", "two");
    assert!(opened("b").ok().json()["prefix"].as_str().unwrap().starts_with("Say two."));
    assert_eq!(opened("a").ok().json()["pending"][0]["kind"], "layout-changed");
    scratch.remove("p/.antefix/prompts/x.md");
    assert_eq!(opened("c").status, 422);
    let goes_on = opened("a").ok().json();
    assert_eq!((&goes_on["prefix"], &goes_on["pending"][0]["kind"]), (&first["prefix"], &json!("unavailable")));
}

#[test]
fn what_others_write_for_other_conversations_changes_nothing() {
    let scratch = project();
    let (server, other) = (scratch.serve(), scratch.serve());
    let stands = standing(&scratch, &server, "{}");
    for number in 0..3 {
        other.post(&format!("/conversations/other-{number}/turns"), "{}").ok();
        assert_eq!(server.post("/conversations/c/turns", "{}").ok().json(), stands);
    }
}

#[test]
fn settings_trust_and_place_are_seen_by_the_very_next_turn() {
    let scratch = project();
    scratch.directory("home/.config/antefix");
    scratch.directory("p/deep");
    let server = scratch.serve();
    let stands = standing(&scratch, &server, r#"{"cwd":"."}"#);
    scratch.write("home/.config/antefix/settings.toml", "untrusted_text = \"withhold\"\n");
    let now = assert_seen(&scratch, &server, r#"{"cwd":"."}"#, &stands, "settings");
    assert_eq!(now["prefix"], stands["prefix"]);
    scratch.print(&["trust", "--yes"]);
    assert_eq!(server.post("/conversations/c/turns", r#"{"cwd":"."}"#).ok().json(), stands);
    scratch.write("home/.config/antefix/settings.toml", "untrusted_text = 1\n");
    let broken = server.post("/conversations/c/turns", r#"{"cwd":"."}"#).ok().json();
    assert_eq!(
        (&broken["prefix"], &broken["diagnostics"][0]["code"]),
        (&stands["prefix"], &json!("project-unreadable"))
    );
    assert_eq!(server.post("/conversations/new/turns", r#"{"cwd":"."}"#).status, 422, "nothing opens with it");
    scratch.remove("home/.config/antefix/settings.toml");

    // The same words for another place.
    let stands = standing(&scratch, &server, r#"{"cwd":"deep"}"#);
    std::fs::rename(scratch.path("p/deep"), scratch.path("p/deeper")).unwrap();
    assert_eq!(server.post("/conversations/c/turns", r#"{"cwd":"deep"}"#).status, 403);
    // With the same text it would be the same prompt: a prompt calls the place as the caller does.
    scratch.write("p/deeper/AGENTS.md", "Use spaces.\n");
    symlink(scratch.path("p/deeper"), scratch.path("p/deep")).unwrap();
    let now = assert_seen(&scratch, &server, r#"{"cwd":"deep"}"#, &stands, "a link to another place");
    assert_eq!((&now["epoch"]["cause"], &now["epoch"]["number"]), (&json!("moved"), &json!(3)));
    let prefix = now["prefix"].as_str().unwrap();
    assert!(prefix.contains("Use spaces.") && prefix.contains("/p/deep."), "{prefix}");
}

#[test]
fn what_differs_each_time_is_asked_for_each_time() {
    let scratch = project();
    let layout = "[[section]]\nid = \"a\"\nstability = \"frozen\"\ntext = \"x\"\n\
                  [[section]]\nid = \"b\"\nstability = \"live\"\ntext = \"{{ system.time }}\"\n";
    scratch.write("home/layout.toml", layout);
    let path = scratch.path("home/layout.toml").display().to_string();
    let server = scratch.serve_with(&["--layout", &path]);
    let suffix = || server.post("/conversations/c/turns", "{}").ok().json()["suffix"].clone();
    let first = suffix();
    let later = std::iter::repeat_with(|| {
        std::thread::sleep(std::time::Duration::from_millis(50));
        suffix()
    });
    assert!(later.take(100).any(|later| later != first), "{first}");
    // A turn with a name is another turn with another name, and the same one with the same.
    server.post("/conversations/c/messages", r#"{"message":"m"}"#);
    for _ in 0..3 {
        let named = server.post("/conversations/c/turns", r#"{"turn":"t"}"#).ok().json();
        assert_eq!(named["messages"][0]["text"], "m");
    }
    assert_eq!(server.post("/conversations/c/turns", r#"{"turn":"u"}"#).ok().json()["messages"], json!([]));
}

#[test]
fn many_at_once_never_get_an_answer_from_before_they_asked() {
    let scratch = project();
    let server = scratch.serve();
    standing(&scratch, &server, "{}");
    // While others ask all the time, whoever changes a file and asks gets an answer with the change in it.
    let done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                while !done.load(std::sync::atomic::Ordering::Relaxed) {
                    server.post("/conversations/c/turns", "{}").ok();
                }
            });
        }
        for number in 0..150 {
            let tabs = number % 2 == 0;
            scratch.write("p/AGENTS.md", if tabs { "Use tabs.\n" } else { "Use TABS.\n" });
            let pending = server.post("/conversations/c/turns", "{}").ok().json()["pending"].as_array().unwrap().len();
            if pending != usize::from(!tabs) {
                done.store(true, std::sync::atomic::Ordering::Relaxed);
                panic!("change {number} was not seen: {pending} pending");
            }
        }
        done.store(true, std::sync::atomic::Ordering::Relaxed);
    });
}
