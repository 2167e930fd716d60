//! Ledgers over HTTP: out of a store, into another one, and gone.

use antefix_testing::{Reply, Server};
use serde_json::{Value, json};

use crate::project;

fn import(server: &Server, lines: &str) -> Reply {
    let (host, token) = (server.host(), format!("Bearer {}", server.token));
    let headers = [("host", host.as_str()), ("authorization", &token), ("content-type", "application/jsonl")];
    server.bare("POST", "/import", &headers, lines)
}

#[test]
fn an_export_is_what_the_program_writes_however_long_it_is() {
    let scratch = project();
    let server = scratch.serve();
    server.post("/conversations/c/turns", r#"{"tools": ["read"], "model": "claude-opus-5"}"#).ok();
    // Several pages of epochs, each with bytes of its own.
    for number in 0..45 {
        let template = json!({"template": format!("Be {number}. {}", "x".repeat(2_000))});
        server.put("/system-prompt", &template.to_string()).ok();
        server.post("/conversations/c/renewals", "{}").ok();
    }
    server.post("/conversations/c/messages", r#"{"message": "hello"}"#).ok();
    let reply = server.get("/conversations/c/export").ok();
    assert_eq!(reply.header("content-type"), Some("application/jsonl"));
    // It is sent before it is all there.
    assert_eq!((reply.header("transfer-encoding"), reply.header("content-length")), (Some("chunked"), None));
    assert!(reply.body == scratch.ok(&["export", "c"]).stdout);
    assert_eq!(reply.body.lines().filter(|line| line.starts_with("{\"epoch\"")).count(), 46);
}

#[test]
fn an_import_takes_in_all_of_a_document_or_nothing_and_twice_is_once() {
    let (here, there) = (project(), project());
    let (from, to) = (here.serve(), there.serve());
    for id in ["a", "b"] {
        from.post(&format!("/conversations/{id}/turns"), "{}").ok();
    }
    from.post("/conversations/a/messages", r#"{"message": "hello"}"#).ok();
    let lines = ["a", "b"].map(|id| from.get(&format!("/conversations/{id}/export")).ok().body).concat();

    // The second one has no name.
    let refused = import(&to, &lines.replace("\"conversation\":\"b\"", "\"conversation\":\"\""));
    assert_eq!(refused.status, 422, "{refused:?}");
    assert_eq!(refused.json()["hint"], "nothing was imported; the store is as it was");
    assert_eq!(to.get("/conversations").ok().json(), json!({"conversations": []}));

    let imported = |epochs: u64, known: u64, messages: u64| {
        json!({"conversations": [
            {"conversation": "a", "epochs": epochs, "known": known, "messages": messages},
            {"conversation": "b", "epochs": epochs, "known": known, "messages": 0},
        ]})
    };
    assert_eq!(import(&to, &lines).ok().json(), imported(1, 0, 1));
    assert_eq!(["a", "b"].map(|id| to.get(&format!("/conversations/{id}/export")).ok().body).concat(), lines);
    let texts =
        |turn: Value| turn["messages"].as_array().unwrap().iter().map(|one| one["text"].clone()).collect::<Vec<_>>();
    let turn = || to.post("/conversations/a/turns", &json!({"cwd": there.path("p")}).to_string()).ok().json();
    assert_eq!(texts(turn()), Vec::from([json!("hello")]));
    // What was delivered is not delivered again.
    assert_eq!(import(&to, &lines).ok().json(), imported(0, 1, 0));
    assert_eq!(texts(turn()), Vec::<Value>::new());

    // Another history of the same name stays what it is, and the other ledger is not taken in either.
    let elsewhere = project();
    let other = elsewhere.serve();
    other.put("/system-prompt", r#"{"template": "Something else."}"#).ok();
    other.post("/conversations/b/turns", "{}").ok();
    let before = other.get("/conversations/b/export").ok().body;
    let refused = import(&other, &lines);
    assert_eq!((refused.status, refused.error().as_str()), (409, "the store has another epoch 1 of b"));
    assert_eq!(refused.header("retry-after"), None);
    assert_eq!(other.get("/conversations/b/export").ok().body, before);
    assert_eq!(other.get("/conversations/a").status, 404);
}

#[test]
fn an_import_names_no_file_outside_the_roots() {
    let (here, there) = (project(), project());
    here.write("secret.toml", "[[section]]\nid = 'base'\nstability = 'fixed'\ntext = 'Outside.'\n");
    let layout = here.path("secret.toml").display().to_string();
    here.ok(&["turn", "c", "--layout", &layout]);
    let lines = here.ok(&["export", "c"]).stdout;
    let server = there.serve();
    let refused = import(&server, &lines);
    assert_eq!(refused.status, 422);
    assert!(refused.error().contains("secret.toml, which may not be named here"), "{}", refused.error());
    // The program may: whoever runs it may read the file.
    there.write("ledger.jsonl", &lines);
    there.ok(&["import", &there.path("ledger.jsonl").display().to_string()]);
}

#[test]
fn an_import_is_bounded_and_is_json_lines() {
    let scratch = project();
    let server = scratch.serve_with(&["--body-limit", "1000"]);
    let refused = import(&server, &"x".repeat(1_001));
    assert_eq!((refused.status, refused.error().as_str()), (413, "The body is larger than 1000 bytes"));
    for kind in ["application/json", "text/plain", "application/x-www-form-urlencoded"] {
        let (host, token) = (server.host(), format!("Bearer {}", server.token));
        let headers = [("host", host.as_str()), ("authorization", &token), ("content-type", kind)];
        assert_eq!(server.bare("POST", "/import", &headers, "{}").status, 415, "{kind}");
    }
}

#[test]
fn what_the_provider_billed_is_explained_as_the_program_does() {
    let scratch = project();
    let server = scratch.serve();
    let turn = |text: &str| {
        server
            .put("/system-prompt", &json!({"template": format!("{text}. {}", "word ".repeat(3_000))}).to_string())
            .ok();
        server.post("/conversations/c/renewals", r#"{"model": "claude-opus-5"}"#);
        server.post("/conversations/c/turns", r#"{"model": "claude-opus-5", "target": "anthropic"}"#).ok().json()
    };
    let (first, second) = (turn("One"), turn("Two"));
    let usage =
        json!({"usage": {"input_tokens": 5, "cache_read_input_tokens": 0, "cache_creation_input_tokens": 3_000}});
    scratch.write("p/1.json", &first.to_string());
    scratch.write("p/2.json", &second.to_string());
    let program = |args: &[&str]| scratch.ok_with(&[&["why", "--json"][..], args].concat(), &usage.to_string()).stdout;
    let rows = [
        (json!({"receipt": first}), vec!["--receipt", "1.json"]),
        (
            json!({"receipt": second["receipt"], "before": first["receipt"]}),
            vec!["--receipt", "2.json", "--before", "1.json"],
        ),
        (
            json!({"receipt": second, "before": first, "conversation": "c", "elapsed": 60}),
            vec!["--receipt", "2.json", "--before", "1.json", "--conversation", "c", "--elapsed", "60s"],
        ),
        (
            json!({"conversation": "c", "target": "anthropic", "epochs": [1, 2], "model": "claude-opus-4-8"}),
            vec!["--conversation", "c", "--for", "anthropic", "--epochs", "1", "2", "--model", "claude-opus-4-8"],
        ),
        (
            json!({"conversation": "c", "target": "anthropic", "model": "nobody-knows"}),
            vec!["--conversation", "c", "--for", "anthropic", "--model", "nobody-knows"],
        ),
    ];
    for (mut body, args) in rows {
        body["usage"] = usage.clone();
        let reply = server.post("/why", &body.to_string()).ok();
        assert_eq!(reply.body, program(&args), "{args:?}");
    }
    let unknown = json!({"usage": usage, "conversation": "c", "target": "anthropic", "model": "nobody-knows"});
    let found = server.post("/why", &unknown.to_string()).ok().json();
    assert_eq!(found["diagnostics"][0]["code"], "unknown-model");
    for (body, status, says) in [
        (json!({"usage": usage}), 422, "it is not known which turn it was"),
        (json!({"usage": usage, "conversation": "c"}), 422, "an epoch does not know where it was sent"),
        (json!({"usage": usage, "conversation": "d", "target": "anthropic"}), 404, "there is no conversation \"d\""),
        (json!({"usage": {"tokens": 3}, "receipt": first}), 422, "not a usage block"),
        (json!({"usage": usage, "receipt": {"version": 99}}), 422, "the receipt has version 99"),
        (json!({"usage": usage, "receipt": first, "target": "gemini"}), 422, "the receipt is for anthropic"),
        (json!({"usage": usage, "receipt": first, "target": "smoke"}), 400, "There is no target 'smoke'"),
        (json!({"receipt": first}), 400, "missing field `usage`"),
    ] {
        let reply = server.post("/why", &body.to_string());
        assert_eq!(reply.status, status, "{body}");
        assert!(reply.error().contains(says), "{}", reply.error());
    }
}

#[test]
fn two_requests_are_compared_as_the_program_compares_them() {
    let scratch = project();
    scratch.write("p/AGENTS.md", "# Rules\n\nUse spaces in all of the files.\n");
    let server = scratch.serve();
    let body = |word: &str| {
        let system = format!("{}# Rules\n\nUse {word} in all of the files.\n", "Be kind to everybody. ".repeat(300));
        json!({"model": "claude-opus-5", "messages": [], "system": [{"type": "text", "text": system, "cache_control": {"type": "ephemeral"}}]})
    };
    let (before, now) = (body("tabs"), body("spaces"));
    scratch.write("p/1.json", &before.to_string());
    scratch.write("p/2.json", &now.to_string());
    let said = json!({"before": before, "now": now, "elapsed": 60, "cwd": scratch.path("p")});
    let reply = server.post("/why/requests", &said.to_string()).ok();
    let program = scratch.ok(&["why", "--requests", "1.json", "2.json", "--elapsed", "60s", "--json"]).stdout;
    assert_eq!(reply.body, program);
    let cause = &reply.json()["requests"][1]["judgment"]["causes"][0];
    assert_eq!((&cause["now"]["path"], &cause["now"]["lines"]), (&json!("AGENTS.md"), &json!([3, 3])));
    for (body, status, says) in [
        (json!({"before": {}}), 400, "missing field `now`"),
        (json!({"now": {"foo": 1}}), 422, "not a request of a provider that antefix knows"),
        (json!({"now": now, "usage": {"tokens": 3}}), 422, "not a usage block"),
        (json!({"now": now, "target": "smoke"}), 400, "There is no target 'smoke'"),
        (json!({"now": now, "cwd": "/"}), 403, "not under"),
    ] {
        let reply = server.post("/why/requests", &body.to_string());
        assert_eq!(reply.status, status, "{body}: {}", reply.body);
        assert!(reply.error().contains(says), "{}", reply.error());
    }
}

#[test]
fn trust_can_be_read_and_not_given() {
    let scratch = project();
    scratch.directory("p/.antefix");
    let layout = "[[section]]\nid = 'base'\nstability = 'fixed'\ntext = 'Be brief.'\n\n[[hook]]\nname = 'note'\n\
                  on = 'opened'\ncommand = ['sh', '.antefix/note.sh']\n";
    scratch.write("p/.antefix/layout.toml", layout);
    scratch.write("p/.antefix/note.sh", "echo ran > canary\n");
    let server = scratch.serve_exactly(&["--no-link"]);
    let read = || {
        let reply = server.get("/trust").ok();
        assert_eq!(reply.body, scratch.ok(&["trust", "--json"]).stdout);
        reply.json()
    };
    let state = read();
    assert_eq!((&state["trusted"], &state["hooks"][0]["state"]), (&json!(false), &json!("untrusted")));
    assert_eq!(state["hooks"][0]["command"], json!(["sh", ".antefix/note.sh"]));
    let files: Vec<&Value> = state["files"].as_array().unwrap().iter().map(|file| &file["file"]).collect();
    assert_eq!(files, [".antefix/layout.toml", ".antefix/note.sh"]);
    for method in ["POST", "PUT", "DELETE", "PATCH"] {
        assert_eq!(server.send_with(method, "/trust", &[], "{}").status, 405, "{method}");
    }
    assert_eq!(server.get("/trust?cwd=/").status, 403);
    assert_eq!(read(), state, "nothing has changed");
    scratch.ok(&["trust", "--yes"]);
    let state = read();
    assert_eq!((&state["trusted"], &state["hooks"][0]["state"]), (&json!(true), &json!("trusted")));
    scratch.write("p/.antefix/note.sh", "echo changed > canary\n");
    let state = read();
    assert_eq!(state["hooks"][0]["state"], "modified");
    assert_eq!(state["hooks"][0]["changes"], json!([".antefix/note.sh has changed"]));
    assert!(!scratch.path("p/canary").exists());
}
