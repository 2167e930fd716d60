//! What a client brings in `_meta`: every shape that it may have.

use antefix::deliver::prompt_in_meta;
use serde_json::{Value, json};

/// Nothing that somebody else puts into `_meta` is an error.
#[test]
fn what_is_no_prompt_is_none_and_never_an_error() {
    let key = "buzz.systemPrompt";
    let deep = (0..100).fold(json!("x"), |inner, _| json!({ key: inner }));
    let table: [(Value, Option<&str>); 26] = [
        (json!({key: "You are Ada."}), Some("You are Ada.")),
        (json!({key: "  as written\r\n"}), Some("  as written\r\n")),
        (json!({key: ""}), Some("")),
        (json!({key: {"append": "You are Ada."}}), Some("You are Ada.")),
        (json!({key: {"append": "", "more": 1}}), Some("")),
        (json!({"title": "T", key: "You are Ada."}), Some("You are Ada.")),
        (json!(null), None),
        (json!([]), None),
        (json!([key, "You are Ada."]), None),
        (json!([{key: "You are Ada."}]), None),
        (json!("You are Ada."), None),
        (json!(42), None),
        (json!(true), None),
        (json!({}), None),
        (json!({key: null}), None),
        (json!({key: 42}), None),
        (json!({key: true}), None),
        (json!({key: []}), None),
        (json!({key: ["You are Ada."]}), None),
        (json!({key: {}}), None),
        (json!({key: {"append": null}}), None),
        (json!({key: {"append": ["You are Ada."]}}), None),
        (json!({key: {"override": "You are Ada."}}), None),
        // The key is one name, and no other.
        (json!({"buzz": {"systemPrompt": "You are Ada."}}), None),
        (json!({"systemPrompt": "You are Ada.", "Buzz.systemPrompt": "You are Ada."}), None),
        (deep, None),
    ];
    for (meta, expected) in &table {
        assert_eq!(prompt_in_meta(meta, key), *expected, "{meta}");
    }
}
