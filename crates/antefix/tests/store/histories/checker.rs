//! Whether a history is explained by some serial order.
//!
//! 1. An operation takes effect at one moment between its beginning and its end. So of two that do not overlap the earlier one
//!    comes first; those that overlap may come in either order.
//! 2. An operation without an answer, because its process was killed or its store did not know, may have taken effect at any
//!    moment since it began, or never.
//! 3. All orders are tried, and no state twice.

use std::collections::BTreeSet;

use super::model::Model;

/// How many states are looked at before the search is given up, loudly.
const MOST: usize = 300_000;

/// An operation as its client saw it.
#[derive(Debug, Clone)]
pub(super) struct Operation {
    pub(super) client: String,
    pub(super) question: String,
    pub(super) begun: u64,
    /// When it ended, and what the answer was; none if there was none.
    pub(super) ended: Option<(u64, String)>,
}

/// Finds a serial order, or says how far one got and what was left to explain.
pub(super) fn explain(history: &[Operation]) -> Result<(), String> {
    let mut search = Search { history, seen: BTreeSet::new(), furthest: Vec::new() };
    let mut order = Vec::new();
    if search.goes_on(&mut order, &Model::default()) {
        return Ok(());
    }
    let mut lines = vec![format!("no serial order explains these {} operations", history.len())];
    let mut model = Model::default();
    for at in &search.furthest {
        let answer = model.apply(&history[*at].question);
        lines.push(format!("  {} {} → {answer}", history[*at].client, history[*at].question));
    }
    lines.push(format!("then the state is {model:?}, and none of these fits:"));
    let left = history.iter().enumerate().filter(|(at, _)| !search.furthest.contains(at));
    lines.extend(left.map(|(_, one)| format!("  {one:?}")));
    Err(lines.join("\n"))
}

struct Search<'h> {
    history: &'h [Operation],
    seen: BTreeSet<(Vec<usize>, Model)>,
    furthest: Vec<usize>,
}

impl Search<'_> {
    fn goes_on(&mut self, order: &mut Vec<usize>, model: &Model) -> bool {
        let history = self.history;
        let left = || (0..history.len()).filter(|at| !order.contains(at));
        // What has an answer must have its place; what has none need not have one.
        let Some(first_end) = left().filter_map(|at| Some(history[at].ended.as_ref()?.0)).min() else { return true };
        if order.len() > self.furthest.len() {
            self.furthest.clone_from(order);
        }
        let candidates: Vec<usize> = left().filter(|at| history[*at].begun <= first_end).collect();
        let mut done = order.clone();
        done.sort_unstable();
        if !self.seen.insert((done, model.clone())) {
            return false;
        }
        assert!(self.seen.len() < MOST, "more than {MOST} states: too many operations overlap to try all orders");
        for at in candidates {
            let mut next = model.clone();
            let answer = next.apply(&history[at].question);
            if history[at].ended.as_ref().is_some_and(|(_, seen)| *seen != answer) {
                continue;
            }
            order.push(at);
            if self.goes_on(order, &next) {
                return true;
            }
            order.pop();
        }
        false
    }
}

/// A history from lines `client begun ended question → answer`; `-` is an end that nobody saw.
fn history(lines: &str) -> Vec<Operation> {
    lines
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .map(|line| {
            let mut words = line.splitn(4, ' ');
            let mut word = || words.next().unwrap();
            let (client, begun, ended) = (word().to_owned(), word().parse().unwrap(), word().to_owned());
            let (question, answer) = word().split_once(" → ").unwrap();
            let ended = ended.parse().ok().map(|ended| (ended, answer.to_owned()));
            Operation { client, question: question.to_owned(), begun, ended }
        })
        .collect()
}

#[test]
fn what_can_be_explained_is_explained() {
    for good in [
        "",
        "a 1 5 append 1 x → won
         b 2 6 append 1 y → lost 1 x",
        // The one that began later was first.
        "a 1 5 append 1 x → lost 1 y
         b 2 6 append 1 y → won",
        // Nobody heard whether it was done, and it was.
        "a 1 - append 1 x → ?
         b 9 10 standing → 1 x  0 0 -",
        // Or it was not.
        "a 1 - append 1 x → ?
         b 9 10 standing → none
         b 11 12 append 1 y → won",
        // Or only later.
        "a 1 - append 1 x → ?
         b 9 10 standing → none
         b 11 12 standing → 1 x  0 0 -",
        "a 1 2 append 1 x → won
         a 3 4 begin t 1 y → done
         b 3 9 commit t → done 2 y
         c 5 9 commit t → before 2 y",
    ] {
        explain(&history(good)).unwrap();
    }
}

#[test]
fn what_cannot_be_explained_is_refused() {
    for bad in [
        // Two winners.
        "a 1 5 append 1 x → won
         b 2 6 append 1 y → won",
        // A stale answer: it began after the write had ended.
        "a 1 2 append 1 x → won
         b 3 4 standing → none",
        // Acknowledged, then lost.
        "a 1 2 append 1 x → won
         a 3 4 append 2 y → won
         b 5 6 standing → 1 x  0 0 -",
        // Seen, then not seen.
        "a 1 - append 1 x → ?
         b 2 3 standing → 1 x  0 0 -
         b 4 5 standing → none",
        // A message twice, and one never.
        "a 1 2 append 1 x → won
         a 3 4 queue → 1
         b 5 6 take t → took 1
         c 7 8 take u → took 1",
        "a 1 2 append 1 x → won
         a 3 4 queue → 1
         b 5 6 take t → took ",
        // Two compactions of one epoch.
        "a 1 2 append 1 x → won
         a 3 4 begin t 1 y → done
         b 5 9 commit t → done 2 y
         c 5 9 commit t → done 3 y",
        // One number for two templates.
        "a 1 9 save 1 x → won
         b 1 9 save 1 y → won",
        // An amendment between two that was written behind a renewal.
        "a 1 2 append 1 x → won
         a 3 4 append 2 y → won
         b 5 6 amend 1 1 z → won",
    ] {
        let why = explain(&history(bad)).unwrap_err();
        assert!(why.starts_with("no serial order"), "{why}");
    }
}
