//! Reading a front matter line by line.

use std::borrow::Cow;

use super::{Field, Fields, in_order};

/// Reads a block whose every line is `key: value` with nothing that YAML would treat in a way of its own.
pub(super) fn plain(block: &str) -> Result<Option<Fields<'_>>, String> {
    let mut fields = Fields::with_capacity(USUAL);
    for line in block.lines() {
        // A key has no colon in it, so that the first one ends it.
        let Some(colon) = memchr::memchr(b':', line.as_bytes()) else { return Ok(None) };
        let (key, Some(value)) = (&line[..colon], line[colon + 1..].strip_prefix(' ')) else { return Ok(None) };
        let value = value.trim_matches(' ');
        let special = |c: char| "\"'[]{}>|*&!%@`#,?:-~=<".contains(c);
        let simple_key = key.starts_with(|c: char| c.is_ascii_alphabetic())
            && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
        let simple_value = !value.is_empty()
            && !value.starts_with(special)
            && !value.ends_with(':')
            && !memchr::memchr3_iter(b'\t', b':', b'#', value.as_bytes())
                .any(|at| means_something(value.as_bytes(), at));
        if !simple_key || !simple_value {
            return Ok(None);
        }
        fields.push((key.into(), Field::Text(value.into())));
    }
    in_order(fields).map(Some)
}

/// As many fields as most files have, or more.
const USUAL: usize = 8;

/// Whether a tab, a colon or a number sign in a value means something to YAML: a tab always, a colon before a blank, a number
/// sign behind one.
fn means_something(value: &[u8], at: usize) -> bool {
    match value[at] {
        b':' => value.get(at + 1) == Some(&b' '),
        b'#' => at > 0 && value[at - 1] == b' ',
        _ => true,
    }
}

/// Reads what can be read: lines split at their first colon, one pair of quotes removed. Lines that are set in go on with the
/// text above them.
pub(super) fn lenient(block: &str) -> Option<Fields<'_>> {
    let mut fields = Fields::new();
    for line in block.lines().filter(|line| !line.starts_with(['-', '#']) && !line.trim().is_empty()) {
        if line.starts_with([' ', '\t']) {
            // Below a key without a text there are other things.
            if let Some((_, Field::Text(text))) =
                fields.last_mut().filter(|(_, field)| *field != Field::Text("".into()))
            {
                continue_text(text, line.trim());
            }
            continue;
        }
        let (key, value) = line.split_once(':')?;
        let value = value.trim_matches([' ', '\t']);
        let inner = |quote: char| value.strip_prefix(quote)?.strip_suffix(quote).filter(|inner| !inner.contains(quote));
        let value = inner('"').or_else(|| inner('\'')).unwrap_or_else(|| uncommented(value));
        fields.push((key.trim().trim_matches(['"', '\'']).into(), Field::Text(value.into())));
    }
    for (_, field) in &mut fields {
        // A mark for lines below, without any.
        if matches!(field, Field::Text(text) if is_block(text)) {
            *field = Field::Text("".into());
        }
    }
    fields.sort_by(|(one, _), (other, _)| one.cmp(other));
    (!fields.is_empty()).then_some(fields)
}

/// Goes on with a text on another line: in its place behind YAML's mark for that, else behind a blank.
fn continue_text(text: &mut Cow<'_, str>, line: &str) {
    if is_block(text) {
        *text = Cow::Owned(line.to_owned());
    } else {
        let text = text.to_mut();
        text.push(' ');
        text.push_str(line);
    }
}

/// Whether a value says that the lines below are its text.
pub(in crate::discover) fn is_block(value: &str) -> bool {
    matches!(value, "|" | ">" | "|-" | ">-" | "|+" | ">+")
}

/// A value without the comment behind it.
pub(in crate::discover) fn uncommented(value: &str) -> &str {
    // Whoever gives a value has trimmed it, so that nothing is before the sign of a comment that is all there is.
    if value.starts_with('#') {
        return "";
    }
    value.split(" #").next().unwrap_or(value).trim_end_matches([' ', '\t'])
}
