//! A PostgreSQL to test with, and servers on it. `ANTEFIX_TEST_POSTGRES` names one, else a throw-away cluster is made; `none` leaves
//! these tests out.

use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use crate::{Scratch, Server};

/// A PostgreSQL that ends with the test.
pub(crate) struct Database {
    /// Without our schema.
    pub(crate) base: String,
    pub(crate) schema: String,
    cluster: Option<Child>,
}

impl Database {
    /// None if these tests are left out.
    pub(crate) fn new() -> Option<Database> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let schema = format!("http_{}_{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        match std::env::var("ANTEFIX_TEST_POSTGRES") {
            Ok(none) if none == "none" => None,
            Ok(base) => Some(Database { base, schema, cluster: None }),
            Err(_) => Some(Database::start(schema)),
        }
    }

    pub(crate) fn url(&self) -> String {
        let joint = if self.base.contains('?') { '&' } else { '?' };
        format!("{}{joint}schema={}", self.base, self.schema)
    }

    /// A client that knows nothing of stores. It looks at this schema.
    pub(crate) fn client(&self) -> postgres::Client {
        let mut client = postgres::Client::connect(&self.base, postgres::NoTls).unwrap();
        client.batch_execute(&format!("SET search_path = {}", self.schema)).unwrap();
        client
    }

    fn start(schema: String) -> Database {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../antefix/tests/store/postgres/cluster.sh");
        let script = std::fs::read_to_string(script).unwrap();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let is_root = std::fs::metadata("/proc/self").is_ok_and(|me| std::os::unix::fs::MetadataExt::uid(&me) == 0);
        let mut command = Command::new(if is_root { "setpriv" } else { "env" });
        if is_root {
            command.args(["--reuid=postgres", "--regid=postgres", "--init-groups", "--"]);
        }
        command.args(["sh", "-c", &script, "cluster.sh"]).arg(programs()).arg(port.to_string());
        command.current_dir("/tmp").stdin(Stdio::piped()).stdout(Stdio::piped()).process_group(0);
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let directory = line.trim_end().strip_prefix("ready ").unwrap_or_else(|| panic!("PostgreSQL says {line:?}"));
        let base = format!("postgres://postgres@/postgres?host={directory}&port={port}");
        Database { base, schema, cluster: Some(child) }
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        if let Some(mut cluster) = self.cluster.take() {
            // The cluster ends with its input.
            drop(cluster.stdin.take());
            let _ = cluster.wait();
        } else if let Ok(mut client) = postgres::Client::connect(&self.base, postgres::NoTls) {
            let _ = client.batch_execute(&format!("DROP SCHEMA IF EXISTS {} CASCADE", self.schema));
        }
    }
}

fn programs() -> PathBuf {
    let versions =
        std::fs::read_dir("/usr/lib/postgresql").expect("PostgreSQL is installed, or ANTEFIX_TEST_POSTGRES is set");
    let version = |path: &PathBuf| path.file_name()?.to_str()?.parse::<u32>().ok();
    versions.filter_map(|entry| Some(entry.ok()?.path())).max_by_key(version).unwrap().join("bin")
}

pub(crate) fn replicas(scratch: &Scratch, database: &Database, count: usize) -> Vec<Server> {
    (0..count).map(|_| scratch.serve_with(&["--store", &database.url(), "--no-link"])).collect()
}
