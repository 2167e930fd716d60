//! What the system says about a server's process.

use crate::Server;

impl Server {
    /// The memory that it has, in bytes.
    pub(crate) fn resident(&self) -> u64 {
        self.kilobytes("VmRSS") * 1024
    }

    /// The most memory that it ever had, in bytes.
    pub(crate) fn most_resident(&self) -> u64 {
        self.kilobytes("VmHWM") * 1024
    }

    pub(crate) fn descriptors(&self) -> usize {
        std::fs::read_dir(format!("/proc/{}/fd", self.child.id())).unwrap().count()
    }

    fn kilobytes(&self, name: &str) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        line.trim_matches(|one: char| !one.is_ascii_digit()).parse().unwrap()
    }
}
