//! What past sessions of all agents on this machine cost.

use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use jiff::Timestamp;

use super::Antefix;
use crate::agents::Agent;
use crate::diagnostic::{Code, Diagnostic};
use crate::discover::git::{FileEdit, Git, GitLimits};
use crate::discover::world::Kind;
use crate::discover::{Answer, Paths, Workspace, World};
use crate::error::Result;
use crate::observe::{AgentTranscripts, Audit, AuditRange, Format, LossAt, LossCause, Transcript};

/// Which sessions are looked at.
#[derive(Debug, Clone, Default)]
pub struct AuditAsk {
    /// Only requests since then.
    pub since: Option<Timestamp>,
    /// Only agents that worked in or below this directory.
    pub project: Option<PathBuf>,
    /// Only these agents; all if there are none.
    pub agents: Vec<String>,
}

/// What past sessions cost, and where they were found.
#[derive(Debug)]
pub struct AuditReport {
    /// What they cost.
    pub audit: Audit,
    /// Where transcripts were looked for: the agent, the directory, and how many were there.
    pub places: Vec<(String, String, usize)>,
    /// What is worth knowing about it.
    pub diagnostics: Vec<Diagnostic>,
}

/// How large a transcript may be, in bytes.
const LARGEST: usize = 512 * 1024 * 1024;
/// How many files and directories are looked at for each agent.
const MOST: usize = 100_000;
/// Names of instruction files whose edits are looked for.
const NAMES: [&str; 8] = [
    "AGENTS.md",
    "AGENTS.override.md",
    "CLAUDE.md",
    "GEMINI.md",
    "QWEN.md",
    "copilot-instructions.md",
    ".clinerules",
    "SYSTEM.md",
];

impl Antefix {
    /// What past sessions of agents on this machine cost, by the transcripts that they leave, and what of it was paid twice. Nothing is
    /// changed, and nothing leaves the machine.
    pub fn audit(&self, ask: &AuditAsk) -> Result<AuditReport> {
        let world = self.world();
        let workspace = Workspace::of_user(world);
        let (models, finding) = self.models();
        let mut report =
            AuditReport { audit: Audit::default(), places: Vec::new(), diagnostics: finding.into_iter().collect() };
        let all = Agent::all(world, &workspace)?;
        for name in &ask.agents {
            Agent::find(&all, name)?;
        }
        let is_asked = |agent: &Agent| ask.agents.is_empty() || ask.agents.contains(&agent.name);
        let mut found = Vec::new();
        let mut in_system: Vec<String> = Vec::new();
        for agent in all.iter().filter(|agent| is_asked(agent)) {
            let Some(place) = Place::of(agent, world, &workspace) else { continue };
            let transcripts = place.read(world, &mut report);
            if place.is_in_system {
                in_system.push(agent.file.title.clone());
            }
            let shown = workspace.show(&place.root, Paths::Portable);
            report.places.push((agent.file.title.clone(), shown, transcripts.len()));
            found.push(AgentTranscripts { agent: agent.file.title.clone(), transcripts });
        }
        let range = AuditRange {
            since: ask.since,
            project: ask.project.as_ref().map(|project| project.to_string_lossy().into_owned()),
            zone: world.time_zone(None).present(),
        };
        report.audit = Audit::of(&found, &models, &range);
        let edits = edits(world, &report.audit.losses, &in_system);
        report.audit.explain(|loss| edited(loss, &edits));
        Ok(report)
    }
}

/// Where an agent leaves its transcripts.
struct Place {
    format: Format,
    root: PathBuf,
    ending: String,
    is_in_system: bool,
}

impl Place {
    fn of(agent: &Agent, world: &dyn World, workspace: &Workspace) -> Option<Place> {
        let said = |key: &str| agent.file.transcripts.get(key);
        let format = said("format").and_then(|name| Format::parse(name))?;
        let root = said("root")?.replace("$home", &agent.home(world));
        let ending = said("ending").cloned().unwrap_or_default();
        let is_in_system = said("instructions").is_some_and(|place| place == "system");
        Some(Place { format, root: workspace.named(&root)?, ending, is_in_system })
    }

