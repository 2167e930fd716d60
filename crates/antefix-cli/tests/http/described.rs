//! The OpenAPI document.

use serde_json::Value;

use crate::project;

#[test]
fn the_document_is_the_one_that_is_kept() {
    let scratch = project();
    let kept = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/openapi.json");
    let kept = std::fs::read_to_string(kept).unwrap();
    assert!(scratch.print(&["serve", "--openapi"]) == kept, "docs/openapi.json is stale: run `cargo xtask docs`");
    assert_eq!(scratch.serve().bare_get("/openapi.json").body, kept);
}

#[test]
fn every_route_that_is_described_is_there() {
    let scratch = project();
    let server = scratch.serve();
    let document: Value = server.get("/openapi.json").ok().json();
    let paths = document["paths"].as_object().unwrap();
    for (path, methods) in paths {
        let path = path.replace("{number}", "1").replace("{a}", "1").replace("{b}", "1");
        let path = path.replace("{id}", "c").replace("{which}", "1").replace("{token}", "t");
        for method in methods.as_object().unwrap().keys() {
            let status = server.send_with(&method.to_uppercase(), &path, &[], "").status;
            assert!(status != 405 && status < 500 && status != 0, "{method} {path}: {status}");
        }
    }
    assert!(paths.len() >= 27, "{}", paths.len());
}
