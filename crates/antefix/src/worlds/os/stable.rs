//! Reading a file that somebody may be writing to.
//!
//! 1. A file that is rewritten in place while it is read would give the beginning of one version and the end of another.
//!    Its size and times on the same descriptor, before and behind the reading, say whether it was.
//! 2. Those times move in steps of some milliseconds. So a file that was changed a moment ago is read once that moment is
//!    over: a later change then has another time.
//! 3. A file that is never at rest is not read, and that is said.
//!
//! An ordinary file costs one more question to the system. What cannot be seen from outside is a writer that pauses in
//! the middle of a file for longer than the moment: its first half looks like any file.

use std::fs::{File, Metadata};
use std::io::{self, Seek};
use std::thread::sleep;
use std::time::{Duration, SystemTime};

use super::answer;
use crate::discover::world::{Answer, ReasonCode};

/// How long a change is ago, at least, before a file is read. The slowest kernels count a hundred steps in a second, and a
/// writer sets the time before it writes.
const MOMENT: Duration = Duration::from_millis(12);
/// How often a file that changes is read, or waited for.
const TRIES: usize = 6;

/// Reads a file by `read`, again and again until nobody wrote to it meanwhile. `read` is given what is known of the file.
pub(super) fn read<T>(mut file: &File, before: &Metadata, read: impl Fn(&Metadata) -> io::Result<T>) -> Answer<T> {
    let mut before = before.clone();
    for _ in 0..TRIES {
        if let Some(left) = changed_now(&before) {
            sleep(left);
            before = match file.metadata() {
                Ok(metadata) => metadata,
                Err(error) => return answer(Err(error)),
            };
            // Others may have written while we slept.
            if changed_now(&before).is_some() {
                continue;
            }
        }
        let read = read(&before).and_then(|contents| Ok((contents, file.metadata()?)));
        match read {
            Ok((contents, after)) if unchanged(&before, &after) => return Answer::Present(contents),
            Ok((_, after)) => before = after,
            Err(error) => return answer(Err(error)),
        }
        if let Err(error) = file.rewind() {
            return answer(Err(error));
        }
    }
    Answer::unavailable(ReasonCode::Failed, "it changed while it was read; try again when nobody writes to it")
}

/// How long to wait until a change that was just made is a moment ago. A time far ahead is another machine's clock, which says
/// nothing.
fn changed_now(metadata: &Metadata) -> Option<Duration> {
    let changed = changed(metadata)?;
    let ago = match SystemTime::now().duration_since(changed) {
        Ok(ago) => ago,
        Err(ahead) if ahead.duration() < MOMENT => Duration::ZERO,
        Err(_) => return None,
    };
    MOMENT.checked_sub(ago).filter(|left| !left.is_zero())
}

#[cfg(unix)]
fn changed(metadata: &Metadata) -> Option<SystemTime> {
    use std::os::unix::fs::MetadataExt;

    let (seconds, nanoseconds) = (metadata.ctime(), metadata.ctime_nsec());
    let since = Duration::new(u64::try_from(seconds).ok()?, u32::try_from(nanoseconds).ok()?);
    SystemTime::UNIX_EPOCH.checked_add(since)
}

#[cfg(not(unix))]
fn changed(metadata: &Metadata) -> Option<SystemTime> {
    metadata.modified().ok()
}

/// Whether nobody wrote between the two.
#[cfg(unix)]
fn unchanged(before: &Metadata, after: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;

    let state = |of: &Metadata| (of.size(), of.mtime(), of.mtime_nsec(), of.ctime(), of.ctime_nsec());
    state(before) == state(after)
}

#[cfg(not(unix))]
fn unchanged(before: &Metadata, after: &Metadata) -> bool {
    before.len() == after.len() && before.modified().ok() == after.modified().ok()
}
