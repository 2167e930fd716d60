//! What the machine grants this process, and what follows for how much it does at once.
//!
//! 1. Memory that cannot be had ends the process, and a file that cannot be opened fails a request that is not to blame. So less is
//!    done at once where memory or descriptors are few, and what does not fit waits or is told to come again.
//! 2. Below a limit with which nothing useful can be done the server does not start, and says what it needs.

use antefix::{Error, ErrorKind, Result};

use crate::pool::STACK;

const MIB: u64 = 1024 * 1024;

/// What the process has for itself: code, caches, the store, and the threads that are no places.
const PROCESS: u64 = 40 * MIB;
/// What a place takes at most that composes, or composes and writes. The largest templates there may be were seen to take 20 MiB.
const COMPOSING: u64 = 24 * MIB + STACK as u64;
/// What a place takes at most that looks at a draft: several compositions and their differences, all that is known of them, and the
/// document. 30 MiB were seen, and 32 more where tools are looked for in a prompt of four megabytes.
const LOOKING: u64 = 64 * MIB + STACK as u64;
/// What a place takes at most that reads: a prompt, and the document it is printed in.
const READING: u64 = 16 * MIB + STACK as u64;
/// How often the text of a body is in memory: as it was read, as it is sent on, and as it is printed.
const TEXTS: u64 = 3;
/// How often the values of a body are: as they were read, and as they are sent on.
const TREES: u64 = 2;
/// Which part of the memory bodies get with all texts that are made of them, which part their values, which part answers that are being
/// sent, and which part readers. The rest is for composing.
const OF_BODIES: u64 = 16;
const OF_MADE: u64 = 16;
const OF_ANSWERS: u64 = 16;
const OF_READERS: u64 = 8;
/// The least address space (`ulimit -v`), half of which is for what threads do.
const SPACE: u64 = 1024 * MIB;
/// The address space of a thread: its stack, and 64 MiB that the allocator of the C library reserves for each, and mostly does not use.
const THREAD: u64 = 72 * MIB;
/// The least that may be written to (`ulimit -d`): there is room for one place of each kind.
const DATA: u64 = 256 * MIB;

/// How many descriptors the server has for itself at least: its log, its sockets, its store, and what it reads and holds open.
const OWN: usize = 40;
/// The least descriptors (`ulimit -n`) with which it starts: its own, and those of some connections.
const DESCRIPTORS: u64 = 64;
/// How many of them are open while nothing is asked.
const STANDING: usize = 13;
/// How many a composition opens at once, for directories, files, the pipes of a program and the store: 6. There are two and a half
/// kinds of compositions (turns, writing, drafts), which get five eighths of what is free. A reader opens 3 in the
/// store, and readers get the other three eighths.
const FOR_ALL_KINDS: usize = 6 * 5 / 2 * 8 / 5;

/// How much is done at once.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Share {
    pub(crate) composing: usize,
    pub(crate) reading: usize,
    /// The bytes of all bodies.
    pub(crate) bodies: usize,
    /// The bytes of what is made of their values.
    pub(crate) made: usize,
    /// The bytes of all answers.
    pub(crate) answers: usize,
}

impl Share {
    /// What is left of a share where the machine grants little: one of each, and one body, in any case.
    pub(crate) fn granted(self, body: usize) -> Share {
        self.within(space(), memory(), descriptors(), body)
    }

    fn within(self, space: Option<u64>, memory: Option<u64>, descriptors: Option<usize>, body: usize) -> Share {
        let number = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
        let fitting = |of: fn(u64) -> u64| memory.map_or(usize::MAX, |memory| number(of(memory)));
        // There are as many threads for turns, for writing and for reading, and half as many for drafts.
        let threads = space.map_or(usize::MAX, |space| number(space.saturating_sub(SPACE / 2) / THREAD * 2 / 7));
        let spare = descriptors.map_or(usize::MAX, |count| own(count).saturating_sub(STANDING));
        Share {
            composing: self.composing.min(fitting(compositions)).min(threads).min(spare / FOR_ALL_KINDS).max(1),
            reading: self.reading.min(fitting(|all| all / OF_READERS / READING)).min(threads).min(spare / 8).max(1),
            bodies: self.bodies.min(fitting(|all| all / OF_BODIES / TEXTS)).max(body),
            made: self.made.min(fitting(|all| all / OF_MADE / TREES)),
            answers: self.answers.min(fitting(|all| all / OF_ANSWERS)),
        }
    }
}

/// How many may compose at once in so much memory. With each there is one that writes, and with each two one that looks at a draft.
fn compositions(memory: u64) -> u64 {
    let others = PROCESS + memory / OF_BODIES + memory / OF_MADE + memory / OF_ANSWERS + memory / OF_READERS;
    let room = memory.saturating_sub(others);
    let (one, two) = (2 * COMPOSING + LOOKING, 4 * COMPOSING + LOOKING);
    room / two * 2 + u64::from(room % two >= one)
}

/// How many connections there may be beside the server's own descriptors, of so many.
pub(crate) fn connections(most: usize) -> usize {
    descriptors().map_or(most, |count| count.saturating_sub(own(count)).clamp(1, most))
}

/// How many descriptors are the server's own, of so many: a quarter, and never too few, as far as there are any.
fn own(count: usize) -> usize {
    OWN.max(count / 4).min(count)
}

