//! Which request goes on where another one ended.

use serde_json::{Value, json};

use crate::observe::{Conversations, RequestKind, Sender, SentRequest};

fn turn(system: &str, tools: &[&str], messages: &[&str]) -> Value {
    let messages = messages.iter().enumerate();
    let messages: Vec<Value> =
        messages.map(|(at, text)| json!({"role": (["user", "assistant"][at % 2]), "content": text})).collect();
    let tools: Vec<Value> = tools.iter().map(|name| json!({"name": name, "input_schema": {}})).collect();
    json!({"model": "claude-opus-5", "system": system, "tools": tools, "messages": messages})
}

/// What is sent, and its conversation, the request before and its kind.
type Row = (&'static str, Value, (usize, Option<usize>, &'static str));

#[test]
fn titles_subagents_and_two_conversations_at_once_are_told_apart() {
    let main = ["Bash", "Read"];
    let subagent = |messages: &[&str]| {
        let mut body = turn("", &["Read"], messages);
        body["system"] = json!([{"type": "text", "text": "x-anthropic-billing-header: cc_is_subagent=true;"}, {"type": "text", "text": "sub"}]);
        body
    };
    let title = json!({"model": "claude-haiku-4-5", "system": "Make a title.", "messages": [{"role": "user", "content": "one"}], "output_config": {"format": {"schema": {}}}});
    let table: [Row; 11] = [
        ("a first turn", turn("s", &main, &["one"]), (0, None, "turn")),
        ("its title", title, (1, None, "side")),
        ("a subagent", subagent(&["look"]), (2, None, "turn")),
        ("the main one goes on", turn("s", &main, &["one", "a", "two"]), (0, Some(0), "turn")),
        ("the subagent goes on", subagent(&["look", "b", "more"]), (2, Some(2), "turn")),
        ("another conversation, same tools and system", turn("s", &main, &["uno"]), (3, None, "turn")),
        (
            "the main one, with other tools",
            turn("s", &["Bash"], &["one", "a", "two", "c", "three"]),
            (0, Some(3), "turn"),
        ),
        (
            "the main one, with another system text",
            turn("t", &["Bash"], &["one", "a", "two", "c", "three", "d", "four"]),
            (0, Some(6), "turn"),
        ),
        ("the other one goes on", turn("s", &main, &["uno", "x", "dos"]), (3, Some(5), "turn")),
        ("the main one is compacted", turn("t", &["Bash"], &["A summary of it all."]), (0, Some(7), "turn")),
        (
            "a probe",
            json!({"model": "claude-haiku-4-5", "max_tokens": 1, "system": "", "messages": [{"role": "user", "content": "quota"}]}),
            (4, None, "probe"),
        ),
    ];
    let mut conversations = Conversations::default();
    for (what, body, expected) in table {
        let request = SentRequest::of_value(&body, None).unwrap();
        let kind = RequestKind::of(&request);
        let sender = Sender::of(Some("claude-code"), [("x-claude-code-session-id", "the same for all")], &request);
        let link = conversations.place(&sender, kind, &request);
        assert_eq!((link.conversation, link.before, kind.name()), expected, "{what}");
    }
}
