//! A standing epoch against the world as it is: what changed, and what follows from it.
//!
//! 1. Layouts, wordings, tools, place and model are compared for nothing: the caller brought them along.
//! 2. Facts are compared where they were asked for. A name that nobody asked for says nothing.
//! 3. Each section decides for itself: hold, amend or renew. Where the layout renews for other tools (`on_tools`), it does so for
//!    whatever is said of them, in any section; `on_model` says the same for models.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::Cause;
use super::amendment::{Amendment, AmendmentBody};
use super::change::{self, Change, ChangeKind};
use super::epoch::{self, Epoch};
use super::fingerprint::FactFingerprint;
use super::notice::{Notices, section_digest};
use super::record::AmendmentKind;
use super::tool_change;
use crate::compose::Layout;
use crate::compose::policy::{OnDrift, OnModel, OnTools};
use crate::discover::tools::Tool;
use crate::discover::{Discovery, Situation, Why};
use crate::error::Error;
use crate::models::ToolChanges;
use crate::text::{Digest, FactName};

/// Which facts of a standing epoch are asked for again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Watch {
    /// Those of sections that amend or renew. A change in any other is found at the next renewal, or by `drift`.
    Acting,
    /// Those of every section: what is held back is listed as pending, at the price of asking for it. What a program or a
    /// server keeps is asked for as with [`Acting`](Watch::Acting): only `drift` and a new epoch wait for it.
    #[default]
    All,
}

/// The standing epoch of a conversation, with its amendments.
#[derive(Debug, Clone)]
pub(crate) struct StandingEpoch<'t> {
    pub(crate) epoch: &'t Epoch,
    pub(crate) amendments: &'t [Amendment],
}

/// What follows from the changes.
#[derive(Debug, Default)]
pub(crate) struct Drifted {
    /// A new epoch is due.
    pub(crate) renew: Option<Cause>,
    /// Why it is due.
    pub(crate) changes: Vec<Change>,
    /// Notices to append, if no new epoch is due.
    pub(crate) amend: Vec<AmendmentBody>,
    /// Changes that are held back.
    pub(crate) pending: Vec<Change>,
    /// Why something cannot be said that should be: its changes are held back.
    pub(crate) failed: Vec<Error>,
}

/// What a turn brings along.
pub(crate) struct Now<'n> {
    pub(crate) layout: &'n Layout,
    pub(crate) situation: &'n Situation<'n>,
    pub(crate) discovery: &'n Discovery,
    /// Which changes of tools the model takes in the midst of a conversation.
    pub(crate) tool_changes: Option<ToolChanges>,
}

