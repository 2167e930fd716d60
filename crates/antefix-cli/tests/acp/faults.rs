//! What goes wrong, and what is large.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{Client, Proxied as _, project};

fn field() -> Value {
    json!({"agent": {"name": "any"}, "capabilities": {"systemPrompt": {}}})
}

#[test]
fn what_is_not_ours_goes_on_as_the_very_bytes() {
    let scratch = project();
    let mut client = scratch.start(&[], &field());
    client.initialize();
    let lines = [
        r#"{ "jsonrpc":"2.0",  "method":"session/cancel","params":{"sessionId":"\u0073","n":1.50e3} }"#,
        r#"{"id":"a\/b","method":"_own/thing","params":[1,2]}"#,
        r#"{"id":null,"method":"x"}"#,
        r#"[{"jsonrpc":"2.0","method":"n1"}, {"jsonrpc":"2.0","method":"n2"}]"#,
        r#"{"jsonrpc":"2.0","id":77,"result":{}}"#,
        "this is no json",
        "",
    ];
    lines.iter().for_each(|line| client.say(line));
    client.prompt("none", "hello");
    client.leave();
    let journal = std::fs::read_to_string(scratch.path("journal")).unwrap();
    let received: Vec<&str> = journal.lines().collect();
    assert_eq!(received[1..=lines.len()], lines);
}

