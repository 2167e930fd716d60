//! Instruction files and rules that somebody does not want: by the layout, or by the user's own settings.

use std::path::Path;

use serde::Deserialize;

use super::Search;
use crate::discover::Paths;
use crate::discover::rules::{Glob, GlobLimits};

/// A pattern of paths from the project root, or from `~/`, such as `sub/deep/AGENTS.md` or `vendor/**`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Exclude(Glob);

impl TryFrom<String> for Exclude {
    type Error = String;

    fn try_from(written: String) -> Result<Exclude, String> {
        Glob::read(&written, &mut GlobLimits::default()).map(Exclude).map_err(|wrong| format!("`{written}`: {wrong}"))
    }
}

impl Search<'_> {
    /// Who excludes a file, if somebody does.
    pub(in crate::discover) fn excluded_by(&self, path: &Path) -> Option<String> {
        let workspace = self.situation.workspace;
        let shown = match path.strip_prefix(&workspace.root) {
            Ok(inside) => inside.to_string_lossy().into_owned(),
            Err(_) => workspace.show(path, Paths::Portable),
        };
        let excludes = |patterns: &[Exclude]| {
            patterns.iter().find(|pattern| pattern.0.matches(&shown)).map(|pattern| pattern.0.written().to_owned())
        };
        let layout = excludes(&self.rules.exclude).map(|pattern| format!("`{pattern}` in the layout"));
        layout.or_else(|| excludes(&self.situation.permissions.exclude).map(|one| format!("`{one}` in your settings")))
    }
}
