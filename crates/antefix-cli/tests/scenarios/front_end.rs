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
    /// Program, server and library on one store, each step by another one.
    InTurns,
}

impl FrontEnd {
    pub(crate) fn name(self) -> &'static str {
        match self {
            FrontEnd::Library => "library",
            FrontEnd::Program => "program",
            FrontEnd::Http => "http",
            FrontEnd::Acp => "acp",
            FrontEnd::InTurns => "in turns",
        }
    }

    /// Those that take turns; none for one that is alone.
    pub(crate) fn members(self) -> &'static [FrontEnd] {
        match self {
            FrontEnd::InTurns => &[FrontEnd::Program, FrontEnd::Http, FrontEnd::Library],
            _ => &[],
        }
    }

    /// Takes its place.
    pub(crate) fn begin(self, place: &Rc<Place>) -> Box<dyn Adapter> {
        let own = Rc::clone(place);
        match self {
            FrontEnd::Library => Box::new(Library::new(own)),
            FrontEnd::Program => Box::new(Program::new(own)),
            FrontEnd::Http => Box::new(Http::new(own)),
            FrontEnd::Acp => Box::new(Acp::new(own)),
            FrontEnd::InTurns => {
                Box::new(InTurns::new(self.members().iter().map(|member| member.begin(place)).collect()))
            }
        }
    }
}
