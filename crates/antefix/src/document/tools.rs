//! The tools of a request: what each takes, and who it comes from.

use serde::Serialize;

use super::Tally;
use crate::deliver::{AccountedTool, Target, ToolAccount};
use crate::discover::tools::ToolOrigin;
use crate::models::{Cost, Price};
use crate::project::Preview;
use crate::tokens::Tokens;

/// What tools take in a request.
pub struct ToolTally {
    /// Whose shape was counted.
    pub target: Target,
    /// The tools, in the order in which they are sent.
    pub tools: Vec<CountedTool>,
    /// What the model is shown of them at once; none if this build counts no tokens.
    pub tokens: Option<Tokens>,
    /// What deferring does; none if the layout defers none of them.
    pub deferral: Option<DeferralTally>,
}

/// What deferring tools does.
pub struct DeferralTally {
    /// How many are deferred.
    pub tools: usize,
    /// What the model is not shown at once; none if this build counts no tokens.
    pub tokens: Option<Tokens>,
    /// What that would cost in each request that reads it from the cache, and when it is written there; none without prices.
    pub costs: Option<(Cost, Cost)>,
    /// Why they are sent as all others; none if they are deferred.
    pub refused: Option<&'static str>,
}

/// A tool, and what it takes in a request.
pub struct CountedTool {
    /// The name that the model calls it by.
    pub name: String,
    /// Who it comes from.
    pub origin: ToolOrigin,
    /// Bytes of its definition.
    pub bytes: usize,
    /// Tokens of its definition; none if this build counts none.
    pub tokens: Option<Tokens>,
    /// Its share of the request, in thousandths: of the tokens, else of the bytes, of all tools and of the prompt.
    pub share: usize,
    /// What the model is shown only when it looks for the tool: bytes, and tokens if they are counted; none if it is not deferred.
    pub deferred: Option<(usize, Option<Tokens>)>,
}

impl ToolTally {
    /// Counts the tools of a prompt, as a target has them; without one, as the provider of the named model has them. None if there
    /// are no tools.
    pub fn of(preview: &Preview, target: Option<Target>, tally: Option<&Tally>) -> Option<ToolTally> {
        let account = preview.tool_account(target);
        if account.tools.is_empty() {
            return None;
        }
        let count = |text: &str| tally?.tokenizer.count(text);
        let tokens: Vec<Option<Tokens>> = account.tools.iter().map(|tool| count(&tool.text)).collect();
        let all = sum(tokens.iter().copied());
        let deferral = DeferralTally::of(preview, &account, count);
        let whole = match (tally, all) {
            (Some(tally), Some(all)) => (all + tally.prefix + tally.suffix).count,
            _ => account.bytes() + preview.prompt.text().len(),
        };
        let ToolAccount { target, tools, .. } = account;
        let counted = |(tool, tokens): (AccountedTool, Option<Tokens>)| {
            let bytes = tool.text.len();
            let size = tokens.map_or(bytes, |tokens| tokens.count);
            let deferred = tool.deferred.map(|text| (text.len(), count(&text)));
            CountedTool { name: tool.name, origin: tool.origin, bytes, tokens, share: per_mille(size, whole), deferred }
        };
        Some(ToolTally { target, tools: tools.into_iter().zip(tokens).map(counted).collect(), tokens: all, deferral })
    }

    /// The tools, largest first; of two of one size the first by name.
    pub fn largest_first(&self) -> Vec<&CountedTool> {
        let size = |tool: &CountedTool| tool.tokens.map_or(tool.bytes, |tokens| tokens.count);
        let mut tools: Vec<&CountedTool> = self.tools.iter().collect();
        tools.sort_by_key(|tool| std::cmp::Reverse(size(tool)));
        tools
    }

    /// Bytes of all definitions.
    pub fn bytes(&self) -> usize {
        self.tools.iter().map(|tool| tool.bytes).sum()
    }
}

