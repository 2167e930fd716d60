//! `tools:names`, `tools:list`, `tools:entries`, `tools:guidelines` and `tools:instructions`: what the agent can do, and advice that
//! fits.
//!
//! 1. Tools are listed in order of their names, whatever order the caller has them in, or in the caller's if the layout's
//!    `[tools]` says so.
//! 2. A tool's line is its snippet, else its description unless the layout leaves those out, else antefix's own words for a
//!    well-known tool, else its name; white space in it becomes single spaces.
//! 3. Advice comes and goes with the tools that it is about. The same sentence is printed once, where it comes first.
//! 4. All words are wordings: `tool_<name>` and `guideline_<topic>`.
//! 5. Tools come from anywhere, such as another program's servers: what is hidden in their texts is written out, secrets are
//!    taken out, and both are reported. Their definitions go to the model as they are, and that is reported as well.
//! 6. Keys are understood in the spellings of Rust, JavaScript and providers. One that nobody knows is reported.
//! 7. What MCP servers say about their tools is `tools:instructions`; see [`Tools::with_instructions`].
//! 8. What a tool says in the shape of a provider reaches that provider as it is; see [`Native`].

mod alike;
mod canonical;
mod deferral;
mod entries;
mod instructions;
mod native;
mod origin;
mod reading;
mod said;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Deref;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use serde::{Deserialize, Serialize};

pub(crate) use self::canonical::canonical_tool;
use self::canonical::{canonical_tools, print_document, print_tool};
pub use self::deferral::Deferral;
pub(super) use self::instructions::instructions;
pub use self::native::{Native, Shape};
pub use self::origin::ToolOrigin;
pub(super) use self::said::answer;
use super::hygiene::Hygiene;
use crate::diagnostic::{Code, Diagnostic};
use crate::text::{Budget, Digest, canonical};

/// A tool of the agent's.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Tool {
    /// The name that the model calls it by; the first of a name is used.
    pub name: String,
    /// What it does, for the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// A line for the list of tools.
    #[serde(alias = "promptSnippet", skip_serializing_if = "Option::is_none")]
    pub prompt_snippet: Option<String>,
    /// The JSON schema of its arguments, under any of the names that providers give it.
    #[serde(alias = "input_schema", alias = "inputSchema", skip_serializing_if = "Option::is_none")]
    pub parameters: Option<serde_json::Value>,
    /// Advice that comes with the tool.
    #[serde(alias = "promptGuidelines", skip_serializing_if = "Vec::is_empty")]
    pub prompt_guidelines: Vec<String>,
    /// Whether the list of tools leaves it out; `disableModelInvocation` says the same, as it does of a skill.
    #[serde(
        alias = "disableModelInvocation",
        alias = "disable_model_invocation",
        alias = "disable-model-invocation",
        skip_serializing_if = "Hidden::is_no"
    )]
    pub hidden: Hidden,
    /// The MCP server that it comes from, if the caller says so: no provider is told. See [`Tool::server`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// The tool as it was handed over, where that says more: it goes to the provider of that shape unchanged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub native: Option<Native>,
}

/// Whether the list of tools leaves a tool out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "bool", into = "bool")]
pub enum Hidden {
    /// The tool is listed.
    #[default]
    No,
    /// The list leaves the tool out.
    Yes,
}

impl From<bool> for Hidden {
    fn from(hidden: bool) -> Hidden {
        if hidden { Hidden::Yes } else { Hidden::No }
    }
}

impl From<Hidden> for bool {
    fn from(hidden: Hidden) -> bool {
        hidden == Hidden::Yes
    }
}

impl Hidden {
    fn is_no(&self) -> bool {
        *self == Hidden::No
    }
}

impl Tool {
    /// A tool of which only the name is known.
    pub fn named(name: impl Into<String>) -> Tool {
        Tool { name: name.into(), ..Tool::default() }
    }

