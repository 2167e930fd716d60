//! Where a store is: a PostgreSQL URL, read once, and shown without its password.
//!
//! `postgres://user@host:5432/database`. Beside the driver's own options: `schema` (default `antefix`), `connections` (at
//! most so many, default 8), `pool_timeout` (seconds that a caller waits for one of them, default 5), `sslmode`, `sslrootcert`, `passfile`.

use std::path::PathBuf;
use std::time::Duration;

use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode};

use super::passfile::{Wanted, password};
use crate::error::Fault;
use crate::freeze::store::{StoreError, StoreResult};

/// A URL that was read.
pub(super) struct Address {
    pub(super) config: Config,
    pub(super) schema: String,
    pub(super) connections: usize,
    /// How long a caller waits for one of them.
    pub(super) pool_timeout: Duration,
    pub(super) tls: Tls,
    shown: String,
    host: String,
    port: u16,
    database: String,
}

/// How a connection is protected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Tls {
    /// Not at all: what the address does not ask for.
    Plain,
    /// With the certificate checked, by the authority in the file or by those that the machine trusts.
    Checked(Option<PathBuf>),
}

/// What the driver understands and a store has no opinion on.
const PASSED_ON: [&str; 14] = [
    "user",
    "password",
    "dbname",
    "options",
    "application_name",
    "sslnegotiation",
    "host",
    "hostaddr",
    "port",
    "connect_timeout",
    "tcp_user_timeout",
    "keepalives",
    "target_session_attrs",
    "channel_binding",
];
const OWN: [&str; 6] = ["schema", "connections", "pool_timeout", "sslmode", "sslrootcert", "passfile"];

impl Address {
    /// Reads a URL. A message about it quotes no more of it than the names of options.
    pub(super) fn parse(url: &str) -> StoreResult<Address> {
        let rest = url.strip_prefix("postgres://").or_else(|| url.strip_prefix("postgresql://"));
        let rest = rest.ok_or_else(|| refuse("it must begin with postgres://"))?;
        let (place, query) = rest.split_once('?').unwrap_or((rest, ""));
        if query.contains('@') && !place.contains('@') {
            return Err(refuse("write `?` as %3F and `/` as %2F in a user's name or password"));
        }
        let mut passed_on = format!("postgres://{place}");
        let mut address = Address {
            config: Config::new(),
            schema: "antefix".to_owned(),
            connections: 8,
            pool_timeout: Duration::from_secs(5),
            tls: Tls::Plain,
            shown: String::new(),
            host: String::new(),
            port: 0,
            database: String::new(),
        };
        let (mut mode, mut root, mut passfile) = (None, None, None);
        let mut joint = '?';
        for option in query.split('&').filter(|option| !option.is_empty()) {
            let (name, value) = option.split_once('=').ok_or_else(|| refuse("an option has no value"))?;
            match name {
                "schema" => address.schema = checked_schema(&decoded(value)?)?,
                "connections" => address.connections = count(name, value)?,
                "pool_timeout" => address.pool_timeout = Duration::from_secs(count(name, value)? as u64),
                "sslmode" => mode = Some(value),
                "sslrootcert" => root = Some(PathBuf::from(decoded(value)?)),
                "passfile" => passfile = Some(PathBuf::from(decoded(value)?)),
                name if PASSED_ON.contains(&name) => {
                    passed_on.extend([joint.to_string().as_str(), option]);
                    joint = '&';
                }
                _ => return Err(refuse(&format!("it takes the options {}, {}", OWN.join(", "), PASSED_ON.join(", ")))),
            }
        }
        // The driver's messages about a URL name options and no values.
        address.config = passed_on.parse().map_err(|error: tokio_postgres::Error| {
            let why = std::error::Error::source(&error).map_or_else(|| error.to_string(), ToString::to_string);
            refuse(&why)
        })?;
        address.tls = match mode.unwrap_or("disable") {
            "disable" | "allow" | "prefer" if root.is_none() => Tls::Plain,
            "disable" | "allow" | "prefer" => return Err(refuse("sslrootcert needs sslmode=verify-full")),
            "require" | "verify-ca" | "verify-full" => Tls::Checked(root),
            _ => return Err(refuse("sslmode is disable, require or verify-full")),
        };
        let encrypted = if address.tls == Tls::Plain { SslMode::Disable } else { SslMode::Require };
        address.config.ssl_mode(encrypted);
        address.complete(passfile)
    }

    /// Fills in what the URL leaves open.
    fn complete(mut self, passfile: Option<PathBuf>) -> StoreResult<Address> {
        let config = &mut self.config;
        if config.get_hosts().is_empty() && config.get_hostaddrs().is_empty() {
            return Err(refuse("it names no host; for a socket say `?host=/run/postgresql`"));
        }
        if config.get_application_name().is_none() {
            config.application_name("antefix");
        }
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(Duration::from_secs(3));
        }
        // A peer that is gone without a word is noticed within seconds, and not within hours.
        if config.get_tcp_user_timeout().is_none() {
            config.tcp_user_timeout(Duration::from_secs(10));
        }
        config
            .keepalives_idle(Duration::from_secs(15))
            .keepalives_interval(Duration::from_secs(5))
            .keepalives_retries(3);

