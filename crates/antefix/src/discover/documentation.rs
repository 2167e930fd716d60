//! `documentation:` facts: where an agent's own documentation is, as its user's settings say.

use serde::Deserialize;

use super::Situation;
use super::world::Answer;

/// Where the documentation of the agent itself is: paths or addresses.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Documentation {
    /// Where to begin.
    pub main: Option<String>,
    /// What there is besides.
    pub additional: Option<String>,
    /// Examples.
    pub examples: Option<String>,
}

/// Answers `documentation:<name>`. What is in `~/` is shown in full, so that it can be opened.
pub(super) fn answer(situation: &Situation<'_>, name: &str) -> Answer<String> {
    let Documentation { main, additional, examples } = &situation.permissions.documentation;
    let place = match name {
        "main" => main,
        "additional" => additional,
        "examples" => examples,
        _ => &None,
    };
    let Some(place) = place.as_deref().map(str::trim).filter(|place| !place.is_empty()) else { return Answer::Absent };
    let at_home = situation.workspace.users_own(place).filter(|_| place.starts_with("~/"));
    let place =
        at_home.map_or_else(|| place.to_owned(), |path| situation.workspace.show(&path, super::Paths::Absolute));
    Answer::Present(situation.permissions.hygiene.label(place, &situation.rules.instructions.protect))
}
