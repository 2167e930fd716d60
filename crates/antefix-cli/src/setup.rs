//! From arguments to a composed prompt: which layout, which wordings, which settings, which world.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use antefix::compose::{Layout, Paths, Prompt, TemplateRef, Wording, builtin, compose, lint, notice};
use antefix::deliver::Content;
use antefix::discover::{
    Answer, FactName, Gate, HiddenText, Hygiene, NotLoaded, Reason, ReasonCode, Remote, Report, Scope, Secrets,
    Shelves, Situation, Survey, Text, Tool, Tools, Trust, UntrustedText, Why, Workspace, World, discover, touch,
};
use antefix::hooks::{AskedRoots, Hook, HookPoint, Program, Question, TrustState};
use antefix::keeper::TurnInput;
use antefix::models::Models;
use antefix::worlds::OsWorld;
use antefix::{Diagnostic, Level, Source, SourceKind};
use serde::Deserialize;

use crate::args::ComposeArgs;
use crate::counts::Counts;
use crate::{Failure, approvals};

/// The largest file that may be named on the command line.
const INPUT_LIMIT: u64 = 2 * 1024 * 1024;

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
    workspace: Workspace,
    wording: Wording,
    layout: Layout,
    situation: Situation,
    /// The hooks that the layout declares.
    programs: Vec<Program>,
    /// Files of the project's own that were not read, because the project is not trusted.
    withheld: Vec<NotLoaded>,
    /// Why nothing is trusted, if something should be.
    mistrust: Option<Diagnostic>,
}

/// Finds the layout, the wordings and the settings that the arguments ask for.
pub(crate) fn prepared(args: &ComposeArgs) -> Result<Prepared, Failure> {
    let world = args.now.map_or_else(OsWorld::new, OsWorld::at);
    let workspace = Workspace::find(&world, &directory(args.cwd.as_deref())?);
    let settings = Settings::load(&world, &workspace)?;
    let kept = approvals::load(&world, &workspace);
    // Who trusts a project's programs trusts its text.
    let trust = match kept.approvals.of(&workspace) {
        Some(_) => Trust::Trusted,
        None => settings.untrusted_text.trust(&workspace, &settings.trusted),
    };
    // The project's own layout, wordings and templates pass the same gate as its other texts.
    let gate = Gate::new(&world, &workspace, &settings.file_roots, trust);
    let mut withheld = Vec::new();
    let wording = wording(args.wording.as_deref(), &gate, &workspace, &mut withheld)?;
    let (layout, file) = match &args.template {
        Some(path) => (template_alone(path, args, &gate, &workspace)?, None),
        None => layout(args.layout.as_deref(), &gate, &workspace, &wording, &mut withheld)?,
    };
    let programs = Program::of_layout(&layout, file.as_deref(), &world, &workspace, &kept.approvals);

    let shelves = Shelves::new(&gate, &workspace, None);
    let mut situation = Situation::new(workspace.clone());
    situation.paths = layout.paths();
    situation.model.clone_from(&args.model);
    situation.conversation_id.clone_from(&args.conversation);
    situation.machine.clone_from(&args.machine);
    situation.tools = args.tools.as_deref().map(tools).transpose()?;
    let rules = layout.scope().map(|rules| rules.against(&workspace.cwd));
    situation.scope = rules.map(|rules| Scope::new(&rules, &world)).transpose()?;
    situation.given = args.set.iter().cloned().collect();
    situation.env_allow = settings.env_allow;
    situation.file_roots.clone_from(&settings.file_roots);
    situation.trust = trust;
    situation.hygiene = Hygiene { hidden: settings.hidden_text, secrets: settings.secrets };
    situation.phrases = wording.phrases(&shelves)?;
    situation.instructions = layout.instructions().clone();
    situation.skills = layout.skills().clone();
    situation.identity = settings.identity.operator;
    situation.memory = if args.no_memory { Remote::SwitchedOff } else { settings.memory.core };
    situation.remote = layout.remote().clone();
    drop(shelves);
    let mistrust = kept.finding;
    Ok(Prepared { world, workspace, wording, layout, situation, programs, withheld, mistrust })
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
    let wording = wording(None, &world, &workspace, &mut Vec::new())?;
    let (layout, file) = layout(named, &world, &workspace, &wording, &mut Vec::new())?;
    let kept = approvals::load(&world, &workspace);
    let programs = Program::of_layout(&layout, file.as_deref(), &world, &workspace, &kept.approvals);
    Ok(Found { world, workspace, file, programs })
}

