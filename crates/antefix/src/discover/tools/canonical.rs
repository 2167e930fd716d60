//! Tools as JSON whose bytes are ours: in the order of their names, each with what a model sees of it.

use serde_json::Value;

use super::Tool;
use crate::text::canonical;

/// The tools as the model sees them.
pub(crate) fn canonical_tools(tools: &[Tool]) -> String {
    let mut tools: Vec<&Tool> = tools.iter().collect();
    tools.sort_by(|one, other| one.name.cmp(&other.name));
    tools.dedup_by(|one, other| one.name == other.name);
    let items: Vec<String> = tools.into_iter().map(canonical_tool).collect();
    format!("[{}]", items.join(","))
}

/// One tool as the model sees it.
pub(crate) fn canonical_tool(tool: &Tool) -> String {
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
