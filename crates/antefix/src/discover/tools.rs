//! `tools:names`, `tools:list` and `tools:guidelines`: what the agent can do, and advice that fits.
//!
//! 1. Tools are told in order of their names, whatever order the caller has them in.
//! 2. A tool's line is its snippet, else its description, else antefix's own words for a well-known tool, else its name;
//!    white space in it becomes single spaces.
//! 3. Advice comes and goes with the tools that it is about. The same sentence is told once, where it comes first.
//! 4. All words are wordings: `tool_<name>` and `guideline_<topic>`.

use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::{Arc, Mutex, PoisonError};

use serde::Deserialize;

use super::fact::{FactName, Text, Value};
use super::world::Answer;
use super::{Fact, Situation};
use crate::compose::{Draft, Origin, Transform, canonical, canonical_tools};
use crate::digest::Digest;

/// A tool of the agent's.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// What it does, for the model.
    pub description: Option<String>,
    /// A line for the list of tools.
    pub prompt_snippet: Option<String>,
    /// The JSON schema of its arguments, under any of the names that providers give it.
    #[serde(alias = "input_schema", alias = "inputSchema")]
    pub parameters: Option<serde_json::Value>,
    /// Advice that comes with the tool.
    pub prompt_guidelines: Vec<String>,
    /// Whether the list of tools leaves it out.
    pub hidden: Hidden,
}

/// Whether the list of tools leaves a tool out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(from = "bool")]
pub enum Hidden {
    /// It is listed.
    #[default]
    No,
    /// It is not.
    Yes,
}

impl From<bool> for Hidden {
    fn from(hidden: bool) -> Hidden {
        if hidden { Hidden::Yes } else { Hidden::No }
    }
}

impl Tool {
    /// A tool of which only the name is known.
    pub fn named(name: impl Into<String>) -> Tool {
        Tool { name: name.into(), ..Tool::default() }
    }
}

/// The tools of an agent, put in order once and used in many turns. A copy costs nothing.
///
/// Each name stands once, and the first tool that has it counts.
///
/// ```
/// use antefix::discover::{Tool, Tools};
///
/// let tools = Tools::from(vec![Tool::named("write"), Tool::named("read")]);
/// assert_eq!(tools[0].name, "read");
/// assert_eq!(&**tools.canonical(), r#"[{"name":"read"},{"name":"write"}]"#);
/// ```
#[derive(Debug, Clone)]
pub struct Tools(Arc<Ordered>);

#[derive(Debug)]
struct Ordered {
    tools: Vec<Tool>,
    canonical: Arc<str>,
    /// By the name of a shape, in which they were asked for.
    shapes: Mutex<BTreeMap<&'static str, Arc<ShapedTools>>>,
}

/// Tools in the shape of a provider.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ShapedTools {
    pub(crate) list: serde_json::Value,
    /// The list as it is sent.
    pub(crate) text: String,
    pub(crate) digest: Digest,
}

impl Tools {
    /// What a model sees of them, as one text.
    pub fn canonical(&self) -> &Arc<str> {
        &self.0.canonical
    }

    /// The tools in a shape, which is made once.
    pub(crate) fn shaped(
        &self,
        shape: &'static str,
        make: impl FnOnce(&[Tool]) -> serde_json::Value,
    ) -> Arc<ShapedTools> {
        let mut shapes = self.0.shapes.lock().unwrap_or_else(PoisonError::into_inner);
        let shaped = shapes.entry(shape).or_insert_with(|| {
            let list = make(&self.0.tools);
            let text = canonical(&list);
            Arc::new(ShapedTools { digest: Digest::of(&text), list, text })
        });
        Arc::clone(shaped)
    }
}

impl PartialEq for Tools {
    fn eq(&self, other: &Tools) -> bool {
        self.0.tools == other.0.tools
    }
}

impl Eq for Tools {}

impl Deref for Tools {
    type Target = [Tool];

    fn deref(&self) -> &[Tool] {
        &self.0.tools
    }
}

impl From<Vec<Tool>> for Tools {
    fn from(mut tools: Vec<Tool>) -> Tools {
        tools.sort_by(|one, other| one.name.cmp(&other.name));
        tools.dedup_by(|one, other| one.name == other.name);
        let canonical = canonical_tools(&tools).into();
        Tools(Arc::new(Ordered { tools, canonical, shapes: Mutex::default() }))
    }
}

