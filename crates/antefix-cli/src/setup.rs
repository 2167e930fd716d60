//! From arguments to a composed prompt: which layout, which wordings, which settings, which world.

#[cfg(feature = "serve")]
mod around;
mod ground;
mod input;
mod layout;
mod settings;
#[cfg(feature = "serve")]
mod witness;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use antefix::compose::{self, Prompt, lint, notice};
use antefix::deliver::Content;
use antefix::diagnostic::{Code, Subject};
use antefix::discover::file::{Completed, complete};
use antefix::discover::hygiene::Hygiene;
use antefix::discover::remote::Remote;
use antefix::discover::roots::MoreRoots;
use antefix::discover::rules::Survey;
use antefix::discover::tools::{Tool, Tools};
use antefix::discover::touch::touch;
use antefix::discover::trust::Gate;
use antefix::discover::{Answer, Caller, Given, Permissions, Report, Situation, Workspace, World, discover};
use antefix::hooks::{AskedRoots, Hook, HookPoint, Program, Question, TrustState};
use antefix::keeper::TurnInput;
use antefix::models::Models;
#[cfg(feature = "serve")]
use antefix::project::TemplateList;
use antefix::text::SourceKind;
use antefix::worlds::OsWorld;
use antefix::{Diagnostic, Level};
use antefix::{
    project::TemplateDirectories,
    text::{FactName, Text},
};

use self::ground::Ground;
pub(crate) use self::ground::Template;
pub(crate) use self::input::directory;
#[cfg(feature = "serve")]
pub(crate) use self::input::existing;
use self::layout::{layout, wording};
use self::settings::Settings;
#[cfg(feature = "serve")]
pub(crate) use self::{around::Around, ground::Grounds};
#[cfg(feature = "serve")]
use self::{ground::Known, witness::Witness};
use crate::args::ComposeArgs;
use crate::counts::Counts;
pub(crate) use crate::input::read;
use crate::input::tools;
#[cfg(feature = "serve")]
pub(crate) use crate::input::{ToolEntry, fields};
use crate::{Failure, approvals};

/// A composed prompt, and how it was come by.
pub(crate) struct Composed {
    pub(crate) prompt: Prompt,
    pub(crate) report: Report,
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// In which order instruction files count, if the layout names them.
    pub(crate) order: Option<String>,
    pub(crate) prepared: Prepared,
}

/// How closely to look for mistakes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Look {
    /// What composing tells anyway.
    Composing,
    /// Everything.
    Closely,
}

/// Everything that the arguments, the settings and the files around say, before anything is asked for.
pub(crate) struct Prepared {
    world: OsWorld,
    ground: Arc<Ground>,
    caller: Caller,
    permissions: Permissions,
    conversation: Option<String>,
    survey: Survey,
    no_roots: MoreRoots,
    /// The table of models, if a model was named.
    models: Option<Models>,
    /// What the ground follows from, if that is known.
    #[cfg(feature = "serve")]
    known: Option<Arc<Known>>,
}

/// What a caller has in its hands, so that no file need be read for it.
#[derive(Clone, Default)]
pub(crate) struct InHand {
    /// The agent's tools.
    pub(crate) tools: Option<Vec<Tool>>,
    /// A text for the editable section of the layout.
    pub(crate) template: Option<Template>,
}

/// Finds the layout, the wordings and the settings that the arguments ask for.
pub(crate) fn prepared(args: &ComposeArgs) -> Result<Prepared, Failure> {
    prepared_with(args, InHand::default())
}

/// The same, with what the caller has in the place of files.
pub(crate) fn prepared_with(args: &ComposeArgs, given: InHand) -> Result<Prepared, Failure> {
    let world = args.now.map_or_else(OsWorld::new, OsWorld::at);
    let ground = Ground::find(&world, &directory(args.cwd.as_deref())?, args, given.template)?;
    Prepared::new(world, Arc::new(ground), args, given.tools)
}

/// The same on a ground that may be known already.
#[cfg(feature = "serve")]
pub(crate) fn prepared_on(grounds: &Grounds, args: &ComposeArgs, given: InHand) -> Result<Prepared, Failure> {
    let world = args.now.map_or_else(OsWorld::new, OsWorld::at);
    let known = grounds.find(&world, &directory(args.cwd.as_deref())?, args, given.template)?;
    let prepared = Prepared::new(world, Arc::clone(&known.ground), args, given.tools)?;
    Ok(Prepared { known: Some(known), ..prepared })
}

