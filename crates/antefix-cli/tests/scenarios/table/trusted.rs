//! What a project may have run, and what of its text is read.

use super::scenarios;
use crate::expect::{opens, stands};
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
