//! The port to everything outside the process.
//!
//! 1. Every question has three answers, and they are never merged: [`Answer`].
//! 2. Asking cannot fail and cannot hang: what goes wrong is an answer too.
//! 3. A world answers; it does not decide. Which file may be read and how git is hardened is written in `discover`, where
//!    a test can see it with a world made of data.
//!
//! The adapters are in [`worlds`](crate::worlds).

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::diagnostic::Diagnostic;
use crate::error::ErrorKind;

/// What the world says to a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer<T> {
    /// There is one, and this is it.
    Present(T),
    /// Asked, and there is none.
    Absent,
    /// Could not ask, or may not.
    Unavailable(Reason),
}

impl<T> Answer<T> {
    /// Changes what is present.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Answer<U> {
        self.and_then(|value| Answer::Present(change(value)))
    }

    /// Asks on with what is present.
    pub fn and_then<U>(self, next: impl FnOnce(T) -> Answer<U>) -> Answer<U> {
        match self {
            Answer::Present(value) => next(value),
            Answer::Absent => Answer::Absent,
            Answer::Unavailable(reason) => Answer::Unavailable(reason),
        }
    }

    /// What is present, if anything.
    pub fn present(self) -> Option<T> {
        match self {
            Answer::Present(value) => Some(value),
            Answer::Absent | Answer::Unavailable(_) => None,
        }
    }

    /// The same answer, by reference.
    pub fn as_ref(&self) -> Answer<&T> {
        match self {
            Answer::Present(value) => Answer::Present(value),
            Answer::Absent => Answer::Absent,
            Answer::Unavailable(reason) => Answer::Unavailable(reason.clone()),
        }
    }

    /// An unavailable answer.
    pub fn unavailable(code: ReasonCode, detail: impl Into<String>) -> Answer<T> {
        Answer::Unavailable(Reason { code, detail: detail.into() })
    }
}

/// Why a question could not be asked, or not answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason {
    /// From a closed set.
    pub code: ReasonCode,
    /// For people; may be empty.
    pub detail: String,
}

impl Reason {
    /// The finding, unless the reason is that text is withheld: that is reported once for all of it.
    pub(super) fn unless_withheld(&self, finding: Diagnostic) -> Option<Diagnostic> {
        (self.code != ReasonCode::Untrusted).then_some(finding)
    }

    /// The kind of an error for this reason: a failure of the machine is nobody's mistake, whatever was asked for.
    pub(crate) fn kind_or(&self, kind: ErrorKind) -> ErrorKind {
        if matches!(self.code, ReasonCode::Machine | ReasonCode::TimedOut) { ErrorKind::Machine } else { kind }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code.sentence())?;
        if !self.detail.is_empty() {
            write!(f, ": {}", self.detail)?;
        }
        Ok(())
    }
}

/// The closed set of reasons.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum ReasonCode {
    /// A directory, FIFO, socket or device where a file was asked for.
    NotRegular,
    /// It lies, or a link leads, outside the roots that may be read.
    OutsideRoot,
    /// The system refuses access.
    NotPermitted,
    /// A file that usually holds secrets, or the inside of `.git`.
    Secret,
    /// Bytes that are not UTF-8.
    NotUtf8,
    /// Text with a NUL byte in it.
    Binary,
    /// Text with characters in it that nobody sees.
    HiddenText,
    /// Text of a repository that its user does not trust.
    Untrusted,
    /// It belongs to another user of the machine.
    ForeignOwner,
    /// A variable that no allow-list names.
    NotAllowed,
    /// It did not answer in time.
    TimedOut,
    /// The program is not installed.
    NotInstalled,
    /// The user does not want it asked for, or has not said where to ask. Nothing failed, so this leaves no gap.
    Disabled,
    /// The machine could not: it is out of descriptors or memory, or a device failed. It says nothing about what was asked for.
    Machine,
    /// Anything else that went wrong.
    Failed,
}

