//! Reading one file beneath a root.
//!
//! 1. Where a link is on the way, the root is opened and the path is walked by the kernel beneath that descriptor, so
//!    that no link swapped in between can lead out. Where none is, see [`straight`].
//! 2. Opening neither waits for a writer nor takes a terminal; what was opened is then examined on its own descriptor.
//! 3. At most one byte more than asked for is read, however large the file says it is.
//! 4. What is read is one version of the file, never half of each of two: see [`stable`].

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::{Component, Path, PathBuf};

use cap_std::fs::{Dir, OpenOptions};

use super::held::Base;
use super::straight::{self, Straight, Target};
use super::{answer, stable};
use crate::discover::world::{Answer, Contents, ReasonCode};

/// The first `limit` bytes of the regular file at `path` beneath `base`.
pub(super) fn read(base: Base<'_>, path: &Path, limit: usize) -> Answer<Contents> {
    if memchr::memchr(0, path.as_os_str().as_encoded_bytes()).is_some() {
        return Answer::Absent;
    }
    if !stays_beneath(path) {
        return outside();
    }
    match straight::open(base, path, Target::File) {
        Straight::Opened(file) => examined(&file, limit, || Answer::Present(straight::location(path))),
        Straight::Absent => Answer::Absent,
        Straight::Blocked => read_carefully(base, path, limit),
    }
}

/// Reads beneath a descriptor of the root.
fn read_carefully(base: Base<'_>, path: &Path, limit: usize) -> Answer<Contents> {
    let root = base.root;
    open_root(base).and_then(|dir| {
        match open(&dir, path) {
            Err(error) if is_escape(&error) => match relative_to_root(root, path) {
                // Only the kernel's answer decides: the new path is opened beneath the root with the same checks, so a
                // link that changes in between is caught again.
                Answer::Present(path) => contents(root, &dir, &path, open(&dir, &path), limit),
                Answer::Absent => Answer::unavailable(ReasonCode::Failed, "the link is broken"),
                Answer::Unavailable(reason) => Answer::Unavailable(reason),
            },
            opened => contents(root, &dir, path, opened, limit),
        }
    })
}

/// Opens the directory that a way begins in. A link out of a directory that is held open was swapped in.
pub(super) fn open_root(base: Base<'_>) -> Answer<Dir> {
    match base.open() {
        Err(error) if base.is_held() && is_escape(&error) => outside(),
        opened => answer(opened),
    }
}

/// Whether a path, taken by its letters alone, stays beneath where it starts.
pub(super) fn stays_beneath(path: &Path) -> bool {
    if !straight::climbs(path) {
        return !matches!(path.components().next(), Some(Component::Prefix(_) | Component::RootDir));
    }
    let mut depth = 0_usize;
    path.components().all(|component| match component {
        Component::Prefix(_) | Component::RootDir => false,
        Component::CurDir => true,
        Component::ParentDir => depth.checked_sub(1).inspect(|&less| depth = less).is_some(),
        Component::Normal(_) => {
            depth += 1;
            true
        }
    })
}

pub(super) fn outside<T>() -> Answer<T> {
    Answer::unavailable(ReasonCode::OutsideRoot, "")
}

fn open(dir: &Dir, path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use cap_std::fs::OpenOptionsExt;
        use rustix::fs::OFlags;

        // Without the first flag a FIFO waits for its writer; without the second a terminal becomes ours.
        let flags = OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        options.custom_flags(flags.bits().cast_signed());
    }
    dir.open_with(path, &options).map(cap_std::fs::File::into_std)
}

/// A refusal to leave the root is cap-std's own error; a refusal by the system carries the system's number.
pub(super) fn is_escape(error: &io::Error) -> bool {
    error.kind() == ErrorKind::PermissionDenied && error.raw_os_error().is_none()
}