impl StandingEpoch<'_> {
    /// The facts that a turn asks for besides the live ones. What has to be fetched is asked for where a section acts on it
    /// alone: a server that hangs must not hold up a turn for a line in a list. The caller brings the tools along, so that
    /// asking for them costs nothing.
    pub(crate) fn watched(layout: &Layout, watch: Watch, situation: &Situation<'_>) -> Vec<FactName> {
        let is_watched = |on_drift: OnDrift, name: &FactName| match (on_drift, watch) {
            (OnDrift::Amend | OnDrift::Renew, _) => true,
            (OnDrift::Hold, Watch::All) => !situation.fetches(name),
            (OnDrift::Hold, Watch::Acting) => is_of_tools_fact(name),
        };
        let sections = layout.standing_sections().iter();
        let facts = sections.flat_map(|section| section.facts().into_iter().map(|name| (section.on_drift, name)));
        facts.filter(|(on_drift, name)| is_watched(*on_drift, name)).map(|(_, name)| name).collect()
    }

    /// What is remembered of the facts, with the amendments.
    fn fingerprints(&self) -> Cow<'_, BTreeMap<FactName, FactFingerprint>> {
        let mut fingerprints = Cow::Borrowed(&self.epoch.body.facts);
        for amendment in self.amendments {
            amendment.apply(fingerprints.to_mut());
        }
        fingerprints
    }

    /// The digest of a section's text as it was said last; none if it has none.
    fn said(&self, section: &str) -> Option<Digest> {
        let whole = self
            .amendments
            .iter()
            .rev()
            .find(|one| one.body.section == section && one.body.file.is_none() && one.body.tools.is_empty());
        match whole {
            Some(amendment) if amendment.body.kind == AmendmentKind::Removed => None,
            Some(amendment) => amendment.body.says,
            None => self.epoch.body.section(section).filter(|text| !text.trim().is_empty()).map(section_digest),
        }
    }

    /// A section's text as the conversation knows it: as a notice left it, else as the epoch has it. None behind a notice that did
    /// not remember it.
    fn known(&self, section: &str) -> Option<&str> {
        let of_section = |one: &&Amendment| one.body.section == section && one.body.tools.is_empty();
        match self.amendments.iter().rev().find(of_section) {
            Some(amendment) => amendment.body.known.as_deref(),
            None => self.epoch.body.section(section),
        }
    }

    /// Compares, and draws the conclusions.
    pub(crate) fn drifted(&self, now: &Now<'_>) -> Drifted {
        let mut drifted = Drifted::default();
        self.compare_place(now, &mut drifted);
        self.compare_tools(now, &mut drifted);
        self.compare_makers(now, &mut drifted);
        for (change, cause) in change::of_roots(&self.epoch.body.roots, now.situation.more.named()) {
            drifted.renew(cause, change);
        }
        self.compare_facts(now, &mut drifted);
        drifted
    }

    fn compare_place(&self, now: &Now<'_>, drifted: &mut Drifted) {
        let row = &self.epoch.row;
        let cwd = now.situation.workspace.cwd.to_string_lossy();
        if row.cwd != cwd {
            let detail = format!("the conversation moved from {} to {cwd}", row.cwd);
            drifted.renew(Cause::Moved, Change::new(ChangeKind::Moved, "working directory", detail));
        }
        if let (Some(before), Some(machine)) = (row.machine.as_deref(), now.situation.caller.machine.as_deref())
            && before != machine
        {
            let detail = format!("the conversation moved from machine {before} to {machine}");
            drifted.renew(Cause::Moved, Change::new(ChangeKind::Moved, "machine", detail));
        }
        if let (Some(before), Some(model)) = (row.model.as_deref(), now.situation.caller.model.as_deref())
            && before != model
        {
            let detail = format!("the model is {model} now; the epoch was composed for {before}");
            let change = Change::new(ChangeKind::ModelChanged, model, detail);
            match now.layout.on_model() {
                OnModel::Hold => drifted.pending.push(change),
                OnModel::Renew => drifted.renew(Cause::ResourcesChanged, change),
            }
        }
    }

    fn compare_tools(&self, now: &Now<'_>, drifted: &mut Drifted) {
        let Some(tools) = &now.situation.caller.tools else { return };
        let body = &self.epoch.body;
        let was_told = self.amendments.iter().any(|amendment| !amendment.body.tools.is_empty());
        if !was_told && body.tools.as_deref().unwrap_or("[]") == &**tools.canonical() {
            return;
        }
        let of_epoch: &[Tool] = match body.parsed_tools() {
            Ok(tools) => tools.map(|tools| &**tools).unwrap_or_default(),
            Err(error) => {
                drifted.failed.push(error.into());
                return;
            }
        };
        let known = tool_change::known(of_epoch, self.amendments);
        if tool_change::is_known(&known, tools) {
            return;
        }
        let changes = change::of_tools(&known, tools);
        match now.layout.on_tools() {
            OnTools::Hold => drifted.pending.extend(changes),
            OnTools::Renew => changes.into_iter().for_each(|change| drifted.renew(Cause::ToolsChanged, change)),
            OnTools::Amend => match tool_change::notice(&changes, tools, of_epoch, self.amendments, now.tool_changes) {
                // What the prompt's text would say of the tools is known with the notice, so that another line is noticed later.
                Some(notice) => drifted.amend.push(AmendmentBody { facts: of_tools(now), ..notice }),
                None => changes.into_iter().for_each(|change| drifted.renew(Cause::ToolsChanged, change)),
            },
        }
    }

    /// Whether the conversation is told of other tools now, or was by a release that did not note what the text would say of them.
    fn tells_of_tools(&self, drifted: &Drifted) -> bool {
        let is_of_tools = |body: &AmendmentBody| !body.tools.is_empty();
        let noted = |body: &AmendmentBody| body.facts.keys().any(is_of_tools_fact);
        let before = self.amendments.iter().map(|amendment| &*amendment.body).rfind(|body| is_of_tools(body));
        drifted.amend.iter().any(is_of_tools) || before.is_some_and(|body| !noted(body))
    }

    fn compare_makers(&self, now: &Now<'_>, drifted: &mut Drifted) {
        let before = &self.epoch.body.made_by;
        let made_by = epoch::made_by(now.layout);
        let mut differs = |kind: ChangeKind, before: String, after: String, what: &str| {
            if before != after {
                let detail = format!("{what} changed; it applies from the next renewal on");
                drifted.pending.push(Change::new(kind, after, detail));
            }
        };
        let engine = |by: &super::record::MadeBy| format!("antefix {}, {}", by.antefix, by.engine);
        let layout = |by: &super::record::MadeBy| format!("{} {}", by.layout, by.layout_digest.short());
        differs(ChangeKind::LayoutChanged, layout(before), layout(&made_by), "the layout or a template of it");
        let wording = |by: &super::record::MadeBy| by.wording_digest.short();
        differs(ChangeKind::WordingChanged, wording(before), wording(&made_by), "a wording");
        differs(ChangeKind::EngineChanged, engine(before), engine(&made_by), "antefix or its template engine");
    }

    fn compare_facts(&self, now: &Now<'_>, drifted: &mut Drifted) {
        let fingerprints = self.fingerprints();
        let of_tools = |change: &Change| {
            matches!(change.kind, ChangeKind::ToolAdded | ChangeKind::ToolChanged | ChangeKind::ToolRemoved)
        };
        let tools_told = drifted.changes.iter().chain(&drifted.pending).any(of_tools) || self.tells_of_tools(drifted);
        let report = &now.discovery.report;
        let unreadable = |file: &str| {
            report
                .not_loaded
                .iter()
                .any(|missing| missing.path.as_deref() == Some(file) && matches!(missing.why, Why::Unavailable(_)))
        };
        for section in now.layout.standing_sections() {
            let mut changed = Vec::new();
            let mut changes = Vec::new();
            for name in section.facts() {
                // Facts that the epoch's layout did not name belong to the change of the layout.
                let (Some(before), Some(fact)) = (fingerprints.get(&name), now.discovery.facts.get(&name)) else {
                    continue;
                };
                // Notices are remembered file by file, so that only without them all of a fact can be compared at once.
                if self.amendments.is_empty() && self.epoch.body.is_same(&name, before, fact) {
                    continue;
                }
                let of_fact = change::of_fact(&name, before, &FactFingerprint::of(&name, fact), &unreadable);
                let of_fact = of_fact.into_iter().map(|change| change.in_section(&section.id));
                // The model is compared by its name, and tools one by one.
                if name.as_str() == "prompt:model" || (is_of_tools_fact(&name) && tools_told) {
                    continue;
                }
                if is_of_tools_fact(&name) && now.layout.on_tools() == OnTools::Renew {
                    // Another line, or other advice; the tools themselves were compared above.
                    for change in of_fact {
                        match change.says_something() {
                            true => drifted.renew(Cause::ToolsChanged, change),
                            false => drifted.pending.push(change),
                        }
                    }
                    continue;
                }
                let before = changes.len();
                changes.extend(of_fact);
                if changes[before..].iter().any(Change::says_something) && !changed.contains(&name) {
                    changed.push(name);
                }
            }
            let (acts, silent): (Vec<Change>, Vec<Change>) = changes.into_iter().partition(Change::says_something);
            drifted.pending.extend(silent);
            match section.on_drift {
                _ if acts.is_empty() => {}
                OnDrift::Hold => drifted.pending.extend(acts),
                OnDrift::Renew => {
                    for change in acts {
                        let cause = match change.kind {
                            ChangeKind::Recovered => Cause::Recovered,
                            _ if change.origin.starts_with("tools:") => Cause::ToolsChanged,
                            _ => Cause::ResourcesChanged,
                        };
                        drifted.renew(cause, change);
                    }
                }
                OnDrift::Amend => {
                    let notices = Notices {
                        layout: now.layout,
                        facts: &now.discovery.facts,
                        fingerprints: &fingerprints,
                        known: self.known(&section.id),
                    };
                    let said = self.said(&section.id);
                    match notices.of_section(&section.id, &changed, &unreadable, said) {
                        Ok(notices) => drifted.amend.extend(notices),
                        Err(error) => {
                            drifted.failed.push(error);
                            drifted.pending.extend(acts);
                        }
                    }
                }
            }
        }
    }
}

