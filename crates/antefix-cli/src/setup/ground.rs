//! What lies around before any fact is asked for: the project, the user's settings and trust, the wordings, the layout.
//!
//! 1. All of it follows from what the world answers and from what the user trusts. [`Grounds`] keeps it for as long as
//!    both stay the same, which is asked each time: ten questions instead of parsing everything anew.
//! 2. What a caller says about one turn is no part of it.

#[cfg(feature = "serve")]
use std::collections::BTreeMap;
use std::path::Path;
#[cfg(feature = "serve")]
use std::path::PathBuf;
use std::sync::Arc;
#[cfg(feature = "serve")]
use std::sync::{Mutex, PoisonError};

use antefix::Diagnostic;
use antefix::compose::{Dialect, Layout, Wording};
use antefix::diagnostic::{Code, Subject};
use antefix::discover::scope::Scope;
use antefix::discover::trust::{Gate, Trust};
use antefix::discover::{NotLoaded, Paths, Permissions, Rules, Workspace, World};
use antefix::hooks::Program;
use antefix::project::TemplateDirectories;
use antefix::text::{Source, SourceKind};

#[cfg(feature = "serve")]
use super::layout::named_layout;
use super::layout::{layout, template_alone, wording};
use super::settings::Settings;
#[cfg(feature = "serve")]
use super::witness::{Heard, Witness};
use crate::Failure;
use crate::approvals::{self, Kept};
use crate::args::ComposeArgs;

/// What lies around.
pub(crate) struct Ground {
    pub(super) workspace: Workspace,
    pub(super) wording: Wording,
    pub(super) layout: Layout,
    /// What the layout says about discovery.
    pub(super) rules: Rules,
    /// What the user allows.
    pub(super) permissions: Permissions,
    /// What the agent may touch.
    pub(super) scope: Option<Scope>,
    /// The hooks that the layout declares.
    pub(super) programs: Vec<Program>,
    /// Files of the project's own that were not read, because the project is not trusted.
    pub(super) withheld: Vec<NotLoaded>,
    /// Settings that a project has, and cannot have.
    pub(super) ignored: Option<Diagnostic>,
    /// What the user trusts.
    pub(super) kept: Kept,
    /// Whether only files and what a caller says are asked for: no program, no server.
    #[cfg(feature = "serve")]
    pub(super) near: bool,
}

/// A project says nothing about what may be read, run or trusted, and who wrote that down is told.
fn project_settings(world: &dyn World, workspace: &Workspace) -> Option<Diagnostic> {
    let path = workspace.project().join("settings.toml");
    world.kind(&path).present()?;
    let shown = workspace.show(&path, Paths::Portable);
    let message = format!("{shown} is not obeyed: settings are the user's own");
    let hint = "move what you want to settings.toml in your configuration directory";
    Some(Diagnostic::warning(Code::ProjectSettings, message).about(Subject::file(shown)).hint(hint))
}

/// A text for the editable section of a layout.
pub(crate) type Template = (Dialect, Arc<str>);

