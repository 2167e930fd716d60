//! Descendants of a program that are in its process group no longer.
//!
//! A program is started with a mark in its environment that no other run has. Its descendants inherit the mark, whatever
//! group or session they move to; besides, whoever has one of them for a parent is one. Linux shows both in `/proc`;
//! elsewhere nobody is found. A program that wants to hide can: the mark bounds what goes wrong, not what means harm.

use crate::discover::world::Kill;

/// The variable that holds the mark.
#[cfg(target_os = "linux")]
const MARK: &str = "ANTEFIX_RUN";

/// How to find the descendants of one run; nothing if only its group is killed.
pub(super) struct Survivors {
    mark: Option<String>,
}

#[cfg(target_os = "linux")]
impl Survivors {
    /// A mark of its own, if descendants are to be killed.
    pub(super) fn new(kill: Kill) -> Survivors {
        use std::sync::atomic::{AtomicU64, Ordering};
        static RUNS: AtomicU64 = AtomicU64::new(0);
        let own = || {
            let at = std::time::UNIX_EPOCH.elapsed().map_or(0, |elapsed| elapsed.as_nanos());
            format!("{}-{}-{at}", std::process::id(), RUNS.fetch_add(1, Ordering::Relaxed))
        };
        Survivors { mark: (kill == Kill::Descendants).then(own) }
    }

    /// What goes into the environment.
    pub(super) fn mark(&self) -> Option<(&'static str, &str)> {
        self.mark.as_deref().map(|mark| (MARK, mark))
    }

    /// Kills the program's group, and whoever has left it.
    pub(super) fn kill_around(&self, leader: u32, kill_group: impl FnOnce()) {
        // Asked before the group dies: whoever loses a parent is handed to another one.
        let family = self.living(Some(leader));
        kill_group();
        Survivors::kill(family);
        // Who was forked meanwhile has the mark; a handful of rounds is more than anybody needs.
        for _ in 0..10 {
            let living = self.living(None);
            if living.is_empty() {
                return;
            }
            Survivors::kill(living);
        }
    }

    /// Descriptors of the processes that carry the mark, or descend from `leader` or from one that does.
    fn living(&self, leader: Option<u32>) -> Vec<rustix::fd::OwnedFd> {
        use rustix::process::{Pid, PidfdFlags, pidfd_open};

        let Some(mark) = &self.mark else { return Vec::new() };
        let wanted = format!("{MARK}={mark}");
        let Ok(processes) = std::fs::read_dir("/proc") else { return Vec::new() };
        let mut known: Vec<u32> = leader.into_iter().collect();
        let mut found = Vec::new();
        let mut others = Vec::new();
        for number in processes.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok()) {
            // The descriptor comes first: if the number is given to somebody else from here on, it leads to nobody.
            let pid = i32::try_from(number).ok().and_then(Pid::from_raw);
            let Some(descriptor) = pid.and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok()) else { continue };
            let environment = std::fs::read(format!("/proc/{number}/environ")).unwrap_or_default();
            if environment.split(|&byte| byte == 0).any(|entry| entry == wanted.as_bytes()) {
                known.push(number);
                found.push(descriptor);
            } else if leader.is_some()
                && let Some(parent) = parent(number)
            {
                others.push((number, parent, descriptor));
            }
        }
        loop {
            let (children, rest): (Vec<_>, Vec<_>) =
                others.into_iter().partition(|(_, parent, _)| known.contains(parent));
            if children.is_empty() {
                return found;
            }
            for (number, _, descriptor) in children {
                known.push(number);
                found.push(descriptor);
            }
            others = rest;
        }
    }

    fn kill(processes: Vec<rustix::fd::OwnedFd>) {
        use rustix::process::{Signal, pidfd_send_signal};
        for process in processes {
            // One that is gone already is what was wanted.
            let _ = pidfd_send_signal(process, Signal::KILL);
        }
    }
}

/// The parent of a process: the second field behind its name, which is in parentheses and may contain anything.
#[cfg(target_os = "linux")]
pub(super) fn parent(number: u32) -> Option<u32> {
    let stat = std::fs::read_to_string(format!("/proc/{number}/stat")).ok()?;
    stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}

#[cfg(not(target_os = "linux"))]
impl Survivors {
    /// Nobody can be found.
    pub(super) fn new(_kill: Kill) -> Survivors {
        Survivors { mark: None }
    }

    /// Nothing goes into the environment.
    pub(super) fn mark(&self) -> Option<(&'static str, &str)> {
        self.mark.as_deref().map(|mark| ("ANTEFIX_RUN", mark))
    }

    /// Kills the program's group.
    pub(super) fn kill_around(&self, _leader: u32, kill_group: impl FnOnce()) {
        kill_group();
    }
}