impl Prepared {
    /// What there is to say before anything is asked for.
    pub(crate) fn diagnostics(&self) -> Vec<Diagnostic> {
        let mut diagnostics: Vec<Diagnostic> = self.workspace.foreign.iter().map(|path| not_obeyed(path)).collect();
        let withheld = self.withheld.iter();
        diagnostics.extend(withheld.map(|one| own_withheld(one.path.as_deref().unwrap_or_default(), &one.detail())));
        diagnostics.extend(self.mistrust.clone());
        diagnostics.extend(self.wording.findings().iter().cloned());
        diagnostics
    }

    /// The hooks that the layout declares, each with whether it may run.
    pub(crate) fn hooks(&self) -> Vec<(&Program, TrustState)> {
        self.programs.iter().map(|program| (program, program.state(&self.world, &self.workspace))).collect()
    }

    /// The situation with the roots that hooks name, for a prompt of nobody's.
    fn around(&self) -> Cow<'_, Situation> {
        let hooks: Vec<&dyn Hook> = self.programs.iter().map(|program| program as &dyn Hook).collect();
        let Prepared { world, situation, .. } = self;
        let question = Question { world, situation, conversation: None, epoch: None };
        AskedRoots::ask(&hooks, &question).around(&question, None)
    }

    /// Hooks that are not asked here and would not be run where they are.
    fn waiting(&self) -> impl Iterator<Item = Diagnostic> {
        let others = self.programs.iter().filter(|program| program.rule().on != HookPoint::Discover);
        others.filter_map(|program| program.finding(&self.world, &self.workspace))
    }
}

impl Prepared {
    /// The agent's tools, if they were named.
    pub(crate) fn tools(&self) -> Option<&[Tool]> {
        self.situation.tools.as_deref()
    }

    /// The model, if it was named.
    pub(crate) fn model(&self) -> Option<&str> {
        self.situation.model.as_deref()
    }

    /// The table of models, with the rows of the user's own `models.json` over it.
    pub(crate) fn models(&self) -> Result<Models, Failure> {
        models(&self.world, &self.workspace)
    }

    /// The content as the layout wants it placed.
    pub(crate) fn placed<'c>(&'c self, content: Content<'c>) -> Content<'c> {
        content.placed(&self.layout, &self.situation.phrases)
    }

    /// Answers a fact by hand.
    pub(crate) fn answer(&mut self, fact: FactName, text: &str) {
        self.situation.given.insert(fact, text.to_owned());
    }

    /// The facts that the layout names.
    pub(crate) fn facts(&self) -> Vec<FactName> {
        self.layout.facts()
    }

