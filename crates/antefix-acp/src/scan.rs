//! What a message is, found while it passes by.
//!
//! A message that is too long to be kept still has an id, a method or a result, which may be anywhere in it. They are
//! picked out of its outermost object; everything within is passed over. Nothing is checked: whoever gets the message
//! does that.

/// The longest key or value that is kept.
const LONGEST: usize = 1024;

/// The outermost members of a message, as far as they matter here.
#[derive(Default)]
pub(crate) struct Scan {
    depth: usize,
    in_string: bool,
    escaped: bool,
    /// The characters of the key or value that is being read, if it may matter.
    word: Vec<u8>,
    keeps: bool,
    key: Option<Vec<u8>>,
    /// The raw id.
    pub(crate) id: Option<String>,
    /// The method.
    pub(crate) method: Option<String>,
    /// Whether there is a result.
    pub(crate) has_result: bool,
}

impl Scan {
    /// Scans the next bytes of the message.
    pub(crate) fn read(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            if self.in_string {
                self.within_string(byte);
                continue;
            }
            match byte {
                b'"' => {
                    self.in_string = true;
                    self.keeps = self.depth == 1;
                    if self.keeps {
                        self.word.clear();
                        self.word.push(byte);
                    }
                }
                b'{' | b'[' => {
                    self.depth += 1;
                    self.word.clear();
                }
                b'}' | b']' => {
                    if self.depth == 1 {
                        self.member();
                    }
                    self.depth = self.depth.saturating_sub(1);
                }
                b':' if self.depth == 1 => self.key = Some(std::mem::take(&mut self.word)),
                b',' if self.depth == 1 => self.member(),
                _ if self.depth == 1 && !byte.is_ascii_whitespace() && self.word.len() < LONGEST => {
                    self.word.push(byte);
                }
                _ => {}
            }
        }
    }

    fn within_string(&mut self, byte: u8) {
        if self.keeps && self.word.len() < LONGEST {
            self.word.push(byte);
        }
        match byte {
            _ if self.escaped => self.escaped = false,
            b'\\' => self.escaped = true,
            b'"' => self.in_string = false,
            _ => {}
        }
    }

    /// A member of the outermost object is over.
    fn member(&mut self) {
        let value = String::from_utf8(std::mem::take(&mut self.word)).ok();
        match self.key.take().as_deref() {
            Some(b"\"id\"") => self.id = value.and_then(|value| crate::message::normal_id(&value)),
            Some(b"\"method\"") => self.method = value.and_then(|value| serde_json::from_str(&value).ok()),
            Some(b"\"result\"") => self.has_result = true,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Scan;

    fn scan(text: &str) -> (Option<String>, Option<String>, bool) {
        let mut scan = Scan::default();
        // In pieces, as it comes out of a pipe.
        text.as_bytes().chunks(3).for_each(|chunk| scan.read(chunk));
        (scan.id, scan.method, scan.has_result)
    }

    #[test]
    fn what_matters_is_found_wherever_it_stands_and_nothing_within() {
        let some = |text: &str| Some(text.to_owned());
        let nested = r#"{"params":{"id":9,"method":"no","x":["{\"id\":8}"]},"method":"session\/prompt", "id" : "a b"}"#;
        assert_eq!(scan(nested), (some("\"a b\""), some("session/prompt"), false));
        assert_eq!(scan(r#"{"jsonrpc":"2.0","result":{"id":3},"id":7}"#), (some("7"), None, true));
        assert_eq!(scan(r#"{"error":{"result":1},"id":null}"#), (some("null"), None, false));
        assert_eq!(scan(r#"[{"id":1}]"#), (None, None, false));
    }
}
