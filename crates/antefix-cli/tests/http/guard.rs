//! Who may ask.

use std::os::unix::fs::PermissionsExt;

use crate::project;
use antefix_testing::{Reply, Server};

/// A request with the token, and these headers in the place of our own.
fn with(server: &Server, headers: &[(&str, &str)]) -> u16 {
    let token = format!("Bearer {}", server.token);
    let mut all = vec![("authorization", token.as_str())];
    all.extend(headers);
    let reply = server.bare("GET", "/system-prompt", &all, "");
    assert_eq!(reply.header("access-control-allow-origin"), None);
    if reply.status != 200 {
        assert!(!reply.body.contains("You help"), "{reply:?}");
    }
    reply.status
}

#[test]
fn only_names_of_ours_are_answered() {
    let scratch = project();
    let server = scratch.serve();
    let port = server.port;
    for host in
        [format!("localhost:{port}"), format!("127.0.0.1:{port}"), format!("[::1]:{port}"), format!("LocalHost:{port}")]
    {
        assert_eq!(with(&server, &[("host", &host)]), 200, "{host}");
    }
    let foreign = [
        "evil.example".to_owned(),
        format!("evil.example:{port}"),
        format!("127.0.0.1.evil.example:{port}"),
        format!("localhost.:{port}"),
        "localhost".to_owned(),
        "127.0.0.1".to_owned(),
        "localhost:1".to_owned(),
        format!("0.0.0.0:{port}"),
        String::new(),
    ];
    for host in foreign {
        let status = with(&server, &[("host", &host)]);
        assert!(matches!(status, 400 | 403), "{host:?}: {status}");
    }
    assert_eq!(with(&server, &[]), 400);
    let (good, evil) = (server.host(), "evil.example");
    assert_eq!(with(&server, &[("host", &good), ("host", evil)]), 400);
    assert_eq!(with(&server, &[("host", &good), ("host", &good)]), 400);
    // A target with an authority of its own must not be another one.
    let reply = server
        .raw(&format!("GET http://evil.example/system-prompt HTTP/1.1\r\nhost: {good}\r\nconnection: close\r\n\r\n"));
    assert_eq!(reply.status, 403);
}

#[test]
fn pages_of_other_origins_get_nothing() {
    let scratch = project();
    let server = scratch.serve();
    let host = server.host();
    let origin = |origin: &str| with(&server, &[("host", &host), ("origin", origin)]);
    assert_eq!(origin(&format!("http://{host}")), 200);
    for foreign in ["https://evil.example", "null", "http://localhost:1", "http://127.0.0.1", "", "file://"] {
        assert_eq!(origin(foreign), 403, "{foreign}");
    }
    // This server speaks no TLS, so that a page of an https origin is somebody else's.
    assert_eq!(origin(&format!("https://{host}")), 403);
    let site = |site: &str| with(&server, &[("host", &host), ("sec-fetch-site", site)]);
    assert_eq!((site("same-origin"), site("none")), (200, 200));
    assert_eq!((site("same-site"), site("cross-site")), (403, 403));
    // No preflight is answered.
    let asked = [("host", host.as_str()), ("origin", "https://evil.example"), ("access-control-request-method", "PUT")];
    assert_eq!(server.bare("OPTIONS", "/system-prompt", &asked, "").status, 403);
}

#[test]
fn everything_wants_the_token() {
    let scratch = project();
    let server = scratch.serve();
    let host = server.host();
    let paths = [
        "/system-prompt",
        "/conversations",
        "/about",
        "/metrics",
        "/roots",
        "/system-prompt/files",
        "/nothing",
        "/conversations/c/epochs/1",
    ];
    for path in paths {
        let reply = server.bare_get(path);
        assert_eq!((reply.status, reply.error().as_str()), (401, "A token is needed"), "{path}");
        assert!(reply.header("www-authenticate").unwrap().starts_with("bearer"));
    }
    for path in ["/healthz", "/readyz", "/openapi.json", "/", "/page.css"] {
        assert_eq!(server.bare_get(path).status, 200, "{path}");
    }
    let almost = &server.token[..63];
    for wrong in [
        format!("Bearer {almost}"),
        format!("Bearer {almost}0x"),
        "Bearer".to_owned(),
        format!("Basic {}", server.token),
        String::new(),
    ] {
        assert_eq!(
            server.bare("GET", "/about", &[("host", &host), ("authorization", &wrong)], "").status,
            401,
            "{wrong}"
        );
    }
    // Two are not one.
    let right = format!("Bearer {}", server.token);
    let twice = [("host", host.as_str()), ("authorization", &right), ("authorization", &right)];
    assert_eq!(server.bare("GET", "/about", &twice, "").status, 401);
    assert_eq!(server.bare("GET", &format!("/about?token={}", server.token), &[("host", &host)], "").status, 401);
}

