//! The machine that the process runs on.
//!
//! 1. It is the only world that touches anything real, so everything that can hang, race or lie is handled here.
//! 2. Files are read beneath a root, through one descriptor, and never by following a link out of it.
//! 3. Programs run with a given environment, in a process group of their own, and do not outlive their limits, nor us.
//! 4. Servers are asked once, within a time, for so many bytes; only with the feature `http`.
//! 5. A file system that can hang, such as a network disk, is asked within a time: see `watched.rs`.

// The one place that may: see `clippy.toml`.
#![allow(clippy::disallowed_methods)]

mod access;
mod directories;
#[cfg(feature = "http")]
mod fetch;
mod files;
mod held;
mod mounts;
mod pause;
mod pipes;
mod programs;
mod run;
mod signals;
mod stable;
mod started;
mod straight;
#[cfg(target_os = "linux")]
mod supervisor;
mod survivors;
mod watched;

use std::env::VarError;
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use cap_std::fs::Metadata;
use jiff::Timestamp;
use jiff::tz::TimeZone;

use self::access::access;
use self::held::{Base, Held};
use self::programs::Programs;
pub use self::signals::ignores_signal;
#[cfg(target_os = "linux")]
pub use self::supervisor::supervise_if_asked;
use self::watched::Watch;
use crate::discover::world::{
    Access, Answer, Command, Contents, Kind, Link, Listing, Output, Owner, ReasonCode, Request, Response, SystemText,
    World,
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
#[derive(Debug, Clone, Default)]
pub struct OsWorld {
    stopped_at: Option<Timestamp>,
    held: Option<Arc<Held>>,
    watch: Watch,
    supervisor: Option<Arc<Path>>,
    /// Copies share them.
    programs: Programs,
}

impl OsWorld {
    /// The machine with its own clock.
    pub fn new() -> OsWorld {
        OsWorld::default()
    }

    /// The machine with a clock that stands still, so that two compositions of the same tree can be compared.
    pub fn at(now: Timestamp) -> OsWorld {
        OsWorld { stopped_at: Some(now), ..OsWorld::default() }
    }

    /// Asks about a path at once, or by a thread that can be given up if that may hang.
    fn ask<T: Send + 'static>(
        &self,
        path: &Path,
        ask: impl FnOnce(Option<&Held>, &Path) -> Answer<T> + Send + 'static,
    ) -> Answer<T> {
        let Some(place) = self.may_hang(path) else { return ask(self.held.as_deref(), path) };
        let (held, path) = (self.held.clone(), path.to_owned());
        self.watch.ask(&place, move || ask(held.as_deref(), &path))
    }

    /// The mount that a question about a path may hang in; none if it is answered in any case.
    fn may_hang(&self, path: &Path) -> Option<PathBuf> {
        let mounts = self.watch.mounts()?;
        if let Some(mount) = mounts.that_can_hang(path) {
            return Some(mount.to_owned());
        }
        if !straight::climbs(path) && straight::has_no_link(path) {
            return None;
        }
        // A link that leads to none of them now may be another one in a moment.
        Some(mounts.behind_links(path).unwrap_or_else(|| path.to_owned()))
    }

    /// What a link in a directory leads to; none if it leads nowhere or out of the root, or if that could not be asked.
    fn kind_behind(&self, root: &Path, link: PathBuf) -> Option<Kind> {
        let root = root.to_owned();
        self.ask(&root.join(&link), move |held, _| directories::kind_behind(Base::new(held, &root), &link)).present()
    }

    /// Has programs supervised by another process, so that nothing of them is left when they end or when this process does,
    /// even if it is killed. `program` is started for that, and must call [`supervise_if_asked`] at its beginning: mostly it
    /// is `/proc/self/exe`, this program again, which is there also after an upgrade has replaced its file. It is started
    /// with one argument and no environment.
    ///
    /// Without a supervisor, programs are killed by this process alone. A program then lives on if this process is killed, and
    /// so does a descendant of a hook that has left its group, lost its parent and cleared its environment.
    ///
    /// Only Linux has what this takes. Elsewhere it changes nothing.
    pub fn supervised_by(mut self, program: impl AsRef<Path>) -> OsWorld {
        self.supervisor = Some(program.as_ref().into());
        self
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
        self.ask(path, |_, path| {
            answer(std::fs::metadata(path)).map(|metadata| directories::kind(&Metadata::from_just_metadata(metadata)))
        })
    }

    fn owner(&self, path: &Path) -> Answer<Owner> {
        self.ask(path, |_, path| {
            answer(std::fs::symlink_metadata(path)).and_then(|metadata| {
                // Who makes a link to a file of somebody else does not become that somebody.
                if !metadata.is_symlink() || owner(&metadata) == Owner::Other {
                    return Answer::Present(owner(&metadata));
                }
                answer(std::fs::metadata(path)).map(|metadata| owner(&metadata))
            })
        })
    }

    fn access(&self, path: &Path) -> Answer<Access> {
        self.ask(path, |_, path| answer(std::fs::metadata(path)).map(|metadata| access(&metadata)))
    }

    fn resolve(&self, path: &Path) -> Answer<PathBuf> {
        self.ask(path, |_, path| {
            // One question to the kernel instead of one for each directory on the way.
            if straight::is_real(path) {
                return Answer::Present(path.to_owned());
            }
            answer(std::fs::canonicalize(path))
        })
    }

    fn read(&self, root: &Path, path: &Path, limit: usize) -> Answer<Contents> {
        if self.watch.mounts().is_none() {
            return files::read(Base::new(self.held.as_deref(), root), path, limit);
        }
        let (root, inside) = (root.to_owned(), path.to_owned());
        self.ask(&root.join(path), move |held, _| files::read(Base::new(held, &root), &inside, limit))
    }

    fn list(&self, root: &Path, path: &Path, limit: usize) -> Answer<Listing> {
        let (base, inside) = (root.to_owned(), path.to_owned());
        let listed =
            self.ask(&root.join(path), move |held, _| directories::list(Base::new(held, &base), &inside, limit));
        listed.map(|mut listing| {
            // Each link may lead to another file system than its directory is on.
            for entry in listing.entries.iter_mut().filter(|entry| entry.link == Link::Symbolic) {
                entry.kind = self.kind_behind(root, path.join(&entry.name));
            }
            listing
        })
    }

    fn run(&self, command: &Command) -> Answer<Output> {
        let (programs, supervisor) = (self.programs.clone(), self.supervisor.clone());
        let run = move |held: Option<&Held>, command: &Command| {
            Base::new(held, &command.cwd).lead_to(|cwd| match cwd {
                Some(cwd) => run::run(&Command { cwd, ..command.clone() }, &programs, supervisor.as_deref()),
                None => run::run(command, &programs, supervisor.as_deref()),
            })
        };
        let Some(mount) = self.may_hang(&command.cwd) else {
            return run(self.held.as_deref(), command);
        };
        // Its own limit counts from when it runs, and where it runs may hang before that.
        let (held, owned, limit) = (self.held.clone(), command.clone(), command.time_limit + Duration::from_secs(1));
        self.watch.ask_for(&mount, limit, move || run(held.as_deref(), &owned))
    }

    fn hold(&self, directory: &Path) -> Answer<Option<Box<dyn World + Send + Sync>>> {
        self.ask(directory, |_, directory| answer(Held::open(directory))).map(|held| {
            let world = OsWorld { held: Some(Arc::new(held)), watch: self.watch.renewed(), ..self.clone() };
            Some(Box::new(world) as Box<dyn World + Send + Sync>)
        })
    }

    fn end_programs(&self) {
        self.programs.end();
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

/// Says no: only Linux has supervisors.
#[cfg(not(target_os = "linux"))]
pub fn supervise_if_asked() -> Option<std::process::ExitCode> {
    None
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
        ErrorKind::OutOfMemory => Answer::unavailable(ReasonCode::Machine, "out of memory"),
        _ if is_out_of_descriptors(&error) => Answer::unavailable(ReasonCode::Machine, "out of file descriptors"),
        _ if is_of_a_device(&error) => Answer::unavailable(ReasonCode::Machine, error.to_string()),
        _ => Answer::unavailable(ReasonCode::Failed, error.to_string()),
    }
}

/// Whether this process, or the machine, has no more descriptors.
#[cfg(unix)]
fn is_out_of_descriptors(error: &io::Error) -> bool {
    use rustix::io::Errno;
    matches!(Errno::from_io_error(error), Some(Errno::MFILE | Errno::NFILE))
}

#[cfg(not(unix))]
fn is_out_of_descriptors(_: &io::Error) -> bool {
    false
}

/// Whether a disk, or the way to it, failed.
#[cfg(unix)]
fn is_of_a_device(error: &io::Error) -> bool {
    use rustix::io::Errno;
    matches!(Errno::from_io_error(error), Some(Errno::IO | Errno::STALE))
}

#[cfg(not(unix))]
fn is_of_a_device(_: &io::Error) -> bool {
    false
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
