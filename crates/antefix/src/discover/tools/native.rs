//! Tools in the shapes of those who define them.
//!
//! 1. A caller hands its tools over as it has them: in the shape of a provider, of MCP, or as name, description and parameters.
//! 2. What says more than these three is kept as it was handed over, and goes unchanged to the provider whose shape it has.
//! 3. A function in any shape has a name, a description and parameters, so that others can be told of it, too. What only one
//!    provider knows, such as its web search, is known by its name, else by its type.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A tool as it was handed over, where that says more than its name, its description and its parameters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Native {
    /// Whose shape it has.
    pub shape: Shape,
    /// The tool in that shape.
    pub definition: Value,
}

/// Whose shape a tool has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shape {
    /// Anthropic's Messages: `input_schema`, or a type with a date.
    Anthropic,
    /// OpenAI's Chat Completions: a function in `function`.
    #[serde(rename = "openai-chat")]
    OpenAiChat,
    /// OpenAI's Responses: a `type`, and the members beside it.
    #[serde(rename = "openai-responses")]
    OpenAiResponses,
    /// Gemini's: a function declaration, or a tool of Google's own.
    Gemini,
    /// Bedrock's Converse: `toolSpec`.
    Bedrock,
    /// The Model Context Protocol's: `inputSchema`.
    Mcp,
    /// Nobody's: a name, a description, parameters, and members that some provider knows.
    Neutral,
}

/// Members of functions that providers know, besides name, description and parameters.
const MEMBERS: [(Shape, &[&str]); 5] = [
    (
        Shape::Anthropic,
        &["allowed_callers", "cache_control", "defer_loading", "eager_input_streaming", "input_examples", "strict"],
    ),
    (Shape::OpenAiChat, &["strict"]),
    (Shape::OpenAiResponses, &["defer_loading", "strict"]),
    (Shape::Gemini, &["behavior", "response", "responseJsonSchema"]),
    (Shape::Bedrock, &["strict"]),
];

/// The tools that are Google's own, by their keys.
const GOOGLES: [&str; 13] = [
    "codeExecution",
    "code_execution",
    "computerUse",
    "enterpriseWebSearch",
    "fileSearch",
    "googleMaps",
    "googleSearch",
    "googleSearchRetrieval",
    "google_search",
    "mcpServers",
    "retrieval",
    "urlContext",
    "url_context",
];

/// What may be in Bedrock's list of tools besides functions.
const BEDROCKS: [&str; 2] = ["cachePoint", "systemTool"];

impl Shape {
    /// The name in receipts and messages.
    pub fn name(self) -> &'static str {
        match self {
            Shape::Anthropic => "anthropic",
            Shape::OpenAiChat => "openai-chat",
            Shape::OpenAiResponses => "openai-responses",
            Shape::Gemini => "gemini",
            Shape::Bedrock => "bedrock",
            Shape::Mcp => "mcp",
            Shape::Neutral => "neutral",
        }
    }

    /// Whether functions in this shape may have such a member.
    pub(crate) fn takes(self, member: &str) -> bool {
        MEMBERS.iter().any(|(shape, members)| *shape == self && members.contains(&member))
    }
}

impl Native {
    /// The object that has the name, the description and the parameters of a function; none for what is a provider's own.
    pub(crate) fn function(&self) -> Option<&Map<String, Value>> {
        let whole = self.definition.as_object()?;
        let of_type = whole.get("type").and_then(Value::as_str);
        match self.shape {
            Shape::Anthropic => matches!(of_type, None | Some("custom")).then_some(whole),
            Shape::OpenAiChat if of_type == Some("function") => whole.get("function")?.as_object(),
            Shape::OpenAiResponses if of_type == Some("function") => Some(whole),
            Shape::OpenAiChat | Shape::OpenAiResponses => None,
            Shape::Gemini => whole.contains_key("name").then_some(whole),
            Shape::Bedrock => whole.get("toolSpec")?.as_object(),
            Shape::Mcp | Shape::Neutral => Some(whole),
        }
    }

    /// The members of a function that say more than its name, description and parameters.
    pub(crate) fn more(&self) -> impl Iterator<Item = (&str, &Value)> {
        const SAID: [&str; 8] = [
            "description",
            "inputSchema",
            "input_schema",
            "name",
            "parameters",
            "parametersJsonSchema",
            "parameters_json_schema",
            "type",
        ];
        // OpenAI's form has members around the function as well.
        let around = self.definition.as_object().filter(|_| self.shape == Shape::OpenAiChat);
        let around = around.into_iter().flatten().filter(|(key, _)| *key != "function");
        let members = self.function().into_iter().flatten().chain(around);
        members.filter(|(key, _)| !SAID.contains(&key.as_str())).map(|(key, value)| (key.as_str(), value))
    }

