//! What is around, and what to do about it: for a first run, and for "it does not work".
//!
//! 1. Every check answers with one line, and with advice where there is something to do.
//! 2. Nothing is made or changed: a ledger that nobody has begun is not begun by looking at it, and no agent, hook or memory
//!    is run or asked.
//! 3. One check that fails keeps none of the others from being made.

use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::{Timestamp, civil};

use super::{Ask, Project, TemplateChoice};
use crate::agents::Agent;
use crate::discover::world::{Answer, Command, Kill, Kind, ReasonCode, World};
use crate::discover::{Paths, Workspace};
use crate::error::Error;
use crate::hooks::TrustState;

/// A table of models that was not compared with its sources for so long is worth a word.
const OLD_MODELS: i64 = 120;

/// One line of a check-up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// What was looked at: one of a closed set of words.
    pub about: &'static str,
    /// How it is.
    pub health: Health,
    /// What was found.
    pub says: String,
    /// What to do, where there is something to do.
    pub hint: Option<String>,
}

/// How something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Health {
    /// As it should be.
    Good,
    /// It works, and something is worth knowing.
    Note,
    /// It does not work.
    Broken,
}

impl Health {
    /// The name in documents.
    pub fn name(self) -> &'static str {
        match self {
            Health::Good => "good",
            Health::Note => "note",
            Health::Broken => "broken",
        }
    }
}

impl Check {
    fn new(about: &'static str, health: Health, says: impl Into<String>) -> Check {
        Check { about, health, says: says.into(), hint: None }
    }

    fn good(about: &'static str, says: impl Into<String>) -> Check {
        Check::new(about, Health::Good, says)
    }

    fn hint(mut self, hint: impl Into<String>) -> Check {
        self.hint = Some(hint.into());
        self
    }

    fn of_error(about: &'static str, error: &Error) -> Check {
        let check = Check::new(about, Health::Broken, error.to_string());
        match error.hint() {
            Some(hint) => check.hint(hint),
            None => check,
        }
    }
}

impl Project {
    /// Looks at everything that a prompt, a conversation or a server here needs.
    ///
    /// ```
    /// # use antefix::{Antefix, worlds::MemoryWorld};
    /// # let world = MemoryWorld::new().file("/p/.git/HEAD", "").file("/p/AGENTS.md", "Use tabs.");
    /// # let project = Antefix::builder().world(world).store("memory").build()?.project("/p")?;
    /// let checks = project.doctor();
    /// let project = checks.iter().find(|check| check.about == "project").unwrap();
    /// assert_eq!(project.says, "/p");
    /// # Ok::<(), antefix::Error>(())
    /// ```
    pub fn doctor(&self) -> Vec<Check> {
        let world = self.antefix.world();
        let mut checks = vec![Check::good("antefix", env!("CARGO_PKG_VERSION")), git(world)];
        let workspace = match self.location().workspace(world) {
            Ok(workspace) => workspace,
            Err(error) => {
                checks.push(Check::of_error("project", &error));
                Workspace::of_user(world)
            }
        };
        checks.push(self.checked_project(&workspace));
        checks.extend([self.checked_layout(&workspace), self.checked_settings(&workspace)]);
        checks.extend(self.checked_trust());
        checks.extend([self.checked_store(), self.checked_token(&workspace)]);
        checks.extend(self.antefix.shared_files().into_iter().map(|finding| {
            let check = Check::new("files", Health::Note, finding.message);
            Check { hint: finding.hint, ..check }
        }));
        checks.extend([agents(world, &workspace), self.checked_models()]);
        checks
    }

    fn checked_project(&self, workspace: &Workspace) -> Check {
        let root = workspace.root.display().to_string();
        if let Some(path) = workspace.foreign.first() {
            let says = format!("{root}; {} belongs to another user and is not obeyed", path.display());
            return Check::new("project", Health::Note, says).hint("work in a clone of your own");
        }
        let is_repository = self.antefix.world().kind(&workspace.root.join(".git")) != Answer::Absent;
        match is_repository {
            true => Check::good("project", root),
            false => Check::new("project", Health::Note, format!("{root}, which is not a git repository"))
                .hint("instruction files are looked for in this directory alone; run `git init` if it is a project"),
        }
    }

