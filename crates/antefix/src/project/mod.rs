//! The front door.

mod templates;

pub use self::templates::{Shelved, Shelves};
