//! Every step of the ladder: the canary reaches exactly one place.

use serde_json::{Value, json};

use super::{PREFIX, Proxied as _, project, texts};

const BASE_BLOCK: &str = "[Base]\nCANARY-7c1 base.";

/// What an agent says of itself.
fn agent(name: &str, capabilities: Value) -> Value {
    json!({"agent": {"name": name, "version": "1.0.0"}, "capabilities": capabilities})
}

#[test]
fn an_agent_that_announces_the_field_gets_it() {
    let scratch = project();
    let mut client = scratch.start(&[], &agent("any", json!({"systemPrompt": {}})));
    client.initialize();
    assert_eq!(client.ask("session/new", &scratch.new_session())["result"]["sessionId"], "s1");
    client.prompt("s1", "hello");
    let (status, reported) = client.leave();
    assert!(status.success(), "{reported}");
    let received = scratch.received("session/new");
    let expected = json!({"mode": "append", "content": [{"type": "text", "text": PREFIX}]});
    assert_eq!(received["params"]["systemPrompt"], expected);
    assert_eq!(received["params"].get("_meta"), None);
    assert_eq!(texts(&scratch.received("session/prompt")), ["hello"]);
    assert_eq!(scratch.canaries(), 1);
    assert_eq!(scratch.epoch("acp:any:s1").as_deref(), Some(PREFIX));
    assert!(
        reported.contains("acp:any:s1") && reported.contains("by way of field: it announces systemPrompt"),
        "{reported}"
    );
}

#[test]
fn override_is_sent_to_whoever_announces_it_and_to_nobody_else() {
    for (capability, mode) in [(json!({"mode": {"override": {}}}), "override"), (json!({}), "append")] {
        let scratch = project();
        let mut client = scratch.start(&["--override"], &agent("any", json!({"systemPrompt": capability})));
        client.initialize();
        client.ask("session/new", &scratch.new_session());
        client.leave();
        assert_eq!(scratch.received("session/new")["params"]["systemPrompt"]["mode"], mode);
    }
}

#[test]
fn an_agent_that_is_known_to_read_meta_gets_it_there_beside_other_keys() {
    let scratch = project();
    let mut client = scratch.start(&["--tell-again"], &agent("@agentclientprotocol/claude-agent-acp", json!({})));
    client.initialize();
    let mut params = scratch.new_session();
    params["_meta"] = json!({"sessionTitle": "T"});
    client.ask("session/new", &params);
    client.prompt("s1", "hello");
    client.leave();
    let received = scratch.received("session/new");
    assert_eq!(received["params"]["_meta"], json!({"sessionTitle": "T", "systemPrompt": {"append": PREFIX}}));
    assert_eq!(received["params"].get("systemPrompt"), None);
    assert_eq!(texts(&scratch.received("session/prompt")), ["hello"]);
    assert_eq!(scratch.canaries(), 1);
}

/// A key of the agent's own in `_meta`: for one that is known by its name, and for one that the user's settings name.
#[test]
fn an_agent_gets_it_under_the_key_of_its_own() {
    for (name, key, settings) in
        [("buzz-agent", "buzz.systemPrompt", ""), ("mine", "my/key", "[acp.agents]\nmine = \"meta:my/key\"\n")]
    {
        let scratch = project();
        scratch.write("home/.config/antefix/settings.toml", settings);
        let mut client = scratch.start(&["--report"], &agent(name, json!({})));
        client.initialize();
        let mut params = scratch.new_session();
        params["_meta"] = json!({"sessionTitle": "T"});
        client.ask("session/new", &params);
        client.prompt("s1", "hello");
        // What the client has under the same key stays, behind ours; what is no text there is not ours to change.
        params["_meta"] = json!({key: "THEIRS"});
        client.ask("session/new", &params);
        let second = scratch.received("session/new");
        params["_meta"] = json!({key: 42});
        client.ask("session/new", &params);
        let third = scratch.received("session/new");
        client.prompt("s3", "hello");
        let (_, reported) = client.leave();
        let first = &scratch.journal()[1];
        assert_eq!(first["params"]["_meta"], json!({"sessionTitle": "T", key: PREFIX}), "{name}");
        assert_eq!(first["params"].get("systemPrompt"), None, "{name}");
        assert_eq!(texts(&scratch.journal()[2]), ["hello"], "{name}");
        assert_eq!(second["params"]["_meta"], json!({key: format!("{PREFIX}\n\nTHEIRS")}), "{name}");
        assert_eq!(third["params"]["_meta"], json!({key: 42}), "{name}");
        assert_eq!(texts(&scratch.received("session/prompt"))[0], BASE_BLOCK, "{name}");
        // Agents drop what they do not read without a word.
        assert!(reported.contains(&format!("acp:{name}:s1: 29 bytes")), "{reported}");
        assert_eq!(reported.matches("sent, unconfirmed, by way of meta").count(), 2, "{reported}");
        assert!(!reported.contains("s1: delivered") && !reported.contains(" delivered by way of meta"), "{reported}");
        let receipt = receipt(&scratch, &format!("acp-{name}-s1"));
        let pointer = format!("session/new /_meta/{}", key.replace('/', "~1"));
        assert_eq!((&receipt["delivery"], &receipt["sent"][0]["to"]), (&json!("sent"), &json!(pointer)));
    }
}

