//! Rust source with its comments and strings blanked out, so that words in prose are not mistaken for code.
//!
//! This is not a parser: it knows comments, strings, raw strings and character literals, and counts braces. Every byte keeps
//! its place, so that lines can be reported.

/// Code without prose.
pub(super) struct Code {
    text: String,
}

/// A function and the lines that it takes.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Function {
    pub(super) name: String,
    pub(super) line: usize,
    pub(super) lines: usize,
}

impl Code {
    pub(super) fn new(source: &str) -> Code {
        Code { text: blank(source) }
    }

    /// The code.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// The code before the unit tests.
    pub(super) fn without_tests(&self) -> &str {
        let tests = self.text.find("#[cfg(test)]\nmod ").unwrap_or(self.text.len());
        &self.text[..tests]
    }

    /// Words with their positions.
    pub(super) fn words(&self) -> impl Iterator<Item = (usize, &str)> {
        words(&self.text)
    }

    /// The line of a position.
    pub(super) fn line(&self, position: usize) -> usize {
        self.text.as_bytes()[..position].iter().filter(|byte| **byte == b'\n').count() + 1
    }

    /// The functions with a body, by counting braces.
    pub(super) fn functions(&self) -> Vec<Function> {
        let words: Vec<(usize, &str)> = self.words().collect();
        let mut functions = Vec::new();
        for pair in words.windows(2) {
            let [(start, "fn"), (_, name)] = pair else { continue };
            if let Some(end) = body_end(&self.text, *start) {
                let line = self.line(*start);
                functions.push(Function { name: (*name).to_owned(), line, lines: self.line(end) - line + 1 });
            }
        }
        functions
    }
}

/// Words of a text with their positions.
pub(super) fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    text.split(move |c: char| !is_word(c))
        .filter(|word| !word.is_empty())
        .map(move |word| (word.as_ptr() as usize - text.as_ptr() as usize, word))
}

/// Where the body of the function that begins at `start` ends; none if it has no body.
fn body_end(text: &str, start: usize) -> Option<usize> {
    let (mut braces, mut others) = (0_i32, 0_i32);
    for (position, byte) in text.bytes().enumerate().skip(start) {
        match byte {
            b'(' | b'[' => others += 1,
            b')' | b']' => others -= 1,
            b'{' => braces += 1,
            b'}' if braces == 1 => return Some(position),
            b'}' => braces -= 1,
            b';' if braces == 0 && others == 0 => return None,
            _ => {}
        }
    }
    None
}

/// Replaces what comments and literals contain with spaces. Line breaks stay.
fn blank(source: &str) -> String {
    let bytes = source.as_bytes();
    let mut out = bytes.to_vec();
    let mut at = 0;
    while at < bytes.len() {
        let end = literal_end(source, at);
        match end {
            Some(end) => {
                for byte in &mut out[at..end] {
                    if *byte != b'\n' {
                        *byte = b' ';
                    }
                }
                at = end;
            }
            None => at += 1,
        }
    }
    // Whole literals were replaced, so no character is left in halves.
    String::from_utf8_lossy(&out).into_owned()
}

/// Where the comment or literal that begins here ends; none if none begins here.
fn literal_end(source: &str, at: usize) -> Option<usize> {
    let bytes = source.as_bytes();
    let rest = &bytes[at..];
    let end_of = |text: &str, from: usize| source.get(from..)?.find(text).map(|found| from + found + text.len());
    let whole = source.len();
    match rest {
        [b'/', b'/', ..] => Some(rest.iter().position(|byte| *byte == b'\n').map_or(whole, |end| at + end)),
        [b'/', b'*', ..] => Some(end_of("*/", at + 2).unwrap_or(whole)),
        [b'"', ..] => Some(quoted_end(bytes, at + 1, b'"')),
        [b'r', b'"' | b'#', ..] if !in_word(bytes, at) => {
            let hashes = rest[1..].iter().take_while(|byte| **byte == b'#').count();
            (rest.get(1 + hashes) == Some(&b'"'))
                .then(|| end_of(&format!("\"{}", "#".repeat(hashes)), at + hashes + 2).unwrap_or(whole))
        }
        [b'\'', b'\\', ..] => Some(quoted_end(bytes, at + 1, b'\'')),
        // A lifetime has no quote behind its first character.
        [b'\'', ..] => {
            let character = source[at + 1..].chars().next()?;
            let close = at + 1 + character.len_utf8();
            (bytes.get(close) == Some(&b'\'')).then_some(close + 1)
        }
        _ => None,
    }
}

/// Whether the byte before belongs to a word, other than the `b` or `c` of a literal.
fn in_word(bytes: &[u8], at: usize) -> bool {
    at.checked_sub(1).is_some_and(|before| {
        let byte = bytes[before];
        (byte.is_ascii_alphanumeric() || byte == b'_') && !matches!(byte, b'b' | b'c')
    })
}

fn quoted_end(bytes: &[u8], from: usize, quote: u8) -> usize {
    let mut at = from;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 2,
            byte if *byte == quote => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(source: &str) -> String {
        Code::new(source).text().split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn prose_is_blank_and_code_stays() {
        assert_eq!(code("a // b \"c\nd"), "a d");
        assert_eq!(code("a /* b\n */ c"), "a c");
        assert_eq!(code(r#"a("b \" c", 'd', '\'', b"e") f"#), "a( , , , b ) f");
        assert_eq!(code(r###"a r#"b " c"# d"###), "a d");
        assert_eq!(code("fn a<'b>(c: &'b str) {}"), "fn a<'b>(c: &'b str) {}");
        assert_eq!(code("bar\"x\" 'ä' d"), "bar d");
        assert_eq!(code("a \"never closed"), "a");
    }

    #[test]
    fn every_byte_keeps_its_line() {
        let code = Code::new("/* ä\n */ a\n\"\n\" b");
        let lines: Vec<(usize, &str)> = code.words().map(|(at, word)| (code.line(at), word)).collect();
        assert_eq!(lines, [(2, "a"), (4, "b")]);
    }

    #[test]
    fn functions_are_as_long_as_their_braces() {
        let code = Code::new("trait A {\n    fn a();\n    fn b(x: [u8; 2]) {\n        if x { \"}\" }\n    }\n}\n");
        assert_eq!(code.functions(), [Function { name: "b".to_owned(), line: 3, lines: 3 }]);
    }

    #[test]
    fn unit_tests_can_be_left_out() {
        assert_eq!(Code::new("a\n#[cfg(test)]\nmod tests { b }\n").without_tests(), "a\n");
        assert_eq!(Code::new("a\n").without_tests(), "a\n");
    }
}
