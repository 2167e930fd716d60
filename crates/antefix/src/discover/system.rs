//! `system:` facts: clock, operating system, machine, shell. All times are UTC.

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::world::{Answer, SystemText, World};

/// Answers `system:<name>`.
pub(super) fn answer(world: &dyn World, name: &str) -> Answer<String> {
    match name {
        "time" => Answer::Present(format!("{:.3}", world.now())),
        "datetime" => Answer::Present(utc(world.now(), "%Y-%m-%dT%H:%M:%SZ")),
        "clock" => Answer::Present(utc(world.now(), "%H:%M:%S")),
        "long_time" => Answer::Present(utc(world.now(), "%A, %B %-d, %Y at %I:%M:%S %p UTC")),
        "date" => Answer::Present(utc(world.now(), "%Y-%m-%d")),
        "os" => Answer::Present(world.platform()),
        "os_name" => Answer::Present(os_name(world)),
        "os_version" => world.system_text(SystemText::KernelRelease),
        "hostname" => world.hostname(),
        "shell" => world.env("SHELL"),
        _ => Answer::Absent,
    }
}

fn utc(now: Timestamp, format: &str) -> String {
    now.to_zoned(TimeZone::UTC).strftime(format).to_string()
}

/// The platform; on Linux the distribution's name, with a mark for Windows' subsystem.
fn os_name(world: &dyn World) -> String {
    let platform = world.platform();
    if platform != "linux" {
        return platform;
    }
    let wsl = matches!(world.system_text(SystemText::WslInterop), Answer::Present(_))
        || world
            .system_text(SystemText::KernelVersion)
            .present()
            .is_some_and(|version| version.to_lowercase().contains("microsoft"));
    let distribution = world.system_text(SystemText::OsRelease).present().and_then(|text| distribution(&text));
    match (distribution, wsl) {
        (Some(name), true) => format!("{name} (WSL)"),
        (Some(name), false) => name,
        (None, true) => "Linux (WSL)".to_owned(),
        (None, false) => platform,
    }
}

/// `PRETTY_NAME`, else `NAME` and `VERSION_ID`. Only values in double quotes are used.
fn distribution(os_release: &str) -> Option<String> {
    let value = |key: &str| {
        os_release.lines().find_map(|line| {
            let quoted = line.strip_prefix(key)?.strip_prefix("=\"")?;
            quoted.split_once('"').map(|(value, _)| value.to_owned())
        })
    };
    value("PRETTY_NAME").or_else(|| match (value("NAME")?, value("VERSION_ID")) {
        (name, Some(version)) => Some(format!("{name} {version}")),
        (name, None) => Some(name),
    })
}
