//! What the machine grants this process, and what follows for how much it does at once.
//!
//! 1. Memory that cannot be had ends the process, and a file that cannot be opened fails a request that is not to blame. So less is
//!    done at once where memory or descriptors are few, and what does not fit waits or is told to come again.
//! 2. Below a limit with which nothing useful can be done the server does not start, and says what it needs.

use antefix::{Error, ErrorKind, Result};

/// How many bytes of a limit on memory there must be for each place to compose. One is reckoned at 64 MiB, with the document that
/// explains it, and with each place for turns there are one for writing and half a one for drafts.
const COMPOSING: u64 = 64 * 1024 * 1024 * 5 / 2;
/// How many there must be for each reader.
const READING: u64 = 8 * 1024 * 1024;
/// The least address space (`ulimit -v`), half of which is for what threads do.
const SPACE: u64 = 1024 * 1024 * 1024;
/// The address space of a thread: its stack, and 64 MiB that the allocator of the C library reserves for each, and mostly does not use.
const THREAD: u64 = 72 * 1024 * 1024;
/// The least that may be written to (`ulimit -d`).
const DATA: u64 = 256 * 1024 * 1024;

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
}

impl Share {
    /// What is left of a share where the machine grants little: one of each, and one body, in any case.
    pub(crate) fn granted(self, body: usize) -> Share {
        self.within(space(), memory(), descriptors(), body)
    }

    fn within(self, space: Option<u64>, memory: Option<u64>, descriptors: Option<usize>, body: usize) -> Share {
        let number = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
        let fitting = |each: u64| memory.map_or(usize::MAX, |memory| number(memory / each));
        // There are as many threads for turns, for writing and for reading, and half as many for drafts.
        let threads = space.map_or(usize::MAX, |space| number(space.saturating_sub(SPACE / 2) / THREAD * 2 / 7));
        let spare = descriptors.map_or(usize::MAX, |count| own(count).saturating_sub(STANDING));
        Share {
            composing: self.composing.min(fitting(COMPOSING)).min(threads).min(spare / FOR_ALL_KINDS).max(1),
            reading: self.reading.min(fitting(READING)).min(threads).min(spare / 8).max(1),
            bodies: self.bodies.min(fitting(4)).max(body),
        }
    }
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
            let megabytes = |bytes: u64| bytes / 1024 / 1024;
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

    const MIB: u64 = 1024 * 1024;

    #[test]
    fn less_is_done_at_once_where_little_is_granted() {
        let wanted = || Share { composing: 8, reading: 32, bodies: 64 << 20 };
        let body = 8 << 20;
        // Address space, memory, descriptors, and what is left: compositions, readers, mebibytes of bodies.
        let table = [
            (None, None, None, (8, 32, 64)),
            (Some(u64::MAX), Some(16 * 1024 * MIB), Some(1_048_576), (8, 32, 64)),
            (None, Some(512 * MIB), None, (3, 32, 64)),
            (None, Some(128 * MIB), None, (1, 16, 32)),
            (None, Some(16 * MIB), None, (1, 2, 8)),
            (None, Some(0), None, (1, 1, 8)),
            (Some(4096 * MIB), None, None, (8, 14, 64)),
            (Some(1024 * MIB), None, None, (2, 2, 64)),
            (Some(0), None, None, (1, 1, 64)),
            (None, None, Some(1024), (8, 30, 64)),
            (None, None, Some(256), (2, 6, 64)),
            (None, None, Some(64), (1, 3, 64)),
            (None, None, Some(0), (1, 1, 64)),
        ];
        for (space, memory, descriptors, (composing, reading, bodies)) in table {
            let expected = Share { composing, reading, bodies: bodies << 20 };
            let share = wanted().within(space, memory, descriptors, body);
            assert_eq!(share, expected, "{space:?} {memory:?} {descriptors:?}");
        }
    }
}
