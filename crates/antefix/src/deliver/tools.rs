//! The tools of a turn in the shape of a target.
//!
//! 1. What was handed over in the target's own shape goes as it is.
//! 2. A function in another shape is translated: its name, description and parameters, and the members that the target knows as
//!    well. What it does not know is left out, and the receipt says so.
//! 3. What only another provider knows is refused, by its name.
//! 4. An empty list is not sent, because providers refuse it.
//! 5. What is deferred comes last, behind the provider's own tool for finding it, so that what the model is shown at once is one run.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::fragment::Place;
use super::{Content, Fragment, Receipt, Target, anthropic, bedrock, gemini, openai, plain};
use crate::compose::policy::Placement;
use crate::discover::tools::{Native, Shape, Shaped, Tool};
use crate::error::{Error, ErrorKind, Result};
use crate::freeze::ToolStep;
use crate::models::{Model, Provider, ToolChanges};

/// How a target takes tools.
pub(super) struct Form {
    pub(super) target: Target,
    /// The shape that is the target's own; none if all is taken as it is.
    pub(super) shape: Option<Shape>,
    pub(super) place: Place,
    /// Makes a function of a tool.
    pub(super) function: fn(&Tool) -> Value,
    /// The member of that function that its own members are in.
    pub(super) inside: Option<&'static str>,
    /// The tool by which a model finds those that are deferred; none if the target loads none later.
    pub(super) search: Option<Search>,
    /// Makes the list of what each tool became.
    pub(super) list: fn(Vec<Value>) -> Value,
}

/// A provider's own tool by which a model finds tools that are deferred.
pub(super) struct Search {
    pub(super) tool: fn() -> Value,
    /// What the types of such tools begin with: a caller may have brought one.
    pub(super) types: &'static str,
    pub(super) hides: Hides,
}

/// What a model is not shown of a tool that is deferred.
#[derive(Clone, Copy)]
pub(super) enum Hides {
    /// All of it.
    All,
    /// Its parameters: it still sees the name and the description.
    Parameters,
}

impl Search {
    pub(super) fn is(&self, tool: &Value) -> bool {
        tool["type"].as_str().is_some_and(|of_type| of_type.starts_with(self.types))
    }
}

impl Form {
    /// A form whose list is what each tool became.
    pub(super) fn new(target: Target, shape: Shape, function: fn(&Tool) -> Value) -> Form {
        Form {
            target,
            shape: Some(shape),
            place: Place::Tools,
            function,
            inside: None,
            search: None,
            list: Value::Array,
        }
    }

    /// How a target takes tools; none if it has tools of its own.
    pub(super) fn of(target: Target) -> Option<Form> {
        match target {
            Target::Plain => Some(plain::form()),
            Target::Anthropic => Some(anthropic::form()),
            Target::OpenAiChat | Target::Ollama => Some(openai::nested_form(target)),
            Target::OpenAiResponses => Some(openai::flat_form()),
            Target::Gemini => Some(gemini::form()),
            Target::Bedrock => Some(bedrock::form()),
            Target::Acp => None,
        }
    }
}