    fn checked_layout(&self, workspace: &Workspace) -> Check {
        match self.resolve(&Ask::new().template(TemplateChoice::Own)) {
            Err(error) => Check::of_error("layout", &error),
            Ok(context) => match &context.layout_file {
                Some(file) => Check::good("layout", workspace.show(file, Paths::Portable)),
                None => Check::good("layout", format!("the built-in `{}`", context.layout().name()))
                    .hint("`antefix init` makes one of this project's own"),
            },
        }
    }

    fn checked_settings(&self, workspace: &Workspace) -> Check {
        let Some(file) = workspace.config.as_ref().map(|config| config.join("settings.toml")) else {
            return Check::new("settings", Health::Note, "there is no home directory to read them from")
                .hint("set HOME or XDG_CONFIG_HOME to an absolute path");
        };
        let shown = workspace.show(&file, Paths::Portable);
        match self.antefix.settings() {
            Err(error) => Check::of_error("settings", &error),
            Ok(_) if self.antefix.world().kind(&file) == Answer::Absent => {
                Check::good("settings", format!("none ({shown} is not there)"))
            }
            Ok(_) => Check::good("settings", shown),
        }
    }

    /// The hooks of the layout, and whether they may run.
    fn checked_trust(&self) -> Vec<Check> {
        let trusted = self.antefix.trusted();
        let mut checks = Vec::new();
        if let Some(finding) = trusted.finding {
            checks.push(Check { hint: finding.hint, ..Check::new("trust", Health::Broken, finding.message) });
        }
        // A layout that cannot be read has a line of its own.
        let Ok(hooks) = self.hooks(&Ask::new().template(TemplateChoice::Own)) else { return checks };
        let idle: Vec<&str> = hooks
            .iter()
            .filter(|(_, state)| !matches!(state, TrustState::Trusted | TrustState::NotNeeded))
            .map(|(program, _)| program.rule().name.as_str())
            .collect();
        checks.push(match (hooks.len(), idle.as_slice()) {
            (0, _) => Check::good("trust", "the layout declares no programs"),
            (count, []) => Check::good("trust", format!("{count} of the layout's programs may run")),
            (_, idle) => Check::new("trust", Health::Note, format!("these do not run: {}", idle.join(", ")))
                .hint("look at them, then run `antefix trust`"),
        });
        checks
    }

    fn checked_store(&self) -> Check {
        let kind = self.antefix.store_kind();
        let place = match self.antefix.ledger_file() {
            Some(file) => file.display().to_string(),
            None => kind.to_owned(),
        };
        match self.antefix.ledger().existing(self.antefix.world()) {
            Err(error) => Check::of_error("store", &error),
            Ok(None) if kind == "memory" => {
                Check::new("store", Health::Note, "memory: nothing is kept when the program ends")
            }
            Ok(None) => Check::good("store", format!("{place} (the first turn makes it)")),
            Ok(Some(keeper)) => match keeper.store().conversations(None, 1) {
                Err(error) => Check::of_error("store", &error.into()),
                Ok(rows) if rows.is_empty() => Check::good("store", format!("{place}, without conversations")),
                Ok(_) => Check::good("store", place),
            },
        }
    }

    /// The token of `antefix serve`, where it is by default.
    fn checked_token(&self, workspace: &Workspace) -> Check {
        let Some(file) = self.antefix.state_directory().map(|state| state.join("token")) else {
            return Check::new("token", Health::Note, "there is no home directory to keep it in")
                .hint("`antefix serve --token-file FILE` names another place");
        };
        let shown = workspace.show(&file, Paths::Portable);
        match self.antefix.world().kind(&file) {
            Answer::Present(Kind::File) => Check::good("token", shown),
            Answer::Absent => Check::good("token", "none yet (the first `antefix serve` makes one)"),
            Answer::Present(_) => {
                Check::new("token", Health::Broken, format!("{shown} is not a file")).hint("move it away")
            }
            Answer::Unavailable(reason) => Check::new("token", Health::Broken, format!("{shown}: {reason}")),
        }
    }

