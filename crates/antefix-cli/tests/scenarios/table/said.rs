//! What a caller says, and what the conversation remembers.

use serde_json::json;

use super::scenarios;
use crate::expect::{begins, opens, replaced, stands};
use crate::front_end::FrontEnd;
use crate::scenario::{project, project_with};
use crate::step::nothing;

/// The conversation's own name in its prefix.
const NAMED: &str = r#"
[[section]]
id = "name"
stability = "frozen"
text = "This is {{ prompt.conversation_id | default('a conversation without a name') }}."
"#;

/// Two messages of a developer's and one of the user's, before the user's own words.
const ROLES: &str = r#"
[[section]]
id = "permissions"
stability = "fixed"
role = "developer"
block = "own"
text = "Ask before you write."
[[section]]
id = "operator"
stability = "frozen"
role = "developer"
block = "own"
joint = "paragraph"
text = "You help Ada."
[[section]]
id = "place"
stability = "frozen"
role = "user"
joint = "paragraph"
text = "Work here."
"#;

/// An agent that says that it has no tools cannot read skills, and that is told.
const NO_TOOL: &[&str] = &["no-reading-tool"];

scenarios! {
    what_was_said_once_need_not_be_said_again => project()
        .turn(
            nothing().layout("buzz").model("deepseek-flash").tools(json!(["read", "edit"])),
            opens().keeps_quiet_about("Use tabs."),
        )
        .turn(
            nothing().target("anthropic"),
            stands(1, "opened").says("\"name\":\"read\"").says("\"name\":\"edit\"").keeps_quiet_about("Use tabs."),
        )
        .renew("requested", stands(1, "opened"))
        .turn(nothing(), stands(1, "opened"));

    files_that_are_handed_in_take_the_place_of_those_that_would_be_found => project()
        .turn(
            nothing()
                .layout("deepseek")
                .set("instructions:files", r#"[{"path": "own/RULES.md", "text": "Use spaces."}]"#)
                .set("skills:index", "tidy | Tidies up. | direct | 0a1b2c3d4e5f | read\n"),
            opens()
                .says("[own/RULES.md]\nUse spaces.\n")
                .says("\ntidy | Tidies up. | direct | 0a1b2c3d4e5f | read\n")
                .keeps_quiet_about("Use tabs."),
        )
        // Who does not hand them in again is told what would be found, and this layout holds what changes.
        .turn(
            nothing(),
            stands(1, "opened").says("Use spaces.").pending(&["file-added", "file-removed", "fact-removed"]),
        );

    a_section_that_one_does_without_stays_away => project()
        .turn(nothing().without(&["instructions"]), opens().keeps_quiet_about("Use tabs."))
        .turn(nothing(), stands(1, "opened").keeps_quiet_about("Use tabs."))
        .renew("requested", stands(1, "opened"))
        .turn(nothing(), stands(1, "opened").keeps_quiet_about("Use tabs."));

    sections_are_said_by_whom_the_layout_names_in_messages_of_their_own => project_with(ROLES)
        .turn(
            nothing().model("gpt-5").messages(json!([{"role": "user", "content": "Go on."}])).target("openai-responses"),
            opens().codes(&["below-cache-minimum"]).requests(concat!(
                r#""input":[{"content":"Ask before you write.","role":"developer"},{"content":"You help Ada.","role":"developer"},"#,
                r#"{"content":"Work here.","role":"user"},{"content":"Go on.","role":"user"}]"#,
            )),
        )
        // A target that knows no developer lets the system say it, and this one has one message for the system.
        .turn(
            nothing().messages(json!([{"role": "user", "content": "Go on."}])).target("ollama"),
            stands(1, "opened").requests(concat!(
                r#""messages":[{"content":"Ask before you write.\n\nYou help Ada.","role":"system"},"#,
                r#"{"content":"Work here.","role":"user"},{"content":"Go on.","role":"user"}]"#,
            )),
        );

    an_empty_list_of_tools_is_not_silence => project()
        .turn(nothing().tools(json!(["read"])), opens().says("read"))
        .turn(nothing(), stands(1, "opened"))
        .turn(nothing().tools(json!([])), begins(2, "tools-changed").changes(&["tool-removed"]).codes(NO_TOOL))
        .turn(nothing(), stands(2, "tools-changed").codes(NO_TOOL))
        .turn(nothing().tools(json!(["read"])), begins(3, "tools-changed").changes(&["tool-added"]));

    tools_that_are_said_for_the_first_time_begin_an_epoch => project()
        .turn(nothing(), opens())
        .turn(
            nothing().tools(json!(["edit", "read"])),
            begins(2, "tools-changed").changes(&["tool-added", "tool-added"]),
        )
        // Their order says nothing.
        .turn(nothing().tools(json!(["read", "edit"])), stands(2, "tools-changed"));

    a_tool_that_is_said_twice_is_a_finding => project()
        .turn(nothing().tools(json!(["read", "read"])), opens().codes(&["tool-twice"]))
        // It is remembered once.
        .turn(nothing(), stands(1, "opened"));

    a_layout_may_be_a_file_that_is_named => project()
        .write("p/other.toml", NAMED)
        .turn(nothing().layout("./other.toml"), opens().says("This is "))
        .except(FrontEnd::Acp, &["prefix", "ledger"], "a draft has no name")
        .turn(nothing(), stands(1, "opened"))
        .except(FrontEnd::Acp, &["prefix", "ledger"], "a draft has no name")
        .write("p/other.toml", "[[section]]\nid = 'base'\nstability = 'fixed'\ntext = 'You are quick.'\n")
        .turn(nothing(), stands(1, "opened").pending(&["layout-changed"]).says("This is "))
        .except(FrontEnd::Acp, &["prefix", "ledger"], "a draft has no name")
        .renew("requested", begins(2, "requested"))
        .except(FrontEnd::Acp, &["ledger"], "a draft has no name")
        .turn(nothing(), stands(2, "requested").says("You are quick."))
        .except(FrontEnd::Acp, &["ledger"], "a draft has no name");

    another_model_is_held_back_until_it_is_said_otherwise => project()
        .turn(nothing().model("deepseek-flash"), opens())
        .turn(nothing().model("llama-3"), stands(1, "opened").pending(&["model-changed"]))
        .turn(nothing(), stands(1, "opened").pending(&["model-changed"]))
        .turn(nothing().model("deepseek-flash"), stands(1, "opened"));

    a_model_that_nobody_knows_is_a_finding => project()
        .turn(nothing().model("llama-3"), opens().codes(&["unknown-model"]))
        .turn(nothing(), stands(1, "opened"))
        .renew("requested", stands(1, "opened").codes(&["unknown-model"]));

    a_fact_that_is_answered_by_hand_counts_for_its_turn => project()
        .turn(nothing().set("memory:core", "Remember the milk."), opens().says("Remember the milk."))
        .turn(nothing().set("memory:core", "Remember the milk."), stands(1, "opened"))
        .turn(nothing(), stands(1, "opened").pending(&["unavailable"]).says("Remember the milk."));

    a_turn_with_a_text_of_its_own_stores_nothing => project()
        .turn(nothing().replacement("Only this.").model("deepseek-flash"), replaced().says("Only this."))
        .turn(nothing(), opens().keeps_quiet_about("Only this."))
        .turn(nothing().replacement(""), replaced().keeps_quiet_about("Use tabs."))
        .turn(nothing(), stands(1, "opened"));

    a_directory_that_is_named_moves_the_conversation => project()
        .write("q/.antefix/wording.toml", "")
        .write("q/AGENTS.md", "Use spaces.\n")
        .turn(nothing(), opens().says("Use tabs."))
        .turn(nothing().cwd("q"), begins(2, "moved").changes(&["moved"]).says("Use spaces."))
        .turn(nothing(), stands(2, "moved").says("Use spaces."))
        .turn(nothing().cwd("p"), begins(3, "moved").changes(&["moved"]).says("Use tabs."));

    a_linked_directory_is_shown_as_it_was_given => project()
        .link("q", "p")
        .turn(nothing().layout("dispatch").cwd("q"), opens().says("Use tabs.").says("/q.\n"))
        .turn(nothing(), stands(1, "opened").says("/q.\n"))
        // It is the same directory under its other name, and the text stays.
        .turn(nothing().cwd("p"), stands(1, "opened").pending(&["fact-changed"]).says("/q.\n"))
        .renew("requested", begins(2, "requested"))
        .turn(nothing(), stands(2, "requested").says("/p.\n"));

    another_machine_with_the_same_bytes_begins_nothing => project()
        .turn(nothing().machine("laptop"), opens())
        .turn(nothing().machine("desk"), stands(1, "opened"))
        .turn(nothing(), stands(1, "opened"));

    a_layout_may_name_the_conversation => project_with(NAMED)
        .turn(nothing(), opens().says("This is acp:scenarios:s1."))
        .except(
            FrontEnd::Acp,
            &["prefix", "ledger"],
            "the agent names a session when it has its prompt: a draft has no name",
        )
        .turn(nothing(), stands(1, "opened"))
        .except(FrontEnd::Acp, &["prefix", "ledger"], "the same");

    front_ends_may_take_turns => project()
        .turn(nothing().tools(json!(["read"])).model("deepseek-flash"), opens())
        .turn(nothing(), stands(1, "opened"))
        .write("p/AGENTS.md", "Use spaces.\n")
        .renew("reloaded", begins(2, "reloaded"))
        .turn(nothing(), stands(2, "reloaded").says("Use spaces."))
        .drift(crate::expect::names(2, "reloaded"))
        .turn(nothing().tools(json!([])), begins(3, "tools-changed").changes(&["tool-removed"]).codes(NO_TOOL))
        .turn(nothing(), stands(3, "tools-changed").codes(NO_TOOL));
}
