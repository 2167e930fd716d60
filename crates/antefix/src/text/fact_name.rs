//! Names of facts.

use std::fmt;
use std::sync::Arc;

/// `namespace:name`, the same in templates, catalog, HTTP and diagnostics.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FactName {
    text: Arc<str>,
    colon: usize,
}

impl FactName {
    /// Splits at the first colon. No colon, no name.
    ///
    /// ```
    /// # use antefix::text::FactName;
    /// let name = FactName::parse("file:docs/a:b.md").unwrap();
    /// assert_eq!((name.namespace(), name.name()), ("file", "docs/a:b.md"));
    /// assert!(FactName::parse("branch").is_none());
    /// ```
    pub fn parse(text: impl Into<Arc<str>>) -> Option<FactName> {
        let text = text.into();
        let colon = text.find(':')?;
        Some(FactName { text, colon })
    }

    /// A name from its two halves.
    pub fn new(namespace: &str, name: &str) -> FactName {
        FactName { text: format!("{namespace}:{name}").into(), colon: namespace.len() }
    }

    /// The part before the colon: the source that answers.
    pub fn namespace(&self) -> &str {
        &self.text[..self.colon]
    }

    /// The part after the colon.
    pub fn name(&self) -> &str {
        &self.text[self.colon + 1..]
    }

    /// The name as `namespace:name`.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for FactName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Debug for FactName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
