//! Bodies of requests, read by the server's own code: as whichever body they are taken for, they are refused with a sentence, or
//! become what the front door takes, the same each time.

#![no_main]
#![allow(dead_code, unused_imports, reason = "these files are the server's, and this uses a part of them")]

#[path = "../../crates/antefix-server/src/bounds.rs"]
mod bounds;
#[path = "../../crates/antefix-server/src/names.rs"]
mod names;
#[path = "../../crates/antefix-server/src/said.rs"]
mod said;
#[path = "../../crates/antefix-server/src/weight.rs"]
mod weight;

use antefix::compose::Dialect;
use antefix::deliver::rules::breaches;
use antefix::deliver::{Receipt, Target};
use antefix::freeze::{Cause, ConversationId};
use antefix::keeper::Age;
use libfuzzer_sys::fuzz_target;
use problem::{Answer, Problem};
use said::*;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// What the server says instead, without HTTP.
mod problem {
    #[derive(Debug, PartialEq)]
    pub(crate) struct Problem(String);
    pub(crate) type Answer<T> = Result<T, Problem>;

    impl Problem {
        pub(crate) fn bad(error: impl Into<String>) -> Problem {
            let error = error.into();
            assert!(!error.is_empty() && !error.contains('\n'), "one line says what is wrong: {error:?}");
            Problem(error)
        }
        pub(crate) fn not_found(error: impl Into<String>) -> Problem {
            Problem::bad(error)
        }
        pub(crate) fn detail(self, _: impl Into<String>) -> Problem {
            self
        }
        pub(crate) fn hint(self, _: impl Into<String>) -> Problem {
            self
        }
    }
}

/// Reads a body of one kind. What is taken is taken again when it was printed anew, and is an object.
fn read<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    let body = fields::<T>(bytes).ok()?;
    if let Ok(value) = serde_json::from_slice::<Value>(bytes) {
        assert!(value.is_object(), "{value}");
        assert!(fields::<T>(value.to_string().as_bytes()).is_ok(), "{value}");
    }
    Some(body)
}

/// The ask of a context, which is the same when its tools are known already.
fn ask(one: Context, other: Context) {
    let tools = RecentTools::default();
    let (one, other) = (one.said(&tools), other.said(&tools));
    match (one, other) {
        (Ok(one), Ok(other)) => {
            assert_eq!(one.check(), Ok(()), "what is said can be meant");
            assert_eq!((one.model, one.machine, one.layout), (other.model, other.machine, other.layout));
            assert_eq!((one.now, one.given, one.tools), (other.now, other.given, other.tools));
        }
        (one, other) => assert_eq!(one.err(), other.err()),
    }
}

macro_rules! with_context {
    ($bytes:ident, $kind:ident) => {
        if let (Some(mut body), Some(mut again)) = (read::<$kind>($bytes), read::<$kind>($bytes)) {
            ask(body.context(), again.context());
        }
    };
}

fuzz_target!(|bytes: &[u8]| {
    with_context!(bytes, TurnBody);
    with_context!(bytes, RenewalBody);
    with_context!(bytes, CompactionBody);
    with_context!(bytes, EndBody);
    with_context!(bytes, PreviewBody);
    with_context!(bytes, CheckBody);
    if let Some(body) = read::<TurnBody>(bytes) {
        let named = body.turn.as_deref().map(bounds::turn).transpose().is_ok();
        let touched = body.touch.as_deref().map(|paths| bounds::paths("touch", paths)).transpose().is_ok();
        if let (true, true, Some(messages)) = (named, touched, body.messages) {
            let ask = meant(antefix::Ask::new().messages(messages));
            assert!(ask.is_err() || ask.is_ok_and(|ask| ask.check().is_ok()));
        }
        body.target.as_deref().map(Target::parse);
    }
    if let Some(body) = read::<RenewalBody>(bytes) {
        let _ = body.cause.as_deref().map(Cause::parse_given);
    }
    if let Some(body) = read::<PreviewBody>(bytes) {
        let _ = body.conversation.as_deref().map(ConversationId::parse);
        body.dialect.as_deref().map(Dialect::parse);
    }
    if let Some(body) = read::<CheckRequestBody>(bytes)
        && let Some(target) = Target::parse(&body.target)
    {
        let request = Value::Object(body.request);
        for breach in breaches(&request, target, None) {
            assert!(request.pointer(&breach.pointer).is_some(), "a breach is somewhere: {breach:?}");
        }
    }
    if let Some(body) = read::<WhyBody>(bytes) {
        for receipt in [body.receipt, body.before].into_iter().flatten() {
            let _ = Receipt::parse(receipt.get());
        }
        body.epochs.map(|both| both.map(|Whole(number)| bounds::number(number).is_ok()));
    }
    if let Some(LabelBody { label: Some(Some(label)) }) = read(bytes)
        && let Ok(label) = bounds::label(&label)
    {
        assert_eq!(bounds::label(&label).as_ref(), Ok(&label), "a label that is taken stays as it is");
    }
    if let Some(GcBody { older_than: Some(age), .. }) = read(bytes) {
        let _ = Age::parse(&age);
    }
    if let Some(TouchBody { paths, .. }) = read(bytes) {
        let _ = bounds::paths("paths", &paths);
    }
    let _: (Option<MessageBody>, Option<SessionBody>) = (read(bytes), read(bytes));
    if let Ok(body) = serde_json::from_slice::<Value>(bytes)
        && let Ok((text, _)) = template(&body)
    {
        assert_eq!(body.get("template").and_then(Value::as_str), Some(text.as_str()));
    }
});
