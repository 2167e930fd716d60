//! A browser's session: what the page shows with every request, in the place of the token.
//!
//! 1. A session belongs to one origin: scheme, name and port. Under another one it is nothing, although the server may answer
//!    there as well. The page keeps it in its own storage, which a browser gives to no other port, and not in a cookie, which goes
//!    to every port of a name.
//! 2. It ends twelve hours after it was last renewed, and a day after it began, whatever happens.
//! 3. It is proven by the token: servers with the same token know each other's sessions, also after a restart, and a new token ends
//!    all of them. Nothing is kept of a session but that it was ended before its time, by the server that was told so.
//! 4. Comparing takes as long for a wrong value as for the right one.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use subtle::ConstantTimeEq;

use antefix::Result;

use crate::origins::Origin;
use crate::token::{Token, random};

/// How long a session counts that is not renewed, in seconds.
pub(crate) const IDLE: u64 = 12 * 60 * 60;
/// How long it counts at most.
pub(crate) const LONGEST: u64 = 24 * 60 * 60;

/// A session that counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Session {
    id: String,
    /// In seconds since 1970, as the end is.
    began: u64,
    pub(crate) ends: u64,
    origin: Origin,
}

/// Sessions that were ended, by their ids, with the moment from which on they would not count anyway.
#[derive(Default)]
pub(crate) struct Ended(Mutex<BTreeMap<String, u64>>);

/// The moment, as sessions count it.
pub(crate) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

impl Session {
    /// A new one for a page of an origin.
    pub(crate) fn begin(origin: Origin, now: u64) -> Result<Session> {
        Ok(Session { id: random()?, began: now, ends: now + IDLE, origin })
    }

    /// The same session with a later end.
    pub(crate) fn renewed(mut self, now: u64) -> Session {
        self.ends = (now + IDLE).min(self.began + LONGEST);
        self
    }

    /// What the page sends.
    pub(crate) fn value(&self, token: &Token) -> String {
        let Session { id, began, ends, .. } = self;
        format!("{id}.{began}.{ends}.{}", self.proof(token))
    }

    /// The session of a value, if it is one of this origin that counts.
    pub(crate) fn read(value: &str, origin: &Origin, token: &Token, now: u64) -> Option<Session> {
        let mut parts = value.split('.');
        let (id, began, ends, proof) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
        let (began, ends) = (began.parse().ok()?, ends.parse().ok()?);
        let session = Session { id: id.to_owned(), began, ends, origin: origin.clone() };
        let is_proven: bool = proof.as_bytes().ct_eq(session.proof(token).as_bytes()).into();
        (is_proven && parts.next().is_none() && now < ends).then_some(session)
    }

    fn proof(&self, token: &Token) -> String {
        let Session { id, began, ends, origin } = self;
        token.proof("session", &format!("{id}\n{began}\n{ends}\n{origin}"))
    }
}

impl Ended {
    /// Ends a session, with every value that it was renewed to.
    pub(crate) fn add(&self, session: &Session, now: u64) {
        let mut ended = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        ended.retain(|_, until| *until > now);
        ended.insert(session.id.clone(), session.began + LONGEST);
    }

    /// Whether a session was ended.
    pub(crate) fn has(&self, session: &Session) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).contains_key(&session.id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: u64 = 60 * 60;
    /// When it begins.
    const NOW: u64 = 1_800_000_000;

    fn token() -> (tempfile::TempDir, Token) {
        let directory = tempfile::tempdir().unwrap();
        let token = Token::load(&directory.path().join("token")).unwrap();
        (directory, token)
    }

    fn origin(text: &str) -> Origin {
        Origin::parse(text).unwrap()
    }

    #[test]
    fn a_session_counts_for_twelve_hours_and_renewed_for_a_day_at_most() {
        let (_kept, token) = token();
        let here = origin("http://localhost:7777");
        let first = Session::begin(here.clone(), NOW).unwrap();
        let counts = |session: &Session, at: u64| Session::read(&session.value(&token), &here, &token, at).is_some();
        assert!(counts(&first, NOW) && counts(&first, NOW + 12 * HOUR - 1));
        assert!(!counts(&first, NOW + 12 * HOUR));
        let second = first.clone().renewed(NOW + 11 * HOUR);
        assert!(counts(&second, NOW + 23 * HOUR - 1) && !counts(&second, NOW + 23 * HOUR));
        let third = second.renewed(NOW + 22 * HOUR);
        assert!(counts(&third, NOW + 24 * HOUR - 1) && !counts(&third, NOW + 24 * HOUR));
        assert!(!counts(&third.renewed(NOW + 24 * HOUR), NOW + 24 * HOUR));
    }

    #[test]
    fn a_session_counts_for_its_own_origin_and_token_alone() {
        let (_kept, token_of_it) = token();
        let (_other, another) = token();
        let session = Session::begin(origin("http://localhost:7777"), NOW).unwrap();
        let value = session.value(&token_of_it);
        let read = |at: &str, token: &Token| Session::read(&value, &origin(at), token, NOW);
        assert_eq!(read("http://localhost:7777", &token_of_it), Some(session));
        for at in ["http://127.0.0.1:7777", "http://localhost:7778", "https://localhost:7777", "http://localhost"] {
            assert_eq!(read(at, &token_of_it), None, "{at}");
        }
        assert_eq!(read("http://localhost:7777", &another), None);
    }

    #[test]
    fn nobody_draws_a_session_out_or_makes_one_up() {
        let (_kept, token) = token();
        let here = origin("http://localhost:7777");
        let value = Session::begin(here.clone(), NOW).unwrap().value(&token);
        let parts: Vec<&str> = value.split('.').collect();
        let [id, began, ends, proof] = parts[..] else { panic!("{value}") };
        let later: u64 = ends.parse::<u64>().unwrap() + 1;
        let forged = [
            format!("{id}.{began}.{later}.{proof}"),
            format!("{id}.{later}.{ends}.{proof}"),
            format!("{began}.{id}.{ends}.{proof}"),
            format!("{id}.{began}.{ends}."),
            format!("{id}.{began}.{ends}"),
            format!("{value}.x"),
            format!("x{value}"),
            String::new(),
        ];
        for forged in forged {
            assert_eq!(Session::read(&forged, &here, &token, NOW), None, "{forged}");
        }
    }

    #[test]
    fn ending_a_session_ends_what_it_was_renewed_to() {
        let first = Session::begin(origin("http://localhost:7777"), NOW).unwrap();
        let other = Session::begin(origin("http://localhost:7777"), NOW).unwrap();
        let ended = Ended::default();
        ended.add(&first, NOW + HOUR);
        assert!(ended.has(&first) && ended.has(&first.clone().renewed(NOW + 2 * HOUR)) && !ended.has(&other));
        // Nothing is remembered for longer than it matters.
        ended.add(&other, NOW + 25 * HOUR);
        assert!(!ended.has(&first));
    }
}
