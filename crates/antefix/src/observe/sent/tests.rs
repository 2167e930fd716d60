//! What becomes of bodies: tables of a body, and its blocks in the order in which a provider reads them.

use serde_json::{Value, json};

use super::*;

/// One line a block: pointer, role, kind, marker, text.
fn lines(body: &Value, target: Option<Target>) -> Vec<String> {
    let request = SentRequest::parse(body.to_string().as_bytes(), target).unwrap();
    let line = |block: &SentBlock| {
        let marker = match block.breakpoint {
            None => "-".to_owned(),
            Some(Breakpoint { lifetime: None }) => "marked".to_owned(),
            Some(Breakpoint { lifetime: Some(seconds) }) => format!("marked {seconds}"),
        };
        format!("{} | {} | {} | {marker} | {}", block.pointer, block.role, block.kind.name(), block.text)
    };
    request.blocks.iter().map(line).collect()
}

#[test]
fn a_request_of_anthropic_is_read_tools_first_and_without_what_says_who_pays() {
    let body = json!({
        "model": "claude-opus-5-5",
        "messages": [
            {"role": "user", "content": "Hello."},
            {"role": "assistant", "content": [
                {"type": "thinking", "thinking": "", "signature": "x"},
                {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls"}},
            ]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "a", "cache_control": {"type": "ephemeral", "ttl": "1h"}}]},
        ],
        "system": [
            {"type": "text", "text": "x-anthropic-billing-header: cc_version=2.1.325; cch=0a1b2; cc_is_subagent=true;"},
            {"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}},
        ],
        "tools": [
            {"name": "Bash", "input_schema": {}},
            {"name": "mcp__git__log", "input_schema": {}, "defer_loading": true},
        ],
        "max_tokens": 1,
    });
    assert_eq!(
        lines(&body, None),
        [
            "/tools/0 |  | tool | - | {\"input_schema\":{},\"name\":\"Bash\"}",
            "/system/1 | system | text | marked | Be brief.",
            "/messages/0/content | user | text | - | Hello.",
            "/messages/1/content/0 | assistant | thinking | - | {\"signature\":\"x\",\"thinking\":\"\",\"type\":\"thinking\"}",
            "/messages/1/content/1 | assistant | call | - | {\"id\":\"t1\",\"input\":{\"command\":\"ls\"},\"name\":\"Bash\",\"type\":\"tool_use\"}",
            "/messages/2/content/0 | user | result | marked 3600 | {\"content\":\"a\",\"tool_use_id\":\"t1\",\"type\":\"tool_result\"}",
        ]
    );
    let request = SentRequest::of_value(&body, None).unwrap();
    assert_eq!((request.target, request.deferred), (Target::Anthropic, 1));
    assert_eq!((request.fact("cch"), request.fact("cc_is_subagent")), (Some("0a1b2"), Some("true")));
    assert_eq!(request.fact("max_tokens"), Some("1"));
}

#[test]
fn a_request_of_codex_is_read_with_its_labels_and_its_tools_in_the_input() {
    let body = json!({
        "model": "gpt-5.6-sol", "stream": true, "prompt_cache_key": "s", "reasoning": {"effort": "high", "summary": "auto"},
        "input": [
            {"type": "additional_tools", "role": "developer", "tools": [
                {"type": "namespace", "name": "shell", "description": "d", "tools": [{"type": "function", "name": "exec"}]},
            ]},
            {"type": "message", "role": "developer", "id": "m1", "content": [{"type": "input_text", "text": "Base."}]},
            {"type": "message", "role": "user", "content": [
                {"type": "input_text", "text": "AGENTS"}, {"type": "input_text", "text": "Hi."}],
             "internal_chat_message_metadata_passthrough": {"content_item_metadata": [
                {"provenance": {"type": "agents_md"}}, {"provenance": {"type": "user"}}]}},
            {"type": "function_call", "id": "f1", "status": "completed", "call_id": "c", "name": "exec", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "c", "output": "done"},
        ],
        "client_metadata": {"x-codex-turn-metadata": "{\"thread_id\":\"h\",\"request_kind\":\"turn\"}"},
    });
    assert_eq!(
        lines(&body, None),
        [
            "/input/0/tools/0 |  | tool | - | {\"description\":\"d\",\"name\":\"shell\",\"type\":\"namespace\"}",
            "/input/0/tools/0/tools/0 |  | tool | - | {\"name\":\"exec\",\"type\":\"function\"}",
            "/input/1/content/0 | developer | text | - | Base.",
            "/input/2/content/0 | user | text | - | AGENTS",
            "/input/2/content/1 | user | text | - | Hi.",
            "/input/3 |  | call | - | {\"arguments\":\"{}\",\"call_id\":\"c\",\"name\":\"exec\",\"type\":\"function_call\"}",
            "/input/4/output | output | text | - | done",
            "/input/4 |  | result | - | {\"call_id\":\"c\",\"type\":\"function_call_output\"}",
        ]
    );
    let request = SentRequest::of_value(&body, None).unwrap();
    let labels: Vec<Option<&str>> = request.blocks.iter().map(|block| block.label.as_deref()).collect();
    assert_eq!(labels, [None, None, None, Some("agents_md"), Some("user"), None, None, None]);
    assert_eq!(request.blocks[1].server.as_deref(), Some("shell"));
    let parameters: Vec<(&str, &str)> =
        request.parameters.iter().map(|one| (one.name.as_str(), one.value.as_str())).collect();
    assert_eq!(parameters, [("prompt_cache_key", "\"s\""), ("reasoning", "{\"effort\":\"high\"}")]);
    assert_eq!(request.fact("thread_id"), Some("h"));
}

