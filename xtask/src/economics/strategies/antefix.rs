//! antefix itself: every request comes from the library, by its front door.

use std::collections::BTreeMap;

use ::antefix::stores::MemoryStore;
use ::antefix::text::FactName;
use ::antefix::worlds::MemoryWorld;
use ::antefix::{Ask, Project};
use serde_json::Value;

use super::{Moment, Outcome, Strategy};
use crate::economics::outline::message_of;

/// An agent that uses antefix.
pub(super) struct Antefix {
    layout: Layout,
    store: MemoryStore,
    /// A project by its root, as the world was when it was opened.
    projects: BTreeMap<String, (usize, Project)>,
    /// The token of a compaction that was begun, by conversation.
    compactions: BTreeMap<String, String>,
}

/// Which layout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout {
    /// What all other strategies say, as barely as they do.
    SameTexts,
    /// The same, with all caches written for the longest lifetime.
    LongLifetime,
    /// The same without what changes from turn to turn.
    NothingLive,
    /// `coding-agent` as it is built in: with its own identity and list of tools besides.
    BuiltIn,
}

/// The frozen sections of `coding-agent` without its frames, behind a base of one's own.
const FROZEN: &str = include_str!("frozen.toml");
/// Its live ones.
const LIVE: &str = include_str!("live.toml");

impl Layout {
    /// The project's layout file; none where the built-in one is used.
    fn file(self, base: &str) -> Option<String> {
        let live = match self {
            Layout::SameTexts | Layout::LongLifetime => LIVE,
            Layout::NothingLive => "",
            Layout::BuiltIn => return None,
        };
        let lifetime = if self == Layout::LongLifetime { "lifetime = \"long\"\n" } else { "" };
        Some(lifetime.to_owned() + &FROZEN.replace("{base}", base) + live)
    }
}

impl Antefix {
    pub(super) fn new(layout: Layout) -> Antefix {
        Antefix { layout, store: MemoryStore::new(), projects: BTreeMap::new(), compactions: BTreeMap::new() }
    }

    fn conversation(&mut self, moment: &Moment<'_>) -> Outcome<::antefix::Conversation> {
        let (scene, root) = (moment.scene, &moment.conversation.root);
        let known = self.projects.get(root).filter(|(revision, _)| *revision == scene.revision);
        let project = match known {
            Some((_, project)) => project.clone(),
            None => {
                let mut world = MemoryWorld::new()
                    .file(format!("{root}/.git/HEAD"), "ref: refs/heads/main\n")
                    .file(format!("{root}/AGENTS.md"), scene.instructions.as_str());
                for (name, description) in &scene.skills {
                    let text = format!("---\nname: {name}\ndescription: {description}\n---\nRead on.\n");
                    world = world.file(format!("{root}/.agents/skills/{name}/SKILL.md"), text);
                }
                if let Some(layout) = self.layout.file(&scene.base) {
                    world = world.file(format!("{root}/.antefix/layout.toml"), layout);
                }
                let builder = ::antefix::Antefix::builder().world(world).open_store(self.store.clone());
                builder.build().and_then(|antefix| antefix.project(root)).map_err(said)?
            }
        };
        self.projects.insert(root.clone(), (scene.revision, project.clone()));
        project.conversation(&moment.conversation.id).map_err(said)
    }

    fn ask(moment: &Moment<'_>, messages: Vec<Value>) -> Ask {
        let scene = moment.scene;
        let mut ask = Ask::new()
            .model(moment.model())
            .tools(scene.tools.iter().cloned())
            .messages(messages)
            .given(FactName::new("identity", "operator"), scene.base.as_str())
            .given(FactName::new("git", "branch"), "main")
            .given(FactName::new("git", "status"), scene.status.as_str());
        ask.now = Some(scene.now());
        ask
    }

    /// The conversation as the agent has it. The library marks it.
    fn messages(moment: &Moment<'_>) -> Vec<Value> {
        let target = moment.provider.target;
        moment.conversation.transcript.iter().map(|said| message_of(target, said)).collect()
    }
}

impl Strategy for Antefix {
    fn request(&mut self, moment: &Moment<'_>) -> Outcome<Value> {
        let messages = Antefix::messages(moment);
        let conversation = self.conversation(moment)?;
        let turn = conversation.turn(Antefix::ask(moment, messages)).map_err(said)?;
        let delivery = turn.deliver(moment.provider.target).map_err(said)?;
        Ok(delivery.fragment.to_value())
    }

    fn summary(&mut self, moment: &Moment<'_>) -> Outcome<Value> {
        let messages = Antefix::messages(moment);
        let conversation = self.conversation(moment)?;
        let begun = conversation.begin_compaction(Antefix::ask(moment, messages)).map_err(said)?;
        let delivery = begun.deliver(moment.provider.target).map_err(said)?;
        self.compactions.insert(moment.conversation.id.clone(), begun.token);
        Ok(delivery.fragment.to_value())
    }

    fn compacted(&mut self, moment: &Moment<'_>) -> Outcome {
        let token = self.compactions.remove(&moment.conversation.id).unwrap_or_default();
        let ask = Antefix::ask(moment, Vec::new());
        self.conversation(moment)?.commit_compaction(&token, ask).map_err(said)?;
        Ok(())
    }

    /// The ledger is all that a new process finds.
    fn restarted(&mut self) {
        self.projects.clear();
    }
}

fn said(error: ::antefix::Error) -> String {
    format!("antefix: {error}")
}