/// The receipt whose file's name begins so.
fn receipt(scratch: &antefix_testing::Scratch, name: &str) -> Value {
    let files = std::fs::read_dir(scratch.path("home/.local/state/antefix/acp")).unwrap();
    let mut paths = files.map(|file| file.unwrap().path());
    let path = paths.find(|path| path.file_name().unwrap().to_str().unwrap().starts_with(name)).unwrap();
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// What is said of a prompt that has just been sent, by its way.
#[test]
fn only_what_is_known_to_arrive_is_called_delivered() {
    let claude = "@agentclientprotocol/claude-agent-acp";
    let table: [(&str, Value, &[&str], &str); 6] = [
        ("any", json!({"systemPrompt": {}}), &[], "delivered by way of field"),
        (claude, json!({}), &[], "delivered by way of meta"),
        ("pi-acp", json!({}), &[], "sent, unconfirmed, by way of meta"),
        ("goose", json!({}), &[], "delivered by way of method"),
        ("gemini", json!({}), &["--launch-env", "GEMINI_SYSTEM_MD"], "sent, unconfirmed, by way of launch"),
        ("plain", json!({}), &[], "due with the first prompt by way of user-message"),
    ];
    for (name, capabilities, args, expected) in table {
        let scratch = project();
        let mut client = scratch.start(args, &agent(name, capabilities));
        client.initialize();
        client.ask("session/new", &scratch.new_session());
        let (_, reported) = client.leave();
        assert!(reported.contains(expected), "{name}: {reported}");
        assert_eq!(reported.matches("delivered").count(), expected.matches("delivered").count(), "{name}: {reported}");
    }
}

/// What an agent reads by itself is not told again, and stays so when it changes; the next name of its directory is not told in its place.
#[test]
fn an_agent_is_not_told_what_it_reads_by_itself() {
    let codex = "codex-acp";
    let claude = "@agentclientprotocol/claude-agent-acp";
    let table: [(&str, &str, &[&str], &str); 5] = [
        (codex, "Codex CLI", &[], "CANARY-7c1 base.  "),
        (codex, "", &["--tell-again"], PREFIX),
        // With a CLAUDE.md, Claude Code does not read AGENTS.md: it is told.
        (claude, "", &[], PREFIX),
        ("goose", "goose", &[], "CANARY-7c1 base.  "),
        ("any", "", &[], PREFIX),
    ];
    for (name, title, args, expected) in table {
        let scratch = project();
        scratch.write("p/CLAUDE.md", "Theirs.");
        let mut client = scratch.start(args, &agent(name, json!({"systemPrompt": {}})));
        client.initialize();
        client.ask("session/new", &scratch.new_session());
        client.prompt("s1", "hello");
        if !title.is_empty() {
            scratch.write("p/AGENTS.md", "Use spaces.");
            client.prompt("s1", "go on");
            assert_eq!(texts(&scratch.received("session/prompt")), ["go on"], "{name}");
        }
        let (_, reported) = client.leave();
        assert_eq!(scratch.epoch(&format!("acp:{name}:s1")).as_deref(), Some(expected), "{name} {args:?}");
        let told = format!("left out, because {title} reads them by itself: AGENTS.md");
        assert_eq!(reported.contains(&told), !title.is_empty(), "{name}: {reported}");
    }
}

#[test]
fn goose_is_asked_by_its_own_method_before_the_client_may_go_on() {
    let scratch = project();
    let mut client = scratch.start(&["--tell-again"], &agent("goose", json!({})));
    client.initialize();
    client.ask("session/new", &scratch.new_session());
    // What came behind the answer still comes behind it.
    assert_eq!(client.hear()["method"], "session/update");
    client.prompt("s1", "hello");
    client.leave();
    let methods: Vec<Value> = scratch.journal().iter().map(|message| message["method"].clone()).collect();
    let set = "_goose/unstable/session/system-prompt/set";
    assert_eq!(methods, ["initialize", "session/new", set, "session/prompt"]);
    let expected = json!({"sessionId": "s1", "mode": "set", "key": "antefix", "text": PREFIX});
    assert_eq!(scratch.received(set)["params"], expected);
    assert_eq!(texts(&scratch.received("session/prompt")), ["hello"]);
    assert_eq!(scratch.canaries(), 1);
    assert_eq!(scratch.epoch("acp:goose:s1").as_deref(), Some(PREFIX));
}

#[test]
fn a_goose_that_does_not_know_the_method_gets_the_prompt_in_the_message_and_is_asked_no_more() {
    let scratch = project();
    let mut script = agent("goose", json!({}));
    script["method"] = json!(-32601);
    let mut client = scratch.start(&["--tell-again"], &script);
    client.initialize();
    for session in ["s1", "s2"] {
        assert_eq!(client.ask("session/new", &scratch.new_session())["result"]["sessionId"], session);
        client.prompt(session, "hello");
        assert_eq!(texts(&scratch.received("session/prompt")), [BASE_BLOCK, "Use tabs.", "hello"]);
    }
    client.leave();
    let asked = scratch.journal().iter().filter(|one| one["method"].as_str().unwrap().starts_with("_goose")).count();
    assert_eq!(asked, 1);
}

#[test]
fn a_goose_that_refuses_is_an_error_of_the_session_and_nothing_is_recorded() {
    let scratch = project();
    let mut script = agent("goose", json!({}));
    script["method"] = json!(-32602);
    let mut client = scratch.start(&[], &script);
    client.initialize();
    let answer = client.ask("session/new", &scratch.new_session());
    let message = "the agent did not take the system prompt by _goose/unstable/session/system-prompt/set: no, thanks";
    assert_eq!(answer["error"], json!({"code": -32603, "message": message}));
    client.leave();
    assert_eq!(scratch.epoch("acp:goose:s1"), None);
}

#[test]
fn an_agent_can_be_started_with_the_prompt_in_a_file_of_its_own() {
    let scratch = project();
    let mut script = agent("gemini", json!({"systemPrompt": {}}));
    script["tells"] = json!("GEMINI_SYSTEM_MD");
    let mut client = scratch.start(&["--launch-env", "GEMINI_SYSTEM_MD"], &script);
    client.initialize();
    client.ask("session/new", &scratch.new_session());
    client.prompt("s1", "hello");
    client.leave();
    let launched = scratch.received("launched");
    assert_eq!(launched["params"]["text"], PREFIX);
    assert_eq!(scratch.received("session/new")["params"].get("systemPrompt"), None, "never two");
    assert_eq!(texts(&scratch.received("session/prompt")), ["hello"]);
    assert_eq!(scratch.canaries(), 1);
    assert_eq!(scratch.epoch("acp:gemini:s1").as_deref(), Some(PREFIX));
    assert!(!std::path::Path::new(launched["params"]["path"].as_str().unwrap()).exists(), "the file goes with antefix");
}

#[test]
fn everyone_else_gets_the_prompt_in_the_first_message_that_succeeds_and_never_again() {
    let scratch = project();
    let mut script = agent("plain", json!({}));
    script["prompts"] = json!(["error", "cancelled", "refusal", "end_turn", "end_turn"]);
    let mut client = scratch.start(&[], &script);
    client.initialize();
    client.ask("session/new", &scratch.new_session());
    assert_eq!(scratch.received("session/new")["params"], scratch.new_session(), "not a byte of it is ours");
    for turn in ["1", "2", "3", "4"] {
        assert_eq!(scratch.epoch("acp:plain:s1"), None, "the ledger has what has arrived");
        client.prompt("s1", turn);
        assert_eq!(texts(&scratch.received("session/prompt")), [BASE_BLOCK, "Use tabs.", turn]);
    }
    client.prompt("s1", "5");
    assert_eq!(texts(&scratch.received("session/prompt")), ["5"]);
    client.leave();
    assert_eq!(scratch.epoch("acp:plain:s1").as_deref(), Some(PREFIX));
}

#[test]
fn two_prompts_at_once_carry_it_once() {
    let scratch = project();
    let mut client = scratch.start(&[], &agent("plain", json!({})));
    client.initialize();
    client.ask("session/new", &scratch.new_session());
    let prompt = |id: u64, text: &str| {
        let params = json!({"sessionId": "s1", "prompt": [{"type": "text", "text": text}]});
        json!({"jsonrpc": "2.0", "id": id, "method": "session/prompt", "params": params}).to_string()
    };
    client.say(&format!("{}\n{}", prompt(101, "one"), prompt(102, "two")));
    while client.hear()["id"] != 102 {}
    client.leave();
    assert_eq!(scratch.canaries(), 1);
}

#[test]
fn a_slash_command_carries_nothing() {
    let scratch = project();
    let mut client = scratch.start(&[], &agent("plain", json!({})));
    client.initialize();
    client.ask("session/new", &scratch.new_session());
    client.prompt("s1", "/help");
    assert_eq!(texts(&scratch.received("session/prompt")), ["/help"]);
    client.prompt("s1", "hello");
    assert_eq!(texts(&scratch.received("session/prompt"))[0], BASE_BLOCK);
    client.leave();
}

#[test]
fn the_users_settings_say_how_an_agent_takes_it() {
    let scratch = project();
    scratch.write("home/.config/antefix/settings.toml", "[acp.agents]\nmine = \"meta\"\n");
    let mut client = scratch.start(&[], &agent("mine", json!({})));
    client.initialize();
    client.ask("session/new", &scratch.new_session());
    client.leave();
    assert_eq!(scratch.received("session/new")["params"]["_meta"], json!({"systemPrompt": {"append": PREFIX}}));
}

#[test]
fn the_clients_own_system_prompt_is_kept_beside_ours() {
    let mine = |mode: &str| json!({"mode": mode, "content": [{"type": "text", "text": "THEIRS"}]});
    let contents = |received: &Value| received["params"]["systemPrompt"]["content"].clone();
    let (ours, theirs) = (json!({"type": "text", "text": PREFIX}), json!({"type": "text", "text": "THEIRS"}));
    for (mode, expected) in [("append", [&ours, &theirs]), ("override", [&theirs, &ours])] {
        let scratch = project();
        let mut client = scratch.start(&[], &agent("any", json!({"systemPrompt": {"mode": {"override": {}}}})));
        client.initialize();
        let mut params = scratch.new_session();
        params["systemPrompt"] = mine(mode);
        client.ask("session/new", &params);
        client.leave();
        let received = scratch.received("session/new");
        assert_eq!(contents(&received), json!(expected));
        assert_eq!(received["params"]["systemPrompt"]["mode"], mode);
    }
}

#[test]
fn an_empty_prompt_is_sent_nowhere() {
    let scratch = project();
    scratch.write("p/.antefix/layout.toml", "[[section]]\nid = \"a\"\nstability = \"frozen\"\ntext = \"\"\n");
    for (name, capabilities) in [("any", json!({"systemPrompt": {}})), ("pi-acp", json!({})), ("goose", json!({}))] {
        let mut client = scratch.start(&[], &agent(name, capabilities));
        client.initialize();
        client.ask("session/new", &scratch.new_session());
        client.prompt("s1", "hello");
        client.leave();
        assert_eq!(scratch.received("session/new")["params"], scratch.new_session(), "{name}");
        assert_eq!(texts(&scratch.received("session/prompt")), ["hello"], "{name}");
    }
    // Nobody is asked by a method of its own either.
    let methods: Vec<Value> = scratch.journal().iter().map(|message| message["method"].clone()).collect();
    assert_eq!(methods, ["initialize", "session/new", "session/prompt"].repeat(3));
}
