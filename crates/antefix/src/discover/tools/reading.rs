//! Reading tools as callers write them: a name, or an object in some shape. Keys that nobody knows are kept for a finding.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;

use serde::de::value::{self, MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{self, DeserializeSeed, IntoDeserializer, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, forward_to_deserialize_any};
use serde_json::{Map, Value};

use super::native::{self, Native, Shape};
use super::{Tool, Tools, single_line};
use crate::diagnostic::{Code, Diagnostic, did_you_mean};
use crate::discover::hygiene::Hygiene;

/// How many unknown keys are reported.
const REPORTED: usize = 5;

/// A list of tools, or an object with `tools`, which is such a list, and `servers`, which has for each MCP server its `instructions`, and
/// `tools` of its own. Each tool is a name, or an object with a `name`.
impl<'de> Deserialize<'de> for Tools {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Tools, D::Error> {
        deserializer.deserialize_any(ListOrDocument)
    }
}

struct ListOrDocument;

impl<'de> Visitor<'de> for ListOrDocument {
    type Value = Tools;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of tools, or an object with `tools` and `servers`")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Tools, A::Error> {
        Ok(Document { tools: Vec::deserialize(SeqAccessDeserializer::new(list))?, ..Document::default() }.read())
    }

    fn visit_map<A: MapAccess<'de>>(self, document: A) -> Result<Tools, A::Error> {
        Ok(Document::deserialize(MapAccessDeserializer::new(document))?.read())
    }
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Document {
    tools: Vec<Entry>,
    servers: BTreeMap<String, Server>,
}

/// What a server answers to `initialize`, of which only this is used, and to `tools/list`.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Server {
    instructions: Option<String>,
    tools: Vec<Entry>,
}

impl Document {
    fn read(self) -> Tools {
        let mut unknown: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let mut instructions = BTreeMap::new();
        let mut entries = self.tools;
        for (name, server) in self.servers {
            entries.extend(server.tools.into_iter().map(|entry| entry.of_server(&name)));
            instructions.extend(server.instructions.map(|text| (name, text)));
        }
        let mut tools = Vec::with_capacity(entries.len());
        for entry in entries {
            let name = entry.tools.first().map(|tool| tool.name.clone()).unwrap_or_default();
            for key in entry.keys {
                unknown.entry(key).or_default().push(name.clone());
            }
            tools.extend(entry.tools);
        }
        Tools::with_unknown(tools, unknown, instructions)
    }
}

/// The findings about keys that nobody knows.
pub(super) fn unknown_keys(unknown: &BTreeMap<String, Vec<String>>, hygiene: Hygiene) -> Vec<Diagnostic> {
    let finding = |(key, tools): (&String, &Vec<String>)| {
        let first = tools.first().map_or_else(String::new, |name| single_line(name));
        let more = match tools.len() {
            0 | 1 => String::new(),
            count => format!(" and {} more", count - 1),
        };
        let message = format!("unknown key `{}` in the tool `{first}`{more}: it is not used", single_line(key));
        let hint = match did_you_mean(key, known().iter().copied()) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!("the keys are {}", known().join(", ")),
        };
        Diagnostic::warning(Code::ToolKey, hygiene.reportable(message)).hint(hint)
    };
    let mut findings: Vec<Diagnostic> = unknown.iter().take(REPORTED).map(finding).collect();
    if let Some(more) = unknown.len().checked_sub(REPORTED + 1) {
        let message = format!("tools have {} more unknown keys: they are not used", more + 1);
        findings.push(Diagnostic::warning(Code::ToolKey, message).hint(format!("the keys are {}", known().join(", "))));
    }
    findings
}

/// The tools of one entry, and their keys that nobody knows.
struct Entry {
    tools: Vec<Tool>,
    keys: Vec<String>,
}

impl<'de> Deserialize<'de> for Entry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Entry, D::Error> {
        deserializer.deserialize_any(Either)
    }
}

struct Either;

