//! The table of models: what each charges for a cached prefix, and what it allows.
//!
//! 1. The table is a dated file, `models/models.json`, whose rows name their sources; [`Models::with`] lays a user's own
//!    rows over it.
//! 2. A model is found by its name, then without date, provider and region; see [`Models::find`]. How it was found is
//!    reported, and a model that nobody knows takes the safe values of its family, and no price.
//! 3. Prices are whole numbers, and so is all arithmetic with them.

mod minimum;
mod name;
mod price;
mod table;

use std::sync::{Arc, LazyLock};

use serde::Deserialize;

pub use minimum::{Minimum, Reached};
pub use price::{Cost, Price, Prices};
use table::Table;

use crate::error::Result;
use crate::text::Source;
use crate::tokens::{Band, Tokenizer};

/// Who answers requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Provider {
    /// Anthropic's own API.
    Anthropic,
    /// Amazon Bedrock.
    Bedrock,
    /// DeepSeek.
    DeepSeek,
    /// Google's Gemini API and Vertex.
    Gemini,
    /// Groq.
    Groq,
    /// Mistral.
    Mistral,
    /// Moonshot.
    Moonshot,
    /// OpenAI.
    OpenAi,
    /// xAI.
    Xai,
}

impl Provider {
    /// The name in documents.
    pub fn name(self) -> &'static str {
        match self {
            Provider::Anthropic => "anthropic",
            Provider::Bedrock => "bedrock",
            Provider::DeepSeek => "deepseek",
            Provider::Gemini => "gemini",
            Provider::Groq => "groq",
            Provider::Mistral => "mistral",
            Provider::Moonshot => "moonshot",
            Provider::OpenAi => "openai",
            Provider::Xai => "xai",
        }
    }
}

/// What is known of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Model {
    /// The name of its row, or of its family.
    pub name: String,
    /// The provider that serves the model.
    pub provider: Provider,
    /// How its tokens are counted.
    pub tokenizer: Tokenizer,
    /// The shortest prefix that is cached, in tokens; none if no minimum is stated.
    pub minimum: Option<usize>,
    /// What it costs; none for a model that is known by its family alone.
    pub prices: Option<Prices>,
    /// Whether a request marks the end of what is to be cached.
    pub explicit_breakpoints: bool,
    /// How many such marks a request may have.
    pub max_breakpoints: usize,
    /// How far before a breakpoint an older one is looked for: blocks for Anthropic and Bedrock, breakpoints for OpenAI.
    pub look_back: Option<usize>,
    /// How long a cached prefix lives, in seconds, the shortest first; empty if nothing is promised.
    pub lifetimes: Vec<u64>,
    /// Whether a system message may come in the middle of a conversation.
    pub mid_system: bool,
    /// Whether instructions go by the role `developer`.
    pub developer_role: bool,
    /// Which changes of tools it takes in the midst of a conversation; none if another list is all that it takes.
    pub tool_changes: Option<ToolChanges>,
    /// Whether it finds tools that a request defers, by a search of its provider's.
    pub tool_search: bool,
    /// The longest input, in tokens.
    pub max_input: Option<usize>,
    /// A prompt with more tokens than this has other prices.
    pub long_above: Option<usize>,
    /// The page that says so.
    pub source: Option<String>,
    /// What is not settled about it.
    pub note: Option<String>,
}

/// Which changes of tools a model takes in the midst of a conversation, so that what is before them stays cached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ToolChanges {
    /// Tools that come, and tools that go.
    All,
    /// Tools that come, in the conversation, or tools that go, by what a request allows of its list; not both at once.
    Either,
    /// Tools that go: they stay in the list, and a request does not allow them.
    Removals,
}

/// How a model was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Match {
    /// By its name, with or without date, provider and region.
    Name,
    /// By a shorter name that it begins with.
    Variant,
    /// By its family alone: the values are safe ones.
    Family,
}

/// A table of models. A copy costs nothing.
#[derive(Clone, Default)]
pub struct Models {
    table: Arc<Table>,
}

impl std::fmt::Debug for Models {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Models({} rows as of {})", self.table.models.len(), self.table.as_of)
    }
}

impl Models {
    /// The table that antefix comes with.
    pub fn built_in() -> &'static Models {
        static BUILT_IN: LazyLock<Models> = LazyLock::new(|| {
            // A test reads the file, so it can be read.
            Models {
                table: Arc::new(serde_json::from_str(include_str!("../../models/models.json")).unwrap_or_default()),
            }
        });
        &BUILT_IN
    }

    /// The same table with a user's rows over it. A row says only what it changes.
    pub fn with(&self, file: &Arc<Source>) -> Result<Models> {
        let mut table = Table::clone(&self.table);
        table.lay_over(table::read(file)?);
        table.check(file)?;
        Ok(Models { table: Arc::new(table) })
    }

    /// When the table was last compared with its sources, as a date.
    pub fn as_of(&self) -> &str {
        &self.table.as_of
    }

    /// The names of all models, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.table.models.iter().map(|row| row.name.as_str())
    }

    /// The model of a name.
    ///
    /// ```
    /// use antefix::models::{Match, Models, Provider};
    /// let (model, found) = Models::built_in().find("us.anthropic.claude-opus-5-20260801-v1:0").unwrap();
    /// assert_eq!((model.name.as_str(), model.provider, found), ("claude-opus-5", Provider::Bedrock, Match::Name));
    /// assert_eq!(model.minimum, Some(512));
    /// ```
    pub fn find(&self, name: &str) -> Option<(Model, Match)> {
        let spelled = name::spellings(name);
        let by_name = spelled.names.iter().find_map(|name| self.table.row(name));
        let found = by_name.map(|row| (row.clone(), Match::Name)).or_else(|| {
            let variant = spelled.names.iter().find_map(|name| self.table.variant_of(name));
            variant.map(|row| (row.clone(), Match::Variant))
        });
        let (row, found) = match found {
            Some((row, found)) => (self.table.with_families(row), found),
            None => (spelled.names.iter().find_map(|name| self.table.by_family(name))?, Match::Family),
        };
        Some((self.table.model(row, spelled.provider)?, found))
    }

    /// How the tokens of a model are counted. Without a name they are those of o200k_base; those of a model that nobody knows are a
    /// guess.
    ///
    /// ```
    /// # use antefix::models::Models;
    /// let models = Models::built_in();
    /// assert!(models.tokenizer(None).is_exact() && models.tokenizer(Some("gpt-5")).is_exact());
    /// assert!(!models.tokenizer(Some("nobody-knows-it")).is_exact());
    /// ```
    pub fn tokenizer(&self, name: Option<&str>) -> Tokenizer {
        let Some(name) = name else { return Tokenizer::Exact };
        self.find(name).map_or_else(unknown, |(model, _)| model.tokenizer)
    }
}

/// For a model that is in no table.
fn unknown() -> Tokenizer {
    let from = "no such model is known; a guess, wide on both sides".to_owned();
    Tokenizer::Estimate(Band { low: 750, likely: 1000, high: 1500, from })
}

#[cfg(test)]
mod tests;
