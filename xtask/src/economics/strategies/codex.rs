//! Codex 0.166: a fixed base, and everything else as items of the conversation.
//!
//! Seen on the wire: tools, base, skills, then the instructions and the environment as items; the key is the session's, which
//! children share; children begin as a copy of their parent's items; no markers. AGENTS.md is compared at a resume, tools come as
//! `additional_tools`. A switch between families of models compacts first: that is not modeled.

use std::collections::BTreeMap;

use antefix::discover::tools::Tool;
use serde_json::Value;

use super::{Message, Moment, Outcome, Outline, Said, Strategy, changed_tools, summary_behind, tool_names, woven};

#[derive(Default)]
pub(super) struct Codex {
    threads: BTreeMap<String, Thread>,
}

#[derive(Clone)]
struct Thread {
    tools: Vec<Tool>,
    front: Vec<Message>,
    notices: Vec<(usize, Message)>,
    instructions: String,
    skills: String,
    date: String,
    names: Vec<String>,
    is_loaded: bool,
}

impl Thread {
    fn new(moment: &Moment<'_>) -> Thread {
        let (scene, root) = (moment.scene, &moment.conversation.root);
        Thread {
            tools: scene.tools.clone(),
            front: vec![
                Message::System(scene.skills_listing()),
                Message::Reminder(instructions(root, &scene.instructions)),
                Message::Reminder(environment(root, &scene.date())),
            ],
            notices: Vec::new(),
            instructions: scene.instructions.clone(),
            skills: scene.skills_listing(),
            date: scene.date(),
            names: tool_names(scene),
            is_loaded: true,
        }
    }

    fn update(&mut self, moment: &Moment<'_>, at: usize) {
        let (scene, root) = (moment.scene, &moment.conversation.root);
        if !self.is_loaded {
            self.is_loaded = true;
            if self.instructions != scene.instructions {
                self.instructions.clone_from(&scene.instructions);
                self.notices.push((at, Message::Reminder(instructions(root, &self.instructions))));
            }
            if self.skills != scene.skills_listing() {
                self.skills = scene.skills_listing();
                self.notices.push((at, Message::System(self.skills.clone())));
            }
        }
        if self.date != scene.date() {
            self.date = scene.date();
            self.notices.push((at, Message::Reminder(environment(root, &self.date))));
        }
        self.notices.extend(changed_tools(&mut self.names, scene).map(|change| (at, change)));
    }
}

fn instructions(root: &str, text: &str) -> String {
    format!("# AGENTS.md instructions for {root}\n\n<INSTRUCTIONS>\n{text}\n</INSTRUCTIONS>")
}

fn environment(root: &str, date: &str) -> String {
    format!("<environment_context>\n  <cwd>{root}</cwd>\n  <current_date>{date}</current_date>\n</environment_context>")
}

impl Codex {
    fn outline(&mut self, moment: &Moment<'_>) -> Outline {
        let conversation = moment.conversation;
        let parent = conversation.parent.as_ref();
        let inherited = parent.and_then(|(parent, _)| self.threads.get(parent)).cloned();
        let thread = self.threads.entry(conversation.id.clone()).or_insert_with(|| match inherited {
            Some(parent) => parent,
            None => Thread::new(moment),
        });
        let mut transcript: Vec<Said> = parent.map(|(_, said)| said.clone()).unwrap_or_default();
        transcript.extend(conversation.transcript.iter().cloned());
        thread.update(moment, transcript.len());
        let mut messages = thread.front.clone();
        messages.extend(woven(&transcript, &thread.notices));
        Outline {
            tools: thread.tools.clone(),
            system: vec![(moment.scene.base.clone(), None)],
            messages,
            key: Some(parent.map_or(&conversation.id, |(parent, _)| parent).clone()),
            ..Outline::default()
        }
    }
}

impl Strategy for Codex {
    fn request(&mut self, moment: &Moment<'_>) -> Outcome<Value> {
        Ok(self.outline(moment).request(moment.provider))
    }

    fn summary(&mut self, moment: &Moment<'_>) -> Outcome<Value> {
        Ok(summary_behind(self.outline(moment), moment.provider))
    }

    /// A new window, with everything as it is now.
    fn compacted(&mut self, moment: &Moment<'_>) -> Outcome {
        self.threads.insert(moment.conversation.id.clone(), Thread::new(moment));
        Ok(())
    }

    fn restarted(&mut self) {
        self.threads.values_mut().for_each(|thread| thread.is_loaded = false);
    }
}
