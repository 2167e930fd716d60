//! Tools as JSON whose bytes are ours: in the order of their names, each with what a model sees of it.

use serde_json::{Map, Value};

use super::{Native, Shape, Tool};
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
    // No model sees what only the protocol of MCP has.
    canonical(&Value::Object(members(tool, tool.native.as_ref().filter(|native| native.shape != Shape::Mcp))))
}

/// All that is known of a tool. What it was handed over as says its description and its parameters.
pub(super) fn print_tool(tool: &Tool) -> Value {
    let mut members = members(tool, tool.native.as_ref());
    let Tool { prompt_snippet, prompt_guidelines, hidden, .. } = tool;
    let own = Tool {
        prompt_snippet: prompt_snippet.clone(),
        prompt_guidelines: prompt_guidelines.clone(),
        hidden: *hidden,
        ..Tool::named(&*tool.name)
    };
    if let Ok(Value::Object(own)) = serde_json::to_value(own) {
        members.extend(own);
    }
    Value::Object(members)
}

fn members(tool: &Tool, native: Option<&Native>) -> Map<String, Value> {
    let mut object = Map::new();
    object.insert("name".to_owned(), Value::from(tool.name.as_str()));
    if let Some(Native { shape, definition }) = native {
        let native = [("definition".to_owned(), definition.clone()), ("shape".to_owned(), Value::from(shape.name()))];
        object.insert("native".to_owned(), Value::Object(native.into_iter().collect()));
        return object;
    }
    if let Some(description) = &tool.description {
        object.insert("description".to_owned(), Value::from(description.as_str()));
    }
    if let Some(parameters) = &tool.parameters {
        object.insert("parameters".to_owned(), parameters.clone());
    }
    object
}
