//! Whose shape a body has, by its keys.

use super::Json;
use crate::deliver::Target;

/// Words of Anthropic's for blocks of a conversation, which nobody else has.
const BLOCKS: [&str; 4] = ["tool_use", "tool_result", "thinking", "redacted_thinking"];

pub(super) fn target_of(body: &Json) -> Option<Target> {
    if body.has("contents") {
        return Some(Target::Gemini);
    }
    if body.has("input") {
        return Some(Target::OpenAiResponses);
    }
    if !body.has("messages") {
        return None;
    }
    let inferenced = ["inferenceConfig", "toolConfig", "additionalModelRequestFields"];
    if inferenced.iter().any(|key| body.has(key)) {
        return Some(Target::Bedrock);
    }
    let tools = body.get("tools").list();
    let anthropic = body.has("system")
        || body.has("anthropic_version")
        || tools.iter().any(|tool| tool.has("input_schema"))
        || body.get("messages").list().iter().any(has_blocks_of_anthropic)
        || body.get("model").text().is_some_and(|model| model.contains("claude"));
    Some(if anthropic { Target::Anthropic } else { Target::OpenAiChat })
}

fn has_blocks_of_anthropic(message: &Json) -> bool {
    let is_word = |block: &Json| block.get("type").text().is_some_and(|word| BLOCKS.contains(&word));
    message.get("content").list().iter().any(|block| block.has("cache_control") || is_word(block))
}