    /// Runs `with` on the input of a turn.
    pub(crate) fn with_input<T>(&self, with: impl FnOnce(&TurnInput<'_>) -> T) -> T {
        let Prepared { world, workspace, wording, layout, situation, .. } = self;
        let gate = Gate::new(world, workspace, &situation.file_roots, situation.trust);
        let shelves = Shelves::new(&gate, workspace, None);
        let hooks: Vec<&dyn Hook> = self.programs.iter().map(|program| program as &dyn Hook).collect();
        let mut input = TurnInput::new(world, layout, wording, &shelves, situation);
        input.hooks = &hooks;
        with(&input)
    }
}

/// Composes what the arguments ask for. A closer look also finds what waits for a path.
pub(crate) fn composed(args: &ComposeArgs, look: Look) -> Result<Composed, Failure> {
    let mut prepared = prepared(args)?;
    prepared.situation.survey = match look {
        Look::Composing => Survey::Skip,
        Look::Closely => Survey::Project,
    };
    let mut diagnostics = prepared.diagnostics();
    // Counts are needed for budgets in tokens alone, and take long the first time.
    let counts = prepared.layout.counts_tokens().then(Counts::recall);
    diagnostics.extend(prepared.waiting());
    let mut discovery = discover(&prepared.world, &prepared.around(), &prepared.layout.facts());
    let prompt = compose(&prepared.layout, &discovery.facts)?;
    if let Some(counts) = counts {
        counts.keep();
    }
    discovery.report.not_loaded.splice(0..0, prepared.withheld.iter().cloned());
    diagnostics.extend(discovery.diagnostics);
    match look {
        Look::Composing => diagnostics.extend(prompt.diagnostics().iter().cloned()),
        Look::Closely => diagnostics.extend(lint(
            &prepared.layout,
            &prepared.wording,
            &prompt,
            &prepared.workspace.machine(&prepared.world),
        )),
    }
    for gap in prompt.gaps() {
        // Whoever asked has usually said more about it already.
        let said = |diagnostic: &Diagnostic| diagnostic.about.as_deref() == Some(gap.fact.as_str());
        if gap.reason.code == ReasonCode::Untrusted || diagnostics.iter().any(said) {
            continue;
        }
        let message = format!("section `{}` goes without `{}`: {}", gap.section, gap.fact, gap.reason);
        diagnostics.push(Diagnostic::warning("gap", message).about(gap.fact.as_str()));
    }
    let named = prepared.layout.facts().iter().any(|fact| fact.as_str() == "instructions:files");
    let order = named.then(|| prepared.layout.instructions().in_words());
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
    match workspace.own_file(world, config, "models.json", SourceKind::Layout) {
        Answer::Present(file) => Ok(built_in.with(&file)?),
        Answer::Absent => Ok(built_in.clone()),
        Answer::Unavailable(reason) => {
            Err(Failure::plain(format!("{}: {reason}", config.join("models.json").display())))
        }
    }
}

/// The notice about what comes to hold when paths are touched, if anything does, and what is worth knowing.
pub(crate) fn touched(args: &ComposeArgs, paths: &[PathBuf]) -> Result<(Option<Text>, Vec<Diagnostic>), Failure> {
    let Prepared { world, wording, layout, situation, .. } = prepared(args)?;
    let files = FactName::new("instructions", "files");
    if !layout.facts().contains(&files) {
        let message = format!("the layout `{}` does not name `{files}`, so nothing waits for a path", layout.name());
        return Ok((None, vec![Diagnostic::note("nothing-touched", message)]));
    }
    let mut touched = touch(&world, &situation, paths, &BTreeSet::new());
    let gate = Gate::new(&world, &situation.workspace, &situation.file_roots, situation.trust);
    let notice = notice(&touched, &wording, &Shelves::new(&gate, &situation.workspace, None))?;
    if notice.is_none() && !touched.diagnostics.iter().any(|finding| finding.level == Level::Error) {
        let message = "no rule and no nested instruction file comes to hold for these paths";
        let hint = "`antefix explain` lists those that wait for a path";
        touched.diagnostics.push(Diagnostic::note("nothing-touched", message).hint(hint));
    }
    Ok((notice, touched.diagnostics))
}

fn not_obeyed(path: &Path) -> Diagnostic {
    let message = format!("{} belongs to another user, so it does not mark the project", path.display());
    Diagnostic::warning("foreign-owner", message).hint("take it over with chown if it is yours")
}

fn own_withheld(path: &str, detail: &str) -> Diagnostic {
    Diagnostic::note("untrusted", format!("{path} is not read: {detail}"))
        .about(path)
        .hint("run `antefix trust`, or name the project's directory in `trusted` in your settings, if you trust it")
}

/// The working directory: named, or the process's own.
pub(crate) fn directory(named: Option<&Path>) -> Result<PathBuf, Failure> {
    let directory = match named {
        Some(directory) => directory.to_owned(),
        None => std::env::current_dir()
            .map_err(|error| Failure::plain(format!("the current directory cannot be found: {error}")))?,
    };
    let absolute =
        std::path::absolute(&directory).map_err(|error| Failure::plain(format!("{}: {error}", directory.display())))?;
    match std::fs::metadata(&absolute) {
        Ok(metadata) if metadata.is_dir() => Ok(absolute),
        Ok(_) => Err(Failure::plain(format!("{} is no directory", directory.display()))),
        Err(error) => Err(Failure::with_hint(
            format!("{}: {error}", directory.display()),
            "--cwd names the directory that the conversation works in",
        )),
    }
}

/// The user's own settings. A project cannot set them.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    /// The variables that `env:` may name.
    #[serde(default)]
    env_allow: BTreeSet<String>,
    /// Directories besides the project root that `file:` may read.
    #[serde(default)]
    file_roots: Vec<PathBuf>,
    /// What becomes of hidden characters in files: `block`, `escape` or `allow`.
    #[serde(default)]
    hidden_text: HiddenText,
    /// What becomes of what looks like a secret: `redact` or `keep`.
    #[serde(default)]
    secrets: Secrets,
    /// What becomes of the text of a project that is not trusted: `use` or `withhold`.
    #[serde(default)]
    untrusted_text: UntrustedText,
    /// The directories whose projects are trusted.
    #[serde(default)]
    trusted: Vec<PathBuf>,
    /// Where the operator's prompt is kept: `[identity.operator]`.
    #[serde(default)]
    identity: IdentitySettings,
    /// Where the core memory is kept: `[memory.core]`.
    #[serde(default)]
    memory: MemorySettings,
    /// What `antefix acp` does: `[acp]`.
    #[serde(default)]
    acp: AcpSettings,
}

