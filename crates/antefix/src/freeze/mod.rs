//! Stage three: a prompt's prefix becomes an epoch of a conversation.
//!
//! 1. An epoch's bytes never change, and a ledger only grows.
//! 2. First writer wins: any number of racing first turns, in any number of processes, get one epoch.
//! 3. Every change is somebody's decision, recorded with its [`Cause`].
//!
//! Start with [`Epoch`]. [`store`] is the port to whatever keeps ledgers, [`template`] the one for saved templates, [`copy`]
//! a ledger that comes from elsewhere, and [`record`] what an epoch remembers of the prompt that it was made of.

pub mod copy;
pub mod record;
pub mod store;
pub mod template;

mod amendment;
mod cause;
mod change;
mod conversation;
mod derived;
mod difference;
mod epoch;
mod fingerprint;
mod insertion;
mod notice;
mod patch;
mod pauses;
mod standing;
mod time;
mod tool_change;

pub use amendment::{Amendment, AmendmentBody};
pub use cause::Cause;
pub use change::{Change, ChangeKind};
pub use conversation::ConversationId;
pub use difference::{Difference, DifferenceKind, Same, Side};
pub use epoch::{Epoch, EpochBody, EpochSection};
pub use fingerprint::FactFingerprint;
pub use insertion::{Insertion, InsertionKind, Insertions, Taken};
pub use pauses::Pauses;
pub use standing::Watch;
pub use store::{Store, StoreError};
pub use time::truncate_to_millis;
pub use tool_change::{Declared, ToolStep};

pub(crate) use epoch::EpochInputs;
pub(crate) use standing::{Drifted, Now, StandingEpoch};
