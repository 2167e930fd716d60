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

/// As serde_json writes it.
pub(crate) fn write_string(string: &str, text: &mut String) {
    text.push('"');
    write_escaped(string, text);
    text.push('"');
}

/// The same without the quotes, eight bytes at a time: most of a prompt is long strings.
pub(crate) fn write_escaped(string: &str, text: &mut String) {
    let bytes = string.as_bytes();
    // A sixteenth more for what is escaped: most of it are ends of lines.
    text.reserve(bytes.len() + bytes.len() / 16 + 1);
    let (words, rest) = bytes.as_chunks::<8>();
    let mut from = 0;
    let mut escape = |at: usize| {
        text.push_str(&string[from..at]);
        write_escape(bytes[at], text);
        from = at + 1;
    };
    for (number, word) in words.iter().enumerate() {
        let mut found = escaped(u64::from_le_bytes(*word));
        while found != 0 {
            escape(8 * number + found.trailing_zeros() as usize / 8);
            found &= found - 1;
        }
    }
    for (number, byte) in rest.iter().enumerate() {
        if *byte < b' ' || *byte == b'"' || *byte == b'\\' {
            escape(bytes.len() - rest.len() + number);
        }
    }
    text.push_str(&string[from..]);
}

/// A byte that JSON does not write as it is.
fn write_escape(byte: u8, text: &mut String) {
    match byte {
        b'"' => text.push_str("\\\""),
        b'\\' => text.push_str("\\\\"),
        b'\n' => text.push_str("\\n"),
        b'\r' => text.push_str("\\r"),
        b'\t' => text.push_str("\\t"),
        0x08 => text.push_str("\\b"),
        0x0c => text.push_str("\\f"),
        byte => text.push_str(&format!("\\u{byte:04x}")),
    }
}

/// Which of eight bytes JSON does not write as they are: the highest bit of each such byte is set, and no other.
fn escaped(word: u64) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = ONES << 7;
    // The highest bit of each byte that is not zero. Nothing is carried from one byte to the next.
    let has_some = |word: u64| ((word & !HIGH) + !HIGH) | word;
    let is_not = |byte: u8| has_some(word ^ (ONES * u64::from(byte)));
    // Below a space are the bytes without any of the three highest bits.
    !(has_some(word & (ONES * 0xe0)) & is_not(b'"') & is_not(b'\\')) & HIGH
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
