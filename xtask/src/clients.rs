//! The types of the clients, printed from the server's OpenAPI document: `cargo xtask docs` writes them.
//!
//! 1. Every schema that a route of a client's reaches becomes a type of the same name, with the same keys.
//! 2. A schema that says more than the types can say is an error here, and not a type that says less.

mod python;
mod typescript;

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::step::Outcome;

/// Routes that programs do not need: they are there for the page, and for Prometheus.
pub(crate) const NOT_IN_CLIENTS: [&str; 12] = [
    "/about",
    "/conversations/{id}/epochs/{number}/tokens",
    "/layouts",
    "/links",
    "/metrics",
    "/models",
    "/roots",
    "/sessions",
    "/sessions/renewal",
    "/system-prompt/files",
    "/system-prompt/templates",
    "/trust",
];

/// The files, by their places in the repository.
pub(crate) fn pages(openapi: &str) -> Outcome<[(&'static str, String); 2]> {
    let document = serde_json::from_str(openapi).map_err(|error| format!("docs/openapi.json: {error}"))?;
    let types = types(&document)?;
    Ok([
        ("clients/python/antefix_client/documents.py", python::print(&types)),
        ("clients/typescript/src/documents.ts", typescript::print(&types)),
    ])
}

/// A schema with a name.
#[derive(Debug, PartialEq, Eq)]
struct Type {
    name: String,
    about: String,
    shape: Shape,
}

#[derive(Debug, PartialEq, Eq)]
enum Shape {
    /// One of these words.
    Words(Vec<String>),
    /// An object that has all the keys of others, and further ones.
    Keys { of: Vec<String>, own: Vec<Key> },
}

#[derive(Debug, PartialEq, Eq)]
struct Key {
    name: String,
    about: String,
    required: bool,
    value: Kind,
}

#[derive(Debug, PartialEq, Eq)]
enum Kind {
    Text,
    Number,
    Truth,
    Anything,
    /// An object without a name for its kind. Keys that it must have are not told.
    Object,
    /// An object of texts.
    Texts,
    List(Box<Kind>),
    Named(String),
    OrNull(Box<Kind>),
    Either(Vec<Kind>),
}

/// The types that clients need, each behind those that it names.
fn types(document: &Value) -> Outcome<Vec<Type>> {
    let schemas = document.pointer("/components/schemas").and_then(Value::as_object).ok_or("there are no schemas")?;
    let paths = document["paths"].as_object().ok_or("there are no paths")?;
    let mut order = Vec::new();
    for (_, path) in paths.iter().filter(|(path, _)| !NOT_IN_CLIENTS.contains(&path.as_str())) {
        reach(path, schemas, &mut BTreeSet::new(), &mut order);
    }
    // Words first: they are short, and name nothing.
    order.sort_by_key(|name| schemas[*name].get("enum").is_none());
    order.into_iter().map(|name| read(name, &schemas[name])).collect()
}

/// Every schema that is named in a value, or in what it names.
fn reach<'d>(
    value: &'d Value,
    schemas: &'d Map<String, Value>,
    open: &mut BTreeSet<&'d str>,
    order: &mut Vec<&'d str>,
) {
    match value {
        Value::Object(object) => {
            let name = named(value).filter(|name| !order.contains(name) && open.insert(name));
            if let Some((name, schema)) = name.and_then(|name| Some((name, schemas.get(name)?))) {
                reach(schema, schemas, open, order);
                order.push(name);
            }
            object.values().for_each(|value| reach(value, schemas, open, order));
        }
        Value::Array(list) => list.iter().for_each(|value| reach(value, schemas, open, order)),
        _ => {}
    }
}

/// The schema that `$ref` names.
fn named(schema: &Value) -> Option<&str> {
    schema.get("$ref").and_then(Value::as_str).and_then(|path| path.strip_prefix("#/components/schemas/"))
}

fn about(schema: &Value) -> String {
    let text = schema.get("description").and_then(Value::as_str).unwrap_or_default();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn read(name: &str, schema: &Value) -> Outcome<Type> {
    let words = schema.get("enum").and_then(Value::as_array);
    let shape = match words {
        Some(words) => Shape::Words(words.iter().filter_map(Value::as_str).map(str::to_owned).collect()),
        None => keys(schema).map_err(|why| format!("{name}: {why}"))?,
    };
    Ok(Type { name: name.to_owned(), about: about(schema), shape })
}

fn keys(schema: &Value) -> Outcome<Shape> {
    let (mut of, mut own) = (Vec::new(), Vec::new());
    let whole = [schema.clone()];
    for part in schema.get("allOf").and_then(Value::as_array).map_or(&whole[..], Vec::as_slice) {
        // A part that may be null is one that the server always has: an object is never null.
        let part = part
            .get("oneOf")
            .and_then(|either| either.as_array()?.iter().find(|one| named(one).is_some()))
            .unwrap_or(part);
        match (named(part), part.get("properties").and_then(Value::as_object)) {
            (Some(name), _) => of.push(name.to_owned()),
            (None, Some(properties)) => {
                let required: Vec<&str> =
                    part["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
                for (name, value) in properties {
                    let kind = kind(value).map_err(|why| format!("{name}: {why}"))?;
                    let required = required.contains(&name.as_str());
                    own.push(Key { name: name.clone(), about: about(value), required, value: kind });
                }
            }
            (None, None) => return Err(format!("neither an object with keys nor words: {part}")),
        }
    }
    Ok(Shape::Keys { of, own })
}

fn kind(schema: &Value) -> Outcome<Kind> {
    if let Some(name) = named(schema) {
        return Ok(Kind::Named(name.to_owned()));
    }
    let or_null = |kind| Kind::OrNull(Box::new(kind));
    if let Some(either) = schema.get("oneOf").and_then(Value::as_array) {
        return match &either[..] {
            [one, null] | [null, one] if null["type"] == "null" => kind(one).map(or_null),
            several => several.iter().map(kind).collect::<Outcome<_>>().map(Kind::Either),
        };
    }
    match &schema["type"] {
        Value::Null => Ok(Kind::Anything),
        Value::String(name) => plain(name, schema),
        Value::Array(names) => match &names[..] {
            [Value::String(name), Value::String(null)] if null == "null" => plain(name, schema).map(or_null),
            _ => Err(format!("several types: {schema}")),
        },
        _ => Err(format!("no type: {schema}")),
    }
}

fn plain(name: &str, schema: &Value) -> Outcome<Kind> {
    Ok(match name {
        "string" => Kind::Text,
        "integer" | "number" => Kind::Number,
        "boolean" => Kind::Truth,
        "array" => Kind::List(Box::new(kind(&schema["items"])?)),
        "object" if schema["additionalProperties"]["type"] == "string" => Kind::Texts,
        // An object of somebody else's type, such as a provider's message, which need not be a record.
        "object" if schema["additionalProperties"] == true => Kind::Anything,
        "object" => Kind::Object,
        _ => return Err(format!("an unknown type: {schema}")),
    })
}

/// A text in lines of so many characters.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut().filter(|line| line.chars().count() + 1 + word.chars().count() <= width) {
            Some(line) => *line = format!("{line} {word}"),
            None => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests;
