//! Findings about instruction files.

use std::collections::BTreeMap;

use super::{Looking, bytes, titles};
use crate::agents::{AgentView, FileState};
use crate::diagnostic::{Code, Diagnostic};
use crate::discover::instructions::{ImportHow, Keep, Nested, Order};
use crate::discover::rules::RuleOrder;

/// A text that is shorter only points to another one.
const POINTER: usize = 200;
/// A text that is shorter may well be in two files.
const TWICE: usize = 40;
/// How many files below are named one by one.
const NAMED: usize = 3;

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
                format!("{} reads {}", view.agent.file.title, file.map_or(0, |file| file.bytes))
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

    /// Two files of one directory with different texts, for different agents.
    pub(super) fn different(&mut self) {
        let given = self.by_file(|_, state| state.is_given());
        let main: Vec<(&str, &Vec<&AgentView>)> =
            given.iter().filter(|(path, _)| MAIN.contains(path)).map(|(path, views)| (*path, views)).collect();
        for (number, (one, first)) in main.iter().enumerate() {
            for (other, second) in &main[number + 1..] {
                let only = |these: &Vec<&'_ AgentView>, those: &Vec<&'_ AgentView>| -> Vec<String> {
                    let is_there = |view: &AgentView| those.iter().any(|known| std::ptr::eq(*known, view));
                    these.iter().filter(|view| !is_there(view)).map(|view| view.agent.file.title.clone()).collect()
                };
                let (left, right) = (only(first, second), only(second, first));
                let (Some(text), Some(texts)) = (self.text(one), self.text(other)) else { continue };
                let points = |text: &str, to: &str| text.trim().len() <= POINTER && text.contains(to);
                let same = text.trim() == texts.trim() || points(&text, other) || points(&texts, one);
                if left.is_empty() || right.is_empty() || same {
                    continue;
                }
                let message = format!(
                    "{one} ({}) and {other} ({}) differ: {} read only the first, {} only the second",
                    bytes(text.len()),
                    bytes(texts.len()),
                    count(&left),
                    count(&right),
                );
                let hint = "keep one text, and let the other file be a link to it, or import it";
                self.add(Diagnostic::warning(Code::AgentDiffer, message), one, hint);
            }
        }
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

    /// Files that nobody reads, that only some read, and those below that some never read.
    pub(super) fn unread(&mut self) {
        if self.views.len() < 2 {
            return;
        }
        let considered = self.by_file(|_, state| *state != FileState::Ignored);
        for (path, views) in self.by_file(|_, state| *state == FileState::Ignored) {
            let name = path.rsplit('/').next().unwrap_or(path);
            if views.len() == self.views.len() {
                let message = format!("{path} is read by no agent that is started here");
                let hint = "rename it to a name that agents read, such as AGENTS.md, or remove it";
                self.add(Diagnostic::warning(Code::AgentUnread, message), path, hint);
            } else if ["AGENTS.md", "CLAUDE.md", "GEMINI.md"]
                .iter()
                .any(|known| known.eq_ignore_ascii_case(name) && *known != name)
            {
                let readers = considered.get(path).map(|views| titles(views)).unwrap_or_default();
                let message = format!("{path} is written in other letters than agents expect: only {readers} read it");
                self.add(Diagnostic::warning(Code::AgentUnread, message), path, format!("call it {}", name_of(name)));
            }
        }
        let given = self.by_file(|_, state| state.is_given());
        for path in MAIN.iter().filter(|path| given.contains_key(*path)) {
            let all = &given[path];
            let waits = considered.get(path).map_or(&[][..], Vec::as_slice);
            let others: Vec<&AgentView> =
                self.views.iter().filter(|view| !waits.iter().any(|known| std::ptr::eq(*known, *view))).collect();
            if !others.is_empty() && all.len() > others.len() {
                let message = format!(
                    "{path} is given to {} of {} agents; not to {}",
                    all.len(),
                    self.views.len(),
                    titles(&others)
                );
                let hint = "name it in the agent's settings, or give the agent a file of its own name that imports or links to it";
                self.add(Diagnostic::note(Code::AgentUnread, message), path, hint);
            }
        }
        let waits = self.by_file(|_, state| matches!(state, FileState::Waits { .. }));
        let below: Vec<&str> = waits.keys().filter(|path| path.ends_with("/AGENTS.md")).copied().collect();
        let never: Vec<&AgentView> = self
            .views
            .iter()
            .filter(|view| view.files.iter().any(|file| file.path == "AGENTS.md" && file.state.is_given()))
            .filter(|view| view.layout.rules().instructions.groups().all(|rules| rules.nested() == Nested::Never))
            .collect();
        if let (Some(first), false) = (below.first(), never.is_empty()) {
            let more = below.len().saturating_sub(NAMED);
            let mut names = below[..below.len().min(NAMED)].join(", ");
            if more > 0 {
                names.push_str(&format!(" and {more} more"));
            }
            let message = format!("{} never read files below the working directory: {names}", titles(&never));
            let hint = "say in the root's file where the others are, or start the agent there";
            self.add(Diagnostic::note(Code::AgentUnread, message), first, hint);
        }
    }

    /// `@path` that is not followed.
    pub(super) fn imports(&mut self) {
        let mut left: BTreeMap<(String, String), Vec<&AgentView>> = BTreeMap::new();
        let mut failed: BTreeMap<String, Vec<&AgentView>> = BTreeMap::new();
        for view in self.views {
            let leaves = view.layout.rules().instructions.groups().all(|rules| rules.imports.how == ImportHow::Leave);
            for (path, text) in view.texts.iter().filter(|_| leaves) {
                let directory = self.path(path).parent().map(std::path::Path::to_owned).unwrap_or_default();
                let target = text.split_whitespace().filter_map(|word| word.strip_prefix('@')).find(|target| {
                    let target = target.trim_end_matches(['.', ',', ';', ':', ')']);
                    target.ends_with(".md") && self.world.kind(&directory.join(target)).present().is_some()
                });
                if let Some(target) = target {
                    left.entry((path.clone(), target.to_owned())).or_default().push(view);
                }
            }
            for finding in view.diagnostics.iter().filter(|finding| finding.code == Code::Import) {
                if finding.level == crate::Level::Warning {
                    failed.entry(finding.message.clone()).or_default().push(view);
                }
            }
        }
        for ((path, target), views) in left {
            let message = format!("`@{target}` in {path} is only text to {}", titles(&views));
            let hint = "write the text into the file, or let the file be a link";
            self.add(Diagnostic::note(Code::AgentImport, message), &path, hint);
        }
        for (message, views) in failed {
            let message = format!("{message}, for {}", titles(&views));
            let hint = "a link in the place of the file works from every directory";
            self.add(Diagnostic::warning(Code::AgentImport, message), "", hint);
        }
    }

    /// Files above the project.
    pub(super) fn above(&mut self) {
        for (path, views) in self.by_file(|_, state| state.is_given()) {
            let whole = self.path(path);
            let is_above = whole.parent().is_some_and(|directory| {
                self.workspace.root.starts_with(directory) && directory != self.workspace.root
            });
            if is_above {
                let message = format!("{path} is above the project and is read by {}", titles(&views));
                let hint = "it counts in every project beneath it; move it if that is not meant";
                self.add(Diagnostic::note(Code::AgentAboveRoot, message), path, hint);
            }
        }
    }

    /// Orders that surprise.
    pub(super) fn order(&mut self) {
        let groups = |view: &AgentView| view.layout.rules().instructions.clone();
        let several = |view: &&AgentView| view.texts.len() > 1;
        let reversed: Vec<&AgentView> = self
            .views
            .iter()
            .filter(several)
            .filter(|view| groups(view).groups().any(|rules| rules.order == Order::NearestFirst))
            .collect();
        let random: Vec<&AgentView> = self
            .views
            .iter()
            .filter(several)
            .filter(|view| groups(view).groups().any(|rules| rules.order == Order::Unknown))
            .collect();
        let unsorted: Vec<&AgentView> = self
            .views
            .iter()
            .filter(|view| {
                let unsorted = |rules: &crate::discover::rules::RuleDirectory| rules.order == RuleOrder::Unsorted;
                let is_rule = |path: &str| path.contains("/rules/");
                groups(view).groups().any(|group| group.rules.iter().any(unsorted))
                    && view.texts.iter().filter(|(path, _)| is_rule(path)).count() > 1
            })
            .collect();
        let rows = [
            (reversed, "print the nearest file first and the root's last: the root has the last word"),
            (random, "print their files in an order that is not promised, or another one at every start"),
            (unsorted, "print rules in the order of the file system: two machines, two prompts"),
        ];
        for (views, what) in rows.into_iter().filter(|(views, _)| !views.is_empty()) {
            let message = format!("{} {what}", titles(&views));
            self.found.push(Diagnostic::note(Code::AgentOrder, message).hint("do not rely on the order of files"));
        }
    }

    /// Front matter that reaches the model.
    pub(super) fn front_matter(&mut self) {
        let mut files: BTreeMap<String, Vec<&AgentView>> = BTreeMap::new();
        for view in self.views {
            let keeps = view.layout.rules().instructions.groups().any(|rules| rules.text.front_matter == Keep::Keep);
            for (path, text) in view.texts.iter().filter(|(path, _)| keeps && MAIN.contains(&path.as_str())) {
                if text.starts_with("---\n") && text[4..].contains("\n---\n") {
                    files.entry(path.clone()).or_default().push(view);
                }
            }
        }
        for (path, views) in files {
            let message = format!("the front matter of {path} reaches the model as text with {}", titles(&views));
            self.add(Diagnostic::note(Code::AgentText, message), &path, "remove it: no agent uses it in this file");
        }
    }
}

/// The files of a project that people know.
const MAIN: [&str; 7] = [
    "AGENTS.md",
    "CLAUDE.md",
    ".claude/CLAUDE.md",
    "GEMINI.md",
    "QWEN.md",
    ".github/copilot-instructions.md",
    ".cursorrules",
];

fn name_of(name: &str) -> &'static str {
    ["AGENTS.md", "CLAUDE.md", "GEMINI.md"]
        .into_iter()
        .find(|known| known.eq_ignore_ascii_case(name))
        .unwrap_or("AGENTS.md")
}

/// Some agents by name, or their number.
fn count(names: &[String]) -> String {
    match names.len() {
        0..=4 => names.join(", "),
        many => format!("{} and {} more", names[..3].join(", "), many - 3),
    }
}

fn are(views: &[&AgentView]) -> String {
    format!("{} {}", titles(views), if views.len() == 1 { "is" } else { "are" })
}
