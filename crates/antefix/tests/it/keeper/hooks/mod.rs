//! Hooks around a turn: who may change what, for how long, and what is told of it.

mod chain;

mod epochs;

mod messages;

mod roots;

use std::sync::{Arc, Mutex};

use antefix::discover::roots::{MayName, NamedRoots};
use antefix::hooks::{Hook, HookDid, HookFailure, HookPoint, HookResult, Question, SystemOfTurn, TurnChange};
use antefix::keeper::Turn;
use serde_json::Value;

const EVERY: [HookPoint; 5] = HookPoint::ALL;

type TurnOf = dyn Fn(&str) -> HookResult<TurnChange> + Send + Sync;
type MessagesOf = dyn Fn(&[Value]) -> HookResult<Option<Vec<Value>>> + Send + Sync;
type RootsOf = dyn Fn(&Question<'_>) -> HookResult<NamedRoots> + Send + Sync;

/// A hook made of what it says. A copy shares what it heard.
#[derive(Clone)]
pub(crate) struct Voice {
    name: String,
    on: Vec<HookPoint>,
    may: MayName,
    turn: Arc<TurnOf>,
    messages: Arc<MessagesOf>,
    roots: Arc<RootsOf>,
    fails: bool,
    received: Arc<Mutex<Vec<String>>>,
}

impl Voice {
    fn new(name: &str, on: &[HookPoint]) -> Voice {
        Voice {
            name: name.to_owned(),
            on: on.to_vec(),
            may: MayName::AnyPlace,
            turn: Arc::new(|_| Ok(TurnChange::default())),
            messages: Arc::new(|_| Ok(None)),
            roots: Arc::new(|_| Ok(NamedRoots::default())),
            fails: false,
            received: Arc::default(),
        }
    }

    fn before_turn(name: &str, turn: impl Fn(&str) -> HookResult<TurnChange> + Send + Sync + 'static) -> Voice {
        Voice { turn: Arc::new(turn), ..Voice::new(name, &[HookPoint::BeforeTurn]) }
    }

    fn roots(name: &str, skills: &[&str], prompts: &[&str], instructions: &[&str]) -> Voice {
        let list = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        let named = NamedRoots { skills: list(skills), prompts: list(prompts), instructions: list(instructions) };
        Voice { roots: Arc::new(move |_| Ok(named.clone())), ..Voice::new(name, &[HookPoint::Discover]) }
    }

    fn failing(name: &str, on: &[HookPoint]) -> Voice {
        Voice { fails: true, ..Voice::new(name, on) }
    }

    fn received(&self) -> Vec<String> {
        self.received.lock().unwrap().clone()
    }

    fn hear<T>(&self, on: &str, question: &Question<'_>, answer: HookResult<T>) -> HookResult<T> {
        let epoch =
            question.epoch.map_or_else(|| "-".to_owned(), |epoch| format!("{} {}", epoch.number, epoch.cause.name()));
        self.received.lock().unwrap().push(format!("{on} {} {epoch}", question.conversation.unwrap()));
        if self.fails {
            Err(HookFailure::new("it has no mind to").with_stderr(b"because\n\x1b[31mred"))
        } else {
            answer
        }
    }
}

impl Hook for Voice {
    fn name(&self) -> &str {
        &self.name
    }

    fn on(&self) -> &[HookPoint] {
        &self.on
    }

    fn may_name(&self) -> MayName {
        self.may
    }

    fn before_turn(&self, question: &Question<'_>, system: SystemOfTurn<'_>) -> HookResult<TurnChange> {
        self.hear("before_turn", question, (self.turn)(&format!("{}{}", system.prefix, system.suffix)))
    }

    fn messages(&self, question: &Question<'_>, messages: &[Value]) -> HookResult<Option<Vec<Value>>> {
        self.hear("messages", question, (self.messages)(messages))
    }

    fn discover(&self, question: &Question<'_>) -> HookResult<NamedRoots> {
        self.hear("discover", question, (self.roots)(question))
    }

    fn began(&self, question: &Question<'_>) -> HookResult<()> {
        self.hear("began", question, Ok(()))
    }
}

fn appends(words: &str) -> TurnChange {
    TurnChange { append: Some(words.to_owned()), ..TurnChange::default() }
}

fn replaces(words: impl Into<String>) -> TurnChange {
    TurnChange { system: Some(words.into()), ..TurnChange::default() }
}

fn adds(message: Value) -> TurnChange {
    TurnChange { messages: vec![message], ..TurnChange::default() }
}

fn did(turn: &Turn) -> Vec<String> {
    actions(&turn.hooks)
}

fn actions(hooks: &[HookDid]) -> Vec<String> {
    hooks.iter().map(|did| format!("{} {} {}", did.hook, did.action.name(), did.bytes)).collect()
}

fn codes(turn: &Turn) -> Vec<String> {
    turn.diagnostics.iter().map(|finding| format!("{} {}", finding.level.name(), finding.code)).collect()
}

/// Every byte of the system text has one origin.
#[track_caller]
fn assert_accounted(turn: &Turn) {
    let mut end = 0;
    let spans = turn.spans().unwrap();
    for span in &spans {
        assert_eq!(span.start, end, "a gap or an overlap: {spans:?}");
        assert!(span.end > span.start && !span.section.is_empty(), "{span:?}");
        end = span.end;
    }
    assert_eq!(end, turn.system().len());
}
