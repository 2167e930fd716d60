//! Changes: how the world differs from what an epoch was made of.
//!
//! | remembered | now | change |
//! |---|---|---|
//! | present | other bytes | changed, by file where files are known |
//! | present | none | gone |
//! | none | present | new |
//! | present or none | cannot be asked for | unavailable: worth knowing, never a notice and never a renewal |
//! | could not be asked for | present or none | recovered |

use std::collections::{BTreeMap, BTreeSet};

use super::Cause;
use super::amendment::AmendmentBody;
use super::fingerprint::FactFingerprint;
use super::record::AmendmentKind;
use super::tool_change::Known;
use crate::discover::roots::NamedRoots;
use crate::discover::tools::{Tool, canonical_tool};
use crate::text::{Digest, FactName};

/// The roots that hooks name, by hook; none for one that could not be asked.
type HookRoots = BTreeMap<String, Option<NamedRoots>>;

/// One difference between the standing epoch and what composing now would give.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The kind of change; programs branch on it.
    pub kind: ChangeKind,
    /// The section that it shows in; none if it is about the prompt as a whole.
    pub section: Option<String>,
    /// The file, fact, tool or model that changed.
    pub origin: String,
    /// What changed, in words for people.
    pub detail: String,
}

/// The closed set of changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ChangeKind {
    /// A file that was not there.
    FileAdded,
    /// A file says something else.
    FileChanged,
    /// A file is gone.
    FileRemoved,
    /// A skill that was not there.
    SkillAdded,
    /// A skill says something else, or does under the digest of its body.
    SkillChanged,
    /// A skill is gone.
    SkillRemoved,
    /// A fact that was not there.
    FactAdded,
    /// A fact says something else.
    FactChanged,
    /// A fact is gone.
    FactRemoved,
    /// A root of skills, prompts or instructions that a hook did not name.
    RootAdded,
    /// A root that no hook names any more.
    RootRemoved,
    /// It cannot be asked for.
    Unavailable,
    /// It could not be asked for, and can be now.
    Recovered,
    /// A tool that was not there.
    ToolAdded,
    /// A tool has another description or schema.
    ToolChanged,
    /// A tool is gone.
    ToolRemoved,
    /// Another model.
    ModelChanged,
    /// Another layout, or one of its templates.
    LayoutChanged,
    /// Another wording.
    WordingChanged,
    /// Another antefix, or another template engine.
    EngineChanged,
    /// Another working directory, or another machine.
    Moved,
}

impl ChangeKind {
    /// The name in documents.
    pub fn name(self) -> &'static str {
        match self {
            ChangeKind::FileAdded => "file-added",
            ChangeKind::FileChanged => "file-changed",
            ChangeKind::FileRemoved => "file-removed",
            ChangeKind::SkillAdded => "skill-added",
            ChangeKind::SkillChanged => "skill-changed",
            ChangeKind::SkillRemoved => "skill-removed",
            ChangeKind::FactAdded => "fact-added",
            ChangeKind::FactChanged => "fact-changed",
            ChangeKind::FactRemoved => "fact-removed",
            ChangeKind::RootAdded => "root-added",
            ChangeKind::RootRemoved => "root-removed",
            ChangeKind::Unavailable => "unavailable",
            ChangeKind::Recovered => "recovered",
            ChangeKind::ToolAdded => "tool-added",
            ChangeKind::ToolChanged => "tool-changed",
            ChangeKind::ToolRemoved => "tool-removed",
            ChangeKind::ModelChanged => "model-changed",
            ChangeKind::LayoutChanged => "layout-changed",
            ChangeKind::WordingChanged => "wording-changed",
            ChangeKind::EngineChanged => "engine-changed",
            ChangeKind::Moved => "moved",
        }
    }
}

/// What happened to a file or a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    Added,
    Changed,
    Removed,
}

