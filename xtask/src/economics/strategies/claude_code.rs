//! Claude Code from 2.1.267 on, and as it was seen in 2.1.325.
//!
//! System text and tools are recorded once per conversation. The instructions and a snapshot of git are in the first message,
//! environment and skills in a system message behind it; what changes later is appended: tools and skills when they change,
//! instructions when the process starts anew, the date with the day. A compaction asks behind the same prefix, and reads the files
//! again. Subagents have a system text of their own, and five minutes whatever the user has.

use std::collections::BTreeMap;

use antefix::discover::tools::Tool;
use serde_json::Value;

use super::{Message, Moment, Outcome, Outline, Strategy, changed_tools, summary_behind, tool_names, woven};
use crate::economics::scene::Said;

pub(super) struct ClaudeCode {
    lifetime: &'static str,
    sessions: BTreeMap<String, Session>,
}

struct Session {
    tools: Vec<Tool>,
    system: [String; 2],
    /// What stands before the user's first words.
    reminder: String,
    environment: String,
    instructions: String,
    skills: Vec<String>,
    date: String,
    names: Vec<String>,
    notices: Vec<(usize, Message)>,
    is_loaded: bool,
}

impl Session {
    fn new(moment: &Moment<'_>) -> Session {
        let (scene, root) = (moment.scene, &moment.conversation.root);
        let who = match moment.conversation.parent {
            None => "You are an agent for the command line.",
            Some(_) => "You are an agent that another agent has started for one task.",
        };
        let place = format!("{}\n\nPrimary working directory: {root}", scene.base);
        Session {
            tools: scene.tools.clone(),
            system: [who.to_owned(), place],
            reminder: format!(
                "<system-reminder>\nContents of {root}/AGENTS.md:\n\n{}\n</system-reminder>\n<system-reminder>\n{}\n</system-reminder>",
                scene.instructions,
                scene.git()
            ),
            environment: format!("Working directory: {root}\nDate: {}\n\n{}", scene.date(), scene.skills_listing()),
            instructions: scene.instructions.clone(),
            skills: scene.skills.iter().map(|(name, _)| name.clone()).collect(),
            date: scene.date(),
            names: tool_names(scene),
            notices: Vec::new(),
            is_loaded: true,
        }
    }

    fn update(&mut self, moment: &Moment<'_>) {
        let (scene, at) = (moment.scene, moment.conversation.transcript.len());
        let mut said = Vec::new();
        if !self.is_loaded {
            self.is_loaded = true;
            if self.instructions != scene.instructions {
                self.instructions.clone_from(&scene.instructions);
                said.push(format!("Contents of AGENTS.md have changed:\n\n{}", self.instructions));
            }
        }
        if self.date != scene.date() {
            self.date = scene.date();
            said.push(format!("The date is now {}.", self.date));
        }
        let more = scene.skills.iter().filter(|(name, _)| !self.skills.contains(name));
        let more: Vec<String> = more.map(|(name, description)| format!("- {name}: {description}")).collect();
        if !more.is_empty() {
            self.skills = scene.skills.iter().map(|(name, _)| name.clone()).collect();
            said.push(format!("More skills:\n{}", more.join("\n")));
        }
        if !said.is_empty() {
            self.notices.push((at, Message::System(said.join("\n\n"))));
        }
        self.notices.extend(changed_tools(&mut self.names, scene).map(|change| (at, change)));
    }
}

impl ClaudeCode {
    pub(super) fn new(lifetime: &'static str) -> ClaudeCode {
        ClaudeCode { lifetime, sessions: BTreeMap::new() }
    }

    fn outline(&mut self, moment: &Moment<'_>) -> Outline {
        let conversation = moment.conversation;
        let session = self.sessions.entry(conversation.id.clone()).or_insert_with(|| Session::new(moment));
        session.update(moment);
        let lifetime = if conversation.parent.is_some() { "5m" } else { self.lifetime };
        let mut messages = vec![Message::Reminder(session.reminder.clone())];
        let mut rest = woven(&conversation.transcript, &session.notices).into_iter();
        // A system message follows the user's first words.
        messages.extend(rest.by_ref().take(1));
        messages.push(Message::System(session.environment.clone()));
        messages.extend(rest);
        let [who, place] = session.system.clone();
        Outline {
            tools: session.tools.clone(),
            system: vec![(who, Some(lifetime)), (place, Some(lifetime))],
            messages,
            marks_last: Some(lifetime),
            ..Outline::default()
        }
    }
}

impl Strategy for ClaudeCode {
    fn request(&mut self, moment: &Moment<'_>) -> Outcome<Value> {
        Ok(self.outline(moment).request(moment.provider))
    }

    fn summary(&mut self, moment: &Moment<'_>) -> Outcome<Value> {
        Ok(summary_behind(self.outline(moment), moment.provider))
    }

    /// System text and tools stay; files and git are read again.
    fn compacted(&mut self, moment: &Moment<'_>) -> Outcome {
        if let Some(old) = self.sessions.remove(&moment.conversation.id) {
            let fresh = Session::new(moment);
            let added: Vec<Tool> = moment
                .scene
                .tools
                .iter()
                .filter(|tool| !old.tools.iter().any(|one| one.name == tool.name))
                .cloned()
                .collect();
            // What was added later is added again, behind the summary.
            let notices = match added.is_empty() {
                true => Vec::new(),
                false => vec![(1, Message::ToolsAdded(added))],
            };
            let kept = Session { tools: old.tools, system: old.system, notices, ..fresh };
            self.sessions.insert(moment.conversation.id.clone(), kept);
        }
        debug_assert!(matches!(moment.conversation.transcript.first(), Some(Said::User(_))));
        Ok(())
    }

    fn restarted(&mut self) {
        self.sessions.values_mut().for_each(|session| session.is_loaded = false);
    }
}
