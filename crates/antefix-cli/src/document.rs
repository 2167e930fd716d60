//! The documents, for what is not yet asked through the front door.

pub(crate) use antefix::document::*;
