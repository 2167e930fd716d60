//! Playing a workload with a strategy, and what it comes to.

use std::collections::BTreeMap;

use antefix::models::{Cost, Model, Models};
use antefix::observe::{Billed, Simulator};
use serde_json::Value;

use super::scene::{Conversation, Moment, Provider, Said, Scene};
use super::strategies::Strategy;
use super::texts;
use super::workloads::{What, Workload};
use crate::step::Outcome;

/// What a workload comes to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Tally {
    pub(super) requests: usize,
    pub(super) billed: Billed,
    /// Tokens that the request before, in the same conversation, had as well, and that were not read.
    pub(super) again: usize,
    pub(super) cost: Cost,
    /// Changes of instructions, skills and tools, and how many of them the next request of a conversation had.
    pub(super) changes: usize,
    pub(super) told: usize,
    /// What is true when a conversation begins: its directory, the day, what git says; and how much of it the first request had.
    pub(super) facts: usize,
    pub(super) facts_told: usize,
    /// News from git, and how many of them the next request of a conversation had.
    pub(super) news: usize,
    pub(super) news_told: usize,
    /// What had been paid after each request: the second, and millionths of a dollar.
    pub(super) course: Vec<(u64, u128)>,
}

impl Tally {
    /// The share of the input that was read, in thousandths.
    pub(super) fn read_share(&self) -> usize {
        self.billed.read * 1000 / self.billed.input().max(1)
    }
}

pub(super) fn play(workload: &Workload, strategy: &mut dyn Strategy, provider: &Provider) -> Outcome<Tally> {
    let mut playing = Playing {
        provider,
        scene: Scene { began: workload.began, ..Scene::new() },
        conversations: BTreeMap::new(),
        inputs: BTreeMap::new(),
        caches: BTreeMap::new(),
        awaited: Vec::new(),
        tally: Tally::default(),
    };
    for event in &workload.events {
        playing.scene.at = event.at;
        playing
            .happens(&event.what, strategy)
            .map_err(|error| format!("{} at {} s: {error}", workload.name, event.at))?;
    }
    Ok(playing.tally)
}

struct Playing<'p> {
    provider: &'p Provider,
    scene: Scene,
    conversations: BTreeMap<String, Conversation>,
    /// The tokens of the last request, by conversation and model.
    inputs: BTreeMap<(String, &'static str), usize>,
    caches: BTreeMap<&'static str, (Model, Simulator)>,
    /// What the next request ought to have.
    awaited: Vec<Awaited>,
    tally: Tally,
}

/// Something that changed, and the word that says whether a request has it.
struct Awaited {
    canary: String,
    is_news: bool,
}

