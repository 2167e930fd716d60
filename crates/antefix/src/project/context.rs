//! Everything that is resolved before discovery: the project, the user's settings and trust, the wordings, the layout.
//!
//! 1. All of it follows from what the world answers and from what the user trusts. [`Contexts`] keeps it for as long as both
//!    stay the same, which is asked each time: ten questions instead of parsing everything anew.
//! 2. What a caller says about one turn is no part of it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::ask::LayoutChoice;
use super::directory::{Directory, Location};
use super::layouts::{Finder, Found};
use super::settings::Settings;
use super::templates::TemplateDirectories;
use crate::compose::{Dialect, Layout};
use crate::diagnostic::{Code, Diagnostic, Subject};
use crate::discover::commands::{Commands, Runs};
use crate::discover::scope::Scope;
use crate::discover::trust::{Gate, Trust, UntrustedText};
use crate::discover::{NotLoaded, Paths, Permissions, Workspace, World};
use crate::error::Result;
use crate::hooks::{Hook, Program};
use crate::stores::{TrustFile, Trusted};
use crate::text::{Source, SourceKind};
use crate::worlds::{Observation, RecordingWorld};

/// What was chosen, besides the directory.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Choice {
    pub(super) layout: Option<LayoutChoice>,
    pub(super) wording: Option<PathBuf>,
    /// Sections to do without.
    pub(super) without: Vec<String>,
}

/// A project, resolved: everything that is known before any fact is asked for. It stays as it is when files change.
pub struct ProjectContext {
    pub(crate) workspace: Workspace,
    pub(crate) layout: Arc<Layout>,
    pub(crate) permissions: Permissions,
    pub(crate) scope: Option<Scope>,
    /// The hooks that the layout declares.
    pub(crate) programs: Vec<Program>,
    /// The layout's file, if it lies in one.
    pub(crate) layout_file: Option<PathBuf>,
    /// What saved templates know the layout by.
    pub(crate) layout_key: String,
    /// Files of the project's own that were not read, because the project is not trusted.
    pub(crate) withheld: Vec<NotLoaded>,
    findings: Vec<Diagnostic>,
}

impl ProjectContext {
    /// Looks around a directory; `as_if` says to take the project for trusted or not, whatever the user trusts.
    pub(super) fn resolve(
        world: &dyn World,
        location: Location<'_>,
        choice: &Choice,
        settings: Option<&Settings>,
        trusted: &Trusted,
        as_if: Option<Trust>,
    ) -> Result<ProjectContext> {
        let workspace = location.workspace(world)?;
        let settings = match settings {
            Some(settings) => settings.clone().resolved(world, &workspace)?,
            None => Settings::load(world, &workspace)?,
        };
        // Who trusts a project's programs trusts its text.
        let approved = trusted.approvals.of(&workspace);
        // To use a text is less than to run a program: that takes a word of the user's.
        let named =
            approved.is_some() || UntrustedText::Withhold.trust(&workspace, &settings.trusted) == Trust::Trusted;
        let runs = if named && as_if != Some(Trust::Untrusted) { Runs::Trusted } else { Runs::No };
        let trust = match (as_if, approved) {
            (Some(trust), _) => trust,
            (None, Some(_)) => Trust::Trusted,
            (None, None) => settings.untrusted_text.trust(&workspace, &settings.trusted),
        };
        let mut permissions = settings.permissions(trust);
        permissions.commands = Commands::new(settings.commands.clone(), runs);
        // Another agent reads a file with hidden characters: it is shown, with these written out.
        if matches!(choice.layout, Some(LayoutChoice::Agent(_))) {
            permissions.hygiene = permissions.hygiene.written_out();
        }
        // The project's own layout, wordings and templates pass the same gate as its other texts.
        let gate = Gate::new(world, &workspace, &permissions.file_roots, trust);
        let hygiene = permissions.hygiene;
        let mut finder = Finder { world: &gate, workspace: &workspace, hygiene, withheld: Vec::new() };
        let wording = finder.wording(choice.wording.as_deref())?;
        let Found { layout, file, key } = finder.layout(choice.layout.as_ref(), &wording)?;
        let (layout, unknown) = match choice.without.as_slice() {
            [] => (layout, Vec::new()),
            names => layout.without(names),
        };
        let withheld = finder.withheld;
        let programs = Program::of_layout(&layout, file.as_deref(), world, &workspace, &trusted.approvals);
        let rules = layout.scope().map(|rules| rules.against(&workspace.cwd));
        let scope = rules.map(|rules| Scope::new(&rules, world)).transpose()?;
        let mut findings: Vec<Diagnostic> = workspace.foreign.iter().map(|path| foreign(path)).collect();
        findings.extend(unknown);
        findings.extend(withheld.iter().map(not_read));
        findings.extend(project_settings(world, &workspace));
        findings.extend(trusted.finding.clone());
        findings.extend(wording.findings().iter().cloned());
        Ok(ProjectContext {
            workspace,
            layout: Arc::new(layout),
            permissions,
            scope,
            programs,
            layout_file: file,
            layout_key: key,
            withheld,
            findings,
        })
    }

