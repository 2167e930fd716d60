//! `tools:instructions`: what MCP servers say about the use of their tools.
//!
//! 1. Servers are strangers: hidden text and secrets are looked for as in every file, a text has a budget, and none can leave its
//!    frame, which names the server.
//! 2. Servers come in the order of their names. One that says nothing, or nothing but white space, is not there.
//! 3. Each is reported by its name, as files are.

use std::sync::Arc;

use crate::diagnostic::{Code, Diagnostic, Subject};
use crate::discover::fact::Value;
use crate::discover::file::cut_to;
use crate::discover::frame::{escaped, protected};
use crate::discover::report::{Loaded, NotLoaded, Report, Why};
use crate::discover::world::Answer;
use crate::discover::{Fact, Situation};
use crate::text::{Draft, FactName, Origin, Text, Transform};

/// The tag that is around what a server says.
const TAG: &str = "mcp_server";

/// Answers `tools:instructions`.
pub(in crate::discover) fn instructions(
    situation: &Situation<'_>,
    name: &FactName,
    report: &mut Report,
    diagnostics: &mut Vec<Diagnostic>,
) -> Fact {
    let servers = situation.caller.tools.iter().flat_map(|tools| tools.instructions());
    let mut draft = Draft::default();
    let mut is_first = true;
    for (server, text) in servers.filter(|(_, text)| !text.trim().is_empty()) {
        let label = situation.permissions.hygiene.label(server.to_owned(), &[]);
        match said(situation, name, &label, text, diagnostics) {
            Answer::Present(text) => {
                let path = Some(label.clone());
                report.loaded.push(Loaded::whole(name, path, text.as_str().len()));
                let begin = if is_first { format!("<{TAG} name=\"") } else { format!("\n\n<{TAG} name=\"") };
                is_first = false;
                let mut mark = |words: &str| draft.push(words, Origin::fact(name), Some(Transform::Joined));
                mark(&begin);
                draft.push_text(&escaped(&Text::new(label.as_str(), Origin::fact(name))));
                draft.push("\">\n", Origin::fact(name), Some(Transform::Joined));
                draft.push_text(&text);
                draft.push(&format!("\n</{TAG}>"), Origin::fact(name), Some(Transform::Joined));
            }
            Answer::Unavailable(reason) => {
                let why = Why::Unavailable(reason);
                report.not_loaded.push(NotLoaded { fact: name.clone(), path: Some(label), why });
            }
            Answer::Absent => {}
        }
    }
    if is_first {
        return Answer::Absent;
    }
    Answer::Present(Value::Text(draft.into_text()))
}

/// What a server says, as it may be said.
fn said(
    situation: &Situation<'_>,
    name: &FactName,
    label: &str,
    text: &str,
    diagnostics: &mut Vec<Diagnostic>,
) -> Answer<Text> {
    let path: Arc<str> = label.into();
    let about = Subject::file_of(name.as_str(), label);
    let text = Text::new(text.trim(), Origin::file(name, &path));
    situation.permissions.hygiene.clean(text, &about, diagnostics).map(|text| {
        let rules = &situation.rules;
        let marks: Vec<String> = rules.instructions.protect.iter().cloned().chain([TAG.to_owned()]).collect();
        let text = protected(&text, &marks);
        let budget = rules.tools.instructions_budget;
        if budget.fits(text.as_str()) {
            return text;
        }
        let size = budget.unit.measure(text.as_str());
        let message = format!(
            "the instructions of the server `{label}` have {size} {} and are cut to {}",
            budget.unit.name(),
            budget.most
        );
        let hint = "shorten them, or raise `instructions_budget` in the layout's `[tools]`";
        diagnostics.push(Diagnostic::warning(Code::Cut, message).about(about).hint(hint));
        cut_to(&text, &rules.phrases.get("cut_notice"), &[budget])
    })
}
