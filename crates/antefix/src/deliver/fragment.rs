//! Fragments: what a turn adds to a request.
//!
//! 1. The tools of a fragment are those that all turns share, as a value and as text, so that a turn neither copies nor
//!    writes them.
//! 2. However a fragment becomes text, its members are in the order of their names.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::ser::{Serialize, Serializer};
use serde_json::{Map, Value};

use super::Content;
use super::tools::{CHOICE, choice};
use crate::discover::tools::ShapedTools;
use crate::text::{canonical, roomy, write_canonical, write_string};

/// What to merge into a request: every member of it replaces the request's own, but of two `tool_choice` the narrower one counts.
///
/// [`Delivery::request`](super::Delivery::request) does so, also where the caller keeps its messages to itself, and gives the bytes to
/// send; [`Fragment::request`] is for those who have handed their messages over. Whatever knows serde can write a fragment as well, also with
/// `#[serde(flatten)]` in a request of its own, and [`Fragment::to_value`] is for those who look into it.
///
/// ```
/// # use antefix::deliver::{Content, Target, deliver};
/// # use serde_json::json;
/// let messages = [json!({"role": "user", "content": "Where is the parser?"})];
/// let content = Content { messages: Some(&messages), ..Content::new("Be brief.", 0, "") };
/// let fragment = deliver(&content, Target::Ollama, None)?.fragment;
/// assert_eq!(
///     fragment.request([("model", json!("llama3.3")), ("stream", json!(false))]),
///     r#"{"messages":[{"content":"Be brief.","role":"system"},{"content":"Where is the parser?","role":"user"}],"#.to_owned()
///         + r#""model":"llama3.3","stream":false}"#,
/// );
/// assert_eq!(fragment.to_value()["messages"][0]["role"], "system");
/// # Ok::<_, antefix::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Fragment {
    /// All but the tools.
    members: Map<String, Value>,
    tools: Option<(Place, Arc<ShapedTools>)>,
}

/// Where the tools are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// `tools`.
    Tools,
    /// `toolConfig.tools`.
    ToolConfig,
}

impl Fragment {
    /// Its bytes: keys in order, no white space.
    pub fn bytes(&self) -> String {
        write(&self.members())
    }

    /// The bytes of a request that has these members besides, written likewise. Where both have one of a name, the
    /// fragment's counts.
    pub fn request<K: Into<String>>(&self, own: impl IntoIterator<Item = (K, Value)>) -> String {
        self.request_with(own, None)
    }

    /// The same, with a member that counts instead of both.
    pub(super) fn request_with<K: Into<String>>(
        &self,
        own: impl IntoIterator<Item = (K, Value)>,
        merged: Option<(String, Value)>,
    ) -> String {
        let own: Vec<(String, Value)> = own.into_iter().map(|(key, value)| (key.into(), value)).collect();
        let mut members: Members<'_> = own.iter().map(|(key, value)| (key.as_str(), Member::Value(value))).collect();
        members.extend(self.members());
        let callers = own.iter().find(|(key, _)| key == CHOICE).map(|(_, value)| value);
        let choice = callers.zip(self.members.get(CHOICE)).map(|(callers, ours)| choice(ours, callers));
        members.extend(choice.iter().map(|choice| (CHOICE, Member::Value(choice))));
        members.extend(merged.iter().map(|(key, value)| (key.as_str(), Member::Value(value))));
        write(&members)
    }

    /// The fragment as a value of serde_json's. That copies all of it: with many tools it takes longer than delivering.
    pub fn to_value(&self) -> Value {
        let owned = self.members().into_iter().map(|(key, member)| (key.to_owned(), member.to_value()));
        Value::Object(owned.collect())
    }

    pub(super) fn insert(&mut self, key: &str, value: Value) {
        self.members.insert(key.to_owned(), value);
    }

    /// Puts a value into an object of the fragment, beside what is in it.
    pub(super) fn insert_within(&mut self, key: &str, member: &str, value: Value) {
        let object = self.members.entry(key).or_insert_with(|| Value::Object(Map::new()));
        object[member] = value;
    }

    /// Puts the messages of a conversation into the fragment; where the caller keeps them to itself, they are to append.
    pub(super) fn messages(&mut self, content: &Content<'_>, key: &str, messages: Vec<Value>) -> Vec<Value> {
        self.messages_behind(content, key, Vec::new(), messages)
    }

