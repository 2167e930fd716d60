//! As typed dictionaries of Python.

use super::{Key, Kind, Shape, Type, wrapped};

const HEAD: &str = r#""""What the server is sent and what it answers.

`cargo xtask docs` prints this file from docs/openapi.json: the types have the names and the keys that they have there. A key
that is not required may be missing; one that may be None may be missing as well.
"""

from typing import Any, Literal, NotRequired, TypedDict
"#;

/// Keys that cannot be written as names.
const KEYWORDS: [&str; 4] = ["class", "from", "import", "in"];

pub(super) fn print(types: &[Type]) -> String {
    let mut text = HEAD.to_owned();
    for one in types {
        match &one.shape {
            Shape::Words(words) => {
                let words: Vec<String> = words.iter().map(|word| format!("{word:?}")).collect();
                text += &format!("\n{} = Literal[{}]\n{}", one.name, words.join(", "), quoted(&one.about, ""));
            }
            Shape::Keys { of, own } if own.iter().any(|key| KEYWORDS.contains(&key.name.as_str())) => {
                debug_assert!(of.is_empty(), "such a type has all its keys itself");
                let keys: String = own.iter().map(|key| format!("        {:?}: {},\n", key.name, value(key))).collect();
                text += &format!("\n\n{0} = TypedDict(\n    \"{0}\",\n    {{\n{keys}    }},\n)\n", one.name);
                text += &quoted(&one.about, "");
            }
            Shape::Keys { of, own } => {
                let of = if of.is_empty() { "TypedDict".to_owned() } else { of.join(", ") };
                text += &format!("\n\nclass {}({of}):\n", one.name);
                if !one.about.is_empty() {
                    text += &format!("{}\n", quoted(&one.about, "    "));
                }
                for key in own {
                    text += &format!("    {}: {}\n{}", key.name, value(key), quoted(&key.about, "    "));
                }
            }
        }
    }
    text
}

/// A text under what it is about.
fn quoted(about: &str, indent: &str) -> String {
    if about.is_empty() {
        return String::new();
    }
    let about = about.replace('\\', "\\\\");
    format!("{indent}\"\"\"{}\"\"\"\n", wrapped(&about, 112).join(&format!("\n{indent}")))
}

fn value(key: &Key) -> String {
    let kind = kind(&key.value);
    if key.required { kind } else { format!("NotRequired[{kind}]") }
}

fn kind(of: &Kind) -> String {
    match of {
        Kind::Text => "str".to_owned(),
        Kind::Number => "int".to_owned(),
        Kind::Truth => "bool".to_owned(),
        Kind::Anything => "Any".to_owned(),
        Kind::Object => "dict[str, Any]".to_owned(),
        Kind::Texts => "dict[str, str]".to_owned(),
        Kind::List(item) => format!("list[{}]", kind(item)),
        Kind::Named(name) => name.clone(),
        Kind::OrNull(other) => format!("{} | None", kind(other)),
        Kind::Either(kinds) => kinds.iter().map(kind).collect::<Vec<_>>().join(" | "),
    }
}