impl FromIterator<Tool> for Tools {
    fn from_iter<I: IntoIterator<Item = Tool>>(tools: I) -> Tools {
        Tools::from(tools.into_iter().collect::<Vec<_>>())
    }
}

/// Whether the agent has a tool.
type Has<'h> = dyn Fn(&str) -> bool + 'h;

/// When a piece of advice is given.
struct Advice {
    phrase: &'static str,
    when: fn(&Has<'_>) -> bool,
}

/// The advice before that of the tools themselves, in order.
const ADVICE: [Advice; 6] = [
    Advice { phrase: "guideline_bash_files", when: |has| has("bash") && !has("grep") && !has("find") && !has("ls") },
    Advice { phrase: "guideline_search_tools", when: |has| has("bash") && (has("grep") || has("find") || has("ls")) },
    Advice { phrase: "guideline_read_first", when: |has| has("read") && has("edit") },
    Advice { phrase: "guideline_edit", when: |has| has("edit") },
    Advice { phrase: "guideline_write", when: |has| has("write") },
    Advice { phrase: "guideline_plain_text", when: |has| has("edit") || has("write") },
];

/// The advice that is always given, last.
const ALWAYS: [&str; 2] = ["guideline_brief", "guideline_paths"];

/// Answers `tools:<name>`.
pub(super) fn answer(situation: &Situation, name: &FactName) -> Fact {
    let Some(tools) = &situation.tools else { return Answer::Absent };
    match name.name() {
        "names" => {
            let text = |tool: &Tool| Text::new(tool.name.as_str(), Origin::fact(name));
            Answer::Present(Value::List(tools.iter().map(text).collect()))
        }
        "list" => Answer::Present(Value::Text(list(situation, tools, name))),
        "guidelines" => Answer::Present(Value::Text(guidelines(situation, tools, name))),
        _ => Answer::Absent,
    }
}

fn list(situation: &Situation, tools: &[Tool], name: &FactName) -> Text {
    let shown: Vec<&Tool> = tools.iter().filter(|tool| tool.hidden == Hidden::No).collect();
    if shown.is_empty() {
        return Text::new("(none)", Origin::fact(name));
    }
    let mut draft = Draft::default();
    for (number, tool) in shown.iter().enumerate() {
        let joint = if number == 0 { "- " } else { "\n- " };
        draft.push(&format!("{joint}{}: ", tool.name), Origin::fact(name), None);
        let own = tool.prompt_snippet.as_deref().into_iter().chain(tool.description.as_deref());
        match own.map(single_line).find(|text| !text.is_empty()) {
            Some(text) => draft.push(&text, Origin::fact(name), None),
            None => match situation.phrases.get(&format!("tool_{}", tool.name)) {
                phrase if phrase.as_str().is_empty() => draft.push(&tool.name, Origin::fact(name), None),
                phrase => draft.push_text(&phrase),
            },
        }
    }
    draft.into_text()
}

fn guidelines(situation: &Situation, tools: &[Tool], name: &FactName) -> Text {
    let has = |wanted: &str| tools.iter().any(|tool| tool.name == wanted);
    let mut advice: Vec<Text> = Vec::new();
    let before = ADVICE.iter().filter(|advice| (advice.when)(&has)).map(|advice| situation.phrases.get(advice.phrase));
    let own = tools.iter().flat_map(|tool| &tool.prompt_guidelines);
    let own = own.map(|text| Text::new(text.trim(), Origin::fact(name)));
    let always = ALWAYS.iter().map(|phrase| situation.phrases.get(phrase));
    for text in before.chain(own).chain(always) {
        if !text.as_str().is_empty() && !advice.iter().any(|known| known.as_str() == text.as_str()) {
            advice.push(text);
        }
    }
    let mut draft = Draft::default();
    for (number, text) in advice.iter().enumerate() {
        let joint = if number == 0 { "- " } else { "\n- " };
        draft.push(joint, Origin::fact(name), Some(Transform::Joined));
        draft.push_text(text);
    }
    draft.into_text()
}

/// A text on one line, with single spaces.
fn single_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