        let host = config.get_hosts().first().map_or_else(
            || config.get_hostaddrs().first().map_or_else(String::new, ToString::to_string),
            |host| match host {
                Host::Tcp(name) => name.clone(),
                #[cfg(unix)]
                Host::Unix(path) => path.display().to_string(),
            },
        );
        let port = config.get_ports().first().copied().unwrap_or(5432);
        let user = config.get_user().unwrap_or_default().to_owned();
        let database = config.get_dbname().unwrap_or(&user).to_owned();
        let at = if user.is_empty() { "" } else { "@" };
        self.shown = format!("postgres://{user}{at}{host}:{port}/{database}");
        if self.config.get_password().is_none() {
            // For sockets, PostgreSQL's file says `localhost`.
            let known_as = if host.starts_with('/') { "localhost" } else { &host };
            let wanted = Wanted { host: known_as, port, database: &database, user: &user };
            if let Some(password) = password(passfile.as_deref(), &wanted) {
                self.config.password(password);
            }
        }
        (self.host, self.port, self.database) = (host, port, database);
        Ok(self)
    }

    /// The address for people: user, host, port and database.
    pub(super) fn shown(&self) -> &str {
        &self.shown
    }

    /// Where the server is expected.
    pub(super) fn host_and_port(&self) -> String {
        format!("{}, port {}", self.host, self.port)
    }

    /// The same as the options of PostgreSQL's own programs.
    pub(super) fn options(&self) -> String {
        format!("-h {} -p {}", self.host, self.port)
    }

    /// The database.
    pub(super) fn database(&self) -> &str {
        &self.database
    }
}

fn refuse(why: &str) -> StoreError {
    StoreError::new(Fault::Failed, format!("the address of the PostgreSQL store cannot be used: {why}"))
}

/// A schema's name is written into statements, so it is a plain one.
fn checked_schema(name: &str) -> StoreResult<String> {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    let begins = name.starts_with(|c: char| c.is_ascii_lowercase()) && !name.starts_with("pg_");
    if begins && name.len() <= 63 && name.chars().all(plain) {
        return Ok(name.to_owned());
    }
    Err(refuse("schema is made of a-z, 0-9 and _, begins with a letter and has at most 63 of them"))
}

fn count(name: &str, value: &str) -> StoreResult<usize> {
    let count = value.parse().ok().filter(|count| (1..=200).contains(count));
    count.ok_or_else(|| refuse(&format!("{name} is a number from 1 to 200")))
}

/// Undoes percent-encoding.
fn decoded(value: &str) -> StoreResult<String> {
    let mut bytes = Vec::with_capacity(value.len());
    let mut rest = value.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        let code = (*first == b'%').then(|| tail.get(..2)).flatten();
        let code = code.and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok());
        (rest, _) = match code {
            Some(byte) => (&tail[2..], bytes.push(byte)),
            None => (tail, bytes.push(*first)),
        };
    }
    String::from_utf8(bytes).map_err(|_| refuse("an option's value is not UTF-8"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn why(url: &str) -> String {
        Address::parse(url).err().map(|error| error.to_string()).unwrap_or_default()
    }

    #[test]
    fn an_address_is_shown_without_its_password() {
        let address = Address::parse("postgres://ada:hunter2@db.example:6000/ledger?schema=own&connections=3").unwrap();
        assert_eq!(address.shown(), "postgres://ada@db.example:6000/ledger");
        assert_eq!((address.schema.as_str(), address.connections), ("own", 3));
        assert_eq!(address.config.get_password(), Some(b"hunter2".as_slice()));
    }

    #[test]
    fn no_message_holds_a_password() {
        for url in [
            "mysql://ada:hunter2@db/x",
            "postgres://ada:hun?ter2@db/x",
            "postgres://ada:hun?ter2=x@db/x",
            "postgres://ada:hunter2@db:port/x",
            "postgres://ada:hunter2@db/x?hunter2=1",
            "postgres://ada:hunter2@db/x?password",
            "postgres://ada@db/x?password=hunter2&sslmode=hunter2",
            "postgres://ada:hunter2@/x",
            "postgres://ada:hunter2@db/x?connections=hunter2",
            "postgres://ada:hunter2@db/x?schema=Hunter2",
        ] {
            assert!(!why(url).is_empty(), "{url}");
            assert!(!why(url).contains("unter2") && !why(url).contains("ter2"), "{url}: {}", why(url));
        }
    }

    #[test]
    fn tls_is_there_if_it_is_asked_for() {
        let tls = |query: &str| Address::parse(&format!("postgres://ada@db/x{query}")).unwrap().tls;
        assert_eq!(tls(""), Tls::Plain);
        assert_eq!(tls("?sslmode=disable"), Tls::Plain);
        assert_eq!(tls("?sslmode=require"), Tls::Checked(None));
        assert_eq!(tls("?sslmode=verify-full&sslrootcert=/a%20b.pem"), Tls::Checked(Some("/a b.pem".into())));
        assert!(why("postgres://ada@db/x?sslrootcert=/a.pem").contains("sslmode"));
    }

    #[test]
    fn a_schema_is_a_plain_name() {
        for (name, fits) in
            [("antefix", true), ("a_1", true), ("1a", false), ("pg_x", false), ("a-b", false), ("", false)]
        {
            assert_eq!(checked_schema(name).is_ok(), fits, "{name}");
        }
        assert!(checked_schema("a\"; DROP SCHEMA public; --").is_err());
    }
}
