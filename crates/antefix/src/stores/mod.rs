//! Adapters: where ledgers are kept.

mod memory;

pub use memory::MemoryStore;