impl Prepared {
    fn new(
        world: OsWorld,
        ground: Arc<Ground>,
        args: &ComposeArgs,
        given: Option<Vec<Tool>>,
    ) -> Result<Prepared, Failure> {
        let caller = Caller {
            model: args.model.clone(),
            workspace_id: None,
            machine: args.machine.clone(),
            tools: match given {
                Some(tools) => Some(tools.into()),
                None => args.tools.as_deref().map(tools).transpose()?,
            },
            given: args.set.iter().map(|(name, text)| (name.clone(), Given::from(text.as_str()))).collect(),
        };
        let mut permissions = ground.permissions.clone();
        if args.no_memory {
            permissions.memory = Remote::SwitchedOff;
        }
        let models = args.model.as_ref().map(|_| models(&world, &ground.workspace)).transpose()?;
        Ok(Prepared {
            world,
            ground,
            models,
            caller,
            permissions,
            conversation: args.conversation.clone(),
            survey: Survey::default(),
            no_roots: MoreRoots::default(),
            #[cfg(feature = "serve")]
            known: None,
        })
    }
}

/// A layout and its hooks, read as if everything were trusted: to show what would be.
pub(crate) struct Found {
    pub(crate) world: OsWorld,
    pub(crate) workspace: Workspace,
    pub(crate) file: Option<PathBuf>,
    pub(crate) programs: Vec<Program>,
}

/// Finds the layout for `antefix trust`, and what is trusted of it now.
pub(crate) fn found(cwd: Option<&Path>, named: Option<&str>) -> Result<Found, Failure> {
    let world = OsWorld::new();
    let workspace = Workspace::find(&world, &directory(cwd)?);
    let hygiene = Settings::load(&world, &workspace)?.hygiene();
    let wording = wording(None, &world, &workspace, hygiene, &mut Vec::new())?;
    let (layout, file) = layout(named, &world, &workspace, &wording, hygiene, &mut Vec::new())?;
    let kept = approvals::load(&world, &workspace);
    let programs = Program::of_layout(&layout, file.as_deref(), &world, &workspace, &kept.approvals);
    Ok(Found { world, workspace, file, programs })
}

impl Prepared {
    /// What there is to say before anything is asked for.
    pub(crate) fn diagnostics(&self) -> Vec<Diagnostic> {
        let mut diagnostics: Vec<Diagnostic> =
            self.ground.workspace.foreign.iter().map(|path| not_obeyed(path)).collect();
        let withheld = self.ground.withheld.iter();
        diagnostics.extend(withheld.map(|one| own_withheld(one.path.as_deref().unwrap_or_default(), &one.detail())));
        diagnostics.extend(self.ground.ignored.clone());
        diagnostics.extend(self.ground.kept.finding.clone());
        diagnostics.extend(self.ground.wording.findings().iter().cloned());
        diagnostics
    }

    /// The hooks that the layout declares, each with whether it may run.
    pub(crate) fn hooks(&self) -> Vec<(&Program, TrustState)> {
        self.ground
            .programs
            .iter()
            .map(|program| (program, program.state(&self.world, &self.ground.workspace)))
            .collect()
    }

    fn situation(&self) -> Situation<'_> {
        Situation {
            workspace: &self.ground.workspace,
            rules: &self.ground.rules,
            permissions: &self.permissions,
            scope: self.ground.scope.as_ref(),
            caller: &self.caller,
            conversation_id: self.conversation.as_deref(),
            more: &self.no_roots,
            survey: self.survey,
        }
    }

    /// The roots that hooks name, for a prompt of nobody's.
    fn roots(&self) -> MoreRoots {
        let hooks: Vec<&dyn Hook> = self.ground.programs.iter().map(|program| program as &dyn Hook).collect();
        let question = Question { world: &self.world, situation: self.situation(), conversation: None, epoch: None };
        AskedRoots::ask(&hooks, &question).roots(&question, None)
    }

    /// Hooks that are not asked here and would not be run where they are.
    fn waiting(&self) -> impl Iterator<Item = Diagnostic> {
        let others = self.ground.programs.iter().filter(|program| program.rule().on != HookPoint::Discover);
        others.filter_map(|program| program.finding(&self.world, &self.ground.workspace))
    }
}

