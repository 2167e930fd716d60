//! What bodies say: every one that the server takes, and what it becomes for the front door.
//!
//! Nothing here knows HTTP, so that the fuzz target `bodies` reads them with this very code.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, PoisonError};

use antefix::Ask;
use antefix::compose::Dialect;
use antefix::discover::tools::Tools;
use antefix::discover::{Given, catalog};
use antefix::project::LayoutChoice;
use antefix::text::FactName;
use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::Value;
use serde_json::error::Category;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use crate::names::{CauseName, DialectName, OutcomeName, TargetName, WatchName};
use crate::problem::{Answer, Problem};
use crate::weight;

/// A body that is an object with the fields of a type and no others.
pub(crate) fn fields<T: DeserializeOwned>(text: &[u8]) -> Result<T, Problem> {
    let invalid = |error: &serde_json::Error| Problem::bad("Invalid JSON body").detail(error.to_string());
    if text.iter().find(|byte| !byte.is_ascii_whitespace()) != Some(&b'{') {
        serde_json::from_slice::<IgnoredAny>(text).map_err(|error| invalid(&error))?;
        return Err(Problem::bad("Request body must be a JSON object"));
    }
    // Where it is wrong is asked for only if it is: to keep track of that takes as long as a third of reading.
    serde_json::from_slice(text).or_else(|_| tracked(text))
}

/// The same, with the field at which the body is wrong.
fn tracked<T: DeserializeOwned>(text: &[u8]) -> Result<T, Problem> {
    let invalid = |error: &serde_json::Error| Problem::bad("Invalid JSON body").detail(error.to_string());
    let mut reader = serde_json::Deserializer::from_slice(text);
    let read = serde_path_to_error::deserialize(&mut reader).map_err(|error| match error.inner().classify() {
        Category::Data => unreadable(&error.path().to_string(), error.inner()),
        _ => invalid(error.inner()),
    })?;
    reader.end().map_err(|error| invalid(&error))?;
    Ok(read)
}

/// What is wrong with a field. A misspelled one must not be left out silently.
fn unreadable(path: &str, error: &serde_json::Error) -> Problem {
    let error = error.to_string();
    // Where in the text it is helps nobody: the field has a name.
    let error = error.rsplit_once(" at line ").map_or(error.as_str(), |(error, _)| error);
    if let Some(name) = error.strip_prefix("unknown field `").and_then(|rest| rest.split('`').next()) {
        return Problem::bad(format!("There is no field '{}' here", name.escape_debug()));
    }
    let path = if path == "." { String::new() } else { format!("`{path}`: ") };
    Problem::bad(format!("The body has a field that cannot be read: {path}{error}"))
}

/// A whole number of a body, also written as `3.0`: to JSON Schema the two are one number.
#[derive(Clone, Copy, serde::Deserialize)]
#[serde(try_from = "serde_json::Number")]
pub(crate) struct Whole(pub(crate) u64);

impl TryFrom<serde_json::Number> for Whole {
    type Error = String;

    fn try_from(number: serde_json::Number) -> Result<Whole, String> {
        // Beyond this a number with a point need not be the one that was written.
        const EXACT: f64 = 9_007_199_254_740_992.0;
        let written = number.as_f64().filter(|number| number.fract() == 0.0 && (0.0..=EXACT).contains(number));
        let whole = number.as_u64().or(written.map(|number| number as u64));
        whole.map(Whole).ok_or_else(|| format!("{number} is not a whole number from 0 on"))
    }
}

