//! Requests of systems that are modeled here, in each provider's shape.

use antefix::Target;
use antefix::discover::tools::Tool;
use serde_json::{Value, json};

use super::scene::{Provider, Said};

/// A request before it has a provider's shape.
#[derive(Debug, Default)]
pub(super) struct Outline {
    pub(super) tools: Vec<Tool>,
    /// The system text, in blocks, each with the lifetime of its marker.
    pub(super) system: Vec<(String, Option<&'static str>)>,
    pub(super) messages: Vec<Message>,
    /// Whether the last tool has a marker, and for how long.
    pub(super) marks_tools: Option<&'static str>,
    /// Whether the last message has a marker, and for how long.
    pub(super) marks_last: Option<&'static str>,
    /// The name of the cache, where the provider takes one.
    pub(super) key: Option<String>,
}

/// A message of a request.
#[derive(Debug, Clone)]
pub(super) enum Message {
    /// Part of the conversation.
    Said(Said),
    /// The system speaks in mid-conversation.
    System(String),
    /// The user's role, and the agent's words.
    Reminder(String),
    /// Tools that are there from here on.
    ToolsAdded(Vec<Tool>),
    /// Tools that are gone from here on, by name.
    ToolsRemoved(Vec<String>),
}

impl Outline {
    /// The body of the request.
    pub(super) fn request(&self, provider: &Provider) -> Value {
        let (tools, folded) = self.folded(provider);
        match provider.target {
            Target::Anthropic => self.anthropic(&tools, &folded),
            Target::OpenAiResponses => self.responses(&tools, &folded),
            Target::Gemini => self.gemini(&tools, &folded),
            _ => self.chat(&tools, &folded),
        }
    }

    /// The tools and messages, with changes of tools in the list where the provider takes them nowhere else.
    fn folded(&self, provider: &Provider) -> (Vec<Tool>, Vec<Message>) {
        let has = |wanted: fn(&Message) -> bool| self.messages.iter().any(wanted);
        let removed = has(|message| matches!(message, Message::ToolsRemoved(_)));
        let takes = provider.adds_tools && (provider.removes_tools || !removed);
        let mut tools = self.tools.clone();
        let mut messages = Vec::with_capacity(self.messages.len());
        for message in &self.messages {
            match message {
                Message::ToolsAdded(more) if !takes => tools.extend(more.iter().cloned()),
                Message::ToolsRemoved(names) if !takes => tools.retain(|tool| !names.contains(&tool.name)),
                other => messages.push(other.clone()),
            }
        }
        (tools, messages)
    }

    fn anthropic(&self, tools: &[Tool], messages: &[Message]) -> Value {
        let marker = |ttl: &str| json!({"type": "ephemeral", "ttl": ttl});
        let mut tools: Vec<Value> = tools.iter().map(anthropic_tool).collect();
        if let (Some(ttl), Some(last)) = (self.marks_tools, tools.last_mut()) {
            last["cache_control"] = marker(ttl);
        }
        let block = |(text, ttl): &(String, Option<&str>)| {
            let mut block = json!({"type": "text", "text": text});
            if let Some(ttl) = ttl {
                block["cache_control"] = marker(ttl);
            }
            block
        };
        let mut messages: Vec<Value> = messages
            .iter()
            .map(|message| match message {
                Message::Said(said) => message_of(Target::Anthropic, said),
                Message::System(text) => json!({"role": "system", "content": [{"type": "text", "text": text}]}),
                Message::Reminder(text) => json!({"role": "user", "content": [{"type": "text", "text": text}]}),
                Message::ToolsAdded(tools) => {
                    let blocks = tools.iter().map(|tool| {
                        let definition = json!({"type": "tool_definition", "definition": anthropic_tool(tool)});
                        json!({"type": "tool_addition", "tool": definition})
                    });
                    json!({"role": "system", "content": blocks.collect::<Vec<_>>()})
                }
                Message::ToolsRemoved(names) => {
                    let blocks = names
                        .iter()
                        .map(|name| json!({"type": "tool_removal", "tool": {"type": "tool_reference", "name": name}}));
                    json!({"role": "system", "content": blocks.collect::<Vec<_>>()})
                }
            })
            .collect();
        if let Some(ttl) = self.marks_last {
            mark(Target::Anthropic, messages.last_mut(), ttl);
        }
        json!({"tools": tools, "system": self.system.iter().map(block).collect::<Vec<_>>(), "messages": messages})
    }

    fn responses(&self, tools: &[Tool], messages: &[Message]) -> Value {
        let mut input: Vec<Value> =
            self.system.iter().map(|(text, _)| json!({"role": "developer", "content": text})).collect();
        input.extend(messages.iter().map(|message| match message {
            Message::Said(said) => message_of(Target::OpenAiResponses, said),
            Message::System(text) => json!({"role": "developer", "content": text}),
            Message::Reminder(text) => json!({"role": "user", "content": text}),
            Message::ToolsAdded(tools) => {
                let tools: Vec<Value> = tools.iter().map(flat_tool).collect();
                json!({"type": "additional_tools", "role": "developer", "tools": tools})
            }
            Message::ToolsRemoved(names) => json!({"role": "developer", "content": names.join(", ")}),
        }));
        let mut request = json!({"tools": tools.iter().map(flat_tool).collect::<Vec<_>>(), "input": input});
        if let Some(key) = &self.key {
            request["prompt_cache_key"] = json!(key);
        }
        request
    }

