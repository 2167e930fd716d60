//! An old release and a new one on one store.
//!
//! There is no older program to run, so what it does is done in its words: the tables of version 1, and the questions of
//! version 1 over a session that was there before the new release came. In the other direction, a schema is moved forward
//! under a server that runs. A PostgreSQL takes both at once; a file belongs to the newest that opened it.

use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::json;

use crate::project;
use antefix_testing::postgres::{self, Database};
use antefix_testing::{Reply, Scratch, Server};

/// How many conversations the old release opens.
const OLD: usize = 40;

fn standing(server: &Server, conversation: &str) -> Reply {
    let path = format!("/conversations/{conversation}/system-prompt");
    server.send_with("GET", &path, &[("accept", "text/plain")], "").ok()
}

/// What a new server makes of what an old one wrote.
fn knows_the_old(server: &Server, opened: usize) {
    for number in 0..opened {
        assert_eq!(standing(server, &format!("old-{number}")).body, "from the first version");
    }
    let turn = server.post("/conversations/old-0/turns", "{}").ok().json();
    assert_eq!((&turn["prefix"], &turn["began"]), (&json!("from the first version"), &json!(false)));
    assert_eq!(turn["messages"][0]["text"], "from the old one");
    server.put("/system-prompt", r#"{"template":"from the second version"}"#).ok();
    server.post("/conversations/old-1/renewals", "{}").ok();
    assert_eq!(standing(server, "old-1").body, "from the second version");
}

/// Opens a conversation, and writes what version 1 has of it.
fn begun(scratch: &Scratch, store: &str) {
    let server = scratch.serve_exactly(&["--store", store]);
    server.post("/conversations/c/turns", "{}").ok();
    // With the layout's own text, so that nothing of version 2 is needed for it.
    assert_eq!(standing(&server, "c").body, "from the first version");
}

fn scratch() -> Scratch {
    let scratch = project();
    scratch.directory("home/.config/antefix");
    let layout = scratch.path("home/layout.toml");
    let text = "[[section]]\nid = \"all\"\nstability = \"frozen\"\ntext = \"from the first version\"\n";
    scratch.write("home/layout.toml", text);
    let serve = format!("layout = {:?}\n", layout.display().to_string());
    scratch.write("home/.config/antefix/serve.toml", &serve);
    scratch
}

/// Refused at the start, with the reason and what to do.
#[track_caller]
fn is_refused(scratch: &Scratch, store: &str) {
    let ran = scratch.run(&["serve", "--listen", "127.0.0.1:0", "--store", store]);
    assert_eq!(ran.code, 3, "{ran:?}");
    assert!(ran.stderr.contains("a newer one wrote it") && ran.stderr.contains("use the newer antefix"), "{ran:?}");
}

#[test]
fn old_and_new_share_a_postgresql() {
    if postgres::is_left_out() {
        return;
    }
    let database = Database::new();
    let scratch = scratch();
    let store = database.url(&format!("application_name={}", database.schema));
    begun(&scratch, &store);
    let mut old = database.client();
    old.batch_execute(
        "DROP TABLE templates, memories, uses, commits; DELETE FROM versions WHERE number > 1; \
         ALTER TABLE messages DROP COLUMN touched, DROP COLUMN place, DROP COLUMN ended",
    )
    .unwrap();
    let open = "INSERT INTO epochs SELECT $1, number, cause, opened_at, digest, body, cwd, machine, model FROM epochs \
                WHERE conversation = 'c' AND number = 1";
    let read = "SELECT t.text FROM epochs e JOIN texts t ON t.digest = e.body WHERE e.conversation = $1 ORDER BY e.number DESC LIMIT 1";
    let queue = "INSERT INTO messages (conversation, number, at, text, queued_by) \
                 VALUES ('old-0', 1, '2001-02-03T04:05:06Z', $1, gen_random_uuid())";
    let (open, read, queue) = (old.prepare(open).unwrap(), old.prepare(read).unwrap(), old.prepare(queue).unwrap());
    let body: Vec<u8> = old.query_one(&read, &[&"c"]).unwrap().get(0);

    let arrived = AtomicBool::new(false);
    /// Says so also where the test fails before: whoever waits for it would never end.
    struct Arrives<'a>(&'a AtomicBool);
    impl Drop for Arrives<'_> {
        fn drop(&mut self) {
            self.0.store(true, Ordering::SeqCst);
        }
    }
    let server = std::thread::scope(|scope| {
        let writing = scope.spawn(|| {
            for number in 0..OLD {
                // Half of them before the schema moves, half of them behind it.
                while number == OLD / 2 && !arrived.load(Ordering::SeqCst) {
                    let now: Vec<u8> = old.query_one(&read, &[&"old-0"]).unwrap().get(0);
                    assert_eq!(now, body);
                }
                old.execute(&open, &[&format!("old-{number}")]).unwrap();
            }
            old.execute(&queue, &[&b"from the old one".as_slice()]).unwrap();
        });
        let arrives = Arrives(&arrived);
        let server = scratch.serve_exactly(&["--store", &store, "--no-link"]);
        drop(arrives);
        writing.join().unwrap();
        server
    });
    knows_the_old(&server, OLD);
    // What the new one wrote, the old one reads.
    let now: Vec<u8> = old.query_one(&read, &[&"old-1"]).unwrap().get(0);
    assert_ne!(now, body);

    // The next release moves the schema on. This one goes on, also over new connections, and does not start again.
    let cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1";
    let mut moved = |version: i32| {
        old.execute("INSERT INTO versions (number) VALUES ($1)", &[&version]).unwrap();
        old.batch_execute(&format!("CREATE TABLE of_{version} (a integer)")).unwrap();
        old.execute(cut, &[&database.schema]).unwrap();
    };
    moved(6);
    let asked = || server.post("/conversations/old-2/turns", "{}");
    // A connection that was lost may cost one request.
    let reply = Some(asked()).filter(|reply| reply.status != 503).unwrap_or_else(asked);
    assert_eq!(reply.ok().json()["prefix"], "from the first version");
    server.put("/system-prompt", r#"{"template":"beside the next one"}"#).ok();
    is_refused(&scratch, &store);
    // Two steps are too many.
    moved(7);
    let reply = Some(asked()).filter(|reply| reply.status != 503).unwrap_or_else(asked);
    assert!(reply.status == 500 && reply.error().contains("a newer one wrote it"), "{reply:?}");
    let problem = reply.json();
    assert_eq!(
        (&problem["type"], &problem["hint"]),
        (&json!("urn:antefix:newer-schema"), &json!("use the newer antefix that wrote it"))
    );
    assert_eq!(server.get("/readyz").status, 503);
}