/// Declares a body that says for what to compose, besides fields of its own. serde's `flatten` would read each body several
/// times, and could not say which field is wrong.
macro_rules! context_body {
    ($(#[$about:meta])* $name:ident { $($(#[$meta:meta])* $field:ident: $kind:ty,)* }) => {
        $(#[$about])*
        #[derive(serde::Deserialize, utoipa::ToSchema)]
        #[serde(deny_unknown_fields)]
        pub(crate) struct $name {
            $($(#[$meta])* pub(crate) $field: $kind,)*
            /// The working directory, under one of the server's roots; relative ones are from the first root. Without it a
            /// conversation stays where it is, and a new one works in the first root.
            cwd: Option<String>,
            /// The model's name.
            model: Option<String>,
            /// The machine that the conversation works on, if there are several.
            machine: Option<String>,
            /// The agent's tools: names, or objects with a `name`, in the shape of any provider or of MCP. An empty list says that there
            /// are none. Or an object with `tools`, which is such a list, and `servers`: by their names, what MCP servers say about the
            /// use of their tools (`instructions`), and tools of theirs (`tools`).
            #[schema(value_type = Option<Vec<serde_json::Value>>)]
            tools: Option<Box<serde_json::value::RawValue>>,
            /// A built-in layout by its name.
            layout: Option<String>,
            /// Sections of the layout to do without, by their names; an empty list wants all of them.
            without: Option<Vec<String>>,
            /// The clock, in RFC 3339.
            #[schema(value_type = Option<String>, format = DateTime)]
            now: Option<jiff::Timestamp>,
            /// Facts that are answered by hand, such as `{"git:branch": "main"}`: a text, a list of texts or of objects of
            /// texts, null if there is none, or `{"unavailable": "why"}`.
            #[schema(value_type = Option<std::collections::BTreeMap<String, serde_json::Value>>)]
            set: Option<std::collections::BTreeMap<String, antefix::discover::Given>>,
        }

        impl $name {
            /// Takes what it says about the context.
            pub(crate) fn context(&mut self) -> Context {
                Context {
                    cwd: self.cwd.take(),
                    model: self.model.take(),
                    machine: self.machine.take(),
                    tools: self.tools.take(),
                    layout: self.layout.take(),
                    without: self.without.take(),
                    now: self.now.take(),
                    set: self.set.take(),
                }
            }
        }
    };
}
context_body! {
    TurnBody {
        /// The conversation so far, as the provider takes it.
        #[schema(value_type = Option<Vec<Value>>)]
        messages: Option<Vec<Value>>,
        /// The id of the provider's last response in this conversation: the fragment asks the provider why its cache was missed, where it
        /// can say, and the receipt has it as `compared_with`.
        previous_response: Option<String>,
        /// In which shape the turn is wanted as well; `plain` has no fragment.
        #[schema(value_type = Option<TargetName>)]
        target: Option<String>,
        /// The system text of this turn alone, also the empty one; nothing is stored.
        r#override: Option<String>,
        /// Which facts of a standing epoch are asked for again: `all`, or `acting` for those alone whose sections do something
        /// about a change, which is faster and lists nothing as pending that is only held back.
        #[schema(value_type = Option<WatchName>)]
        watch: Option<String>,
        /// A name for this turn: asked for again under it, it gets the same queued messages again.
        turn: Option<String>,
        /// Paths that the agent reads or changes, relative to the working directory: rules for them and nested instruction files go
        /// with this turn, unless the conversation has them.
        touch: Option<Vec<String>>,
    }
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct MessageBody {
    /// What to say.
    pub(crate) message: String,
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TouchBody {
    /// What the agent reads or changes, relative to the working directory.
    pub(crate) paths: Vec<String>,
    /// The working directory, under one of the server's roots; without it the conversation stays where it is.
    pub(crate) cwd: Option<String>,
}

context_body! {
    RenewalBody {
    /// `requested` if not said.
    #[schema(value_type = Option<CauseName>)]
    cause: Option<String>,
    }
}

context_body! {
    CompactionBody {
    /// The conversation so far, as the provider takes it.
    #[schema(value_type = Option<Vec<Value>>)]
    messages: Option<Vec<Value>>,
    /// In which shape the request for the summary is wanted as well; `plain` has no fragment.
    #[schema(value_type = Option<TargetName>)]
    target: Option<String>,
    }
}

context_body! {
    EndBody {
    /// `succeeded` begins the new epoch; `failed` leaves all as it was, and may be said again.
    #[schema(value_type = OutcomeName)]
    outcome: String,
    }
}

context_body! {
    PreviewBody {
    /// The draft; without one, the template that counts.
    template: Option<String>,
    /// If not said, that of the layout.
    #[schema(value_type = Option<DialectName>)]
    dialect: Option<String>,
    /// A conversation to compare with its standing epoch. What is not said here is as that conversation was told.
    conversation: Option<String>,
    /// Another prompt, of which is said how much of its beginning this one shares: `layout:NAME`, `cwd:DIR` or `conversation:ID`.
    other: Option<String>,
    }
}

context_body! {
    CheckBody {
    /// Where the request would go.
    #[schema(value_type = TargetName)]
    target: String,
    /// The conversation so far, as the provider takes it; without it only what is before it is looked at.
    #[schema(value_type = Option<Vec<Value>>)]
    messages: Option<Vec<Value>>,
    }
}

/// A request of anybody's.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CheckRequestBody {
    /// Where it would go.
    #[schema(value_type = TargetName)]
    pub(crate) target: String,
    /// Its body, as it would be sent.
    #[schema(value_type = Object)]
    pub(crate) request: serde_json::Map<String, Value>,
    /// The model, if the request does not name it.
    pub(crate) model: Option<String>,
}

/// A turn that a provider has answered.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WhyBody {
    /// The provider's response, or its usage block.
    #[schema(value_type = Object)]
    pub(crate) usage: Box<RawValue>,
    /// The receipt of this turn: what a turn answers under `receipt`, or its whole answer.
    #[schema(value_type = Option<Object>)]
    pub(crate) receipt: Option<Box<RawValue>>,
    /// The receipt of the turn before; without one, this turn is the first.
    #[schema(value_type = Option<Object>)]
    pub(crate) before: Option<Box<RawValue>>,
    /// The conversation whose ledger has the epochs: with receipts it tells the byte and its origin, without them two epochs
    /// are compared.
    pub(crate) conversation: Option<String>,
    /// The epochs of the turn before and of this one, where there is no receipt; the last two if not said.
    #[schema(value_type = Option<Vec<u64>>, min_items = 2, max_items = 2)]
    pub(crate) epochs: Option<[Whole; 2]>,
    /// Where the request went; a receipt says it as well.
    #[schema(value_type = Option<TargetName>)]
    pub(crate) target: Option<String>,
    /// The model whose prices and limits count; a receipt or an epoch may say it as well.
    pub(crate) model: Option<String>,
    /// How many seconds ago the turn before was.
    #[schema(value_type = Option<u64>)]
    pub(crate) elapsed: Option<Whole>,
}

/// Two requests of any agent, as they were sent.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WhyRequestsBody {
    /// The body of the request before; without one, this one is the first.
    #[schema(value_type = Option<Object>)]
    pub(crate) before: Option<Box<RawValue>>,
    /// The body of this one.
    #[schema(value_type = Object)]
    pub(crate) now: Box<RawValue>,
    /// The provider's response to the request before, or its usage block.
    #[schema(value_type = Option<Object>)]
    pub(crate) usage_before: Option<Box<RawValue>>,
    /// The provider's response to this one, or its usage block; without one, what is to be expected is said.
    #[schema(value_type = Option<Object>)]
    pub(crate) usage: Option<Box<RawValue>>,
    /// Whose shape they have; seen from their keys if it is not said.
    #[schema(value_type = Option<TargetName>)]
    pub(crate) target: Option<String>,
    /// The model, where the bodies do not name it.
    pub(crate) model: Option<String>,
    /// How many seconds are between them.
    #[schema(value_type = Option<u64>)]
    pub(crate) elapsed: Option<Whole>,
    /// The directory whose files are looked for in them, under a root of the server; without one none are.
    pub(crate) cwd: Option<String>,
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LabelBody {
    /// One line of 1 to 100 characters; null takes the label away.
    #[serde(default, deserialize_with = "said")]
    #[schema(value_type = Option<String>, required = true)]
    pub(crate) label: Option<Option<String>>,
}

/// A field that is there, also as null.
fn said<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Option<String>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}

/// What to sweep.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GcBody {
    /// Conversations that have not been used for so long, such as `12h`, `90d` or `4w`; none if not said.
    pub(crate) older_than: Option<String>,
    /// Whether to delete what is found; if not said it is only counted.
    pub(crate) delete: Option<bool>,
}

/// The code of a link.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SessionBody {
    /// What follows `?code=` in the link.
    pub(crate) code: String,
}

/// The fields of a body; those behind the second are read by clients, and sent back by some.
const FIELDS: [&str; 9] = ["template", "dialect", "digest", "layout", "from", "number", "saved_at", "author", "label"];

/// The fields of a body, with the words that clients know for their mistakes.
pub(crate) fn template(body: &Value) -> Answer<(String, Option<Dialect>)> {
    if !body.is_object() && !body.is_array() {
        return Err(Problem::bad("Request body must be a JSON object"));
    }
    let Some(template) = body.get("template").and_then(Value::as_str) else {
        return Err(Problem::bad("Field 'template' is required and must be a string"));
    };
    // A misspelled one must not be left out silently.
    let unknown = body.as_object().into_iter().flatten().find(|(name, _)| !FIELDS.contains(&name.as_str()));
    if let Some((name, _)) = unknown {
        return Err(Problem::bad(format!("There is no field '{}' here", name.escape_debug())));
    }
    let dialect = match body.get("dialect") {
        None | Some(Value::Null) => None,
        Some(dialect) => Some(dialect.as_str().and_then(Dialect::parse).ok_or_else(unknown_dialect)?),
    };
    Ok((template.to_owned(), dialect))
}

pub(crate) fn unknown_dialect() -> Problem {
    Problem::bad("Field 'dialect' must be 'bracket', 'jinja' or 'plain'")
}

/// For what to compose. What a conversation was told before need not be said again.
#[derive(Default)]
pub(crate) struct Context {
    pub(crate) cwd: Option<String>,
    pub(crate) model: Option<String>,
    pub(crate) machine: Option<String>,
    pub(crate) tools: Option<Box<RawValue>>,
    pub(crate) layout: Option<String>,
    pub(crate) without: Option<Vec<String>>,
    pub(crate) now: Option<jiff::Timestamp>,
    pub(crate) set: Option<BTreeMap<String, Given>>,
}

impl Context {
    /// The facts that are answered by hand.
    pub(crate) fn facts(&mut self) -> Result<BTreeMap<FactName, Given>, Problem> {
        let set = self.set.take().into_iter().flatten().map(|(name, value)| {
            let fact = FactName::parse(name.as_str())
                .filter(|fact| matches!(catalog::lookup(fact), catalog::Lookup::Known(_)));
            let unknown = || Problem::bad(format!("The catalog has no `{name}`")).hint("GET /system-prompt/variables");
            fact.map(|fact| (fact, value)).ok_or_else(unknown)
        });
        set.collect()
    }
}

/// How many lists of tools are remembered.
const LISTS: usize = 64;
/// The bytes that all of them take: a usual one takes half a megabyte.
const LISTED: usize = 8 * 1024 * 1024;

/// The tools that were sent lately, by their text: an agent sends the same ones with every turn, and reading them anew would
/// take longer than all else of it.
#[derive(Default)]
pub(crate) struct RecentTools(Mutex<VecDeque<Remembered>>);

struct Remembered {
    text: Box<RawValue>,
    tools: Tools,
    bytes: usize,
}

impl RecentTools {
    /// The tools in a text.
    pub(crate) fn read(&self, text: Box<RawValue>) -> Result<Tools, Problem> {
        let mut recent = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(number) = recent.iter().position(|known| known.text.get() == text.get())
            && let Some(found) = recent.remove(number)
        {
            let tools = found.tools.clone();
            recent.push_front(found);
            return Ok(tools);
        }
        drop(recent);
        let mut reader = serde_json::Deserializer::from_str(text.get());
        let tools: Tools = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
            let path = error.path().to_string();
            let path = match path.as_str() {
                "." => "tools".to_owned(),
                item if item.starts_with('[') => format!("tools{item}"),
                field => format!("tools.{field}"),
            };
            unreadable(&path, error.inner())
        })?;
        let bytes = text.get().len() + weight::of_json(text.get().as_bytes());
        let mut recent = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        recent.push_front(Remembered { text, tools: tools.clone(), bytes });
        let mut taken = 0;
        let fitting = recent.iter().take(LISTS).take_while(|known| {
            taken += known.bytes;
            taken <= LISTED
        });
        let count = fitting.count();
        recent.truncate(count);
        Ok(tools)
    }
}

impl Context {
    /// What the request says, for the front door.
    pub(crate) fn said(mut self, tools: &RecentTools) -> Answer<Ask> {
        let mut ask = Ask::new();
        ask.layout = self.layout.as_deref().map(built_in).transpose()?;
        ask.given = self.facts()?;
        ask.model = self.model;
        ask.machine = self.machine;
        ask.without = self.without;
        ask.tools = self.tools.map(|text| tools.read(text)).transpose()?;
        ask.now = self.now;
        meant(ask)
    }
}

/// What can be meant.
pub(crate) fn meant(ask: Ask) -> Answer<Ask> {
    match ask.check() {
        Ok(()) => Ok(ask),
        Err(error) => Err(Problem::bad(error.message()).hint(error.hint().unwrap_or_default())),
    }
}

/// A built-in layout by its name. A path would let a request read files as layouts.
pub(crate) fn built_in(name: &str) -> Answer<LayoutChoice> {
    LayoutChoice::built_in(name).map_err(|error| {
        let problem = Problem::not_found(error.message());
        problem.hint(error.hint().unwrap_or("GET /layouts"))
    })
}
