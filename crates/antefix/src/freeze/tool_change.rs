//! Changes of tools that a conversation is told of, so that its cached prefix survives them.
//!
//! 1. Providers read tools before all else: another list re-bills everything. Some models take tools that come and go in the midst of
//!    a conversation instead; see [`ToolChanges`].
//! 2. What was told once stays at its place in every later request, and is a part of the next epoch's own tools.
//! 3. OpenAI takes tools that come as items of the conversation, and tools that go by the ones that a request allows of its list. Whether
//!    it takes both in one request is not known, so that the second kind begins a new epoch. So does a tool with another definition
//!    there, and every change for models that take none.
//! 4. A tool that every request of the epoch has is told by its name: one that was taken away and is back, and one that is deferred
//!    and that its caller wants now (`defer_loading` is false).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::amendment::{Amendment, AmendmentBody};
use super::change::{Change, ChangeKind};
use super::record::AmendmentKind;
use crate::discover::tools::{Tool, Tools, canonical_tool};
use crate::models::ToolChanges;

/// A tool that came, changed or went.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolStep {
    /// The name of the tool.
    pub name: String,
    /// What happened to it.
    pub kind: AmendmentKind,
    /// The tool as it is now; none if it is gone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<Tool>,
    /// Whether the requests of its epoch have the tool already, so that its name says it.
    #[serde(default, skip_serializing_if = "Declared::is_no")]
    pub declared: Declared,
}

/// Whether the requests of an epoch have a tool already.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Declared {
    /// They do not: its definition is told.
    #[default]
    No,
    /// They do: its name is told.
    Yes,
}

impl Declared {
    fn is_no(&self) -> bool {
        *self == Declared::No
    }
}

/// The tools that a conversation knows of, by name: those of its epoch, and what it was told since.
pub(super) type Known<'k> = BTreeMap<&'k str, &'k Tool>;

/// Brings the tools of an epoch up to date with what was told since.
pub(super) fn known<'k>(of_epoch: &'k [Tool], amendments: &'k [Amendment]) -> Known<'k> {
    let mut known: Known<'k> = of_epoch.iter().map(|tool| (tool.name.as_str(), tool)).collect();
    for step in amendments.iter().flat_map(|amendment| &amendment.body.tools) {
        match &step.tool {
            Some(tool) => known.insert(&step.name, tool),
            None => known.remove(step.name.as_str()),
        };
    }
    known
}

/// Whether a model sees no difference between what a conversation knows and the tools as they are. Nothing is written out for it.
pub(super) fn is_known(known: &Known<'_>, now: &Tools) -> bool {
    known.len() == now.len()
        && now.iter().all(|tool| known.get(tool.name.as_str()).is_some_and(|one| one.looks_like(tool)))
}

/// The notice of changed tools, behind what was told before; none if the model cannot be told of them.
pub(super) fn notice(
    changes: &[Change],
    now: &Tools,
    of_epoch: &[Tool],
    told: &[Amendment],
    takes: Option<ToolChanges>,
) -> Option<AmendmentBody> {
    let takes = takes?;
    // A request that never had tools is not known to take any later.
    if of_epoch.is_empty() {
        return None;
    }
    let declared = known(of_epoch, &[]);
    let steps: Vec<ToolStep> = changes.iter().map(|change| ToolStep::of(change, now, &declared)).collect();
    let all = || told.iter().flat_map(|amendment| &amendment.body.tools).chain(&steps);
    let is_redefined = changes.iter().any(|change| change.kind == ChangeKind::ToolChanged);
    let is_taken = match takes {
        ToolChanges::All => true,
        ToolChanges::Either => !is_redefined && (all().all(ToolStep::is_new) || all().all(ToolStep::is_listed)),
        ToolChanges::Removals => !is_redefined && all().all(ToolStep::is_listed),
    };
    if !is_taken {
        return None;
    }
    let named = |kind: AmendmentKind| {
        let names: Vec<&str> = steps.iter().filter(|step| step.kind == kind).map(|step| step.name.as_str()).collect();
        names.join(", ")
    };
    let said =
        [("added", AmendmentKind::Added), ("changed", AmendmentKind::Changed), ("removed", AmendmentKind::Removed)];
    let said = said.map(|(word, kind)| (word, named(kind)));
    let said: Vec<String> =
        said.iter().filter(|(_, names)| !names.is_empty()).map(|(word, names)| format!("{word}: {names}")).collect();
    Some(AmendmentBody::of_tools(format!("Tools {}.", said.join("; ")), steps))
}

impl ToolStep {
    /// Whether the requests of its epoch do not have the tool yet.
    pub(crate) fn is_new(&self) -> bool {
        self.kind == AmendmentKind::Added && self.declared == Declared::No
    }

    /// Whether the list of its epoch's requests stays as it is: a tool of it is taken away, or is back.
    pub(crate) fn is_listed(&self) -> bool {
        self.kind == AmendmentKind::Removed || self.declared == Declared::Yes
    }

    fn of(change: &Change, now: &Tools, declared: &Known<'_>) -> ToolStep {
        let tool = now.iter().find(|tool| tool.name == change.origin);
        let epochs = declared.get(change.origin.as_str());
        let is = |tool: &Tool| epochs.is_some_and(|own| own.looks_like(tool));
        // One that is deferred is added by its name as well: it was not shown before.
        let is_wanted = tool.and_then(Tool::wanted_now).is_some_and(|wanted| is(&wanted));
        let kind = match change.kind {
            ChangeKind::ToolAdded => AmendmentKind::Added,
            ChangeKind::ToolRemoved => AmendmentKind::Removed,
            _ if is_wanted => AmendmentKind::Added,
            _ => AmendmentKind::Changed,
        };
        let is_declared = kind == AmendmentKind::Added && (is_wanted || tool.is_some_and(is));
        let declared = if is_declared { Declared::Yes } else { Declared::No };
        ToolStep { name: change.origin.clone(), kind, tool: tool.map(seen), declared }
    }
}

/// A tool with what a model sees of it alone: what only the text says of it is not told.
fn seen(tool: &Tool) -> Tool {
    serde_json::from_str::<Tools>(&format!("[{}]", canonical_tool(tool)))
        .ok()
        .and_then(|tools| tools.first().cloned())
        .unwrap_or_else(|| tool.clone())
}
