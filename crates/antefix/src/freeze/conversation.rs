//! Names of conversations.

use std::fmt;
use std::sync::Arc;

use crate::error::{Error, ErrorKind, Result};

/// How many bytes an id may have: enough for two UUIDs and a tenant, little enough for a key of any database.
const LONGEST: usize = 200;

/// The name of a conversation: the caller's own, opaque to antefix.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ConversationId(Arc<str>);

impl ConversationId {
    /// One to 200 bytes without control characters or white space at the ends.
    ///
    /// ```
    /// # use antefix::freeze::ConversationId;
    /// assert!(ConversationId::parse("chat/2026-11-16#7").is_ok());
    /// assert!(ConversationId::parse("").is_err());
    /// assert!(ConversationId::parse("a\nb").is_err());
    /// ```
    pub fn parse(id: &str) -> Result<ConversationId> {
        let refuse = |why: &str| {
            let message = format!("{:?} cannot be a conversation's id: {why}", shortened(id));
            Err(Error::new(ErrorKind::Conversation, message)
                .with_hint("any text of 1 to 200 bytes will do, a UUID for example"))
        };
        match id {
            "" => refuse("it is empty"),
            _ if id.len() > LONGEST => refuse("it is longer than 200 bytes"),
            _ if id.chars().any(char::is_control) => refuse("it has control characters in it"),
            _ if id.trim() != id => refuse("it begins or ends with white space"),
            _ => Ok(ConversationId(id.into())),
        }
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn shortened(id: &str) -> String {
    let mut short: String = id.chars().take(40).collect();
    if short.len() < id.len() {
        short.push('…');
    }
    short
}

impl fmt::Display for ConversationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for ConversationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.0)
    }
}
