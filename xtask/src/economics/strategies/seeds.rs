//! Three systems that froze their prompts early.
//!
//! None of their documents speaks of markers in the conversation: they are given the two that every agent sets, behind the system text and
//! at the last message.

use std::collections::BTreeMap;

use antefix::discover::tools::Tool;
use serde_json::Value;

use super::{Moment, Outcome, Outline, SUMMARIZE, Strategy, summary_apart, summary_behind, woven};

fn outline(moment: &Moment<'_>, system: Vec<(String, Option<&'static str>)>, tools: Vec<Tool>) -> Outline {
    let messages = woven(&moment.conversation.transcript, &[]);
    Outline { tools, system, messages, marks_last: Some("5m"), ..Outline::default() }
}

/// Stored at the first turn, by conversation; made again for a compaction. The directory comes last, as in its own template.
#[derive(Default)]
pub(super) struct Dispatch {
    stored: BTreeMap<String, String>,
}

impl Dispatch {
    fn construct(moment: &Moment<'_>) -> String {
        let scene = moment.scene;
        let place = format!("The current working directory is {}.", moment.conversation.root);
        [scene.base.as_str(), &scene.instructions, &scene.skills_listing(), &place].join("\n\n")
    }
}

impl Strategy for Dispatch {
    fn request(&mut self, moment: &Moment<'_>) -> Outcome<Value> {
        let stored = self.stored.entry(moment.conversation.id.clone()).or_insert_with(|| Dispatch::construct(moment));
        let system = vec![(stored.clone(), Some("5m"))];
        Ok(outline(moment, system, moment.scene.tools.clone()).request(moment.provider))
    }

    fn summary(&mut self, moment: &Moment<'_>) -> Outcome<Value> {
        let fresh = Dispatch::construct(moment);
        self.stored.insert(moment.conversation.id.clone(), fresh.clone());
        // Used for this request alone, so that a marker behind it would be paid for nothing.
        let mut outline = outline(moment, vec![(format!("{fresh}\n\n{SUMMARIZE}"), None)], moment.scene.tools.clone());
        outline.marks_last = None;
        Ok(outline.request(moment.provider))
    }

    fn compacted(&mut self, _: &Moment<'_>) -> Outcome {
        Ok(())
    }
}

/// Rendered exactly once. The directory is in the first lines, and once more in what the agent may touch.
#[derive(Default)]
pub(super) struct Yoi {
    rendered: BTreeMap<String, String>,
}

impl Strategy for Yoi {
    fn request(&mut self, moment: &Moment<'_>) -> Outcome<Value> {
        let render = || {
            let (scene, root) = (moment.scene, &moment.conversation.root);
            let place = format!("Your working directory is `{root}`.");
            let boundaries = format!("---\n## Working boundaries\n\nWrite: {root}");
            [place.as_str(), &scene.base, &boundaries, &scene.instructions, &scene.skills_listing()].join("\n\n")
        };
        let text = self.rendered.entry(moment.conversation.id.clone()).or_insert_with(render);
        let system = vec![(text.clone(), Some("5m"))];
        Ok(outline(moment, system, moment.scene.tools.clone()).request(moment.provider))
    }

    fn summary(&mut self, moment: &Moment<'_>) -> Outcome<Value> {
        Ok(summary_apart(moment))
    }

    fn compacted(&mut self, _: &Moment<'_>) -> Outcome {
        Ok(())
    }
}

/// Frozen system text and tools; behind the boundary, and still before the history, a project block that is new with every step.
/// Whether the frozen part outlives a process is not said; it is given that it does.
#[derive(Default)]
pub(super) struct DeepSeek {
    frozen: BTreeMap<String, (String, Vec<Tool>, String)>,
}

impl DeepSeek {
    fn outline(&mut self, moment: &Moment<'_>) -> Outline {
        let scene = moment.scene;
        let freeze = || {
            let text = [scene.base.as_str(), &scene.instructions, &scene.skills_listing()].join("\n\n");
            (text, scene.tools.clone(), scene.date())
        };
        let (text, tools, date) = self.frozen.entry(moment.conversation.id.clone()).or_insert_with(freeze);
        let root = &moment.conversation.root;
        let project = format!("## Project\n- cwd: {root}\n- date: {date}\n\n## Git status\n{}", scene.git());
        let system = vec![(text.clone(), Some("5m")), (project, None)];
        let tools = tools.clone();
        outline(moment, system, tools)
    }
}

impl Strategy for DeepSeek {
    fn request(&mut self, moment: &Moment<'_>) -> Outcome<Value> {
        Ok(self.outline(moment).request(moment.provider))
    }

    fn summary(&mut self, moment: &Moment<'_>) -> Outcome<Value> {
        Ok(summary_behind(self.outline(moment), moment.provider))
    }

    fn compacted(&mut self, _: &Moment<'_>) -> Outcome {
        Ok(())
    }
}
