//! What the layout `yoi` promises: a text that is made once, from what a template may see.

use serde_json::json;

use super::scenarios;
use crate::expect::{begins, opens, stands};
use crate::scenario::project;
use crate::step::nothing;

scenarios! {
    a_text_that_is_made_once_stays_and_the_order_of_tools_is_remembered => project()
        .turn(
            nothing().layout("yoi").tools(json!(["write", "read"])),
            opens().says("Your tools are write, read.").says("Use tabs."),
        )
        .write("p/AGENTS.md", "Use spaces.\n")
        .turn(nothing(), stands(1, "opened").pending(&["file-changed"]).says("Your tools are write, read.").says("Use tabs."))
        .renew("requested", begins(2, "requested"))
        .turn(nothing(), stands(2, "requested").says("Your tools are write, read.").says("Use spaces."));

    other_tools_change_nothing_of_a_text_that_is_made_once => project()
        .turn(
            nothing().layout("yoi").tools(json!(["write", "read"])),
            opens().says("Your tools are write, read."),
        )
        .turn(nothing().tools(json!(["read", "write"])), stands(1, "opened").pending(&["fact-changed"]))
        .turn(
            nothing().tools(json!(["read"])),
            stands(1, "opened").pending(&["tool-removed"]).says("Your tools are write, read."),
        )
        .turn(nothing().tools(json!(["write", "read"])), stands(1, "opened"));
}
