//! A store that cannot be reached.

use crate::project;

#[test]
fn what_needs_no_store_is_still_answered() {
    let scratch = project();
    let server = scratch.serve_with(&["--store", "postgres://nobody@127.0.0.1:1/none?pool_timeout=1"]);
    let document = server.get("/system-prompt").ok().json();
    assert_eq!(document["from"], "unreachable");
    assert!(document["template"].as_str().unwrap().starts_with("You help with the code"));
    assert_eq!(server.get("/system-prompt/variables").ok().body, scratch.print(&["vars", "--json"]));
    server.get("/healthz").ok();
    assert_eq!(server.get("/readyz").status, 503);
    assert_eq!(server.get("/about").ok().json()["reachable"], false);
    assert!(server.post("/system-prompt/preview", "{}").ok().json()["prefix"]["bytes"].as_u64().unwrap() > 0);

    let refused = server.put("/system-prompt", r#"{"template":"x"}"#);
    assert_eq!((refused.status, refused.error().as_str()), (503, "System prompt service not available"));
    assert_eq!(refused.header("retry-after"), Some("1"));
    // What is wrong with the request is reported first.
    assert_eq!(server.put("/system-prompt", "{}").status, 400);
    for path in ["/conversations", "/conversations/c", "/system-prompt/history"] {
        assert_eq!(server.get(path).status, 503, "{path}");
    }
    assert_eq!(server.post("/conversations/c/turns", "{}").status, 503);
}

#[test]
fn a_store_that_is_no_store_is_told_at_once() {
    let scratch = project();
    scratch.write(
        "home/x.db",
        "no database at all, and long enough to be looked at as one: 0123456789 0123456789 0123456789",
    );
    let store = format!("sqlite:{}", scratch.path("home/x.db").display());
    let ran = scratch.run(&["serve", "--listen", "127.0.0.1:0", "--store", &store]);
    assert_eq!(ran.code, 3, "{ran:?}");
}
