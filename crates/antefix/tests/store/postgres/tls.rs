//! TLS: checked, or not at all.

use antefix::Fault;
use antefix::contract::id;
use antefix::freeze::Store;
use antefix::stores::PostgresStore;

use super::cluster::{Cluster, Database, is_left_out};

#[test]
fn a_certificate_is_checked_whenever_tls_is_asked_for() {
    if is_left_out() {
        return;
    }
    let cluster = Cluster::start();
    cluster.script(include_str!("tls.sh"));
    let database = Database::at(&cluster.url());
    let mut client = database.client();
    client.batch_execute("ALTER SYSTEM SET ssl = on").unwrap();
    cluster.restart();

    let authority = cluster.directory.join("ca.crt");
    let checked = format!("sslrootcert={}&schema={}", authority.display(), database.schema);
    let url = cluster.network_url("secret");
    for mode in ["require", "verify-ca", "verify-full"] {
        let store = PostgresStore::connect(&format!("{url}?sslmode={mode}&{checked}&application_name={mode}")).unwrap();
        assert!(store.standing(&id("c")).unwrap().is_none());
        let encrypted =
            "SELECT bool_and(ssl) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name = $1";
        assert_eq!(database.client().query_one(encrypted, &[&mode]).unwrap().get::<_, Option<bool>>(0), Some(true));
    }

    // Another name than the certificate's, an authority that nobody knows, a file that is none.
    let elsewhere = url.replace("127.0.0.1", "localhost");
    for (url, says) in [
        (format!("{elsewhere}?sslmode=verify-full&hostaddr=127.0.0.1&{checked}"), "not valid for name"),
        (format!("{url}?sslmode=require&schema={}", database.schema), "UnknownIssuer"),
        (format!("{url}?sslmode=require&sslrootcert=/nowhere.pem"), "/nowhere.pem"),
    ] {
        let error = PostgresStore::connect(&url).unwrap_err();
        assert_eq!(error.fault, Fault::Failed, "{error}");
        assert!(error.to_string().contains(says), "{error}");
        assert!(!error.to_string().contains("secret"), "{error}");
    }
}
