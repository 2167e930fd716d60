//! Ledgers, as they are read and renewed.

use serde_json::{Value, json};

use crate::project;
use antefix_testing::Server;

fn template(server: &Server, text: &str) {
    server.put("/system-prompt", &json!({"template": text}).to_string()).ok();
}

#[test]
fn the_standing_prefix_is_a_document_or_its_bytes() {
    let scratch = project();
    let server = scratch.serve();
    assert_eq!(server.get("/conversations/c/system-prompt").status, 404);
    template(&server, "Say \"é\".\n");
    server.post("/conversations/c/turns", "{}").ok();
    let document = server.get("/conversations/c/system-prompt").ok();
    assert_eq!(document.json()["prefix"], "Say \"é\".\n");
    let plain = server.send_with("GET", "/conversations/c/system-prompt", &[("accept", "text/plain")], "").ok();
    assert_eq!(
        (plain.body.as_str(), plain.header("content-type")),
        ("Say \"é\".\n", Some("text/plain; charset=utf-8"))
    );
    for accept in ["application/json", "text/plain"] {
        let asked = |headers: &[(&str, &str)]| {
            let headers = [&[("accept", accept)], headers].concat();
            server.send_with("GET", "/conversations/c/system-prompt", &headers, "")
        };
        let tag = asked(&[]).header("etag").unwrap().to_owned();
        let again = asked(&[("if-none-match", &tag)]);
        assert_eq!((again.status, again.body.as_str()), (304, ""), "{accept}");
        template(&server, accept);
        server.post("/conversations/c/renewals", "{}").ok();
        assert_eq!(asked(&[("if-none-match", &tag)]).status, 200, "{accept}");
    }
}