/// The content without changes of tools, if all of them can be said by the tools that the request allows of its list: those that were taken
/// away stay in it, so that it is cached as before. None if there is nothing to say, or if it is said in another way.
///
/// OpenAI made `allowed_tools` for this: <https://developers.openai.com/api/docs/guides/function-calling>. What it does beside deferred
/// tools is not known.
pub(super) fn allowed<'c>(
    content: &Content<'c>,
    target: Target,
    model: Option<&Model>,
    fragment: &mut Fragment,
    receipt: &mut Receipt,
) -> Result<Option<Content<'c>>> {
    let takes = matches!(target, Target::OpenAiChat | Target::OpenAiResponses)
        && model.is_some_and(|model| {
            model.provider == Provider::OpenAi
                && matches!(model.tool_changes, Some(ToolChanges::Either | ToolChanges::Removals))
        });
    let mut steps = content.tool_changes.iter().flat_map(|changed| changed.steps);
    let Some(form) = Form::of(target).filter(|_| takes && content.deferred.is_empty()) else { return Ok(None) };
    if content.tool_changes.is_empty() || !steps.all(ToolStep::is_listed) {
        return Ok(None);
    }
    let current = content.current_tools.into_iter().flat_map(|tools| tools.iter());
    let tools = current.map(|tool| form.one(tool).map(|tool| named(&tool))).collect::<Result<Vec<Value>>>()?;
    let choice = match (tools.is_empty(), target) {
        (true, _) => json!("none"),
        (false, Target::OpenAiChat) => {
            json!({"type": "allowed_tools", "allowed_tools": {"mode": "auto", "tools": tools}})
        }
        (false, _) => json!({"type": "allowed_tools", "mode": "auto", "tools": tools}),
    };
    fragment.insert(CHOICE, choice);
    receipt.instead("tools that were taken away", "kept in the list, and not among those that `tool_choice` allows");
    Ok(Some(Content { tool_changes: Vec::new(), ..content.clone() }))
}

/// A tool of OpenAI's by its type and name alone.
fn named(tool: &Value) -> Value {
    let mut named = Map::new();
    for key in ["type", "name", "server_label"] {
        named.extend(tool.get(key).map(|value| (key.to_owned(), value.clone())));
    }
    for key in ["function", "custom"] {
        named.extend(tool.get(key).map(|inside| (key.to_owned(), json!({"name": inside["name"]}))));
    }
    Value::Object(named)
}

/// The member of a request that says which tools may be called.
pub(super) const CHOICE: &str = "tool_choice";

/// What a request says of the tools that may be called, if its caller has a wish as well: one for a certain tool, or for none, is narrower
/// than ours, and one for any tool is a wish among those that are allowed.
pub(super) fn choice(ours: &Value, callers: &Value) -> Value {
    match callers.as_str() {
        _ if ours.is_string() => ours.clone(),
        Some("required") => {
            let mut ours = ours.clone();
            let inside = if ours.get("mode").is_some() { &mut ours } else { &mut ours["allowed_tools"] };
            inside["mode"] = callers.clone();
            ours
        }
        Some("auto") => ours.clone(),
        None if callers.is_null() => ours.clone(),
        _ => callers.clone(),
    }
}

/// The content with all tools as they are now, if the target or the model cannot be told of changes; none if there is nothing to fold.
pub(super) fn folded<'c>(
    content: &Content<'c>,
    target: Target,
    model: Option<&Model>,
    receipt: &mut Receipt,
) -> Option<Content<'c>> {
    let speaks = matches!(target, Target::Anthropic | Target::OpenAiResponses);
    let mut steps = content.tool_changes.iter().flat_map(|changed| changed.steps);
    let takes = speaks
        && match model.and_then(|model| model.tool_changes) {
            Some(ToolChanges::All) => true,
            Some(ToolChanges::Either) => steps.all(ToolStep::is_new),
            Some(ToolChanges::Removals) | None => false,
        };
    if content.tool_changes.is_empty() || (takes && content.placement != Placement::System) {
        return None;
    }
    receipt.instead(
        "changes of tools",
        "all tools as they are now, in place of those of the epoch: the target takes no changes",
    );
    Some(Content { tools: content.current_tools, tool_changes: Vec::new(), ..content.clone() })
}

/// The content with nothing deferred, if the target or the model can load no tools later; none if there is nothing to defer.
pub(super) fn loaded<'c>(
    content: &Content<'c>,
    target: Target,
    model: Option<&Model>,
    receipt: &mut Receipt,
) -> Option<Content<'c>> {
    let names = content.tools.into_iter().flat_map(|tools| tools.iter()).map(|tool| &tool.name);
    let deferred: Vec<&String> = names.filter(|name| content.deferred.contains(*name)).collect();
    if deferred.is_empty() {
        return None;
    }
    if let Some(why) = cannot_defer(target, model) {
        if target != Target::Acp {
            receipt.instead("deferred tools", format!("sent as all others: {why}"));
        }
        return Some(Content { deferred: Cow::Owned(BTreeSet::new()), ..content.clone() });
    }
    receipt.deferred = deferred.into_iter().cloned().collect();
    None
}

