//! An agent that puts its prompt together for every request, as most first versions do.

use serde_json::Value;

use super::{Message, Moment, Outcome, Outline, Strategy, summary_behind, woven};

pub(super) struct Rebuild;

impl Rebuild {
    fn outline(moment: &Moment<'_>) -> Outline {
        let scene = moment.scene;
        let minute: String = scene.now().to_string().chars().take(16).collect();
        let place = format!("Working directory: {}\nTime: {minute}\n{}", moment.conversation.root, scene.git());
        let text = [scene.base.as_str(), &place, &scene.instructions, &scene.skills_listing()].join("\n\n");
        let messages: Vec<Message> = woven(&moment.conversation.transcript, &[]);
        Outline {
            tools: scene.tools.clone(),
            system: vec![(text, Some("5m"))],
            messages,
            marks_last: Some("5m"),
            ..Outline::default()
        }
    }
}

impl Strategy for Rebuild {
    fn request(&mut self, moment: &Moment<'_>) -> Outcome<Value> {
        Ok(Rebuild::outline(moment).request(moment.provider))
    }

    fn summary(&mut self, moment: &Moment<'_>) -> Outcome<Value> {
        Ok(summary_behind(Rebuild::outline(moment), moment.provider))
    }

    fn compacted(&mut self, _: &Moment<'_>) -> Outcome {
        Ok(())
    }
}