/// Refuses to start where a limit is so low that memory would be missing sooner or later.
#[cfg(unix)]
pub(crate) fn check() -> Result<()> {
    use rustix::process::{Resource, getrlimit};
    let limits = [
        (Resource::As, SPACE, "the limit on address space (ulimit -v)"),
        (Resource::Data, DATA, "the limit on data (ulimit -d)"),
    ];
    if let Some(most) = getrlimit(Resource::Nofile).maximum.filter(|most| *most < DESCRIPTORS) {
        let message = format!("the limit on open files (ulimit -n) is {most}, and the server needs {DESCRIPTORS}");
        return Err(Error::new(ErrorKind::Limit, message).with_hint("raise it, or take it away"));
    }
    for (limit, least, name) in limits {
        if let Some(most) = getrlimit(limit).current.filter(|most| *most < least) {
            let megabytes = |bytes: u64| bytes / MIB;
            let message = format!("{name} is {} MiB, and the server needs {} MiB", megabytes(most), megabytes(least));
            return Err(Error::new(ErrorKind::Limit, message).with_hint("raise it, or take it away"));
        }
    }
    Ok(())
}

#[cfg(not(unix))]
pub(crate) fn check() -> Result<()> {
    Ok(())
}

/// How many descriptors there may be. The system is asked for as many as it grants, as the usual limit is low.
#[cfg(unix)]
fn descriptors() -> Option<usize> {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    // Where that is refused there are fewer connections, and the others wait.
    let _ = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum });
    getrlimit(Resource::Nofile).current.and_then(|count| usize::try_from(count).ok())
}

#[cfg(not(unix))]
fn descriptors() -> Option<usize> {
    None
}

/// The address space that there may be; none if nothing limits it.
#[cfg(unix)]
fn space() -> Option<u64> {
    rustix::process::getrlimit(rustix::process::Resource::As).current
}

#[cfg(not(unix))]
fn space() -> Option<u64> {
    None
}

/// The memory that there may be, by the limits of the process and of its control groups; none if nothing limits it.
#[cfg(unix)]
fn memory() -> Option<u64> {
    let data = rustix::process::getrlimit(rustix::process::Resource::Data).current;
    [space(), data, of_groups()].into_iter().flatten().min()
}

#[cfg(not(unix))]
fn memory() -> Option<u64> {
    None
}

/// The memory that the control groups of the process grant. Where there are none, there is no file that says so.
#[cfg(unix)]
fn of_groups() -> Option<u64> {
    use std::path::Path;
    let groups = std::fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    // The second version has one group, `0::/path`; the groups around it limit it as well.
    let own = groups.lines().find_map(|line| line.strip_prefix("0::"))?;
    let limit = |group: &Path| {
        let file = Path::new("/sys/fs/cgroup").join(group).join("memory.max");
        std::fs::read_to_string(file).ok()?.trim().parse::<u64>().ok()
    };
    Path::new(own.trim_start_matches('/')).ancestors().filter_map(limit).min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn less_is_done_at_once_where_little_is_granted() {
        let wanted = || Share { composing: 8, reading: 32, bodies: 64 << 20, made: 64 << 20, answers: 256 << 20 };
        let body = 8 << 20;
        // Address space, memory, descriptors, and what is left: compositions, readers, mebibytes of bodies, of what is made of them
        // and of answers.
        let table = [
            (None, None, None, (8, 32, 64, 64, 256)),
            (Some(u64::MAX), Some(16 * 1024 * MIB), Some(1_048_576), (8, 32, 64, 64, 256)),
            (None, Some(1536 * MIB), None, (8, 8, 32, 48, 96)),
            (None, Some(768 * MIB), None, (4, 4, 16, 24, 48)),
            (None, Some(256 * MIB), None, (1, 1, 8, 8, 16)),
            (None, Some(32 * MIB), None, (1, 1, 8, 1, 2)),
            (None, Some(0), None, (1, 1, 8, 0, 0)),
            (Some(4096 * MIB), None, None, (8, 14, 64, 64, 256)),
            (Some(1024 * MIB), None, None, (2, 2, 64, 64, 256)),
            (Some(0), None, None, (1, 1, 64, 64, 256)),
            (None, None, Some(1024), (8, 30, 64, 64, 256)),
            (None, None, Some(256), (2, 6, 64, 64, 256)),
            (None, None, Some(64), (1, 3, 64, 64, 256)),
            (None, None, Some(0), (1, 1, 64, 64, 256)),
        ];
        for (space, memory, descriptors, (composing, reading, bodies, made, answers)) in table {
            let expected = Share { composing, reading, bodies: bodies << 20, made: made << 20, answers: answers << 20 };
            let share = wanted().within(space, memory, descriptors, body);
            assert_eq!(share, expected, "{space:?} {memory:?} {descriptors:?}");
        }
    }

    #[test]
    fn all_places_together_take_no_more_than_is_granted() {
        for memory in (DATA..64 * DATA).step_by(usize::try_from(MIB).unwrap()) {
            let most = Share { composing: 1000, reading: 1000, bodies: 1 << 40, made: 1 << 40, answers: 1 << 40 };
            let share = most.within(None, Some(memory), None, 8 << 20);
            let number = |count: usize| count as u64;
            let taken = PROCESS
                + number(share.composing) * 2 * COMPOSING
                + number(share.composing.div_ceil(2)) * LOOKING
                + number(share.reading) * READING
                + number(share.bodies) * TEXTS
                + number(share.made) * TREES
                + number(share.answers);
            assert!(taken <= memory, "{taken} of {memory}");
        }
    }
}
