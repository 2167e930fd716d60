//! What a project may have run, and what of its text is read.

use serde_json::json;

use super::scenarios;
use crate::expect::{begins, opens, stands};
use crate::front_end::FrontEnd;
use crate::scenario::{project, project_with};
use crate::step::nothing;

const HOOKED: &str = r#"
[[section]]
id = "base"
stability = "fixed"
dialect = "plain"
text = "You are careful."
[[hook]]
on = "before_turn"
command = ["hooks/note"]
"#;

/// A hook that names further roots.
const NAMING: &str = r#"
[instructions]
global = "none"
[[section]]
id = "files"
stability = "frozen"
only_if = ["instructions:files"]
text = "{% for one in instructions.files %}{{ one.body }}\n{% endfor %}"
[[hook]]
on = "discover"
command = ["hooks/roots"]
"#;

/// A hook that changes the messages of a request.
const LISTENING: &str = r#"
[[section]]
id = "base"
stability = "fixed"
dialect = "plain"
text = "You are careful."
[[hook]]
on = "messages"
command = ["hooks/trim"]
"#;

scenarios! {
    a_hook_runs_as_long_as_its_bytes_are_trusted => project_with(HOOKED)
        .program("p/.antefix/hooks/note", "#!/bin/sh\nprintf '%s' '{\"append\": \"\\nNoted.\\n\"}'\n")
        .turn(nothing(), opens().codes(&["hook-untrusted"]).keeps_quiet_about("Noted."))
        .trust()
        .turn(nothing(), stands(1, "opened").says("Noted."))
        .program("p/.antefix/hooks/note", "#!/bin/sh\nprintf '%s' '{\"append\": \"\\nForged.\\n\"}'\n")
        .turn(nothing(), stands(1, "opened").codes(&["hook-modified"]).keeps_quiet_about("Forged."))
        .trust()
        .turn(nothing(), stands(1, "opened").says("Forged."))
        .revoke_trust()
        .turn(nothing(), stands(1, "opened").codes(&["hook-untrusted"]).keeps_quiet_about("Forged."));

    a_hook_may_name_a_directory_of_instructions_once_it_is_trusted => project_with(NAMING)
        .write("p/vendor/AGENTS.md", "Vendored.\n")
        .program("p/.antefix/hooks/roots", "#!/bin/sh\necho '{\"instructions\": [\"vendor\"]}'\n")
        .turn(nothing(), opens().codes(&["hook-untrusted"]).keeps_quiet_about("Vendored."))
        .trust()
        .turn(nothing(), begins(2, "recovered").changes(&["root-added"]).says("Vendored."))
        // What a hook names is unknown, and not nothing, before it may be asked.
        .turn(nothing(), stands(2, "recovered").says("Vendored."));

    a_hook_on_messages_is_asked_where_messages_are_passed_through => project_with(LISTENING)
        .program("p/.antefix/hooks/trim", "#!/bin/sh\necho '{\"messages\": [{\"role\": \"user\", \"content\": \"Trimmed.\"}]}'\n")
        .trust()
        .turn(
            nothing().messages(json!([{"role": "user", "content": "Long."}])).target("anthropic"),
            opens().says("Trimmed.").keeps_quiet_about("Long."),
        )
        .except(FrontEnd::Acp, &["findings"], "an agent keeps the messages of its session to itself, and that is told")
        .turn(nothing(), stands(1, "opened").keeps_quiet_about("Trimmed."));

    a_hook_that_fails_is_passed_over => project_with(HOOKED)
        .program("p/.antefix/hooks/note", "#!/bin/sh\nexit 3\n")
        .trust()
        .turn(nothing(), opens().codes(&["hook-failed"]).says("You are careful."))
        .turn(nothing(), stands(1, "opened").codes(&["hook-failed"]));

    text_that_is_withheld_is_read_once_the_project_is_trusted => project()
        .settings("untrusted_text = 'withhold'\n")
        .turn(nothing(), opens().degraded().codes(&["untrusted"]).keeps_quiet_about("Use tabs."))
        .trust()
        .turn(nothing(), stands(1, "opened").degraded().amendments(1))
        .revoke_trust()
        .turn(nothing(), stands(1, "opened").degraded().amendments(1).something_pending().codes(&["untrusted"]));
}
