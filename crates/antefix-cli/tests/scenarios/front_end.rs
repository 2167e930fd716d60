//! The ways in: each front end does the same steps in its own words.

use std::rc::Rc;

use crate::acp::Acp;
use crate::http::Http;
use crate::in_turns::InTurns;
use crate::library::Library;
use crate::outcome::Outcome;
use crate::place::Place;
use crate::program::Program;
use crate::step::Step;

/// Does steps. One that it cannot do is answered with [`Outcome::NotOffered`], and [`crate::lists::NOT_OFFERED`] says why.
pub(crate) trait Adapter {
    fn run(&mut self, step: &Step) -> Outcome;
}

/// Who is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FrontEnd {
    Library,
    Program,
    Http,
    Acp,
    /// Several of them on one store, each step by another one.
    InTurns,
}

impl FrontEnd {
    /// All that are held against the library.
    pub(crate) const OTHERS: [FrontEnd; 4] = [FrontEnd::Program, FrontEnd::Http, FrontEnd::Acp, FrontEnd::InTurns];

    pub(crate) fn name(self) -> &'static str {
        match self {
            FrontEnd::Library => "library",
            FrontEnd::Program => "program",
            FrontEnd::Http => "http",
            FrontEnd::Acp => "acp",
            FrontEnd::InTurns => "in turns",
        }
    }

    /// Takes its place. `scenario` is for those who take part in some scenarios alone.
    pub(crate) fn begin(self, place: &Rc<Place>, scenario: &str) -> Box<dyn Adapter> {
        let place = Rc::clone(place);
        match self {
            FrontEnd::Library => Box::new(Library::new(place)),
            FrontEnd::Program => Box::new(Program::new(place)),
            FrontEnd::Http => Box::new(Http::new(place)),
            FrontEnd::Acp => Box::new(Acp::new(place)),
            FrontEnd::InTurns => Box::new(InTurns::new(&place, scenario)),
        }
    }
}
