//! What hooks make of a turn.
//!
//! 1. The epoch stands as it is: a hook changes what is said in one turn, after the boundary or in place of it all.
//! 2. What a replacement repeats of the text, at its beginning and at its end, keeps its origin; the rest is the hook's.
//!    If it repeats the whole prefix, the prefix stands, and with it the provider's cache.
//! 3. An answer is used as a whole or not at all.
//! 4. Hooks that change messages see what will be sent: the caller's messages, what is put between them, and what other hooks added.

use std::ops::Range;
use std::sync::Arc;

use serde_json::Value;

use super::insertions::Answered;
use super::{Keeper, Turn, TurnInput, TurnSpan};
use crate::compose::Prompt;
use crate::diagnostic::{Code, Diagnostic};
use crate::discover::Answer;
use crate::discover::hygiene::Hygiene;
use crate::error::Result;
use crate::freeze::record::RecordedOrigin;
use crate::freeze::{Cause, ConversationId, Epoch};
use crate::hooks::{
    EpochOfTurn, HookAction, HookDid, HookFailure, HookLog, HookPoint, HookResult, Question, SystemOfTurn, TurnChange,
    ask, at,
};
use crate::text::{Origin, Text, floor_char_boundary};

/// The largest system text of a turn, in bytes.
const SYSTEM: usize = 4 * 1024 * 1024;

/// A message that a hook added to a turn.
#[derive(Debug, Clone, PartialEq)]
pub struct HookMessage {
    /// Which hook.
    pub hook: String,
    /// The message.
    pub message: Value,
}

impl Keeper {
    /// Tells hooks that an epoch began, and gives what each did and what is worth knowing about it.
    pub(super) fn announce(&self, epoch: &Epoch, input: &TurnInput<'_>) -> (Vec<HookDid>, Vec<Diagnostic>) {
        let on = if epoch.cause() == Cause::Opened { HookPoint::Opened } else { HookPoint::Renewed };
        let question = question(epoch.conversation(), Some(epoch), input);
        let mut log = HookLog::default();
        for hook in at(input.hooks, on) {
            if ask(hook, on, &mut log, |hook| hook.began(&question)).is_some() {
                log.did(hook.name(), on, HookAction::Notified, 0);
            }
        }
        input.situation.permissions.hygiene.redact_all(&mut log.diagnostics);
        (log.did, log.diagnostics)
    }
}

/// What a hook is told.
pub(super) fn question<'q>(
    conversation: &'q ConversationId,
    epoch: Option<&Epoch>,
    input: &TurnInput<'q>,
) -> Question<'q> {
    let epoch = epoch.map(EpochOfTurn::of);
    Question { world: input.world, situation: input.situation, conversation: Some(conversation), epoch }
}

impl Turn {
    /// Asks the hooks that change a turn.
    pub(super) fn ask_hooks(&mut self, conversation: &ConversationId, input: &TurnInput<'_>) -> Result<()> {
        let epoch = self.epoch.clone();
        let question = question(conversation, epoch.as_deref(), input);
        let mut log = HookLog::default();
        for hook in at(input.hooks, HookPoint::BeforeTurn) {
            let on = HookPoint::BeforeTurn;
            let system = SystemOfTurn { prefix: self.prefix(), suffix: self.suffix.text() };
            let Some(change) = ask(hook, on, &mut log, |hook| hook.before_turn(&question, system)) else { continue };
            match Edit::new(self, hook.name(), &change, input.situation.permissions.hygiene, &mut log.diagnostics) {
                Ok(edit) => edit.apply(self, hook.name(), change.messages, &mut log)?,
                Err(failure) => log.failed(hook.name(), on, &failure),
            }
        }
        self.behind = self.added.iter().map(|added| added.message.clone()).collect();
        for hook in at(input.hooks, HookPoint::Messages) {
            let on = HookPoint::Messages;
            if self.history.is_none() {
                break;
            }
            let shown = self.shown();
            let answer = ask(hook, on, &mut log, |hook| {
                let changed = hook.messages(&question, &shown)?.filter(|changed| *changed != shown);
                let Some(changed) = changed.map(objects).transpose()? else { return Ok(None) };
                let bytes = bytes(&changed);
                Answered::read(changed, &self.insertions).map(|answered| Some((bytes, answered)))
            });
            match answer {
                Some(Some((bytes, answered))) => {
                    log.did(hook.name(), on, HookAction::ChangedMessages, bytes);
                    self.changed(hook.name(), answered);
                }
                Some(_) => log.did(hook.name(), on, HookAction::Nothing, 0),
                None => {}
            }
        }
        input.situation.permissions.hygiene.redact_all(&mut log.diagnostics);
        self.hooks.extend(log.did);
        self.diagnostics.extend(log.diagnostics);
        Ok(())
    }

