//! Which agent reads which file here?

use std::path::PathBuf;

use super::remembered::Remembered;
use super::{Project, ProjectContext};
use crate::agents::{Agent, AgentView, Asked, FileState, FileView, How, findings, survey};
use crate::diagnostic::{Code, Diagnostic};
use crate::discover::trust::{Gate, Trust};
use crate::discover::{ReadByAgent, Workspace};
use crate::error::Result;
use crate::worlds::RecallingWorld;

/// What the agents that compose their own prompts make of a project.
pub struct AgentsReport {
    /// One for each agent.
    pub views: Vec<AgentView>,
    /// What is worth knowing about them together.
    pub diagnostics: Vec<Diagnostic>,
}

impl Project {
    /// What each agent reads here; without names, all of them. Nothing is stored, and no text is changed.
    ///
    /// ```
    /// # use antefix::{Antefix, worlds::MemoryWorld};
    /// # let world = MemoryWorld::new().file("/p/.git/HEAD", "").file("/p/AGENTS.md", "Use tabs.");
    /// # let project = Antefix::builder().world(world).store("memory").build()?.project("/p")?;
    /// let report = project.agents(&["codex"])?;
    /// assert_eq!(report.views[0].texts, [("AGENTS.md".to_owned(), "Use tabs.".to_owned())]);
    /// # Ok::<(), antefix::Error>(())
    /// ```
    pub fn agents(&self, names: &[impl AsRef<str>]) -> Result<AgentsReport> {
        self.check_directory()?;
        let world = RecallingWorld::new(self.antefix().world());
        let workspace = self.location().workspace(&world)?;
        // What an agent reads does not depend on whom we trust; its text goes nowhere.
        let gate = Gate::new(&world, &workspace, &[], Trust::Trusted);
        let all = Agent::all(&gate, &workspace)?;
        let chosen: Vec<&Agent> = match names.is_empty() {
            true => all.iter().filter(|agent| agent.file.listed).collect(),
            false => names.iter().map(|name| Agent::find(&all, name.as_ref())).collect::<Result<_>>()?,
        };
        let asked = if names.is_empty() { Asked::All } else { Asked::Some };
        let (candidates, complete) = survey(&gate, &workspace);
        let views =
            chosen.iter().map(|agent| agent.view(&gate, &workspace, &candidates)).collect::<Result<Vec<_>>>()?;
        let mut diagnostics = findings(&gate, &workspace, (&views, asked), self.trust_in(&workspace)?);
        if !complete {
            let message = "the project has too many directories: the rest is not searched for files below";
            diagnostics.push(Diagnostic::note(Code::ScanLimit, message));
        }
        Ok(AgentsReport { views, diagnostics })
    }

    /// Whether the user trusts the text of a project.
    fn trust_in(&self, workspace: &Workspace) -> Result<Trust> {
        let antefix = self.antefix();
        let approved = antefix.trust_source().load(antefix.world()).approvals.of(workspace).is_some();
        let settings = antefix.settings()?;
        Ok(if approved { Trust::Trusted } else { settings.untrusted_text.trust(workspace, &settings.trusted) })
    }

    /// The names of instruction files that agents are given here, in any directory from the project root down to the working directory, as
    /// a layout's `names` has them: those of these agents, or of all. The ones that most agents read come first.
    ///
    /// ```
    /// # use antefix::{Antefix, worlds::MemoryWorld};
    /// # let world = MemoryWorld::new().file("/p/.git/HEAD", "").file("/p/CLAUDE.md", "a").file("/p/AGENTS.md", "b");
    /// # let project = Antefix::builder().world(world).store("memory").build()?.project("/p")?;
    /// assert_eq!(project.instruction_names(&["gemini-cli", "codex"])?, ["AGENTS.md"]);
    /// assert_eq!(project.instruction_names::<&str>(&[])?, ["AGENTS.md", "CLAUDE.md"]);
    /// # Ok::<(), antefix::Error>(())
    /// ```
    pub fn instruction_names<N: AsRef<str>>(&self, agents: &[N]) -> Result<Vec<String>> {
        let mut counts: Vec<(usize, String)> = Vec::new();
        for view in self.agents(agents)?.views {
            let mut names: Vec<String> =
                view.files.iter().filter_map(|file| name_of(&file.path, &file.state)).collect();
            names.sort();
            names.dedup();
            for name in names {
                match counts.iter_mut().find(|(_, known)| *known == name) {
                    Some((count, _)) => *count += 1,
                    None => counts.push((1, name)),
                }
            }
        }
        counts.sort_by(|(one, name), (other, next)| (other, name).cmp(&(one, next)));
        Ok(counts.into_iter().map(|(_, name)| name).collect())
    }

