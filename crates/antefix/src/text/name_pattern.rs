//! Forms of names.

/// A form of a name: what it begins and ends with, if there is a `*`, else all of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NamePattern(pub(crate) String);

impl NamePattern {
    pub(crate) fn matches(&self, name: &str) -> bool {
        match self.0.split_once('*') {
            Some((start, end)) => {
                name.len() >= start.len() + end.len() && name.starts_with(start) && name.ends_with(end)
            }
            None => name == self.0,
        }
    }
}
