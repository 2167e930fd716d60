//! What the documents of the systems behind the layouts say, one row a claim. `tests/claims/*.toml` has the list.

mod buzz;
mod deepseek;
mod dispatch;
mod pi;
mod yoi;
