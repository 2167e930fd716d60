//! What becomes of characters that a model reads and a person does not see.

use serde::Deserialize;

/// What becomes of hidden characters.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HiddenText {
    /// Stray ones are taken out; a text with what may carry a message is not used.
    #[default]
    Block,
    /// They are written out: `<U+E0069>`.
    Escape,
    /// They stay as they are.
    Allow,
}
