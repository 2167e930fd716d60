//! The password of a connection that names none: `PGPASSWORD`, or a line of the password file.
//!
//! The rules are PostgreSQL's own: `host:port:database:user:password`, `*` for any, `\` before a colon or a backslash that
//! is meant; the first line that fits counts. A file that others may read does not count.

use std::path::{Path, PathBuf};

/// What a line must fit.
pub(super) struct Wanted<'a> {
    pub(super) host: &'a str,
    pub(super) port: u16,
    pub(super) database: &'a str,
    pub(super) user: &'a str,
}

/// The password, if somebody left one.
pub(super) fn password(passfile: Option<&Path>, wanted: &Wanted<'_>) -> Option<String> {
    if let Ok(password) = std::env::var("PGPASSWORD") {
        return Some(password);
    }
    let from_variable = || std::env::var_os("PGPASSFILE").map(PathBuf::from);
    let at_home = || std::env::var_os("HOME").map(|home| Path::new(&home).join(".pgpass"));
    let path = passfile.map(Path::to_owned).or_else(from_variable).or_else(at_home)?;
    let text = private(&path)?;
    find(&text, wanted)
}

/// The text of a file that nobody else may read.
fn private(path: &Path) -> Option<String> {
    let metadata = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file)?;
    #[cfg(unix)]
    if std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o077 != 0 {
        return None;
    }
    // A password file has a line a database: one that is larger than this is something else.
    (metadata.len() <= 1 << 20).then(|| std::fs::read_to_string(path).ok())?
}

fn find(text: &str, wanted: &Wanted<'_>) -> Option<String> {
    let port = wanted.port.to_string();
    let fits = |field: &str, value: &str| field == "*" || unescaped(field) == value;
    text.lines().filter(|line| !line.starts_with('#')).find_map(|line| {
        let [host, at, database, user, password] = fields(line)?;
        let all =
            fits(host, wanted.host) && fits(at, &port) && fits(database, wanted.database) && fits(user, wanted.user);
        all.then(|| unescaped(password))
    })
}

/// The five fields of a line; colons in the last one need no backslash.
fn fields(line: &str) -> Option<[&str; 5]> {
    let mut rest = line;
    let mut fields = [""; 5];
    for field in fields.iter_mut().take(4) {
        let mut escaped = false;
        let end = rest.char_indices().find(|(_, c)| {
            let ends = *c == ':' && !escaped;
            escaped = *c == '\\' && !escaped;
            ends
        });
        let (end, _) = end?;
        (*field, rest) = (&rest[..end], &rest[end + 1..]);
    }
    fields[4] = rest;
    Some(fields)
}

fn unescaped(field: &str) -> String {
    let mut chars = field.chars();
    let mut text = String::new();
    while let Some(c) = chars.next() {
        text.extend(if c == '\\' { chars.next() } else { Some(c) });
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const WANTED: Wanted<'static> = Wanted { host: "db.example", port: 5432, database: "ledger", user: "ada" };

    #[test]
    fn the_first_line_that_fits_counts() {
        let text = "# comment\ndb.example:5433:*:*:other port\n*:*:ledger:bob:other user\n\
                    db.example:*:ledger:ada:right\n*:*:*:*:last\n";
        assert_eq!(find(text, &WANTED).as_deref(), Some("right"));
        assert_eq!(find("*:*:*:*:last\n", &WANTED).as_deref(), Some("last"));
        assert_eq!(find("too:short\n", &WANTED), None);
    }

    #[test]
    fn a_backslash_keeps_a_colon() {
        let wanted = Wanted { user: "a:b\\c", ..WANTED };
        assert_eq!(find("*:*:*:a\\:b\\\\c:p\\:w:x\n", &wanted).as_deref(), Some("p:w:x"));
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_others_may_read_does_not_count() {
        use std::os::unix::fs::PermissionsExt;
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("pass");
        std::fs::write(&path, "*:*:*:*:secret\n").unwrap();
        for (mode, read) in [(0o600, true), (0o640, false), (0o604, false)] {
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
            assert_eq!(private(&path).is_some(), read, "{mode:o}");
        }
    }
}
