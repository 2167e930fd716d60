//! Several front ends on one store: each step is another one's.

use std::rc::Rc;

use crate::front_end::{Adapter, FrontEnd};
use crate::lists::HTTP_NOT_YET;
use crate::outcome::Outcome;
use crate::place::Place;
use crate::step::Step;

pub(crate) struct InTurns {
    all: Vec<Box<dyn Adapter>>,
    next: usize,
}

impl InTurns {
    pub(crate) fn new(place: &Rc<Place>, scenario: &str) -> InTurns {
        let mut who = vec![FrontEnd::Program, FrontEnd::Http, FrontEnd::Library];
        if HTTP_NOT_YET.iter().any(|(name, _)| *name == scenario) {
            who.retain(|front_end| *front_end != FrontEnd::Http);
        }
        InTurns { all: who.into_iter().map(|front_end| front_end.begin(place, scenario)).collect(), next: 0 }
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