    /// The same tool, with the name, description and parameters of what was handed over.
    fn completed(mut self) -> Tool {
        if let Some(native) = &self.native {
            self.name = native.name().unwrap_or_default();
            self.description = native.description();
            self.parameters = native.parameters();
        }
        self
    }
}

/// What a layout says about tools.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ToolRules {
    /// The order in which templates see them.
    pub order: ToolOrder,
    /// Whether the list prints what a tool says of itself to the model.
    pub descriptions: ToolDescriptions,
    /// The most that all definitions may have together; more is reported.
    pub budget: Option<Budget>,
    /// Which tools are kept out of the prefix, where a provider can load them later.
    pub defer: Deferral,
    /// The most that the instructions of one MCP server may have.
    pub instructions_budget: Budget,
    /// What agents call a tool that conditions and advice speak of: `read` may be their `Read` or `read_file`.
    pub spellings: BTreeMap<String, Vec<String>>,
}

/// What the instructions of a server may have, if the layout does not say.
const INSTRUCTIONS: Budget = Budget::bytes(4000);

impl Default for ToolRules {
    fn default() -> ToolRules {
        ToolRules {
            order: ToolOrder::default(),
            descriptions: ToolDescriptions::default(),
            budget: None,
            defer: Deferral::default(),
            instructions_budget: INSTRUCTIONS,
            spellings: BTreeMap::new(),
        }
    }
}

impl ToolRules {
    /// A tool's name, and what else agents call it.
    pub(crate) fn spelled<'r>(&'r self, name: &'r str) -> impl Iterator<Item = &'r str> {
        let others = self.spellings.get(name).into_iter().flatten().map(String::as_str);
        std::iter::once(name).chain(others)
    }
}

/// Whether the list of tools prints their descriptions, which the model has in their definitions anyway.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ToolDescriptions {
    /// For a tool without a snippet.
    #[default]
    List,
    /// Never: a tool without a snippet has antefix's own words, or its name.
    LeaveOut,
}

/// The order in which templates see tools. What a provider is sent is always in order of the names.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ToolOrder {
    /// By name: callers that list the same tools in another order share their bytes.
    #[default]
    Name,
    /// As the caller lists them.
    Caller,
}

/// The tools of an agent, put in order once and used in many turns. A copy costs nothing.
///
/// Each name is there once; of several tools with one name the first is used, and discovery reports the others.
///
/// ```
/// use antefix::discover::tools::{Tool, Tools};
///
/// let tools = Tools::from(vec![Tool::named("write"), Tool::named("read")]);
/// assert_eq!(tools[0].name, "read");
/// assert_eq!(&**tools.canonical(), r#"[{"name":"read"},{"name":"write"}]"#);
/// ```
#[derive(Debug, Clone)]
pub struct Tools {
    ordered: Arc<Ordered>,
    /// The file that they were read from, for people: it is no part of what is compared or kept.
    file: Option<Arc<str>>,
}

#[derive(Debug)]
struct Ordered {
    tools: Vec<Tool>,
    /// The numbers of the tools, in the caller's order.
    as_given: Vec<usize>,
    /// The names that other tools had as well.
    twice: Vec<String>,
    /// Keys that nobody knows, with the names of the tools that have them.
    unknown: BTreeMap<String, Vec<String>>,
    canonical: Arc<str>,
    /// What MCP servers say about the use of their tools, by their names.
    instructions: BTreeMap<String, String>,
    /// All of them, as one text, once somebody asked for it.
    printed: OnceLock<String>,
    /// As they were asked for.
    shapes: Mutex<BTreeMap<ShapeKey, Arc<ShapedTools>>>,
}

