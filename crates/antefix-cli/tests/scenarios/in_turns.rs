//! Several front ends on one store: each step is another one's.

use crate::front_end::Adapter;
use crate::outcome::Outcome;
use crate::step::Step;

pub(crate) struct InTurns {
    all: Vec<Box<dyn Adapter>>,
    next: usize,
}

impl InTurns {
    pub(crate) fn new(all: Vec<Box<dyn Adapter>>) -> InTurns {
        InTurns { all, next: 0 }
    }
}

impl Adapter for InTurns {
    /// The next one does it; what it does not offer, the one behind it does.
    fn run(&mut self, step: &Step) -> Outcome {
        for _ in 0..self.all.len() {
            let turn = self.next % self.all.len();
            self.next += 1;
            match self.all[turn].run(step) {
                Outcome::NotOffered => {}
                seen => return seen,
            }
        }
        Outcome::NotOffered
    }
}