/// The code of a link.
fn code_of(link: &str) -> String {
    let code = link.split("code=").nth(1).unwrap();
    code.split(' ').next().unwrap().to_owned()
}

/// What a page of an origin gets for a code.
fn exchange(server: &Server, code: &str, headers: &[(&str, &str)]) -> Reply {
    let mut all = vec![("content-type", "application/json")];
    all.extend(headers);
    server.bare("POST", "/sessions", &all, &serde_json::json!({ "code": code }).to_string())
}

/// A session of a page under this name, by plain HTTP.
fn session_under(server: &Server, host: &str) -> String {
    let code = code_of(server.post("/links", "").ok().json()["path"].as_str().unwrap());
    let reply = exchange(server, &code, &[("host", host), ("origin", &format!("http://{host}"))]);
    reply.ok().json()["session"].as_str().unwrap().to_owned()
}

/// A request with a session and these headers.
fn shown(server: &Server, method: &str, path: &str, session: &str, headers: &[(&str, &str)]) -> Reply {
    let session = format!("Bearer {session}");
    let mut all = vec![("authorization", session.as_str())];
    all.extend(headers);
    server.bare(method, path, &all, "")
}

#[test]
fn a_link_becomes_a_session_once_and_no_answer_sets_a_cookie() {
    let scratch = project();
    let server = scratch.serve();
    let host = server.host();
    let own = format!("http://{host}");
    let page = [("host", host.as_str()), ("origin", own.as_str())];
    let path = server.link.split(' ').nth(1).unwrap().strip_prefix(&own).unwrap().to_owned();
    assert!(path.starts_with("/?code="), "{path}");
    let code = code_of(&path);
    // Whoever looks where the link leads gets the page, and opens nothing.
    for method in ["GET", "HEAD"] {
        let opened = server.bare(method, &path, &[("host", &host)], "");
        assert_eq!((opened.status, opened.header("set-cookie"), opened.header("location")), (200, None, None));
    }
    let began = exchange(&server, &code, &page);
    assert_eq!(
        (began.status, began.header("set-cookie"), began.header("cache-control")),
        (201, None, Some("no-store"))
    );
    let session = began.json()["session"].as_str().unwrap().to_owned();
    let ends: jiff::Timestamp = began.json()["ends"].as_str().unwrap().parse().unwrap();
    let hours = (ends.as_second() - jiff::Timestamp::now().as_second()) as f64 / 3600.0;
    assert!((11.9..=12.0).contains(&hours), "{hours}");
    assert_eq!(exchange(&server, &code, &page).status, 403);
    assert_eq!(exchange(&server, "nonsense", &page).status, 403);
    // Browsers send no Origin with a page's own GET, and one with its changes.
    let get = |headers: &[(&str, &str)]| shown(&server, "GET", "/about", &session, headers).status;
    assert_eq!((get(&page[..1]), get(&page)), (200, 200));
    let json =
        [page[0], page[1], ("content-type", "application/json"), ("authorization", &format!("Bearer {session}"))];
    server.bare("PUT", "/system-prompt", &json, r#"{"template":"from the page"}"#).ok();
    assert_eq!(server.get("/system-prompt").json()["template"], "from the page");
    // What a browser would send by itself proves nothing.
    let cookie = format!("antefix_{}={session}", server.port);
    assert_eq!(server.bare("GET", "/about", &[("host", &host), ("cookie", &cookie)], "").status, 401);
    // A session makes no links and begins no other session.
    assert_eq!(shown(&server, "POST", "/links", &session, &page).status, 403);
    let fresh = code_of(server.post("/links", "").ok().json()["path"].as_str().unwrap());
    // A code is exchanged by a page alone: under an origin of ours, as JSON.
    assert_eq!(exchange(&server, &fresh, &page[..1]).status, 403);
    assert_eq!(exchange(&server, &fresh, &[page[0], ("origin", "http://evil.example")]).status, 403);
    assert_eq!(exchange(&server, &fresh, &[page[0], page[1], ("sec-fetch-site", "cross-site")]).status, 403);
    assert_eq!(server.bare("POST", "/sessions", &page, &format!("{{\"code\":\"{fresh}\"}}")).status, 415);
    assert_eq!(exchange(&server, &"x".repeat(5000), &page).status, 413);
    assert_eq!(exchange(&server, &fresh, &page).status, 201);
}

#[test]
fn a_session_counts_under_the_origin_that_it_was_made_for() {
    let scratch = project();
    let server = scratch.serve_with(&["--host", "prompts.example", "--host", "https://tls.example"]);
    let port = server.port;
    let (local, address) = (format!("localhost:{port}"), format!("127.0.0.1:{port}"));
    let session = session_under(&server, &local);
    let ask = |host: &str, origin: Option<&str>| {
        let mut headers = vec![("host", host)];
        headers.extend(origin.map(|origin| ("origin", origin)));
        shown(&server, "GET", "/about", &session, &headers).status
    };
    assert_eq!((ask(&local, None), ask(&local, Some(&format!("http://{local}")))), (200, 200));
    assert_eq!(ask(&local.to_uppercase(), None), 200);
    for host in [&address, &format!("[::1]:{port}"), "prompts.example", "tls.example"] {
        assert_eq!(ask(host, None), 401, "{host}");
    }
    // The server answers these origins as well, and they are not the session's.
    assert_eq!(ask(&local, Some(&format!("http://{address}"))), 401);
    assert_eq!(ask(&address, Some(&format!("http://{local}"))), 401);
    // By TLS it is another origin, which counts only where the operator named it.
    assert_eq!(ask(&local, Some(&format!("https://{local}"))), 403);
    let token = format!("Bearer {}", server.token);
    let origin = |host: &str, origin: &str| {
        let headers = [("host", host), ("origin", origin), ("authorization", token.as_str())];
        server.bare("GET", "/about", &headers, "").status
    };
    assert_eq!(origin("tls.example", "https://tls.example"), 200);
    assert_eq!(origin("tls.example", "http://tls.example"), 403);
    assert_eq!(origin("prompts.example", "http://prompts.example"), 200);
    assert_eq!(origin("prompts.example", "https://prompts.example"), 403);
    let code = code_of(server.post("/links", "").ok().json()["path"].as_str().unwrap());
    let behind = exchange(&server, &code, &[("host", "tls.example"), ("origin", "https://tls.example")]);
    let behind = behind.ok().json()["session"].as_str().unwrap().to_owned();
    assert_eq!(shown(&server, "GET", "/about", &behind, &[("host", "tls.example")]).status, 200);
    assert_eq!(shown(&server, "GET", "/about", &behind, &[("host", &local)]).status, 401);
}

#[test]
fn a_session_is_renewed_until_somebody_signs_out_and_ends_with_the_token() {
    let scratch = project();
    let server = scratch.serve();
    let host = server.host();
    let own = format!("http://{host}");
    let page = [("host", host.as_str()), ("origin", own.as_str())];
    let (first, other) = (session_under(&server, &host), session_under(&server, &host));
    let renewed = shown(&server, "POST", "/sessions/renewal", &first, &page);
    assert_eq!(renewed.status, 201);
    let renewed = renewed.json()["session"].as_str().unwrap().to_owned();
    let about = |server: &Server, session: &str| {
        let host = server.host();
        shown(server, "GET", "/about", session, &[("host", &host)]).status
    };
    assert_eq!(about(&server, &renewed), 200);
    // The token is not a session.
    assert_eq!(
        (server.post("/sessions/renewal", "").status, server.send_with("DELETE", "/sessions", &[], "").status),
        (403, 403)
    );
    assert_eq!(shown(&server, "DELETE", "/sessions", &renewed, &page).status, 204);
    assert_eq!((about(&server, &first), about(&server, &renewed), about(&server, &other)), (401, 401, 200));
    assert_eq!(shown(&server, "POST", "/sessions/renewal", &first, &page).status, 401);
    // A server that starts again at its place knows the session, unless its token is another one.
    let place = format!("127.0.0.1:{}", server.port);
    drop(server);
    let again = |scratch: &antefix_testing::Scratch| {
        scratch.start_server(scratch.command(&["serve", "--layout", "dispatch", "--listen", &place]))
    };
    let server = again(&scratch);
    assert_eq!(about(&server, &other), 200);
    drop(server);
    scratch.remove("home/.local/state/antefix/token");
    assert_eq!(about(&again(&scratch), &other), 401);
}

#[test]
fn only_json_is_taken_and_no_get_changes_anything() {
    let scratch = project();
    let server = scratch.serve();
    let token = format!("Bearer {}", server.token);
    let host = server.host();
    for kind in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "application/jsonx", ""] {
        let headers = [("host", host.as_str()), ("authorization", &token), ("content-type", kind)];
        for (method, path) in
            [("PUT", "/system-prompt"), ("POST", "/conversations/c/turns"), ("POST", "/conversations/c/messages")]
        {
            let reply = server.bare(method, path, &headers, r#"{"template":"x","message":"x"}"#);
            assert_eq!(reply.status, 415, "{method} {path} as {kind:?}");
        }
    }
    let headers =
        [("host", host.as_str()), ("authorization", &token), ("content-type", "Application/JSON; charset=utf-8")];
    server.bare("PUT", "/system-prompt", &headers, r#"{"template":"x"}"#).ok();
    for path in ["/conversations/c/turns", "/conversations/c/renewals", "/conversations/c/messages", "/links"] {
        let reply = server.get(path);
        assert_eq!((reply.status, reply.header("allow")), (405, Some("post")), "{path}");
    }
    for method in ["PATCH", "TRACE", "POST", "NONSENSE"] {
        assert_eq!(server.send_with(method, "/system-prompt", &[], "").status, 405, "{method}");
    }
}

#[test]
fn no_answer_can_be_run_framed_or_guessed() {
    let scratch = project();
    let server = scratch.serve();
    let host = server.host();
    let mut framed = vec![("host", host.as_str())];
    framed.extend(FRAME);
    assert_eq!(server.bare("GET", "/", &framed, "").status, 403);
    for path in ["/", "/system-prompt", "/nothing", "/healthz", "/metrics"] {
        let reply = server.get(path);
        let policy = reply.header("content-security-policy").unwrap();
        for word in ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "base-uri 'none'"] {
            assert!(policy.contains(word), "{path}: {policy}");
        }
        assert!(!policy.contains("unsafe"), "{policy}");
        assert_eq!(reply.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(reply.header("referrer-policy"), Some("no-referrer"));
    }
    let page = server.get("/").body;
    assert!(!page.contains("<script>") && !page.contains("<style") && !page.contains("style="), "{page}");
}

/// What a browser sends when a page of another site loads ours into a frame.
const FRAME: [(&str, &str); 3] =
    [("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "navigate"), ("sec-fetch-dest", "iframe")];

/// The same with other headers in their places.
fn framing(changed: &[(&'static str, &'static str)]) -> Vec<(&'static str, &'static str)> {
    let changed_to = |name: &str| changed.iter().find(|(other, _)| *other == name).map(|(_, value)| *value);
    let more = changed.iter().filter(|(name, _)| FRAME.iter().all(|(known, _)| known != name));
    FRAME.iter().map(|(name, value)| (*name, changed_to(name).unwrap_or(value))).chain(more.copied()).collect()
}

#[test]
fn a_page_that_was_named_may_frame_the_page_and_nothing_else() {
    let scratch = project();
    let server =
        scratch.serve_with(&["--embed-origin", "https://app.example", "--embed-origin", "http://localhost:3000"]);
    let host = server.host();
    let ask = |method: &str, path: &str, headers: &[(&str, &str)]| {
        let mut all = vec![("host", host.as_str())];
        all.extend(headers);
        server.bare(method, path, &all, "")
    };
    let page = ask("GET", "/", &FRAME).ok();
    let policy = page.header("content-security-policy").unwrap();
    assert!(policy.contains("frame-ancestors https://app.example http://localhost:3000;"), "{policy}");
    assert_eq!(ask("GET", "/", &framing(&[("sec-fetch-site", "same-site")])).status, 200);
    assert_eq!(page.header("access-control-allow-origin"), None);
    for path in ["/system-prompt", "/healthz", "/page.js", "/nothing"] {
        let reply = server.get(path);
        let policy = reply.header("content-security-policy").unwrap();
        assert!(policy.contains("frame-ancestors 'none'"), "{path}: {policy}");
        assert_eq!(ask("GET", path, &FRAME).status, 403, "{path}");
    }
    // The host page itself gets nothing, nor does anything that is not a frame.
    let others: [&[(&str, &str)]; 8] = [
        &[("origin", "https://app.example")],
        &[("sec-fetch-dest", "document")],
        &[("sec-fetch-dest", "empty")],
        &[("sec-fetch-dest", "image")],
        &[("sec-fetch-dest", "script")],
        &[("sec-fetch-mode", "cors")],
        &[("sec-fetch-mode", "no-cors")],
        &[("sec-fetch-mode", "")],
    ];
    for changed in others {
        assert_eq!(ask("GET", "/", &framing(changed)).status, 403, "{changed:?}");
    }
    assert_eq!(ask("POST", "/", &FRAME).status, 403);
    assert_eq!(ask("GET", "/", &[("sec-fetch-site", "cross-site")]).status, 403);
    let token = format!("Bearer {}", server.token);
    let from_host = [("authorization", token.as_str()), ("origin", "https://app.example")];
    assert_eq!(ask("GET", "/system-prompt", &from_host).status, 403);
    // Under a name that is not ours, there is no page either.
    let mut foreign = vec![("host", "evil.example")];
    foreign.extend(FRAME);
    assert_eq!(server.bare("GET", "/", &foreign, "").status, 403);
}

#[test]
fn the_page_in_a_frame_has_a_session_of_its_own_origin() {
    let scratch = project();
    let server = scratch.serve_with(&["--embed-origin", "https://app.example"]);
    let host = server.host();
    let own = format!("http://{host}");
    let link = server.post("/links", "").ok().json()["path"].as_str().unwrap().to_owned();
    let mut framed = vec![("host", host.as_str())];
    framed.extend(FRAME);
    let page = server.bare("GET", &link, &framed, "");
    assert_eq!((page.status, page.header("set-cookie")), (200, None));
    // What the framed page asks is as it always is: of the server's own origin. The host page can exchange nothing.
    let code = code_of(&link);
    assert_eq!(exchange(&server, &code, &[("host", &host), ("origin", "https://app.example")]).status, 403);
    let same = [("host", host.as_str()), ("origin", own.as_str()), ("sec-fetch-site", "same-origin")];
    let session = exchange(&server, &code, &same).ok().json()["session"].as_str().unwrap().to_owned();
    assert_eq!(shown(&server, "GET", "/about", &session, &same).status, 200);
    let of_host = [("host", host.as_str()), ("origin", "https://app.example")];
    assert_eq!(shown(&server, "GET", "/about", &session, &of_host).status, 403);
    assert_eq!(shown(&server, "GET", "/about", &session, &framed).status, 403);
}

#[test]
fn only_an_origin_can_be_named_as_one() {
    let scratch = project();
    for origin in
        ["*", "app.example", "http://app.example", "https://app.example/", "https://app.example; script-src *"]
    {
        let ran = scratch.run(&["serve", "--listen", "127.0.0.1:0", "--embed-origin", origin]);
        assert_eq!(ran.stdout, "", "{origin}");
        assert!(ran.code != 0 && ran.stderr.contains("is not an origin that may embed the page"), "{origin}: {ran:?}");
    }
    // The variable and the file say the same.
    scratch.write("home/.config/antefix/serve.toml", "embed_origins = [\"https://file.example\"]\n");
    let server = scratch.serve();
    let policy = server.get("/").header("content-security-policy").unwrap().to_owned();
    assert!(policy.contains("frame-ancestors https://file.example;"), "{policy}");
}

#[test]
fn a_server_that_others_can_reach_must_be_meant() {
    let scratch = project();
    let refused = |args: &[&str], word: &str| {
        let ran = scratch.run(&[&["serve", "--listen", "0.0.0.0:0"], args].concat());
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{ran:?}");
        assert!(ran.stderr.contains(word), "{ran:?}");
    };
    let file = scratch.path("home/token");
    let file = file.to_str().unwrap();
    refused(&[], "--host");
    refused(&["--host", "prompts.example"], "--token-file");
    refused(&["--host", "prompts.example", "--token-file", file], "32 characters");
    refused(&["--token-file", file], "--host");
}

#[test]
fn the_token_is_for_its_user_alone() {
    let scratch = project();
    let server = scratch.serve();
    let file = scratch.path("home/.local/state/antefix/token");
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&file), mode(file.parent().unwrap())), (0o600, 0o700));
    assert_eq!(server.token.len(), 64);
    let first = server.token.clone();
    drop(server);
    // It stays what it is.
    assert_eq!(scratch.serve().token, first);
    scratch.mode("home/.local/state/antefix/token", 0o644);
    let ran = scratch.run(&["serve", "--listen", "127.0.0.1:0"]);
    assert!(ran.code == 1 && ran.stderr.contains("chmod 600"), "{ran:?}");
}

#[test]
fn requests_work_under_the_roots_alone() {
    let scratch = project();
    scratch.directory("outside");
    scratch.directory("p/inside");
    scratch.write("outside/AGENTS.md", "canary");
    std::os::unix::fs::symlink(scratch.path("outside"), scratch.path("p/link")).unwrap();
    let server = scratch.serve();
    let outside = scratch.path("outside");
    let absolute = |name: &str| scratch.path(name).display().to_string();
    let refused = [
        outside.display().to_string(),
        "link".to_owned(),
        absolute("p/link"),
        absolute("p/../outside"),
        "..".to_owned(),
        "/".to_owned(),
        "/nowhere".to_owned(),
        absolute("p-not"),
        absolute("p/AGENTS.md"),
        "\0".to_owned(),
    ];
    for cwd in refused {
        let body = serde_json::json!({ "cwd": cwd }).to_string();
        for path in ["/conversations/c/turns", "/system-prompt/preview"] {
            let reply = server.post(path, &body);
            assert_eq!(reply.status, 403, "{cwd} {path}");
            assert!(!reply.body.contains("canary"), "{reply:?}");
        }
        // Whether something is there is not told.
        assert_eq!(
            server.post("/conversations/c/turns", &body).error(),
            "The working directory is not under a root of this server"
        );
    }
    assert_eq!(server.get("/roots?under=link").status, 403);
    assert_eq!(server.get("/roots").ok().json()["roots"][0]["directories"], serde_json::json!(["inside"]));
    for cwd in ["inside".to_owned(), absolute("p/inside"), ".".to_owned()] {
        server.post("/system-prompt/preview", &serde_json::json!({ "cwd": cwd }).to_string()).ok();
    }
}

#[cfg(unix)]
#[test]
fn paths_are_completed_under_the_root_alone_and_never_to_a_secret() {
    let scratch = project();
    for directory in ["p/sub", "p/many", "outside"] {
        std::fs::create_dir(scratch.path(directory)).unwrap();
    }
    for file in ["p/notes.md", "p/.env", "p/sub/a.md", "outside/secret.md"] {
        scratch.write(file, "x");
    }
    let link = |to: &str, at: &str| std::os::unix::fs::symlink(scratch.path(to), scratch.path(at)).unwrap();
    link("outside", "p/out");
    link("outside/secret.md", "p/looks-harmless.md");
    link("p/.env", "p/settings.md");
    link("p/.git", "p/repository");
    link("p/many", "p/sub/around");
    for number in 0..300 {
        scratch.write(&format!("p/many/{number:03}"), "");
    }
    let server = scratch.serve();
    let paths = |query: &str| server.get(&format!("/system-prompt/files{query}")).ok().json()["paths"].clone();
    assert_eq!(paths(""), serde_json::json!(["AGENTS.md", "many/", "notes.md", "sub/"]));
    assert_eq!(paths("?cwd=sub"), serde_json::json!(["a.md", "around/"]));
    let many = server.get("/system-prompt/files?path=many/").ok().json();
    assert_eq!((many["paths"].as_array().unwrap().len(), &many["more"]), (200, &serde_json::json!(true)));
    assert_eq!(paths("?path=many/29"), serde_json::json!((290..300).map(|n| format!("many/{n}")).collect::<Vec<_>>()));
    let absolute = scratch.path("outside/").display().to_string();
    for outside in ["out/", "../outside/", "../", "sub/../../outside/", "/", "/etc/", &absolute, ".git/", "repository/"]
    {
        let reply = server.get(&format!("/system-prompt/files?path={outside}"));
        assert_eq!(reply.status, 403, "{outside}: {}", reply.body);
    }
}

#[test]
fn the_log_has_no_text_that_anybody_wrote() {
    let scratch = project();
    let mut server = scratch.serve();
    scratch.write("p/AGENTS.md", "canary-of-a-file");
    server.put("/system-prompt", r#"{"template":"canary-of-a-template [file:AGENTS.md]"}"#).ok();
    server.post("/conversations/a%20%1b%5b31m/turns", "{}");
    server.post("/conversations/chat-7/turns", r#"{"override":"canary-of-an-override"}"#).ok();
    server.post("/conversations/chat-7/turns", "{}").ok();
    server.post("/conversations/chat-7/messages", r#"{"message":"canary-of-a-message"}"#).ok();
    server.put("/system-prompt", r#"{"template":"{{ canary-of-an-error","dialect":"jinja"}"#);
    let link = server.link.clone();
    let code = link.split("code=").nth(1).unwrap().split(' ').next().unwrap();
    server.bare_get(&format!("/?code={code}"));
    let session = session_under(&server, &server.host());
    let token = server.token.clone();
    let metrics = server.get("/metrics").ok().body;
    let (log, exit) = server.stop();
    assert_eq!(exit, Some(0));
    assert!(log.contains("\"conversation\":\"chat-7\"") && log.contains("\"digest\":\"sha256:"), "{log}");
    for secret in ["canary", &token, code, &session, "\x1b"] {
        assert!(!log.contains(secret) && !metrics.contains(secret), "{secret}: {log}");
    }
    for line in log.lines() {
        serde_json::from_str::<serde_json::Value>(line).unwrap();
    }
}

#[test]
fn a_socket_is_for_its_own_user() {
    let scratch = project();
    let path = scratch.path("home/antefix.sock");
    let listen = format!("unix:{}", path.display());
    let serve = || scratch.start_server(scratch.command(&["serve", "--listen", &listen]));
    let mut server = serve();
    let metadata = std::fs::metadata(&path).unwrap();
    assert_eq!(metadata.permissions().mode() & 0o777, 0o600);
    // The token and the name are wanted here, too.
    server.get("/system-prompt").ok();
    assert_eq!(server.bare_get("/system-prompt").status, 401);
    let token = format!("Bearer {}", server.token);
    let foreign = [("host", "evil.example"), ("authorization", token.as_str())];
    assert_eq!(server.bare("GET", "/system-prompt", &foreign, "").status, 403);
    // There is one server at a place.
    let second = scratch.run(&["serve", "--listen", &listen]);
    assert!(second.code == 1 && second.stderr.contains("in use"), "{second:?}");
    server.get("/healthz").ok();
    assert_eq!(server.stop().1, Some(0));
    assert!(!path.exists());
    // What a server that was killed leaves behind is taken away, and nothing else is.
    drop(serve());
    assert!(path.exists());
    serve().get("/healthz").ok();
    std::fs::remove_file(&path).unwrap();
    std::fs::write(&path, "mine").unwrap();
    assert_eq!(scratch.run(&["serve", "--listen", &listen]).code, 1);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "mine");
    let relative = scratch.run(&["serve", "--listen", "unix:x.sock"]);
    assert_eq!(relative.code, 2, "{relative:?}");
}
