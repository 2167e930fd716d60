//! The machine that the process runs on.
//!
//! 1. It is the only world that touches anything real, so everything that can hang, race or lie is handled here.
//! 2. Files are read beneath a root, through one descriptor, and never by following a link out of it.
//! 3. Programs run with a given environment, in a process group of their own, and do not outlive their limits.
//! 4. Servers are asked once, within a time, for so many bytes; only with the feature `http`.
//!
//! What it does not bound is the file system itself: a `stat` or a read on a network disk that has gone away waits as
//! long as the kernel waits.

// The one place that may: see `clippy.toml`.
#![allow(clippy::disallowed_methods)]

mod directories;
#[cfg(feature = "http")]
mod fetch;
mod files;
mod run;
mod straight;
mod survivors;

use std::env::VarError;
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

use cap_std::fs::Metadata;
use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::discover::world::{
    Answer, Command, Contents, Kind, Listing, Output, Owner, ReasonCode, Request, Response, SystemText, World,
};

/// The machine itself, with its clock or with a clock that stands still.
///
/// ```
/// use antefix::discover::World;
/// use antefix::worlds::OsWorld;
///
/// let noon = "2026-03-07T12:00:00Z".parse()?;
/// assert_eq!(OsWorld::at(noon).now(), noon);
/// # Ok::<(), jiff::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct OsWorld {
    stopped_at: Option<Timestamp>,
}

impl OsWorld {
    /// The machine with its own clock.
    pub fn new() -> OsWorld {
        OsWorld::default()
    }

    /// The machine with a clock that stands still, so that two compositions of the same tree can be compared.
    pub fn at(now: Timestamp) -> OsWorld {
        OsWorld { stopped_at: Some(now) }
    }
}

impl World for OsWorld {
    fn now(&self) -> Timestamp {
        self.stopped_at.unwrap_or_else(Timestamp::now)
    }

    fn time_zone(&self, name: Option<&str>) -> Answer<TimeZone> {
        let Some(name) = name else {
            return match (TimeZone::try_system(), self.env("TZ")) {
                (Ok(zone), _) => Answer::Present(zone),
                // As for the system's own programs: a machine that nobody set a zone for is in UTC.
                (Err(_), Answer::Absent) => Answer::Absent,
                (Err(error), _) => Answer::unavailable(ReasonCode::Failed, format!("TZ: {error}")),
            };
        };
        match TimeZone::get(name).or_else(|_| TimeZone::posix(name)) {
            Ok(zone) => Answer::Present(zone),
            Err(_) => Answer::unavailable(ReasonCode::Failed, format!("there is no time zone `{name}`")),
        }
    }

    fn platform(&self) -> String {
        match std::env::consts::OS {
            "macos" => "darwin",
            "windows" => "win32",
            other => other,
        }
        .to_owned()
    }

    fn system_text(&self, which: SystemText) -> Answer<String> {
        match which {
            SystemText::OsRelease => match system_file("/etc/os-release") {
                Answer::Absent => system_file("/usr/lib/os-release"),
                answer => answer,
            },
            SystemText::KernelVersion => kernel_version(),
            SystemText::KernelRelease => kernel_release(),
            SystemText::WslInterop => {
                self.kind(Path::new("/proc/sys/fs/binfmt_misc/WSLInterop")).map(|_| String::new())
            }
        }
    }

    fn hostname(&self) -> Answer<String> {
        #[cfg(unix)]
        {
            match rustix::system::uname().nodename().to_str() {
                Ok("") => Answer::Absent,
                Ok(name) => Answer::Present(name.to_owned()),
                Err(_) => Answer::unavailable(ReasonCode::NotUtf8, "the host name"),
            }
        }
        #[cfg(not(unix))]
        {
            self.env("COMPUTERNAME")
        }
    }

    fn env(&self, name: &str) -> Answer<String> {
        match std::env::var(name) {
            Ok(value) => Answer::Present(value),
            Err(VarError::NotPresent) => Answer::Absent,
            Err(VarError::NotUnicode(_)) => Answer::unavailable(ReasonCode::NotUtf8, name),
        }
    }

    fn kind(&self, path: &Path) -> Answer<Kind> {
        answer(std::fs::metadata(path)).map(|metadata| directories::kind(&Metadata::from_just_metadata(metadata)))
    }

    fn owner(&self, path: &Path) -> Answer<Owner> {
        answer(std::fs::metadata(path)).map(|metadata| owner(&metadata))
    }

