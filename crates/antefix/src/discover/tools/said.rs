//! What is said of tools in the prompt.

use std::borrow::Cow;

use super::{Hidden, Tool, ToolDescriptions, single_line};
use crate::diagnostic::Diagnostic;
use crate::discover::fact::Value;
use crate::discover::frame::protected;
use crate::discover::world::Answer;
use crate::discover::{Fact, Situation};
use crate::text::{Draft, FactName, Origin, Text, Transform};

/// Whether the agent has a tool.
type Has<'h> = dyn Fn(&str) -> bool + 'h;

/// When a piece of advice is given.
struct Advice {
    phrase: &'static str,
    when: fn(&Has<'_>) -> bool,
}

/// The advice before that of the tools themselves, in order.
const ADVICE: [Advice; 6] = [
    Advice { phrase: "guideline_bash_files", when: |has| has("bash") && !has("grep") && !has("find") && !has("ls") },
    Advice { phrase: "guideline_search_tools", when: |has| has("bash") && (has("grep") || has("find") || has("ls")) },
    Advice { phrase: "guideline_read_first", when: |has| has("read") && has("edit") },
    Advice { phrase: "guideline_edit", when: |has| has("edit") },
    Advice { phrase: "guideline_write", when: |has| has("write") },
    Advice { phrase: "guideline_plain_text", when: |has| has("edit") || has("write") },
];

/// The advice that is always given, last.
const ALWAYS: [&str; 2] = ["guideline_brief", "guideline_paths"];

/// Answers `tools:<name>`.
pub(in crate::discover) fn answer(
    situation: &Situation<'_>,
    name: &FactName,
    diagnostics: &mut Vec<Diagnostic>,
) -> Fact {
    let Some(tools) = &situation.caller.tools else {
        // What is good advice for every agent is so for one whose tools nobody knows.
        return match name.name() {
            "guidelines" => Answer::Present(Value::Text(Saying { situation, name, diagnostics }.guidelines(&[]))),
            _ => Answer::Absent,
        };
    };
    let tools = tools.in_order(situation.rules.tools.order);
    let mut saying = Saying { situation, name, diagnostics };
    match name.name() {
        "names" => Answer::Present(Value::List(tools.iter().map(|tool| saying.called(tool)).collect())),
        "list" => Answer::Present(Value::Text(saying.list(&tools))),
        "entries" => Answer::Present(saying.entries(&tools)),
        "guidelines" => Answer::Present(Value::Text(saying.guidelines(&tools))),
        _ => Answer::Absent,
    }
}

pub(super) struct Saying<'s> {
    situation: &'s Situation<'s>,
    pub(super) name: &'s FactName,
    diagnostics: &'s mut Vec<Diagnostic>,
}

impl Saying<'_> {
    fn list(&mut self, tools: &[&Tool]) -> Text {
        let shown: Vec<&Tool> = tools.iter().copied().filter(|tool| tool.hidden == Hidden::No).collect();
        if shown.is_empty() {
            return Text::new("(none)", Origin::fact(self.name));
        }
        let mut draft = Draft::default();
        for (number, tool) in shown.iter().enumerate() {
            let called = self.called(tool);
            draft.push(if number == 0 { "- " } else { "\n- " }, Origin::fact(self.name), None);
            draft.push_text(&called);
            draft.push(": ", Origin::fact(self.name), None);
            draft.push_text(&self.line(tool, &called));
        }
        draft.into_text()
    }

    /// What the list prints of a tool behind its name.
    pub(super) fn line(&mut self, tool: &Tool, called: &Text) -> Text {
        let description = match self.situation.rules.tools.descriptions {
            ToolDescriptions::List => tool.description.as_deref(),
            ToolDescriptions::LeaveOut => None,
        };
        let own = tool.prompt_snippet.as_deref().into_iter().chain(description);
        match own.map(single_line).find(|text| !text.is_empty()) {
            Some(text) => self.of_tool(&text, called),
            None => match self.situation.rules.phrases.get(&format!("tool_{}", tool.name)) {
                phrase if phrase.as_str().is_empty() => called.clone(),
                phrase => phrase,
            },
        }
    }

    /// A text that a tool's author wrote, on one line.
    pub(super) fn of_tool(&mut self, text: &str, called: &Text) -> Text {
        self.cleaned(&single_line(text), &format!("the tool `{}`", called.as_str()))
    }

    fn guidelines(&mut self, tools: &[&Tool]) -> Text {
        let phrases = &self.situation.rules.phrases;
        let rules = &self.situation.rules.tools;
        let has = |wanted: &str| rules.spelled(wanted).any(|name| tools.iter().any(|tool| tool.name == name));
        let before = ADVICE.iter().filter(|advice| (advice.when)(&has)).map(|advice| phrases.get(advice.phrase));
        let mut all: Vec<Text> = before.collect();
        for tool in tools.iter().filter(|tool| !tool.prompt_guidelines.is_empty()) {
            let label = format!("the tool `{}`", self.called(tool).as_str());
            all.extend(tool.prompt_guidelines.iter().map(|text| self.cleaned(&bullet(text), &label)));
        }
        all.extend(ALWAYS.iter().map(|phrase| phrases.get(phrase)));
        let mut advice: Vec<Text> = Vec::new();
        for text in all {
            if !text.as_str().is_empty() && !advice.iter().any(|known| known.as_str() == text.as_str()) {
                advice.push(text);
            }
        }
        let mut draft = Draft::default();
        for (number, text) in advice.iter().enumerate() {
            let joint = if number == 0 { "- " } else { "\n- " };
            draft.push(joint, Origin::fact(self.name), Some(Transform::Joined));
            draft.push_text(text);
        }
        draft.into_text()
    }

    /// A tool's name, which cannot begin a line.
    pub(super) fn called(&mut self, tool: &Tool) -> Text {
        match tool.name.contains(char::is_whitespace) {
            true => self.cleaned(&single_line(&tool.name), "the name of a tool"),
            false => self.cleaned(&tool.name, "the name of a tool"),
        }
    }

    /// A text of a tool as it may be said.
    fn cleaned(&mut self, text: &str, label: &str) -> Text {
        let hygiene = self.situation.permissions.hygiene.written_out();
        let text = Text::new(text, Origin::fact(self.name));
        if hygiene.passes(text.as_str()) {
            return self.framed(&text);
        }
        let mut findings = Vec::new();
        let answer = hygiene.clean(text, &label.into(), &mut findings);
        // The list and the advice both name a tool.
        findings.retain(|finding| !self.diagnostics.contains(finding));
        self.diagnostics.extend(findings);
        answer.present().map_or_else(|| Text::new("", Origin::fact(self.name)), |text| self.framed(&text))
    }

    /// A text that can neither close nor open what the layout frames.
    fn framed(&self, text: &Text) -> Text {
        protected(text, &self.situation.rules.instructions.protect)
    }
}

/// A piece of advice, which cannot begin a line of its own.
fn bullet(text: &str) -> Cow<'_, str> {
    let text = text.trim();
    if text.contains(['\n', '\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}']) {
        return Cow::Owned(single_line(text));
    }
    Cow::Borrowed(text)
}
