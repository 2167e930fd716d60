//! Messages that wait for a turn, and requests that carry them.

use serde_json::json;

use super::scenarios;
use crate::expect::{opens, stands};
use crate::scenario::project;
use crate::step::nothing;

scenarios! {
    a_message_goes_with_the_next_turn_and_with_no_other => project()
        .turn(nothing(), opens())
        .send("The build is red.")
        .send("Now it is green.")
        .turn(nothing(), stands(1, "opened").queued(&["The build is red.", "Now it is green."]))
        .turn(nothing(), stands(1, "opened"));

    a_message_may_wait_for_the_first_turn => project()
        .send("The build is red.")
        .turn(nothing(), opens().queued(&["The build is red."]))
        .turn(nothing(), stands(1, "opened"));

    a_turn_that_is_asked_for_again_under_its_name_gets_its_messages_again => project()
        .turn(nothing(), opens())
        .send("The build is red.")
        .turn(nothing().named("t1"), stands(1, "opened").queued(&["The build is red."]))
        .turn(nothing().named("t1"), stands(1, "opened").queued(&["The build is red."]))
        .turn(nothing().named("t2"), stands(1, "opened"))
        .turn(nothing(), stands(1, "opened"));

    a_request_has_the_prompt_the_tools_and_the_messages => project()
        .turn(
            nothing()
                .tools(json!([{"name": "read", "description": "Reads.", "input_schema": {"type": "object"}}, "bash"]))
                .messages(json!([{"role": "user", "content": "Where is the parser?"}]))
                .target("anthropic"),
            opens().says("\"name\":\"read\"").says("\"name\":\"bash\"").says("Where is the parser?"),
        )
        .turn(
            nothing().messages(json!([{"role": "user", "content": "And the lexer?"}])).target("openai-chat"),
            stands(1, "opened").says("\"name\":\"read\"").says("And the lexer?").keeps_quiet_about("the parser?"),
        );

    /// What is handed over arrives: whoever sends the fragment need not know of the queue.
    a_message_that_waits_is_in_the_request => project()
        .turn(nothing(), opens())
        .send("The build is red.")
        .turn(
            nothing().messages(json!([{"role": "user", "content": "Go on."}])).target("anthropic"),
            stands(1, "opened").queued(&["The build is red."]).says("Go on.").says("The build is red."),
        );
}