#[test]
fn answers_come_back_as_the_agent_wrote_them() {
    let scratch = project();
    let mut client = scratch.start(&[], &field());
    client.say(r#"{"id":"i\u0031","method":"initialize","params":{}}"#);
    let line = String::from_utf8(client.line()).unwrap();
    assert!(line.contains(r#""id":"i1""#) && line.contains("agentCapabilities"), "{line}");
    client.say(r#"{"id":-1,"method":"session/list"}"#);
    assert_eq!(client.hear()["error"]["code"], -32601);
    client.leave();
}

#[test]
fn a_session_within_a_batch_gets_its_prompt_as_well() {
    let scratch = project();
    let mut client = scratch.start(&[], &field());
    client.initialize();
    let new = json!({"jsonrpc": "2.0", "id": 50, "method": "session/new", "params": scratch.new_session()});
    client.say(&json!([{"jsonrpc": "2.0", "method": "n"}, new]).to_string());
    while client.hear()["id"] != 50 {}
    client.leave();
    let batch = scratch.journal().into_iter().find(Value::is_array).unwrap();
    assert_eq!(batch[1]["params"]["systemPrompt"]["content"][0]["text"], super::PREFIX);
}

#[test]
fn broken_json_that_may_begin_a_session_is_answered_and_goes_nowhere() {
    let scratch = project();
    let mut client = scratch.start(&[], &field());
    client.initialize();
    client.say(r#"{"id":3,"method":"session/new","params":{"cwd":"/"#);
    let answer = client.hear();
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(3), &json!(-32700)));
    client.leave();
    assert_eq!(scratch.journal().len(), 1);
}

#[test]
fn a_prompt_that_cannot_be_composed_is_an_error_of_the_session() {
    let scratch = project();
    let mut client = scratch.start(&[], &field());
    client.initialize();
    let answer = client.ask("session/new", &json!({"cwd": scratch.path("none"), "mcpServers": []}));
    assert!(answer["error"]["message"].as_str().unwrap().contains("cannot compose"), "{answer}");
    scratch.write("p/.antefix/layout.toml", "[[section]]\nid = 1\n");
    let answer = client.ask("session/new", &scratch.new_session());
    assert_eq!(answer["error"]["code"], -32603);
    client.leave();
    assert_eq!(scratch.journal().len(), 1, "the agent has heard of neither");
}

#[test]
fn nobody_waits_for_an_agent_that_has_died() {
    let scratch = project();
    let mut script = field();
    script["dies_on"] = json!("session/prompt");
    let mut client = scratch.start(&[], &script);
    client.initialize();
    client.ask("session/new", &scratch.new_session());
    let answer = client.prompt("s1", "hello");
    assert_eq!(answer["error"], json!({"code": -32603, "message": "the agent has ended (exit status: 7)"}));
    let (status, _) = client.end();
    assert_eq!(status.code(), Some(7));
}

#[test]
fn an_agent_that_cannot_be_started_is_an_error_of_the_first_request() {
    let scratch = project();
    let mut client = Client::start(scratch.command(&["acp", "--", "no-such-agent-7c1"]));
    client.say(r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}"#);
    let answer = client.hear();
    assert!(answer["error"]["message"].as_str().unwrap().contains("no-such-agent-7c1"), "{answer}");
    let (status, reported) = client.end();
    assert_eq!(status.code(), Some(1));
    assert!(reported.contains("is it installed"), "{reported}");
}

#[test]
fn an_agent_that_stays_when_its_client_has_gone_is_ended() {
    let scratch = project();
    let mut script = field();
    script["lingers"] = json!(true);
    let mut client = scratch.start(&[], &script);
    client.initialize();
    let began = Instant::now();
    client.leave();
    assert!(began.elapsed() > Duration::from_secs(4), "it was given time");
    assert!(began.elapsed() < Duration::from_secs(20), "and not too much");
}

#[test]
fn a_signal_ends_both() {
    let scratch = project();
    let mut client = scratch.start(&[], &field());
    client.initialize();
    let status = std::process::Command::new("kill").arg(client.child.id().to_string()).status().unwrap();
    assert!(status.success());
    let (status, _) = client.end();
    assert_eq!(status.code(), Some(128 + 15));
}

/// A line of 100 MB each way, through a proxy that keeps a fraction of it.
#[test]
#[cfg(target_os = "linux")]
fn a_huge_line_passes_in_little_memory() {
    let scratch = project();
    let mut client = scratch.start(&[], &field());
    client.initialize();
    client.ask("session/new", &scratch.new_session());
    let bytes = 100_000_000;
    let line = format!(r#"{{"params":"{}","method":"huge","id":"huge"}}"#, "y".repeat(bytes));
    client.say(&line);
    // What was reported beside the answer comes first.
    assert_eq!(client.hear()["method"], "session/update");
    assert_eq!(client.hear()["result"], line.len());
    client.say(&json!({"id": 900, "method": "large", "params": {"bytes": bytes}}).to_string());
    assert_eq!(client.line().len(), r#"{"result":"","id":900}"#.len() + bytes + 1);
    let peak = antefix_testing::memory::peak(client.child.id()).unwrap();
    assert!(peak < 80_000 * 1024, "{peak} bytes");
    client.prompt("s1", "it still works");
    client.leave();
}

#[test]
fn a_link_in_a_chain_starts_nothing_and_wraps_what_is_for_the_agent() {
    let scratch = project();
    let mut client = Client::start(scratch.command(&["acp"]));
    client.say(r#"{"jsonrpc":"2.0","id":0,"method":"proxy/initialize","params":{"protocolVersion":1}}"#);
    let wrapped = client.hear();
    assert_eq!(wrapped["method"], "proxy/successor");
    assert_eq!(wrapped["params"], json!({"method": "initialize", "params": {"protocolVersion": 1}}));
    let capable = json!({"protocolVersion": 1, "agentInfo": {"name": "far"},
        "agentCapabilities": {"sessionCapabilities": {"systemPrompt": {}}}});
    client.say(&json!({"jsonrpc": "2.0", "id": wrapped["id"], "result": capable}).to_string());
    assert_eq!(client.hear(), json!({"jsonrpc": "2.0", "id": 0, "result": capable}));

    client
        .say(&json!({"jsonrpc": "2.0", "id": 1, "method": "session/new", "params": scratch.new_session()}).to_string());
    let wrapped = client.hear();
    assert_eq!((&wrapped["method"], &wrapped["params"]["method"]), (&json!("proxy/successor"), &json!("session/new")));
    assert_eq!(wrapped["params"]["params"]["systemPrompt"]["content"][0]["text"], super::PREFIX);
    client.say(&json!({"jsonrpc": "2.0", "id": wrapped["id"], "result": {"sessionId": "x"}}).to_string());
    assert_eq!(client.hear()["id"], 1);

    // From the agent to the client and back.
    let update = json!({"method": "session/update", "params": {"n": 1}});
    client.say(&json!({"jsonrpc": "2.0", "method": "proxy/successor", "params": update}).to_string());
    assert_eq!(client.hear(), json!({"jsonrpc": "2.0", "method": "session/update", "params": {"n": 1}}));
    let read = json!({"method": "fs/read_text_file", "params": {"path": "/x"}});
    client.say(&json!({"jsonrpc": "2.0", "id": 9, "method": "proxy/successor", "params": read}).to_string());
    assert_eq!(client.hear()["method"], "fs/read_text_file");
    client.say(r#"{"jsonrpc":"2.0","id":9,"result":{"content":"c"}}"#);
    assert_eq!(client.hear(), json!({"jsonrpc": "2.0", "id": 9, "result": {"content": "c"}}));
    let (status, reported) = client.leave();
    assert!(status.success(), "{reported}");
    assert_eq!(scratch.epoch("acp:far:x").as_deref(), Some(super::PREFIX));
}

#[test]
fn without_an_agent_and_without_a_chain_the_client_gets_an_error() {
    let scratch = project();
    let mut client = Client::start(scratch.command(&["acp"]));
    client.say(r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}"#);
    assert_eq!(client.hear()["error"]["message"], "no agent was named");
    assert_eq!(client.end().0.code(), Some(2));
}
