//! How fine times are.

use jiff::Timestamp;

/// Whole milliseconds, which is how fine every time is that a ledger or a saved template gets.
///
/// Earlier versions saved templates with microseconds. What a store holds is read as it is.
pub fn truncate_to_millis(at: Timestamp) -> Timestamp {
    // Only the last second that a timestamp can say has no milliseconds, and stays as it is.
    Timestamp::from_millisecond(at.as_millisecond()).unwrap_or(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_finer_than_a_millisecond_is_cut_off() {
        let rows = [
            ("2026-11-16T12:00:00.123999999Z", "2026-11-16T12:00:00.123Z"),
            ("2026-11-16T12:00:00.000999Z", "2026-11-16T12:00:00Z"),
            ("2026-11-16T12:00:00.5Z", "2026-11-16T12:00:00.5Z"),
            ("1969-12-31T23:59:59.9995Z", "1970-01-01T00:00:00Z"),
        ];
        for (at, expected) in rows {
            assert_eq!(truncate_to_millis(at.parse().unwrap()).to_string(), expected);
        }
        for end in [Timestamp::MIN, Timestamp::MAX] {
            assert_eq!(truncate_to_millis(end), end);
        }
    }
}
