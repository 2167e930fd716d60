//! Forms of patterns that programs read in different ways.

use serde::Deserialize;

/// How the patterns of a directory's rules are read, where that is not usual.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PatternForms {
    /// Forms that match nothing.
    pub never: Vec<PatternForm>,
    /// Where a pattern without a slash matches.
    pub names: NamesMatch,
    /// What a text with commas is.
    pub commas: Commas,
}

/// A form of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PatternForm {
    /// `./src/**`.
    DotSlash,
    /// `/src/**`.
    Slash,
    /// `src/`.
    Directory,
    /// `src`, with nothing in it that stands for other characters.
    Name,
}

/// Where a pattern without a slash matches.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NamesMatch {
    /// At any depth.
    #[default]
    Anywhere,
    /// Beside the rules' directory alone.
    Root,
}

/// What a text with commas is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Commas {
    /// A list of patterns.
    #[default]
    List,
    /// One pattern.
    One,
}

impl PatternForm {
    /// The form of a pattern, if it is one that programs read in different ways.
    pub fn of(pattern: &str) -> Option<PatternForm> {
        match pattern {
            _ if pattern.starts_with("./") => Some(PatternForm::DotSlash),
            _ if pattern.starts_with('/') => Some(PatternForm::Slash),
            _ if pattern.ends_with('/') => Some(PatternForm::Directory),
            _ if !pattern.contains(['/', '*', '?', '[', '{', '.']) => Some(PatternForm::Name),
            _ => None,
        }
    }
}

impl PatternForms {
    /// A pattern as it is meant here; none if it matches nothing.
    pub(super) fn meant(&self, pattern: &str) -> Option<String> {
        match PatternForm::of(pattern) {
            Some(form) if self.never.contains(&form) => None,
            _ if self.is_of_root(pattern) => Some(format!("/{pattern}")),
            _ => Some(pattern.to_owned()),
        }
    }

    /// Whether a pattern means files of the root here, and files at any depth elsewhere.
    fn is_of_root(&self, pattern: &str) -> bool {
        self.names == NamesMatch::Root && !pattern.contains('/') && pattern != "*" && pattern != "**"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_read_as_the_directory_says() {
        let forms = PatternForms {
            never: vec![PatternForm::Slash, PatternForm::Directory, PatternForm::Name],
            names: NamesMatch::Root,
            commas: Commas::One,
        };
        let patterns = ["*.py", "src", "src/", "/src/**", "./src/**", "src/*.rs", "**"];
        let meant: Vec<String> = patterns.iter().filter_map(|pattern| forms.meant(pattern)).collect();
        assert_eq!(meant, ["/*.py", "./src/**", "src/*.rs", "**"]);
    }
}
