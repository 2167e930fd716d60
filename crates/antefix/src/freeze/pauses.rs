//! The pauses of a conversation that were long enough to lose a cache.

use std::fmt;

use jiff::{SignedDuration, Timestamp};

/// The latest pauses of a conversation, in seconds, in order. A provider's cache may have been lost in each of them; what is shorter than
/// [`Pauses::SHORTEST`] is none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pauses(Vec<u64>);

impl Pauses {
    /// The shortest pause that counts, in seconds: every provider keeps a cache for so long.
    pub const SHORTEST: u64 = 300;

    /// How many are kept: the latest. What somebody did long ago says little of what comes next.
    pub const MOST: usize = 8;

    /// Adds one behind all others.
    pub fn push(&mut self, seconds: u64) {
        self.0.push(seconds);
        let more = self.0.len().saturating_sub(Pauses::MOST);
        self.0.drain(..more);
    }

    /// Adds the pause before a use, unless a use was noted within it: then another process has had a turn meanwhile.
    pub fn note(&mut self, seconds: u64, at: Timestamp, noted: Option<Timestamp>) {
        let began = at.checked_sub(SignedDuration::from_secs(seconds.cast_signed())).unwrap_or(Timestamp::MIN);
        if noted.is_none_or(|noted| noted <= began) {
            self.push(seconds);
        }
    }

    /// All of them, the latest last.
    pub fn as_slice(&self) -> &[u64] {
        &self.0
    }

    /// Reads what [`Display`](fmt::Display) writes; none if it is something else.
    pub fn parse(text: &str) -> Option<Pauses> {
        let pauses: Option<Vec<u64>> = text.split_whitespace().map(|seconds| seconds.parse().ok()).collect();
        pauses.filter(|pauses| pauses.len() <= Pauses::MOST).map(Pauses)
    }
}

/// Numbers with a space between them.
impl fmt::Display for Pauses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, seconds) in self.0.iter().enumerate() {
            let space = if number == 0 { "" } else { " " };
            write!(f, "{space}{seconds}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_eight_are_kept() {
        let mut pauses = Pauses::default();
        assert_eq!((pauses.to_string().as_str(), Pauses::parse("")), ("", Some(Pauses::default())));
        (301..=310).for_each(|seconds| pauses.push(seconds));
        assert_eq!(pauses.to_string(), "303 304 305 306 307 308 309 310");
        assert_eq!(Pauses::parse(&pauses.to_string()), Some(pauses));
        for wrong in ["x", "-1", "1,2", "1 2 3 4 5 6 7 8 9", "18446744073709551616"] {
            assert_eq!(Pauses::parse(wrong), None, "{wrong}");
        }
    }
}
