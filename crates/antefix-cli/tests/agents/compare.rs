//! What reached the model, and what our data says.

use std::process::Command;

use antefix::agents::Agent;
use serde_json::Value;

use crate::request::{Request, Said, canaries};
use crate::start::Start;
use crate::worlds::{Place, World};

/// Runs an agent in a world; what differs from its file, one text each.
pub(crate) fn agrees(start: &Start, world: &World) -> Vec<String> {
    if !world.agents.is_empty() && !world.agents.contains(&start.agent) {
        return Vec::new();
    }
    let place = world.place();
    let expected = Expected::of(start.agent, &place);
    let touch = world.touch.filter(|_| start.can_touch());
    let requests = match start.run(&place, touch) {
        Ok(requests) => requests,
        Err(why) => return vec![why],
    };
    let turns: Vec<&Request> = requests.iter().filter(|request| request.is_turn()).collect();
    let Some(first) = turns.first() else {
        let paths: Vec<&str> = requests.iter().map(|request| request.path.as_str()).collect();
        return vec![format!("no turn among {paths:?}")];
    };
    let said = first.said();
    let mut failures = expected.order(&said);
    if failures.is_empty() {
        failures.extend(expected.bytes(&said));
        failures.extend(expected.roles(start.agent, &said));
        failures.extend(expected.states(world, &said));
    }
    if touch.is_some() {
        failures.extend(match turns.get(1..) {
            None | Some([]) => vec!["nothing was asked after the file was read".to_owned()],
            Some(later) => expected.later(world, &said, later),
        });
    }
    failures
}

/// What our data says.
struct Expected {
    /// The sections behind the agent's own words, by their ids.
    sections: Vec<(String, String)>,
    /// What `antefix agents NAME --json` has of each file.
    files: Vec<Value>,
}

impl Expected {
    fn of(agent: &str, place: &Place) -> Expected {
        let explained = antefix(place, &["explain", "--as", agent, "--json"]);
        let text = explained["prefix"]["text"].as_str().unwrap();
        let sections = explained["sections"].as_array().unwrap().iter().skip(1).map(|section| {
            let range = section["start"].as_u64().unwrap() as usize..section["end"].as_u64().unwrap() as usize;
            // A blank line is between sections, and no part of any.
            let text = text[range].trim_start_matches('\n');
            (section["id"].as_str().unwrap().to_owned(), text.to_owned())
        });
        let sections = sections.filter(|(_, text)| !text.is_empty()).collect();
        let mut agents = antefix(place, &["agents", agent, "--json"]);
        let files = agents["agents"][0]["files"].as_array_mut().unwrap().drain(..).collect();
        Expected { sections, files }
    }

    /// The same canaries, in the same order.
    fn order(&self, said: &[Said]) -> Vec<String> {
        let expected: Vec<String> = self.sections.iter().flat_map(|(_, text)| canaries(text)).collect();
        let arrived: Vec<String> = said.iter().flat_map(|said| canaries(&said.text)).collect();
        if expected == arrived {
            return Vec::new();
        }
        vec![format!("our data says\n  {}\nand there arrived\n  {}", expected.join("\n  "), arrived.join("\n  "))]
    }

    /// Each section is in one text, byte for byte.
    fn bytes(&self, said: &[Said]) -> Vec<String> {
        let differs = |(id, text): &(String, String)| {
            // Skills that come with the agent are among the others, and each may have more behind it, such as a short name of its place.
            let has = |said: &&Said| match id.as_str() {
                "skills" => text.lines().all(|line| said.text.lines().any(|said| said.starts_with(line))),
                _ => said.text.contains(text.as_str()),
            };
            if said.iter().any(|said| has(&said)) {
                return None;
            }
            let first = canaries(text).into_iter().next();
            let near = said.iter().find(|said| canaries(&said.text).first() == first.as_ref());
            let Some(near) = near.map(|said| said.text.as_str()) else {
                return Some(format!("section `{id}` is nowhere:\n{text:?}"));
            };
            let begin = near.find(text.lines().next().unwrap_or_default()).unwrap_or(0);
            let same = text.bytes().zip(near[begin..].bytes()).take_while(|(one, other)| one == other).count();
            let (ours, theirs) = (around(text, same), around(near, begin + same));
            Some(format!("section `{id}` should go on with\n{ours:?}\nand there arrived\n{theirs:?}"))
        };
        self.sections.iter().filter_map(differs).collect()
    }

