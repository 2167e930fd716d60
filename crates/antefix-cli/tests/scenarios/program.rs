//! The program: a process for every step.

use std::rc::Rc;

use antefix_testing::Ran;

use crate::front_end::Adapter;
use crate::outcome::{Outcome, Seen};
use crate::place::{CONVERSATION, NOW, Place};
use crate::step::{Ask, Step};

pub(crate) struct Program {
    place: Rc<Place>,
}

impl Program {
    pub(crate) fn new(place: Rc<Place>) -> Program {
        Program { place }
    }

    /// A command that prints a document.
    fn document(&self, args: &[&str]) -> Outcome {
        let ran = self.command(args);
        if ran.code == 0 { Seen::of_document(&ran.json()).into() } else { failed(&ran) }
    }

    /// A command that prints something for people.
    fn done(&self, args: &[&str]) -> Outcome {
        let ran = self.command(args);
        if ran.code == 0 { Seen::done() } else { failed(&ran) }
    }

    fn command(&self, args: &[&str]) -> Ran {
        self.place.scratch.run(args)
    }

    fn turn(&self, ask: &Ask) -> Outcome {
        let mut args: Vec<String> = ["turn", CONVERSATION, "--json"].map(str::to_owned).into();
        args.extend(self.deliver_arguments(ask));
        args.extend(ask.turn.iter().flat_map(|name| ["--turn".to_owned(), (*name).to_owned()]));
        let previous = ask.previous_response.iter();
        args.extend(previous.flat_map(|id| ["--previous-response".to_owned(), (*id).to_owned()]));
        args.extend(ask.touch.iter().flat_map(|path| ["--touch".to_owned(), (*path).to_owned()]));
        if let Some(text) = ask.replacement {
            args.extend(["--replace".to_owned(), self.input("replacement.txt", text)]);
        }
        self.document(&args.iter().map(String::as_str).collect::<Vec<_>>())
    }

    /// What to compose, and in which shape.
    fn deliver_arguments(&self, ask: &Ask) -> Vec<String> {
        let mut args = compose_arguments(&self.place, ask);
        args.extend(ask.target.iter().flat_map(|target| ["--for".to_owned(), (*target).to_owned()]));
        if let Some(messages) = &ask.messages {
            args.extend(["--messages".to_owned(), self.input("messages.json", &messages.to_string())]);
        }
        args
    }

    fn input(&self, name: &str, text: &str) -> String {
        self.place.scratch.write(name, text);
        self.place.path(name)
    }
}

impl Adapter for Program {
    fn run(&mut self, step: &Step) -> Outcome {
        let token = self.place.token.borrow().clone();
        let now = ["--now", NOW, "--json"];
        let with_now = |args: &[&str]| self.document(&[args, &now].concat());
        match step {
            Step::Turn(ask) if ask.watch.is_none() => self.turn(ask),
            Step::Drift => with_now(&["drift", CONVERSATION]),
            Step::Renew(cause) => with_now(&["renew", CONVERSATION, "--cause", cause]),
            Step::BeginCompaction(ask) => {
                let said = self.deliver_arguments(ask);
                let said: Vec<&str> = said.iter().map(String::as_str).collect();
                let ran = self.command(&[&["compact", CONVERSATION, "begin", "--json"][..], &said].concat());
                if ran.code != 0 {
                    return failed(&ran);
                }
                self.place.token.replace(ran.json()["token"].as_str().unwrap().to_owned());
                Seen::of_document(&ran.json()).into()
            }
            Step::CommitCompaction => with_now(&["compact", CONVERSATION, "commit", &token]),
            Step::AbortCompaction => self.done(&["compact", CONVERSATION, "abort", &token]),
            Step::Send(text) => self.done(&["send", "--new", CONVERSATION, text]),
            Step::Trust => self.done(&["trust", "--yes"]),
            Step::RevokeTrust => self.done(&["trust", "--revoke"]),
            _ => Outcome::NotOffered,
        }
    }
}

/// The arguments that every command takes which composes, also that of the proxy.
pub(crate) fn compose_arguments(place: &Place, ask: &Ask) -> Vec<String> {
    let mut args = vec!["--now".to_owned(), NOW.to_owned()];
    let cwd = ask.cwd.map(|cwd| place.path(cwd));
    let words =
        [("--model", ask.model), ("--machine", ask.machine), ("--layout", ask.layout), ("--cwd", cwd.as_deref())];
    for (flag, value) in words {
        args.extend(value.iter().flat_map(|value| [flag.to_owned(), (*value).to_owned()]));
    }
    for section in ask.without {
        args.extend(["--without".to_owned(), (*section).to_owned()]);
    }
    for (fact, text) in &ask.set {
        args.extend(["--set".to_owned(), format!("{fact}={text}")]);
    }
    if let Some(tools) = &ask.tools {
        // Other tools are another argument: a proxy reads the file when it starts.
        let text = tools.to_string();
        let name = format!("tools-{}.json", antefix::text::Digest::of(&text).short());
        place.scratch.write(&name, &text);
        args.extend(["--tools".to_owned(), place.path(&name)]);
    }
    args
}

fn failed(ran: &Ran) -> Outcome {
    reported_error(&ran.stderr)
}

/// The error that the program reports, read from what a person sees.
pub(crate) fn reported_error(reported: &str) -> Outcome {
    let mut lines = reported.lines();
    let message = lines.by_ref().find_map(|line| line.strip_prefix("error: "));
    let message = message.unwrap_or_else(|| panic!("it failed without an error: {reported:?}"));
    let (mut place, mut hint) = (None, None);
    for line in lines {
        if let Some((_, at)) = line.split_once("╭▸ ") {
            place = Some(at);
        }
        if let Some((_, advice)) = line.split_once("help: ") {
            hint = Some(advice);
        }
    }
    let error = place.map_or(message.to_owned(), |place| format!("{place}: {message}"));
    Seen::failed(error, hint)
}