/// What the user's settings say of `antefix acp`.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AcpSettings {
    /// The key in `_meta` under which an editor brings a prompt of its own.
    pub(crate) client_key: Option<String>,
    /// How agents take a prompt, by the names that they give themselves.
    #[serde(default)]
    pub(crate) agents: std::collections::BTreeMap<String, String>,
}

/// What the user's settings say of `antefix acp`.
pub(crate) fn acp_settings() -> Result<AcpSettings, Failure> {
    let world = OsWorld::new();
    let workspace = Workspace::find(&world, &directory(None)?);
    Ok(Settings::load(&world, &workspace)?.acp)
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct IdentitySettings {
    #[serde(default)]
    operator: Remote,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct MemorySettings {
    #[serde(default)]
    core: Remote,
}

impl Settings {
    fn load(world: &OsWorld, workspace: &Workspace) -> Result<Settings, Failure> {
        let Some(config) = &workspace.config else { return Ok(Settings::default()) };
        let source = match workspace.own_file(world, config, "settings.toml", SourceKind::Layout) {
            Answer::Present(source) => source,
            Answer::Absent => return Ok(Settings::default()),
            Answer::Unavailable(reason) => {
                return Err(Failure::plain(format!("{}: {reason}", config.join("settings.toml").display())));
            }
        };
        let mut settings: Settings = toml::from_str(&source.text).map_err(|error| invalid_toml(&source, &error))?;
        for (key, directories) in [("file_roots", &mut settings.file_roots), ("trusted", &mut settings.trusted)] {
            for directory in directories.iter_mut() {
                *directory = real(directory, workspace);
                // A relative one would be another directory wherever the program is run: a project could lie in it.
                if !directory.is_absolute() {
                    let message = format!("`{}` in `{key}` is not absolute", directory.display());
                    return Err(Failure::with_hint(message, "write it in full, or from `~/`"));
                }
            }
        }
        Ok(settings)
    }
}

/// A directory as real paths are compared with it: from `~/`, and its own links followed.
fn real(directory: &Path, workspace: &Workspace) -> PathBuf {
    let at_home = directory.strip_prefix("~").ok().zip(workspace.home.as_ref()).map(|(path, home)| home.join(path));
    let directory = at_home.unwrap_or_else(|| directory.to_owned());
    if !directory.is_absolute() {
        return directory;
    }
    std::fs::canonicalize(&directory).unwrap_or(directory)
}

fn invalid_toml(source: &Arc<Source>, error: &toml::de::Error) -> Failure {
    antefix::Error::of_toml(antefix::ErrorKind::Layout, source, error.message(), error.span()).into()
}

/// The wordings: built-in, user, workspace, explicit.
fn wording(
    named: Option<&Path>,
    world: &dyn World,
    workspace: &Workspace,
    withheld: &mut Vec<NotLoaded>,
) -> Result<Wording, Failure> {
    let mut layers = Vec::new();
    for directory in workspace.config.iter().cloned().chain([workspace.project()]) {
        match workspace.own_file(world, &directory, "wording.toml", SourceKind::Wording) {
            Answer::Present(source) => layers.push(source),
            Answer::Absent => {}
            Answer::Unavailable(reason) if reason.code == ReasonCode::Untrusted => {
                withheld.push(not_used(workspace, "wording.toml", reason));
            }
            Answer::Unavailable(reason) => {
                return Err(Failure::plain(format!("{}: {reason}", directory.join("wording.toml").display())));
            }
        }
    }
    if let Some(path) = named {
        let label = path.display().to_string();
        layers.push(Arc::new(Source::new(SourceKind::Wording, label.clone(), read(path)?).at(label)));
    }
    Ok(Wording::with_layers(&layers, &Shelves::new(world, workspace, None))?)
}

/// The layout and its file: named, else the project's, else the user's, else the built-in default.
fn layout(
    named: Option<&str>,
    world: &dyn World,
    workspace: &Workspace,
    wording: &Wording,
    withheld: &mut Vec<NotLoaded>,
) -> Result<(Layout, Option<PathBuf>), Failure> {
    let (source, file) = match named {
        Some(named) => named_layout(named)?,
        None => found_layout(world, workspace, withheld)?,
    };
    let directory = file.as_deref().and_then(Path::parent);
    Ok((Layout::parse(&source, wording, &Shelves::new(world, workspace, directory))?, file))
}

fn template_alone(
    path: &Path,
    args: &ComposeArgs,
    world: &dyn World,
    workspace: &Workspace,
) -> Result<Layout, Failure> {
    let stdin = path == Path::new("-");
    let label = if stdin { "stdin".to_owned() } else { path.display().to_string() };
    let source = Source::new(SourceKind::Template, label.clone(), read(path)?).at(label);
    // A template in a file may include the files beside it.
    let directory =
        if stdin { None } else { std::path::absolute(path).ok().and_then(|path| path.parent().map(Path::to_owned)) };
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let reference = directory.as_ref().map(|_| format!("$layout/{}", name.trim_end_matches(".md")));
    let reference = reference.and_then(|reference| TemplateRef::parse(&reference, None).ok());
    let shelves = Shelves::new(world, workspace, directory.as_deref());
    Ok(Layout::of_template(&Arc::new(source), reference.as_ref(), args.dialect.into(), &shelves)?)
}

/// A built-in layout by its name, or a file.
fn named_layout(named: &str) -> Result<(Arc<Source>, Option<PathBuf>), Failure> {
    if let Some(layout) = builtin::layout(named) {
        return Ok((Arc::new(Source::new(SourceKind::Layout, layout.name, layout.text)), None));
    }
    if !named.contains(['/', '\\', '.']) {
        let names = builtin::LAYOUTS.iter().map(|layout| layout.name).collect::<Vec<_>>().join(", ");
        return Err(Failure::with_hint(
            format!("there is no layout `{named}`"),
            format!("the built-in layouts are {names}; a file is named by its path, such as ./{named}.toml"),
        ));
    }
    let path = std::path::absolute(named).map_err(|error| Failure::plain(format!("{named}: {error}")))?;
    let source = Source::new(SourceKind::Layout, named, read(&path)?).at(named);
    Ok((Arc::new(source), Some(path)))
}

fn found_layout(
    world: &dyn World,
    workspace: &Workspace,
    withheld: &mut Vec<NotLoaded>,
) -> Result<(Arc<Source>, Option<PathBuf>), Failure> {
    for directory in std::iter::once(workspace.project()).chain(workspace.config.clone()) {
        match workspace.own_file(world, &directory, "layout.toml", SourceKind::Layout) {
            Answer::Present(source) => return Ok((source, Some(directory.join("layout.toml")))),
            Answer::Absent => {}
            Answer::Unavailable(reason) if reason.code == ReasonCode::Untrusted => {
                withheld.push(not_used(workspace, "layout.toml", reason));
            }
            Answer::Unavailable(reason) => {
                return Err(Failure::plain(format!("{}: {reason}", directory.join("layout.toml").display())));
            }
        }
    }
    named_layout(builtin::LAYOUTS[0].name)
}

/// A file of the project's own directory for antefix that is withheld.
fn not_used(workspace: &Workspace, name: &str, reason: Reason) -> NotLoaded {
    let path = workspace.show(&workspace.project().join(name), Paths::Portable);
    let fact = FactName::new("antefix", name.trim_end_matches(".toml"));
    NotLoaded { fact, path: Some(path), why: Why::Unavailable(reason) }
}

/// The tools in a tools file.
fn tools(path: &Path) -> Result<Tools, Failure> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Entry {
        Name(String),
        Tool(Tool),
    }
    let text = read(path)?;
    let invalid = |what: &str| {
        let hint = "a tools file is a JSON array of names, or of objects with a `name`";
        Failure::with_hint(format!("{}: {what}", path.display()), hint)
    };
    let entries: Vec<Entry> = serde_json::from_str(&text).map_err(|error| invalid(&error.to_string()))?;
    let tools = entries.into_iter().map(|entry| match entry {
        Entry::Name(name) => Tool::named(name),
        Entry::Tool(tool) => tool,
    });
    tools.map(|tool| if tool.name.is_empty() { Err(invalid("a tool has no name")) } else { Ok(tool) }).collect()
}

/// A file that was named on the command line, `-` for stdin.
pub(crate) fn read(path: &Path) -> Result<String, Failure> {
    let failed = |what: &str| Failure::plain(format!("{}: {what}", path.display()));
    let mut bytes = Vec::new();
    let read = if path == Path::new("-") {
        std::io::stdin().lock().take(INPUT_LIMIT + 1).read_to_end(&mut bytes)
    } else {
        std::fs::File::open(path).and_then(|file| file.take(INPUT_LIMIT + 1).read_to_end(&mut bytes))
    };
    read.map_err(|error| failed(&error.to_string()))?;
    if bytes.len() as u64 > INPUT_LIMIT {
        return Err(failed(&format!("larger than {INPUT_LIMIT} bytes")));
    }
    String::from_utf8(bytes)
        .map_err(|error| failed(&format!("not UTF-8: byte {} is invalid", error.utf8_error().valid_up_to())))
}