/// Where a path that passes through an absolute link is beneath the root, if it is.
///
/// Walking beneath a descriptor refuses every absolute link, even one that comes back in.
pub(super) fn relative_to_root(root: &Path, path: &Path) -> Answer<PathBuf> {
    answer(std::fs::canonicalize(root)).and_then(|root| {
        let real = match answer(std::fs::canonicalize(root.join(path))) {
            // Nothing is there, but the way to it may have left the root before.
            Answer::Absent => {
                let mut above = path.ancestors().skip(1);
                let left = above.find_map(|above| std::fs::canonicalize(root.join(above)).ok());
                return if left.is_some_and(|left| !left.starts_with(&root)) { outside() } else { Answer::Absent };
            }
            real => real,
        };
        real.and_then(|real| match real.strip_prefix(&root) {
            Ok(inside) => Answer::Present(inside.to_owned()),
            Err(_) => outside(),
        })
    })
}

fn contents(root: &Path, dir: &Dir, path: &Path, opened: io::Result<File>, limit: usize) -> Answer<Contents> {
    match opened {
        Ok(file) => examined(&file, limit, || location(root, dir, path, &file)),
        Err(error) => refusal(dir, path, error),
    }
}

/// Reads from what was opened, once its descriptor proves to be a regular file's.
fn examined(file: &File, limit: usize, location: impl FnOnce() -> Answer<PathBuf>) -> Answer<Contents> {
    answer(file.metadata()).and_then(|metadata| {
        if !metadata.is_file() {
            return Answer::unavailable(ReasonCode::NotRegular, special(&metadata));
        }
        stable::read(file, &metadata, |metadata| begin(file, metadata.len(), limit)).and_then(|(bytes, more)| {
            location().map(|resolved| Contents { bytes, more, resolved, identity: identity(&metadata) })
        })
    })
}

/// What identifies a file, whatever it is called.
fn identity(metadata: &std::fs::Metadata) -> Option<(u64, u64)> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;

        Some((metadata.dev(), metadata.ino()))
    }
    #[cfg(not(unix))]
    {
        let _ = metadata;
        None
    }
}

/// Why a file could not be opened.
///
/// Some things that are not regular files say so only by an error: a socket or a device without a driver anywhere, a
/// directory on Windows.
fn refusal(dir: &Dir, path: &Path, error: io::Error) -> Answer<Contents> {
    if is_escape(&error) {
        return outside();
    }
    #[cfg(unix)]
    if error.raw_os_error() == Some(rustix::io::Errno::NXIO.raw_os_error()) {
        use cap_std::fs::FileTypeExt;

        let socket = dir.metadata(path).is_ok_and(|metadata| metadata.file_type().is_socket());
        return Answer::unavailable(ReasonCode::NotRegular, if socket { "a socket" } else { "a device" });
    }
    if error.kind() == ErrorKind::NotFound && dir.symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink()) {
        return Answer::unavailable(ReasonCode::Failed, "the link is broken");
    }
    if error.kind() == ErrorKind::PermissionDenied && dir.metadata(path).is_ok_and(|metadata| metadata.is_dir()) {
        return Answer::unavailable(ReasonCode::NotRegular, "a directory");
    }
    answer(Err(error))
}

/// The words for what is not a regular file.
fn special(metadata: &std::fs::Metadata) -> &'static str {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;

        let kind = metadata.file_type();
        if kind.is_fifo() {
            return "a FIFO";
        }
        if kind.is_socket() {
            return "a socket";
        }
        if kind.is_char_device() || kind.is_block_device() {
            return "a device";
        }
    }
    if metadata.is_dir() { "a directory" } else { "something else" }
}