    /// The same project with another text in the layout's editable section.
    fn edited(&self, world: &dyn World, template: &EditedText) -> Result<ProjectContext> {
        let gate = self.gate(world);
        let source = Arc::new(Source::new(SourceKind::Template, template.label, Arc::clone(&template.text)));
        let layout = self.layout.edited(&source, template.dialect, &self.templates(&gate))?;
        Ok(ProjectContext {
            layout: Arc::new(layout),
            workspace: self.workspace.clone(),
            permissions: self.permissions.clone(),
            scope: self.scope.clone(),
            programs: self.programs.clone(),
            layout_file: self.layout_file.clone(),
            layout_key: self.layout_key.clone(),
            withheld: self.withheld.clone(),
            findings: self.findings.clone(),
        })
    }

    /// What saved templates know the layout by: the name of a built-in one, or the path of its file.
    pub fn template_key(&self) -> &str {
        &self.layout_key
    }

    /// The layout, with its wordings.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// What is worth knowing before anything is asked for.
    pub fn findings(&self) -> &[Diagnostic] {
        &self.findings
    }

    /// The hooks that the layout declares.
    pub(crate) fn hooks(&self) -> impl Iterator<Item = &dyn Hook> {
        self.programs.iter().map(|program| program as &dyn Hook)
    }

    /// The world, as far as the project's text may be read.
    pub(crate) fn gate<'w>(&'w self, world: &'w dyn World) -> Gate<'w> {
        Gate::new(world, &self.workspace, &self.permissions.file_roots, self.permissions.trust)
    }

    /// The templates that a text may refer to.
    pub(crate) fn templates<'w>(&'w self, gate: &'w Gate<'w>) -> TemplateDirectories<'w> {
        let beside = self.layout_file.as_deref().and_then(Path::parent);
        TemplateDirectories::new(gate, &self.workspace, beside).with_hygiene(self.permissions.hygiene)
    }
}

/// A text for the editable section of a layout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct EditedText {
    /// What findings call it.
    pub(super) label: &'static str,
    pub(super) dialect: Dialect,
    pub(super) text: Arc<str>,
}

/// How many projects are kept. Beyond that all are forgotten, and resolved once more.
const MOST: usize = 200;

/// The projects of a process that takes many turns.
#[derive(Default)]
pub(super) struct Contexts(Mutex<BTreeMap<Key, Arc<Known>>>);

/// The root that a project must not leave, its directory, and what was chosen.
type Key = (Option<PathBuf>, Directory, Choice);

/// A project, and all that it follows from.
struct Known {
    context: Arc<ProjectContext>,
    trusted: Trusted,
    observations: Vec<Observation>,
    /// The one with another text in the editable section that was asked for last.
    edited: Mutex<Option<Edited>>,
}

/// A project with another text in the editable section, and what that text follows from besides.
struct Edited {
    text: EditedText,
    context: Arc<ProjectContext>,
    observations: Vec<Observation>,
}

