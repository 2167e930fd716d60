//! Who besides the user can use a file, by its owner and its mode.
//!
//! Lists of rights that go beyond the mode are not read. Where a file has one, its group's bits say the most that any of them
//! gives, so that it counts as shared with its group.

use crate::discover::world::Access;

/// Who besides the user and the system can use a file.
#[cfg(unix)]
pub(super) fn access(metadata: &std::fs::Metadata) -> Access {
    use std::os::unix::fs::MetadataExt;

    use crate::discover::world::{Others, Owner};

    const STICKY: u32 = 0o1000;
    let mode = metadata.mode() & 0o7777;
    let strangers = super::owner(metadata) == Owner::Other;
    // A group with the number of the owner is the owner's private one.
    let shared_group = metadata.gid() != metadata.uid();
    let by = |everybody: u32, group: u32| {
        if strangers {
            Others::Owner(mode)
        } else if mode & everybody != 0 {
            Others::Everybody(mode)
        } else if mode & group != 0 && shared_group {
            Others::Group(mode)
        } else {
            Others::None
        }
    };
    // In a directory like /tmp everybody can make files, and nobody can touch those of others.
    let protected = metadata.is_dir() && mode & STICKY != 0 && !strangers;
    let write = if protected { Others::None } else { by(0o002, 0o020) };
    Access { write, read: by(0o004, 0o040) }
}

/// Where files have no owner that can be asked for, nobody is a stranger.
#[cfg(not(unix))]
pub(super) fn access(_: &std::fs::Metadata) -> Access {
    Access::default()
}
