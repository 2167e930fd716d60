//! Tools are accounted for like text: what each takes, and who it comes from.

use antefix::tokens::count;
use serde_json::{Value, json};

use super::project;

const TOOLS: &str = r#"[
  {"name": "read", "description": "Reads a file.", "input_schema": {"type": "object"}},
  {"name": "mcp__github__search", "description": "Searches issues and pull requests.", "inputSchema": {"type": "object"}},
  {"type": "web_search_20250305", "name": "web_search", "max_uses": 3}
]"#;

/// What Anthropic is sent of each, in order.
const SENT: [(&str, &str); 3] = [
    (
        "mcp__github__search",
        r#"{"description":"Searches issues and pull requests.","input_schema":{"type":"object"},"name":"mcp__github__search"}"#,
    ),
    ("read", r#"{"description":"Reads a file.","input_schema":{"type":"object"},"name":"read"}"#),
    ("web_search", r#"{"max_uses":3,"name":"web_search","type":"web_search_20250305"}"#),
];

#[test]
fn explain_accounts_for_every_tool_in_json() {
    let scratch = project().file("p/t.md", "Be brief.\n").file("p/tools.json", TOOLS);
    let args = ["explain", "--json", "--template", "t.md", "--tools", "tools.json", "--for", "anthropic"];
    let document = scratch.run(&args).json();
    let tools = &document["tools"];
    let tokens = SENT.map(|(_, text)| count(text).unwrap());
    let (all, text) = (tokens.iter().sum::<usize>(), count("Be brief.\n").unwrap());
    assert_eq!(tools["target"], "anthropic");
    assert_eq!((&tools["bytes"], &tools["tokens"]), (&json!(114 + 78 + 63), &json!(all)));
    let origins = [
        json!({"kind": "server", "name": "github"}),
        json!({"kind": "file", "name": "tools.json"}),
        json!({"kind": "provider", "name": "anthropic"}),
    ];
    for (number, (name, sent)) in SENT.iter().enumerate() {
        let share = (tokens[number] * 1000 + (all + text) / 2) / (all + text);
        let origin = &origins[number];
        let expected =
            json!({"name": name, "origin": origin, "bytes": sent.len(), "tokens": tokens[number], "share": share});
        assert_eq!(tools["list"][number], expected);
    }
    let without = scratch.run(&["explain", "--json", "--template", "t.md"]).json();
    assert_eq!(without.get("tools"), None);
}

#[test]
fn tools_are_counted_as_the_target_has_them() {
    let scratch = project().file("p/t.md", "Be brief.\n").file("p/tools.json", r#"["read"]"#);
    let rows = [
        ("plain", r#"{"name":"read"}"#),
        ("anthropic", r#"{"input_schema":{"type":"object"},"name":"read"}"#),
        (
            "openai-chat",
            r#"{"function":{"name":"read","parameters":{"properties":{},"type":"object"}},"type":"function"}"#,
        ),
        (
            "openai-responses",
            r#"{"name":"read","parameters":{"properties":{},"type":"object"},"strict":false,"type":"function"}"#,
        ),
        ("gemini", r#"{"name":"read","parametersJsonSchema":{"properties":{},"type":"object"}}"#),
    ];
    let bytes = |more: &[&str]| {
        let args = ["explain", "--json", "--template", "t.md", "--tools", "tools.json"];
        let tools = scratch.run(&args.iter().chain(more).copied().collect::<Vec<_>>()).json()["tools"].clone();
        (tools["target"].clone(), tools["bytes"].clone())
    };
    for (target, sent) in rows {
        assert_eq!(bytes(&["--for", target]), (json!(target), json!(sent.len())));
    }
    // Without a target, that of the model's own provider.
    assert_eq!(bytes(&[]).0, "plain");
    assert_eq!(bytes(&["--model", "claude-opus-5"]).0, "anthropic");
    assert_eq!(bytes(&["--model", "gpt-5"]).0, "openai-responses");
    // An agent of that protocol has tools of its own.
    assert_eq!(bytes(&["--for", "acp"]), (Value::Null, Value::Null));
}

#[test]
fn explain_lists_the_largest_tools_first_and_counts_the_others_together() {
    let tool = |number: usize| json!({"name": format!("t{number:02}"), "description": "word ".repeat(number)});
    let tools: Vec<Value> = (1..=13).map(tool).collect();
    let scratch = project().file("p/t.md", "Be brief.\n").file("p/tools.json", &json!(tools).to_string());
    let printed = |more: &[&str]| {
        let args = ["explain", "--template", "t.md", "--tools", "tools.json"];
        scratch.run(&args.iter().chain(more).copied().collect::<Vec<_>>()).stdout
    };
    let names = |text: &str| -> Vec<String> {
        let first = |line: &str| line.split_whitespace().next().unwrap_or_default().to_owned();
        text.lines().map(first).filter(|word| word.len() == 3 && word.starts_with('t')).collect()
    };
    let largest: Vec<String> = (1..=13).rev().map(|number| format!("t{number:02}")).collect();
    let short = printed(&[]);
    assert_eq!(names(&short), largest[..10], "{short}");
    assert!(short.contains("and 3 more (--all lists them)"), "{short}");
    let all = printed(&["--all"]);
    assert_eq!(names(&all), largest, "{all}");
    assert!(!all.contains("more (--all"), "{all}");
    let share = |text: &str| -> f64 {
        let row = text.lines().find(|line| line.trim_start().starts_with("t13")).unwrap();
        row.trim_end().trim_end_matches(" %").rsplit(' ').next().unwrap().parse().unwrap()
    };
    assert!(share(&all) > 5.0 && share(&all) < 25.0, "{all}");
}

/// A layout that defers what servers bring along.
const DEFERRING: &str = "[tools]\ndefer = [\"mcp__*\"]\n[[section]]\nid = \"a\"\nstability = \"fixed\"\ntext = \"A\"\n";

#[test]
fn explain_says_what_deferring_saves_where_it_can_be_done_and_why_not_elsewhere() {
    let schema = r#"{"properties":{"query":{"type":"string"}},"type":"object"}"#;
    let description = "word ".repeat(400);
    let tools = format!(
        r#"[{{"name": "read"}}, {{"name": "mcp__github__search", "description": "{description}", "inputSchema": {schema}}}]"#
    );
    let scratch = project().file("p/.antefix/layout.toml", DEFERRING).file("p/tools.json", &tools);
    let explain = |more: &[&str]| {
        let args = ["explain", "--tools", "tools.json"];
        scratch.run(&args.iter().chain(more).copied().collect::<Vec<_>>())
    };
    let json = |model: &str| explain(&["--json", "--model", model]).json()["tools"].clone();
    let names = |tools: &Value| -> Vec<String> {
        tools["list"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    };
    let claude = json("claude-opus-5");
    let whole = format!(r#"{{"description":"{description}","input_schema":{schema},"name":"mcp__github__search"}}"#);
    assert_eq!(names(&claude), ["read", "tool_search_tool_bm25", "mcp__github__search"]);
    // The model is shown nothing of it. 1,560 of a thousand is what the table says of its tokens.
    let tokens = (count(&whole).unwrap() * 1560 + 500) / 1000;
    let last = &claude["list"][2];
    assert_eq!((&last["bytes"], &last["deferred"]), (&json!(0), &json!({"bytes": whole.len(), "tokens": tokens})));
    // 0.50 dollars for a million that are read, 6.25 that are written.
    let dollars = |per_million: f64| per_million * f64::from(u32::try_from(tokens).unwrap()) / 1e6;
    let saved = |key: &str| claude["deferral"][key].as_str().unwrap().trim_start_matches('$').parse::<f64>().unwrap();
    assert_eq!((&claude["deferral"]["tools"], &claude["deferral"]["tokens"]), (&json!(1), &json!(tokens)));
    assert!((saved("saved_reading") - dollars(0.5)).abs() < 0.0001, "{claude}");
    assert!((saved("saved_writing") - dollars(6.25)).abs() < 0.0001, "{claude}");
    // OpenAI still shows the name and the description.
    let gpt = json("gpt-5.6-sol");
    assert_eq!(names(&gpt), ["read", "tool_search", "mcp__github__search"]);
    assert_eq!(gpt["list"][2]["deferred"]["bytes"], schema.len());
    let chat = explain(&["--json", "--model", "gpt-5.6-sol", "--for", "openai-chat"]).json()["tools"].clone();
    assert_eq!(chat["deferral"], json!({"tools": 0, "refused": "the target loads no tools later"}));
    assert_eq!(names(&chat), ["mcp__github__search", "read"]);
    let printed = explain(&["--model", "claude-opus-5"]).stdout;
    assert!(printed.contains("github, deferred") && printed.contains("deferred: 1 tool, ~"), "{printed}");
    let printed = explain(&[]).stdout;
    assert!(
        printed.contains("deferred: none, they are sent as all others: the target loads no tools later"),
        "{printed}"
    );
}