/// The first `limit` bytes, and whether there is one more.
///
/// A file that reports its size is read in one go: where there was room for one byte more and it did not come, the file is
/// over. The size is no more than a hint, and bounded by the limit.
fn begin(file: &File, size: u64, limit: usize) -> io::Result<(Vec<u8>, bool)> {
    let hint = usize::try_from(size).unwrap_or(limit).min(limit);
    let mut bytes = Vec::with_capacity(hint.saturating_add(1));
    let first = loop {
        match read_once(file, &mut bytes) {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            outcome => break outcome?,
        }
    };
    if first == 0 || first as u64 != size {
        let left = (limit as u64).saturating_add(1).saturating_sub(first as u64);
        file.take(left).read_to_end(&mut bytes)?;
    }
    let more = bytes.len() > limit;
    bytes.truncate(limit);
    Ok((bytes, more))
}

/// Reads as much as there is room for, in one go.
#[cfg(unix)]
fn read_once(file: &File, bytes: &mut Vec<u8>) -> io::Result<usize> {
    // The room is not filled with zeros first.
    Ok(rustix::io::read(file, rustix::buffer::spare_capacity(bytes))?)
}

#[cfg(not(unix))]
fn read_once(mut file: &File, bytes: &mut Vec<u8>) -> io::Result<usize> {
    bytes.resize(bytes.capacity(), 0);
    let count = file.read(bytes)?;
    bytes.truncate(count);
    Ok(count)
}

/// Where an open file lies beneath an open root.
///
/// Both descriptors are asked first, because a path may have changed since it was walked; only where the system cannot
/// name a descriptor is the path walked again. What cannot be located is not given out: a rule about where a file lies,
/// such as the one for secrets, would have nothing to judge.
fn location(root: &Path, dir: &Dir, path: &Path, file: &File) -> Answer<PathBuf> {
    if let (Some(root), Some(real)) = (root_path(dir), open_path(file))
        && let Ok(inside) = real.strip_prefix(&root)
    {
        return Answer::Present(inside.to_owned());
    }
    match relative_to_root(root, path) {
        Answer::Absent => Answer::unavailable(ReasonCode::Failed, "it moved while it was read"),
        answer => answer,
    }
}

#[cfg(any(target_os = "linux", target_os = "android"))]
fn root_path(dir: &Dir) -> Option<PathBuf> {
    use std::os::fd::AsRawFd;

    descriptor_path(dir.as_raw_fd())
}

#[cfg(any(target_os = "linux", target_os = "android"))]
fn open_path(file: &File) -> Option<PathBuf> {
    use std::ffi::OsStr;
    use std::os::fd::AsRawFd;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::MetadataExt;

    let path = descriptor_path(file.as_raw_fd())?;
    let Some(before) = path.as_os_str().as_bytes().strip_suffix(b" (deleted)") else {
        return Some(path);
    };
    // The kernel marks a name that was removed after the open, as an editor does when it saves; but a file may also
    // really be called so.
    let opened = file.metadata().ok()?;
    let same = std::fs::symlink_metadata(&path).is_ok_and(|m| (m.dev(), m.ino()) == (opened.dev(), opened.ino()));
    if same { Some(path) } else { Some(PathBuf::from(OsStr::from_bytes(before))) }
}

#[cfg(any(target_os = "linux", target_os = "android"))]
fn descriptor_path(descriptor: std::os::fd::RawFd) -> Option<PathBuf> {
    std::fs::read_link(format!("/proc/self/fd/{descriptor}")).ok()
}

#[cfg(target_vendor = "apple")]
fn root_path(dir: &Dir) -> Option<PathBuf> {
    descriptor_path(dir)
}

#[cfg(target_vendor = "apple")]
fn open_path(file: &File) -> Option<PathBuf> {
    descriptor_path(file)
}

#[cfg(target_vendor = "apple")]
fn descriptor_path(descriptor: impl std::os::fd::AsFd) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStringExt;

    let path = rustix::fs::getpath(descriptor).ok()?;
    Some(PathBuf::from(std::ffi::OsString::from_vec(path.into_bytes())))
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
fn root_path(_: &Dir) -> Option<PathBuf> {
    None
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
fn open_path(_: &File) -> Option<PathBuf> {
    None
}