impl Playing<'_> {
    fn happens(&mut self, what: &What, strategy: &mut dyn Strategy) -> Outcome {
        match what {
            What::Begin { conversation, root, parent } => {
                let parent = parent.as_ref().and_then(|parent| self.conversations.get(parent));
                let parent = parent.map(|parent| (parent.id.clone(), parent.transcript.clone()));
                let (id, root) = (conversation.clone(), root.clone());
                let begun = Conversation { id, root, parent, transcript: Vec::new() };
                self.conversations.insert(conversation.clone(), begun);
            }
            What::Request { conversation, said } => {
                self.of(conversation)?.transcript.extend(said.iter().cloned());
                let conversation = self.of(conversation)?.clone();
                let moment = Moment { scene: &self.scene, conversation: &conversation, provider: self.provider };
                let (model, request) = (moment.model(), strategy.request(&moment)?);
                if conversation.transcript.len() == said.len() {
                    self.begun(&conversation, &request);
                }
                self.send(&conversation.id, model, &request)?;
            }
            What::Answer { conversation, text } => {
                self.of(conversation)?.transcript.push(Said::Answer(text.clone()));
            }
            What::Compact { conversation, summary } => {
                let before = self.of(conversation)?.clone();
                let moment = Moment { scene: &self.scene, conversation: &before, provider: self.provider };
                let (model, request) = (moment.model(), strategy.summary(&moment)?);
                self.send(conversation, model, &request)?;
                let summary = format!("This is what happened so far.\n\n{summary}");
                let transcript = vec![Said::User(summary), Said::Answer("I go on from there.".to_owned())];
                self.of(conversation)?.transcript = transcript;
                let after = self.of(conversation)?.clone();
                let moment = Moment { scene: &self.scene, conversation: &after, provider: self.provider };
                strategy.compacted(&moment)?;
                // A shorter conversation has nothing that the one before had as well but its prefix; nobody counts that.
                self.inputs.retain(|(id, _), _| id != conversation);
            }
            What::Restart => strategy.restarted(),
            What::Switch => self.scene.switched = !self.scene.switched,
            What::Edit(number) => {
                self.scene.instructions.push_str(&texts::rule(*number));
                self.changed(texts::canary("rule", *number));
            }
            What::Skill(number) => {
                let skill = texts::skill(*number);
                let canary = skill.0.clone();
                self.scene.skills.push(skill);
                self.changed(canary);
            }
            What::Server { number, tools } => {
                let tools = texts::server_tools(*number, *tools);
                let canary = tools.first().map(|tool| tool.name.clone()).unwrap_or_default();
                self.scene.tools.extend(tools);
                self.changed(canary);
            }
            What::ServerGone(number) => {
                let gone = texts::canary("server", *number).replace('-', "_");
                self.scene.tools.retain(|tool| !tool.name.starts_with(&gone));
                self.scene.revision += 1;
            }
            What::Git(number) => {
                let canary = texts::canary("file", *number);
                self.scene.status = format!(" M src/ledger.rs\n M src/{canary}.rs\n?? notes.txt");
                self.awaited.push(Awaited { canary, is_news: true });
                self.tally.news += 1;
            }
        }
        Ok(())
    }

    /// Counts what the first request of a conversation says of where and when it begins.
    fn begun(&mut self, conversation: &Conversation, request: &Value) {
        let text = request.to_string();
        let status = self.scene.status.lines().next().map(str::trim).unwrap_or_default();
        let facts = [conversation.root.as_str(), &self.scene.date(), status];
        self.tally.facts += facts.len();
        self.tally.facts_told += facts.iter().filter(|fact| text.contains(**fact)).count();
    }

    fn changed(&mut self, canary: String) {
        self.scene.revision += 1;
        self.tally.changes += 1;
        self.awaited.push(Awaited { canary, is_news: false });
    }

    fn of(&mut self, conversation: &str) -> Outcome<&mut Conversation> {
        self.conversations.get_mut(conversation).ok_or_else(|| format!("there is no conversation `{conversation}`"))
    }

    fn send(&mut self, conversation: &str, name: &'static str, request: &Value) -> Outcome {
        if !self.awaited.is_empty() {
            let text = request.to_string();
            for awaited in std::mem::take(&mut self.awaited) {
                let told = usize::from(text.contains(&awaited.canary));
                match awaited.is_news {
                    true => self.tally.news_told += told,
                    false => self.tally.told += told,
                }
            }
        }
        if !self.caches.contains_key(name) {
            let (model, _) = Models::built_in().find(name).ok_or_else(|| format!("no model `{name}` is known"))?;
            let simulator = Simulator::new(&model);
            self.caches.insert(name, (model, simulator));
        }
        let Some((model, simulator)) = self.caches.get_mut(name) else { return Ok(()) };
        let billed = simulator.send(self.scene.at, self.provider.target, request).map_err(|error| error.to_string())?;
        let cost = billed.cost(model).ok_or_else(|| format!("`{name}` has no price"))?;
        let before = self.inputs.insert((conversation.to_owned(), name), billed.input()).unwrap_or(0);
        self.tally.requests += 1;
        self.tally.again += before.min(billed.input()).saturating_sub(billed.read);
        self.tally.billed += billed;
        self.tally.cost = self.tally.cost + cost;
        self.tally.course.push((self.scene.at, self.tally.cost.micro_dollars()));
        Ok(())
    }
}
