//! How much two prompts share is said by the program and over HTTP in the same words.

use serde_json::{Value, json};

use crate::project;

const LAYOUT: &str = r#"
[[section]]
id = "base"
stability = "fixed"
text = "Be brief."
[[section]]
id = "where"
stability = "frozen"
joint = "paragraph"
text = "In {{ prompt.cwd }}."
[[section]]
id = "end"
stability = "frozen"
joint = "paragraph"
text = "That is all."
"#;

#[test]
fn the_program_and_the_server_say_what_parts_two_prompts_and_what_would_let_them_share_more() {
    let scratch = project();
    scratch.write("home/layout.toml", LAYOUT);
    scratch.directory("p/deep");
    let layout = scratch.path("home/layout.toml").display().to_string();
    let server = scratch.serve_with(&["--layout", &layout]);
    let preview = |with: &str| -> Value {
        let body = json!({"other": with});
        server.post("/system-prompt/preview", &body.to_string()).ok().json()["family"].clone()
    };
    let explain = |with: &str| -> Value {
        scratch.ok(&["explain", "--layout", &layout, "--with", with, "--json"]).json()["family"].clone()
    };
    let found = preview("cwd:deep");
    assert_eq!(found, explain("cwd:deep"));
    assert_eq!(found["parting"]["section"], "where");
    let advice = "put section `where` behind `end`, or make it live: 14 bytes more would be shared";
    assert_eq!(found["advice"], json!([advice]));
    assert!(scratch.print(&["explain", "--layout", &layout, "--with", "cwd:deep"]).contains(advice));
    // An epoch is what its conversation was told, whatever is said now.
    server.post("/conversations/c/turns", "{}").ok();
    let same = preview("conversation:c");
    assert_eq!((&same["parting"], &same["shared_bytes"]), (&Value::Null, &same["bytes"]));
    assert_eq!(preview("layout:dispatch"), explain("layout:dispatch"));
    for (with, status) in [("cwd:/", 403), ("layout:nobody", 404), ("conversation:nobody", 404), ("weather:fine", 400)]
    {
        let body = json!({"other": with}).to_string();
        assert_eq!(server.post("/system-prompt/preview", &body).status, status, "{with}");
    }
}