/// What is known of the facts about the agent's tools.
fn of_tools(now: &Now<'_>) -> BTreeMap<FactName, FactFingerprint> {
    let sections = now.layout.standing_sections().iter();
    let names = sections.flat_map(|section| section.facts()).filter(is_of_tools_fact);
    let known = names.filter_map(|name| {
        let fingerprint = FactFingerprint::of(&name, now.discovery.facts.get(&name)?);
        Some((name, fingerprint))
    });
    known.collect()
}

/// Whether a fact is about the agent's tools.
fn is_of_tools_fact(name: &FactName) -> bool {
    // What servers say is a text like any other: other tools do not change it.
    name.namespace() == "tools" && name.name() != "instructions"
}

impl Drifted {
    /// Holds back what a new epoch was due for, because it cannot begin.
    pub(crate) fn hold(&mut self, why: Error) {
        self.pending.append(&mut self.changes);
        self.failed.push(why);
    }

    /// Whether what the prompt is made of is another layout, wording or engine by now.
    pub(crate) fn is_made_otherwise(&self) -> bool {
        let kinds = [ChangeKind::LayoutChanged, ChangeKind::WordingChanged, ChangeKind::EngineChanged];
        self.pending.iter().any(|change| kinds.contains(&change.kind))
    }

    /// The first cause is used; all changes are reported.
    fn renew(&mut self, cause: Cause, change: Change) {
        self.renew.get_or_insert(cause);
        self.changes.push(change);
    }
}
