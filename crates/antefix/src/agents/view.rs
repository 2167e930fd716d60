//! What one agent makes of the files around it.

use std::collections::BTreeMap;
use std::path::Path;

use super::settings::AppliedSetting;
use super::{Agent, Candidate};
use crate::compose::{Layout, Wording};
use crate::diagnostic::{Code, Diagnostic, Subject};
use crate::discover::hygiene::{HiddenText, Hygiene, Secrets};
use crate::discover::instructions::{Case, InstructionRules, Nested, NestedNames};
use crate::discover::remote::Fetching;
use crate::discover::roots::MoreRoots;
use crate::discover::rules::Survey;
use crate::discover::{
    Answer, Caller, Discovery, Paths, Permissions, ReasonCode, Situation, Value, Why, Workspace, World, discover,
};
use crate::error::Result;
use crate::text::FactName;

/// What one agent makes of the files around it.
#[derive(Debug, Clone)]
pub struct AgentView {
    /// The agent.
    pub agent: Agent,
    /// Every file that it considered, those that it loads first, in the order in which it prints them.
    pub files: Vec<FileView>,
    /// The skills that it lists, and those that it does not.
    pub skills: Vec<FileView>,
    /// The texts that it is given, with their paths, in order.
    pub texts: Vec<(String, String)>,
    /// The list of skills that it is given, as we would write it.
    pub listing: String,
    /// Settings of its own that were found.
    pub settings: Vec<AppliedSetting>,
    /// What it reads, as the rules of a layout.
    pub(super) layout: Layout,
    /// What was found on the way.
    pub(super) diagnostics: Vec<Diagnostic>,
}

/// What an agent makes of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileView {
    /// The file, as it is shown.
    pub path: String,
    /// What the agent makes of it.
    pub state: FileState,
    /// How many bytes of it the agent is given.
    pub bytes: usize,
}

/// What an agent makes of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileState {
    /// It is given all of it.
    Loaded,
    /// It is given the beginning.
    Cut,
    /// Another file brings it in.
    Imported,
    /// It is a link out of the project, which the agent follows and we do not.
    Linked,
    /// It is read later.
    Waits {
        /// For what.
        until: String,
    },
    /// Another file takes its place.
    Shadowed {
        /// That one.
        by: String,
    },
    /// It is the same as another one.
    Duplicate {
        /// That one.
        of: String,
    },
    /// It does not fit a limit.
    Dropped,
    /// There is nothing in it.
    Empty,
    /// It is there, and cannot be used.
    Unusable {
        /// Why.
        why: String,
    },
    /// The agent does not look at it.
    Ignored,
}

impl FileState {
    /// The name in documents, from a closed set.
    pub fn name(&self) -> &'static str {
        match self {
            FileState::Loaded => "loaded",
            FileState::Cut => "cut",
            FileState::Imported => "imported",
            FileState::Linked => "linked",
            FileState::Waits { .. } => "waits",
            FileState::Shadowed { .. } => "shadowed",
            FileState::Duplicate { .. } => "duplicate",
            FileState::Dropped => "dropped",
            FileState::Empty => "empty",
            FileState::Unusable { .. } => "unusable",
            FileState::Ignored => "ignored",
        }
    }

    /// Whether the agent is given any of it from the start.
    pub fn is_given(&self) -> bool {
        matches!(self, FileState::Loaded | FileState::Cut | FileState::Imported | FileState::Linked)
    }

    /// More about it, in words.
    pub fn detail(&self) -> Option<String> {
        match self {
            FileState::Waits { until } => Some(until.clone()),
            FileState::Shadowed { by } => Some(format!("{by} comes first")),
            FileState::Duplicate { of } => Some(format!("the same as {of}")),
            FileState::Unusable { why } => Some(why.clone()),
            FileState::Linked => Some("a link out of the project: the agent follows it, antefix does not".to_owned()),
            _ => None,
        }
    }

    fn of(why: &Why, workspace: &Workspace) -> Option<FileState> {
        let shown = |path: &str| workspace.show(Path::new(path), Paths::Portable);
        Some(match why {
            Why::Shadowed { by } => FileState::Shadowed { by: shown(by) },
            Why::Duplicate { of } => FileState::Duplicate { of: shown(of) },
            Why::Empty => FileState::Empty,
            Why::OverBudget { .. } => FileState::Dropped,
            Why::Scoped { patterns } | Why::NeverMatched { patterns } => {
                FileState::Waits { until: format!("for {}", crate::discover::listed(patterns)) }
            }
            Why::Nested => FileState::Waits { until: "for something in its directory".to_owned() },
            Why::OnRequest => FileState::Waits { until: "until the model asks for it".to_owned() },
            Why::ByHand => FileState::Waits { until: "until a person names it".to_owned() },
            Why::Unavailable(reason) if reason.code == ReasonCode::OutsideRoot => FileState::Linked,
            Why::Absent | Why::Unknown => return None,
            other => FileState::Unusable { why: other.detail() },
        })
    }
}