impl Edited {
    /// Whether the world still gives the answers that the text follows from.
    fn holds(&self, world: &dyn World) -> bool {
        self.observations.iter().all(|observation| observation.holds(world))
    }
}

impl Contexts {
    /// The project of a directory. `template` says which text the editable section of a layout has.
    pub(super) fn find(
        &self,
        world: &dyn World,
        (location, choice): (Location<'_>, &Choice),
        settings: Option<&Settings>,
        trust: &dyn Fn() -> Trusted,
        template: impl FnOnce(&ProjectContext) -> Result<Option<EditedText>>,
    ) -> Result<Arc<ProjectContext>> {
        let known = self.known(world, (location, choice), settings, trust)?;
        let Some(template) = template(&known.context)? else { return Ok(Arc::clone(&known.context)) };
        let mut last = known.edited.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(edited) = last.as_ref().filter(|edited| edited.text == template && edited.holds(world)) {
            return Ok(Arc::clone(&edited.context));
        }
        // The text may include others, which belong to what it follows from.
        let recording = RecordingWorld::new(world);
        let context = Arc::new(known.context.edited(&recording, &template)?);
        let observations = recording.observations();
        *last = Some(Edited { text: template, context: Arc::clone(&context), observations });
        Ok(context)
    }

    fn known(
        &self,
        world: &dyn World,
        (location, choice): (Location<'_>, &Choice),
        settings: Option<&Settings>,
        trust: &dyn Fn() -> Trusted,
    ) -> Result<Arc<Known>> {
        let trusted = trust();
        let key = (location.bound.map(Path::to_owned), location.directory.clone(), choice.clone());
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
        if let Some(known) = known.filter(|known| known.holds(world, &trusted)) {
            return Ok(known);
        }
        let recording = RecordingWorld::new(world);
        let context = ProjectContext::resolve(&recording, location, choice, settings, &trusted, None)?;
        let observations = recording.observations();
        let known = Arc::new(Known { context: Arc::new(context), trusted, observations, edited: Mutex::default() });
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= MOST {
            all.clear();
        }
        all.insert(key, Arc::clone(&known));
        Ok(known)
    }
}

impl Known {
    /// Whether the world still gives the answers that the project follows from.
    fn holds(&self, world: &dyn World, trusted: &Trusted) -> bool {
        self.trusted == *trusted && self.observations.iter().all(|observation| observation.holds(world))
    }
}

/// Where it is kept what the user trusts.
pub(super) enum TrustSource {
    File(Option<TrustFile>),
    Given(Trusted),
}

impl TrustSource {
    /// The file that what is trusted is kept in.
    pub(super) fn file(&self) -> Option<&TrustFile> {
        match self {
            TrustSource::File(file) => file.as_ref(),
            TrustSource::Given(_) => None,
        }
    }

    pub(super) fn load(&self, world: &dyn World) -> Trusted {
        match self {
            TrustSource::File(Some(file)) => file.load(world),
            TrustSource::File(None) => Trusted::of(crate::hooks::Approvals::none()),
            TrustSource::Given(trusted) => trusted.clone(),
        }
    }
}

fn foreign(path: &Path) -> Diagnostic {
    let message = format!("{} belongs to another user, so it does not mark the project", path.display());
    Diagnostic::warning(Code::ForeignOwner, message)
        .about(Subject::file(path.to_string_lossy()))
        .hint("take it over with chown if it is yours")
}

fn not_read(withheld: &NotLoaded) -> Diagnostic {
    let path = withheld.path.as_deref().unwrap_or_default();
    if withheld.is_foreign() {
        let message = format!("{path} is not read: it belongs to another user");
        return Diagnostic::warning(Code::ForeignOwner, message)
            .about(Subject::file(path))
            .hint("take it over with chown if it is yours");
    }
    Diagnostic::note(Code::Untrusted, format!("{path} is not read: {}", withheld.detail()))
        .about(Subject::file(path))
        .hint("run `antefix trust`, or name the project's directory in `trusted` in your settings, if you trust it")
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