    /// The name that the tool goes by. What has none is known by its type, and by the server that it is about.
    pub(super) fn name(&self) -> Option<String> {
        let text = |value: &Value, key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
        if let Some(function) = self.function() {
            return function.get("name").and_then(Value::as_str).map(str::to_owned);
        }
        let whole = &self.definition;
        if let Some(name) = text(whole, "name").or_else(|| text(whole.get("custom")?, "name")) {
            return Some(name);
        }
        let Some(of_type) = text(whole, "type") else {
            return whole.as_object()?.keys().next().cloned();
        };
        match ["server_label", "mcp_server_name"].iter().find_map(|key| text(whole, key)) {
            Some(server) => Some(format!("{of_type}:{server}")),
            None => Some(of_type),
        }
    }

    pub(super) fn description(&self) -> Option<String> {
        self.function()?.get("description")?.as_str().map(str::to_owned)
    }

    /// The schema of the arguments, as JSON schemas are written.
    pub(super) fn parameters(&self) -> Option<Value> {
        let function = self.function()?;
        let keys = ["input_schema", "inputSchema", "parametersJsonSchema", "parameters_json_schema", "parameters"];
        let found = keys.into_iter().find_map(|key| function.get(key))?;
        match self.shape {
            Shape::Bedrock => Some(found.get("json").unwrap_or(found).clone()),
            Shape::Gemini => Some(lower_case_types(found)),
            _ => Some(found.clone()),
        }
    }
}

/// The tools that an object stands for which has a shape of its own: Google's have several in one, all others one. None if the object
/// is in nobody's shape. `whole` has all members but those that only antefix knows; `schema` is the name that it gives its parameters.
pub(super) fn recognize(whole: &Map<String, Value>, schema: Option<&str>) -> Option<Vec<Native>> {
    let one = |shape: Shape| Some(vec![Native { shape, definition: Value::Object(whole.clone()) }]);
    let is_object = |key: &str| whole.get(key).is_some_and(Value::is_object);
    if let Some(of_type) = whole.get("type").and_then(Value::as_str) {
        return one(match of_type {
            "function" if is_object("function") => Shape::OpenAiChat,
            "custom" if is_object("custom") => Shape::OpenAiChat,
            "custom" if schema == Some("input_schema") => Shape::Anthropic,
            "mcp_toolset" => Shape::Anthropic,
            dated if has_date(dated) => Shape::Anthropic,
            _ => Shape::OpenAiResponses,
        });
    }
    if is_object("toolSpec") || BEDROCKS.iter().any(|key| whole.contains_key(*key)) {
        return one(Shape::Bedrock);
    }
    let declarations =
        ["functionDeclarations", "function_declarations"].into_iter().find(|key| whole.contains_key(*key));
    if declarations.is_some() || GOOGLES.iter().any(|key| is_object(key)) {
        let gemini = |definition: Value| Native { shape: Shape::Gemini, definition };
        let listed = declarations.and_then(|key| whole.get(key)?.as_array()).into_iter().flatten();
        let others = whole.iter().filter(|(key, _)| Some(key.as_str()) != declarations);
        let others = others.map(|(key, value)| Value::Object(Map::from_iter([(key.clone(), value.clone())])));
        return Some(listed.cloned().chain(others).map(gemini).collect());
    }
    let says_more =
        whole.keys().any(|key| !matches!(key.as_str(), "name" | "description") && Some(key.as_str()) != schema);
    match schema {
        _ if !says_more => None,
        Some("input_schema") => one(Shape::Anthropic),
        Some("inputSchema") => one(Shape::Mcp),
        _ => one(Shape::Neutral),
    }
}

/// Whether some provider knows a member of this name.
pub(super) fn is_known(member: &str) -> bool {
    MEMBERS.iter().any(|(_, members)| members.contains(&member))
}

/// Whether a type ends in a date, as Anthropic's do: `web_search_20250305`.
fn has_date(of_type: &str) -> bool {
    of_type.rsplit_once('_').is_some_and(|(_, date)| date.len() == 8 && date.bytes().all(|b| b.is_ascii_digit()))
}

/// A schema as Gemini writes it, with the types of JSON schemas. It is not followed deeper than a schema is nested in practice:
/// what is deeper stays as it is.
fn lower_case_types(schema: &Value) -> Value {
    const DEEPEST: usize = 64;
    fn within(schema: &Value, depth: usize) -> Value {
        match schema {
            Value::Object(members) if depth < DEEPEST => {
                let lower = |(key, value): (&String, &Value)| match value.as_str() {
                    Some(name) if key == "type" => (key.clone(), Value::from(name.to_ascii_lowercase())),
                    _ => (key.clone(), within(value, depth + 1)),
                };
                Value::Object(members.iter().map(lower).collect())
            }
            Value::Array(items) if depth < DEEPEST => {
                Value::Array(items.iter().map(|item| within(item, depth + 1)).collect())
            }
            other => other.clone(),
        }
    }
    within(schema, 0)
}