    fn resolve(&self, path: &Path) -> Answer<PathBuf> {
        // One question to the kernel instead of one for each directory on the way.
        if straight::is_real(path) {
            return Answer::Present(path.to_owned());
        }
        answer(std::fs::canonicalize(path))
    }

    fn read(&self, root: &Path, path: &Path, limit: usize) -> Answer<Contents> {
        files::read(root, path, limit)
    }

    fn list(&self, root: &Path, path: &Path, limit: usize) -> Answer<Listing> {
        directories::list(root, path, limit)
    }

    fn run(&self, command: &Command) -> Answer<Output> {
        run::run(command)
    }

    #[cfg(feature = "http")]
    fn fetch(&self, request: &Request) -> Answer<Response> {
        fetch::fetch(request)
    }

    #[cfg(not(feature = "http"))]
    fn fetch(&self, _: &Request) -> Answer<Response> {
        Answer::unavailable(ReasonCode::Failed, "this build has no HTTP")
    }
}

/// The answer that a result of the system amounts to.
///
/// A name that is too long, or has a NUL in it, can belong to no file: asking for it is asked and answered.
fn answer<T>(result: io::Result<T>) -> Answer<T> {
    let error = match result {
        Ok(value) => return Answer::Present(value),
        Err(error) => error,
    };
    match error.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::InvalidFilename => Answer::Absent,
        ErrorKind::InvalidInput if error.raw_os_error().is_none() => Answer::Absent,
        ErrorKind::PermissionDenied => Answer::unavailable(ReasonCode::NotPermitted, ""),
        _ => Answer::unavailable(ReasonCode::Failed, error.to_string()),
    }
}

/// The kernel's name, release and version. `/proc/version` says the same and who built it, for the price of a file.
#[cfg(unix)]
fn kernel_version() -> Answer<String> {
    let uname = rustix::system::uname();
    match (uname.sysname().to_str(), uname.release().to_str(), uname.version().to_str()) {
        (Ok(name), Ok(release), Ok(version)) => Answer::Present(format!("{name} {release} {version}")),
        _ => Answer::unavailable(ReasonCode::NotUtf8, "the kernel's version"),
    }
}

#[cfg(not(unix))]
fn kernel_version() -> Answer<String> {
    Answer::Absent
}

#[cfg(unix)]
fn kernel_release() -> Answer<String> {
    match rustix::system::uname().release().to_str() {
        Ok(release) => Answer::Present(release.to_owned()),
        Err(_) => Answer::unavailable(ReasonCode::NotUtf8, "the kernel's release"),
    }
}

#[cfg(not(unix))]
fn kernel_release() -> Answer<String> {
    Answer::Absent
}

/// How much of a system file is looked at; real ones have a few hundred bytes.
const SYSTEM_FILE_LIMIT: u64 = 64 * 1024;

/// The text of a file that belongs to the system and lies outside every root.
fn system_file(path: &str) -> Answer<String> {
    answer(begin(Path::new(path))).and_then(|mut bytes| {
        // The limit may have cut the last character in two, which is not the file's fault.
        if let Err(error) = std::str::from_utf8(&bytes)
            && error.error_len().is_none()
            && bytes.len() as u64 == SYSTEM_FILE_LIMIT
        {
            bytes.truncate(error.valid_up_to());
        }
        match String::from_utf8(bytes) {
            Ok(text) => Answer::Present(text),
            Err(_) => Answer::unavailable(ReasonCode::NotUtf8, path),
        }
    })
}

fn begin(path: &Path) -> io::Result<Vec<u8>> {
    // Such files seldom report their size, and are read whole in one go all the same.
    let mut bytes = Vec::with_capacity(2048);
    File::open(path)?.take(SYSTEM_FILE_LIMIT).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Whose a file is. Whoever became root by `sudo` still has the files of the user that they are.
#[cfg(unix)]
fn owner(metadata: &std::fs::Metadata) -> Owner {
    use std::os::unix::fs::MetadataExt;

    let me = rustix::process::geteuid();
    let before_sudo = || std::env::var("SUDO_UID").ok().and_then(|uid| uid.parse::<u32>().ok());
    match metadata.uid() {
        uid if uid == me.as_raw() => Owner::User,
        0 => Owner::System,
        uid if me.is_root() && before_sudo() == Some(uid) => Owner::User,
        _ => Owner::Other,
    }
}

/// Where files have no owner that can be asked for, nobody is a stranger.
#[cfg(not(unix))]
fn owner(_: &std::fs::Metadata) -> Owner {
    Owner::User
}
