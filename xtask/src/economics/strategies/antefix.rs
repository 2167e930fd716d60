//! antefix itself: every request comes from the library, by its front door.

use std::collections::BTreeMap;

use ::antefix::stores::MemoryStore;
use ::antefix::text::FactName;
use ::antefix::worlds::MemoryWorld;
use ::antefix::{Ask, Project, Target};
use serde_json::{Value, json};

use super::{Moment, Outcome, Said, Strategy};
use crate::economics::outline::{mark, message_of};

/// An agent that uses antefix.
pub(super) struct Antefix {
    layout: Layout,
    store: MemoryStore,
    /// A project by its root, as the world was when it was opened.
    projects: BTreeMap<String, (usize, Project)>,
    /// The token of a compaction that was begun, by conversation.
    compactions: BTreeMap<String, String>,
    /// What was live at each of the user's messages, by conversation, where it is to be cleared with the next.
    live: BTreeMap<String, BTreeMap<usize, String>>,
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
    CodingAgent,
    /// A built-in layout that behaves like another system, with the base that all others have in the place of its own.
    Dispatch,
    Yoi,
    Pi,
    DeepSeek,
    Buzz,
    /// Tried: OpenAI's cache is to end at marks alone.
    ExplicitMode,
    /// Tried: the live part with every turn of the user's, to be cleared with the next.
    Cleared,
}

/// The frozen sections of `coding-agent` without its frames, behind a base of one's own.
const FROZEN: &str = include_str!("frozen.toml");
/// Its live ones.
const LIVE: &str = include_str!("live.toml");

/// A built-in layout as it lies in the library.
macro_rules! built_in {
    ($name:literal) => {
        include_str!(concat!("../../../../crates/antefix/layouts/", $name, "/layout.toml"))
    };
}

/// The list of skills, in a template.
const SKILLS: &str = "# Skills\n\n{% for one in skills.entries %}- {{ one.name }}: {{ one.description }}\n{% endfor %}";

impl Layout {
    /// The project's layout file; none where the built-in one is used.
    fn file(self, base: &str) -> Option<String> {
        let said = |layout: &str, file: &str, text: String| {
            layout.replace(&format!("file = \"$builtin/{file}\""), &format!("text = '''\n{text}'''"))
        };
        let (lifetime, live) = match self {
            Layout::SameTexts | Layout::ExplicitMode => ("", LIVE),
            Layout::LongLifetime => ("lifetime = \"long\"\n", LIVE),
            Layout::NothingLive | Layout::Cleared => ("", ""),
            Layout::CodingAgent => return None,
            Layout::Dispatch => {
                let text = format!(
                    "{base}\n\n[file:AGENTS.md]\n\n[skills:index]\n\nThe current working directory is [prompt:cwd]."
                );
                return Some(said(built_in!("dispatch"), "dispatch/template", text));
            }
            Layout::Yoi => {
                let text = format!("Your working directory is `{{{{ cwd }}}}`.\n\n{base}\n\n{SKILLS}");
                return Some(said(built_in!("yoi"), "yoi/default", text));
            }
            Layout::Pi => return Some(built_in!("pi").to_owned()),
            Layout::DeepSeek => return Some(said(built_in!("deepseek"), "deepseek/base-v1", base.to_owned())),
            Layout::Buzz => return Some(built_in!("buzz").to_owned()),
        };
        Some(lifetime.to_owned() + &FROZEN.replace("{base}", base) + live)
    }
}

impl Antefix {
    pub(super) fn new(layout: Layout) -> Antefix {
        Antefix {
            layout,
            store: MemoryStore::new(),
            projects: BTreeMap::new(),
            compactions: BTreeMap::new(),
            live: BTreeMap::new(),
        }
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
                if self.layout == Layout::Pi {
                    world = world.file(format!("{root}/.pi/SYSTEM.md"), scene.base.as_str());
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
    fn messages(&mut self, moment: &Moment<'_>) -> Vec<Value> {
        let Moment { scene, conversation, provider } = moment;
        let mut messages = Vec::new();
        for (at, said) in conversation.transcript.iter().enumerate() {
            messages.push(message_of(provider.target, said));
            if self.layout == Layout::Cleared && matches!(said, Said::User(_)) {
                let known = self.live.entry(conversation.id.clone()).or_default();
                let now =
                    || format!("Working directory: {}\nDate: {}\n{}", conversation.root, scene.date(), scene.git());
                let live = known.entry(at).or_insert_with(now);
                messages.push(json!({"role": "system", "content": live, "clear_at": "next_user_message"}));
            }
        }
        messages
    }
}

/// The request with a cache that ends at marks alone: behind the prefix, at its end, and where the request before it ended.
fn explicitly_marked(mut request: Value) -> Value {
    request["prompt_cache_options"]["mode"] = json!("explicit");
    let Some(input) = request["input"].as_array_mut() else { return request };
    let is_answer = |item: &Value| item["role"] == "assistant" || item["type"] == "function_call";
    let before = input.iter().rposition(is_answer).and_then(|at| input[..at].iter().rposition(|item| !is_answer(item)));
    let last = input.len().checked_sub(1);
    for at in before.into_iter().chain(last) {
        mark(Target::OpenAiResponses, input.get_mut(at), "30m");
    }
    request
}

impl Strategy for Antefix {
    fn request(&mut self, moment: &Moment<'_>) -> Outcome<Value> {
        let messages = self.messages(moment);
        let conversation = self.conversation(moment)?;
        let turn = conversation.turn(Antefix::ask(moment, messages)).map_err(said)?;
        let delivery = turn.deliver(moment.provider.target).map_err(said)?;
        match self.layout {
            Layout::ExplicitMode => Ok(explicitly_marked(delivery.fragment.to_value())),
            _ => Ok(delivery.fragment.to_value()),
        }
    }

    fn summary(&mut self, moment: &Moment<'_>) -> Outcome<Value> {
        let messages = self.messages(moment);
        let conversation = self.conversation(moment)?;
        let begun = conversation.begin_compaction(Antefix::ask(moment, messages)).map_err(said)?;
        let delivery = begun.deliver(moment.provider.target).map_err(said)?;
        self.compactions.insert(moment.conversation.id.clone(), begun.token);
        Ok(delivery.fragment.to_value())
    }

    fn compacted(&mut self, moment: &Moment<'_>) -> Outcome {
        self.live.remove(&moment.conversation.id);
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
