//! Fitting all files into the layout's total budget.

use std::sync::Arc;

use super::{Instruction, Search};
use crate::diagnostic::Diagnostic;
use crate::discover::file::cut_to;
use crate::discover::report::Why;

/// A file that would be cut to less than this is dropped instead: a few words of a document mislead.
const LEAST: usize = 500;

impl Search<'_> {
    /// Fits all files into the total budget: the most specific one is served first.
    pub(super) fn fit(&mut self, found: &mut Vec<Instruction>) {
        let mut order: Vec<usize> = (0..found.len()).collect();
        order.sort_by_key(|number| (found[*number].distance, std::cmp::Reverse(*number)));
        let mut left = self.rules.total_budget;
        let mut dropped = Vec::new();
        for number in order {
            let file = &mut found[number];
            let bytes = file.text.as_str().len();
            if bytes <= left {
                left -= bytes;
                continue;
            }
            if left < LEAST {
                dropped.push(number);
                continue;
            }
            file.text = cut_to(&file.text, &self.situation.phrases.get("cut_notice"), left);
            let label = Arc::clone(&file.label);
            self.tell_cut(&label, bytes, left);
            left = 0;
        }
        for number in dropped.iter().rev() {
            self.drop(&found[*number]);
        }
        let mut number = 0;
        found.retain(|_| {
            number += 1;
            !dropped.contains(&(number - 1))
        });
    }

    fn drop(&mut self, file: &Instruction) {
        let bytes = file.text.as_str().len();
        let budget = self.rules.total_budget;
        let message = format!("{} is left out: all instruction files together may have {budget} bytes", file.label);
        let diagnostic = Diagnostic::warning("over-budget", message).about(file.label.as_ref());
        self.diagnostics.push(diagnostic.hint("shorten the files, or raise `total_budget` in the layout"));
        self.not_loaded(&file.label, Why::OverBudget { bytes });
    }

    pub(super) fn tell_cut(&mut self, label: &Arc<str>, bytes: usize, limit: usize) {
        let message = format!("{label} has {bytes} bytes and is cut to {limit}");
        let diagnostic = Diagnostic::warning("cut", message).about(label.as_ref());
        self.diagnostics.push(diagnostic.hint("shorten the file, or raise its budget in the layout"));
    }
}
