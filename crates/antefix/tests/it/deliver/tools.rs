//! Tools as callers have them, and what becomes of them at each target.

use antefix::deliver::{Content, Delivery, Target, deliver};
use antefix::discover::tools::Tools;
use serde_json::{Value, json};

fn sent(tools: &Value, target: Target) -> antefix::Result<Delivery> {
    let tools: Tools = serde_json::from_value(tools.clone()).unwrap();
    deliver(&Content { tools: Some(&tools), ..Content::new("Be brief.", 0, "") }, target, None)
}

/// The tools that a target gets, and what the receipt says of them.
fn tools(given: Value, target: Target) -> (Value, Vec<String>) {
    let delivery = sent(&given, target).unwrap();
    let mut fragment = delivery.fragment.to_value();
    let tools = match target {
        Target::Bedrock => fragment["toolConfig"]["tools"].take(),
        _ => fragment["tools"].take(),
    };
    let about_tools = delivery.receipt.substitutions.iter().filter(|one| one.what.contains("tool"));
    (tools, about_tools.map(|one| format!("{}: {}", one.what, one.instead)).collect())
}

fn schema() -> Value {
    json!({"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]})
}

#[test]
fn what_has_the_shape_of_the_target_goes_as_it_is() {
    let table = [
        (Target::Anthropic, json!({"type": "web_search_20250305", "name": "web_search", "max_uses": 3})),
        (
            Target::Anthropic,
            json!({"type": "mcp_toolset", "mcp_server_name": "github", "default_config": {"enabled": false}}),
        ),
        (
            Target::Anthropic,
            json!({"name": "read", "description": "Reads.", "input_schema": schema(), "strict": true,
            "cache_control": {"type": "ephemeral", "ttl": "1h"}, "defer_loading": true, "new_member": [1, 2]}),
        ),
        (Target::Anthropic, json!({"type": "custom", "name": "read", "input_schema": schema()})),
        (
            Target::OpenAiChat,
            json!({"type": "function", "function": {"name": "read", "parameters": schema(), "strict": true}}),
        ),
        (Target::OpenAiChat, json!({"type": "function", "function": {"name": "noop"}})),
        (Target::OpenAiChat, json!({"type": "custom", "custom": {"name": "sql", "format": {"type": "text"}}})),
        (Target::OpenAiResponses, json!({"type": "function", "name": "read", "parameters": schema()})),
        (Target::OpenAiResponses, json!({"type": "web_search"})),
        (Target::OpenAiResponses, json!({"type": "web_search_preview_2025_03_11", "search_context_size": "low"})),
        (Target::OpenAiResponses, json!({"type": "mcp", "server_label": "dmcp", "server_url": "https://example.com"})),
        (
            Target::OpenAiResponses,
            json!({"type": "custom", "name": "sql", "format": {"type": "grammar", "syntax": "lark",
            "definition": "start: \"x\""}}),
        ),
        (Target::Gemini, json!({"googleSearch": {}})),
        (Target::Bedrock, json!({"toolSpec": {"name": "read", "inputSchema": {"json": schema()}, "strict": true}})),
        (Target::Bedrock, json!({"systemTool": {"name": "nova_grounding"}})),
        (Target::Ollama, json!({"type": "function", "function": {"name": "read", "parameters": schema()}})),
    ];
    for (target, tool) in table {
        assert_eq!(tools(json!([tool]), target), (json!([tool]), Vec::new()), "{}", target.name());
        // What a conversation remembers and what an epoch keeps are read back to the same.
        let read: Tools = serde_json::from_value(json!([tool])).unwrap();
        let kept: Tools = serde_json::from_str(read.canonical()).unwrap();
        assert_eq!(kept.canonical(), read.canonical());
        assert_eq!(kept[0], read[0]);
    }
}

#[test]
fn a_function_in_any_shape_reaches_every_provider() {
    let shapes = [
        json!({"name": "read", "description": "Reads.", "parameters": schema()}),
        json!({"name": "read", "description": "Reads.", "input_schema": schema()}),
        json!({"name": "read", "description": "Reads.", "inputSchema": schema()}),
        json!({"type": "function", "function": {"name": "read", "description": "Reads.", "parameters": schema()}}),
        json!({"type": "function", "name": "read", "description": "Reads.", "parameters": schema()}),
        json!({"functionDeclarations": [{"name": "read", "description": "Reads.", "parametersJsonSchema": schema()}]}),
        json!({"functionDeclarations": [{"name": "read", "description": "Reads.", "parameters":
            {"type": "OBJECT", "properties": {"path": {"type": "STRING"}}, "required": ["path"]}}]}),
        json!({"toolSpec": {"name": "read", "description": "Reads.", "inputSchema": {"json": schema()}}}),
    ];
    for shape in shapes {
        let anthropic = json!([{"name": "read", "description": "Reads.", "input_schema": schema()}]);
        assert_eq!(tools(json!([shape]), Target::Anthropic), (anthropic, Vec::new()), "{shape}");
        let nested = json!([{"type": "function", "function": {"name": "read", "description": "Reads.", "parameters": schema()}}]);
        assert_eq!(tools(json!([shape]), Target::OpenAiChat), (nested.clone(), Vec::new()), "{shape}");
        assert_eq!(tools(json!([shape]), Target::Ollama), (nested, Vec::new()), "{shape}");
        let bedrock =
            json!([{"toolSpec": {"name": "read", "description": "Reads.", "inputSchema": {"json": schema()}}}]);
        assert_eq!(tools(json!([shape]), Target::Bedrock), (bedrock, Vec::new()), "{shape}");
    }
    let gemini = json!({"functionDeclarations": [{"name": "read", "parameters": {"type": "OBJECT"}}, {"name": "write"}],
        "urlContext": {}});
    assert_eq!(
        tools(json!([gemini]), Target::Gemini).0,
        json!([
            {"functionDeclarations": [{"name": "read", "parameters": {"type": "OBJECT"}}, {"name": "write"}]},
            {"urlContext": {}},
        ])
    );
}

#[test]
fn members_are_translated_where_the_target_knows_them_and_else_left_out_with_a_word() {
    let tool =
        json!({"name": "read", "input_schema": schema(), "strict": true, "cache_control": {"type": "ephemeral"}});
    let left_out =
        |target: &str| vec![format!("`cache_control` of the tool `read`: left out: {target} does not know it")];
    let chat = json!([{"type": "function", "function": {"name": "read", "parameters": schema(), "strict": true}}]);
    assert_eq!(tools(json!([tool]), Target::OpenAiChat), (chat, left_out("openai-chat")));
    let flat = json!([{"type": "function", "name": "read", "parameters": schema(), "strict": true}]);
    assert_eq!(tools(json!([tool]), Target::OpenAiResponses), (flat, left_out("openai-responses")));
    let neutral = json!({"name": "read", "parameters": schema(), "strict": true});
    let anthropic = json!([{"name": "read", "input_schema": schema(), "strict": true}]);
    assert_eq!(tools(json!([neutral]), Target::Anthropic), (anthropic, Vec::new()));
    let mcp = |name: &str| json!({"name": name, "title": "A", "inputSchema": schema(), "annotations": {"readOnlyHint": true}});
    assert_eq!(
        tools(json!([mcp("a"), mcp("b"), mcp("c")]), Target::Anthropic).1,
        [
            "`annotations` of the tool `a` and 2 more: left out: anthropic does not know it",
            "`title` of the tool `a` and 2 more: left out: anthropic does not know it",
        ],
    );
}

#[test]
fn what_only_another_provider_knows_is_refused_by_its_name() {
    let table = [
        (
            json!({"type": "web_search_20250305", "name": "web_search"}),
            Target::OpenAiChat,
            "`web_search` is one of anthropic's own",
        ),
        (json!({"type": "web_search"}), Target::Anthropic, "`web_search` is one of openai-responses's own"),
        (json!({"type": "mcp", "server_label": "d"}), Target::Gemini, "`mcp:d` is one of openai-responses's own"),
        (json!({"googleSearch": {}}), Target::Bedrock, "`googleSearch` is one of gemini's own"),
        (
            json!({"type": "custom", "name": "sql", "format": {"type": "text"}}),
            Target::OpenAiChat,
            "`sql` is one of openai-responses's own",
        ),
    ];
    for (tool, target, expected) in table {
        let error = sent(&json!([tool]), target).unwrap_err();
        assert_eq!(error.kind(), antefix::ErrorKind::Undeliverable, "{tool}");
        assert!(error.to_string().contains(expected), "{error}");
        // An agent with tools of its own is told nothing of them, and the plain text takes all.
        assert!(sent(&json!([tool]), Target::Acp).is_ok());
        assert_eq!(tools(json!([tool]), Target::Plain).0, json!([tool]));
    }
}

#[test]
fn an_empty_list_is_sent_to_nobody() {
    for target in Target::ALL {
        let fragment = sent(&json!([]), target).unwrap().fragment.to_value();
        assert!(fragment.get("tools").is_none() && fragment.get("toolConfig").is_none(), "{fragment}");
    }
}

#[test]
fn the_callers_cache_points_stay_behind_its_tools() {
    let given =
        json!([{"cachePoint": {"type": "default"}}, {"toolSpec": {"name": "zeta", "inputSchema": {"json": {}}}}]);
    let expected =
        json!([{"toolSpec": {"name": "zeta", "inputSchema": {"json": {}}}}, {"cachePoint": {"type": "default"}}]);
    assert_eq!(tools(given, Target::Bedrock).0, expected);
}

#[test]
fn what_nobody_knows_is_reported_and_what_looks_like_a_key_of_ours_is_not_sent() {
    let tools: Tools = serde_json::from_value(json!([
        {"name": "a", "parameters": {}, "colour": "red"},
        {"name": "b", "input_schema": {}, "promptSnipet": "Reads.", "strict": true},
    ]))
    .unwrap();
    assert_eq!(tools[0].native, None);
    assert_eq!(tools[1].native.as_ref().unwrap().definition, json!({"name": "b", "input_schema": {}, "strict": true}));
}

#[test]
fn an_entry_without_a_name_or_a_shape_is_refused() {
    for entry in
        [json!({}), json!({"description": "?"}), json!({"function": {"name": "x"}}), json!({"type": "function"})]
    {
        let read: Result<Tools, _> = serde_json::from_value(json!([entry]));
        assert_eq!(read.unwrap_err().to_string(), "the tool has no name", "{entry}");
    }
}
