//! Findings about instruction files.

use std::collections::BTreeMap;

use super::{Looking, bytes, titles};
use crate::agents::{AgentView, FileState};
use crate::diagnostic::{Code, Diagnostic};
use crate::text::grouped;

/// A text that is shorter only points to another one.
const POINTER: usize = 200;
/// A text that is shorter may well be in two files.
const TWICE: usize = 40;

impl Looking<'_> {
    /// Files that others take the place of.
    pub(super) fn shadowed(&mut self) {
        let mut pairs: BTreeMap<(String, String), Vec<&AgentView>> = BTreeMap::new();
        for view in self.views {
            for file in &view.files {
                if let FileState::Shadowed { by } = &file.state {
                    pairs.entry((by.clone(), file.path.clone())).or_default().push(view);
                }
            }
        }
        // One file that several others give way to, for the same agents, is one finding.
        let mut hidden: BTreeMap<(String, String), Vec<(String, usize)>> = BTreeMap::new();
        for ((by, path), views) in pairs {
            let (Some(text), Some(over)) = (self.text(&path), self.text(&by)) else { continue };
            let points = text.trim().len() <= POINTER && text.contains(&by);
            if !text.trim().is_empty() && text.trim() != over.trim() && !points {
                hidden.entry((by, titles(&views))).or_default().push((path, text.len()));
            }
        }
        for ((by, who), files) in hidden {
            let Some((first, _)) = files.first().cloned() else { continue };
            let over = self.text(&by).unwrap_or_default();
            let names: Vec<String> = files.iter().map(|(path, size)| format!("{path} ({})", bytes(*size))).collect();
            let are = if names.len() == 1 { "is" } else { "are" };
            let why = match over.trim() {
                "" => format!("{by} is empty, and comes first"),
                short if short.len() <= POINTER => format!("{by} comes first, with {}", bytes(over.len())),
                _ => format!("{by} comes first"),
            };
            let message = format!("{} {are} not read by {who}: {why}", names.join(", "));
            let hint = format!("let {by} have that text: by an import where the agent follows them, or by a link");
            self.add(Diagnostic::warning(Code::AgentShadowed, message), &first, hint);
        }
    }

    /// Files that are cut or left out for a limit.
    pub(super) fn cut(&mut self) {
        for (path, views) in self.by_file(|_, state| *state == FileState::Cut) {
            let whole = self.text(path).map_or(0, |text| text.len());
            let kept = |view: &&AgentView| {
                let file = view.files.iter().find(|file| file.path == path);
                format!("{} reads {}", view.agent.file.title, grouped(file.map_or(0, |file| file.bytes)))
            };
            let kept: Vec<String> = views.iter().map(kept).collect();
            let message = format!("{path} has {} and is cut: {}", bytes(whole), kept.join(", "));
            self.add(
                Diagnostic::warning(Code::AgentCut, message),
                path,
                "shorten the file, or raise the agent's limit",
            );
        }
        for (path, views) in self.by_file(|_, state| *state == FileState::Dropped) {
            let message =
                format!("{path} is left out by {}: other files use up the limit, or it is too large", titles(&views));
            let hint = "shorten the files that come before it, or raise the agent's limit";
            self.add(Diagnostic::warning(Code::AgentCut, message), path, hint);
        }
    }

    /// Files of the root with different texts, of which some agents read the one and some the other.
    pub(super) fn different(&mut self) {
        let given = self.by_file(|_, state| state.is_given());
        let mut texts: Vec<(&str, &Vec<&AgentView>, String)> = Vec::new();
        for (path, views) in given.iter().filter(|(path, _)| MAIN.contains(path)) {
            let Some(text) = self.text(path) else { continue };
            let points = |text: &str, to: &str| text.trim().len() <= POINTER && text.contains(to);
            let is_said = |(other, _, known): &(&str, &Vec<&AgentView>, String)| {
                known.trim() == text.trim() || points(&text, other) || points(known, path)
            };
            if !texts.iter().any(is_said) {
                texts.push((path, views, text));
            }
        }
        // Whoever reads one of them and no other does not know what the others say.
        let alone = |number: usize| -> Vec<&AgentView> {
            let reads = |other: &(&str, &Vec<&AgentView>, String), view: &AgentView| {
                other.1.iter().any(|known| std::ptr::eq(*known, view))
            };
            let others =
                |view: &AgentView| texts.iter().enumerate().any(|(at, other)| at != number && reads(other, view));
            texts[number].1.iter().copied().filter(|view| !others(view)).collect()
        };
        let alone: Vec<(&str, usize, Vec<&AgentView>)> = (0..texts.len())
            .map(|number| (texts[number].0, texts[number].2.len(), alone(number)))
            .filter(|(.., views)| !views.is_empty())
            .collect();
        let [first, .., last] = &alone[..] else { return };
        let sizes: Vec<String> = alone.iter().map(|(path, size, _)| format!("{path} ({})", bytes(*size))).collect();
        let readers: Vec<String> =
            alone.iter().map(|(path, _, views)| format!("{} {path} alone", they_briefly(views))).collect();
        let (before, end) = sizes.split_at(sizes.len() - 1);
        let message = format!(
            "{} and {} have different texts for different agents: {}",
            before.join(", "),
            end.concat(),
            readers.join(", ")
        );
        let main = if last.1 > first.1 { last.0 } else { first.0 }.to_owned();
        let hint = "keep one text, and let the other files be links to it, or import it";
        self.add(Diagnostic::warning(Code::AgentDiffer, message), &main, hint);
    }

    /// Texts that an agent is told twice.
    pub(super) fn twice(&mut self) {
        let mut pairs: BTreeMap<(String, String), Vec<&AgentView>> = BTreeMap::new();
        for view in self.views {
            for (number, (one, text)) in view.texts.iter().enumerate() {
                for (other, more) in view.texts.iter().skip(number + 1) {
                    let (text, more) = (text.trim(), more.trim());
                    let short = text.len().min(more.len()) < TWICE;
                    if one != other && !short && (text == more || text.contains(more) || more.contains(text)) {
                        let (one, other) = if one < other { (one, other) } else { (other, one) };
                        pairs.entry((one.clone(), other.clone())).or_default().push(view);
                    }
                }
            }
        }
        for ((one, other), views) in pairs {
            let message = format!("{} told one text twice, in {one} and {other}", are(&views));
            let hint = "keep it in one file; where an agent reads both names, an import or a copy is paid for twice";
            self.add(Diagnostic::warning(Code::AgentTwice, message), &other, hint);
        }
    }
}

/// The files of a project that people know.
pub(super) const MAIN: [&str; 7] = [
    "AGENTS.md",
    "CLAUDE.md",
    ".claude/CLAUDE.md",
    "GEMINI.md",
    "QWEN.md",
    ".github/copilot-instructions.md",
    ".cursorrules",
];

/// Who reads something: few agents by name.
fn they_briefly(views: &[&AgentView]) -> String {
    match views {
        [one] => format!("{} reads", one.agent.file.title),
        [one, other] => format!("{} and {} read", one.agent.file.title, other.agent.file.title),
        [first, ..] => format!("{} and {} others read", first.agent.file.title, views.len() - 1),
        [] => String::new(),
    }
}

fn are(views: &[&AgentView]) -> String {
    format!("{} {}", titles(views), if views.len() == 1 { "is" } else { "are" })
}
