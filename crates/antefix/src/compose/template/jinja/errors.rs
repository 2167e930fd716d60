//! The engine's errors in antefix's words, with places in the template as it was written.

use std::sync::Arc;

use minijinja::{Error as EngineError, ErrorKind as EngineKind};

use super::guard::Guarded;
use super::meter::LimitReached;
use crate::error::{Error, ErrorKind};
use crate::place::{Place, Source};

/// An error from parsing `source`; `guarded` if the engine parsed the guarded text.
pub(super) fn parse(source: &Arc<Source>, error: &EngineError, guarded: Option<&Guarded>) -> Error {
    translate(innermost(error), ErrorKind::Parse, source, guarded)
}

/// An error from rendering; `find` gives the template by the engine's name for it.
pub(super) fn render<'s>(error: &EngineError, find: impl Fn(&str) -> Option<(&'s Arc<Source>, &'s Guarded)>) -> Error {
    let error = innermost(error);
    match error.name().and_then(find) {
        Some((source, guarded)) => translate(error, ErrorKind::Render, source, Some(guarded)),
        None => Error::new(kind(error, ErrorKind::Render), sentence(error)),
    }
}

fn translate(error: &EngineError, otherwise: ErrorKind, source: &Arc<Source>, guarded: Option<&Guarded>) -> Error {
    let translated = Error::new(kind(error, otherwise), sentence(error));
    let Some(range) = error.range() else { return translated };
    let original = |offset: usize| guarded.map_or(offset, |guarded| guarded.original(offset));
    let translated = translated.at(Place::new(source, original(range.start)..original(range.end)));
    match error.kind() {
        EngineKind::UndefinedError => {
            translated.with_hint("`antefix vars` lists the names; `is defined` asks, `| default(\"…\")` answers")
        }
        _ => translated,
    }
}

/// The error that started it: an include wraps what went wrong inside.
fn innermost(mut error: &EngineError) -> &EngineError {
    while let Some(inner) = std::error::Error::source(error).and_then(|source| source.downcast_ref::<EngineError>()) {
        error = inner;
    }
    error
}

fn kind(error: &EngineError, otherwise: ErrorKind) -> ErrorKind {
    let source = std::error::Error::source(error);
    let is_limit = source.is_some_and(|source| source.is::<LimitReached>() || source.is::<std::io::Error>());
    match error.kind() {
        _ if is_limit => ErrorKind::Limit,
        EngineKind::OutOfFuel => ErrorKind::Limit,
        EngineKind::SyntaxError | EngineKind::UnknownFilter | EngineKind::UnknownTest => ErrorKind::Parse,
        _ => otherwise,
    }
}

fn sentence(error: &EngineError) -> String {
    let source = std::error::Error::source(error);
    if let Some(io) = source.and_then(|source| source.downcast_ref::<std::io::Error>()) {
        return io.to_string();
    }
    match (error.kind(), error.detail()) {
        (EngineKind::OutOfFuel, _) => "this template takes too many steps".to_owned(),
        (EngineKind::UndefinedError, Some(detail)) => format!("undefined value: {detail}"),
        (EngineKind::UndefinedError, None) => "undefined value".to_owned(),
        (EngineKind::SyntaxError, Some(detail)) => format!("syntax error: {detail}"),
        (kind, Some(detail)) if source.is_some_and(|source| source.is::<LimitReached>()) => {
            let _ = kind;
            detail.to_owned()
        }
        (kind, Some(detail)) => format!("{kind}: {detail}"),
        (kind, None) => kind.to_string(),
    }
}
