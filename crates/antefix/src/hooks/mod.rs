//! Hooks: what others may have a say in, turn by turn.
//!
//! 1. Hooks are asked in order, and each sees what the earlier ones left. They change one turn; nothing of it is stored.
//!    Only the roots that a hook names are remembered by an epoch, and other roots begin another epoch.
//! 2. A hook that fails, is late or answers nonsense is reported and skipped: the turn goes on as if it had not been
//!    asked, and nothing of a broken answer is used.
//! 3. Every byte that a hook adds to a system text has the hook for its origin, and passes the same hygiene as files do.
//! 4. A program that comes with a project runs only if its user trusts its bytes; see [`TrustState`].
//!
//! The port is [`Hook`]; [`Program`] is the adapter for programs that a layout declares. `docs/reference/hooks.md` has the documents
//! that programs read and print.

mod answer;
mod files;
mod program;
mod protocol;
mod roots;
mod trust;

use std::panic::{AssertUnwindSafe, catch_unwind};

use serde_json::Value;

pub use self::answer::{HookAction, HookDid, HookFailure, HookResult, TurnChange};
pub use self::files::ProjectFile;
pub(crate) use self::files::layout_label;
pub use self::program::{Program, Whose};
pub use self::roots::AskedRoots;
pub use self::trust::{Approvals, Files, TrustState, TrustedWorkspace};
pub use crate::compose::{HookPoint, HookRule};
use crate::diagnostic::Diagnostic;
use crate::discover::roots::{MayName, NamedRoots};
use crate::discover::{Situation, World};
use crate::freeze::{Cause, ConversationId, Epoch};
use crate::text::Digest;

/// Somebody who has a say.
///
/// ```
/// use antefix::hooks::{Hook, HookPoint, HookResult, Question, SystemOfTurn, TurnChange};
///
/// struct Oncall;
///
/// impl Hook for Oncall {
///     fn name(&self) -> &str {
///         "oncall"
///     }
///
///     fn on(&self) -> &[HookPoint] {
///         &[HookPoint::BeforeTurn]
///     }
///
///     fn before_turn(&self, _question: &Question<'_>, _system: SystemOfTurn<'_>) -> HookResult<TurnChange> {
///         Ok(TurnChange { append: Some("\nOn call: Ada.\n".to_owned()), ..TurnChange::default() })
///     }
/// }
/// ```
pub trait Hook: Sync {
    /// Its name: for messages, and as the origin of what it says.
    fn name(&self) -> &str;

    /// When it is asked.
    fn on(&self) -> &[HookPoint];

    /// Which roots it may name.
    fn may_name(&self) -> MayName {
        MayName::AnyPlace
    }

    /// May change the system text of a turn.
    fn before_turn(&self, _question: &Question<'_>, _system: SystemOfTurn<'_>) -> HookResult<TurnChange> {
        Ok(TurnChange::default())
    }

    /// May change the messages that the caller passes through; none leaves them as they are.
    fn messages(&self, _question: &Question<'_>, _messages: &[Value]) -> HookResult<Option<Vec<Value>>> {
        Ok(None)
    }

    /// Names more roots.
    fn discover(&self, _question: &Question<'_>) -> HookResult<NamedRoots> {
        Ok(NamedRoots::default())
    }

    /// Is notified that an epoch began: [`HookPoint::Opened`] or [`HookPoint::Renewed`].
    fn began(&self, _question: &Question<'_>) -> HookResult<()> {
        Ok(())
    }
}

/// What a hook is given, at every point.
#[derive(Clone, Copy)]
pub struct Question<'q> {
    /// The world, for hooks that ask it something.
    pub world: &'q dyn World,
    /// Who, where, with which tools.
    pub situation: Situation<'q>,
    /// Whose turn it is; none if a prompt is composed for nobody.
    pub conversation: Option<&'q ConversationId>,
    /// The standing epoch; none before the first one.
    pub epoch: Option<EpochOfTurn>,
}

/// The epoch, as a hook is given it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EpochOfTurn {
    /// From 1, without gaps.
    pub number: u64,
    /// Why it began.
    pub cause: Cause,
    /// The digest of what the model sees.
    pub digest: Digest,
}

impl EpochOfTurn {
    /// What a hook is given about an epoch.
    pub fn of(epoch: &Epoch) -> EpochOfTurn {
        EpochOfTurn { number: epoch.number(), cause: epoch.cause(), digest: epoch.digest() }
    }
}

/// The system text of a turn, as earlier hooks left it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SystemOfTurn<'s> {
    /// What is before the boundary.
    pub prefix: &'s str,
    /// What is after the boundary.
    pub suffix: &'s str,
}

/// Asks a hook at a point, and reports a failure. A hook that panics has failed.
pub(crate) fn ask<T>(
    hook: &dyn Hook,
    on: HookPoint,
    log: &mut HookLog,
    question: impl FnOnce(&dyn Hook) -> HookResult<T>,
) -> Option<T> {
    let answer = catch_unwind(AssertUnwindSafe(|| question(hook)));
    let answer = answer.unwrap_or_else(|_| Err(HookFailure::new("it panicked")));
    answer.map_err(|failure| log.failed(hook.name(), on, &failure)).ok()
}

/// What hooks did, and what is worth knowing about it.
#[derive(Debug, Clone, Default)]
pub(crate) struct HookLog {
    pub(crate) did: Vec<HookDid>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

impl HookLog {
    pub(crate) fn did(&mut self, hook: &str, on: HookPoint, action: HookAction, bytes: usize) {
        self.did.push(HookDid { hook: hook.to_owned(), on, action, bytes });
    }

    pub(crate) fn failed(&mut self, hook: &str, on: HookPoint, failure: &HookFailure) {
        self.did(hook, on, HookAction::Failed, 0);
        self.diagnostics.push(failure.to_diagnostic(hook, on));
    }
}

/// The hooks that are asked at a point, in order.
pub(crate) fn at<'h>(hooks: &'h [&'h dyn Hook], on: HookPoint) -> impl Iterator<Item = &'h dyn Hook> {
    hooks.iter().copied().filter(move |hook| hook.on().contains(&on))
}
