//! Rules: instruction files that apply to some paths only, or always, and say which in their front matter.
//!
//! 1. The layout names the directories, which are searched in every directory of its walk; see
//!    [`InstructionRules`](super::instructions::InstructionRules). The user's own are in `$config/rules`.
//! 2. Whoever wrote a rule for another program finds it read as that program reads it; see [`Convention`].
//! 3. A rule without patterns always applies, and joins the instruction files of its directory. One with patterns applies once
//!    a path is touched that one of them matches; until then it is listed with them.
//! 4. A pattern that cannot be used is reported with its file and line, and the others of the rule still work. A rule none of
//!    whose patterns can be used is not loaded: it was not meant to apply always.
//! 5. Scans, patterns and braces are bounded, and what goes beyond is reported.

mod braces;
mod directory;
mod forms;
mod head;
mod load;
mod patterns;
mod scan;
mod survey;
mod syntax;

use std::sync::Arc;

use super::instructions::{Lying, Whose};
use crate::text::Text;

pub use self::directory::{Convention, Hidden, RuleDirectory, RuleOrder, Unpatterned};
pub use self::forms::{Commas, NamesMatch, PatternForm, PatternForms};
pub(super) use self::patterns::Patterns;
pub use self::patterns::{Glob, GlobLimits};
pub(super) use self::scan::Bounds;
pub use self::survey::Survey;

/// How many rules are read for one conversation.
const RULES: usize = 500;

/// How many steps matching the patterns of all rules with touched paths may take: a fraction of a second.
pub(super) const STEPS: usize = 100_000_000;

/// A rule that applies to some paths only.
pub(super) struct Scoped {
    pub(super) label: Arc<str>,
    /// Its body, after the hygiene checks.
    pub(super) text: Text,
    pub(super) lying: Lying,
    pub(super) patterns: Patterns,
    pub(super) distance: usize,
    pub(super) whose: Whose,
}
