//! What somebody probably wrote in vain: a file behind another one, and `@path` where nobody follows it.
//!
//! This reads files that composing does not, so only a close look does it.

use std::path::Path;
use std::sync::Arc;

use super::{Instruction, Lying, Place, Search};
use crate::diagnostic::{Code, Diagnostic, Subject};
use crate::discover::file::read_shareable;
use crate::discover::imports;
use crate::discover::rules::Survey;
use crate::discover::world::Answer;
use crate::text::{Text, grouped};

/// A file that is shorter, in bytes, and names another one points to it.
const POINTER: usize = 200;

impl Search<'_> {
    /// Reports a file that is not used because another one comes first, if it says something else.
    pub(super) fn check_shadowed(&mut self, place: &Place, path: &Path, label: &Arc<str>, by: Option<&Instruction>) {
        let Some(by) = by.filter(|_| self.situation.survey == Survey::Project) else { return };
        let Answer::Present(file) = read_shareable(self.world, &place.root, path) else { return };
        let real = place.root.join(&file.resolved);
        let is_same_file = self.seen.iter().any(|seen| seen.is(&real, file.identity));
        let is_imported = by.loaded.iter().any(|loaded| loaded.path.as_deref() == Some(&**label));
        let (text, used) = (file.text.trim_start_matches('\u{feff}').trim(), by.text.as_str().trim());
        if text.is_empty() || is_same_file || is_imported || same_words(text, used) || points_to(text, &by.label) {
            return;
        }
        let bytes = grouped(file.text.len());
        let message = match points_to(used, label) {
            true => format!(
                "{label} is not used, because {} comes first, which only points to it: agents do not see its {bytes} bytes",
                by.label
            ),
            false => format!(
                "{label} is not used, because {} comes first, and says something else in its {bytes} bytes",
                by.label
            ),
        };
        let hint = "keep one of the two: a CLAUDE.md may say `@AGENTS.md` and nothing else";
        self.diagnostics.push(Diagnostic::warning(Code::ShadowedFile, message).about(Subject::file(label)).hint(hint));
    }

    /// Reports imports in a file whose imports are not followed, if there is what they name.
    pub(super) fn check_imports(&mut self, text: &Text, lying: &Lying, label: &Arc<str>) {
        if self.situation.survey != Survey::Project {
            return;
        }
        let left = imports::left(self.world, self.situation, text, &lying.real);
        let Some((target, line, column)) = left.first() else { return };
        let more = match left.len() {
            1 => String::new(),
            count => format!(", and {} more", count - 1),
        };
        let message =
            format!("{label}:{line} imports `@{target}`{more}, and the imports of this file are not followed");
        let hint = "the agent sees the name alone: write the text itself, or name the file in `imports` of the layout's `[instructions]`";
        let about = Subject::file(label).at(*line, *column);
        self.diagnostics.push(Diagnostic::warning(Code::ImportLeft, message).about(about).hint(hint));
    }
}

/// Whether two texts say the same, but for white space.
fn same_words(one: &str, other: &str) -> bool {
    one.split_whitespace().eq(other.split_whitespace())
}

/// Whether a text is hardly more than the name of a file.
fn points_to(text: &str, label: &str) -> bool {
    text.len() < POINTER && text.contains(name_of(label))
}

fn name_of(label: &str) -> &str {
    label.rsplit('/').next().unwrap_or(label)
}
