//! A prefix that is too short to be cached.

use super::{Match, Model, Models};
use crate::diagnostic::Diagnostic;

impl Models {
    /// What is worth knowing about a prefix and the model that it is for.
    pub fn findings(&self, name: &str, prefix: &str) -> Vec<Diagnostic> {
        let Some((model, found)) = self.find(name) else {
            let message = format!(
                "no model `{name}` is known: its tokens are counted as those of GPT-5, and no cache minimum is checked"
            );
            let hint = "add a row to models.json in your configuration directory";
            return vec![Diagnostic::note("unknown-model", message).about(name).hint(hint)];
        };
        let mut findings = Vec::new();
        let told = match found {
            Match::Name => None,
            Match::Variant => Some(format!("model `{name}` is taken for `{}`", model.name)),
            Match::Family => Some(format!(
                "model `{name}` is not in the table: it gets the safe values of its family, `{}`",
                model.name
            )),
        };
        findings.extend(told.map(|message| {
            let hint = "add a row to models.json in your configuration directory";
            Diagnostic::note("unknown-model", message).about(name).hint(hint)
        }));
        findings.extend(model.below_minimum(prefix));
        findings
    }
}

impl Model {
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
        Some(Diagnostic::warning("below-cache-minimum", message).about(self.name.as_str()).hint(hint))
    }
}