/// The name of a shape, and what is deferred in it.
type ShapeKey = (&'static str, BTreeSet<String>);

/// Tools in the shape of a provider.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ShapedTools {
    pub(crate) list: serde_json::Value,
    /// The list as it is sent.
    pub(crate) text: String,
    /// How much of that text the model is shown at once, and its digest. What is deferred comes behind it.
    pub(crate) shown: (usize, Digest),
    /// What is deferred: its bytes, and their digest.
    pub(crate) deferred: Option<(usize, Digest)>,
    /// What the shape has no place for, and what was done instead.
    pub(crate) left_out: Vec<(String, String)>,
}

impl Tools {
    /// The same tools, with the name of the file that they were read from.
    #[must_use]
    pub fn read_from(mut self, file: impl Into<Arc<str>>) -> Tools {
        self.file = Some(file.into());
        self
    }

    /// The file that they were read from, if somebody said so.
    pub fn file(&self) -> Option<&str> {
        self.file.as_deref()
    }

    /// What MCP servers say about the use of their tools, by their names.
    pub fn instructions(&self) -> impl Iterator<Item = (&str, &str)> {
        self.ordered.instructions.iter().map(|(server, text)| (server.as_str(), text.as_str()))
    }

    /// The same tools, with what an MCP server says about the use of its own: the fact `tools:instructions`.
    ///
    /// ```
    /// use antefix::discover::tools::{Tool, Tools};
    ///
    /// let tools = Tools::from(vec![Tool::named("mcp__github__search")]).with_instructions("github", "Search before you open an issue.");
    /// assert_eq!(tools.instructions().next(), Some(("github", "Search before you open an issue.")));
    /// ```
    #[must_use]
    pub fn with_instructions(self, server: impl Into<String>, text: impl Into<String>) -> Tools {
        let tools = self.in_order(ToolOrder::Caller).into_iter().cloned().collect();
        let mut instructions = self.ordered.instructions.clone();
        instructions.insert(server.into(), text.into());
        let made = Tools::with_unknown(tools, self.ordered.unknown.clone(), instructions);
        Tools { file: self.file, ..made }
    }

    /// What a model sees of them, as one text.
    pub fn canonical(&self) -> &Arc<str> {
        &self.ordered.canonical
    }

    /// All that is known of them, as one text, in the caller's order.
    pub(crate) fn print(&self) -> &str {
        self.ordered.printed.get_or_init(|| {
            let tools = self.in_order(ToolOrder::Caller).into_iter().map(print_tool).collect();
            print_document(serde_json::Value::Array(tools), &self.ordered.instructions)
        })
    }

    /// The tools in an order.
    pub(crate) fn in_order(&self, order: ToolOrder) -> Vec<&Tool> {
        match order {
            ToolOrder::Name => self.ordered.tools.iter().collect(),
            ToolOrder::Caller => {
                self.ordered.as_given.iter().filter_map(|number| self.ordered.tools.get(*number)).collect()
            }
        }
    }

    /// What is worth knowing about them, whatever is said of them.
    pub(super) fn findings(&self, hygiene: Hygiene) -> Vec<Diagnostic> {
        let twice = self.ordered.twice.iter().map(|name| {
            let message = format!("several tools are called `{}`: only the first of them is used", single_line(name));
            Diagnostic::warning(Code::ToolTwice, hygiene.reportable(message)).hint("give each tool a name of its own")
        });
        let mut findings: Vec<Diagnostic> = twice.collect();
        findings.extend(alike::findings(self, hygiene));
        findings.extend(reading::unknown_keys(&self.ordered.unknown, hygiene));
        if !hygiene.passes(self.canonical()) {
            let message = "definitions of tools have hidden characters or what looks like a secret, and go to the model as \
                           they are";
            findings
                .push(Diagnostic::warning(Code::ToolDefinition, message).hint("look at where these tools come from"));
        }
        findings
    }

