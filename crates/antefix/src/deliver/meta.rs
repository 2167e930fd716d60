//! What a client of the Agent Client Protocol brings along in `_meta`.

use serde_json::Value;

/// The system prompt under a key of `_meta`: a text, or an object with one under `append`.
///
/// Everything else is none and never an error: `_meta` belongs to everybody, and what others put there is not ours to judge. An
/// empty text is a text. The key is one name, whatever dots it has, and a `systemPrompt` beside `_meta` is not looked at.
///
/// ```
/// use antefix::deliver::prompt_in_meta;
/// use serde_json::json;
///
/// let meta = json!({"buzz.systemPrompt": "You are Ada."});
/// assert_eq!(prompt_in_meta(&meta, "buzz.systemPrompt"), Some("You are Ada."));
/// assert_eq!(prompt_in_meta(&json!({"buzz.systemPrompt": 42}), "buzz.systemPrompt"), None);
/// ```
pub fn prompt_in_meta<'m>(meta: &'m Value, key: &str) -> Option<&'m str> {
    let brought = meta.as_object()?.get(key)?;
    brought.as_str().or_else(|| brought.as_object()?.get("append")?.as_str())
}
