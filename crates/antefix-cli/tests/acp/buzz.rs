//! The layout `buzz` in front of agents: one identity, one way, once.

use antefix_testing::Scratch;
use serde_json::{Value, json};

use super::{Client, Proxied as _, texts};

/// A base, an operator, and a memory that a program keeps, which writes down in the agent's own journal that it was asked.
fn buzz(operator: Option<&str>, memory: &str) -> Scratch {
    let scratch = Scratch::new(env!("CARGO_BIN_EXE_antefix"))
        .file("p/.antefix/wording.toml", "")
        .file("home/.config/antefix/wording.toml", "[wording]\nbuzz_base = \"BASE  \"\nbuzz_newcomer = \"NEWCOMER\"\n")
        .file("core", memory);
    let (journal, core) = (scratch.path("journal"), scratch.path("core"));
    let script = format!(r#"echo '{{"method":"memory"}}' >>{}; cat {}"#, journal.display(), core.display());
    let mut settings = format!("[memory.core]\ncommand = {}\n", json!(["sh", "-c", script]));
    if let Some(operator) = operator {
        settings.push_str("[identity.operator]\nfile = 'operator.md'\n");
        scratch.write("home/.config/antefix/operator.md", operator);
    }
    scratch.file("home/.config/antefix/settings.toml", &settings)
}

/// A client of an agent, with a session that has begun.
fn begun(scratch: &Scratch, script: &Value) -> Client {
    let mut client = scratch.start(&["--layout", "buzz"], script);
    client.initialize();
    client.ask("session/new", &scratch.new_session());
    client
}

fn agent(name: &str, capabilities: Value) -> Value {
    json!({"agent": {"name": name}, "capabilities": capabilities})
}

fn modern() -> Value {
    agent("modern", json!({"systemPrompt": {}}))
}

fn stock() -> Value {
    agent("stock", json!({}))
}

/// What the three parts are as one text.
const IDENTITY: &str = "BASE\n\nOPERATOR\n\n[Agent Memory — core]\nMEMORY";

#[test]
fn an_agent_that_announces_it_gets_one_text_with_its_session_and_nothing_of_it_with_a_prompt() {
    let scratch = buzz(Some("OPERATOR"), "MEMORY");
    let mut client = begun(&scratch, &modern());
    client.prompt("s1", "hello");
    client.leave();
    let sent = &scratch.received("session/new")["params"]["systemPrompt"];
    assert_eq!(*sent, json!({"mode": "append", "content": [{"type": "text", "text": IDENTITY}]}));
    assert_eq!(texts(&scratch.received("session/prompt")), ["hello"]);
}

#[test]
fn an_agent_that_announces_nothing_gets_the_same_words_in_its_first_message_under_labels() {
    let scratch = buzz(Some("OPERATOR"), "MEMORY");
    let mut client = begun(&scratch, &stock());
    client.prompt("s1", "hello");
    client.leave();
    let received = scratch.received("session/prompt");
    let [base, operator, memory, said] = texts(&received)[..] else { panic!("{received}") };
    assert_eq!((base, operator, said), ("[Base]\nBASE", "[System]\nOPERATOR", "hello"));
    // Without the labels that only a message needs, it is the text that others get.
    let unlabeled = |text: &'static str| move |block: &str| block.strip_prefix(text).unwrap().to_owned();
    let joined = [unlabeled("[Base]\n")(base), unlabeled("[System]\n")(operator), memory.to_owned()].join("\n\n");
    assert_eq!(joined, IDENTITY);
    assert_eq!(scratch.received("session/new")["params"], scratch.new_session());
}

#[test]
fn each_part_is_said_once_whichever_way_it_goes() {
    let claude = "@agentclientprotocol/claude-agent-acp";
    for script in
        [modern(), stock(), agent("buzz-agent", json!({})), agent("goose", json!({})), agent(claude, json!({}))]
    {
        let scratch = buzz(Some("OPERATOR"), "MEMORY");
        let mut client = begun(&scratch, &script);
        client.prompt("s1", "hello");
        client.prompt("s1", "go on");
        client.leave();
        let journal = scratch.read("journal");
        for part in ["BASE", "OPERATOR", "MEMORY"] {
            assert_eq!(journal.matches(part).count(), 1, "{part}: {journal}");
        }
    }
}

#[test]
fn it_goes_under_the_agents_own_key_in_meta_and_not_beside_it() {
    let scratch = buzz(Some("OPERATOR"), "MEMORY");
    let client = begun(&scratch, &agent("buzz-agent", json!({})));
    client.leave();
    let mut expected = scratch.new_session();
    expected["_meta"] = json!({"buzz.systemPrompt": IDENTITY});
    assert_eq!(scratch.received("session/new")["params"], expected);
}

#[test]
fn the_memory_is_asked_before_the_session_and_not_again() {
    for script in [modern(), stock()] {
        let scratch = buzz(Some("OPERATOR"), "MEMORY");
        let mut client = begun(&scratch, &script);
        client.prompt("s1", "hello");
        client.prompt("s1", "go on");
        client.leave();
        let methods: Vec<Value> = scratch.journal().iter().map(|message| message["method"].clone()).collect();
        assert_eq!(methods, ["initialize", "memory", "session/new", "session/prompt", "session/prompt"]);
    }
}

#[test]
fn what_a_session_was_resolved_to_is_kept_until_it_has_arrived_and_after() {
    let mut script = stock();
    script["prompts"] = json!(["error", "end_turn", "end_turn"]);
    // A memory that changes, and one that was empty at first: then what is kept is the newcomer's text, and not the lack of a memory.
    let table = [
        (
            Some("OPERATOR"),
            "MEMORY",
            vec!["[Base]\nBASE", "[System]\nOPERATOR", "[Agent Memory — core]\nMEMORY"],
            IDENTITY,
        ),
        (None, "", vec!["[Base]\nBASE", "NEWCOMER"], "BASE\n\nNEWCOMER"),
    ];
    for (operator, memory, blocks, prefix) in table {
        let scratch = buzz(operator, memory);
        let mut client = begun(&scratch, &script);
        scratch.write("core", "ANOTHER MEMORY");
        for said in ["one", "two"] {
            client.prompt("s1", said);
            let expected: Vec<&str> = blocks.iter().copied().chain([said]).collect();
            assert_eq!(texts(&scratch.received("session/prompt")), expected);
        }
        client.prompt("s1", "three");
        assert_eq!(texts(&scratch.received("session/prompt")), ["three"]);
        client.leave();
        assert_eq!(scratch.epoch("acp:stock:s1").as_deref(), Some(prefix));
    }
}

/// What an editor says beside `_meta` is not the operator's, and stays the agent's to judge.
#[test]
fn a_system_prompt_beside_meta_is_not_taken_for_the_operators() {
    for (params, operator) in [
        (json!({"systemPrompt": "THEIRS"}), None),
        (json!({"_meta": {"buzz.systemPrompt": "THEIRS"}}), Some("THEIRS")),
        (json!({"_meta": {"buzz.systemPrompt": ["THEIRS"]}}), None),
    ] {
        let scratch = buzz(None, "MEMORY");
        let mut client = scratch.start(&["--layout", "buzz", "--client-key", "buzz.systemPrompt"], &stock());
        client.initialize();
        let mut all = scratch.new_session();
        all.as_object_mut().unwrap().extend(params.as_object().unwrap().clone());
        assert_eq!(client.ask("session/new", &all)["result"]["sessionId"], "s1");
        client.prompt("s1", "hello");
        client.leave();
        let received = scratch.received("session/prompt");
        let labeled: Vec<&str> =
            texts(&received).into_iter().filter_map(|text| text.strip_prefix("[System]\n")).collect();
        assert_eq!(labeled, Vec::from_iter(operator), "{params}");
    }
}
