//! Tokens of several pieces: JSON web tokens, SendGrid keys, Telegram bots.
//!
//! Each function is asked where a word begins and answers where the token ends.

use super::token::{Alphabet, ends_word, is_placeholder};

/// One of these is in each of them.
pub(super) const LITERALS: [&[u8]; 3] = [b"eyJ", b"SG.", b":AA"];

/// Whether a JSON web token begins here.
pub(super) enum Jwt {
    /// A token begins here, and ends at `end`.
    Token { end: usize },
    /// None begins here, and none before `until`: all beginnings in one run of characters share what comes behind it.
    None { until: usize },
}

/// Three pieces of base64 with dots between. The first two are JSON objects, and `{"` is `eyJ` in base64.
pub(super) fn jwt(bytes: &[u8], at: usize) -> Jwt {
    const HEADER: usize = 16;
    const CLAIMS: usize = 8;
    const SIGNATURE: usize = 16;
    if !bytes[at..].starts_with(b"eyJ") {
        return Jwt::None { until: at };
    }
    let header = at + Alphabet::Url.run(&bytes[at..], usize::MAX);
    let rest = || -> Option<usize> {
        let claims = bytes[header..].strip_prefix(b".").filter(|rest| rest.starts_with(b"eyJ"))?;
        let claims = Alphabet::Url.run(claims, usize::MAX);
        let signature_start = header + 1 + claims + 1;
        let signature = bytes[header + 1 + claims..].strip_prefix(b".")?;
        let length = Alphabet::Url.run(signature, usize::MAX);
        let end = signature_start + length;
        let real = claims >= CLAIMS
            && length >= SIGNATURE
            && !is_placeholder(&signature[..length], Alphabet::Url)
            && ends_word(bytes, end);
        real.then_some(end)
    };
    match rest() {
        None => Jwt::None { until: header },
        // A later beginning in the same run would be shorter still.
        Some(_) if header - at < HEADER => Jwt::None { until: header },
        Some(end) => Jwt::Token { end },
    }
}

/// `SG.`, 22 characters, a dot, 43 characters.
pub(super) fn sendgrid(bytes: &[u8], at: usize) -> Option<usize> {
    const ID: usize = 22;
    const SECRET: usize = 43;
    let id = bytes[at..].strip_prefix(b"SG.")?;
    if Alphabet::Url.run(id, ID + 1) != ID {
        return None;
    }
    let secret = id[ID..].strip_prefix(b".")?;
    if Alphabet::Url.run(secret, SECRET + 1) != SECRET || is_placeholder(&secret[..SECRET], Alphabet::Url) {
        return None;
    }
    let end = at + 3 + ID + 1 + SECRET;
    ends_word(bytes, end).then_some(end)
}

/// The number of a bot, a colon, and 35 characters that begin with `AA`.
pub(super) fn telegram(bytes: &[u8], at: usize) -> Option<usize> {
    const SECRET: usize = 35;
    let number = bytes[at..].iter().take(11).take_while(|byte| byte.is_ascii_digit()).count();
    let secret = bytes[at + number..].strip_prefix(b":")?;
    let shaped = (8..=10).contains(&number)
        && secret.starts_with(b"AA")
        && Alphabet::Url.run(secret, SECRET + 1) == SECRET
        && !is_placeholder(&secret[..SECRET], Alphabet::Url);
    let end = at + number + 1 + SECRET;
    (shaped && ends_word(bytes, end)).then_some(end)
}