#[test]
fn chat_gemini_and_converse_are_read_too() {
    let chat = json!({"model": "m", "messages": [
        {"role": "system", "content": "Be brief."},
        {"role": "assistant", "content": null, "tool_calls": [{"id": "c", "type": "function", "function": {"name": "ls"}}]},
    ], "tools": [{"type": "function", "function": {"name": "ls"}}]});
    assert_eq!(
        lines(&chat, None),
        [
            "/tools/0 |  | tool | - | {\"function\":{\"name\":\"ls\"},\"type\":\"function\"}",
            "/messages/0/content | system | text | - | Be brief.",
            "/messages/1 | assistant | call | - | {\"tool_calls\":[{\"function\":{\"name\":\"ls\"},\"id\":\"c\",\"type\":\"function\"}]}",
        ]
    );
    let gemini = json!({"model": "gemini-3.8-flash", "project": "p", "request": {
        "contents": [{"role": "user", "parts": [{"text": "Hi."}]}, {"role": "model", "parts": [{"functionCall": {"name": "ls"}}]}],
        "systemInstruction": {"parts": [{"text": "Be brief."}]},
        "tools": [{"functionDeclarations": [{"name": "ls"}]}, {"googleSearch": {}}],
    }});
    assert_eq!(
        lines(&gemini, None),
        [
            "/tools/0/functionDeclarations/0 |  | tool | - | {\"name\":\"ls\"}",
            "/tools/1 |  | tool | - | {\"googleSearch\":{}}",
            "/systemInstruction/parts/0 | system | text | - | Be brief.",
            "/contents/0/parts/0 | user | text | - | Hi.",
            "/contents/1/parts/0 | model | call | - | {\"functionCall\":{\"name\":\"ls\"}}",
        ]
    );
    assert_eq!(SentRequest::of_value(&gemini, None).unwrap().model.as_deref(), Some("gemini-3.8-flash"));
    let converse = json!({"inferenceConfig": {}, "system": [{"text": "Be brief."}, {"cachePoint": {"type": "default"}}],
        "messages": [{"role": "user", "content": [{"text": "Hi."}]}]});
    assert_eq!(
        lines(&converse, None),
        ["/system/0 | system | text | marked | Be brief.", "/messages/0/content/0 | user | text | - | Hi."]
    );
}

#[test]
fn what_only_a_marker_or_a_spelling_changes_is_the_same_request() {
    let one = json!({"system": "Be brief.", "messages": [{"role": "user", "content": "Hi."}]});
    let other = json!({"system": [{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}],
        "messages": [{"role": "user", "content": [{"type": "text", "text": "Hi.", "cache_control": {"type": "ephemeral"}}]}]});
    let [one, other] = [one, other].map(|body| SentRequest::of_value(&body, Some(Target::Anthropic)).unwrap());
    assert_eq!(one.common(&other), 2);
    let [a, b] = [
        r#"{"system":"","tools":[{"name":"a","b":1}],"messages":[]}"#,
        r#"{"system":"","tools":[{"b":1,"name":"a"}],"messages":[]}"#,
    ]
    .map(|body| SentRequest::parse(body.as_bytes(), None).unwrap());
    assert_eq!(a.common(&b), 0, "the order of members is part of what a provider hashes");
}

#[test]
fn a_body_that_is_no_request_is_an_error_that_says_what_it_has() {
    let table = [
        ("[]", "it has no keys"),
        ("{\"foo\": 1, \"bar\": 2}", "it has `foo`, `bar`"),
        ("{", "the request is not JSON"),
    ];
    for (body, expected) in table {
        let error = SentRequest::parse(body.as_bytes(), None).unwrap_err();
        assert!(error.message().contains(expected), "{}", error.message());
    }
    let large = vec![b' '; LARGEST_BODY + 1];
    assert!(SentRequest::parse(&large, None).unwrap_err().message().contains("at most"));
}
