//! pi, before and after it learned to patch its prompt.
//!
//! Markers, seen in requests of 1.5: the last tool, the system text, the last message. A summary is a request of its own: pi's
//! transcripts show no reads for it.

use std::collections::BTreeMap;

use antefix::discover::tools::Tool;
use serde_json::Value;

use super::{Message, Moment, Outcome, Outline, Strategy, changed_tools, summary_apart, tool_names, woven};

/// pi 0.57: one text, made at the start of a process and when the tools change.
#[derive(Default)]
pub(super) struct Older {
    made: BTreeMap<String, (Vec<String>, String)>,
}

impl Strategy for Older {
    fn request(&mut self, moment: &Moment<'_>) -> Outcome<Value> {
        let scene = moment.scene;
        let names: Vec<String> = scene.tools.iter().map(|tool| tool.name.clone()).collect();
        let made = self.made.get(&moment.conversation.id).filter(|(tools, _)| *tools == names);
        let text = match made {
            Some((_, text)) => text.clone(),
            None => {
                let list = format!("Available tools:\n- {}", names.join("\n- "));
                let place = format!(
                    "Current date and time: {}\nCurrent working directory: {}",
                    scene.now(),
                    moment.conversation.root
                );
                [scene.base.as_str(), &list, &scene.instructions, &scene.skills_listing(), &place].join("\n\n")
            }
        };
        self.made.insert(moment.conversation.id.clone(), (names, text.clone()));
        let outline = Outline {
            tools: scene.tools.clone(),
            system: vec![(text, Some("5m"))],
            messages: woven(&moment.conversation.transcript, &[]),
            marks_tools: Some("5m"),
            marks_last: Some("5m"),
            key: Some(moment.conversation.id.clone()),
        };
        Ok(outline.request(moment.provider))
    }

    fn summary(&mut self, moment: &Moment<'_>) -> Outcome<Value> {
        Ok(summary_apart(moment))
    }

    fn compacted(&mut self, _: &Moment<'_>) -> Outcome {
        Ok(())
    }

    fn restarted(&mut self) {
        self.made.clear();
    }
}

/// pi 1.5: sections, replayed, and patches for what changed. Files are read at the start of a process; tools are as they are now.
#[derive(Default)]
pub(super) struct Newer {
    conversations: BTreeMap<String, Replayed>,
}

/// What a conversation was told.
struct Replayed {
    head: String,
    tools: Vec<Tool>,
    /// What was said of the files last.
    instructions: String,
    skills: String,
    /// The names of the tools that the model has now.
    names: Vec<String>,
    notices: Vec<(usize, Message)>,
    /// Whether this process has read the files.
    is_loaded: bool,
}

impl Replayed {
    fn new(moment: &Moment<'_>) -> Replayed {
        let scene = moment.scene;
        Replayed {
            head: Replayed::head(moment, &scene.instructions, &scene.skills_listing()),
            tools: scene.tools.clone(),
            instructions: scene.instructions.clone(),
            skills: scene.skills_listing(),
            names: tool_names(scene),
            notices: Vec::new(),
            is_loaded: true,
        }
    }

    fn head(moment: &Moment<'_>, instructions: &str, skills: &str) -> String {
        let context = format!("<project_context>\n{instructions}\n</project_context>");
        let skills = format!("<skills>\n{skills}\n</skills>");
        let place = format!("<cwd>\n{}\n</cwd>", moment.conversation.root);
        [moment.scene.base.as_str(), &context, &skills, &place].join("\n\n")
    }

    /// Compares what is wanted with what was told, and patches.
    fn patch(&mut self, moment: &Moment<'_>) {
        let (scene, at) = (moment.scene, moment.conversation.transcript.len());
        if !self.is_loaded {
            self.is_loaded = true;
            let mut changed = Vec::new();
            if self.instructions != scene.instructions {
                self.instructions.clone_from(&scene.instructions);
                changed.push(format!("<project_context>\n{}\n</project_context>", self.instructions));
            }
            if self.skills != scene.skills_listing() {
                self.skills = scene.skills_listing();
                changed.push(format!("<skills>\n{}\n</skills>", self.skills));
            }
            match moment.provider.mid_system {
                true if changed.is_empty() => {}
                true => self.notices.push((at, Message::System(changed.join("\n\n")))),
                // Folded into the head: one miss.
                false => self.head = Replayed::head(moment, &self.instructions, &self.skills),
            }
        }
        self.notices.extend(changed_tools(&mut self.names, scene).map(|change| (at, change)));
    }
}

impl Strategy for Newer {
    fn request(&mut self, moment: &Moment<'_>) -> Outcome<Value> {
        let id = &moment.conversation.id;
        let replayed = self.conversations.entry(id.clone()).or_insert_with(|| Replayed::new(moment));
        replayed.patch(moment);
        let outline = Outline {
            tools: replayed.tools.clone(),
            system: vec![(replayed.head.clone(), Some("5m"))],
            messages: woven(&moment.conversation.transcript, &replayed.notices),
            marks_tools: Some("5m"),
            marks_last: Some("5m"),
            key: Some(id.clone()),
        };
        Ok(outline.request(moment.provider))
    }

    fn summary(&mut self, moment: &Moment<'_>) -> Outcome<Value> {
        Ok(summary_apart(moment))
    }

    /// Everything is folded into a checkpoint, with the files as this process has read them.
    fn compacted(&mut self, moment: &Moment<'_>) -> Outcome {
        if let Some(replayed) = self.conversations.get_mut(&moment.conversation.id) {
            replayed.head = Replayed::head(moment, &replayed.instructions, &replayed.skills);
            replayed.tools.clone_from(&moment.scene.tools);
            replayed.notices.clear();
        }
        Ok(())
    }

    fn restarted(&mut self) {
        self.conversations.values_mut().for_each(|replayed| replayed.is_loaded = false);
    }
}
