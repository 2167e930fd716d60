//! JSON whose bytes are ours.
//!
//! 1. Keys stand in the order of their bytes, at every level, whatever features serde_json was built with.
//! 2. There is no white space. Strings and numbers are written as serde_json writes them.
//! 3. Tools stand in the order of their names, each with what a model sees of it: name, description, parameters.

use serde_json::Value;

use crate::discover::Tool;

/// A value, in the one way that we write it.
///
/// ```
/// # use antefix::compose::canonical;
/// let value = serde_json::json!({"b": [1, {"d": null, "c": "é"}], "a": true});
/// assert_eq!(canonical(&value), r#"{"a":true,"b":[1,{"c":"é","d":null}]}"#);
/// ```
pub fn canonical(value: &Value) -> String {
    let mut text = String::new();
    super::roomy(|| write(value, &mut text));
    text
}

/// The tools as the model sees them.
pub fn canonical_tools(tools: &[Tool]) -> String {
    let mut tools: Vec<&Tool> = tools.iter().collect();
    tools.sort_by(|one, other| one.name.cmp(&other.name));
    tools.dedup_by(|one, other| one.name == other.name);
    let items: Vec<String> = tools.into_iter().map(canonical_tool).collect();
    format!("[{}]", items.join(","))
}

/// One tool as the model sees it.
pub fn canonical_tool(tool: &Tool) -> String {
    let mut object = serde_json::Map::new();
    object.insert("name".to_owned(), Value::from(tool.name.as_str()));
    if let Some(description) = &tool.description {
        object.insert("description".to_owned(), Value::from(description.as_str()));
    }
    if let Some(parameters) = &tool.parameters {
        object.insert("parameters".to_owned(), parameters.clone());
    }
    canonical(&Value::Object(object))
}

fn write(value: &Value, text: &mut String) {
    match value {
        Value::Object(map) => {
            let mut entries: Vec<(&String, &Value)> = map.iter().collect();
            entries.sort_by(|one, other| one.0.cmp(other.0));
            text.push('{');
            for (number, (key, value)) in entries.into_iter().enumerate() {
                if number > 0 {
                    text.push(',');
                }
                write(&Value::from(key.as_str()), text);
                text.push(':');
                write(value, text);
            }
            text.push('}');
        }
        Value::Array(items) => {
            text.push('[');
            for (number, item) in items.iter().enumerate() {
                if number > 0 {
                    text.push(',');
                }
                write(item, text);
            }
            text.push(']');
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => text.push_str(&value.to_string()),
    }
}
