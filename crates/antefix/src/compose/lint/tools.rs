//! `tool-in-text` and `tools-over-budget`: what tools take that they need not.
//!
//! 1. A description belongs to the tool's definition. A paragraph of it with at least [`LEAST`] bytes that is in the prompt's text
//!    as well is billed twice. A line that says what a tool is for is shorter than that.
//! 2. White space is not compared: a list has a description on one line.
//! 3. The budget is the layout's `[tools] budget`; without one there is none.

use crate::compose::{Layout, Prompt};
use crate::diagnostic::{Code, Diagnostic};
use crate::discover::tools::{Tool, Tools};
use crate::stop::Stop;

use super::price::size;
use super::repeats::normalized;

/// Shorter paragraphs are what a list of tools says, or repeat by chance.
const LEAST: usize = 200;
/// How many tools are named.
const NAMED: usize = 5;

/// What tools take that they need not.
pub(super) fn findings(layout: &Layout, prompt: &Prompt, tools: Option<&Tools>, stop: &Stop) -> Vec<Diagnostic> {
    let Some(tools) = tools else { return Vec::new() };
    repeated(prompt, tools, stop).into_iter().chain(over_budget(layout, tools)).collect()
}

fn repeated(prompt: &Prompt, tools: &Tools, stop: &Stop) -> Option<Diagnostic> {
    let described = tools.iter().any(|tool| tool.description.as_ref().is_some_and(|text| text.len() >= LEAST));
    if !described {
        return None;
    }
    let words = normalized(prompt.text());
    let text = Windows::of(&words);
    let mut named: Vec<&str> = Vec::new();
    let mut twice: Vec<String> = Vec::new();
    for tool in tools.iter() {
        if stop.is_set() {
            return None;
        }
        let before = twice.len();
        twice.extend(paragraphs(tool).filter(|paragraph| text.contains(paragraph)));
        if twice.len() > before {
            named.push(&tool.name);
        }
    }
    let (first, more) = named.split_at(named.len().min(NAMED));
    let names: Vec<String> = first.iter().map(|name| format!("`{}`", normalized(name))).collect();
    let names = match more.len() {
        0 => names.join(", "),
        count => format!("{} and {count} more", names.join(", ")),
    };
    let (tools, their) = match named.len() {
        0 => return None,
        1 => ("the tool", "its description"),
        _ => ("the tools", "their descriptions"),
    };
    let message =
        format!("the prompt repeats what {tools} {names} say in {their}: {} are billed twice", size(&twice.join("\n")));
    let message = if named.len() == 1 { message.replace(" say in ", " says in ") } else { message };
    let hint = "name tools by a line of their own (`prompt_snippet`), or say `descriptions = \"leave-out\"` in the layout's `[tools]`";
    Some(Diagnostic::warning(Code::ToolInText, message).hint(hint))
}

fn over_budget(layout: &Layout, tools: &Tools) -> Option<Diagnostic> {
    let budget = layout.rules().tools.budget?;
    let text = tools.canonical();
    if budget.fits(text) {
        return None;
    }
    let has = budget.unit.measure(text);
    let message = format!("{} tools have {has} {}, and their budget is {budget}", tools.len(), budget.unit.name());
    let hint = "take away what is not used, shorten what is long, or defer some with `defer` in the layout's `[tools]`";
    Some(Diagnostic::warning(Code::ToolsOverBudget, message).hint(hint))
}

/// The paragraphs of a tool's description that are long enough.
fn paragraphs(tool: &Tool) -> impl Iterator<Item = String> {
    let paragraphs = tool.description.iter().flat_map(|text| text.split("\n\n")).map(normalized);
    paragraphs.filter(|paragraph| paragraph.len() >= LEAST)
}

/// A text in which very many others can be looked for, in the time that it takes to read all of them.
struct Windows<'t> {
    text: &'t str,
    /// Each run of [`LEAST`] bytes, by its hash, with where it begins; in order. There is one for each byte of a prompt, so each is
    /// small; a prompt has no more bytes than fit.
    runs: Vec<(u32, u32)>,
}

/// How many places with one hash are looked at.
const PLACES: usize = 16;
/// What the hash of a run is made with.
const BASE: u64 = 0x0000_0100_0000_01b3;

impl Windows<'_> {
    fn of(text: &str) -> Windows<'_> {
        let bytes = text.as_bytes();
        let oldest = (1..LEAST).fold(1_u64, |power, _| power.wrapping_mul(BASE));
        let mut runs = Vec::with_capacity(bytes.len().saturating_sub(LEAST - 1));
        let mut hash = 0_u64;
        for (at, byte) in bytes.iter().enumerate() {
            if let Some(gone) = at.checked_sub(LEAST).and_then(|gone| bytes.get(gone)) {
                hash = hash.wrapping_sub(u64::from(*gone).wrapping_mul(oldest));
            }
            hash = hash.wrapping_mul(BASE).wrapping_add(u64::from(*byte));
            if let Some(begin) = (at + 1).checked_sub(LEAST).and_then(|begin| u32::try_from(begin).ok()) {
                runs.push((folded(hash), begin));
            }
        }
        runs.sort_unstable();
        Windows { text, runs }
    }

    /// Whether a text of at least [`LEAST`] bytes is in it.
    fn contains(&self, wanted: &str) -> bool {
        let Some(begin) = wanted.as_bytes().get(..LEAST) else { return false };
        let hash = begin.iter().fold(0_u64, |hash, byte| hash.wrapping_mul(BASE).wrapping_add(u64::from(*byte)));
        let hash = folded(hash);
        let first = self.runs.partition_point(|(run, _)| *run < hash);
        let places = self.runs[first..].iter().take_while(|(run, _)| *run == hash).take(PLACES);
        places.map(|(_, at)| *at as usize).any(|at| self.text.as_bytes()[at..].starts_with(wanted.as_bytes()))
    }
}

/// The upper half of a hash, which depends on every byte.
fn folded(hash: u64) -> u32 {
    (hash >> 32) as u32
}

#[cfg(test)]
mod tests;
