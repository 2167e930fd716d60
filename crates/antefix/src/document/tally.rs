//! The tokens of a composed prompt, for the model that was named.

use crate::compose::Prompt;
use crate::freeze::EpochBody;
use crate::models::Models;
use crate::tokens::{Tokenizer, Tokens};

use crate::project::Preview;

/// How many tokens everything has.
pub struct Tally {
    /// How they were counted.
    pub tokenizer: Tokenizer,
    /// The name of the model's row in the table, if there is one.
    pub model: Option<String>,
    /// The tokens of each section, in order.
    pub sections: Vec<Tokens>,
    /// Of all that is before the boundary.
    pub prefix: Tokens,
    /// Of all that is behind it.
    pub suffix: Tokens,
}

impl Tally {
    /// Counts; none if this build counts no tokens.
    pub fn of(preview: &Preview) -> Option<Tally> {
        Tally::of_prompt(&preview.prompt, preview.models(), preview.caller().model.as_deref())
    }

    /// Counts a prompt, as it is for a model.
    pub fn of_prompt(prompt: &Prompt, models: &Models, model: Option<&str>) -> Option<Tally> {
        let sections = prompt.sections().iter().map(|one| &prompt.text()[one.range.clone()]);
        Tally::new(models, model, sections, prompt.prefix(), prompt.suffix())
    }

    /// Counts what an epoch keeps, as it is for a model.
    pub fn of_epoch(body: &EpochBody, models: &Models, model: Option<&str>) -> Option<Tally> {
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
}
