//! Messages that wait for a turn, and requests that carry them.

use serde_json::{Value, json};

use super::scenarios;
use crate::expect::{done, names, opens, stands};
use crate::scenario::{project, project_with};
use crate::step::nothing;

/// A layout whose prefix is long enough for every cache, and whose changes are told.
fn long() -> String {
    let base = "Look twice before you change what depends on it. ".repeat(120);
    format!(
        "[instructions]\nglobal = \"none\"\n\n[[section]]\nid = \"base\"\nstability = \"fixed\"\ndialect = \"plain\"\ntext = \"{base}\"\n\n\
         [[section]]\nid = \"files\"\nstability = \"frozen\"\non_drift = \"amend\"\njoint = \"paragraph\"\n\
         text = \"{{% for one in instructions.files %}}{{{{ one.body }}}}{{% endfor %}}\"\n"
    )
}

/// What a user and an assistant have said, by turns, of which the third was interrupted.
fn interrupted(count: usize) -> Value {
    let says = |role: &str, text: &str| json!({"role": role, "content": text});
    let all = [
        says("user", "u1"),
        says("assistant", "a1"),
        says("user", "u2"),
        says("user", "u3"),
        says("assistant", "a3"),
        says("user", "u4"),
    ];
    all[..count].iter().cloned().collect()
}