    /// Puts other words for a part of the system text.
    fn replace(&mut self, part: Range<usize>, hook: &str, words: &Text) -> Result<()> {
        let boundary = self.prefix().len();
        let id = format!("hook:{hook}");
        if part.start >= boundary {
            self.suffix = self.suffix.with(part.start - boundary..part.end - boundary, &id, words);
            return Ok(());
        }
        let (text, before) = (self.system(), self.spans()?);
        let mut spans = TurnSpan::clipped(&before, &text, 0..part.start, 0);
        spans.extend(words.pieces().map(|piece| TurnSpan {
            start: part.start + piece.range.start,
            end: part.start + piece.range.end,
            section: id.clone(),
            origin: RecordedOrigin { kind: "hook".to_owned(), name: hook.to_owned(), path: None, line: None },
            transform: piece.transform.map(|transform| transform.name().to_owned()),
        }));
        let behind = part.start + words.as_str().len();
        spans.extend(TurnSpan::clipped(&before, &text, part.end..text.len(), behind));
        self.replacement = Some(format!("{}{}{}", &text[..part.start], words.as_str(), &text[part.end..]));
        self.replacement_spans = spans;
        self.suffix = Prompt::empty(self.suffix.layout());
        Ok(())
    }
}

/// What a hook changes, checked.
struct Edit {
    /// A part of the text, and the words for it.
    replace: Option<(Range<usize>, Text)>,
    append: Option<Text>,
}

impl Edit {
    fn new(
        turn: &Turn,
        hook: &str,
        change: &TurnChange,
        hygiene: Hygiene,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> HookResult<Edit> {
        if change.messages.iter().any(|message| !message.is_object()) {
            return Err(HookFailure::new("one of its messages is not an object"));
        }
        let mut findings = Vec::new();
        let mut clean = |words: &str| {
            let text = Text::new(words, Origin::Hook { name: Arc::from(hook) });
            match hygiene.clean(text, &format!("what hook `{hook}` says").as_str().into(), &mut findings) {
                Answer::Present(text) => Ok(text),
                Answer::Absent => Ok(Text::new("", Origin::Hook { name: Arc::from(hook) })),
                Answer::Unavailable(reason) => Err(HookFailure::new(reason.to_string())),
            }
        };
        let text = turn.system();
        let replace = match change.system.as_deref() {
            None => None,
            Some("") => {
                let message = format!("hook `{hook}` replaces the system text with nothing, so it changes nothing");
                let hint =
                    "leave `system` out to change nothing; a turn without system text is the caller's to ask for";
                diagnostics.push(Diagnostic::note(Code::HookEmpty, message).about(hook).hint(hint));
                None
            }
            Some(system) => {
                let (head, tail) = common(&text, system);
                let part = head..text.len() - tail;
                let words = clean(&system[head..system.len() - tail])?;
                (!part.is_empty() || !words.as_str().is_empty()).then_some((part, words))
            }
        };
        let append = change.append.as_deref().filter(|words| !words.is_empty()).map(clean).transpose()?;
        let replaced =
            replace.as_ref().map_or(text.len(), |(part, words)| text.len() - part.len() + words.as_str().len());
        let bytes = replaced + append.as_ref().map_or(0, |words| words.as_str().len());
        if bytes > SYSTEM {
            return Err(HookFailure::new(format!(
                "the system text would have {bytes} bytes, and {SYSTEM} is the most"
            )));
        }
        diagnostics.extend(findings);
        Ok(Edit { replace, append })
    }

    fn apply(self, turn: &mut Turn, hook: &str, messages: Vec<Value>, log: &mut HookLog) -> Result<()> {
        let on = HookPoint::BeforeTurn;
        let before = log.did.len();
        if let Some((part, words)) = self.replace {
            turn.replace(part, hook, &words)?;
            log.did(hook, on, HookAction::Replaced, words.as_str().len());
        }
        if let Some(words) = self.append {
            let end = turn.system().len();
            turn.replace(end..end, hook, &words)?;
            log.did(hook, on, HookAction::Appended, words.as_str().len());
        }
        if !messages.is_empty() {
            log.did(hook, on, HookAction::AddedMessages, bytes(&messages));
            turn.added.extend(messages.into_iter().map(|message| HookMessage { hook: hook.to_owned(), message }));
        }
        if log.did.len() == before {
            log.did(hook, on, HookAction::Nothing, 0);
        }
        Ok(())
    }
}

/// How many bytes two texts have in common, at the beginning and at the end, on character boundaries.
fn common(before: &str, after: &str) -> (usize, usize) {
    let head = before.bytes().zip(after.bytes()).take_while(|(a, b)| a == b).count();
    let head = floor_char_boundary(before, head);
    let (before, after) = (&before[head..], &after[head..]);
    let mut tail = before.bytes().rev().zip(after.bytes().rev()).take_while(|(a, b)| a == b).count();
    while !before.is_char_boundary(before.len() - tail) || !after.is_char_boundary(after.len() - tail) {
        tail -= 1;
    }
    (head, tail)
}

fn objects(messages: Vec<Value>) -> HookResult<Vec<Value>> {
    match messages.iter().all(Value::is_object) {
        true => Ok(messages),
        false => Err(HookFailure::new("one of its messages is not an object")),
    }
}

fn bytes(messages: &[Value]) -> usize {
    serde_json::to_string(messages).map_or(0, |text| text.len())
}
