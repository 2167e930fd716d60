//! Other names for places that templates are loaded from.
//!
//! 1. `[aliases] insomnia = "$builtin/yoi"` makes `$insomnia/default` another name for `$builtin/yoi/default`.
//! 2. An alias leads to a prefix, or to a directory below one, never to another alias.
//! 3. It cannot take the name of a prefix, and no reference leads out of the directory that it stands for.
//! 4. A template is known by its own name, whatever it was called: an alias changes no origin and adds no template.

use std::collections::BTreeMap;

use super::loader::{Prefix, TemplateRef, normalize};

/// The aliases of a layout.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Aliases(BTreeMap<String, Target>);

/// What an alias stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Target {
    prefix: Prefix,
    /// The directory below the prefix; empty for the prefix itself.
    directory: String,
}

/// For where there are none.
pub(super) static NONE: Aliases = Aliases(BTreeMap::new());

impl Aliases {
    /// Adds an alias, or says what is wrong with it.
    pub(crate) fn add(&mut self, name: &str, target: &str) -> Result<(), String> {
        let simple = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        if name.is_empty() || !name.chars().all(simple) {
            return Err(format!("`{name}` cannot be an alias: use letters, digits, `-` and `_`"));
        }
        if Prefix::ALL.iter().any(|prefix| prefix.name()[1..].eq_ignore_ascii_case(name)) {
            return Err(format!("`${name}` is a prefix and cannot be an alias"));
        }
        let (prefix, directory) = target.trim().split_once('/').unwrap_or((target.trim(), ""));
        let Some(prefix) = Prefix::ALL.into_iter().find(|known| known.name() == prefix) else {
            let prefixes = Prefix::ALL.map(Prefix::name).join(", ");
            return Err(format!("alias `${name}` leads to `{target}`, which begins with none of {prefixes}"));
        };
        let directory = match directory.trim_matches('/') {
            "" => String::new(),
            directory => normalize(target, directory).map_err(|error| error.message().to_owned())?,
        };
        self.0.insert(name.to_owned(), Target { prefix, directory });
        Ok(())
    }

    /// The aliases with what they stand for, as references write both.
    pub fn entries(&self) -> impl Iterator<Item = (String, String)> {
        self.0.iter().map(|(name, target)| (format!("${name}"), target.to_string()))
    }

    /// The reference that an alias and a path below it stand for; none if there is no such alias.
    pub(super) fn resolve(&self, alias: &str, path: &str) -> Option<TemplateRef> {
        let Target { prefix, directory } = self.0.get(alias.strip_prefix('$')?)?;
        let below = if directory.is_empty() { path.to_owned() } else { format!("{directory}/{path}") };
        Some(TemplateRef::aliased(*prefix, below, format!("{alias}/{path}")))
    }
}

impl std::fmt::Display for Target {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.directory.as_str() {
            "" => f.write_str(self.prefix.name()),
            directory => write!(f, "{}/{directory}", self.prefix.name()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn aliases() -> Aliases {
        let mut aliases = Aliases::default();
        for (name, target) in [("insomnia", "$builtin/yoi"), ("mine", "$user"), ("team", " $workspace/a/b/ ")] {
            aliases.add(name, target).unwrap();
        }
        aliases
    }

    #[test]
    fn a_reference_by_an_alias_is_the_one_that_it_stands_for() {
        let aliases = aliases();
        let rows = [
            ("$insomnia/default", "$builtin/yoi/default"),
            ("$insomnia/common/tool-usage", "$builtin/yoi/common/tool-usage"),
            ("$insomnia//default/", "$builtin/yoi/default"),
            ("$mine/x", "$user/x"),
            ("$team/x", "$workspace/a/b/x"),
            ("$builtin/yoi/default", "$builtin/yoi/default"),
            ("$insomnia", "the prefix must be followed by `/` and a path"),
            ("$insomnia/", "there is no path"),
            ("$insomnia/../pi/base", "`.` and `..` are not allowed in it"),
            ("$insomnia/a/../../pi/base", "`.` and `..` are not allowed in it"),
            ("$Insomnia/default", "unknown prefix `$Insomnia` in the reference `$Insomnia/default`"),
        ];
        for (text, expected) in rows {
            let got = match TemplateRef::parse_with(text, None, &aliases) {
                Ok(reference) => reference.to_string(),
                Err(error) => error.message().split(": ").last().unwrap_or_default().to_owned(),
            };
            assert_eq!(got, expected, "{text}");
        }
        // What lies beside a template lies beside it by any name.
        let header = TemplateRef::parse_with("$team/c/header", None, &aliases).unwrap();
        assert_eq!(TemplateRef::parse_with("x", Some(&header), &aliases).unwrap().to_string(), "$workspace/a/b/c/x");
    }

    #[test]
    fn an_alias_is_a_name_of_its_own_for_a_place_that_exists() {
        let rows = [
            ("builtin", "$user", "`$builtin` is a prefix and cannot be an alias"),
            ("User", "$builtin", "`$User` is a prefix and cannot be an alias"),
            ("workspace", "$builtin", "`$workspace` is a prefix and cannot be an alias"),
            ("layout", "$builtin", "`$layout` is a prefix and cannot be an alias"),
            ("a/b", "$user", "`a/b` cannot be an alias: use letters, digits, `-` and `_`"),
            ("", "$user", "`` cannot be an alias: use letters, digits, `-` and `_`"),
            ("x", "$user/../y", "invalid template reference `$user/../y`: `.` and `..` are not allowed in it"),
            ("x", "/etc", "alias `$x` leads to `/etc`, which begins with none of $builtin, $user, $workspace, $layout"),
            // No chains: where an alias leads is seen where it is written.
            (
                "x",
                "$insomnia/a",
                "alias `$x` leads to `$insomnia/a`, which begins with none of $builtin, $user, $workspace, $layout",
            ),
        ];
        for (name, target, expected) in rows {
            assert_eq!(aliases().add(name, target), Err(expected.to_owned()), "{name} = {target}");
        }
        let entries: Vec<String> = aliases().entries().map(|(name, target)| format!("{name} {target}")).collect();
        assert_eq!(entries, ["$insomnia $builtin/yoi", "$mine $user", "$team $workspace/a/b"]);
    }
}
