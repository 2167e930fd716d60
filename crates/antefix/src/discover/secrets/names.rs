//! Secrets that have no prefix of their own, but are written behind the name of what they are:
//! `aws_secret_access_key = …`, `AccountKey=…`.
//!
//! 1. The name is one of the usual spellings, and what is behind it has the exact shape of the secret.
//! 2. Between them are blanks, quotes and the signs of an assignment, a list or a table, and nothing else.
//! 3. Only the value is a finding, so that a redacted text still says what was there.

use std::sync::LazyLock;

use aho_corasick::Span;
use aho_corasick::packed::Searcher;

use super::Secret;
use super::token::{Alphabet, ends_word, is_placeholder, kinds};

/// A name, as it is written, and what is behind it.
struct Name {
    spelled: &'static str,
    value: Value,
}

/// Every spelling. Those of one name with capitals, small letters and dashes are all in use somewhere.
const NAMES: &[Name] = &[
    aws("SECRET_ACCESS_KEY"),
    aws("secret_access_key"),
    aws("secret-access-key"),
    aws("SecretAccessKey"),
    aws("secretAccessKey"),
    aws("secretaccesskey"),
    aws("SECRET_KEY"),
    aws("secret_key"),
    aws("secret-key"),
    aws("SecretKey"),
    aws("secretKey"),
    aws("AWS_SECRET"),
    aws("aws_secret"),
    storage("AccountKey"),
    storage("accountKey"),
    storage("ACCOUNT_KEY"),
    storage("account_key"),
    storage("account-key"),
    storage("STORAGE_KEY"),
    storage("storage_key"),
    storage("storageKey"),
    shared("SharedAccessKey"),
    shared("sharedAccessKey"),
    shared("SHARED_ACCESS_KEY"),
    shared("shared_access_key"),
    vault("VAULT_TOKEN"),
    vault("vault_token"),
    vault("vaultToken"),
    vault("X-Vault-Token"),
    vault("x-vault-token"),
    vault("vault login"),
    vault("client_token"),
    twilio("TWILIO_AUTH_TOKEN"),
    twilio("twilio_auth_token"),
    twilio("TwilioAuthToken"),
    twilio("twilioAuthToken"),
];

/// What a name announces: a prefix, so many characters, and so many `=` that fill them up.
#[derive(Clone, Copy)]
struct Value {
    rule: &'static str,
    prefix: &'static str,
    alphabet: Alphabet,
    length: usize,
    filled: usize,
    /// How many of small letters, capitals and digits there are at least: a digest in hexadecimal has no more than two.
    kinds: usize,
}

const fn aws(spelled: &'static str) -> Name {
    let value =
        Value { rule: "aws-secret-key", prefix: "", alphabet: Alphabet::Base64, length: 40, filled: 0, kinds: 3 };
    Name { spelled, value }
}

const fn storage(spelled: &'static str) -> Name {
    let value =
        Value { rule: "azure-storage-key", prefix: "", alphabet: Alphabet::Base64, length: 86, filled: 2, kinds: 3 };
    Name { spelled, value }
}

const fn shared(spelled: &'static str) -> Name {
    let value =
        Value { rule: "azure-shared-key", prefix: "", alphabet: Alphabet::Base64, length: 43, filled: 1, kinds: 3 };
    Name { spelled, value }
}

/// The older tokens of Vault: `s.` alone is how code calls methods.
const fn vault(spelled: &'static str) -> Name {
    let value =
        Value { rule: "vault-token", prefix: "s.", alphabet: Alphabet::Base62, length: 24, filled: 0, kinds: 2 };
    Name { spelled, value }
}

const fn twilio(spelled: &'static str) -> Name {
    let value = Value { rule: "twilio-token", prefix: "", alphabet: Alphabet::Hex, length: 32, filled: 0, kinds: 2 };
    Name { spelled, value }
}

/// The secrets that are announced in a text, in order.
pub(super) fn all(bytes: &[u8]) -> Vec<Secret> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = next(bytes, from) {
        found.extend(announced(bytes, at));
        // One name may end in another: `aws_secret` in `secret_key`.
        from = at + 1;
    }
    found
}

/// Where the next name is.
fn next(bytes: &[u8], from: usize) -> Option<usize> {
    match &*SEARCHER {
        Some(searcher) => searcher.find_in(bytes, Span { start: from, end: bytes.len() }).map(|found| found.start()),
        None => {
            (from..bytes.len()).find(|at| NAMES.iter().any(|name| bytes[*at..].starts_with(name.spelled.as_bytes())))
        }
    }
}

/// None where the processor cannot do it.
static SEARCHER: LazyLock<Option<Searcher>> = LazyLock::new(|| Searcher::new(spelled()));

/// Every spelling.
pub(super) fn spelled() -> impl Iterator<Item = &'static [u8]> {
    NAMES.iter().map(|name| name.spelled.as_bytes())
}

/// The secret that is announced by the name that begins here.
fn announced(bytes: &[u8], at: usize) -> Option<Secret> {
    NAMES.iter().find_map(|name| {
        let behind = bytes[at..].strip_prefix(name.spelled.as_bytes())?;
        let between = behind.iter().take(FARTHEST).take_while(|byte| is_between(**byte)).count();
        let start = at + name.spelled.len() + between;
        let end = name.value.end(bytes, start).filter(|_| between > 0)?;
        Some(Secret { range: start..end, rule: name.value.rule })
    })
}

/// How many characters are between a name and its value at most. Tables line their columns up.
const FARTHEST: usize = 32;

fn is_between(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'"' | b'\'' | b'`' | b'=' | b':' | b'>' | b',' | b'|' | b'(' | b'\\')
}

impl Value {
    /// Where the value ends that begins here, if it is one.
    fn end(self, bytes: &[u8], start: usize) -> Option<usize> {
        let rest = bytes[start..].strip_prefix(self.prefix.as_bytes())?;
        if self.alphabet.run(rest, self.length + 1) != self.length {
            return None;
        }
        let (value, behind) = rest.split_at(self.length);
        let filled = behind.iter().take_while(|byte| **byte == b'=').count();
        let end = start + self.prefix.len() + self.length + filled;
        let real = filled == self.filled && kinds(value) >= self.kinds && !is_placeholder(value, self.alphabet);
        (real && ends_word(bytes, end)).then_some(end)
    }
}
