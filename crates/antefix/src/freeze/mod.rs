//! Stage three: a prompt's prefix becomes an epoch of a conversation.
//!
//! 1. An epoch's bytes never change, and a ledger only grows.
//! 2. First writer wins: any number of racing first turns, in any number of processes, get one epoch.
//! 3. Every change is somebody's decision, recorded with its [`Cause`].

mod amendment;
mod cause;
mod change;
mod conversation;
mod difference;
mod epoch;
mod mark;
mod notice;
mod record;
mod standing;
mod store;
mod template;
mod time;

pub use amendment::{Amendment, AmendmentBody};
pub use cause::Cause;
pub use change::{Change, ChangeKind};
pub use conversation::ConversationId;
pub use difference::{Difference, DifferenceKind, Same, Side};
pub use epoch::{Epoch, EpochBody, EpochSection};
pub use mark::Mark;
pub use record::{AmendmentKind, MadeBy, RecordedDiagnostic, RecordedGap, RecordedOrigin, RecordedSpan};
pub use store::{
    AmendmentRow, Appended, Bundle, Committed, CompactionRow, EpochRow, QueuedMessage, Stamp, Standing, Store,
    StoreError, StoreResult, Sweep, Swept,
};
pub use template::{SavedTemplate, TemplateDeletion, TemplateEntry, TemplateRow, Templates, template_digest};
pub use time::truncate_to_millis;

pub(crate) use epoch::Making;
pub use standing::Watch;
pub(crate) use standing::{Drifted, Now, Told};
