//! What stops the proxy.

use std::fmt;

/// Why the proxy cannot go on.
#[derive(Debug)]
#[non_exhaustive]
pub enum Failure {
    /// No agent was named, and the client did not begin a chain.
    NoAgent,
    /// The prompt, the settings or the ledger.
    Antefix(Box<antefix::Error>),
    /// The operating system refused something.
    System {
        /// What it was: lower case, no final stop.
        message: String,
        /// What to do, where that is known.
        hint: Option<&'static str>,
    },
}

impl Failure {
    pub(crate) fn system(message: impl Into<String>) -> Failure {
        Failure::System { message: message.into(), hint: None }
    }
}

impl From<antefix::Error> for Failure {
    fn from(error: antefix::Error) -> Failure {
        Failure::Antefix(Box::new(error))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::NoAgent => f.write_str("no agent was named"),
            Failure::Antefix(error) => error.fmt(f),
            Failure::System { message, .. } => f.write_str(message),
        }
    }
}

impl std::error::Error for Failure {}