/// A file as version 1 had it, with what a newer one has of the conversation `c`.
fn made_old(new: &std::path::Path, path: &std::path::Path) -> rusqlite::Connection {
    let old = rusqlite::Connection::open(path).unwrap();
    old.busy_timeout(std::time::Duration::from_secs(5)).unwrap();
    old.execute_batch("PRAGMA application_id = 1095133560; PRAGMA user_version = 1; PRAGMA journal_mode = WAL")
        .unwrap();
    old.execute_batch(include_str!("../../../antefix/src/stores/sqlite/schema/1.sql")).unwrap();
    old.execute("ATTACH ?1 AS new", [new.to_str().unwrap()]).unwrap();
    old.execute_batch(
        "INSERT INTO texts SELECT digest, text FROM new.texts; INSERT INTO parts SELECT body, part FROM new.parts; \
         INSERT INTO epochs SELECT conversation, number, cause, opened_at, digest, body, cwd, machine, model \
         FROM new.epochs JOIN new.heads USING (head); DETACH new",
    )
    .unwrap();
    old
}

#[test]
fn a_new_one_takes_a_file_over_and_an_old_one_does_no_harm() {
    let scratch = scratch();
    let new = scratch.path("home/new.db");
    begun(&scratch, &format!("sqlite:{}", new.display()));
    let path = scratch.path("home/ledger.db");
    let store = format!("sqlite:{}", path.display());
    let old = made_old(&new, &path);
    let open = "INSERT INTO epochs SELECT ?1, number, cause, opened_at, digest, body, cwd, machine, model FROM epochs \
                WHERE conversation = 'c' AND number = 1";
    let mut open = old.prepare(open).unwrap();
    for number in 0..OLD {
        open.execute([format!("old-{number}")]).unwrap();
    }
    let queue =
        "INSERT INTO messages (conversation, number, at, text, taken) VALUES ('old-0', 1, 0, 'from the old one', 0)";
    old.execute(queue, []).unwrap();
    let server = scratch.serve_exactly(&["--store", &store]);
    // Its statements do not fit any longer, which it is told, and nothing of it is written.
    assert!(open.execute(["too-late"]).unwrap_err().to_string().contains("no such column"));
    drop(open);
    assert_eq!(server.get("/conversations/too-late/system-prompt").status, 404);
    knows_the_old(&server, OLD);

    // A file of a newer release is left as it is.
    drop(server);
    old.execute_batch("PRAGMA user_version = 7; PRAGMA wal_checkpoint(TRUNCATE)").unwrap();
    drop(old);
    let files = || {
        let mut names: Vec<_> =
            std::fs::read_dir(scratch.path("home")).unwrap().map(|one| one.unwrap().path()).collect();
        names.sort();
        names
            .into_iter()
            .filter(|path| path.is_file())
            .map(|path| (std::fs::read(&path).unwrap(), path))
            .collect::<Vec<_>>()
    };
    let before = files();
    is_refused(&scratch, &store);
    assert!(files() == before);
}
