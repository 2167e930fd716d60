//! Tools that come and go in the midst of a conversation, tools that are deferred, and what their servers say.

use serde_json::{Value, json};

use super::scenarios;
use crate::expect::{begins, opens, stands};
use crate::scenario::project_with;
use crate::step::{Ask, nothing};

/// A layout whose text is long enough to be cached, with more of it.
fn layout(top: &str, sections: &str) -> String {
    let text = "You are careful. ".repeat(400);
    format!(
        "{top}\n[[section]]\nid = \"base\"\nstability = \"fixed\"\ndialect = \"plain\"\ntext = \"{text}\"\n{sections}"
    )
}

fn amending() -> String {
    layout("on_tools = \"amend\"", "")
}

fn tool(name: &str, description: &str) -> Value {
    json!({"name": name, "description": description})
}

/// So many turns of a conversation, the last one the user's.
fn talk(turns: usize, target: &'static str, tools: Value) -> Ask {
    let mut messages = vec![json!({"role": "user", "content": "Go on."})];
    for _ in 1..turns {
        messages.push(json!({"role": "assistant", "content": "Done."}));
        messages.push(json!({"role": "user", "content": "Go on."}));
    }
    nothing().tools(tools).messages(json!(messages)).target(target)
}

scenarios! {
    tools_that_come_change_and_go_are_told_to_claude => project_with(&amending())
        .turn(
            talk(1, "anthropic", json!([tool("read", "Reads."), tool("bash", "Runs.")])).model("claude-opus-5"),
            opens().requests(r#""name":"read""#),
        )
        .turn(
            talk(2, "anthropic", json!([tool("read", "Reads."), tool("bash", "Runs."), tool("grep", "Searches.")])),
            stands(1, "opened").amendments(1).requests(concat!(
                r#""tool":{"definition":{"description":"Searches.","input_schema":{"type":"object"},"name":"grep"},"#,
                r#""type":"tool_definition"},"type":"tool_addition"}"#,
            )),
        )
        .turn(
            talk(3, "anthropic", json!([tool("read", "Reads better."), tool("grep", "Searches.")])),
            stands(1, "opened")
                .amendments(2)
                .requests(r#""tool":{"name":"bash","type":"tool_reference"},"type":"tool_removal"}"#)
                .requests("Reads better."),
        )
        .turn(
            talk(4, "anthropic", json!([tool("read", "Reads better."), tool("grep", "Searches."), tool("bash", "Runs.")])),
            stands(1, "opened")
                .amendments(3)
                .requests(r#""tool":{"name":"bash","type":"tool_reference"},"type":"tool_addition"}"#),
        );

    responses_is_told_what_comes_and_begins_anew_for_what_goes => project_with(&amending())
        .turn(
            talk(1, "openai-responses", json!([tool("read", "Reads."), tool("bash", "Runs.")])).model("gpt-5.6"),
            opens().requests(r#""name":"read""#),
        )
        .turn(
            talk(2, "openai-responses", json!([tool("read", "Reads."), tool("bash", "Runs."), tool("grep", "Searches.")])),
            stands(1, "opened").amendments(1).requests(r#""type":"additional_tools""#),
        )
        .turn(
            talk(3, "openai-responses", json!([tool("read", "Reads better."), tool("bash", "Runs."), tool("grep", "Searches.")])),
            begins(2, "tools-changed").changes(&["tool-changed"]).keeps_quiet_about("additional_tools"),
        );

    openai_is_told_what_goes_by_the_tools_that_it_allows => project_with(&amending())
        .turn(
            talk(1, "openai-chat", json!([tool("read", "Reads."), tool("bash", "Runs.")])).model("gpt-5.4"),
            opens().keeps_quiet_about("tool_choice"),
        )
        .turn(
            talk(2, "openai-chat", json!([tool("read", "Reads.")])),
            stands(1, "opened").amendments(1).requests(r#""name":"bash""#).requests(concat!(
                r#""tool_choice":{"allowed_tools":{"mode":"auto","tools":[{"function":{"name":"read"},"type":"function"}]},"#,
                r#""type":"allowed_tools"}"#,
            )),
        );

    a_target_that_cannot_be_told_has_all_tools_as_they_are => project_with(&amending())
        .turn(
            talk(1, "openai-chat", json!([tool("read", "Reads.")])).model("claude-opus-5"),
            opens().requests(r#""name":"read""#),
        )
        .turn(
            talk(2, "openai-chat", json!([tool("read", "Reads."), tool("grep", "Searches.")])),
            stands(1, "opened").amendments(1).requests(r#""name":"grep""#).keeps_quiet_about("tool_addition"),
        )
        .turn(
            talk(3, "openai-chat", json!([tool("read", "Reads.")])),
            stands(1, "opened").amendments(2).keeps_quiet_about("grep"),
        );

    a_model_that_cannot_be_told_begins_an_epoch => project_with(&amending())
        .turn(talk(1, "openai-chat", json!([tool("read", "Reads.")])).model("deepseek-flash"), opens())
        .turn(
            talk(2, "openai-chat", json!([tool("read", "Reads."), tool("grep", "Searches.")])),
            begins(2, "tools-changed").changes(&["tool-added"]).requests(r#""name":"grep""#),
        );

    another_model_is_held_or_begins_an_epoch_as_the_layout_says => project_with(&layout(
            "on_model = \"renew\"",
            "[[section]]\nid = \"flash\"\nstability = \"frozen\"\nonly_if = [\"model:deepseek-*\"]\ntext = \"You are quick.\"\n",
        ))
        .turn(nothing().model("deepseek-flash"), opens().says("You are quick."))
        .turn(
            nothing().model("claude-opus-5"),
            begins(2, "resources-changed").changes(&["model-changed"]).keeps_quiet_about("You are quick."),
        )
        .turn(nothing(), stands(2, "resources-changed"))
        .write("p/.antefix/layout.toml", &layout("on_model = \"hold\"", ""))
        .turn(
            nothing().model("deepseek-flash"),
            stands(2, "resources-changed").pending(&["layout-changed", "model-changed"]),
        );

    deferred_tools_are_deferred_in_every_request_where_that_can_be_done => project_with(&layout(
            "[tools]\ndefer = [\"mcp__*\"]",
            "",
        ))
        .turn(
            talk(1, "anthropic", json!([tool("read", "Reads."), tool("mcp__github__search", "Searches.")])).model("claude-opus-5"),
            opens().requests(r#""type":"tool_search_tool_bm25_20251119""#).requests(r#""defer_loading":true"#),
        )
        .turn(
            nothing().messages(json!([{"role": "user", "content": "Go on."}])).target("openai-chat"),
            stands(1, "opened").requests("mcp__github__search").keeps_quiet_about("defer_loading"),
        );

    what_tool_servers_say_is_in_the_prompt_and_a_change_is_a_notice => project_with(&layout(
            "",
            "[[section]]\nid = \"servers\"\nstability = \"frozen\"\nonly_if = [\"tools:instructions\"]\non_drift = \"amend\"\ntext = \"{{ tools.instructions }}\"\n",
        ))
        .turn(
            nothing().tools(json!({"servers": {"github": {"instructions": "Search first."}}, "tools": ["read"]})),
            opens().says("<mcp_server name=\"github\">\nSearch first.\n</mcp_server>"),
        )
        .turn(nothing(), stands(1, "opened"))
        .turn(
            nothing().tools(json!({"servers": {"github": {"instructions": "Search twice."}}, "tools": ["read"]})),
            stands(1, "opened").amendments(1),
        );
}
