//! Stage one: ask the world, and answer with [`Facts`].
//!
//! 1. Only what a layout names is asked for: a template without git runs no git.
//! 2. A fact is present, absent or unavailable, and the three are never merged.
//! 3. Discovery cannot fail. It reports what was loaded, and what was considered and not loaded, with a reason each.
//!
//! Start with [`discover`], [`Situation`] and [`Discovery`]. Each source has a module of its own with its rules: [`file`](mod@file),
//! [`git`], [`instructions`], [`rules`], [`skills`], [`tools`], [`remote`], [`scope`]. [`world`] is the port to everything
//! outside; [`hygiene`] and [`trust`] decide what may enter a prompt; [`catalog`] lists every fact.

pub mod catalog;
pub mod commands;
pub mod documentation;
pub mod file;
pub mod git;
pub mod hidden;
pub mod hygiene;
pub mod ignore;
pub mod instructions;
pub mod remote;
pub mod roots;
pub mod rules;
pub mod scope;
pub mod secrets;
pub mod skills;
pub mod tools;
pub mod touch;
pub mod trust;
pub mod world;

pub(crate) mod environment;
mod fact;
mod frame;
mod front_matter;
mod given;
mod glob;
mod imports;
mod paths;
mod replacement;
mod report;
mod rewrite;
mod shared;
mod situation;
mod system;
pub(crate) mod workspace;

pub use fact::{Fact, Facts, Value};
pub(crate) use file::read_text;
pub(crate) use frame::protected;
pub(crate) use front_matter::yaml_texts;
pub use given::Given;
pub(crate) use instructions::{InstructionsWithin, files_left, instructions_within, size_of_instructions};
pub use paths::{Machine, Paths};
pub(crate) use report::{FileLeft, listed};
pub use report::{Loaded, NotLoaded, Report, Why};
pub(crate) use rewrite::Rewrite;
pub(crate) use shared::Shared;
pub use situation::{Caller, Permissions, ReadByAgent, Rules, Situation};
pub(crate) use skills::skills_within;
pub use workspace::Workspace;
pub(crate) use workspace::normalize;
pub use world::{Answer, Reason, ReasonCode, World};

use self::catalog::Lookup;
use self::file::cut_to;
use self::git::{Git, GitQuestion, GitText};
use self::hygiene::Hygiene;
use self::rules::Survey;
use self::skills::Form;
use self::trust::{Gate, Trust};
use crate::diagnostic::{Code, Diagnostic};
use crate::text::{Draft, FactName, Origin, Text, Transform};

/// Facts, and how they were found.
#[derive(Debug, Clone, Default)]
pub struct Discovery {
    /// One answer for each name asked.
    pub facts: Facts,
    /// What was loaded and what was not.
    pub report: Report,
    /// What is worth knowing.
    pub diagnostics: Vec<Diagnostic>,
}

/// Asks for the named facts, each once.
pub fn discover<'n>(
    world: &dyn World,
    situation: &Situation<'_>,
    names: impl IntoIterator<Item = &'n FactName>,
) -> Discovery {
    let names: Vec<&FactName> = names.into_iter().collect();
    let gate = Gate::new(world, situation.workspace, &situation.permissions.file_roots, situation.permissions.trust);
    let git = Git::new(&gate, &situation.workspace.cwd, situation.permissions.git)
        .within(situation.workspace.bound.as_deref());
    let left_to_git = names.iter().filter(|name| !situation.caller.given.contains_key(**name));
    let mut asking = Asking {
        world: &gate,
        beyond: world,
        situation,
        git: git.expecting(left_to_git.filter_map(|name| GitQuestion::of(name))),
        discovery: Discovery { facts: Facts::default().until(&situation.caller.stop), ..Discovery::default() },
    };
    for name in &names {
        // Whoever composes of these facts looks first whether anybody waits for that.
        if situation.caller.stop.is_set() {
            break;
        }
        asking.ask(name);
    }
    let Discovery { report, diagnostics, .. } = &mut asking.discovery;
    if situation.survey == Survey::Project {
        replacement::unused(&gate, situation, &names, report, diagnostics);
    }
    diagnostics.extend(situation.more.findings().iter().cloned());
    diagnostics.extend(situation.caller.tools.iter().flat_map(|tools| tools.findings(situation.permissions.hygiene)));
    diagnostics.extend(trust::withheld_finding(report));
    diagnostics.extend(report::left_to_agent(report));
    asking.discovery.look_through(situation.permissions.hygiene);
    asking.discovery
}

impl Discovery {
    /// Takes secrets and hidden characters out of what is reported: programs, servers and the system put whatever they like into
    /// the reasons of their failures.
    fn look_through(&mut self, hygiene: Hygiene) {
        for reason in self.facts.reasons_mut() {
            hygiene.redact(&mut reason.detail);
        }
        for not in &mut self.report.not_loaded {
            if let Why::Unavailable(reason) = &mut not.why {
                hygiene.redact(&mut reason.detail);
            }
        }
        hygiene.redact_all(&mut self.diagnostics);
    }
}

