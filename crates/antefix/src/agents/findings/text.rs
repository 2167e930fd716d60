//! Findings about what becomes of texts: their order, their front matter, and whether the model is told whose they are.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::files::MAIN;
use super::{Looking, they, titles};
use crate::agents::AgentView;
use crate::diagnostic::{Code, Diagnostic};
use crate::discover::instructions::{Keep, Order};
use crate::discover::rules::{RuleDirectory, RuleOrder};

impl Looking<'_> {
    /// Orders that surprise.
    pub(super) fn order(&mut self) {
        let groups = |view: &AgentView| view.layout.rules().instructions.clone();
        let several = |view: &&AgentView| view.texts.len() > 1;
        // Whoever prints files at random has no last word.
        let is_random = |view: &AgentView| groups(view).groups().any(|rules| rules.order == Order::Unknown);
        let mut reversed: BTreeMap<(String, String), Vec<&AgentView>> = BTreeMap::new();
        for view in self.views.iter().filter(|view| !is_random(view)) {
            if let Some(pair) = self.far_after_near(view) {
                reversed.entry(pair).or_default().push(view);
            }
        }
        for ((near, far), views) in reversed {
            let message =
                format!("{} {far} behind {near}: what is farther away has the last word", they(&views, "print"));
            let hint = "do not let files of two directories contradict each other";
            self.add(Diagnostic::note(Code::AgentOrder, message), &near, hint);
        }
        let random: Vec<&AgentView> = self.views.iter().filter(several).filter(|view| is_random(view)).collect();
        let unsorted: Vec<&AgentView> = self
            .views
            .iter()
            .filter(|view| {
                let unsorted = |rules: &RuleDirectory| rules.order == RuleOrder::Unsorted;
                let is_rule = |path: &str| path.contains("/rules/");
                groups(view).groups().any(|group| group.rules.iter().any(unsorted))
                    && view.texts.iter().filter(|(path, _)| is_rule(path)).count() > 1
            })
            .collect();
        let rows = [
            (random, "in an order that is not promised, or another one at every start: caches miss"),
            (unsorted, "in the order of the file system: two machines, two prompts"),
        ];
        for (views, what) in rows.into_iter().filter(|(views, _)| !views.is_empty()) {
            let message = format!("{} files {what}", they(&views, "print"));
            self.found.push(Diagnostic::note(Code::AgentOrder, message).hint("do not rely on the order of files"));
        }
    }

    /// A file that is printed behind one of a directory below its own, with that one.
    fn far_after_near(&self, view: &AgentView) -> Option<(String, String)> {
        let directory = |path: &str| -> Option<PathBuf> {
            // What agents keep in hidden directories is about the directory around it.
            let whole = self.path(path);
            let visible = whole.parent()?.ancestors().find(|at| !has_hidden(at, &self.workspace.root))?;
            whole.starts_with(&self.workspace.root).then(|| visible.to_owned())
        };
        let places: Vec<(&str, PathBuf)> =
            view.texts.iter().filter_map(|(path, _)| Some((path.as_str(), directory(path)?))).collect();
        places.iter().enumerate().find_map(|(number, (near, below))| {
            let far = places[number + 1..].iter().rfind(|(_, above)| below.starts_with(above) && below != above);
            far.map(|(far, _)| ((*near).to_owned(), (*far).to_owned()))
        })
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

    /// Several files whose names the model is not told.
    pub(super) fn nameless(&mut self) {
        let mut views: BTreeMap<usize, Vec<&AgentView>> = BTreeMap::new();
        for view in self.views.iter().filter(|view| view.texts.len() > 1 && !says_paths(view)) {
            views.entry(view.texts.len()).or_default().push(view);
        }
        for (count, views) in views {
            let message = format!(
                "{} {count} files without their names: the model cannot tell which directory each is about",
                they(&views, "print")
            );
            let hint = "let each file begin with what it is about";
            self.found.push(Diagnostic::note(Code::AgentText, message).hint(hint));
        }
    }
}

/// Whether a directory is in a hidden one of the project.
fn has_hidden(directory: &Path, root: &Path) -> bool {
    let inside = directory.strip_prefix(root).unwrap_or(Path::new(""));
    inside.components().any(|part| part.as_os_str().to_string_lossy().starts_with('.'))
}

/// Whether the frame of an agent's files has their paths.
fn says_paths(view: &AgentView) -> bool {
    match view.agent.source.text.split_once("[frame]") {
        Some((_, frame)) if frame.contains("instructions.files") => {
            frame.contains("one.path") || frame.contains("one.from_cwd")
        }
        _ => true,
    }
}
