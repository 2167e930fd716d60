//! Programs as hooks: what a layout declares under `[[hook]]`.
//!
//! 1. A program gets its command as words, never through a shell; a document on its input; a few variables; the project
//!    root to work in. It answers with a document on its output.
//! 2. It is killed with all its descendants when its time is over, when it prints too much, and when it has ended.
//! 3. What a layout calls `hooks/x` lies beneath the layout's directory; a bare name is looked up in the absolute
//!    directories of `PATH`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::answer::Failing;
use super::files::{self, ProjectFile};
use super::protocol::{self, MessagesAnswer, RootsAnswer, TurnAnswer, Versioned};
use super::trust::{Approvals, Files, TrustState};
use super::{Hook, HookFailure, HookPoint, HookResult, HookRule, Question, SystemOfTurn, TurnChange};
use crate::compose::Layout;
use crate::diagnostic::Diagnostic;
use crate::discover::environment::{self, Started, absolute_search_path};
use crate::discover::roots::{MayName, NamedRoots};
use crate::discover::world::{Answer, Command, Kill, Kind, World};
use crate::discover::{Shared, Workspace};

/// Whose a layout is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whose {
    /// The user's own, named by them, or built in.
    Users,
    /// The project's: its hooks wait for trust.
    Projects,
}

impl Whose {
    /// Whose the layout in a file is; a built-in one lies in none.
    pub fn of(world: &dyn World, workspace: &Workspace, file: Option<&Path>) -> Whose {
        match file.and_then(|file| files::in_project(world, workspace, file)) {
            Some(_) => Whose::Projects,
            None => Whose::Users,
        }
    }
}

/// A program that a layout declares as a hook.
#[derive(Debug, Clone)]
pub struct Program {
    rule: HookRule,
    on: [HookPoint; 1],
    whose: Whose,
    /// Where the layout lies.
    directory: Option<PathBuf>,
    /// The texts of the layout that must be trusted with it.
    layout_files: Vec<ProjectFile>,
    /// The layout's file, if it is in one.
    layout: Option<PathBuf>,
    /// What is trusted of the layout's hooks, by project.
    trusted: BTreeMap<String, Files>,
}

impl Program {
    /// The programs of a layout that was read from `file`; a built-in one was read from none.
    pub fn of_layout(
        layout: &Layout,
        file: Option<&Path>,
        world: &dyn World,
        workspace: &Workspace,
        approvals: &Approvals,
    ) -> Vec<Program> {
        if layout.hooks().is_empty() {
            return Vec::new();
        }
        let whose = Whose::of(world, workspace, file);
        let directory = file.and_then(Path::parent);
        let layout_files = match file {
            Some(file) if whose == Whose::Projects => files::layout_files(world, workspace, layout, file),
            _ => Vec::new(),
        };
        let trusted = approvals.files(workspace, file);
        let program = |rule: &HookRule| Program {
            rule: rule.clone(),
            on: [rule.on],
            whose,
            directory: directory.map(Path::to_owned),
            layout_files: layout_files.clone(),
            layout: file.map(Path::to_owned),
            trusted: trusted.clone(),
        };
        layout.hooks().iter().map(program).collect()
    }

    /// What the layout is called among the things that are trusted of a project.
    pub fn layout_label(&self, workspace: &Workspace, project: &str) -> String {
        files::layout_label(&workspace.at(project), self.layout.as_deref())
    }

    /// What the layout declares.
    pub fn rule(&self) -> &HookRule {
        &self.rule
    }

    /// Whether it came with the project or is the user's own.
    pub fn whose(&self) -> Whose {
        self.whose
    }

    /// Whether it may run, as its files are now.
    pub fn state(&self, world: &dyn World, workspace: &Workspace) -> TrustState {
        match self.program(world) {
            Some(program) => self.state_of(world, workspace, &program),
            None => self.shared(world).unwrap_or_else(|| TrustState::of(&self.layout_files, &self.trusted)),
        }
    }

    fn state_of(&self, world: &dyn World, workspace: &Workspace, program: &Path) -> TrustState {
        self.shared(world).unwrap_or_else(|| TrustState::of(&self.files_of(world, workspace, program), &self.trusted))
    }

    /// Whether others could have written the layout. One in a project is trusted by its bytes, whoever wrote them.
    fn shared(&self, world: &dyn World) -> Option<TrustState> {
        let file = self.layout.as_deref().filter(|_| self.whose == Whose::Users)?;
        let shared = Shared::find(world, file)?;
        let reason =
            format!("its layout may be somebody else's: {} can be written by {}", shared.path.display(), shared.others);
        Some(TrustState::Shared { reason, remedy: shared.remedy("go-w") })
    }

    /// What there is to say if it may not run.
    pub fn finding(&self, world: &dyn World, workspace: &Workspace) -> Option<Diagnostic> {
        let failure = self.may_run(self.state(world, workspace)).err()?;
        Some(failure.to_diagnostic(&self.rule.name, self.rule.on))
    }

    /// The files in projects that must be trusted for it to run.
    pub fn files(&self, world: &dyn World, workspace: &Workspace) -> Vec<ProjectFile> {
        match self.program(world) {
            Some(program) => self.files_of(world, workspace, &program),
            None => self.layout_files.clone(),
        }
    }

