//! Rules of breakpoints, which two providers share.

use serde_json::Value;

use super::super::breakpoint::lifetime_of;
use super::{Asked, Found};

/// A breakpoint: where it is, and for how long it asks.
pub(super) struct Mark {
    pub(super) pointer: String,
    pub(super) seconds: u64,
}

impl Asked<'_> {
    /// All breakpoints in the order in which the provider reads them. One of the whole request is on its last block.
    pub(super) fn breakpoints(&self, key: &str, tools: &str) -> Vec<Mark> {
        let mut found = Vec::new();
        let messages = format!("/{}", self.key);
        for pointer in [tools, "/system", &messages] {
            if let Some(value) = self.request.pointer(pointer) {
                collect(value, key, pointer, &mut found);
            }
        }
        if let Some(marker) = self.request.get(key).filter(|marker| !marker.is_null()) {
            found.push(Mark { pointer: format!("/{key}"), seconds: lifetime_of(marker) });
        }
        found
    }

    /// More breakpoints than are taken: the first one too many.
    pub(super) fn breakpoint_count(&self, key: &str, tools: &str) -> Vec<Found> {
        let found = self.breakpoints(key, tools);
        let most = self.model.map_or(4, |model| model.max_breakpoints.max(4));
        let too_many = found.get(most).into_iter();
        let message = format!("there are {} breakpoints, and {most} are taken", found.len());
        too_many.map(|mark| (mark.pointer.clone(), message.clone())).collect()
    }

    /// A breakpoint for longer than one before it.
    pub(super) fn breakpoint_order(&self, key: &str, tools: &str) -> Vec<Found> {
        let found = self.breakpoints(key, tools);
        let longer = found.windows(2).filter(|pair| pair[1].seconds > pair[0].seconds);
        let message =
            |before: &Mark| format!("the breakpoint lives longer than the one before it, at {}", before.pointer);
        longer.map(|pair| (pair[1].pointer.clone(), message(&pair[0]))).collect()
    }

    /// A breakpoint for longer than the model knows.
    pub(super) fn breakpoint_lifetimes(&self, key: &str, tools: &str) -> Vec<Found> {
        let Some(model) = self.model else { return Vec::new() };
        let most = model.lifetimes.last().copied().unwrap_or_default();
        let longer = self.breakpoints(key, tools).into_iter().filter(|mark| mark.seconds > most);
        let message =
            |seconds: u64| format!("the breakpoint asks for {seconds} seconds, and the model knows {most} at most");
        longer.map(|mark| (mark.pointer, message(mark.seconds))).collect()
    }
}

/// The breakpoints in a value, in order, each with the place of what it is on.
fn collect(value: &Value, key: &str, pointer: &str, found: &mut Vec<Mark>) {
    match value {
        Value::Object(map) => {
            for (name, value) in map {
                match name == key && !value.is_null() {
                    true => found.push(Mark { pointer: pointer.to_owned(), seconds: lifetime_of(value) }),
                    false => {
                        let name = name.replace('~', "~0").replace('/', "~1");
                        collect(value, key, &format!("{pointer}/{name}"), found);
                    }
                }
            }
        }
        Value::Array(items) => {
            let items = items.iter().enumerate();
            items.for_each(|(at, item)| collect(item, key, &format!("{pointer}/{at}"), found));
        }
        _ => {}
    }
}
