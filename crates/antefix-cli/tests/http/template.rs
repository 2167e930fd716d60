//! The template that everybody shares.

use std::sync::Barrier;

use serde_json::json;

use crate::project;
use antefix_testing::Reply;

const DEFAULT: &str = "You help with the code in this directory.\n\n[if file:AGENTS.md]\n[file:AGENTS.md]\n[endif]\n\n\
                       The current working directory is [prompt:cwd].\n";

fn etag(reply: &Reply) -> String {
    reply.header("etag").unwrap().to_owned()
}

#[test]
fn where_nothing_is_saved_the_layouts_own_text_counts() {
    let scratch = project();
    let server = scratch.serve();
    let reply = server.get("/system-prompt").ok();
    let document = reply.json();
    assert_eq!(document["template"], DEFAULT);
    assert_eq!((&document["dialect"], &document["from"]), (&json!("bracket"), &json!("layout")));
    assert_eq!(etag(&reply), format!("\"{}\"", document["digest"].as_str().unwrap()));
    assert_eq!(server.get("/system-prompt/history").ok().json(), json!({"templates": [], "deletions": []}));
}

#[test]
fn mistakes_in_a_body_have_the_words_that_clients_know() {
    let scratch = project();
    let server = scratch.serve();
    let object = "Request body must be a JSON object";
    let field = "Field 'template' is required and must be a string";
    let table = [
        ("{", 400, "Invalid JSON body"),
        ("nonsense", 400, "Invalid JSON body"),
        ("{\"template\": \"x\"} x", 400, "Invalid JSON body"),
        ("null", 400, object),
        ("12", 400, object),
        ("\"template\"", 400, object),
        ("[]", 400, field),
        ("{}", 400, field),
        ("{\"template\": 7}", 400, field),
        ("{\"template\": null}", 400, field),
        ("{\"template\": \"x\", \"dialect\": \"latin\"}", 400, "Field 'dialect' must be 'bracket', 'jinja' or 'plain'"),
    ];
    for (body, status, error) in table {
        let reply = server.put("/system-prompt", body);
        assert_eq!((reply.status, reply.error().as_str()), (status, error), "{body}");
    }
    assert_eq!(server.get("/system-prompt").json()["from"], "layout");
}