impl Ground {
    /// Looks around.
    pub(super) fn find(
        world: &dyn World,
        cwd: &Path,
        args: &ComposeArgs,
        template: Option<Template>,
    ) -> Result<Ground, Failure> {
        let workspace = Workspace::find(world, cwd);
        let settings = Settings::load(world, &workspace)?;
        let kept = approvals::load(world, &workspace);
        // Who trusts a project's programs trusts its text.
        let trust = match kept.approvals.of(&workspace) {
            Some(_) => Trust::Trusted,
            None => settings.untrusted_text.trust(&workspace, &settings.trusted),
        };
        // The project's own layout, wordings and templates pass the same gate as its other texts.
        let gate = Gate::new(world, &workspace, &settings.file_roots, trust);
        let hygiene = settings.hygiene();
        let mut withheld = Vec::new();
        let wording = wording(args.wording.as_deref(), &gate, &workspace, hygiene, &mut withheld)?;
        let (layout, file) = match &args.template {
            Some(path) => (template_alone(path, args, &wording, &gate, &workspace, hygiene)?, None),
            None => layout(args.layout.as_deref(), &gate, &workspace, &wording, hygiene, &mut withheld)?,
        };
        let programs = Program::of_layout(&layout, file.as_deref(), world, &workspace, &kept.approvals);

        let templates = TemplateDirectories::new(&gate, &workspace, None).with_hygiene(hygiene);
        let layout = match template {
            Some((dialect, text)) => {
                layout.edited(&Arc::new(Source::new(SourceKind::Template, "template", text)), dialect, &templates)?
            }
            None => layout,
        };
        let rules = layout.scope().map(|rules| rules.against(&workspace.cwd));
        let scope = rules.map(|rules| Scope::new(&rules, world)).transpose()?;
        let rules = layout.rules().clone();
        drop(templates);
        drop(gate);
        let permissions = Permissions {
            env_allow: settings.env_allow,
            file_roots: settings.file_roots,
            identity: settings.identity.operator,
            memory: settings.memory.core,
            git: Default::default(),
            hygiene,
            trust,
        };
        let ignored = project_settings(world, &workspace);
        Ok(Ground {
            #[cfg(feature = "serve")]
            near: programs.is_empty() && layout.facts().iter().all(is_near),
            workspace,
            wording,
            layout,
            rules,
            permissions,
            scope,
            programs,
            withheld,
            ignored,
            kept,
        })
    }
}

/// Whether a fact is a caller's word or a file's: no program and no server is asked for it.
#[cfg(feature = "serve")]
fn is_near(fact: &antefix::text::FactName) -> bool {
    matches!(fact.namespace(), "prompt" | "system" | "env" | "tools" | "file")
}

/// How many grounds are kept. Beyond that all are forgotten, and found once more.
#[cfg(feature = "serve")]
const MOST: usize = 200;

/// The grounds of a process that prepares many turns.
#[cfg(feature = "serve")]
#[derive(Default)]
pub(crate) struct Grounds(Mutex<BTreeMap<Where, Arc<Known>>>);

/// A directory, and the layout that was named for it.
#[cfg(feature = "serve")]
type Where = (PathBuf, Option<String>);

/// A ground, and all that it follows from.
#[cfg(feature = "serve")]
pub(super) struct Known {
    pub(super) ground: Arc<Ground>,
    /// The layout that was named.
    layout: Option<String>,
    template: Option<Template>,
    heard: Vec<Heard>,
}

#[cfg(feature = "serve")]
impl Grounds {
    /// The ground of a directory. Arguments that name files of their own have no place here.
    pub(super) fn find(
        &self,
        world: &dyn World,
        cwd: &Path,
        args: &ComposeArgs,
        template: Option<Template>,
    ) -> Result<Arc<Known>, Failure> {
        let key = (cwd.to_owned(), args.layout.clone());
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
        if let Some(known) = known.filter(|known| known.template == template && known.holds(world)) {
            return Ok(known);
        }
        let witness = Witness::of(world);
        let ground = Arc::new(Ground::find(&witness, cwd, args, template.clone())?);
        let known = Arc::new(Known { ground, layout: args.layout.clone(), template, heard: witness.heard() });
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= MOST {
            all.clear();
        }
        all.insert(key, Arc::clone(&known));
        Ok(known)
    }
}

#[cfg(feature = "serve")]
impl Known {
    pub(super) fn holds(&self, world: &dyn World) -> bool {
        // A layout that is named by its path is the user's own word, and no question to the world.
        let same =
            |named: &str| named_layout(named).is_ok_and(|(file, _)| file.text == self.ground.layout.source().text);
        self.layout.as_deref().is_none_or(same)
            && self.heard.iter().all(|heard| heard.holds(world))
            && approvals::load(world, &self.ground.workspace) == self.ground.kept
    }
}