/// Why tools cannot be loaded later; none if they can.
pub(super) fn cannot_defer(target: Target, model: Option<&Model>) -> Option<&'static str> {
    match model {
        _ if Form::of(target).is_none_or(|form| form.search.is_none()) => Some("the target loads no tools later"),
        None => Some("whether the model loads tools later is not known"),
        Some(model) => (!model.tool_search).then_some("the model loads no tools later"),
    }
}

/// Puts the tools into a fragment.
pub(super) fn fill(content: &Content<'_>, form: &Form, fragment: &mut Fragment, receipt: &mut Receipt) -> Result<()> {
    let Some(tools) = content.tools.filter(|tools| !tools.is_empty()) else { return Ok(()) };
    let shaped = tools.shaped(form.target.name(), &content.deferred, |tools| form.shaped(tools, &content.deferred))?;
    for (what, instead) in &shaped.left_out {
        receipt.instead(what, instead);
    }
    receipt.tools(form.place, &shaped);
    fragment.insert_tools(form.place, shaped);
    Ok(())
}

impl Form {
    /// One tool in the shape of the target.
    pub(super) fn one(&self, tool: &Tool) -> Result<Value> {
        self.tool(tool, &mut BTreeMap::new())
    }

    /// The list, with what is deferred at its end, and what is left out of it.
    pub(super) fn shaped(&self, tools: &[Tool], deferred: &BTreeSet<String>) -> Result<Shaped> {
        let mut left_out: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        let (later, now): (Vec<&Tool>, Vec<&Tool>) = tools.iter().partition(|tool| deferred.contains(&tool.name));
        let mut shaped: Vec<Value> =
            now.into_iter().map(|tool| self.tool(tool, &mut left_out)).collect::<Result<_>>()?;
        if let Some(search) = self.search.as_ref().filter(|_| !later.is_empty())
            && !shaped.iter().any(|tool| search.is(tool))
        {
            shaped.push((search.tool)());
        }
        let deferred = later.len();
        for tool in later {
            let mut tool = self.tool(tool, &mut left_out)?;
            tool["defer_loading"] = Value::Bool(true);
            shaped.push(tool);
        }
        let instead = format!("left out: {} does not know it", self.target.name());
        let left_out = left_out.into_iter().map(|(member, tools)| {
            let named = match tools.as_slice() {
                [one] => format!("`{member}` of the tool `{one}`"),
                [first, more @ ..] => format!("`{member}` of the tool `{first}` and {} more", more.len()),
                [] => format!("`{member}` of tools"),
            };
            (named, instead.clone())
        });
        Ok(Shaped { list: (self.list)(shaped), deferred, left_out: left_out.collect() })
    }

    fn tool<'t>(&self, tool: &'t Tool, left_out: &mut BTreeMap<String, Vec<&'t str>>) -> Result<Value> {
        let Some(native) = &tool.native else { return Ok((self.function)(tool)) };
        let Some(shape) = self.shape else { return Ok(native.definition.clone()) };
        if native.shape == shape {
            return Ok(native.definition.clone());
        }
        if native.function().is_none() {
            return Err(self.refusal(tool, native));
        }
        let mut function = (self.function)(tool);
        let members = match self.inside {
            Some(key) => &mut function[key],
            None => &mut function,
        };
        for (member, value) in native.more() {
            match shape.takes(member) {
                true => members[member] = value.clone(),
                false => left_out.entry(member.to_owned()).or_default().push(&tool.name),
            }
        }
        Ok(function)
    }

    fn refusal(&self, tool: &Tool, native: &Native) -> Error {
        let (name, target) = (&tool.name, self.target.name());
        let message =
            format!("the tool `{name}` is one of {}'s own, and {target} has nothing like it", native.shape.name());
        let hint = format!("leave it out for {target}, or hand over a function of that name that your program answers");
        Error::new(ErrorKind::Undeliverable, message).with_hint(hint)
    }
}
