//! Stage three: a prompt's prefix becomes an epoch of a conversation.
//!
//! 1. An epoch's bytes never change, and a ledger only grows.
//! 2. First writer wins: any number of racing first turns, in any number of processes, get one epoch.
//! 3. Every change is somebody's decision, recorded with its [`Cause`].

mod cause;
mod conversation;
mod store;

pub use cause::Cause;
pub use conversation::ConversationId;
pub use store::{
    AmendmentRow, Appended, Bundle, Committed, CompactionRow, EpochRow, Fault, QueuedMessage, Standing, Store,
    StoreError, StoreResult, Sweep, Swept,
};
