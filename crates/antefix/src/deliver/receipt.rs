//! Receipts: proof of what was made ready to be sent.
//!
//! A receipt is kept as JSON and read back when the provider has answered. Later versions add fields and never change the
//! meaning of one: `version` counts the changes that an older antefix could not read.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::fragment::Place;
use super::{Content, Fragment, Target};
use crate::discover::tools::ShapedTools;
use crate::error::{Error, ErrorKind, Result};
use crate::models::Model;
use crate::text::{Digest, write_canonical};
use crate::tokens::{Tokenizer, Tokens};

/// The version that is written.
const VERSION: u32 = 1;

/// Proof of what was sent: which bytes went where, and what was done instead of what could not be expressed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Receipt {
    /// The version of this format; see [`Receipt::parse`].
    pub version: u32,
    /// The name of the target.
    pub target: String,
    /// The row of the table that was followed; none if the safest form was taken.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The digest of what the model sees of the epoch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub epoch: Option<Digest>,
    /// The name by which the provider is asked to find its cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// How many messages the conversation has so far.
    pub messages: usize,
    /// The parts, in the order in which the provider reads them.
    pub parts: Vec<Part>,
    /// The betas of a provider's that the request needs, as its header names them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub betas: Vec<String>,
    /// The response that the provider is asked to compare the request with, by its id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compared_with: Option<String>,
    /// The messages of the conversation that have a breakpoint of ours, the last one first, as JSON pointers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rolling: Vec<String>,
    /// The tools that are deferred, by name: the model finds them when it looks for them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub deferred: Vec<String>,
    /// What could not be expressed, and what was done instead.
    pub substitutions: Vec<Substitution>,
    /// The digest of the prefix form alone: all that must be the same turn after turn.
    pub prefix_form: Digest,
    /// The digest of the whole fragment, made of the parts and of the messages: see `docs/reference/digests.md`.
    pub fragment: Digest,
}

/// A run of bytes and the place that it went to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// `tools`, `deferred` (tools that the model is not shown at once), `fixed`, `frozen`, `block` and a section, `queued 1`,
    /// `touched 2`, `notice 1`, `suffix`.
    pub what: String,
    /// Who says it: `tools`, `system`, `developer`, `user`.
    pub role: String,
    /// Where it is in the fragment, as a JSON pointer. One that begins with `/append/` is in what is to be appended.
    pub pointer: String,
    /// How many bytes of text it has.
    pub bytes: usize,
    /// The digest of the text.
    pub digest: Digest,
    /// The lifetime that its breakpoint asks for, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub breakpoint: Option<String>,
    /// How many tokens it has, if somebody counted them: see [`Delivery::counted`](super::Delivery::counted).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<Tokens>,
}

impl Part {
    /// Whether it is of the prefix, and so the same for all turns of an epoch.
    pub fn is_prefix(&self) -> bool {
        matches!(self.what.as_str(), "tools" | "fixed" | "frozen" | "prefix") || self.what.starts_with("block ")
    }
}

/// Something that the target could not take as it was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Substitution {
    /// What could not be expressed.
    pub what: String,
    /// What was done instead, and why.
    pub instead: String,
}

impl Receipt {
    /// Reads a receipt as it was printed: alone, or in a document that has it as `receipt`.
    pub fn parse(text: &str) -> Result<Receipt> {
        let wrong = |message: String| {
            let hint = "keep what `antefix turn CONVERSATION --for TARGET --json` prints";
            Error::new(ErrorKind::Receipt, message).with_hint(hint)
        };
        let document: Value =
            serde_json::from_str(text).map_err(|error| wrong(format!("the receipt is not JSON: {error}")))?;
        let receipt = document.get("receipt").unwrap_or(&document);
        match receipt.get("version").and_then(Value::as_u64) {
            None => return Err(wrong("this is not a receipt: it has no `version`".to_owned())),
            Some(version) if version > u64::from(VERSION) => {
                let message = format!("the receipt has version {version}, and this antefix reads up to {VERSION}");
                return Err(wrong(message).with_hint("use the newer antefix that wrote it"));
            }
            Some(_) => {}
        }
        let receipt =
            Receipt::deserialize(receipt).map_err(|error| wrong(format!("the receipt cannot be read: {error}")))?;
        match Target::parse(&receipt.target) {
            Some(_) => Ok(receipt),
            None => Err(wrong(format!("the receipt is for `{}`, which is not a target", receipt.target))),
        }
    }

