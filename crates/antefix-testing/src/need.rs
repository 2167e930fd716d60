//! Things that some tests need and not every machine has.
//!
//! 1. A test asks [`Need::is_left_out`] first. It fails where the thing is missing, with a sentence about what to do.
//! 2. Whoever cannot do that names the thing in `ANTEFIX_TEST_WITHOUT`, and the test is left out. `cargo xtask test` does so
//!    for all that is missing, and lists it at the end: nothing is left out that nobody hears of.

use std::process::{Command, Stdio};

/// Names what is left out, with commas in between.
pub const WITHOUT: &str = "ANTEFIX_TEST_WITHOUT";

/// How a test that was left out says so, on its output: `cargo xtask promises` does not take it for one that passed.
pub const LEFT_OUT: &str = "left out: ";

/// Something that not every machine has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Need {
    /// What it is called in [`WITHOUT`].
    pub name: &'static str,
    /// What is not tested without it.
    pub tests: &'static str,
    /// What can be done about it.
    pub remedy: Remedy,
    /// A script for `sh` that fails where it is missing.
    probe: &'static str,
}

/// What can be done where something is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Remedy {
    /// It can be installed.
    Install(&'static str),
    /// The system does not allow it, and no package changes that.
    Forbidden(&'static str),
}

impl Need {
    /// All that is known.
    pub const ALL: [Need; 11] = [
        Need::PYTHON,
        Need::STRACE,
        Need::SETSID,
        Need::SYSTEMD,
        Need::REFTABLE,
        Need::NAMESPACES,
        Need::MOUNT,
        Need::FUSE,
        Need::CHOWN,
        Need::DESCRIPTORS,
        Need::RIGHTS,
    ];

    /// Runs the stand-in for providers.
    pub const PYTHON: Need = Need {
        name: "python3",
        tests: "that the stand-in for providers refuses what the tables of rules say",
        remedy: Remedy::Install("python3 is not installed"),
        probe: "python3 --version",
    };

    /// Makes system calls of another process fail.
    pub const STRACE: Need = Need {
        name: "strace",
        tests: "syncs that fail",
        remedy: Remedy::Install("strace is not installed, or may not trace"),
        probe: "strace -o /dev/null true",
    };

    /// Starts a program in a session of its own.
    pub const SETSID: Need = Need {
        name: "setsid",
        tests: "programs that leave their process group",
        remedy: Remedy::Install("setsid of util-linux is not installed"),
        probe: "setsid --version",
    };

    /// Checks units of systemd.
    pub const SYSTEMD: Need = Need {
        name: "systemd-analyze",
        tests: "systemd's opinion of the unit in deploy/",
        remedy: Remedy::Install("systemd-analyze is not installed"),
        probe: "systemd-analyze --version",
    };

    /// A git that knows the newer format of references.
    pub const REFTABLE: Need = Need {
        name: "reftable",
        tests: "a repository whose references are a reftable",
        remedy: Remedy::Install("git is older than 2.45"),
        probe: "d=$(mktemp -d) && trap 'rm -rf \"$d\"' EXIT && git init -q --ref-format=reftable \"$d\"",
    };

    /// Networks that are cut off from this machine's own.
    pub const NAMESPACES: Need = Need {
        name: "namespaces",
        tests: "a replica that is cut off from its database, and real agents that shall reach nobody",
        remedy: Remedy::Forbidden("network namespaces need root, `unshare`, `nsenter` and `ip`"),
        probe: "nsenter --version && unshare --net ip link show lo",
    };

    /// A file system that is soon full.
    pub const MOUNT: Need = Need {
        name: "mount",
        tests: "a disk that is full",
        remedy: Remedy::Forbidden("this user may not mount a file system in memory"),
        probe: "d=$(mktemp -d) && trap 'rm -rf \"$d\"' EXIT && mount -t tmpfs -o size=4m tmpfs \"$d\" && umount \"$d\"",
    };

    /// A file system that is a program, and may say nothing.
    pub const FUSE: Need = Need {
        name: "fuse",
        tests: "a file system that never answers",
        remedy: Remedy::Forbidden("this user may not mount what /dev/fuse offers"),
        probe: "[ -w /dev/fuse ] && [ \"$(id -u)\" = 0 ] && d=$(mktemp -d) && trap 'rm -rf \"$d\"' EXIT && \
                mount -t tmpfs tmpfs \"$d\" && umount \"$d\"",
    };

    /// Files that belong to somebody else.
    pub const CHOWN: Need = Need {
        name: "chown",
        tests: "files and repositories of another owner",
        remedy: Remedy::Forbidden("only root can give a file away"),
        probe: "f=$(mktemp) && trap 'rm -f \"$f\"' EXIT && chown 12345 \"$f\"",
    };

    /// Descriptors for ten thousand connections, and some to work with.
    pub const DESCRIPTORS: Need = Need {
        name: "descriptors",
        tests: "ten thousand idle connections (as many as there may be are held)",
        remedy: Remedy::Forbidden("`ulimit -Hn` is below 11000"),
        probe: "most=$(ulimit -Hn) && { [ \"$most\" = unlimited ] || [ \"$most\" -ge 11000 ]; }",
    };

    /// Programs for which the rights of files count, whoever runs the tests.
    pub const RIGHTS: Need = Need {
        name: "rights",
        tests: "directories whose rights were taken away",
        remedy: Remedy::Install("root needs setpriv of util-linux to give up its privileges"),
        probe: "[ \"$(id -u)\" != 0 ] || setpriv --inh-caps=-dac_override --bounding-set=-dac_override true",
    };

    /// Whether somebody left it out.
    ///
    /// # Panics
    ///
    /// If it is missing and nobody did.
    #[track_caller]
    pub fn is_left_out(&self) -> bool {
        if self.is_named() {
            println!("{LEFT_OUT}{WITHOUT} names `{}`", self.name);
            return true;
        }
        let (name, why) = (self.name, self.remedy.why());
        assert!(self.is_there(), "{why}; {WITHOUT}={name} leaves this test out");
        false
    }

    /// Why tests that need it cannot run; none if they can.
    pub fn missing(&self) -> Option<String> {
        if self.is_named() {
            return Some(format!("{WITHOUT} names `{}`", self.name));
        }
        (!self.is_there()).then(|| self.remedy.why().to_owned())
    }

    fn is_named(&self) -> bool {
        std::env::var(WITHOUT).is_ok_and(|names| names.split(',').any(|name| name.trim() == self.name))
    }

    fn is_there(&self) -> bool {
        let mut probe = Command::new("sh");
        probe.args(["-c", self.probe]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        probe.status().is_ok_and(|status| status.success())
    }
}

impl Remedy {
    fn why(self) -> &'static str {
        let (Remedy::Install(why) | Remedy::Forbidden(why)) = self;
        why
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOTHING: Need =
        Need { name: "nothing", tests: "", remedy: Remedy::Install("it is never there"), probe: "exit 1" };

    #[test]
    fn what_is_missing_fails_a_test_that_needs_it_and_is_reported() {
        assert_eq!(NOTHING.missing().as_deref(), Some("it is never there"));
        let failed = std::panic::catch_unwind(|| NOTHING.is_left_out()).unwrap_err();
        assert_eq!(
            failed.downcast_ref::<String>().unwrap(),
            "it is never there; ANTEFIX_TEST_WITHOUT=nothing leaves this test out"
        );
    }

    #[test]
    fn names_are_words_of_their_own() {
        let mut names = Need::ALL.map(|need| need.name);
        assert!(names.iter().all(|name| !name.contains([',', ' '])), "{names:?}");
        names.sort_unstable();
        assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{names:?}");
    }
}