/// A message of the user's in which the caller has marked so many texts for an hour.
fn marked(count: usize) -> Value {
    let block = json!({"type": "text", "text": "mine", "cache_control": {"type": "ephemeral", "ttl": "1h"}});
    json!([{"role": "user", "content": vec![block; count]}])
}

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
        .turn(nothing().layout("dispatch"), opens())
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

    /// What was cached is read: all is as in the turn before, and the words that ask for the summary come last.
    a_summary_is_asked_for_behind_the_conversation => project_with(
            "[[section]]\nid = 'base'\nstability = 'frozen'\ntext = 'Be brief.'\n",
    )
        .send("The build is red.")
        .turn(
            nothing().messages(json!([{"role": "user", "content": "Go on."}])).target("openai-chat"),
            opens().queued(&["The build is red."]).requests(concat!(
                r#"{"messages":[{"content":"Be brief.","role":"system"},{"content":"Go on.","role":"user"},"#,
                r#"{"content":"The build is red.","role":"user"}"#,
            )),
        )
        .send("Not yet.")
        .begin_compaction_with(
            nothing()
                .messages(json!([{"role": "user", "content": "Go on."}, {"role": "assistant", "content": "Done."}]))
                .target("openai-chat"),
            done()
                .requests(concat!(
                    r#"{"messages":[{"content":"Be brief.","role":"system"},{"content":"Go on.","role":"user"},"#,
                    r#"{"content":"The build is red.","role":"user"},{"content":"Done.","role":"assistant"},"#,
                    r#"{"content":"You shorten a conversation"#,
                ))
                .keeps_quiet_about("Not yet."),
        )
        .begin_compaction_with(
            nothing().target("anthropic"),
            done().requests("Be brief.").appends("You shorten a conversation").appends("The build is red."),
        );

    /// What is true of the moment stays where it was said, and is said again when it has changed.
    a_live_part_is_kept_until_it_changes => project_with(
            "live = 'kept'\n[[section]]\nid = 'base'\nstability = 'frozen'\ntext = 'Be brief.'\n\
             [[section]]\nid = 'now'\nstability = 'live'\ndialect = 'jinja'\ntext = 'On {{ git.branch }}.'\n",
    )
        .turn(
            nothing().set("git:branch", "main").messages(json!([{"role": "user", "content": "Go on."}])).target("openai-chat"),
            opens().requests(r#"{"content":"Go on.","role":"user"},{"content":"On main.","role":"system"}]"#),
        )
        .turn(
            nothing()
                .set("git:branch", "main")
                .messages(json!([
                    {"role": "user", "content": "Go on."},
                    {"role": "assistant", "content": "Done."},
                    {"role": "user", "content": "Thanks."},
                ]))
                .target("openai-chat"),
            stands(1, "opened").requests(concat!(
                r#"{"content":"Go on.","role":"user"},{"content":"On main.","role":"system"},"#,
                r#"{"content":"Done.","role":"assistant"},{"content":"Thanks.","role":"user"}]"#,
            )),
        )
        .turn(
            nothing().set("git:branch", "fix").messages(json!([{"role": "user", "content": "Go on."}])).target("openai-chat"),
            stands(1, "opened").requests(concat!(
                r#"{"content":"On main.","role":"system"},"#,
                r#"{"content":"What follows has changed since you were told of it, and replaces that.\n\nOn fix.","role":"system"}]"#,
            )),
        );

    /// As the document that `dispatch` follows has it.
    a_layout_may_ask_for_a_summary_in_the_system_text => project_with(
            "compaction = 'system'\n[[section]]\nid = 'base'\nstability = 'frozen'\ntext = 'Be brief.'\n",
    )
        .turn(nothing(), opens())
        .begin_compaction_with(
            nothing().messages(json!([{"role": "user", "content": "Go on."}])).target("openai-chat"),
            done()
                .requests(r#"{"messages":[{"content":"Be brief.\n\nYou shorten a conversation"#)
                .requests(r#""role":"system"},{"content":"Go on.","role":"user"}]"#),
        );

    /// Claude takes a system message in front of an answer alone: what was told of a turn that nobody answered goes on to the next.
    a_notice_of_an_interrupted_turn_is_told_behind_what_the_user_says_next => project_with(&long())
        .turn(nothing().model("claude-opus-5"), opens())
        .write("p/AGENTS.md", "Use spaces.\n")
        .turn(
            nothing().messages(interrupted(3)).target("anthropic"),
            stands(1, "opened").amendments(1).requests("Use spaces.").requests(r#""role":"system"}],"system":["#),
        )
        .turn(
            nothing().messages(interrupted(4)).target("anthropic"),
            stands(1, "opened").amendments(1).requests("Use spaces.").requests(r#""role":"system"}],"system":["#)
                .requests(r#"{"content":"u2","role":"user"},{"content":"u3","role":"user"},{"content":[{"cache_control":"#),
        )
        .turn(
            nothing().messages(interrupted(6)).target("anthropic"),
            stands(1, "opened").amendments(1).requests("Use spaces.")
                .requests(r#""role":"system"},{"content":"a3","role":"assistant"}"#),
        );

    /// Ours live no shorter than theirs behind them, and there are four in all.
    the_callers_own_breakpoints_are_counted_and_kept => project_with(&long())
        .turn(
            nothing().model("claude-opus-5").messages(marked(1)).target("anthropic"),
            opens().requests(r#"{"cache_control":{"ttl":"1h","type":"ephemeral"},"text":"mine","type":"text"}"#)
                .requests(r#"{"cache_control":{"ttl":"1h","type":"ephemeral"},"text":"\n\nUse tabs."#),
        )
        .turn(
            nothing().messages(marked(4)).target("anthropic"),
            stands(1, "opened").requests(r#",{"text":"\n\nUse tabs."#),
        );

    a_request_asks_the_provider_to_compare_it_with_the_response_before => project_with(&long())
        .turn(
            nothing().model("claude-opus-5").messages(interrupted(1)).target("anthropic").previous_response("msg_1"),
            opens().requests(r#""diagnostics":{"previous_message_id":"msg_1"}"#),
        )
        .turn(
            nothing().messages(interrupted(1)).target("openai-chat").previous_response("msg_1"),
            stands(1, "opened").keeps_quiet_about("msg_1"),
        )
        .turn(
            nothing().messages(interrupted(1)).target("anthropic"),
            stands(1, "opened").keeps_quiet_about("diagnostics"),
        );

    sections_are_said_by_whom_their_layout_names => project_with(
            "[[section]]\nid = 'rules'\nstability = 'fixed'\nrole = 'developer'\nblock = 'own'\ntext = 'Be brief.'\n\
             [[section]]\nid = 'place'\nstability = 'frozen'\nrole = 'user'\ntext = '<here/>'\n",
    )
        .turn(
            nothing().messages(json!([{"role": "user", "content": "Go on."}])).target("openai-chat"),
            opens().requests(concat!(
                r#"[{"content":"Be brief.","role":"system"},{"content":"<here/>","role":"user"},"#,
                r#"{"content":"Go on.","role":"user"}]"#,
            )),
        )
        .turn(
            nothing().messages(json!([{"role": "user", "content": "Go on."}])).target("gemini"),
            stands(1, "opened").requests(r#"{"parts":[{"text":"<here/>"}],"role":"user"}"#),
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