    pub(super) fn new(target: Target, model: Option<&Model>, content: &Content<'_>) -> Receipt {
        Receipt {
            version: VERSION,
            target: target.name().to_owned(),
            model: model.map(|model| model.name.clone()),
            epoch: content.epoch,
            key: None,
            messages: content.conversation().count(),
            parts: Vec::new(),
            compared_with: None,
            rolling: Vec::new(),
            betas: Vec::new(),
            deferred: Vec::new(),
            substitutions: Vec::new(),
            prefix_form: Digest::of(""),
            fragment: Digest::of(""),
        }
    }

    pub(super) fn part(&mut self, what: &str, role: &str, pointer: String, text: &str, breakpoint: Option<&str>) {
        self.record(what, role, pointer, (text.len(), Digest::of(text)), breakpoint);
    }

    fn record(
        &mut self,
        what: &str,
        role: &str,
        pointer: String,
        (bytes, digest): (usize, Digest),
        breakpoint: Option<&str>,
    ) {
        self.parts.push(Part {
            what: what.to_owned(),
            role: role.to_owned(),
            pointer,
            bytes,
            digest,
            breakpoint: breakpoint.map(str::to_owned),
            tokens: None,
        });
    }

    /// Counts the tokens of the prefix, part by part.
    pub(super) fn count(&mut self, fragment: &Fragment, tokenizer: &Tokenizer) {
        for part in self.parts.iter_mut().filter(|part| part.is_prefix()) {
            part.tokens = tokenizer.count_known(part.digest, || {
                // An empty list of tools is not sent to everybody.
                let mut text = fragment.text_at(&part.pointer)?;
                // The live part may come after the prefix in one text.
                text.get(..part.bytes)?;
                text.truncate(part.bytes);
                Some(text)
            });
        }
    }

    pub(super) fn instead(&mut self, what: impl Into<String>, instead: impl Into<String>) {
        self.substitutions.push(Substitution { what: what.into(), instead: instead.into() });
    }

    /// Notes that the request needs a beta.
    pub(super) fn needs(&mut self, beta: &str) {
        if !self.betas.iter().any(|known| known == beta) {
            self.betas.push(beta.to_owned());
            self.betas.sort();
        }
    }

    /// A part of the prefix, whose digest is remembered with its epoch.
    pub(super) fn prefix_part(
        &mut self,
        content: &Content<'_>,
        what: &str,
        role: &str,
        pointer: String,
        text: &str,
        breakpoint: Option<&str>,
    ) {
        // A prefix of several messages has other parts at other targets.
        let known = content.digests.filter(|_| content.blocks.is_empty());
        let digest = known.map_or_else(|| Digest::of(text), |digests| digests.of(what, text));
        self.record(what, role, pointer, (text.len(), digest), breakpoint);
    }

    /// Records the tools, as the target takes them.
    pub(super) fn tools(&mut self, place: Place, tools: &ShapedTools) {
        self.record("tools", "tools", place.pointer().to_owned(), tools.shown, None);
        if let Some(deferred) = tools.deferred {
            self.record("deferred", "tools", place.pointer().to_owned(), deferred, None);
        }
    }

    /// All parts of the prefix are recorded: what must be the same for every turn of an epoch.
    pub(super) fn prefix_ends(&mut self) {
        self.prefix_form = self.digest("antefix/prefix-form/1", None);
    }

    /// The digest of the system text that all turns of an epoch share, whatever the tools are and however long it is to be cached.
    pub(super) fn shared_text(&self) -> Digest {
        let texts: Vec<(&str, String)> = (self.parts.iter())
            .filter(|part| part.is_prefix() && part.what != "tools")
            .map(|part| (part.what.as_str(), part.digest.to_string()))
            .collect();
        Digest::framed("antefix/shared-text/1", texts.iter().map(|(what, digest)| (*what, digest.as_str())))
    }

    /// All parts are recorded; all else are the caller's messages.
    pub(super) fn close<'m>(&mut self, messages: impl Iterator<Item = &'m Value>) {
        let mut text = String::new();
        for (number, message) in messages.enumerate() {
            if number > 0 {
                text.push('\n');
            }
            write_canonical(message, &mut text);
        }
        self.fragment = self.digest("antefix/fragment/1", Some(&text));
    }

    /// The digest of parts, each by its place and its own digest, so that no text is digested twice.
    pub(super) fn digest(&self, domain: &str, messages: Option<&str>) -> Digest {
        let part = |part: &Part| {
            let breakpoint = part.breakpoint.as_deref().unwrap_or("-");
            format!("{} {} {} {breakpoint}", part.role, part.pointer, part.digest)
        };
        let parts: Vec<(&str, String)> = self.parts.iter().map(|one| (one.what.as_str(), part(one))).collect();
        let frames = parts.iter().map(|(what, text)| (*what, text.as_str()));
        let target = [("target", self.target.as_str())].into_iter();
        Digest::framed(domain, target.chain(frames).chain(messages.map(|messages| ("messages", messages))))
    }
}
