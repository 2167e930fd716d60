//! JSON whose bytes are ours.
//!
//! 1. Keys are in the order of their bytes, at every level, whatever features serde_json was built with.
//! 2. There is no white space. Strings and numbers are written as serde_json writes them.
//! 3. Tools are in the order of their names, each with what a model sees of it: name, description, parameters.

use std::fmt::Write;

use serde_json::Value;

/// A value, in the one way that we write it.
///
/// ```
/// # use antefix::text::canonical;
/// let value = serde_json::json!({"b": [1, {"d": null, "c": "é"}], "a": true});
/// assert_eq!(canonical(&value), r#"{"a":true,"b":[1,{"c":"é","d":null}]}"#);
/// ```
pub fn canonical(value: &Value) -> String {
    let mut text = String::new();
    write_canonical(value, &mut text);
    text
}

/// The same, behind what is written already.
pub(crate) fn write_canonical(value: &Value, text: &mut String) {
    super::roomy(|| write(value, text));
}

fn write(value: &Value, text: &mut String) {
    match value {
        Value::Object(map) if map.keys().is_sorted() => write_members(map.iter(), text),
        // With the feature `preserve_order`, which another crate may have asked for.
        Value::Object(map) => {
            let mut entries: Vec<(&String, &Value)> = map.iter().collect();
            entries.sort_by(|one, other| one.0.cmp(other.0));
            write_members(entries.into_iter(), text);
        }
        Value::Array(items) => {
            text.push('[');
            for (number, item) in items.iter().enumerate() {
                if number > 0 {
                    text.push(',');
                }
                write(item, text);
            }
            text.push(']');
        }
        Value::String(string) => write_string(string, text),
        Value::Null | Value::Bool(_) | Value::Number(_) => {
            // Nothing can fail that is written to memory.
            let _ = write!(text, "{value}");
        }
    }
}

fn write_members<'m>(members: impl Iterator<Item = (&'m String, &'m Value)>, text: &mut String) {
    text.push('{');
    for (number, (key, value)) in members.enumerate() {
        if number > 0 {
            text.push(',');
        }
        write_string(key, text);
        text.push(':');
        write(value, text);
    }
    text.push('}');
}

/// As serde_json writes it, without a copy in between: most of a prompt is long strings.
pub(crate) fn write_string(string: &str, text: &mut String) {
    text.reserve(string.len() + 2);
    text.push('"');
    let mut rest = string;
    while let Some(at) = first_escaped(rest.as_bytes()) {
        text.push_str(&rest[..at]);
        match rest.as_bytes()[at] {
            b'"' => text.push_str("\\\""),
            b'\\' => text.push_str("\\\\"),
            b'\n' => text.push_str("\\n"),
            b'\r' => text.push_str("\\r"),
            b'\t' => text.push_str("\\t"),
            0x08 => text.push_str("\\b"),
            0x0c => text.push_str("\\f"),
            byte => text.push_str(&format!("\\u{byte:04x}")),
        }
        rest = &rest[at + 1..];
    }
    text.push_str(rest);
    text.push('"');
}

/// Where the first byte is that JSON does not write as it is.
fn first_escaped(bytes: &[u8]) -> Option<usize> {
    let (words, rest) = bytes.as_chunks::<8>();
    for (number, word) in words.iter().enumerate() {
        let found = escaped(u64::from_le_bytes(*word));
        if found != 0 {
            return Some(8 * number + found.trailing_zeros() as usize / 8);
        }
    }
    let at = rest.iter().position(|byte| *byte < b' ' || *byte == b'"' || *byte == b'\\')?;
    Some(bytes.len() - rest.len() + at)
}

/// The same for eight bytes at a time: the lowest bit that is set is in the first such byte. A borrow may set bits
/// above it, never below.
fn escaped(word: u64) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let below = |word: u64, limit: u8| word.wrapping_sub(ONES * u64::from(limit)) & !word & (ONES << 7);
    let is = |byte: u8| below(word ^ (ONES * u64::from(byte)), 1);
    below(word, b' ') | is(b'"') | is(b'\\')
}

#[cfg(test)]
mod tests {
    use super::canonical;
    use serde_json::Value;

    #[test]
    fn strings_are_written_as_serde_json_writes_them() {
        let all: String = (0..0x300).filter_map(char::from_u32).chain("𝄞\u{2028}\u{ffff}".chars()).collect();
        for text in ["", "plain", "\"", "\\", "a\nb", &all] {
            let value = Value::from(text);
            assert_eq!(canonical(&value), value.to_string());
        }
        // Wherever a byte is among eight, and whatever is beside it.
        for one in (0..0x100).filter_map(char::from_u32) {
            for (before, other) in
                (0..8).flat_map(|before| "\0\u{1f} !\"#[\\]\u{7f}é".chars().map(move |c| (before, c)))
            {
                let value = Value::from(format!("{}{one}{other}bbbbbbb", &"aaaaaaa"[..before]));
                assert_eq!(canonical(&value), value.to_string());
            }
        }
    }
}
