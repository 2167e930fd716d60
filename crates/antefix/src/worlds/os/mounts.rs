//! Which file systems can hang.
//!
//! 1. A file system that asks somebody else can wait for ever: a network disk whose server has gone away, a program in user
//!    space that does not answer. One that only asks a disk of this machine is taken for one that answers.
//! 2. The kernel's table of mounts says which is which, and reading it never waits. It is read again when it is a second old.
//! 3. Where there is no such table, as on other systems than Linux, nothing is known to hang.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How many links the kernel follows in a path.
const LINKS: usize = 40;
/// How old the table may be.
const AGE: Duration = Duration::from_secs(1);

/// File systems that ask nobody outside the kernel and its disks. All others can hang: `nfs4`, `cifs`, `9p`, `ceph`,
/// everything of FUSE, what mounts by itself when it is touched, and what nobody has heard of yet.
const LOCAL: [&str; 44] = [
    "apfs",
    "bcachefs",
    "binfmt_misc",
    "bpf",
    "btrfs",
    "cgroup",
    "cgroup2",
    "configfs",
    "debugfs",
    "devpts",
    "devtmpfs",
    "efivarfs",
    "erofs",
    "exfat",
    "ext2",
    "ext3",
    "ext4",
    "f2fs",
    "fusectl",
    "hfsplus",
    "hugetlbfs",
    "iso9660",
    "jfs",
    "mqueue",
    "nilfs2",
    "nsfs",
    "ntfs3",
    "overlay",
    "proc",
    "pstore",
    "ramfs",
    "reiserfs",
    "rootfs",
    "securityfs",
    "selinuxfs",
    "squashfs",
    "sysfs",
    "tmpfs",
    "tracefs",
    "udf",
    "vfat",
    "xfs",
    "zfs",
    "zonefs",
];

/// The mounts of this machine, if one of them can hang.
#[derive(Debug, Default)]
pub(super) struct Mounts {
    /// Mount points, the longest first, each with whether it can hang. Empty if none can.
    points: Vec<(PathBuf, CanHang)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CanHang {
    Yes,
    No,
}

impl Mounts {
    /// The mount point of the file system that a path is on, if that can hang. Links are not followed.
    pub(super) fn that_can_hang(&self, path: &Path) -> Option<&Path> {
        let (point, can_hang) = self.points.iter().find(|(point, _)| path.starts_with(point))?;
        (*can_hang == CanHang::Yes).then_some(point)
    }

    /// The first mount that can hang on the way along a path, links followed. They are followed by reading them, one after the
    /// other, so that no such mount is entered.
    pub(super) fn behind_links(&self, path: &Path) -> Option<PathBuf> {
        let mut at = PathBuf::new();
        let mut rest: VecDeque<OsString> = path.components().map(|part| part.as_os_str().to_owned()).collect();
        let mut links = 0;
        while let Some(part) = rest.pop_front() {
            if part == ".." {
                at.pop();
                continue;
            }
            // An absolute target begins anew.
            at.push(&part);
            if let Some(mount) = self.that_can_hang(&at) {
                return Some(mount.to_owned());
            }
            let Ok(target) = std::fs::read_link(&at) else { continue };
            links += 1;
            if links > LINKS {
                return None;
            }
            at.pop();
            for part in target.components().rev() {
                rest.push_front(part.as_os_str().to_owned());
            }
        }
        None
    }

    /// Whether none can hang.
    pub(super) fn all_answer(&self) -> bool {
        self.points.is_empty()
    }