impl Change {
    pub(crate) fn new(kind: ChangeKind, origin: impl Into<String>, detail: impl Into<String>) -> Change {
        Change { kind, section: None, origin: origin.into(), detail: detail.into() }
    }

    pub(super) fn in_section(mut self, section: &str) -> Change {
        self.section = Some(section.to_owned());
        self
    }

    /// The change that a notice is about.
    pub(crate) fn of_notice(notice: &AmendmentBody) -> Change {
        let section = &notice.section;
        if !notice.tools.is_empty() {
            return Change::new(ChangeKind::ToolChanged, "tools", &*notice.text);
        }
        let kind = |file: ChangeKind, fact: ChangeKind| if notice.file.is_some() { file } else { fact };
        let (kind, happened) = match notice.kind {
            AmendmentKind::Added => (kind(ChangeKind::FileAdded, ChangeKind::FactAdded), "is new"),
            AmendmentKind::Changed => (kind(ChangeKind::FileChanged, ChangeKind::FactChanged), "has changed"),
            AmendmentKind::Removed => (kind(ChangeKind::FileRemoved, ChangeKind::FactRemoved), "is gone"),
        };
        match &notice.file {
            Some(file) => Change::new(kind, file, format!("{file} {happened}")),
            None => Change::new(kind, section, format!("what section `{section}` is made of {happened}")),
        }
        .in_section(section)
    }

    /// Whether it is a difference in what would be said. What cannot be asked for says nothing.
    pub(super) fn says_something(&self) -> bool {
        self.kind != ChangeKind::Unavailable
    }
}

/// How a fact changed. `unreadable` says whether a file is there and could not be read.
pub(super) fn of_fact(
    name: &FactName,
    before: &FactFingerprint,
    now: &FactFingerprint,
    unreadable: &dyn Fn(&str) -> bool,
) -> Vec<Change> {
    let nothing = BTreeMap::new();
    let (earlier, later) = (before.files().unwrap_or(&nothing), now.files().unwrap_or(&nothing));
    match (before, now) {
        (FactFingerprint::Unavailable(_), FactFingerprint::Unavailable(_)) => Vec::new(),
        (_, FactFingerprint::Unavailable(reason)) => {
            let detail = format!("{name} cannot be asked for now ({reason}); what was said about it stays");
            vec![Change::new(ChangeKind::Unavailable, name.as_str(), detail)]
        }
        (FactFingerprint::Unavailable(_), _) => {
            let detail = format!("{name} could not be asked for when the epoch began, and can be now");
            vec![Change::new(ChangeKind::Recovered, name.as_str(), detail)]
        }
        _ if !earlier.is_empty() || !later.is_empty() => {
            let mut changes: Vec<Change> =
                steps(earlier, later).map(|(file, step)| of_file(name, file, step, unreadable)).collect();
            let differ = matches!((before, now), (FactFingerprint::Present { digest, .. }, FactFingerprint::Present { digest: new, .. }) if digest != new);
            if changes.is_empty() && differ && name.as_str() != "instructions:files" {
                let detail = format!("{name} says something else around its files");
                changes.push(Change::new(ChangeKind::FactChanged, name.as_str(), detail));
            }
            changes
        }
        (FactFingerprint::Absent, FactFingerprint::Present { .. }) => {
            vec![Change::new(ChangeKind::FactAdded, name.as_str(), format!("{name} is there now"))]
        }
        (FactFingerprint::Present { .. }, FactFingerprint::Absent) => {
            vec![Change::new(ChangeKind::FactRemoved, name.as_str(), format!("{name} is gone"))]
        }
        (FactFingerprint::Present { digest, .. }, FactFingerprint::Present { digest: new, .. }) if digest != new => {
            vec![Change::new(ChangeKind::FactChanged, name.as_str(), format!("{name} says something else"))]
        }
        _ => Vec::new(),
    }
}

