//! Which signals this process was told to ignore.

/// Whether whoever started this process made it ignore a signal, as `nohup` does with SIGHUP and a script with SIGINT for what
/// it starts in the background. A handler would undo that, so look before you set one. Only Linux can be asked; elsewhere
/// the answer is no.
pub fn ignores_signal(signal: i32) -> bool {
    let bit = signal.checked_sub(1).and_then(|shift| 1_u64.checked_shl(shift.try_into().ok()?)).unwrap_or_default();
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & bit != 0)
}