    fn parse(table: &str) -> Mounts {
        let mut points: Vec<(PathBuf, CanHang)> = table.lines().filter_map(point).collect();
        // Of two at one place, the later one hides the other.
        points.reverse();
        points.sort_by_key(|(point, _)| std::cmp::Reverse(point.as_os_str().len()));
        let any = points.iter().any(|(_, can_hang)| *can_hang == CanHang::Yes);
        Mounts { points: if any { points } else { Vec::new() } }
    }
}

/// A line of `/proc/self/mountinfo`: the fifth field is the mount point, and behind a lone `-` is the type.
fn point(line: &str) -> Option<(PathBuf, CanHang)> {
    let (mount, system) = line.split_once(" - ")?;
    let (point, kind) = (unescaped(mount.split(' ').nth(4)?), system.split(' ').next()?);
    Some((PathBuf::from(point), if LOCAL.contains(&kind) { CanHang::No } else { CanHang::Yes }))
}

/// The kernel writes blanks, tabs, line ends and backslashes as three octal digits.
fn unescaped(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        plain.push_str(before);
        let code = after.get(..3).and_then(|digits| u8::from_str_radix(digits, 8).ok());
        match code {
            Some(code) => plain.push(char::from(code)),
            None => plain.push('\\'),
        }
        rest = if code.is_some() { &after[3..] } else { after };
    }
    plain + rest
}

/// The table that was read last.
#[derive(Debug, Default)]
pub(super) struct MountTable(Mutex<Option<(Instant, Arc<Mounts>)>>);

impl MountTable {
    /// The table, at most a second old.
    pub(super) fn get(&self) -> Arc<Mounts> {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((at, mounts)) = &*last
            && at.elapsed() < AGE
        {
            return Arc::clone(mounts);
        }
        // A table that cannot be read knows of nothing that hangs.
        let table = std::fs::read("/proc/self/mountinfo").unwrap_or_default();
        let mounts = Arc::new(Mounts::parse(&String::from_utf8_lossy(&table)));
        *last = Some((Instant::now(), Arc::clone(&mounts)));
        mounts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "\
22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
23 22 0:20 / /proc rw - proc proc rw
30 22 0:40 / /mnt/far rw shared:5 - nfs4 server:/x rw
31 30 0:41 / /mnt/far/near rw - tmpfs tmpfs rw
32 22 0:42 / /mnt/two\\040words rw - fuse.sshfs me@host: rw
33 22 0:43 / /over rw - nfs4 server:/y rw
34 33 0:44 / /over rw - ext4 /dev/vdb rw
35 22 0:45 / /auto rw - autofs systemd-1 rw
";

    #[test]
    fn a_path_is_on_the_innermost_mount() {
        let mounts = Mounts::parse(TABLE);
        let rows = [
            ("/home/u", None),
            ("/mnt/far", Some("/mnt/far")),
            ("/mnt/far/a/b", Some("/mnt/far")),
            ("/mnt/farther", None),
            ("/mnt/far/near/x", None),
            ("/mnt/two words/x", Some("/mnt/two words")),
            ("/over/x", None),
            ("/auto/x", Some("/auto")),
        ];
        for (path, expected) in rows {
            assert_eq!(mounts.that_can_hang(Path::new(path)), expected.map(Path::new), "{path}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_to_a_mount_without_entering_it() {
        use std::os::unix::fs::symlink;

        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        std::fs::create_dir(root.join("d")).unwrap();
        symlink("far/x", root.join("relative")).unwrap();
        symlink(root.join("far"), root.join("d/absolute")).unwrap();
        symlink("../d/absolute", root.join("d/twice")).unwrap();
        symlink("d", root.join("near")).unwrap();
        symlink("itself", root.join("itself")).unwrap();
        let far = root.join("far");
        let mounts = Mounts::parse(&format!("30 22 0:40 / {} rw - nfs4 server:/x rw\n", far.display()));
        let rows = [
            ("far/x", true),
            ("relative", true),
            ("d/absolute/y", true),
            ("d/twice", true),
            ("near/absolute", true),
            ("near/../far/x", true),
            ("near/../relative", true),
            ("near", false),
            ("near/x", false),
            ("itself", false),
            ("missing/x", false),
        ];
        for (path, leads_there) in rows {
            let expected = leads_there.then(|| far.clone());
            assert_eq!(mounts.behind_links(&root.join(path)), expected, "{path}");
        }
    }

    #[test]
    fn a_machine_with_its_own_disks_alone_has_nothing_to_look_up() {
        let local: String = TABLE.lines().take(2).map(|line| format!("{line}\n")).collect();
        assert!(Mounts::parse(&local).all_answer());
        assert!(Mounts::parse("").all_answer());
        assert!(!Mounts::parse(TABLE).all_answer());
    }
}
