//! The server, as a client of it sees it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use antefix_testing::{Reply, Server};
use serde_json::{Map, Value, json};

use crate::document::origin;
use crate::front_end::Adapter;
use crate::outcome::{Outcome, Seen};
use crate::place::{CONVERSATION, NOW, Place};
use crate::program::reported_error;
use crate::step::{Ask, Step};

/// One server for all steps. A layout that lies in a file is a setting of the server's, so that naming one starts another
/// server.
pub(crate) struct Http {
    place: Rc<Place>,
    running: Option<(Option<&'static str>, Server)>,
}

impl Http {
    pub(crate) fn new(place: Rc<Place>) -> Http {
        Http { place, running: None }
    }

    /// The server that runs, or one for the layout file that is named. The error is why it does not start.
    fn server(&mut self, layout: Option<&'static str>) -> Result<&Server, Outcome> {
        let file = layout.filter(|name| is_file(name));
        if self.running.as_ref().is_some_and(|(named, _)| file.is_some() && *named != file) {
            self.running = None;
        }
        if self.running.is_none() {
            self.running = Some((file, self.start(file)?));
        }
        self.running.as_ref().map(|(_, server)| server).ok_or(Outcome::NotOffered)
    }

    fn start(&self, layout: Option<&str>) -> Result<Server, Outcome> {
        let place = &self.place;
        let (project, all) = (place.path("p"), place.path(""));
        // A conversation that names no directory works in the first root.
        let mut args = vec!["--no-link", "--root", &project, "--root", &all];
        args.extend(layout.iter().flat_map(|layout| ["--layout", layout]));
        // The harness gives up on a server that does not start, and here that is an outcome.
        let started = catch_unwind(AssertUnwindSafe(|| place.scratch.serve_exactly(&args)));
        started.map_err(|told| {
            let told = told.downcast_ref::<String>().cloned().unwrap_or_default();
            reported_error(told.split_once(", ").map_or("", |(_, reported)| reported))
        })
    }

    fn body(&self, ask: &Ask) -> Value {
        let mut body = Map::new();
        let cwd = ask.cwd.map(|cwd| self.place.path(cwd));
        let words = [
            ("cwd", cwd.as_deref()),
            ("layout", ask.layout.filter(|name| !is_file(name))),
            ("model", ask.model),
            ("machine", ask.machine),
            ("target", ask.target),
            ("previous_response", ask.previous_response),
            ("override", ask.replacement),
            ("turn", ask.turn),
            ("watch", ask.watch),
            ("now", Some(NOW)),
        ];
        body.extend(words.into_iter().filter_map(|(name, text)| text.map(|text| (name.to_owned(), text.into()))));
        let lists = [("tools", &ask.tools), ("messages", &ask.messages)];
        body.extend(lists.into_iter().filter_map(|(name, list)| list.clone().map(|list| (name.to_owned(), list))));
        if !ask.without.is_empty() {
            body.insert("without".to_owned(), json!(ask.without));
        }
        if !ask.touch.is_empty() {
            body.insert("touch".to_owned(), json!(ask.touch));
        }
        if !ask.set.is_empty() {
            // A list is one in the body, too.
            let value = |text: &str| match text.starts_with('[') {
                true => serde_json::from_str(text).unwrap(),
                false => Value::from(text),
            };
            let set: Map<String, Value> = ask.set.iter().map(|(fact, text)| ((*fact).into(), value(text))).collect();
            body.insert("set".to_owned(), set.into());
        }
        Value::Object(body)
    }

    fn send(&mut self, method: &str, path: &str, body: &Value) -> Result<Reply, Outcome> {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        Ok(self.server(None)?.send_with(method, path, &[], &body))
    }
}

/// Whether a layout is named by its path.
fn is_file(layout: &str) -> bool {
    layout.contains(['/', '.'])
}

impl Adapter for Http {
    fn run(&mut self, step: &Step) -> Outcome {
        self.do_step(step).unwrap_or_else(|not_started| not_started)
    }
}

impl Http {
    fn do_step(&mut self, step: &Step) -> Result<Outcome, Outcome> {
        let token = self.place.token.borrow().clone();
        let at = |path: &str| format!("/conversations/{CONVERSATION}/{path}");
        let end = at(&format!("compaction/{token}"));
        let reply = match step {
            Step::Turn(ask) => {
                let body = self.body(ask).to_string();
                self.server(ask.layout)?.post(&at("turns"), &body)
            }
            Step::Drift => self.send("GET", &at("drift"), &Value::Null)?,
            Step::Renew(cause) => self.send("POST", &at("renewals"), &json!({"cause": cause, "now": NOW}))?,
            Step::BeginCompaction(ask) => {
                let reply = self.send("POST", &at("compaction"), &self.body(ask))?;
                if reply.status == 201 {
                    self.place.token.replace(reply.json()["token"].as_str().unwrap().to_owned());
                }
                reply
            }
            Step::CommitCompaction => self.send("PUT", &end, &json!({"outcome": "succeeded", "now": NOW}))?,
            Step::AbortCompaction => return Ok(done(&self.send("PUT", &end, &json!({"outcome": "failed"}))?)),
            Step::Send(text) => return Ok(done(&self.send("POST", &at("messages"), &json!({"message": text}))?)),
            Step::Touch(paths) => return Ok(done(&self.send("POST", &at("touch"), &json!({"paths": paths}))?)),
            Step::SaveTemplate { dialect, text } => {
                let body = json!({"template": text, "dialect": dialect});
                return Ok(done(&self.send("PUT", "/system-prompt", &body)?));
            }
            Step::DeleteTemplate => return Ok(done(&self.send("DELETE", "/system-prompt", &Value::Null)?)),
            _ => return Ok(Outcome::NotOffered),
        };
        Ok(if is_well(&reply) { Seen::of_document(&reply.json()).into() } else { failed(&reply) })
    }
}

fn is_well(reply: &Reply) -> bool {
    (200..300).contains(&reply.status)
}

/// Something of which the other front ends tell nothing but that it was done.
fn done(reply: &Reply) -> Outcome {
    if is_well(reply) { Seen::done() } else { failed(reply) }
}

fn failed(reply: &Reply) -> Outcome {
    let problem = reply.json();
    let message = problem["error"].as_str().unwrap();
    let place = problem["diagnostics"][0].get("origin").map(origin);
    let error = place.map_or(message.to_owned(), |place| format!("{place}: {message}"));
    Seen::failed(error, problem["hint"].as_str())
}
