//! Content hashes.

use std::fmt;
use std::sync::OnceLock;

use sha2::{Digest as _, Sha256};

/// SHA-256 of a text's bytes, so that anyone can check it: `antefix show --part prefix | sha256sum`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Digest([u8; 32]);

impl Digest {
    /// The digest of a text.
    ///
    /// ```
    /// # use antefix::text::Digest;
    /// assert_eq!(
    ///     Digest::of("").to_string(),
    ///     "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    /// );
    /// ```
    pub fn of(text: &str) -> Digest {
        Digest::of_bytes(text.as_bytes())
    }

    /// The digest of bytes that need not be text.
    pub fn of_bytes(bytes: &[u8]) -> Digest {
        Digest(Sha256::digest(bytes).into())
    }

    /// The digest of several named texts under a domain: `domain`, then each text behind its name and its length, so that
    /// no two different lists of texts are the same bytes. `docs/reference/digests.md` is the specification.
    ///
    /// ```
    /// # use antefix::text::Digest;
    /// let framed = Digest::framed("antefix/example/1", [("a", "x"), ("b", "")]);
    /// assert_eq!(framed, Digest::of("antefix/example/1\na 1\nx\nb 0\n\n"));
    /// ```
    pub fn framed<'t>(domain: &str, texts: impl IntoIterator<Item = (&'t str, &'t str)>) -> Digest {
        let mut hash = Sha256::new();
        hash.update(domain);
        hash.update("\n");
        for (name, text) in texts {
            hash.update(name);
            hash.update(format!(" {}\n", text.len()));
            hash.update(text);
            hash.update("\n");
        }
        Digest(hash.finalize().into())
    }

    /// The 32 bytes.
    pub fn bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// A digest that was kept as bytes.
    pub fn from_bytes(bytes: [u8; 32]) -> Digest {
        Digest(bytes)
    }

    /// A digest as it is printed: `sha256:` and 64 hexadecimal digits in lower case.
    ///
    /// ```
    /// # use antefix::text::Digest;
    /// assert_eq!(Digest::parse(&Digest::of("x").to_string()), Some(Digest::of("x")));
    /// assert_eq!(Digest::parse("sha256:12"), None);
    /// ```
    pub fn parse(text: &str) -> Option<Digest> {
        let digits = text.strip_prefix("sha256:")?.as_bytes();
        let digit = |byte: u8| match byte {
            b'0'..=b'9' => Some(byte - b'0'),
            b'a'..=b'f' => Some(byte - b'a' + 10),
            _ => None,
        };
        let mut bytes = [0; 32];
        if digits.len() != 2 * bytes.len() {
            return None;
        }
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
            *byte = 16 * digit(pair[0])? + digit(pair[1])?;
        }
        Some(Digest(bytes))
    }

    /// The first twelve hexadecimal digits, for tables.
    pub fn short(&self) -> String {
        hexadecimal(&self.0[..6]).map(char::from).collect()
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // In one piece: a receipt prints many.
        let mut text = *b"sha256:0000000000000000000000000000000000000000000000000000000000000000";
        for (digit, shown) in text[7..].iter_mut().zip(hexadecimal(&self.0)) {
            *digit = shown;
        }
        f.write_str(std::str::from_utf8(&text).map_err(|_| fmt::Error)?)
    }
}

/// In lower case.
fn hexadecimal(bytes: &[u8]) -> impl Iterator<Item = u8> {
    let digit = |half: u8| b"0123456789abcdef"[usize::from(half)];
    bytes.iter().flat_map(move |byte| [digit(byte >> 4), digit(byte & 15)])
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl serde::Serialize for Digest {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> serde::Deserialize<'de> for Digest {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Digest, D::Error> {
        let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
        Digest::parse(&text).ok_or_else(|| serde::de::Error::custom(format!("{text:?} is not a digest")))
    }
}

/// The digests of the parts of a prefix, each taken once.
#[derive(Debug, Clone, Default)]
pub struct PrefixDigests {
    fixed: OnceLock<Digest>,
    frozen: OnceLock<Digest>,
    whole: OnceLock<Digest>,
}

impl PrefixDigests {
    /// The digest of a part: `fixed`, `frozen`, or the whole.
    pub(crate) fn of(&self, what: &str, text: &str) -> Digest {
        let known = match what {
            "fixed" => &self.fixed,
            "frozen" => &self.frozen,
            _ => &self.whole,
        };
        *known.get_or_init(|| Digest::of(text))
    }
}

/// They follow from the prefix, so they distinguish nothing.
impl PartialEq for PrefixDigests {
    fn eq(&self, _: &PrefixDigests) -> bool {
        true
    }
}

impl Eq for PrefixDigests {}
