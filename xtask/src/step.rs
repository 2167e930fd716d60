//! Running other programs so that everybody can see what ran and how long it took.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// What a command comes to; the message is for people.
pub(crate) type Outcome<T = ()> = Result<T, String>;

/// Reads switches that are given or not, and refuses everything else.
pub(crate) fn options<const N: usize>(args: &[&str], known: [&str; N]) -> Outcome<[bool; N]> {
    match args.iter().find(|arg| !known.contains(arg)) {
        Some(unknown) if known.is_empty() => Err(format!("takes no arguments, not `{unknown}`")),
        Some(unknown) => Err(format!("does not know `{unknown}`; it takes {}", known.join(" and "))),
        None => Ok(known.map(|option| args.contains(&option))),
    }
}

/// The repository.
pub(crate) fn root() -> PathBuf {
    // Cargo sets the variable for `cargo run`; the path of the build is the fallback for a binary that is run by hand.
    let package = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    Path::new(&package).parent().map(Path::to_owned).unwrap_or_default()
}

/// The cargo that runs this.
pub(crate) fn cargo(args: &[&str]) -> Command {
    program(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()), args)
}

/// A git that does not mind whose checkout this is: it only lists and compares.
pub(crate) fn git(args: &[&str]) -> Command {
    let mut command = program("git", &["-c", "safe.directory=*"]);
    command.args(args);
    command
}

/// A program, run in the repository.
pub(crate) fn program(name: impl AsRef<std::ffi::OsStr>, args: &[&str]) -> Command {
    let mut command = Command::new(name);
    command.args(args).current_dir(root());
    command
}

/// Runs a program in sight: its words before, its time after.
pub(crate) fn show(command: &mut Command) -> Outcome {
    let words = words(command);
    eprintln!("\n▸ {words}");
    let start = Instant::now();
    let status = command.status().map_err(|error| format!("`{words}` did not start: {error}"))?;
    let took = start.elapsed().as_secs_f64();
    if status.success() {
        eprintln!("  done in {took:.1} s");
        return Ok(());
    }
    eprintln!("  FAILED after {took:.1} s ({status})");
    Err(format!("`{words}` failed"))
}

/// Runs a program out of sight and gives back what it printed.
pub(crate) fn read(command: &mut Command) -> Outcome<String> {
    let words = words(command);
    let output = command.stdin(Stdio::null()).output().map_err(|error| format!("`{words}` did not start: {error}"))?;
    if !output.status.success() {
        return Err(format!("`{words}` failed: {}", String::from_utf8_lossy(&output.stderr).trim_end()));
    }
    String::from_utf8(output.stdout).map_err(|_| format!("`{words}` printed bytes that are not UTF-8"))
}

/// What cargo says about the workspace. `args` narrow it down.
pub(crate) fn metadata(args: &[&str]) -> Outcome<serde_json::Value> {
    let text = read(cargo(&["metadata", "--format-version", "1"]).args(args))?;
    serde_json::from_str(&text).map_err(|error| format!("`cargo metadata` printed no JSON: {error}"))
}

/// The words of a program, as one would type them.
fn words(command: &Command) -> String {
    let name = Path::new(command.get_program()).file_name().unwrap_or(command.get_program()).to_string_lossy();
    let set = command
        .get_envs()
        .filter_map(|(key, value)| Some(format!("{}={}", key.to_string_lossy(), value?.to_string_lossy())));
    let args = command.get_args().map(|arg| arg.to_string_lossy().into_owned());
    set.chain([name.into_owned()]).chain(args).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read_and_others_refused() {
        assert_eq!(options(&["--b"], ["--a", "--b"]), Ok([false, true]));
        assert_eq!(options(&["--c"], ["--a"]), Err("does not know `--c`; it takes --a".to_owned()));
        assert_eq!(options(&["x"], []), Err("takes no arguments, not `x`".to_owned()));
    }

    #[test]
    fn a_program_that_fails_is_an_error() {
        assert!(show(&mut program("false", &[])).is_err());
        assert!(read(&mut program("false", &[])).is_err());
        assert!(read(&mut program("no-such-program-anywhere", &[])).is_err());
    }
}
