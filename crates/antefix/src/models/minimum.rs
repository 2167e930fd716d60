//! A prefix that is too short to be cached, and from where on it is not.

use super::{Match, Model, Models};
use crate::diagnostic::{Code, Diagnostic};
use crate::tokens::Tokens;

impl Models {
    /// What is worth knowing about a prefix and the model that it is for.
    pub fn findings(&self, name: &str, prefix: &str) -> Vec<Diagnostic> {
        let Some((model, found)) = self.find(name) else {
            let message = format!(
                "no model `{name}` is known: its tokens are estimated from those of GPT-5, and no cache minimum is checked"
            );
            let hint = "add a row to models.json in your configuration directory";
            return vec![Diagnostic::note(Code::UnknownModel, message).about(name).hint(hint)];
        };
        let mut findings = Vec::new();
        let message = match found {
            Match::Name => None,
            Match::Variant => Some(format!("model `{name}` is taken for `{}`", model.name)),
            Match::Family => Some(format!(
                "model `{name}` is not in the table: it gets the safe values of its family, `{}`",
                model.name
            )),
        };
        findings.extend(message.map(|message| {
            let hint = "add a row to models.json in your configuration directory";
            Diagnostic::note(Code::UnknownModel, message).about(name).hint(hint)
        }));
        findings.extend(model.below_minimum(prefix));
        findings
    }
}

/// The shortest prefix that a model's provider caches, held against one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Minimum {
    /// The minimum, in tokens.
    pub tokens: usize,
    /// The byte at which the prefix comes to them, by the likeliest count; none if it does not.
    pub at: Option<usize>,
    /// Whether the prefix reaches the minimum.
    pub reached: Reached,
}

/// Whether a prefix is long enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reached {
    /// The prefix reaches the minimum.
    Yes,
    /// The minimum lies in the band of an estimate.
    Perhaps,
    /// The prefix is below the minimum.
    No,
}

impl Reached {
    /// Whether so many tokens are enough.
    pub(crate) fn of(tokens: Tokens, minimum: usize) -> Reached {
        match (tokens.low >= minimum, tokens.high >= minimum) {
            (true, _) => Reached::Yes,
            (false, true) => Reached::Perhaps,
            (false, false) => Reached::No,
        }
    }

    /// The name in documents.
    pub fn name(self) -> &'static str {
        match self {
            Reached::Yes => "yes",
            Reached::Perhaps => "perhaps",
            Reached::No => "no",
        }
    }
}

impl Model {
    /// Whether so many tokens are enough to be cached. Where no minimum is stated, they are.
    pub fn caches(&self, tokens: Tokens) -> Reached {
        self.minimum.map_or(Reached::Yes, |minimum| Reached::of(tokens, minimum))
    }

    /// How a prefix stands to this model's minimum. Of an empty prefix, without token counts, or where
    /// no minimum is stated, there is nothing to say.
    pub fn minimum_of(&self, prefix: &str) -> Option<Minimum> {
        let tokens = self.minimum?;
        let has = self.tokenizer.count(prefix).filter(|has| has.count > 0)?;
        Some(Minimum { tokens, at: self.tokenizer.reaches(prefix, tokens), reached: Reached::of(has, tokens) })
    }

    /// The finding that a prefix is too short for this model's cache. Without token counts there is none.
    pub fn below_minimum(&self, prefix: &str) -> Option<Diagnostic> {
        let minimum = self.minimum?;
        let tokens = self.tokenizer.count(prefix).filter(|tokens| tokens.count > 0)?;
        if tokens.low >= minimum {
            return None;
        }
        let has = if self.tokenizer.is_exact() {
            format!("{} tokens", tokens.count)
        } else {
            format!("~{} tokens ({} to {})", tokens.count, tokens.low, tokens.high)
        };
        let follows = if tokens.high < minimum {
            format!("at least {} are missing, and the provider will silently cache nothing", minimum - tokens.high)
        } else {
            format!("up to {} may be missing, and then the provider silently caches nothing", minimum - tokens.low)
        };
        let message =
            format!("the prefix has {has}, and {} caches none with less than {minimum}: {follows}", self.name);
        let hint = "every turn is then billed in full; tools that are sent before the prompt count as well";
        Some(Diagnostic::warning(Code::BelowCacheMinimum, message).about(self.name.as_str()).hint(hint))
    }
}