    fn checked_models(&self) -> Check {
        let (models, finding) = self.antefix.models();
        if let Some(finding) = finding {
            return Check { hint: finding.hint, ..Check::new("models", Health::Broken, finding.message) };
        }
        let (count, as_of) = (models.names().count(), models.as_of());
        let says = format!("{count} models, prices and limits as of {as_of}");
        match age_in_days(as_of, self.antefix.world().now()) {
            Some(days) if days > OLD_MODELS => Check::new("models", Health::Note, format!("{says}, {days} days ago"))
                .hint("use a newer antefix, or lay newer rows over it in models.json beside your settings"),
            _ => Check::good("models", says),
        }
    }
}

fn age_in_days(date: &str, now: Timestamp) -> Option<i64> {
    let then: civil::Date = date.parse().ok()?;
    let today = now.to_zoned(jiff::tz::TimeZone::UTC).date();
    then.until(today).ok().map(|span| i64::from(span.get_days()))
}

/// Git, asked where no repository can have a say.
fn git(world: &dyn World) -> Check {
    let version = world.run(&Command {
        program: "git".to_owned(),
        args: vec!["--version".to_owned()],
        env: world.env("PATH").present().map(|path| ("PATH".to_owned(), path)).into_iter().collect(),
        cwd: PathBuf::from("/"),
        stdin: Vec::new(),
        time_limit: Duration::from_secs(3),
        output_limit: 1024,
        kill: Kill::Group,
    });
    let missing = "install git, or write layouts without `git:` facts; `antefix diff` needs it, too";
    match version {
        Answer::Present(output) if output.code == Some(0) => {
            let said = String::from_utf8_lossy(&output.stdout);
            Check::good("git", said.trim().trim_start_matches("git version ").to_owned())
        }
        Answer::Present(_) => Check::new("git", Health::Broken, "`git --version` fails").hint(missing),
        Answer::Absent => Check::new("git", Health::Note, "not installed").hint(missing),
        Answer::Unavailable(reason) if reason.code == ReasonCode::NotInstalled => {
            Check::new("git", Health::Note, "not installed").hint(missing)
        }
        Answer::Unavailable(reason) => Check::new("git", Health::Broken, reason.to_string()).hint(missing),
    }
}

/// The agents whose programs are on the user's path. None of them is run.
fn agents(world: &dyn World, workspace: &Workspace) -> Check {
    let agents = match Agent::all(world, workspace) {
        Ok(agents) => agents,
        Err(error) => return Check::of_error("agents", &error),
    };
    let installed = installed(world, &agents);
    if installed.is_empty() {
        return Check::good("agents", "none of those that antefix knows is on your PATH")
            .hint("`antefix agents` says what each would read here all the same");
    }
    let names: Vec<&str> = installed.iter().map(|agent| agent.name.as_str()).collect();
    Check::good("agents", names.join(", ")).hint("`antefix agents` says what each reads here")
}

/// Those whose programs are in an absolute directory of `PATH`.
pub(super) fn installed<'a>(world: &dyn World, agents: &'a [Agent]) -> Vec<&'a Agent> {
    let path = world.env("PATH").present().unwrap_or_default();
    let directories: Vec<&Path> = path.split(':').map(Path::new).filter(|path| path.is_absolute()).collect();
    let is_there = |program: &String| {
        directories.iter().any(|directory| world.kind(&directory.join(program)) == Answer::Present(Kind::File))
    };
    agents.iter().filter(|agent| agent.file.programs.iter().any(is_there)).collect()
}
