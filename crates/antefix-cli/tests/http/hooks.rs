//! Hooks over HTTP: nothing of a project runs before its user trusts it, and all of it does then.

use serde_json::json;

use crate::project;

const LAYOUT: &str = r#"
[[section]]
id = "base"
stability = "frozen"
text = "{{ system.time }}"

[[hook]]
name = "opened"
on = "opened"
command = ["sh", ".antefix/note.sh"]

[[hook]]
name = "renewed"
on = "renewed"
command = ["sh", ".antefix/note.sh"]

[[hook]]
name = "before"
on = "before_turn"
command = ["sh", ".antefix/note.sh"]
"#;

#[test]
fn hooks_run_once_they_are_trusted_and_hear_of_every_epoch() {
    let scratch = project();
    scratch.directory("p/.antefix");
    scratch.write("p/.antefix/layout.toml", LAYOUT);
    scratch.write("p/.antefix/note.sh", "echo $ANTEFIX_HOOK >> canary\n");
    let server = scratch.serve_with(&["--layout", ".antefix/layout.toml"]);
    let heard = || {
        let text = std::fs::read_to_string(scratch.path("p/canary")).unwrap_or_default();
        let _ = std::fs::remove_file(scratch.path("p/canary"));
        text.split_whitespace().map(str::to_owned).collect::<Vec<_>>()
    };
    let turn = server.post("/conversations/a/turns", "{}").ok().json();
    server.post("/conversations/a/renewals", "{}").ok();
    server.post("/system-prompt/preview", "{}").ok();
    assert_eq!(heard(), [""; 0]);
    let told = turn["diagnostics"]
        .as_array()
        .unwrap()
        .iter()
        .any(|finding| finding["hint"].to_string().contains("antefix trust"));
    assert!(told, "{turn}");

    scratch.print(&["trust", "--yes", "--layout", ".antefix/layout.toml"]);
    let turn = server.post("/conversations/b/turns", "{}").ok().json();
    assert_eq!(heard(), ["opened", "before_turn"]);
    assert_eq!(turn["hooks"].as_array().unwrap().len(), 2, "{turn}");
    server.post("/conversations/b/turns", "{}").ok();
    assert_eq!(heard(), ["before_turn"]);
    let renewed = server.post("/conversations/b/renewals", "{}").ok().json();
    assert_eq!((heard(), &renewed["hooks"][0]["hook"]), (vec!["renewed".to_owned()], &json!("renewed")));
    let token = server.post("/conversations/b/compaction", "{}").ok().json()["token"].as_str().unwrap().to_owned();
    // The request for a summary begins as the next turn's would.
    assert_eq!(heard(), ["before_turn"]);
    server.put(&format!("/conversations/b/compaction/{token}"), r#"{"outcome":"succeeded"}"#).ok();
    assert_eq!(heard(), ["renewed"]);
    // Other bytes are not trusted, also while the server runs.
    scratch.write("p/.antefix/note.sh", "echo changed >> canary\n");
    server.post("/conversations/b/turns", "{}").ok();
    assert_eq!(heard(), [""; 0]);
}