impl<'de> Visitor<'de> for Either {
    type Value = Entry;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a tool's name, or an object with a `name`")
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<Entry, E> {
        Entry { tools: vec![Tool::named(name)], keys: Vec::new() }.named()
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Entry, A::Error> {
        let (mut more, mut schema) = (Map::new(), None);
        let known = Known { map, more: &mut more, schema: &mut schema };
        let tool = Tool::deserialize(MapAccessDeserializer::new(known))?;
        Entry::of(tool, more, schema.as_deref()).named()
    }
}

impl Entry {
    /// What an object says that has been read but for some members.
    fn of(mut tool: Tool, more: Map<String, Value>, schema: Option<&str>) -> Entry {
        if more.is_empty() {
            return Entry { tools: vec![tool.completed()], keys: Vec::new() };
        }
        let mut whole = more;
        // What has a type is in the shape of a provider, whose `server` it then is.
        if whole.contains_key("type") {
            whole.extend(tool.server.take().map(|server| ("server".to_owned(), Value::from(server))));
        }
        let own =
            [("name", Some(&tool.name).filter(|name| !name.is_empty())), ("description", tool.description.as_ref())];
        whole.extend(own.into_iter().filter_map(|(key, text)| Some((key.to_owned(), Value::from(text?.as_str())))));
        whole.extend(schema.zip(tool.parameters.as_ref()).map(|(key, schema)| (key.to_owned(), schema.clone())));
        let mut keys = Vec::new();
        let Some(natives) = native::recognize(&whole, schema) else {
            return Entry { tools: vec![tool], keys: whole.into_iter().map(|(key, _)| key).collect() };
        };
        let tools = natives.into_iter().map(|mut native| {
            keys.extend(native.take_unknown());
            let is_plain = native.shape == Shape::Neutral && native.more().next().is_none();
            let tool = Tool { name: String::new(), description: None, parameters: None, ..tool.clone() };
            let read = Tool { native: Some(native), ..tool }.completed();
            Tool { native: read.native.filter(|_| !is_plain), ..read }
        });
        Entry { tools: tools.collect(), keys }
    }

    /// The same, of a server that has listed it.
    fn of_server(mut self, server: &str) -> Entry {
        for tool in self.tools.iter_mut().filter(|tool| tool.server.is_none()) {
            tool.server = Some(server.to_owned());
        }
        self
    }

    fn named<E: de::Error>(self) -> Result<Entry, E> {
        match self.tools.iter().any(|tool| tool.name.is_empty()) {
            true => Err(E::custom("the tool has no name")),
            false => Ok(self),
        }
    }
}

impl Native {
    /// Takes out what no provider can be meant with: in nobody's shape, what no provider knows, and in any other, what looks like a
    /// key of antefix's own.
    fn take_unknown(&mut self) -> Vec<String> {
        let (shape, is_function) = (self.shape, self.function().is_some());
        let is_unknown = |key: &str| match shape {
            Shape::Neutral => !native::is_known(key) && !STATED.contains(&key),
            _ => is_function && did_you_mean(key, OWN).is_some(),
        };
        let Some(members) = self.definition.as_object_mut() else { return Vec::new() };
        let unknown: Vec<String> = members.keys().filter(|key| is_unknown(key)).cloned().collect();
        for key in &unknown {
            members.remove(key);
        }
        unknown
    }
}

/// The keys that a tool in nobody's shape is made of.
const STATED: [&str; 3] = ["name", "description", "parameters"];

/// The keys that only antefix knows.
const OWN: [&str; 5] =
    ["prompt_snippet", "promptSnippet", "prompt_guidelines", "promptGuidelines", "disableModelInvocation"];

/// An object without the members that a tool does not have in every shape, which are put aside. What is wrong with a value is reported
/// at its place.
struct Known<'k, A> {
    map: A,
    more: &'k mut Map<String, Value>,
    /// What the parameters are called.
    schema: &'k mut Option<String>,
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Known<'_, A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, A::Error> {
        while let Some(key) = self.map.next_key::<String>()? {
            if known().contains(&key.as_str()) {
                if SCHEMAS.contains(&key.as_str()) {
                    *self.schema = Some(key.clone());
                }
                return seed.deserialize(key.into_deserializer()).map(Some);
            }
            let value = self.map.next_value()?;
            self.more.insert(key, value);
        }
        Ok(None)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        self.map.next_value_seed(seed)
    }
}

/// What parameters are called.
const SCHEMAS: [&str; 3] = ["parameters", "input_schema", "inputSchema"];

/// The keys of a tool, in all their spellings: what it asks a deserializer for, so that they are written down once.
fn known() -> &'static [&'static str] {
    struct Asked<'a>(&'a RefCell<&'static [&'static str]>);

    impl<'de> Deserializer<'de> for Asked<'_> {
        type Error = value::Error;

        fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, value::Error> {
            Err(de::Error::custom("there is nothing to read"))
        }

        fn deserialize_struct<V: Visitor<'de>>(
            self,
            _: &'static str,
            fields: &'static [&'static str],
            visitor: V,
        ) -> Result<V::Value, value::Error> {
            self.0.replace(fields);
            self.deserialize_any(visitor)
        }

        forward_to_deserialize_any! {
            bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf option unit unit_struct
            newtype_struct seq tuple tuple_struct map enum identifier ignored_any
        }
    }

    let fields = RefCell::new(&[][..]);
    // It fails for want of a text, having said which keys it would read.
    let _ = Tool::deserialize(Asked(&fields));
    fields.into_inner()
}