impl Agent {
    /// What the agent makes of the files around a working directory. `candidates` are files anywhere in the project.
    pub fn view(&self, world: &dyn World, workspace: &Workspace, candidates: &[Candidate]) -> Result<AgentView> {
        let made = self.layout(world, workspace, &Wording::built_in())?;
        let layout = made.layout;
        // No text leaves this: what an agent reads is read as it is.
        let hygiene = Hygiene { hidden: HiddenText::Allow, secrets: Secrets::Keep };
        let permissions = Permissions { hygiene, ..Permissions::default() };
        let (caller, more) = (Caller::default(), MoreRoots::default());
        let situation = Situation {
            workspace,
            rules: layout.rules(),
            permissions: &permissions,
            scope: None,
            caller: &caller,
            conversation_id: None,
            more: &more,
            survey: Survey::Skip,
            fetching: Fetching::default(),
        };
        let (files, skills) = (FactName::new("instructions", "files"), FactName::new("skills", "listing"));
        let Discovery { facts, report, diagnostics } = discover(world, &situation, [&files, &skills]);
        let shown = |path: &str| workspace.show(Path::new(path), Paths::Portable);
        let cut: Vec<String> = diagnostics
            .iter()
            .filter(|finding| finding.code == Code::Cut)
            .filter_map(|finding| finding.about.as_ref().and_then(Subject::path).map(shown))
            .collect();
        let of = |fact: &FactName| {
            let mut seen: BTreeMap<String, usize> = BTreeMap::new();
            let mut views: Vec<FileView> = Vec::new();
            let not: Vec<(String, FileState)> = report
                .not_loaded
                .iter()
                .filter(|one| one.fact == *fact)
                .filter_map(|one| Some((shown(one.path.as_deref()?), FileState::of(&one.why, workspace)?)))
                .collect();
            for one in report.loaded.iter().filter(|one| one.fact == *fact) {
                let Some(path) = one.path.as_deref().map(shown) else { continue };
                let is_displaced =
                    not.iter().any(|(other, why)| *other == path && matches!(why, FileState::Shadowed { .. }));
                let state = match () {
                    () if cut.contains(&path) => FileState::Cut,
                    () if fact.namespace() == "instructions"
                        && (is_displaced || !self.names(&layout, workspace, &path)) =>
                    {
                        FileState::Imported
                    }
                    () => FileState::Loaded,
                };
                seen.entry(path.clone()).or_insert(views.len());
                views.push(FileView { path, state, bytes: one.bytes });
            }
            for (path, state) in not {
                if !seen.contains_key(&path) {
                    seen.insert(path.clone(), views.len());
                    views.push(FileView { path, state, bytes: 0 });
                }
            }
            views
        };
        let (mut file_views, skill_views) = (of(&files), of(&skills));
        for candidate in candidates {
            if file_views.iter().any(|view| view.path == candidate.shown) {
                continue;
            }
            let state =
                nested(layout.rules().instructions.groups(), workspace, candidates, &file_views, &candidate.path);
            file_views.push(FileView { path: candidate.shown.clone(), state, bytes: 0 });
        }
        let texts = match facts.get(&files) {
            Some(Answer::Present(Value::Maps(maps))) => maps
                .iter()
                .filter_map(|map| Some((shown(map.get("path")?.as_str()), map.get("text")?.as_str().to_owned())))
                .collect(),
            _ => Vec::new(),
        };
        let listing = match facts.get(&skills) {
            Some(Answer::Present(value)) => value.text(&skills).as_str().to_owned(),
            _ => String::new(),
        };
        let (agent, settings) = (self.clone(), made.settings);
        Ok(AgentView { agent, files: file_views, skills: skill_views, texts, listing, settings, layout, diagnostics })
    }

