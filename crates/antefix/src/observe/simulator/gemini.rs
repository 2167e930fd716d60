//! Gemini's implicit cache.
//!
//! Source: <https://ai.google.dev/gemini-api/docs/caching>, copy of autumn 2026.
//!
//! 1. On by default; a request that begins as an earlier one may be read from the cache, at a tenth of the price. Writing costs
//!    nothing, and neither does keeping.
//! 2. At least 4,096 tokens (3.x) or 2,048 (2.5); the row of the model says which.
//! 3. Nothing is promised about lifetime or hits. Assumption: five minutes, and every hit that is possible.
//! 4. The order in which a request is read is not published. Assumption: tools, system instruction, contents, as in
//!    receipts.

use super::automatic::Numbers;
use crate::models::Model;

pub(super) fn implicit(model: &Model) -> Numbers {
    Numbers::of(model)
}
