//! The router in somebody else's server.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on says so by failing")]

use antefix::worlds::OsWorld;
use antefix::{Antefix, ErrorKind};
use antefix_server::{Address, Logged, Options, Server, Token};
use axum::body::Body;
use axum::http::{Request, StatusCode, header};
use tower::ServiceExt;

struct Embedded {
    server: Server,
    token: String,
    directory: tempfile::TempDir,
}

fn embedded() -> Embedded {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("AGENTS.md"), "Use tabs.\n").unwrap();
    let file = directory.path().join("token");
    let token = Token::load(&file).unwrap();
    let antefix = Antefix::builder().world(OsWorld::new()).store("memory").build().unwrap();
    let mut options = Options::default();
    options.roots = vec![directory.path().to_owned()];
    options.log = Logged::None;
    let server = Server::new(antefix, token, &Address::parse("127.0.0.1:80").unwrap(), options).unwrap();
    let token = std::fs::read_to_string(&file).unwrap().trim().to_owned();
    Embedded { server, token, directory }
}

fn turn(token: Option<&str>) -> Request<Body> {
    let request = Request::post("/conversations/c/turns").header(header::HOST, "localhost:80");
    let request = request.header(header::CONTENT_TYPE, "application/json");
    let request = match token {
        Some(token) => request.header(header::AUTHORIZATION, format!("Bearer {token}")),
        None => request,
    };
    request.body(Body::from(r#"{"target":"anthropic","model":"claude-opus-5"}"#)).unwrap()
}

#[tokio::test]
async fn a_router_of_somebody_elses_answers_as_the_program_does() {
    let embedded = embedded();
    let router = axum::Router::new()
        .route("/own", axum::routing::get(async || "own"))
        .fallback_service(embedded.server.router());
    let response = router.clone().oneshot(turn(Some(&embedded.token))).await.unwrap();
    assert_eq!(response.status(), StatusCode::OK);
    let bytes = axum::body::to_bytes(response.into_body(), usize::MAX).await.unwrap();
    let document: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
    let project = Antefix::builder().store("memory").build().unwrap().project(embedded.directory.path()).unwrap();
    let ask = antefix::Ask::new().model("claude-opus-5");
    let same = project.conversation("c").unwrap().turn(ask).unwrap();
    assert_eq!(document["prefix"], same.prefix());
    // The guard comes with it.
    let refused = router.clone().oneshot(turn(None)).await.unwrap();
    assert_eq!(refused.status(), StatusCode::UNAUTHORIZED);
    let own = router.oneshot(Request::get("/own").body(Body::empty()).unwrap()).await.unwrap();
    assert_eq!(own.status(), StatusCode::OK);
}

#[tokio::test]
async fn what_is_wrong_is_said_before_anything_is_served() {
    let directory = tempfile::tempdir().unwrap();
    let new = |root: &str, layout: Option<&str>| {
        let token = Token::load(&directory.path().join("token")).unwrap();
        let mut builder = Antefix::builder().store("memory");
        if let Some(name) = layout {
            builder = builder.layout(antefix::project::LayoutChoice::named(name, directory.path()));
        }
        let mut options = Options::default();
        options.roots = vec![directory.path().join(root)];
        options.log = Logged::None;
        Server::new(builder.build().unwrap(), token, &Address::parse("127.0.0.1:80").unwrap(), options)
    };
    assert_eq!(new("missing", None).err().unwrap().kind(), ErrorKind::Input);
    assert_eq!(new("token", None).err().unwrap().message().rsplit(": ").next(), Some("it is not a directory"));
    assert_eq!(new("", Some("nonsense")).err().unwrap().kind(), ErrorKind::Layout);
    // A layout of the project is the project's own affair, and requests say what is wrong with it.
    std::fs::create_dir_all(directory.path().join(".antefix")).unwrap();
    std::fs::write(directory.path().join(".antefix/layout.toml"), "nonsense").unwrap();
    assert!(new("", None).is_ok());
    assert_eq!(Address::parse("nowhere").err().unwrap().kind(), ErrorKind::Address);
}
