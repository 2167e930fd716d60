//! A file system that never answers.

use std::fs::{File, OpenOptions};
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};

use rustix::mount::{MountFlags, UnmountFlags, mount, unmount};

/// A mount that hangs until it is dropped.
pub struct Hanging {
    place: PathBuf,
    device: Option<File>,
}

impl Hanging {
    /// Mounts it at a directory, which is made if need be.
    #[track_caller]
    pub fn at(place: &Path) -> Hanging {
        std::fs::create_dir_all(place).unwrap();
        let device = OpenOptions::new().read(true).write(true).open("/dev/fuse").unwrap();
        let data = format!("fd={},rootmode=40000,user_id=0,group_id=0", device.as_raw_fd());
        let data = std::ffi::CString::new(data).unwrap();
        mount("hanging", place, "fuse.hanging", MountFlags::empty(), data.as_c_str()).unwrap();
        Hanging { place: place.to_owned(), device: Some(device) }
    }
}

impl Drop for Hanging {
    fn drop(&mut self) {
        // Whoever waits is let go first.
        drop(self.device.take());
        unmount(&self.place, UnmountFlags::DETACH).unwrap();
    }
}