    /// Reads all of them, on as many threads as there are processors.
    fn read(&self, world: &dyn World, report: &mut AuditReport) -> Vec<Transcript> {
        if self.format == Format::OpenCode {
            return self.database(report);
        }
        let files = self.files(world, report);
        let next = AtomicUsize::new(0);
        let read: Mutex<BTreeMap<usize, Transcript>> = Mutex::new(BTreeMap::new());
        let left_out = AtomicUsize::new(0);
        let threads = std::thread::available_parallelism().map_or(1, usize::from).min(files.len().max(1));
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    loop {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        let Some(file) = files.get(number) else { break };
                        let Answer::Present(contents) = world.read(&self.root, file, LARGEST) else {
                            left_out.fetch_add(1, Ordering::Relaxed);
                            continue;
                        };
                        let transcript = self.format.read(&file.to_string_lossy(), &contents.bytes);
                        read.lock().unwrap_or_else(std::sync::PoisonError::into_inner).insert(number, transcript);
                    }
                });
            }
        });
        let left_out = left_out.into_inner();
        if left_out > 0 {
            let message = format!("{left_out} transcripts in {} cannot be read", self.root.display());
            report.diagnostics.push(Diagnostic::note(Code::ScanLimit, message));
        }
        read.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner).into_values().collect()
    }

    /// The transcripts below the root, by their paths.
    fn files(&self, world: &dyn World, report: &mut AuditReport) -> Vec<PathBuf> {
        let mut files = Vec::new();
        let mut waiting: VecDeque<PathBuf> = [PathBuf::new()].into();
        let mut seen = 0;
        while let Some(directory) = waiting.pop_front() {
            let Answer::Present(listing) = world.list(&self.root, &directory, MOST - seen) else { continue };
            seen += listing.entries.len();
            for entry in listing.entries {
                let path = directory.join(&entry.name);
                match entry.kind {
                    Some(Kind::Directory) => waiting.push_back(path),
                    Some(Kind::File) if entry.name.ends_with(&self.ending) => files.push(path),
                    _ => {}
                }
            }
            if seen >= MOST {
                let message =
                    format!("there are more than {MOST} files in {}: the rest is not looked at", self.root.display());
                report.diagnostics.push(Diagnostic::note(Code::ScanLimit, message));
                break;
            }
        }
        files.sort();
        files
    }

    #[cfg(feature = "sqlite")]
    fn database(&self, report: &mut AuditReport) -> Vec<Transcript> {
        match crate::stores::opencode_rows(&self.root) {
            Ok(rows) => crate::observe::OpenCodeRow::read(&rows),
            Err(why) => {
                let message = format!("{} cannot be read: {why}", self.root.display());
                report.diagnostics.push(Diagnostic::note(Code::ScanLimit, message));
                Vec::new()
            }
        }
    }

    #[cfg(not(feature = "sqlite"))]
    fn database(&self, report: &mut AuditReport) -> Vec<Transcript> {
        let message = format!("{} is not read: this build has no SQLite", self.root.display());
        report.diagnostics.push(Diagnostic::note(Code::ScanLimit, message));
        Vec::new()
    }
}

/// The edits of instruction files in every project in which something was lost that they may explain.
fn edits(world: &dyn World, losses: &[LossAt], in_system: &[String]) -> BTreeMap<String, Vec<FileEdit>> {
    let mut first: BTreeMap<&str, Timestamp> = BTreeMap::new();
    for loss in losses.iter().filter(|loss| in_system.contains(&loss.agent) && may_be_edited(loss)) {
        let (Some(project), Some(before)) = (loss.project.as_deref(), loss.before) else { continue };
        let since = first.entry(project).or_insert(before);
        *since = (*since).min(before);
    }
    let found = first.into_iter().filter_map(|(project, since)| {
        let mut git = Git::new(world, Path::new(project), GitLimits::default());
        Some((project.to_owned(), git.edits(&NAMES, since).present()?))
    });
    found.collect()
}

fn may_be_edited(loss: &LossAt) -> bool {
    matches!(loss.cause, LossCause::NotShown | LossCause::System)
}

/// The edit that came between a request and the one before it.
fn edited(loss: &LossAt, edits: &BTreeMap<String, Vec<FileEdit>>) -> Option<LossCause> {
    let (project, before, at) = (loss.project.as_ref()?, loss.before?, loss.at?);
    let edit =
        edits.get(project).filter(|_| may_be_edited(loss))?.iter().find(|edit| before < edit.at && edit.at <= at)?;
    let commit = edit.commit.get(..7).unwrap_or(&edit.commit).to_owned();
    Some(LossCause::Instructions { place: format!("{}:{}", edit.path, edit.line), commit })
}
