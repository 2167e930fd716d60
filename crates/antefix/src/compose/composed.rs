//! A prompt of what was found, with a report that says what became of it.

use std::collections::BTreeSet;

use super::{Composition, Layout, Prompt, fit, roomy};
use crate::diagnostic::{Code, Diagnostic, Subject};
use crate::discover::{Discovery, FileLeft, ReasonCode};
use crate::error::{Error, Result};

/// A prompt, with the discovery that it was composed from.
#[derive(Debug, Clone)]
pub struct Composed {
    /// The prompt.
    pub prompt: Prompt,
    /// What was found for it. A file that the prompt's budget cut is in the report with what is left of it, and one that it
    /// dropped is not among those loaded.
    pub discovery: Discovery,
    /// A finding for each fact that is missing and that no other finding is about.
    pub gaps: Vec<Diagnostic>,
}

impl Composed {
    /// Composes a prompt of what was found.
    pub fn prompt(layout: &Layout, discovery: Discovery) -> Result<Composed> {
        let (prompt, files) = roomy(|| Composition::new(layout).finish(&discovery.facts))?;
        Ok(Composed::new(prompt, discovery, &files))
    }

    /// Composes what is after the boundary, for a prefix that exists already. What cannot be composed is left out, with the
    /// reason: the prefix goes on without it.
    pub fn suffix(layout: &Layout, discovery: Discovery, prefix: &str) -> (Composed, Option<Error>) {
        match roomy(|| Composition::new(layout).finish_suffix(&discovery.facts, prefix)) {
            Ok((prompt, files)) => (Composed::new(prompt, discovery, &files), None),
            Err(error) => (Composed::new(Prompt::empty(layout.name()), discovery, &[]), Some(error)),
        }
    }

    fn new(prompt: Prompt, mut discovery: Discovery, files: &[FileLeft]) -> Composed {
        discovery.report.fit(&fit::instruction_files(), files);
        let gaps = unexplained_gaps(&prompt, &discovery);
        Composed { prompt, discovery, gaps }
    }

    /// All findings: of the discovery, of the prompt, and about its gaps.
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        let found = self.discovery.diagnostics.iter();
        found.chain(self.prompt.diagnostics()).chain(&self.gaps).cloned().collect()
    }
}

/// The gaps that nobody has said more about.
fn unexplained_gaps(prompt: &Prompt, discovery: &Discovery) -> Vec<Diagnostic> {
    let findings = discovery.diagnostics.iter().chain(prompt.diagnostics());
    let about = findings.filter_map(|finding| finding.about.as_ref().and_then(Subject::name));
    let mut explained: BTreeSet<&str> = about.collect();
    let mut gaps: Vec<Diagnostic> = Vec::new();
    for gap in prompt.gaps() {
        let is_explained = !explained.insert(gap.fact.as_str());
        // All that is withheld for want of trust is in one finding of the discovery.
        if is_explained || gap.reason.code == ReasonCode::Untrusted {
            continue;
        }
        let message = format!("section `{}` is composed without `{}`: {}", gap.section, gap.fact, gap.reason);
        gaps.push(Diagnostic::warning(Code::Gap, message).about(gap.fact.as_str()));
    }
    gaps
}
