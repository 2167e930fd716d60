//! The tokens of a composed prompt, for the model that was named.

use antefix::Diagnostic;
#[cfg(feature = "serve")]
use antefix::freeze::EpochBody;
use antefix::models::Models;
use antefix::tokens::{Tokenizer, Tokens};

use crate::Failure;
use crate::setup::Composed;
use crate::terminal::number;

/// How many tokens everything has.
pub(crate) struct Tally {
    pub(crate) tokenizer: Tokenizer,
    /// The name of the model's row in the table, if there is one.
    pub(crate) model: Option<String>,
    /// Of each section.
    pub(crate) sections: Vec<Tokens>,
    pub(crate) prefix: Tokens,
    pub(crate) suffix: Tokens,
}

impl Tally {
    /// Counts; none if this build counts no tokens.
    pub(crate) fn of(composed: &Composed) -> Result<Option<Tally>, Failure> {
        let models = composed.prepared.models()?;
        let prompt = &composed.prompt;
        let sections = prompt.sections().iter().map(|one| &prompt.text()[one.range.clone()]);
        Ok(Tally::new(&models, composed.prepared.model(), sections, prompt.prefix(), prompt.suffix()))
    }

    /// Counts what an epoch keeps, as it is for a model.
    #[cfg(feature = "serve")]
    pub(crate) fn of_epoch(body: &EpochBody, models: &Models, model: Option<&str>) -> Option<Tally> {
        let sections = body.sections.iter().map(|one| &body.text[one.range.clone()]);
        Tally::new(models, model, sections, &body.text, "")
    }

    fn new<'t>(
        models: &Models,
        model: Option<&str>,
        sections: impl Iterator<Item = &'t str>,
        prefix: &str,
        suffix: &str,
    ) -> Option<Tally> {
        let tokenizer = models.tokenizer(model);
        let model = model.and_then(|name| models.find(name)).map(|(model, _)| model.name);
        let sections = sections.map(|text| tokenizer.count(text)).collect::<Option<_>>()?;
        let (prefix, suffix) = (tokenizer.count(prefix)?, tokenizer.count(suffix)?);
        Some(Tally { tokenizer, model, sections, prefix, suffix })
    }

    /// A count, which looks like one only if it is one.
    pub(crate) fn short(&self, tokens: Tokens) -> String {
        let sign = if self.tokenizer.is_exact() { "" } else { "~" };
        format!("{sign}{}", number(tokens.count))
    }

    /// A count with its unit, and with its band if it is an estimate.
    pub(crate) fn long(&self, tokens: Tokens) -> String {
        match self.tokenizer {
            Tokenizer::Exact => format!("{} tokens", number(tokens.count)),
            Tokenizer::Estimate(_) => {
                format!("~{} tokens, {} to {}", number(tokens.count), number(tokens.low), number(tokens.high))
            }
        }
    }
}

/// What is worth knowing about the prompt and the model that was named.
pub(crate) fn findings(composed: &Composed) -> Result<Vec<Diagnostic>, Failure> {
    let Some(name) = composed.prepared.model() else { return Ok(Vec::new()) };
    Ok(composed.prepared.models()?.findings(name, composed.prompt.prefix()))
}