struct Asking<'w> {
    world: &'w dyn World,
    /// The world without a gate, for what the user's own settings name: no project's text is there.
    beyond: &'w dyn World,
    situation: &'w Situation<'w>,
    git: Git<'w>,
    discovery: Discovery,
}

impl Asking<'_> {
    fn ask(&mut self, name: &FactName) {
        if self.discovery.facts.get(name).is_some() {
            return;
        }
        let fact = match (catalog::lookup(name), self.situation.caller.given.get(name)) {
            (Lookup::Known(_), Some(given)) => self.given(name, given),
            (Lookup::Known(_), None) => self.source(name),
            (Lookup::UnknownName | Lookup::UnknownNamespace, _) => {
                let missing = NotLoaded { fact: name.clone(), path: None, why: Why::Unknown };
                self.discovery.report.not_loaded.push(missing);
                return;
            }
        };
        let report = &mut self.discovery.report;
        let of_several = matches!(name.namespace(), "instructions" | "skills") || name.as_str() == "tools:instructions";
        let lists_itself =
            of_several && (report.by_caller.contains(name) || !self.situation.caller.given.contains_key(name));
        match &fact {
            // A source of several files has listed each of them.
            Answer::Present(_) if lists_itself => {}
            Answer::Present(value) => {
                let text = value.text(name);
                let from_file = matches!(name.namespace(), "file" | "identity" | "memory");
                let path = text.pieces().find_map(|piece| piece.origin.path().filter(|_| from_file));
                report.loaded.push(Loaded::whole(name, path.map(str::to_owned), text.as_str().len()));
            }
            Answer::Absent => report.not_loaded.push(NotLoaded { fact: name.clone(), path: None, why: Why::Absent }),
            Answer::Unavailable(reason) => {
                report.not_loaded.push(NotLoaded {
                    fact: name.clone(),
                    path: None,
                    why: Why::Unavailable(reason.clone()),
                });
            }
        }
        self.discovery.facts.insert(name.clone(), fact);
    }

    /// Takes what the caller answered by hand. What would be found in several files is checked and bounded as they are.
    fn given(&mut self, name: &FactName, given: &Given) -> Fact {
        let Discovery { report, diagnostics, .. } = &mut self.discovery;
        match (name.as_str(), given) {
            ("instructions:files", _) => match given.files() {
                Ok(files) => instructions::given(self.world, self.situation, name, files, report, diagnostics),
                Err(fact) => fact,
            },
            ("skills:index" | "skills:listing", Given::Text(text)) => {
                skills::given(self.situation, name, text, report, diagnostics)
            }
            _ => given.fact(name),
        }
    }

    /// Asks who answers the namespace.
    fn source(&mut self, name: &FactName) -> Fact {
        let plain = |text: String| Value::Text(Text::new(text, Origin::fact(name)));
        match name.namespace() {
            "system" => {
                system::answer(self.world, self.situation, name.name(), &mut self.discovery.diagnostics).map(plain)
            }
            "prompt" => self.prompt(name.name()).map(plain),
            "env" => {
                let hygiene = self.situation.permissions.hygiene;
                let text = self.env(name.name()).map(|text| Text::new(text, Origin::fact(name)));
                text.and_then(|text| hygiene.clean(text, &name.as_str().into(), &mut self.discovery.diagnostics))
                    .map(Value::Text)
            }
            "file" => file::answer(self.world, self.situation, name, &mut self.discovery.diagnostics),
            "git" => self.git(name),
            "instructions" => self.instructions(name),
            "skills" => self.skills(name),
            "identity" | "memory" | "command" => {
                remote::answer(self.beyond, self.situation, name, &mut self.discovery.diagnostics)
            }
            "tools" if name.name() == "instructions" => {
                let Discovery { report, diagnostics, .. } = &mut self.discovery;
                tools::instructions(self.situation, name, report, diagnostics)
            }
            "tools" => tools::answer(self.situation, name, &mut self.discovery.diagnostics),
            "documentation" => documentation::answer(self.situation, name.name()).map(plain),
            "scope" => self.scope().map(plain),
            _ => Answer::Absent,
        }
    }

    /// A directory as the prompt calls it: it closes no tag that the layout has, and else keeps its name.
    fn called(&self, path: String) -> String {
        let path = self.situation.permissions.hygiene.label(path, &[]);
        let text = Text::new(path, Origin::fact(&FactName::new("prompt", "cwd")));
        protected(&text, &self.situation.rules.instructions.protect).as_str().to_owned()
    }

    fn prompt(&self, name: &str) -> Answer<String> {
        let given = |value: &Option<String>| value.clone().map_or(Answer::Absent, Answer::Present);
        let workspace = &self.situation.workspace;
        match name {
            "cwd" => Answer::Present(self.called(workspace.show_cwd(self.situation.rules.paths))),
            "cwd_absolute" => Answer::Present(self.called(workspace.show_cwd(Paths::Absolute))),
            "root" => Answer::Present(self.called(workspace.show(&workspace.root, Paths::Absolute))),
            "home" => match &workspace.home {
                Some(home) => Answer::Present(self.called(workspace.show(home, Paths::Absolute))),
                None => Answer::Absent,
            },
            "model" => given(&self.situation.caller.model),
            "conversation_id" => given(&self.situation.conversation_id.map(str::to_owned)),
            "workspace_id" => given(&self.situation.caller.workspace_id),
            _ => Answer::Absent,
        }
    }

    fn env(&self, name: &str) -> Answer<String> {
        if !self.situation.permissions.env_allow.contains(name) {
            return Answer::unavailable(ReasonCode::NotAllowed, format!("{name} (env_allow in your settings)"));
        }
        self.world.env(name)
    }

    fn git(&mut self, name: &FactName) -> Fact {
        let Some(question) = GitQuestion::of(name) else { return Answer::Absent };
        // Branches and changes are the repository's text too. Where there is none, there is nothing to withhold.
        let untrusted = self.situation.permissions.trust == Trust::Untrusted;
        if untrusted && matches!(self.world.kind(&self.situation.workspace.root.join(".git")), Answer::Absent) {
            return Answer::Absent;
        }
        let answer = self.git.ask(question);
        let diagnostics = &mut self.discovery.diagnostics;
        if let Answer::Unavailable(reason) = &answer {
            let message = format!("{name} could not be asked for: {reason}");
            diagnostics.extend(
                reason.unless_withheld(Diagnostic::warning(Code::GitUnavailable, message).about(name.as_str())),
            );
        }
        let rules = self.situation.rules;
        answer.and_then(|printed| {
            let GitText { text, more, replaced, command } = printed;
            if replaced {
                let message = format!("`{command}` printed bytes that are not UTF-8; they became U+FFFD");
                diagnostics.push(Diagnostic::note(Code::NotUtf8, message).about(name.as_str()));
            }
            let mut draft = Draft::default();
            draft.push(&text, Origin::fact(name), replaced.then_some(Transform::Replaced));
            // What git prints is written out where a file would be blocked: it is the user's own work.
            let hygiene = self.situation.permissions.hygiene.written_out();
            let text = hygiene.clean(draft.into_text(), &command.as_str().into(), diagnostics);
            text.map(|text| {
                let notice = rules.phrases.get("cut_notice");
                match rules.git.budget(question) {
                    Some((key, budget)) if more || !budget.fits(text.as_str()) => {
                        let (size, unit) = (budget.unit.measure(text.as_str()), budget.unit.name());
                        let than = if more { "more than " } else { "" };
                        let message = format!("`{command}` printed {than}{size} {unit} and is cut to {}", budget.most);
                        let finding = Diagnostic::warning(Code::Cut, message).about(name.as_str());
                        diagnostics.push(finding.hint(format!("raise `{key}` in the layout's `[git]`")));
                        cut_to(&text, &notice, &[budget])
                    }
                    None if more => {
                        let limit = self.situation.permissions.git.output;
                        let message =
                            format!("`{command}` printed more than {limit} bytes: only the beginning is used");
                        diagnostics.push(Diagnostic::warning(Code::Cut, message).about(name.as_str()));
                        cut_to(&text, &notice, &[])
                    }
                    _ => text,
                }
            })
            .map(Value::Text)
        })
    }

    fn instructions(&mut self, name: &FactName) -> Fact {
        let Discovery { report, diagnostics, .. } = &mut self.discovery;
        match name.name() {
            "files" => instructions::answer(self.world, self.situation, name, report, diagnostics),
            "system" => replacement::answer(self.world, self.situation, name, "SYSTEM.md", report, diagnostics),
            "append" => replacement::answer(self.world, self.situation, name, "APPEND_SYSTEM.md", report, diagnostics),
            _ => Answer::Absent,
        }
    }

    fn skills(&mut self, name: &FactName) -> Fact {
        let form = match name.name() {
            "listing" => Form::Listing,
            "index" => Form::Index,
            "entries" => Form::Entries,
            _ => return Answer::Absent,
        };
        let Discovery { report, diagnostics, .. } = &mut self.discovery;
        skills::answer(self.world, self.situation, name, form, report, diagnostics)
    }

    fn scope(&self) -> Answer<String> {
        match &self.situation.scope {
            Some(scope) => Answer::Present(scope.summary(self.situation.workspace, self.situation.rules.paths)),
            None => Answer::Absent,
        }
    }
}