    /// The tools in a shape with some of them deferred, which is made once.
    pub(crate) fn shaped<E>(
        &self,
        shape: &'static str,
        deferred: &BTreeSet<String>,
        make: impl FnOnce(&[Tool]) -> Result<Shaped, E>,
    ) -> Result<Arc<ShapedTools>, E> {
        let mut shapes = self.ordered.shapes.lock().unwrap_or_else(PoisonError::into_inner);
        // Most layouts defer nothing: then no name is copied.
        let key = (shape, deferred.clone());
        if let Some(shaped) = shapes.get(&key) {
            return Ok(Arc::clone(shaped));
        }
        let shaped = Arc::new(ShapedTools::of(make(&self.ordered.tools)?));
        shapes.insert(key, Arc::clone(&shaped));
        Ok(shaped)
    }
}

/// Tools as a shape has them.
pub(crate) struct Shaped {
    pub(crate) list: serde_json::Value,
    /// How many entries of the list, counted from the end, are deferred.
    pub(crate) deferred: usize,
    /// What the shape has no place for, and what was done instead.
    pub(crate) left_out: Vec<(String, String)>,
}

impl ShapedTools {
    fn of(Shaped { list, deferred, left_out }: Shaped) -> ShapedTools {
        let text = canonical(&list);
        let (shown, later) = match list.as_array() {
            Some(entries) if deferred > 0 => {
                let first = entries.get(..entries.len().saturating_sub(deferred)).unwrap_or_default();
                // The list of the first ones ends with a bracket, where the whole one goes on.
                let length = canonical(&serde_json::Value::from(first.to_vec())).len() - 1;
                text.split_at_checked(length).unwrap_or((&text, ""))
            }
            _ => (text.as_str(), ""),
        };
        let shown = (shown.len(), Digest::of(shown));
        let deferred = (!later.is_empty()).then(|| (later.len(), Digest::of(later)));
        ShapedTools { shown, deferred, list, text, left_out }
    }
}

impl PartialEq for Tools {
    fn eq(&self, other: &Tools) -> bool {
        // An agent sends its tools with every turn, and each time they are compared with those that its conversation remembers.
        Arc::ptr_eq(&self.ordered, &other.ordered) || self.print() == other.print()
    }
}

impl Eq for Tools {}

impl Deref for Tools {
    type Target = [Tool];

    fn deref(&self) -> &[Tool] {
        &self.ordered.tools
    }
}

impl From<Vec<Tool>> for Tools {
    fn from(tools: Vec<Tool>) -> Tools {
        Tools::with_unknown(tools, BTreeMap::new(), BTreeMap::new())
    }
}

impl Tools {
    /// The tools, the keys of theirs that nobody knows, and what servers say.
    fn with_unknown(
        tools: Vec<Tool>,
        unknown: BTreeMap<String, Vec<String>>,
        instructions: BTreeMap<String, String>,
    ) -> Tools {
        let mut numbered: Vec<(usize, Tool)> = tools.into_iter().enumerate().collect();
        numbered.sort_by(|(_, one), (_, other)| one.name.cmp(&other.name));
        let mut twice: Vec<String> = Vec::new();
        numbered.dedup_by(|(_, one), (_, other)| {
            let same = one.name == other.name;
            if same && twice.last() != Some(&one.name) {
                twice.push(one.name.clone());
            }
            same
        });
        let (given, tools): (Vec<usize>, Vec<Tool>) = numbered.into_iter().unzip();
        let mut as_given: Vec<usize> = (0..tools.len()).collect();
        as_given.sort_by_key(|number| given.get(*number));
        let canonical = canonical_tools(&tools).into();
        let ordered = Ordered {
            tools,
            as_given,
            twice,
            unknown,
            canonical,
            instructions,
            printed: OnceLock::new(),
            shapes: Mutex::default(),
        };
        Tools { ordered: Arc::new(ordered), file: None }
    }
}

impl FromIterator<Tool> for Tools {
    fn from_iter<I: IntoIterator<Item = Tool>>(tools: I) -> Tools {
        Tools::from(tools.into_iter().collect::<Vec<_>>())
    }
}

/// A text on one line, with single spaces.
fn single_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
