//! Where two requests begin to differ, and in what.

use crate::observe::attribute::{Known, SentOrigin};
use crate::observe::sent::{Parameter, Part, Reach, SentBlock, SentRequest};

/// What differs between two requests.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RequestDifference {
    /// The parameters that differ, each with both values.
    pub parameters: Vec<ParameterChange>,
    /// With how many blocks both begin.
    pub common: usize,
    /// By how many blocks the conversation grew.
    pub appended: usize,
    /// The first block that differs; none if the second goes on where the first ended.
    pub change: Option<BlockChange>,
}

/// A parameter with two values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParameterChange {
    /// Its name.
    pub name: String,
    /// What it was; none if it was not there.
    pub before: Option<String>,
    /// What it is; none if it is not there any more.
    pub now: Option<String>,
    /// How much of the cache that costs.
    pub reach: Reach,
}

/// The first block that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockChange {
    /// What became of it.
    pub what: Change,
    /// The part that it is in.
    pub part: Part,
    /// The number of the block, in both requests.
    pub block: usize,
    /// The first byte of its text that differs.
    pub byte: usize,
    /// Where it is in the body of the second request, or of the first one if it is gone.
    pub pointer: String,
    /// What was there.
    pub before: Option<Side>,
    /// What is there now.
    pub now: Option<Side>,
}

/// One side of a difference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Side {
    /// Who says it.
    pub origin: SentOrigin,
    /// The text from the first byte that differs on, or some of it.
    pub excerpt: String,
}

/// What became of a block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// A tool came.
    ToolAdded(String),
    /// A tool went.
    ToolRemoved(String),
    /// A tool has another definition.
    ToolChanged(String),
    /// The same tools are in another order, from this one on.
    ToolsReordered(String),
    /// The system text is another one.
    System,
    /// What was said is told in another way.
    History,
    /// What was said is no longer there: compacted, rewound or cut.
    HistoryGone,
}

impl Change {
    /// The name in documents; where vendors have a word for it, theirs.
    pub fn name(&self) -> &'static str {
        match self {
            Change::ToolAdded(_) | Change::ToolRemoved(_) | Change::ToolChanged(_) | Change::ToolsReordered(_) => {
                "tools_changed"
            }
            Change::System => "system_changed",
            Change::History | Change::HistoryGone => "messages_changed",
        }
    }
}

/// How much of a text is shown, in bytes.
const EXCERPT: usize = 60;

impl RequestDifference {
    /// Compares two requests of one conversation.
    pub fn between(before: &SentRequest, now: &SentRequest, known: &Known) -> RequestDifference {
        let common = before.common(now);
        RequestDifference {
            parameters: parameters(&before.parameters, &now.parameters),
            common,
            appended: now.blocks.len().saturating_sub(before.blocks.len()),
            change: change(before, now, common, known),
        }
    }
}

fn parameters(before: &[Parameter], now: &[Parameter]) -> Vec<ParameterChange> {
    let value = |list: &[Parameter], name: &str| list.iter().find(|one| one.name == name).map(|one| one.value.clone());
    let gone = before.iter().filter(|one| value(now, &one.name).is_none());
    let mut changes = Vec::new();
    for one in now.iter().chain(gone) {
        let (was, is) = (value(before, &one.name), value(now, &one.name));
        if was != is {
            changes.push(ParameterChange { name: one.name.clone(), before: was, now: is, reach: one.reach });
        }
    }
    changes
}

fn change(before: &SentRequest, now: &SentRequest, at: usize, known: &Known) -> Option<BlockChange> {
    let (was, is) = (before.blocks.get(at)?, now.blocks.get(at));
    let what = what(before, now, was, is, at);
    let byte = is.filter(|is| is.part == was.part).map_or(0, |is| first_difference(&was.text, &is.text));
    let shown = is.filter(|is| is.part <= was.part).unwrap_or(was);
    let side = |request: &SentRequest, block: Option<&SentBlock>| {
        let block = block?;
        let byte = crate::text::floor_char_boundary(&block.text, byte.min(block.text.len()));
        let end = crate::text::floor_char_boundary(&block.text, byte.saturating_add(EXCERPT));
        let origin = request.origin_at(at, byte, known);
        Some(Side { origin, excerpt: block.text[byte..end].to_owned() })
    };
    Some(BlockChange {
        what,
        part: shown.part,
        block: at,
        byte,
        pointer: shown.pointer.clone(),
        before: side(before, Some(was)),
        now: side(now, is),
    })
}

fn what(before: &SentRequest, now: &SentRequest, was: &SentBlock, is: Option<&SentBlock>, at: usize) -> Change {
    let name = |block: &SentBlock| block.name.clone().unwrap_or_default();
    let has = |request: &SentRequest, block: &SentBlock| request.of_part(Part::Tools).any(|one| one.name == block.name);
    match (was.part, is.map(|is| is.part)) {
        (Part::Tools, Some(Part::Tools)) => {
            let is = is.unwrap_or(was);
            match (was.name == is.name, has(before, is), has(now, was)) {
                (true, ..) => Change::ToolChanged(name(is)),
                (false, true, true) => Change::ToolsReordered(name(is)),
                (false, true, false) => Change::ToolRemoved(name(was)),
                (false, false, _) => Change::ToolAdded(name(is)),
            }
        }
        (Part::Tools, _) => Change::ToolRemoved(name(was)),
        (_, Some(Part::Tools)) => Change::ToolAdded(is.map(name).unwrap_or_default()),
        (Part::System, _) | (_, Some(Part::System)) => Change::System,
        (Part::Messages, None) => Change::HistoryGone,
        (Part::Messages, Some(Part::Messages)) => {
            // All of the rest is another one, and there is much less of it.
            let (old, new) = (before.blocks.len() - at, now.blocks.len() - at);
            if new * 2 < old { Change::HistoryGone } else { Change::History }
        }
    }
}

/// The first byte that differs, on a character boundary of both.
fn first_difference(one: &str, other: &str) -> usize {
    let same = one.bytes().zip(other.bytes()).take_while(|(one, other)| one == other).count();
    crate::text::floor_char_boundary(one, same)
}
