//! What an agent asked its model, in the order in which the model reads it.

use std::path::Path;

use serde_json::Value;

/// How a canary is written around the name of its file.
pub(crate) const CANARY: [&str; 2] = ["CANARY[", "]"];

/// One request.
pub(crate) struct Request {
    pub(crate) path: String,
    pub(crate) body: Value,
}

/// A text of a request, and who says it.
#[derive(Debug, Clone)]
pub(crate) struct Said {
    pub(crate) role: String,
    pub(crate) text: String,
}

impl Request {
    /// What the recorder kept.
    pub(crate) fn all(kept: &Path) -> Vec<Request> {
        let read = |number: usize| {
            let text = std::fs::read_to_string(kept.join(format!("{number:04}.json"))).ok()?;
            let mut value: Value = serde_json::from_str(&text).unwrap();
            Some(Request { path: value["path"].as_str().unwrap().to_owned(), body: value["body"].take() })
        };
        (1..).map_while(read).collect()
    }

    /// Whether it is a turn of the conversation: titles and the like come without tools.
    pub(crate) fn is_turn(&self) -> bool {
        self.body["tools"].as_array().is_some_and(|tools| !tools.is_empty())
            || (self.path.ends_with("/responses") && self.body["input"].is_array())
    }

    /// Every text of it, with who says it.
    pub(crate) fn said(&self) -> Vec<Said> {
        let mut said = Vec::new();
        for (key, role) in
            [("tools", "tools"), ("system", "system"), ("systemInstruction", "system"), ("instructions", "system")]
        {
            collect(&self.body[key], role, &mut said);
        }
        for key in ["messages", "input", "contents"] {
            for message in self.body[key].as_array().into_iter().flatten() {
                let role = message["role"].as_str().unwrap_or("tool");
                collect(message, role, &mut said);
            }
        }
        said
    }
}

fn collect(value: &Value, role: &str, said: &mut Vec<Said>) {
    match value {
        Value::String(text) => said.push(Said { role: role.to_owned(), text: text.clone() }),
        Value::Array(items) => items.iter().for_each(|item| collect(item, role, said)),
        Value::Object(map) => map.values().for_each(|item| collect(item, role, said)),
        _ => {}
    }
}

/// The canaries of a text, in order.
pub(crate) fn canaries(text: &str) -> Vec<String> {
    let [begin, end] = CANARY;
    let after = text.split(begin).skip(1);
    after.filter_map(|rest| rest.split_once(end)).map(|(name, _)| name.to_owned()).collect()
}