#[test]
fn epochs_are_listed_read_and_compared() {
    let scratch = project();
    let server = scratch.serve();
    for (number, text) in ["one and the same", "one and another", "one and another"].into_iter().enumerate() {
        template(&server, text);
        match number {
            0 => drop(server.post("/conversations/c/turns", r#"{"model":"claude-opus-5"}"#).ok()),
            _ => {
                let renewed = server.post("/conversations/c/renewals", r#"{"cause":"reloaded"}"#).ok().json();
                assert_eq!(renewed["began"], number == 1);
                assert_eq!(renewed["epoch"]["number"], 2);
            }
        }
    }
    let epochs = server.get("/conversations/c/epochs").ok().json();
    let row = |number: usize| epochs["epochs"][number].clone();
    assert_eq!((&row(0)["cause"], &row(1)["cause"], row(2)), (&json!("opened"), &json!("reloaded"), Value::Null));
    assert_eq!(
        (&row(0)["bytes"], &row(0)["degraded"], &row(1)["model"]),
        (&json!(16), &json!(false), &json!("claude-opus-5"))
    );
    let page = server.get("/conversations/c/epochs?limit=1").ok().json();
    assert_eq!((&page["epochs"][0]["number"], &page["next"]), (&json!(1), &json!(1)));

    let one = server.get("/conversations/c/epochs/1").ok().json();
    assert_eq!((&one["prefix"], &one["spans"][0]["origin"]["kind"]), (&json!("one and the same"), &json!("template")));
    let plain = server.send_with("GET", "/conversations/c/epochs/1", &[("accept", "text/plain")], "").ok();
    assert_eq!(plain.body, "one and the same");
    assert!(plain.header("cache-control").unwrap().contains("immutable"));
    let diff = server.get("/conversations/c/epochs/1/diff/2").ok().json();
    assert_eq!((&diff["at"], &diff["kept_bytes"]), (&json!(8), &json!(8)));
    assert_eq!(server.get("/conversations/c/epochs/2/diff/2").ok().json(), Value::Null);
    for missing in [
        "/conversations/c/epochs/9",
        "/conversations/c/epochs/1/diff/9",
        "/conversations/no/epochs",
        "/conversations/no",
    ] {
        assert_eq!(server.get(missing).status, 404, "{missing}");
    }
    assert_eq!(server.get("/conversations/c/epochs/x").status, 400);
    assert_eq!(server.post("/conversations/no/renewals", "{}").status, 404);
    assert_eq!(server.post("/conversations/c/renewals", r#"{"cause":"opened"}"#).status, 400);
}

#[test]
fn drift_says_what_a_renewal_would_change() {
    let scratch = project();
    let server = scratch.serve();
    server.post("/conversations/c/turns", r#"{"model":"claude-opus-5","tools":["bash"]}"#).ok();
    let drift = server.get("/conversations/c/drift").ok().json();
    // Directory, model and tools are as the epoch has them.
    assert_eq!((&drift["changes"], &drift["difference"]), (&json!([]), &Value::Null));
    scratch.write("p/AGENTS.md", "Use spaces.\n");
    let drift = server.get("/conversations/c/drift").ok().json();
    assert_eq!(drift["difference"]["after"]["excerpt"], "Use spaces.");
    assert!(drift["difference"]["basis"].as_str().unwrap().ends_with("too short to be cached"), "{drift}");
    assert_eq!(server.get("/conversations/c/drift?cwd=/etc").status, 403);
}

#[test]
fn a_compaction_changes_the_ledger_only_if_it_succeeds() {
    let scratch = project();
    let server = scratch.serve();
    server.post("/conversations/c/turns", "{}").ok();
    template(&server, "fresh");
    let begin = || {
        let begun = server.post("/conversations/c/compaction", "{}");
        assert_eq!(begun.status, 201);
        begun.json()
    };
    let begun = begin();
    assert!(begun["prompt"].as_str().unwrap().starts_with("fresh\n\n"), "{begun}");
    let end = |token: &Value, outcome: &str| {
        let path = format!("/conversations/c/compaction/{}", token.as_str().unwrap());
        server.put(&path, &json!({"outcome": outcome}).to_string())
    };
    assert_eq!(end(&begun["token"], "failed").ok().json()["epoch"]["number"], 1);
    assert_eq!(end(&begun["token"], "succeeded").status, 409);
    let begun = begin();
    assert_eq!(end(&begun["token"], "perhaps").status, 400);
    let ended = end(&begun["token"], "succeeded").ok().json();
    assert_eq!((&ended["epoch"]["number"], &ended["epoch"]["cause"]), (&json!(2), &json!("compacted")));
    assert_eq!(server.get("/conversations/c/system-prompt").ok().json()["prefix"], "fresh");
}

#[test]
fn conversations_are_paged() {
    let scratch = project();
    let server = scratch.serve();
    assert_eq!(server.get("/conversations").ok().json(), json!({"conversations": []}));
    for id in ["a", "b", "c"] {
        server.post(&format!("/conversations/{id}/turns"), "{}").ok();
    }
    let page = server.get("/conversations?limit=2").ok().json();
    assert_eq!((page["conversations"].as_array().unwrap().len(), &page["next"]), (2, &json!("b")));
    let page = server.get("/conversations?limit=2&after=b").ok().json();
    assert_eq!((&page["conversations"][0]["conversation"], page.get("next")), (&json!("c"), None));
    assert_eq!(server.get("/conversations?limit=x").status, 400);
    assert_eq!(server.get("/conversations?lmit=1").status, 400);
}

#[test]
fn the_page_can_choose_layouts_models_and_directories() {
    let scratch = project();
    let server = scratch.serve();
    let layouts = server.get("/layouts").ok().json();
    let serving: Vec<&Value> =
        layouts["layouts"].as_array().unwrap().iter().filter(|one| one["serving"] == true).collect();
    assert_eq!(
        (serving.len(), &serving[0]["name"], &serving[0]["editable"]),
        (1, &json!("dispatch"), &json!("template"))
    );
    let models = server.get("/models").ok().json();
    assert!(
        models["models"]
            .as_array()
            .unwrap()
            .iter()
            .any(|model| model["name"] == "claude-opus-5" && model["minimum"] == 512)
    );
    let about = server.get("/about").ok().json();
    assert_eq!(
        (&about["store"], &about["roots"][0]),
        (&json!("sqlite"), &json!(scratch.path("p").display().to_string()))
    );
}

#[test]
fn what_is_done_is_counted() {
    let scratch = project();
    let server = scratch.serve();
    server.post("/conversations/c/turns", "{}").ok();
    server.post("/conversations/c/turns", "{}").ok();
    template(&server, "x");
    server.post("/conversations/c/renewals", "{}").ok();
    let metrics = server.get("/metrics").ok();
    assert!(metrics.header("content-type").unwrap().starts_with("text/plain; version=0.0.4"));
    for line in [
        "antefix_turns_total{began=\"yes\"} 1",
        "antefix_turns_total{began=\"no\"} 1",
        "antefix_epochs_total{cause=\"opened\"} 1",
        "antefix_epochs_total{cause=\"requested\"} 1",
        "antefix_requests_total{route=\"/conversations/{id}/turns\",method=\"POST\",status=\"200\"} 2",
    ] {
        assert!(metrics.body.lines().any(|known| known == line), "{line}\n{}", metrics.body);
    }
}