#[test]
fn a_template_is_saved_and_the_empty_one_means_no_prompt() {
    let scratch = project();
    let server = scratch.serve();
    let saved =
        server.send_with("PUT", "/system-prompt", &[("antefix-author", "Zoë")], r#"{"template":"In [prompt:cwd]."}"#);
    let document = saved.clone().ok().json();
    assert_eq!((&document["template"], &document["number"]), (&json!("In [prompt:cwd]."), &json!(1)));
    assert_eq!((&document["author"], &document["dialect"]), (&json!("Zoë"), &json!("bracket")));
    let read = server.get("/system-prompt").ok();
    assert_eq!((etag(&read), read.json()), (etag(&saved), document));
    assert_eq!(server.send_with("GET", "/system-prompt", &[("if-none-match", &etag(&saved))], "").status, 304);

    let turn = server.post("/conversations/a/turns", "{}").ok().json();
    assert_eq!(turn["prefix"], format!("In {}.", scratch.path("p").display()));
    assert_eq!(server.put("/system-prompt", r#"{"template":""}"#).ok().json()["template"], "");
    let turn = server.post("/conversations/b/turns", r#"{"target":"anthropic"}"#).ok().json();
    assert_eq!((&turn["prefix"], &turn["fragment"]), (&json!(""), &json!({})));
    // Whoever was there before keeps its bytes.
    let again = server.post("/conversations/a/turns", "{}").ok().json();
    assert_eq!(again["prefix"], format!("In {}.", scratch.path("p").display()));
}

#[test]
fn a_template_that_cannot_be_parsed_is_not_saved() {
    let scratch = project();
    let server = scratch.serve();
    let reply = server.put("/system-prompt", r#"{"template":"{{ prompt.cwd","dialect":"jinja"}"#);
    assert_eq!(reply.status, 422);
    let diagnostic = &reply.json()["diagnostics"][0];
    assert_eq!((&diagnostic["level"], &diagnostic["origin"]["line"]), (&json!("error"), &json!(1)));
    let large = format!(r#"{{"template":"{}"}}"#, "x".repeat(1024 * 1024 + 1));
    assert_eq!(server.put("/system-prompt", &large).status, 413);
    let largest = format!(r#"{{"template":"{}"}}"#, "x".repeat(1024 * 1024));
    assert_eq!(server.put("/system-prompt", &largest).status, 200);
}

#[test]
fn whoever_has_not_seen_what_counts_cannot_save() {
    let scratch = project();
    let server = scratch.serve();
    let first = etag(&server.get("/system-prompt"));
    let put = |tag: &str, text: &str| {
        server.send_with("PUT", "/system-prompt", &[("if-match", tag)], &json!({"template": text}).to_string())
    };
    let second = etag(&put(&first, "a").ok());
    let refused = put(&first, "b");
    assert_eq!((refused.status, refused.error().as_str()), (412, "Somebody else saved the template meanwhile"));
    assert_eq!(put("\"somebody else's\"", "b").status, 412);
    assert_eq!(put(&format!("W/{second}"), "b").status, 412);
    assert_eq!(put(&format!("\"x\", {second}"), "b").status, 200);
    assert_eq!(put("*", "c").status, 200);
    assert_eq!(server.get("/system-prompt").json()["template"], "c");
}

#[test]
fn the_history_has_labels_and_leads_back() {
    let scratch = project();
    let server = scratch.serve();
    for text in ["one", "two", "three"] {
        server.put("/system-prompt", &json!({"template": text}).to_string()).ok();
    }
    // The same again changes nothing.
    assert_eq!(server.put("/system-prompt", r#"{"template":"three"}"#).ok().json()["number"], 3);
    let labeled = server.post("/system-prompt/history/1/labels", r#"{"label":"known good"}"#).ok().json();
    assert_eq!(labeled["label"], "known good");
    let page = server.get("/system-prompt/history?limit=2").ok().json();
    let numbers = |page: &serde_json::Value| -> Vec<u64> {
        page["templates"].as_array().unwrap().iter().map(|row| row["number"].as_u64().unwrap()).collect()
    };
    assert_eq!((numbers(&page), &page["next"]), (vec![3, 2], &json!(2)));
    let page = server.get("/system-prompt/history?limit=2&before=2").ok().json();
    assert_eq!((numbers(&page), page.get("next")), (vec![1], None));
    assert_eq!(page["templates"][0]["label"], "known good");

    let digest = labeled["digest"].as_str().unwrap();
    assert_eq!(server.get(&format!("/system-prompt/history/{digest}")).ok().json()["template"], "one");
    let back =
        server.send_with("POST", "/system-prompt/history/1/rollback", &[("antefix-author", "me")], "").ok().json();
    assert_eq!((&back["template"], &back["number"], &back["author"]), (&json!("one"), &json!(4), &json!("me")));
    assert_eq!(server.get("/system-prompt").json()["template"], "one");
    for missing in ["/system-prompt/history/99", "/system-prompt/history/x", "/system-prompt/history/0"] {
        assert_eq!(server.get(missing).status, 404, "{missing}");
    }
    assert_eq!(server.post("/system-prompt/history/99/labels", r#"{"label":"x"}"#).status, 404);
    assert_eq!(server.post("/system-prompt/history/1/labels", r#"{"label":""}"#).status, 400);
    // Who says nothing takes nothing away.
    for nothing in ["", "{}"] {
        let refused = server.post("/system-prompt/history/1/labels", nothing);
        assert_eq!(
            (refused.status, refused.error().as_str()),
            (400, "Field 'label' is required: a text, or null to take the label away")
        );
    }
    assert_eq!(server.get("/system-prompt/history/1").ok().json()["label"], "known good");
    assert_eq!(server.post("/system-prompt/history/1/labels", r#"{"label":null}"#).ok().json().get("label"), None);
    assert_eq!(server.get("/system-prompt/history?limit=many").status, 400);
}

#[test]
fn of_two_servers_on_one_store_one_wins() {
    let scratch = project();
    let servers = [scratch.serve(), scratch.serve()];
    for round in 0..10 {
        let tag = etag(&servers[0].get("/system-prompt"));
        let barrier = Barrier::new(2);
        let saved = std::thread::scope(|scope| {
            let save = |number: usize| {
                barrier.wait();
                let body = json!({"template": format!("round {round} of {number}")}).to_string();
                servers[number].send_with("PUT", "/system-prompt", &[("if-match", &tag)], &body).status
            };
            let one = scope.spawn(move || save(0));
            let other = scope.spawn(move || save(1));
            let mut both = [one.join().unwrap(), other.join().unwrap()];
            both.sort_unstable();
            both
        });
        assert_eq!(saved, [200, 412], "round {round}");
        // Both see the winner at once.
        assert_eq!(servers[0].get("/system-prompt").json(), servers[1].get("/system-prompt").json());
    }
}

#[test]
fn a_preview_is_what_explain_prints_and_stores_nothing() {
    let scratch = project();
    let server = scratch.serve();
    let body = json!({"model": "claude-opus-5", "set": {"git:branch": "main"}, "now": "2026-11-16T08:00:00Z"});
    let args = ["explain", "--json", "--layout", "dispatch", "--model", "claude-opus-5", "--set", "git:branch=main"];
    let printed = scratch.print(&[&args[..], &["--now", "2026-11-16T08:00:00Z"]].concat());
    let preview = server.post("/system-prompt/preview", &body.to_string()).ok();
    assert_eq!(preview.json()["prefix"], serde_json::from_str::<serde_json::Value>(&printed).unwrap()["prefix"]);

    let draft = json!({"template": "Draft for [prompt:cwd].", "layout": "dispatch"});
    let preview = server.post("/system-prompt/preview", &draft.to_string()).ok().json();
    assert_eq!(preview["prefix"]["text"], format!("Draft for {}.", scratch.path("p").display()));
    assert_eq!(server.get("/system-prompt").json()["from"], "layout");

    server.post("/conversations/c/turns", r#"{"model":"claude-opus-5"}"#).ok();
    let draft = json!({"template": "Draft.", "conversation": "c"});
    let preview = server.post("/system-prompt/preview", &draft.to_string()).ok().json();
    let difference = &preview["change"]["difference"];
    assert_eq!((&difference["at"], &difference["lost_bytes"]), (&json!(0), &json!(6)));
    assert!(difference["basis"].as_str().unwrap().ends_with("too short to be cached"), "{difference}");
    assert_eq!(difference.get("cost"), None);
    assert_eq!(server.get("/conversations/c/epochs").json()["epochs"].as_array().unwrap().len(), 1);

    let missing = server.post("/system-prompt/preview", r#"{"conversation":"nobody"}"#);
    assert_eq!(missing.status, 404);
    assert_eq!(server.post("/system-prompt/preview", r#"{"layout":"../../etc/x"}"#).status, 404);
    assert_eq!(
        server.post("/system-prompt/preview", r#"{"tempalte":"x"}"#).error(),
        "There is no field 'tempalte' here"
    );
}

#[test]
fn another_layout_has_a_section_that_a_saved_template_takes_the_place_of() {
    let scratch = project();
    let layout = "editable = \"mine\"\n[[section]]\nid = \"fixed\"\nstability = \"fixed\"\ntext = \"First.\"\n\
                  [[section]]\nid = \"mine\"\nstability = \"frozen\"\njoint = \"paragraph\"\ntext = \"In {{ prompt.cwd }}.\"\n";
    scratch.write("home/layout.toml", layout);
    let server = scratch.serve_with(&["--layout", scratch.path("home/layout.toml").to_str().unwrap()]);
    let document = server.get("/system-prompt").ok().json();
    assert_eq!((&document["template"], &document["dialect"]), (&json!("In {{ prompt.cwd }}."), &json!("jinja")));
    server.put("/system-prompt", r#"{"template":"At [system:date]","dialect":"bracket"}"#).ok();
    let turn = server.post("/conversations/c/turns", r#"{"now":"2026-11-16T08:00:00Z"}"#).ok().json();
    assert_eq!(turn["prefix"], "First.\n\nAt 2026-11-16");
}

#[test]
fn the_catalog_is_what_vars_prints() {
    let scratch = project();
    let server = scratch.serve();
    assert_eq!(server.get("/system-prompt/variables").ok().body, scratch.print(&["vars", "--json"]));
}

#[test]
fn the_catalog_is_the_layouts_and_a_saved_template_sees_no_more() {
    let scratch = project().file("p/AGENTS.md", "RULES");
    let server = scratch.serve_with(&["--layout", "yoi"]);
    let variables = scratch.print(&["vars", "--layout", "yoi", "--json"]);
    assert_eq!(server.get("/system-prompt/variables").ok().body, variables);
    // The text includes what lies beside the layout's own, by its bare name, and by the layout's alias.
    let text = "In {{ cwd }}. {% include \"common/tool-usage\" %} {% include \"$insomnia/common/tool-usage\" %}";
    server.put("/system-prompt", &json!({ "template": text }).to_string()).ok();
    for template in ["{{ scope.summary }}", "{{ file('AGENTS.md') }}", "{% for f in instructions.files %}x{% endfor %}"]
    {
        let refused = server.put("/system-prompt", &json!({ "template": template }).to_string());
        assert_eq!(refused.status, 422, "{template}");
        assert!(refused.body.contains("the layout hides it from templates"), "{}", refused.body);
    }
}