impl Prepared {
    /// The agent's tools, if they were named.
    pub(crate) fn tools(&self) -> Option<&Tools> {
        self.caller.tools.as_ref()
    }

    /// The model, if it was named.
    pub(crate) fn model(&self) -> Option<&str> {
        self.caller.model.as_deref()
    }

    /// The table of models, with the rows of the user's own `models.json` over it.
    pub(crate) fn models(&self) -> Result<Models, Failure> {
        models(&self.world, &self.ground.workspace)
    }

    /// The content as the layout wants it placed.
    pub(crate) fn placed<'c>(&'c self, content: Content<'c>) -> Content<'c> {
        content.placed(&self.ground.layout, &self.ground.rules.phrases)
    }

    /// Whether a turn asks for files at most: no program, no server.
    #[cfg(feature = "serve")]
    pub(crate) fn is_near(&self) -> bool {
        self.ground.near
    }

    /// Names the conversation.
    #[cfg(feature = "serve")]
    pub(crate) fn call(&mut self, conversation: &str) {
        self.conversation = Some(conversation.to_owned());
    }

    /// The layout's file.
    #[cfg(feature = "serve")]
    pub(crate) fn layout_text(&self) -> &str {
        &self.ground.layout.source().text
    }

    /// Where the agent works.
    #[cfg(feature = "serve")]
    pub(crate) fn cwd(&self) -> &Path {
        &self.ground.workspace.cwd
    }

    /// The templates that a text may refer to.
    #[cfg(feature = "serve")]
    pub(crate) fn shelves(&self, limit: usize) -> Vec<TemplateList> {
        TemplateDirectories::new(&self.gate(), &self.ground.workspace, None).list(limit)
    }

    /// The ways in which a path of `file:` goes on, beneath a directory.
    #[cfg(feature = "serve")]
    pub(crate) fn complete(&self, within: &Path, typed: &str, limit: usize) -> Answer<Completed> {
        complete(&self.gate(), &self.situation(), within, typed, limit)
    }

