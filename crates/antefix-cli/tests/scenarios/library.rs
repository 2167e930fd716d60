//! The library, in this process: the front door as an agent in Rust uses it.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use antefix::compose::Dialect;
use antefix::discover::Given;
use antefix::discover::world::{
    Answer, Command, Contents, Kind, Listing, Output, Owner, Request, Response, SystemText, World,
};
use antefix::freeze::{Cause, Change, Epoch, Watch};
use antefix::hooks::HookDid;
use antefix::keeper::{Began, Drift, Turn};
use antefix::project::{LayoutChoice, TemplateCondition};
use antefix::text::FactName;
use antefix::worlds::OsWorld;
use antefix::{Antefix, Conversation, Delivery, Diagnostic, Error, Target};
use antefix_testing::Scratch;

use crate::document::{difference, epoch, finding, sorted};
use crate::front_end::Adapter;
use crate::outcome::{Outcome, Seen, line, live};
use crate::place::{CONVERSATION, NOW, Place};
use crate::step::{Ask, Step};

/// One [`Antefix`] for all steps, as in an agent that runs for long.
pub(crate) struct Library {
    antefix: Antefix,
    place: Rc<Place>,
}

impl Library {
    pub(crate) fn new(place: Rc<Place>) -> Library {
        let antefix = Antefix::builder().world(ScratchWorld::of(&place.scratch)).build().unwrap();
        Library { antefix, place }
    }

    /// Where it was last, unless a directory is named.
    fn conversation(&self, cwd: Option<&str>) -> antefix::Result<Conversation> {
        match cwd {
            Some(cwd) => self.antefix.project(self.place.path(cwd))?.conversation(CONVERSATION),
            None => self.antefix.conversation(CONVERSATION, self.place.path("p")),
        }
    }

    fn ask(&self, said: &Ask) -> antefix::Ask {
        let mut ask = antefix::Ask::new();
        ask.model = said.model.map(str::to_owned);
        ask.machine = said.machine.map(str::to_owned);
        ask.tools = said.tools.as_ref().map(|tools| serde_json::from_value(tools.clone()).unwrap());
        ask.messages = said.messages.as_ref().map(|messages| messages.as_array().unwrap().clone().into());
        ask.layout = said.layout.map(|name| LayoutChoice::named(name, &self.place.scratch.path("p")));
        ask.without = (!said.without.is_empty()).then(|| said.without.iter().map(|&name| name.to_owned()).collect());
        for (fact, text) in &said.set {
            let fact = FactName::parse(*fact).unwrap();
            let given = Given::parse(&fact, text).unwrap();
            ask = ask.given(fact, given);
        }
        ask.turn = said.turn.map(str::to_owned);
        ask.previous_response = said.previous_response.map(str::to_owned);
        ask.touch = said.touch.iter().map(PathBuf::from).collect();
        ask.replacement = said.replacement.map(str::to_owned);
        if said.watch == Some("acting") {
            ask.watch = Watch::Acting;
        }
        ask.now = Some(NOW.parse().unwrap());
        ask
    }

    fn turn(&self, said: &Ask) -> antefix::Result<Seen> {
        let turn = self.conversation(said.cwd)?.turn(self.ask(said))?;
        let (fragment, append) = delivered(said, |target| turn.deliver(target))?;
        Ok(Seen { fragment, append, ..of_turn(&turn) })
    }

