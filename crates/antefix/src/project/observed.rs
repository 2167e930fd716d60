//! Requests of anybody's, held against each other: what differs, what that cost, and who said it.

use std::collections::BTreeMap;

use super::why::known;
use super::{Antefix, Project};
use crate::agents::survey;
use crate::deliver::Target;
use crate::diagnostic::Diagnostic;
use crate::discover::trust::{Gate, Trust};
use crate::discover::{Answer, World};
use crate::error::Result;
use crate::observe::{
    Conversations, Exchange, Judgment, Known, KnownKind, KnownText, Link, Recorded, Recording, RequestKind, Sender,
    SentOrigin, SentRequest, Usage,
};
use crate::tokens::{Tokenizer, Tokens};
use crate::worlds::RecallingWorld;

/// Two requests of one conversation, and what is known of them.
#[derive(Debug, Clone, Default)]
pub struct TwoRequests {
    /// The body of the request before; none for the first one.
    pub before: Option<Vec<u8>>,
    /// The body of this one.
    pub now: Vec<u8>,
    /// What the provider answered to the request before, or its usage.
    pub usage_before: Option<String>,
    /// What it answered to this one.
    pub usage: Option<String>,
    /// Whose shape they have; seen from their keys if nobody says.
    pub target: Option<Target>,
    /// The model, where the bodies do not name it.
    pub model: Option<String>,
    /// How many seconds are between them.
    pub elapsed: Option<u64>,
}

/// What was found out about requests.
#[derive(Debug, Default)]
pub struct Observed {
    /// Each request, in the order in which they were sent.
    pub requests: Vec<ObservedRequest>,
    /// How many entries of a recording were no request of a provider that is known.
    pub others: usize,
    /// What is worth knowing about it.
    pub diagnostics: Vec<Diagnostic>,
}

/// A request, and what became of it.
#[derive(Debug)]
pub struct ObservedRequest {
    /// The request.
    pub exchange: Exchange,
    /// What it was for.
    pub kind: RequestKind,
    /// Which conversation it belongs to.
    pub link: Link,
    /// Whether the cache was hit as it should have been, and if not, why.
    pub judgment: Judgment,
    /// What fills it, the largest first.
    pub shares: Vec<(SentOrigin, Tokens)>,
}

impl Antefix {
    /// What differs between two requests of any agent, what that cost, and whether the cache was hit as it should have been. With the
    /// texts of a project ([`Project::known_texts`]) files are named with their lines.
    ///
    /// ```
    /// # use antefix::{Antefix, worlds::MemoryWorld, observe::Known};
    /// use antefix::project::TwoRequests;
    ///
    /// # let antefix = Antefix::builder().world(MemoryWorld::new()).store("memory").build()?;
    /// let body = |date: &str| format!(r#"{{"model": "claude-opus-5", "system": [{{"type": "text", "text": "Today is {date}. {}",
    ///     "cache_control": {{"type": "ephemeral"}}}}], "messages": []}}"#, "Be brief. ".repeat(500)).into_bytes();
    /// let pair = TwoRequests { before: Some(body("2026-11-17")), now: body("2026-11-18"), ..TwoRequests::default() };
    /// let observed = antefix.why_requests(&pair, &Known::default())?;
    /// let cause = &observed.requests[1].judgment.causes[0];
    /// assert_eq!(cause.name(), "system_changed");
    /// # Ok::<(), antefix::Error>(())
    /// ```
    pub fn why_requests(&self, pair: &TwoRequests, texts: &Known) -> Result<Observed> {
        let mut recording = Recording::default();
        let bodies = [(pair.before.as_deref(), &pair.usage_before, 0), (Some(&pair.now[..]), &pair.usage, 1)];
        for (body, usage, number) in bodies {
            let Some(body) = body else { continue };
            let mut request = SentRequest::parse(body, pair.target)?;
            request.model = request.model.or_else(|| pair.model.clone());
            let (sender, kind) = (Sender::default(), RequestKind::of(&request));
            let mut exchange = Exchange::new(request);
            exchange.usage =
                usage.as_deref().map(|usage| Usage::parse(usage, Some(exchange.request.target))).transpose()?;
            // Only the time between them counts.
            exchange.at = pair.elapsed.and_then(|elapsed| {
                let seconds = i64::try_from(elapsed).ok()?;
                jiff::Timestamp::from_second(if number == 0 { 0 } else { seconds }).ok()
            });
            recording.exchanges.push(Recorded { exchange, sender, kind });
        }
        Ok(self.observe(recording, texts, Pairing::InOrder))
    }

    /// The same for all requests of a recording: conversations are told apart by what they say.
    pub fn why_recording(&self, recording: Recording, texts: &Known) -> Observed {
        self.observe(recording, texts, Pairing::ByPrefix)
    }