    fn gate(&self) -> Gate<'_> {
        Gate::new(&self.world, &self.ground.workspace, &self.permissions.file_roots, self.permissions.trust)
    }

    /// The section of the layout that people edit, as the layout has it.
    #[cfg(feature = "serve")]
    pub(crate) fn editable(&self) -> antefix::compose::Editable<'_> {
        self.ground.layout.editable()
    }

    /// Runs `with` on the input of a turn.
    pub(crate) fn with_input<T>(&self, with: impl FnOnce(&TurnInput<'_>) -> T) -> T {
        self.with_input_of(&self.world, with)
    }

    /// The same, and what the turn found around it, if that can be found again.
    #[cfg(feature = "serve")]
    pub(crate) fn with_around<T>(&self, with: impl FnOnce(&TurnInput<'_>) -> T) -> (T, Option<Around>) {
        let witness = Witness::of(&self.world);
        let done = self.with_input_of(&witness, with);
        (done, self.known.as_ref().and_then(|known| Around::new(known, witness.heard())))
    }

    fn with_input_of<T>(&self, world: &dyn World, with: impl FnOnce(&TurnInput<'_>) -> T) -> T {
        let hooks: Vec<&dyn Hook> = self.ground.programs.iter().map(|program| program as &dyn Hook).collect();
        let mut input = TurnInput::new(world, &self.ground.layout, self.situation());
        input.hooks = &hooks;
        input.models = self.models.as_ref().unwrap_or(input.models);
        with(&input)
    }
}

/// Composes what the arguments ask for. A closer look also finds what waits for a path.
pub(crate) fn composed(args: &ComposeArgs, look: Look) -> Result<Composed, Failure> {
    composed_of(prepared(args)?, look)
}

/// Composes what is prepared.
pub(crate) fn composed_of(mut prepared: Prepared, look: Look) -> Result<Composed, Failure> {
    prepared.survey = match look {
        Look::Composing => Survey::Skip,
        Look::Closely => Survey::Project,
    };
    let mut diagnostics = prepared.diagnostics();
    // Counts are needed for budgets in tokens alone, and take long the first time.
    let counts = prepared.ground.layout.counts_tokens().then(Counts::recall);
    diagnostics.extend(prepared.waiting());
    let more = prepared.roots();
    let situation = Situation { more: &more, ..prepared.situation() };
    let discovery = discover(&prepared.world, &situation, &prepared.ground.layout.facts());
    let composed = compose::Composed::prompt(&prepared.ground.layout, discovery)?;
    let compose::Composed { prompt, mut discovery, gaps } = composed;
    if let Some(counts) = counts {
        counts.keep();
    }
    discovery.report.not_loaded.splice(0..0, prepared.ground.withheld.iter().cloned());
    diagnostics.extend(discovery.diagnostics);
    match look {
        Look::Composing => diagnostics.extend(prompt.diagnostics().iter().cloned()),
        Look::Closely => diagnostics.extend(lint(
            &prepared.ground.layout,
            &prompt,
            &prepared.ground.workspace.machine(&prepared.world),
        )),
    }
    diagnostics.extend(gaps);
    let named = prepared.ground.layout.facts().iter().any(|fact| fact.as_str() == "instructions:files");
    let order = named.then(|| prepared.ground.layout.rules().instructions.in_words());
    Ok(Composed { prompt, report: discovery.report, diagnostics, order, prepared })
}

/// The table of models, for a command that composes nothing.
pub(crate) fn models_here() -> Result<Models, Failure> {
    let world = OsWorld::new();
    let workspace = Workspace::find(&world, &directory(None)?);
    models(&world, &workspace)
}

/// The table of models, with the rows of the user's own `models.json` over it.
fn models(world: &OsWorld, workspace: &Workspace) -> Result<Models, Failure> {
    let built_in = Models::built_in();
    let Some(config) = &workspace.config else { return Ok(built_in.clone()) };
    match workspace.own_file(world, config, "models.json", SourceKind::Layout, Hygiene::default()) {
        Answer::Present(file) => Ok(built_in.with(&file)?),
        Answer::Absent => Ok(built_in.clone()),
        Answer::Unavailable(reason) => {
            Err(Failure::plain(format!("{}: {reason}", config.join("models.json").display())))
        }
    }
}

/// The notice about what comes to hold when paths are touched, if anything does, and what is worth knowing.
pub(crate) fn touched(args: &ComposeArgs, paths: &[PathBuf]) -> Result<(Option<Text>, Vec<Diagnostic>), Failure> {
    let prepared = prepared(args)?;
    let (world, ground, situation) = (&prepared.world, &prepared.ground, prepared.situation());
    let Ground { wording, layout, .. } = &**ground;
    let files = FactName::new("instructions", "files");
    if !layout.facts().contains(&files) {
        let message = format!("the layout `{}` does not name `{files}`, so nothing waits for a path", layout.name());
        return Ok((None, vec![Diagnostic::note(Code::NothingTouched, message)]));
    }
    let mut touched = touch(world, &situation, paths, &BTreeSet::new());
    let notice = notice(&touched, wording)?;
    if notice.is_none() && !touched.diagnostics.iter().any(|finding| finding.level == Level::Error) {
        let message = "no rule and no nested instruction file comes to hold for these paths";
        let hint = "`antefix explain` lists those that wait for a path";
        touched.diagnostics.push(Diagnostic::note(Code::NothingTouched, message).hint(hint));
    }
    Ok((notice, touched.diagnostics))
}

fn not_obeyed(path: &Path) -> Diagnostic {
    let message = format!("{} belongs to another user, so it does not mark the project", path.display());
    Diagnostic::warning(Code::ForeignOwner, message)
        .about(Subject::file(path.to_string_lossy()))
        .hint("take it over with chown if it is yours")
}

fn own_withheld(path: &str, detail: &str) -> Diagnostic {
    Diagnostic::note(Code::Untrusted, format!("{path} is not read: {detail}"))
        .about(Subject::file(path))
        .hint("run `antefix trust`, or name the project's directory in `trusted` in your settings, if you trust it")
}
