//! How long texts and how large numbers may be: what is checked, and the same in the words of the OpenAPI document.

use antefix::discover::catalog::CATALOG;
use serde_json::{Value, json};

use crate::problem::{Answer, Problem};

/// The most entries of a list.
const LIST: usize = 200;
/// How many there are if a request does not say.
const LISTED: usize = 50;
/// The highest number that stores count to.
const HIGHEST: u64 = i64::MAX as u64;
/// The most characters of a label, and of an author.
const LABEL: usize = 100;
const AUTHOR: usize = 200;
/// The most characters of a turn's name.
const TURN: usize = 200;

/// The most bytes of a path.
const PATH: usize = 4096;

/// Any text without control characters that neither begins nor ends with white space.
const ID: &str = r"[^\s\x00-\x1f\x7f-\x9f](?:[^\x00-\x1f\x7f-\x9f]*[^\s\x00-\x1f\x7f-\x9f])?";
/// One line that is not empty.
const LINE: &str = r"^[^\x00-\x1f\x7f-\x9f]*[^\s\x00-\x1f\x7f-\x9f][^\x00-\x1f\x7f-\x9f]*$";

/// The id of a response that a provider gave: [`antefix::deliver::check_response_id`] in other words.
const RESPONSE: &str = r"^(?:msg_[A-Za-z0-9_-]{1,196}|resp_[A-Za-z0-9_-]{1,195}|chatcmpl-[A-Za-z0-9_-]{1,191})$";

/// How many entries a list has, as asked for.
pub(crate) fn limit(asked: Option<usize>) -> Answer<usize> {
    match asked {
        None => Ok(LISTED),
        Some(count @ 1..=LIST) => Ok(count),
        Some(_) => Err(Problem::bad(format!("Parameter 'limit' must be 1 to {LIST}"))),
    }
}

/// A number that stores can count to.
pub(crate) fn number(asked: u64) -> Answer<u64> {
    if asked <= HIGHEST { Ok(asked) } else { Err(Problem::bad(format!("There are no numbers above {HIGHEST}"))) }
}

/// A label without the white space around it.
pub(crate) fn label(text: &str) -> Answer<String> {
    line(text, LABEL).ok_or_else(|| Problem::bad("Field 'label' must be one line of 1 to 100 characters, or null"))
}

/// A model that a query names.
pub(crate) fn model(asked: Option<&str>) -> Answer<()> {
    if asked == Some("") { Err(Problem::bad("Parameter 'model' must not be empty")) } else { Ok(()) }
}

/// A turn's name.
pub(crate) fn turn(name: &str) -> Answer<()> {
    let well = line(name, TURN).is_some_and(|line| line == name);
    if well { Ok(()) } else { Err(Problem::bad("Field 'turn' must be one line of 1 to 200 characters")) }
}

/// Paths that are touched.
pub(crate) fn paths(field: &str, paths: &[String]) -> Answer<()> {
    let well = |path: &String| !path.is_empty() && path.len() <= PATH && !path.chars().any(char::is_control);
    if (1..=LIST).contains(&paths.len()) && paths.iter().all(well) {
        return Ok(());
    }
    let message = format!("Field '{field}' must be 1 to {LIST} paths of 1 to {PATH} bytes, without control characters");
    Err(Problem::bad(message))
}

/// An author without the white space around it. Headers are bytes: UTF-8, or else Latin-1, which is all that some clients write.
pub(crate) fn author(bytes: &[u8]) -> Answer<String> {
    let latin = || bytes.iter().map(|byte| char::from(*byte)).collect();
    let text = std::str::from_utf8(bytes).map_or_else(|_| latin(), str::to_owned);
    line(&text, AUTHOR).ok_or_else(|| Problem::bad("Antefix-Author must be one line of 1 to 200 characters"))
}

fn line(text: &str, longest: usize) -> Option<String> {
    let well = !text.trim().is_empty() && text.chars().count() <= longest && !text.chars().any(char::is_control);
    well.then(|| text.trim().to_owned())
}

/// Puts the bounds into the description.
pub(crate) fn describe(document: &mut Value) {
    let paths = document.get_mut("paths").and_then(Value::as_object_mut);
    let operations = paths.into_iter().flatten().filter_map(|(_, path)| path.as_object_mut()).flatten();
    for (_, operation) in operations {
        for parameter in operation.get_mut("parameters").and_then(Value::as_array_mut).into_iter().flatten() {
            of_parameter(parameter);
        }
    }
    let schemas = document.pointer_mut("/components/schemas").and_then(Value::as_object_mut);
    for (_, schema) in schemas.into_iter().flatten().filter(|(name, _)| name.ends_with("Body")) {
        let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
        for (name, property) in properties.into_iter().flatten() {
            of_property(name, property);
        }
    }
}

/// A list of ETags, or `*`.
const ETAGS: &str = r#"^(?:\*|(?:W/)?"[!#-+\--~]*"(?: *, *(?:W/)?"[!#-+\--~]*")*)$"#;