impl ReasonCode {
    /// The name in documents.
    pub fn name(self) -> &'static str {
        match self {
            ReasonCode::NotRegular => "not-a-regular-file",
            ReasonCode::OutsideRoot => "outside-root",
            ReasonCode::NotPermitted => "not-permitted",
            ReasonCode::Secret => "secret",
            ReasonCode::NotUtf8 => "not-utf8",
            ReasonCode::Binary => "binary",
            ReasonCode::HiddenText => "hidden-text",
            ReasonCode::Untrusted => "untrusted",
            ReasonCode::ForeignOwner => "foreign-owner",
            ReasonCode::NotAllowed => "not-allowed",
            ReasonCode::TimedOut => "timed-out",
            ReasonCode::NotInstalled => "not-installed",
            ReasonCode::Disabled => "disabled",
            ReasonCode::Machine => "machine",
            ReasonCode::Failed => "failed",
        }
    }

    /// Whether it may be otherwise a little later: something went wrong, and nobody decided it.
    pub fn may_pass(self) -> bool {
        matches!(
            self,
            ReasonCode::NotPermitted
                | ReasonCode::TimedOut
                | ReasonCode::NotInstalled
                | ReasonCode::Machine
                | ReasonCode::Failed
        )
    }

    /// The words in messages.
    pub fn sentence(self) -> &'static str {
        match self {
            ReasonCode::NotRegular => "not a regular file",
            ReasonCode::OutsideRoot => "outside the directories that may be read",
            ReasonCode::NotPermitted => "permission denied",
            ReasonCode::Secret => "withheld, because such files contain secrets",
            ReasonCode::NotUtf8 => "not UTF-8",
            ReasonCode::Binary => "binary",
            ReasonCode::HiddenText => "hidden characters in it",
            ReasonCode::Untrusted => "withheld, because this workspace is not trusted",
            ReasonCode::ForeignOwner => "it belongs to another user",
            ReasonCode::NotAllowed => "not on the allow-list",
            ReasonCode::TimedOut => "no answer in time",
            ReasonCode::NotInstalled => "not installed",
            ReasonCode::Disabled => "not asked for",
            ReasonCode::Machine => "this machine cannot read it now",
            ReasonCode::Failed => "failed",
        }
    }
}

/// The beginning of a file, and where it really lies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contents {
    /// At most as many bytes as were asked for.
    pub bytes: Vec<u8>,
    /// Whether the file goes on.
    pub more: bool,
    /// The path beneath the root once links were followed.
    pub resolved: PathBuf,
    /// What identifies this file, whatever it is called: its device and number, where the system has them.
    pub identity: Option<(u64, u64)>,
}

/// The names in a directory, sorted by their bytes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Listing {
    /// At most as many as were asked for.
    pub entries: Vec<ListedEntry>,
    /// Whether there are more.
    pub more: bool,
}

/// A name in a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedEntry {
    /// The name; one that is not UTF-8 is not listed.
    pub name: String,
    /// What it is, links followed; none for a link that leads nowhere or out of the root, or to where nobody answers.
    pub kind: Option<Kind>,
    /// Whether it is a symbolic link.
    pub link: Link,
}

/// Whether a name is a symbolic link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Link {
    /// The entry is a symbolic link.
    Symbolic,
    /// The entry is not a link.
    None,
}

/// What lies at a path, links followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A FIFO, socket or device.
    Other,
}

/// Whose a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// The user's who runs us.
    User,
    /// The system's own.
    System,
    /// Somebody else's.
    Other,
}

/// Who besides the user and the system can use a file or a directory.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Access {
    /// Who can write to it.
    pub write: Others,
    /// Who can read it.
    pub read: Others,
}

/// Who besides the user and the system can do something, and the mode that says so.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Others {
    /// Nobody.
    #[default]
    None,
    /// Its owner is another user.
    Owner(u32),
    /// Every user.
    Everybody(u32),
    /// Its group, which is not the user's private one.
    Group(u32),
}

impl fmt::Display for Others {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Others::None => f.write_str("nobody else"),
            Others::Owner(mode) => write!(f, "its owner, who is another user (mode {mode:o})"),
            Others::Everybody(mode) => write!(f, "everybody (mode {mode:o})"),
            Others::Group(mode) => write!(f, "its group (mode {mode:o})"),
        }
    }
}

/// A program to run: an argument vector, never a shell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// Looked up in the absolute directories of `PATH`.
    pub program: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// Its whole environment: nothing is inherited.
    pub env: Vec<(String, String)>,
    /// The directory that it runs in.
    pub cwd: PathBuf,
    /// What it may read from its standard input; without any, its input is empty. It need not read all of it.
    pub stdin: Vec<u8>,
    /// It and its children are killed after this.
    pub time_limit: Duration,
    /// It is stopped once it has printed more than this.
    pub output_limit: usize,
    /// Who is killed with it.
    pub kill: Kill,
}

/// Who is killed when a program ends, whichever way it does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Kill {
    /// Its process group. A descendant that moved itself to another group lives on, and holds up nobody.
    #[default]
    Group,
    /// Those descendants as well, where the system lets them be found. Looking for them takes some milliseconds.
    Descendants,
}

