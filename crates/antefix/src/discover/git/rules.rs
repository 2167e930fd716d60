//! What a layout says about git's texts.

use serde::Deserialize;

use super::GitQuestion;
use crate::text::Budget;

/// What a layout says about git's texts. How long git may take, and how much of what it prints is read, is the user's to say.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct GitRules {
    /// The most that a status may have, with the notice of a cut; none if all that was read is used.
    pub status_budget: Option<Budget>,
    /// The most that changes may have, as a patch or counted, with the notice of a cut.
    pub diff_budget: Option<Budget>,
}

impl GitRules {
    /// The budget of an answer, and the key that it is written under.
    pub(in crate::discover) fn budget(self, question: GitQuestion) -> Option<(&'static str, Budget)> {
        match question {
            GitQuestion::Branch => None,
            GitQuestion::Status => self.status_budget.map(|budget| ("status_budget", budget)),
            GitQuestion::Diff(_) | GitQuestion::Diffstat(_) => self.diff_budget.map(|budget| ("diff_budget", budget)),
        }
    }
}
