//! Which facts the templates of a layout may not see.
//!
//! 1. `hidden = ["scope:*", "file:AGENTS.md"]`: a whole namespace, or one fact.
//! 2. A file that is named without a directory is hidden in every directory, as in an ignore file, and however its path is
//!    spelled: `./AGENTS.md` and `agents.md` as well.
//! 3. What is hidden is not asked for and is undefined; whoever names it is told why.
//! 4. The layout's own texts see everything. Files that it refers to, what those include, and what people save in place of its
//!    text do not.

use crate::diagnostic::{Code, Diagnostic};
use crate::discover::catalog::{self, Lookup};
use crate::text::{FactName, Place};

/// What a layout hides.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HiddenFacts(Vec<FactName>);

/// For where there are none.
pub(super) static NONE: HiddenFacts = HiddenFacts(Vec::new());

impl HiddenFacts {
    /// Reads what a layout says; an entry that hides nothing is the error.
    pub(crate) fn parse<'t>(entries: impl IntoIterator<Item = &'t str>) -> Result<HiddenFacts, &'t str> {
        let known = |entry: &'t str| {
            let name = FactName::parse(entry).ok_or(entry)?;
            let known = match name.name() {
                "*" => catalog::namespaces().any(|namespace| namespace == name.namespace()),
                _ => matches!(catalog::lookup(&name), Lookup::Known(_)),
            };
            if known { Ok(name) } else { Err(entry) }
        };
        entries.into_iter().map(known).collect::<Result<_, _>>().map(HiddenFacts)
    }

    /// Whether a fact is hidden.
    pub fn hides(&self, fact: &FactName) -> bool {
        self.0.iter().filter(|hidden| hidden.namespace() == fact.namespace()).any(|hidden| {
            let whole = hidden.name() == "*" || hidden.name() == fact.name();
            whole || (fact.namespace() == "file" && is_same_file(hidden.name(), fact.name()))
        })
    }

    /// What is hidden, as the layout writes it.
    pub fn entries(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(FactName::as_str)
    }

    /// What to tell whoever names a hidden fact.
    pub(crate) fn finding(fact: &FactName, place: Place) -> Diagnostic {
        let message = format!("`{fact}` is hidden from templates by the layout, so it is undefined here");
        Diagnostic::warning(Code::HiddenVariable, message).at(place).about(fact.as_str()).hint(HINT)
    }
}

/// What to do about it.
pub(crate) const HINT: &str = "a section of the layout prints it; `hidden` in the layout's file lists what is hidden";

/// Whether a path leads to a file that is hidden, as far as its text says.
fn is_same_file(hidden: &str, path: &str) -> bool {
    let (hidden, path) = (parts(hidden), parts(path));
    let tail = match hidden.as_slice() {
        [_] => path.len().saturating_sub(1),
        _ => 0,
    };
    let same = |(one, other): (&&str, &&str)| one.eq_ignore_ascii_case(other);
    path[tail..].len() == hidden.len() && hidden.iter().zip(&path[tail..]).all(same)
}

/// The names of a path, without those that lead nowhere.
fn parts(path: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    for part in path.split(['/', '\\']) {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fact_is_hidden_however_it_is_spelled() {
        let hidden = HiddenFacts::parse(["scope:*", "file:AGENTS.md", "file:docs/secret.md", "git:diff"]).unwrap();
        let rows = [
            ("scope:summary", true),
            ("git:diff", true),
            ("git:status", false),
            ("file:AGENTS.md", true),
            ("file:./AGENTS.md", true),
            ("file:docs/../AGENTS.md", true),
            ("file:../AGENTS.md", true),
            ("file:/p/AGENTS.md", true),
            ("file:docs/AGENTS.md", true),
            ("file:agents.md", true),
            ("file:AGENTS.md.old", false),
            ("file:AGENTS.md/x", false),
            ("file:docs/secret.md", true),
            ("file:docs/./secret.md", true),
            ("file:docs/a/../secret.md", true),
            ("file:secret.md", false),
            ("file:other/docs/secret.md", false),
            ("file:..", false),
        ];
        for (name, expected) in rows {
            assert_eq!(hidden.hides(&FactName::parse(name).unwrap()), expected, "{name}");
        }
    }

    #[test]
    fn what_the_catalog_does_not_have_cannot_be_hidden() {
        for entry in ["scope", "nope:*", "git:nope", "*", "*:*"] {
            assert_eq!(HiddenFacts::parse([entry]), Err(entry), "{entry}");
        }
        assert_eq!(HiddenFacts::parse([]), Ok(HiddenFacts::default()));
    }
}
