//! How long to wait between two looks at something that is over soon.

use std::time::Duration;

/// Most programs asked here answer in a few milliseconds, so the first looks follow each other closely.
pub(super) const SHORTEST_PAUSE: Duration = Duration::from_micros(100);

/// The next pause: they grow, up to a bound.
pub(super) fn longer(pause: Duration) -> Duration {
    (pause * 2).min(Duration::from_millis(5))
}
