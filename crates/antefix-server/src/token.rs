//! The token, and what it proves: requests of programs, links and sessions of browsers.
//!
//! 1. The token is in a file that its user alone can read. It is made at the first start; two servers that start at once
//!    make one.
//! 2. A link works once and for a quarter of an hour. The page makes a session of its code: see [`crate::session`].
//! 3. Comparing takes as long for a wrong value as for the right one.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use subtle::ConstantTimeEq;

use antefix::stores::private_directory;
use antefix::{Error, ErrorKind, Result};

/// How long a link works.
const LINK: Duration = Duration::from_secs(15 * 60);
/// How many links wait at most.
const LINKS: usize = 100;
/// The shortest token.
const SHORTEST: usize = 32;

/// The token of a server.
pub struct Token {
    text: String,
    /// Codes of links, with the moment at which each ends.
    links: Mutex<BTreeMap<String, Instant>>,
}

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // It is a secret.
        f.debug_struct("Token").finish_non_exhaustive()
    }
}

impl Token {
    /// Reads the token, and makes one if there is none.
    pub fn load(file: &Path) -> Result<Token> {
        let failed = |error: std::io::Error| Error::new(ErrorKind::Input, format!("{}: {error}", file.display()));
        if !file.try_exists().map_err(failed)? {
            make(file).map_err(failed)?;
        }
        check_mode(file)?;
        let text = std::fs::read_to_string(file).map_err(failed)?.trim().to_owned();
        let plain = |byte: u8| byte.is_ascii_graphic();
        if text.len() < SHORTEST || !text.bytes().all(plain) {
            let hint = "delete it, and a new one is made; or write 32 or more letters and digits into it";
            let error = Error::new(ErrorKind::Input, format!("{} has no usable token", file.display()));
            return Err(error.with_hint(hint));
        }
        Ok(Token { text, links: Mutex::default() })
    }

    /// Whether this is the token.
    pub(crate) fn is(&self, text: &str) -> bool {
        // Of two lengths only that they differ can be learned, and the length is no secret.
        text.as_bytes().ct_eq(self.text.as_bytes()).into()
    }

    /// The code of a new link.
    pub(crate) fn link(&self) -> Result<String> {
        let code = random()?;
        let mut links = self.links.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        links.retain(|_, ends| *ends > now);
        if links.len() >= LINKS {
            return Err(Error::new(ErrorKind::Limit, "too many links wait to be opened"));
        }
        links.insert(code.clone(), now + LINK);
        Ok(code)
    }

    /// Whether a link has this code. It works no more then.
    pub(crate) fn open(&self, code: &str) -> bool {
        let mut links = self.links.lock().unwrap_or_else(PoisonError::into_inner);
        let is = |known: &str| bool::from(known.as_bytes().ct_eq(code.as_bytes()));
        let found = links.keys().find(|known| is(known)).cloned();
        found.and_then(|code| links.remove(&code)).is_some_and(|ends| ends > Instant::now())
    }

    /// What only who knows the token can make of a text. `of` keeps two uses of the same text apart.
    pub(crate) fn proof(&self, of: &str, text: &str) -> String {
        // A key of any length will do.
        let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(self.text.as_bytes()) else { return String::new() };
        mac.update(format!("antefix/{of}/1\n{text}").as_bytes());
        hex(&mac.finalize().into_bytes())
    }
}

/// A value that nobody guesses.
pub(crate) fn random() -> Result<String> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes)
        .map_err(|error| Error::new(ErrorKind::Input, format!("there is no randomness: {error}")))?;
    Ok(hex(&bytes))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Writes a token beside the file and links it into place, so that nobody reads half of one and nobody overwrites one.
fn make(file: &Path) -> std::io::Result<()> {
    let directory = file.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut opened = std::fs::OpenOptions::new();
    opened.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut opened, 0o600);
    private_directory(directory)?;
    let token = random().map_err(|error| std::io::Error::other(error.to_string()))?;
    let beside = directory.join(format!(".token.{}", std::process::id()));
    let written = opened.open(&beside).and_then(|mut new| {
        new.write_all(format!("{token}\n").as_bytes())?;
        new.sync_all()
    });
    let linked = written.and_then(|()| match std::fs::hard_link(&beside, file) {
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
        other => other,
    });
    // What was begun is of no use to anybody.
    let _ = std::fs::remove_file(&beside);
    linked
}

#[cfg(unix)]
fn check_mode(file: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let failed = |error: std::io::Error| Error::new(ErrorKind::Input, format!("{}: {error}", file.display()));
    let metadata = std::fs::metadata(file).map_err(failed)?;
    let mode = metadata.permissions().mode() & 0o777;
    if mode & 0o077 == 0 {
        return Ok(());
    }
    let message = format!("{} can be read by others (mode {mode:o})", file.display());
    Err(Error::new(ErrorKind::Input, message).with_hint(format!("run `chmod 600 {}`", file.display())))
}

#[cfg(not(unix))]
fn check_mode(_: &Path) -> Result<()> {
    Ok(())
}