    fn do_step(&self, step: &Step) -> antefix::Result<Outcome> {
        let nothing = || self.ask(&Ask::default());
        let project = || self.antefix.project(self.place.path("p"));
        let token = || self.place.token.borrow().clone();
        let seen = match step {
            Step::Turn(ask) => self.turn(ask)?,
            Step::Drift => of_drift(&self.conversation(None)?.drift(nothing())?),
            Step::Renew(cause) => {
                let cause = Cause::parse(cause).unwrap();
                let done = self.conversation(None)?.renew(cause, nothing())?;
                let began = Some(done.began == Began::Now);
                Seen { began, ..of_begun(&done.epoch, &done.hooks, &done.diagnostics) }
            }
            Step::BeginCompaction(ask) => {
                let begun = self.conversation(None)?.begin_compaction(self.ask(ask))?;
                self.place.token.replace(begun.token.clone());
                let (fragment, append) = delivered(ask, |target| begun.deliver(target))?;
                let (summary, diagnostics) = (Some(begun.prompt), Some(findings(&begun.diagnostics)));
                let hooks = (!begun.hooks.is_empty()).then(|| hooks(&begun.hooks));
                Seen { summary, hooks, diagnostics, fragment, append, ..Seen::default() }
            }
            Step::CommitCompaction => {
                let done = self.conversation(None)?.commit_compaction(&token(), nothing())?;
                of_begun(&done.epoch, &done.hooks, &done.diagnostics)
            }
            Step::AbortCompaction => {
                self.conversation(None)?.abort_compaction(&token())?;
                Seen::default()
            }
            Step::Send(text) => {
                self.conversation(None)?.send(text)?;
                Seen::default()
            }
            Step::Touch(paths) => {
                self.conversation(None)?.touch(nothing().touch(*paths))?;
                Seen::default()
            }
            Step::Trust => {
                let project = project()?;
                project.trust(project.trust_offer(None)?)?;
                Seen::default()
            }
            Step::RevokeTrust => {
                project()?.revoke_trust()?;
                Seen::default()
            }
            Step::SaveTemplate { dialect, text } => {
                let dialect = Dialect::parse(dialect).unwrap();
                project()?.save_template(&antefix::Ask::new(), dialect, *text, None, &TemplateCondition::Anything)?;
                Seen::default()
            }
            Step::DeleteTemplate => {
                project()?.delete_template(&antefix::Ask::new(), None, &TemplateCondition::Anything)?;
                Seen::default()
            }
            _ => return Ok(Outcome::NotOffered),
        };
        Ok(seen.into())
    }
}

/// The fragment and what is to be appended, if a target is named.
fn delivered(
    said: &Ask,
    deliver: impl FnOnce(Target) -> antefix::Result<Delivery>,
) -> antefix::Result<(Option<String>, Option<String>)> {
    let Some(target) = said.target.map(|target| Target::parse(target).unwrap()) else { return Ok((None, None)) };
    let delivery = deliver(target)?;
    let append = delivery.append.map(|append| sorted(&serde_json::Value::Array(append)));
    Ok((Some(sorted(&delivery.fragment.to_value())), append))
}

impl Adapter for Library {
    fn run(&mut self, step: &Step) -> Outcome {
        self.do_step(step).unwrap_or_else(|error| failed(&error))
    }
}

fn failed(error: &Error) -> Outcome {
    Seen::failed(error.to_string(), error.hint())
}

fn of_turn(turn: &Turn) -> Seen {
    let amendments = turn.amendments.iter().map(|amendment| {
        let body = &amendment.body;
        line(&[body.kind.name(), &body.section, body.file.as_deref().unwrap_or("no file"), &body.text])
    });
    let fresh = turn.amendments.iter().skip(turn.amendments.len() - turn.fresh);
    let told = fresh.map(|amendment| amendment.body.text.to_string());
    let queued = turn.messages.iter().map(|message| message.text.to_string());
    let added = turn.added.iter().map(|added| added.message["content"].as_str().unwrap_or_default().to_owned());
    Seen {
        epoch: turn.epoch.as_deref().map(of_epoch),
        began: Some(turn.began == Began::Now),
        prefix: Some(turn.prefix().to_owned()),
        amendments: Some(amendments.collect()),
        suffix: Some(turn.suffix.text().to_owned()),
        told: Some(told.chain(queued.clone()).chain(added).chain(live(turn.suffix.text())).collect()),
        queued: Some(queued.collect()),
        pending: Some(changes(&turn.pending)),
        changes: Some(changes(&turn.changes)),
        hooks: Some(hooks(&turn.hooks)),
        diagnostics: Some(findings(&turn.diagnostics)),
        ..Seen::default()
    }
}

