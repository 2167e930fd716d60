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
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::need::LEFT_OUT;

const VARIABLE: &str = "ANTEFIX_TEST_POSTGRES";

/// Whether these tests are left out.
pub fn is_left_out() -> bool {
    let left_out = std::env::var(VARIABLE).is_ok_and(|value| value == "none");
    if left_out {
        println!("{LEFT_OUT}{VARIABLE} is `none`");
    }
    left_out
}

/// A schema of a test's own in a PostgreSQL, dropped with it.
#[derive(Debug)]
pub struct Database {
    base: String,
    options: String,
    /// The name of the schema.
    pub schema: String,
}

impl Database {
    /// A schema in the PostgreSQL that all tests of this process share.
    #[track_caller]
    pub fn new() -> Database {
        static SHARED: OnceLock<Cluster> = OnceLock::new();
        match std::env::var(VARIABLE) {
            Ok(url) => Database::at(&url),
            Err(_) => Database::at(&SHARED.get_or_init(Cluster::start).url()),
        }
    }

    /// A schema in some PostgreSQL.
    pub fn at(url: &str) -> Database {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let (base, options) = url.split_once('?').unwrap_or((url, ""));
        let schema = format!("test_{}_{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        Database { base: base.to_owned(), options: options.to_owned(), schema }
    }

    /// The address of the server, without the schema.
    pub fn server_url(&self) -> String {
        format!("{}?{}", self.base, self.options)
    }

    /// The address of a store in the schema, with further options.
    pub fn url(&self, options: &str) -> String {
        format!("{}?schema={}&{}&{options}", self.base, self.schema, self.options)
    }

    /// A client that knows nothing of stores. It looks at this schema.
    #[track_caller]
    pub fn client(&self) -> postgres::Client {
        let mut client = postgres::Client::connect(&self.server_url(), postgres::NoTls).unwrap();
        client.batch_execute(&format!("SET search_path = {}", self.schema)).unwrap();
        client
    }
}

impl Default for Database {
    fn default() -> Database {
        Database::new()
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        // A test may have stopped the server, and a schema that is left behind goes with the cluster.
        if let Ok(mut client) = postgres::Client::connect(&self.server_url(), postgres::NoTls) {
            let _ = client.batch_execute(&format!("DROP SCHEMA IF EXISTS {} CASCADE", self.schema));
        }
    }
}

/// A throw-away PostgreSQL.
#[derive(Debug)]
pub struct Cluster {
    /// Where it has its files, and its socket.
    pub directory: PathBuf,
    /// Where it listens on this machine.
    pub port: u16,
    programs: PathBuf,
    /// Closing it ends the cluster.
    lifeline: Option<ChildStdin>,
    child: Child,
}

impl Cluster {
    /// Makes one and starts it.
    #[track_caller]
    pub fn start() -> Cluster {
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
    pub fn url(&self) -> String {
        format!("postgres://postgres@/postgres?host={}&port={}", self.directory.display(), self.port)
    }

    /// Over the network, where one is.
    pub fn network_url(&self, password: &str) -> String {
        format!("postgres://postgres:{password}@127.0.0.1:{}/postgres", self.port)
    }

    /// Stops the server without a word to its clients, and starts it again.
    pub fn restart(&self) {
        let done = self.control(&["-m", "immediate", "-l", "server.log", "-w", "restart"]);
        assert!(done, "PostgreSQL does not start again");
    }

    /// Stops the server without a word to its clients.
    pub fn stop(&self) {
        assert!(self.control(&["-m", "immediate", "stop"]), "PostgreSQL does not stop");
    }

    /// Runs a script in the cluster's directory, as the server's own user.
    pub fn script(&self, script: &str) {
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