    /// Who says it is who the data says.
    fn roles(&self, agent: &str, said: &[Said]) -> Vec<String> {
        let agents = Agent::built_in();
        let place = &agents.iter().find(|known| known.name == agent).unwrap().file.place;
        let wrong = |(id, text): &(String, String)| {
            let first = canaries(text).into_iter().next()?;
            let says = &said.iter().find(|said| canaries(&said.text).contains(&first))?.role;
            let named = if id.starts_with("skills") { &place.skills } else { &place.instructions };
            let is_named = named.contains(says.as_str()) || (says == "tools" && named.contains("tool"));
            (!is_named).then(|| format!("section `{id}` is said by the {says}, and its place is given as `{named}`"))
        };
        self.sections.iter().filter_map(wrong).collect()
    }

    /// What `antefix agents` calls loaded has arrived, and nothing else has.
    fn states(&self, world: &World, said: &[Said]) -> Vec<String> {
        let arrived: Vec<String> = said.iter().flat_map(|said| canaries(&said.text)).collect();
        let wrong = |file: &Value| {
            let (path, state) = (from_home(world, file), file["state"].as_str().unwrap());
            let expected = ["loaded", "cut", "imported", "linked"].contains(&state);
            let is_so = arrived.contains(&path);
            let so = if is_so { "arrived" } else { "did not arrive" };
            // The beginning that is left of a file need not have its canary.
            (is_so != expected && state != "cut").then(|| format!("{path} is called {state}, and {so}"))
        };
        self.files.iter().filter(|_| world.distinct).filter_map(wrong).collect()
    }

    /// What waits for a file arrives once it is read.
    fn later(&self, world: &World, before: &[Said], later: &[&Request]) -> Vec<String> {
        let before: Vec<String> = before.iter().flat_map(|said| canaries(&said.text)).collect();
        let mut arrived: Vec<String> =
            later.iter().flat_map(|request| request.said()).flat_map(|said| canaries(&said.text)).collect();
        arrived.retain(|path| !before.contains(path) && !path.ends_with(".py"));
        arrived.sort();
        arrived.dedup();
        let mut expected: Vec<String> = self
            .files
            .iter()
            .filter(|file| file["state"] == "waits" && !file["path"].as_str().unwrap().contains("other"))
            .map(|file| from_home(world, file))
            .filter(|path| !path.contains("/side/"))
            .collect();
        expected.sort();
        if expected == arrived {
            return Vec::new();
        }
        vec![format!(
            "after a file is read, our data says\n  {}\nand there arrived\n  {}",
            expected.join("\n  "),
            arrived.join("\n  ")
        )]
    }
}

/// The path of a file from the home.
fn from_home(world: &World, file: &Value) -> String {
    let shown = file["path"].as_str().unwrap();
    match shown.strip_prefix("~/") {
        Some(path) => path.to_owned(),
        None => format!("{}/{shown}", world.root),
    }
}

/// A text around a byte of it.
fn around(text: &str, at: usize) -> &str {
    let boundary = |at: usize| (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    &text[boundary(at.saturating_sub(100))..boundary(at + 200)]
}

/// What the program prints, as JSON.
fn antefix(place: &Place, args: &[&str]) -> Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_antefix"));
    command.args(args).env_clear().env("HOME", &place.home).env("PATH", std::env::var_os("PATH").unwrap_or_default());
    let output = command.current_dir(&place.cwd).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("antefix {args:?}: {error}\n{said}"))
}