/// How a program ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    /// Its exit code; none if a signal, or the output limit, ended it.
    pub code: Option<i32>,
    /// At most as much as was asked for.
    pub stdout: Vec<u8>,
    /// Whether it would have printed more.
    pub more: bool,
    /// The beginning of its error output.
    pub stderr: Vec<u8>,
}

/// One question over HTTP: a GET without cookies, body, compression or redirects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// The whole address, with its scheme.
    pub address: String,
    /// The media types that are understood.
    pub accept: &'static str,
    /// Sent as `Authorization: Bearer …`.
    pub bearer: Option<Bearer>,
    /// Connecting, the head and the whole body together may take this long.
    pub time_limit: Duration,
    /// At most so many bytes of the body are taken.
    pub size_limit: usize,
}

/// A token. It is shown to nobody but the server that it is for.
#[derive(Clone, PartialEq, Eq)]
pub struct Bearer(pub String);

impl fmt::Debug for Bearer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Bearer(…)")
    }
}

/// What a server answered. An answer that broke off, or did not come in time, is not an answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Response {
    /// The status; 200 if all is well.
    pub status: u16,
    /// The header `Content-Type`.
    pub content_type: Option<String>,
    /// The header `Content-Encoding`; the body is as it was sent.
    pub content_encoding: Option<String>,
    /// The header `Location`.
    pub location: Option<String>,
    /// At most as many bytes as were asked for; that of a status other than 200 is not read.
    pub body: Vec<u8>,
    /// Whether the body goes on.
    pub more: bool,
    /// How long it took.
    pub took: Duration,
}

/// A text that the operating system keeps about itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SystemText {
    /// The distribution's `os-release` file.
    OsRelease,
    /// The kernel's version text.
    KernelVersion,
    /// The kernel's release alone, as `uname -r` prints it.
    KernelRelease,
    /// The mark that Windows' subsystem for Linux leaves; its text does not matter.
    WslInterop,
}

/// Everything outside the process. It may be asked from several threads at once.
pub trait World: Sync {
    /// The current time.
    fn now(&self) -> Timestamp;

    /// The time zone of a name, or the user's own. A machine that has none set has none.
    fn time_zone(&self, name: Option<&str>) -> Answer<TimeZone>;

    /// `linux`, `darwin`, `win32` and so on.
    fn platform(&self) -> String;

    /// A text that the operating system keeps about itself.
    fn system_text(&self, which: SystemText) -> Answer<String>;

    /// The name of the machine.
    fn hostname(&self) -> Answer<String>;

    /// A variable of the process's environment.
    fn env(&self, name: &str) -> Answer<String>;

    /// What lies at an absolute path, links followed.
    fn kind(&self, path: &Path) -> Answer<Kind>;

    /// Whose the file or directory at an absolute path is. Where it is a link, both the link and what it leads to must be the
    /// user's or the system's, or it is somebody else's.
    fn owner(&self, path: &Path) -> Answer<Owner>;

    /// Who besides the user and the system can use what is at an absolute path, links followed. Where files have no rights that
    /// can be asked for, nobody can.
    fn access(&self, path: &Path) -> Answer<Access> {
        self.kind(path).map(|_| Access::default())
    }

    /// An absolute path with every link followed.
    fn resolve(&self, path: &Path) -> Answer<PathBuf>;

    /// The first `limit` bytes of the regular file at `path`, which is relative to `root` and stays beneath it.
    ///
    /// The file is opened once and checked on the descriptor that is read.
    fn read(&self, root: &Path, path: &Path, limit: usize) -> Answer<Contents>;

    /// The first `limit` names in the directory at `path`, which is relative to `root` and stays beneath it.
    fn list(&self, root: &Path, path: &Path, limit: usize) -> Answer<Listing>;

    /// Runs a program to its end or its limits.
    fn run(&self, command: &Command) -> Answer<Output>;

    /// Kills the programs that run at the moment, and comes back when they are gone; whoever waits for them is told that they
    /// failed. No program runs after that: it is for a process that is about to end. A world that runs no programs has
    /// nothing to do, and one that passes `run` on passes this on as well.
    fn end_programs(&self) {}

    /// Asks a server once. A redirect is an answer like any other: whoever asked decides where to ask next.
    fn fetch(&self, request: &Request) -> Answer<Response>;

    /// The same world with a directory held open, for one piece of work: what has a path beneath it is read, listed and run
    /// there through its descriptor, so that no link which is swapped in meanwhile leads out of it. None where nothing can be
    /// swapped in, as in a world made of data. `directory` is a real path.
    fn hold(&self, directory: &Path) -> Answer<Option<Box<dyn World + Send + Sync>>> {
        let _ = directory;
        Answer::Present(None)
    }
}
