//! What the layout `pi` promises: files act on a reload, tools at once.

use serde_json::json;

use super::scenarios;
use crate::expect::{begins, opens, stands};
use crate::scenario::project;
use crate::step::nothing;

scenarios! {
    files_act_on_a_reload_and_tools_at_once => project()
        .turn(
            nothing().layout("pi").tools(json!([{"name": "my", "promptSnippet": "Does it"}, "read"])),
            opens().says("- my: Does it\n- read: reads a file").says("Use tabs."),
        )
        .write("p/AGENTS.md", "Use spaces.\n")
        .turn(nothing(), stands(1, "opened").pending(&["file-changed"]).says("Use tabs."))
        .renew("reloaded", begins(2, "reloaded"))
        .turn(nothing(), stands(2, "reloaded").says("- my: Does it").says("Use spaces."))
        .turn(
            nothing().tools(json!(["read"])),
            begins(3, "tools-changed").changes(&["tool-removed"]).keeps_quiet_about("- my:").says("Use spaces."),
        );

    a_key_of_a_tool_that_nobody_knows_is_reported => project()
        .turn(
            nothing().layout("pi").tools(json!([{"name": "my", "promptSnipet": "Does it"}, "read"])),
            opens().codes(&["tool-key"]).says("- my: my"),
        );
}