    fn chat(&self, tools: &[Tool], messages: &[Message]) -> Value {
        let system: String = self.system.iter().map(|(text, _)| text.as_str()).collect::<Vec<_>>().join("\n\n");
        let mut list = vec![json!({"role": "system", "content": system})];
        list.extend(messages.iter().map(|message| match message {
            Message::Said(said) => message_of(Target::OpenAiChat, said),
            Message::System(text) => json!({"role": "system", "content": text}),
            Message::Reminder(text) => json!({"role": "user", "content": text}),
            Message::ToolsAdded(_) | Message::ToolsRemoved(_) => Value::Null,
        }));
        list.retain(|message| !message.is_null());
        let tools: Vec<Value> = tools
            .iter()
            .map(|tool| {
                let function =
                    json!({"name": tool.name, "description": tool.description, "parameters": tool.parameters});
                json!({"type": "function", "function": function})
            })
            .collect();
        json!({"tools": tools, "messages": list})
    }

    fn gemini(&self, tools: &[Tool], messages: &[Message]) -> Value {
        let parts: Vec<Value> = self.system.iter().map(|(text, _)| json!({"text": text})).collect();
        let contents: Vec<Value> = messages
            .iter()
            .map(|message| match message {
                Message::Said(said) => message_of(Target::Gemini, said),
                Message::System(text) | Message::Reminder(text) => json!({"role": "user", "parts": [{"text": text}]}),
                Message::ToolsAdded(_) | Message::ToolsRemoved(_) => Value::Null,
            })
            .filter(|message| !message.is_null())
            .collect();
        let declaration = |tool: &Tool| json!({"name": tool.name, "description": tool.description, "parametersJsonSchema": tool.parameters});
        let declarations: Vec<Value> = tools.iter().map(declaration).collect();
        json!({
            "tools": [{"functionDeclarations": declarations}],
            "systemInstruction": {"parts": parts},
            "contents": contents,
        })
    }
}

/// A message of the conversation, as the agent of every strategy sends it.
pub(super) fn message_of(target: Target, said: &Said) -> Value {
    match (target, said) {
        (Target::Anthropic, Said::User(text)) => json!({"role": "user", "content": [{"type": "text", "text": text}]}),
        (Target::Anthropic, Said::Answer(text)) => {
            json!({"role": "assistant", "content": [{"type": "text", "text": text}]})
        }
        (Target::Anthropic, Said::Call { id, name, path }) => {
            let call = json!({"type": "tool_use", "id": id, "name": name, "input": {"path": path}});
            json!({"role": "assistant", "content": [call]})
        }
        (Target::Anthropic, Said::Result { id, text }) => {
            json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": text}]})
        }
        (Target::OpenAiResponses, Said::Call { id, name, path }) => {
            let arguments = json!({"path": path}).to_string();
            json!({"type": "function_call", "call_id": id, "name": name, "arguments": arguments})
        }
        (Target::OpenAiResponses, Said::Result { id, text }) => {
            let output = json!([{"type": "input_text", "text": text}]);
            json!({"type": "function_call_output", "call_id": id, "output": output})
        }
        (Target::Gemini, Said::User(text)) => json!({"role": "user", "parts": [{"text": text}]}),
        (Target::Gemini, Said::Answer(text)) => json!({"role": "model", "parts": [{"text": text}]}),
        (Target::Gemini, Said::Call { name, path, .. }) => {
            json!({"role": "model", "parts": [{"functionCall": {"name": name, "args": {"path": path}}}]})
        }
        (Target::Gemini, Said::Result { text, .. }) => {
            let response = json!({"name": "read", "response": {"output": text}});
            json!({"role": "user", "parts": [{"functionResponse": response}]})
        }
        (_, Said::User(text)) => json!({"role": "user", "content": text}),
        (_, Said::Answer(text)) => json!({"role": "assistant", "content": text}),
        (_, Said::Call { id, name, path }) => {
            let function = json!({"name": name, "arguments": json!({"path": path}).to_string()});
            json!({"role": "assistant", "tool_calls": [{"id": id, "type": "function", "function": function}]})
        }
        (_, Said::Result { id, text }) => json!({"role": "tool", "tool_call_id": id, "content": text}),
    }
}

/// Puts a marker at the end of a message.
pub(super) fn mark(target: Target, message: Option<&mut Value>, ttl: &str) {
    let Some(message) = message else { return };
    match target {
        Target::Anthropic => {
            if let Some(last) = message["content"].as_array_mut().and_then(|blocks| blocks.last_mut()) {
                last["cache_control"] = json!({"type": "ephemeral", "ttl": ttl});
            }
        }
        Target::OpenAiResponses => {
            let breakpoint = json!({"mode": "explicit", "ttl": ttl});
            if let Some(last) = message["output"].as_array_mut().and_then(|parts| parts.last_mut()) {
                last["prompt_cache_breakpoint"] = breakpoint;
            } else if let Some(text) = message["content"].as_str() {
                let part = json!({"type": "input_text", "text": text, "prompt_cache_breakpoint": breakpoint});
                message["content"] = json!([part]);
            }
        }
        _ => {}
    }
}

fn anthropic_tool(tool: &Tool) -> Value {
    json!({"name": tool.name, "description": tool.description, "input_schema": tool.parameters})
}

fn flat_tool(tool: &Tool) -> Value {
    // The type of the official client wants `strict` said, and requests of Codex say it.
    let (name, description) = (&tool.name, &tool.description);
    json!({"type": "function", "name": name, "description": description, "parameters": tool.parameters, "strict": false})
}
