//! What every stage speaks of: texts whose bytes know their origin, places in sources, digests, budgets and JSON whose bytes
//! are ours.
//!
//! This module knows no stage: a text does not know who found it, and a digest not what it is for.

mod budget;
mod canonical;
mod digest;
mod draft;
mod fact_name;
mod grouped;
mod hidden_text;
mod line_numbers;
mod name_pattern;
mod origin;
mod phrases;
mod piece;
mod place;
mod roomy;
mod word_or_table;

pub(crate) use budget::one_of;
pub use budget::{Budget, Unit};
pub use canonical::canonical;
pub(crate) use canonical::{write_canonical, write_escaped, write_string};
pub use digest::{Digest, PrefixDigests};
pub(crate) use draft::Draft;
pub use fact_name::FactName;
pub use grouped::grouped;
pub use hidden_text::HiddenText;
pub(crate) use line_numbers::LineNumbers;
pub(crate) use name_pattern::NamePattern;
pub use origin::{FactFrom, FactOrigin, Origin, Transform};
pub use phrases::Phrases;
pub use piece::{Piece, Text};
pub(crate) use place::floor_char_boundary;
pub use place::{Lines, Place, Source, SourceKind, Within};
pub(crate) use roomy::roomy;
pub(crate) use word_or_table::{WordFor, WordOrTable};
