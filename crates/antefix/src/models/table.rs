//! The file of the table: rows, families, tokenizers.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Deserialize;

use super::{Model, Prices, Provider, ToolChanges};
use crate::error::{Error, ErrorKind, Result};
use crate::text::{Place, Source};
use crate::tokens::{Band, ENCODING, Tokenizer};

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Table {
    pub(super) as_of: String,
    /// For people.
    #[serde(rename = "about")]
    _about: String,
    /// Where the rows come from, for people.
    #[serde(rename = "from")]
    _from: Vec<String>,
    tokenizers: BTreeMap<String, Band>,
    families: Vec<Row>,
    pub(super) models: Vec<Row>,
}

/// A model or a family: what it does not say is said by its families.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Row {
    pub(super) name: String,
    provider: Option<Provider>,
    tokenizer: Option<String>,
    /// In micro-dollars for a million tokens, as the other prices.
    input: Option<u64>,
    read: Option<u64>,
    write: Option<u64>,
    write_1h: Option<u64>,
    output: Option<u64>,
    minimum: Option<usize>,
    explicit_breakpoints: Option<bool>,
    max_breakpoints: Option<usize>,
    look_back: Option<usize>,
    lifetimes: Option<Vec<u64>>,
    /// The same on Bedrock, where it is another one.
    bedrock_lifetimes: Option<Vec<u64>>,
    mid_system: Option<bool>,
    developer_role: Option<bool>,
    tool_changes: Option<ToolChanges>,
    tool_search: Option<bool>,
    max_input: Option<usize>,
    long_above: Option<usize>,
    source: Option<String>,
    note: Option<String>,
}

impl Row {
    /// The same row, with what it does not say from another one.
    pub(super) fn or(self, other: &Row) -> Row {
        Row {
            name: self.name,
            provider: self.provider.or(other.provider),
            tokenizer: self.tokenizer.or_else(|| other.tokenizer.clone()),
            input: self.input.or(other.input),
            read: self.read.or(other.read),
            write: self.write.or(other.write),
            write_1h: self.write_1h.or(other.write_1h),
            output: self.output.or(other.output),
            minimum: self.minimum.or(other.minimum),
            explicit_breakpoints: self.explicit_breakpoints.or(other.explicit_breakpoints),
            max_breakpoints: self.max_breakpoints.or(other.max_breakpoints),
            look_back: self.look_back.or(other.look_back),
            lifetimes: self.lifetimes.or_else(|| other.lifetimes.clone()),
            bedrock_lifetimes: self.bedrock_lifetimes.or_else(|| other.bedrock_lifetimes.clone()),
            mid_system: self.mid_system.or(other.mid_system),
            developer_role: self.developer_role.or(other.developer_role),
            tool_changes: self.tool_changes.or(other.tool_changes),
            tool_search: self.tool_search.or(other.tool_search),
            max_input: self.max_input.or(other.max_input),
            long_above: self.long_above.or(other.long_above),
            source: self.source.or_else(|| other.source.clone()),
            note: self.note.or_else(|| other.note.clone()),
        }
    }
}

/// Reads a user's file.
pub(super) fn read(file: &Arc<Source>) -> Result<Table> {
    const HINT: &str = "a models file is JSON: `{\"models\": [{\"name\": \"…\", \"minimum\": 1024}]}`";
    // The reader would take a list for an object without names.
    if file.text.trim_start().starts_with('[') {
        let error = Error::new(ErrorKind::Models, "found a list where an object is expected");
        return Err(error.at(Place::new(file, 0..0)).with_hint(HINT));
    }
    serde_json::from_str(&file.text).map_err(|failure| {
        // The reader counts lines from 1 and columns in bytes.
        let line: usize = file.text.split_inclusive('\n').take(failure.line().saturating_sub(1)).map(str::len).sum();
        let at = (line + failure.column().saturating_sub(1)).min(file.text.len());
        let message = failure.to_string();
        let message = message.split(" at line ").next().unwrap_or_default().to_owned();
        Error::new(ErrorKind::Models, message).at(Place::new(file, at..at)).with_hint(HINT)
    })
}

impl Table {
    /// Rows over rows, each by its name.
    pub(super) fn lay_over(&mut self, over: Table) {
        if !over.as_of.is_empty() {
            self.as_of = over.as_of;
        }
        self.tokenizers.extend(over.tokenizers);
        for (rows, over) in [(&mut self.families, over.families), (&mut self.models, over.models)] {
            for row in over {
                match rows.iter_mut().find(|known| known.name == row.name) {
                    Some(known) => *known = row.or(known),
                    None => rows.push(row),
                }
            }
        }
    }

