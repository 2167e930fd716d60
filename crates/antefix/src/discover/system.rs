//! `system:` facts: clock, operating system, machine, shell.
//!
//! What programs compare is in UTC. What people read, `long_time` and `local_date`, is in the user's time zone and says which: that
//! of `time_zone` in the user's settings, else the machine's. One that nobody knows is reported, and the time is in UTC then.

use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};

use super::Situation;
use super::world::{Answer, SystemText, World};
use crate::diagnostic::{Code, Diagnostic};

/// Answers `system:<name>`.
pub(super) fn answer(
    world: &dyn World,
    situation: &Situation<'_>,
    name: &str,
    diagnostics: &mut Vec<Diagnostic>,
) -> Answer<String> {
    match name {
        "time" => Answer::Present(format!("{:.3}", world.now())),
        "datetime" => Answer::Present(utc(world.now(), "%Y-%m-%dT%H:%M:%SZ")),
        "clock" => Answer::Present(utc(world.now(), "%H:%M:%S")),
        "long_time" => {
            let local = local(world, situation, diagnostics);
            Answer::Present(local.strftime("%A, %B %-d, %Y at %I:%M:%S %p %Z").to_string())
        }
        "local_date" => Answer::Present(local(world, situation, diagnostics).strftime("%Y-%m-%d %Z").to_string()),
        "date" => Answer::Present(utc(world.now(), "%Y-%m-%d")),
        "os" => Answer::Present(world.platform()),
        "os_name" => Answer::Present(os_name(world)),
        "os_version" => world.system_text(SystemText::KernelRelease),
        "hostname" => world.hostname(),
        "shell" => world.env("SHELL"),
        _ => Answer::Absent,
    }
}

/// The instant in the user's time zone.
fn local(world: &dyn World, situation: &Situation<'_>, diagnostics: &mut Vec<Diagnostic>) -> Zoned {
    let set = situation.permissions.time_zone.as_deref();
    let zone = match world.time_zone(set) {
        Answer::Present(zone) => zone,
        Answer::Absent => TimeZone::UTC,
        Answer::Unavailable(reason) => {
            let finding = Diagnostic::warning(Code::TimeZone, format!("times are in UTC: {}", reason.detail));
            let hint = match set {
                Some(_) => "write a name such as `Europe/Berlin` for `time_zone` in your settings",
                None => "set `TZ` to a name such as `Europe/Berlin`, or `time_zone` in your settings",
            };
            let finding = finding.about("system:time").hint(hint);
            if !diagnostics.contains(&finding) {
                diagnostics.push(finding);
            }
            TimeZone::UTC
        }
    };
    world.now().to_zoned(zone)
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