fn of_drift(drift: &Drift) -> Seen {
    let parts = drift.difference.as_ref();
    Seen {
        epoch: Some(of_epoch(&drift.epoch)),
        changes: Some(changes(&drift.changes)),
        difference: parts.map(|parts| difference(parts.kind.name(), parts.at, parts.kept, parts.lost)),
        diagnostics: Some(findings(&drift.diagnostics)),
        ..Seen::default()
    }
}

fn of_begun(epoch: &Epoch, did: &[HookDid], diagnostics: &[Diagnostic]) -> Seen {
    let (epoch, hooks, diagnostics) = (Some(of_epoch(epoch)), Some(hooks(did)), Some(findings(diagnostics)));
    Seen { epoch, hooks, diagnostics, ..Seen::default() }
}

fn of_epoch(one: &Epoch) -> String {
    let gaps = one.body().gaps.iter().map(|gap| format!("{} {}", gap.section, gap.fact));
    epoch(one.number(), one.cause().name(), one.is_degraded(), gaps)
}

fn changes(changes: &[Change]) -> Vec<String> {
    let told = |one: &Change| line(&[one.kind.name(), one.section.as_deref().unwrap_or("-"), &one.origin, &one.detail]);
    changes.iter().map(told).collect()
}

fn hooks(did: &[HookDid]) -> Vec<String> {
    did.iter().map(|did| line(&[&did.hook, did.on.name(), did.action.name(), &did.bytes.to_string()])).collect()
}

fn findings(diagnostics: &[Diagnostic]) -> Vec<String> {
    let told = |one: &Diagnostic| {
        let about = one.about.as_ref();
        let origin = match (&one.place, about) {
            (Some(place), _) => place.to_string(),
            (None, Some(about)) => {
                format!("{} {}", about.name().unwrap_or(about.label()), about.path().unwrap_or_default())
            }
            (None, None) => String::new(),
        };
        finding(one.code.name(), one.level.name(), &one.message, &origin, one.hint.as_deref())
    };
    diagnostics.iter().map(told).collect()
}

/// This machine with the environment that a [`Scratch`] gives to programs.
#[derive(Debug)]
pub(crate) struct ScratchWorld {
    machine: OsWorld,
    home: String,
}

impl ScratchWorld {
    pub(crate) fn of(scratch: &Scratch) -> ScratchWorld {
        ScratchWorld { machine: OsWorld::new(), home: scratch.path("home").to_str().unwrap().to_owned() }
    }
}

impl World for ScratchWorld {
    fn env(&self, name: &str) -> Answer<String> {
        match name {
            "HOME" => Answer::Present(self.home.clone()),
            "PATH" => self.machine.env(name),
            _ => Answer::Absent,
        }
    }

    fn now(&self) -> jiff::Timestamp {
        self.machine.now()
    }

    fn time_zone(&self, _: Option<&str>) -> Answer<jiff::tz::TimeZone> {
        Answer::Absent
    }

    fn platform(&self) -> String {
        self.machine.platform()
    }

    fn system_text(&self, which: SystemText) -> Answer<String> {
        self.machine.system_text(which)
    }

    fn hostname(&self) -> Answer<String> {
        self.machine.hostname()
    }

    fn kind(&self, path: &Path) -> Answer<Kind> {
        self.machine.kind(path)
    }

    fn owner(&self, path: &Path) -> Answer<Owner> {
        self.machine.owner(path)
    }

    fn resolve(&self, path: &Path) -> Answer<PathBuf> {
        self.machine.resolve(path)
    }

    fn read(&self, root: &Path, path: &Path, limit: usize) -> Answer<Contents> {
        self.machine.read(root, path, limit)
    }

    fn list(&self, root: &Path, path: &Path, limit: usize) -> Answer<Listing> {
        self.machine.list(root, path, limit)
    }

    fn run(&self, command: &Command) -> Answer<Output> {
        self.machine.run(command)
    }

    fn fetch(&self, request: &Request) -> Answer<Response> {
        self.machine.fetch(request)
    }
}
