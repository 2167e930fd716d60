//! A PostgreSQL for the tests of its store.
//!
//! 1. The tests start a throw-away cluster from the machine's own package, or use the server that `ANTEFIX_TEST_POSTGRES`
//!    names. Here it is made sure that one of the two is there.
//! 2. The package is installed if it is missing and we may.

use std::path::Path;

use crate::step::{Outcome, program, read, show};

/// Names a server to test with; `none` leaves these tests out.
pub(crate) const VARIABLE: &str = "ANTEFIX_TEST_POSTGRES";

/// Where Debian puts the servers, one a version.
const PROGRAMS: &str = "/usr/lib/postgresql";

/// Makes sure that there is a PostgreSQL to test with, or says why there is none.
pub(crate) fn prepare() -> Outcome {
    match std::env::var(VARIABLE) {
        Ok(value) if value == "none" => return Err(format!("{VARIABLE} is `none`")),
        Ok(_) => {
            eprintln!("\n▸ PostgreSQL: the server that {VARIABLE} names");
            return Ok(());
        }
        Err(_) => {}
    }
    let programs = Path::new(PROGRAMS);
    if let Some(version) = installed(programs) {
        eprintln!("\n▸ PostgreSQL {version} is installed");
        return Ok(());
    }
    let is_root = read(&mut program("id", &["-u"])).is_ok_and(|id| id.trim() == "0");
    if !is_root || read(&mut program("apt-get", &["--version"])).is_err() {
        return Err(format!(
            "PostgreSQL is not installed: `apt-get install postgresql`, or name a server in {VARIABLE}"
        ));
    }
    // Without lists of packages, as in a new container, the installation alone would find nothing.
    show(&mut program("apt-get", &["update", "-q"]))?;
    show(
        program("apt-get", &["install", "-y", "-q", "--no-install-recommends", "postgresql"])
            .env("DEBIAN_FRONTEND", "noninteractive"),
    )?;
    installed(programs).map(drop).ok_or_else(|| "PostgreSQL was installed and is not where Debian puts it".to_owned())
}

/// Whether there is one already.
pub(crate) fn is_there() -> bool {
    match std::env::var(VARIABLE) {
        Ok(value) => value != "none",
        Err(_) => installed(Path::new(PROGRAMS)).is_some(),
    }
}

/// The newest version that has a server.
fn installed(programs: &Path) -> Option<u32> {
    let version = |path: &Path| -> Option<u32> {
        path.join("bin/initdb").exists().then_some(())?;
        path.file_name()?.to_str()?.parse().ok()
    };
    std::fs::read_dir(programs).ok()?.filter_map(|entry| version(&entry.ok()?.path())).max()
}

#[cfg(test)]
mod tests {
    use super::installed;

    #[test]
    fn a_version_without_a_server_does_not_count() {
        let place = std::env::temp_dir().join(format!("antefix-versions-{}", std::process::id()));
        std::fs::create_dir_all(place.join("15/bin")).unwrap();
        std::fs::create_dir_all(place.join("17/bin")).unwrap();
        assert_eq!(installed(&place), None);
        std::fs::write(place.join("15/bin/initdb"), "").unwrap();
        assert_eq!(installed(&place), Some(15));
        std::fs::remove_dir_all(&place).unwrap();
        assert_eq!(installed(&place), None);
    }
}