fn of_parameter(parameter: &mut Value) {
    let id = format!("^{ID}$");
    let is_number = parameter["schema"]["type"] == "integer";
    let (schema, example) = match parameter["name"].as_str().unwrap_or_default() {
        "id" => (json!({"type": "string", "minLength": 1, "maxLength": 200, "pattern": id}), json!("chat-7")),
        "number" | "a" | "b" => {
            (json!({"type": "integer", "format": "int64", "minimum": 1, "maximum": HIGHEST}), json!(1))
        }
        "which" => (json!({"type": "string", "pattern": "^(?:[0-9]{1,19}|sha256:[0-9a-f]{64})$"}), json!("1")),
        "model" => (json!({"type": "string", "minLength": 1}), Value::Null),
        "limit" => (json!({"type": "integer", "minimum": 1, "maximum": LIST, "default": LISTED}), Value::Null),
        "after" | "before" if is_number => {
            (json!({"type": "integer", "format": "int64", "minimum": 0, "maximum": HIGHEST}), Value::Null)
        }
        "after" => (json!({"type": "string", "maxLength": 200, "pattern": format!("^(?:{ID})?$")}), Value::Null),
        "antefix-author" => {
            (json!({"type": "string", "minLength": 1, "maxLength": AUTHOR, "pattern": LINE}), Value::Null)
        }
        "if-match" | "if-none-match" => (json!({"type": "string", "minLength": 1, "pattern": ETAGS}), Value::Null),
        _ => return,
    };
    parameter["schema"] = schema;
    if !example.is_null() {
        parameter["example"] = example;
    }
}

fn of_property(name: &str, property: &mut Value) {
    match name {
        "label" => {
            property["maxLength"] = json!(LABEL);
            property["pattern"] = json!(LINE);
        }
        "turn" => {
            property["minLength"] = json!(1);
            property["maxLength"] = json!(TURN);
            property["pattern"] = json!(format!("^{ID}$"));
        }
        "conversation" => {
            property["minLength"] = json!(1);
            property["maxLength"] = json!(200);
            property["pattern"] = json!(format!("^{ID}$"));
        }
        "other" => {
            property["pattern"] = json!(format!("^(?:(?:layout|cwd):[^\\x00-\\x1f\\x7f-\\x9f]+|conversation:{ID})$"))
        }
        "previous_response" => property["pattern"] = json!(RESPONSE),
        "model" | "machine" | "message" => property["minLength"] = json!(1),
        "touch" | "paths" => {
            property["minItems"] = json!(1);
            property["maxItems"] = json!(LIST);
            property["items"] =
                json!({"type": "string", "minLength": 1, "maxLength": PATH, "pattern": r"^[^\x00-\x1f\x7f-\x9f]+$"});
        }
        "messages" => property["items"] = json!({"type": "object", "additionalProperties": true}),
        // Longer ones are refused from ten thousand years on.
        "older_than" => property["pattern"] = json!("^[1-9][0-9]{0,4}[hdw]$"),
        "tools" => {
            let tool_name = json!({"type": "string", "minLength": 1});
            let tool = json!({"type": "object", "required": ["name"], "properties": {"name": tool_name}});
            let list = json!({"type": "array", "items": {"oneOf": [tool_name, tool]}});
            let server =
                json!({"type": "object", "properties": {"instructions": {"type": ["string", "null"]}, "tools": list}});
            let servers = json!({"type": "object", "additionalProperties": server});
            let document = json!({"type": "object", "additionalProperties": false,
                "properties": {"servers": servers, "tools": list}});
            let said = json!({"oneOf": [list, document]});
            *property = json!({"description": property["description"], "oneOf": [said, {"type": "null"}]});
        }
        "set" => {
            let text = json!({"type": "string"});
            let texts = json!({"type": "array", "items": text});
            let maps = json!({"type": "array", "items": {"type": "object", "additionalProperties": text}});
            let unavailable = json!({"type": "object", "required": ["unavailable"],
                "properties": {"unavailable": text}, "additionalProperties": false});
            property["propertyNames"] = json!({"type": "string", "pattern": facts()});
            property["additionalProperties"] = json!({"anyOf": [text, texts, maps, unavailable, {"type": "null"}]});
        }
        _ => {}
    }
}

/// The names that the catalog has.
fn facts() -> String {
    let name = |entry: &antefix::discover::catalog::Entry| match entry.is_dynamic() {
        true => format!(r"{}:[\s\S]*", entry.namespace),
        false => entry.key(),
    };
    format!("^(?:{})$", CATALOG.iter().map(name).collect::<Vec<_>>().join("|"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_hold_on_both_sides() {
        assert_eq!(limit(None).ok(), Some(50));
        assert_eq!([0, 1, 200, 201].map(|count| limit(Some(count)).is_ok()), [false, true, true, false]);
        assert_eq!([0, HIGHEST, HIGHEST + 1].map(|count| number(count).is_ok()), [true, true, false]);
        assert_eq!(label(" known good ").ok().as_deref(), Some("known good"));
        assert!(label(&"ä".repeat(100)).is_ok() && label(&"a".repeat(101)).is_err());
        assert!(turn("a b").is_ok() && turn("").is_err() && turn(" a").is_err() && turn("a\nb").is_err());
        assert!(turn(&"ä".repeat(200)).is_ok() && turn(&"a".repeat(201)).is_err());
        assert!(label(" ").is_err() && label("a\nb").is_err() && label("a\n").is_err());
    }

    #[test]
    fn paths_are_bounded_in_number_and_length() {
        let paths_of = |text: &str, count: usize| vec![text.to_owned(); count];
        let table =
            [("a", 1, true), ("a", 0, false), ("a", 200, true), ("a", 201, false), ("", 1, false), ("a\0", 1, false)];
        for (text, count, expected) in table {
            assert_eq!(paths("touch", &paths_of(text, count)).is_ok(), expected, "{text:?} {count}");
        }
        assert!(paths("touch", &paths_of(&"a".repeat(4096), 1)).is_ok());
        assert!(paths("touch", &paths_of(&"a".repeat(4097), 1)).is_err());
    }

    #[test]
    fn an_author_is_read_as_utf_8_or_else_as_latin_1() {
        assert_eq!(author("José".as_bytes()).ok().as_deref(), Some("José"));
        assert_eq!(author(b"Jos\xe9").ok().as_deref(), Some("José"));
        assert!(author(b"").is_err() && author(b"\x80").is_err() && author(&[b'a'; 201]).is_err());
    }
}
