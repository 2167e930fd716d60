//! Loading rules: those that always apply join the instruction files, the others wait for a path.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::head::{self, Applies, Written};
use super::{Convention, Glob, Patterns, RuleDirectory, Scoped};
use crate::diagnostic::{Code, Diagnostic, Subject};
use crate::discover::front_matter::How;
use crate::discover::instructions::{Entry, Global, Instruction, Keep, Lying, Place, Search, Whose};
use crate::discover::report::{Why, listed};
use crate::discover::workspace::join;
use crate::discover::world::Answer;
use crate::text::{Place as At, Source, SourceKind, Text};

/// How many patterns of one rule are reported one by one.
const REPORTED: usize = 5;

impl Search<'_> {
    /// Looks for the rules of a directory.
    pub(in crate::discover) fn look_for_rules(&mut self, place: &Place, found: &mut Vec<Instruction>) {
        let rules = self.rules;
        // A file that was named by itself has no directory of rules beside it.
        if rules.rules.is_empty() || place.only.is_some() {
            return;
        }
        match (place.whose, &rules.global) {
            (Whose::User, Global::Before) => self.rules_in(place, &RuleDirectory::from("rules"), found),
            (Whose::User, _) => {}
            (Whose::Directory, _) => {
                for directory in rules.rules.iter().filter(|directory| !directory.is_users()) {
                    self.rules_in(place, directory, found);
                }
            }
        }
    }

    /// Looks for the rules in directories of the user's own that the layout names.
    pub(in crate::discover) fn look_for_own_rules(&mut self, found: &mut Vec<Instruction>) {
        for directory in self.rules.rules.iter().filter(|directory| directory.is_users()) {
            let Some(root) = self.situation.workspace.named(&directory.path) else { continue };
            let place = Place { root, inside: PathBuf::new(), distance: usize::MAX, whose: Whose::User, only: None };
            let here = RuleDirectory { path: String::new(), ..directory.clone() };
            self.rules_in(&place, &here, found);
        }
    }

    fn rules_in(&mut self, place: &Place, directory: &RuleDirectory, found: &mut Vec<Instruction>) {
        for path in self.rule_files(&place.root, &join(&place.inside, &directory.path), directory) {
            self.rule(place, &path, directory, found);
        }
    }

    fn rule(&mut self, place: &Place, path: &Path, directory: &RuleDirectory, found: &mut Vec<Instruction>) {
        let convention = directory.convention;
        let label = self.label(&place.root.join(path));
        if self.is_refused(&path.to_string_lossy()) {
            return self.not_loaded(&label, Why::Refused);
        }
        if let Some(by) = self.excluded_by(&place.root.join(path)) {
            return self.not_loaded(&label, Why::LeftOut { by });
        }
        if let Some(agent) = self.reader_of(&place.root.join(path)) {
            return self.not_loaded(&label, Why::ReadByAgent { agent });
        }
        let Some(file) = self.read_new(place, path, &label) else { return };
        let text = match self.clean_rule(&file, &label) {
            Answer::Present(text) => text,
            Answer::Absent => return,
            Answer::Unavailable(reason) => {
                self.cannot_use::<()>(&label, reason);
                return;
            }
        };
        let head = match head::read(text.as_str(), directory) {
            Ok(head) => head,
            Err(detail) => return self.invalid(&label, self.situation.permissions.hygiene.reportable(detail)),
        };
        if let Some(forgiven) = head.forgiven {
            let message = format!("{label}: {}", self.situation.permissions.hygiene.reportable(forgiven));
            let diagnostic = Diagnostic::note(Code::NoYaml, message).about(Subject::file(&label));
            let hint =
                if head.read == How::Lines { "put patterns in quotes" } else { "begin the file with the line `---`" };
            self.diagnostics.push(diagnostic.hint(hint));
        }
        if let Some(key) = head.meant {
            let message = format!("{label} has `{key}`, which has no meaning here: the rule always applies");
            let own = if convention == Convention::Copilot { "applyTo" } else { "paths" };
            let diagnostic = Diagnostic::warning(Code::BadPattern, message).about(Subject::file(&label));
            self.diagnostics.push(diagnostic.hint(format!("write `{own}`, if it is for some paths only")));
        }
        let begins = if directory.front_matter == Keep::Keep { 0 } else { head.body };
        let body = text.cut_out(begins..text.as_str().len());
        if body.as_str().trim().is_empty() {
            return self.not_loaded(&label, Why::Empty);
        }
        let written = match head.applies {
            Applies::Always => Vec::new(),
            Applies::For(written) => written,
            Applies::OnRequest => return self.not_loaded(&label, Why::OnRequest),
            Applies::ByHand => return self.not_loaded(&label, Why::ByHand),
            Applies::Excluded => return self.not_loaded(&label, Why::Excluded),
            Applies::Never => return self.not_loaded(&label, Why::Disabled),
        };
        let always = written.is_empty();
        let globs = self.globs(written, directory, &text, head.body, &label);
        let distance = place.distance;
        if always || globs.iter().any(Glob::is_everything) {
            let Some((text, loaded)) = self.finish(body, &Lying::of(place, &file), &label) else { return };
            found.push(Instruction { label, text, distance, loaded, entry: Entry::Rule });
            self.add_imported(distance, found);
        } else if globs.is_empty() {
            self.not_loaded(&label, Why::Invalid { detail: "none of its patterns can be used".to_owned() });
        } else {
            let base = match place.whose {
                Whose::User => self.situation.workspace.root.clone(),
                Whose::Directory => place.root.join(&place.inside),
            };
            let patterns = Patterns::new(base, globs);
            let (lying, whose) = (Lying::of(place, &file), place.whose);
            self.scoped.push(Scoped { label, text: body, lying, patterns, distance, whose });
        }
    }

    /// The patterns that can be used; others are reported, with their lines.
    fn globs(
        &mut self,
        written: Vec<Written>,
        directory: &RuleDirectory,
        text: &Text,
        body: usize,
        label: &Arc<str>,
    ) -> Vec<Glob> {
        let mut source = None;
        let mut globs = Vec::new();
        let mut findings = Vec::new();
        for Written { pattern, range } in written {
            // Escapes of YAML can write what was not there when the file was checked, so that its line is not shown.
            if !self.situation.permissions.hygiene.passes(&pattern) {
                let line = 1 + text.as_str()[..range.start].matches('\n').count();
                let why = self.situation.permissions.hygiene.reportable(pattern);
                let message = format!("{label}:{line} has a pattern that is not used: {why}");
                findings.push(Diagnostic::warning(Code::BadPattern, message).about(Subject::file(label)));
                continue;
            }
            let meant = directory.patterns.meant(&pattern).ok_or("in this form it matches nothing".to_owned());
            let (glob, warning) = match meant.and_then(|meant| Glob::read(&meant, &mut self.globs_left)) {
                Ok(glob) => {
                    let warning = glob.warning().map(str::to_owned);
                    (Some(glob), warning)
                }
                Err(why) => (None, Some(format!("it is not used: {why}"))),
            };
            globs.extend(glob);
            let Some(warning) = warning else { continue };
            let source = source.get_or_insert_with(|| {
                let head = &text.as_str()[..body];
                Arc::new(Source::new(SourceKind::File, label.as_ref(), head).at(label.as_ref()))
            });
            let message = format!("the pattern `{}`: {warning}", listed(&[pattern]));
            let diagnostic = Diagnostic::warning(Code::BadPattern, message).at(At::new(source, range));
            findings.push(diagnostic.about(Subject::file(label)));
        }
        if let Some(more) = findings.len().checked_sub(REPORTED + 1) {
            let message = format!("{label} has {} more patterns that cannot be used as they are", more + 1);
            findings.truncate(REPORTED);
            findings.push(Diagnostic::warning(Code::BadPattern, message).about(Subject::file(label)));
        }
        self.diagnostics.extend(findings);
        globs
    }

    fn invalid(&mut self, label: &Arc<str>, detail: String) {
        let message = format!("{label} is not loaded: {detail}");
        let diagnostic = Diagnostic::warning(Code::InvalidRule, message).about(Subject::file(label));
        self.diagnostics.push(diagnostic.hint("a head begins and ends with a line `---`, and has each key once"));
        self.not_loaded(label, Why::Invalid { detail });
    }
}
