//! What the document behind the layout `dispatch` says of HTTP.

use serde_json::{Value, json};

use crate::project;

/// D48, D49: the directory that counts is settled before the text is built, and what a turn answers is what is kept.
#[test]
fn a_turn_answers_what_is_kept_with_the_directory_in_full() {
    let scratch = project();
    scratch.directory("p/sub");
    let server = scratch.serve();
    server.put("/system-prompt", r#"{"template":"[prompt:conversation_id] in [prompt:cwd] with [prompt:model]"}"#).ok();
    let turn = server.post("/conversations/c/turns", r#"{"cwd":"sub","model":"m"}"#).ok().json();
    let expected = format!("c in {} with m", scratch.path("p/sub").display());
    assert_eq!(turn["prefix"], json!(expected));
    assert_eq!(server.get("/conversations/c/system-prompt").ok().json()["prefix"], json!(expected));
}

/// D32: a conversation that never had a text has none.
#[test]
fn what_was_never_built_is_not_there() {
    let scratch = project();
    let server = scratch.serve();
    let reply = server.get("/conversations/unknown/system-prompt");
    assert_eq!((reply.status, reply.json().get("prefix")), (404, None));
}

/// D40, D52, D53: the template is read and written as a member of an object.
#[test]
fn the_template_is_a_member_of_an_object() {
    let scratch = project();
    let server = scratch.serve();
    let read = server.get("/system-prompt").ok().json();
    assert!(read["template"].as_str().unwrap().contains("[if file:AGENTS.md]"), "{read}");
    let body = r#"{"template":"Be brief."}"#;
    assert_eq!(server.put("/system-prompt", body).ok().json()["template"], "Be brief.");
    assert_eq!(server.get("/system-prompt").ok().json()["template"], "Be brief.");
}

/// D24, D47, D54: the list of variables. Of the types that the document has, `file` alone is dynamic.
#[test]
fn the_variables_are_listed_and_files_are_dynamic() {
    let scratch = project();
    let server = scratch.serve();
    let listed = server.get("/system-prompt/variables").ok().json();
    let mut found = Vec::new();
    for row in listed["variables"].as_array().unwrap() {
        assert!(row["description"].as_str().is_some_and(|text| !text.is_empty()), "{row}");
        let key = format!("{}:{}", row["type"].as_str().unwrap(), row["name"].as_str().unwrap());
        found.push((key, row.get("dynamic").cloned()));
    }
    let documented = [
        "system:time",
        "system:date",
        "system:os",
        "system:hostname",
        "prompt:cwd",
        "prompt:model",
        "prompt:conversation_id",
        "git:branch",
        "git:status",
    ];
    for key in documented {
        assert!(found.contains(&(key.to_owned(), None)), "{key}: {found:?}");
    }
    assert!(found.contains(&("file:<path>".to_owned(), Some(Value::Bool(true)))), "{found:?}");
}

/// D53: a misspelled field is not left out silently; what was read with the template may be sent back with it.
#[test]
fn a_misspelled_field_is_refused_and_what_was_read_may_be_sent_back() {
    let scratch = project();
    let server = scratch.serve();
    let refused = server.put("/system-prompt", r#"{"template":"x","dialct":"jinja"}"#);
    assert_eq!((refused.status, refused.error().as_str()), (400, "There is no field 'dialct' here"));
    assert_eq!(server.get("/system-prompt").ok().json()["from"], "layout");
    for text in ["one", "two"] {
        let mut read = server.get("/system-prompt").ok().json();
        read["template"] = json!(text);
        assert_eq!(server.put("/system-prompt", &read.to_string()).ok().json()["template"], text);
    }
}

#[test]
fn what_says_nothing_is_refused() {
    let scratch = project();
    let server = scratch.serve();
    let rows = [
        ("turns", json!({"model": ""}), "`model` is empty"),
        ("turns", json!({"machine": ""}), "`machine` is empty"),
        ("turns", json!({"messages": [{"role": "user", "content": "hi"}, 1]}), "`messages[1]` is not an object"),
        ("compaction", json!({"model": ""}), "`model` is empty"),
        ("messages", json!({"message": ""}), "Field 'message' must not be empty"),
    ];
    for (route, body, error) in rows {
        let reply = server.post(&format!("/conversations/c/{route}"), &body.to_string());
        assert_eq!((reply.status, reply.error().as_str()), (400, error), "{route} {body}");
    }
    assert_eq!(server.get("/conversations/c").status, 404);
}