    /// Refuses rows that nothing can be made of.
    pub(super) fn check(&self, file: &Arc<Source>) -> Result<()> {
        let at = |name: &str| {
            let start = file.text.find(&format!("\"{name}\"")).unwrap_or_default();
            Place::new(file, start..(start + name.len() + 2).min(file.text.len()))
        };
        for row in &self.models {
            if self.model(self.with_families(row.clone()), None).is_none() {
                let known: Vec<&str> = self.tokenizers.keys().map(String::as_str).chain([ENCODING]).collect();
                let message = format!("model `{}` has no provider, or a tokenizer that is not in the table", row.name);
                let hint = format!("say `provider`, and a `tokenizer` out of {}", known.join(", "));
                return Err(Error::new(ErrorKind::Models, message).at(at(&row.name)).with_hint(hint));
            }
        }
        let crooked = self.tokenizers.iter().find(|(_, band)| band.low > band.likely || band.likely > band.high);
        match crooked {
            Some((name, _)) => {
                let message = format!("the band of tokenizer `{name}` is not in order");
                Err(Error::new(ErrorKind::Models, message)
                    .at(at(name))
                    .with_hint("low, likely and high, the least first"))
            }
            None => Ok(()),
        }
    }

    pub(super) fn row(&self, name: &str) -> Option<&Row> {
        self.models.iter().find(|row| row.name == name)
    }

    /// The longest known name that a name begins with. A number behind it would be another version.
    pub(super) fn variant_of(&self, name: &str) -> Option<&Row> {
        let begins = |row: &&Row| {
            let rest = name.strip_prefix(row.name.as_str()).and_then(|rest| rest.strip_prefix('-'));
            rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic()))
        };
        self.models.iter().filter(begins).max_by_key(|row| row.name.len())
    }

    /// What the families of a name say, under the name of the nearest.
    pub(super) fn by_family(&self, name: &str) -> Option<Row> {
        let nearest = self.families(name).first()?.name.trim_end_matches('-').to_owned();
        let row = self.with_families(Row { name: name.to_owned(), ..Row::default() });
        Some(Row { name: nearest, ..row })
    }

    /// The families of a name, the nearest first, up to the one that says whose it is.
    fn families(&self, name: &str) -> Vec<&Row> {
        let mut families: Vec<&Row> =
            self.families.iter().filter(|family| name.starts_with(family.name.as_str())).collect();
        families.sort_by_key(|family| std::cmp::Reverse(family.name.len()));
        let whose = families.iter().position(|family| family.provider.is_some());
        families.truncate(whose.map_or(families.len(), |at| at + 1));
        families
    }

    pub(super) fn with_families(&self, row: Row) -> Row {
        let families = self.families(&row.name);
        families.into_iter().fold(row, Row::or)
    }

    /// The model of a complete row; none without a provider or a tokenizer.
    pub(super) fn model(&self, row: Row, provider: Option<Provider>) -> Option<Model> {
        let provider = provider.or(row.provider)?;
        let lifetimes = match provider {
            Provider::Bedrock => row.bedrock_lifetimes.or(row.lifetimes),
            _ => row.lifetimes,
        };
        let tokenizer = match row.tokenizer?.as_str() {
            ENCODING => Tokenizer::Exact,
            name => Tokenizer::Estimate(self.tokenizers.get(name)?.clone()),
        };
        let prices = row.input.map(|input| Prices {
            input,
            read: row.read,
            write: row.write,
            write_1h: row.write_1h,
            output: row.output,
        });
        Some(Model {
            name: row.name,
            provider,
            tokenizer,
            minimum: row.minimum,
            prices,
            explicit_breakpoints: row.explicit_breakpoints.unwrap_or_default(),
            max_breakpoints: row.max_breakpoints.unwrap_or_default(),
            look_back: row.look_back,
            lifetimes: lifetimes.unwrap_or_default(),
            mid_system: row.mid_system.unwrap_or_default(),
            developer_role: row.developer_role.unwrap_or_default(),
            // Bedrock has the words for it in its types, and took them for no model when that was tried.
            tool_changes: row.tool_changes.filter(|_| provider != Provider::Bedrock),
            tool_search: row.tool_search.unwrap_or(false) && provider != Provider::Bedrock,
            max_input: row.max_input,
            long_above: row.long_above,
            source: row.source,
            note: row.note,
        })
    }
}
