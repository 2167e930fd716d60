//! What a client may send that is no message, or not the one that it seems to be.

use serde_json::{Value, json};

use super::{Client, PREFIX, Proxied as _, project};

fn field() -> Value {
    json!({"agent": {"name": "any"}, "capabilities": {"systemPrompt": {}}})
}

/// What a client gets to hear: the id and the code of an error.
struct Refused(Value, i64);

/// Everything that would begin a session without its prompt is answered, goes nowhere and is reported; what comes behind it is
/// served.
#[test]
fn what_would_begin_a_session_without_its_prompt_is_answered_with_an_error() {
    let (parse, request, params) = (-32700, -32600, -32602);
    let long =
        |method: &str| format!(r#"{{"id":5,"method":"{method}","params":{{"cwd":"/{}"}}}}"#, "x".repeat(17 << 20));
    let rows: Vec<(&str, Vec<u8>, Refused)> = vec![
        (
            "an invalid byte",
            b"{\"id\":5,\"method\":\"session/new\",\"params\":{\"cwd\":\"/\xff\"}}".into(),
            Refused(json!(5), parse),
        ),
        (
            "an invalid byte before the method",
            b"{\"x\":\"\xc3\",\"method\":\"session\\/new\",\"id\":5}".into(),
            Refused(json!(5), parse),
        ),
        (
            "an invalid byte in a prompt",
            b"{\"id\":5,\"method\":\"session/prompt\",\"params\":\"\xed\xa0\x80\"}".into(),
            Refused(json!(5), parse),
        ),
        ("no cwd", br#"{"id":5,"method":"session/new","params":{"mcpServers":[]}}"#.into(), Refused(json!(5), params)),
        (
            "a cwd that is a number",
            br#"{"id":5,"method":"session/new","params":{"cwd":7}}"#.into(),
            Refused(json!(5), params),
        ),
        (
            "a cwd of half a character",
            br#"{"id":5,"method":"session/new","params":{"cwd":"/\ud800"}}"#.into(),
            Refused(json!(5), params),
        ),
        (
            "a relative cwd",
            br#"{"id":5,"method":"session/new","params":{"cwd":"a"}}"#.into(),
            Refused(json!(5), params),
        ),
        ("no parameters", br#"{"id":5,"method":"session/new"}"#.into(), Refused(json!(5), params)),
        (
            "parameters in a list",
            br#"{"id":5,"method":"session/load","params":["/"]}"#.into(),
            Refused(json!(5), params),
        ),
        (
            "no session to load",
            br#"{"id":5,"method":"session/load","params":{"cwd":"/"}}"#.into(),
            Refused(json!(5), params),
        ),
        (
            "no session to resume",
            br#"{"id":5,"method":"session/resume","params":{"cwd":"/"}}"#.into(),
            Refused(json!(5), params),
        ),
        (
            "an id that is a list",
            br#"{"id":[5],"method":"session/new","params":{"cwd":"/"}}"#.into(),
            Refused(Value::Null, request),
        ),
        (
            "an id that is an object",
            br#"{"id":{},"method":"session/prompt","params":{}}"#.into(),
            Refused(Value::Null, request),
        ),
        (
            "an id that is true",
            br#"{"id":true,"method":"session/fork","params":{"cwd":"/"}}"#.into(),
            Refused(Value::Null, request),
        ),
        ("no id", br#"{"method":"session/new","params":{"cwd":"/"}}"#.into(), Refused(Value::Null, request)),
        (
            "a list in a list",
            br#"[[{"id":5,"method":"session/new","params":{"cwd":"/"}}]]"#.into(),
            Refused(Value::Null, request),
        ),
        ("one of several", br#"[{"id":5,"method":"session/new","params":{}}]"#.into(), Refused(json!(5), params)),
        (
            "a list that breaks off",
            br#"[{"id":5,"method":"session/new","params":{"cwd":"/"}}"#.into(),
            Refused(Value::Null, parse),
        ),
        (
            "an object that breaks off",
            br#"{"id":5,"method":"session/new","params":{"cwd":"/"#.into(),
            Refused(json!(5), parse),
        ),
        ("two objects in a line", br#"{"id":5,"method":"session/new"}{"id":6}"#.into(), Refused(json!(6), parse)),
        (
            "a mark of the order of bytes",
            b"\xef\xbb\xbf{\"id\":5,\"method\":\"session/new\"}".into(),
            Refused(json!(5), parse),
        ),
        ("a NUL", b"{\"id\":5,\"method\":\"session/new\"}\0".into(), Refused(json!(5), parse)),
        (
            "a method in other letters, and broken",
            br#"{"id":5,"method":"\u0073ession/new","params":}"#.into(),
            Refused(json!(5), parse),
        ),
        ("too long for its prompt", long("session/new").into(), Refused(json!(5), request)),
    ];
    for (what, line, Refused(id, code)) in rows {
        let scratch = project();
        let mut client = scratch.start(&[], &field());
        client.initialize();
        client.say_bytes(&[&line, b"\n".as_slice()].concat());
        let answer = client.hear();
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&id, &json!(code)), "{what}: {answer}");
        let message = answer["error"]["message"].as_str().unwrap().to_owned();
        client.ask("session/new", &scratch.new_session());
        let (status, reported) = client.leave();
        assert!(status.success(), "{what}: {reported}");
        assert!(reported.contains(&message), "{what}: {reported}");
        let journal = scratch.journal();
        assert_eq!(journal.len(), 2, "{what}: the agent has heard of it: {journal:?}");
        assert_eq!(journal[1]["params"]["systemPrompt"]["content"][0]["text"], PREFIX, "{what}");
    }
}

/// What begins no session is the agent's to judge, byte for byte.
#[test]
fn what_begins_no_session_goes_on_to_the_agent_however_broken_it_is() {
    let rows: [&[u8]; 8] = [
        b"\xff\xfe",
        b"{\"id\":1,\"method\":\"x\",\"params\":\"\xff\"}",
        b"{\"id\":[1],\"method\":\"x\"}",
        b"{\"id\":",
        b"[]",
        b"[[]]",
        b"12",
        b"\0",
    ];
    let scratch = project();
    let mut client = scratch.start(&[], &field());
    client.initialize();
    rows.iter().for_each(|line| client.say_bytes(&[line, b"\n".as_slice()].concat()));
    client.ask("session/new", &scratch.new_session());
    client.leave();
    let journal = std::fs::read(scratch.path("journal")).unwrap();
    let heard: Vec<&[u8]> = journal.split(|byte| *byte == b'\n').collect();
    assert_eq!(heard[1..=rows.len()], rows);
}

/// The client goes in the middle of a line.
#[test]
fn a_line_that_the_client_does_not_end_is_served_or_refused() {
    for (line, answered) in [
        (r#"{"id":5,"method":"session/list"}"#, Some((json!(5), -32601))),
        (r#"{"id":5,"method":"session/new","params":{"cwd""#, Some((json!(5), -32700))),
        (r#"{"id":5,"method":"x"#, None),
    ] {
        let scratch = project();
        let mut client = scratch.start(&[], &field());
        client.initialize();
        client.say_bytes(line.as_bytes());
        client.stdin = None;
        if let Some((id, code)) = answered {
            let answer = client.hear();
            assert_eq!((&answer["id"], &answer["error"]["code"]), (&id, &json!(code)), "{line}");
        }
        let lines = client.lines.recv_timeout(std::time::Duration::from_secs(10));
        assert!(lines.is_err(), "{line}: {lines:?}");
        let (status, reported) = client.end();
        assert!(status.success(), "{line}: {reported}");
    }
}

/// The agent goes in the middle of a line: what the client hears are whole messages.
#[test]
fn half_a_message_of_an_agent_that_dies_is_left_out() {
    for (said, heard) in [
        (r#"{"jsonrpc":"2.0","id":1,"resu"#, "the agent has ended (exit status: 3)"),
        (r#"{"jsonrpc":"2.0","method":"n"}"#, "the agent has ended (exit status: 3)"),
    ] {
        let scratch = project();
        let agent = format!("read line; printf '%s' '{said}'; exit 3");
        let mut client = Client::start(scratch.command(&["acp", "--", "sh", "-c", &agent]));
        client.say(r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}"#);
        let mut last = client.hear();
        if said.ends_with('}') {
            assert_eq!(last["method"], "n");
            last = client.hear();
        }
        assert_eq!((&last["id"], &last["error"]["message"]), (&json!(1), &json!(heard)), "{said}");
        let (status, reported) = client.end();
        assert_eq!(status.code(), Some(3));
        assert_eq!(reported.contains("in the middle of a message"), !said.ends_with('}'), "{reported}");
    }
}

/// In a chain both sides speak on one pipe: what cannot be read is answered, and a list is taken apart.
#[test]
fn a_link_in_a_chain_says_nothing_but_messages() {
    let scratch = project();
    let mut client = Client::start(scratch.command(&["acp"]));
    client.say(r#"{"jsonrpc":"2.0","id":0,"method":"proxy/initialize","params":{"protocolVersion":1}}"#);
    assert_eq!(client.hear()["method"], "proxy/successor");
    for (line, code) in [
        (b"\xff\n".as_slice(), -32700),
        (b"no json\n", -32700),
        (b"{\"id\":1,\n", -32700),
        (b"[]\n", -32600),
        (b"[[1]]\n", -32700),
        (b"{\"id\":[1],\"method\":\"session/new\",\"params\":{\"cwd\":\"/\"}}\n", -32600),
    ] {
        client.say_bytes(b"\n \n");
        client.say_bytes(line);
        let answer = client.hear();
        assert_eq!(answer["error"]["code"], code, "{}: {answer}", String::from_utf8_lossy(line));
    }
    client.say(r#"[{"jsonrpc":"2.0","id":7,"method":"a/b"},{"jsonrpc":"2.0","method":"c/d"}]"#);
    assert_eq!(client.hear()["params"]["method"], "a/b");
    assert_eq!(client.hear()["params"]["method"], "c/d");
    let (status, reported) = client.leave();
    assert!(status.success(), "{reported}");
}
