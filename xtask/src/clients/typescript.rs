//! As interfaces of TypeScript.

use super::{Kind, Shape, Type, wrapped};

const HEAD: &str = "\
/**
 * What the server is sent and what it answers.
 *
 * `cargo xtask docs` prints this file from docs/openapi.json: the types have the names and the keys that they have there. A key
 * with a question mark may be missing; one that may be null may be missing as well.
 */
";

pub(super) fn print(types: &[Type]) -> String {
    let mut text = HEAD.to_owned();
    for one in types {
        text += &format!("\n{}", comment(&one.about, ""));
        match &one.shape {
            Shape::Words(words) => {
                let words: Vec<String> = words.iter().map(|word| format!("{word:?}")).collect();
                text += &format!("export type {} = {};\n", one.name, words.join(" | "));
            }
            Shape::Keys { of, own } => {
                let of = if of.is_empty() { String::new() } else { format!(" extends {}", of.join(", ")) };
                text += &format!("export interface {}{of} {{\n", one.name);
                for key in own {
                    let mark = if key.required { "" } else { "?" };
                    text += &format!("{}  {}{mark}: {};\n", comment(&key.about, "  "), key.name, kind(&key.value));
                }
                text += "}\n";
            }
        }
    }
    text
}

/// A text above what it is about.
fn comment(about: &str, indent: &str) -> String {
    match &wrapped(about, 112)[..] {
        [] => String::new(),
        [empty] if empty.is_empty() => String::new(),
        [line] => format!("{indent}/** {line} */\n"),
        lines => format!("{indent}/**\n{indent} * {}\n{indent} */\n", lines.join(&format!("\n{indent} * "))),
    }
}

fn kind(of: &Kind) -> String {
    match of {
        Kind::Text => "string".to_owned(),
        Kind::Number => "number".to_owned(),
        Kind::Truth => "boolean".to_owned(),
        Kind::Anything => "unknown".to_owned(),
        Kind::Object => "Record<string, unknown>".to_owned(),
        Kind::Texts => "Record<string, string>".to_owned(),
        Kind::List(item) if matches!(**item, Kind::OrNull(_) | Kind::Either(_)) => format!("({})[]", kind(item)),
        Kind::List(item) => format!("{}[]", kind(item)),
        Kind::Named(name) => name.clone(),
        Kind::OrNull(other) => format!("{} | null", kind(other)),
        Kind::Either(kinds) => kinds.iter().map(kind).collect::<Vec<_>>().join(" | "),
    }
}