    fn files_of(&self, world: &dyn World, workspace: &Workspace, program: &Path) -> Vec<ProjectFile> {
        let mut all = self.layout_files.clone();
        let args = self.rule.command.get(1..).unwrap_or_default();
        for file in files::command_files(world, workspace, program, args) {
            files::add(&mut all, file);
        }
        all
    }

    /// The program's path.
    fn program(&self, world: &dyn World) -> Option<PathBuf> {
        let named = self.rule.command.first()?;
        let path = Path::new(named);
        if path.is_absolute() {
            return Some(path.to_owned());
        }
        if named.contains(['/', '\\']) {
            return Some(self.directory.as_ref()?.join(path));
        }
        let is_file = |path: &PathBuf| matches!(world.kind(path), Answer::Present(Kind::File));
        absolute_search_path(world).into_iter().map(|directory| directory.join(path)).find(is_file)
    }

    /// Runs it, if it may.
    fn answer<T: Default + Versioned + for<'de> serde::Deserialize<'de>>(
        &self,
        question: &Question<'_>,
        system: Option<SystemOfTurn<'_>>,
        messages: Option<&[Value]>,
    ) -> HookResult<T> {
        let stdout =
            self.run(question, protocol::question(&self.rule.name, self.rule.on, question, system, messages))?;
        protocol::read(&stdout)
    }

    fn run(&self, question: &Question<'_>, stdin: Vec<u8>) -> HookResult<Vec<u8>> {
        let (world, workspace) = (question.world, &question.situation.workspace);
        let named = self.rule.command.first().map(String::as_str).unwrap_or_default();
        let Some(program) = self.program(world) else {
            let hint = "name it by its absolute path, or put it into a directory of PATH";
            return Err(HookFailure::not_run(Failing::Failed, format!("`{named}` is not installed"), hint));
        };
        self.may_run(self.state_of(world, workspace, &program))?;
        let answer = world.run(&Command {
            program: program.to_string_lossy().into_owned(),
            args: self.rule.command.get(1..).unwrap_or_default().to_vec(),
            env: environment(world, workspace, &self.rule),
            cwd: workspace.root.clone(),
            stdin,
            time_limit: self.rule.time_limit,
            output_limit: self.rule.output_limit,
            kill: Kill::Descendants,
        });
        let output = match answer {
            Answer::Present(output) => output,
            Answer::Absent => return Err(HookFailure::new(format!("`{named}` is not installed"))),
            Answer::Unavailable(reason) => return Err(HookFailure::new(reason.to_string())),
        };
        let failed = |reason: String| Err(HookFailure::new(reason).with_stderr(&output.stderr));
        match output.code {
            _ if output.more => failed(format!("it printed more than {} bytes", self.rule.output_limit)),
            Some(0) => Ok(output.stdout),
            Some(code) => failed(format!("it ended with code {code}")),
            None => failed("a signal ended it".to_owned()),
        }
    }

    fn may_run(&self, state: TrustState) -> HookResult<()> {
        match state {
            TrustState::NotNeeded | TrustState::Trusted => Ok(()),
            TrustState::Untrusted => {
                let reason = "it comes with the project, and nobody has trusted it";
                Err(HookFailure::not_run(Failing::Untrusted, reason, TRUST))
            }
            TrustState::Modified(changes) => {
                let reason = format!("it was trusted with other bytes: {}", changes.join(", "));
                Err(HookFailure::not_run(Failing::Modified, reason, TRUST))
            }
            TrustState::Shared { reason, remedy } => Err(HookFailure::not_run(Failing::Shared, reason, &remedy)),
        }
    }
}

/// What to do about a hook that waits for trust.
const TRUST: &str = "look at it, and run `antefix trust` if it may run";

impl Hook for Program {
    fn name(&self) -> &str {
        &self.rule.name
    }

    fn on(&self) -> &[HookPoint] {
        &self.on
    }

    fn may_name(&self) -> MayName {
        match self.whose {
            Whose::Users => MayName::AnyPlace,
            Whose::Projects => MayName::ProjectPlaces,
        }
    }

    fn before_turn(&self, question: &Question<'_>, system: SystemOfTurn<'_>) -> HookResult<TurnChange> {
        let TurnAnswer { system, append, messages, .. } = self.answer(question, Some(system), None)?;
        Ok(TurnChange { system, append, messages })
    }

    fn messages(&self, question: &Question<'_>, messages: &[Value]) -> HookResult<Option<Vec<Value>>> {
        Ok(self.answer::<MessagesAnswer>(question, None, Some(messages))?.messages)
    }

    fn discover(&self, question: &Question<'_>) -> HookResult<NamedRoots> {
        Ok(self.answer::<RootsAnswer>(question, None, None)?.into())
    }

    /// What it prints then is not read.
    fn began(&self, question: &Question<'_>) -> HookResult<()> {
        self.run(question, protocol::question(&self.rule.name, self.rule.on, question, None, None)).map(drop)
    }
}

/// What hooks get, and the point that they are at.
fn environment(world: &dyn World, workspace: &Workspace, rule: &HookRule) -> Vec<(String, String)> {
    let mut environment = environment::environment(world, Started::Hook, &workspace.root);
    environment.push(("ANTEFIX_HOOK".to_owned(), rule.on.name().to_owned()));
    // A program that is a directory is trusted with every file of it, and must not add one by running.
    environment.push(("PYTHONDONTWRITEBYTECODE".to_owned(), "1".to_owned()));
    environment
}
