//! Tools as JSON whose bytes are ours: in the order of their names, each with what a model sees of it.

use std::collections::BTreeMap;

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

impl Tool {
    /// Whether a model sees no difference between the two.
    pub(crate) fn looks_like(&self, other: &Tool) -> bool {
        fn native(tool: &Tool) -> Option<&Native> {
            tool.native.as_ref().filter(|native| native.shape != Shape::Mcp)
        }
        self.name == other.name
            && match (native(self), native(other)) {
                (None, None) => self.description == other.description && self.parameters == other.parameters,
                (one, other) => one == other,
            }
    }
}

/// All that is known of tools, as one text: a list, and beside it what servers say, if they do.
pub(super) fn print_document(tools: Value, instructions: &BTreeMap<String, String>) -> String {
    if instructions.is_empty() {
        return canonical(&tools);
    }
    let server = |(name, text): (&String, &String)| {
        (name.clone(), Value::Object(Map::from_iter([("instructions".to_owned(), Value::from(text.as_str()))])))
    };
    let servers = Value::Object(instructions.iter().map(server).collect());
    canonical(&Value::Object(Map::from_iter([("servers".to_owned(), servers), ("tools".to_owned(), tools)])))
}

/// All that is known of a tool. What it was handed over as says its description and its parameters.
pub(super) fn print_tool(tool: &Tool) -> Value {
    let mut members = members(tool, tool.native.as_ref());
    let Tool { prompt_snippet, prompt_guidelines, hidden, server, .. } = tool;
    let own = Tool {
        prompt_snippet: prompt_snippet.clone(),
        prompt_guidelines: prompt_guidelines.clone(),
        hidden: *hidden,
        server: server.clone(),
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