    /// The same, with messages in front that are the fragment's in any case.
    pub(super) fn messages_behind(
        &mut self,
        content: &Content<'_>,
        key: &str,
        mut front: Vec<Value>,
        messages: Vec<Value>,
    ) -> Vec<Value> {
        let append = match content.messages {
            Some(_) => {
                front.extend(messages);
                Vec::new()
            }
            None => messages,
        };
        if !front.is_empty() {
            self.insert(key, Value::Array(front));
        }
        append
    }

    /// The list under a name; empty if there is none.
    pub(super) fn list(&self, key: &str) -> Vec<Value> {
        self.members.get(key).and_then(Value::as_array).cloned().unwrap_or_default()
    }

    pub(super) fn insert_tools(&mut self, place: Place, tools: Arc<ShapedTools>) {
        self.tools = Some((place, tools));
    }

    /// The text at a JSON pointer: a string, the `text` of a block, or else JSON.
    pub(super) fn text_at(&self, pointer: &str) -> Option<String> {
        if let Some((place, tools)) = &self.tools
            && place.pointer() == pointer
        {
            return Some(tools.text.clone());
        }
        let path = pointer.strip_prefix('/')?;
        let (key, rest) = path.split_at(path.find('/').unwrap_or(path.len()));
        let found = self.members.get(key)?.pointer(rest)?;
        let text = found.as_str().or_else(|| found.get("text")?.as_str());
        Some(text.map_or_else(|| canonical(found), str::to_owned))
    }

    /// Roughly, in bytes of JSON.
    pub(crate) fn length(&self) -> usize {
        self.members().values().map(Member::length).sum()
    }

    fn members(&self) -> Members<'_> {
        let values = self.members.iter().map(|(key, value)| (key.as_str(), Member::Value(value)));
        let tools = self.tools.iter().map(|(place, tools)| match place {
            Place::Tools => ("tools", Member::Tools(tools)),
            Place::ToolConfig => ("toolConfig", Member::ToolConfig(tools)),
        });
        values.chain(tools).collect()
    }
}

impl Place {
    /// The place as a JSON pointer.
    pub(super) fn pointer(self) -> &'static str {
        match self {
            Place::Tools => "/tools",
            Place::ToolConfig => "/toolConfig/tools",
        }
    }
}

impl Serialize for Fragment {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.members())
    }
}

/// The members of a request, by their names.
type Members<'f> = BTreeMap<&'f str, Member<'f>>;

/// A member of a request, wherever it is kept.
enum Member<'f> {
    Value(&'f Value),
    Tools(&'f ShapedTools),
    ToolConfig(&'f ShapedTools),
}

impl Member<'_> {
    fn to_value(&self) -> Value {
        match self {
            Member::Value(value) => (*value).clone(),
            Member::Tools(tools) => tools.list.clone(),
            Member::ToolConfig(tools) => Value::Object(Map::from_iter([("tools".to_owned(), tools.list.clone())])),
        }
    }

    /// Roughly, in bytes of JSON.
    fn length(&self) -> usize {
        match self {
            Member::Value(value) => roomy(|| length(value)),
            Member::Tools(tools) | Member::ToolConfig(tools) => tools.text.len(),
        }
    }

    fn write(&self, text: &mut String) {
        match self {
            Member::Value(value) => write_canonical(value, text),
            Member::Tools(tools) => text.push_str(&tools.text),
            Member::ToolConfig(tools) => {
                text.push_str(r#"{"tools":"#);
                text.push_str(&tools.text);
                text.push('}');
            }
        }
    }
}

impl Serialize for Member<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Member::Value(value) => value.serialize(serializer),
            Member::Tools(tools) => tools.list.serialize(serializer),
            Member::ToolConfig(tools) => serializer.collect_map([("tools", &tools.list)]),
        }
    }
}

/// An object of members.
fn write(members: &Members<'_>) -> String {
    let length: usize = members.iter().map(|(key, member)| key.len() + member.length()).sum();
    // An eighth more for what is escaped: a text that grows is copied.
    let mut text = String::with_capacity(length + length / 8);
    text.push('{');
    for (number, (key, member)) in members.iter().enumerate() {
        if number > 0 {
            text.push(',');
        }
        write_string(key, &mut text);
        text.push(':');
        member.write(&mut text);
    }
    text.push('}');
    text
}

fn length(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(|item| 1 + length(item)).sum(),
        Value::Object(members) => members.iter().map(|(key, value)| 6 + key.len() + length(value)).sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) => 5,
    }
}
