//! Turns over HTTP are turns of the program.

use serde_json::{Value, json};

use crate::project;

const LAYOUT: &str = r#"
[instructions]
global = "none"
[[section]]
id = "files"
stability = "frozen"
only_if = ["instructions:files"]
on_drift = "amend"
text = "{% for one in instructions.files %}{{ one.body }}{% endfor %}"
[[section]]
id = "now"
stability = "live"
joint = "paragraph"
text = "{{ system.date }} {{ git.branch }}"
"#;

#[test]
fn the_same_inputs_give_the_same_bytes_as_the_command() {
    let scratch = project();
    scratch.write("home/layout.toml", LAYOUT);
    let tools = r#"[{"name":"read","description":"Read a file","parameters":{"type":"object"}},"bash"]"#;
    scratch.write("home/tools.json", tools);
    scratch.write("home/messages.json", r#"[{"role":"user","content":"hello"}]"#);
    let path = |name: &str| scratch.path(name).display().to_string();
    let (layout, store) = (path("home/layout.toml"), format!("sqlite:{}", path("home/cli.db")));
    let server = scratch.serve_with(&["--layout", &layout]);
    let (tools_file, messages) = (path("home/tools.json"), path("home/messages.json"));
    for (number, target) in ["plain", "anthropic", "openai-chat", "gemini"].into_iter().enumerate() {
        if number == 2 {
            scratch.write("p/AGENTS.md", "Use spaces.\n");
        }
        let body = json!({
            "model": "claude-opus-5", "now": "2026-11-16T08:00:00Z", "set": {"git:branch": "main"}, "target": target, "turn": "t",
            "cwd": path("p"), "tools": serde_json::from_str::<Value>(tools).unwrap(),
            "messages": [{"role": "user", "content": "hello"}],
        });
        let mut args = vec!["turn", "c", "--json", "--layout", &layout, "--store", &store, "--model", "claude-opus-5"];
        args.extend(["--now", "2026-11-16T08:00:00Z", "--set", "git:branch=main", "--for", target, "--turn", "t"]);
        args.extend(["--tools", &tools_file, "--messages", &messages]);
        let printed = scratch.print(&args);
        let answered = server.post("/conversations/c/turns", &body.to_string()).ok();
        assert_eq!(answered.body, printed, "{target}");
        if number == 2 {
            assert_eq!(answered.json()["amendments"].as_array().unwrap().len(), 1);
        }
    }
}

#[test]
fn a_conversation_keeps_its_bytes_and_its_place() {
    let scratch = project();
    scratch.directory("p/deep");
    let server = scratch.serve();
    let first = server.post("/conversations/c/turns", r#"{"cwd":"deep"}"#).ok().json();
    assert_eq!((&first["began"], &first["epoch"]["cause"]), (&json!(true), &json!("opened")));
    scratch.write("p/AGENTS.md", "Use spaces.\n");
    server.put("/system-prompt", r#"{"template":"other"}"#).ok();
    // Without a directory it stays where it is.
    let second = server.post("/conversations/c/turns", "{}").ok().json();
    assert_eq!((&second["prefix"], &second["began"]), (&first["prefix"], &json!(false)));
    let moved = server.post("/conversations/c/turns", r#"{"cwd":"."}"#).ok().json();
    assert_eq!((&moved["epoch"]["number"], &moved["epoch"]["cause"]), (&json!(2), &json!("moved")));
    assert_eq!(moved["prefix"], "other");
}

#[test]
fn who_asks_for_less_is_told_less() {
    let scratch = project();
    let server = scratch.serve();
    server.post("/conversations/c/turns", "{}").ok();
    scratch.write("p/AGENTS.md", "Use spaces.\n");
    let pending =
        |body: &str| server.post("/conversations/c/turns", body).ok().json()["pending"].as_array().unwrap().len();
    assert_eq!((pending("{}"), pending(r#"{"watch":"all"}"#), pending(r#"{"watch":"acting"}"#)), (1, 1, 0));
}

#[test]
fn who_prefers_a_minimal_answer_gets_all_but_the_texts_that_the_fragment_has() {
    let scratch = project();
    let server = scratch.serve();
    let minimal = [("prefer", "return=minimal")];
    let body = |target: &str| {
        json!({"target": target, "turn": "t", "now": "2026-11-16T08:00:00Z", "messages": [{"role": "user", "content": "hello"}]})
            .to_string()
    };
    server.post("/conversations/c/turns", "{}").ok();
    for target in ["anthropic", "openai-chat", "openai-responses", "gemini", "bedrock", "ollama", "acp"] {
        let mut all = server.post("/conversations/c/turns", &body(target)).ok().json();
        let less = server.send_with("POST", "/conversations/c/turns", &minimal, &body(target)).ok();
        assert_eq!(less.header("preference-applied"), Some("return=minimal"), "{target}");
        let members = all.as_object_mut().unwrap();
        assert!(members.remove("prefix").is_some() && members.remove("suffix").is_some(), "{target}");
        assert_eq!(less.json(), all, "{target}");
    }
    // Without a fragment there is nothing that has them.
    let all = server.post("/conversations/c/turns", &body("plain")).ok();
    let same = server.send_with("POST", "/conversations/c/turns", &minimal, &body("plain")).ok();
    assert_eq!((same.header("preference-applied"), &same.body), (None, &all.body));
}

#[test]
fn an_override_is_sent_as_it_is_and_nothing_is_stored() {
    let scratch = project();
    let server = scratch.serve();
    let turn = server.post("/conversations/c/turns", r#"{"override":"x","target":"anthropic"}"#).ok().json();
    assert_eq!(turn["prefix"], "x");
    let turn = server.post("/conversations/c/turns", r#"{"override":"","target":"anthropic"}"#).ok().json();
    assert_eq!((&turn["prefix"], &turn["fragment"]), (&json!(""), &json!({})));
    assert_eq!(server.get("/conversations/c").status, 404);
}

#[test]
fn a_queued_message_goes_with_one_turn_and_again_with_the_same() {
    let scratch = project();
    let server = scratch.serve();
    let queued = server.post("/conversations/c/messages", r#"{"message":"be brief"}"#);
    assert_eq!((queued.status, &queued.json()["number"]), (201, &json!(1)));
    let texts = |body: &str| -> Vec<String> {
        let turn = server.post("/conversations/c/turns", body).ok().json();
        turn["messages"].as_array().unwrap().iter().map(|one| one["text"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(texts(r#"{"turn":"a"}"#), ["be brief"]);
    assert_eq!(texts(r#"{"turn":"a"}"#), ["be brief"]);
    assert_eq!(texts(r#"{"turn":"b"}"#), [""; 0]);
}

#[test]
fn racing_first_turns_get_one_epoch_from_two_servers() {
    let scratch = project();
    let servers = [scratch.serve(), scratch.serve()];
    servers[0].put("/system-prompt", r#"{"template":"[system:time]"}"#).ok();
    let answers: Vec<Value> = std::thread::scope(|scope| {
        let turn = |number: usize| servers[number % 2].post("/conversations/c/turns", "{}").ok().json();
        let turns: Vec<_> = (0..16).map(|number| scope.spawn(move || turn(number))).collect();
        turns.into_iter().map(|turn| turn.join().unwrap()).collect()
    });
    assert!(answers.iter().all(|answer| answer["prefix"] == answers[0]["prefix"]), "{answers:?}");
    assert_eq!(answers.iter().filter(|answer| answer["began"] == true).count(), 1);
}

#[test]
fn what_cannot_be_done_is_told_with_the_field() {
    let scratch = project();
    let server = scratch.serve();
    let table = [
        ("{", 400, "Invalid JSON body"),
        ("[]", 400, "Request body must be a JSON object"),
        (r#"{"mdoel":"x"}"#, 400, "There is no field 'mdoel' here"),
        (r#"{"target":"cobol"}"#, 400, "There is no target 'cobol'"),
        (r#"{"set":{"git:brnch":"x"}}"#, 400, "The catalog has no `git:brnch`"),
        (r#"{"tools":[""]}"#, 400, "The body has a field that cannot be read: `tools[0]`: the tool has no name"),
        (r#"{"layout":"../x.toml"}"#, 404, "there is no layout `../x.toml`"),
        (r#"{"watch":"nothing"}"#, 400, "Field 'watch' must be 'all' or 'acting'"),
    ];
    for (body, status, error) in table {
        let reply = server.post("/conversations/c/turns", body);
        assert_eq!((reply.status, reply.error().as_str()), (status, error), "{body}");
    }
    for body in [r#"{"model":7}"#, r#"{"now":"yesterday"}"#, r#"{"tools":[7]}"#, r#"{"messages":{}}"#] {
        assert_eq!(server.post("/conversations/c/turns", body).status, 400, "{body}");
    }
    for id in ["%20x", "x%0a", &"y".repeat(201)] {
        assert_eq!(server.post(&format!("/conversations/{id}/turns"), "{}").status, 400, "{id}");
    }
    server.post("/conversations/a%2Fb%23%C3%A9/turns", "{}").ok();
    assert_eq!(server.get("/conversations/a%2Fb%23%C3%A9").ok().json()["conversation"], "a/b#é");
}

/// What lies around is kept from turn to turn, and every change in it counts with the next one.
#[test]
fn what_changes_around_counts_at_once() {
    let scratch = project();
    scratch.directory("home/.config/antefix");
    scratch.directory("p/.antefix/prompts");
    let layout = |words: &str| {
        let sections = r#"
            [[section]]
            id = "base"
            stability = "frozen"
            text = "WORDS {{ env['PLACE'] | default('nowhere') }} {{ tools.guidelines | default('') }} {% include '$workspace/part' %}"
        "#;
        scratch.write("home/layout.toml", &sections.replace("WORDS", words));
    };
    layout("One");
    scratch.write("p/.antefix/prompts/part.md", "a part");
    let path = scratch.path("home/layout.toml").display().to_string();
    let mut command = scratch.command(&["serve", "--listen", "127.0.0.1:0", "--layout", &path]);
    command.env("PLACE", "here");
    let server = scratch.start_server(command);
    let mut opened = 0;
    let mut open = || {
        opened += 1;
        let answer = server.post(&format!("/conversations/c{opened}/turns"), r#"{"tools":["read"]}"#).ok().json();
        answer["prefix"].as_str().unwrap().to_owned()
    };
    let first = open();
    assert!(first.starts_with("One nowhere ") && first.ends_with(" a part"), "{first}");
    assert_eq!(open(), first);
    scratch.write("p/.antefix/prompts/part.md", "another part");
    assert!(open().ends_with(" another part"));
    layout("Two");
    assert!(open().starts_with("Two nowhere "));
    scratch.write("home/.config/antefix/settings.toml", "env_allow = [\"PLACE\"]\n");
    assert!(open().starts_with("Two here "));
    let guideline = open().contains("Mine.");
    scratch.write("p/.antefix/wording.toml", "[wording]\nguideline_brief = \"Mine.\"\n");
    assert!(!guideline && open().contains("Mine."));
    scratch.remove("p/.antefix/wording.toml");
    assert!(!open().contains("Mine."));
}

#[test]
fn queued_messages_have_a_limit_together() {
    let scratch = project();
    let server = scratch.serve();
    server.post("/conversations/c/turns", "{}").ok();
    let message = |bytes: usize| json!({"message": "x".repeat(bytes)}).to_string();
    assert_eq!(server.post("/conversations/c/messages", &message(8_000_000)).status, 201);
    let refused = server.post("/conversations/c/messages", &message(400_000));
    assert_eq!((refused.status, &refused.json()["type"]), (409, &json!("urn:antefix:full")), "{refused:?}");
    assert_eq!(
        refused.json()["error"],
        "c has 8000000 bytes of messages and notices, and with this one more than 8388608"
    );
    // Less still fits, another conversation has room of its own, and turns go on.
    assert_eq!(server.post("/conversations/c/messages", &message(300_000)).status, 201);
    assert_eq!(server.post("/conversations/d/messages", &message(400_000)).status, 201);
    server.post("/conversations/c/turns", "{}").ok();
    let ran = scratch.run_with(&["send", "c", &"x".repeat(100_000)], "");
    assert!(ran.code != 0 && ran.stderr.contains("compact the conversation"), "{ran:?}");
}
