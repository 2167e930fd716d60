use std::fs;

use serde_json::json;

use super::{NOT_IN_CLIENTS, pages, types};
use crate::step::root;

fn kept() -> String {
    fs::read_to_string(root().join("docs/openapi.json")).unwrap_or_default()
}

#[test]
fn the_types_of_the_clients_are_those_of_the_document() {
    for (path, expected) in pages(&kept()).unwrap_or_else(|why| panic!("{why}")) {
        let found = fs::read_to_string(root().join(path)).unwrap_or_default();
        assert!(found == expected, "{path} is stale: run `cargo xtask docs`");
    }
}

/// Every route is in a client as the one text `GET /path`.
#[test]
fn the_routes_of_the_clients_are_those_of_the_document() {
    let document: serde_json::Value = serde_json::from_str(&kept()).unwrap_or_default();
    let mut described = Vec::new();
    for (path, operations) in document["paths"].as_object().into_iter().flatten() {
        if !NOT_IN_CLIENTS.contains(&path.as_str()) {
            described.extend(operations.as_object().into_iter().flatten().map(|(method, _)| route(method, path)));
        }
    }
    described.sort();
    assert!(described.len() >= 20, "{described:?}");
    for path in ["clients/python/antefix_client/client.py", "clients/typescript/src/client.ts"] {
        let text = fs::read_to_string(root().join(path)).unwrap_or_default();
        let mut found: Vec<String> = text.split('"').filter(|text| is_route(text)).map(str::to_owned).collect();
        found.sort();
        found.dedup();
        assert_eq!(found, described, "{path}");
    }
    for path in NOT_IN_CLIENTS {
        assert!(!document["paths"][path].is_null(), "{path} is no route, and need not be left out");
    }
}

fn route(method: &str, path: &str) -> String {
    format!("{} {path}", method.to_uppercase())
}

fn is_route(text: &str) -> bool {
    text.split_once(' ').is_some_and(|(method, path)| {
        ["GET", "PUT", "POST", "DELETE", "PATCH"].contains(&method) && path.starts_with('/')
    })
}

fn document(schema: &serde_json::Value) -> serde_json::Value {
    json!({
        "paths": {"/turns": {"get": {"$ref": "#/components/schemas/Turn"}}, "/about": {"$ref": "#/components/schemas/About"}},
        "components": {"schemas": {"Turn": schema, "About": {"type": "object", "properties": {}}}},
    })
}

#[test]
fn a_type_is_printed_with_its_keys() {
    let schema = json!({"type": "object", "description": "One\nturn.", "required": ["from"], "properties": {
        "from": {"type": "string"},
        "list": {"type": ["array", "null"], "items": {"type": "integer"}, "description": "Some."},
    }});
    let pages = pages(&document(&schema).to_string()).unwrap_or_else(|why| panic!("{why}"));
    let [python, typescript] = pages.map(|(_, text)| text);
    let expected = "\n\nTurn = TypedDict(\n    \"Turn\",\n    {\n        \"from\": str,\n        \"list\": \
                    NotRequired[list[int] | None],\n    },\n)\n\"\"\"One turn.\"\"\"\n";
    assert!(python.ends_with(expected), "{python}");
    let expected =
        "\n/** One turn. */\nexport interface Turn {\n  from: string;\n  /** Some. */\n  list?: number[] | null;\n}\n";
    assert!(typescript.ends_with(expected), "{typescript}");
}

#[test]
fn what_the_types_cannot_say_is_refused() {
    for broken in [
        json!({"type": "object", "properties": {"x": {"oneOf": [{"type": "string"}, {"type": "file"}]}}}),
        json!({"type": "object", "properties": {"x": {"type": ["string", "integer"]}}}),
        json!({"type": "string"}),
    ] {
        let error = types(&document(&broken)).map(|types| types.len());
        assert!(error.as_ref().is_err_and(|why| why.starts_with("Turn: ")), "{broken}: {error:?}");
    }
}