    /// The agents whose programs are on the user's path, in the order of the table. None of them is run.
    pub fn installed_agents(&self) -> Result<Vec<Agent>> {
        let world = self.antefix().world();
        let workspace = self.location().workspace(world)?;
        let all = Agent::all(world, &workspace)?;
        Ok(super::doctor::installed(world, &all).into_iter().filter(|agent| agent.file.listed).cloned().collect())
    }

    /// What the agent that is told the prompt reads by itself here. One that nobody knows reads nothing.
    pub(super) fn read_by(&self, said: &Remembered, context: &ProjectContext, touched: &[PathBuf]) -> ReadByAgent {
        let Some(name) = &said.reader else { return ReadByAgent::default() };
        let world = RecallingWorld::new(self.antefix().world());
        let workspace = &context.workspace;
        let gate = Gate::new(&world, workspace, &[], Trust::Trusted);
        let view = || {
            let agents = Agent::all(&gate, workspace).ok()?;
            let agent = Agent::find(&agents, name).ok()?;
            // Only what is touched brings files from below.
            let (candidates, _) = if touched.is_empty() { (Vec::new(), true) } else { survey(&gate, workspace) };
            agent.view(&gate, workspace, &candidates).ok()
        };
        // What only documents say is too little to keep a file from an agent.
        let known = |view: &AgentView| view.agent.file.known.instructions != How::Doc;
        let Some(view) = view().filter(known) else { return ReadByAgent::default() };
        // What waits for a path comes by itself, too.
        let reads = |file: &&FileView| file.state.is_given() || matches!(file.state, FileState::Waits { .. });
        let path = |file: &FileView| match file.path.starts_with('/') {
            true => Some(PathBuf::from(&file.path)),
            false => workspace.unshow(&file.path),
        };
        let paths = view.files.iter().chain(&view.skills).filter(reads).filter_map(path).collect();
        ReadByAgent { title: view.agent.file.title, paths }
    }

    /// Whether there is an agent of this name, or one that is started by a program of that name.
    pub fn knows_agent(&self, name: &str) -> Result<bool> {
        let world = self.antefix().world();
        let workspace = self.location().workspace(world)?;
        Ok(Agent::find(&Agent::all(world, &workspace)?, name).is_ok())
    }

    /// The names of all agents, the user's own among them.
    pub fn agent_names(&self) -> Result<Vec<String>> {
        let world = self.antefix().world();
        let workspace = self.location().workspace(world)?;
        Ok(Agent::all(world, &workspace)?.into_iter().map(|agent| agent.name).collect())
    }
}

/// What a layout calls a file that is given: its path from the directory that it was looked for in, which is the project's own.
fn name_of(path: &str, state: &FileState) -> Option<String> {
    if !state.is_given() || path.starts_with(['/', '~', '$']) || !path.ends_with(".md") {
        return None;
    }
    // Rules are no names: a layout has directories of them.
    let is_rule = path.split('/').any(|part| matches!(part, "rules" | "instructions" | "steering" | "commands"));
    let parts: Vec<&str> = path.split('/').collect();
    let hidden = parts.iter().position(|part| part.starts_with('.')).unwrap_or(parts.len() - 1);
    (!is_rule).then(|| parts[hidden..].join("/"))
}
