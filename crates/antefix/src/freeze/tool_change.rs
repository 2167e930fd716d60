//! Changes of tools that a conversation is told of, so that its cached prefix survives them.
//!
//! 1. Providers read tools before all else: another list re-bills everything. Some models take tools that come and go in the midst of
//!    a conversation instead; see [`ToolChanges`].
//! 2. What was told once stays at its place in every later request, and is a part of the next epoch's own tools.
//! 3. Where a model takes additions alone, a tool that is gone or another one begins a new epoch, as it does for every model that
//!    takes none.

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
}

/// The tools that a conversation knows of: those of its epoch, and what it was told since, in canonical form.
pub(super) fn known(of_epoch: &str, amendments: &[Amendment]) -> String {
    let mut told = amendments.iter().flat_map(|amendment| &amendment.body.tools).peekable();
    if told.peek().is_none() {
        return of_epoch.to_owned();
    }
    let tools: Tools = serde_json::from_str(of_epoch).unwrap_or_else(|_| Tools::from(Vec::new()));
    let mut known: BTreeMap<&str, &Tool> = tools.iter().map(|tool| (tool.name.as_str(), tool)).collect();
    for step in told {
        match &step.tool {
            Some(tool) => known.insert(&step.name, tool),
            None => known.remove(step.name.as_str()),
        };
    }
    known.into_values().cloned().collect::<Tools>().canonical().to_string()
}

/// The notice of changed tools; none if the model cannot be told of them.
pub(super) fn notice(
    changes: &[Change],
    now: &Tools,
    of_epoch: &str,
    takes: Option<ToolChanges>,
) -> Option<AmendmentBody> {
    let only_additions = changes.iter().all(|change| change.kind == ChangeKind::ToolAdded);
    // A request that never had tools is not known to take any later.
    let is_taken = match takes? {
        ToolChanges::All => true,
        ToolChanges::Additions => only_additions,
    };
    if !is_taken || of_epoch == "[]" {
        return None;
    }
    let steps: Vec<ToolStep> = changes.iter().map(|change| ToolStep::of(change, now)).collect();
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
    fn of(change: &Change, now: &Tools) -> ToolStep {
        let tool = now.iter().find(|tool| tool.name == change.origin).cloned();
        let kind = match change.kind {
            ChangeKind::ToolAdded => AmendmentKind::Added,
            ChangeKind::ToolRemoved => AmendmentKind::Removed,
            _ => AmendmentKind::Changed,
        };
        ToolStep { name: change.origin.clone(), kind, tool: tool.as_ref().map(seen) }
    }
}

/// A tool with what a model sees of it alone: what only the text says of it is not told.
fn seen(tool: &Tool) -> Tool {
    serde_json::from_str::<Tools>(&format!("[{}]", canonical_tool(tool)))
        .ok()
        .and_then(|tools| tools.first().cloned())
        .unwrap_or_else(|| tool.clone())
}