fn of_file(name: &FactName, file: &str, step: Step, unreadable: &dyn Fn(&str) -> bool) -> Change {
    if step == Step::Removed && unreadable(file) {
        let detail = format!("{file} is there and could not be read; what was said about it stays");
        return Change::new(ChangeKind::Unavailable, file, detail);
    }
    let skill = name.namespace() == "skills";
    let (kind, happened) = match step {
        Step::Added if skill => (ChangeKind::SkillAdded, "is new"),
        Step::Changed if skill => (ChangeKind::SkillChanged, "has changed"),
        Step::Removed if skill => (ChangeKind::SkillRemoved, "is gone"),
        Step::Added => (ChangeKind::FileAdded, "is new"),
        Step::Changed => (ChangeKind::FileChanged, "has changed"),
        Step::Removed => (ChangeKind::FileRemoved, "is gone"),
    };
    Change::new(kind, file, format!("{file} {happened}"))
}

/// The files that differ, by name.
pub(super) fn steps<'f>(
    earlier: &'f BTreeMap<String, Digest>,
    later: &'f BTreeMap<String, Digest>,
) -> impl Iterator<Item = (&'f str, Step)> {
    let kept_or_new = later.iter().filter_map(|(file, digest)| match earlier.get(file) {
        None => Some((file.as_str(), Step::Added)),
        Some(old) if old != digest => Some((file.as_str(), Step::Changed)),
        Some(_) => None,
    });
    let gone = earlier.keys().filter(|file| !later.contains_key(*file)).map(|file| (file.as_str(), Step::Removed));
    kept_or_new.chain(gone)
}

/// How the tools changed. Neither their order nor that of the keys in a schema is a change.
pub(super) fn of_tools(before: &Known<'_>, now: &[Tool]) -> Vec<Change> {
    let earlier: BTreeMap<String, Digest> =
        before.iter().map(|(name, tool)| ((*name).to_owned(), Digest::of(&canonical_tool(tool)))).collect();
    let later: BTreeMap<String, Digest> =
        now.iter().map(|tool| (tool.name.clone(), Digest::of(&canonical_tool(tool)))).collect();
    let to_change = |(tool, step): (&str, Step)| {
        let (kind, happened) = match step {
            Step::Added => (ChangeKind::ToolAdded, "is new"),
            Step::Changed => (ChangeKind::ToolChanged, "has another description or schema"),
            Step::Removed => (ChangeKind::ToolRemoved, "is gone"),
        };
        Change::new(kind, tool, format!("tool {tool} {happened}"))
    };
    steps(&earlier, &later).map(to_change).collect()
}

/// How the roots that hooks name changed. What a hook names is unknown while it cannot be asked, and that is not a change.
pub(super) fn of_roots(before: &HookRoots, now: &HookRoots) -> Vec<(Change, Cause)> {
    let mut changes = Vec::new();
    let hooks: BTreeSet<&String> = before.keys().chain(now.keys()).collect();
    let nothing = NamedRoots::default();
    for hook in hooks {
        let (earlier, cause) = match before.get(hook) {
            Some(None) => (&nothing, Cause::Recovered),
            Some(Some(roots)) => (roots, Cause::ResourcesChanged),
            None => (&nothing, Cause::ResourcesChanged),
        };
        let later = match now.get(hook) {
            Some(None) => continue,
            Some(Some(roots)) => roots,
            None => &nothing,
        };
        let to_change = |kind: ChangeKind, (of, root): (&str, &str), happened: &str| {
            (Change::new(kind, root, format!("{root} {happened} for {of} by hook {hook}")), cause)
        };
        let new = later.all().filter(|root| !earlier.all().any(|known| known == *root));
        changes.extend(new.map(|root| to_change(ChangeKind::RootAdded, root, "is named")));
        let gone = earlier.all().filter(|root| !later.all().any(|known| known == *root));
        changes.extend(gone.map(|root| to_change(ChangeKind::RootRemoved, root, "is no longer named")));
    }
    changes
}
