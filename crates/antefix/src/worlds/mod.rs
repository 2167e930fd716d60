//! The adapters of [`World`](crate::discover::World): a real machine, and a world made of data.
//!
//! This module is the only one that touches the machine.

mod fixed_clock;
mod memory;
#[cfg(feature = "os")]
mod os;
mod recalling;
mod recording;
mod revision;

pub use fixed_clock::FixedClock;
pub use memory::MemoryWorld;
#[cfg(feature = "os")]
pub use os::{OsWorld, ignores_signal, supervise_if_asked};
pub use recalling::RecallingWorld;
pub use recording::{Observation, RecordingWorld};
pub use revision::Revision;
