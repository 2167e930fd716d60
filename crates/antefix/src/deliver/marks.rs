//! The caller's own breakpoints, where a provider would refuse them.
//!
//! 1. Of more than are taken, the last ones count: what the next request reads ends at the end of this one. A model of OpenAI's before
//!    GPT-5.6 takes none.
//! 2. Where one lives longer than one before it, the one before lives as long. Behind a breakpoint of a tool, and for a model that knows
//!    only short lifetimes, none lives longer than that.
//! 3. What a cache holds does not depend on its breakpoints, so that no other byte changes. Nothing is copied if all is well, and
//!    everything that is changed is in the receipt.

use serde_json::{Value, json};

use super::breakpoint::{anthropic_ttl, lifetime_of, lifetimes_in};
use super::{Content, Receipt, Target};
use crate::discover::tools::Shape;
use crate::models::{Model, Provider};

/// How many breakpoints every provider takes that takes any.
const MOST: usize = 4;

/// The caller's messages with breakpoints that the target takes; none if they are all right.
pub(super) fn repaired(
    content: &Content<'_>,
    target: Target,
    model: Option<&Model>,
    receipt: &mut Receipt,
) -> Option<Vec<Value>> {
    let most = model.map_or(MOST, |model| model.max_breakpoints.max(MOST));
    let (key, shape, most) = match target {
        Target::Anthropic => ("cache_control", Shape::Anthropic, most),
        Target::Bedrock => ("cachePoint", Shape::Bedrock, most),
        Target::OpenAiChat | Target::OpenAiResponses if takes_none(model) => {
            ("prompt_cache_breakpoint", Shape::OpenAiChat, 0)
        }
        _ => return None,
    };
    let messages = content.messages?;
    let asked: Vec<u64> = messages.iter().flat_map(|message| lifetimes_in(message, key)).collect();
    if asked.is_empty() {
        return None;
    }
    let natives = content.tools.into_iter().flat_map(|tools| tools.iter()).filter_map(|tool| tool.native.as_ref());
    let of_tools: Vec<u64> = natives
        .filter(|native| native.shape == shape)
        .flat_map(|native| lifetimes_in(&native.definition, key))
        .collect();
    let too_many = (of_tools.len() + asked.len()).saturating_sub(most).min(asked.len());
    let known = model.and_then(|model| model.lifetimes.last().copied()).unwrap_or(u64::MAX);
    let longest = of_tools.last().copied().unwrap_or(u64::MAX).min(known);
    let mut wanted = vec![None; too_many];
    let behind = |at: usize| asked[at..].iter().copied().max().unwrap_or(0);
    wanted.extend((too_many..asked.len()).map(|at| Some(behind(at).min(longest))));
    if wanted.iter().zip(&asked).all(|(wanted, asked)| *wanted == Some(*asked)) {
        return None;
    }
    if too_many > 0 {
        let instead = format!("the first {too_many} of them left out: {most} are taken in all");
        receipt.instead("the caller's breakpoints", instead);
    }
    if wanted.iter().zip(&asked).any(|(wanted, asked)| wanted.is_some_and(|wanted| wanted != *asked)) {
        let instead = "other lifetimes for some: none may live longer than one before it, or than the model knows";
        receipt.instead("the caller's breakpoints", instead);
    }
    let mut messages = messages.to_vec();
    let mut wanted = wanted.into_iter();
    messages.iter_mut().for_each(|message| set(message, key, &mut wanted));
    Some(messages)
}

/// Whether the model is one of OpenAI's that is known to take no breakpoints.
fn takes_none(model: Option<&Model>) -> bool {
    model.is_some_and(|model| model.provider == Provider::OpenAi && !model.explicit_breakpoints)
}

/// Gives the breakpoints in a value these lifetimes, in order; one without a lifetime is taken away.
fn set(value: &mut Value, key: &str, wanted: &mut impl Iterator<Item = Option<u64>>) {
    match value {
        Value::Object(members) => {
            let mut left_out = false;
            for (name, value) in members.iter_mut() {
                if name != key || value.is_null() {
                    set(value, key, wanted);
                    continue;
                }
                match wanted.next().flatten() {
                    Some(seconds) if seconds != lifetime_of(value) => value["ttl"] = json!(anthropic_ttl(seconds)),
                    Some(_) => {}
                    None => left_out = true,
                }
            }
            if left_out {
                members.remove(key);
            }
        }
        Value::Array(items) => {
            items.iter_mut().for_each(|item| set(item, key, wanted));
            // Converse has a block of its own for each.
            items.retain(|item| item.as_object().is_none_or(|members| !members.is_empty()));
        }
        _ => {}
    }
}