    /// Whether the agent looks for this file by itself.
    pub(super) fn names(&self, layout: &Layout, workspace: &Workspace, shown: &str) -> bool {
        let path = workspace.unshow(shown).unwrap_or_default();
        let path = if shown.starts_with('/') { Path::new(shown) } else { &path };
        layout.rules().instructions.groups().any(|rules| {
            rules.all_names().any(|name| is_named(rules, path, name))
                || rules.rules.iter().any(|directory| is_in(path, directory.path.trim_start_matches('~')))
                || matches!(&rules.global, crate::discover::instructions::Global::Files(files)
                    if files.iter().any(|file| workspace.named(file).is_some_and(|file| file == path)))
        })
    }
}

fn is_named(rules: &InstructionRules, path: &Path, name: &str) -> bool {
    let path = path.to_string_lossy();
    let end = path.len().checked_sub(name.len()).and_then(|at| path.get(at..));
    let is = end.is_some_and(|end| match rules.case {
        Case::Exact => end == name,
        Case::Any => end.eq_ignore_ascii_case(name),
    });
    is && path[..path.len() - name.len()].ends_with('/')
}

/// Whether a path is in a directory of this name, wherever that is.
fn is_in(path: &Path, directory: &str) -> bool {
    let wanted = format!("/{}/", directory.trim_matches('/'));
    path.to_string_lossy().contains(&wanted)
}

/// What an agent makes of a file that it did not come across from the working directory upwards.
fn nested<'r>(
    groups: impl Iterator<Item = &'r InstructionRules>,
    workspace: &Workspace,
    candidates: &[Candidate],
    files: &[FileView],
    path: &Path,
) -> FileState {
    for rules in groups {
        let named = rules.all_names().find(|name| is_named(rules, path, name));
        let rule = rules.rules.iter().find(|directory| {
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            !directory.is_users() && is_in(path, &directory.path) && directory.has(&name)
        });
        let directory = match (named, rule) {
            (Some(name), _) => strip(path, name),
            (None, Some(rule)) => path
                .to_string_lossy()
                .find(&format!("/{}/", rule.path))
                .map(|at| path.to_string_lossy()[..at].to_owned()),
            (None, None) => continue,
        };
        let Some(directory) = directory else { continue };
        let directory = Path::new(&directory);
        // What lies from the working directory upwards was looked at already.
        let is_below = directory.starts_with(&workspace.cwd) && directory != workspace.cwd;
        let is_beside = !directory.starts_with(&workspace.cwd) && !workspace.cwd.starts_with(directory);
        match rules.nested() {
            Nested::OnTouch if is_below => {}
            Nested::Anywhere if is_below || is_beside => {}
            Nested::Listed if is_below || is_beside => {
                return FileState::Waits { until: "its path is told, and nothing else".to_owned() };
            }
            _ => continue,
        }
        if let Some(by) = named.and_then(|name| displaced(rules, directory, name, candidates, files)) {
            return FileState::Shadowed { by };
        }
        return FileState::Waits { until: "for something in its directory".to_owned() };
    }
    FileState::Ignored
}

/// The file that takes the place of another one below the working directory, if one does.
fn displaced(
    rules: &InstructionRules,
    directory: &Path,
    name: &str,
    candidates: &[Candidate],
    files: &[FileView],
) -> Option<String> {
    let beside = |name: &String| {
        let found = candidates.iter().find(|candidate| candidate.path == directory.join(name))?;
        Some(found.shown.clone())
    };
    let first = || rules.names.iter().chain(&rules.last);
    match rules.nested_names {
        NestedNames::First => rules.all_names().take_while(|earlier| *earlier != name).find_map(beside),
        NestedNames::Walk if first().any(|own| own == name) => None,
        NestedNames::Walk => first().find_map(beside).or_else(|| {
            let has_name = |path: &str, name: &String| path == name || path.ends_with(&format!("/{name}"));
            let loaded = files.iter().filter(|file| matches!(file.state, FileState::Loaded | FileState::Cut));
            let walked =
                |file: &&FileView| !file.path.starts_with("~/.") && first().any(|name| has_name(&file.path, name));
            loaded.into_iter().find(walked).map(|file| file.path.clone())
        }),
    }
}

/// A path without the name at its end.
fn strip(path: &Path, name: &str) -> Option<String> {
    let path = path.to_string_lossy();
    let at = path.len().checked_sub(name.len() + 1)?;
    path.get(..at).map(str::to_owned)
}
