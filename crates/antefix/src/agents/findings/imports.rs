//! Findings about `@path` in instruction files.

use std::collections::BTreeMap;
use std::path::Path;

use super::{Looking, they, titles};
use crate::agents::AgentView;
use crate::diagnostic::{Code, Diagnostic, Subject};
use crate::discover::Paths;
use crate::discover::instructions::{ImportHow, Keep};

impl Looking<'_> {
    /// `@path` that is not followed.
    pub(super) fn imports(&mut self) {
        let mut left: BTreeMap<(String, String), Vec<&AgentView>> = BTreeMap::new();
        let mut failed: BTreeMap<(String, String), Vec<&AgentView>> = BTreeMap::new();
        for view in self.views {
            let leaves = view.layout.rules().instructions.groups().all(|rules| rules.imports.how == ImportHow::Leave);
            for (path, text) in view.texts.iter().filter(|_| leaves) {
                if let Some(target) = self.import_in(path, text) {
                    left.entry((path.clone(), target)).or_default().push(view);
                }
            }
            for finding in view.diagnostics.iter().filter(|finding| finding.code == Code::Import) {
                if finding.level == crate::Level::Warning {
                    let about = finding.about.as_ref().and_then(Subject::path).unwrap_or_default();
                    let path = self.workspace.show(Path::new(about), Paths::Portable);
                    failed.entry((path, finding.message.clone())).or_default().push(view);
                }
            }
        }
        for ((path, target), views) in left {
            let message = format!("`@{target}` in {path} is only text to {}", titles(&views));
            let hint = "write the text into the file, or let the file be a link";
            self.add(Diagnostic::note(Code::AgentImport, message), &path, hint);
        }
        for ((path, message), views) in failed {
            let message = format!("{message}, for {}", titles(&views));
            let hint = "a link in the place of the file works from every directory";
            self.add(Diagnostic::warning(Code::AgentImport, message), &path, hint);
        }
    }

    /// `@path` inside a comment that is followed all the same.
    pub(super) fn imports_in_comments(&mut self) {
        let mut followed: BTreeMap<(String, String), Vec<&AgentView>> = BTreeMap::new();
        for view in self.views {
            let reads_comments = view
                .layout
                .rules()
                .instructions
                .groups()
                .any(|rules| rules.imports.how != ImportHow::Leave && rules.text.comments == Keep::Keep);
            if !reads_comments {
                continue;
            }
            for (path, _) in &view.texts {
                let Some(text) = self.text(path).filter(|text| text.contains("<!--")) else { continue };
                let comments = text.split("<!--").skip(1).filter_map(|rest| rest.split("-->").next());
                if let Some(target) = comments.filter_map(|comment| self.import_in(path, comment)).next() {
                    followed.entry((path.clone(), target)).or_default().push(view);
                }
            }
        }
        for ((path, target), views) in followed {
            let message = format!("{} `@{target}` from inside a comment of {path}", they(&views, "import"));
            let hint = "write the path without `@`, or take the comment out";
            self.add(Diagnostic::warning(Code::AgentImport, message), &path, hint);
        }
    }

    /// The first `@path` of a text that names a document beside its file.
    fn import_in(&self, path: &str, text: &str) -> Option<String> {
        let directory = self.path(path).parent().map(Path::to_owned).unwrap_or_default();
        let targets = text.split_whitespace().filter_map(|word| word.strip_prefix('@'));
        let named = targets.map(|target| target.trim_end_matches(['.', ',', ';', ':', ')']));
        let mut documents = named.filter(|target| target.ends_with(".md"));
        documents.find(|target| self.world.kind(&directory.join(target)).present().is_some()).map(str::to_owned)
    }
}
