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
    /// A variable that no allow-list names.
    NotAllowed,
    /// It did not answer in time.
    TimedOut,
    /// The program is not installed.
    NotInstalled,
    /// The user does not want it asked for, or has not said where to ask. Nothing failed, so this leaves no gap.
    Disabled,
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
            ReasonCode::NotAllowed => "not-allowed",
            ReasonCode::TimedOut => "timed-out",
            ReasonCode::NotInstalled => "not-installed",
            ReasonCode::Disabled => "disabled",
            ReasonCode::Failed => "failed",
        }
    }

    /// Whether it may be otherwise a little later: something went wrong, and nobody decided it.
    pub fn may_pass(self) -> bool {
        matches!(self, ReasonCode::NotPermitted | ReasonCode::TimedOut | ReasonCode::NotInstalled | ReasonCode::Failed)
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
            ReasonCode::NotAllowed => "not on the allow-list",
            ReasonCode::TimedOut => "no answer in time",
            ReasonCode::NotInstalled => "not installed",
            ReasonCode::Disabled => "not asked for",
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
    /// What it is, links followed; none for a link that leads nowhere, or out of the root.
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

    /// Whose the file or directory at an absolute path is, links followed.
    fn owner(&self, path: &Path) -> Answer<Owner>;

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

    /// Asks a server once. A redirect is an answer like any other: whoever asked decides where to ask next.
    fn fetch(&self, request: &Request) -> Answer<Response>;
}
