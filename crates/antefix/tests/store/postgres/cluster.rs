//! A PostgreSQL to test with.
//!
//! 1. `ANTEFIX_TEST_POSTGRES` names one; otherwise a throw-away cluster is made from the machine's own package.
//! 2. A cluster ends with the process that made it, also with one that was killed: it waits for the end of a pipe.
//! 3. Each test has a schema of its own, which is dropped with it.
//! 4. `ANTEFIX_TEST_POSTGRES=none` leaves these tests out. `cargo xtask test` sets it if there is none, and says so.

use std::io::{BufRead, BufReader, Read};
use std::net::TcpListener;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use antefix::contract::Medium;
use antefix::freeze::{Store, StoreResult};
use antefix::stores::PostgresStore;

const VARIABLE: &str = "ANTEFIX_TEST_POSTGRES";

/// Whether these tests are left out.
pub(crate) fn is_left_out() -> bool {
    std::env::var(VARIABLE).is_ok_and(|value| value == "none")
}

/// A database that all tests share, with a schema for each.
pub(crate) struct Database {
    /// Without options.
    base: String,
    options: String,
    pub(crate) schema: String,
    opened: Mutex<Vec<Arc<PostgresStore>>>,
}

impl Database {
    /// A schema of its own in the PostgreSQL that all tests share.
    pub(crate) fn new() -> Database {
        static SHARED: OnceLock<Cluster> = OnceLock::new();
        match std::env::var(VARIABLE) {
            Ok(url) => Database::at(&url),
            Err(_) => Database::at(&SHARED.get_or_init(Cluster::start).url()),
        }
    }

    /// A schema of its own in some PostgreSQL.
    pub(crate) fn at(url: &str) -> Database {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let (base, options) = url.split_once('?').unwrap_or((url, ""));
        let schema = format!("test_{}_{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        Database { base: base.to_owned(), options: options.to_owned(), schema, opened: Mutex::default() }
    }

    /// The address of the store, with further options.
    pub(crate) fn url(&self, options: &str) -> String {
        format!("{}?schema={}&{}&{options}", self.base, self.schema, self.options)
    }

    /// Opens the store.
    pub(crate) fn store(&self) -> PostgresStore {
        PostgresStore::connect(&self.url("")).unwrap()
    }

    /// A client that knows nothing of stores. It looks at this schema.
    pub(crate) fn client(&self) -> postgres::Client {
        let mut client =
            postgres::Client::connect(&format!("{}?{}", self.base, self.options), postgres::NoTls).unwrap();
        client.batch_execute(&format!("SET search_path = {}", self.schema)).unwrap();
        client
    }
}

impl Medium for Database {
    fn open(&self) -> StoreResult<Arc<dyn Store>> {
        // Rules with races open one store many times over. Ten of them are as many as those that run at once; more would
        // cost a server more connections than it has.
        let mut opened = self.opened.lock().unwrap();
        if opened.len() == 10 {
            opened.rotate_left(1);
            return Ok(opened[0].clone());
        }
        let store = Arc::new(PostgresStore::connect(&self.url("connections=4"))?);
        opened.push(Arc::clone(&store));
        Ok(store)
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        self.opened.lock().unwrap().clear();
        // A test may have stopped the server, and a schema that is left behind goes with the cluster.
        if let Ok(mut client) = postgres::Client::connect(&format!("{}?{}", self.base, self.options), postgres::NoTls) {
            let _ = client.batch_execute(&format!("DROP SCHEMA IF EXISTS {} CASCADE", self.schema));
        }
    }
}

/// A throw-away PostgreSQL.
pub(crate) struct Cluster {
    pub(crate) directory: PathBuf,
    pub(crate) port: u16,
    programs: PathBuf,
    /// Closing it ends the cluster.
    lifeline: Option<ChildStdin>,
    child: Child,
}

impl Cluster {
    /// Makes one and starts it.
    pub(crate) fn start() -> Cluster {
        let programs = programs().expect(
            "PostgreSQL is not installed: `apt-get install postgresql`, or name a server with ANTEFIX_TEST_POSTGRES",
        );
        // Another process may take the port in between.
        let mut said = String::new();
        for _ in 0..3 {
            let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
            match Cluster::try_start(&programs, port) {
                Ok(cluster) => return cluster,
                Err(why) => said = why,
            }
        }
        panic!("PostgreSQL does not start: {said}");
    }

    fn try_start(programs: &Path, port: u16) -> Result<Cluster, String> {
        // As a text: the server's own user may not be allowed to read a checkout.
        let mut command = as_server();
        command.args(["sh", "-c", include_str!("cluster.sh"), "cluster.sh"]).arg(programs).arg(port.to_string());
        command.current_dir("/tmp").stdin(Stdio::piped()).stdout(Stdio::piped());
        // An interrupt is for us; the script ends when we do.
        let mut child = command.process_group(0).spawn().unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        let Some(directory) = line.trim_end().strip_prefix("ready ") else {
            output.read_to_string(&mut line).unwrap();
            child.wait().unwrap();
            return Err(line);
        };
        let lifeline = child.stdin.take();
        Ok(Cluster { directory: directory.into(), port, programs: programs.to_owned(), lifeline, child })
    }

    /// Over a socket, where no password is asked for.
    pub(crate) fn url(&self) -> String {
        format!("postgres://postgres@/postgres?host={}&port={}", self.directory.display(), self.port)
    }

    /// Over the network, where one is.
    pub(crate) fn network_url(&self, password: &str) -> String {
        format!("postgres://postgres:{password}@127.0.0.1:{}/postgres", self.port)
    }

    /// Stops the server without a word to its clients, and starts it again.
    pub(crate) fn restart(&self) {
        let done = self.control(&["-m", "immediate", "-l", "server.log", "-w", "restart"]);
        assert!(done, "PostgreSQL does not start again");
    }

    /// Stops the server without a word to its clients.
    pub(crate) fn stop(&self) {
        assert!(self.control(&["-m", "immediate", "stop"]), "PostgreSQL does not stop");
    }

    /// Runs a script in the cluster's directory, as the server's own user.
    pub(crate) fn script(&self, script: &str) {
        let mut command = as_server();
        command.args(["sh", "-ec", script]).current_dir(&self.directory).stdout(Stdio::null()).stderr(Stdio::null());
        assert!(command.status().unwrap().success(), "{script}");
    }

    fn control(&self, arguments: &[&str]) -> bool {
        let mut command = as_server();
        command.arg(self.programs.join("pg_ctl")).args(["-D", "cluster"]).args(arguments);
        command.current_dir(&self.directory).stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap().success()
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        drop(self.lifeline.take());
        let _ = self.child.wait();
    }
}

/// Where the newest of the installed servers is.
fn programs() -> Option<PathBuf> {
    let versions = std::fs::read_dir("/usr/lib/postgresql").ok()?;
    let version = |path: &PathBuf| path.file_name()?.to_str()?.parse::<u32>().ok();
    let newest = versions.filter_map(|entry| Some(entry.ok()?.path())).max_by_key(version)?;
    Some(newest.join("bin")).filter(|bin| bin.join("initdb").exists())
}

/// A command for the server's own user: PostgreSQL refuses to be run by root.
fn as_server() -> Command {
    let is_root = std::fs::metadata("/proc/self").is_ok_and(|me| std::os::unix::fs::MetadataExt::uid(&me) == 0);
    let mut command = Command::new("setpriv");
    if is_root {
        command.args(["--reuid=postgres", "--regid=postgres", "--init-groups", "--"]);
    } else {
        command = Command::new("env");
    }
    command
}
