//! Letting go of what nobody uses any more.
//!
//! 1. A conversation is in use when it has a turn, a renewal, a compaction or a message. That is noted at most once a minute, so
//!    that a turn which changes nothing writes nothing most of the time. It is not rarer, because a pause of five minutes decides how
//!    long the next requests write their caches for, and who starts anew knows of it from the ledger alone.
//! 2. A turn notes its use before it answers with an epoch. A sweep looks at the last use in the transaction that deletes: whichever
//!    comes first, no turn is answered with an epoch that a sweep by age deletes.
//! 3. What is deleted by age was not used for that long, and a minute more, because uses are noted to the minute.

use jiff::{SignedDuration, Timestamp};

use super::{Current, Keeper};
use crate::error::{Error, ErrorKind, Fault, Result};
use crate::freeze::ConversationId;
use crate::freeze::store::{Deletable, LastUse, Noted, Sweep, Swept};

/// How exactly uses are noted.
const NOTED_EVERY: SignedDuration = SignedDuration::from_mins(1);

/// How many conversations are looked at, at a time.
const PAGE: usize = 1_000;

/// An age: so many hours, days or weeks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Age(SignedDuration);

/// What a sweep found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Collected {
    /// How many conversations have not been used for so long.
    pub conversations: u64,
    /// The texts that no row names; those of the conversations are among them only if they were deleted.
    pub swept: Swept,
}

impl Age {
    /// Reads `12h`, `90d` or `4w`.
    pub fn parse(text: &str) -> Result<Age> {
        let wrong = || {
            let message = format!("`{text}` is not an age");
            Error::new(ErrorKind::Input, message).with_hint("write a number of hours, days or weeks: 12h, 90d, 4w")
        };
        let hours = match text.char_indices().last() {
            Some((_, 'h')) => 1,
            Some((_, 'd')) => 24,
            Some((_, 'w')) => 24 * 7,
            _ => return Err(wrong()),
        };
        let number = &text[..text.len() - 1];
        if number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(wrong());
        }
        let count = number.parse::<i64>().ok().and_then(|number| number.checked_mul(hours));
        // Ten thousand years are enough.
        let hours = count.filter(|hours| (1..=87_600_000).contains(hours)).ok_or_else(wrong)?;
        Ok(Age(SignedDuration::from_hours(hours)))
    }

    /// The last moment of what is so old at `now`.
    fn before(self, now: Timestamp) -> Timestamp {
        now.checked_sub(self.0 + NOTED_EVERY).unwrap_or(Timestamp::MIN)
    }
}

impl Keeper {
    /// Finds conversations that have not been used for so long, and texts that no row names; deletes them, or only counts.
    pub fn collect(&self, older_than: Option<Age>, now: Timestamp, sweep: Sweep) -> Result<Collected> {
        let mut collected = Collected::default();
        if let Some(age) = older_than {
            let since = age.before(now);
            let mut after: Option<ConversationId> = None;
            loop {
                let page = self.store.last_uses(after.as_ref(), PAGE)?;
                let Some(last) = page.last() else { break };
                after = Some(last.conversation.clone());
                for LastUse { conversation, .. } in page.iter().filter(|one| one.at < since) {
                    match sweep {
                        Sweep::DryRun => collected.conversations += 1,
                        Sweep::Delete => {
                            // One that was used meanwhile stays.
                            let Some(deleted) = self.store.delete(conversation, Deletable::UnusedSince(since))? else {
                                continue;
                            };
                            collected.conversations += 1;
                            collected.swept.texts += deleted.swept.texts;
                            collected.swept.bytes += deleted.swept.bytes;
                        }
                    }
                }
            }
        }
        let swept = self.store.sweep(sweep)?;
        collected.swept.texts += swept.texts;
        collected.swept.bytes += swept.bytes;
        Ok(collected)
    }

    /// Notes that a conversation is in use; not there if somebody deleted it meanwhile.
    pub(super) fn note_use(&self, current: &Current, now: Timestamp) -> Result<Noted> {
        let pause = self.pauses.see(current, now);
        let is_noted = current.last_use().is_some_and(|last| now.duration_since(last) < NOTED_EVERY);
        if is_noted && pause.is_none() {
            return Ok(Noted::Done);
        }
        match self.store.note_use(&current.standing.epoch.conversation, now, pause) {
            // A turn that needs nothing written goes on where nothing can be written now. Nothing is deleted there, either.
            Err(error) if is_only_unwritable(error.fault) => Ok(Noted::Done),
            noted => Ok(noted?),
        }
    }
}

/// Whether a store with this fault may be read all the same.
fn is_only_unwritable(fault: Fault) -> bool {
    matches!(
        fault,
        Fault::ReadOnly
            | Fault::Full
            | Fault::Busy
            | Fault::Displaced
            | Fault::Newer
            | Fault::Descriptors
            | Fault::Memory
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_age_is_a_number_of_hours_days_or_weeks() {
        for (text, hours) in [("1h", 1), ("90d", 2_160), ("4w", 672), ("007d", 168)] {
            assert_eq!(Age::parse(text).unwrap(), Age(SignedDuration::from_hours(hours)), "{text}");
        }
        for text in ["", "d", "90", "0d", "-1d", "+1d", "1.5d", "1m", "9é", "1 d", "99999999999999999999d", "87600001h"]
        {
            let error = Age::parse(text).unwrap_err();
            assert_eq!(error.message(), format!("`{text}` is not an age"));
        }
    }
}
