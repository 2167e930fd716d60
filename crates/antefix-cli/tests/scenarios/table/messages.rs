//! Messages that wait for a turn, and requests that carry them.

use serde_json::json;

use super::scenarios;
use crate::expect::{done, names, opens, stands};
use crate::scenario::{project, project_with};
use crate::step::nothing;

/// The notice for the nested file of these scenarios.
const NESTED: &str = concat!(
    "The people who own this project wrote down what holds where you are about to work. It comes on top of the project \
     instructions that you have; where two of them differ, this is nearer to your work and counts.\n\n",
    "<instructions from=\"sub/AGENTS.md\">\nNested.\n</instructions>",
);

scenarios! {
    /// Whoever names the path: before a turn, or with it.
    what_applies_to_a_path_is_said_once_and_again_after_a_compaction => project()
        .write("p/.git/HEAD", "ref: refs/heads/main\n")
        .write("p/sub/AGENTS.md", "Nested.\n")
        .turn(nothing(), opens())
        .touch(&["sub/x"])
        .turn(nothing(), stands(1, "opened").queued(&[NESTED]))
        .touch(&["sub/x"])
        .turn(nothing().touch(&["sub/y"]), stands(1, "opened"))
        .turn(nothing(), stands(1, "opened"))
        .begin_compaction(done().says("You shorten a conversation"))
        .commit_compaction(names(1, "opened"))
        .turn(
            nothing().touch(&["sub/x"]).messages(json!([{"role": "user", "content": "Go on."}])).target("openai-chat"),
            stands(1, "opened").queued(&[NESTED]).requests("Nested."),
        )
        .turn(
            nothing().touch(&["sub/x"]).messages(json!([{"role": "user", "content": "Go on."}])).target("openai-chat"),
            stands(1, "opened").requests("Nested."),
        );

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
            stands(1, "opened").queued(&["The build is red."]).requests("Go on.").requests("The build is red."),
        );

    a_message_is_repeated_at_its_place_until_a_compaction => project()
        .turn(nothing(), opens())
        .send("The build is red.")
        .turn(
            nothing().messages(json!([{"role": "user", "content": "Go on."}])).target("openai-chat"),
            stands(1, "opened").queued(&["The build is red."]).requests("The build is red."),
        )
        .turn(
            nothing()
                .messages(json!([
                    {"role": "user", "content": "Go on."},
                    {"role": "assistant", "content": "Done."},
                    {"role": "user", "content": "Thanks."},
                ]))
                .target("openai-chat"),
            stands(1, "opened").requests(concat!(
                r#"{"content":"Go on.","role":"user"},{"content":"The build is red.","role":"user"},"#,
                r#"{"content":"Done.","role":"assistant"},{"content":"Thanks.","role":"user"}"#,
            )),
        )
        .begin_compaction(done().says("You shorten a conversation"))
        .commit_compaction(names(1, "opened"))
        .turn(
            nothing().messages(json!([{"role": "user", "content": "Summary."}])).target("openai-chat"),
            stands(1, "opened").requests("Summary.").keeps_quiet_about("The build is red."),
        );

    a_request_that_failed_is_made_again_with_its_messages => project()
        .turn(nothing(), opens())
        .send("The build is red.")
        .turn(
            nothing().named("t1").messages(json!([{"role": "user", "content": "Go on."}])).target("gemini"),
            stands(1, "opened").queued(&["The build is red."]).requests("The build is red."),
        )
        .turn(
            nothing().named("t1").messages(json!([{"role": "user", "content": "Go on."}])).target("gemini"),
            stands(1, "opened").queued(&["The build is red."]).requests("The build is red."),
        );

    without_messages_what_a_turn_brings_is_to_append => project_with(
            "[[section]]\nid = 'base'\nstability = 'frozen'\ntext = 'Be brief.'\n\
             [[section]]\nid = 'now'\nstability = 'live'\ntext = 'It is noon.'\n",
    )
        .send("The build is red.")
        .turn(
            nothing().target("anthropic"),
            opens().queued(&["The build is red."]).requests("Be brief.").appends("The build is red.").appends("It is noon."),
        )
        .turn(
            nothing().target("ollama"),
            stands(1, "opened").requests("Be brief.").appends("The build is red.").appends("It is noon."),
        );
}
