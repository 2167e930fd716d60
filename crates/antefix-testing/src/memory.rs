//! How much memory a process has, as Linux reports it.

/// The bytes that a process has in memory now.
#[track_caller]
pub fn resident(process: u32) -> u64 {
    bytes(process, "VmRSS:").unwrap_or_else(|| panic!("/proc does not say how large process {process} is"))
}

/// The most bytes that a process ever had in memory. None on a system that is not Linux.
#[track_caller]
pub fn peak(process: u32) -> Option<u64> {
    let say = || panic!("/proc does not say how large process {process} was");
    cfg!(target_os = "linux").then(|| bytes(process, "VmHWM:").unwrap_or_else(say))
}

fn bytes(process: u32, name: &str) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? * 1024)
}