    fn observe(&self, recording: Recording, texts: &Known, pairing: Pairing) -> Observed {
        let (models, finding) = self.models();
        let mut observed = Observed { others: recording.others, ..Observed::default() };
        observed.diagnostics.extend(finding);
        let mut conversations = Conversations::default();
        let mut unknown: Vec<String> = Vec::new();
        for (number, Recorded { exchange, sender, kind }) in recording.exchanges.into_iter().enumerate() {
            let link = match pairing {
                Pairing::ByPrefix => conversations.place(&sender, kind, &exchange.request),
                Pairing::InOrder => Link { conversation: 0, before: number.checked_sub(1), common: 0 },
            };
            if let Some(model) = exchange.request.model.as_ref().filter(|model| !unknown.contains(model)) {
                unknown.extend(known(Some(model), &models, &mut observed.diagnostics).is_none().then(|| model.clone()));
            }
            let before = link.before.and_then(|before| observed.requests.get(before)).map(|before| &before.exchange);
            let judgment = Judgment::of(before, &exchange, &models, texts);
            let tokenizer =
                exchange.request.model.as_deref().map_or(Tokenizer::Exact, |model| models.tokenizer(Some(model)));
            let shares = exchange.request.shares(texts, &tokenizer);
            observed.requests.push(ObservedRequest { exchange, kind, link, judgment, shares });
        }
        observed
    }
}

/// How requests find the one before them.
#[derive(Clone, Copy)]
enum Pairing {
    InOrder,
    ByPrefix,
}

/// How large a file may be that is looked for in requests, in bytes.
const LARGEST: usize = 1024 * 1024;

impl Project {
    /// The texts of this project, and of its user, that agents may put into requests: instruction files, rules, skills and memories. They
    /// are read as they are, and shown to nobody; they are what requests are searched for.
    pub fn known_texts(&self) -> Result<Known> {
        let report = self.agents(&[] as &[&str])?;
        let world = RecallingWorld::new(self.antefix().world());
        let workspace = self.location().workspace(&world)?;
        let gate = Gate::new(&world, &workspace, &[], Trust::Trusted);
        let (candidates, _) = survey(&gate, &workspace);
        let mut texts: BTreeMap<String, Vec<KnownText>> = BTreeMap::new();
        let mut add = |kind: KnownKind, path: &str, text: String| {
            texts.entry(path.to_owned()).or_insert_with(|| {
                let described = description(&text).filter(|_| kind == KnownKind::Skill);
                let described = described.map(|(line, text)| KnownText { kind, path: path.to_owned(), text, line });
                [KnownText::new(kind, path, text)].into_iter().chain(described).collect()
            });
        };
        for candidate in candidates {
            let inside = candidate.path.strip_prefix(&workspace.root).unwrap_or(&candidate.path);
            if let Some(text) = read(&gate, &workspace.root, inside) {
                add(kind_of(&candidate.shown), &candidate.shown, text);
            }
        }
        for view in &report.views {
            view.texts.iter().for_each(|(path, text)| add(kind_of(path), path, text.clone()));
            for skill in &view.skills {
                let path = workspace.unshow(&skill.path).unwrap_or_else(|| skill.path.clone().into());
                let (Some(directory), Some(name)) = (path.parent(), path.file_name()) else { continue };
                if let Some(text) = read(&gate, directory, name.as_ref()) {
                    add(KnownKind::Skill, &skill.path, text);
                }
            }
        }
        let texts = texts.into_values().flatten().collect();
        Ok(Known::new(texts))
    }
}

fn kind_of(path: &str) -> KnownKind {
    let is_in = |directory: &str| path.contains(directory);
    match () {
        () if path.to_ascii_lowercase().ends_with("memory.md") => KnownKind::Memory,
        () if is_in("/rules/") || is_in("/instructions/") || is_in("/steering/") => KnownKind::Rule,
        () => KnownKind::Instructions,
    }
}

/// The description in the front matter of a skill, which is what agents list, with its line.
fn description(text: &str) -> Option<(usize, String)> {
    let line = text.lines().enumerate().take(40).find(|(_, line)| line.starts_with("description:"));
    let (number, line) = line?;
    let value = line["description:".len()..].trim().trim_matches(['"', '\'']);
    (value.len() >= 16).then(|| (number + 1, value.to_owned()))
}

fn read(world: &dyn World, root: &std::path::Path, path: &std::path::Path) -> Option<String> {
    match world.read(root, path, LARGEST) {
        Answer::Present(contents) => Some(String::from_utf8_lossy(&contents.bytes).into_owned()),
        Answer::Absent | Answer::Unavailable(_) => None,
    }
}
