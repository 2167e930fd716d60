//! The database of opencode, opened to be read and never written.

use std::path::Path;

use rusqlite::{Connection, OpenFlags};

use crate::observe::OpenCodeRow;

/// The messages of all sessions, in the order in which they were made; what went wrong, in words. No database is none.
pub(crate) fn opencode_rows(path: &Path) -> Result<Vec<OpenCodeRow>, String> {
    if !path.exists() {
        return Ok(Vec::new());
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let failed = |error: rusqlite::Error| error.to_string();
    let database = Connection::open_with_flags(path, flags).map_err(failed)?;
    database.busy_timeout(std::time::Duration::from_secs(2)).map_err(failed)?;
    let question = "SELECT message.id, message.session_id, session.parent_id, session.directory, session.version, message.data \
                    FROM message LEFT JOIN session ON session.id = message.session_id ORDER BY message.session_id, message.id";
    let mut rows = database.prepare(question).map_err(failed)?;
    let read = |row: &rusqlite::Row<'_>| {
        Ok(OpenCodeRow {
            id: row.get(0)?,
            session: row.get(1)?,
            parent: row.get(2)?,
            directory: row.get(3)?,
            version: row.get(4)?,
            data: row.get(5)?,
        })
    };
    rows.query_map([], read).map_err(failed)?.collect::<Result<_, _>>().map_err(failed)
}
