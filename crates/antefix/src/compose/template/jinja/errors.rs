//! The engine's errors in antefix's words, with places in the template as it was written.

use std::sync::Arc;

use minijinja::{Error as EngineError, ErrorKind as EngineKind};

use super::guard::Guarded;
use super::meter::LimitReached;
use crate::error::{Error, ErrorKind};
use crate::text::{Place, Source};

/// An error from parsing `source`; `guarded` if the engine parsed the guarded text.
pub(super) fn parse(source: &Arc<Source>, error: &EngineError, guarded: Option<&Guarded>) -> Error {
    translate(innermost(error), ErrorKind::Parse, source, guarded)
}

/// An error from rendering; `find` gives the template by the engine's name for it, and the root one for no name.
pub(super) fn render<'s>(error: &EngineError, find: impl Fn(Option<&str>) -> (&'s Arc<Source>, &'s Guarded)) -> Error {
    let inner = innermost(error);
    // Where the innermost error knows no place, the include around it does.
    let mut placed = error;
    let mut at = Some(error);
    while let Some(next) = at {
        if next.name().is_some() && (next.range().is_some() || next.line().is_some()) {
            placed = next;
        }
        at = std::error::Error::source(next).and_then(|source| source.downcast_ref::<EngineError>());
    }
    let (source, guarded) = find(placed.name());
    let translated = translate(inner, ErrorKind::Render, source, Some(guarded));
    if std::ptr::eq(placed, inner) {
        return translated;
    }
    match translate(placed, ErrorKind::Render, source, Some(guarded)).place() {
        Some(place) => translated.at(place.clone()),
        None => translated,
    }
}

fn translate(error: &EngineError, otherwise: ErrorKind, source: &Arc<Source>, guarded: Option<&Guarded>) -> Error {
    let translated = Error::new(kind(error, otherwise), sentence(error));
    let original = |offset: usize| guarded.map_or(offset, |guarded| guarded.original(offset));
    let range = match (error.range(), error.line()) {
        (Some(range), _) => original(range.start)..original(range.end),
        // What has no range has a line at least; nothing that is inserted adds one.
        (None, Some(line)) => {
            let start: usize = source.text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
            start..start
        }
        (None, None) => 0..0,
    };
    let translated = translated.at(Place::new(source, range));
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
    let too_deep = error.detail() == Some("recursion limit exceeded");
    match error.kind() {
        _ if is_limit || too_deep => ErrorKind::Limit,
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
        (_, Some(detail)) if source.is_some_and(|source| source.is::<LimitReached>()) => detail.to_owned(),
        (kind, Some(detail)) => format!("{kind}: {detail}"),
        (kind, None) => kind.to_string(),
    }
}
