//! What the JSON of a body becomes in memory, reckoned before anything is made of it.
//!
//! A body of eight megabytes has room for a million objects, and each is a node of a tree, however little it says: 85 times the
//! bytes of the body. So the bytes alone do not say what a body costs; its objects, lists and commas do.

use memchr::memchr2;

/// A node of a map: room for eleven entries of 56 bytes, and what the allocator adds.
const OBJECT: usize = 720;
/// The first allocation of a list: four values of 32 bytes, and what the allocator adds.
const LIST: usize = 160;
/// The text of a key, and its share of a further node where there are more than eleven.
const ENTRY: usize = 96;
/// A value of 32 bytes, in a list that doubles when it is full.
const ITEM: usize = 64;

/// How many bytes a tree of these values has beside its texts, which have no more than the body. It is never less than what
/// was measured, and of texts that are no JSON it says nothing.
pub(crate) fn of_json(mut json: &[u8]) -> usize {
    let mut bytes = 0_usize;
    while let Some((first, rest)) = json.split_first() {
        json = rest;
        bytes = bytes.saturating_add(match first {
            b'{' => OBJECT,
            b'[' => LIST,
            b':' => ENTRY,
            b',' => ITEM,
            b'"' => {
                json = behind_text(json);
                0
            }
            _ => 0,
        });
    }
    bytes
}

/// What is behind a text whose first quote was read.
fn behind_text(mut json: &[u8]) -> &[u8] {
    while let Some(found) = memchr2(b'"', b'\\', json) {
        if json[found] == b'"' {
            return &json[found + 1..];
        }
        // Whatever is behind a backslash does not end the text.
        json = json.get(found + 2..).unwrap_or_default();
    }
    &[]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_in_texts_weighs_nothing() {
        let table = [
            ("", 0),
            ("{}", OBJECT),
            ("[]", LIST),
            (r#"{"a":0}"#, OBJECT + ENTRY),
            (r#"{"a":[1,2,3]}"#, OBJECT + ENTRY + LIST + 2 * ITEM),
            (r#"{"{[,:":"{[,:\"{[,:\\"}"#, OBJECT + ENTRY),
            (r#"["\\",[]]"#, LIST + ITEM + LIST),
            (r#""never ends {{{{\"#, 0),
        ];
        for (json, expected) in table {
            assert_eq!(of_json(json.as_bytes()), expected, "{json}");
        }
    }
}
