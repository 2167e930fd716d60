//! Facts of live sections that hold for an epoch: `frozen_facts` in a layout.
//!
//! 1. They are answered when the epoch begins, and kept with it. No later turn asks for them.
//! 2. One that could not be asked for then is asked for by every turn, until an epoch has it.
//! 3. In another directory, or on another machine, they are asked for: the epoch may stay, what it knows of the place does not.
//! 4. What the caller answers by hand counts in any case.

use std::collections::BTreeMap;

use super::TurnInput;
use crate::discover::{Answer, Fact, Facts, Value};
use crate::freeze::EpochBody;
use crate::text::{FactName, Origin, Text};

/// What an epoch knows of the live sections' facts.
#[derive(Default)]
pub(super) struct FrozenFacts(BTreeMap<FactName, Fact>);

impl FrozenFacts {
    /// Those that hold for a turn with this input. `cwd` and `machine` are the epoch's.
    pub(super) fn of(body: &EpochBody, cwd: &str, machine: Option<&str>, input: &TurnInput<'_>) -> FrozenFacts {
        let caller = input.situation.caller;
        let is_elsewhere = input.situation.workspace.cwd.to_string_lossy() != cwd
            || matches!((machine, caller.machine.as_deref()), (Some(before), Some(now)) if before != now);
        if is_elsewhere {
            return FrozenFacts::default();
        }
        let named = input.layout.live_sections().iter().flat_map(|section| &section.frozen_facts);
        let known = named.filter(|name| !caller.given.contains_key(*name)).filter_map(|name| {
            let fact = match body.frozen_facts.get(name)? {
                Some(text) => Answer::Present(Value::Text(Text::new(text.as_str(), Origin::fact(name)))),
                None => Answer::Absent,
            };
            Some((name.clone(), fact))
        });
        FrozenFacts(known.collect())
    }

    pub(super) fn contains(&self, name: &FactName) -> bool {
        self.0.contains_key(name)
    }

    /// Puts them among what was found, for the live sections.
    pub(super) fn put_into(self, facts: &mut Facts) {
        for (name, fact) in self.0 {
            facts.insert(name, fact);
        }
    }
}