impl DeferralTally {
    fn of(preview: &Preview, account: &ToolAccount, count: impl Fn(&str) -> Option<Tokens>) -> Option<DeferralTally> {
        let deferred: Vec<&str> = account.tools.iter().filter_map(|tool| tool.deferred.as_deref()).collect();
        if deferred.is_empty() && account.not_deferred.is_none() {
            return None;
        }
        let tokens = sum(deferred.iter().map(|text| count(text)));
        let model = preview.caller().model.as_deref().and_then(|name| preview.models().find(name));
        let costs = model.zip(tokens).and_then(|((model, _), tokens)| {
            Some((model.price(tokens.count, Price::Read)?, model.price(tokens.count, Price::Write)?))
        });
        Some(DeferralTally { tools: deferred.len(), tokens, costs, refused: account.not_deferred })
    }
}

fn sum(tokens: impl Iterator<Item = Option<Tokens>>) -> Option<Tokens> {
    tokens.reduce(|one, other| Some(one? + other?)).flatten()
}

/// A share in thousandths, rounded.
fn per_mille(part: usize, whole: usize) -> usize {
    let whole = whole.max(1);
    (part.saturating_mul(1000) + whole / 2) / whole
}

/// The tools of a request, which come before all else in it.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub(super) struct ToolsOf<'p> {
    /// The shape that was counted: the target's that was named, else that of the model's provider; `plain` without either.
    target: &'static str,
    bytes: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens: Option<usize>,
    /// In the order in which they are sent.
    list: Vec<ToolOf<'p>>,
    /// What deferring does, if the layout defers tools.
    #[serde(skip_serializing_if = "Option::is_none")]
    deferral: Option<DeferralOf>,
}

/// What deferring tools does.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
struct DeferralOf {
    /// How many are deferred.
    tools: usize,
    /// What the model is not shown at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens: Option<usize>,
    /// What is saved in each request that would read them from the cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    saved_reading: Option<String>,
    /// What is saved in each request that would write them to the cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    saved_writing: Option<String>,
    /// Why the tools are sent as all others, if they are.
    #[serde(skip_serializing_if = "Option::is_none")]
    refused: Option<&'static str>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
struct ToolOf<'p> {
    name: &'p str,
    origin: ToolOriginOf<'p>,
    bytes: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens: Option<usize>,
    /// Of the request, in thousandths: of the tokens of all tools and of the prompt.
    share: usize,
    /// What the model is shown only when it looks for the tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    deferred: Option<DeferredOf>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
struct DeferredOf {
    bytes: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens: Option<usize>,
}

/// Who a tool comes from.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
struct ToolOriginOf<'p> {
    /// `server` (of MCP), `provider`, `file` or `caller`.
    kind: &'static str,
    /// The server, the provider or the file; none if it is the caller.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'p str>,
}

impl<'p> From<&'p ToolTally> for ToolsOf<'p> {
    fn from(tally: &'p ToolTally) -> ToolsOf<'p> {
        let tool = |tool: &'p CountedTool| ToolOf {
            name: &tool.name,
            origin: ToolOriginOf {
                kind: tool.origin.kind(),
                name: (tool.origin != ToolOrigin::Caller).then(|| tool.origin.label()),
            },
            bytes: tool.bytes,
            tokens: tool.tokens.map(|tokens| tokens.count),
            share: tool.share,
            deferred: tool
                .deferred
                .map(|(bytes, tokens)| DeferredOf { bytes, tokens: tokens.map(|tokens| tokens.count) }),
        };
        let deferral = |deferral: &DeferralTally| DeferralOf {
            tools: deferral.tools,
            tokens: deferral.tokens.map(|tokens| tokens.count),
            saved_reading: deferral.costs.map(|(reading, _)| reading.to_string()),
            saved_writing: deferral.costs.map(|(_, writing)| writing.to_string()),
            refused: deferral.refused,
        };
        ToolsOf {
            target: tally.target.name(),
            bytes: tally.bytes(),
            tokens: tally.tokens.map(|tokens| tokens.count),
            list: tally.tools.iter().map(tool).collect(),
            deferral: tally.deferral.as_ref().map(deferral),
        }
    }
}
