//! Fitting all files into the layout's total budget.

use std::sync::Arc;

use super::{Drop, Instruction, Search};
use crate::diagnostic::{Code, Diagnostic, Subject};
use crate::discover::report::Why;
use crate::text::Budget;

/// A file that would be cut to less than this is dropped instead: a few words of a document mislead. In bytes, or what
/// they come to.
pub(super) const LEAST: usize = 500;

impl Search<'_> {
    /// Fits all files into the total budget, in the order in which the layout serves them.
    pub(in crate::discover) fn fit(&mut self, found: &mut Vec<Instruction>) {
        // No unit is smaller than a byte: where the bytes fit, nothing is counted.
        if found.iter().map(|file| file.text.as_str().len()).sum::<usize>() <= self.rules.total_budget.most {
            return;
        }
        let mut order: Vec<usize> = (0..found.len()).collect();
        if self.rules.drop == Drop::LeastSpecific {
            order.sort_by_key(|number| (found[*number].distance, std::cmp::Reverse(*number)));
        }
        let Budget { most: mut left, unit } = self.rules.total_budget;
        let mut dropped = Vec::new();
        let mut full = false;
        for number in order {
            let file = &mut found[number];
            let size = unit.measure(file.text.as_str());
            if size <= left && !full {
                left -= size;
                continue;
            }
            let room = Budget { most: left, unit };
            // A file that is served later does not outlive an earlier one, however short it is.
            let is_first = !std::mem::replace(&mut full, true);
            let is_worth_it = match self.rules.drop {
                Drop::Last => true,
                Drop::LeastSpecific => left == self.rules.total_budget.most || left >= unit.come_to(LEAST),
            };
            let cut =
                (is_first && is_worth_it).then(|| self.cut(&file.text, &[room])).filter(|cut| !cut.as_str().is_empty());
            let Some(cut) = cut else {
                dropped.push(number);
                continue;
            };
            if let Some(own) = file.loaded.first_mut() {
                own.bytes = cut.as_str().len();
            }
            file.text = cut;
            let label = Arc::clone(&file.label);
            self.report_cut(&label, &size.to_string(), room);
        }
        dropped.sort_unstable();
        for number in &dropped {
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
        let message = format!("{} is left out: all instruction files together may have {budget}", file.label);
        let diagnostic = Diagnostic::warning(Code::OverBudget, message).about(Subject::file(&file.label));
        self.diagnostics.push(diagnostic.hint("shorten the files, or raise `total_budget` in the layout"));
        self.not_loaded(&file.label, Why::OverBudget { bytes });
    }

    pub(super) fn report_cut(&mut self, label: &Arc<str>, size: &str, budget: Budget) {
        let message = format!("{label} has {size} {} and is cut to {}", budget.unit.name(), budget.most);
        let diagnostic = Diagnostic::warning(Code::Cut, message).about(Subject::file(label));
        self.diagnostics.push(diagnostic.hint("shorten the file, or raise its budget in the layout"));
    }
}
